"""Infers a space with conditions from what programs have asked for, trial by trial."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace
from typing import Any, Dict, FrozenSet, List, Mapping, Optional, Sequence, Set, Tuple

from slipstream.parameters import MOST_VALUES, Condition, Parameter, Value

_NUMBERS_WITH_CHILDREN = ("integer", "discrete")
# The server's bounds.
_MOST_PARAMETERS = 200
_LONGEST_NAME = 128  # Bytes.
_WIDEST = 2**53  # Between the bounds of an integer.
_INTEGERS = (-(2**63), 2**63 - 1)


class _Unexplained(ValueError):
    """A parameter does not fit into a space of Slipstream; the message says why."""


@dataclass(frozen=True)
class Asked:
    """What one finished trial has asked for: parameters without conditions, and its values."""

    space: Mapping[str, Parameter]
    values: Mapping[str, Value]
    # The lowest value and the step, of parameters that count the steps of a grid.
    grids: Mapping[str, Tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Inferred:
    """A space, and the parameters that do not fit into it, each with the reason."""

    space: Dict[str, Parameter]
    left_out: Dict[str, str]


def infer_space(trials: Sequence[Asked]) -> Inferred:
    """The parameters of all trials. One that some trials lack is active for those values of another
    parameter with which it was asked for. It is left out if no parameter of the space explains when
    it is asked for, if its range differs between trials, or if the server takes no such
    parameter."""
    present: Dict[str, FrozenSet[int]] = {
        name: frozenset(i for i, trial in enumerate(trials) if name in trial.space)
        for name in dict.fromkeys(name for trial in trials for name in trial.space)
    }
    space: Dict[str, Parameter] = {}
    left_out: Dict[str, str] = {}
    # A parent has been asked for more often than its children, and so comes before them.
    for name in sorted(present, key=lambda one: -len(present[one])):
        try:
            _check_name(name)
            domain = _domain(name, trials)
            condition = _condition(name, trials, space, present)
            if len(space) == _MOST_PARAMETERS:
                raise _Unexplained(f"comes after {_MOST_PARAMETERS} others, the most of a space")
            space[name] = replace(domain, condition=condition)
        except _Unexplained as reason:
            left_out[name] = str(reason)
    return Inferred({name: space[name] for name in present if name in space}, left_out)


def _check_name(name: str) -> None:
    bounds = f"and a name has 1 to {_LONGEST_NAME} bytes without control characters"
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        raise _Unexplained(f"has control characters in its name, {bounds}")
    if not 0 < len(name.encode()) <= _LONGEST_NAME:
        raise _Unexplained(f"has a name of {len(name.encode())} bytes, {bounds}")


def _domain(name: str, trials: Sequence[Asked]) -> Parameter:
    """The parameter's domain, which must be the same in all trials."""
    asked = [(trial.space[name], trial.grids.get(name)) for trial in trials if name in trial.space]
    first = asked[0]
    for other in asked:
        if other != first:
            raise _Unexplained(
                f"was asked for as {_text(*first)} and as {_text(*other)}, and a study has one "
                "space; give different ranges different names"
            )
    domain = first[0]
    if len(domain.values) > MOST_VALUES:
        raise _Unexplained(
            f"has {len(domain.values)} values, and at most {MOST_VALUES} are allowed"
        )
    if domain.kind == "integer":
        _check_integer(domain)
    return domain


def _check_integer(domain: Parameter) -> None:
    assert domain.low is not None and domain.high is not None
    if _span(domain) > _WIDEST or domain.low < _INTEGERS[0] or domain.high > _INTEGERS[1]:
        raise _Unexplained(
            f"is {domain!r}, and integers are of 64 bits with at most 2^53 between their bounds"
        )


def _text(domain: Parameter, grid: Optional[Tuple[float, float]]) -> str:
    return repr(domain) if grid is None else f"{domain!r} steps of {grid[1]} from {grid[0]}"


def _condition(
    name: str,
    trials: Sequence[Asked],
    space: Mapping[str, Parameter],
    present: Mapping[str, FrozenSet[int]],
) -> Optional[Condition]:
    if len(present[name]) == len(trials):
        return None
    # Whoever decides has been asked for more often, and nobody can decide of a parent that way.
    parents = [parent for parent in space if present[parent] > present[name]]
    # The nearest first: a choice within a branch rather than the branch, words rather than numbers.
    parents.sort(key=lambda parent: (len(present[parent]),
                                     space[parent].kind in _NUMBERS_WITH_CHILDREN))
    for parent in parents:
        values = _deciding_values(name, parent, trials, space[parent], present)
        if values is not None:
            return Condition(parent, tuple(values))
    raise _Unexplained(
        f"was asked for in {len(present[name])} of {len(trials)} trials, and no single parameter "
        "decides when; let one choice do so, or always ask for it"
    )


def _deciding_values(
    name: str,
    parent: str,
    trials: Sequence[Asked],
    domain: Parameter,
    present: Mapping[str, FrozenSet[int]],
) -> Optional[List[Value]]:
    """The parent's values for which the parameter is active; None if these do not decide it."""
    if domain.kind == "real" or _span(domain) >= MOST_VALUES:
        return None
    active: Set[Value] = set()
    inactive: Set[Value] = set()
    for i in present[parent]:
        (active if i in present[name] else inactive).add(trials[i].values[parent])
    if active & inactive:
        return None
    return _with_unseen(active, inactive, domain)


def _span(domain: Parameter) -> float:
    return 0 if domain.low is None or domain.high is None else domain.high - domain.low


def _with_unseen(active: Set[Value], inactive: Set[Value], domain: Parameter) -> List[Value]:
    """Numbers that were never tried count as the nearest ones that were; other values as inactive,
    until they are tried."""
    if domain.kind not in _NUMBERS_WITH_CHILDREN:
        return [value for value in domain.values or (False, True) if value in active]
    seen: List[Any] = sorted(active | inactive)

    def is_active(number: Any) -> bool:
        return min(seen, key=lambda one: abs(one - number)) in active

    numbers = domain.values
    if domain.kind == "integer":
        assert domain.low is not None and domain.high is not None
        numbers = tuple(range(int(domain.low), int(domain.high) + 1))
    return [number for number in numbers if is_active(number)]
