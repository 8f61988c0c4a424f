"""Infers a space with conditions from what programs have asked for, trial by trial."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Dict, FrozenSet, List, Mapping, Optional, Sequence, Set

from slipstream.parameters import Condition, Parameter, Value

_NUMBERS_WITH_CHILDREN = ("integer", "discrete")


class NoSpace(ValueError):
    """What was asked for is not a space of Slipstream; the message says why."""


@dataclass(frozen=True)
class Asked:
    """What one finished trial has asked for: parameters without conditions, and its values."""

    space: Mapping[str, Parameter]
    values: Mapping[str, Value]


def infer_space(trials: Sequence[Asked]) -> Dict[str, Parameter]:
    """The parameters of all trials. One that some trials lack is active for the values of another
    with which it was asked for; NoSpace if no parameter explains that."""
    space = _merged(trials)
    present = {name: frozenset(i for i, trial in enumerate(trials) if name in trial.space)
               for name in space}
    return {name: replace(parameter, condition=_condition(name, trials, space, present))
            for name, parameter in space.items()}


def _merged(trials: Sequence[Asked]) -> Dict[str, Parameter]:
    space: Dict[str, Parameter] = {}
    for trial in trials:
        for name, parameter in trial.space.items():
            before = space.setdefault(name, parameter)
            if before != parameter:
                raise NoSpace(
                    f"parameter {name!r} was asked for as {before!r} and as {parameter!r}, and a "
                    "study has one space; give ranges that do not change different names"
                )
    return space


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
    raise NoSpace(
        f"parameter {name!r} was asked for in {len(present[name])} of {len(trials)} trials, and no "
        "single parameter decides when; let one choice do so, or always ask for it"
    )


def _deciding_values(
    name: str,
    parent: str,
    trials: Sequence[Asked],
    domain: Parameter,
    present: Mapping[str, FrozenSet[int]],
) -> Optional[List[Value]]:
    """The parent's values for which the parameter is active; None if these do not decide it."""
    if domain.kind == "real":
        return None
    active: Set[Value] = set()
    inactive: Set[Value] = set()
    for i in present[parent]:
        (active if i in present[name] else inactive).add(trials[i].values[parent])
    if active & inactive:
        return None
    return _with_unseen(active, inactive, domain)


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
