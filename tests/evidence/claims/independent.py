"""The papers' methods once more, by programs in NumPy that know nothing of ours.

A program takes an experiment's data - the sources' points, the objective with its noise, the random
points that our studies began with - and the constants that the paper names, and says what it would
have evaluated. It chooses among a grid of places, or among the problem's candidates. Where a paper
learns a constant, the program takes the likeliest of a few values.

  python3 -m claims.independent PAPER EXPERIMENT METHOD PROBLEM SEED BINARY DATA INITIAL OUTPUT

runs one study, which `run` does for all that have a program.
"""

import concurrent.futures
import csv
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy

if __name__ == "__main__":  # Run as a program, it finds the others beside it.
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from claims import independent_programs, kept, studies  # noqa: E402
from claims.kept import INDEPENDENT, REGRET  # noqa: E402
from claims.programs.parts import Task  # noqa: E402
from harness.cells import Cell  # noqa: E402
from harness.processes import ONE_THREAD  # noqa: E402
from harness.progress import Progress  # noqa: E402
from peers.objective import Objective  # noqa: E402

SEEDS = 10  # Programs repeat so many seeds, or data sets where these are the draws.
HERE = pathlib.Path(__file__).resolve().parent


def study(paper, experiment, method, problem, seed, binary, data, initial):
    """The regrets of one study, and other quantities: {name: numbers}."""
    with Objective(binary, data, problem, seed, experiment.sources) as objective:
        task = Task(objective, initial, seed)
        program = independent_programs.programs(paper)[experiment.name][method]
        told = program(task, experiment.protocol().evaluations())
    unit = task.unit(experiment.unit)
    return {REGRET: [regret / unit for regret in task.regrets]} | (told or {})


def initial_points(experiment, preset):
    """How many of a study's evaluations are random and the same for all methods."""
    found = re.search(r"initial=random\+initial_points=(\d+)", preset)
    return experiment.initial() + (int(found[1]) if found else 0)


def beginning_of(path, count):
    """The first configurations of our own study, which are random and the same for all methods, and
    what it says of the regrets of the problem's worst and mean value."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {"initial": [dict(part.split("=") for part in row["configuration"].split())
                        for row in rows[:count]],
            "units": {name: float(rows[0][f"{name}_regret"]) for name in ("worst", "mean")}}


def begun_like(experiment, method):
    """The methods whose studies begin with at least this one's random points, itself first."""
    count = initial_points(experiment, experiment.methods[method])
    return sorted((other for other, preset in experiment.methods.items()
                   if initial_points(experiment, preset) >= count),
                  key=lambda other: other != method)


def first_of(experiment):
    """A method that begins as those with the most initial points do."""
    return max(experiment.methods,
               key=lambda method: initial_points(experiment, experiment.methods[method]))


def beginning(experiment, method, problem, seed, options):
    """What our own study began with; None if there is none."""
    count = initial_points(experiment, experiment.methods[method])
    files = studies.files_of(experiment, options.folder, options.build)
    for other in begun_like(experiment, method):
        path = studies.found_path(files, Cell(experiment.methods[other], problem, seed), options)
        if path is not None:
            return beginning_of(path, count)
    return None


def run_one(paper, experiment, cell, options, output):
    method, problem, seed = cell
    begun = beginning(experiment, method, problem, seed, options)
    if begun is None:
        print(f"skipped {method} {problem} {seed} in NumPy: no study of ours tells how it begins")
        return
    command = [sys.executable, "-B", str(HERE / "independent.py"), paper, experiment.name, method,
               problem, str(seed), str(options.objective), options.data, json.dumps(begun),
               str(output)]
    finished = subprocess.run(command, env=os.environ | ONE_THREAD, text=True, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if finished.returncode != 0:
        print(f"FAILED {method} {problem} {seed} in NumPy:\n{finished.stderr}")


def draws_of(experiment, method=None):
    """(problem, seed) of the studies that the method's program repeats: of most methods not all of
    ours. Without a method these are the most that any program repeats."""
    problems, seeds = experiment.drawn(quick=False)
    in_full = experiment.repeated_in_full
    if in_full and method in (None, *in_full):
        return [(problem, seed) for problem in problems for seed in seeds]
    draws = [(problem, seed) for problem in experiment.quick_problems or problems
             for seed in seeds]
    return draws[:SEEDS]


def wanted(paper, experiment, options):
    """{(method, problem, seed): the file of its study} of those that have a program."""
    programs = independent_programs.programs(paper).get(experiment.name, {})
    folder = (pathlib.Path(options.folder) / "numpy" / independent_programs.digest(paper) / paper
              / experiment.name)
    return {(method, problem, seed): folder / method / problem.replace("/", "--") / f"{seed}.json"
            for method in programs if method in experiment.methods
            for problem, seed in draws_of(experiment, method)}


def run(paper, experiment, options):
    """Runs what is missing."""
    missing = {cell: path for cell, path in wanted(paper, experiment, options).items()
               if options.fresh or not path.exists()}
    progress = Progress(len(missing))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {}
        for cell, path in missing.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            futures[pool.submit(run_one, paper, experiment, cell, options, path)] = cell[0]
        for future in concurrent.futures.as_completed(futures):
            future.result()
            progress.done(f"{futures[future]} in NumPy")
    progress.close()


def collect(paper, experiment, options):
    """The kept rows of the studies that are there."""
    rows = []
    for (method, problem, seed), path in wanted(paper, experiment, options).items():
        if path.exists():
            for quantity, numbers in json.loads(path.read_text()).items():
                rows.append((experiment.name, problem, method, INDEPENDENT, seed, quantity,
                             numpy.array(numbers)))
    return rows


def kept_rows(paper, experiment):
    """What the repository keeps of these programs, which ours do not change."""
    return [row for row in kept.read(kept.FOLDER / f"{paper}{kept.ENDING}")
            if row[0] == experiment.name and row[3] == INDEPENDENT]


def main():
    from claims.all_papers import PAPERS
    paper, name, method, problem, seed, binary, data, beginning, output = sys.argv[1:]
    experiment = PAPERS[paper].experiment(name)
    told = study(paper, experiment, method, problem, int(seed), binary, data,
                 json.loads(beginning))
    part = pathlib.Path(output + ".part")
    part.write_text(json.dumps({name: [float(one) for one in numbers]
                                for name, numbers in told.items()}))
    part.rename(output)


if __name__ == "__main__":
    main()
