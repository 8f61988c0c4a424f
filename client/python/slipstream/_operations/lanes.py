"""The worker ids of one study in one process.

The server gives a worker that asks again the trials that it holds, so that a trainer which was
restarted goes on where it was. So that a process can hold several trials, from threads or one
after the other, each suggestion is asked for under an id that holds no open trial here.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
from typing import List, Optional


def choose_worker(worker: Optional[str]) -> str:
    """The id, or else that of SLIPSTREAM_WORKER, or one that no other process has."""
    return worker or os.environ.get("SLIPSTREAM_WORKER") or unique_worker()


def unique_worker() -> str:
    """An id that nobody else has."""
    return f"{socket.gethostname()[:64]}-{os.getpid()}-{secrets.token_hex(3)}"


class Lane:
    """One worker id."""

    def __init__(self, worker: str) -> None:
        self.worker = worker
        self.open = 0  # Trials that have been handed out and have no outcome.


class Lanes:
    """Thread-safe."""

    def __init__(self, worker: str) -> None:
        self.worker = worker
        self._lock = threading.Lock()
        self._lanes: List[Lane] = []

    def take(self, count: int) -> Lane:
        """A lane without open trials, which now counts as having so many."""
        with self._lock:
            free = next((lane for lane in self._lanes if lane.open == 0), None)
            if free is None:
                number = len(self._lanes) + 1
                free = Lane(self.worker if number == 1 else f"{self.worker}.{number}")
                self._lanes.append(free)
            free.open = count
            return free

    def give_back(self, lane: Lane, count: int = 1) -> None:
        with self._lock:
            lane.open -= count
