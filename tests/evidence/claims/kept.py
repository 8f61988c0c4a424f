"""The measured numbers that the repository keeps: one line for each study and quantity.

Regrets are those of every evaluation, noise-free, to three digits; everything that the report says
is computed from these lines alone. The repository has the files compressed; bzcat shows them.
"""

import bz2
import csv
import io
import pathlib

import numpy

ENDING = ".csv.bz2"
FOLDER = pathlib.Path(__file__).resolve().parent / "kept"
COLUMNS = ("experiment", "problem", "method", "program", "seed", "quantity", "values")
OURS = "slipstream"
INDEPENDENT = "numpy"
REGRET = "regret"


def text_of(numbers):
    if isinstance(numbers, str):
        return numbers
    return " ".join(f"{number:.3g}" for number in numbers)


def write(path, rows):
    """Rows as tuples in the order of COLUMNS, with arrays of numbers or text for values. Equal rows
    give equal files."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for *names, numbers in rows:
        writer.writerow([*names, text_of(numbers)])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bz2.compress(text.getvalue().encode()))


def read(path):
    """Rows as tuples in the order of COLUMNS, with text for values; none if there is no file."""
    if not pathlib.Path(path).exists():
        return []
    with bz2.open(path, "rt", newline="") as file:
        return [tuple(row[column] for column in COLUMNS) for row in csv.DictReader(file)]


def merged(paper, old, new):
    """The new rows, and the old ones of each method and program of an experiment that has no new
    ones, in the paper's order. Those that the paper no longer has are left out."""
    places = {(experiment.name, method, program): (i, k, j)
              for i, experiment in enumerate(paper.experiments)
              for j, method in enumerate(experiment.methods)
              for k, program in enumerate((OURS, INDEPENDENT))}

    def group(row):
        experiment, _, method, program, *_ = row
        return experiment, method, program
    replaced = {group(row) for row in new}
    rows = [row for row in old if group(row) not in replaced] + list(new)
    return sorted((row for row in rows if group(row) in places), key=lambda row: places[group(row)])


class Results:
    """All studies of a paper's experiments."""

    def __init__(self, rows=()):
        self._studies = {}  # {(experiment, method, program): {(problem, seed): {quantity: array}}}
        for experiment, problem, method, program, seed, quantity, numbers in rows:
            draws = self._studies.setdefault((experiment, method, program), {})
            values = [float(number) for number in numbers.split()]
            draws.setdefault((problem, int(seed)), {})[quantity] = numpy.array(values)

    @classmethod
    def read(cls, path):
        return cls(read(path))

    @classmethod
    def of(cls, rows):
        """As if the rows had been written and read again."""
        return cls((*names, text_of(numbers)) for *names, numbers in rows)

    def experiments(self):
        return list(dict.fromkeys(experiment for experiment, _, _ in self._studies))

    def methods(self, experiment, program=OURS):
        return [method for name, method, of in self._studies if (name, of) == (experiment, program)]

    def studies(self, experiment, method, program=OURS):
        """{(problem, seed): {quantity: array}}"""
        return self._studies.get((experiment, method, program), {})

    def draws(self, experiment, method, metric, program=OURS):
        """{draw: number}: a seed of one problem, or a problem with the mean over its seeds. Studies
        that lack the metric's quantity are left out."""
        studies = self.studies(experiment, method, program)
        problems = {problem for problem, _ in studies}
        grouped = {}
        for (problem, seed), study in studies.items():
            try:
                number = metric(study)
            except KeyError:
                continue
            grouped.setdefault(problem if len(problems) > 1 else seed, []).append(number)
        return {draw: float(numpy.mean(numbers)) for draw, numbers in grouped.items()}

    def seeds(self, experiment):
        return sorted({seed for (name, _, _), studies in self._studies.items()
                       if name == experiment for _, seed in studies})

    def problems(self, experiment):
        return sorted({problem for (name, _, _), studies in self._studies.items()
                       if name == experiment for problem, _ in studies})
