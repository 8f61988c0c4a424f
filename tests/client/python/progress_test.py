"""What progress looks like on a terminal, and where there is none."""

import asyncio
import io
import time
import unittest
from types import SimpleNamespace
from unittest import mock

from servers import LossyProxy, ServerTest

import slipstream
import slipstream.aio
from slipstream.progress import Progress
from slipstream.records import Objective

BEST = SimpleNamespace(number=9, value=0.9, items=lambda: [("lr", 0.5)])


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Trial(dict):
    def __init__(self, number, measured):
        super().__init__(lr=number / 7, kernel="rbf")
        self.number, self.measured, self.given_back = number, measured, False


def show(stream, values, total, best=None, maximize=True, shown=True):
    with Progress("digits", Objective("accuracy", maximize), total, shown, stream) as progress:
        for number, value in enumerate(values, start=1):
            if progress.wants_news():
                progress.learn(best)
            progress.count(Trial(number, value))
        progress.conclude(best)
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

    def test_what_was_given_back_does_not_count(self):
        stream = Terminal()
        with Progress("digits", Objective("accuracy", True), 4, True, stream) as progress:
            progress.count(Trial(1, 0.5))
            given_back = Trial(2, None)
            given_back.given_back = True
            progress.count(given_back)
        self.assertIn(" 1/4 ", stream.getvalue())
        self.assertNotIn(" 2/4 ", stream.getvalue())

    def test_a_total_is_not_needed(self):
        self.assertRegex(show(Terminal(), [1, 2], None), "digits 2 00:00  best 2 ")

    def test_the_goal_says_what_is_best(self):
        self.assertIn("best 0.25 (trial 3", show(Terminal(), [0.5, 0.75, 0.25], 3, maximize=False))

    def test_an_earlier_incumbent_counts(self):
        text = show(Terminal(), [0.5], 1, BEST)
        self.assertIn("best 0.9 (trial 9: lr=0.5)", text)
        self.assertEqual(text.count("digits"), 1)

    def test_the_last_line_has_the_best_at_the_end(self):
        for stream, total in ((Terminal(), 1), (io.StringIO(), 1), (io.StringIO(), None)):
            with Progress("digits", Objective("accuracy", True), total, True, stream) as progress:
                progress.count(Trial(1, 0.5))
                progress.conclude(BEST)
            lines = stream.getvalue().replace("\r\x1b[K", "\n").split("\n")
            self.assertIn("best 0.9 (trial 9: lr=0.5)", [line for line in lines if line][-1])

    def test_the_best_is_read_only_now_and_then(self):
        # Off a terminal only where a line is due: at the first and the tenth trial.
        for stream, wanted in ((Terminal(), [0, 2, 4]), (io.StringIO(), [0, 4.5])):
            with mock.patch("slipstream.progress.time") as clock:
                read = []
                clock.monotonic.return_value = 100.0
                with Progress("digits", Objective("a", True), 100, True, stream) as progress:
                    for number in range(12):
                        clock.monotonic.return_value = 100.0 + number / 2
                        if progress.wants_news():
                            read.append(number / 2)
                            progress.learn(None)  # As it could not be read.
                        progress.count(Trial(number, 0.5))
                self.assertEqual(read, wanted)

    def test_nobody_shows_old_news_while_another_worker_reads_them(self):
        with Progress("digits", Objective("a", True), 100, True, Terminal()) as progress:
            self.assertTrue(progress.wants_news())
            self.assertTrue(progress.wants_news())
            progress.learn(BEST)
            self.assertFalse(progress.wants_news())

    def test_it_is_not_read_where_nothing_is_shown(self):
        with Progress("digits", Objective("a", True), 1, False, Terminal()) as progress:
            self.assertFalse(progress.wants_news())

    def test_without_a_result_it_says_so(self):
        self.assertIn("no result yet", show(Terminal(), [None], 3))

    def test_a_remark_has_a_line_of_its_own(self):
        for stream, shown, text in ((Terminal(), True, "\ndigits waiting\n"),
                                    (Terminal(), False, "digits waiting\n"),
                                    (io.StringIO(), True, "\ndigits waiting\n")):
            with Progress("digits", Objective("accuracy", True), 2, shown, stream) as progress:
                progress.count(Trial(1, 0.5))
                progress.say("waiting")
            self.assertTrue(stream.getvalue().endswith(text), repr(stream.getvalue()))

    def test_it_can_be_switched_off(self):
        self.assertEqual(show(Terminal(), [0.5], 1, shown=False), "")


class Shared(ServerTest):
    """Another process works on the same study."""

    SPACE = {"lr": slipstream.real(0, 1)}

    def last_line(self, terminal):
        return terminal.getvalue().rstrip("\n").split("\r\x1b[K")[-1]

    def test_an_optimisation_goes_on_where_nothing_can_be_written(self):
        study = slipstream.create_or_load(self.study_id, self.SPACE, maximize="accuracy")
        full = mock.Mock(**{"isatty.return_value": True, "flush.side_effect": OSError(28, "disk full")})
        closed = io.StringIO()
        closed.close()
        for trials, stream in enumerate((None, SimpleNamespace(), full, closed), start=1):
            with self.subTest(stream), mock.patch("sys.stderr", stream):
                study.optimize(lambda trial: trial.lr, until=trials)
                self.assertEqual(len(study.trials), trials)

    def test_the_last_line_is_the_studys_best(self):
        study = slipstream.create_or_load(self.study_id, self.SPACE, maximize="accuracy")
        other = slipstream.load(self.study_id)

        def objective(trial):
            if trial.number == 2:
                other.record({"lr": 0.5}, 9)
            return trial["lr"]

        with mock.patch("sys.stderr", Terminal()) as terminal:
            best = study.optimize(objective, trials=4)
        self.assertRegex(self.last_line(terminal),
                         rf"4/4 00:0\d  best 9 \(trial {best.number}: lr=0.5\)")

    def test_that_of_asyncio_is_too(self):
        async def work():
            async with await slipstream.aio.create_or_load(self.study_id, self.SPACE,
                                                           maximize="accuracy") as study:
                async def objective(trial):
                    if trial.number == 2:
                        await study.record({"lr": 0.5}, 9)
                    return trial["lr"]

                await study.optimize(objective, trials=4)

        with mock.patch("sys.stderr", Terminal()) as terminal:
            asyncio.run(asyncio.wait_for(work(), 60))
        self.assertRegex(self.last_line(terminal), r"4/4 00:0\d  best 9 \(trial \d+: lr=0.5\)")

    def test_until_counts_the_trials_of_the_study(self):
        for stream in (Terminal(), io.StringIO()):
            study = slipstream.create_or_load(f"{self.study_id}-{stream.isatty():d}", self.SPACE,
                                              maximize="accuracy")
            study.optimize(lambda trial: trial["lr"], trials=3, progress=False)
            held, queued = study.suggest(), study.enqueue({"lr": 0.5})

            def objective(trial):
                if trial.number == queued.number:
                    held.complete(0.25)
                    study.record({"lr": 0.5}, 9)
                return trial["lr"]

            with mock.patch("sys.stderr", stream):
                study.optimize(objective, until=7)
            lines = stream.getvalue().replace("\r\x1b[K", "\n").split("\n")
            lines = [line for line in lines if line]
            self.assertRegex(lines[0], " 6/7 00:0")
            self.assertRegex(lines[-1], " 7/7 00:0")
            self.assertEqual("[####################] 7/7" in lines[-1], stream.isatty())
            self.assertEqual(study.description.trial_count, 7)

    def test_a_run_that_has_nothing_left_to_do_says_so(self):
        study = slipstream.create_or_load(self.study_id, self.SPACE, maximize="accuracy")
        study.record({"lr": 0.5}, 9)
        with mock.patch("sys.stderr", io.StringIO()) as stream:
            study.optimize(lambda trial: self.fail("started"), until=1)
        self.assertRegex(stream.getvalue(), rf"^{self.study_id} 1/1 00:0\d  best 9 \(trial 1: lr=0.5\)\n$")

    def test_so_it_does_with_asyncio(self):
        async def work():
            async with await slipstream.aio.create_or_load(self.study_id, self.SPACE,
                                                           maximize="accuracy") as study:
                async def objective(trial):
                    return trial["lr"]

                await study.record({"lr": 0.5}, 9)
                await study.optimize(objective, until=4, workers=2)

        with mock.patch("sys.stderr", Terminal()) as terminal:
            asyncio.run(asyncio.wait_for(work(), 60))
        self.assertRegex(self.last_line(terminal), r"\[#{20}\] 4/4 00:0\d  best 9 ")

    def test_few_calls_ask_for_it(self):
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)
        study = slipstream.create_or_load(self.study_id, self.SPACE, maximize="accuracy",
                                          preset="random", address=proxy.address)
        began = time.monotonic()
        with mock.patch("sys.stderr", Terminal()):
            study.optimize(lambda trial: trial["lr"], trials=20)
        self.assertLessEqual(len(proxy.calls["BestTrials"]), 2 + (time.monotonic() - began) / 2)


if __name__ == "__main__":
    unittest.main()
