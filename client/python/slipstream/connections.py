"""The process' connections to servers, one for each address."""

from __future__ import annotations

import os
import threading
from typing import Dict, Optional, Tuple

from slipstream._calls.blocking import BlockingTransport
from slipstream._calls.caller import Caller
from slipstream._calls.fork_hooks import at_fork
from slipstream._calls.forks import traffic
from slipstream._calls.link import Credentials
from slipstream._calls.tls_probe import mistake_finder
from slipstream._operations.service import Service
from slipstream.options import Options, check_options, choose_address

Connection = Tuple[Service, BlockingTransport]

_lock = threading.Lock()
_connections: Dict[Tuple[int, str, Options], Connection] = {}


def connect(address: Optional[str], options: Optional[Options]) -> Connection:
    """The connection to the address, which a process opens once. Makes no call."""
    traffic.check()
    check_options(options)
    chosen = choose_address(address)
    settings = (options or Options()).with_environment(chosen)
    key = (os.getpid(), chosen, settings)
    with _lock:
        if key not in _connections:
            service = Service(
                Caller(chosen, settings.retry, mistake_finder(chosen, settings)), settings
            )
            transport = BlockingTransport(
                chosen, Credentials(settings.channel_credentials), settings.token
            )
            _connections[key] = (service, transport)
        return _connections[key]


def _renew_lock() -> None:
    global _lock
    _lock = threading.Lock()


at_fork(after_in_child=_renew_lock)
