"""Connections to a server, and what the blocking and the asyncio transport share."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable, Dict, Generic, List, Optional, Tuple, TypeVar

from slipstream._calls.plan import Failure
from slipstream._calls.silence import is_loopback
from slipstream._wire.methods import METHODS

Channel = TypeVar("Channel")

# After these, unless the server has answered so itself, the next attempt has a new connection: one
# that hangs is not used again, and a new one does not wait for the old one's pause between attempts
# to connect.
_NEED_A_NEW_LINK = ("DEADLINE_EXCEEDED", "UNAVAILABLE")


def channel_options(address: str) -> List[Tuple[str, int]]:
    """The options of a channel to the address."""
    options = [
        ("grpc.max_receive_message_length", -1),
        # With the process' pool a new channel would get the same connection again.
        ("grpc.use_local_subchannel_pool", 1),
        # The caller repeats calls, and knows which are safe to repeat.
        ("grpc.enable_retries", 0),
    ]
    if is_loopback(address):
        options.append(("grpc.enable_http_proxy", 0))  # A proxy cannot reach this loopback.
    return options


def authorization(token: Optional[str]) -> Optional[Tuple[Tuple[str, str], ...]]:
    """The metadata that tells a server who calls. For a token that cannot be sent, raises
    ValueError without the token, because gRPC's own error would show it."""
    if not token:
        return None
    if not all(" " < character < "\x7f" for character in token):
        raise ValueError(
            "token has a space, a line end or another character that tokens cannot have: "
            "remove it, for example with token.strip()"
        )
    return (("authorization", "Bearer " + token),)


def failure_of(error: Any) -> Failure:
    """The failure that a gRPC error tells of."""
    details = b""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            details = value
    return Failure(error.code().name, error.details() or "", details)


class Credentials:
    """The credentials of channels. Their files are read again for each channel, as certificates are
    replaced while programs run; files that are unusable by then leave the previous ones."""

    def __init__(self, read: Callable[[], Optional[Any]]) -> None:
        """`read` returns None for plaintext, and raises ValueError or OSError, as this does."""
        self._read = read
        self._latest = read()

    def renewed(self) -> Optional[Any]:
        """Those of a new channel."""
        try:
            self._latest = self._read()
        except (ValueError, OSError):  # The files may be being replaced.
            pass
        return self._latest


class Link(Generic[Channel]):
    """One channel and its methods. Keep it while a call is under way, as it holds the channel."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self._methods: Dict[str, Any] = {}

    def method(self, name: str) -> Any:
        """The method, to be called with a request, or an iterator of them, and a timeout."""
        if name not in self._methods:
            method = METHODS[name]
            channel: Any = self.channel
            kind = channel.stream_unary if method.takes_stream else channel.unary_unary
            if method.gives_stream:
                kind = channel.unary_stream
            self._methods[name] = kind(
                method.path,
                request_serializer=method.serialize,
                response_deserializer=method.parse,
            )
        return self._methods[name]


class Links(Generic[Channel]):
    """The current link to a server. Thread-safe."""

    def __init__(self, address: str, open_channel: Callable[[], Channel], in_fork: str) -> None:
        """`in_fork`: what the user should do in a fork of the process, where the connection does
        not work."""
        self._address = address
        self._in_fork = in_fork
        self._open = open_channel
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._link = Link(open_channel())

    def current(self) -> Link[Channel]:
        if os.getpid() != self._process:
            raise RuntimeError(
                "this process is a fork of the one that opened the connection, which does not "
                f"outlive a fork: {self._in_fork}, or start processes by "
                "multiprocessing.get_context('spawn')"
            )
        return self._link

    def replace_after(self, failure: Failure, failed: Link[Channel]) -> None:
        """Opens a new link if the failure asks for one and nobody else has done so."""
        if failure.code not in _NEED_A_NEW_LINK or failure.is_answer:
            return
        with self._lock:
            if self._link is failed:
                self._link = Link(self._open())
