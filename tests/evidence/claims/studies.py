"""Runs the studies of experiments and takes from them what is kept."""

import numpy

from claims import model_error
from claims.kept import OURS, REGRET
from harness import processes, results
from harness.cells import Cell, CellFiles

SECONDS = "seconds"
MODEL_ERROR = "model_error"


def cells_of(experiment, quick):
    problems, seeds = experiment.drawn(quick)
    return {Cell(preset, problem, seed): method
            for method, preset in experiment.methods.items()
            for problem in problems for seed in seeds}


def files_of(experiment, folder, build):
    return CellFiles(folder, build, experiment.protocol())


def found_path(files, cell, options):
    """The file of a study that is there, or None."""
    if files.is_whole(files.path(cell)):
        return files.path(cell)
    other = files.build_with(cell) if options.keep_other_builds else None
    return files.path(cell, other) if other else None


def run(experiment, quick, options):
    """Runs what is missing of an experiment; returns processes.Outcome. `options` have binary,
    data, folder, build, jobs, fresh and keep_other_builds."""
    files = files_of(experiment, options.folder, options.build)
    wanted = cells_of(experiment, quick)
    missing = [cell for cell in wanted
               if options.fresh or found_path(files, cell, options) is None]
    print(f"{experiment.name}: {len(wanted) - len(missing)} of {len(wanted)} studies are there, "
          f"{len(missing)} to run", flush=True)
    for cell in missing:
        files.path(cell).unlink(missing_ok=True)
    return processes.run_cells(options.binary, options.data, files, missing, options.jobs)


def facts_of(row):
    """{name: text} of what a suggestion tells."""
    return dict(part.split("=", 1) for part in row["facts"].split("; ") if "=" in part)


def fact_series(rows, fact):
    """The numbers of the suggestions that tell the fact."""
    told = [facts_of(row) for row in rows]
    return [float(facts[fact]) for facts in told if fact in facts]


def unit_of(experiment, row):
    if experiment.unit == "own":
        return 1.0
    return float(row[f"{experiment.unit}_regret"])


def quantities(experiment, rows, truth):
    """{quantity: numbers} of one study's rows."""
    rows = rows[:experiment.protocol().evaluations()]
    unit = unit_of(experiment, rows[0])
    taken = {REGRET: [float(row["own_regret"]) / unit for row in rows]}
    for fact in experiment.facts:
        series = ([float(row[SECONDS] or 0) for row in rows] if fact == SECONDS
                  else fact_series(rows, fact))
        if series:
            taken[fact] = [sum(series)] if fact == SECONDS else series
    if truth is not None:
        taken[MODEL_ERROR] = model_error.of_study(rows, truth, experiment.checkpoints)
    return {name: numbers for name, numbers in taken.items() if len(numbers) > 0}


def collect(experiment, quick, options):
    """The kept rows of the studies that are there."""
    files = files_of(experiment, options.folder, options.build)
    kept = []
    truths = {}
    for cell, method in cells_of(experiment, quick).items():
        path = found_path(files, cell, options)
        if path is None:
            continue
        truth = None
        if experiment.model_error:
            if cell.problem not in truths:
                truths[cell.problem] = model_error.Truth.of(options.objective, options.data,
                                                            cell.problem)
            truth = truths[cell.problem]
        taken = quantities(experiment, results.read_cell(path), truth)
        kept += [(experiment.name, cell.problem, method, OURS, cell.seed, quantity,
                  numpy.array(numbers)) for quantity, numbers in taken.items()]
    return kept
