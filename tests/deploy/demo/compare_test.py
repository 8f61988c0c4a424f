"""The demo against a server, smaller than deploy/quickstart runs it.

SLIPSTREAM_SERVER and SLIPSTREAM_DEMO are the programs' paths."""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "testing"))

from waiting import wait_for_address  # noqa: E402


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        address = cls.folder / "address"
        with open(cls.folder / "log", "wb") as log:
            server = subprocess.Popen(
                [os.environ["SLIPSTREAM_SERVER"], "--data", cls.folder / "demo.db", "--create", "--listen",
                 "127.0.0.1:0", "--address-file", address], stderr=log)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.kill)
        cls.address = wait_for_address(server, address, cls.folder / "log")

    def demo(self, *arguments):
        return subprocess.run([os.environ["SLIPSTREAM_DEMO"], *arguments, "--server", self.address],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=200, check=False)

    def test_it_waits_until_the_server_serves(self):
        self.assertEqual(self.demo("wait", "--seconds", "30").returncode, 0)

    def test_it_compares_sources_that_help_and_that_mislead(self):
        plot, numbers = self.folder / "demo.svg", self.folder / "demo.csv"
        finished = self.demo("compare", "--prefix", "d", "--seeds", "4", "--evaluations", "6",
                             "--plot", str(plot), "--csv", str(numbers))
        self.assertEqual(finished.returncode, 0, finished.stderr)
        self.assertEqual(finished.stdout.count("A mean error of 10 %"), 2)
        xml.etree.ElementTree.parse(plot)
        with open(numbers, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 2 * 2 * 6)
        first = {(row["comparison"].split(":")[0], row["curve"]): float(row["mean"])
                 for row in rows if row["evaluation"] == "1"}
        without = first["Sources that help", "without source tasks"]
        # Both comparisons have the same runs without source tasks.
        self.assertEqual(first["Sources that mislead", "without source tasks"], without)
        # What served similar tasks best serves this one too; what another network wants does not.
        self.assertLess(first["Sources that help", "with source tasks"], without)
        self.assertGreater(first["Sources that mislead", "with source tasks"],
                           first["Sources that help", "with source tasks"])

    def test_a_prefix_that_was_used_is_refused(self):
        arguments = ("compare", "--prefix", "again", "--seeds", "1", "--evaluations", "2")
        self.assertEqual(self.demo(*arguments).returncode, 0)
        again = self.demo(*arguments)
        self.assertEqual(again.returncode, 1)
        self.assertIn("again-similar-source-1", again.stderr)


if __name__ == "__main__":
    unittest.main()
