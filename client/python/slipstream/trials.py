"""A study's trials, as a list that a data frame can be made of."""

from __future__ import annotations

import re
from typing import Any, Collection, Dict, Iterable, List, Mapping

from slipstream import display
from slipstream.parameters import Parameter
from slipstream.records import Objective, TrialRecord

_ABOUT = ("number", "state")
_REST = ("worker", "reason", "started", "ended")
_NOTE = "note"  # Only in tables where a trial has one, and likewise a column for each label.
_LABEL = "label:"
_PREFIX = "trial_"


def prefixed(name: str) -> str:
    """What a column about trials is called where a parameter or the metric has its name."""
    return f"{_PREFIX}{name}"


def column_about(name: str, taken: Collection[str]) -> str:
    """What a column about trials is called beside columns of these names."""
    while name in taken:
        name = prefixed(name)
    return name


def names_about_trials(columns: Iterable[Any]) -> List[str]:
    """What columns about trials may be called in a table that has these columns: their names
    without prefixes."""
    bare = {re.sub(f"^({_PREFIX})+", "", name) for name in columns if isinstance(name, str)}
    return [*_ABOUT, *_REST, _NOTE, *sorted(name for name in bare if name.startswith(_LABEL))]


def _cell(trial: TrialRecord, name: str) -> Any:
    if name.startswith(_LABEL):
        return trial.labels.get(name[len(_LABEL):])
    return getattr(trial, name)


class Trials(List[TrialRecord]):
    """Trials in the order of their numbers. These begin at 1, and the indices of the list at 0:
    `study.trial(n)` gives the trial of number n."""

    def __init__(
        self,
        trials: Iterable[TrialRecord],
        objective: Objective,
        space: Mapping[str, Parameter],
    ) -> None:
        super().__init__(trials)
        self.objective = objective
        self.space = space

    def to_dicts(self) -> List[Dict[str, Any]]:
        """A row for each trial: number, state, parameters, the metric, worker, reason, times.

        If any trial has a note there is a "note", and for each key of a label that any has a
        "label:KEY", which is None for trials without that label. A parameter that is not active is
        None. Where a parameter or the metric is called "state", the trial's own state is
        "trial_state", and likewise for the others. The metric never has a parameter's name, which
        the server refuses."""
        about = self._columns_about()
        return [self._row(trial, about) for trial in self]

    def to_frame(self) -> Any:
        """The same as a data frame of pandas, with the number as its index."""
        try:
            import pandas
        except ImportError:
            raise ImportError(
                "to_frame() needs pandas: pip install pandas; without it there is to_dicts()"
            ) from None
        own = list(self._columns_about().values())
        columns = [*own[: len(_ABOUT)], *self.space, self._measured(), *own[len(_ABOUT) :]]
        return pandas.DataFrame(self.to_dicts(), columns=columns).set_index(own[0])

    def succeeded(self) -> List[TrialRecord]:
        """Those that were completed with a value. Stopped ones, which may have one too, are not
        among them."""
        return [trial for trial in self if trial.state == "succeeded"]

    def _measured(self) -> str:
        name = self.objective.metric
        while name in self.space:
            name = f"measured {name}"
        return name

    def _columns_about(self) -> Dict[str, str]:
        """What the columns about trials are called, by their names without prefixes, in order."""
        labels = sorted({f"{_LABEL}{key}" for trial in self for key in trial.labels})
        note = [_NOTE] if any(trial.note for trial in self) else []
        taken = {*self.space, self._measured()}
        return {name: column_about(name, taken) for name in (*_ABOUT, *_REST, *note, *labels)}

    def _row(self, trial: TrialRecord, about: Mapping[str, str]) -> Dict[str, Any]:
        row = {about[name]: _cell(trial, name) for name in _ABOUT}
        row.update({name: trial.params.get(name) for name in self.space})
        row[self._measured()] = trial.value
        row.update({about[name]: _cell(trial, name) for name in about if name not in _ABOUT})
        return row

    def _repr_html_(self) -> str:
        return display.table_html(self.to_dicts())
