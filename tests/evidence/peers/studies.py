"""Studies of peers on problems, and the rows that record them."""

import csv
import dataclasses
import os
import pathlib
import time

from peers import methods, objective


@dataclasses.dataclass
class Trial:
    regret: float  # The regret of the best point so far.
    branch: str
    seconds: float  # The time that the peer took to suggest it.


def run_study(program, data, method, problem, seed, trials, workers):
    """Returns (the trials in the order in which they ended, the best branch).

    All workers but one are busy whenever a configuration is asked for, as in our own studies."""
    ended, waiting, best = [], [], float("inf")

    def end_oldest():
        nonlocal best
        configuration, seconds = waiting.pop(0)
        loss, regret, branch = task.evaluate(configuration)
        started = time.perf_counter()
        peer.tell(configuration, loss)
        best = min(best, regret)
        # Some peers do in tell() what others do in ask().
        ended.append(Trial(best, branch, seconds + time.perf_counter() - started))

    transfers = methods.METHODS[method].transfers
    with objective.Objective(program, data, problem, seed, transfers) as task:
        if task.candidates and not transfers:
            raise objective.CannotBegin(f"{method} does not choose among candidates")
        settings = methods.Settings(trials, workers, task.noiseless, task.candidates,
                                    task.losses_of_sources())
        peer = methods.METHODS[method].make(task.space, seed, settings)
        for _ in range(trials):
            started = time.perf_counter()
            configuration = peer.ask()
            waiting.append((configuration, time.perf_counter() - started))
            if len(waiting) == workers:
                end_oldest()
        while waiting:
            end_oldest()
    return ended, task.best_branches


def row_of(method, problem, seed, workers, trials, best_branches):
    """Regrets have four digits; seconds are the median of a suggestion."""
    seconds = sorted(trial.seconds for trial in trials)[len(trials) // 2]
    row = {"method": method, "problem": problem, "seed": seed, "workers": workers,
           "seconds": f"{seconds:.3g}", "best_branches": best_branches}
    if methods.METHODS[method].transfers:
        row["sources"] = "yes"
    for i, trial in enumerate(trials, start=1):
        row[f"r{i}"] = f"{trial.regret:.4g}"
        if best_branches:
            row[f"b{i}"] = trial.branch
    return row


def write_rows(path, rows):
    """Writes a file at once: it is complete or absent."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with open(part, "w", newline="") as file:
        columns = {column: None for row in rows for column in row}
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(part, path)


def read_rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))
