"""Finished studies of Optuna, from which a space and an objective are inferred.

Nothing of Optuna is imported: whoever has a study of its has the package too."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from slipstream._convert.words import place_of, words_of
from slipstream._operations.define_by_run import Asked, infer_space
from slipstream._operations.misfits import misfits
from slipstream._operations.notices import warn_caller
from slipstream._operations.table_rows import TableRow
from slipstream.parameters import Parameter, Value, boolean, choice, integer, log, real
from slipstream.records import Objective

_METRIC = "value"  # As Optuna calls it, unless a parameter is called that.
_LONGEST_TITLE = 256  # Bytes, as the server has it.
_Translation = Tuple[Parameter, Callable[[Any], Value]]


def is_optuna_study(thing: Any) -> bool:
    """Whether its trials can be read with what they asked for."""
    return all(hasattr(thing, one) for one in ("trials_dataframe", "get_trials", "directions"))


def maximizes(thing: Any) -> Optional[bool]:
    """Whether it is to be maximised; None if it is not a study of Optuna's with one objective."""
    names = [getattr(one, "name", "") for one in getattr(thing, "directions", ())]
    return {"MAXIMIZE": True, "MINIMIZE": False}.get(names[0]) if len(names) == 1 else None


def title_of(study: Any) -> str:
    """Its name, as far as it fits."""
    name = str(getattr(study, "study_name", ""))
    return name.encode()[:_LONGEST_TITLE].decode(errors="ignore")


def _translate(distribution: Any) -> _Translation:
    """The parameter that is meant, and how its values stand for those of the distribution."""
    kinds = {kind.__name__ for kind in type(distribution).__mro__}
    if "CategoricalDistribution" in kinds:
        choices = distribution.choices
        if set(map(type, choices)) == {bool}:
            return boolean(), bool
        words = words_of(choices)
        return choice(*words), lambda value: words[place_of(value, choices)]
    if "IntDistribution" in kinds:
        scale = "log" if distribution.log else "linear"
        return integer(distribution.low, distribution.high, scale=scale), int
    if "FloatDistribution" in kinds:
        make = log if distribution.log else real
        return make(distribution.low, distribution.high), float
    raise TypeError(f"{distribution!r} is not a distribution that Slipstream knows: give space=")


def _asked(trial: Any) -> Asked:
    """What the trial asked for, without what leaves nothing to choose."""
    translations = {
        name: _translate(one) for name, one in trial.distributions.items() if not one.single()
    }
    return Asked(
        {name: parameter for name, (parameter, _) in translations.items()},
        {name: convert(trial.params[name]) for name, (_, convert) in translations.items()},
    )


class OptunaStudy:
    """A finished study with the space and the objective that it had."""

    def __init__(self, study: Any) -> None:
        """Warns of parameters that fit into no space, which are left out."""
        if len(study.directions) != 1:
            raise ValueError(
                f"the Optuna study has {len(study.directions)} objectives: give space= and "
                "maximize= or minimize= with the name of one of them"
            )
        trials = study.get_trials(deepcopy=False)
        self._completed = [(one, _asked(one)) for one in trials if one.state.name == "COMPLETE"]
        self._failed = [(one, _asked(one)) for one in trials if one.state.name == "FAIL"]
        self.space = self._infer_space()
        metric = _METRIC
        while metric in self.space:
            metric += "_"
        self.objective = Objective(metric, study.directions[0].name == "MAXIMIZE", False)
        self.title = title_of(study)

    def _infer_space(self) -> Dict[str, Parameter]:
        # A trial that failed may have ended before it had asked for all that its values make active.
        inferred = infer_space([asked for _, asked in self._completed])
        for name, reason in inferred.left_out.items():
            warn_caller(f"the source task has no parameter {name!r}: it {reason}")
        if not inferred.space:
            raise ValueError(
                "no space can be inferred from the Optuna study, as none of its trials has "
                "succeeded with a parameter that fits into one: give space="
            )
        return inferred.space

    def rows(self, metric: str) -> List[TableRow]:
        """The trials that a study learns from, with their values under the metric's name."""
        found = []
        for trial, asked in self._completed:
            cells, value = self._cells(asked), trial.values[0]
            if math.isfinite(value):
                found.append(TableRow(trial.number, {**cells, metric: value}, "succeeded"))
            else:
                found.append(
                    TableRow(trial.number, cells, "infeasible", f"the value is {value}")
                )
        for trial, asked in self._failed:
            cells = self._cells(asked)
            if not misfits(cells, self.space):  # Otherwise it failed before it had all.
                found.append(TableRow(trial.number, cells, "failed"))
        return found

    def _cells(self, asked: Asked) -> Mapping[str, Value]:
        return {name: value for name, value in asked.values.items() if name in self.space}
