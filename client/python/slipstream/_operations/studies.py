"""Creating, loading and reading studies."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple, Union

from slipstream import errors
from slipstream._calls.plan import Plan
from slipstream._convert.differences import differences, remedies
from slipstream._convert.names import StudyName, parent_of, study_name
from slipstream._convert.studies import fill_lease, study_message, study_of
from slipstream._convert.trials import (
    explanation_of,
    observation_message,
    outcome_message,
    trial_of,
)
from slipstream._convert.values import configuration_of
from slipstream._operations.annotations import Labels, annotate, check_new, merged, texts_of
from slipstream._operations.meant_study import MeantStudy, meant_study
from slipstream._operations.misfits import labelled, misfits, with_defaults
from slipstream._operations.service import Service
from slipstream._operations.trial_values import TrialValues
from slipstream._wire import messages
from slipstream._wire.messages import Message
from slipstream.parameters import Parameter, Value
from slipstream.records import (
    Explanation,
    Lease,
    StudyDescription,
    TrialRecord,
    checked_requeues,
    seconds_of,
)
from slipstream.scalars import check_count, check_finite, plain
from slipstream.tables import is_missing

_LAST_NUMBER = 2**63 - 1  # Of a trial.
_MOST_TITLES = 8  # Of source tasks in an explanation; each takes a call.
_MOST_SHOWN = 8  # Most parameters of a configuration that an error shows.


def load(
    service: Service, study_id: str, project: Optional[str] = None
) -> Plan[StudyDescription]:
    message = yield from service.get_study(study_name(study_id, project).full)
    return study_of(message)


def load_meant(service: Service, meant: MeantStudy) -> Plan[StudyDescription]:
    """The study as it is now; NotFound if another one has its name."""
    study = study_of((yield from service.get_study(meant.name)))
    if meant.created is not None and study.created != meant.created:
        raise errors.NotFound(
            f"cannot read {meant.name} on {service.address}: {meant.name} is not the study that "
            "the call is about, which is gone: it was deleted and created again, or replaced by an "
            "import"
        )
    return study


def list_all(service: Service, project: Optional[str]) -> Plan[List[StudyDescription]]:
    found = yield from service.list_studies(parent_of(project))
    return [study_of(message) for message in found]


def delete(service: Service, study_id: str, project: Optional[str]) -> Plan[None]:
    yield from service.delete_study(study_name(study_id, project).full)


def find(service: Service, name: StudyName) -> Plan[Optional[StudyDescription]]:
    """The study as it is; None if there is none."""
    try:
        return study_of((yield from service.get_study(name.full)))
    except errors.NotFound:
        return None


def _create_if_new(service: Service, name: StudyName, study: Message) -> Plan[Optional[Message]]:
    try:
        return (yield from service.create_study(name.study_id, parent_of(name.project), study))
    except errors.AlreadyExists:  # Another process was faster.
        return None


@dataclass(frozen=True)
class NamedSource:
    """A source task by its name."""

    name: str
    study: str = ""  # The study that it was just made from, as people write it; empty if none.


# The sources that a study is asked to have, given the study if it exists; None for any.
SourcesFor = Callable[[Optional[StudyDescription]], Plan[Optional[Sequence[NamedSource]]]]


def create_or_load(
    service: Service,
    asked: StudyDescription,
    existing: Optional[StudyDescription],
    sources_for: SourcesFor,
    all_sources: Optional[Tuple[str, ...]],
) -> Plan[StudyDescription]:
    """The study with the id, which may have been read. StudyDiffers if it exists and is not what is
    asked for.

    `all_sources`: the source tasks of a new study, in place of those of `sources_for`."""
    name = study_name(asked.study_id, asked.project)
    study_message(asked)  # Raises for a malformed space even if the study exists.
    existing = existing or (yield from find(service, name))
    named = yield from sources_for(existing)
    if existing is None:
        request = study_message(replace(asked, sources=all_sources or _names(named)))
        created = yield from _create_if_new(service, name, request)
        if created is not None:
            return study_of(created)
        existing = study_of((yield from service.get_study(name.full)))
        named = yield from sources_for(existing)
    made_of = {one.name: one.study for one in named or () if one.study}
    found = differences(replace(asked, sources=_names(named)), existing, made_of)
    if found:
        raise errors.StudyDiffers(
            f"study {name.short!r} on {service.address} exists, but is not the one asked for:"
            + "".join(f"\n  {difference}" for difference in found)
            + f"\n{remedies(asked, existing, name.short)}",
            found,
        )
    return existing


def _names(named: Optional[Sequence[NamedSource]]) -> Optional[Tuple[str, ...]]:
    return None if named is None else tuple(one.name for one in named)


def _without_inactive(
    params: Mapping[str, Any], space: Mapping[str, Parameter]
) -> Dict[str, Any]:
    """The parameters without conditional ones that are None or NaN, as rows have them where they
    are not active."""
    return {
        name: value
        for name, value in params.items()
        if not (name in space and space[name].condition is not None and is_missing(plain(value)))
    }


def _brief(params: Mapping[str, Value]) -> str:
    shown = [f"{name}={value!r}" for name, value in list(params.items())[:_MOST_SHOWN]]
    more = len(params) - len(shown)
    return "{" + ", ".join(shown) + (f" and {more} more" if more else "") + "}"


def _told_outcome(
    call: str, metric: str, value: Optional[float], reasons: Mapping[str, Optional[str]]
) -> Message:
    given = {kind: reason for kind, reason in reasons.items() if reason is not None}
    for kind, reason in given.items():
        if not isinstance(reason, str):
            raise TypeError(f"{call}: {kind}={reason!r} must be the reason, a string")
    number = None if value is None else check_finite(call, value)
    if number is not None and not given:
        return outcome_message("measurement", metric, number)
    if list(given) == ["stopped"]:
        return outcome_message("early_stop", metric, number, given["stopped"] or "")
    if number is not None or len(given) != 1:
        raise TypeError(
            f"{call} needs one of value, failed=, infeasible= and stopped=, which may have a value"
        )
    (kind,) = given
    name = {"failed": "failure", "infeasible": "infeasibility"}[kind]
    return outcome_message(name, metric, reason=given[kind] or "")


# A trial by its number, as it was read, or as this process holds it.
AnyTrial = Union[int, TrialRecord, TrialValues]


def _record_in(trial: AnyTrial) -> Union[int, TrialRecord]:
    return trial._record if isinstance(trial, TrialValues) else trial


class StudyReader:
    """Plans that read one study, or add trials to it."""

    def __init__(self, service: Service, study: StudyDescription) -> None:
        self._service = service
        self._study = study
        self._space = dict(study.space)
        self._meant = meant_study(study)
        self._name = self._meant.name

    def _record(self, message: Any) -> TrialRecord:
        return trial_of(message, self._space, self._study.objective.metric)

    def trials(self) -> Plan[List[TrialRecord]]:
        found = yield from self._service.list_trials(self._meant)
        return [self._record(message) for message in found]

    def best(self) -> Plan[Optional[TrialRecord]]:
        response = yield from self._service.best_trials(self._meant, 1)
        return self._record(response.trials[0]) if response.trials else None

    def description(self) -> Plan[StudyDescription]:
        return self._declared((yield from load_meant(self._service, self._meant)))

    def _declared(self, study: StudyDescription) -> StudyDescription:
        """The study, read again, with what its labels stand for."""
        return study.with_objects({name: one.objects for name, one in self._space.items()})

    def set_state(self, state: str) -> Plan[None]:
        yield from self._service.set_study_state(self._meant, state)

    def change(
        self,
        title: Optional[str],
        labels: Optional[Labels],
        lease: Lease = None,
        requeues: Optional[int] = None,
    ) -> Plan[StudyDescription]:
        """Gives the study another title and other leases, unless they are None, and labels beside
        those it has."""
        if all(one is None for one in (title, labels, lease, requeues)):
            raise TypeError(
                "change() got nothing to change: give title=, labels=, lease= or requeues="
            )
        title = plain(title)
        if not isinstance(title, (str, type(None))):
            raise TypeError(f"title={title!r} must be a string")
        texts = texts_of(labels or {})
        seconds = seconds_of(lease)
        count = checked_requeues(requeues)
        study = yield from self.description()
        changes: Dict[str, Any] = {} if title in (None, study.title) else {"display_name": title}
        if merged(study.labels, texts) != study.labels:
            changes["labels"] = merged(study.labels, texts)
        changed = replace(
            study,
            lease=study.lease if seconds is None else seconds,
            requeues=study.requeues if count is None else count,
        )
        if changed != study:
            changes["lease_policy"] = messages.new("LeasePolicy")
            fill_lease(changes["lease_policy"], changed)
        if not changes:
            return study
        changed_one = yield from self._service.change_study(self._meant, changes)
        return self._declared(study_of(changed_one))

    def record(
        self,
        params: Mapping[str, Any],
        value: Optional[float],
        reasons: Mapping[str, Optional[str]],
        labels: Optional[Labels] = None,
        note: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> Plan[TrialRecord]:
        """Adds a trial from elsewhere with its outcome: a value, or a kind without one and its
        reason."""
        outcome = _told_outcome("record()", self._study.objective.metric, value, reasons)
        observation = self._observation(params, outcome)
        return (yield from self._add(observation, labels, note, request_id))

    def enqueue(
        self,
        params: Mapping[str, Any],
        unless_there: bool,
        labels: Optional[Labels] = None,
        note: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> Plan[TrialRecord]:
        """Adds a configuration to try next; with `unless_there`, not if a trial has it already."""
        observation = self._observation(params, None)
        if unless_there:
            wanted = configuration_of(observation.configuration, self._space)
            for trial in (yield from self.trials()):
                if labelled(trial.params, self._space) == wanted:
                    return trial
        return (yield from self._add(observation, labels, note, request_id))

    def _add(
        self,
        observation: Message,
        labels: Optional[Labels],
        note: Optional[str],
        request_id: Optional[str],
    ) -> Plan[TrialRecord]:
        """The trial that is made of the observation. Its labels and its note take a call of their
        own."""
        check_new(labels, note)
        self._check_candidate(configuration_of(observation.configuration, self._space))
        response = yield from self._service.add_trials(self._meant, [observation], request_id)
        trial = self._record(response.trials[0])
        if labels is None and note is None:
            return trial
        return (yield from self.annotate(trial, labels, note))

    def _observation(self, params: Any, outcome: Optional[Message]) -> Message:
        """The configuration with its outcome. One that is still to be tried has the declared
        defaults of what it lacks."""
        if not isinstance(params, Mapping):
            raise TypeError(
                f"the configuration is {params!r}, and must be a dict of the parameters' values, "
                f"such as {{{next(iter(self._space))!r}: ...}}"
            )
        given = _without_inactive(labelled(params, self._space), self._space)
        observation = observation_message(given, self._space, outcome)
        values = configuration_of(observation.configuration, self._space)
        if outcome is None:
            values = with_defaults(values, self._space)
            observation = observation_message(values, self._space, None)
        reasons = misfits(values, self._space)
        if reasons:
            raise errors.InvalidArgument(
                f"the configuration does not fit {self._name}: {'; '.join(reasons)}"
            )
        return observation

    def tell(
        self,
        trial: Union[int, TrialRecord],
        value: Optional[float],
        reasons: Mapping[str, Optional[str]],
    ) -> Plan[TrialRecord]:
        """Records the outcome of a trial that need not be this process' own: a value, or a kind of
        outcome without one and its reason."""
        if isinstance(trial, TrialValues):
            raise TypeError(
                f"{trial!r} is held by this process: end it by its own methods, such as "
                "trial.complete(value), or give its number, trial.number"
            )
        outcome = _told_outcome("tell()", self._study.objective.metric, value, reasons)
        trial = yield from self._found(trial)
        name = self.name_of(trial)
        yield from self._service.observe(name, trial.created, outcome)
        return self._record((yield from self._service.get_trial(name, trial.created)))

    def _found(self, trial: AnyTrial) -> Plan[TrialRecord]:
        """The trial of this number; a record as it is, also that of a trial that is held."""
        known = _record_in(trial)
        return known if isinstance(known, TrialRecord) else (yield from self.trial(known))

    def trial(self, number: int) -> Plan[TrialRecord]:
        """The trial as it is now. NotFound if another study has this one's name by then."""
        record = self._record((yield from self._service.get_trial(self.name_of(number))))
        yield from self.description()
        return record

    def _check_candidate(self, params: Dict[str, Value]) -> None:
        if self._study.candidates and tuple(params.items()) not in self._candidates:
            raise errors.InvalidArgument(
                f"{_brief(params)} is not among the {len(self._study.candidates)} candidates of "
                f"{self._name}"
            )

    @functools.cached_property
    def _candidates(self) -> Set[Tuple[Tuple[str, Value], ...]]:
        return {tuple(row.items()) for row in self._study.candidates}

    def name_of(self, trial: AnyTrial) -> str:
        """The full name of a trial of this study, given by its number, as it was read or as it is
        held."""
        trial = _record_in(trial)
        if not isinstance(trial, TrialRecord):
            return f"{self._name}/trials/{check_count('trial', trial, 1, _LAST_NUMBER)}"
        if trial.name != f"{self._name}/trials/{trial.number}":
            raise ValueError(f"{trial.name} is not a trial of {self._name}")
        return trial.name

    def annotate(
        self, trial: AnyTrial, labels: Optional[Labels], note: Optional[str]
    ) -> Plan[TrialRecord]:
        trial = _record_in(trial)
        created = trial.created if isinstance(trial, TrialRecord) else None
        name = self.name_of(trial)
        message = yield from annotate(self._service, self._meant, name, created, labels, note)
        return self._record(message)

    def source_weights(self, trial: AnyTrial) -> Plan[Mapping[str, float]]:
        """The share that each source task had in a suggestion."""
        explanation = yield from self._explanation(trial)
        return explanation.sources if explanation else {}

    def explain(self, trial: AnyTrial) -> Plan[Optional[Explanation]]:
        """Where the suggestion came from; None if there was none."""
        explanation = yield from self._explanation(trial)
        if explanation is None:
            return None
        titles = yield from self.source_titles(list(explanation.sources)[:_MOST_TITLES])
        return replace(explanation, titles={name: one for name, one in titles.items() if one})

    def _explanation(self, trial: AnyTrial) -> Plan[Optional[Explanation]]:
        trial = yield from self._found(trial)
        message = yield from self._service.explain(trial.name, trial.created)
        return explanation_of(trial.number, message, self._space, bool(self._study.sources))

    def source_titles(self, names: Optional[Sequence[str]] = None) -> Plan[Dict[str, str]]:
        """The titles of these source tasks, or of all that the study has, by name. Those that cannot
        be read are left out, as those of another project that the caller may not read."""
        titles = {}
        for name in (self._study.sources or ()) if names is None else names:
            try:
                titles[name] = (yield from self._service.get_source_task(name)).display_name
            except errors.SlipstreamError:
                continue
        return titles

    def reports(self, trial: AnyTrial) -> Plan[Dict[int, float]]:
        """The values that a trial reported before its outcome, by step."""
        trial = yield from self._found(trial)
        response = yield from self._service.list_reports(trial.name, trial.created)
        metric = self._study.objective.metric
        return {one.step: one.measurement.metrics[metric] for one in response.reports}
