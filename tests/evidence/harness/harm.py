"""Whether a method does worse than a reference on single problems, beyond what chance explains.

Studies are paired by problem and seed. That the mean of their differences is above 0 is tested by
flipping signs (Fisher's randomisation): with no difference between two methods each sign is as
likely as the other. Over many problems some differences are large by chance, so that the p-values
are corrected as Holm has it.
"""

import dataclasses

import numpy

FLIPS = 200000
SEED = 20


@dataclasses.dataclass(frozen=True)
class Harm:
    """How a method compares with the reference on one problem after some suggestions."""

    problem: str
    after: int
    studies: int
    reference: float  # The mean regrets.
    regret: float
    p: float          # That the method is not worse, uncorrected ...
    corrected: float  # ... and by Holm.

    @property
    def is_significant(self):
        return self.corrected < 0.05


def p_of_worse(differences):
    """The probability of a mean difference at least as large if signs were drawn by lot."""
    differences = numpy.asarray(differences, dtype=float)
    if numpy.isnan(differences).any():
        raise ValueError("a difference of two regrets is not a number")
    differences = differences[differences != 0]
    if differences.size == 0:
        return 1.0
    random = numpy.random.default_rng(SEED)
    observed = differences.sum()
    tolerance = 1e-12 * numpy.abs(differences).sum()
    if differences.size <= 16:
        count = 1 << differences.size
        places = (numpy.arange(count)[:, None] >> numpy.arange(differences.size)) & 1
        sums = (1 - 2 * places) @ differences
        return float((sums >= observed - tolerance).mean())
    reached = 0
    for _ in range(10):
        signs = random.integers(0, 2, (FLIPS // 10, differences.size)) * 2 - 1
        reached += int((signs @ differences >= observed - tolerance).sum())
    return (reached + 1) / (FLIPS + 1)


def corrected_by_holm(p_values):
    """The p-values times how many of them are not smaller, never falling, at most 1."""
    order = numpy.argsort(p_values, kind="stable")
    corrected = numpy.empty(len(p_values))
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected


def harms(curves, method, reference, after):
    """A Harm for each problem, those with the least corrected p first."""
    shared = sorted(curves.cells(method) & curves.cells(reference))
    problems = sorted({problem for problem, _ in shared})
    rows = []
    for problem in problems:
        cells = [cell for cell in shared if cell[0] == problem]
        ours, theirs = (curves.at(name, cells, after) for name in (method, reference))
        rows.append((problem, len(cells), theirs.mean(), ours.mean(), p_of_worse(ours - theirs)))
    corrected = corrected_by_holm([row[-1] for row in rows])
    found = [Harm(problem, after, studies, theirs, ours, p, by_holm)
             for (problem, studies, theirs, ours, p), by_holm in zip(rows, corrected)]
    return sorted(found, key=lambda harm: (harm.corrected, harm.p))


def shares(curves, method, reference, after, margin):
    """The shares of studies that are worse and better than the reference's by more than `margin`."""
    cells = sorted(curves.cells(method) & curves.cells(reference))
    differences = curves.at(method, cells, after) - curves.at(reference, cells, after)
    return float((differences > margin).mean()), float((differences < -margin).mean())
