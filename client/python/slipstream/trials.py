"""A study's trials, as a list that a data frame can be made of."""

from __future__ import annotations

from typing import Any, Collection, Dict, Iterable, List, Mapping

from slipstream import display
from slipstream.parameters import Parameter
from slipstream.records import Objective, TrialRecord

_ABOUT = ("number", "state")
_REST = ("worker", "reason", "started", "ended")
ABOUT_TRIALS = (*_ABOUT, *_REST)  # Columns that are no parameters and not the metric.


def prefixed(name: str) -> str:
    """What a column about trials is called where a parameter or the metric has its name."""
    return f"trial_{name}"


def column_about(name: str, taken: Collection[str]) -> str:
    """What a column about trials is called beside columns of these names."""
    while name in taken:
        name = prefixed(name)
    return name


class Trials(List[TrialRecord]):
    """Trials by number."""

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

        A parameter that is not active is None. Where a parameter or the metric is called
        "state", the trial's own state is "trial_state", and likewise for the others; a metric
        with a parameter's name is "measured NAME"."""
        return [self._row(trial) for trial in self]

    def to_frame(self) -> Any:
        """The same as a data frame of pandas, with the number as its index."""
        try:
            import pandas
        except ImportError:
            raise ImportError(
                "to_frame() needs pandas: pip install pandas; without it there is to_dicts()"
            ) from None
        own = [self._column(name) for name in ABOUT_TRIALS]
        columns = [*own[: len(_ABOUT)], *self.space, self._measured(), *own[len(_ABOUT) :]]
        return pandas.DataFrame(self.to_dicts(), columns=columns).set_index(own[0])

    def succeeded(self) -> List[TrialRecord]:
        """Those with a value."""
        return [trial for trial in self if trial.state == "succeeded"]

    def _measured(self) -> str:
        name = self.objective.metric
        while name in self.space:
            name = f"measured {name}"
        return name

    def _column(self, name: str) -> str:
        return column_about(name, {*self.space, self._measured()})

    def _row(self, trial: TrialRecord) -> Dict[str, Any]:
        row: Dict[str, Any] = {self._column(name): getattr(trial, name) for name in _ABOUT}
        row.update({name: trial.params.get(name) for name in self.space})
        row[self._measured()] = trial.value
        row.update({self._column(name): getattr(trial, name) for name in _REST})
        return row

    def _repr_html_(self) -> str:
        return display.table_html(self.to_dicts())
