"""Numbers and words as Python's own types, in whatever type a program has them."""

from __future__ import annotations

import math
import operator
import sys
from typing import Any, Dict, Mapping, Optional

# How many suggestions one process evaluates at a time.
MOST_WORKERS = 1000


def plain(value: Any) -> Any:
    """The value as Python's own bool, int, float or str; unchanged if it is no such scalar.

    >>> from fractions import Fraction
    >>> plain(Fraction(1, 4)), plain("rbf"), plain([1])
    (0.25, 'rbf', [1])
    """
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return value if type(value) is kind else _without_subclass(value, kind)
    if getattr(value, "shape", ()) != ():
        return value  # An array, though one of a single element can be a number.
    if hasattr(value, "dtype") and hasattr(value, "item"):
        item = value.item()
        if isinstance(item, (bool, int, float, str)):
            return item
    return _number(value)


def _without_subclass(value: Any, kind: type) -> Any:
    return str.__str__(value) if kind is str else kind(value)


def _number(value: Any) -> Any:
    try:
        return operator.index(value)
    except TypeError:
        pass
    if not hasattr(type(value), "__float__"):
        return value
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return value


def text_of(error: BaseException) -> str:
    """The text of an exception, also of one that cannot tell it; then it is empty."""
    try:
        return str(error)
    except Exception:
        return ""


def is_number(value: Any) -> bool:
    """Whether it is one of Python's own numbers, of which True and False are none here."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def whole(value: Any) -> Optional[int]:
    """The value as an integer if it is a whole number, of any type; otherwise None.

    >>> whole(1e2), whole(2.5), whole(True)
    (100, None, None)
    """
    number = plain(value)
    if isinstance(number, float) and number.is_integer():
        return int(number)
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def check_count(argument: str, value: Any, least: int, most: Optional[int] = None) -> int:
    """The whole number that an argument must be.

    >>> check_count("workers", 2.5, 1)
    Traceback (most recent call last):
      ...
    TypeError: workers=2.5 must be a whole number, at least 1
    """
    bounds = f"at least {least}" if most is None else f"from {least} to {most}"
    count = whole(value)
    if count is None:
        raise TypeError(f"{argument}={value!r} must be a whole number, {bounds}")
    if count < least or (most is not None and count > most):
        raise ValueError(f"{argument}={value!r} must be {bounds}")
    return count


def check_finite(call: str, value: Any, remedy: str = "") -> float:
    """The finite number that a call must be given.

    >>> check_finite("complete()", "0.3")
    Traceback (most recent call last):
      ...
    TypeError: complete() takes a number, not the text '0.3': convert it, as by float(...)
    """
    if isinstance(plain(value), (str, bytes, bytearray)):  # Of which float() makes numbers.
        raise TypeError(f"{call} takes a number, not the text {value!r}: convert it, as by float(...)")
    try:
        converted = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{call} takes a number, not {value!r}") from None
    except OverflowError:
        raise ValueError(f"{call} got a number that is too large") from None
    if not math.isfinite(converted):
        raise ValueError(
            f"{call} got {converted}, and the model takes finite numbers only{remedy}"
        )
    return converted


def label_texts(labels: Optional[Mapping[str, Any]]) -> Dict[str, str]:
    """Labels, whose values are texts, and may be written as numbers.

    >>> label_texts({"team": "vision", "year": 2026})
    {'team': 'vision', 'year': '2026'}
    """
    if labels is not None and not isinstance(labels, Mapping):
        raise TypeError(f"labels={labels!r} must be values by name, such as {{'team': 'vision'}}")
    texts = {}
    for key, value in (labels or {}).items():
        text = plain(value)
        if not isinstance(key, str) or not isinstance(text, (bool, int, float, str)):
            raise TypeError(
                f"labels={{{key!r}: {value!r}}}: the keys of labels must be strings, and their "
                "values strings or numbers, such as labels={'team': 'vision'}"
            )
        texts[key] = str(text)
    return texts


def check_seconds(argument: str, value: Any) -> float:
    """The seconds, at least 0 and perhaps infinite, that an argument must be."""
    seconds = plain(value)
    if not is_number(seconds):
        raise TypeError(f"{argument}={value!r} must be a number of seconds")
    if not seconds >= 0:  # Or it is no number.
        raise ValueError(f"{argument}={value!r} must be 0 seconds or more")
    return math.inf if seconds > sys.float_info.max else float(seconds)
