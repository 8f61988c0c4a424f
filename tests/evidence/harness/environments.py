"""Throw-away environments below .build with packages that the repository does not depend on."""

import hashlib
import os
import pathlib
import subprocess
import sys
import venv

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
MARK = "EVIDENCE_ENVIRONMENT"  # Set in a process that runs in such an environment.
# One thread: the order in which sums are made is the same on every machine.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def folder_for(requirements):
    """The folder of the environment with exactly the packages that the lock file lists."""
    digest = hashlib.sha256(pathlib.Path(requirements).read_bytes()).hexdigest()[:12]
    return REPOSITORY / ".build/evidence_environments" / digest


def python_with(requirements, install=None):
    """The path of a Python that has the packages of the lock file, installed if it is new.

    `install(python)` replaces the ordinary installation from the package index."""
    folder = folder_for(requirements)
    python, whole = folder / "bin/python", folder / "whole"
    if not whole.exists():
        print(f"Installing the packages of {requirements} in {folder}", file=sys.stderr, flush=True)
        venv.create(folder, with_pip=True, clear=True)
        (install or install_all)(python, requirements)
        whole.touch()
    return python


def install_all(python, requirements):
    # A lock file is complete, so that nothing has to be resolved.
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                    "--no-deps", "-r", requirements], check=True)


def run_again_with(requirements):
    """Replaces this process by the same command in such an environment, unless it is in one."""
    name = folder_for(requirements).name
    if os.environ.get(MARK) == name:
        return
    python = str(python_with(requirements))
    os.execve(python, [python, "-B", *sys.argv], os.environ | ONE_THREAD | {MARK: name})
