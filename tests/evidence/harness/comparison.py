"""Compares our presets with recorded peers on the same cells.

A *unit* is what one claim is about: a problem with its seeds, or a recorded table with all of its
tasks. A checkpoint is a number of suggestions after the five initial points; studies from nothing
are compared at the same number of evaluations, or after as many suggestions where `before` is 0.
"""

import dataclasses

import numpy

from harness import estimates
from harness.cells import GROUPS, INITIAL_POINTS
from harness.results import RECORDED


@dataclasses.dataclass
class Unit:
    name: str
    group: str
    cells: list  # (problem, seed), the seeds of a problem together.
    draws: int   # How many independent draws the cells are: seeds, or tasks.

    def count_text(self):
        if self.draws == len(self.cells):
            return f"{self.draws} seeds"
        return f"{self.draws} tasks x {len(self.cells) // self.draws} seeds"


def unit_name(problem):
    return problem.split("/")[0]


def _unit(name, group, cells):
    """The unit with the seeds that all of its problems have."""
    problems = sorted({problem for problem, _ in cells})
    seeds = set.intersection(*({seed for problem, seed in cells if problem == wanted}
                               for wanted in problems))
    kept = [(problem, seed) for problem in problems for seed in sorted(seeds)]
    return Unit(name, group, kept, len(problems) if len(problems) > 1 else len(seeds))


class Comparison:
    def __init__(self, own, peers, groups, checkpoints, before=INITIAL_POINTS, unit="own"):
        """`groups` tells each problem's group, `before` the evaluations that no checkpoint counts,
        `unit` what the regrets are in."""
        self._own = own
        self._recorded = peers
        self.presets = own.methods()
        self.checkpoints = checkpoints
        self.before = before
        self.unit = unit
        shared = set.intersection(*(own.cells(preset) for preset in self.presets))
        by_unit = {}
        for cell in shared:
            by_unit.setdefault(unit_name(cell[0]), set()).add(cell)
        units = [_unit(name, groups[next(iter(cells))[0]], cells)
                 for name, cells in by_unit.items()]
        self.units = sorted((unit for unit in units if unit.cells),
                            key=lambda unit: (GROUPS.index(unit.group), unit.name))

    def groups(self):
        return list(dict.fromkeys(unit.group for unit in self.units))

    def units_of(self, group):
        return [unit for unit in self.units if unit.group == group]

    def peers(self, units):
        """Recorded methods that have all cells of `units`, in the file's order."""
        cells = {cell for unit in units for cell in unit.cells}
        return [name for name in self._recorded.methods()
                if cells <= self._recorded.cells(name)]

    def partial_peers(self, unit):
        """Recorded methods that have some of the cells, with the number of them."""
        counts = {name: len(self._recorded.cells(name) & set(unit.cells))
                  for name in self._recorded.methods()}
        return {name: count for name, count in counts.items() if 0 < count < len(unit.cells)}

    def samples(self, method, unit, checkpoint):
        """Regrets as harness.estimates wants them; NaN where a study has not come that far."""
        curves = self._own if method in self.presets else self._recorded
        regrets = curves.at(method, unit.cells, self.before + checkpoint)
        return regrets.reshape(unit.draws, -1)

    def known(self, method, unit, checkpoint):
        return bool(numpy.isfinite(self.samples(method, unit, checkpoint)).all())

    def known_of(self, methods, units, checkpoint):
        """Those of the methods that have all regrets at this checkpoint."""
        return [method for method in methods
                if all(self.known(method, unit, checkpoint) for unit in units)]

    def ranks_by_draw(self, methods, units, checkpoint):
        """[methods, draws]: mean ranks among `methods` of each seed of a problem and each task of a
        table."""
        return numpy.concatenate(
            [estimates.ranks([self.samples(method, unit, checkpoint).ravel() for method in methods])
             .reshape(len(methods), unit.draws, -1).mean(axis=2) for unit in units], axis=1)

    def rank_rows(self, methods, units, checkpoint):
        """Tidy rows, the best mean rank over draws first: each method's, and its difference from the
        best one's with the interval over draws, in pairs."""
        methods = self.known_of(methods, units, checkpoint)
        if not methods:
            return []
        ranks = self.ranks_by_draw(methods, units, checkpoint)
        order = sorted(range(len(methods)), key=lambda i: ranks[i].mean())
        rows = []
        for i in order:
            low, high = estimates.interval_of_difference(ranks[i], ranks[order[0]], "mean")
            rows.append({"after": checkpoint, "method": methods[i], "draws": ranks.shape[1],
                         "mean_rank": float(ranks[i].mean()),
                         "difference": float((ranks[i] - ranks[order[0]]).mean()),
                         "low": low, "high": high})
        return rows

    def mean_ranks(self, methods, units, checkpoint):
        """{method: its mean rank among `methods` over all cells of `units`}."""
        methods = self.known_of(methods, units, checkpoint)
        if not methods:
            return {}
        regrets = [numpy.concatenate([self.samples(method, unit, checkpoint).ravel()
                                      for unit in units]) for method in methods]
        return dict(zip(methods, estimates.ranks(regrets).mean(axis=1)))

    def summary(self):
        """Tidy rows: each method on each unit after each checkpoint, the best mean first."""
        rows = []
        for unit in self.units:
            for checkpoint in self.checkpoints:
                methods = self.presets + self.peers([unit])
                mean_ranks = self.mean_ranks(methods, [unit], checkpoint)
                block = [self._summary_row(unit, checkpoint, method, rank)
                         for method, rank in mean_ranks.items()]
                rows += sorted(block, key=lambda row: row["mean"])
        return rows

    def _summary_row(self, unit, checkpoint, method, rank):
        samples = self.samples(method, unit, checkpoint)
        row = {"problem": unit.name, "after": checkpoint, "method": method, "studies": samples.size}
        for statistic in estimates.STATISTICS:
            low, high = estimates.interval(samples, statistic)
            row |= {statistic: estimates.estimate(samples, statistic),
                    f"{statistic}_low": low, f"{statistic}_high": high}
        return row | {"mean_rank": float(rank)}

    def differences(self, preset, group):
        """Tidy rows: the preset's regret minus that of each unit's best recorded peer."""
        rows = []
        for checkpoint in self.checkpoints:
            for unit in self.units_of(group):
                if not self.known(preset, unit, checkpoint):
                    continue
                for statistic in estimates.STATISTICS:
                    rows += self._difference_rows(preset, unit, checkpoint, statistic)
        return rows

    def _difference_rows(self, preset, unit, checkpoint, statistic):
        samples = {peer: self.samples(peer, unit, checkpoint) for peer in self.peers([unit])
                   if self.known(peer, unit, checkpoint)}
        if not samples:
            return []
        best = min(samples, key=lambda peer: estimates.estimate(samples[peer], statistic))
        ours = self.samples(preset, unit, checkpoint)
        low, high = estimates.interval_of_difference(ours, samples[best], statistic)
        own, peer = (estimates.estimate(values, statistic) for values in (ours, samples[best]))
        return [{"preset": preset, "after": checkpoint, "problem": unit.name,
                 "statistic": statistic, "ours": own, "best_peer": best.removesuffix(RECORDED),
                 "theirs": peer,
                 "difference": own - peer, "low": low, "high": high,
                 "verdict": estimates.verdict(low, high)}]
