"""A trial that this process holds: its values, and what is known of it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Tuple, TypeVar

from slipstream._operations.foreign_names import OF_TRIALS
from slipstream._operations.meant_study import MeantStudy
from slipstream._operations.service import Service
from slipstream._wire.messages import Message
from slipstream.parameters import Parameter
from slipstream.records import TrialRecord, params_text

OneTrial = TypeVar("OneTrial", bound="TrialValues")


@dataclass(frozen=True)
class Holder:
    """What the trials of one suggestion share."""

    service: Service
    study: MeantStudy
    metric: str
    space: Mapping[str, Parameter]
    lease: float  # Seconds; infinite if leases never end.
    worker: str
    give_back: Callable[[], None]  # Called once when the trial has its outcome.


class TrialValues(Mapping[str, Any]):
    """A mapping of the parameters' values, which are attributes too: `trial["lr"]`, `trial.lr`.

    A parameter that is not active has no value: `trial.get("degree")` is None. One that is called
    like an attribute of the trial's own, such as "number" or "items", is `trial["number"]` only, of
    which a warning tells when the study is opened."""

    def __init__(self, holder: Holder, record: TrialRecord) -> None:
        self._holder = holder
        self._record = record
        self._suggested_at = time.monotonic()
        self._ended = False
        self._has_outcome = False  # That this process has recorded.
        self._on_its_way: Optional[Message] = None  # The outcome, until it is known what became of it.
        self._unrecorded = False  # Whether an outcome could not be recorded.
        self._given_back = False
        self._lost = False
        self._value: Optional[float] = None
        self._advice: Optional[str] = None  # The reason of the advice to stop.
        self._last_report: Optional[Tuple[int, float]] = None
        self._drops_reports = False  # Whether a warning has told of reports beyond the limit.
        self._unsent: Dict[int, float] = {}  # Reports that the server has not taken yet, by step.
        self._unheard = False  # Whether the latest report or question got no answer.
        self._told_of_silence = False

    def __getitem__(self, name: str) -> Any:
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
            raise AttributeError(self._why_no_attribute(name)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            return super().__setattr__(name, value)
        raise AttributeError(
            f"{name!r} cannot be set: the outcome is recorded for the values that were suggested; "
            "compute with a copy, such as dict(trial)"
        )

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __copy__(self: OneTrial) -> OneTrial:
        return self  # It has one outcome, and one lease that is renewed.

    def __deepcopy__(self: OneTrial, memo: Dict[int, Any]) -> OneTrial:
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        raise TypeError(
            f"{self!r} cannot be pickled, as this process holds it and renews its lease: pass "
            "dict(trial) and complete the trial here, or pass the study and call suggest() there"
        )

    def __repr__(self) -> str:
        return f"<trial {self._short_name()}: {params_text(self)}>"

    def _short_name(self) -> str:
        short = self.name.replace("/trials/", "/")
        return short[len("studies/"):] if short.startswith("studies/") else short

    def _why_missing(self, name: str) -> str:
        if name in self._holder.space:
            condition = self._holder.space[name].condition
            return f"{name!r} is not active in this trial, only when {condition!r}; see get()"
        return f"{name!r} is not a parameter of the study, which has {', '.join(self._holder.space)}"

    def _why_no_attribute(self, name: str) -> str:
        if name in OF_TRIALS and name not in self._holder.space:
            return f"a trial has no {name!r} here: {OF_TRIALS[name]}"
        return self._why_missing(name)

    @property
    def name(self) -> str:
        """The name on the server, "studies/{study}/trials/{number}", after "projects/{project}/" if
        that is another one than "default"."""
        return self._record.name

    @property
    def number(self) -> int:
        """The number in the study, from 1."""
        return self._record.number

    @property
    def params(self) -> Dict[str, Any]:
        """A copy of the values by name, as records of trials have them."""
        return dict(self._record.params)

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

        The outcome is still accepted, but another worker may be doing the same work."""
        return self._lost

    @property
    def ended(self) -> bool:
        """Whether the trial has its outcome, or was given back."""
        return self._ended

    @property
    def given_back(self) -> bool:
        """Whether the trial was given back without an outcome."""
        return self._given_back

    @property
    def measured(self) -> Optional[float]:
        """The value that it was completed with; None until then, and after another outcome."""
        return self._value

    @property
    def stop_reason(self) -> Optional[str]:
        """Why `should_stop` advised to stop; None if it did not."""
        return self._advice
