"""Threads that do the same work until all have ended or one has failed."""

from __future__ import annotations

import threading
from typing import Callable, List, Optional


class Workers:
    """Daemons, so that a program which no longer waits for them can end while they are at work."""

    def __init__(self, count: int, work: Callable[[], None]) -> None:
        self._work = work
        self._changed = threading.Condition()
        self._at_work = count
        self._errors: List[BaseException] = []
        for number in range(count):
            threading.Thread(target=self._run, name=f"slipstream_{number}", daemon=True).start()

    def _run(self) -> None:
        error = None
        try:
            self._work()
        except BaseException as raised:
            error = raised
        with self._changed:
            self._at_work -= 1
            if error is not None:
                self._errors.append(error)
            self._changed.notify_all()

    def wait_for_error(self) -> None:
        """Returns when one has failed or all have ended."""
        with self._changed:
            self._changed.wait_for(lambda: self._errors or not self._at_work)

    def wait(self) -> None:
        """Returns when all have ended."""
        with self._changed:
            self._changed.wait_for(lambda: not self._at_work)

    @property
    def first_error(self) -> Optional[BaseException]:
        """The error of the first one that failed; None if none did."""
        with self._changed:
            return self._errors[0] if self._errors else None
