"""When calls are repeated, how long is waited, and what errors say."""

import contextlib
import itertools
import math
import unittest
import unittest.mock

from servers import overload_details, unavailable_details

import slipstream
from slipstream import Deadlines, Options, Retry
from slipstream._calls import caller, request_id, silence
from slipstream._calls.cancellation import CalledOff
from slipstream._calls.link import Links
from slipstream._calls.plan import Attempt, Failure, Pause, Reply, run, to_its_end, while_wanted
from slipstream._wire import messages


class Server:
    """Answers attempts from a list, on a clock of its own; an answer is a code, a Failure, or
    None."""

    def __init__(self, codes, seconds=0.0):
        self.codes = list(codes)
        self.seconds = seconds
        self.now = 100.0
        self.attempts = []
        self.pauses = []

    def perform(self, step):
        if isinstance(step, Pause):
            self.pauses.append(step.seconds)
            self.now += step.seconds
            return None
        self.attempts.append(step)
        self.now += min(self.seconds, step.seconds)
        code = self.codes.pop(0)
        if isinstance(code, Failure):
            return Reply(failure=code)
        return Reply(response="done") if code is None else Reply(failure=Failure(code, "why"))

    def call(self, deadlines=Deadlines(10, 60), retry=Retry()):
        planner = caller.Caller("host:1", retry, clock=lambda: self.now)
        return run(planner.call("Observe", "request", "do it", deadlines), self.perform)


class Repetition(unittest.TestCase):
    def test_a_call_is_repeated_until_it_succeeds(self):
        server = Server(["UNAVAILABLE", "ABORTED", "DEADLINE_EXCEEDED", "CANCELLED", None])
        self.assertEqual(server.call(), "done")
        self.assertEqual(server.attempts, [Attempt("Observe", "request", 10)] * 5)

    def test_pauses_grow_and_are_drawn_at_random(self):
        retry = Retry(initial_backoff=0.1, max_backoff=1)
        longest = [caller.longest_pause(retry, attempts) for attempts in range(1, 7)]
        self.assertEqual(longest, [0.1, 0.2, 0.4, 0.8, 1, 1])
        server = Server(["UNAVAILABLE"] * 40 + [None])
        server.call(retry=retry)
        self.assertEqual(len(set(server.pauses)), 40)
        for attempts, pause in enumerate(server.pauses, start=1):
            self.assertLessEqual(pause, caller.longest_pause(retry, attempts))

    def test_no_attempt_goes_beyond_the_overall_deadline(self):
        server = Server(["DEADLINE_EXCEEDED"] * 99, seconds=1000)
        with self.assertRaises(slipstream.NoAnswer):
            server.call(Deadlines(10, 25))
        self.assertLessEqual(server.now, 125)
        self.assertLess(server.attempts[-1].seconds, 10)

    def test_a_server_that_was_not_started_is_waited_for_no_longer_than_said(self):
        for _ in range(20):
            server = Server(["UNAVAILABLE"] * 1000)
            with unittest.mock.patch.object(caller, "refuses", lambda address: True):
                with self.assertRaises(slipstream.NoAnswer):
                    server.call(retry=Retry(refused=5))
            self.assertAlmostEqual(server.now - 100, 5)

    def test_the_error_is_that_of_the_last_attempt_that_was_not_cut_short(self):
        server = Server(["UNAVAILABLE", "DEADLINE_EXCEEDED"] + ["DEADLINE_EXCEEDED"] * 9, seconds=7)
        with self.assertRaisesRegex(slipstream.NoAnswer, "is slipstream_server running there"):
            server.call(Deadlines(9, 10))

    def test_a_number_of_attempts_is_kept_to(self):
        server = Server(["UNAVAILABLE"] * 9)
        with self.assertRaisesRegex(slipstream.NoAnswer, "3 attempts in"):
            server.call(retry=Retry(max_attempts=3))
        self.assertEqual(len(server.attempts), 3)

    def test_errors_are_of_the_type_that_says_what_to_do(self):
        for code, kind in (("NOT_FOUND", slipstream.NotFound),
                           ("ALREADY_EXISTS", slipstream.AlreadyExists),
                           ("FAILED_PRECONDITION", slipstream.FailedPrecondition),
                           ("RESOURCE_EXHAUSTED", slipstream.ResourceExhausted),
                           ("INVALID_ARGUMENT", slipstream.InvalidArgument),
                           ("INTERNAL", slipstream.ServerError)):
            with self.assertRaises(kind) as raised:
                Server([code]).call()
            self.assertEqual(str(raised.exception), "cannot do it on host:1: why")

    def test_violations_are_told_with_the_error(self):
        violation = messages.new("FieldViolation", field="count", value="0", bound="> 0")
        details = messages.new("StatusDetails", code=3, message="bad")
        detail = details.details.add(type_url="type.googleapis.com/slipstream.v1.BadRequest")
        bad_request = messages.new("BadRequest", field_violations=[violation])
        detail.value = bad_request.SerializeToString()
        failure = Failure("INVALID_ARGUMENT", "bad", details.SerializeToString())
        planner = caller.Caller("host:1", Retry())
        with self.assertRaises(slipstream.InvalidArgument) as raised:
            run(planner.call("Suggest", None, "ask", Deadlines(1, 1)),
                lambda step: Reply(failure=failure))
        self.assertEqual(str(raised.exception),
                         "cannot ask on host:1: bad; count is 0, must be > 0")
        self.assertEqual(raised.exception.violations[0].bound, "> 0")

    def test_what_a_busy_server_refuses_is_repeated(self):
        busy = Reply(failure=Failure("RESOURCE_EXHAUSTED", "the server is busy", overload_details()))
        replies = [busy, busy, Reply(response="done")]
        attempts = []

        def perform(step):
            if isinstance(step, Pause):
                return None
            attempts.append(step)
            return replies.pop(0)

        planner = caller.Caller("host:1", Retry())
        response = run(planner.call("Suggest", None, "ask", Deadlines(10, 60)), perform)
        self.assertEqual(response, "done")
        self.assertEqual(len(attempts), 3)
        full = Reply(failure=Failure("RESOURCE_EXHAUSTED", "the quota is used up"))
        for reply, error in ((busy, slipstream.Overloaded), (full, slipstream.ResourceExhausted)):
            planner = caller.Caller("host:1", Retry(max_attempts=2))
            with self.assertRaises(slipstream.ResourceExhausted) as raised:
                run(planner.call("Suggest", None, "ask", Deadlines(10, 60)),
                    lambda step: None if isinstance(step, Pause) else reply)
            self.assertIs(type(raised.exception), error)

    def test_a_pause_is_longer_than_the_server_asks_for(self):
        busy = Failure("RESOURCE_EXHAUSTED", "too many calls", overload_details(seconds=3, nanos=5 * 10**8))
        retry = Retry(initial_backoff=0.1, max_backoff=1)
        server = Server([busy] * 4 + [None])
        self.assertEqual(server.call(retry=retry), "done")
        self.assertEqual(len(set(server.pauses)), 4)
        for attempts, pause in enumerate(server.pauses, start=1):
            self.assertGreaterEqual(pause, 3.5)
            self.assertLessEqual(pause, 3.5 + caller.longest_pause(retry, attempts))

    def test_a_server_that_refuses_beyond_the_deadline_is_not_asked_again(self):
        server = Server([Failure("RESOURCE_EXHAUSTED", "too many calls", overload_details(seconds=60))])
        with self.assertRaisesRegex(slipstream.Overloaded, "cannot do it on host:1: too many calls$"):
            server.call()
        self.assertEqual(server.pauses, [])

    def test_a_server_that_says_it_is_unavailable_is_not_said_to_be_missing(self):
        locked = Failure("UNAVAILABLE", "the store is locked", unavailable_details())
        server = Server([locked] * 2)
        with self.assertRaises(slipstream.NoAnswer) as raised:
            server.call(retry=Retry(max_attempts=2))
        self.assertRegex(str(raised.exception),
                         r"^cannot do it on host:1: the store is locked \(2 attempts in \d+\.\d s\)$")

    def test_details_that_are_not_ours_are_left_alone(self):
        failure = Failure("INVALID_ARGUMENT", "bad", b"\xff\xff\xff")
        planner = caller.Caller("host:1", Retry())
        with self.assertRaisesRegex(slipstream.InvalidArgument, "cannot ask on host:1: bad$"):
            run(planner.call("Suggest", None, "ask", Deadlines(1, 1)),
                lambda step: Reply(failure=failure))


class Pauses(unittest.TestCase):
    def perform(self, plan, most):
        """The seconds of the pauses until the plan ends, which is wanted for so many."""
        def pause(step):
            made.append(step.seconds)

        made = []
        with contextlib.suppress(CalledOff):
            run(while_wanted(plan, lambda: len(made) < most), pause)
        return made

    def test_one_ends_soon_after_its_plan_is_not_wanted_any_more(self):
        def plan():
            yield Pause(1000)

        self.assertEqual(len(self.perform(plan(), 7)), 7)
        self.assertAlmostEqual(sum(self.perform(plan(), math.inf)), 1000)

    def test_one_that_is_needed_to_clean_up_does_not(self):
        def clean_up():
            yield Pause(100)

        def plan():
            try:
                yield Pause(1000)
            finally:
                yield from to_its_end(clean_up())

        self.assertEqual(self.perform(plan(), 1)[1:], [100])


class Connections(unittest.TestCase):
    def test_only_one_that_does_not_answer_is_given_up(self):
        links = Links("host:1", object, "")
        for failure, is_kept in (
            (Failure("UNAVAILABLE", "the store is locked", unavailable_details()), True),
            (Failure("RESOURCE_EXHAUSTED", "too many calls", overload_details()), True),
            (Failure("NOT_FOUND", "there is none"), True),
            (Failure("UNAVAILABLE", "connection refused"), False),
            (Failure("DEADLINE_EXCEEDED", "too late"), False),
        ):
            with self.subTest(failure.message):
                link = links.current()
                links.replace_after(failure, link)
                self.assertIs(links.current() is link, is_kept)


class Silence(unittest.TestCase):
    def notices(self, planner, server, deadlines=Deadlines(10, 60)):
        """What is told while a call is made."""
        with self.assertLogs("slipstream") as logged:
            silence._log.warning("begin")
            with contextlib.suppress(slipstream.SlipstreamError):
                run(planner.call("Observe", "request", "do it", deadlines), server.perform)
        return [record.getMessage() for record in logged.records[1:]]

    def test_a_server_that_is_silent_for_two_seconds_is_told_of_once(self):
        server = Server(["UNAVAILABLE"] * 9 + [None], seconds=0.5)
        planner = caller.Caller("host:1", Retry(), clock=lambda: server.now)
        self.assertEqual(self.notices(planner, server), [
            "waiting for an answer from host:1: is slipstream_server running there? Start it, or "
            "give another address by address= or SLIPSTREAM_ADDRESS"])
        server.codes = ["UNAVAILABLE"] * 9 + [None]
        self.assertEqual(self.notices(planner, server), [
            "waiting for an answer from host:1: it has answered before; is slipstream_server still "
            "running there?"])

    def test_it_is_told_of_once_for_all_calls_that_fail(self):
        server = Server(["UNAVAILABLE"] * 2000, seconds=0.5)
        planner = caller.Caller("host:1", Retry(), clock=lambda: server.now)
        self.assertEqual(len(self.notices(planner, server)), 1)
        self.assertEqual(self.notices(planner, server), [])

    def test_a_server_that_refuses_for_two_seconds_is_told_of_once_in_ten_minutes(self):
        server = Server(["ABORTED"] * 9 + [None], seconds=0.5)
        planner = caller.Caller("host:1", Retry(), clock=lambda: server.now)
        told = ["trying again until host:1 accepts it: why"]
        self.assertEqual(self.notices(planner, server), told)
        server.codes = ["ABORTED"] * 9 + [None]
        self.assertEqual(self.notices(planner, server), [])
        server.now += 600
        server.codes = ["ABORTED"] * 9 + [None]
        self.assertEqual(self.notices(planner, server), told)

    def test_a_refusal_that_will_take_two_seconds_is_told_of_at_once(self):
        busy = Failure("RESOURCE_EXHAUSTED", "too many calls", overload_details(seconds=2))
        locked = Failure("UNAVAILABLE", "the store is locked", unavailable_details())
        for failures, words in (([busy], "too many calls"), ([locked] * 4, "the store is locked")):
            server = Server([*failures, None], seconds=1)
            planner = caller.Caller("host:1", Retry(0.01), clock=lambda: server.now)
            self.assertEqual(self.notices(planner, server),
                             [f"trying again until host:1 accepts it: {words}"])

    def test_a_call_that_is_given_up_is_not_said_to_be_tried_again(self):
        server = Server(["ABORTED"] * 4, seconds=1)
        for retry, deadlines in ((Retry(0.01, max_attempts=2), Deadlines(10, 60)),
                                 (Retry(0.01), Deadlines(1, 2))):
            planner = caller.Caller("host:1", retry, clock=lambda: server.now)
            self.assertEqual(self.notices(planner, server, deadlines), [])
        self.assertEqual(server.codes, [])

    def test_nothing_is_told_of_an_answer_that_comes_soon(self):
        server = Server(["UNAVAILABLE", "UNAVAILABLE", "NOT_FOUND"], seconds=0.5)
        planner = caller.Caller("host:1", Retry(0.01), clock=lambda: server.now)
        self.assertEqual(self.notices(planner, server), [])

    def test_a_slow_call_to_a_server_that_has_answered_is_not_watched(self):
        server = Server([None])
        planner = caller.Caller("host:1", Retry(), clock=lambda: server.now)
        self.assertIsNotNone(planner._silence.watch())
        self.notices(planner, server)
        self.assertIsNone(planner._silence.watch())


class Settings(unittest.TestCase):
    def test_impossible_ones_are_refused(self):
        for make in (lambda: Deadlines(0, 1), lambda: Deadlines(2, 1),
                     lambda: Deadlines(1, math.nan), lambda: Retry(refused=math.nan),
                     lambda: Retry(initial_backoff=math.nan), lambda: Retry(max_backoff=math.nan),
                     lambda: Retry(initial_backoff=0), lambda: Retry(max_backoff=-1),
                     lambda: Retry(max_attempts=-1), lambda: Retry(refused=-1)):
            with self.assertRaisesRegex(ValueError, "must "):
                make()

    def test_they_are_those_of_the_other_clients(self):
        options = Options()
        self.assertEqual(
            (options.call, options.suggest, options.outcome, options.registration),
            (Deadlines(10, 60), Deadlines(60, 300), Deadlines(10, 300), Deadlines(120, 600)))
        self.assertEqual(options.retry, Retry(0.1, 5, 0, 5))


class RequestIds(unittest.TestCase):
    def test_they_are_ordered_and_distinct_uuids_of_version_7(self):
        ids = [request_id.make_request_id() for _ in range(20000)]
        self.assertEqual(ids, sorted(set(ids)))
        for one in ids[::1000]:
            self.assertRegex(one, "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                  "[0-9a-f]{12}$")

    def test_a_clock_that_is_set_back_changes_nothing(self):
        ids = request_id.RequestIds()
        times = itertools.chain([5_000_000_000] * 5000, [1_000_000_000] * 5)
        original = request_id.time.time_ns
        request_id.time.time_ns = lambda: next(times)
        self.addCleanup(setattr, request_id.time, "time_ns", original)
        made = [ids.next() for _ in range(5005)]
        self.assertEqual(made, sorted(set(made)))


if __name__ == "__main__":
    unittest.main()
