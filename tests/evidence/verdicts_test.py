"""Tests of what holds studies' verdicts against the truth."""

import unittest

from harness import verdicts


def row(evaluation, value, own_regret, regret, facts=""):
    return {"problem": "p", "seed": "3", "evaluation": str(evaluation), "value": str(value),
            "own_regret": str(own_regret), "regret": str(regret), "worst_regret": "2",
            "facts": facts}


SAID = ("transfer=helping; transfer_gain_low=-0.1; transfer_gain_high=0.3; start_trials=2; "
        "start_better=0.98; start_worse=0.01")


class VerdictsTest(unittest.TestCase):
    def setUp(self):
        # A regret of 1 is 5 of the objective's unit; the objective is to be large.
        self.rows = [row(1, 5, 1, 1), row(2, 7.5, 0.5, 0.5), row(3, 9, 0.2, 0.2, SAID)]
        self.reference = [row(1, 0, 2, 2), row(2, 1, 1.8, 1.5), row(3, 5, 1, 1)]

    def test_gains_are_in_parts_of_the_worst_regret(self):
        said = verdicts.verdict_of(self.rows, self.reference, 3)
        self.assertEqual((said.problem, said.seed, said.state, said.trials), ("p", 3, "helping", 2))
        self.assertTrue(said.by_start)
        self.assertEqual((said.better, said.worse), (0.98, 0.01))
        self.assertAlmostEqual(said.truth, 0.5)
        self.assertAlmostEqual(said.later, 0.4)

    def test_a_start_is_as_good_as_its_best_so_far_on_average(self):
        self.reference[1]["regret"] = "0.5"
        self.assertAlmostEqual(verdicts.verdict_of(self.rows, self.reference, 3).truth, 0.25)

    def test_forecasts_decide_where_they_show_a_difference(self):
        self.rows[2]["facts"] = SAID.replace("gain_low=-0.1", "gain_low=0.1")
        self.assertFalse(verdicts.verdict_of(self.rows, self.reference, 3).by_start)

    def test_a_study_that_says_nothing_is_unknown(self):
        said = verdicts.verdict_of(self.rows, self.reference, 2)
        self.assertEqual((said.state, said.trials), ("unknown", 0))
        self.assertEqual(verdicts.lines_of("all", [said], 0.01), ["all: 1 studies; unknown 1"])

    def test_wrong_sides_are_counted(self):
        said = verdicts.verdict_of(self.rows, self.reference, 3)
        self.assertIn("    the start decided in 1, for the wrong side in 0",
                      verdicts.lines_of("all", [said], 0.01))
        self.reference[0]["regret"], self.reference[1]["regret"] = "0.6", "0.3"
        wrong = verdicts.verdict_of(self.rows, self.reference, 3)
        lines = verdicts.lines_of("all", [said, wrong], 0.01)
        self.assertIn("    the start was worse by more than 0.01 in 1: said helping 1", lines)
        self.assertIn("    the start decided in 2, for the wrong side in 1", lines)
        self.assertEqual(lines[1], "    of 2 starts that differ by more than 0.01, 50% are on the "
                                   "likelier side; the true side got 50% on average")


if __name__ == "__main__":
    unittest.main()
