"""Stubs for other languages are made by one command, and those of Python reach a server.

SLIPSTREAM_SERVER is the server's path."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests/testing"))

from waiting import wait_for_address  # noqa: E402

STUBS = REPOSITORY / "deploy/stubs"
CLIENT = """
import sys
sys.path.insert(0, sys.argv[1])
import grpc
from slipstream.v1 import services_pb2, services_pb2_grpc
with grpc.insecure_channel(sys.argv[2], [("grpc.enable_http_proxy", 0)]) as channel:
    stub = services_pb2_grpc.OptimizationServiceStub(channel)
    print(len(stub.ListPresets(services_pb2.ListPresetsRequest()).presets))
"""


def make(*arguments):
    return subprocess.run([STUBS, *arguments], check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)


class Stubs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def serve(self):
        address = self.folder / "address"
        with open(self.folder / "log", "wb") as log:
            server = subprocess.Popen(
                [os.environ["SLIPSTREAM_SERVER"], "--data", self.folder / "studies.db", "--create",
                 "--listen", "127.0.0.1:0", "--address-file", address], stderr=log)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return wait_for_address(server, address, self.folder / "log")

    def test_each_language_that_debian_has_gets_messages_and_calls(self):
        for language, ending in (("cpp", ".cc"), ("php", ".php"), ("python", ".py"),
                                 ("ruby", ".rb")):
            target = self.folder / language
            made = make(language, target)
            self.assertEqual(made.returncode, 0, made.stderr)
            texts = [path.read_bytes() for path in target.rglob(f"*{ending}")]
            self.assertGreaterEqual(len(texts), 6)
            self.assertTrue(any(b"ListPresets" in text for text in texts), language)

    def test_those_of_python_reach_a_server(self):
        self.assertEqual(make("python", self.folder / "python").returncode, 0)
        command = [sys.executable, "-c", CLIENT, self.folder / "python", self.serve()]
        output = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
        self.assertGreater(int(output), 20)

    def test_the_protocol_is_one_file(self):
        from google.protobuf import descriptor_pb2
        self.assertEqual(make("descriptors", self.folder).returncode, 0)
        content = (self.folder / "protocol.binpb").read_bytes()
        files = descriptor_pb2.FileDescriptorSet.FromString(content).file
        self.assertIn("slipstream/v1/services.proto", [file.name for file in files])

    def test_a_language_without_its_programs_is_refused_naming_them(self):
        refused = make("cobol", self.folder)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("protoc-gen-cobol is not on the PATH", refused.stderr)
        self.assertEqual(make().returncode, 2)


if __name__ == "__main__":
    unittest.main()
