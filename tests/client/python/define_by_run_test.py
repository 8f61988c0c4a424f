"""Spaces are inferred from what trials have asked for."""

import unittest

from slipstream._operations.define_by_run import Asked, infer_space
from slipstream.parameters import boolean, choice, discrete, integer, real


def asked(**parameters):
    """Parameters with their values: name=(parameter, value)."""
    return Asked({name: parameter for name, (parameter, _) in parameters.items()},
                 {name: value for name, (_, value) in parameters.items()})


MODEL = choice("svm", "forest", "none")
KERNEL = choice("rbf", "poly")


def space_of(trials):
    """The space of trials in which nothing is left out."""
    inferred = infer_space(trials)
    assert not inferred.left_out, inferred.left_out
    return inferred.space


def conditions(space):
    return {name: one.condition and (one.condition.parent, one.condition.values)
            for name, one in space.items()}


class Inference(unittest.TestCase):
    def test_what_all_ask_for_has_no_condition(self):
        space = space_of([asked(x=(real(0, 1), 0.5)), asked(x=(real(0, 1), 0.7))])
        self.assertEqual(space, {"x": real(0, 1)})

    def test_conditions_may_be_nested(self):
        space = space_of([
            asked(model=(MODEL, "svm"), kernel=(KERNEL, "rbf")),
            asked(model=(MODEL, "svm"), kernel=(KERNEL, "poly"), degree=(integer(2, 5), 3)),
            asked(model=(MODEL, "forest")),
        ])
        self.assertEqual(conditions(space), {"model": None, "kernel": ("model", ("svm",)),
                                             "degree": ("kernel", ("poly",))})

    def test_words_that_were_not_tried_count_as_inactive_and_numbers_as_the_nearest(self):
        size = integer(8, 64)
        space = space_of([
            asked(layers=(integer(1, 5), 1), model=(MODEL, "svm"), deep=(boolean(), False)),
            asked(layers=(integer(1, 5), 3), model=(MODEL, "svm"), deep=(boolean(), False),
                  size=(size, 8)),
            asked(layers=(integer(1, 5), 1), model=(MODEL, "forest"), deep=(boolean(), True)),
        ])
        self.assertEqual(space["size"].condition.parent, "layers")
        self.assertEqual(space["size"].condition.values, (3, 4, 5))

    def test_booleans_and_grids_decide_too(self):
        grid = discrete(0.5, 1, 2)
        space = space_of([
            asked(on=(boolean(), True), x=(real(0, 1), 0.1), scale=(grid, 0.5), y=(real(0, 1), 0)),
            asked(on=(boolean(), True), x=(real(0, 1), 0.1), scale=(grid, 2)),
            asked(on=(boolean(), False), scale=(grid, 0.5), y=(real(0, 1), 0)),
        ])
        self.assertEqual(conditions(space)["x"], ("on", (True,)))
        self.assertEqual(conditions(space)["y"], ("scale", (0.5, 1)))

    def test_real_numbers_do_not_decide(self):
        inferred = infer_space([asked(x=(real(0, 1), 0.2)),
                                asked(x=(real(0, 1), 0.8), y=(real(0, 1), 0))])
        self.assertEqual(inferred.space, {"x": real(0, 1)})
        self.assertRegex(inferred.left_out["y"], "asked for in 1 of 2 trials, and no single")

    def test_nor_do_numbers_of_too_many_values(self):
        count = integer(0, 10**12)
        inferred = infer_space([asked(n=(count, 7)), asked(n=(count, 10**9), y=(real(0, 1), 0))])
        self.assertEqual((inferred.space, list(inferred.left_out)), ({"n": count}, ["y"]))

    def test_contradictions_are_left_out(self):
        with_y = asked(model=(MODEL, "svm"), y=(real(0, 1), 0))
        inferred = infer_space([asked(model=(MODEL, "svm")), with_y])
        self.assertEqual(inferred.space, {"model": MODEL})
        self.assertRegex(inferred.left_out["y"], "no single parameter decides when")

    def test_changing_ranges_are_left_out(self):
        inferred = infer_space([asked(x=(real(0, 1), 0), y=(real(0, 1), 0)),
                                asked(x=(real(0, 2), 0), y=(real(0, 1), 1))])
        self.assertEqual(inferred.space, {"y": real(0, 1)})
        self.assertRegex(inferred.left_out["x"], r"was asked for as real\(0, 1\) and as real\(0, 2\)")

    def test_a_choice_of_too_many_words_is_left_out(self):
        words = choice(*map(str, range(1001)))
        inferred = infer_space([asked(word=(words, "7"), x=(real(0, 1), 0))])
        self.assertEqual((inferred.space, list(inferred.left_out)), ({"x": real(0, 1)}, ["word"]))

    def test_names_that_the_server_does_not_take_are_left_out(self):
        illegal = ["", "a\nb", "\x7f", "\x85", "\ud800", "\u00e4" * 65]
        legal = ["\u00e4" * 64, "a b"]
        inferred = infer_space([asked(**{name: (real(0, 1), 0) for name in illegal + legal})])
        self.assertEqual((list(inferred.space), list(inferred.left_out)), (legal, illegal))
        self.assertRegex(inferred.left_out[illegal[-1]], "name of 130 bytes, and a name has 1 to 128")
        self.assertRegex(inferred.left_out["a\nb"], "control characters in its name")

    def test_integers_that_the_server_does_not_take_are_left_out(self):
        inferred = infer_space([asked(wide=(integer(0, 2**53 + 1), 0), far=(integer(2**64, 2**64 + 1), 2**64),
                                      x=(integer(-1, 2**53 - 1), 0))])
        self.assertEqual((list(inferred.space), list(inferred.left_out)), (["x"], ["wide", "far"]))
        self.assertIn("at most 2^53 between their bounds", inferred.left_out["wide"])

    def test_parameters_beyond_the_most_are_left_out(self):
        many = {f"x{i}": (real(0, 1), 0) for i in range(202)}
        inferred = infer_space([asked(**many)])
        self.assertEqual((len(inferred.space), list(inferred.left_out)), (200, ["x200", "x201"]))
        self.assertIn("comes after 200 others", inferred.left_out["x200"])

    def test_who_is_left_out_does_not_decide(self):
        inferred = infer_space([
            asked(x=(real(0, 1), 0.2)),
            asked(x=(real(0, 1), 0.2), kernel=(KERNEL, "rbf")),
            asked(x=(real(0, 1), 0.2), kernel=(KERNEL, "poly"), degree=(integer(2, 5), 3)),
        ])
        self.assertEqual(inferred.space, {"x": real(0, 1)})
        self.assertEqual(list(inferred.left_out), ["kernel", "degree"])


if __name__ == "__main__":
    unittest.main()
