"""Checks the wheel that deploy/wheel makes where it has been installed, as a new user would.

Prints how long the first suggestion took. Needs nothing but what the wheel brings."""

import os
import pathlib
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
FIRST = """
import sys, slipstream
from slipstream import integer, log
server = slipstream.local(sys.argv[1])
space = {"lr": log(1e-5, 1), "layers": integer(1, 8)}
study = slipstream.create_or_load("first", space, maximize="accuracy")
with study.suggest() as trial:
    trial.complete(1 - trial.lr)
print(study.best.value, server.process_id, flush=True)
sys.stdin.read()
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


def check_script(folder):
    started = time.monotonic()
    script = subprocess.Popen([sys.executable, "-W", "error", "-c", FIRST, folder / "tuning.db"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    best, process_id = script.stdout.readline().split()
    seconds = time.monotonic() - started
    assert 0 <= float(best) < 1, best
    check_libraries(process_id)
    script.communicate(timeout=PATIENCE)
    assert script.returncode == 0, script.returncode
    assert (folder / "tuning.db").is_file()
    return seconds


def check_programs(folder):
    """`slipstream serve` serves, and the command line tool asks it."""
    address = folder / "address"
    server = subprocess.Popen([SCRIPTS / "slipstream", "serve", "--data", folder / "tuning.db", "--create",
                               "--listen", "127.0.0.1:0", "--address-file", address],
                              stderr=subprocess.DEVNULL)
    try:
        told = output(SCRIPTS / "slipstream", "--address", wait_for_address(server, address),
                      "--format", "csv", "study", "list")
        assert "first" in told, told
    finally:
        server.terminate()
        assert server.wait(PATIENCE) == 0


def main():
    import slipstream

    version = output(SCRIPTS / "slipstream_server", "--version")
    assert version == f"slipstream_server {slipstream.__version__}", version
    with tempfile.TemporaryDirectory() as name:
        seconds = check_script(pathlib.Path(name))
        check_programs(pathlib.Path(name))
    print(f"{seconds:.2f}")


if __name__ == "__main__":
    main()
