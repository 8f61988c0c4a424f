"""What a caller asks a study to be, before it is checked and its source tasks are registered."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from slipstream._convert.names import StudyName, study_name
from slipstream._operations.misfits import labelled
from slipstream._operations.study_base import StudyBase
from slipstream.parameters import Parameter, with_labels
from slipstream.records import (
    Lease,
    Objective,
    SourceTask,
    StudyDescription,
    checked_requeues,
    seconds_of,
)
from slipstream.scalars import check_count, label_texts, plain
from slipstream.tables import Table, infer_space, records_of, rows_of

_LAST_SEED = 2**64 - 1
_AN_OBJECTIVE = "one of maximize='accuracy' and minimize='loss', with the name of what is measured"


def choose_objective(maximize: Optional[str], minimize: Optional[str], exact: bool) -> Objective:
    """Exactly one of the names must be given."""
    for argument, metric in (("maximize", maximize), ("minimize", minimize)):
        if metric is not None and not isinstance(metric, str):
            raise TypeError(
                f"{argument}={metric!r} must be the name of what is measured, such as "
                f"{argument}='loss'; a study has one objective"
            )
    if maximize and minimize:
        raise ValueError(
            f"maximize={maximize!r} and minimize={minimize!r} are two objectives, but a study has one"
        )
    if not maximize and not minimize:
        raise ValueError(f"what is the objective? Give {_AN_OBJECTIVE}")
    return Objective(maximize or minimize or "", bool(maximize), exact)


def _plain_values(argument: str, options: Any) -> Optional[Dict[str, Any]]:
    """The options with values that compare equal to those of the study that they describe."""
    if options is None:
        return None
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise TypeError(f"{argument}={options!r} must be values by name")
    return {name: plain(value) for name, value in options.items()}


def _check_text(argument: str, value: Any) -> None:
    if not isinstance(value, (str, type(None))):
        raise TypeError(f"{argument}={value!r} must be a string")


@dataclass(frozen=True)
class StudyRequest:
    """The arguments of `create_or_load`, which explains them."""

    study_id: str
    space: Optional[Mapping[str, Parameter]] = None
    maximize: Optional[str] = None
    minimize: Optional[str] = None
    sources: Union[Iterable[Any], str, None] = None
    candidates: Optional[Table] = None
    allow_repeats: bool = False
    exact: bool = False
    preset: Optional[str] = None
    recipe: Optional[Mapping[str, Union[str, float]]] = None
    seed: Optional[int] = None
    stopping: Optional[str] = None
    stopping_options: Optional[Mapping[str, float]] = None
    lease: Lease = None
    requeues: Optional[int] = None
    title: str = ""
    labels: Optional[Mapping[str, Union[str, float]]] = None
    project: Optional[str] = None

    def describe(self) -> StudyDescription:
        """The study asked for, still without its source tasks."""
        candidates = self._list_candidates()
        for argument in ("preset", "stopping", "title"):
            _check_text(argument, getattr(self, argument))
        if self.stopping_options and not self.stopping:
            raise ValueError("stopping_options need a rule: give stopping='median' or another")
        name = self.name
        space = self._choose_space(candidates)
        objective = choose_objective(self.maximize, self.minimize, self.exact)
        if objective.metric in space:
            raise ValueError(
                f"{'maximize' if self.maximize else 'minimize'}={objective.metric!r} is the name of a "
                "parameter; give what is measured another one"
            )
        return StudyDescription(
            name.study_id,
            space,
            objective,
            candidates,
            self.allow_repeats,
            preset=self.preset or None,
            recipe=_plain_values("recipe", self.recipe),
            seed=None if self.seed is None else check_count("seed", self.seed, 0, _LAST_SEED),
            stopping=self.stopping or None,
            stopping_options=_plain_values("stopping_options", self.stopping_options),
            lease=seconds_of(self.lease),
            requeues=checked_requeues(self.requeues),
            title=self.title,
            labels=label_texts(self.labels),
            project=name.project,
        )

    def _list_candidates(self) -> List[Dict[str, Any]]:
        if self.candidates is None:
            return []
        rows = records_of(self.candidates)
        if isinstance(self.space, Mapping):
            space = {n: one for n, one in with_labels(self.space).items() if isinstance(one, Parameter)}
            rows = [labelled(row, space) for row in rows]
        return rows_of(rows)

    def _choose_space(self, candidates: List[Dict[str, Any]]) -> Mapping[str, Parameter]:
        if not candidates and (self.candidates is not None or not self.space):
            raise ValueError("candidates= has no rows, and a study needs at least one")
        if self.space and not isinstance(self.space, Mapping):
            raise TypeError(
                f"space={self.space!r} must be parameters by name, such as "
                "{'lr': slipstream.log(1e-5, 1)}"
            )
        return with_labels(self.space) if self.space else infer_space(candidates)

    @property
    def name(self) -> StudyName:
        """The study's name."""
        return study_name(self.study_id, self.project)

    def missing(self) -> Sequence[str]:
        """What creating the study needs besides, none if all is given."""
        needed = []
        if not self.space and self.candidates is None:
            needed.append(
                "a space, such as {'lr': slipstream.log(1e-5, 1)}, or candidates=..., a table with "
                "a row for each configuration"
            )
        if not self.maximize and not self.minimize:
            needed.append(_AN_OBJECTIVE)
        return needed

    def completed_by(self, existing: StudyDescription) -> StudyRequest:
        """The request with the space and the objective of the study that exists, where it names
        none."""
        request: StudyRequest = self
        if not self.space and self.candidates is None:
            repeats = existing.allow_repeats or self.allow_repeats
            request = replace(
                request, space=existing.space, candidates=existing.candidates or None,
                allow_repeats=repeats,
            )
        if not self.maximize and not self.minimize:
            own = existing.objective
            request = replace(
                request,
                maximize=own.metric if own.maximize else None,
                minimize=None if own.maximize else own.metric,
                exact=self.exact or own.exact,
            )
        return request

    @property
    def wants_all_sources(self) -> bool:
        """Whether the study is to learn from all source tasks that fit it."""
        return isinstance(self.sources, str) and self.sources == "all"

    def source_list(self) -> Optional[Sequence[Any]]:
        """The sources as a list; None if none were asked for."""
        if self.sources is None or self.wants_all_sources:
            return None
        lone = isinstance(self.sources, (str, Mapping, os.PathLike, SourceTask, StudyBase))
        if lone or not isinstance(self.sources, Iterable) or hasattr(self.sources, "columns"):
            raise TypeError("sources= takes a list, such as sources=[last_year], or 'all'")
        listed = list(self.sources)
        if any(isinstance(one, str) and one == "all" for one in listed):
            raise ValueError(
                "sources='all' stands alone and not in a list, as it includes the other source tasks; a "
                "study with the id 'all' is listed as 'studies/all'"
            )
        return listed
