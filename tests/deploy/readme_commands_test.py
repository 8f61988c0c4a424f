"""What READMEs tell to run is there: what makes the Python package in a build, and of the tables of
tests and measurements each file, and for each `-R NAME` a test that is slow.

A name that matches nothing would run no test at all."""

import os
import pathlib
import re
import subprocess
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
NAMED = re.compile(r"deploy/test --label (\S+) -R (\S+)")


def developer_commands():
    """The commands in the tables of tests and measurements."""
    text = (REPOSITORY / "tests/README.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    return [command for row in rows for command in re.findall(r"`([^`]+)`", row)]


def tests_that_match(label, pattern):
    listing = subprocess.run(
        [os.environ["SLIPSTREAM_CTEST"], "--test-dir", os.environ["SLIPSTREAM_BUILD"],
         "--show-only", "-L", label, "-R", pattern],
        check=True, text=True, stdout=subprocess.PIPE).stdout
    return re.findall(r"Test +#\d+: (\S+)", listing)


class ReadmeCommandsTest(unittest.TestCase):

    def test_every_named_test_is_there(self):
        named = [NAMED.fullmatch(command) for command in developer_commands()]
        named = [match.groups() for match in named if match]
        self.assertGreater(len(named), 0)
        for label, pattern in named:
            found = tests_that_match(label, pattern)
            self.assertNotEqual(found, [], pattern)
            self.assertTrue(all("NOT_BUILT" not in name for name in found), found)

    def test_a_name_that_matches_nothing_is_noticed(self):
        self.assertEqual(tests_that_match("slow", "NoTestHasThisName"), [])

    def test_the_python_package_of_the_build_is_made_before_it_is_used(self):
        readme = (REPOSITORY / "client/python/README.md").read_text()
        before = readme.partition("export PYTHONPATH=$PWD/.build/release/python")[0]
        target = re.search(r"cmake --build \.build/release --target (\w+)\n\Z", before)
        self.assertIsNotNone(target, "no build script makes that folder")
        made = subprocess.run(["ninja", "-n", "-C", os.environ["SLIPSTREAM_BUILD"], target[1]],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(made.returncode, 0, made.stdout)

    def test_every_program_is_there(self):
        programs = {command.split()[0] for command in developer_commands()}
        programs = {program for program in programs if "/" in program and program[-3:] != ".md"}
        self.assertGreater(len(programs), 0)
        for program in programs:
            self.assertTrue(os.access(REPOSITORY / program, os.X_OK), program)


if __name__ == "__main__":
    unittest.main()
