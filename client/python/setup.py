"""Adds the protocol's descriptors to the package; all else is in pyproject.toml.

They are compiled from the repository's folder proto, and carried by source distributions."""

import pathlib
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parent.parent / "proto"
FILES = ["slipstream/v1/services.proto", "slipstream/v1/errors.proto"]
TARGET = pathlib.Path("slipstream/_wire/protocol.binpb")


def compile_descriptors(target):
    arguments = [f"-I{PROTO}", "--include_imports", f"--descriptor_set_out={target}", *FILES]
    try:
        import importlib.resources

        from grpc_tools import protoc
    except ImportError:
        subprocess.run(["protoc", *arguments], check=True)
        return
    known = importlib.resources.files("grpc_tools").joinpath("_proto")
    if protoc.main(["protoc", f"-I{known}", *arguments]) != 0:
        raise SystemExit("protoc failed")


def add_descriptors(folder):
    target = pathlib.Path(folder) / TARGET
    target.parent.mkdir(parents=True, exist_ok=True)
    if PROTO.is_dir():
        compile_descriptors(target)
    elif (HERE / TARGET).resolve() != target.resolve():
        shutil.copy(HERE / TARGET, target)


class Build(build_py):
    def run(self):
        # A module that was removed would otherwise stay.
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        add_descriptors(self.build_lib)


class SourceDistribution(sdist):
    def make_release_tree(self, folder, files):
        super().make_release_tree(folder, files)
        add_descriptors(folder)


setup(cmdclass={"build_py": Build, "sdist": SourceDistribution})
