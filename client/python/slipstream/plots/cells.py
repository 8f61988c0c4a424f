"""The cells of a map over two parameters, and in which of them both can be active."""

from __future__ import annotations

from typing import Iterator, List, Mapping, Tuple

from slipstream.parameters import Condition, Parameter, Value
from slipstream.plots.unit_values import bounds_of, raw_value, unit_value, words_of

_GRID = 24  # Places along an axis.
_INSET = 1e-6  # From the end of the part that is nearest to one value.


def _conditions_of(space: Mapping[str, Parameter], name: str) -> Iterator[Condition]:
    """That of the parameter, of the one that it depends on, and so on."""
    condition = space[name].condition
    while condition is not None:
        yield condition
        condition = space[condition.parent].condition


def can_be_active(
    space: Mapping[str, Parameter], name: str, known: Mapping[str, Value]
) -> bool:
    """Whether the values that are known let the parameter be active."""
    return all(known[one.parent] in one.values for one in _conditions_of(space, name)
               if one.parent in known)


def value_at(parameter: Parameter, place: float) -> Value:
    """The legal value that is nearest to a place between 0 and 1."""
    words = words_of(parameter)
    if words:
        return words[min(int(place * len(words)), len(words) - 1)]
    number = raw_value(parameter, place)
    if parameter.kind == "integer":
        return round(number)
    if parameter.kind == "discrete":
        return min(parameter.values, key=lambda value: abs(float(value) - number))
    return number


def _part_of(parameter: Parameter, value: Value) -> Tuple[float, float]:
    """The ends of the places that are nearest to a value of few."""
    words = words_of(parameter)
    if words:
        at = words.index(value)
        return at / len(words), (at + 1) / len(words)
    number = float(value)
    below, above = number - 1, number + 1
    if parameter.kind == "discrete":
        legal = [float(one) for one in parameter.values]
        below = max((one for one in legal if one < number), default=number)
        above = min((one for one in legal if one > number), default=number)
    low, high = bounds_of(parameter)
    ends = max(low, (below + number) / 2), min(high, (number + above) / 2)
    return unit_value(parameter, ends[0]), unit_value(parameter, ends[1])


def places_along(space: Mapping[str, Parameter], name: str, other: str) -> List[float]:
    """Places between 0 and 1, evenly spread, and at the ends of the parts with values of the
    parameter that decide over the other one: there a map may end."""
    places = {index / (_GRID - 1) for index in range(_GRID)}
    for condition in _conditions_of(space, other):
        if condition.parent == name:
            for value in condition.values:
                low, high = _part_of(space[name], value)
                places |= {low + _INSET, high - _INSET} if high - low > 2 * _INSET else set()
    return sorted(places)
