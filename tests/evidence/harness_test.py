"""The harness's arithmetic against what was worked out by hand."""

import io
import math
import unittest

import numpy

from harness import cells, comparison, estimates, progress, results, tables


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
        # Two tasks whose own seeds agree: as uncertain as two draws, not as a hundred.
        self.assertEqual(estimates.interval([[3] * 50, [7] * 50], "mean"), (3, 7))

    def test_one_draw_has_no_interval(self):
        self.assertTrue(all(math.isnan(end) for end in estimates.interval([4], "mean")))

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

    def test_the_best_peer_is_the_best_of_the_complete_ones(self):
        rows = [row for row in self.compared.differences("ours", "continuous")
                if row["after"] == 2 and row["problem"] == "p"]
        self.assertEqual([row["best_peer"] for row in rows], ["good", "good"])
        self.assertEqual([row["difference"] for row in rows], [1, 1])
        self.assertEqual([row["verdict"] for row in rows], ["no worse", "no worse"])
        self.assertEqual(self.compared.partial_peers(self.compared.units[0]), {"partial": 1})

    def test_the_bar_asks_for_the_best_mean_rank_and_no_worse_regret(self):
        own = curves({"ours": {("p", seed): [1] for seed in range(4)}})
        for theirs, met in (([2, 2, 2, 2], True), ([1, 1, 1, 1], True), ([0, 0, 0, 1], False),
                            ([0, 0, 1, 9], False)):
            peers = curves({"peer": {("p", seed): [regret] for seed, regret in enumerate(theirs)}})
            compared = comparison.Comparison(own, peers, {"p": "continuous"}, [1])
            differences = compared.differences("ours", "continuous")
            holds, text = tables.checkpoint_verdict(compared, "ours", "continuous", 1, differences)
            self.assertEqual(holds, met, text)

    def test_a_table_counts_tasks_and_keeps_the_seeds_that_all_have(self):
        own = curves({"ours": {("svm/a", 0): [1], ("svm/a", 1): [2], ("svm/b", 0): [3]}})
        unit, = comparison.Comparison(own, curves({}), {"svm/a": "svm", "svm/b": "svm"}, [1]).units
        self.assertEqual((unit.cells, unit.draws), ([("svm/a", 0), ("svm/b", 0)], 2))

    def test_only_what_all_presets_have_is_compared(self):
        own = curves({"a": {("p", 0): [1], ("p", 1): [1]}, "b": {("p", 1): [1]}})
        unit, = comparison.Comparison(own, curves({}), {"p": "continuous"}, [1]).units
        self.assertEqual(unit.cells, [("p", 1)])


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

    def test_what_would_change_a_study_has_a_folder_of_its_own(self):
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
