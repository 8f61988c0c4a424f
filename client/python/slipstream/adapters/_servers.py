"""Which server an adapter asks that was not told one."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
from typing import Optional

from slipstream.local_server import LocalServer

_lock = threading.Lock()
_server: Optional[LocalServer] = None


def choose_server(address: Optional[str]) -> Optional[str]:
    """The address; without one, and without SLIPSTREAM_ADDRESS, that of a server that forgets all
    when this process ends, which is started once."""
    if address is not None or os.environ.get("SLIPSTREAM_ADDRESS"):
        return address
    global _server
    with _lock:
        if _server is None:
            folder = tempfile.mkdtemp(prefix="slipstream-")
            # Runs after the server has ended, which registers itself later.
            atexit.register(_remove, folder, os.getpid())
            _server = LocalServer(os.path.join(folder, "studies.db"))
        return _server.address


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # And not in a fork, which may end earlier.
        shutil.rmtree(folder, ignore_errors=True)
