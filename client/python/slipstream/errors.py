"""The errors of the package. Their messages say what was attempted, where, and how to go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence, Tuple


@dataclass(frozen=True)
class Violation:
    """A field of a request that broke a bound."""

    field: str  # For example "study.space.parameters[2].double_domain.min".
    description: str  # The complete error as a sentence.
    value: str  # The value that was sent, truncated.
    bound: str  # What would have been accepted, for example "> 0".


class SlipstreamError(Exception):
    """Any error of a call."""


class InvalidArgument(SlipstreamError, ValueError):
    """The request cannot succeed unless it is changed; `violations` name the fields."""

    def __init__(self, message: str, violations: Sequence[Violation] = ()) -> None:
        super().__init__(message)
        self.violations: Tuple[Violation, ...] = tuple(violations)


class NotFound(SlipstreamError, LookupError):
    """What the message names does not exist."""


class AlreadyExists(SlipstreamError):
    """What the message names exists already."""


class FailedPrecondition(SlipstreamError):
    """The current state forbids the call; something else must happen first."""


class TrialEnded(FailedPrecondition):
    """Somebody else has already ended the trial with the name `trial`. It keeps that outcome."""

    def __init__(self, message: str, trial: str = "") -> None:
        super().__init__(message)
        self.trial = trial


class CandidatesExhausted(FailedPrecondition):
    """Every candidate of the study's list has been suggested."""


class StudyDiffers(FailedPrecondition):
    """A study with this id exists, but is not the one that was asked for.

    `differences` has a line for each difference."""

    def __init__(self, message: str, differences: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.differences: Tuple[str, ...] = tuple(differences)


class ResourceExhausted(SlipstreamError):
    """A limit was reached; the message names it."""


class Overloaded(ResourceExhausted):
    """For as long as the call was retried, the server was busy, its disk was full, or the project
    made calls faster than its quota allows. The same call may succeed later."""


class NoAnswer(SlipstreamError, ConnectionError):
    """No attempt succeeded in time. A change may or may not have been made."""


class ProgramMissing(SlipstreamError, FileNotFoundError):
    """A program of Slipstream is not installed."""


class LocalServerError(SlipstreamError):
    """The server of `slipstream.local` could not be started; the message has the end of its
    output."""


class ServerError(SlipstreamError):
    """Any other failure of the server."""


class Unauthenticated(ServerError):
    """The server requires a token or a certificate, and it is missing or unknown to the server.

    See `Options` for where the client takes them from."""


class PermissionDenied(ServerError):
    """The server knows the caller, but the caller may not make this call, or not in this
    project."""


class Infeasible(Exception):
    """Raised by an objective to say that a configuration has no value.

    The model then avoids similar configurations.

    >>> import slipstream
    >>> def train(trial):
    ...     if trial["batch"] * trial["width"] > 1 << 20:
    ...         raise slipstream.Infeasible("does not fit into memory")
    """


class TrialStopped(Exception):
    """Raised by an objective that follows the advice of `trial.should_stop()`; see `Trial.stop`."""
