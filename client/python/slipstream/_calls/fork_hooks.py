"""Functions that run at each fork of this process.

Python cannot raise what such a function raises, and a Ctrl-C that lands in one would be lost."""

from __future__ import annotations

import _thread
import logging
import os
from typing import Callable, Optional, Set

Hook = Callable[[], None]

_log = logging.getLogger("slipstream")
_interrupted: Set[int] = set()  # Processes that a Ctrl-C is to reach once their fork is made.


def at_fork(
    *,
    before: Optional[Hook] = None,
    after_in_parent: Optional[Hook] = None,
    after_in_child: Optional[Hook] = None,
) -> None:
    """Runs the functions at each fork. After a Ctrl-C one is run again, so it may run twice. A
    warning tells of their errors."""
    if not hasattr(os, "register_at_fork"):
        return
    given = {
        "before": guarded(before) if before else None,
        "after_in_parent": _guarded_and_last(after_in_parent) if after_in_parent else None,
        "after_in_child": _guarded_and_last(after_in_child) if after_in_child else None,
    }
    os.register_at_fork(**{when: hook for when, hook in given.items() if hook is not None})


def guarded(hook: Hook) -> Hook:
    """The same function, but it raises nothing."""

    def run() -> None:
        while True:
            try:
                return hook()
            except KeyboardInterrupt:
                _interrupted.add(os.getpid())
            except BaseException as error:
                return _log.warning(
                    "process %d is forked, and %s failed: %s: %s",
                    os.getpid(), getattr(hook, "__qualname__", hook), type(error).__name__, error,
                )

    return run


def _guarded_and_last(hook: Hook) -> Hook:
    """The same, and a Ctrl-C reaches the program after it."""
    safe = guarded(hook)

    def run() -> None:
        safe()
        if os.getpid() in _interrupted:
            _interrupted.discard(os.getpid())
            # By a thread, whose turn comes when this one has left the hooks.
            _thread.start_new_thread(_thread.interrupt_main, ())

    return run
