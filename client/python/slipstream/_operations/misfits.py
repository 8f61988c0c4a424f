"""What a row lacks to be a configuration of a space."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from slipstream.parameters import Condition, Parameter

Row = Mapping[str, Any]


def is_active(condition: Optional[Condition], row: Row) -> bool:
    """Whether a parameter with this condition is active in the row."""
    return condition is None or row.get(condition.parent) in condition.values


def labelled(row: Row, space: Mapping[str, Parameter]) -> Dict[str, Any]:
    """The row with labels in place of the values of choices. None counts as a category if an active
    choice has it, and otherwise means that the parameter is not active."""
    told = {name: space[name].label_of(cell) if name in space else cell for name, cell in row.items()}
    return {
        name: None if cell is not None and row[name] is None and not _is_reached(name, told, space)
        else cell
        for name, cell in told.items()
    }


def _is_reached(name: str, row: Row, space: Mapping[str, Parameter]) -> bool:
    """Whether the parameter is active, and all that it depends on."""
    for _ in space:
        condition = space[name].condition
        if condition is None or condition.parent not in space:
            return True
        if not is_active(condition, row):
            return False
        name = condition.parent
    return False


def _is_within(cell: Any, parameter: Parameter) -> bool:
    if parameter.low is not None and parameter.high is not None:
        whole = parameter.kind == "real" or float(cell).is_integer()
        return whole and parameter.low <= cell <= parameter.high
    return not parameter.values or cell in parameter.values


def is_outside(value: Any, parameter: Parameter) -> bool:
    """Whether a source's value is certain to have no place among the parameter's, of which one with
    steps takes what is between two of them. One with a condition may not be active there."""
    if parameter.condition is not None or isinstance(value, bool):
        return False
    if parameter.kind == "choice":
        return isinstance(value, str) and value not in parameter.values
    if parameter.kind == "boolean" or isinstance(value, str):
        return False
    low = min(parameter.values) if parameter.low is None else parameter.low
    high = max(parameter.values) if parameter.high is None else parameter.high
    return not low <= value <= high


def with_defaults(row: Row, space: Mapping[str, Parameter]) -> Dict[str, Any]:
    """The row with the declared defaults of those active parameters that it lacks, which may make
    others active."""
    filled = dict(row)
    for _ in space:
        for name, parameter in space.items():
            if parameter.default is not None and is_active(parameter.condition, filled):
                filled.setdefault(name, parameter.default)
    return filled


def misfits(row: Row, space: Mapping[str, Parameter]) -> List[str]:
    """Why the row is no configuration of the space; empty if it is one."""
    return [text for text in (_misfit(row, name, space[name]) for name in space) if text]


def _misfit(row: Row, name: str, parameter: Parameter) -> str:
    active = is_active(parameter.condition, row)
    if active and name not in row:
        return f"it has no {name!r}"
    if not active and name in row:
        return f"{name}={row[name]!r} is active only when {parameter.condition!r}"
    if active and not _is_within(row[name], parameter):
        return f"{name}={row[name]!r} is not within {parameter!r}"
    return ""
