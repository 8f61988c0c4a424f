"""The papers' equations, once more in NumPy; see independent.py."""

import hashlib
import importlib
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "programs"
PAPERS = ("deltabo", "cmbo", "agpucb", "envelope", "uhebo")


def digest(paper):
    """A name for exactly this paper's programs."""
    files = (FOLDER / "parts.py", FOLDER / f"{paper}.py")
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def programs(paper):
    """{experiment: {method: program}}; a program is called with a Task and the number of evaluations
    in all."""
    return importlib.import_module(f"claims.programs.{paper}").programs()
