"""Places of values between 0 and 1, as axes and models want them."""

from __future__ import annotations

import math
from typing import Dict, List, Mapping, Sequence, Tuple

from slipstream.parameters import Parameter, Value

_MOST_STEPS = 8  # Between the ticks of an axis.


def _scaled(parameter: Parameter, value: float, low: float, high: float) -> float:
    if parameter.scale == "log":
        return (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
    if parameter.scale == "reverse_log":
        span = low + high
        return 1 - _scaled(Parameter("real", low, high, scale="log"), span - value, low, high)
    return (value - low) / (high - low)


def words_of(parameter: Parameter) -> Tuple[Value, ...]:
    """The values of a parameter that has no order; none for a number."""
    return (False, True) if parameter.kind == "boolean" else (
        parameter.values if parameter.kind == "choice" else ()
    )


def bounds_of(parameter: Parameter) -> Tuple[float, float]:
    """The least and the greatest value of a number."""
    if parameter.kind == "discrete":
        return float(parameter.values[0]), float(parameter.values[-1])
    return float(parameter.low or 0), float(parameter.high or 0)


def unit_value(parameter: Parameter, value: Value) -> float:
    """Where the value is between 0 and 1; words have the middles of equal parts."""
    words = words_of(parameter)
    if words:
        return (words.index(parameter.label_of(value)) + 0.5) / len(words)
    low, high = bounds_of(parameter)
    return 0.5 if low == high else _scaled(parameter, float(value), low, high)


def raw_value(parameter: Parameter, place: float) -> float:
    """The number at a place between 0 and 1; of words the place itself."""
    if words_of(parameter):
        return place
    low, high = bounds_of(parameter)
    if parameter.scale == "log":
        return float(low * (high / low) ** place)
    if parameter.scale == "reverse_log":
        return float(low + high - low * (high / low) ** (1 - place))
    return low + place * (high - low)


def unit_row(
    space: Mapping[str, Parameter], params: Mapping[str, Value], absent: float
) -> List[float]:
    """A configuration's places, in the order of the space; `absent` where it has no value."""
    return [
        unit_value(parameter, params[name]) if name in params else absent
        for name, parameter in space.items()
    ]


def ticks_of(parameter: Parameter) -> List[Tuple[float, str]]:
    """Ticks at places of words and at values that are few; none where a library's own serve."""
    words = words_of(parameter)
    if words:
        return [((index + 0.5) / len(words), str(word)) for index, word in enumerate(words)]
    return [(float(value), _text_of(value)) for value in _few_values(parameter)]


def _text_of(value: float) -> str:
    """The shortest text that is the value; all digits of a whole number."""
    number = float(value)
    return str(int(value)) if number.is_integer() and abs(number) < 1e16 else repr(number)


def _few_values(parameter: Parameter) -> Sequence[float]:
    """Some of the legal values, as a library might choose others in between."""
    low, high = bounds_of(parameter)
    if parameter.kind == "discrete":
        return [float(value) for value in parameter.values] if len(parameter.values) <= 8 else ()
    if parameter.kind != "integer":
        return ()
    if parameter.scale != "log":  # A reverse logarithm has a linear axis.
        steps = (factor * 10**power for power in range(17) for factor in (1, 2, 5))
        step = next(one for one in steps if (high - low) / one <= _MOST_STEPS)
        return range(math.ceil(low / step) * step, int(high) + 1, step)
    doublings = int(math.log2(high / low))
    return [low * 2**index for index in range(doublings + 1)] if doublings <= _MOST_STEPS else ()


def plotted(parameter: Parameter, params: Dict[str, Value], name: str) -> float:
    """The coordinate of a value on an axis: a number itself, a word at its place."""
    value = params[name]
    return unit_value(parameter, value) if words_of(parameter) else float(value)
