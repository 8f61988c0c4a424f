"""What becomes of trials when their process gets SIGTERM or SIGHUP."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import unittest.mock
import warnings
import weakref

from servers import PATIENCE, SPAWN, Forwarder, LossyProxy, ServerProcess, ServerTest
from waiting import wait_until, wait_until_async

import slipstream
import slipstream.aio
from slipstream import real
from slipstream._calls.cancellation import Cancellation
from slipstream._operations import quotas, study_base
from slipstream._operations.mishaps import Mishaps
from slipstream._operations.termination import termination
from slipstream._wire import messages

BEGIN = """
import asyncio, multiprocessing, os, signal, sys, threading
import slipstream, slipstream.aio

study_id = sys.argv[1]

def say(text):
    print(f"{text}\\n", end="", flush=True)

def work():
    say("at work")
    while True:
        sum(range(100))

def load(**settings):
    return slipstream.load(study_id, **settings)
"""


class TerminationTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.study = slipstream.create_or_load(self.study_id, {"x": real(0, 1)}, minimize="loss")

    def states(self):
        return [trial.state for trial in self.study.trials]

    def start(self, script, at_work=1, stderr=subprocess.PIPE):
        """A program that has said so often that it is at work."""
        process = subprocess.Popen(
            [sys.executable, "-c", BEGIN + textwrap.dedent(script), self.study_id],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True,
            **SPAWN)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for stream in filter(None, (process.stdin, process.stdout, process.stderr)):
            self.addCleanup(stream.close)
        for _ in range(at_work):
            line = process.stdout.readline()
            self.assertEqual(line, "at work\n", line or process.stderr.read())
        return process

    def check_end(self, process, number=signal.SIGTERM):
        """What a process has said that a signal has ended."""
        said, told = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, -number, told)
        self.assertNotIn("Traceback", told)
        return said, told

    def check_given_back(self, count):
        """Whether others get what the process has held."""
        before = [trial.params for trial in self.study.trials]
        self.assertEqual(self.states(), ["requested"] * count)
        self.assertCountEqual([trial.params for trial in self.study.suggest(count)], before)


class Blocking(TerminationTest):
    IN_ASYNCIO = textwrap.dedent("""
        async def objective(trial):
            say("at work")
            await asyncio.Event().wait()

        async def main():
            async with await slipstream.aio.load(study_id) as study:
                await study.optimize(objective, workers=2, progress=False)

        asyncio.run(main())
    """)
    HELD_AFTER_ASYNCIO = textwrap.dedent("""
        async def hold():
            for trial in await (await slipstream.aio.load(study_id)).suggest(3):
                await trial.__aenter__()

        asyncio.run(hold())
        work()
    """)

    def test_one_worker_saves_what_it_has_and_gives_its_trial_back(self):
        process = self.start("""
            def objective(trial):
                try:
                    work()
                finally:
                    trial.annotate(note="checkpoint")
                    print("saved")

            load().optimize(objective, progress=False)
        """)
        self.assertEqual(self.states(), ["active"])
        process.send_signal(signal.SIGTERM)
        said, told = self.check_end(process)
        self.assertEqual((said, told), ("saved\n", "ended by SIGTERM\n"))
        self.assertEqual(self.study.trials[0].note, "checkpoint")
        self.check_given_back(1)

    def test_several_workers_give_their_trials_back(self):
        process = self.start("load().optimize(lambda trial: work(), workers=4, progress=False)", 4)
        process.send_signal(signal.SIGTERM)
        self.check_end(process)
        self.check_given_back(4)

    def test_a_closed_terminal_does_the_same(self):
        process = self.start("load().optimize(lambda trial: work(), progress=False)")
        process.send_signal(signal.SIGHUP)
        self.check_end(process, signal.SIGHUP)
        self.check_given_back(1)

    def test_blocks_in_one_another_give_their_trials_back(self):
        process = self.start("""
            study = load()
            with study.suggest(), study.suggest():
                study.optimize(lambda trial: work(), trials=1, progress=False)
        """)
        process.send_signal(signal.SIGTERM)
        self.check_end(process)
        self.check_given_back(3)

    def test_a_block_that_is_open_when_the_program_ends_gives_its_trial_back(self):
        process = self.start("""
            def trials():
                while True:
                    with load().suggest() as trial:
                        yield trial

            unfinished = trials()
            for trial in unfinished:
                work()
        """)
        process.send_signal(signal.SIGTERM)
        self.check_end(process)
        self.check_given_back(1)

    def test_a_trial_that_is_held_without_a_block_s_end_is_given_back(self):
        process = self.start("""
            load().suggest().__enter__()
            work()
        """)
        process.send_signal(signal.SIGTERM)
        self.check_end(process)
        self.check_given_back(1)

    @unittest.skipUnless(sys.platform == "linux", "only Linux tells of such handlers")
    def test_handlers_that_python_does_not_know_of_are_left_alone(self):
        process = self.start("""
            import faulthandler
            faulthandler.register(signal.SIGTERM)

            def objective(trial):
                say("at work")
                sys.stdin.readline()
                os.kill(os.getpid(), signal.SIGTERM)
                return 0.0

            load().optimize(objective, trials=1, progress=False)
            os.kill(os.getpid(), signal.SIGTERM)
        """)
        told = process.communicate("\n", timeout=PATIENCE)[1]
        self.assertEqual(process.returncode, 0, told)
        self.assertEqual(told.count("Current thread"), 2)
        self.assertEqual(self.states(), ["succeeded"])

    def test_trials_of_other_threads_are_given_back_too(self):
        process = self.start("""
            def train():
                with load().suggest():
                    work()

            with load().suggest():
                threading.Thread(target=train, daemon=True).start()
                work()
        """, 2)
        process.send_signal(signal.SIGTERM)
        self.check_end(process)
        self.check_given_back(2)

    def test_what_an_objective_makes_of_it_does_not_count(self):
        for answer in ("raise RuntimeError('broke')", "return float('nan')",
                       "raise slipstream.Infeasible"):
            with self.subTest(answer):
                process = self.start(f"""
                    def objective(trial):
                        try:
                            work()
                        except BaseException:
                            {answer}

                    load().optimize(objective, catch=Exception, progress=False)
                """)
                process.send_signal(signal.SIGTERM)
                self.check_end(process)
                self.check_given_back(1)
                self.setUp()

    def test_a_value_that_an_objective_returns_counts(self):
        process = self.start("""
            def objective(trial):
                try:
                    work()
                except SystemExit:
                    return 0.5

            load().optimize(objective, progress=False)
        """)
        process.send_signal(signal.SIGTERM)
        self.check_end(process)
        self.assertEqual([trial.value for trial in self.study.trials], [0.5])

    def test_others_get_the_trial_while_a_checkpoint_is_still_saved(self):
        process = self.start("""
            def objective(trial):
                try:
                    work()
                finally:
                    say("saving")
                    sys.stdin.readline()
                    print("saved")

            load().optimize(objective, progress=False)
        """)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.stdout.readline(), "saving\n")
        wait_until(lambda: self.states() == ["requested"], "the trial was given back")
        process.stdin.write("\n")
        process.stdin.flush()
        self.assertEqual(self.check_end(process)[0], "saved\n")
        self.check_given_back(1)

    def test_another_signal_ends_what_takes_long(self):
        process = self.start("""
            def objective(trial):
                try:
                    work()
                finally:
                    work()

            load().optimize(objective, progress=False)
        """)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.stdout.readline(), "at work\n")
        process.send_signal(signal.SIGTERM)  # As timeout(1) does: this is too early to count.
        wait_until(lambda: self.states() == ["requested"], "the trial was given back")
        self.assertIsNone(process.poll())

        def is_ended():
            process.send_signal(signal.SIGTERM)
            return process.poll() is not None

        wait_until(is_ended, "another signal has ended the process")
        self.check_end(process)

    def test_nobody_waits_long_for_a_server_that_is_away(self):
        server = ServerProcess()
        self.addCleanup(server.close)
        slipstream.create_or_load(
            self.study_id, {"x": real(0, 1)}, minimize="loss", address=server.address)
        for call in ("load().optimize(lambda trial: work(), progress=False)",
                     "load().optimize(lambda trial: work(), workers=2, progress=False)",
                     "with load().suggest(), load().suggest(): work()",
                     self.IN_ASYNCIO,
                     self.HELD_AFTER_ASYNCIO):
            with self.subTest(call):
                process = self.start(
                    f"os.environ['SLIPSTREAM_ADDRESS'] = {server.address!r}\n{call}",
                    2 if "workers" in call else 1)
                server.kill()
                start = time.monotonic()
                process.send_signal(signal.SIGTERM)
                told = self.check_end(process)[1]
                self.assertLess(time.monotonic() - start, 9)
                self.assertIn("(give back trials of", told)
                server.start()  # For the next program.

    def test_it_ends_the_wait_for_an_answer(self):
        server = ServerProcess()
        self.addCleanup(server.close)
        slipstream.create_or_load(
            self.study_id, {"x": real(0, 1)}, minimize="loss", address=server.address)
        process = self.start(f"""
            import grpc

            study = slipstream.load(study_id, address={server.address!r})
            disconnected = threading.Event()

            def notice(state):
                if state is not grpc.ChannelConnectivity.READY:
                    disconnected.set()

            def objective(trial):
                trial.complete(trial.x)
                say("at work")
                sys.stdin.readline()
                # Otherwise the call might go out on the connection, and nobody knows how far.
                study._transport._links.current().channel.subscribe(notice)
                disconnected.wait()
                return trial.x

            study.optimize(objective, progress=False)
        """)
        server.kill()
        process.stdin.write("\n")
        process.stdin.flush()
        self.assertRegex(process.stderr.readline(), "waiting for an answer")
        process.send_signal(signal.SIGTERM)
        self.assertNotIn("leased", self.check_end(process)[1])  # It has never heard of the call.


class Suggestions(TerminationTest):
    """The signal comes when the server has leased trials, and its answer is on the way."""

    def setUp(self):
        super().setUp()
        self.proxy = LossyProxy(self.server.address)
        self.addCleanup(self.proxy.close)

    def start_asking(self, script, count=1, at_work=0):
        """A program that has been leased so many trials and does not know it."""
        self.proxy.calls.clear()
        self.proxy.losses["Suggest"] = [*[None] * at_work, *["late"] * 9]
        process = self.start(
            f"os.environ['SLIPSTREAM_ADDRESS'] = {self.proxy.address!r}\n{textwrap.dedent(script)}",
            at_work)
        wait_until(lambda: self.states() == ["active"] * (count + at_work), "trials were leased")
        return process

    def check_asked_once(self, count):
        """Whether no call went on until its deadline."""
        self.assertEqual(len(self.proxy.calls["Suggest"]), count)

    def test_what_was_asked_for_is_given_back(self):
        for script, count in (
            ("load().optimize(lambda trial: trial.x, progress=False)", 1),
            ("load().optimize(lambda trial: trial.x, workers=3, progress=False)", 3),
            ("load().suggest()", 1),
            ("load().suggest(4)", 4),
            ("for number in range(9):\n    with load().suggest() as trial:\n        work()", 1),
            (Blocking.IN_ASYNCIO, 2),
            (Blocking.IN_ASYNCIO.replace("study.optimize(objective, workers=2, progress=False)",
                                         "study.suggest()"), 1),
        ):
            with self.subTest(script):
                process = self.start_asking(script, count)
                process.send_signal(signal.SIGTERM)
                told = self.check_end(process)[1]
                self.assertEqual(told, "ended by SIGTERM\n")
                self.check_asked_once(1 if "suggest(4)" in script else count)
                self.check_given_back(count)
                super().setUp()

    def test_what_another_thread_has_asked_for_is_given_back(self):
        process = self.start_asking("""
            with load().suggest():
                threading.Thread(target=load().suggest, daemon=True).start()
                work()
        """, at_work=1)
        process.send_signal(signal.SIGTERM)
        self.check_end(process)
        self.check_asked_once(2)
        self.check_given_back(2)

    def test_what_was_asked_for_is_given_back_after_ctrl_c(self):
        process = self.start_asking("""
            try:
                load().suggest()
            except KeyboardInterrupt:
                say("interrupted")
                sys.stdin.readline()
        """)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.stdout.readline(), "interrupted\n")
        self.check_asked_once(1)
        self.check_given_back(1)
        self.assertEqual(process.communicate("\n", timeout=PATIENCE), ("", ""))

    def test_a_call_whose_beginning_ctrl_c_interrupts_is_cancelled(self):
        main, cancelled = threading.get_ident(), threading.Event()
        method, call = unittest.mock.Mock(), unittest.mock.Mock()
        call.cancel.side_effect = cancelled.set
        call.result.side_effect = lambda: cancelled.wait(PATIENCE)

        def begin(request, **options):
            signal.pthread_kill(main, signal.SIGINT)
            return call

        method.future.side_effect = begin
        with self.assertRaises(KeyboardInterrupt):
            self.study._transport._await(method, None, 1.0, Cancellation())
        self.assertTrue(cancelled.is_set())

    def test_ctrl_c_cannot_leave_a_lock_of_grpc_locked(self):
        def noted(call):
            def run(*arguments, **options):
                threads.append(threading.current_thread())
                return call(*arguments, **options)
            return run

        threads = []
        link = self.study._transport._links.current()
        method = link.method("BestTrials")
        mock = unittest.mock.Mock(side_effect=noted(method), future=noted(method.future))
        with unittest.mock.patch.dict(link._methods, BestTrials=mock):
            self.assertIsNone(self.study.best)
        self.assertEqual(len(threads), 1)
        self.assertNotIn(threading.main_thread(), threads)

    def test_ctrl_c_does_not_become_an_error_of_pythons_locks(self):
        def interrupt(frame, event, argument):
            if frame.f_code.co_name == "_acquire_restore":  # Of threading.Condition.
                raise KeyboardInterrupt

        before = sys.gettrace()
        sys.settrace(interrupt)
        try:
            self.assertIsNone(self.study.best)
        finally:
            sys.settrace(before)

    def test_ctrl_c_cannot_leave_a_lock_locked_that_other_threads_need(self):
        def interrupt(frame, event, argument):
            if event == "return" and frame.f_code is threading.Condition.__enter__.__code__:
                raise KeyboardInterrupt  # When the lock is locked, and nobody will unlock it.
            return interrupt

        def evaluate():
            with self.study.suggest() as trial:
                trial.complete(0.5)

        before = sys.gettrace()
        sys.settrace(interrupt)
        try:
            evaluate()
            self.study.optimize(lambda trial: trial.x, trials=2, workers=2, progress=False)
        except KeyboardInterrupt:
            self.fail("it came where it leaves a lock locked")
        finally:
            sys.settrace(before)
        self.assertEqual(self.states(), ["succeeded"] * 3)

    def test_ctrl_c_is_not_lost_in_a_finalizer_of_grpc(self):
        class Noting(Cancellation):
            def use(self, cancel):
                super().use(cancel)
                if cancel is None:
                    letting_go.append(threading.current_thread())

        letting_go, call = [], unittest.mock.Mock()
        call.result.return_value = "response"
        method = unittest.mock.Mock(**{"future.return_value": call})
        self.assertEqual(self.study._transport._await(method, None, 1.0, Noting()), "response")
        # The main thread's is only for calls that were cut off.
        self.assertNotEqual(letting_go[0], threading.main_thread())

    def test_a_call_that_fails_keeps_nothing_of_the_program(self):
        class Large:
            pass

        def fail():
            large = Large()
            with self.assertRaises(slipstream.NotFound):
                slipstream.load("there-is-none")
            return weakref.ref(large)

        gc.disable()
        self.addCleanup(gc.enable)
        self.assertIsNone(fail()())

    def test_what_is_leased_just_after_ctrl_c_is_given_back(self):
        service = self.study._service
        suggest, list_held, looks = service.suggest, service.list_held, []

        def interrupted(*arguments):
            yield from suggest(*arguments)
            raise KeyboardInterrupt

        def look(*arguments):
            looks.append(arguments)
            held = yield from list_held(*arguments)
            return held if len(looks) > 1 else []

        with unittest.mock.patch.multiple(service, suggest=interrupted, list_held=look):
            with self.assertRaises(KeyboardInterrupt):
                self.study.suggest()
        self.check_given_back(1)

    def test_what_ctrl_c_keeps_from_the_program_is_given_back(self):
        end, ends = termination.end, []

        def end_interrupted(block):
            end(block)
            ends.append(block)
            if len(ends) == 1:
                raise KeyboardInterrupt

        for place, name, effect in (
            (study_base, "trial_of", KeyboardInterrupt),
            (self.study._transport.renewals, "add", KeyboardInterrupt),
            (termination, "end", end_interrupted),
        ):
            with self.subTest(name):
                with unittest.mock.patch.object(place, name, side_effect=effect):
                    with self.assertRaises(KeyboardInterrupt), self.study.suggest():
                        self.fail("it was interrupted")
                self.check_given_back(1)
                self.setUp()

    def test_what_ctrl_c_keeps_from_an_optimisation_is_given_back(self):
        for place, name in ((quotas.Quota, "start"), (slipstream.Trial, "__enter__")):
            with self.subTest(name):
                with unittest.mock.patch.object(place, name, side_effect=KeyboardInterrupt):
                    with self.assertRaises(KeyboardInterrupt):
                        self.study.optimize(lambda trial: trial.x, progress=False)
                self.check_given_back(1)
                self.setUp()

    def test_what_several_workers_have_asked_for_is_given_back_after_ctrl_c(self):
        process = self.start_asking("load().optimize(lambda trial: 1, workers=2, progress=False)", 2)
        process.send_signal(signal.SIGINT)
        self.assertRegex(process.stderr.readline(), "interrupted: waiting for suggestions under way")
        process.send_signal(signal.SIGINT)
        self.assertIn("KeyboardInterrupt", process.communicate(timeout=PATIENCE)[1])
        self.check_asked_once(2)
        self.check_given_back(2)

    def start_refused(self, script, calls, earlier=()):
        """A program whose suggestions are refused for longer than any test takes, like all that
        would tell it whether trials were leased. It waits after so many calls."""
        self.proxy.busy_seconds = 200
        self.proxy.losses["Suggest"] = [*earlier, *["busy"] * 99]
        self.proxy.losses["ListTrials"] = [] if earlier else ["busy"] * 99
        begin = """
            from slipstream._calls import caller

            def pause(seconds, Pause=caller.Pause):
                say("at work")
                return Pause(seconds)

            caller.Pause = pause
        """
        script = f"{textwrap.dedent(begin)}\n{textwrap.dedent(script)}"
        return self.start(
            f"os.environ['SLIPSTREAM_ADDRESS'] = {self.proxy.address!r}\n{script}", calls)

    def test_nobody_waits_after_ctrl_c_until_a_call_that_was_refused_may_be_repeated(self):
        process = self.start_refused("load().optimize(lambda trial: 1, workers=2, progress=False)", 2)
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=PATIENCE)[1]
        self.assertRegex(told, "(?s)interrupted: waiting for suggestions under way.*KeyboardInterrupt")
        self.assertNotIn("stay leased", told)
        self.assertEqual(self.states(), [])

    def test_what_a_server_refuses_is_not_said_to_be_leased(self):
        for script, calls in (
            ("load().optimize(lambda trial: 1, progress=False)", 1),
            ("load().optimize(lambda trial: 1, workers=2, progress=False)", 2),
            ("load().suggest()", 1),
            (Blocking.IN_ASYNCIO, 2),
        ):
            with self.subTest(script):
                process = self.start_refused(script, calls)
                process.send_signal(signal.SIGTERM)
                self.assertNotIn("leased", self.check_end(process)[1])

    def test_what_was_leased_before_the_server_refused_is_given_back(self):
        for script in ("load().optimize(lambda trial: 1, progress=False)",
                       Blocking.IN_ASYNCIO.replace("workers=2", "workers=1")):
            for number in (signal.SIGTERM, signal.SIGINT):
                with self.subTest(script, number=number):
                    process = self.start_refused(script, 2, ["answer"])
                    process.send_signal(number)
                    process.communicate(timeout=PATIENCE)
                    self.check_given_back(1)
                    super().setUp()

    def test_a_call_that_is_refused_as_the_signal_comes_is_not_repeated(self):
        process = self.start("""
            from slipstream._calls.blocking import BlockingTransport
            from slipstream._calls.plan import Failure, Reply
            from slipstream._operations.termination import termination

            attempt = BlockingTransport._attempt

            def refuse(transport, step):
                if step.method != "Suggest":
                    return attempt(transport, step)
                step.cancellation.call_under_way = True
                say("at work")
                while not step.cancellation._requested:
                    pass
                step.cancellation.call_under_way = False
                return Reply(failure=Failure("UNAVAILABLE", "why"))

            BlockingTransport._attempt = refuse
            retry = slipstream.Retry(initial_backoff=200, max_backoff=200)
            slipstream._calls.caller.random.random = lambda: 1
            load(options=slipstream.Options(retry=retry)).optimize(lambda trial: 1, progress=False)
        """)
        process.send_signal(signal.SIGTERM)
        self.check_end(process)

    ASK_AS_GPU = """
        study = slipstream.load(study_id, worker="gpu")
        try:
            study.suggest()
        except KeyboardInterrupt:
            say(study._lanes.left)
    """

    def test_what_was_held_before_under_the_same_id_is_neither_given_back_nor_counted(self):
        trial = slipstream.load(self.study_id, worker="gpu").suggest()
        lease_ends = self.study.trial(1).lease_ends
        process = self.start_asking(self.ASK_AS_GPU)
        wait_until(lambda: self.study.trial(1).lease_ends > lease_ends, "the trial was leased again")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=PATIENCE)[0], "1\n")
        self.assertEqual(self.states(), ["active"])
        trial.complete(0.5)

    def test_what_was_leased_to_another_process_meanwhile_is_not_given_back(self):
        process = self.start_asking(self.ASK_AS_GPU)
        with self.assertWarnsRegex(UserWarning, f"process {process.pid} holds trials under"):
            trial = slipstream.load(self.study_id, worker="gpu").suggest()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=PATIENCE)[0], "0\n")
        self.assertEqual((trial.number, self.states()), (1, ["active"]))
        trial.complete(0.5)

    def test_what_a_task_that_is_cancelled_has_asked_for_is_given_back(self):
        self.proxy.losses["Suggest"] = ["late"]

        async def work():
            async with await slipstream.aio.load(self.study_id, address=self.proxy.address) as study:
                asking = asyncio.ensure_future(study.suggest())
                await wait_until_async(self.leased, "a trial was leased")
                asking.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await asking
                self.check_given_back(1)

        asyncio.run(work())

    async def leased(self):
        return self.states() == ["active"]

    def test_nobody_waits_for_a_server_that_is_away(self):
        process = self.start_asking("load().optimize(lambda trial: trial.x, workers=2, progress=False)", 2)
        self.proxy.losses["ListTrials"] = ["late"] * 9
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        self.assertIn("trials that were just suggested may stay leased", self.check_end(process)[1])
        self.assertLess(time.monotonic() - start, 9)

    def test_a_connection_that_breaks_under_a_call_may_have_had_trials_leased(self):
        forwarder = Forwarder(self.proxy.address)
        self.addCleanup(forwarder.close)
        self.proxy.losses["Suggest"] = ["late"]
        process = self.start(f"""
            os.environ['SLIPSTREAM_ADDRESS'] = {forwarder.address!r}
            load().suggest()
        """, 0)
        wait_until(lambda: self.states() == ["active"], "a trial was leased")
        forwarder.close()  # Later attempts find no connection.
        self.assertRegex(process.stderr.readline(), "waiting for an answer")
        process.send_signal(signal.SIGTERM)
        self.assertIn("trials that were just suggested may stay leased", self.check_end(process)[1])

    def test_a_server_that_is_away_is_told_of_one_trial_only_after_ctrl_c(self):
        process = self.start_asking(
            "load().optimize(lambda trial: work(), workers=4, progress=False)", 0, at_work=4)
        self.proxy.losses["ReleaseTrials"] = ["late"] * 99
        process.send_signal(signal.SIGINT)
        self.assertRegex(process.stderr.readline(), "interrupted: waiting for the 4 training runs")
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=PATIENCE)[1]
        self.assertEqual(told.count("could not be given back"), 1, told)
        released = [messages.new("ReleaseTrialsRequest").FromString(request)
                    for request in self.proxy.calls["ReleaseTrials"]]
        self.assertEqual(len({request.request_id for request in released}), 1)


class Exits(TerminationTest):
    """Of programs that no signal ends."""

    def check_exit(self, script, count=1):
        told = self.start(script, 0).communicate(timeout=PATIENCE)
        self.assertEqual(told, ("", ""))
        self.check_given_back(count)

    def test_a_trial_that_is_held_without_a_block_s_end_is_given_back(self):
        self.check_exit("load().suggest().__enter__()")

    def test_trials_of_threads_that_nobody_waits_for_are_given_back(self):
        self.check_exit("""
            holding = threading.Semaphore(0)

            def objective(trial):
                holding.release()
                threading.Event().wait()

            threading.Thread(target=load().optimize, args=(objective,), daemon=True,
                             kwargs={"workers": 2, "progress": False}).start()
            for _ in range(2):
                holding.acquire()
        """, 2)

    def test_a_signal_that_comes_meanwhile_ends_the_process_after_that(self):
        process = self.start("""
            from slipstream._operations.termination import termination

            give_back = termination._give_back

            def give_back_meanwhile(block):
                termination._give_back = give_back
                os.kill(os.getpid(), signal.SIGTERM)
                give_back(block)

            termination._give_back = give_back_meanwhile
            load().suggest().__enter__()
        """, 0)
        self.assertEqual(self.check_end(process)[1], "ended by SIGTERM\n")
        self.check_given_back(1)

    def test_nobody_is_told_of_workers_that_end_then(self):
        def warnings_of(*failures):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                Mishaps().note_others(failures, None)
            return [str(one.message) for one in told]

        ends = warnings_of(SystemExit(0))
        self.assertEqual(ends, ["another worker has failed too: SystemExit: 0"])
        with unittest.mock.patch.object(termination, "_is_exiting", True):
            self.assertEqual(warnings_of(SystemExit(0), ValueError("broke")),
                             ["another worker has failed too: ValueError: broke"])

    def test_blocks_add_nothing_to_what_is_done_then(self):
        with unittest.mock.patch("atexit.register") as register:
            with self.study.suggest() as trial:
                trial.complete(0.5)
        register.assert_not_called()

    def test_no_trials_are_leased_after_that(self):
        async def ask():
            async with await slipstream.aio.load(self.study_id) as study:
                await study.suggest()

        with unittest.mock.patch.object(termination, "_is_exiting", True):
            with self.assertRaises(SystemExit):
                self.study.suggest()
            with self.assertRaises(SystemExit):
                self.study.optimize(lambda trial: trial.x, progress=False)
            with self.assertRaises(asyncio.CancelledError):
                asyncio.run(ask())
        self.assertEqual(self.states(), [])

    def test_a_local_server_ends_after_that(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/studies.db"
            process = self.start(f"""
                server = slipstream.local({path!r})
                study = slipstream.create_or_load(
                    study_id, {{"x": slipstream.real(0, 1)}}, minimize="loss")
                study.suggest().__enter__()
            """, 0)
            self.assertEqual(process.communicate(timeout=PATIENCE), ("", ""))
            with slipstream.local(path):
                self.study = slipstream.load(self.study_id)
                self.check_given_back(1)


class Terminals(TerminationTest):
    OBJECTIVE = """
        def objective(trial):
            if trial.number == 1:
                return 0.5
            try:
                work()
            finally:
                FINALLY

        load().optimize(objective, workers=WORKERS)
    """

    def show(self, workers, ending, at_end):
        """What a terminal has got when a signal has ended the program."""
        terminal, stderr = os.openpty()
        script = self.OBJECTIVE.replace("WORKERS", str(workers)).replace("FINALLY", ending)
        process = self.start(script, 1, stderr)
        os.close(stderr)
        with open(terminal, "rb", buffering=0) as screen:
            shown = screen.read(4096)
            process.send_signal(signal.SIGTERM)
            at_end(process)
            self.assertEqual(process.wait(PATIENCE), -signal.SIGTERM)
            try:
                while True:
                    shown += screen.read(4096)
            except OSError:  # The other side is closed.
                return shown.decode()

    def test_a_signal_leaves_the_cursor_on_a_new_line(self):
        for workers in (1, 2):
            shown = self.show(workers, "pass", lambda process: None)
            self.assertRegex(shown, r"loss=0\.5|best 0\.5")
            self.assertRegex(shown, r"best 0.5 [^\n]*\r\nended by SIGTERM\r\n$")
            self.setUp()

    def test_so_does_one_that_ends_what_takes_long(self):
        def end(process):
            def is_ended():
                process.send_signal(signal.SIGTERM)
                return process.poll() is not None

            wait_until(is_ended, "another signal has ended the process")

        self.assertRegex(self.show(1, "work()", end), r"best 0.5 [^\n]*\r\n$")


class Handlers(TerminationTest):
    def test_they_stand_while_trials_are_held(self):
        def is_default():
            return [signal.getsignal(number) == signal.SIG_DFL
                    for number in (signal.SIGTERM, signal.SIGHUP)]

        def objective(trial):
            held.append(is_default())
            return trial.x

        held = []
        self.study.optimize(objective, trials=1, progress=False)
        self.study.optimize(objective, trials=1, workers=2, progress=False)
        with self.study.suggest() as outer:
            with self.study.suggest() as inner:
                inner.complete(1)
            held.append(is_default())
            outer.complete(1)
        with self.assertRaisesRegex(ValueError, "broke"), self.study.suggest():
            raise ValueError("broke")
        self.assertEqual((held, is_default()), ([[False, False]] * 3, [True, True]))
        thread = threading.Thread(target=self.study.optimize, args=(objective, 1),
                                  kwargs={"progress": False})
        thread.start()
        thread.join()
        self.assertEqual(held[3], [True, True])

    def test_those_of_the_program_are_left_alone(self):
        process = self.start("""
            def handle(number, frame):
                say("heard")

            def objective(trial):
                say("at work")
                return float(sys.stdin.readline())

            signal.signal(signal.SIGTERM, handle)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            load().optimize(objective, trials=1, progress=False)
            say(signal.getsignal(signal.SIGTERM) is handle)
            say(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)
        """)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.stdout.readline(), "heard\n")
        said, told = process.communicate("0.5\n", timeout=PATIENCE)
        self.assertEqual((process.returncode, said, told), (0, "True\nTrue\n", ""))
        self.assertEqual(self.states(), ["succeeded"])

    def test_one_that_an_objective_sets_stays_and_may_call_ours(self):
        process = self.start("""
            def objective(trial):
                ours = signal.getsignal(signal.SIGTERM)
                def handle(number, frame):
                    say("heard")
                    ours(number, frame)
                signal.signal(signal.SIGTERM, handle)
                if trial.number == 1:
                    return trial.x
                work()

            load().optimize(objective, trials=1, progress=False)
            say(signal.getsignal(signal.SIGTERM) != signal.SIG_DFL)
            load().optimize(objective, trials=1, progress=False)
        """, 0)
        self.assertEqual(process.stdout.readline(), "True\n")
        self.assertEqual(process.stdout.readline(), "at work\n")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.check_end(process)[0], "heard\nheard\n")
        self.assertEqual(self.states(), ["succeeded", "requested"])

    def test_they_do_not_stand_after_ctrl_c_at_the_beginning_of_a_block(self):
        def interrupt(number, handler):
            signal.signal(number, handler)
            if handler == termination._handle:
                raise KeyboardInterrupt

        trial = self.study.suggest()
        with unittest.mock.patch("slipstream._operations.termination._set", interrupt):
            with self.assertRaises(KeyboardInterrupt), trial:
                pass
        self.assertEqual(termination._blocks, [])
        self.assertEqual(signal.getsignal(signal.SIGTERM), signal.SIG_DFL)

    def test_those_that_stand_by_give_back_what_other_threads_hold(self):
        for holding in (0, 2):
            process = self.start(f"""
                from slipstream._operations.termination import termination

                def train():
                    with load().suggest():
                        say("at work")
                        threading.Event().wait()

                termination.stand_by()
                for _ in range({holding}):
                    threading.Thread(target=train, daemon=True).start()
                if not {holding}:
                    say("at work")
                threading.Event().wait()
            """, max(holding, 1))
            process.send_signal(signal.SIGTERM)
            told = self.check_end(process)[1]
            self.assertEqual(told, "ended by SIGTERM\n" if holding else "")
            self.assertEqual(self.states(), ["requested"] * holding)

    def test_forks_end_at_once_and_give_nothing_back(self):
        process = self.start("""
            def objective(trial):
                child = multiprocessing.get_context("fork").Process(target=signal.pause)
                child.start()
                child.terminate()
                child.join()
                say(child.exitcode)
                child = os.fork()
                if child == 0:
                    os._exit(signal.getsignal(signal.SIGTERM) != signal.SIG_DFL)
                say(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
                say("at work")
                return float(sys.stdin.readline())

            load().optimize(objective, trials=1, progress=False)
        """, 0)
        self.assertEqual([process.stdout.readline() for _ in range(3)],
                         [f"{-signal.SIGTERM}\n", "0\n", "at work\n"])
        self.assertEqual(self.states(), ["active"])
        process.communicate("0.5\n", timeout=PATIENCE)
        self.assertEqual(self.states(), ["succeeded"])

    def test_one_that_comes_during_a_fork_ends_the_process_after_it(self):
        for moment in ("before", "after_in_parent"):
            with self.subTest(moment):
                process = self.start(f"""
                    from slipstream._calls.fork_hooks import at_fork

                    def objective(trial):
                        at_fork({moment}=lambda: os.kill(os.getpid(), signal.SIGTERM))
                        child = os.fork()
                        if child == 0:
                            os._exit(0)
                        os.waitpid(child, 0)
                        work()

                    load().optimize(objective, progress=False)
                """, 0)
                # Python 3.12 and later also warn of forks of processes with threads.
                self.assertRegex(self.check_end(process)[1], r"(?m)^ended by SIGTERM\n\Z")
                self.check_given_back(1)
                self.setUp()

    def test_the_first_process_of_a_container_ends_too(self):
        process = self.start("""
            os.kill = lambda process, number: None  # As the system does for it.
            load().optimize(lambda trial: work(), progress=False)
        """)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.check_given_back(1)


class Asyncio(TerminationTest):
    OPTIMIZE = """
        async def objective(trial):
            try:
                say("at work")
                await asyncio.Event().wait()
            finally:
                await trial.annotate(note="checkpoint")
                print("saved")

        async def main():
            async with await slipstream.aio.load(study_id) as study:
                await study.optimize(objective, workers=WORKERS, progress=False)

        asyncio.run(main())
    """

    def test_tasks_save_what_they_have_and_give_their_trials_back(self):
        for count in (1, 4):
            with self.subTest(count):
                process = self.start(self.OPTIMIZE.replace("WORKERS", str(count)), count)
                process.send_signal(signal.SIGTERM)
                said, told = self.check_end(process)
                self.assertEqual((said, told), ("saved\n" * count, "ended by SIGTERM\n"))
                self.assertEqual({one.note for one in self.study.trials}, {"checkpoint"})
                self.check_given_back(count)
                self.setUp()

    def test_a_block_gives_its_trial_back(self):
        process = self.start("""
            async def main():
                async with await slipstream.aio.load(study_id) as study:
                    async with await study.suggest():
                        say("at work")
                        await asyncio.Event().wait()

            asyncio.run(main())
        """)
        process.send_signal(signal.SIGTERM)
        self.check_end(process)
        self.check_given_back(1)

    def test_a_trial_whose_task_has_ended_is_given_back_too(self):
        process = self.start("""
            async def hold():
                trial = await (await slipstream.aio.load(study_id)).suggest()
                return await trial.__aenter__()

            held = asyncio.run(hold())
            try:
                work()
            except Exception:
                work()
        """)
        process.send_signal(signal.SIGTERM)
        self.check_end(process)
        self.check_given_back(1)

    def test_a_trial_whose_loop_does_not_run_any_more_is_given_back_too(self):
        for end in ("loop.close()", ""):
            with self.subTest(end):
                process = self.start(f"""
                    async def hold(held):
                        async with await slipstream.aio.load(study_id) as study:
                            async with await study.suggest():
                                held.set_result(None)
                                await asyncio.Event().wait()

                    loop = asyncio.new_event_loop()
                    held = loop.create_future()
                    task = loop.create_task(hold(held))
                    loop.run_until_complete(held)
                    {end}
                    try:
                        work()
                    except Exception:
                        work()
                """)
                process.send_signal(signal.SIGTERM)
                self.check_end(process)
                self.check_given_back(1)
                self.setUp()

    def test_a_trial_is_given_back_while_the_loop_is_busy(self):
        process = self.start("""
            async def objective(trial):
                say("at work")
                sys.stdin.readline()
                await asyncio.Event().wait()
                say("not cancelled")

            async def main():
                async with await slipstream.aio.load(study_id) as study:
                    await study.optimize(objective, progress=False)

            asyncio.run(main())
        """)
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: self.states() == ["requested"], "the trial was given back")
        process.stdin.write("\n")
        process.stdin.flush()
        self.assertEqual(self.check_end(process)[0], "")
        self.check_given_back(1)

    def test_an_outcome_on_the_way_is_sent_while_the_loop_is_busy(self):
        process = self.start("""
            def keep_busy():
                say("at work")
                sys.stdin.readline()

            async def main():
                async with await slipstream.aio.load(study_id) as study:
                    async with await study.suggest() as trial:
                        sending = asyncio.ensure_future(trial.complete(0.5))
                        asyncio.get_running_loop().call_soon(keep_busy)
                        await sending

            asyncio.run(main())
        """)
        self.assertEqual(self.states(), ["active"])
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: self.states() != ["active"], "the outcome was sent")
        self.assertEqual(self.states(), ["succeeded"])
        process.stdin.write("\n")
        process.stdin.flush()
        self.check_end(process)
        self.assertEqual(self.study.best.value, 0.5)


if __name__ == "__main__":
    unittest.main()
