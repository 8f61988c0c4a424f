"""The container's health check, user and files, the Kubernetes example, and what systemd's units allow."""

import fnmatch
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import time
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 60


def health_check() -> list[str]:
    """The command of the health check, as the container runs it."""
    text = (REPOSITORY / "deploy/container/Containerfile").read_text().replace("\\\n", "")
    return json.loads(re.search(r"^HEALTHCHECK .*CMD (\[.*\])$", text, re.MULTILINE)[1])


def is_healthy(port: int) -> bool:
    environment = dict(os.environ, SLIPSTREAM_METRICS_ADDRESS=f"127.0.0.1:{port}")
    checked = subprocess.run(health_check(), env=environment, capture_output=True, timeout=PATIENCE_SECONDS)
    return checked.returncode == 0


class Refusing(http.server.BaseHTTPRequestHandler):
    """What a server whose store refuses changes answers."""

    def do_GET(self):
        self.send_response(503 if self.path == "/healthz" else 200)
        self.end_headers()

    def log_message(self, *_):
        pass


class HealthCheckTest(unittest.TestCase):
    def test_a_server_that_serves_is_healthy(self):
        with tempfile.TemporaryDirectory() as folder:
            ready = pathlib.Path(folder, "address")
            output = pathlib.Path(folder, "output")
            command = [os.environ["SLIPSTREAM_SERVER"], "--create", "--data", folder,
                       "--listen", "127.0.0.1:0"]
            command += ["--metrics-address", "127.0.0.1:0", "--address-file", str(ready)]
            with output.open("w") as log, subprocess.Popen(command, stderr=log) as server:
                try:
                    end = time.monotonic() + PATIENCE_SECONDS
                    while "metrics=127" not in output.read_text():
                        self.assertLess(time.monotonic(), end, "the server is not ready")
                    port = int(re.search(r"metrics=127\.0\.0\.1:(\d+)", output.read_text())[1])
                    self.assertTrue(is_healthy(port))
                finally:
                    server.terminate()

    def test_a_server_that_refuses_changes_is_not(self):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                self.assertFalse(is_healthy(server.server_port))
            finally:
                server.shutdown()
                thread.join()

    def test_neither_is_one_that_is_not_there(self):
        with socket.socket() as unheard:
            unheard.bind(("127.0.0.1", 0))
            self.assertFalse(is_healthy(unheard.getsockname()[1]))

    def test_the_image_serves_what_its_health_check_asks_for(self):
        text = (REPOSITORY / "deploy/container/Containerfile").read_text()
        self.assertRegex(text, r"(?m)^ENV .*\bSLIPSTREAM_METRICS_ADDRESS=127\.0\.0\.1:\d+")


class KubernetesTest(unittest.TestCase):
    def setUp(self):
        self.manifest = (REPOSITORY / "deploy/kubernetes/slipstream.yaml").read_text()
        self.container = (REPOSITORY / "deploy/container/Containerfile").read_text()
        self.variables = dict(re.findall(r'\{name: (SLIPSTREAM_\w+), value: "?([^"}]*)"?\}', self.manifest))

    def test_its_variables_are_those_of_flags(self):
        told = subprocess.check_output([os.environ["SLIPSTREAM_SERVER"], "--help"], text=True)
        self.assertGreater(len(self.variables), 4)
        for variable in self.variables:
            self.assertIn(f"(Env:{variable})", told)

    def test_its_ports_are_those_that_the_server_listens_at(self):
        listen = re.search(r"SLIPSTREAM_LISTEN=\S+:(\d+)", self.container)[1]
        metrics = self.variables["SLIPSTREAM_METRICS_ADDRESS"].rpartition(":")[2]
        ports = dict(re.findall(r"\{name: (\w+), containerPort: (\d+)\}", self.manifest))
        self.assertEqual(ports, {"grpc": listen, "metrics": metrics})
        self.assertIn(f"{{name: grpc, port: {listen}}}", self.manifest)
        self.assertIn("httpGet: {path: /healthz, port: metrics}", self.manifest)

    def test_the_image_and_its_volumes_have_one_user_by_number(self):
        user, group = re.search(r"(?m)^USER (\d+):(\d+)$", self.container).groups()
        self.assertIn(f"groupadd --system --gid {group} slipstream", self.container)
        self.assertIn(f"useradd --system --uid {user} --gid slipstream", self.container)
        self.assertIn(f"fsGroup: {group},", self.manifest)


class IgnoredFilesTest(unittest.TestCase):
    def test_what_was_built_is_not_copied_and_the_sources_are(self):
        lines = (REPOSITORY / ".containerignore").read_text().splitlines()
        patterns = [line for line in lines if line and not line.startswith("#")]
        ignored = lambda name: any(fnmatch.fnmatch(name, pattern) for pattern in patterns)
        self.assertTrue(ignored(".build"))
        for name in ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "client", "core",
                     "deploy", "proto"]:
            self.assertTrue((REPOSITORY / name).exists(), name)
            self.assertFalse(ignored(name), name)


class UnitTest(unittest.TestCase):
    def check_writable(self, unit: str):
        settings = dict(line.split("=", 1) for line in unit.splitlines() if re.match(r"[A-Z]\w+=", line))
        self.assertEqual(settings["ProtectSystem"], "strict", "nothing else can be written to")
        folders = {f"/var/lib/{name}" for name in settings["StateDirectory"].split()}
        folders.add(f"/var/log/{settings['LogsDirectory']}")
        readme = (REPOSITORY / "deploy/README.md").read_text()
        data = re.search(r"--data (/var/\S+)", readme)[1]
        audit_log = re.search(r"--audit-log (/\S+)", readme)[1]
        self.assertIn(data, folders)
        self.assertIn(str(pathlib.Path(audit_log).parent), folders)
        suggested = (REPOSITORY / "deploy/debian/environment").read_text()
        self.assertIn(re.search(r"SLIPSTREAM_BACKUP_FOLDER=(/\S+)", suggested)[1], folders)

    def test_the_readmes_folders_can_be_written_to(self):
        self.check_writable((REPOSITORY / "deploy/systemd/slipstream.service").read_text())

    def test_also_under_the_packages_unit(self):
        made = subprocess.run([REPOSITORY / "deploy/debian/unit"], capture_output=True, text=True, check=True)
        self.check_writable(made.stdout)
        self.assertIn("LogsDirectoryMode=0750", made.stdout)


if __name__ == "__main__":
    unittest.main()
