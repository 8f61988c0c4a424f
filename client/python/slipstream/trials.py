"""A study's trials, as a list that a data frame can be made of."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping

from slipstream import display
from slipstream.parameters import Parameter
from slipstream.records import Objective, TrialRecord

_ABOUT = ("number", "state")
_REST = ("worker", "reason", "started", "ended")


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
        "state", the trial's own state is "trial_state", and likewise for the others."""
        return [self._row(trial) for trial in self]

    def to_frame(self) -> Any:
        """The same as a data frame of pandas, with the number as its index."""
        try:
            import pandas
        except ImportError:
            raise ImportError(
                "to_frame() needs pandas: pip install pandas; without it there is to_dicts()"
            ) from None
        own = [self._column(name) for name in (*_ABOUT, *_REST)]
        columns = [*own[: len(_ABOUT)], *self.space, self.objective.metric, *own[len(_ABOUT) :]]
        return pandas.DataFrame(self.to_dicts(), columns=columns).set_index(own[0])

    def succeeded(self) -> List[TrialRecord]:
        """Those with a value."""
        return [trial for trial in self if trial.state == "succeeded"]

    def _column(self, name: str) -> str:
        taken = name in self.space or name == self.objective.metric
        return f"trial_{name}" if taken else name

    def _row(self, trial: TrialRecord) -> Dict[str, Any]:
        row: Dict[str, Any] = {self._column(name): getattr(trial, name) for name in _ABOUT}
        row.update({name: trial.params.get(name) for name in self.space})
        row[self.objective.metric] = trial.value
        row.update({self._column(name): getattr(trial, name) for name in _REST})
        return row

    def _repr_html_(self) -> str:
        return display.table_html(self.to_dicts())
