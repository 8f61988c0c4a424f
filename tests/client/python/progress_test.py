"""What progress looks like on a terminal, and where there is none."""

import io
import unittest
from types import SimpleNamespace

from slipstream.progress import Progress
from slipstream.records import Objective


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Trial(dict):
    def __init__(self, number, measured):
        super().__init__(lr=number / 7, kernel="rbf")
        self.number, self.measured = number, measured


def show(stream, values, total, best=None, maximize=True, shown=True):
    with Progress("digits", Objective("accuracy", maximize), total, shown, lambda: best,
                  stream) as progress:
        for number, value in enumerate(values, start=1):
            progress.count(Trial(number, value))
    return stream.getvalue()


class Lines(unittest.TestCase):
    def test_a_terminal_has_one_line_that_is_written_again(self):
        text = show(Terminal(), [0.5, None, 0.75, 0.25], 4)
        states = text.split("\r\x1b[K")[1:]
        self.assertEqual(len(states), 4)
        self.assertRegex(states[0], r"^digits \[#{5}-{15}\] 1/4 00:00  best 0.5 \(trial 1: lr=0.14")
        self.assertRegex(states[-1], r"^digits \[#{20}\] 4/4 00:00  best 0.75 \(trial 3: lr=0.42")
        self.assertTrue(all(len(state) <= 80 for state in states))
        self.assertEqual(text.count("\n"), 1)

    def test_elsewhere_there_are_at_most_some_lines_without_control_characters(self):
        for count in (1, 7, 30, 1000):
            lines = show(io.StringIO(), [0.5] * count, count).splitlines()
            self.assertTrue(1 <= len(lines) <= 11, lines)
            self.assertTrue(all(line.isprintable() for line in lines))
            self.assertIn(f" {count}/{count} ", lines[-1])

    def test_a_total_is_not_needed(self):
        self.assertRegex(show(Terminal(), [1, 2], None), "digits 2 00:00  best 2 ")

    def test_the_goal_says_what_is_best(self):
        self.assertIn("best 0.25 (trial 3", show(Terminal(), [0.5, 0.75, 0.25], 3, maximize=False))

    def test_an_earlier_incumbent_counts(self):
        best = SimpleNamespace(number=9, value=0.9, items=lambda: [("lr", 0.5)])
        text = show(Terminal(), [0.5], 1, best)
        self.assertIn("best 0.9 (trial 9: lr=0.5)", text)

    def test_without_a_result_it_says_so(self):
        self.assertIn("no result yet", show(Terminal(), [None], 3))

    def test_a_remark_has_a_line_of_its_own(self):
        for stream, shown, text in ((Terminal(), True, "\ndigits waiting\n\n"),
                                    (Terminal(), False, "digits waiting\n"),
                                    (io.StringIO(), True, "\ndigits waiting\n")):
            with Progress("digits", Objective("accuracy", True), 2, shown, lambda: None,
                          stream) as progress:
                progress.count(Trial(1, 0.5))
                progress.say("waiting")
            self.assertTrue(stream.getvalue().endswith(text), repr(stream.getvalue()))

    def test_it_can_be_switched_off(self):
        self.assertEqual(show(Terminal(), [0.5], 1, shown=False), "")


if __name__ == "__main__":
    unittest.main()
