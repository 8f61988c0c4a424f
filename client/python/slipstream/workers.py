"""Threads that do the same work until all have ended or one has failed."""

from __future__ import annotations

import _thread
import math
import queue
import threading
import time
from typing import Callable, Iterable, List, Optional

from slipstream._operations.notices import begin_thread, callers_line

# A signal that arrives just before the main thread falls asleep does not wake it.
_SECONDS_BETWEEN_LOOKS = 0.2


class Workers:
    """Daemons, so that a program which no longer waits for them can end while they are at work."""

    def __init__(self, count: int, work: Callable[[], None]) -> None:
        self._work = work
        self._line = callers_line()
        self._lock = threading.Lock()
        self._at_work = set(range(count))
        self._errors: List[BaseException] = []
        self._ends: queue.SimpleQueue[None] = queue.SimpleQueue()
        _thread.start_new_thread(self._start, (count,))

    def _start(self, count: int) -> None:
        """On a thread of its own: a Ctrl-C within Thread.start() would leave some of them out."""
        for number in range(count):
            try:
                threading.Thread(
                    target=self._run, args=(number,), name=f"slipstream_{number}", daemon=True
                ).start()
            except Exception as error:  # The system has no more, or no memory for it.
                return self._end(range(number, count), error)

    def _run(self, number: int) -> None:
        error = None
        try:
            begin_thread(self._line)
            self._work()
        except BaseException as raised:
            error = raised
        self._end((number,), error)

    def _end(self, numbers: Iterable[int], error: Optional[BaseException]) -> None:
        with self._lock:
            if error is not None:
                self._errors.append(error)
            self._at_work.difference_update(numbers)
        self._ends.put(None)

    def wait_for_error(self) -> None:
        """Returns when one has failed or all have ended. Only one thread may wait."""
        self._wait_for(lambda: bool(self._errors) or not self._at_work)

    def wait(self, seconds: float = math.inf) -> bool:
        """Returns when all have ended, or after that time. Whether they have. Only one thread may
        wait."""
        return self._wait_for(lambda: not self._at_work, seconds)

    def _wait_for(self, done: Callable[[], bool], seconds: float = math.inf) -> bool:
        # Without a lock, as a signal's exception may come while it is taken or released.
        end = time.monotonic() + seconds
        while not done():
            left = end - time.monotonic()
            if left <= 0:
                return False
            try:
                self._ends.get(timeout=min(left, _SECONDS_BETWEEN_LOOKS))
            except queue.Empty:
                pass
        return True

    @property
    def errors(self) -> List[BaseException]:
        """The errors of those that have failed, in the order in which they failed."""
        return list(self._errors)
