"""Docstrings and the README's examples do what they say. SLIPSTREAM_SOURCE is the repository."""

import contextlib
import doctest
import importlib
import inspect
import io
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from servers import SPAWN, ServerTest

import slipstream

SOURCE = pathlib.Path(os.environ["SLIPSTREAM_SOURCE"])
# Drawing libraries may be absent, and their modules say so when they are imported; adapters have
# environments of their own.
OPTIONAL = ("slipstream.plots.plotly_drawing", *(
    f"slipstream.adapters.{name}" for name in (
        "_optuna_values", "_ray_values", "_sklearn_values", "hydra", "lightning", "optuna", "ray",
        "sklearn")))


def modules():
    for module in pkgutil.walk_packages(slipstream.__path__, "slipstream."):
        if not module.name.startswith(OPTIONAL):
            yield importlib.import_module(module.name)


def readme_blocks(path):
    return re.findall(r"```python\n(.*?)```", (SOURCE / path).read_text(), re.DOTALL)


@contextlib.contextmanager
def quiet():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


class Documentation(ServerTest):
    def test_docstrings_hold(self):
        names = {name: getattr(slipstream, name) for name in slipstream.__all__}
        tried = 0
        for module in [slipstream, *modules()]:
            names_here = {**names, **vars(module)}
            result = doctest.testmod(module, extraglobs=names_here, verbose=False,
                                     optionflags=doctest.ELLIPSIS)
            self.assertEqual(result.failed, 0, module.__name__)
            tried += result.attempted
        self.assertGreater(tried, 15)

    def test_every_public_name_is_explained(self):
        for name in slipstream.__all__:
            thing = getattr(slipstream, name)
            if not inspect.isclass(thing) and not callable(thing):
                continue
            self.assertTrue(inspect.getdoc(thing), name)
            if not inspect.isclass(thing) or issubclass(thing, BaseException):
                continue
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    self.assertTrue(inspect.getdoc(value), f"{name}.{member}")

    def test_the_readmes_examples_are_short_and_run(self):
        for path in ("README.md", "client/python/README.md"):
            blocks = readme_blocks(path)
            self.assertTrue(blocks, path)
            first = [line for line in blocks[0].splitlines() if line.strip()]
            asking = next(number for number, line in enumerate(first, start=1)
                          if "suggest(" in line or "optimize(" in line)
            self.assertLessEqual(asking, 5)
            with self.subTest(path), quiet(), self.local_servers():
                for block in blocks:
                    lines = [line for line in block.splitlines() if line.strip()]
                    self.assertLessEqual(len(lines), 17)
                    self.run_example(block)

    @contextlib.contextmanager
    def local_servers(self):
        """Keeps the files of `slipstream.local` in a folder, and ends the servers."""
        with contextlib.ExitStack() as opened, tempfile.TemporaryDirectory() as folder:
            def local(path):
                return opened.enter_context(real(os.path.join(folder, path)))

            real = slipstream.local
            with unittest.mock.patch.object(slipstream, "local", local):
                yield

    def run_example(self, block):
        names = {}
        exec(compile(block, "README", "exec"), names)
        self.assertEqual(names["study"].best.state, "succeeded")


class Package(unittest.TestCase):
    def test_its_version_is_the_servers(self):
        project = (SOURCE / "CMakeLists.txt").read_text()
        self.assertIn(f"project(slipstream VERSION {slipstream.__version__} ", project)

    def test_pyproject_lists_every_folder(self):
        text = (SOURCE / "client/python/pyproject.toml").read_text()
        folders = {path.parent for path in (SOURCE / "client/python/slipstream").rglob("*.py")}
        for folder in folders:
            name = ".".join(folder.relative_to(SOURCE / "client/python").parts)
            self.assertIn(f'"{name}"', text)

    def test_importing_it_needs_nothing_optional(self):
        code = ("import sys, slipstream, slipstream.aio, slipstream.plotter; "
                "print([name for name in ('pandas', 'numpy', 'matplotlib', 'plotly') "
                "if name in sys.modules])")
        output = subprocess.run([sys.executable, "-W", "error", "-c", code], text=True, check=True,
                                stdout=subprocess.PIPE, **SPAWN).stdout
        self.assertEqual(output.strip(), "[]")


if __name__ == "__main__":
    unittest.main()
