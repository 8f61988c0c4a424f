"""Progress of an optimisation: one line that changes on a terminal, a few lines elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from types import TracebackType
from typing import Callable, Mapping, Optional, TextIO, Tuple, Type

from slipstream._operations.held_trial import HeldTrial
from slipstream._operations.termination import termination
from slipstream.parameters import Parameter
from slipstream.records import Objective, TrialRecord
from slipstream.scalars import text_of

_BAR = 20  # Characters.
_ERROR = 100  # The most characters of an error's text.
_LINES = 10  # Off a terminal, in all.
_SECONDS_BETWEEN_LINES = 30.0
_SECONDS_BETWEEN_READS = 2.0


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def brief_error(error: BaseException, whole: bool = False) -> str:
    """Its type and its text, or the beginning of that, on one line."""
    name, text = type(error).__name__, " ".join(text_of(error).split())
    if len(text) > _ERROR and not whole:
        text = f"{text[:_ERROR]}..."
    return f"{name}: {text}" if text else name


def _brief(params: Mapping[str, object], space: Mapping[str, Parameter]) -> str:
    labels = {
        name: space[name].label_of(value) if name in space else value
        for name, value in params.items()
    }
    return ", ".join(
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in labels.items()
    )


def _is_terminal(stream: Optional[TextIO]) -> bool:
    """Python has no stream where that was closed before it started, a closed one cannot tell, and
    what a program puts in its place may have little."""
    try:
        return bool(stream is not None and stream.isatty())
    except Exception:
        return False


class Progress:
    """Counts trials and tells of the incumbent. Thread-safe.

    Other processes may work on the same study. Whoever counts a trial asks `wants_news` before, and
    if it says so, reads the study's best trial for `learn`; `conclude` has the one at the end. If
    the total is one of the whole study, both also need how many of its trials have an outcome."""

    def __init__(
        self,
        title: str,
        objective: Objective,
        total: Optional[int],
        shown: bool,
        stream: Optional[TextIO] = None,
        of_study: bool = False,
        space: Optional[Mapping[str, Parameter]] = None,
    ) -> None:
        """`total`: how many trials are expected in all; with `of_study`, over all processes.
        `space`: the parameters whose choices are shown by their labels."""
        self._space = space or {}
        self._title = title
        self._objective = objective
        self._total = total
        self._stream = stream or sys.stderr
        self._shown = shown
        self._terminal = _is_terminal(self._stream)
        self._lock = threading.Lock()
        self._started = time.monotonic()
        self._last_line = self._started
        self._done = 0  # By this process.
        self._elsewhere = None if of_study else 0  # Those that count besides, once they are known.
        self._last_read: Optional[float] = None
        self._failed = 0
        self._last_failure = ""
        self._best: Optional[str] = None
        self._best_value: Optional[float] = None
        self._line_is_open = False  # On a terminal, where the next one is to take its place.
        self._forget: Callable[[], None] = lambda: None
        # What the last line says.
        self._written: Optional[Tuple[int, Optional[int], Optional[str]]] = None

    def __enter__(self) -> Progress:
        self._forget = termination.before_end(self._leave_line)
        return self

    def wants_news(self) -> bool:
        """Whether to read how the study stands, as a line is due that would say old news."""
        with self._lock:
            since = None if self._last_read is None else time.monotonic() - self._last_read
            is_old = since is None or since >= _SECONDS_BETWEEN_READS
            return is_old and self._shown and (self._terminal or self._is_due(self._done + 1))

    def learn(self, best: Optional[TrialRecord], ended: Optional[int] = None) -> None:
        """Takes note of the study's best trial and of how many trials have ended, as far as they could
        be read. The best trial may be older than this process' last result. The number includes the
        trial that is counted next. Until this call, other threads that count a trial read both too."""
        with self._lock:
            self._last_read = time.monotonic()
            if ended is not None:
                self._elsewhere = max(0, ended - self._done - 1)
            if best is not None:
                self._consider(best.number, best.value, best)

    def count(self, trial: HeldTrial, failure: Optional[Exception] = None) -> None:
        """Takes note of a trial that has ended, by an exception if it failed, unless it was given
        back."""
        if trial.given_back:
            return
        with self._lock:
            self._done += 1
            if failure is not None:
                self._failed += 1
                self._last_failure = brief_error(failure)
            self._consider(trial.number, trial.measured, trial)
            if self._shown and (self._terminal or self._is_due(self._done)):
                self._write()

    @property
    def done(self) -> int:
        """How many trials were counted."""
        with self._lock:
            return self._done

    def conclude(self, best: Optional[TrialRecord], ended: Optional[int] = None) -> None:
        """Makes the last line say how the study stands, now that no more are counted."""
        with self._lock:
            if ended is not None:
                self._elsewhere = max(0, ended - self._done)
            if best is not None and best.value is not None:
                self._improve(best.number, best.value, best)
            if self._shown and (self._done or ended) and self._written != self._news():
                self._write()

    def say(self, text: str) -> None:
        """Writes a line of its own, also where progress is not shown."""
        with self._lock:
            self._put(("\n" if self._line_is_open else "") + f"{self._title} {text}\n")
            self._line_is_open = False

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._forget()
        with self._lock:
            self._leave_line()

    def _leave_line(self) -> None:
        """Puts the cursor on a line of its own. A signal may have come while this thread writes, so
        the stream is left alone if it is a file."""
        if not self._line_is_open:
            return
        self._line_is_open = False
        try:
            os.write(self._stream.fileno(), b"\n")
        except Exception:  # The stream is not a file, as in a notebook.
            self._put("\n")

    def _consider(self, number: int, value: Optional[float], params: Mapping[str, object]) -> None:
        if value is None:
            return
        if self._best_value is None or self._objective.is_better(value, self._best_value):
            self._improve(number, value, params)

    def _improve(self, number: int, value: float, params: Mapping[str, object]) -> None:
        self._best_value = value
        self._best = f"best {value:.6g} (trial {number}: {_brief(params, self._space)})"

    def _news(self) -> Tuple[int, Optional[int], Optional[str]]:
        return self._done, self._elsewhere, self._best

    def _write(self) -> None:
        self._written = self._news()
        self._last_line = time.monotonic()
        if self._terminal:
            width = shutil.get_terminal_size().columns
            self._line_is_open = True
            self._put("\r\x1b[K" + self._line(True)[: width - 1])
        else:
            self._put(self._line(False) + "\n")

    def _put(self, text: str) -> None:
        """Writes the text, or shows nothing from then on: that is no reason to end a training."""
        try:
            self._stream.write(text)
            self._stream.flush()
        except Exception:  # The disk is full, nobody listens any more, or there is no stream.
            self._shown = False

    def _is_due(self, done: int) -> bool:
        """Off a terminal: at the first and the last trial, at each tenth, and now and then."""
        if self._written is None:
            return True
        if time.monotonic() - self._last_line >= _SECONDS_BETWEEN_LINES:
            return True
        if self._total is None or self._elsewhere is None:
            return False
        number, before = done + self._elsewhere, self._written[0] + (self._written[1] or 0)
        tenths = min(number, self._total) * _LINES // self._total
        return tenths > before * _LINES // self._total

    def _line(self, with_bar: bool) -> str:
        bar, number = "", self._done + (self._elsewhere or 0)
        known = self._total is not None and self._elsewhere is not None
        if with_bar and known and self._total:
            full = min(number, self._total) * _BAR // self._total
            bar = f"[{'#' * full}{'-' * (_BAR - full)}] "
        total = f"/{self._total}" if known else ""
        elapsed = _clock(time.monotonic() - self._started)
        best = self._best or "no result yet"
        failed = f"; {self._failed} failed, the last: {self._last_failure}" if self._failed else ""
        return f"{self._title} {bar}{number}{total} {elapsed}  {best}{failed}"
