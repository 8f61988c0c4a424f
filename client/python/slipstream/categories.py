"""The labels of what a choice is among where that is not words: None, numbers, tuples, classes."""

from __future__ import annotations

import enum
import math
from typing import Any, Tuple

from slipstream.scalars import plain

_LONGEST = 256  # Bytes, as the server has it.


def _without_types(value: Any) -> Any:
    """The same of Python's own types, whose texts are the same with every version of NumPy."""
    if isinstance(value, (tuple, list)):
        kind = list if isinstance(value, list) else tuple
        return kind(_without_types(one) for one in value)
    return plain(value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(_is_plain(one) for one in value)
    return value is None or isinstance(value, (bool, int, float, str))


def label_of(value: Any) -> str:
    """A text that is the same for the value in every process. TypeError if there may be none.

    >>> label_of("rbf"), label_of(None), label_of((64, 64)), label_of(dict)
    ('rbf', 'None', '(64, 64)', 'dict')
    """
    if isinstance(value, enum.Enum):
        return value.name
    bare = _without_types(value)
    if isinstance(bare, str):
        return bare
    if _is_plain(bare):
        return repr(bare)
    name = getattr(value, "__name__", "<")
    if not isinstance(name, str) or name.startswith("<"):  # A lambda, or no class and no function.
        raise TypeError(f"{value!r} has no name that is the same in every process")
    return name


def labels_of(values: Tuple[Any, ...]) -> Tuple[str, ...]:
    """The labels of different values. An error if they cannot be told apart by these."""
    labels = tuple(label_of(value) for value in values)
    for label, value in zip(labels, values):
        if labels.count(label) > 1:
            raise ValueError(f"{label!r} stands for more than one of the values")
        if not 0 < len(label.encode()) <= _LONGEST:
            raise ValueError(f"the text of {value!r} is empty or longer than {_LONGEST} bytes")
    return labels


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same category; True is another one than 1.

    >>> is_same(1, 1.0), is_same(1, True), is_same(math.nan, math.nan)
    (True, False, True)
    """
    if one is other:
        return True
    if any(getattr(value, "shape", ()) != () for value in (one, other)):
        return False  # Arrays are compared element by element.
    one, other = plain(one), plain(other)
    if isinstance(one, bool) is not isinstance(other, bool):
        return False
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    try:
        return bool(one == other)
    except Exception:  # As a tuple of arrays does.
        return False
