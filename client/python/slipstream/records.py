"""What the server knew of studies, trials and source tasks when it was read."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Union

from slipstream._convert.names import StudyName
from slipstream.parameters import Parameter
from slipstream.scalars import check_count, is_number, plain

_LONGEST_REASON = 80  # Characters of it that a TrialRecord shows.
Lease = Union[float, timedelta, str, None]  # Seconds, or as seconds_of says; None: as it is.


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
class StartComparison:
    """Whether source tasks helped the start of a study. The best result so far, on average over the
    study's first trials, is compared with that of other starts: evenly spread points, with which
    studies without sources begin. The models estimate the results of these points."""

    trials: int  # How many are compared.
    better: float  # The probability that it is better than that of one of these starts, 0 to 1.
    worse: float  # The probability that it is worse; otherwise it is as good.

    def __str__(self) -> str:
        surest = max(self.better, self.worse)
        if surest < 1 - self.better - self.worse:
            return "its start was as good as one without sources"
        chance = "over 99%" if surest > 0.995 else f"{surest:.0%}"
        return (
            f"its start was {'better' if self.better >= self.worse else 'worse'} than one without "
            f"sources, with a probability of {chance}"
        )


@dataclass(frozen=True)
class TransferSummary:
    """Whether source tasks help a study, judged by its results. Two models, one with the source
    tasks and one without, forecast each result.

    `state` is "helping" if results are likelier with the source tasks, "hurting" if they are
    likelier without, and "neutral" if neither is shown. It is "unknown" until four results have
    been forecast, and while all results are equal. If the forecasts show no difference, the start
    decides. The state covers all suggestions so far; if `sources` is empty, the latest one does not
    use them."""

    state: str
    share: float  # The weight of the model with source tasks in the latest suggestion, 0 to 1.
    results: int  # How many results were forecast.
    gain: float  # By how much a result was likelier with the source tasks, in natural logarithms.
    gain_interval: Tuple[float, float]  # Contains the gain with a probability of about 95%.
    # Each source task's share of the latest suggestion, by name; of an earlier one if the latest was
    # the turn of the model without source tasks, or no model asked for it.
    sources: Mapping[str, float]
    shares: Mapping[int, float]  # The share over time, by the number of the trial; the latest 200.
    # Why no source tasks are used: the recipe makes no use of them, or the study has none, or the
    # latest suggestion was made without them. Empty if they are used.
    # The other fields are then those of an earlier suggestion, if any.
    unused_because: str = ""
    start: Optional[StartComparison] = None  # None until there are three results.
    # Whether the suggestion whose shares `sources` has takes the opposite of what the source tasks
    # say, as the results do. They may have been recorded with the wrong sign.
    reversed: bool = False

    def __str__(self) -> str:
        if self.unused_because:
            return f"not used: {self.unused_because}"
        # Below this share the model with sources is no longer asked.
        is_given_up = self.state != "unknown" and self.share < 0.05
        standing = "given up" if is_given_up else self.state
        if is_given_up and self.state == "helping":
            standing = "helped, then given up"
        # A few results can be the opposite by chance.
        if self.reversed and self.state == "helping" and not is_given_up:
            standing += (
                ", with their signs reversed, as results are the opposite of what the sources say "
                "(were these recorded with the wrong sign?)"
            )
        if not self.sources and not is_given_up:
            standing += (
                " so far, but the latest suggestion does not use them, as each has a weight of 0"
            )
        start = f"; {self.start}" if self.start else ""
        text = f"{standing}{start}; the model with sources counts for {self.share:.0%}"
        if self.state == "unknown":
            return text
        times, low, high = (math.exp(gain) for gain in (self.gain, *self.gain_interval))
        return (
            f"{text}, and made a result {times:.2f} times as likely ({low:.2f} to {high:.2f}), "
            f"judging by {self.results} results"
        )


# What an Explanation's `made_by` means.
_MADE_BY = {
    "recipe": "the study's algorithm",
    "without_transfer": "the study's algorithm without its source tasks",
    "quasi_random": "quasi-random points that fill the space evenly",
}


def short_source_name(name: str) -> str:
    """The first digits of a source task's name, as the command line shows them."""
    return name.rsplit("/", 1)[-1][:12]


@dataclass(frozen=True)
class Explanation:
    """Where a suggested configuration came from, as `slipstream explain` shows it. Printing it gives a
    line for each fact."""

    trial: int
    preset: str
    # This is "recipe" if the study's algorithm made the suggestion, "without_transfer" if it did so
    # without the source tasks, and "quasi_random" if the point only fills the space evenly.
    made_by: str
    made_by_reason: str  # Why it was not "recipe"; empty if it was.
    last_trial_seen: int  # The highest trial number that the algorithm had seen.
    sources: Mapping[str, float]  # Each source task's share of the suggestion, by name.
    facts: Mapping[str, Union[float, str]]  # What the algorithm says of this suggestion.
    meanings: Mapping[str, str]  # What facts mean, by their names.
    # Titles by the names of source tasks; at most eight, those of the largest shares.
    titles: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        reason = f": {self.made_by_reason}" if self.made_by_reason else ""
        by = _MADE_BY.get(self.made_by, self.made_by)
        lines = [f"trial {self.trial}: suggested by {by} ({self.preset}){reason}"]
        for name, share in self.sources.items():
            digits = short_source_name(name)
            source = f"{self.titles[name]} ({digits})" if name in self.titles else digits
            lines.append(f"  {source}: {share:.3g} of the suggestion")
        for name, fact in self.facts.items():
            text = f"{fact:.6g}" if isinstance(fact, float) else fact
            meaning = f" ({self.meanings[name]})" if name in self.meanings else ""
            lines.append(f"  {name}: {text}{meaning}")
        return "\n".join(lines)


@dataclass(frozen=True)
class StudyDescription:
    """The definition and state of a study. In a description that is compared with a study, None
    matches anything."""

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
    project: str = "default"
    # Only of studies that exist.
    created: Optional[datetime] = None  # Tells the study apart from others that have had its name.
    state: str = "active"  # "active", "paused" or "completed".
    trial_count: int = 0
    succeeded_count: int = 0
    transfer: Optional[TransferSummary] = None  # None if no source task was weighed.

    def __repr__(self) -> str:
        counts = f"{self.succeeded_count} of {self.trial_count} trials succeeded"
        name = StudyName(self.project, self.study_id).short
        return f"<study {name}, {self.state}: {self.objective}, {counts}>"

    def with_objects(self, objects: Mapping[str, Tuple[Any, ...]]) -> StudyDescription:
        """The same, with what the labels of these choices stand for."""
        space = {
            name: replace(one, objects=objects.get(name, ())) for name, one in self.space.items()
        }
        return replace(self, space=space)


def params_text(params: Mapping[str, Any]) -> str:
    """The values of parameters for people, with numbers rounded."""
    return ", ".join(
        f"{name}={one:.6g}" if isinstance(one, float) else f"{name}={one!r}"
        for name, one in params.items()
    )


@dataclass(frozen=True)
class TrialRecord(Mapping[str, Any]):
    """A trial as it stood when it was read; a mapping of its parameters' values."""

    name: str
    number: int
    state: str  # "requested", "active", "succeeded", "failed", "infeasible", "stopped", ...
    params: Dict[str, Any]  # A choice's own object, if the study was opened with its space.
    value: Optional[float] = None  # What was measured, if anything was.
    reason: str = ""  # Why it failed, is infeasible, was stopped or will not be tried.
    worker: str = ""
    host: str = ""  # The machine that the worker runs on; empty if it is not known.
    process_id: Optional[int] = None  # The worker's process on that machine.
    candidate: Optional[int] = None  # Index in the list of candidates.
    created: Optional[datetime] = None
    started: Optional[datetime] = None
    ended: Optional[datetime] = None
    lease_ends: Optional[datetime] = None
    report_count: int = 0
    last_step: Optional[int] = None
    last_value: Optional[float] = None
    # When a lease runs out, the configuration is queued again as a new trial, and the two are
    # linked by their numbers.
    requeue_of: Optional[int] = None  # The first trial with the configuration of this one.
    requeued_as: Optional[int] = None  # The trial that was queued in place of this one.
    labels: Mapping[str, str] = field(default_factory=dict)  # See `Study.annotate`.
    note: str = ""

    def __hash__(self) -> int:
        return hash((self.name, self.created))  # Dicts, such as of parameters, have none.

    def __repr__(self) -> str:
        value = "" if self.value is None else f" with {self.value:.6g}"
        brief = " ".join(self.reason.split())
        if len(brief) > _LONGEST_REASON:
            brief = f"{brief[:_LONGEST_REASON - 4]} ..."
        reason = f" ({brief})" if brief else ""
        params = params_text(self.params)
        return f"<trial {self.number}, {self.state}{value}{reason}{': ' if params else ''}{params}>"

    def __getitem__(self, name: str) -> Any:
        try:
            return self.params[name]
        except KeyError:
            raise KeyError(
                f"trial {self.number} has no {name!r}, only {', '.join(self.params)}; a parameter "
                "that is not active has no value, see get()"
            ) from None

    if not TYPE_CHECKING:  # To which a record would have every attribute.

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name not in self.__dict__.get("params", ()):
                return self.__getattribute__(name)  # Complains of what is missing.
            raise AttributeError(
                f"a record has no attribute {name!r}: the parameter is record[{name!r}]"
            )

    def __iter__(self) -> Any:
        return iter(self.params)

    def __len__(self) -> int:
        return len(self.params)

    @property
    def duration(self) -> Optional[timedelta]:
        """The time from the trial's start to its end, or None unless it has both. Never negative,
        even if the server's clock was set back."""
        if not self.ended or not self.started:
            return None
        return max(self.ended - self.started, timedelta(0))


@dataclass(frozen=True)
class StudyEvent:
    """Something that happened to a study or one of its trials."""

    # "study_changed", "study_deleted", "trial_queued", "trial_leased", "trial_reported",
    # "trial_ended", "trial_stale", "trial_released", "trial_withdrawn", "incumbent_improved", ...
    kind: str
    time: Optional[datetime]
    number: Optional[int]  # The trial's; None for an event of the study itself.
    value: Optional[float]  # What was measured; None where there is none.
    worker: str  # The worker that a trial was leased to.
    resume_token: str  # `watch` goes on after this event.


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
    origin: str = ""  # Where the run came from; the study's name if it was one.
    best_value: Optional[float] = None  # The best result, None if there is none, ...
    best_params: Mapping[str, Any] = field(default_factory=dict)  # ... and where it was.
    created: Optional[datetime] = field(default=None, compare=False)  # When it was registered.

    def __repr__(self) -> str:
        title = f" ({self.title})" if self.title else ""
        best = "" if self.best_value is None else f", best {self.best_value:.6g}"
        counts = f"{self.measured_count} of {self.observation_count} measured"
        return f"<source task {short_source_name(self.name)}{title}: {self.objective}, {counts}{best}>"


@dataclass(frozen=True)
class IngredientOption:
    """A number that an ingredient can be given."""

    name: str
    summary: str
    low: float  # The least legal value, ...
    high: float  # ... and the greatest.
    whole: bool  # Whether it must be a whole number.
    unit: str  # Empty for a plain number.
    default: Optional[float]  # None if the server chooses one, as the summary says.

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        default = "" if self.default is None else f", default {self.default:g}"
        kind = "whole, " if self.whole else ""
        return f"{self.name}: {self.summary} ({kind}{self.low:g} to {self.high:g}{unit}{default})"


@dataclass(frozen=True)
class Ingredient:
    """A part that algorithms are made of, or a rule of early stopping."""

    axis: str  # The key in `recipe=`, such as "acquisition", "model" for what every recipe has, ...
    name: str  # ... and its value there. On the axis "stopping", the value of `stopping=`.
    summary: str
    source: str  # The publication; empty where there is none.
    options: Tuple[IngredientOption, ...]  # For `recipe=`, or for `stopping_options=`.
    conflicts: Tuple[str, ...]  # What it cannot be combined with, and why.

    def __repr__(self) -> str:
        return f"<{self.axis} {self.name}: {self.summary}>"


@dataclass(frozen=True)
class Preset:
    """An algorithm that a study can have."""

    name: str  # For `preset=`.
    summary: str
    is_default: bool  # Whether studies that name no preset get this one.
    recipe: Mapping[str, Union[str, float]]  # Its ingredients and options; empty without a model.

    def __repr__(self) -> str:
        return f"<preset {self.name}{', the default' if self.is_default else ''}: {self.summary}>"


_MOST_REQUEUES = 100  # As the server has it.
_LONGEST_LEASE = 365 * 86400  # Seconds, as the server has it.
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"(?:([0-9.]+)d)?(?:([0-9.]+)h)?(?:([0-9.]+)m)?(?:([0-9.]+)s)?")


def _seconds_in(text: str) -> Optional[float]:
    """The seconds of a text such as "1h30m"; None if it is no duration."""
    written = _DURATION.fullmatch(text)
    if not text or written is None:
        return None
    try:
        parts = zip(written.groups(), ("d", "h", "m", "s"))
        return sum(float(number) * _UNITS[unit] for number, unit in parts if number is not None)
    except ValueError:
        return None


def duration_text(seconds: float) -> str:
    """A lease in the form that `seconds_of` takes.

    >>> duration_text(5400.0), duration_text(85.25), duration_text(math.inf)
    ('1h30m', '1m25.25s', 'math.inf')
    """
    if math.isinf(seconds):
        return "math.inf"
    text, left = "", round(seconds * 1000)
    for unit, size in reversed(_UNITS.items()):
        number, left = divmod(left, 1000 * size) if unit != "s" else (left / 1000, 0)
        text += f"{number:g}{unit}" if number else ""
    return text


def seconds_of(lease: Lease) -> Optional[float]:
    """A lease in seconds, to the millisecond, as the server has it.

    >>> seconds_of(timedelta(minutes=10)), seconds_of("1h30m")
    (600.0, 5400.0)
    """
    if lease is None:
        return None
    seconds: Any = plain(lease)
    if isinstance(lease, timedelta):
        seconds = lease.total_seconds()
    elif isinstance(lease, str):
        seconds = _seconds_in(lease)
    if not is_number(seconds):
        raise TypeError(
            f"lease={lease!r} must be a number of seconds, a timedelta, or a string such as '90s', "
            "'10m', '1h30m' or '2d'"
        )
    if _LONGEST_LEASE < seconds < math.inf:
        raise ValueError(
            f"lease={lease!r} must be at most 365 days; math.inf if leases never end"
        )
    rounded: float = round(float(max(seconds, 0)), 3)
    if not rounded > 0:
        raise ValueError(f"lease={lease!r} must be above 0 seconds; math.inf if leases never end")
    return rounded


def checked_requeues(requeues: Optional[int]) -> Optional[int]:
    """How often a configuration is queued again, if that is given, within the server's bound."""
    return None if requeues is None else check_count("requeues", requeues, 0, _MOST_REQUEUES)
