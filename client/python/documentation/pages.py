"""Writes the package's documentation; `document` runs it where pdoc is installed.

usage: pages.py FOLDER

The packages that the adapters are for need not be installed: stand-ins take their place."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import pathlib
import sys
import types
from typing import Any, Optional, Sequence

PAGES = (
    "slipstream",
    "slipstream.adapters",
    "slipstream.adapters.hydra",
    "slipstream.adapters.lightning",
    "slipstream.adapters.optuna",
    "slipstream.adapters.ray",
    "slipstream.adapters.sklearn",
    "slipstream.aio",
    "slipstream.parameters",
)
_STOOD_IN_FOR = ("hydra", "lightning", "numpy", "omegaconf", "optuna", "ray", "sklearn")


class _Named(type):
    """A class that has a class for every attribute asked for, and is shown by its name."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _stand_in(f"{cls._stood_in_for}.{name}")

    def __repr__(cls) -> str:
        return cls.__dict__.get("_stood_in_for") or super().__repr__()


def _stand_in(name: str) -> Any:
    return _Named(name.rsplit(".", 1)[-1], (), {"_stood_in_for": name, "__module__": name})


class _Module(types.ModuleType):
    __path__: Sequence[str] = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _stand_in(f"{self.__name__}.{name}")


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes before all other finders, so that a package is replaced as a whole or not at all."""

    def find_spec(
        self, name: str, path: Optional[Sequence[str]], target: Optional[types.ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        if name.split(".")[0] not in _STOOD_IN_FOR:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def main() -> None:
    import pdoc

    sys.meta_path.insert(0, StandIns())
    pdoc.render.configure(docformat="markdown")
    # A package brings its modules along, of which some are not for users.
    asked = [page for page in PAGES if not page.startswith("slipstream.adapters.")]
    pdoc.pdoc(*asked, "!slipstream.adapters._", output_directory=pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()
