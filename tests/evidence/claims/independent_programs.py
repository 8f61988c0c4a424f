"""The papers' equations, once more in NumPy; see independent.py."""

import hashlib
import importlib
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "programs"
# What all programs share, which includes how configurations become coordinates.
SHARED = (FOLDER / "parts.py", FOLDER.parents[1] / "peers" / "objective.py")
PAPERS = ("deltabo", "cmbo", "agpucb", "envelope", "uhebo")


def digest(paper):
    """A name for exactly this paper's programs."""
    files = (*SHARED, FOLDER / f"{paper}.py")
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def programs(paper):
    """{experiment: {method: program}}; a program is called with a Task and the number of evaluations
    in all."""
    return importlib.import_module(f"claims.programs.{paper}").programs()
