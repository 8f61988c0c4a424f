"""Checks the wheel that deploy/wheel makes where it has been installed, as a new user would.

usage: wheel_check.py first|all README...

Runs the first block of Python in each README as it stands there, which needs nothing but what the wheel
brings, and prints how long that took in the first README; with "all" the other blocks, on the server that
READMEs say to start, for which scikit-learn must be installed."""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "testing"))

from waiting import wait_for_address  # noqa: E402

PATIENCE = 60  # Seconds.
SCRIPTS = pathlib.Path(sysconfig.get_path("scripts"))
# The loader and the C library are the system's.
SYSTEM = ("ld-linux", "libc.so", "libc-", "libm.so", "libpthread", "libdl", "librt", "libresolv",
          "libanl", "libnsl", "libutil", "libnss", "locale")
# Lets the check look at the script once it has done what its README says.
TELL = """
print("best:", study.best.value, flush=True)
__import__("sys").stdin.read()
"""


def output(*command):
    return subprocess.run([str(part) for part in command], check=True, text=True,
                          stdout=subprocess.PIPE, timeout=PATIENCE).stdout.strip()


def check_libraries(process_id):
    """All that the server has loaded is the wheel's or the C library's."""
    lines = pathlib.Path(f"/proc/{process_id}/maps").read_text().splitlines()
    files = {line.split(maxsplit=5)[5] for line in lines if "/" in line}
    foreign = [file for file in files if "/slipstream/_programs/" not in file
               and not os.path.basename(file).startswith(SYSTEM) and ".so" in file]
    assert not foreign, f"the server has loaded {foreign}"
    assert any("libslipstream_core" in file for file in files), files


def blocks_of(readme):
    return re.findall(r"```python\n(.*?)```", readme.read_text(), re.DOTALL)


def server_of(script):
    """The process of the server that a script has started."""
    children = pathlib.Path(f"/proc/{script.pid}/task/{script.pid}/children").read_text().split()
    named = {pathlib.Path(f"/proc/{child}/comm").read_text().strip(): child for child in children}
    return named["slipstream_serv"]


def check_first(block, folder):
    """The block runs on its own; returns how long it took."""
    started = time.monotonic()
    script = subprocess.Popen([sys.executable, "-W", "error", "-c", block + TELL], cwd=folder,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    told = next((line for line in script.stdout if line.startswith("best: ")), "")
    seconds = time.monotonic() - started
    assert told and 0 < float(told.split()[1]) < 1, told
    check_libraries(server_of(script))
    script.communicate(timeout=PATIENCE)
    assert script.returncode == 0, script.returncode
    assert (folder / "tuning.db").is_file()
    return seconds


@contextlib.contextmanager
def server_that_stays(home):
    """`slipstream serve` as it is typed, but for the port; yields its address."""
    file = home / "address"
    server = subprocess.Popen([SCRIPTS / "slipstream", "serve", "--listen", "127.0.0.1:0",
                               "--address-file", file], stderr=subprocess.DEVNULL,
                              env={**os.environ, "XDG_DATA_HOME": str(home)})
    try:
        yield wait_for_address(server, file)
    finally:
        server.terminate()
        assert server.wait(PATIENCE) == 0


def check_others(blocks, folder):
    """The other blocks run on one server, which the command line tool asks for what they made."""
    with server_that_stays(folder) as address:
        for block in blocks:
            subprocess.run([sys.executable, "-c", block], check=True, cwd=folder, timeout=4 * PATIENCE,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, "SLIPSTREAM_ADDRESS": address})
        told = output(SCRIPTS / "slipstream", "--address", address, "--format", "csv", "study", "list")
        assert told.count("active") == len(blocks), told


def main():
    import slipstream

    blocks = [blocks_of(pathlib.Path(readme)) for readme in sys.argv[2:]]
    version = output(SCRIPTS / "slipstream_server", "--version")
    assert version == f"slipstream_server {slipstream.__version__}", version
    if sys.argv[1] == "all":
        with tempfile.TemporaryDirectory() as name:
            check_others([block for _, *others in blocks for block in others], pathlib.Path(name))
        return
    seconds = []
    for first, *_ in blocks:
        with tempfile.TemporaryDirectory() as name:
            seconds.append(check_first(first, pathlib.Path(name)))
    print(f"{seconds[0]:.2f}")


if __name__ == "__main__":
    main()
