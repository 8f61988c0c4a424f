"""Why a row is no configuration of a space."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional

from slipstream.parameters import Condition, Parameter

Row = Mapping[str, Any]


def is_active(condition: Optional[Condition], row: Row) -> bool:
    """Whether a parameter with this condition is active in the row."""
    return condition is None or row.get(condition.parent) in condition.values


def _is_within(cell: Any, parameter: Parameter) -> bool:
    if parameter.low is not None and parameter.high is not None:
        whole = parameter.kind == "real" or float(cell).is_integer()
        return whole and parameter.low <= cell <= parameter.high
    return not parameter.values or cell in parameter.values


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
