"""Runs programs one after the other on a server of their own.

usage: run_on_server.py SERVER PROGRAM...
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

PATIENCE = 60  # Seconds.


def main():
    server, *programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        address = pathlib.Path(folder) / "address"
        command = [server, "--data", folder, "--create", "--listen", "127.0.0.1:0", "--address-file", str(address)]
        with subprocess.Popen(command) as process:
            try:
                end = time.monotonic() + PATIENCE
                while not (address.exists() and address.read_text().strip()):
                    if process.poll() is not None or time.monotonic() > end:
                        sys.exit("the server did not start")
                    time.sleep(0.01)
                variables = {**os.environ, "SLIPSTREAM_ADDRESS": address.read_text().strip()}
                for program in programs:
                    subprocess.run([program], env=variables, check=True, timeout=PATIENCE)
            finally:
                process.terminate()


if __name__ == "__main__":
    main()
