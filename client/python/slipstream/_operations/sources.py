"""Registering and finding source tasks."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Set, Tuple, Union

from slipstream import errors
from slipstream._calls.plan import Plan
from slipstream._convert.names import StudyName, one_project, parent_of, project_of, study_name
from slipstream._convert.spaces import check_parameters, space_message
from slipstream._convert.studies import metric_message
from slipstream._convert.trials import observation_message, outcome_message, source_task_of
from slipstream._operations.misfits import is_outside, labelled, misfits
from slipstream._operations.notices import warn_caller
from slipstream._operations.optuna_studies import maximizes, title_of
from slipstream._operations.other_tools import bare_name
from slipstream._operations.service import Service
from slipstream._operations.studies import NamedSource, StudyReader, find
from slipstream._operations.study_base import StudyBase
from slipstream._operations.table_fit import check_cells, fit_table, place_of_row
from slipstream._operations.table_rows import TableRow, table_rows
from slipstream._wire import messages
from slipstream._wire.messages import Message
from slipstream.parameters import Parameter
from slipstream.records import Objective, SourceTask, StudyDescription, TrialRecord
from slipstream.tables import Table, is_table, read_csv, records_of, rows_of

_COLLECTION = "sourceTasks"
_CHUNK = 1000  # Observations.
_CHUNK_BYTES = 1 << 20
_OUTCOME_OF_STATE = {"failed": "failure", "infeasible": "infeasibility"}


@dataclass(frozen=True)
class Subject:
    """What a table of observations is about, and how to describe it to people."""

    space: Mapping[str, Parameter]
    objective: Objective
    title: str = ""
    version: str = ""
    origin: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    missing: Optional[str] = None  # What a row without a value means: "failed" or "infeasible".
    takes_missing: bool = True  # Whether the caller's function has an argument `missing`.
    project: Optional[str] = None
    table: str = ""  # What errors call the table; empty for nothing.

    def __post_init__(self) -> None:
        check_parameters(self.space)
        if self.missing is not None and self.missing not in _OUTCOME_OF_STATE:
            raise ValueError(f"missing={self.missing!r} must be 'failed' or 'infeasible'")


def _meaning_without_value(row: TableRow, subject: Subject) -> str:
    """Whether it is "failed" or "infeasible". The caller may say what a failed trial means."""
    if row.state == "infeasible":
        return row.state
    meaning = subject.missing or row.state
    if meaning not in _OUTCOME_OF_STATE:
        say = (
            "say what a row without a value means, missing='failed' or missing='infeasible'"
            if subject.takes_missing
            else "give the source task that register_source(..., missing='failed') returns"
        )
        metric, place = subject.objective.metric, place_of_row(subject.table, row.number)
        found = (
            f"{place}: {metric}={row.cells[metric]!r} is not finite"
            if metric in row.cells
            else f"{place} has no {metric!r}"
        )
        raise ValueError(f"{found}: leave it out, or {say}")
    return meaning


def _observation_of_row(row: TableRow, subject: Subject) -> Message:
    metric = subject.objective.metric
    params = {name: cell for name, cell in row.cells.items() if name != metric}
    if metric in row.cells and math.isfinite(row.cells[metric]):
        outcome = outcome_message("measurement", metric, row.cells[metric])
    else:
        meaning = _OUTCOME_OF_STATE[_meaning_without_value(row, subject)]
        outcome = outcome_message(meaning, metric, reason=row.reason)
    return observation_message(params, dict(subject.space), outcome)


def _observations_of_trials(trials: Iterable[TrialRecord], subject: Subject) -> Iterator[Message]:
    metric = subject.objective.metric
    for trial in trials:
        if trial.state == "succeeded":
            outcome = outcome_message("measurement", metric, trial.value)
        elif trial.state in _OUTCOME_OF_STATE:
            outcome = outcome_message(_OUTCOME_OF_STATE[trial.state], metric, reason=trial.reason)
        else:
            continue
        yield observation_message(trial.params, dict(subject.space), outcome)


def chunks_of(observations: Iterable[Message]) -> Iterator[Message]:
    """The observations in messages of bounded size."""
    chunk = messages.new("RegisterSourceTaskRequest")
    size = 0
    for observation in observations:
        more = observation.ByteSize()
        if len(chunk.observations) == _CHUNK or (size and size + more > _CHUNK_BYTES):
            yield chunk
            chunk, size = messages.new("RegisterSourceTaskRequest"), 0
        chunk.observations.append(observation)
        size += more
    if size:
        yield chunk


def _register(
    service: Service, observations: Sequence[Message], subject: Subject
) -> Plan[SourceTask]:
    task = messages.new(
        "SourceTask",
        display_name=subject.title,
        version=subject.version,
        origin=subject.origin,
        labels=dict(subject.labels),
        space=space_message(subject.space, (), False),
        metrics=[metric_message(subject.objective)],
    )

    parent = parent_of(one_project(subject.project))

    def stream(request_id: str) -> Iterator[Message]:
        header = {"source_task": task, "request_id": request_id, "parent": parent}
        yield messages.new("RegisterSourceTaskRequest", header=header)
        yield from chunks_of(observations)

    response = yield from service.register_source_task(stream)
    return source_task_of(response.source_task)


def _checked_rows(table: Table, subject: Subject) -> List[TableRow]:
    metric, is_file, name = subject.objective.metric, False, subject.table or "the table"
    if isinstance(table, os.PathLike):
        is_file, space = True, subject.space
        table = read_csv(table, lambda column: space.get(column) or space.get(bare_name(column)))
    records = records_of(table)
    cells = rows_of([labelled(record, subject.space) for record in records])
    if not cells:
        raise ValueError(f"{name} has no rows, and a source task needs at least one")
    columns = list(dict.fromkeys(name for record in records for name in record))
    rows = table_rows(cells, columns, subject.space, metric)
    if not rows:
        raise ValueError(f"{name} has no trial that succeeded, failed or is infeasible")
    check_cells(rows, subject.space, metric, subject.table, is_file)
    return rows


def register_table(service: Service, table: Table, subject: Subject) -> Plan[SourceTask]:
    """Registers rows; the same content again is the same source task."""
    if isinstance(table, os.PathLike):
        subject = replace(subject, table=os.fspath(table))
    return register_rows(service, _checked_rows(table, subject), subject)


def register_rows(
    service: Service, rows: Sequence[TableRow], subject: Subject
) -> Plan[SourceTask]:
    """Registers rows whose cells have the kinds of the subject's parameters."""
    for row in rows:
        cells = {name: cell for name, cell in row.cells.items() if name in subject.space}
        reasons = misfits(cells, subject.space)
        if reasons:
            place = place_of_row(subject.table, row.number)
            raise errors.InvalidArgument(
                f"{place}: {'; '.join(reasons)}; if the run had another space than this, give its "
                "own as space="
            )
    return _register(service, [_observation_of_row(row, subject) for row in rows], subject)


def register_fitting(
    service: Service, table: Table, subject: Subject, label: str
) -> Plan[SourceTask]:
    """Registers the rows of a table that are within the subject's space. A parameter that the table
    lacks, the source task lacks too."""
    subject = replace(
        subject, table=os.fspath(table) if isinstance(table, os.PathLike) else label
    )
    rows, space = fit_table(
        _checked_rows(table, subject), subject.space, subject.objective, label
    )
    own = replace(subject, space=space)
    return _register(service, [_observation_of_row(row, own) for row in rows], own)


def register_study(
    service: Service, study_id: str, reader: StudyReader, subject: Subject
) -> Plan[SourceTask]:
    """Registers the trials of a study that succeeded, failed or are infeasible."""
    trials = yield from reader.trials()
    observations = list(_observations_of_trials(trials, subject))
    if not observations:
        raise errors.FailedPrecondition(
            f"study {study_id!r} has no finished trial to learn from: leave it out of the sources"
        )
    return (yield from _register(service, observations, subject))


def _warn_of_what_stays(task: SourceTask, asked: Subject) -> None:
    """What is already registered keeps its first description."""
    stay = [
        f"{name} {getattr(task, name)!r}"
        for name in ("title", "version", "origin", "labels")
        if getattr(asked, name) and getattr(asked, name) != getattr(task, name)
    ]
    if stay:
        warn_caller(
            f"the content was registered before, as {task.name}, which keeps its {', '.join(stay)}"
        )


def register(service: Service, source: Any, subject: Subject) -> Plan[SourceTask]:
    """Registers a study, whose space and objective are the subject's, or a table."""
    if isinstance(source, StudyDescription):
        # By its origin a later state of the study is known to be one.
        origin = subject.origin or study_name(source.study_id, source.project).full
        title = subject.title or source.title or source.study_id
        own = replace(subject, origin=origin, title=title)
        task = yield from register_study(
            service, source.study_id, StudyReader(service, source), own
        )
    else:
        warn_of_opposite_direction(source, subject)
        task = yield from register_table(service, source, subject)
    _warn_of_what_stays(task, subject)
    return task


def list_all(service: Service, project: Optional[str]) -> Plan[List[SourceTask]]:
    found = yield from service.list_source_tasks(parent_of(project))
    return [source_task_of(message) for message in found]


def find_name(
    service: Service, source: Union[SourceTask, str], project: Optional[str]
) -> Plan[str]:
    """The full name of a source task, of which the first digits are enough."""
    text = source.name if isinstance(source, SourceTask) else source
    if not isinstance(text, str):
        raise TypeError(f"{text!r} is neither a source task nor the name of one")
    written = re.fullmatch(f"((?:projects/[^/]+/)?{_COLLECTION}/)?([0-9a-f]{{6,32}})", text)
    if written is None:
        raise ValueError(
            f"{text!r} is not the name of a source task: its 32 hexadecimal digits, or the first 6 "
            "or more of them; slipstream.sources() lists them. A CSV file is given as "
            "pathlib.Path(...)"
        )
    project = one_project(project) if written[1] is None else project_of(text)
    digits = written[2]
    prefix = "/".join(filter(None, (parent_of(project), _COLLECTION, digits)))
    if len(digits) == 32:
        return prefix
    tasks = yield from list_all(service, project)
    names = [task.name for task in tasks if task.name.startswith(prefix)]
    if len(names) != 1:
        count = "no source task begins" if not names else f"{len(names)} source tasks begin"
        raise errors.NotFound(f"{count} with {digits}; slipstream.sources() lists them")
    return names[0]


class _KnownSources:
    """The source tasks that a study uses, which are read only if it matters what they were made
    from, and those that were just made from studies."""

    def __init__(self, service: Service, names: Sequence[str]) -> None:
        self._service = service
        self.names = names
        self._by_origin: Optional[Dict[str, List[SourceTask]]] = None
        self._made: Dict[str, NamedSource] = {}
        self._told: Set[Tuple[str, ...]] = set()

    def is_new(self, warning: Tuple[str, ...]) -> bool:
        """Whether it has not been asked yet of this warning, which is told by its parameters."""
        is_new = warning not in self._told
        self._told.add(warning)
        return is_new

    def used(self, study: StudyName) -> Plan[List[SourceTask]]:
        """Those in use that were made from the study, which may have changed or been deleted
        since."""
        if self._by_origin is None:
            self._by_origin = {}
            for name in self.names:
                task = source_task_of((yield from self._service.get_source_task(name)))
                self._by_origin.setdefault(task.origin, []).append(task)
        return self._by_origin.get(study.full, [])

    def made(self, study: StudyName) -> Optional[NamedSource]:
        """The source task that was just made from the study."""
        return self._made.get(study.full)

    def note(self, study: StudyName, source: NamedSource) -> None:
        """Notes that this source task was made from the study."""
        self._made[study.full] = source


def _sources_of_text(
    service: Service, text: str, subject: Subject, known: _KnownSources
) -> Plan[List[NamedSource]]:
    """The source task of this name, or those made from the study with this id; if there are none,
    one is made."""
    try:
        task = yield from find_name(service, text, subject.project)
    except (ValueError, errors.NotFound) as error:
        no_source_task = error
    else:
        return [(yield from _new_source(service, task, subject, known))]
    try:
        name = study_name(text, None if "/" in text else subject.project)
    except ValueError:
        raise no_source_task from None
    there = yield from known.used(name)
    if there:
        return _used_sources(there, name, subject)
    study = yield from find(service, name)
    if study is None:
        raise errors.NotFound(
            f"there is no study {name.short!r} on {service.address}, and {no_source_task}"
        )
    reader = StudyReader(service, study)
    return (yield from _sources_of_study(service, study, reader, subject, known))


def _new_source(
    service: Service, name: str, subject: Subject, known: _KnownSources
) -> Plan[NamedSource]:
    """The source task of this name, which is read unless the study has it already."""
    if name not in known.names:
        task = source_task_of((yield from service.get_source_task(name)))
        _warn_of_opposite_goal(task.title or name, task.objective, subject.objective)
        _warn_of_poor_fit(task.title or name, task, subject, known)
    return NamedSource(name)


def _used_sources(
    tasks: Sequence[SourceTask], study: StudyName, subject: Subject
) -> List[NamedSource]:
    """The source tasks that were made from the study earlier, once or several times."""
    _warn_of_opposite_goal(study.study_id, tasks[0].objective, subject.objective)
    return [NamedSource(task.name) for task in tasks]


def _warn_of_opposite_goal(title: str, source: Objective, study: Objective) -> None:
    """A slip where both measure the same, though models can learn from it."""
    if source.metric == study.metric and source.maximize != study.maximize:
        warn_caller(
            f"source {title!r} is to {source}, and the study to {study}: what was best there is "
            "expected to be best here. If that is a slip, change maximize= or minimize="
        )


def _warn_of_poor_fit(title: str, task: SourceTask, study: Subject, known: _KnownSources) -> None:
    """Slips in a source that is about to be a study's. What holds for several is told of the first."""
    lacking = [repr(name) for name in study.space if name not in task.space]
    unused = [repr(name) for name in task.space if name not in study.space]
    if lacking and unused and known.is_new((*lacking, *unused)):
        are = "is" if len(unused) == 1 else "are"
        warn_caller(
            f"source {title!r} has no {', '.join(lacking)}, and its {', '.join(unused)} {are} not "
            "used. If that is the same under another name, register it again with the study's name"
        )
    for name, best in task.best_params.items():
        parameter = study.space.get(name)
        if parameter is not None and is_outside(best, parameter) and known.is_new((name,)):
            warn_caller(
                f"source {title!r} has its best result at {name}={best!r}, which is not within "
                f"{parameter!r}: results outside the study's space are left out"
            )
            return


def warn_of_opposite_direction(table: Any, subject: Subject) -> None:
    """A slip where the table is an Optuna study with another direction."""
    maximize = maximizes(table)
    if maximize is not None and maximize != subject.objective.maximize:
        warn_caller(
            f"the Optuna study is to {'maximize' if maximize else 'minimize'}, and is registered as "
            f"one to {subject.objective}. If that is a slip, change maximize= or minimize="
        )


def _as_recorded(table: Any, subject: Subject) -> Subject:
    """The subject as which a table is registered for a study: an Optuna study keeps its direction
    and its name."""
    maximize = maximizes(table)
    if maximize is None:
        return subject
    own = replace(subject.objective, maximize=maximize)
    title = title_of(table)
    _warn_of_opposite_goal(title, own, subject.objective)
    return replace(subject, objective=own, title=subject.title or title)


def _sources_of_study(
    service: Service,
    study: StudyDescription,
    reader: StudyReader,
    subject: Subject,
    known: _KnownSources,
) -> Plan[List[NamedSource]]:
    """The source tasks in the subject's project that were made from the study; if there are none,
    one is made."""
    name = study_name(study.study_id, study.project)
    there = yield from known.used(name)
    if there:
        return _used_sources(there, name, subject)
    made = known.made(name)
    if made is not None:
        return [made]
    _warn_of_opposite_goal(study.study_id, study.objective, subject.objective)
    own = Subject(
        study.space, study.objective, study.study_id, origin=name.full, project=subject.project
    )
    task = yield from register_study(service, study.study_id, reader, own)
    _warn_of_poor_fit(study.study_id, task, subject, known)
    made = NamedSource(task.name, name.short)
    known.note(name, made)
    return [made]


def _named(
    service: Service, source: Any, subject: Subject, known: _KnownSources, label: str
) -> Plan[List[NamedSource]]:
    """The source tasks for one source: a SourceTask or its name, a study, its description or its
    id, or a table. Several may have been made from one study.

    A study has its own space and objective; a table has those of the subject, as far as it has
    columns for them. Errors name the source by the label."""
    if isinstance(source, SourceTask):
        title = source.title or source.name
        _warn_of_opposite_goal(title, source.objective, subject.objective)
        if source.name not in known.names:
            _warn_of_poor_fit(title, source, subject, known)
        return [NamedSource(source.name)]
    if isinstance(source, str):
        return (yield from _sources_of_text(service, source, subject, known))
    if isinstance(source, StudyBase):
        study, reader = source._description, source._reader
        return (yield from _sources_of_study(service, study, reader, subject, known))
    if isinstance(source, StudyDescription):
        reader = StudyReader(service, source)
        return (yield from _sources_of_study(service, source, reader, subject, known))
    if not is_table(source):
        raise TypeError(
            f"{label} is a {type(source).__name__}, and a source is a SourceTask or its name, a study "
            "or its id, or a table: a list of rows such as [{'lr': 0.1, 'accuracy': 0.9}], a data "
            "frame, or the pathlib.Path of a CSV file"
        )
    task = yield from register_fitting(service, source, _as_recorded(source, subject), label)
    return [NamedSource(task.name)]


def all_of(project: str) -> str:
    """The name that stands for all source tasks of a project that fit a study."""
    return "/".join(filter(None, (parent_of(project), _COLLECTION, "-")))


def named(
    service: Service, sources: Sequence[Any], subject: Subject, used: Sequence[str]
) -> Plan[Sequence[NamedSource]]:
    """The source tasks for all sources, each once. A study from which some of the `used` source
    tasks were made stands for those."""
    found: Dict[str, NamedSource] = {}
    known = _KnownSources(service, used)
    for index, source in enumerate(sources):
        for one in (yield from _named(service, source, subject, known, f"sources[{index}]")):
            found.setdefault(one.name, one)
    return list(found.values())


def delete(service: Service, source: Union[SourceTask, str]) -> Plan[None]:
    name = yield from find_name(service, source, None)
    yield from service.delete_source_task(name)
