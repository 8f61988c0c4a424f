"""The command `environments` finds the Pythons that there are."""

import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock


def load(path):
    """A program without a suffix as a module."""
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    loader.exec_module(module)
    return module


class Environments(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environments = load(pathlib.Path(__file__).with_name("environments"))

    def program(self, folder, text):
        path = self.folder / folder / "python3.9"
        path.parent.mkdir()
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return str(path)

    def test_a_stand_in_that_fails_is_passed_over(self):
        self.program("shims", "echo 'python3.9: command not found' >&2; exit 127")
        with unittest.mock.patch.dict(os.environ, {"PATH": f"{self.folder}/shims:/nowhere"}):
            self.assertIsNone(self.environments.find("python3.9"))
        real = self.program("real", f'exec {sys.executable} "$@"')
        variables = {"PATH": f"{self.folder}/shims:{self.folder}/real"}
        with unittest.mock.patch.dict(os.environ, variables):
            self.assertEqual(self.environments.find("python3.9"), real)


if __name__ == "__main__":
    unittest.main()
