"""Words of Slipstream's choices for what other packages let a program choose among."""

from __future__ import annotations

import math
from typing import Any, List, Sequence

_LONGEST = 256  # Bytes, as the server has it.


def words_of(values: Sequence[Any]) -> List[str]:
    """A word for each value: its text, if all texts are legal words and differ, else its place.

    >>> words_of(["rbf", None, 0.5]), words_of([1, "1"]), words_of(["", "poly"])
    (['rbf', 'None', '0.5'], ['0', '1'], ['0', '1'])
    """
    words = [str(value) for value in values]
    legal = all(0 < len(word.encode()) <= _LONGEST and word.isprintable() for word in words)
    if legal and len(set(words)) == len(words):
        return words
    return [str(place) for place in range(len(words))]


def place_of(value: Any, choices: Sequence[Any]) -> int:
    """The index of a value among the choices. True and 1 are different choices.

    >>> place_of(True, [1, True, None])
    1
    """
    for place, one in enumerate(choices):
        same = one == value or (isinstance(one, float) and math.isnan(one) and value != value)
        if same and isinstance(one, bool) == isinstance(value, bool):
            return place
    raise ValueError(f"{value!r} is not among {choices!r}")
