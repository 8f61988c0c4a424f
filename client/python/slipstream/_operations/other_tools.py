"""Tables that other tools export.

Optuna, MLflow, Ray Tune and Ax make data frames of all trials or runs. In these, the columns of
parameters and of what was measured have names of the tool's own. They also have a state, and
columns about the runs themselves, which are not parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Collection, Dict, Iterable, Mapping, Optional, Tuple

from slipstream.parameters import Parameter
from slipstream.tables import cell_of_text

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Tool:
    """How a tool writes a table. In the names of columns, "{}" stands for the metric's name."""

    marks: Tuple[str, ...]  # Columns that all of its tables have.
    prefix: str  # What the names of parameters' columns begin with.
    metrics: Tuple[str, ...]  # The columns that may have the metric, the likeliest first.
    state: str  # The column of the state; empty if there is none.
    states: Mapping[str, str]  # Our words for the states from which a study learns.
    # The metric's column in tables with one objective, which have no `second_metric`.
    only_metric: str = ""
    second_metric: str = ""
    has_texts: bool = False  # Whether all parameters are written as texts.
    about: Tuple[str, ...] = field(default=())  # Columns about the run, where there is no prefix.


TOOLS = (
    Tool(  # Optuna's study.trials_dataframe().
        marks=("number", "state"),
        prefix="params_",
        metrics=("{}", "values_{}", "value_{}", "value"),
        only_metric="values_0",
        second_metric="values_1",
        state="state",
        states={"COMPLETE": "succeeded", "FAIL": "failed"},
    ),
    Tool(  # mlflow.search_runs().
        marks=("run_id", "status"),
        prefix="params.",
        metrics=("{}", "metrics.{}"),
        state="status",
        states={"FINISHED": "succeeded", "FAILED": "failed"},
        has_texts=True,
    ),
    # Ray Tune's ResultGrid.get_dataframe(), which tells neither what was stopped early nor what failed
    # after a result: "done" is False where a function has returned, and True where Tune has stopped it.
    Tool(
        marks=("trial_id", "done"),
        prefix="config/",
        metrics=("{}",),
        state="",
        states={},
    ),
    Tool(  # Ax's Client.summarize().
        marks=("trial_index", "trial_status"),
        prefix="",
        metrics=("{}",),
        state="trial_status",
        states={"COMPLETED": "succeeded", "FAILED": "failed"},
        about=(
            "trial_index", "trial_status", "arm_name", "generation_method", "generation_node",
            "fail_reason", "status_reason",
        ),
    ),
)


def tool_of(columns: Collection[str]) -> Optional[Tool]:
    """The tool that wrote a table with these columns; None if it is none of them."""
    for tool in TOOLS:
        has_marks = all(mark in columns for mark in tool.marks)
        if has_marks and any(name.startswith(tool.prefix) for name in columns):
            return tool
    return None


def bare_name(column: str) -> str:
    """The name of a parameter whose column has this name in the table of some tool."""
    for tool in TOOLS:
        if tool.prefix and column.startswith(tool.prefix):
            return column[len(tool.prefix):]
    return column


def _metric_column(tool: Tool, columns: Collection[str], metric: str) -> str:
    for name in tool.metrics:
        if name.format(metric) in columns and name.format(metric) != tool.state:
            return name.format(metric)
    if tool.only_metric in columns and tool.second_metric not in columns:
        return tool.only_metric
    raise ValueError(
        f"the table has no column of {metric!r}; its columns are {', '.join(columns)}"
    )


def _labelled_values(parameter: Parameter) -> Iterable[Tuple[Any, Any]]:
    """The labels of a choice with what they stand for."""
    return zip(parameter.values, parameter.objects or parameter.values)


class ToolTable:
    """The rows of a tool's table, with the names of our parameters and metric."""

    def __init__(
        self,
        tool: Tool,
        columns: Collection[str],
        space: Mapping[str, Parameter],
        metric: str,
    ) -> None:
        self._tool = tool
        self._space = space
        self._metric = metric
        self._metric_column = _metric_column(tool, columns, metric)
        self._column_of = {
            name: tool.prefix + name for name in space if tool.prefix or name not in tool.about
        }
        self._always_there = [
            column for name, column in self._column_of.items()
            if column in columns and space[name].condition is None
        ]
        # The label of None, of choices that have it.
        self._nones = {
            name: label
            for name, column in self._column_of.items()
            for label, value in _labelled_values(space[name])
            if column in columns and (value is None or value == "None")
        }
        # Columns of parameters that the space does not have. Without a prefix they cannot be told
        # from columns about runs, so that one may be a misspelt parameter while another one lacks.
        others = {
            name
            for name in columns
            if name.startswith(tool.prefix)
            and name not in {*self._column_of.values(), self._metric_column, *tool.about, tool.state}
        }
        lacks = any(self._column_of.get(name) not in columns for name in space)
        self.left_out = sorted(others) if tool.prefix else []
        self._misspelt = others if lacks and not tool.prefix else set()

    def state_of(self, row: Row) -> Optional[str]:
        """What became of the row's trial; None if a study learns nothing from it."""
        if not self._tool.state:
            return "succeeded"
        return self._tool.states.get(str(row.get(self._tool.state)))

    def has_configuration(self, row: Row) -> bool:
        """Whether the row has each parameter of the table that is always active."""
        return all(column in row for column in self._always_there)

    def cells_of(self, row: Row) -> Dict[str, Any]:
        """The row's parameters and metric."""
        cells = {
            name: self._cell_of(row[column], self._space[name])
            for name, column in self._column_of.items()
            if column in row
        }
        if self.state_of(row) == "succeeded":
            self._add_nones(cells)
        cells.update({name: row[name] for name in self._misspelt if name in row})
        if self._metric_column in row:
            cells[self._metric] = row[self._metric_column]
        return {name: cell for name, cell in cells.items() if cell is not None}

    def _add_nones(self, cells: Dict[str, Any]) -> None:
        """In a data frame the choice None is a missing cell. Where the parameter is active, it is none
        of those that are missing because it is not."""
        missing = [name for name in self._nones if name not in cells]
        while missing:
            active = [name for name in missing if self._is_active(name, cells)]
            if not active:
                return
            cells.update({name: self._nones[name] for name in active})
            missing = [name for name in missing if name not in cells]

    def _is_active(self, name: str, cells: Mapping[str, Any]) -> bool:
        condition = self._space[name].condition
        return condition is None or cells.get(condition.parent) in condition.values

    def _cell_of(self, cell: Any, parameter: Parameter) -> Any:
        if self._tool.has_texts and isinstance(cell, str):
            return cell_of_text(cell, parameter)
        if parameter.kind == "choice" and str(cell) in parameter.values:
            return str(cell)  # Other tools' categories may be numbers.
        return cell
