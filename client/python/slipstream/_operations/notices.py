"""Warnings that point at the line of the user's program that led to them."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from dataclasses import dataclass
from types import FrameType
from typing import Tuple

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_ADAPTERS = os.path.join(_PACKAGE, "adapters") + os.sep
_thread = threading.local()  # Its line is the user's that has started it, if the package knows it.


@dataclass(frozen=True)
class Line:
    """A line of the user's program."""

    file: str
    number: int

    def warn(self, text: str) -> None:
        """Warns at this line, from whatever thread or task."""
        warnings.warn_explicit(text, UserWarning, self.file, self.number)


def callers_line() -> Line:
    """The first line outside this package that led here."""
    frame = _caller()[1]
    return Line(frame.f_code.co_filename, frame.f_lineno)


def begin_thread(line: Line) -> None:
    """Says which line of the user's program has started this thread of the package's own."""
    _thread.line = line


def warn_caller(text: str) -> None:
    """Warns at the first line outside this package that led here on the same thread or, if none of
    the user's has, at the one that has started the thread."""
    level, frame = _caller()
    line = getattr(_thread, "line", None)
    if line is not None and frame.f_globals.get("__name__") == threading.__name__:
        line.warn(text)
    else:
        warnings.warn(text, stacklevel=level)


def is_adapter_asking() -> bool:
    """Whether one of the package's adapters led here, and not the user's program itself."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_code.co_filename.startswith(_ADAPTERS):
            return True
        frame = frame.f_back
    return False


def _caller() -> Tuple[int, FrameType]:
    """The level, for whoever calls this function, and the frame of the first one outside."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level, frame
