"""Parameters refuse what cannot be, and say what to write instead."""

import decimal
import enum
import fractions
import unittest

import numpy

from slipstream import boolean, choice, discrete, integer, log, real, reverse_log
from slipstream.plots.unit_values import raw_value, unit_value
from slipstream.tables import infer_space, rows_of


class Parameters(unittest.TestCase):
    def test_mistakes_are_told_with_their_remedy(self):
        for mistake, kind, words in (
            (lambda: log(0, 1), ValueError, "above 0; use the linear scale"),
            (lambda: reverse_log(-1, 1), ValueError, "above 0"),
            (lambda: real(1, 0), ValueError, "above the upper"),
            (lambda: real(1, 1), ValueError, "leave out what is fixed"),
            (lambda: real(0, float("inf")), ValueError, "finite"),
            (lambda: integer(0, 10**400), ValueError, "integer.*the bounds must be finite"),
            (lambda: real(0, 1, default=10**400), ValueError, r"real\(\): default=1.* is too large"),
            (lambda: real("0", 1), TypeError, "numbers"),
            (lambda: integer(0.5, 2), ValueError, r"see real\(\)"),
            (lambda: integer(0, 5, scale="log"), ValueError, "above 0"),
            (lambda: integer(1, 5, scale="ln"), ValueError, "linear, log, reverse_log"),
            (lambda: choice(1, 2), TypeError, r"discrete\(\)"),
            (lambda: choice(True, False), TypeError, r"boolean\(\)"),
            (lambda: choice(None, "None"), ValueError, "'None' stands for more than one .*give labels"),
            (lambda: choice(object(), "a"), TypeError, "no name that is the same .*give labels"),
            (lambda: choice(len, lambda x: x), TypeError, "no name that is the same"),
            (lambda: choice(None, tuple(range(200))), ValueError, "longer than 256 bytes; give labels"),
            (lambda: choice({}), TypeError, "at least one label"),
            (lambda: choice({1: "a"}), TypeError, "labels are words"),
            (lambda: choice({"a": "b", "b": "c"}), ValueError, "'b' is both a label and what 'a'"),
            (lambda: choice(), ValueError, "at least one category"),
            (lambda: choice(enum.Enum("Empty", [])), ValueError, "at least one category"),
            (lambda: choice({"rbf", "poly"}), TypeError, "a set has a different order in each process"),
            (lambda: choice("a", "b", "a"), ValueError, "'a' is given twice"),
            (lambda: choice("a", default="b"), ValueError, r"choice\('a', default='b'\): the default is"),
            (lambda: choice(None, 1, default=2), ValueError, "the default is not one of"),
            (lambda: real(0, 1, default=2), ValueError, "the default is not one of"),
            (lambda: integer(1, 4, default=1.5), ValueError, "the default is not one of"),
            (lambda: integer(1, 4, default=True), ValueError, "the default is not one of"),
            (lambda: integer(1, 4, default="2"), ValueError, "the default is not one of"),
            (lambda: discrete(1, 4, default=2), ValueError, "the default is not one of"),
            (lambda: discrete(1, 2, 1.0), ValueError, "1.0 is given twice"),
            (lambda: boolean(default="yes"), ValueError, "the default is not one of"),
            (lambda: discrete("a"), TypeError, r"choice\(\)"),
            (lambda: discrete(), ValueError, "at least one number"),
            (lambda: boolean(when=lambda params: True), TypeError, "when={'kernel': 'poly'}"),
            (lambda: boolean(when="a"), TypeError, "must name a parameter and its value"),
            (lambda: boolean(when={"a": 1, "b": 2}), ValueError, "one parameter"),
        ):
            with self.assertRaisesRegex(kind, words):
                mistake()

    def test_a_list_may_be_given_whole(self):
        self.assertEqual(choice(["a", "b"]), choice("a", "b"))
        self.assertEqual(discrete([4, 2]), discrete(2, 4))
        self.assertEqual(choice(word for word in "ab"), choice("a", "b"))
        self.assertEqual(choice({"a": 1, "b": 2}.keys()), choice("a", "b"))
        self.assertEqual(discrete(2**power for power in (1, 2)), discrete(2, 4))

    def test_members_of_an_enum_are_what_a_choice_is_among(self):
        class Plain(enum.Enum):
            FIRST, SECOND = 1, 2

        class Words(str, enum.Enum):
            FIRST, SECOND = "a", "b"

        class Numbers(enum.IntEnum):
            FIRST, SECOND = 1, 2

        for kind, labels in (
            (Plain, ("FIRST", "SECOND")), (Words, ("a", "b")), (Numbers, ("FIRST", "SECOND"))
        ):
            for made in (choice(kind), choice(*kind, default=kind.SECOND), choice(list(kind))):
                self.assertEqual((made.values, made.objects), (labels, tuple(kind)))
                self.assertIs(made.object_of(labels[1]), kind.SECOND)
                self.assertEqual(made.label_of(kind.SECOND), labels[1])
                self.assertIn(f"choice({kind.FIRST!r}, {kind.SECOND!r}", repr(made))
            self.assertEqual(choice(kind, default=kind.SECOND).default, labels[1])
        self.assertEqual(choice(Words), choice("a", "b"))  # The same on the server.

    def test_a_choice_is_among_any_objects_by_their_labels(self):
        class Adam:
            pass

        small = [1, 2]
        for made, labels, objects in (
            (choice(None, "sqrt", 0.5, True), ("None", "sqrt", "0.5", "True"), (None, "sqrt", 0.5, True)),
            (choice((64,), (64, numpy.int64(32))), ("(64,)", "(64, 32)"), ((64,), (64, 32))),
            (choice([None, numpy.float64(0.5)]), ("None", "0.5"), (None, 0.5)),
            (choice(Adam, len), ("Adam", "len"), (Adam, len)),
            (choice({"small": small, "none": None}), ("small", "none"), (small, None)),
            (choice({"a": "a"}), ("a",), ()),
        ):
            self.assertEqual((made.values, made.objects), (labels, objects))
            for label, one in zip(labels, objects):
                self.assertEqual((made.label_of(one), made.label_of(label)), (label, label))
                self.assertEqual(made.object_of(label), one)
        mixed = choice(0, "x", True, numpy.ones(2)[:0].tolist(), default=True)
        self.assertEqual([mixed.label_of(one) for one in (False, 0.0, True, 1)], [False, "0", "True", 1])
        self.assertEqual(mixed.default, "True")
        self.assertEqual(choice({"a": 1, "b": 2}, default=2).default, "b")
        array = numpy.ones(3)
        named = choice({"ones": array, "word": "x"})
        self.assertEqual((named.label_of(array), named.label_of("x")), ("ones", "word"))

    def test_numbers_and_words_may_be_of_any_type(self):
        for given, meant in (
            (integer(numpy.int64(1), numpy.int64(4), default=numpy.int8(2)),
             integer(1, 4, default=2)),
            (real(numpy.float32(0.25), numpy.int16(1)), real(0.25, 1)),
            (real(fractions.Fraction(1, 4), decimal.Decimal(2), default=numpy.float64(1)),
             real(0.25, 2, default=1)),
            (log(numpy.float64(1e-5), 1), log(1e-5, 1)),
            (discrete(*numpy.array([1, 2, 3]), default=numpy.int64(2)),
             discrete(1, 2, 3, default=2)),
            (discrete(numpy.array([0.5, 0.25])), discrete(0.25, 0.5)),
            (choice(*numpy.array(["a", "b"]), default=numpy.str_("b")),
             choice("a", "b", default="b")),
            (choice(numpy.array(["a", "b"])), choice("a", "b")),
            (boolean(default=numpy.bool_(True), when={"n": numpy.int64(3)}),
             boolean(default=True, when={"n": 3})),
            (boolean(when={"b": numpy.array([True, False])}), boolean(when={"b": [True, False]})),
        ):
            self.assertEqual(given, meant)
            self.assertEqual(repr(given), repr(meant))
            for value in (given.low, given.high, given.default, *given.values):
                self.assertIn(type(value), (type(None), bool, int, float, str))
        for mistake in (lambda: real(numpy.array([0, 1]), 2), lambda: integer(numpy.bool_(0), 2),
                        lambda: real(0, 1, default="a"), lambda: discrete(1j)):
            with self.assertRaisesRegex(TypeError, "number"):
                mistake()

    def test_what_they_print_makes_them_again(self):
        names = {"real": real, "log": log, "reverse_log": reverse_log, "integer": integer,
                 "discrete": discrete, "choice": choice, "boolean": boolean}
        for parameter in (real(-1, 0.1), log(1e-7, 3, default=1), reverse_log(0.5, 0.99),
                          integer(1, 9, scale="log", when={"a": ["x", "y"]}),
                          boolean(default=False), discrete(0.5, 2, scale="log"),
                          choice("a'b", when={"on": True}), choice(None, "a", 0.5, (1, 2)),
                          choice({"small": [1], "large": [2]}, default="large"), choice(choice, None)):
            self.assertEqual(eval(repr(parameter), names), parameter)

    def test_they_print_bounds_as_short_as_they_are_written(self):
        for text in ("log(1e-300, 1e+300)", "real(-1e+23, 0)", "real(0, 1000000)", "real(0.1, 2.5)"):
            self.assertEqual(repr(eval(text, {"real": real, "log": log})), text)


class Places(unittest.TestCase):
    def test_numbers_come_back_from_their_places(self):
        for parameter, value in ((real(-2, 6), 1.5), (log(1e-5, 10), 0.02),
                                 (reverse_log(0.5, 0.999), 0.99), (integer(1, 9), 4)):
            place = unit_value(parameter, value)
            self.assertTrue(0 < place < 1)
            self.assertAlmostEqual(raw_value(parameter, place), value, 12)
        for parameter in (log(1e-5, 10), reverse_log(0.5, 0.999)):
            self.assertAlmostEqual(unit_value(parameter, parameter.low), 0, 12)
            self.assertAlmostEqual(unit_value(parameter, parameter.high), 1, 12)

    def test_words_share_the_range(self):
        self.assertEqual([unit_value(choice("a", "b"), word) for word in "ab"], [0.25, 0.75])
        self.assertEqual(unit_value(boolean(), True), 0.75)


class Tables(unittest.TestCase):
    def test_frames_and_rows_are_read_alike(self):
        import pandas

        rows = [{"a": 1, "b": "x", "c": None}, {"a": 2, "b": "y", "c": 0.5}]
        self.assertEqual(rows_of(pandas.DataFrame(rows)), rows_of(rows))
        self.assertEqual(rows_of(rows), [{"a": 1, "b": "x"}, {"a": 2, "b": "y", "c": 0.5}])
        for row in rows_of(pandas.DataFrame(rows)):
            self.assertEqual({type(cell) for cell in row.values()} - {int, str, float}, set())

    def test_a_column_of_several_kinds_is_refused(self):
        with self.assertRaisesRegex(TypeError, "'a' has cells of several kinds: choice, int"):
            infer_space([{"a": 1}, {"a": "x"}])


class EqualCategories(unittest.TestCase):
    def test_they_are_refused_as_they_cannot_be_told_apart(self):
        for make in (lambda: choice({"one": {"width": 1}, "other": {"width": 1}}),
                     lambda: choice({"whole": 1, "real": 1.0}),
                     lambda: choice(1, 1.0, "x"),
                     lambda: choice((0,), (False,))):
            with self.assertRaisesRegex(ValueError, "stand for equal objects"):
                make()
        self.assertEqual(choice({"whole": 1, "true": True}).values, ("whole", "true"))


if __name__ == "__main__":
    unittest.main()
