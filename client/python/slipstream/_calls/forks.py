"""Forks of a process that makes calls.

A fork of a process can make calls of its own, unless a call was under way when the fork was made,
or the process has used gRPC for asyncio, whose thread outlives its calls. In such a fork gRPC might
wait for ever for locks that threads of the parent held."""

from __future__ import annotations

import logging
import threading
import weakref
from contextlib import contextmanager
from typing import Iterator, Set

from slipstream._calls.fork_hooks import at_fork

_PATIENCE = 0.25  # Seconds that a fork waits for calls under way.
_LONGEST_FORK = 10.0  # Seconds that a call waits for a fork. Forks take far less.
_log = logging.getLogger("slipstream")


class _Call:
    """A call under way. It counts as ended once nothing refers to it any more, so that even a
    Ctrl-C at the wrong moment cannot leave it counted."""


class Traffic:
    """The calls that are under way in this process. Forks wait until these have ended.
    Thread-safe."""

    def __init__(self) -> None:
        self._renew_lock()
        self._calls: weakref.WeakSet[_Call] = weakref.WeakSet()
        self._polls = False  # Whether there is a thread of gRPC for asyncio.
        self._forking: Set[int] = set()  # Threads that are making a fork.
        self._was_quiet = True  # When the latest was made.
        self._quiet = True  # Whether this process and all its parents were forked without calls.

    def _renew_lock(self) -> None:
        # Taken as it is: within Condition.__enter__ a Ctrl-C could leave it locked.
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)

    @contextmanager
    def call(self) -> Iterator[None]:
        """Counts a call as under way while the block runs. The block waits until no fork is being
        made."""
        call = _Call()
        with self._lock:
            self._forking.discard(threading.get_ident())  # Whoever calls has made its fork.
            if not self._changed.wait_for(lambda: not self._forking, _LONGEST_FORK):
                _log.warning(
                    "a fork has been under way for %g s; calls no longer wait for it", _LONGEST_FORK)
                self._forking.clear()
            self._calls.add(call)
        try:
            yield
        finally:
            with self._lock:
                self._calls.discard(call)
                self._changed.notify_all()

    def note_asyncio(self) -> None:
        """From now on gRPC has a thread of its own."""
        self._polls = True

    def check(self) -> None:
        """Raises RuntimeError in a process that cannot make calls."""
        if not self._quiet:
            raise RuntimeError(
                "this process was forked while calls to the server were under way, or after "
                "slipstream.aio was used, and gRPC does not work in such a fork: start processes "
                "before, or by multiprocessing.get_context('spawn')"
            )

    def before_fork(self) -> None:
        """Holds back new calls, and waits for those under way, but not for long."""
        with self._lock:
            self._forking.add(threading.get_ident())
            ended = self._changed.wait_for(lambda: not self._calls, _PATIENCE)
            self._was_quiet = ended and not self._polls

    def after_fork_in_parent(self) -> None:
        """Lets calls begin again."""
        with self._lock:
            self._forking.discard(threading.get_ident())
            self._changed.notify_all()

    def after_fork_in_child(self) -> None:
        """Starts the fork with no calls under way."""
        self._renew_lock()
        self._calls = weakref.WeakSet()
        self._forking = set()
        self._polls = False
        self._quiet = self._quiet and self._was_quiet


traffic = Traffic()

at_fork(
    before=traffic.before_fork,
    after_in_parent=traffic.after_fork_in_parent,
    after_in_child=traffic.after_fork_in_child,
)
