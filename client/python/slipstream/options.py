"""How calls reach the server, how long they may take and how they are retried."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Optional

DEFAULT_ADDRESS = "127.0.0.1:7411"


@dataclass(frozen=True)
class Deadlines:
    """How long one call may take, in seconds."""

    attempt: float  # One attempt; the one after an attempt that took longer has a new connection.
    overall: float  # All attempts together, with the pauses between them.

    def __post_init__(self) -> None:
        if not 0 < self.attempt <= self.overall:
            raise ValueError(
                f"Deadlines(attempt={self.attempt}, overall={self.overall}): an attempt must have "
                "more than 0 seconds, and at most those of the whole call"
            )


@dataclass(frozen=True)
class Retry:
    """When and how often a call is repeated.

    A call is repeated after UNAVAILABLE, ABORTED, an attempt's deadline and CANCELLED, with which
    a server that shuts down drops calls. A repetition has the request id of the first attempt, so
    no change is made twice. The pause before attempt n + 1 is drawn uniformly from zero to
    `initial_backoff` * 2 ** (n - 1), at most `max_backoff`."""

    initial_backoff: float = 0.1  # Seconds.
    max_backoff: float = 5.0  # Seconds.
    max_attempts: int = 0  # 0: as many as the overall deadline allows.

    def __post_init__(self) -> None:
        if self.initial_backoff <= 0 or self.max_backoff <= 0:
            raise ValueError(
                f"Retry(initial_backoff={self.initial_backoff}, max_backoff={self.max_backoff}): "
                "pauses must have more than 0 seconds"
            )
        if self.max_attempts < 0:
            raise ValueError(f"Retry(max_attempts={self.max_attempts}): must be 0 or more")


@dataclass(frozen=True)
class Options:
    """The options of a client.

    `credentials` are gRPC channel credentials; without them the connection is plaintext, which
    suits loopback and trusted networks only."""

    call: Deadlines = field(default_factory=lambda: Deadlines(10, 60))
    # Suggest may have to fit a model first.
    suggest: Deadlines = field(default_factory=lambda: Deadlines(60, 300))
    # Up to 100,000 observations are sent.
    registration: Deadlines = field(default_factory=lambda: Deadlines(120, 600))
    retry: Retry = field(default_factory=Retry)
    credentials: Optional[Any] = None


def choose_address(address: Optional[str]) -> str:
    """The address, or else that of the environment variable SLIPSTREAM_ADDRESS, or the default."""
    return address or os.environ.get("SLIPSTREAM_ADDRESS") or DEFAULT_ADDRESS
