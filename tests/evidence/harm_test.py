"""Tests of what tells harm from luck."""

import itertools
import unittest

import numpy

from harness import harm, results


class HarmTest(unittest.TestCase):
    def test_p_is_the_share_of_signs_that_reach_the_sum(self):
        differences = [3.0, 1.0, -2.0, 0.5]
        sums = [sum(sign * value for sign, value in zip(signs, differences))
                for signs in itertools.product((1, -1), repeat=4)]
        expected = sum(each >= 2.5 for each in sums) / 16
        self.assertAlmostEqual(harm.p_of_worse(differences), expected)

    def test_equal_studies_say_nothing(self):
        self.assertEqual(harm.p_of_worse([0.0, 0.0]), 1)
        self.assertAlmostEqual(harm.p_of_worse([1.0, 0.0, 0.0]), 0.5)

    def test_what_is_not_a_number_is_refused(self):
        with self.assertRaises(ValueError):
            harm.p_of_worse([1.0, float("nan")])

    def test_many_studies_are_drawn_and_p_is_never_0(self):
        self.assertLess(harm.p_of_worse([1.0] * 20), 1e-4)
        self.assertGreater(harm.p_of_worse([1.0] * 40), 0)
        random = numpy.random.default_rng(1)
        self.assertGreater(harm.p_of_worse(random.normal(size=20)), 0.05)
        self.assertGreater(harm.p_of_worse([-1.0] * 20), 0.99)

    def test_holm_multiplies_by_what_is_left_and_never_falls(self):
        corrected = harm.corrected_by_holm([0.01, 0.04, 0.03])
        numpy.testing.assert_allclose(corrected, [0.03, 0.06, 0.06])
        numpy.testing.assert_allclose(harm.corrected_by_holm([0.9, 0.8]), [1, 1])

    def curves(self, harmed_problem):
        curves = results.Curves()
        for problem in ("one", "two"):
            for seed in range(20):
                plain = 0.1 + 0.01 * (seed % 3)
                worse = 0.1 if problem == harmed_problem else 0.002 * (-1) ** seed
                curves.add("plain", problem, seed, 1, [1, plain])
                curves.add("ours", problem, seed, 1, [1, plain + worse])
        return curves

    def test_a_problem_that_is_always_worse_is_found(self):
        found = harm.harms(self.curves("two"), "ours", "plain", 2)
        self.assertEqual([each.problem for each in found], ["two", "one"])
        self.assertTrue(found[0].is_significant)
        self.assertFalse(found[1].is_significant)
        self.assertAlmostEqual(found[0].regret - found[0].reference, 0.1)
        self.assertEqual(found[0].studies, 20)

    def test_luck_is_none(self):
        found = harm.harms(self.curves("none"), "ours", "plain", 2)
        self.assertFalse(any(each.is_significant for each in found))

    def test_shares_count_what_is_above_the_margin(self):
        self.assertEqual(harm.shares(self.curves("two"), "ours", "plain", 2, 0.01), (0.5, 0))


if __name__ == "__main__":
    unittest.main()
