"""Runs programs one after the other on a server of their own.

usage: run_on_server.py SERVER PROGRAM...
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "testing"))

from waiting import wait_for_address  # noqa: E402

PATIENCE = 60  # Seconds.


def main():
    server, *programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        address = pathlib.Path(folder) / "address"
        command = [server, "--data", folder, "--create", "--listen", "127.0.0.1:0",
                   "--address-file", str(address)]
        with subprocess.Popen(command) as process:
            try:
                variables = {**os.environ, "SLIPSTREAM_ADDRESS": wait_for_address(process, address)}
                for program in programs:
                    subprocess.run([program], env=variables, check=True, timeout=PATIENCE)
            finally:
                process.terminate()


if __name__ == "__main__":
    main()
