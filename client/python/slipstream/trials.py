"""A study's trials, as a list that a data frame can be made of."""

from __future__ import annotations

import re
from typing import (
    Any,
    Collection,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    SupportsIndex,
    overload,
)

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


# The types of pandas for columns in which cells are missing, and those for complete ones.
_COMPLETE = {"Int64": "int64", "boolean": "bool"}


def _column_type(parameter: Parameter) -> Optional[str]:
    """The type of a parameter's column in which cells may be missing; None for words."""
    if parameter.kind == "choice":
        return None
    if parameter.kind == "boolean":
        return "boolean"
    numbers = parameter.values or (parameter.low, parameter.high)
    whole = all(isinstance(number, int) and abs(number) < 2**63 for number in numbers)
    return "Int64" if whole else "float64"


def _cell(trial: TrialRecord, name: str) -> Any:
    if name.startswith(_LABEL):
        return trial.labels.get(name[len(_LABEL):])
    return getattr(trial, name)


class Trials(List[TrialRecord]):
    """Trials in the order of their numbers. Numbers begin at 1, but the indices of the list at 0:
    `study.trial(n)` gives the trial with number n. A slice such as `study.trials[-10:]` has the
    same methods."""

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

        If any trial has a note, rows have a "note". For each label that any trial has, rows have a
        "label:KEY", which is None for trials without the label. A parameter that is not active is
        None. If a parameter or the metric is called "state", the trial's own state is in
        "trial_state", and likewise for the others. The server refuses a metric with a parameter's
        name."""
        about = self._columns_about()
        return [self._row(trial, about) for trial in self]

    def to_frame(self) -> Any:
        """The same as a pandas data frame, with the number as its index.

        The columns of whole numbers and booleans have the types int64 and bool or, if cells are
        missing, Int64 and boolean, so that the other cells stay whole numbers and booleans."""
        try:
            import pandas
        except ImportError:
            raise ImportError(
                "to_frame() needs pandas: pip install pandas; without it there is to_dicts()"
            ) from None
        own = list(self._columns_about().values())
        columns = [*own[: len(_ABOUT)], *self.space, self._measured(), *own[len(_ABOUT) :]]
        frame = pandas.DataFrame(self.to_dicts(), columns=columns)
        for name, kind in self._column_types().items():
            complete = not frame[name].isna().any()
            frame[name] = frame[name].astype(_COMPLETE.get(kind, kind) if complete else kind)
        return frame.set_index(own[0])

    def succeeded(self) -> Trials:
        """The trials that were completed with a value. Stopped trials, which may also have a value,
        are not included."""
        return self._some(trial for trial in self if trial.state == "succeeded")

    @overload
    def __getitem__(self, index: SupportsIndex) -> TrialRecord: ...

    @overload
    def __getitem__(self, index: slice) -> Trials: ...

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return self._some(found) if isinstance(index, slice) else found

    def _some(self, trials: Iterable[TrialRecord]) -> Trials:
        return Trials(trials, self.objective, self.space)

    def _measured(self) -> str:
        name = self.objective.metric
        while name in self.space:
            name = f"measured {name}"
        return name

    def _column_types(self) -> Dict[str, str]:
        """The types of columns that pandas does not see where cells are missing."""
        types = {name: _column_type(parameter) for name, parameter in self.space.items()}
        about = self._columns_about()
        times = {about[name]: "datetime64[ns, UTC]" for name in ("started", "ended")}
        known = {about["number"]: "Int64", **types, self._measured(): "float64", **times}
        return {name: kind for name, kind in known.items() if kind is not None}

    def _columns_about(self) -> Dict[str, str]:
        """What the columns about trials are called, by their names without prefixes, in order."""
        labels = sorted({f"{_LABEL}{key}" for trial in self for key in trial.labels})
        note = [_NOTE] if any(trial.note for trial in self) else []
        taken = {*self.space, self._measured()}
        return {name: column_about(name, taken) for name in (*_ABOUT, *_REST, *note, *labels)}

    def _row(self, trial: TrialRecord, about: Mapping[str, str]) -> Dict[str, Any]:
        row = {about[name]: _cell(trial, name) for name in _ABOUT}
        row.update({
            name: parameter.label_of(trial.params[name]) if name in trial.params else None
            for name, parameter in self.space.items()
        })
        row[self._measured()] = trial.value
        row.update({about[name]: _cell(trial, name) for name in about if name not in _ABOUT})
        return row

    def _repr_html_(self) -> str:
        return display.table_html(self.to_dicts())
