"""What scikit-learn's searches take as distributions of parameters, as a space of Slipstream."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping

from slipstream._convert.words import words_of
from slipstream.parameters import Parameter, Value, choice, discrete, integer, log, real


@dataclass(frozen=True)
class Translation:
    """A parameter, and the values that an estimator gets for its values."""

    parameter: Parameter
    to_estimator: Callable[[Value], Any]


def _as_it_is(value: Value) -> Value:
    return value


def _listed(values: Any) -> Translation:
    """A list of different numbers is ordered; anything else is a choice of words."""
    listed = list(values)
    if not listed:
        raise ValueError("an empty list leaves nothing to choose")
    ordered = all(isinstance(one, numbers.Real) and not isinstance(one, bool)
                  and math.isfinite(one) for one in listed)
    if ordered and len(set(listed)) == len(listed) > 1:
        by_number = {float(one): one for one in listed}
        parameter = discrete(*sorted(by_number))
        return Translation(parameter, lambda value: by_number[float(value)])
    words = words_of(listed)
    return Translation(choice(*words), lambda value: listed[words.index(str(value))])


def _distribution(frozen: Any) -> Translation:
    """The frozen distributions of SciPy that say no more than bounds and a scale."""
    low, high = frozen.support()
    name = frozen.dist.name
    if name == "randint":
        return Translation(integer(int(low), int(high)), int)
    if name in ("uniform", "loguniform", "reciprocal"):
        make = real if name == "uniform" else log
        return Translation(make(float(low), float(high)), float)
    raise TypeError(
        f"scipy.stats.{name} is more than bounds and a scale; give slipstream.real, log or "
        "integer, or scipy.stats.uniform, loguniform or randint"
    )


def translate(distribution: Any) -> Translation:
    """The parameter that `distribution` is: one of Slipstream's, a list, or one of SciPy's."""
    if isinstance(distribution, Parameter):
        return Translation(distribution, _as_it_is)
    if hasattr(distribution, "dist") and hasattr(distribution, "support"):
        return _distribution(distribution)
    if isinstance(distribution, str) or not hasattr(distribution, "__iter__"):
        raise TypeError(
            f"{distribution!r} is neither a parameter, such as slipstream.log(1e-5, 1), nor a "
            "list of values, nor a distribution of scipy.stats"
        )
    return _listed(distribution)


def translate_all(distributions: Mapping[str, Any]) -> Dict[str, Translation]:
    """All parameters; the error says which one is none."""
    if not isinstance(distributions, Mapping):
        raise TypeError(
            f"param_distributions={distributions!r} must be one dict; where a parameter depends on "
            "another, say so by when=, as in slipstream.integer(2, 5, when={'kernel': 'poly'})"
        )
    translations = {}
    for name, distribution in distributions.items():
        try:
            translations[name] = translate(distribution)
        except (TypeError, ValueError) as error:
            raise type(error)(f"parameter {name!r}: {error}") from None
    return translations
