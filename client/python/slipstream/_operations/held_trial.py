"""A trial that this process holds: its values, and plans of all that can be done with it."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping, Optional, Tuple, Type

from slipstream import errors
from slipstream._calls.plan import Pause, Plan
from slipstream._convert.trials import measurement_message, outcome_message
from slipstream._operations.service import Service
from slipstream._wire import messages
from slipstream._wire.messages import Message
from slipstream.parameters import Parameter, Value
from slipstream.records import TrialRecord

# Where leases never end, or the server cannot be reached, it is asked again after this time.
_RENEWAL_UNLESS_KNOWN = 30.0


@dataclass(frozen=True)
class Holder:
    """What the trials of one suggestion share."""

    service: Service
    study: str  # "studies/{study}".
    metric: str
    space: Mapping[str, Parameter]
    lease: float  # Seconds; infinite if leases never end.
    worker: str
    give_back: Callable[[], None]  # Called once when the trial has its outcome.


class HeldTrial(Mapping[str, Value]):
    """A mapping of the parameters' values, which are attributes too: `trial["lr"]`, `trial.lr`.

    A parameter that is not active has no value: `trial.get("degree")` is None."""

    def __init__(self, holder: Holder, record: TrialRecord) -> None:
        self._holder = holder
        self._record = record
        self._ended = False
        self._lost = False
        self._value: Optional[float] = None
        self._advice: Optional[str] = None  # The reason of the advice to stop.
        self._last_report: Optional[Tuple[int, float]] = None

    def __getitem__(self, name: str) -> Value:
        try:
            return self._record.params[name]
        except KeyError:
            raise KeyError(self._why_missing(name)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._record.params)

    def __len__(self) -> int:
        return len(self._record.params)

    def __contains__(self, name: object) -> bool:
        return name in self._record.params

    def get(self, name: str, default: Any = None) -> Any:
        """The parameter's value, or the default if it is not active."""
        return self._record.params.get(name, default)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._record.params[name]
        except KeyError:
            raise AttributeError(self._why_missing(name)) from None

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.items())
        return f"<trial {self.name[len('studies/'):].replace('/trials/', '/')}: {values}>"

    def _why_missing(self, name: str) -> str:
        if name in self._holder.space:
            condition = self._holder.space[name].condition
            return f"{name!r} is not active in this trial, only when {condition!r}; see get()"
        return f"{name!r} is no parameter of the study, which has {', '.join(self._holder.space)}"

    @property
    def name(self) -> str:
        """The name on the server, "studies/{study}/trials/{number}"."""
        return self._record.name

    @property
    def number(self) -> int:
        """The number in the study, from 1."""
        return self._record.number

    @property
    def worker(self) -> str:
        """The id under which this process holds the trial."""
        return self._holder.worker

    @property
    def candidate(self) -> Optional[int]:
        """The index in the study's list of candidates; None without a list."""
        return self._record.candidate

    @property
    def lost(self) -> bool:
        """Whether the server has said that the lease has run out.

        The outcome is taken nevertheless, but another worker may be at the same work."""
        return self._lost

    @property
    def ended(self) -> bool:
        """Whether the trial has its outcome, or was given back."""
        return self._ended

    @property
    def measured(self) -> Optional[float]:
        """The value that it was completed with; None until then, and after another outcome."""
        return self._value

    @property
    def stop_reason(self) -> Optional[str]:
        """Why `should_stop` advised to stop; None if it did not."""
        return self._advice

    def _report(self, step: int, value: float) -> Plan[None]:
        number = _finite(value, "report", self.number)
        measurement = measurement_message(self._holder.metric, number)
        response = yield from self._holder.service.report(self.name, int(step), measurement)
        if messages.enum_name("Trial.State", response.state) != "ACTIVE":
            self._lost = True
        if self._last_report is None or step >= self._last_report[0]:
            self._last_report = (int(step), number)

    def _should_stop(self) -> Plan[bool]:
        response = yield from self._holder.service.should_stop(self.name)
        self._advice = response.reason if response.stop else None
        return bool(response.stop)

    def _complete(self, value: float) -> Plan[None]:
        number = _finite(value, "complete", self.number)
        yield from self._observe(outcome_message("measurement", self._holder.metric, number))
        self._value = number

    def _fail(self, reason: str) -> Plan[None]:
        return self._observe(outcome_message("failure", self._holder.metric, reason=reason))

    def _infeasible(self, reason: str) -> Plan[None]:
        return self._observe(outcome_message("infeasibility", self._holder.metric, reason=reason))

    def _stop(self, reason: Optional[str], value: Optional[float]) -> Plan[None]:
        if value is not None:
            value = _finite(value, "stop", self.number)
        elif self._last_report is not None:
            value = self._last_report[1]
        told = reason if reason is not None else self._advice or ""
        return self._observe(outcome_message("early_stop", self._holder.metric, value, told))

    def _observe(self, outcome: Message) -> Plan[None]:
        yield from self._holder.service.observe(self.name, outcome)
        self._end()

    def _release(self) -> Plan[None]:
        yield from self._holder.service.release(self._holder.study, self.worker, self.name)
        self._end()

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._holder.give_back()

    def _finish(self, value: Optional[float]) -> Plan[None]:
        """Records what an objective returned, unless it has ended the trial itself."""
        if self._ended:
            return
        if value is None and self._advice is None:
            raise TypeError("the objective returned None: return the measured value as a number")
        if self._advice is not None:
            yield from self._stop(None, value)
        else:
            yield from self._complete(value)  # type: ignore[arg-type]

    def _leave(self, error: Optional[BaseException]) -> Plan[bool]:
        """Ends the trial at the end of its block; whether that settles the error."""
        if self._ended:
            return isinstance(error, (errors.Infeasible, errors.TrialStopped))
        if error is None and self._advice is None:
            warnings.warn(
                f"{self!r} ended its block without an outcome and is given back: call "
                "trial.complete(value), or trial.fail(), .infeasible() or .stop()",
                stacklevel=6,
            )
        try:
            yield from self._last_word(error)
        except errors.SlipstreamError as unheard:
            if error is None or isinstance(error, (errors.Infeasible, errors.TrialStopped)):
                raise
            # The error on its way says more; the lease will run out.
            warnings.warn(f"{self!r}: {unheard}", stacklevel=6)
        return isinstance(error, (errors.Infeasible, errors.TrialStopped))

    def _last_word(self, error: Optional[BaseException]) -> Plan[None]:
        if isinstance(error, errors.Infeasible):
            return self._infeasible(str(error))
        if isinstance(error, errors.TrialStopped) or (error is None and self._advice is not None):
            return self._stop(str(error) if error is not None and str(error) else None, None)
        if isinstance(error, Exception):
            return self._fail(_text_of(error))
        return self._release()  # Nothing came of it, or the process is to end: Ctrl-C, a signal.

    def _renew(self) -> Plan[None]:
        """Renews the lease when a third of it has passed, until it is lost."""
        wait = self._renewal_pause(self._first_lease())
        while not self._lost:
            yield Pause(wait)
            wait = yield from self._renew_once()

    def _renew_once(self) -> Plan[float]:
        holder = self._holder
        try:
            response = yield from holder.service.heartbeat(holder.study, self.worker, self.name)
        except errors.NotFound:  # The study has been deleted.
            self._lost = True
            return _RENEWAL_UNLESS_KNOWN
        except errors.SlipstreamError:
            return self._renewal_pause(holder.lease)
        self._lost = any(not one.held for one in response.trials)
        if not response.HasField("lease_duration"):
            return _RENEWAL_UNLESS_KNOWN
        lease = response.lease_duration
        return self._renewal_pause(lease.seconds + lease.nanos / 1e9)

    def _first_lease(self) -> float:
        """The study's lease, or what this trial was leased for if that has become shorter."""
        ends, started = self._record.lease_ends, self._record.started
        if ends is None or started is None:
            return self._holder.lease
        return min(self._holder.lease, (ends - started).total_seconds())

    @staticmethod
    def _renewal_pause(lease: float) -> float:
        return lease / 3 if math.isfinite(lease) else _RENEWAL_UNLESS_KNOWN


def _finite(value: Any, call: str, number: int) -> float:
    try:
        converted = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"trial {number}: {call}() takes a number, not {value!r}") from None
    if not math.isfinite(converted):
        raise ValueError(
            f"trial {number}: {call}() got {converted}, and the model takes finite numbers only; "
            "if the configuration is to blame, call trial.infeasible(reason) or raise "
            "slipstream.Infeasible(reason), otherwise trial.fail(reason)"
        )
    return converted


def _text_of(error: BaseException) -> str:
    kind: Type[BaseException] = type(error)
    return f"{kind.__name__}: {error}" if str(error) else kind.__name__
