"""Tables that other tools export, in the words of ours.

Optuna, MLflow, Ray Tune and Ax have frames of all trials or runs: with names of their own for the
columns of parameters and of what was measured, with a state, and with columns about the runs
themselves, which are no parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Collection, Dict, List, Mapping, Optional, Tuple

from slipstream.parameters import Parameter
from slipstream.tables import cell_of_text

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Tool:
    """How a tool writes a table."""

    marks: Tuple[str, ...]  # Columns by which it is recognised.
    prefix: str  # Of the columns of parameters.
    metrics: Tuple[str, ...]  # Columns of the metric, whose name stands for "{}"; the first that is there.
    state: Optional[str] = None  # The column of the state, ...
    states: Mapping[str, str] = field(default_factory=dict)  # ... and what its words mean.
    has_texts: bool = False  # Parameters are texts, whatever they are.
    about: Tuple[str, ...] = ()  # Columns about the trial, where parameters have no prefix.


TOOLS = (
    Tool(  # study.trials_dataframe()
        marks=("number", "state"),
        prefix="params_",
        metrics=("{}", "values_{}", "value", "values_0"),
        state="state",
        states={"COMPLETE": "succeeded", "FAIL": "failed"},
    ),
    Tool(  # mlflow.search_runs()
        marks=("run_id", "status"),
        prefix="params.",
        metrics=("metrics.{}", "{}"),
        state="status",
        states={"FINISHED": "succeeded", "FAILED": "failed"},
        has_texts=True,
    ),
    Tool(  # ResultGrid.get_dataframe()
        marks=("trial_id",),
        prefix="config/",
        metrics=("{}",),
    ),
    Tool(  # Client.summarize()
        marks=("trial_index", "trial_status"),
        prefix="",
        metrics=("{}",),
        state="trial_status",
        states={"COMPLETED": "succeeded", "FAILED": "failed"},
        about=("trial_index", "arm_name", "generation_method", "generation_node"),
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
    """The parameter's name in a tool's name of its column."""
    for tool in TOOLS:
        if tool.prefix and column.startswith(tool.prefix):
            return column[len(tool.prefix):]
    return column


def _metric_column(tool: Tool, columns: Collection[str], metric: str) -> str:
    names = [name.format(metric) for name in tool.metrics]
    return next((name for name in names if name in columns), metric)


def own_row(
    tool: Tool, row: Row, columns: Collection[str], space: Mapping[str, Parameter], metric: str
) -> Dict[str, Any]:
    """The row's parameters and metric by their own names. A parameter that the space lacks keeps the
    name of its column, by which people find it."""
    measured = _metric_column(tool, columns, metric)
    cells: Dict[str, Any] = {}
    for name, cell in row.items():
        if name == measured:
            cells[metric] = cell
        elif name in space:
            cells[name] = cell
        elif name.startswith(tool.prefix) and name != tool.state and name not in tool.about:
            parameter = name[len(tool.prefix):]
            known = space.get(parameter)
            if tool.has_texts and isinstance(cell, str):
                cell = cell_of_text(cell, known)
            cells[parameter if known is not None else name] = cell
    return {name: cell for name, cell in cells.items() if cell is not None}


def state_of(tool: Tool, row: Row) -> Optional[str]:
    """What became of the row's trial, as ours have it; "" if a study learns nothing from it."""
    if tool.state is None:
        return None
    return tool.states.get(str(row.get(tool.state)), "")


def columns_of(rows: List[Dict[str, Any]]) -> Collection[str]:
    """The columns of which some row has a cell."""
    return {name for row in rows for name in row}
