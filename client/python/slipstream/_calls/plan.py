"""Plans: what to do, apart from how to wait.

A plan is a generator. It yields steps, is sent what they gave, and returns its result. All that
the clients do is written as plans, once; `run` performs their steps by blocking, and
`run_async` by awaiting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Generator, Iterator, Optional, Tuple, TypeVar, Union

from slipstream._calls.cancellation import Cancellation
from slipstream._wire.messages import Message

Result = TypeVar("Result")


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
