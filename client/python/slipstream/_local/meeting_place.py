"""The folder in which processes that use the same file find each other.

- "entrance" is locked while a process starts to use the file, so that only one does at a time.
- "leader" is locked by the process that runs the server, for as long as it lives.
- "log" is the server's output, and locked for as long as the server lives, which is longer.
- "address" is where the server is, or was.

Locks are those of flock(2): the system releases them when a process ends, however it ends."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import stat
import tempfile
import time
from typing import IO, Iterator, Optional

from slipstream.errors import LocalServerError

_PAUSE = 0.01  # Seconds between attempts to get a lock.


def _private_folder() -> pathlib.Path:
    """A folder for temporary files that is this user's alone."""
    folder = pathlib.Path(tempfile.gettempdir()) / f"slipstream-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise LocalServerError(
            f"{folder} is not a folder that only this user can open; remove it, or let TMPDIR "
            "name another place"
        )
    return folder


def _lock(file: IO[bytes]) -> bool:
    """Whether the file, which nobody else had locked, is now locked."""
    import fcntl  # Only where there are programs to run.

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class MeetingPlace:
    """The meeting place of the processes that use one file."""

    def __init__(self, file: pathlib.Path) -> None:
        digest = hashlib.sha256(os.fsencode(file)).hexdigest()[:24]
        self.folder = _private_folder() / digest
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self._leading: Optional[IO[bytes]] = None

    @contextlib.contextmanager
    def entrance(self, patience: float) -> Iterator[None]:
        """Waits until no other process is starting to use the file."""
        with self._locked("entrance", patience):
            yield

    def lead(self) -> bool:
        """Whether this process is now the one that runs the server."""
        file = open(self.folder / "leader", "ab")  # noqa: SIM115
        if not _lock(file):
            file.close()
            return False
        self._leading = file
        return True

    def step_back(self) -> None:
        """Lets another process run the server."""
        if self._leading is not None:
            self._leading.close()
            self._leading = None

    def open_log(self, patience: float) -> IO[bytes]:
        """The server's log, empty, once the previous server has ended."""
        file = self._locked("log", patience)
        file.truncate(0)
        return file

    def log_text(self) -> str:
        """What the server has said."""
        return (self.folder / "log").read_text(errors="replace")

    @property
    def address(self) -> Optional[str]:
        """Where the server is, or the last one was."""
        try:
            return (self.folder / "address").read_text().strip() or None
        except FileNotFoundError:
            return None

    @property
    def ready_file(self) -> pathlib.Path:
        """What the server writes its address to when it serves."""
        return self.folder / "ready"

    def publish_address(self) -> None:
        """Makes what the server wrote its address."""
        self.ready_file.replace(self.folder / "address")

    def _locked(self, name: str, patience: float) -> IO[bytes]:
        file = open(self.folder / name, "ab")  # noqa: SIM115
        end = time.monotonic() + patience
        while not _lock(file):
            if time.monotonic() >= end:
                file.close()
                raise LocalServerError(
                    f"waited for {patience:g} s for another process that uses {self.folder / name}"
                )
            time.sleep(_PAUSE)
        return file
