"""The worker ids of one study in one process.

The server gives a worker that asks again the trials that it holds, so that a trainer which was
restarted goes on where it was. So that a process can hold several trials, from threads or one
after the other, each suggestion is asked for under an id that holds no open trial here: a lane of
the worker. The lanes of "gpu" are "gpu", "gpu#2", "gpu#3" and so on. Those of a worker whose own id
ends like that are all numbered, "gpu#2#1", "gpu#2#2", so that no two workers share a lane.

A trainer that was restarted may have left trials in any of its lanes. It takes them up again before
it asks for others, however few it works on at a time.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import threading
import weakref
from itertools import count
from typing import Collection, Dict, FrozenSet, Iterable, Optional, Tuple

from slipstream._operations.followed_forks import fork_lock
from slipstream._operations.meant_study import MeantStudy

_NUMBERED = re.compile(r".*#[0-9]+", re.DOTALL)
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


def given_worker(worker: Optional[str]) -> Optional[str]:
    """The id, or else that of SLIPSTREAM_WORKER; None without both."""
    if not isinstance(worker, (str, type(None))):
        raise TypeError(f"worker={worker!r} must be a string, such as {str(worker)!r}")
    if worker == "":
        raise ValueError("worker='' must not be empty; None is SLIPSTREAM_WORKER or an id of its own")
    return worker or os.environ.get("SLIPSTREAM_WORKER") or None


def unique_worker() -> str:
    """An id that nobody else has."""
    return f"{socket.gethostname()[:64]}-{os.getpid()}-{secrets.token_hex(3)}"


def lane_name(worker: str, number: int) -> str:
    """The id under which the worker asks in this lane, counted from 1."""
    if number == 1 and not _NUMBERED.fullmatch(worker):
        return worker
    return f"{worker}#{number}"


def lane_number(worker: str, name: str) -> Optional[int]:
    """The lane of the worker that has this name; None if none has."""
    digits = name[len(worker) + 1:] if name.startswith(f"{worker}#") else "1"
    if not _NUMBER.fullmatch(digits):
        return None
    return int(digits) if lane_name(worker, int(digits)) == name else None


class Lane:
    """One worker id."""

    def __init__(self, worker: str, number: int) -> None:
        self.worker = lane_name(worker, number)
        self.number = number
        self.open = 0  # Trials that have been handed out and have no outcome.
        # Names of trials that another process under this id, perhaps an earlier life of the worker,
        # has been working on, and that have not been taken up here.
        self.left: FrozenSet[str] = frozenset()


class Lanes:
    """Thread-safe."""

    def __init__(self, worker: Optional[str]) -> None:
        """The lanes of the worker; if it is None, those of a new id that nobody else has."""
        self.worker = worker or unique_worker()
        self._lock = threading.Lock()
        self._lanes: Dict[int, Lane] = {}
        self._recalled = worker is None

    @property
    def recalled(self) -> bool:
        """Whether it is known which trials an earlier life of the worker has left."""
        return self._recalled

    @property
    def left(self) -> int:
        """How many trials of an earlier life have not been taken up again."""
        with self._lock:
            return sum(len(lane.left) for lane in self._lanes.values())

    def recall(self, held: Iterable[Tuple[str, str]]) -> None:
        """Learns which trials were left, from the names of held trials, each with the id that holds
        it. Only the first call counts, as a later one would include trials handed out since."""
        with self._lock:
            if self._recalled:
                return
            self._recalled = True
            for trial, holder in held:
                number = lane_number(self.worker, holder)
                if number is not None:
                    self._lane(number).left |= {trial}

    def _lane(self, number: int) -> Lane:
        if number not in self._lanes:
            self._lanes[number] = Lane(self.worker, number)
        return self._lanes[number]

    def take(self, trials: int) -> Lane:
        """A lane without open trials, which now counts as having so many. Those in which something
        was left come first."""
        with self._lock:
            free = [lane for lane in self._lanes.values() if lane.open == 0]
            if free:
                lane = min(free, key=lambda one: (not one.left, one.number))
            else:
                lane = self._lane(next(one for one in count(1) if one not in self._lanes))
            lane.open = trials
            return lane

    def resumed(self, lane: Lane, trials: Collection[str]) -> None:
        """Notes that the lane was given these trials. The server gives the trials that an id holds
        first, so any others mean that the lane has no more left. No trials mean that it holds
        none."""
        with self._lock:
            holds_more = bool(trials) and lane.left.issuperset(trials)
            lane.left = lane.left.difference(trials) if holds_more else frozenset()

    def give_back(self, lane: Lane, trials: int = 1) -> None:
        with self._lock:
            lane.open -= trials


_shared: weakref.WeakValueDictionary[Tuple[int, str, MeantStudy, str], Lanes]
_shared = weakref.WeakValueDictionary()


def lanes_of(worker: Optional[str], address: str, study: MeantStudy) -> Lanes:
    """The lanes of the worker, or of that of SLIPSTREAM_WORKER. All objects of this process for the
    study share them, as each would otherwise be given the trials of the others."""
    given = given_worker(worker)
    if given is None:
        return Lanes(None)
    with fork_lock():
        return _shared.setdefault((os.getpid(), address, study, given), Lanes(given))
