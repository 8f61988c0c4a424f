"""Optuna's distributions as parameters, and values between the two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from optuna import distributions

from slipstream._convert.words import place_of, words_of
from slipstream.parameters import Parameter, Value, choice, integer, log, real


@dataclass(frozen=True)
class Translation:
    """A parameter and how its values stand for those of a distribution."""

    parameter: Parameter
    to_optuna: Callable[[Value], Any]
    from_optuna: Callable[[Any], Value]
    grid: Optional[Tuple[float, float]] = None  # The lowest value and the step, if it counts steps.


def _steps(low: float, high: float, step: float) -> int:
    return round((high - low) / step)


def _stepped(distribution: Any, convert: Callable[[Any], Any], step: float) -> Translation:
    """Values on a grid are counted from its lowest."""
    low, high = distribution.low, distribution.high
    return Translation(
        integer(0, _steps(low, high, step)),
        lambda value: convert(min(low + int(value) * step, high)),
        lambda value: round((value - low) / step),
        (low, step),
    )


def _categorical(distribution: Any) -> Translation:
    choices = distribution.choices
    words = words_of(choices)
    return Translation(
        choice(*words),
        lambda value: choices[words.index(str(value))],
        lambda value: words[place_of(value, choices)],
    )


def translate(distribution: Any) -> Translation:
    """The parameter that a distribution is. TypeError for one that is none of Optuna's."""
    if isinstance(distribution, distributions.CategoricalDistribution):
        return _categorical(distribution)
    if isinstance(distribution, distributions.IntDistribution):
        if distribution.step != 1:
            return _stepped(distribution, int, distribution.step)
        scale = "log" if distribution.log else "linear"
        return Translation(integer(distribution.low, distribution.high, scale=scale), int, int)
    if isinstance(distribution, distributions.FloatDistribution):
        if distribution.step is not None:
            return _stepped(distribution, float, distribution.step)
        make = log if distribution.log else real
        return Translation(make(distribution.low, distribution.high), float, float)
    raise TypeError(f"{distribution!r} is not a distribution that Slipstream knows")


def translate_all(of: Mapping[str, Any]) -> Dict[str, Translation]:
    """Translations of the distributions that leave something to choose."""
    return {name: translate(one) for name, one in of.items() if not one.single()}
