"""The parameters of a search space.

>>> from slipstream import boolean, choice, discrete, integer, log, real
>>> space = {
...     "learning_rate": log(1e-5, 1),
...     "momentum": real(0, 0.99, default=0.9),
...     "layers": integer(1, 8),
...     "batch": discrete(16, 32, 64, scale="log"),
...     "kernel": choice("rbf", "poly"),
...     "features": choice(None, "sqrt", 0.5),
...     "degree": integer(2, 5, when={"kernel": "poly"}),
...     "bias": boolean(),
... }
>>> space["degree"]
integer(2, 5, when={'kernel': 'poly'})
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from slipstream._operations.foreign_names import OF_PARAMETERS, with_hints
from slipstream.categories import is_same, label_of, labels_of
from slipstream.scalars import is_number, plain, whole

Value = Union[float, int, str, bool]
Number = Union[float, int]
# A parent's name and the value, or values, for which the parameter is active.
When = Mapping[str, Any]

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
    values: Tuple[Value, ...] = ()  # Of discrete parameters; for choices, their labels.
    scale: str = "linear"
    default: Optional[Value] = None
    condition: Optional[Condition] = None
    # The objects that the labels of a choice stand for, if any. The server knows only the labels.
    objects: Tuple[Any, ...] = field(default=(), compare=False)

    def label_of(self, value: Any) -> Any:
        """The label of one of a choice's objects; any other value as it is."""
        for label, one in zip(self.values, self.objects):
            if is_same(one, value):
                return label
        return value

    def object_of(self, label: Any) -> Any:
        """The object that a choice's label stands for; the value itself if there are no objects."""
        return self.objects[self.values.index(label)] if self.objects else label

    def unconditional(self) -> Parameter:
        """The same parameter without its condition."""
        return replace(self, condition=None)

    def __repr__(self) -> str:
        name, arguments = self.kind, [repr(value) for value in self.values]
        if self.objects:
            arguments = self._told_objects()
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


    def _told_objects(self) -> List[str]:
        told = tuple(zip(self.values, self.objects))
        if all(label in _own_labels(one) for label, one in told):
            return [str(label) if callable(one) else repr(one) for label, one in told]
        return [repr(dict(told))]


def _own_labels(value: Any) -> List[str]:
    """The labels that `choice` may give a value: its text, if it has one, or its name."""
    text = plain(value)
    labels = [text] if isinstance(text, str) else []
    try:
        return [*labels, label_of(value)]
    except TypeError:
        return labels


def _text(number: Optional[Number]) -> str:
    text = repr(number)
    return text[:-2] if text.endswith(".0") else text


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
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        return Condition(parent, (values,))
    return Condition(parent, tuple(plain(value) for value in values))


def with_labels(space: Mapping[str, Parameter]) -> Dict[str, Parameter]:
    """The space with the labels of objects in conditions, as the server has them."""
    labelled = dict(space)
    for name, parameter in space.items():
        condition: Optional[Condition] = getattr(parameter, "condition", None)
        if condition is None:
            continue
        parent = space.get(condition.parent)
        if isinstance(parent, Parameter) and parent.objects:
            labelled[name] = replace(parameter, condition=_labelled(condition, parent))
    return labelled


def _labelled(condition: Condition, parent: Parameter) -> Condition:
    whole = parent.label_of(condition.values)  # when={"layers": (64, 64)} means one of its tuples.
    if isinstance(whole, str):
        return Condition(condition.parent, (whole,))
    return Condition(condition.parent, tuple(parent.label_of(one) for one in condition.values))


def _is_list(value: Any) -> bool:
    """Whether it has values one after the other, as a list, an array, a generator and an Enum do."""
    if isinstance(plain(value), (bool, int, float, str)):
        return False
    if isinstance(value, type):
        return issubclass(value, enum.Enum)
    return isinstance(value, Iterable) or hasattr(value, "tolist")


def _elements(values: Tuple[Any, ...]) -> Tuple[Any, ...]:
    """The arguments, or the elements of a single one that is a list, an array or the like."""
    return tuple(values[0]) if len(values) == 1 and _is_list(values[0]) else values


def _check_bounds(name: str, low: Any, high: Any, scale: str) -> None:
    if scale not in SCALES:
        raise ValueError(f"{name}: scale={scale!r} must be one of {', '.join(SCALES)}")
    for bound in (low, high):
        if not is_number(bound):
            raise TypeError(f"{name}({low!r}, {high!r}): the bounds must be numbers")
        if not abs(bound) <= sys.float_info.max:
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
    try:
        return float(number)
    except OverflowError:
        raise ValueError(f"{name}(): default={default!r} is too large") from None


def _check_given_once(name: str, values: Tuple[Any, ...]) -> None:
    for index, one in enumerate(values):
        if one in values[:index]:
            raise ValueError(f"{name}(): {one!r} is given twice")


def _with_legal_default(parameter: Parameter, is_legal: bool) -> Parameter:
    if not is_legal:
        raise ValueError(f"{parameter!r}: the default is not one of the parameter's values")
    return parameter


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
    made = Parameter("real", float(low), float(high), (), scale, start, _condition(when))
    return _with_legal_default(made, start is None or low <= start <= high)


@with_hints(OF_PARAMETERS)
def real(
    low: Number, high: Number, *, default: Optional[Number] = None, when: Optional[When] = None
) -> Parameter:
    """A real number between two bounds, inclusive.

    `default` is the parameter's value if nobody sets it: a source task that lacks the parameter is
    taken to have used this value, and `Study.enqueue` fills it in. Defaults are not tried first
    automatically; if all parameters have one, `study.enqueue({})` queues this configuration. `when`
    names another parameter and the value, or list of values, for which this one is active."""
    return _real("real", low, high, "linear", default, when)


def log(
    low: Number, high: Number, *, default: Optional[Number] = None, when: Optional[When] = None
) -> Parameter:
    """A real number on a logarithmic scale, such as a learning rate. See `real`."""
    return _real("log", low, high, "log", default, when)


def reverse_log(
    low: Number, high: Number, *, default: Optional[Number] = None, when: Optional[When] = None
) -> Parameter:
    """A real number whose distance to the upper bound is on a logarithmic scale, such as a
    momentum. See `real`."""
    return _real("reverse_log", low, high, "reverse_log", default, when)


@with_hints(OF_PARAMETERS)
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
    start = plain(default)
    made = Parameter("integer", int(low), int(high), (), scale, start, _condition(when))
    number = whole(start)
    return _with_legal_default(made, start is None or (number is not None and low <= number <= high))


def discrete(
    *values: Number,
    scale: str = "linear",
    default: Optional[Number] = None,
    when: Optional[When] = None,
) -> Parameter:
    """One of several numbers, whose order and distances matter.

    If all of them are whole, trials have integers."""
    values = tuple(plain(value) for value in _elements(values))
    if not values:
        raise ValueError("discrete() needs at least one number, such as discrete(16, 32, 64)")
    if not all(is_number(value) for value in values):
        raise TypeError(f"discrete{values!r}: takes numbers; for words there is choice()")
    ascending = tuple(sorted(values))
    _check_bounds("discrete", ascending[0], ascending[-1], scale)
    _check_given_once("discrete", ascending)
    start = plain(default)
    made = Parameter("discrete", None, None, ascending, scale, start, _condition(when))
    is_legal = start is None or (not isinstance(start, bool) and start in ascending)
    return _with_legal_default(made, is_legal)


def choice(*values: Any, default: Any = None, when: Optional[When] = None) -> Parameter:
    """One of several categories, without an order.

    >>> choice("rbf", "poly", default="rbf")
    choice('rbf', 'poly', default='rbf')

    Categories may also be given as one list, or as an Enum, whose members then are the categories.

    They may also be None, numbers, tuples, classes and functions. Trials then have these very
    objects as values. Tables, and studies that are opened without their space, have labels instead:
    the objects' texts or names. A label can be given in place of its object everywhere, also as a
    default. For any other objects, give the labels in a dict:

    >>> class Adam:
    ...     pass
    >>> choice(None, "sqrt", 0.5), choice((64,), (64, 64)), choice(Adam, dict)
    (choice(None, 'sqrt', 0.5), choice((64,), (64, 64)), choice(Adam, dict))
    >>> choice({"small": {"width": 64}, "large": {"width": 512}}).values
    ('small', 'large')
    """
    if len(values) == 1 and isinstance(values[0], Mapping):
        labels, objects = tuple(plain(label) for label in values[0]), tuple(values[0].values())
        _check_labels(labels, objects)
    else:
        if len(values) == 1 and isinstance(values[0], (set, frozenset)):
            raise TypeError(
                f"choice({values[0]!r}): a set has a different order in each process: give a list, "
                "such as sorted(...)"
            )
        objects = _elements(values)
        labels = _labels_for(objects)
    parameter = Parameter("choice", None, None, labels, condition=_condition(when))
    if any(not _stands_for_itself(one) for one in objects) or objects != labels:
        _check_different(labels, objects)
        parameter = replace(parameter, objects=objects)
    start = None if default is None else plain(parameter.label_of(default))
    return _with_legal_default(replace(parameter, default=start), start is None or start in labels)


def _stands_for_itself(value: Any) -> bool:
    """Whether trials may have its label in its place."""
    return isinstance(value, str) and not isinstance(value, enum.Enum)


def _labels_for(objects: Tuple[Any, ...]) -> Tuple[str, ...]:
    if not objects:
        raise ValueError("choice() needs at least one category, such as choice('rbf', 'poly')")
    bare = [plain(one) for one in objects]
    named = any(isinstance(one, enum.Enum) for one in objects)
    if not named and (all(map(is_number, bare)) or all(isinstance(one, bool) for one in bare)):
        raise TypeError(
            f"choice{objects!r}: for numbers there is discrete(), and for True and False boolean(); "
            "for numbers without an order give labels, such as choice({'one': 1, 'two': 2})"
        )
    if all(isinstance(one, str) for one in bare):
        _check_given_once("choice", tuple(bare))
        return tuple(bare)  # Of which the server checks the lengths.
    try:
        return labels_of(objects)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"choice{objects!r}: {error}; give labels, such as choice({{'small': ..., 'large': ...}})"
        ) from None


def _check_labels(labels: Tuple[Any, ...], objects: Tuple[Any, ...]) -> None:
    if not labels or not all(isinstance(label, str) for label in labels):
        raise TypeError(
            f"choice({dict(zip(labels, objects))!r}): needs at least one label, and labels are words, "
            "such as choice({'small': (64,), 'large': (64, 64)})"
        )
    for label, one in zip(labels, objects):
        if isinstance(one, str) and one in labels and one != label:
            raise ValueError(f"choice(): {one!r} is both a label and what {label!r} stands for")


def _check_different(labels: Tuple[str, ...], objects: Tuple[Any, ...]) -> None:
    """ValueError for equal objects, of which only the first one's label would ever be found."""
    for index, one in enumerate(objects):
        for earlier in range(index):
            if labels[earlier] != labels[index] and is_same(objects[earlier], one):
                raise ValueError(
                    f"choice(): {labels[earlier]!r} and {labels[index]!r} stand for equal objects, "
                    f"{objects[earlier]!r} and {one!r}, which cannot be told apart"
                )


def boolean(*, default: Optional[bool] = None, when: Optional[When] = None) -> Parameter:
    """True or False."""
    start = plain(default)
    made = Parameter("boolean", default=start, condition=_condition(when))
    return _with_legal_default(made, start is None or isinstance(start, bool))
