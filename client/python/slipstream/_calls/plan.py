"""Plans: what to do, apart from how to wait.

A plan is a generator. It yields steps, is sent what they gave, and returns its result. All that
the clients do is written as plans, once; `run` performs their steps by blocking, and
`run_async` by awaiting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Generator, Iterator, Optional, Tuple, TypeVar, Union

from slipstream._calls.cancellation import CalledOff, Cancellation
from slipstream._wire.messages import Message

Result = TypeVar("Result")

_SECONDS_BETWEEN_LOOKS = 0.2  # At whether a plan is still wanted.
# How gRPC begins when there is no connection to send an attempt on.
_NO_CONNECTION = ("failed to connect to all addresses", "DNS resolution failed")


@dataclass(frozen=True)
class Attempt:
    """One attempt at a call."""

    method: str  # For example "Suggest".
    request: Union[Message, Callable[[], Iterator[Message]]]  # The latter makes a stream of them.
    seconds: float  # The attempt's deadline.
    cancellation: Optional[Cancellation] = None


@dataclass(frozen=True)
class Next:
    """The next response of a stream that an attempt has opened."""

    call: Any  # gRPC's.


@dataclass(frozen=True)
class Pause:
    """A pause before the next step."""

    seconds: float
    is_needed: bool = False  # Even if nobody waits for the plan any more.


@dataclass(frozen=True)
class Look:
    """Something to find out that takes a while, and must not block other work meanwhile."""

    find: Callable[[], Optional[str]]


@dataclass(frozen=True)
class Failure:
    """An attempt's failure."""

    code: str  # For example "UNAVAILABLE".
    message: str
    details: bytes = b""  # The trailer "grpc-status-details-bin".

    @property
    def is_answer(self) -> bool:
        """Whether the server has answered. gRPC itself says UNAVAILABLE where nobody does; a
        server's own has details."""
        silent = self.code == "UNAVAILABLE" and not self.details
        return not silent and self.code != "DEADLINE_EXCEEDED"

    @property
    def is_unsent(self) -> bool:
        """Whether no connection was made, so that the server has not received the attempt. Only
        gRPC's words tell this from a connection that broke during the attempt."""
        return not self.is_answer and self.message.startswith(_NO_CONNECTION)


@dataclass(frozen=True)
class Reply:
    """The result of an attempt: a response or a failure, or neither at the end of a stream; or what
    a look has found."""

    response: Optional[Message] = None
    failure: Optional[Failure] = None
    finding: Optional[str] = None


@dataclass(frozen=True)
class Stream:
    """The response of an attempt at a method that gives a stream, once that has begun."""

    call: Any  # gRPC's, for Next.
    first: Message


Step = Union[Attempt, Next, Pause, Look]
Plan = Generator[Step, Optional[Reply], Result]
Perform = Callable[[Step], Optional[Reply]]
PerformAsync = Callable[[Step], Awaitable[Optional[Reply]]]


def advance(
    plan: Plan[Result], reply: Optional[Reply], error: Optional[BaseException] = None
) -> Tuple[Optional[Step], Any]:
    """The plan's next step, or None and its result. `error` is what the step before raised, after
    which the plan may clean up."""
    try:
        return (plan.send(reply) if error is None else plan.throw(error)), None
    except StopIteration as end:
        return None, end.value


def run(plan: Plan[Result], perform: Perform) -> Result:
    """Performs the plan's steps and returns its result."""
    step, result = advance(plan, None)
    while step is not None:
        try:
            reply = perform(step)
        except BaseException as error:
            step, result = advance(plan, None, error)
        else:
            step, result = advance(plan, reply)
    return result  # type: ignore[no-any-return]


def through(plan: Plan[Result], perform: Callable[[Step], Plan[Optional[Reply]]]) -> Plan[Result]:
    """The plan, each of whose steps another plan performs."""
    step, result = advance(plan, None)
    while step is not None:
        try:
            reply = yield from perform(step)
        except BaseException as error:
            step, result = advance(plan, None, error)
        else:
            step, result = advance(plan, reply)
    return result  # type: ignore[no-any-return]


def while_wanted(plan: Plan[Result], is_wanted: Callable[[], bool]) -> Plan[Result]:
    """The plan, in which CalledOff is raised at a pause once it is not wanted any more, unless the
    pause is needed all the same."""

    def perform(step: Step) -> Plan[Optional[Reply]]:
        if not isinstance(step, Pause) or step.is_needed:
            return (yield step)
        left = step.seconds
        while is_wanted() and left > 0:
            yield Pause(min(left, _SECONDS_BETWEEN_LOOKS))
            left -= _SECONDS_BETWEEN_LOOKS
        if not is_wanted():
            raise CalledOff
        return None

    return through(plan, perform)


def to_its_end(plan: Plan[Result]) -> Plan[Result]:
    """The plan, all of whose pauses are needed, as it cleans up."""

    def perform(step: Step) -> Plan[Optional[Reply]]:
        return (yield Pause(step.seconds, is_needed=True) if isinstance(step, Pause) else step)

    return through(plan, perform)


async def run_async(plan: Plan[Result], perform: PerformAsync) -> Result:
    """The same, awaiting each step."""
    step, result = advance(plan, None)
    while step is not None:
        try:
            reply = await perform(step)
        except BaseException as error:
            step, result = advance(plan, None, error)
        else:
            step, result = advance(plan, reply)
    return result  # type: ignore[no-any-return]
