"""Throw-away environments with packages that the repository does not depend on."""

import hashlib
import os
import pathlib
import subprocess
import sys
import venv

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
# One thread: the order in which sums are made is the same on every machine.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def python_with(packages):
    """The path of a Python that has these packages, such as ["optuna==4.6.0"]."""
    name = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    folder = REPOSITORY / ".build/stopping_environments" / name
    python = folder / "bin/python"
    whole = folder / "whole"
    if not whole.exists():
        print(f"Installing {', '.join(packages)} in {folder}", file=sys.stderr, flush=True)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet",
                        "--disable-pip-version-check", *packages], check=True)
        whole.touch()
    return python


def run_again_with(packages):
    """Replaces this process by the same command in such an environment, unless it is in one."""
    if os.environ.get("STOPPING_ENVIRONMENT") == " ".join(packages):
        return
    python = str(python_with(packages))
    environment = os.environ | ONE_THREAD | {"STOPPING_ENVIRONMENT": " ".join(packages)}
    os.execve(python, [python, "-B", *sys.argv], environment)
