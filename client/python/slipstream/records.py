"""What the server knows of studies, trials and source tasks, as it was when it was read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from slipstream.parameters import Parameter, Value


@dataclass(frozen=True)
class Objective:
    """What is measured, and which way is better."""

    metric: str
    maximize: bool
    exact: bool = False  # Whether the same configuration always gives the same value.

    def __str__(self) -> str:
        goal = "maximize" if self.maximize else "minimize"
        return f"{goal} {self.metric}{', exact' if self.exact else ''}"

    def is_better(self, value: float, other: float) -> bool:
        """Whether a value is better than another one."""
        return value > other if self.maximize else value < other


@dataclass(frozen=True)
class StudyDescription:
    """What a study is. Where it describes what is asked for, None is anything."""

    study_id: str
    space: Mapping[str, Parameter]
    objective: Objective
    candidates: List[Dict[str, Any]] = field(default_factory=list)
    allow_repeats: bool = False  # Whether a candidate may be suggested more than once.
    sources: Optional[Tuple[str, ...]] = None  # Names of source tasks.
    preset: Optional[str] = None
    recipe: Optional[Mapping[str, Union[str, float]]] = None  # Ingredients and options.
    seed: Optional[int] = None
    stopping: Optional[str] = None  # The rule of early stopping.
    stopping_options: Optional[Mapping[str, float]] = None
    lease: Optional[float] = None  # Seconds; infinite if leases never end.
    requeues: Optional[int] = None
    title: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    # Only of studies that exist.
    state: str = "active"  # "active", "paused" or "completed".
    trial_count: int = 0
    succeeded_count: int = 0


@dataclass(frozen=True)
class TrialRecord(Mapping[str, Value]):
    """A trial as it stood when it was read; a mapping of its parameters' values."""

    name: str
    number: int
    state: str  # "requested", "active", "succeeded", "failed", "infeasible", "stopped", ...
    params: Dict[str, Value]
    value: Optional[float] = None  # What was measured, if anything was.
    reason: str = ""  # Why it failed, is infeasible or was stopped.
    worker: str = ""
    candidate: Optional[int] = None  # Index in the list of candidates.
    created: Optional[datetime] = None
    started: Optional[datetime] = None
    ended: Optional[datetime] = None
    lease_ends: Optional[datetime] = None
    report_count: int = 0
    last_step: Optional[int] = None
    last_value: Optional[float] = None
    labels: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    def __getitem__(self, name: str) -> Value:
        return self.params[name]

    def __iter__(self) -> Any:
        return iter(self.params)

    def __len__(self) -> int:
        return len(self.params)

    @property
    def duration(self) -> Optional[timedelta]:
        """From its start to its end; None without both."""
        return self.ended - self.started if self.ended and self.started else None


@dataclass(frozen=True)
class SourceTask:
    """A finished tuning run that studies learn from."""

    name: str
    title: str
    version: str
    space: Mapping[str, Parameter]
    objective: Objective
    observation_count: int
    measured_count: int
    study_count: int
    labels: Mapping[str, str] = field(default_factory=dict)
    origin: str = ""


def seconds_of(lease: Union[float, timedelta, None]) -> Optional[float]:
    """A lease in seconds.

    >>> seconds_of(timedelta(minutes=10))
    600.0
    """
    if lease is None:
        return None
    seconds = lease.total_seconds() if isinstance(lease, timedelta) else float(lease)
    if seconds <= 0 or math.isnan(seconds):
        raise ValueError(f"lease={lease!r} must be above 0 seconds; math.inf if leases never end")
    return seconds
