"""The part of a table that fits the space of the study that will learn from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from slipstream._operations.misfits import is_active, misfits
from slipstream._operations.notices import warn_caller
from slipstream._operations.table_rows import TableRow
from slipstream.parameters import Condition, Parameter
from slipstream.records import Objective
from slipstream.scalars import is_number

Row = Mapping[str, Any]
_NUMERIC = ("real", "integer", "discrete")


def place_of_row(table: str, number: int) -> str:
    """Where errors say that the row is: "runs.csv, row 3", or "row 3" of a table without a name."""
    return f"{table}, row {number}" if table else f"row {number}"


def check_cells(
    rows: Sequence[TableRow],
    space: Mapping[str, Parameter],
    metric: str,
    table: str = "",
    is_file: bool = False,
) -> None:
    """Complains of columns that mean nothing, and of cells of another kind than their column's.

    `table`: what errors call the table; empty for nothing."""
    for row in rows:
        place = place_of_row(table, row.number)
        for name, cell in row.cells.items():
            if name == metric:
                _check_measured(place, name, cell)
            elif name in space:
                _check_kind(place, name, cell, space[name])
            else:
                remedy = "it out" if is_file else "it out, as frame.drop(columns=...) does"
                raise ValueError(
                    f"{f'{table}: ' if table else ''}column {name!r} is neither a parameter "
                    f"nor the objective {metric!r}{_without_column(rows, space, metric)}: leave {remedy}"
                )


def _without_column(
    rows: Sequence[TableRow], space: Mapping[str, Parameter], metric: str
) -> str:
    """What to say of parameters that no row has: a column may be one of them, misspelt."""
    lacking = [
        repr(name) for name in (*space, metric) if not any(name in row.cells for row in rows)
    ]
    if not lacking:
        return ""
    verb = "has" if len(lacking) == 1 else "have"
    return f"; unless it is meant to be {' or '.join(lacking)}, which {verb} no column"


def _described(name: str, cell: Any) -> str:
    return f"{name}={cell!r} is " + ("text" if isinstance(cell, str) else type(cell).__name__)


def _check_measured(place: str, metric: str, cell: Any) -> None:
    if not is_number(cell):
        raise TypeError(
            f"{place}: {_described(metric, cell)}, and column {metric!r} takes numbers, as "
            "it is what was measured"
        )


def _check_kind(place: str, name: str, cell: Any, parameter: Parameter) -> None:
    if parameter.kind in _NUMERIC:
        fits, wanted = is_number(cell), "numbers"
    elif parameter.kind == "choice":
        fits, wanted = isinstance(cell, str), "words"
    else:
        fits, wanted = isinstance(cell, bool), "True and False"
    if not fits:
        raise TypeError(
            f"{place}: {_described(name, cell)}, and column {name!r} takes {wanted}, as the "
            f"parameter is {parameter!r}"
        )


def _lacks(rows: Sequence[Row], name: str, condition: Optional[Condition]) -> bool:
    """Whether no row has the parameter, though one would need it."""
    needed = any(is_active(condition, row) for row in rows)
    return needed and not any(name in row for row in rows)


def _free_children(
    rows: Sequence[Row], space: Mapping[str, Parameter], lacking: Set[str]
) -> Dict[str, Parameter]:
    """The space without what the table lacks. A parameter that depended on one of these is there
    always, if every row has it, or is left out."""
    free = {}
    for name, parameter in space.items():
        if name in lacking:
            continue
        if parameter.condition is None or parameter.condition.parent not in lacking:
            free[name] = parameter
        elif all(name in row for row in rows):
            free[name] = parameter.unconditional()
    return free


def space_of_table(rows: Sequence[Row], space: Mapping[str, Parameter]) -> Dict[str, Parameter]:
    """The part of a study's space that the table is about."""
    own = dict(space)
    while True:
        lacking = {name for name in own if _lacks(rows, name, own[name].condition)}
        lacking |= {name for name in space if name not in own}
        smaller = _free_children(rows, own, lacking)
        if smaller == own:
            return own
        own = smaller


def _dropped(
    rows: Sequence[Row], space: Mapping[str, Parameter], own: Mapping[str, Parameter]
) -> Iterator[str]:
    for name, parameter in space.items():
        if name not in own and any(name in row for row in rows) and parameter.condition is not None:
            yield (
                f"column {name!r} is left out, as it is active when {parameter.condition!r} and "
                f"the table has no {parameter.condition.parent!r}"
            )


def fit_table(
    rows: Sequence[TableRow], space: Mapping[str, Parameter], objective: Objective, label: str
) -> Tuple[List[TableRow], Dict[str, Parameter]]:
    """The rows within the study's space, and the part of that space that they are about.

    What is left out is told by one warning. ValueError if no row is left."""
    cells = [row.cells for row in rows]
    own = space_of_table(cells, space)
    if not own:
        raise ValueError(f"{label} has none of the study's parameters, {', '.join(space)}")
    notes = list(_dropped(cells, space, own))
    kept: List[TableRow] = []
    outside: List[str] = []
    for row in rows:
        mine = {name: cell for name, cell in row.cells.items()
                if name in own or name == objective.metric}
        reasons = misfits(mine, own)
        if reasons:
            outside.append(f"row {row.number}: {reasons[0]}")
        else:
            kept.append(replace(row, cells=mine))
    if not kept:
        goal = "maximize" if objective.maximize else "minimize"
        raise ValueError(
            f"{label}: no row is within the study's space, as {outside[0]}; register the table "
            "with a space of its own, task = slipstream.register_source(table, space, "
            f"{goal}={objective.metric!r}), and give sources=[task]"
        )
    if outside:
        count = f"{len(outside)} of {len(rows)} rows"
        notes.append(f"{count} are outside the study's space and left out, first {outside[0]}")
    if notes:
        warn_caller(f"{label}: {'; '.join(notes)}")
    return kept, own
