"""Repeats a call until it succeeds, cannot succeed, or time is up."""

from __future__ import annotations

import random
import time
from typing import Callable, Iterator, Optional, Union

from slipstream._calls.call_error import FailedCall, call_error, is_overload, retry_delay
from slipstream._calls.cancellation import Cancellation
from slipstream._calls.plan import Attempt, Failure, Look, Pause, Plan
from slipstream._calls.silence import Refusals, Silence, refuses
from slipstream._wire.messages import Message
from slipstream.options import Deadlines, Retry

# This client only cancels calls that it gives up, so CANCELLED comes from a server that is
# shutting down. Decided by the code alone, as messages are for people.
WORTH_REPEATING = frozenset(("UNAVAILABLE", "ABORTED", "DEADLINE_EXCEEDED", "CANCELLED"))
# What gRPC says where the first bytes that it reads are not its protocol's.
_NO_GRPC = ("Failed parsing HTTP/2", "http1.x server")
_OTHER_SERVICE = (
    "what listens there does not speak gRPC, so it is another service: is the port right?"
)
# Seconds: a year. gRPC takes an infinite deadline for one that has passed.
_LONGEST_ATTEMPT = 3.2e7


def longest_pause(retry: Retry, attempts: int) -> float:
    """The longest pause in seconds after that many failed attempts."""
    growth = 2.0 ** min(max(attempts - 1, 0), 60)
    return min(retry.initial_backoff * growth, retry.max_backoff)


def _is_worth_repeating(failure: Failure) -> bool:
    return failure.code in WORTH_REPEATING or is_overload(failure)


class Caller:
    """Plans calls to one server."""

    def __init__(
        self,
        address: str,
        retry: Retry,
        find_mistake: Optional[Callable[[], Optional[str]]] = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`find_mistake` says what is wrong with TLS when no connection can be made, if it
        knows."""
        self.address = address
        self._retry = retry
        self._find_mistake = find_mistake
        self._clock = clock
        self._silence = Silence(address)
        self._refusals = Refusals(address, clock)

    def call(
        self,
        method: str,
        request: Union[Message, Callable[[], Iterator[Message]]],
        what: str,
        deadlines: Deadlines,
        cancellation: Optional[Cancellation] = None,
    ) -> Plan[Message]:
        """Plans a call. Every attempt sends the same request, and so the same request id.

        If only the overall deadline ended the last attempt, the error is that of the attempt
        before, which says more. The call ends after its first attempt if there is a mistake about
        TLS or another service listens, unless the server has answered before: its certificate may
        be being replaced."""
        watch = self._silence.watch()
        try:
            return (yield from self._repeat(method, request, what, deadlines, cancellation))
        finally:
            if watch is not None:
                watch.cancel()

    def _repeat(
        self,
        method: str,
        request: Union[Message, Callable[[], Iterator[Message]]],
        what: str,
        deadlines: Deadlines,
        cancellation: Optional[Cancellation],
    ) -> Plan[Message]:
        start = self._clock()
        informative: Failure | None = None
        attempts = 0
        while True:
            attempts += 1
            left = start + deadlines.overall - self._clock()
            seconds = min(deadlines.attempt, left, _LONGEST_ATTEMPT)
            reply = yield Attempt(method, request, seconds, cancellation)
            assert reply is not None
            if reply.failure is None:
                self._silence.end()
                return reply.response
            cut_short = left < deadlines.attempt and reply.failure.code == "DEADLINE_EXCEEDED"
            if informative is None or not cut_short:
                informative = reply.failure
            elapsed = self._clock() - start
            self._hear(reply.failure, elapsed)
            pause = self._pause(attempts, elapsed) + retry_delay(reply.failure)
            is_last = (
                not _is_worth_repeating(reply.failure)
                or attempts == self._retry.max_attempts
                or elapsed + pause >= deadlines.overall
                or self._is_not_started(reply.failure.code, elapsed)
            )
            mistake = None
            if is_last or (attempts == 1 and self._silence.is_unbroken):
                mistake = yield from self._look_for_mistake(informative)
            if is_last or mistake:
                has_answered = not self._silence.is_unbroken
                call = FailedCall(what, self.address, attempts, elapsed, mistake, has_answered)
                raise call_error(call, informative)
            if reply.failure.is_answer:
                self._refusals.notice(elapsed + pause, reply.failure.message)
            yield Pause(pause)

    def _pause(self, attempts: int, elapsed: float) -> float:
        """The seconds until the next attempt. If the server has never answered, they end at the
        latest when it may be assumed that it has not been started."""
        pause = longest_pause(self._retry, attempts) * random.random()
        until_refused = self._retry.refused - elapsed
        return min(pause, until_refused) if self._silence.is_unbroken and until_refused > 0 else pause

    def _look_for_mistake(self, failure: Failure) -> Plan[Optional[str]]:
        # A name that gRPC could not look up would only be looked up for as long again.
        is_unknown = "DNS resolution failed" in failure.message
        if failure.code != "UNAVAILABLE" or failure.is_answer or is_unknown:
            return None
        if self._find_mistake is not None:
            reply = yield Look(self._find_mistake)
            if reply is not None and reply.finding is not None:
                return reply.finding
        is_other = any(words in failure.message for words in _NO_GRPC)
        return _OTHER_SERVICE if is_other else None

    def _hear(self, failure: Failure, elapsed: float) -> None:
        if failure.is_answer:
            self._silence.end()
        else:
            self._silence.notice(elapsed)

    def _is_not_started(self, code: str, elapsed: float) -> bool:
        """Whether it may be assumed by now that no server has been started on this machine."""
        return (
            code == "UNAVAILABLE"
            and self._silence.is_unbroken
            and elapsed >= self._retry.refused
            and refuses(self.address)
        )
