"""The results of cells and of recorded peers: regrets by evaluation."""

import csv
import pathlib

import numpy

from harness.cells import INITIAL_POINTS


def round_like_recorded(regrets):
    """Rounds to the four digits of recorded regrets, so that equal regrets compare equal."""
    regrets = numpy.asarray(regrets, dtype=float)
    known = numpy.isfinite(regrets) & (regrets != 0)
    rounded = regrets.copy()
    digits = 3 - numpy.floor(numpy.log10(numpy.abs(regrets[known]))).astype(int)
    rounded[known] = [round(float(value), int(places))
                      for value, places in zip(regrets[known], digits)]
    return rounded


class Curves:
    """regrets[method][problem, seed][k]: simple regret after k evaluations, NaN where unknown."""

    def __init__(self):
        self.regrets = {}

    def add(self, method, problem, seed, first_evaluation, regrets):
        curve = numpy.full(first_evaluation + len(regrets), numpy.nan)
        curve[first_evaluation:] = regrets
        self.regrets.setdefault(method, {})[problem, seed] = curve

    def divided_by(self, units):
        """These curves on the cells of `units` ({cell: unit}), each divided by its unit. A constant
        function's unit is 0; its regrets stay as they are, which is 0."""
        divided = Curves()
        for method, curves in self.regrets.items():
            divided.regrets[method] = {cell: curve / (units[cell] or 1)
                                       for cell, curve in curves.items() if cell in units}
        return divided

    def at_most(self, most):
        """These curves, none above `most`."""
        capped = Curves()
        for method, curves in self.regrets.items():
            capped.regrets[method] = {cell: numpy.minimum(curve, most)
                                      for cell, curve in curves.items()}
        return capped

    def methods(self):
        return list(self.regrets)

    def cells(self, method):
        return set(self.regrets.get(method, {}))

    def at(self, method, cells, evaluation):
        """One regret for each of `cells`; NaN if unknown."""
        curves = self.regrets[method]
        return numpy.array([curves[cell][evaluation] if evaluation < len(curves[cell])
                            else numpy.nan for cell in cells])


def read_cell(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write_csv(path, rows):
    if not rows:
        return
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def merge(files, found, path):
    """Writes all rows of the cells `found` ({cell: build}) into one file and returns them."""
    merged = []
    for cell in sorted(found, key=lambda cell: (cell.problem, cell.preset, cell.seed)):
        for row in read_cell(files.path(cell, found[cell])):
            row |= {"protocol": files.protocol.name(), "build": found[cell]}
            if int(row["evaluation"]) <= files.protocol.evaluations():
                merged.append(row)
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    columns = {column: None for row in merged for column in row}  # Rows of other builds may have more.
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns or ["preset"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(merged)
    return merged


def own_curves(rows, presets):
    """Curves of merged rows, in the order of `presets`."""
    regrets = {}
    for row in rows:
        cell = row["preset"], row["problem"], int(row["seed"])
        regrets.setdefault(cell, []).append(float(row["regret"]))
    curves = Curves()
    for preset, problem, seed in sorted(regrets, key=lambda cell: presets.index(cell[0])):
        values = regrets[preset, problem, seed]
        curves.add(preset, problem, seed, 1, round_like_recorded(values))
    return curves


def regret_units(rows, unit):
    """{(problem, seed): the regret of the problem's worst or mean value}."""
    column = f"{unit}_regret"
    for row in rows:
        if not row.get(column):
            raise ValueError(f"the study {row['preset']} {row['problem']} {row['seed']} of build "
                             f"{row['build']} does not tell the problem's {column}")
    return {(row["problem"], int(row["seed"])): float(row[column]) for row in rows}


def curves_in_unit(rows, presets, unit):
    """Curves of merged rows in parts of the problem's worst regret, or ("own") as they are, one at
    most."""
    curves = own_curves(rows, presets)
    if unit == "worst":
        return curves.divided_by(regret_units(rows, "worst"))
    return curves.at_most(1)


# Recorded by peers/run, whose studies begin with nothing; part of the repository.
OWN_RECORDS = pathlib.Path(__file__).resolve().parents[1] / "peers/recorded"
RECORDED = " (recorded)"  # Ends a peer's name: a preset may have the same one.


def recorded_curves(data, wanted="all"):
    """Curves of the peers, whose suggestions follow the initial points."""
    curves = Curves()
    for name in ("continuous.csv", "tables.csv"):
        path = pathlib.Path(data) / "peers" / name
        if wanted == "none" or not path.exists():
            continue
        for row in read_cell(path):
            if wanted != "all" and row["method"] not in wanted.split(","):
                continue
            problem = row.get("problem") or f"{row['table']}/{row['task']}"
            regrets = [float(row[f"r{i}"]) for i in range(1, 51)]
            curves.add(row["method"] + RECORDED, problem, int(row["seed"]), INITIAL_POINTS + 1,
                       regrets)
    return curves


def rows_from_nothing(wanted="all", workers=1, folder=OWN_RECORDS, sources=False):
    """The rows that peers/run recorded of these methods with so many workers; of methods that were
    told the source tasks only if `sources`."""
    return [row for path in sorted(pathlib.Path(folder).glob("*.csv"))
            for row in (read_cell(path) if wanted != "none" else [])
            if int(row["workers"]) == workers and (sources or not row.get("sources"))
            and (wanted == "all" or row["method"] in wanted.split(","))]


def add_rows_from_nothing(curves, rows):
    for row in rows:
        regrets = [float(row[f"r{i}"]) for i in range(1, 1 + count_of_trials(row))]
        curves.add(row["method"] + RECORDED, row["problem"], int(row["seed"]), 1, regrets)


def count_of_trials(row):
    return sum(1 for name in row if name[0] == "r" and name[1:].isdigit())
