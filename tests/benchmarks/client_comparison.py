"""What the comparisons of Python clients share: their environment, and a server."""

import hashlib
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "testing"))

from waiting import wait_for_address  # noqa: E402

REPOSITORY = FOLDER.parents[1]
BUILD = REPOSITORY / ".build/release"
REQUIREMENTS = FOLDER / "client_overhead_requirements.txt"


def enter_environment():
    """Replaces this process by the same command in the environment, which is made if it is new."""
    digest = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:12]
    folder = REPOSITORY / ".build/benchmarks/environments" / digest
    if pathlib.Path(sys.prefix) == folder:
        return
    if not (folder / "whole").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check",
                        "--no-deps", "-r", REQUIREMENTS], check=True)
        (folder / "whole").touch()
    variables = {**os.environ, "PYTHONPATH": str(BUILD / "python")}
    python = str(folder / "bin/python")
    os.execve(python, [python, "-B", *sys.argv], variables)


def start_server(folder):
    address_file = pathlib.Path(folder) / "address"
    process = subprocess.Popen(
        [BUILD / "bin/slipstream_server", "--data", f"{folder}/data", "--create", "--listen", "127.0.0.1:0",
         "--address-file", address_file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return process, wait_for_address(process, address_file)
