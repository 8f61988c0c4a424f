"""Tests `papers`: how claims are judged, what is kept, and that REPORT.md is what that says.

EVIDENCE_CELL is the path of evidence_cell, beside which evidence_objective is.
"""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from claims import cmbo, independent, independent_programs, judgement  # noqa: E402
from claims import kept, model_error  # noqa: E402
from claims import principal, report  # noqa: E402
from claims.all_papers import PAPERS  # noqa: E402
from claims.experiment import Claim, Contrast, Experiment  # noqa: E402
from claims.programs import agpucb, parts  # noqa: E402
from harness import results  # noqa: E402
from peers.objective import Objective  # noqa: E402
from oracles import oracles  # noqa: E402

COMMAND = pathlib.Path(__file__).resolve().parent / "papers"
BINARY = pathlib.Path(os.environ["EVIDENCE_CELL"])
OBJECTIVE = BINARY.with_name("evidence_objective")
MOST_KEPT = 1_500_000  # Bytes in all, so that cloning stays quick.
MOST_OF_A_PLOT = 130_000


def made_up(**regrets):
    """Results of one experiment whose studies have these final regrets."""
    rows = []
    for method, numbers in regrets.items():
        rows += [("e", "p", method, kept.OURS, seed, kept.REGRET, numpy.array([1.0, number]))
                 for seed, number in enumerate(numbers)]
    return kept.Results.of(rows)


def made_up_first(regrets):
    rows = [("e", "p", method, kept.OURS, seed, kept.REGRET, numpy.array([number]))
            for method, numbers in regrets.items() for seed, number in enumerate(numbers)]
    return kept.Results.of(rows)


class Judging(unittest.TestCase):
    def judged(self, **regrets):
        made = made_up(**regrets)
        others = [name for name in regrets if name != "own"]
        return judgement.judge(judgement.less("e", "own", others, judgement.simple(2))(made))

    def test_quantiles_are_students(self):
        for probability, freedom, expected in ((0.975, 9, 2.2621572), (0.975, 4, 2.7764451),
                                               (0.975, 1, 12.7062047), (0.995, 29, 2.7563859),
                                               (0.025, 9, -2.2621572)):
            self.assertAlmostEqual(judgement.quantile(probability, freedom), expected, 5)

    def test_an_interval_is_that_of_the_mean(self):
        mean, low, high = judgement.interval([1, 2, 3, 4, 5])
        self.assertAlmostEqual(mean, 3)
        self.assertAlmostEqual(high - mean, 2.7764451 * (2.5 / 5) ** 0.5, 5)
        self.assertAlmostEqual(mean - low, high - mean)

    def test_a_claim_holds_where_every_interval_is_below(self):
        found = self.judged(own=[.1, .2, .1, .2], a=[.5, .6, .5, .6], b=[.3, .5, .3, .4])
        self.assertEqual(found.verdict, judgement.HOLDS)
        self.assertEqual(found.contrast.label, "own - b")
        self.assertLess(found.high, 0)
        self.assertEqual(found.count, 2)

    def test_it_does_not_where_one_is_above(self):
        found = self.judged(own=[.1, .2, .1, .2], a=[.5, .6, .5, .6], b=[.01, .1, .02, .1])
        self.assertEqual(found.verdict, judgement.FAILS)
        self.assertEqual(found.contrast.label, "own - b")
        self.assertGreater(found.low, 0)

    def test_it_cannot_be_told_where_an_interval_has_both_signs(self):
        found = self.judged(own=[.1, .4, .1, .4], a=[.2, .3, .2, .3])
        self.assertEqual(found.verdict, judgement.UNKNOWN)
        self.assertLess(found.low, 0)
        self.assertGreater(found.high, 0)

    def test_nothing_is_told_of_a_single_seed_or_of_none(self):
        self.assertEqual(self.judged(own=[.1], a=[.9]).verdict, judgement.UNKNOWN)
        self.assertEqual(self.judged(own=[.1, .2], a=[]).verdict, judgement.MISSING)
        self.assertEqual(judgement.judge([]).verdict, judgement.MISSING)

    def test_the_more_looks_the_wider_the_interval_that_refutes(self):
        samples = (.1, .2, .3, .4, .5, .9, -.1, .2)  # 0.31 on average, above 0 at 95%.
        self.assertGreater(judgement.interval(samples)[1], 0)
        alone = judgement.judge([Contrast("one", samples)])
        others = [Contrast(f"other {i}", (-1.0, -1.1, -0.9)) for i in range(40)]
        self.assertEqual(alone.verdict, judgement.FAILS)
        self.assertEqual(judgement.judge([Contrast("one", samples), *others]).verdict,
                         judgement.UNKNOWN)

    def test_methods_that_tie_in_all_draws_cannot_be_told_apart(self):
        equal = self.judged(own=[.2, .3, .4], a=[.2, .3, .4], b=[.5, .6, .7])
        self.assertEqual(equal.verdict, judgement.UNKNOWN)
        self.assertEqual(equal.contrast.label, "own - a")
        self.assertIn("own − a: equal in all 3 draws", report.figure_text(equal))

    def test_numbers_of_a_method_that_all_equal_the_bound_refute_the_claim(self):
        scale = [("e", "p", "own", kept.OURS, seed, "h", numpy.array([1.0, 1.0]))
                 for seed in range(3)]
        claim = judgement.above("e", ("own",), judgement.last("h"), 1)
        self.assertEqual(judgement.judge(claim(kept.Results.of(scale))).verdict, judgement.FAILS)
        self.assertEqual(judgement.judge(claim(kept.Results.of(scale[:1]))).verdict,
                         judgement.UNKNOWN, "A single draw has no interval")

    def test_equal_draws_away_from_the_bound_decide_without_an_interval(self):
        def verdict(value):
            return judgement.judge([Contrast("one", (value,) * 10, bound=0.1)]).verdict
        self.assertEqual(verdict(0.3), judgement.FAILS)
        self.assertEqual(verdict(0.1), judgement.FAILS)
        self.assertEqual(verdict(0.0), judgement.HOLDS)

    def test_any_contrast_refutes_also_where_another_is_nearer_by_its_own_interval(self):
        few = Contrast("few", (1.0, 1.1))
        many = Contrast("many", tuple(numpy.linspace(-1, 1.8, 40)))
        self.assertGreater(judgement.distance(few), judgement.distance(many))
        found = judgement.judge([few, many])
        self.assertEqual((found.verdict, found.contrast.label), (judgement.FAILS, "many"))

    def test_shares_have_exact_intervals(self):
        for count, of, low, high in ((0, 10, 0, .3085), (10, 10, .6915, 1), (3, 10, .0667, .6525)):
            share, *found = judgement.share_interval(count, of)
            self.assertEqual(share, count / of)
            numpy.testing.assert_allclose(found, (low, high), atol=1e-4)

    def test_draws_of_two_groups_that_lie_far_apart_are_judged_by_shares(self):
        self.assertTrue(judgement.is_split([0] * 8 + [1] * 2))
        self.assertFalse(judgement.is_split([0] * 10 + [1]), "One draw is an outlier, not a group")
        self.assertFalse(judgement.is_split([0] * 5 + [1] * 4), "Few draws")
        self.assertFalse(judgement.is_split(numpy.linspace(0, 1, 30)))
        far = (-.01,) * 27 + (9,) * 3  # The mean is above 0, but most draws are below.
        found = judgement.judge([Contrast("own - a", far, compares=True)])
        self.assertEqual(found.verdict, judgement.HOLDS)
        self.assertEqual(report.figure_text(found), "own − a: below 0 in 27 of 30 draws, "
                         "0.9 [0.735, 0.979], claimed above 0.5")
        flipped = judgement.judge([Contrast("a", tuple(-draw for draw in far), flipped=True)])
        self.assertIn("a: above 0 in 3 of 30 draws, 0.1 ", report.figure_text(judgement.judge(
            [Contrast("a", (9,) * 27 + (-.01,) * 3, flipped=True)])))
        self.assertEqual(flipped.verdict, judgement.FAILS)

    def test_ties_count_only_where_the_bound_is_no_other_method(self):
        samples = (0,) * 6 + (-1,) * 4
        self.assertEqual(judgement.against(Contrast("h", samples)), (6, 10))
        self.assertEqual(judgement.against(Contrast("a - b", samples, compares=True)), (0, 4))

    def test_equivalence_needs_both_sides(self):
        def verdict(other):
            made = made_up(own=[.1, .11, .12, .11], a=other)
            return judgement.judge(judgement.close("e", "own", ("a",), judgement.simple(2),
                                                   0.05)(made)).verdict
        self.assertEqual(verdict([.11, .1, .11, .12]), judgement.HOLDS)
        self.assertEqual(verdict([.3, .31, .3, .32]), judgement.FAILS)
        self.assertEqual(verdict([.1, .3, .01, .1]), judgement.UNKNOWN)

    def test_problems_are_the_draws_where_there_are_several(self):
        rows = [("e", problem, "m", kept.OURS, seed, kept.REGRET, numpy.array([value]))
                for problem, seed, value in (("p", 0, 1), ("p", 1, 3), ("q", 0, 5), ("q", 1, 5))]
        self.assertEqual(kept.Results.of(rows).draws("e", "m", judgement.simple(1)),
                         {"p": 2.0, "q": 5.0})


    def test_studies_without_the_quantity_are_left_out(self):
        made = made_up(own=[.1, .2])
        self.assertEqual(made.draws("e", "own", judgement.total("seconds")), {})


class Independence(unittest.TestCase):
    """What the last column of claims says."""

    def text(self, ours, programs):
        rows = [("e", "p", method, program, seed, kept.REGRET, numpy.array([number]))
                for program, of in ((kept.OURS, ours), (kept.INDEPENDENT, programs))
                for method, numbers in of.items() for seed, number in enumerate(numbers)]
        results_of = kept.Results.of(rows)
        claim = Claim("", "", judgement.less("e", "own", ("a", "b"), judgement.simple(1)), "")
        return report.independent_text(claim, results_of,
                                       judgement.judge(claim.contrasts(results_of)))

    WORST = {"own": [.9, .8, .9, .8], "a": [.1, .1, .2, .1], "b": [.5, .4, .4, .5]}

    def test_it_is_there_too_where_a_single_look_is_against_the_claim(self):
        ours = {"own": [.14, .24, .34, .44, .54, .94, -.06, .24], "a": [.1] * 8, "b": [9] * 8}
        claim = judgement.less("e", "own", ("a", "b"), judgement.simple(1))(made_up_first(ours))
        self.assertEqual(judgement.judge(claim).verdict, judgement.UNKNOWN)
        self.assertTrue(self.text(ours, self.WORST).startswith("does not hold: own − "))

    def test_it_is_empty_unless_ours_does_not_hold(self):
        best = {"own": [.1, .2, .1], "a": [.5, .6, .7], "b": [.5, .6, .7]}
        self.assertEqual(self.text(best, self.WORST), "")

    def test_all_with_a_program_are_judged_where_the_deciding_one_has_one(self):
        self.assertEqual(self.text(self.WORST, {}), "not run")
        text = self.text(self.WORST, {name: self.WORST[name] for name in ("own", "a")})
        self.assertTrue(text.startswith("does not hold: own − a: "), text)
        self.assertTrue(text.endswith("; 1 more was not run"), text)

    def test_another_that_does_not_hold_is_judged_where_the_deciding_one_has_none(self):
        text = self.text(self.WORST, {name: self.WORST[name] for name in ("own", "b")})
        self.assertTrue(text.startswith("does not hold: own − b: "), text)
        self.assertTrue(text.endswith("; 1 more that does not hold was not run"), text)

    def test_one_that_ours_does_not_refute_says_nothing(self):
        ours = self.WORST | {"b": [.8, .9, .9, .8]}
        self.assertEqual(self.text(ours, {name: self.WORST[name] for name in ("own", "b")}),
                         "not run for this comparison")

    def test_claims_that_fail_have_the_figure_of_every_program_that_was_kept(self):
        found = report.read_all()
        for name, paper in PAPERS.items():
            for claim, judged in report.judge_all(paper, found[name]):
                text = report.independent_text(claim, found[name], judged)
                if judged.verdict != judgement.FAILS or not text.startswith("not run"):
                    continue
                refuted = judgement.refuting(claim.contrasts(found[name]))
                programs = claim.contrasts(found[name], kept.INDEPENDENT)
                self.assertFalse([place for place in refuted if programs[place].samples], claim.text)


class Measuring(unittest.TestCase):
    """What the report says of the runs that numbers are of."""

    EXPERIMENT = Experiment(name="e", title="", problems=("p", "q"), quick_problems=("p",),
                            methods={"a": "", "b": ""}, suggestions=1, seeds=2, quick_seeds=1,
                            checkpoints=(1,), solved=0.1)

    def results_of(self, draws, missing=()):
        return kept.Results.of([
            ("e", problem, method, kept.OURS, seed, kept.REGRET, numpy.array([number]))
            for method, number in (("a", 0.05), ("b", 0.5)) for problem, seed in draws
            if (method, problem, seed) not in missing])

    FULL = (("p", 0), ("p", 1), ("q", 0), ("q", 1))

    def test_a_run_is_full_quick_or_a_part(self):
        def run(*more):
            return report.run_of(self.EXPERIMENT, self.results_of(*more))
        self.assertEqual(run(self.FULL), report.FULL)
        self.assertEqual(run((("p", 0),)), report.QUICK)
        self.assertEqual(run(self.FULL[:3]), report.PART)
        self.assertEqual(run(self.FULL, {("b", "q", 1)}), report.PART)
        self.assertEqual(run((("p", 0),), {("b", "p", 0)}), report.PART, "A method was not run")

    def test_draws_may_begin_at_another_seed(self):
        later = dataclasses.replace(self.EXPERIMENT, first_seed=7)
        self.assertEqual(later.drawn(quick=False), (("p", "q"), range(7, 9)))
        self.assertEqual(later.drawn(quick=True), (("p",), range(7, 8)))
        self.assertEqual([report.seeds_text(seeds) for seeds in ([0], [7, 8], [7, 9])],
                         ["seed 0", "seeds 7 to 8", "seeds 7, 9"])

    def test_counts_of_methods_that_differ_are_a_range(self):
        self.assertEqual([report.counts_text(counts) for counts in ([], [5, 5], [5, 12])],
                         ["", "5", "5 to 12"])

    def test_every_experiment_that_was_kept_is_in_the_table_of_runs(self):
        found = report.read_all()
        lines = report.run_lines(found)
        self.assertEqual(len(lines) - 2, sum(len(each.experiments()) for each in found.values()))

    def test_equal_numbers_share_ranks(self):
        made = made_up(a=[.1, .2], b=[.1, .3], c=[.4, .1])
        self.assertEqual(judgement.ranks(made, "e", ("a", "b", "c"), judgement.simple(2)),
                         {"a": [1.5, 2], "b": [1.5, 3], "c": [3, 1]})
        self.assertEqual(judgement.ranks(made, "e", (), judgement.simple(2)), {})

    def test_ranks_are_among_the_methods_that_a_program_has(self):
        def row(method, program, number):
            return ("GP-UCB", "svm/a", method, program, 0, kept.REGRET,
                    numpy.full(cmbo.FIRST + cmbo.TRIALS, number))
        made = kept.Results.of([row(cmbo.BEST, kept.INDEPENDENT, 0.2),
                                row("GP", kept.INDEPENDENT, 0.5)])
        samples = {contrast.label: contrast.samples
                   for contrast in cmbo.rank_contrasts(made, kept.INDEPENDENT)}
        self.assertEqual(samples.pop(f"rank of {cmbo.BEST} - rank of GP"), (-1,))
        self.assertEqual(set(samples.values()), {()})

    def test_ranks_and_solved_shares_are_told_at_each_checkpoint(self):
        lines = report.rank_lines(self.EXPERIMENT, self.results_of(self.FULL))
        self.assertEqual(lines[1:], ["| method | rank, 1 | below 0.1, 1 |", "|---|---|---|",
                                     "| a | 1 ± 0 | 100% |", "| b | 2 ± 0 | 0% |"])


def program_texts():
    """What the report's last column says of each claim that does not hold."""
    return [report.independent_text(claim, results_of, judged)
            for name, results_of in report.read_all().items()
            for claim, judged in report.judge_all(PAPERS[name], results_of)
            if judged.verdict == judgement.FAILS]


class Keeping(unittest.TestCase):
    def test_the_report_is_what_the_kept_numbers_say(self):
        self.assertEqual(report.FILE.read_text(), report.text_of(report.read_all()),
                         "tests/evidence/papers all --report-only --keep makes it")

    def test_the_summary_counts_the_verdicts_as_the_report_does(self):
        verdicts = [judged.verdict for name, results_of in report.read_all().items()
                    for _, judged in report.judge_all(PAPERS[name], results_of)]
        holds, fails, unknown = (verdicts.count(verdict) for verdict in
                                 (judgement.HOLDS, judgement.FAILS, judgement.UNKNOWN))
        summary = " ".join((report.REPOSITORY / "tests/README.md").read_text().split())
        self.assertTrue(f"Of {len(verdicts)} claims {holds} hold, {fails} do not, and {unknown} cannot "
                        "be told" in summary, (holds, fails, unknown))
        programs = program_texts()
        fail, unknown = (sum(text.startswith(verdict) for text in programs)
                         for verdict in (judgement.FAILS, judgement.UNKNOWN))
        self.assertTrue(f"Of the {fails} claims that do not hold, {fail} do not hold there either, "
                        f"{unknown} cannot be told from ten draws" in summary, (fail, unknown))

    def test_no_program_says_that_a_claim_holds_which_ours_refutes(self):
        texts = program_texts()
        self.assertTrue(any(text.startswith(judgement.FAILS) for text in texts))
        self.assertFalse([text for text in texts if text.startswith(judgement.HOLDS)])

    def test_every_paper_has_eight_claims_or_more_and_each_was_judged(self):
        found = report.read_all()
        self.assertEqual(set(found), set(PAPERS))
        for name, paper in PAPERS.items():
            self.assertGreaterEqual(len(paper.claims), 8, name)
            for claim, judged in report.judge_all(paper, found[name]):
                self.assertNotEqual(judged.verdict, judgement.MISSING, claim.text)

    def test_the_reports_plots_are_there_and_show_the_kept_numbers(self):
        text = report.FILE.read_text()
        found = report.read_all()
        for name, paper in PAPERS.items():
            self.assertTrue(1 <= len(paper.principal) <= 4, name)
            for plot in paper.principal:
                path = principal.FOLDER / principal.file_name(name, *plot)
                self.assertIn(f"](plots/{path.name})", text)
                self.assertEqual(principal.drawn_digest(path),
                                 principal.digest(paper, found[name], *plot),
                                 "tests/evidence/papers all --report-only --keep draws it")
                ElementTree.parse(path)
                self.assertLess(path.stat().st_size, MOST_OF_A_PLOT)
        self.assertEqual(len(list(principal.FOLDER.iterdir())),
                         sum(len(paper.principal) for paper in PAPERS.values()))

    def test_a_plot_of_other_numbers_has_another_digest(self):
        rows = kept.read(kept.FOLDER / f"agpucb{kept.ENDING}")
        place = next(i for i, row in enumerate(rows) if row[0] == "bump" and row[5] == kept.REGRET)
        paper, plot = PAPERS["agpucb"], ("bump", kept.REGRET)
        before = principal.digest(paper, kept.Results(rows), *plot)
        rows[place] = (*rows[place][:-1], "0.5 " + rows[place][-1].split(" ", 1)[1])
        self.assertNotEqual(principal.digest(paper, kept.Results(rows), *plot), before)

    def test_the_kept_numbers_are_small(self):
        size = sum(path.stat().st_size for path in kept.FOLDER.glob("*"))
        self.assertLess(size, MOST_KEPT)

    def test_what_was_written_is_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "paper.csv.bz2"
            rows = [("e, f", "p", "m", kept.OURS, 3, kept.REGRET, numpy.array([0.123456, 1e-9]))]
            kept.write(path, rows)
            study = kept.Results.read(path).studies("e, f", "m")["p", 3]
            self.assertEqual(list(study[kept.REGRET]), [0.123, 1e-9])


    def test_what_was_not_run_again_stays_in_the_papers_order(self):
        paper = PAPERS["agpucb"]

        def row(experiment, method, program, seed, value):
            return (experiment, "p", method, program, seed, kept.REGRET, value)
        old = [row("bump", "MAP", kept.OURS, "0", "1"), row("bump", "MAP", kept.OURS, "1", "1"),
               row("bump", "MAP", kept.INDEPENDENT, "0", "2"), row("gone", "MAP", kept.OURS, "0", "3"),
               row("samples", "A-GP-UCB", kept.OURS, "0", "4")]
        new = [row("bump", "MAP", kept.OURS, "0", "5"), row("bump", "A-GP-UCB", kept.OURS, "0", "6")]
        self.assertEqual(kept.merged(paper, old, new), [new[1], new[0], old[2], old[4]])

    def test_merging_with_nothing_new_loses_nothing(self):
        for name, paper in PAPERS.items():
            rows = kept.read(kept.FOLDER / f"{name}{kept.ENDING}")
            self.assertEqual(sorted(kept.merged(paper, rows, [])), sorted(rows), name)


class Running(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def run_command(self, *more):
        command = [COMMAND, "envelope", "--only", "case 1, EI from six", "--seeds", "2",
                   "--binaries", BINARY.parent, "--out", self.out, "--data", self.out / "none"]
        finished = subprocess.run([*command, *more], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
        self.assertEqual(finished.returncode, 0, finished.stdout)
        return finished.stdout

    def test_an_experiment_goes_from_studies_to_a_report_and_is_not_run_twice(self):
        self.assertIn("0 of 8 studies are there, 8 to run", self.run_command())
        found = kept.Results.read(self.out / "envelope.csv.bz2")
        name = "case 1, EI from six"
        self.assertEqual(found.methods(name), ["Envelope-BO", "Efficient-BO", "Collaborative-BO",
                                               "Generic-BO"])
        self.assertEqual(set(found.methods(name, kept.INDEPENDENT)),
                         set(independent_programs.programs("envelope")[name]))
        starts = {tuple(study[kept.REGRET][:6]) for method in found.methods(name)
                  for study in found.studies(name, method).values()}
        self.assertEqual(len(starts), 2, "Each seed's methods start from the same points")
        ours = found.studies(name, "Envelope-BO")["normal_related_pair", 0]
        theirs = found.studies(name, "Envelope-BO", kept.INDEPENDENT)["normal_related_pair", 0]
        numpy.testing.assert_allclose(ours[kept.REGRET][:6], theirs[kept.REGRET][:6], rtol=1e-3)
        self.assertEqual(len(ours[kept.REGRET]), 30)
        text = (self.out / "REPORT.md").read_text()
        self.assertIn("## Envelope-BO", text)
        self.assertTrue((self.out / "plots/envelope-case-1-ei-from-six-regret.svg").exists())
        before = (self.out / "envelope.csv.bz2").read_bytes()
        self.assertIn("8 of 8 studies are there, 0 to run", self.run_command("--no-plots"))
        self.assertEqual((self.out / "envelope.csv.bz2").read_bytes(), before)

    def test_programs_alone_need_one_method_of_ours_and_keep_none(self):
        self.assertIn("0 of 2 studies are there, 2 to run",
                      self.run_command("--only-independent", "--no-plots", "--methods",
                                       "Envelope-BO;Efficient-BO"))
        found = kept.Results.read(self.out / "envelope.csv.bz2")
        name = "case 1, EI from six"
        self.assertEqual(found.methods(name), [])
        self.assertEqual(len(found.studies(name, "Envelope-BO", kept.INDEPENDENT)), 2)
        self.assertEqual(found.methods(name, kept.INDEPENDENT), ["Envelope-BO", "Efficient-BO"])

    def test_a_quick_run_takes_the_kept_numbers_of_programs(self):
        self.run_command("--quick", "--no-plots", "--methods", "Generic-BO;Envelope-BO")
        name = "case 1, EI from six"
        found = kept.Results.read(self.out / "envelope.csv.bz2")
        self.assertEqual(found.methods(name), ["Envelope-BO", "Generic-BO"])
        self.assertEqual(found.methods(name, kept.INDEPENDENT), ["Envelope-BO", "Generic-BO"])
        repository = kept.Results.read(kept.FOLDER / f"envelope{kept.ENDING}")
        program = found.studies(name, "Envelope-BO", kept.INDEPENDENT)
        self.assertEqual(len(program), independent.SEEDS)
        for draw, study in repository.studies(name, "Envelope-BO", kept.INDEPENDENT).items():
            numpy.testing.assert_array_equal(program[draw][kept.REGRET], study[kept.REGRET])

    def test_options_that_contradict_each_other_are_refused(self):
        for options in (["--only-independent", "--quick"], ["--keep", "--seeds", "2"],
                        ["--only-independent", "--no-independent"]):
            finished = subprocess.run([COMMAND, "envelope", "--out", self.out, *options], text=True,
                                      capture_output=True, check=False)
            self.assertEqual(finished.returncode, 2, finished.stdout)
            self.assertIn(options[0], finished.stderr)

    def test_a_study_begins_as_one_with_at_least_as_many_random_points(self):
        experiment = PAPERS["uhebo"].experiment("branin")
        self.assertEqual(independent.begun_like(experiment, "Random")[0], "Random")
        self.assertIn("MAP", independent.begun_like(experiment, "Random"))
        self.assertNotIn("Random", independent.begun_like(experiment, "MAP"))

    def test_data_sets_that_are_draws_are_repeated_on_some(self):
        experiment = PAPERS["cmbo"].experiment("GP-UCB")
        draws = independent.draws_of(experiment, "RGPE")
        self.assertEqual(len(draws), independent.SEEDS)
        self.assertEqual([problem for problem, _ in draws], list(experiment.quick_problems))
        for method in (*experiment.repeated_in_full, None):
            self.assertEqual([problem for problem, _ in independent.draws_of(experiment, method)],
                             list(experiment.problems), "A share of solved data sets needs all of them")

    def test_model_errors_are_of_the_process_that_the_study_had(self):
        path = self.out / "cell.csv"
        subprocess.run([BINARY, "--preset", "gp_map", "--problem", "branin", "--from-nothing",
                        "--suggestions", "9", "--output", path, "--data", self.out], check=True)
        rows = results.read_cell(path)
        truth = model_error.Truth.of(str(OBJECTIVE), str(self.out), "branin")
        facts = dict(part.split("=", 1) for part in rows[-1]["facts"].split("; "))
        truth.points = numpy.array([truth.unit_point(rows[-1]["configuration"])])
        value = float(facts["predicted_mean"]) - 0.39788735772973816  # As a regret.
        truth.values = numpy.array([value, value + 1])  # So that there is a variance.
        error = model_error.of_rows(rows[:-1], facts, truth)
        self.assertAlmostEqual(error / (1 / truth.values.var()), 0.5, 3)  # The mean of the errors 0 and 1.

    def test_a_program_in_numpy_sees_our_sources_and_our_noise(self):
        with Objective(str(OBJECTIVE), str(self.out), "delta_bohachevsky", 1, True) as objective:
            task = parts.Task(objective, {"initial": [], "units": {}}, 1)
            self.assertEqual(task.source_x.shape, (400, 2))
            self.assertEqual(len(task.places), 120 * 120)
            self.assertLess(task.source_y.max(), 2, "More is better")
            task.evaluate(numpy.array([0.5042, 0.5042]))
            self.assertAlmostEqual(task.regrets[0], 0, 6)

    def test_a_program_in_numpy_chooses_among_candidates(self):
        with Objective(str(OBJECTIVE), str(self.out), "tuning_svm2", 1, True) as objective:
            initial = [objective.candidates[7], objective.candidates[2]]
            task = parts.Task(objective, {"initial": initial, "units": {}}, 1)
            self.assertEqual((len(task.places), len(task.x)), (298, 2))
            self.assertEqual(len(task.sources[0][1]), 90)
            chosen = task.places[5].copy()
            task.evaluate(chosen)
            self.assertEqual(len(task.places), 297)
            self.assertGreater(((task.places - chosen) ** 2).sum(1).min(), 0, "Taken once")
            task.evaluate(task.places[0])
            self.assertEqual(len(set(map(tuple, task.data()[0]))), 4)

    def test_scales_are_divided_as_oracles_and_presets_divide_them(self):
        for h, share, dimension in ((1, .1, 1), (8, .1, 2), (1e6, .4, 3), (50, 0, 1), (50, 1, 2)):
            b, g = agpucb.Expanding(True, share=share).split(h, dimension)
            self.assertEqual((b, g), oracles.divided(h, share, dimension))
            self.assertAlmostEqual(b * g ** dimension / h, 1)
        b, g = agpucb.Expanding(True, share=.1).split(1e12, 1)
        self.assertGreater(g, 1e10, "Both parts grow without bound")
        self.assertGreater(b, 10)

    def test_programs_in_numpy_are_for_experiments_that_exist(self):
        for name in independent_programs.PAPERS:
            for experiment, programs in independent_programs.programs(name).items():
                methods = PAPERS[name].experiment(experiment).methods
                self.assertLessEqual(set(programs), set(methods))


if __name__ == "__main__":
    unittest.main()
