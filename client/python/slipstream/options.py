"""How calls reach the server, how long they may take and how they are retried."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from typing import Any, Optional

import grpc

from slipstream._calls.tls_files import check_together, read_own, read_roots

DEFAULT_ADDRESS = "127.0.0.1:7411"
# The environment variable that names the server of `slipstream.local`, if there is one.
LOCAL_SERVER = "SLIPSTREAM_LOCAL_SERVER"
# Schemes that gRPC itself parses: https://grpc.github.io/grpc/cpp/md_doc_naming.html.
_GRPC_SCHEMES = ("unix:", "unix-abstract:", "vsock:", "dns:", "ipv4:", "ipv6:", "xds:")
_HOST_AND_PORT = re.compile(
    r"(?:[^\s/:@\[\]]+|\[[0-9A-Fa-f:.]+(?:%[^\s\]]+)?\])(?::([0-9]{1,5}))?"
)
_IP6_WITHOUT_BRACKETS = re.compile(r"[0-9A-Fa-f.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(?:%[^\s\]]+)?")
_DEFAULT_PORT = DEFAULT_ADDRESS.rpartition(":")[2]
_LAST_PORT = 65535


@dataclass(frozen=True)
class Deadlines:
    """How long one call may take, in seconds."""

    attempt: float  # One attempt; after one that took longer, the next uses a new connection.
    overall: float  # All attempts together, with the pauses between them.

    def __post_init__(self) -> None:
        if not 0 < self.attempt <= self.overall:
            raise ValueError(
                f"Deadlines(attempt={self.attempt}, overall={self.overall}): an attempt must have "
                "more than 0 seconds, and at most as many as all attempts together"
            )


@dataclass(frozen=True)
class Retry:
    """When and how often a call is retried.

    A call is retried after UNAVAILABLE, ABORTED, a temporary refusal, the deadline of an attempt,
    and CANCELLED, which a server answers during its shutdown. A retry has the request id of the
    first attempt, so no change is made twice. The pause before attempt n + 1 is the delay that the
    server asks for, if any, plus a random time between zero and `initial_backoff` * 2 ** (n - 1),
    at most `max_backoff`.

    If the server is silent for two seconds, the logger "slipstream" warns once. If it refuses a
    call and its retries for two seconds, the logger gives the server's reason, at most once in ten
    minutes. Python prints these warnings on standard error unless the program configures logging.
    If a server on this machine has never answered and its port refuses connections, it has
    presumably not been started, and a call waits for it no longer than `refused`."""

    initial_backoff: float = 0.1  # Seconds.
    max_backoff: float = 5.0  # Seconds.
    max_attempts: int = 0  # 0: as many as the overall deadline allows.
    refused: float = 5.0  # Seconds.

    def __post_init__(self) -> None:
        if not (self.initial_backoff > 0 and self.max_backoff > 0):
            raise ValueError(
                f"Retry(initial_backoff={self.initial_backoff}, max_backoff={self.max_backoff}): "
                "pauses must be longer than 0 seconds"
            )
        if self.max_attempts < 0:
            raise ValueError(f"Retry(max_attempts={self.max_attempts}): must be 0 or more")
        if not self.refused >= 0:
            raise ValueError(f"Retry(refused={self.refused}): must be 0 or more seconds")


@dataclass(frozen=True)
class Options:
    """The options of a client.

    `token` identifies the caller to servers that require one. `ca` turns TLS on: it is a PEM file
    of the certificates that sign the server's certificate, or "system" for those that the system
    trusts. `certificate` and `key` are the files of the client's own certificate, for servers that
    require one. `credentials` are gRPC channel credentials in place of these three. Options that
    are not given come from SLIPSTREAM_TOKEN, SLIPSTREAM_CA, SLIPSTREAM_CERTIFICATE and
    SLIPSTREAM_KEY. Without `ca` or `credentials` the connection is plaintext, which suits only
    loopback and trusted networks."""

    call: Deadlines = field(default_factory=lambda: Deadlines(10, 60))
    # Suggest may have to fit a model first.
    suggest: Deadlines = field(default_factory=lambda: Deadlines(60, 300))
    # Outcomes, which may be all that is left of a long training.
    outcome: Deadlines = field(default_factory=lambda: Deadlines(10, 300))
    # Up to 100,000 observations are sent.
    registration: Deadlines = field(default_factory=lambda: Deadlines(120, 600))
    retry: Retry = field(default_factory=Retry)
    credentials: Optional[Any] = None
    token: Optional[str] = field(default=None, repr=False)
    ca: Optional[str] = None
    certificate: Optional[str] = None
    key: Optional[str] = None

    def __post_init__(self) -> None:
        for name in ("call", "suggest", "outcome", "registration", "retry"):
            kind, given = Retry if name == "retry" else Deadlines, getattr(self, name)
            if not isinstance(given, kind):
                raise TypeError(f"Options({name}={given!r}) must be slipstream.{kind.__name__}(...)")

    def with_environment(self, address: str) -> Options:
        """These options, completed from the environment, which is ignored for a server that
        `slipstream.local` runs."""
        if os.environ.get(LOCAL_SERVER) == address:
            return self

        def chosen(given: Optional[str], variable: str) -> Optional[str]:
            return given if given is not None else os.environ.get(variable) or None

        with_token = replace(self, token=chosen(self.token, "SLIPSTREAM_TOKEN"))
        if self.credentials is not None:
            return with_token
        return replace(
            with_token,
            ca=chosen(self.ca, "SLIPSTREAM_CA"),
            certificate=chosen(self.certificate, "SLIPSTREAM_CERTIFICATE"),
            key=chosen(self.key, "SLIPSTREAM_KEY"),
        )

    def without_secrets(self) -> Options:
        """These options for another process, which takes the token from its own environment and
        reads the certificates from their files."""
        if self.credentials is not None:
            raise TypeError(
                "what was opened with Options(credentials=...) cannot be pickled, as these are "
                "secret: give the files by ca=, certificate= and key="
            )
        return replace(self, token=None)

    def channel_credentials(self) -> Optional[Any]:
        """The credentials of a channel, or None for plaintext. If a file is unusable, raises
        ValueError or OSError, which say what to give instead."""
        if self.credentials is not None:
            return self.credentials
        check_together(self.ca, self.certificate, self.key)
        if not self.ca:
            return None
        chain = key = None
        if self.certificate and self.key:
            chain, key = read_own(self.certificate, self.key)
        return grpc.ssl_channel_credentials(
            root_certificates=read_roots(self.ca), private_key=key, certificate_chain=chain
        )


def check_options(options: Any) -> None:
    """TypeError for what is given as options and is none."""
    if not isinstance(options, (Options, type(None))):
        raise TypeError(f"options={options!r} must be slipstream.Options(...)")


def choose_address(address: Optional[str]) -> str:
    """The address, or else that of SLIPSTREAM_ADDRESS, or else the default. A host without a port
    gets the default port."""
    if address:
        return _checked_address("address", address)
    return _checked_address(
        "SLIPSTREAM_ADDRESS", os.environ.get("SLIPSTREAM_ADDRESS") or DEFAULT_ADDRESS
    )


def _checked_address(origin: str, address: Any) -> str:
    """The address with a port. Refuses addresses that nobody can have meant, for which gRPC would
    wait."""
    if not isinstance(address, str):
        raise TypeError(f"{origin}={address!r} must be a string of the form host:port")
    if address.startswith(_GRPC_SCHEMES):
        return address
    # Nobody can tell whether ::1:7411 has a port.
    if _IP6_WITHOUT_BRACKETS.fullmatch(address) and not address.endswith(":" + _DEFAULT_PORT):
        return f"[{address}]:{_DEFAULT_PORT}"
    written = _HOST_AND_PORT.fullmatch(address)
    if written is None or not 1 <= int(written[1] or _DEFAULT_PORT) <= _LAST_PORT:
        raise ValueError(
            f"{origin}={address!r} must have the form host:port, such as {DEFAULT_ADDRESS}, "
            f"[::1]:7411 or unix:/run/slipstream.sock, with a port from 1 to {_LAST_PORT} (or none "
            f"for {_DEFAULT_PORT}) and without a scheme such as http://"
        )
    return address if written[1] else f"{address}:{_DEFAULT_PORT}"
