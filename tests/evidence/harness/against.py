"""Compares methods with a reference on the same problems and seeds.

A study is *worse* than the reference's on the same problem and seed where its regret is more than a
margin above the reference's, and *better* where it is more than the margin below.
"""

import numpy

from harness import estimates
from harness.cells import RECORDED_GROUPS

SECTIONS = ("recorded tables", "pairs", "families", "functions")
MEASURES = ("regret", "mean_rank", "worse", "better")


def sections_of(units, listing):
    """{unit's name: where it belongs}; `listing` are the rows of the program's list."""
    sources = {row["problem"]: row["source_tasks"] for row in listing}
    by_sources = {"0": "functions", "1": "pairs"}
    return {unit.name: "recorded tables" if unit.group in RECORDED_GROUPS
            else by_sources.get(sources[unit.name], "families") for unit in units}


def shares(regrets, reference, margin):
    """The shares of pairs that are (worse, better)."""
    difference = numpy.asarray(regrets, dtype=float) - numpy.asarray(reference, dtype=float)
    return float((difference > margin).mean()), float((difference < -margin).mean())


class Against:
    def __init__(self, comparison, reference, margin, sections):
        """`sections` tells the section of each of the comparison's units by the unit's name."""
        if reference not in comparison.presets:
            raise ValueError(f"{reference} is not among the presets that are compared")
        self.comparison = comparison
        self.reference = reference
        self.margin = margin
        self._sections = sections
        self.units = sorted(comparison.units, key=lambda unit: SECTIONS.index(sections[unit.name]))
        self._rows = {unit.name: self._rows_of(unit) for unit in comparison.units}

    def sections(self):
        """{section: its units}, and all units if there are several sections."""
        sections = {}
        for unit in self.units:
            sections.setdefault(self._sections[unit.name], []).append(unit)
        return sections | ({"all": self.units} if len(sections) > 1 else {})

    def rows(self):
        """Tidy rows: each method on each unit after each checkpoint."""
        return [row for unit in self.units for row in self.rows_of(unit)]

    def rows_of(self, unit):
        return self._rows[unit.name]

    def _rows_of(self, unit):
        rows = []
        methods = self.comparison.presets + self.comparison.peers([unit])
        for checkpoint in self.comparison.checkpoints:
            ranks = self.comparison.mean_ranks(methods, [unit], checkpoint)
            rows += [self._row(unit, checkpoint, method, rank) for method, rank in ranks.items()]
        return rows

    def rank_rows(self):
        """Tidy rows: each method's mean rank in each section, and how far it is from the best."""
        return [{"section": section} | row
                for section, units in self.sections().items()
                for checkpoint in self.comparison.checkpoints
                for row in self.comparison.rank_rows(
                    self.comparison.presets + self.comparison.peers(units), units, checkpoint)]

    def totals(self):
        """Tidy rows: each method on each section, whose units all count the same."""
        rows = []
        for section, units in self.sections().items():
            methods = self.comparison.presets + self.comparison.peers(units)
            by_unit = [{(row["after"], row["method"]): row for row in self.rows_of(unit)}
                       for unit in units]
            for checkpoint in self.comparison.checkpoints:
                rows += [self._total(section, units, checkpoint, method, by_unit)
                         for method in methods
                         if all((checkpoint, method) in known for known in by_unit)]
        return rows

    def _row(self, unit, checkpoint, method, rank):
        samples = self.comparison.samples(method, unit, checkpoint)
        low, high = estimates.interval(samples, "mean")
        worse, better = shares(samples, self.comparison.samples(self.reference, unit, checkpoint),
                               self.margin)
        return {"section": self._sections[unit.name], "problem": unit.name, "after": checkpoint,
                "method": method, "studies": samples.size,
                "regret": estimates.estimate(samples, "mean"), "low": low, "high": high,
                "mean_rank": float(rank), "worse": worse, "better": better}

    def _total(self, section, units, checkpoint, method, by_unit):
        known = [rows[checkpoint, method] for rows in by_unit]
        low, high = estimates.interval_over_units(
            [self.comparison.samples(method, unit, checkpoint) for unit in units])
        means = {measure: sum(row[measure] for row in known) / len(known) for measure in MEASURES}
        return {"section": section, "problems": len(units), "after": checkpoint, "method": method,
                "studies": sum(row["studies"] for row in known), "regret": means.pop("regret"),
                "low": low, "high": high} | means
