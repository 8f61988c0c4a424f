"""Opening a study that is asked for, with its source tasks."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from slipstream import errors
from slipstream._calls.plan import Plan
from slipstream._operations import sources, studies
from slipstream._operations.notices import warn_caller
from slipstream._operations.optuna_studies import OptunaStudy, is_optuna_study
from slipstream._operations.service import Service
from slipstream._operations.studies import NamedSource
from slipstream._operations.study_base import StudyBase
from slipstream._operations.study_request import StudyRequest, choose_objective
from slipstream.parameters import Parameter, with_labels
from slipstream.records import SourceTask, StudyDescription
from slipstream.tables import is_table

_REGISTERED_ONLY = (
    "with this token, sources= can be \"all\" or name source tasks that are registered already: "
    "slipstream.sources() lists them"
)


def open_study(service: Service, request: StudyRequest) -> Plan[StudyDescription]:
    """The study, created if there is none, after its sources have been registered.

    One that exists says itself what the request leaves out."""
    existing, missing = None, request.missing()
    if missing:
        existing = yield from studies.find(service, request.name)
        if existing is None:
            raise ValueError(
                f"there is no study {request.name.short!r} on {service.address}; to create it, "
                f"give {', and '.join(missing)}"
            )
        request = request.completed_by(existing)
    asked = request.describe()
    subject = sources.Subject(
        asked.space, asked.objective, project=asked.project, takes_missing=False
    )
    listed = request.source_list()

    def sources_for(there: Optional[StudyDescription]) -> Plan[Optional[Sequence[NamedSource]]]:
        if listed is None:
            return None
        used = (there.sources or ()) if there is not None else ()
        try:
            return (yield from sources.named(service, listed, subject, used))
        except errors.PermissionDenied as denied:
            if "RegisterSourceTask" in str(denied):
                denied.args = (f"{denied}; {_REGISTERED_ONLY}",)
            raise

    all_sources = (sources.all_of(asked.project),) if request.wants_all_sources else None
    study = yield from studies.create_or_load(service, asked, existing, sources_for, all_sources)
    if request.wants_all_sources and not study.sources:
        warn_caller(
            f"study {study.study_id!r} has no source task: none of its project had a result, the "
            "study's objective and a parameter in common with it when the study was created"
        )
    elif study.trial_count == 0 and study.transfer is not None and study.transfer.unused_because:
        warn_caller(f"study {study.study_id!r}: {study.transfer.unused_because}")
    return study.with_objects({name: one.objects for name, one in asked.space.items()})


def register_source(
    service: Service,
    source: Any,
    space: Optional[Mapping[str, Parameter]],
    like: Optional[StudyBase],
    maximize: Optional[str],
    minimize: Optional[str],
    project: Optional[str],
    **description: Any,
) -> Plan[SourceTask]:
    """Registers a study, or a table whose space and objective are given or another study's. It
    belongs to that study's project unless another one is given."""
    if isinstance(source, str):
        raise TypeError(
            f"{source!r} is neither a study nor a table: give slipstream.load({source!r}) for the "
            f"study with this id, or pathlib.Path({source!r}) for a CSV file"
        )
    if like is not None and not isinstance(like, StudyBase):
        raise TypeError(f"like={like!r} must be a study: give slipstream.load(...) of its id")
    if not isinstance(source, (StudyBase, StudyDescription)) and not is_table(source):
        raise TypeError(
            f"{source!r} is neither a study nor a table: a list of rows such as "
            "[{'lr': 0.1, 'accuracy': 0.9}], a data frame, or the pathlib.Path of a CSV file"
        )
    if isinstance(source, (StudyBase, StudyDescription)):
        if space is not None or maximize or minimize or like is not None:
            raise TypeError(
                "a study is registered with its own space and objective: leave out space=, "
                "maximize=, minimize= and like="
            )
        study = source._description if isinstance(source, StudyBase) else source
        subject = sources.Subject(
            study.space, study.objective, project=project or study.project, **description
        )
        return sources.register(service, study, subject)
    if space is None and like is None and is_optuna_study(source):
        return _register_optuna(service, source, maximize, minimize, project, **description)
    if space is None and like is None:
        raise ValueError(
            "which space is it? Give space= with maximize= or minimize=, or like=study"
        )
    if like is None or maximize or minimize:
        objective = choose_objective(maximize, minimize, False)
    else:
        objective = like.objective
    domain = space if space is not None or like is None else like.space
    if project is None and like is not None:
        project = like.project
    subject = sources.Subject(
        with_labels(domain or {}), objective, project=project, **description
    )
    return sources.register(service, source, subject)


def _register_optuna(
    service: Service,
    source: Any,
    maximize: Optional[str],
    minimize: Optional[str],
    project: Optional[str],
    **description: Any,
) -> Plan[SourceTask]:
    """Registers a study of Optuna's with its own space, and with its own objective unless another
    one is given."""
    study = OptunaStudy(source)
    objective = study.objective
    if maximize or minimize:
        objective = choose_objective(maximize, minimize, False)
    described = {**description, "title": description.get("title") or study.title}
    subject = sources.Subject(study.space, objective, project=project, **described)
    sources.warn_of_opposite_direction(source, subject)
    return sources.register_rows(service, study.rows(objective.metric), subject)
