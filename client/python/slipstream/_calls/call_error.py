"""Turns the failure of a call into an error that a person understands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Type

from slipstream import errors
from slipstream._calls.plan import Failure
from slipstream._calls.silence import remedy
from slipstream._wire import messages

_ERRORS: Dict[str, Type[errors.SlipstreamError]] = {
    "NOT_FOUND": errors.NotFound,
    "ALREADY_EXISTS": errors.AlreadyExists,
    "FAILED_PRECONDITION": errors.FailedPrecondition,
    "RESOURCE_EXHAUSTED": errors.ResourceExhausted,
    "PERMISSION_DENIED": errors.PermissionDenied,
    "UNAUTHENTICATED": errors.Unauthenticated,
}

_MISSING_STUDY = re.compile(r"there is no (?:projects/([^/ ]+)/)?studies/[^/ ]+$")
_STATE = re.compile(r"((?:projects/[^/ ]+/)?studies/[^/ ]+) is (PAUSED|COMPLETED) ")
_NO_PROJECT = "names without a project belong to default"
_CUT_LIST = re.compile(r" and [0-9]+ more$")
# What lists all names of which a bound has the first ones, by the beginning of the field.
_LISTS = {
    "study.algorithm.preset": "slipstream.presets()",
    "study.algorithm.recipe.": "slipstream.ingredients()",
    "study.early_stopping.": "slipstream.ingredients('stopping')",
}


@dataclass(frozen=True)
class FailedCall:
    """How a failed call went."""

    what: str  # Completes "cannot ...".
    address: str
    attempts: int
    seconds: float  # From the first attempt to the end of the last.
    mistake: Optional[str] = None  # Why there was no connection, and what to do about it.
    has_answered: bool = False  # The server, to any call.

    @property
    def effort(self) -> str:
        if self.attempts == 1:
            return "1 attempt"
        return f"{self.attempts} attempts in {self.seconds:.1f} s"


def _details(details: bytes) -> Sequence[Any]:
    status = messages.new("StatusDetails")
    try:
        status.MergeFromString(details)
    except Exception:  # DecodeError: the details are not ours, and the message stands alone.
        return []
    return status.details  # type: ignore[no-any-return]


def _details_named(failure: Failure, name: str) -> List[Any]:
    found = []
    for detail in _details(failure.details):
        if detail.type_url.endswith(f"/slipstream.v1.{name}"):
            found.append(messages.new(name))
            found[-1].MergeFromString(detail.value)
    return found


def is_overload(failure: Failure) -> bool:
    """Whether the server says that what it lacks will be available again soon."""
    return failure.code == "RESOURCE_EXHAUSTED" and bool(_details_named(failure, "Overload"))


def retry_delay(failure: Failure) -> float:
    """The seconds for which the server would refuse the same call, as far as it says; else 0."""
    delays = [one.retry_delay for one in _details_named(failure, "Overload")]
    return max([0.0, *(float(delay.seconds + delay.nanos / 1e9) for delay in delays)])


def _violations(failure: Failure) -> List[errors.Violation]:
    return [
        errors.Violation(one.field, one.description, one.value, one.bound)
        for bad_request in _details_named(failure, "BadRequest")
        for one in bad_request.field_violations
    ]


def _message(failure: Failure, violations: List[errors.Violation]) -> str:
    """The server's message, followed by the violations that it does not mention."""
    parts = [failure.message] if failure.message else []
    for one in violations:
        complaint = one.description or f"{one.field} is {one.value}, must be {one.bound}"
        if not any(complaint in part for part in parts):
            parts.append(complaint)
    return "; ".join(parts) or "the server gave no reason"


def _advice(failure: Failure, violations: List[errors.Violation]) -> str:
    """How to go on, which the server leaves out because it does not know the caller's language."""
    for one in violations:
        for field, function in _LISTS.items():
            if one.field.startswith(field) and _CUT_LIST.search(one.bound):
                return f"; {function} lists all"
    missing = _MISSING_STUDY.search(failure.message)
    if failure.code == "NOT_FOUND" and missing:
        project = f"project={missing[1]!r}" if missing[1] else ""
        return f"; slipstream.studies({project}) lists those that are there"
    if failure.code == "PERMISSION_DENIED" and _NO_PROJECT in failure.message:
        return "; to name the project: project=, or the environment variable SLIPSTREAM_PROJECT"
    state = _STATE.search(failure.message)
    if failure.code != "FAILED_PRECONDITION" or not state:
        return ""
    if state[2] == "PAUSED":
        return "; study.resume() makes it so"
    name = state[1][len("studies/"):] if state[1].startswith("studies/") else state[1]
    return f"; a new study with sources=[{name!r}] learns from its results"


def call_error(call: FailedCall, failure: Failure) -> errors.SlipstreamError:
    """The error to raise."""
    violations = _violations(failure)
    message = _message(failure, violations)
    effort = "" if call.attempts == 1 else f" ({call.effort})"
    if call.mistake:
        return errors.NoAnswer(f"cannot {call.what} on {call.address}: {call.mistake}{effort}")
    if failure.code == "UNAVAILABLE" and not failure.is_answer:
        return errors.NoAnswer(
            f"no answer from {call.address}: {remedy(call.address, call.has_answered)} "
            f"({call.what}; {call.effort}; {message})"
        )
    if failure.code == "DEADLINE_EXCEEDED":
        return errors.NoAnswer(
            f"no answer from {call.address} in time ({call.what}; {call.effort}; {message})"
        )
    text = f"cannot {call.what} on {call.address}: {message}{_advice(failure, violations)}{effort}"
    if failure.code in ("INVALID_ARGUMENT", "OUT_OF_RANGE"):
        return errors.InvalidArgument(text, violations)
    if failure.code == "FAILED_PRECONDITION" and _details_named(failure, "CandidatesUsedUp"):
        return errors.CandidatesExhausted(text)
    if failure.code == "FAILED_PRECONDITION" and _details_named(failure, "OtherOutcome"):
        return errors.TrialEnded(text)
    if is_overload(failure):
        return errors.Overloaded(text)
    if failure.code in ("ABORTED", "CANCELLED", "UNAVAILABLE"):
        return errors.NoAnswer(text)
    return _ERRORS.get(failure.code, errors.ServerError)(text)
