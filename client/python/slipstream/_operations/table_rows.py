"""The rows of a table that a study is to learn from.

A table that was made of a study's trials has columns that are about the trials themselves. These
are no parameters, and the state says what a row without a value means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Collection, Dict, List, Mapping, Optional

from slipstream._operations.notices import warn_caller
from slipstream._operations.other_tools import ToolTable, tool_of
from slipstream.parameters import Parameter
from slipstream.trials import column_about, names_about_trials, prefixed

_MEANINGFUL = ("succeeded", "failed", "infeasible")
_STATES = (*_MEANINGFUL, "requested", "active", "stopped", "stale", "withdrawn")
# Other columns of `slipstream trials --format csv`, the first of which its tables always have.
_OF_COMMAND_LINE = ("trial", "age", "took", "lease", "labels", "requeued_as", "requeue_of")


@dataclass(frozen=True)
class TableRow:
    """A row with its number in the table, from 1."""

    number: int
    cells: Mapping[str, Any]  # Of parameters and the metric, those that are not missing.
    state: Optional[str] = None  # That of the trial, in a table of trials.
    reason: str = ""


def _columns_about_trials(
    rows: List[Dict[str, Any]], taken: Collection[str]
) -> Dict[str, str]:
    """The columns that are about the trials themselves, by what they are called where no parameter
    has the name; none if the table was not made of trials."""
    there = {name for row in rows for name in row if name not in taken}
    found = {}
    others = _OF_COMMAND_LINE if _OF_COMMAND_LINE[0] in there else ()
    for name in (*names_about_trials(there), *others):
        names = (column_about(prefixed(name), taken), name)
        column = next((one for one in names if one in there), None)
        if column is not None:
            found[name] = column
    state = found.get("state")
    if state is None or any(row.get(state) not in _STATES for row in rows):
        return {}
    return found


def _rows_of_tool(table: ToolTable, rows: List[Dict[str, Any]], metric: str) -> List[TableRow]:
    if table.left_out:
        warn_caller(
            f"the space has none of these parameters, so their columns are left out: "
            f"{', '.join(table.left_out)}"
        )
    found = []
    for number, row in enumerate(rows, start=1):
        state, cells = table.state_of(row), table.cells_of(row)
        if state == "failed":
            cells.pop(metric, None)
            if not table.has_configuration(row):
                continue  # It failed before it had one.
        if state is not None:
            found.append(TableRow(number, cells, state))
    return found


def table_rows(
    rows: List[Dict[str, Any]],
    columns: Collection[str],
    space: Mapping[str, Parameter],
    metric: str,
) -> List[TableRow]:
    """The rows without what is about trials, of trials those that a study learns from.

    `columns`: those of the table, also where all cells are missing."""
    about = _columns_about_trials(rows, {*space, metric})
    if not about:
        tool = tool_of(columns)
        if tool is not None:
            return _rows_of_tool(ToolTable(tool, columns, space, metric), rows, metric)
        return [TableRow(number, row) for number, row in enumerate(rows, start=1)]
    found = []
    for number, row in enumerate(rows, start=1):
        state = row[about["state"]]
        if state in _MEANINGFUL:
            cells = {name: cell for name, cell in row.items() if name not in about.values()}
            reason = str(row.get(about.get("reason", ""), ""))
            found.append(TableRow(number, cells, state, reason))
    return found
