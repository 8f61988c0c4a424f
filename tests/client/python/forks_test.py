"""What becomes of studies in forks of a process."""

import asyncio
import inspect
import multiprocessing
import os
import signal
import threading
import unittest
import unittest.mock
import warnings

from servers import PATIENCE, ServerTest

import slipstream
import slipstream.aio
from slipstream import real
from slipstream._calls.fork_hooks import at_fork, guarded, is_in_hook
from slipstream._calls.forks import Traffic, traffic


def evaluate_two(study):
    study.optimize(lambda trial: trial.x, trials=2, progress=False)


class ForkTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.study = slipstream.create_or_load(self.study_id, {"x": real(0, 1)}, minimize="loss")

    def in_fork(self, body):
        """What `body` returns in a child."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(PATIENCE)
            try:
                os.write(writer, str(body()).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with open(reader, encoding="utf-8") as pipe:
            told = pipe.read()
        os.waitpid(child, 0)
        return told


class Forks(ForkTest):
    def setUp(self):
        if traffic._polls:
            self.skipTest("other tests of this process have used slipstream.aio")
        super().setUp()

    def test_a_study_has_a_connection_and_a_worker_of_each_fork(self):
        def use():
            self.assertEqual(self.study.optimize(lambda trial: trial.x, trials=4, workers=2,
                                                 progress=False), self.study.best)
            return self.study.worker

        held = self.study.suggest()
        worker = self.in_fork(use)
        held.complete(0.5)
        self.study.suggest().complete(0.75)
        self.assertNotEqual(worker, self.study.worker)
        trials = self.study.trials
        self.assertEqual([trial.state for trial in trials], ["succeeded"] * 6)
        self.assertEqual([trial.worker.startswith(worker) for trial in trials],
                         [False, *[True] * 4, False])

    def test_processes_that_are_forked_may_be_given_a_study(self):
        context = multiprocessing.get_context("fork")
        children = [context.Process(target=evaluate_two, args=(self.study,)) for _ in range(2)]
        for child in children:
            child.start()
        for child in children:
            child.join(PATIENCE)
        self.assertEqual([child.exitcode for child in children], [0, 0])
        self.assertEqual([trial.state for trial in self.study.trials], ["succeeded"] * 4)

    def test_a_fork_waits_for_short_calls_and_refuses_to_work_after_long_ones(self):
        def use():
            try:
                return [self.study.suggest().number, slipstream.load(self.study_id).id]
            except RuntimeError as error:
                return error

        entered, leave = threading.Event(), threading.Event()

        def call():
            with traffic.call():
                entered.set()
                leave.wait(PATIENCE)

        caller = threading.Thread(target=call)
        caller.start()
        entered.wait(PATIENCE)
        self.assertIn("forked while calls to the server were under way", self.in_fork(use))
        with unittest.mock.patch("slipstream._calls.forks._PATIENCE", PATIENCE):
            leaving = threading.Timer(0.1, leave.set)
            leaving.start()
            self.assertEqual(self.in_fork(use), str([1, self.study_id]))
        leaving.join()
        caller.join()
        self.assertEqual(self.study.suggest().number, 2)

    def test_a_trial_is_not_used_by_a_fork_of_its_process(self):
        def use():
            try:
                return trial.complete(0.5)
            except RuntimeError as error:
                return error

        trial = self.study.suggest()
        self.assertIn("end a trial where it was suggested", self.in_fork(use))
        trial.complete(0.25)
        self.assertEqual(self.study.best.value, 0.25)

    def test_a_fork_does_not_wait_for_the_annotations_of_its_process(self):
        def use():
            try:
                return trial.annotate(note="from a fork")
            except RuntimeError as error:
                return error

        trial, forked = self.study.suggest(), []
        attempt = self.study._transport._attempt

        def attempt_and_fork(step):
            if step.method == "UpdateTrial":
                forked.append(self.in_fork(use))
            return attempt(step)

        with unittest.mock.patch.object(self.study._transport, "_attempt", attempt_and_fork):
            trial.annotate(note="odd")
        self.assertIn("end a trial where it was suggested", forked[0])
        self.assertEqual(trial.note, "odd")

    def test_a_fork_opens_the_study_itself(self):
        def use():
            trial = slipstream.load(self.study_id).suggest()
            trial.complete(0.5)
            return trial.worker

        self.study.suggest().complete(0.25)
        worker = self.in_fork(use)
        self.assertNotEqual(worker, self.study.worker)
        self.study.suggest().complete(0.75)
        self.assertEqual([trial.worker for trial in self.study.trials],
                         [self.study.worker, worker, self.study.worker])
        self.assertEqual([trial.value for trial in self.study.trials], [0.25, 0.5, 0.75])


class Hooks(unittest.TestCase):
    def test_a_call_goes_on_after_a_fork_whose_end_went_unnoticed(self):
        stuck = Traffic()
        forking = threading.Thread(target=stuck.before_fork)
        forking.start()
        forking.join()
        with unittest.mock.patch("slipstream._calls.forks._LONGEST_FORK", 0.01):
            with self.assertLogs("slipstream", "WARNING") as logged, stuck.call():
                pass
        self.assertIn("a fork has been under way for 0.01 s", logged.output[0])
        with stuck.call():  # Waits no more.
            pass
        stuck.before_fork()
        with stuck.call():  # This thread has made its fork, or it could not call.
            pass

    def test_the_end_of_a_fork_whose_beginning_went_unnoticed_counts_for_nothing(self):
        interrupted = Traffic()
        interrupted.after_fork_in_parent()
        with interrupted.call():
            pass

    def test_a_call_whose_end_went_unnoticed_has_ended(self):
        interrupted = Traffic()
        interrupted.call().__enter__()  # What it returns is gone, and the call with it.
        with unittest.mock.patch("slipstream._calls.forks._PATIENCE", 0):
            interrupted.before_fork()
        interrupted.after_fork_in_child()
        interrupted.check()

    def test_a_warning_tells_of_an_error(self):
        def hook():
            raise OSError("broke")

        with self.assertLogs("slipstream", "WARNING") as logged:
            guarded(hook)()
        self.assertIn(f"process {os.getpid()} forked, and ", logged.output[0])
        self.assertIn("hook failed: OSError: broke", logged.output[0])

    def test_ctrl_c_in_a_hook_reaches_the_program_after_the_fork(self):
        calls = []

        def hook():
            calls.append(os.getpid())
            if len(calls) == 1:
                raise KeyboardInterrupt

        at_fork(before=hook)
        with self.assertRaises(KeyboardInterrupt):
            child = os.fork()
            if child == 0:
                os._exit(0)
            os.waitpid(child, 0)
            threading.Event().wait(PATIENCE)
        self.assertEqual(calls, [os.getpid()] * 2)

    def test_the_warning_that_ends_a_fork_counts_as_a_hook(self):
        def show(*warned):
            seen.append(is_in_hook(inspect.currentframe()))

        seen = []
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            with unittest.mock.patch("warnings.showwarning", show):
                warnings.warn("as Python 3.12 does", DeprecationWarning, stacklevel=1)
        self.assertEqual((seen, is_in_hook(inspect.currentframe())), ([True], False))

    def test_a_class_can_be_asked_for_what_a_fork_makes_anew(self):
        self.assertIn("_service", dict(inspect.getmembers(slipstream.Study)))


class WithAsyncio(ForkTest):
    """Runs after the others, whose forks must not come after it."""

    def test_a_study_of_asyncio_is_not_used_by_a_fork_of_its_process(self):
        async def work():
            async with await slipstream.aio.load(self.study_id) as study:
                return [self.in_fork(lambda: told(one)) for one in (
                    lambda: study.suggest().send(None), lambda: slipstream.load(self.study_id),
                    self.study.suggest)]

        def told(use):
            try:
                return use()
            except RuntimeError as error:
                return error

        first, *others = asyncio.run(work())
        self.assertIn("open the study in the child (slipstream.aio.load)", first)
        for other in others:
            self.assertIn("or after slipstream.aio was used", other)


if __name__ == "__main__":
    unittest.main()
