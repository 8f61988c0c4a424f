"""How long an optimisation goes on."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import Iterator, List, Optional

from slipstream.scalars import check_count, check_seconds


class Quota:
    """How many trials may still be started, and until when. Thread-safe.

    `until` is how many the study should have in all; whoever starts a trial checks whether it has
    them."""

    def __init__(
        self, trials: Optional[int], timeout: Optional[float], until: Optional[int]
    ) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._started = 0
        self.ended_by = ""  # "paused" or "completed", if that ended it.
        self.trials = None if trials is None else check_count("trials", trials, 0)
        self._left = self.trials
        self.until = None if until is None else check_count("until", until, 1)
        seconds = None if timeout is None else check_seconds("timeout", timeout)
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def counts_study(self) -> bool:
        """Whether the end is a number of trials of the whole study, and not of this optimisation."""
        return self.trials is None and self.until is not None

    @property
    def total(self) -> Optional[int]:
        """How many trials there are to be in the end, if that is known."""
        return self.until if self.trials is None else self.trials

    def take(self) -> bool:
        """Whether one more may be started."""
        with self._lock:
            if self._is_over() or self._left == 0:
                return False
            if self._left is not None:
                self._left -= 1
            return True

    def start(self) -> bool:
        """Whether a trial that was suggested may be started: the quota may have been closed, or time
        may have run out, since it was asked for."""
        with self._lock:
            is_over = self._is_over()
            self._started += not is_over
            return not is_over

    @property
    def started(self) -> int:
        """How many trials were started."""
        with self._lock:
            return self._started

    def close(self) -> None:
        """Lets no more be started."""
        with self._lock:
            self._closed = True

    def end_by(self, state: str) -> None:
        """Lets no more be started, as the study is in this state."""
        with self._lock:
            if not self._closed:
                self.ended_by = state
            self._closed = True

    @property
    def closed(self) -> bool:
        """Whether no trial may be started any more, not even one that was suggested meanwhile."""
        with self._lock:
            return self._is_over()

    def _is_over(self) -> bool:
        return self._closed or (self._end is not None and time.monotonic() >= self._end)


class RunningQuotas:
    """The quotas of the optimisations that are under way. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._quotas: List[Quota] = []

    @contextmanager
    def run(self, quota: Quota) -> Iterator[None]:
        """Counts the quota as running while the block runs."""
        with self._lock:
            self._quotas.append(quota)
        try:
            yield
        finally:
            with self._lock:
                self._quotas.remove(quota)

    def close(self) -> None:
        """Lets no more trials be started."""
        with self._lock:
            running = list(self._quotas)
        for quota in running:
            quota.close()
