"""The parameters of a search space.

>>> from slipstream import boolean, choice, discrete, integer, log, real
>>> space = {
...     "learning_rate": log(1e-5, 1),
...     "momentum": real(0, 0.99, default=0.9),
...     "layers": integer(1, 8),
...     "batch": discrete(16, 32, 64, scale="log"),
...     "kernel": choice("rbf", "poly"),
...     "degree": integer(2, 5, when={"kernel": "poly"}),
...     "bias": boolean(),
... }
>>> space["degree"]
integer(2, 5, when={'kernel': 'poly'})
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

from slipstream.scalars import is_number, plain

Value = Union[float, int, str, bool]
Number = Union[float, int]
# A parent's name and the value, or values, for which the parameter is active.
When = Mapping[str, Union[Value, Sequence[Value]]]

# The most values of a choice or a discrete parameter (the server's limit), and of an integer parent
# of a condition in an inferred space.
MOST_VALUES = 1000
SCALES = ("linear", "log", "reverse_log")


@dataclass(frozen=True)
class Condition:
    """A parameter is active only while its parent has one of these values."""

    parent: str
    values: Tuple[Value, ...]

    def __repr__(self) -> str:
        return repr({self.parent: self.values[0] if len(self.values) == 1 else list(self.values)})


@dataclass(frozen=True, repr=False)
class Parameter:
    """One parameter. Made by `real`, `log` and the other functions of this module."""

    kind: str  # "real", "integer", "discrete", "choice" or "boolean".
    low: Optional[Number] = None  # For real and integer parameters.
    high: Optional[Number] = None
    values: Tuple[Value, ...] = ()  # For discrete parameters and choices.
    scale: str = "linear"
    default: Optional[Value] = None
    condition: Optional[Condition] = None

    def unconditional(self) -> Parameter:
        """The same parameter without its condition."""
        return replace(self, condition=None)

    def __repr__(self) -> str:
        name, arguments = self.kind, [repr(value) for value in self.values]
        if self.low is not None:
            arguments = [_text(self.low), _text(self.high)]
        if self.kind == "real" and self.scale != "linear":
            name = self.scale
        elif self.scale != "linear":
            arguments.append(f"scale={self.scale!r}")
        if self.default is not None:
            arguments.append(f"default={self.default!r}")
        if self.condition is not None:
            arguments.append(f"when={self.condition!r}")
        return f"{name}({', '.join(arguments)})"


def _text(number: Optional[Number]) -> str:
    return f"{number:.17g}" if isinstance(number, float) and number == int(number) else repr(number)


def _condition(when: Optional[When]) -> Optional[Condition]:
    if when is None:
        return None
    if not isinstance(when, Mapping):
        raise TypeError(
            f"when={when!r} must name a parameter and its value, or values, such as "
            "when={'kernel': 'poly'}; a function cannot be used here, because the server decides "
            "which parameters are active"
        )
    if len(when) != 1:
        raise ValueError(
            f"when={dict(when)!r} must name one parameter, such as when={{'kernel': 'poly'}}; for "
            "a parameter that depends on two, make one of those depend on the other"
        )
    ((parent, values),) = when.items()
    values = plain(values)
    if isinstance(values, (str, bool, int, float)):
        return Condition(parent, (values,))
    return Condition(parent, tuple(plain(value) for value in values))


def _listed(values: Tuple[Any, ...]) -> Tuple[Any, ...]:
    """The arguments, or the elements of a single one that is a list or an array."""
    (first, *others) = values or ((),)
    scalar = isinstance(plain(first), (bool, int, float, str))
    if not others and not scalar and (isinstance(first, Sequence) or hasattr(first, "tolist")):
        values = tuple(first)
    return tuple(plain(value) for value in values)


def _check_bounds(name: str, low: Any, high: Any, scale: str) -> None:
    if scale not in SCALES:
        raise ValueError(f"{name}: scale={scale!r} must be one of {', '.join(SCALES)}")
    for bound in (low, high):
        if not is_number(bound):
            raise TypeError(f"{name}({low!r}, {high!r}): the bounds must be numbers")
        if not math.isfinite(bound):
            raise ValueError(f"{name}({low!r}, {high!r}): the bounds must be finite")
    if low > high:
        raise ValueError(f"{name}({low!r}, {high!r}): the lower bound is above the upper one")
    if scale != "linear" and low <= 0:
        raise ValueError(
            f"{name}({low!r}, {high!r}): on a {scale} scale the lower bound must be above 0; "
            "use the linear scale, or a small positive bound"
        )


def _number(name: str, default: Any) -> float:
    number = plain(default)
    if not is_number(number):
        raise TypeError(f"{name}(): default={default!r} must be a number")
    return float(number)


def _real(
    name: str,
    low: Number,
    high: Number,
    scale: str,
    default: Optional[Number],
    when: Optional[When],
) -> Parameter:
    low, high = plain(low), plain(high)
    _check_bounds(name, low, high, scale)
    if low == high:
        raise ValueError(
            f"{name}({low!r}, {high!r}): the bounds are equal; leave out what is fixed"
        )
    start = None if default is None else _number(name, default)
    return Parameter("real", float(low), float(high), (), scale, start, _condition(when))


def real(
    low: Number, high: Number, *, default: Optional[Number] = None, when: Optional[When] = None
) -> Parameter:
    """A real number between two bounds, inclusive.

    `default` is the value that the parameter has where nobody sets it: a source task that lacks the
    parameter is taken to have used this value, and `Study.enqueue` takes it where it is left out. It
    is not tried first by itself; where all parameters have defaults, `study.enqueue({})` queues
    them. `when` names another parameter and the value, or list of values, for which this one is
    active."""
    return _real("real", low, high, "linear", default, when)


def log(
    low: Number, high: Number, *, default: Optional[Number] = None, when: Optional[When] = None
) -> Parameter:
    """A real number whose ratios matter, such as a learning rate. See `real`."""
    return _real("log", low, high, "log", default, when)


def reverse_log(
    low: Number, high: Number, *, default: Optional[Number] = None, when: Optional[When] = None
) -> Parameter:
    """A real number whose distance to the upper bound matters, such as a momentum. See `real`."""
    return _real("reverse_log", low, high, "reverse_log", default, when)


def integer(
    low: int,
    high: int,
    *,
    scale: str = "linear",
    default: Optional[int] = None,
    when: Optional[When] = None,
) -> Parameter:
    """A whole number between two bounds, inclusive; `scale` is "linear", "log" or "reverse_log".

    >>> integer(1, 1024, scale="log")
    integer(1, 1024, scale='log')
    """
    low, high = plain(low), plain(high)
    _check_bounds("integer", low, high, scale)
    if int(low) != low or int(high) != high:
        raise ValueError(f"integer({low!r}, {high!r}): the bounds must be whole; see real()")
    return Parameter(
        "integer", int(low), int(high), (), scale, plain(default), _condition(when)
    )


def discrete(
    *values: Number,
    scale: str = "linear",
    default: Optional[Number] = None,
    when: Optional[When] = None,
) -> Parameter:
    """One of several numbers, whose order and distances matter.

    If all of them are whole, trials have integers."""
    values = _listed(values)
    if not values:
        raise ValueError("discrete() needs at least one number, such as discrete(16, 32, 64)")
    if not all(is_number(value) for value in values):
        raise TypeError(f"discrete{values!r}: takes numbers; for words there is choice()")
    ascending = tuple(sorted(values))
    _check_bounds("discrete", ascending[0], ascending[-1], scale)
    return Parameter("discrete", None, None, ascending, scale, plain(default), _condition(when))


def choice(*values: str, default: Optional[str] = None, when: Optional[When] = None) -> Parameter:
    """One of several categories, without an order.

    >>> choice("rbf", "poly", default="rbf")
    choice('rbf', 'poly', default='rbf')
    """
    values = _listed(values)
    if not values:
        raise ValueError("choice() needs at least one word, such as choice('rbf', 'poly')")
    if not all(isinstance(value, str) for value in values):
        raise TypeError(
            f"choice{values!r}: takes words; for numbers there is discrete(), for True and False "
            "boolean(), and None may be spelt 'none'"
        )
    return Parameter("choice", None, None, values, "linear", plain(default), _condition(when))


def boolean(*, default: Optional[bool] = None, when: Optional[When] = None) -> Parameter:
    """True or False."""
    return Parameter("boolean", default=plain(default), condition=_condition(when))
