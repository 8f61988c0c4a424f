"""Docstrings and the READMEs' examples do what they say. SLIPSTREAM_SOURCE is the repository."""

import ast
import contextlib
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
import typing
import unittest
import unittest.mock

from docstrings import try_examples
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
            tried += try_examples(self, module, {**names, **vars(module)})
        self.assertGreater(tried, 30)

    def test_every_rule_of_early_stopping_is_named(self):
        listed = subprocess.run(
            [os.environ["SLIPSTREAM_CLI"], "--address", self.server.address, "presets",
             "--ingredients"], stdout=subprocess.PIPE, text=True, check=True, **SPAWN).stdout
        rules = set(re.findall("^stopping +([a-z]+)", listed, re.MULTILINE)) - {"none"}
        self.assertIn("median", rules)
        for rule in rules:
            self.assertIn(f'"{rule}"', slipstream.create_or_load.__doc__)

    def test_no_example_in_a_docstring_is_mere_prose(self):
        for path in (SOURCE / "client/python/slipstream").rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef,
                                         ast.AsyncFunctionDef)):
                    continue
                for block in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
                    if block.startswith("    ") and not block.startswith("    python "):
                        self.fail(f"{path} has an example that is not run: {block}")

    def test_what_is_said_of_an_argument_begins_a_line(self):
        for name in slipstream.__all__:
            for line in (inspect.getdoc(getattr(slipstream, name)) or "").splitlines():
                rest = re.sub(r"^ *(`\w+`, )*`\w+`: ", "", line)
                self.assertNotRegex(rest, r"`\w+`: ", name)

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


def public_names(module):
    """What a page shows of a module."""
    own = [name for name, value in vars(module).items() if not name.startswith("_")
           and getattr(value, "__module__", None) == module.__name__]
    return {name: getattr(module, name) for name in getattr(module, "__all__", own)}


def hints_of(thing):
    """The types that a function, or a class' fields and public members, take and give."""
    if inspect.isfunction(thing):
        yield from typing.get_type_hints(thing).values()
    if inspect.isclass(thing):
        yield from typing.get_type_hints(thing).values()
        for name, member in inspect.getmembers(thing):
            if not name.startswith("_"):
                member = member.fget if isinstance(member, property) else member
                yield from hints_of(member) if inspect.isfunction(member) else ()


def classes_in(hint):
    if inspect.isclass(hint) and hint.__module__.startswith("slipstream"):
        yield hint
    for part in typing.get_args(hint):
        yield from classes_in(part)


class Pages(unittest.TestCase):
    """What `client/python/document` makes pages of."""

    @classmethod
    def setUpClass(cls):
        cls.folder = str(SOURCE / "client/python/documentation")
        sys.path.insert(0, cls.folder)
        cls.addClassCleanup(sys.path.remove, cls.folder)
        cls.pages = importlib.import_module("pages").PAGES

    def test_they_have_every_adapter_and_every_module_that_users_are_told_of(self):
        told_of = set()
        for path in [SOURCE / "README.md", SOURCE / "client/python/README.md",
                     *(SOURCE / "client/python/slipstream").rglob("*.py")]:
            told_of |= set(re.findall(r"`slipstream(?:\.[a-z]+)*`", path.read_text()))
        known = {"slipstream", *(one.name for one in pkgutil.walk_packages(
            slipstream.__path__, "slipstream.", onerror=lambda name: None))}
        wanted = {name.strip("`") for name in told_of} & known
        wanted |= {name for name in known if re.match(r"slipstream\.adapters(\.[a-z]|$)", name)}
        self.assertGreaterEqual(len(wanted), 8)
        self.assertLessEqual(wanted, set(self.pages))

    def test_every_class_that_users_are_given_is_on_one(self):
        modules = [importlib.import_module(page) for page in self.pages
                   if not page.startswith("slipstream.adapters.")]
        shown = [thing for module in modules for thing in public_names(module).values()]
        self.assertIn(slipstream.Trials, shown)
        for thing in shown:
            for hint in hints_of(thing):
                for needed in classes_in(hint):
                    self.assertIn(needed, shown, f"needed by {thing}")

    def test_adapters_can_be_shown_without_what_they_are_for(self):
        code = ("import importlib, inspect, pages, sys; sys.meta_path.insert(0, pages.StandIns())\n"
                "for page in pages.PAGES: assert inspect.getdoc(importlib.import_module(page))\n"
                "from slipstream.adapters.optuna import SlipstreamSampler as sampler\n"
                "print(inspect.signature(sampler.reseed_rng), sampler.__mro__[1])")
        path = os.pathsep.join([self.folder, os.environ.get("PYTHONPATH", "")])
        variables = {**os.environ, "PYTHONPATH": path}
        shown = subprocess.run([sys.executable, "-B", "-c", code], text=True, check=True,
                               stdout=subprocess.PIPE, env=variables, **SPAWN)
        self.assertEqual(shown.stdout.strip(), "(self) -> 'None' optuna.samplers.BaseSampler")


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
