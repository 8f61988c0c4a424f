"""Makes request ids: UUIDs of version 7 (RFC 9562), which are ordered by time."""

from __future__ import annotations

import os
import threading
import time

from slipstream._calls.fork_hooks import at_fork

_COUNTER_END = 1 << 12
_FIRST_COUNTER_MASK = (1 << 11) - 1  # Leaves room to count within a millisecond.
_VARIANT = 0b10 << 62
_RANDOM_BITS = (1 << 62) - 1


class RequestIds:
    """Every id sorts after all earlier ones, on any thread, even if the clock is set back.

    62 bits are drawn from the system's entropy, so that a process and its fork differ."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._millisecond = 0
        self._counter = 0
        at_fork(after_in_child=self._renew_lock)

    def _renew_lock(self) -> None:
        self._lock = threading.Lock()

    def next(self) -> str:
        """36 characters, for example "01932c07-209f-7d3b-9d2c-3b1f0c6a7e55"."""
        drawn = int.from_bytes(os.urandom(10), "big")
        now = time.time_ns() // 1_000_000
        with self._lock:
            if now > self._millisecond:
                self._millisecond, self._counter = now, (drawn >> 64) & _FIRST_COUNTER_MASK
            else:
                self._counter += 1
                if self._counter == _COUNTER_END:
                    self._millisecond, self._counter = self._millisecond + 1, 0
            millisecond, counter = self._millisecond, self._counter
        tail = _VARIANT | (drawn & _RANDOM_BITS)
        return (
            f"{millisecond >> 16:08x}-{millisecond & 0xFFFF:04x}-7{counter:03x}-"
            f"{tail >> 48:04x}-{tail & 0xFFFFFFFFFFFF:012x}"
        )


_ids = RequestIds()


def make_request_id() -> str:
    """The process' next id."""
    return _ids.next()
