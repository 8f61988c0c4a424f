"""The papers' methods once more, by programs in NumPy that know nothing of ours.

A program takes an experiment's data - the source's points, the objective with its noise, the random
points that our studies began with - and the constants that the paper names, and says what it would
have evaluated. It chooses among a grid of places. Where a paper learns a constant, the program takes
the likeliest of a few values.

  python3 -m claims.independent PAPER EXPERIMENT METHOD SEED BINARY DATA INITIAL OUTPUT

runs one study, which `run` does for all that have a program.
"""

import concurrent.futures
import csv
import json
import os
import pathlib
import subprocess
import sys

import numpy

if __name__ == "__main__":  # Run as a program, it finds the others beside it.
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from claims import independent_programs, studies  # noqa: E402
from claims.kept import INDEPENDENT, REGRET  # noqa: E402
from harness.cells import Cell  # noqa: E402
from harness.processes import ONE_THREAD  # noqa: E402
from harness.progress import Progress  # noqa: E402
from peers.objective import Objective  # noqa: E402

SEEDS, QUICK_SEEDS = 10, 5
HERE = pathlib.Path(__file__).resolve().parent


def study(paper, experiment, method, seed, binary, data, initial):
    """The regrets of one study, and other quantities: {name: numbers}."""
    with Objective(binary, data, experiment.problems[0], seed, experiment.sources) as objective:
        task = independent_programs.Task(objective, initial, seed)
        program = independent_programs.PROGRAMS[paper][experiment.name][method]
        told = program(task, experiment.suggestions)
    unit = task.unit(experiment.unit)
    return {REGRET: [regret / unit for regret in task.regrets]} | (told or {})


def beginning_of(path, count):
    """The first configurations of our own study, which are random and the same for all methods, and
    what it says of the regrets of the problem's worst and mean value."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {"initial": [dict(part.split("=") for part in row["configuration"].split())
                        for row in rows[:count]],
            "units": {name: float(rows[0][f"{name}_regret"]) for name in ("worst", "mean")}}


def run_one(paper, experiment, method, seed, options, output):
    preset = experiment.methods[method]
    path = studies.found_path(studies.files_of(experiment, options.folder, options.build),
                              Cell(preset, experiment.problems[0], seed), options)
    if path is None:
        return
    beginning = beginning_of(path, independent_programs.initial_points(preset))
    command = [sys.executable, "-B", str(HERE / "independent.py"), paper, experiment.name, method,
               str(seed), str(options.objective), options.data, json.dumps(beginning), str(output)]
    finished = subprocess.run(command, env=os.environ | ONE_THREAD, text=True, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if finished.returncode != 0:
        print(f"FAILED {method} {experiment.name} {seed} in NumPy:\n{finished.stderr}")


def wanted(paper, experiment, quick, options):
    """{(method, seed): the file of its study} of those that have a program."""
    programs = independent_programs.PROGRAMS.get(paper, {}).get(experiment.name, {})
    folder = (pathlib.Path(options.folder) / "numpy" / independent_programs.digest() / paper
              / experiment.name)
    seeds = experiment.drawn(quick)[1][:QUICK_SEEDS if quick else SEEDS]
    return {(method, seed): folder / method / f"{seed}.json"
            for method in programs for seed in seeds}


def run(paper, experiment, quick, options):
    """Runs what is missing."""
    missing = {key: path for key, path in wanted(paper, experiment, quick, options).items()
               if options.fresh or not path.exists()}
    progress = Progress(len(missing))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {}
        for (method, seed), path in missing.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            futures[pool.submit(run_one, paper, experiment, method, seed, options, path)] = method
        for future in concurrent.futures.as_completed(futures):
            future.result()
            progress.done(f"{futures[future]} in NumPy")
    progress.close()


def collect(paper, experiment, quick, options):
    """The kept rows of the studies that are there."""
    rows = []
    for (method, seed), path in wanted(paper, experiment, quick, options).items():
        if path.exists():
            for quantity, numbers in json.loads(path.read_text()).items():
                rows.append((experiment.name, experiment.problems[0], method, INDEPENDENT, seed,
                             quantity, numpy.array(numbers)))
    return rows


def main():
    from claims.all_papers import PAPERS
    paper, name, method, seed, binary, data, beginning, output = sys.argv[1:]
    experiment = PAPERS[paper].experiment(name)
    told = study(paper, experiment, method, int(seed), binary, data, json.loads(beginning))
    part = pathlib.Path(output + ".part")
    part.write_text(json.dumps({name: [float(one) for one in numbers]
                                for name, numbers in told.items()}))
    part.rename(output)


if __name__ == "__main__":
    main()
