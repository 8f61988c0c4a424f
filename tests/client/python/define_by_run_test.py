"""Spaces are inferred from what trials have asked for."""

import unittest

from slipstream.adapters._define_by_run import Asked, NoSpace, infer_space
from slipstream.parameters import boolean, choice, discrete, integer, real


def asked(**parameters):
    """Parameters with their values: name=(parameter, value)."""
    return Asked({name: parameter for name, (parameter, _) in parameters.items()},
                 {name: value for name, (_, value) in parameters.items()})


MODEL = choice("svm", "forest", "none")
KERNEL = choice("rbf", "poly")


def conditions(space):
    return {name: one.condition and (one.condition.parent, one.condition.values)
            for name, one in space.items()}


class Inference(unittest.TestCase):
    def test_what_all_ask_for_has_no_condition(self):
        space = infer_space([asked(x=(real(0, 1), 0.5)), asked(x=(real(0, 1), 0.7))])
        self.assertEqual(space, {"x": real(0, 1)})

    def test_conditions_may_be_nested(self):
        space = infer_space([
            asked(model=(MODEL, "svm"), kernel=(KERNEL, "rbf")),
            asked(model=(MODEL, "svm"), kernel=(KERNEL, "poly"), degree=(integer(2, 5), 3)),
            asked(model=(MODEL, "forest")),
        ])
        self.assertEqual(conditions(space), {"model": None, "kernel": ("model", ("svm",)),
                                             "degree": ("kernel", ("poly",))})

    def test_words_that_were_not_tried_count_as_inactive_and_numbers_as_the_nearest(self):
        size = integer(8, 64)
        space = infer_space([
            asked(layers=(integer(1, 5), 1), model=(MODEL, "svm"), deep=(boolean(), False)),
            asked(layers=(integer(1, 5), 3), model=(MODEL, "svm"), deep=(boolean(), False),
                  size=(size, 8)),
            asked(layers=(integer(1, 5), 1), model=(MODEL, "forest"), deep=(boolean(), True)),
        ])
        self.assertEqual(space["size"].condition.parent, "layers")
        self.assertEqual(space["size"].condition.values, (3, 4, 5))

    def test_booleans_and_grids_decide_too(self):
        grid = discrete(0.5, 1, 2)
        space = infer_space([
            asked(on=(boolean(), True), x=(real(0, 1), 0.1), scale=(grid, 0.5), y=(real(0, 1), 0)),
            asked(on=(boolean(), True), x=(real(0, 1), 0.1), scale=(grid, 2)),
            asked(on=(boolean(), False), scale=(grid, 0.5), y=(real(0, 1), 0)),
        ])
        self.assertEqual(conditions(space)["x"], ("on", (True,)))
        self.assertEqual(conditions(space)["y"], ("scale", (0.5, 1)))

    def test_real_numbers_do_not_decide(self):
        trials = [asked(x=(real(0, 1), 0.2)), asked(x=(real(0, 1), 0.8), y=(real(0, 1), 0))]
        with self.assertRaisesRegex(NoSpace, "'y' was asked for in 1 of 2 trials"):
            infer_space(trials)

    def test_contradictions_are_refused(self):
        with_y = asked(model=(MODEL, "svm"), y=(real(0, 1), 0))
        with self.assertRaisesRegex(NoSpace, "no single parameter decides when"):
            infer_space([asked(model=(MODEL, "svm")), with_y])

    def test_changing_ranges_are_refused(self):
        with self.assertRaisesRegex(NoSpace, r"'x' was asked for as real\(0, 1\) and as"):
            infer_space([asked(x=(real(0, 1), 0)), asked(x=(real(0, 2), 0))])


if __name__ == "__main__":
    unittest.main()
