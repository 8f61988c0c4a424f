"""Words of Slipstream's choices for what other packages let a program choose among."""

from __future__ import annotations

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
