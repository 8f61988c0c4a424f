"""Runs cells in parallel processes."""

import collections
import concurrent.futures
import dataclasses
import os
import subprocess

from harness.progress import Progress

CANNOT_BEGIN = 77  # An exit code of the program.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclasses.dataclass
class Outcome:
    """The outcome of running cells."""

    skipped: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    failures: list = dataclasses.field(default_factory=list)
    interrupted: bool = False


def run_cell(binary, data, files, cell):
    """Returns the exit code and the program's output."""
    path = files.path(cell)
    path.parent.mkdir(parents=True, exist_ok=True)
    command = [binary, "--preset", cell.preset, "--problem", cell.problem, "--seed",
               str(cell.seed), "--data", data, "--output", str(path)]
    finished = subprocess.run(command + files.protocol.arguments(), text=True,
                              env=os.environ | ONE_THREAD, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
    return finished.returncode, finished.stderr.strip()


def run_cells(binary, data, files, cells, jobs):
    """Runs all `cells`; a failed one does not stop the others."""
    outcome = Outcome()
    progress = Progress(len(cells))
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    futures = {pool.submit(run_cell, binary, data, files, cell): cell for cell in cells}
    try:
        for future in concurrent.futures.as_completed(futures):
            code, message = future.result()
            cell = futures[future]
            if code == CANNOT_BEGIN:
                outcome.skipped[message] += 1
            elif code != 0:
                outcome.failures.append((cell, message or f"ended with {code}"))
            progress.done(str(cell))
    except KeyboardInterrupt:  # The terminal interrupts the processes, too.
        outcome.interrupted = True
        pool.shutdown(wait=True, cancel_futures=True)
    progress.close()
    return outcome
