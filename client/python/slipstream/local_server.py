"""A server for a script's lifetime, on a file of the script's own."""

from __future__ import annotations

import atexit
import os
import pathlib
import threading
import warnings
from types import TracebackType
from typing import List, Optional, Type, Union

from slipstream._calls import call_thread
from slipstream._calls.fork_hooks import at_fork
from slipstream._local.meeting_place import MeetingPlace
from slipstream._local.server_process import FREE_PORT, PATIENCE, ServerProcess
from slipstream._operations.termination import termination
from slipstream.errors import LocalServerError, ProgramMissing
from slipstream.options import LOCAL_SERVER

_ADDRESS = "SLIPSTREAM_ADDRESS"
_SECONDS_BETWEEN_LOOKS = 0.2


_open: List[LocalServer] = []  # Those of this process.
_changing = threading.RLock()  # Held while these, or the variables that name them, change.


class LocalServer:
    """A server that ends with this process, made by `slipstream.local`.

    Thread-safe."""

    def __init__(
        self, path: Union[str, "os.PathLike[str]"], *, keep_address: bool = False
    ) -> None:
        """With `keep_address` a SLIPSTREAM_ADDRESS that is set already stays what it is."""
        self._file = pathlib.Path(path).resolve()
        if self._file.suffix != ".db" and self._file.is_file():
            raise LocalServerError(
                f"{self._file} is a file of another kind: give a file named *.db for the studies, or a "
                "folder"
            )
        self._place = MeetingPlace(self._file)
        self._owner = os.getpid()
        self._server: Optional[ServerProcess] = None
        self._address = self._enter()
        # Other processes that this one starts go on from these, too.
        kept = (_ADDRESS,) if keep_address and os.environ.get(_ADDRESS) else ()
        names = [name for name in (_ADDRESS, LOCAL_SERVER) if name not in kept]
        with _changing:
            self._before = {name: os.environ.get(name) for name in names}
            for name in names:
                os.environ[name] = self._address
            _open.append(self)
        self._closing = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="slipstream-local", daemon=True)
        call_thread.start(self._keeper)
        atexit.register(self.close)
        termination.precede_exit_functions()  # Trials are given back to a server that still runs.

    @property
    def address(self) -> str:
        """Where it listens, such as "127.0.0.1:40321"."""
        return self._address

    @property
    def file(self) -> str:
        """The file in which it keeps its studies."""
        return str(self._file)

    @property
    def process_id(self) -> Optional[int]:
        """The id of the server's process; None while another script runs the server."""
        server = self._server
        return server.process_id if server is not None else None

    def close(self) -> None:
        """Ends the server, unless another script runs it. Scripts that share it start another
        one."""
        if os.getpid() != self._owner:
            return
        with _changing:
            if self._closing.is_set():
                return
            self._closing.set()
        self._keeper.join()
        atexit.unregister(self.close)
        with _changing:
            self._leave_environment()
        if self._server is not None:
            self._server.end()
        self._place.step_back()

    def _leave_environment(self) -> None:
        """Gives variables back as they were, or has a server that was opened later do so."""
        later = _open[_open.index(self) + 1:]
        _open.remove(self)
        for name, before in self._before.items():
            heirs = (server for server in later if server._before.get(name) == self._address)
            heir = next(heirs, None)
            if heir is not None:
                heir._before[name] = before
            elif os.environ.get(name) != self._address:
                continue
            elif before is None:
                del os.environ[name]
            else:
                os.environ[name] = before

    def __enter__(self) -> LocalServer:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<server of {self._file} on {self._address}>"

    def _leave_to_parent(self) -> None:
        """A fork of the process keeps neither the server running nor the file from others."""
        if self._server is not None:
            self._server.leave_to_parent()
        self._place.step_back()

    def _enter(self) -> str:
        """Starts the server, or finds that of another script. Returns its address."""
        with self._place.entrance(PATIENCE):
            if self._place.lead():
                try:
                    self._server = self._start_where_it_was()
                except BaseException:
                    self._place.step_back()
                    raise
            address = self._place.address
        assert address is not None  # Whoever leads has published it within the entrance.
        return address

    def _start_where_it_was(self) -> ServerProcess:
        """Starts the server, if possible at its previous address, where scripts that shared it
        still expect it."""
        before = self._place.address
        if before is not None:
            try:
                return ServerProcess(self._file, self._place, before)
            except LocalServerError:
                pass  # Its port may have been taken since.
        return ServerProcess(self._file, self._place, FREE_PORT)

    def _keep(self) -> None:
        """Takes over when the script that ran the server ends, and restarts a server that has
        ended."""
        while not self._closing.wait(_SECONDS_BETWEEN_LOOKS):
            if self._server is None and not self._place.lead():
                continue
            if self._server is not None:
                if self._server.running:
                    continue
                self._server.end()
            try:
                self._server = ServerProcess(self._file, self._place, self._address)
            except (LocalServerError, ProgramMissing) as error:
                self._server = None
                self._place.step_back()
                warnings.warn(f"{self!r} has ended, and {error}", stacklevel=1)
                return


def _leave_to_parent() -> None:
    global _changing
    _changing = threading.RLock()  # Another thread of the parent may have held it.
    for server in _open:
        server._leave_to_parent()


at_fork(after_in_child=_leave_to_parent)


def file_of(address: str) -> Optional[str]:
    """The file of this process' local server at the address; None if that is another server."""
    return next((server.file for server in list(_open) if server.address == address), None)


def join(file: str) -> str:
    """The address of the file's server, which from then on is this process', too, unless
    SLIPSTREAM_ADDRESS names another one. LocalServerError if there is no such file."""
    found = next((server.address for server in list(_open) if server.file == file), None)
    if found is not None:
        return found
    if not os.path.exists(file):
        raise LocalServerError(
            f"there is no file {file}, in which the study was kept when it was pickled: unpickle "
            "it on the same machine, or give the study a server that both machines reach"
        )
    return LocalServer(file, keep_address=True).address


def local(path: Union[str, "os.PathLike[str]"]) -> LocalServer:
    """Runs a server for this script's lifetime, on a free port that only this machine can reach.

    `path`: the file that keeps the studies, named *.db, or a folder for it. It is created if there
    is none.

    From then on, all calls without `address=` go to this server, also in processes that this one
    starts. The server ends with this process, however the process ends. Scripts on one machine that
    use the same file at the same time share the server: when the script that started it ends,
    another one takes over.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, local(os.path.join(folder, "tuning.db")):
    ...     study = create_or_load("first", {"lr": log(1e-5, 1)}, minimize="loss")
    ...     with study.suggest() as trial:
    ...         trial.complete(trial["lr"])
    ...     study.best.state
    'succeeded'
    """
    return LocalServer(path)
