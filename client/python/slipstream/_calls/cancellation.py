"""Ends a call that nobody waits for any more."""

from __future__ import annotations

from typing import Callable, Optional


class CalledOff(BaseException):
    """Another thread has cancelled the call, or nobody waits for it any more."""


class Cancellation:
    """Lets other threads cancel a call.

    Thread-safe. Uses no locks, as a signal handler must not wait for a lock of its own thread."""

    def __init__(self) -> None:
        self._requested = False
        self._cancel: Optional[Callable[[], object]] = None
        self.call_under_way = False  # Whether there is one for `request` to cancel.

    @property
    def requested(self) -> bool:
        """Whether nobody waits for the call any more."""
        return self._requested

    def request(self) -> None:
        """Cancels the call that is under way, and those that begin later."""
        self._requested = True
        cancel = self._cancel
        if cancel is not None:
            cancel()

    def use(self, cancel: Optional[Callable[[], object]]) -> None:
        """Makes `request` call this from now on."""
        self._cancel = cancel
        if self._requested and cancel is not None:
            cancel()
