"""Functions that run at each fork of this process.

Python drops the exceptions of such functions, so a signal whose handler raises in one would be
lost. Such a signal is sent again after the fork."""

from __future__ import annotations

import _thread
import logging
import os
import signal
import threading
from types import FrameType
from typing import Callable, Optional, Set, Tuple

Hook = Callable[[], None]

_log = logging.getLogger("slipstream")
_deferred: Set[Tuple[int, int]] = set()  # Processes, and signals to send them after their fork.


def at_fork(
    *,
    before: Optional[Hook] = None,
    after_in_parent: Optional[Hook] = None,
    after_in_child: Optional[Hook] = None,
) -> None:
    """Runs the functions at each fork. One that Ctrl-C interrupts is run again, so it may run
    twice. Their errors are logged as warnings."""
    if not hasattr(os, "register_at_fork"):
        return
    given = {
        "before": guarded(before) if before else None,
        "after_in_parent": _guarded_and_last(after_in_parent) if after_in_parent else None,
        "after_in_child": _guarded_and_last(after_in_child) if after_in_child else None,
    }
    os.register_at_fork(**{when: hook for when, hook in given.items() if hook is not None})


def defer(number: int) -> None:
    """Sends the signal to this process again once the fork has been made."""
    _deferred.add((os.getpid(), number))


def is_in_hook(frame: Optional[FrameType]) -> bool:
    """Whether the frame runs within one of these functions."""
    while frame is not None and frame.f_globals is not globals():
        frame = frame.f_back
    return frame is not None


def guarded(hook: Hook) -> Hook:
    """The same function, but it raises nothing."""

    def run() -> None:
        while True:
            try:
                return hook()
            except KeyboardInterrupt:
                defer(signal.SIGINT)
            except BaseException as error:
                return _log.warning(
                    "process %d forked, and %s failed: %s: %s",
                    os.getpid(), getattr(hook, "__qualname__", hook), type(error).__name__, error,
                )

    return run


def _guarded_and_last(hook: Hook) -> Hook:
    """The same, and it sends the deferred signals when it has run."""
    safe = guarded(hook)

    def run() -> None:
        safe()
        while _deferred:
            process, number = _deferred.pop()
            if process == os.getpid():
                main = threading.main_thread().ident or 0
                # By a thread, whose turn comes when this one has left the hooks.
                _thread.start_new_thread(signal.pthread_kill, (main, number))

    return run
