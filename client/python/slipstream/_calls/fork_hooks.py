"""Functions that run at each fork of this process.

Python drops the exceptions of such functions, so a signal whose handler raises in one would be
lost. So would one whose handler raises in the warning with which Python 3.12 and later end a fork of
a process with threads. Such a signal is sent again after the fork."""

from __future__ import annotations

import _thread
import logging
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import Callable, Optional

Hook = Callable[[], None]

_log = logging.getLogger("slipstream")
_PAUSE = 0.001  # Seconds between looks at whether the main thread has made its fork.
_DURING_FORKS = (__name__, "warnings", "_py_warnings")  # Modules.
_forking = False  # Whether other modules' functions may be running, too.


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
        "after_in_parent": guarded(after_in_parent) if after_in_parent else None,
        "after_in_child": guarded(after_in_child) if after_in_child else None,
    }
    os.register_at_fork(**{when: hook for when, hook in given.items() if hook is not None})


def defer(number: int) -> None:
    """Sends the signal to this process again once the fork has been made."""
    _thread.start_new_thread(_send, (threading.main_thread().ident or 0, number))


def _send(main: int, number: int) -> None:
    while _forking or is_in_hook(sys._current_frames().get(main)):
        time.sleep(_PAUSE)
    signal.pthread_kill(main, number)


def is_in_hook(frame: Optional[FrameType]) -> bool:
    """Whether the frame runs, or may run, within a fork."""
    while frame is not None and frame.f_globals.get("__name__") not in _DURING_FORKS:
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


def _begin() -> None:
    global _forking
    _forking = True


def _end() -> None:
    global _forking
    _forking = False


at_fork(before=_begin, after_in_parent=_end, after_in_child=_end)
