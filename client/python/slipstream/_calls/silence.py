"""What a person is told while a server does not answer, or answers that it cannot do it yet."""

from __future__ import annotations

import logging
import os
import socket
import threading
from typing import Callable, Optional

from slipstream._calls import call_thread
from slipstream.options import DEFAULT_ADDRESS, LOCAL_SERVER

_NOTICE = 2.0  # Seconds without an answer, or without one that helps.
_AGAIN = 600.0  # Seconds until refusals are told of again.
_log = logging.getLogger("slipstream")


def is_loopback(address: str) -> bool:
    """Whether only this machine can be meant."""
    return address.startswith(("127.", "localhost:", "[::1]"))


def remedy(address: str, has_answered: bool = False) -> str:
    """How to get an answer. A server that has answered before is not to be replaced by a new one."""
    if has_answered:
        return "it has answered before; is slipstream_server still running there?"
    command = "slipstream serve"
    if address != DEFAULT_ADDRESS:
        command += f" --listen {address}"
    start = f"`{command}` starts it" if is_loopback(address) else "Start it"
    return f"is slipstream_server running there? {start}, or give another address by address= or " \
        "SLIPSTREAM_ADDRESS"


def refuses(address: str) -> bool:
    """Whether nothing listens at an address of this machine. What `slipstream.local` runs there is
    started again by itself."""
    if not is_loopback(address) or os.environ.get(LOCAL_SERVER) == address:
        return False
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=0.1).close()
    except ConnectionRefusedError:
        return True
    except (OSError, ValueError):
        pass
    return False


class Silence:
    """Whether a server has ever answered, and whether a person knows that it does not now.

    Thread-safe."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._broken = False  # By an answer, at some time.
        self._told = False

    @property
    def is_unbroken(self) -> bool:
        """Whether the server has not answered yet."""
        return not self._broken

    def end(self) -> None:
        """The server has answered."""
        if not self._broken or self._told:
            with self._lock:
                self._broken, self._told = True, False

    def notice(self, seconds: float) -> None:
        """Says that the server is waited for, once it has been silent for long enough."""
        if seconds < _NOTICE:
            return
        with self._lock:
            told, self._told = self._told, True
        if not told:
            advice = remedy(self._address, self._broken)
            _log.warning("waiting for an answer from %s: %s", self._address, advice)

    def watch(self) -> Optional[threading.Timer]:
        """Starts a timer that notices if a call gets no answer for so long; cancel it when the call
        ends. Returns None once the server has answered any call: after that, a slow call is one
        that the server works on."""
        if self._broken:
            return None
        timer = threading.Timer(_NOTICE, self._notice_unless_broken)
        timer.daemon = True
        call_thread.start(timer)
        return timer

    def _notice_unless_broken(self) -> None:
        if not self._broken:
            self.notice(_NOTICE)


class Refusals:
    """Whether a person knows that the server refuses calls that are repeated, for example because its
    disk is full or a project makes too many.

    Thread-safe."""

    def __init__(self, address: str, clock: Callable[[], float]) -> None:
        self._address = address
        self._clock = clock
        self._lock = threading.Lock()
        self._told_at: float | None = None

    def notice(self, seconds: float, message: str) -> None:
        """Says why a call is repeated, once that has gone on for long enough."""
        if seconds < _NOTICE:
            return
        now = self._clock()
        with self._lock:
            if self._told_at is not None and now - self._told_at < _AGAIN:
                return
            self._told_at = now
        _log.warning("trying again until %s accepts it: %s", self._address, message)
