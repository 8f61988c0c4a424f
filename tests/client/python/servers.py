"""Servers for tests: the program itself, and a proxy that loses answers.

SLIPSTREAM_SERVER is the program's path."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import uuid
from concurrent import futures

import grpc

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "testing"))

from waiting import wait_for_address  # noqa: E402

from slipstream._operations import lanes  # noqa: E402
from slipstream._wire import messages  # noqa: E402

SERVER = os.environ["SLIPSTREAM_SERVER"]
PATIENCE = 60  # Seconds.
# Python then starts programs without a fork, before Python 3.10 too: gRPC's handlers of forks may
# crash a child before it becomes the program.
SPAWN = {"close_fds": False}


def overload_details(**retry_delay):
    """What a server says besides when it is busy; `retry_delay` has seconds and nanos."""
    details = messages.new("StatusDetails", code=grpc.StatusCode.RESOURCE_EXHAUSTED.value[0])
    overload = messages.new("Overload", retry_delay=retry_delay)
    details.details.add(type_url="type.googleapis.com/slipstream.v1.Overload",
                        value=overload.SerializeToString())
    return details.SerializeToString()


def unavailable_details():
    """What a server says besides when it answers that it is unavailable."""
    code = grpc.StatusCode.UNAVAILABLE.value[0]
    return messages.new("StatusDetails", code=code).SerializeToString()


class ServerProcess:
    """The server on a free port of loopback, which it keeps when it is started again."""

    def __init__(self, flags=()):
        self._flags = list(flags)
        self._folder = tempfile.TemporaryDirectory()
        self._process = None
        self.data = os.path.join(self._folder.name, "data")
        self.address = "127.0.0.1:0"
        self.start()

    def start(self):
        folder = pathlib.Path(self._folder.name)
        address_file = folder / "address"
        address_file.unlink(missing_ok=True)
        with open(folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [SERVER, "--data", self.data, "--create", "--listen", self.address,
                 "--address-file", str(address_file), *self._flags],
                stdout=log, stderr=log, **SPAWN)

        self.address = wait_for_address(self._process, address_file, folder / "log")

    def kill(self):
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def close(self):
        self.kill()
        self._folder.cleanup()


class ServerTest(unittest.TestCase):
    """Tests against one server, each with a study id of its own."""

    @classmethod
    def setUpClass(cls):
        cls.server = ServerProcess()
        cls.addClassCleanup(cls.server.close)
        before = os.environ.get("SLIPSTREAM_ADDRESS")
        os.environ["SLIPSTREAM_ADDRESS"] = cls.server.address
        cls.addClassCleanup(restore, "SLIPSTREAM_ADDRESS", before)

    def setUp(self):
        self.study_id = f"study-{uuid.uuid4().hex[:12]}"


def restore(variable, value):
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value


def begin_another_life():
    """As if this process had been started again, and knew nothing of what its workers hold."""
    lanes._shared.clear()


class Forwarder:
    """Forwards connections to a server until `freeze`, which the connections that there are notice
    by hearing nothing any more; later ones are forwarded."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self._server = (host, int(port))
        self._open = []
        self._frozen = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def freeze(self):
        self._frozen += self._open

    def close(self):
        for one in [self._listener, *self._open]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._server)
                self._open += [client, server]
                for source, target in ((client, server), (server, client)):
                    threading.Thread(target=self._copy, args=(source, target), daemon=True).start()

    def _copy(self, source, target):
        with contextlib.suppress(OSError):
            while True:
                data = source.recv(65536)
                if not data:
                    return
                if source not in self._frozen:
                    target.sendall(data)


class LossyProxy(grpc.GenericRpcHandler):
    """Forwards calls to a server, and loses some on the way.

    `losses[method]` is a list with a word for each of the method's next calls: "answer" forwards
    the call and loses its answer, "call" loses the call itself, "late" forwards it and answers too
    late, and "busy" refuses it as a busy server does, for `busy_seconds`; after these all calls go
    through. `calls[method]` keeps the requests' bytes."""

    def __init__(self, address):
        self.losses = {}
        self.calls = {}
        self.code = grpc.StatusCode.UNAVAILABLE
        self.busy_seconds = 0
        self._lock = threading.Lock()
        self._released = threading.Event()
        self._channel = grpc.insecure_channel(address)
        self._server = grpc.server(futures.ThreadPoolExecutor(16), handlers=[self])
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def close(self):
        self._released.set()
        self._server.stop(None).wait()
        self._channel.close()

    def service(self, details):
        method = details.method.rsplit("/", 1)[1]
        if method == "RegisterSourceTask":
            return grpc.stream_unary_rpc_method_handler(
                lambda requests, context: self._handle(details.method, list(requests), context))
        return grpc.unary_unary_rpc_method_handler(
            lambda request, context: self._handle(details.method, request, context))

    def _handle(self, path, request, context):
        method = path.rsplit("/", 1)[1]
        with self._lock:
            self.calls.setdefault(method, []).append(request)
            losses = self.losses.get(method)
            loss = losses.pop(0) if losses else None
        if loss == "call":
            context.abort(self.code, "lost before the server had it")
        if loss == "busy":
            details = overload_details(seconds=self.busy_seconds)
            context.set_trailing_metadata((("grpc-status-details-bin", details),))
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "the server is busy")
        try:
            response = self._forward(path, request)
        except grpc.RpcError as error:
            context.set_trailing_metadata(error.trailing_metadata() or ())
            context.abort(error.code(), error.details())
        if loss == "late":
            self._released.wait(PATIENCE)
        if loss == "answer":
            context.abort(self.code, "lost after the server had it")
        return response

    def _forward(self, path, request):
        if isinstance(request, list):
            return self._channel.stream_unary(path)(iter(request), timeout=PATIENCE)
        return self._channel.unary_unary(path)(request, timeout=PATIENCE)
