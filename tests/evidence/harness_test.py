"""Checks the harness's arithmetic against values computed by hand."""

import io
import math
import unittest

import numpy

from harness import against, cells, comparison, estimates, progress, results, tables


def curves(of_method):
    """{method: {(problem, seed): regrets}} with regrets from the sixth evaluation."""
    made = results.Curves()
    for method, studies in of_method.items():
        for (problem, seed), regrets in studies.items():
            made.add(method, problem, seed, 6, regrets)
    return made


class Estimates(unittest.TestCase):
    def test_tied_regrets_share_their_mean_rank(self):
        regrets = [[1, 5, 0], [2, 5, 0], [3, 4, 0]]
        self.assertEqual(estimates.ranks(regrets).tolist(), [[1, 2.5, 2], [2, 2.5, 2], [3, 1, 2]])

    def test_mean_and_median_are_over_all_axes(self):
        samples = [[0, 1], [2, 9]]
        self.assertEqual(estimates.estimate(samples, "mean"), 3)
        self.assertEqual(estimates.estimate(samples, "median"), 1.5)

    def test_an_interval_of_two_draws_spans_them(self):
        # Both resamples of one draw twice have a probability of 1/4 each.
        self.assertEqual(estimates.interval([3, 7], "mean"), (3, 7))

    def test_an_interval_of_many_draws_is_near_the_normal_one(self):
        samples = numpy.arange(100.0)  # Mean 49.5, deviation 28.87 without Bessel's correction.
        low, high = estimates.interval(samples, "mean")
        self.assertAlmostEqual(low, 49.5 - 1.96 * 2.887, delta=0.3)
        self.assertAlmostEqual(high, 49.5 + 1.96 * 2.887, delta=0.3)

    def test_seeds_of_one_task_are_drawn_together(self):
        # Each task's seeds agree, so the mean is as uncertain as with two draws, not a hundred.
        self.assertEqual(estimates.interval([[3] * 50, [7] * 50], "mean"), (3, 7))

    def test_units_have_equal_weight_and_are_resampled_separately(self):
        # The first unit's mean resamples to 3, 5 or 7, the second's is always 1.
        self.assertEqual(estimates.interval_over_units([[3, 7], [[1, 1], [1, 1], [1, 1]]]), (2, 4))
        # Drawn alike, 0 and 9 of both units would meet in a quarter of the resamples each.
        low, high = estimates.interval_over_units([[0] * 9 + [9], [9] * 9 + [0]])
        self.assertTrue(0 < low < 4.5 < high < 9)
        self.assertTrue(math.isnan(estimates.interval_over_units([[3, 7], [1]])[0]))

    def test_one_draw_has_no_interval(self):
        self.assertTrue(all(math.isnan(end) for end in estimates.interval([4], "mean")))

    def test_a_share_has_wilsons_interval(self):
        low, high = estimates.share_interval(0, 20)
        self.assertEqual(low, 0)
        self.assertAlmostEqual(high, 3.8414588 / 23.8414588, places=6)
        low, high = estimates.share_interval(10, 20)
        self.assertAlmostEqual(low + high, 1)
        self.assertAlmostEqual(low, 0.299, places=3)

    def test_a_constant_difference_of_pairs_has_no_width(self):
        theirs = numpy.array([0.5, 1, 4, 100])
        for statistic in estimates.STATISTICS:
            self.assertEqual(
                estimates.interval_of_difference(theirs + 0.25, theirs, statistic), (0.25, 0.25))

    def test_the_same_samples_give_the_same_interval(self):
        samples = [1, 2, 4, 8, 16]
        self.assertEqual(estimates.interval(samples, "mean"), estimates.interval(samples, "mean"))

    def test_worse_means_that_the_whole_interval_is_above_zero(self):
        self.assertEqual(estimates.verdict(0.1, 0.2), "worse")
        self.assertEqual(estimates.verdict(0, 0.2), "no worse")
        self.assertEqual(estimates.verdict(-0.1, 0.2), "no worse")
        self.assertEqual(estimates.verdict(-0.2, -0.1), "better")
        self.assertEqual(estimates.verdict(math.nan, math.nan), "unknown")


class Comparing(unittest.TestCase):
    def setUp(self):
        own = curves({"ours": {("p", 0): [4, 1], ("p", 1): [4, 3], ("q", 0): [1, 1]}})
        peers = curves({"good": {("p", 0): [9, 1], ("p", 1): [9, 1], ("q", 0): [9, 2]},
                        "poor": {("p", 0): [9, 5], ("p", 1): [9, 4], ("q", 0): [9, 3]},
                        "partial": {("p", 1): [0, 0]}})
        self.compared = comparison.Comparison(own, peers, {"p": "continuous", "q": "continuous"},
                                              [1, 2])

    def test_mean_ranks_are_over_problems_and_seeds(self):
        mean_ranks = self.compared.mean_ranks(["ours", "good", "poor"], self.compared.units, 2)
        # p, 0: 1.5 1.5 3; p, 1: 2 1 3; q, 0: 1 2 3.
        self.assertEqual(mean_ranks, {"ours": 1.5, "good": 1.5, "poor": 3})

    def test_ranks_are_told_apart_from_the_best_by_pairs_of_draws(self):
        rows = self.compared.rank_rows(["ours", "good", "poor"], self.compared.units, 2)
        self.assertEqual([row["method"] for row in rows], ["ours", "good", "poor"])
        self.assertEqual([row["mean_rank"] for row in rows], [1.5, 1.5, 3])
        # Differences 0, -1, 1 of "good" from "ours", and 1.5, 1, 2 of "poor".
        self.assertEqual([(row["difference"], row["low"], row["high"]) for row in rows[:2]],
                         [(0, 0, 0), (0, -1, 1)])
        self.assertEqual((rows[2]["draws"], rows[2]["difference"], rows[2]["low"]), (3, 1.5, 1))
        self.assertEqual(tables.first_lines(rows)[2:], [
            "  after 2: ours 1.50 of 3 methods; too few draws to tell others apart"])
        for row in rows:
            row["draws"] = 30
        self.assertEqual(tables.first_lines(rows)[2:], [
            "  after 2: ours 1.50 of 3 methods; not told apart from it: good +0.00 [-1.00, 1.00]"])
        self.assertEqual(tables.first_lines([]), [])

    def test_a_table_ranks_its_tasks_by_the_mean_over_seeds(self):
        own = curves({"a": {("svm/a", 0): [1], ("svm/a", 1): [1], ("svm/b", 0): [2],
                            ("svm/b", 1): [1]},
                      "b": {("svm/a", 0): [2], ("svm/a", 1): [2], ("svm/b", 0): [1],
                            ("svm/b", 1): [3]}})
        compared = comparison.Comparison(own, curves({}), {"svm/a": "svm", "svm/b": "svm"}, [1])
        ranks = compared.ranks_by_draw(["a", "b"], compared.units, 1)
        self.assertEqual(ranks.tolist(), [[1, 1.5], [2, 1.5]])

    def test_the_best_peer_is_the_best_of_the_complete_ones(self):
        rows = [row for row in self.compared.differences("ours", "continuous")
                if row["after"] == 2 and row["problem"] == "p"]
        self.assertEqual([row["best_peer"] for row in rows], ["good", "good"])
        self.assertEqual([row["difference"] for row in rows], [1, 1])
        self.assertEqual([row["verdict"] for row in rows], ["no worse", "no worse"])
        self.assertEqual(self.compared.partial_peers(self.compared.units[0]), {"partial": 1})

    def test_the_bar_requires_the_best_mean_rank_and_no_worse_regret(self):
        own = curves({"ours": {("p", seed): [1] for seed in range(4)}})
        for theirs, met in (([2, 2, 2, 2], True), ([1, 1, 1, 1], True), ([0, 0, 0, 1], False),
                            ([0, 0, 1, 9], False)):
            peers = curves({"peer": {("p", seed): [regret] for seed, regret in enumerate(theirs)}})
            compared = comparison.Comparison(own, peers, {"p": "continuous"}, [1])
            differences = compared.differences("ours", "continuous")
            holds, text = tables.checkpoint_verdict(compared, "ours", "continuous", 1, differences)
            self.assertEqual(holds, met, text)

    def test_a_table_counts_tasks_and_keeps_their_common_seeds(self):
        own = curves({"ours": {("svm/a", 0): [1], ("svm/a", 1): [2], ("svm/b", 0): [3]}})
        unit, = comparison.Comparison(own, curves({}), {"svm/a": "svm", "svm/b": "svm"}, [1]).units
        self.assertEqual((unit.cells, unit.draws), ([("svm/a", 0), ("svm/b", 0)], 2))

    def test_only_cells_that_all_presets_have_are_compared(self):
        own = curves({"a": {("p", 0): [1], ("p", 1): [1]}, "b": {("p", 1): [1]}})
        unit, = comparison.Comparison(own, curves({}), {"p": "continuous"}, [1]).units
        self.assertEqual(unit.cells, [("p", 1)])


class BesideAReference(unittest.TestCase):
    """Three problems; regrets after one and after two suggestions of studies from nothing."""

    def setUp(self):
        own = results.Curves()
        for method, of_problem in (
                ("reference", {"a_pair": [[0.5, 0.2], [0.5, 0.2]], "b": [[0.4, 0.4]],
                               "svm/t": [[0.1, 0.1]]}),
                ("other", {"a_pair": [[0.5, 0.1], [0.52, 0.205]], "b": [[0.4, 0.8]],
                           "svm/t": [[0.1, 0]]})):
            for problem, studies in of_problem.items():
                for seed, regrets in enumerate(studies):
                    own.add(method, problem, seed, 1, regrets)
        groups = {"a_pair": "transfer", "b": "transfer", "svm/t": "svm"}
        listing = [{"problem": "a_pair", "source_tasks": "1"},
                   {"problem": "b", "source_tasks": "8"}]
        compared = comparison.Comparison(own, curves({}), groups, [1, 2], before=0, unit="worst")
        self.table = against.Against(compared, "reference", 0.01,
                                     against.sections_of(compared.units, listing))

    def test_shares_are_of_pairs_that_differ_by_more_than_the_margin(self):
        # Differences -0.2, 0.005, 0.25, 0, 0.125.
        self.assertEqual(against.shares([0.3, 0.105, 0.5, 0.2, 0.25], [0.5, 0.1, 0.25, 0.2, 0.125],
                                        0.01), (0.4, 0.2))
        self.assertEqual(against.shares([0.5], [0.25], 0.25), (0, 0))

    def test_a_problem_has_its_regret_its_rank_and_both_shares(self):
        rows = {(row["problem"], row["after"]): row for row in self.table.rows()
                if row["method"] == "other"}
        first, second = rows["a_pair", 1], rows["a_pair", 2]
        self.assertEqual((first["section"], first["studies"]), ("pairs", 2))
        self.assertAlmostEqual(first["regret"], 0.51)
        self.assertEqual((first["low"], first["high"]), (0.5, 0.52))
        # Ranks 1.5 and 2, then 1 and 2; differences 0 and 0.02, then -0.1 and 0.005.
        self.assertEqual([first[key] for key in ("mean_rank", "worse", "better")], [1.75, 0.5, 0])
        self.assertEqual([second[key] for key in ("mean_rank", "worse", "better")], [1.5, 0, 0.5])

    def test_problems_have_equal_weight_however_many_studies_they_have(self):
        totals = {(row["section"], row["method"]): row for row in self.table.totals()
                  if row["after"] == 2}
        self.assertEqual([section for section, method in totals if method == "other"],
                         ["recorded tables", "pairs", "families", "all"])
        total = totals["all", "other"]
        self.assertEqual((total["problems"], total["studies"]), (3, 4))
        # Means 0, 0.1525 and 0.8; ranks 1, 1.5 and 2; worse 0, 0, 1; better 1, 1/2, 0.
        self.assertAlmostEqual(total["regret"], 0.9525 / 3)
        self.assertEqual([total[key] for key in ("mean_rank", "worse", "better")],
                         [1.5, 1 / 3, 0.5])

    def test_the_text_has_hundredths_and_percent(self):
        lines = tables.against_lines(self.table)
        at = lines.index("a_pair, 2 seeds")
        self.assertEqual([line.split() for line in lines[at + 1:at + 7]], [
            "regret x 100 after 1 after 2".split(),
            "reference 50.0 [50.0, 50.0] 20.0 [20.0, 20.0]".split(),
            "other 51.0 [50.0, 52.0] 15.2 [10.0, 20.5]".split(),
            "rank, w:b in % rank 1 rank 2 w:b 1 w:b 2".split(),
            "reference 1.25 1.50 0:0 0:0".split(), "other 1.75 1.50 50:0 0:50".split()])
        self.assertIn("all, each problem counting the same: 3 problems", lines)
        self.assertTrue(any("Regret / (best - worst)" in line for line in lines))

    def test_a_reference_that_was_not_run_is_refused(self):
        with self.assertRaises(ValueError):
            against.Against(self.table.comparison, "another", 0.01, {})


class Reading(unittest.TestCase):
    def test_regrets_are_rounded_to_the_recorded_digits(self):
        rounded = results.round_like_recorded([0, 0.00554279, 12.34567, 1e-9 / 3])
        self.assertEqual(rounded.tolist(), [0, 0.005543, 12.35, 3.333e-10])

    def test_seeds_are_ranges_and_numbers(self):
        self.assertEqual(cells.chosen_seeds("0-2,7,2"), [0, 1, 2, 7])

    def test_problems_are_names_groups_and_patterns(self):
        listing = [{"problem": name, "group": group} for name, group in
                   (("h1", "continuous"), ("levy4", "development"), ("svm/a", "svm"),
                    ("svm/b", "svm"))]
        self.assertEqual(cells.chosen_problems("all", listing), ["h1", "svm/a", "svm/b"])
        self.assertEqual(cells.chosen_problems("svm/*,levy4", listing), ["svm/a", "svm/b", "levy4"])
        with self.assertRaises(ValueError):
            cells.chosen_problems("h2", listing)

    def test_transfer_selects_presets_with_a_prior(self):
        listing = [{"preset": "gp", "prior": "none"}, {"preset": "delta", "prior": "delta"},
                   {"preset": "scaml", "prior": "scaml"}]
        self.assertEqual(cells.chosen_presets("transfer", listing), ["delta", "scaml"])
        self.assertEqual(cells.chosen_presets("gp+initial=none,transfer+initial=none", listing),
                         ["gp+initial=none", "delta+initial=none", "scaml+initial=none"])
        self.assertEqual(cells.chosen_presets("gp,scaml,transfer", listing),
                         ["gp", "scaml", "delta"])
        with self.assertRaises(ValueError):
            cells.chosen_presets("gp,prior", listing)

    def test_a_preset_keeps_its_name_with_its_overrides(self):
        listing = [{"preset": "gp", "prior": "none"}]
        self.assertEqual(cells.chosen_presets("gp,gp+prior=scaml+norm=2", listing),
                         ["gp", "gp+prior=scaml+norm=2"])
        with self.assertRaises(ValueError):
            cells.chosen_presets("pg+norm=2", listing)

    def test_regrets_are_divided_by_that_of_the_worst_or_the_mean(self):
        rows = [{"preset": "a", "problem": "p", "seed": "3", "build": "b", "regret": str(regret),
                 "worst_regret": "8", "mean_regret": "2"} for regret in (4, 1)]
        own = results.own_curves(rows, ["a"])
        for unit, regrets in (("worst", [0.5, 0.125]), ("mean", [2, 0.5])):
            divided = own.divided_by(results.regret_units(rows, unit))
            self.assertEqual([divided.at("a", [("p", 3)], k)[0] for k in (1, 2)], regrets)
        self.assertEqual(curves({"peer": {("q", 0): [1]}}).divided_by({}).cells("peer"), set())
        constant = curves({"a": {("p", 0): [0]}}).divided_by({("p", 0): 0})
        self.assertEqual(constant.at("a", [("p", 0)], 6)[0], 0)
        with self.assertRaises(ValueError):  # A study of a program that did not tell it.
            results.regret_units([row | {"worst_regret": None} for row in rows], "worst")

    def test_regrets_count_at_most_what_they_are_told_to(self):
        capped = curves({"a": {("p", 0): [7, 2, 0.5]}}).at_most(1)
        self.assertEqual([capped.at("a", [("p", 0)], k)[0] for k in (6, 7, 8)], [1, 1, 0.5])

    def test_curves_are_parts_of_the_worst_regret_or_one_at_most(self):
        rows = [{"preset": "a", "problem": "p", "seed": "0", "build": "b", "regret": str(regret),
                 "worst_regret": "8"} for regret in (4, 1, 0.5)]
        for unit, regrets in (("worst", [0.5, 0.125, 0.0625]), ("own", [1, 1, 0.5])):
            found = results.curves_in_unit(rows, ["a"], unit)
            self.assertEqual([found.at("a", [("p", 0)], k)[0] for k in (1, 2, 3)], regrets)

    def test_settings_that_change_studies_have_separate_folders(self):
        names = {cells.Protocol(**change).name() for change in (
            {}, {"from_nothing": True}, {"sources": True}, {"workers": 2}, {"budget": 1.0})}
        self.assertEqual(len(names), 5)
        self.assertEqual(cells.Protocol(suggestions=9).name(), cells.Protocol().name())


class Progress(unittest.TestCase):
    def tell(self, is_terminal):
        stream = io.StringIO()
        stream.isatty = lambda: is_terminal
        seconds = iter(range(0, 1000, 10))
        bar = progress.Progress(4, stream, clock=lambda: next(seconds))
        for _ in range(4):
            bar.done("a cell")
        bar.close()
        return stream.getvalue()

    def test_a_terminal_sees_a_bar_and_the_time_left(self):
        text = self.tell(True)
        self.assertIn("[#######.......................] 1/4  0:30 left  a cell", text)
        self.assertIn("4/4  took 0:40", text)

    def test_a_file_gets_few_lines(self):
        self.assertEqual(self.tell(False).count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
