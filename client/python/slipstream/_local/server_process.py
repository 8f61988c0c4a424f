"""The server as a process that ends with this one."""

from __future__ import annotations

import os
import pathlib
import subprocess
import time
from typing import Dict, List

from slipstream._local.meeting_place import MeetingPlace
from slipstream.errors import LocalServerError
from slipstream.programs import find_program

FREE_PORT = "127.0.0.1:0"
PATIENCE = 60.0  # Seconds, which a large database may take to recover after a crash.
_PAUSE = 0.01  # Seconds between looks at whether the server is ready.


def _flags(file: pathlib.Path, address: str, ready: pathlib.Path) -> List[str]:
    return [
        "--data", str(file), "--listen", address, "--address-file", str(ready),
        "--create",
        "--until-stdin-ends",
    ]


def _environment() -> Dict[str, str]:
    """This process' environment without flags that are meant for another server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SLIPSTREAM_")}


def _complaints(log: str) -> str:
    """The lines that tell of an error, without their times. The whole log if there are none, as when
    the program could not be loaded."""
    lines = [line.partition(" error ")[2] for line in log.splitlines()]
    return "\n".join(line for line in lines if line) or log.strip()


class ServerProcess:
    """A server that serves. It drains when this process ends, however it ends: then the pipe that
    is its standard input is closed."""

    def __init__(self, file: pathlib.Path, place: MeetingPlace, address: str) -> None:
        """Returns when it serves; LocalServerError with its last words if it does not."""
        self._place = place
        program = find_program("slipstream_server")
        place.ready_file.unlink(missing_ok=True)
        with place.open_log(PATIENCE) as log:
            # Without closing other files Python needs no fork, which gRPC's threads can crash.
            self._process = subprocess.Popen(
                [program, *_flags(file, address, place.ready_file)], env=_environment(),
                stdin=subprocess.PIPE, stdout=log, stderr=log, close_fds=False,
            )
        self._await_readiness(file)
        place.publish_address()

    @property
    def process_id(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        """Lets the server drain, and waits until it has ended."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def leave_to_parent(self) -> None:
        """In a fork of the process that has started it: does not keep it from ending with that one."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def _await_readiness(self, file: pathlib.Path) -> None:
        end = time.monotonic() + PATIENCE
        while not self._place.ready_file.exists():
            if not self.running or time.monotonic() >= end:
                self.end()
                why = _complaints(self._place.log_text()) or "it said nothing"
                raise LocalServerError(f"no server could be started for {file}: {why}")
            time.sleep(_PAUSE)
