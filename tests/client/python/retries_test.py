"""No result is lost or made twice, whatever becomes of the server and its answers."""

import asyncio
import collections
import contextlib
import math
import socket
import threading
import time
import unittest
import unittest.mock
import warnings

import grpc
from servers import Forwarder, LossyProxy, ServerProcess, ServerTest, begin_another_life
from waiting import wait_until

import slipstream
import slipstream.aio
from slipstream import Deadlines, Options, Retry, real
from slipstream._wire import messages

SPACE = {"x": real(0, 1)}
QUICK = Options(retry=Retry(initial_backoff=0.001, max_backoff=0.01))


def request_ids(name, requests):
    kind = type(messages.new(name))
    return [kind.FromString(request).request_id for request in requests]


def answer_all(listener, words):
    """Says the words on each connection, until the listener is closed."""
    held = []
    try:
        while True:
            held.append(listener.accept()[0])
            held[-1].sendall(words)
    except OSError:
        for connection in held:
            connection.close()


class Settings(unittest.TestCase):
    def test_what_are_no_options_is_refused(self):
        for mistake, words in (
            (lambda: slipstream.load("digits", options=3), "options=3 must be slipstream.Options"),
            (lambda: asyncio.run(slipstream.aio.load("digits", options=3)), "options=3 must be"),
            (lambda: Options(call=3), r"Options\(call=3\) must be slipstream.Deadlines"),
            (lambda: Options(retry=3), r"Options\(retry=3\) must be slipstream.Retry"),
        ):
            with self.assertRaisesRegex(TypeError, words):
                mistake()


class LostAnswers(ServerTest):
    def setUp(self):
        super().setUp()
        self.proxy = LossyProxy(self.server.address)
        self.addCleanup(self.proxy.close)

    def open(self, options=QUICK, **more):
        return slipstream.create_or_load(
            self.study_id, SPACE, minimize="loss", address=self.proxy.address, options=options,
            **more)

    def test_a_study_is_created_once(self):
        self.proxy.losses["CreateStudy"] = ["answer", "answer"]
        study = self.open()
        self.assertEqual(study.description.trial_count, 0)
        ids = request_ids("CreateStudyRequest", self.proxy.calls["CreateStudy"])
        self.assertEqual((len(ids), len(set(ids))), (3, 1))

    def test_each_change_of_a_trial_is_made_once(self):
        study = self.open()
        self.proxy.losses = {"Suggest": ["answer", "call", "answer"], "Observe": ["answer"],
                             "AddTrials": ["answer", "answer"], "Report": ["answer"]}
        with study.suggest() as trial:
            trial.report(1, 0.5)
            trial.complete(0.25)
        study.record({"x": 0.5}, 0.75)
        self.assertEqual([(one.number, one.state, one.value) for one in study.trials],
                         [(1, "succeeded", 0.25), (2, "succeeded", 0.75)])
        for method, attempts in (("Suggest", 4), ("Observe", 2), ("AddTrials", 3)):
            ids = request_ids(f"{method}Request", self.proxy.calls[method])
            self.assertEqual((method, len(ids), len(set(ids))), (method, attempts, 1))

    def test_an_outcome_is_recorded_once_for_each_way_to_end(self):
        study = self.open(stopping="median")
        for end, state in ((lambda trial: trial.fail("broke"), "failed"),
                           (lambda trial: trial.infeasible("too large"), "infeasible"),
                           (lambda trial: trial.stop("hopeless", 3), "stopped"),
                           (lambda trial: trial.release(), "requested")):
            self.proxy.losses = {"Observe": ["answer"], "ReleaseTrials": ["answer"]}
            trial = study.suggest()
            end(trial)
            self.assertEqual(study.trials[trial.number - 1].state, state)

    def test_a_source_task_is_registered_once(self):
        self.proxy.losses["RegisterSourceTask"] = ["answer", "call"]
        rows = [{"x": index / 3000, "loss": index} for index in range(3000)]
        task = slipstream.register_source(rows, SPACE, minimize="loss",
                                          address=self.proxy.address, options=QUICK)
        self.assertEqual(task.observation_count, 3000)
        calls = self.proxy.calls["RegisterSourceTask"]
        self.assertEqual([len(call) for call in calls], [4, 4, 4])
        kind = type(messages.new("RegisterSourceTaskRequest"))
        ids = {kind.FromString(call[0]).header.request_id for call in calls}
        self.assertEqual(len(ids), 1)

    def test_every_code_that_is_worth_it_is_repeated(self):
        study = self.open()
        for code in ("UNAVAILABLE", "ABORTED", "DEADLINE_EXCEEDED", "CANCELLED"):
            self.proxy.code = grpc.StatusCode[code]
            self.proxy.losses["Observe"] = ["answer", "answer"]
            trial = study.suggest()
            trial.complete(0.5)
            self.assertEqual(self.proxy.losses["Observe"], [], code)
            self.assertEqual(study.trials[trial.number - 1].value, 0.5)

    def test_no_other_code_is_repeated(self):
        study = self.open()
        for code in ("UNKNOWN", "INTERNAL", "PERMISSION_DENIED", "UNIMPLEMENTED", "DATA_LOSS",
                     "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "INVALID_ARGUMENT"):
            self.proxy.code = grpc.StatusCode[code]
            self.proxy.losses["Observe"] = ["call"]
            self.proxy.calls["Observe"] = []
            trial = study.suggest()
            with self.assertRaises(slipstream.SlipstreamError) as raised:
                trial.complete(0.5)
            self.assertEqual(len(self.proxy.calls["Observe"]), 1, code)
            self.assertIn(f"cannot record the outcome of {trial.name}", str(raised.exception))
            trial.complete(0.5)

    def test_deadlines_may_be_infinite(self):
        endless = Deadlines(math.inf, math.inf)
        options = Options(call=endless, suggest=endless, outcome=endless, retry=Retry(max_attempts=1))
        study = slipstream.create_or_load(self.study_id, SPACE, minimize="loss", options=options)
        with study.suggest() as trial:
            trial.complete(0.5)
        self.assertEqual(study.best.value, 0.5)

    def test_an_attempt_that_hangs_is_repeated_on_another_connection(self):
        study = self.open(Options(outcome=Deadlines(2, 30), retry=QUICK.retry))
        self.proxy.losses["Observe"] = ["late"]
        trial = study.suggest()
        trial.complete(0.5)
        ids = request_ids("ObserveRequest", self.proxy.calls["Observe"])
        self.assertEqual((len(ids), len(set(ids))), (2, 1))
        self.assertEqual(study.trials[0].value, 0.5)

    def test_a_connection_that_is_silent_is_given_up(self):
        forwarder = Forwarder(self.server.address)
        self.addCleanup(forwarder.close)
        study = slipstream.create_or_load(
            self.study_id, SPACE, minimize="loss", address=forwarder.address,
            options=Options(outcome=Deadlines(1, 30), suggest=Deadlines(1, 30)))
        trial = study.suggest()
        forwarder.freeze()
        trial.complete(0.5)
        forwarder.freeze()
        self.assertEqual(study.suggest().number, 2)
        self.assertEqual(study.trials[0].value, 0.5)

    def test_another_service_is_told_at_once(self):
        for words in (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n"):
            listener = socket.create_server(("127.0.0.1", 0))
            self.addCleanup(listener.close)
            threading.Thread(target=answer_all, args=(listener, words), daemon=True).start()
            address = f"127.0.0.1:{listener.getsockname()[1]}"
            begin = time.monotonic()
            with self.assertRaisesRegex(slipstream.NoAnswer, f"on {address}: what listens there "
                                        "does not speak gRPC, so it is another service"):
                slipstream.load("digits", address=address)
            self.assertLess(time.monotonic() - begin, 10)

    def test_time_runs_out_with_an_error_that_says_what_to_do(self):
        study = self.open(Options(outcome=Deadlines(2, 3), retry=QUICK.retry))
        trial = study.suggest()
        self.proxy.losses["Observe"] = ["call"] * 100000
        with self.assertRaises(slipstream.NoAnswer) as raised:
            trial.complete(0.5)
        self.assertRegex(str(raised.exception),
                         rf"no answer from {self.proxy.address}: it has answered before; is "
                         r"slipstream_server still running there\? .*\d+ attempts in \d+\.\d s.*lost "
                         r"before the server had it")
        self.assertGreater(len(self.proxy.calls["Observe"]), 3)
        self.proxy.losses["Observe"] = []
        trial.complete(0.5)  # The trial is still open, and can be ended now.
        self.assertTrue(trial.ended)


    def test_a_training_goes_on_without_advice(self):
        study = self.open(Options(retry=Retry(0.001, 0.01, max_attempts=2)), stopping="median")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with study.suggest() as trial, attempts_of(study) as waited:
                trial.report(1, 0.75)
                for code in ("UNAVAILABLE", "CANCELLED"):
                    self.proxy.code = grpc.StatusCode[code]
                    self.proxy.losses = {"Report": ["call"] * 4, "ShouldStop": ["call"] * 4}
                    for step in (2, 3):
                        trial.report(step, step)
                        self.assertFalse(trial.should_stop())
                    trial.report(4, 0.5)
                    self.assertFalse(trial.should_stop())
                trial.complete(0.5)
        self.assertEqual(study.reports(study.trials[0]), {1: 0.75, 2: 2, 3: 3, 4: 0.5})
        # The first call waits as usual, and the next ones only briefly until one is answered.
        self.assertEqual(waited["Report"], [10, *[10, 10, 1, 1, 1] * 2])
        self.assertEqual(waited["ShouldStop"], [*[1] * 4, 10] * 2)
        (told,) = caught
        self.assertEqual(told.filename, __file__)
        self.assertRegex(str(told.message), "the training goes on without advice: .* should_stop.. is "
                         "False, and the latest 500 reports are kept, .*; no answer from")

    def test_a_training_goes_on_while_the_server_is_busy(self):
        study = self.open(Options(retry=Retry(0.001, 0.01, max_attempts=2)), stopping="median")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with study.suggest() as trial, attempts_of(study) as waited:
                self.proxy.losses = {"Report": ["busy"] * 4, "ShouldStop": ["busy"] * 4}
                for step in (1, 2):
                    trial.report(step, step)
                    self.assertFalse(trial.should_stop())
                trial.report(3, 0.5)
                trial.complete(0.5)
        self.assertEqual(study.reports(1), {1: 1, 2: 2, 3: 0.5})
        self.assertEqual(waited["Report"], [10, 10, 1, 1, 1])
        (told,) = caught
        self.assertRegex(str(told.message), "the training goes on without advice: .*the server is busy")

    def test_a_trial_whose_outcome_a_busy_server_refused_has_not_failed(self):
        study = self.open(Options(retry=Retry(0.001, 0.01, max_attempts=2)))
        self.proxy.losses["Observe"] = ["busy"] * 2
        with self.assertRaisesRegex(slipstream.Overloaded, "this records the outcome: slipstream "):
            study.optimize(lambda trial: trial.x, trials=1, progress=False)
        self.assertEqual(study.trial(1).state, "active")

    def test_another_outcome_is_refused_also_where_it_cannot_be_read(self):
        study = self.open()
        trial, other = study.suggest(2)
        trial.complete(0.5)
        study.tell(other.number, 0.25)
        self.proxy.code = grpc.StatusCode.PERMISSION_DENIED
        for one, kind in ((trial, slipstream.FailedPrecondition), (other, slipstream.TrialEnded)):
            self.proxy.losses["GetTrial"] = ["call"]
            with self.assertRaisesRegex(slipstream.FailedPrecondition, "SUCCEEDED with") as raised:
                one.complete(0.75)
            self.assertIs(type(raised.exception), kind)
            self.assertTrue(one.ended)

    def test_a_report_that_is_refused_is_not_sent_again(self):
        study = self.open()
        with study.suggest() as trial:
            self.proxy.code = grpc.StatusCode.PERMISSION_DENIED
            self.proxy.losses["Report"] = ["call"]
            with self.assertRaises(slipstream.PermissionDenied):
                trial.report(1, 0.5)
            trial.report(2, 0.25)
            trial.complete(0.25)
        self.assertEqual(study.reports(1), {2: 0.25})

    def test_a_training_goes_on_while_its_token_is_refused(self):
        study = self.open(stopping="median")
        with study.suggest() as trial:
            self.proxy.code = grpc.StatusCode.UNAUTHENTICATED
            self.proxy.losses = {"Report": ["call"], "ShouldStop": ["call"]}
            with self.assertWarnsRegex(UserWarning, "the training goes on without advice"):
                trial.report(1, 0.5)
            self.assertFalse(trial.should_stop())
            trial.report(2, 0.25)
            trial.complete(0.25)
        self.assertEqual(study.reports(1), {1: 0.5, 2: 0.25})

    def test_the_latest_reports_are_kept_and_sent_before_the_outcome(self):
        study = self.open(Options(call=Deadlines(0.5, 1), retry=QUICK.retry))
        trial, other = study.suggest(2)
        for one in (trial, other):
            self.proxy.losses["Report"] = ["call"] * 100000
            with self.assertWarnsRegex(UserWarning, "reports are kept"):
                one._transport.run(one._report_all({step: step / 8 for step in range(600)}))
            if one is trial:
                self.proxy.losses["Report"] = []
            one.stop()
        self.assertEqual(study.reports(study.trials[0]),
                         {step: step / 8 for step in range(100, 600)})
        self.assertEqual([(one.value, one.report_count) for one in study.trials],
                         [(599 / 8, 500), (599 / 8, 0)])


@contextlib.contextmanager
def attempts_of(study):
    """The deadlines of each method's attempts, one after the other."""
    waited = collections.defaultdict(list)
    attempt = study._transport._attempt

    def note(step):
        waited[step.method].append(step.seconds)
        return attempt(step)

    with unittest.mock.patch.object(study._transport, "_attempt", note):
        yield waited


class NoServer(unittest.TestCase):
    def listen(self):
        """A socket that takes connections and says nothing, and its address."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        return listener, f"127.0.0.1:{listener.getsockname()[1]}"

    def open(self, address, **options):
        with self.assertRaises(slipstream.NoAnswer) as raised:
            slipstream.create_or_load("none", SPACE, minimize="loss", address=address,
                                      options=Options(**options))
        return str(raised.exception)

    def test_a_server_that_was_never_started_here_is_told_of_and_soon_given_up(self):
        listener, address = self.listen()
        listener.close()
        started = time.monotonic()
        with self.assertLogs("slipstream") as logged:
            said = self.open(address, retry=Retry(max_backoff=0.5, refused=2.5))
        self.assertLess(time.monotonic() - started, 20)
        self.assertIn(f"`slipstream serve --listen {address}` starts it", said)
        (notice,) = [record.getMessage() for record in logged.records]
        self.assertIn(f"waiting for an answer from {address}: is slipstream_server", notice)

    def test_one_that_takes_connections_and_does_not_answer_is_told_of(self):
        _, address = self.listen()
        with self.assertLogs("slipstream") as logged:
            said = self.open(address, call=Deadlines(3, 3))
        self.assertIn(f"no answer from {address}", said)
        self.assertEqual(len(logged.records), 1)


class RestartedServer(unittest.TestCase):
    def setUp(self):
        self.server = ServerProcess()
        self.addCleanup(self.server.close)

    def test_an_optimisation_outlives_servers_that_are_killed(self):
        study = slipstream.create_or_load("restarts", SPACE, minimize="loss",
                                          address=self.server.address)
        told, lock = [], threading.Lock()
        crashes = threading.Semaphore(0)

        def objective(trial):
            with lock:
                told.append((trial.number, trial.x))
                if len(told) % 20 == 0:
                    crashes.release()
            return trial.x

        result = []
        loop = threading.Thread(target=lambda: result.append(
            study.optimize(objective, trials=100, workers=4, progress=False)))
        loop.start()
        for _ in range(4):
            self.assertTrue(crashes.acquire(timeout=60))
            self.server.kill()
            self.server.start()
        loop.join(120)
        self.assertFalse(loop.is_alive())
        trials = study.trials
        self.assertEqual([trial.state for trial in trials], ["succeeded"] * 100)
        self.assertEqual(sorted(told), [(trial.number, trial["x"]) for trial in trials])
        self.assertEqual([trial.value for trial in trials], [trial["x"] for trial in trials])
        self.assertEqual(result[0].value, min(trial.value for trial in trials))

    def test_a_server_that_has_answered_is_waited_for_though_its_port_refuses(self):
        study = slipstream.create_or_load("patient", SPACE, minimize="loss",
                                          address=self.server.address,
                                          options=Options(retry=Retry(refused=0)))
        self.server.kill()
        starting = threading.Timer(0.3, self.server.start)
        starting.start()
        self.assertEqual(study.suggest().number, 1)
        starting.join()

    def test_a_held_trial_outlives_a_killed_server(self):
        study = slipstream.create_or_load("held", SPACE, minimize="loss", lease=3,
                                          address=self.server.address)
        with study.suggest() as trial:
            first = study.trials[0].lease_ends
            self.server.kill()
            self.server.start()
            wait_until(lambda: study.trials[0].lease_ends > first, "the lease was renewed")
            trial.complete(0.5)
        self.assertEqual([one.state for one in study.trials], ["succeeded"])

    def test_reports_of_an_outage_come_with_the_first_one_after_it(self):
        study = slipstream.create_or_load("outage", SPACE, minimize="loss", stopping="median",
                                          address=self.server.address,
                                          options=Options(call=Deadlines(0.5, 1)))
        with study.suggest() as trial:
            trial.report(1, 0.75)
            self.server.kill()
            with self.assertWarnsRegex(UserWarning, "the training goes on without advice"):
                trial.report(2, 0.5)
            self.assertFalse(trial.should_stop())
            self.server.start()
            trial.report(3, 0.25)
            trial.complete(0.25)
        self.assertEqual(study.reports(study.trials[0]), {1: 0.75, 2: 0.5, 3: 0.25})
        self.assertEqual(study.best.value, 0.25)

    def test_a_restarted_trainer_goes_on_with_its_trial(self):
        def open_study():
            return slipstream.create_or_load("again", SPACE, minimize="loss", worker="gpu-3",
                                             address=self.server.address)

        before = open_study()
        held = [before.suggest().number, before.suggest().number]
        self.assertEqual(held, [1, 2])
        begin_another_life()
        after = open_study()
        self.assertEqual([after.suggest().number, after.suggest().number], held)
        self.assertEqual(after.suggest().number, 3)

    def test_a_restarted_trainer_takes_up_all_its_trials_one_after_the_other(self):
        """Also those that threads of its earlier life had, though it has no threads now."""
        def open_study(worker="gpu-3"):
            return slipstream.create_or_load("lanes", SPACE, minimize="loss", worker=worker,
                                             address=self.server.address)

        before = open_study()
        held = before.suggest(2) + [before.suggest() for _ in range(3)]
        held[2].complete(1)
        others = [open_study("gpu-3#2").suggest(), open_study("gpu").suggest()]
        begin_another_life()
        after = open_study()
        again = []
        for _ in range(4):
            with after.suggest() as trial:
                again.append(trial.number)
                trial.complete(1)
        self.assertEqual(again, [1, 2, 4, 5])
        self.assertEqual(after.suggest().number, 8)
        self.assertEqual([after.trials[trial.number - 1].state for trial in others],
                         ["active", "active"])

    def test_a_restarted_trainer_takes_up_its_trials_also_of_a_study_that_makes_none(self):
        def open_study():
            return slipstream.create_or_load("complete", SPACE, minimize="loss", worker="gpu-3",
                                             address=self.server.address)

        before = open_study()
        held = [before.suggest().number, before.suggest().number]
        before.complete()
        begin_another_life()
        after = open_study()
        self.assertEqual([after.suggest().number, after.suggest().number], held)
        with self.assertRaises(slipstream.FailedPrecondition):
            after.suggest()

    def test_a_server_that_is_not_there_yet_is_waited_for(self):
        self.server.kill()
        starting = threading.Timer(0.3, self.server.start)
        starting.start()
        study = slipstream.create_or_load("early", SPACE, minimize="loss",
                                          address=self.server.address)
        starting.join()
        self.assertEqual(study.suggest().number, 1)


if __name__ == "__main__":
    unittest.main()
