"""Builds the programs that run studies."""

import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
FOLDER = REPOSITORY / ".build/release/bin/tests"


def build(*targets):
    """Ends the program with what the compiler said if that fails."""
    for command in (["cmake", "--preset", "release"],
                    ["cmake", "--build", "--preset", "release", "--target", *targets]):
        finished = subprocess.run(command, cwd=REPOSITORY, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
        if finished.returncode != 0:
            sys.exit(f"{' '.join(command)} failed:\n{finished.stdout}")
