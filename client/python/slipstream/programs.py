"""The programs of Slipstream: those that came with the package, or that are installed beside it."""

from __future__ import annotations

import pathlib
import shutil

from slipstream.errors import ProgramMissing

_PACKAGE = pathlib.Path(__file__).resolve().parent
# In the package's wheel with the programs, and in a build tree.
_FOLDERS = (_PACKAGE / "_programs" / "bin", _PACKAGE.parent.parent / "bin")


def find_program(name: str) -> str:
    """The program's path: the package's own, or the first one on the PATH."""
    for folder in _FOLDERS:
        if (folder / name).is_file():
            return str(folder / name)
    found = shutil.which(name)
    if found is None:
        raise ProgramMissing(
            f"{name} did not come with this installation of the package and is not on the PATH: "
            "install the wheel that deploy/wheel makes, which carries it, or add the folder of "
            "the built programs to the PATH"
        )
    return found
