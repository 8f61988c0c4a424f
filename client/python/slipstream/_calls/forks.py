"""Forks of a process that makes calls.

A fork of a process can make calls of its own, unless one was under way when it was made, or the
process has used gRPC for asyncio, whose thread goes on after its calls. In the fork gRPC may then
wait for ever for locks that threads of the parent held."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import Iterator

_PATIENCE = 0.25  # Seconds that a fork waits for calls under way.


class Traffic:
    """The calls that are under way in this process, for whose end forks wait. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._calls = 0
        self._polls = False  # Whether there is a thread of gRPC for asyncio.
        self._forks = 0  # That are being made.
        self._was_quiet = True  # When the latest was made.
        self._quiet = True  # Whether this process and all its parents were forked without calls.

    @contextmanager
    def call(self) -> Iterator[None]:
        """Has a call under way while the block runs, which begins when no fork is being made."""
        with self._changed:
            self._changed.wait_for(lambda: not self._forks)
            self._calls += 1
        try:
            yield
        finally:
            with self._changed:
                self._calls -= 1
                self._changed.notify_all()

    def note_asyncio(self) -> None:
        """From now on gRPC has a thread of its own."""
        self._polls = True

    def check(self) -> None:
        """RuntimeError in a process that cannot make calls."""
        if not self._quiet:
            raise RuntimeError(
                "this process was forked while calls to the server were under way, or after "
                "slipstream.aio was used, and gRPC does not outlive that: start processes before, or "
                "by multiprocessing.get_context('spawn')"
            )

    def before_fork(self) -> None:
        """Lets no call begin, and waits for those under way, but not for long."""
        with self._changed:
            self._forks += 1
            ended = self._changed.wait_for(lambda: not self._calls, _PATIENCE)
            self._was_quiet = ended and not self._polls

    def after_fork_in_parent(self) -> None:
        """Lets calls begin again."""
        with self._changed:
            self._forks -= 1
            self._changed.notify_all()

    def after_fork_in_child(self) -> None:
        """Begins without calls."""
        self._changed = threading.Condition()
        self._calls = self._forks = 0
        self._polls = False
        self._quiet = self._quiet and self._was_quiet


traffic = Traffic()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=traffic.before_fork,
        after_in_parent=traffic.after_fork_in_parent,
        after_in_child=traffic.after_fork_in_child,
    )
