"""Other processes that use the worker id of this one."""

from __future__ import annotations

import os
import socket
from typing import Iterable

from slipstream._operations.lanes import lane_number
from slipstream._operations.notices import warn_caller
from slipstream._wire.messages import Message


def host_name() -> str:
    """This machine, as the server is told."""
    return socket.gethostname()[:256]


def is_this_process(holder: Message) -> bool:
    """Whether the server means this process."""
    return bool(holder.host == host_name() and holder.process_id == os.getpid())


def _runs(process: int) -> bool:
    """Whether this machine has the process; False where that cannot be asked."""
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def warn_of_namesakes(worker: str, held: Iterable[Message]) -> None:
    """Warns if a process of this machine that still runs holds trials under the worker's id. Those
    of other machines cannot be told from earlier lives of this one."""
    here, own = host_name(), os.getpid()
    for trial in held:
        holder = trial.worker_process
        if lane_number(worker, trial.worker) is None or holder.host != here:
            continue
        if holder.process_id not in (0, own) and _runs(holder.process_id):
            warn_caller(
                f"process {holder.process_id} holds trials under the worker id {worker!r}, too, and "
                "seems to be still running: this process gets the same ones. Give each process a "
                "worker id of its own, by worker= or SLIPSTREAM_WORKER"
            )
            return
