"""A call on a thread of its own, for which another thread waits.

No lock is held by the thread that waits. An exception that a signal raises just as one of Python's
conditions takes its lock again would be lost, and that of releasing the lock raised instead."""

from __future__ import annotations

import _thread
import queue
import threading
from typing import Any, Callable, List, Optional

# A signal that arrives just before the main thread falls asleep does not wake it.
_SECONDS_BETWEEN_LOOKS = 0.2


class CallThread:
    """Makes one call."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._begins: List[None] = [None]  # Taken by whoever makes the call, or gives it up before.
        self._ends: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._has_ended = False
        self._response: Any = None
        self._error: Optional[BaseException] = None

    def start(self) -> None:
        """RuntimeError if there can be no further thread."""
        _thread.start_new_thread(self._run, ())

    def result(self) -> Any:
        """Waits for the response; raises what the call has raised."""
        self._wait()
        error, self._error = self._error, None
        try:
            if error is not None:
                raise error
        finally:
            del error  # Which has this frame, and those of the program.
        return self._response

    def give_up(self) -> None:
        """Returns when the call has ended, or if it will not begin."""
        if not self._take():
            self._wait()

    def _run(self) -> None:
        if not self._take():
            return
        try:
            self._response = self._make()
        except BaseException as error:
            self._error = error.with_traceback(None)
        self._has_ended = True
        self._ends.put(None)

    def _take(self) -> bool:
        try:
            self._begins.pop()
        except IndexError:
            return False
        return True

    def _wait(self) -> None:
        while not self._has_ended:
            try:
                self._ends.get(timeout=_SECONDS_BETWEEN_LOOKS)
            except queue.Empty:
                pass


def start(thread: threading.Thread) -> None:
    """Starts a thread of Python's. A Ctrl-C within its own start() could leave a lock locked, so
    that it never begins."""
    starter = CallThread(thread.start)
    starter.start()
    try:
        starter.result()
    except BaseException:
        starter.give_up()
        raise
