"""Which branches of their spaces studies tried, and whether they locked in on one.

A study is *locked in* where at least three quarters of its trials are on one branch, *astray* where
that branch is none of the best ones, and has *found* the best branch where its best point is in one.
"""

import dataclasses

from harness import estimates, results

LOCKED_SHARE = 0.75


@dataclasses.dataclass
class Path:
    """The trials of one study, in the order in which they ended."""

    branches: list
    regrets: list  # The best point's so far.
    best: frozenset  # The best branches.

    def tried(self, count):
        """(a branch that most of the first trials tried, how many they are)."""
        first = self.branches[:count]
        most = max(dict.fromkeys(first), key=first.count)
        return most, first.count(most)

    def is_locked(self, count):
        return self.tried(count)[1] >= LOCKED_SHARE * count

    def is_astray(self, count):
        return self.is_locked(count) and self.tried(count)[0] not in self.best

    def has_found(self, count):
        """Whether the best of the first trials is in a best branch."""
        place = self.regrets.index(self.regrets[count - 1])
        return self.branches[place] in self.best


MEASURES = {"found": Path.has_found, "locked": Path.is_locked, "astray": Path.is_astray}


def own_paths(rows):
    """{preset: {(problem, seed): Path}} of merged rows, where the program told branches."""
    paths = {}
    for row in rows:
        if not row.get("best_branches"):
            continue
        cell = row["problem"], int(row["seed"])
        path = paths.setdefault(row["preset"], {}).setdefault(
            cell, Path([], [], frozenset(row["best_branches"].split("|"))))
        path.branches.append(row["branch"])
        path.regrets.append(float(row["regret"]))
    return paths


def recorded_path(row):
    """The path of a recorded row with columns r1, r2, ... and b1, b2, ..."""
    count = results.count_of_trials(row)
    return Path([row[f"b{i}"] for i in range(1, count + 1)],
                [float(row[f"r{i}"]) for i in range(1, count + 1)],
                frozenset(row["best_branches"].split("|")))


def recorded_paths(rows):
    paths = {}
    for row in rows:
        if not row["best_branches"]:
            continue
        cell = row["problem"], int(row["seed"])
        paths.setdefault(row["method"] + results.RECORDED, {})[cell] = recorded_path(row)
    return paths


def _row(name, problems, checkpoint, method, paths):
    row = {"problem": name, "problems": problems, "after": checkpoint, "method": method,
           "studies": len(paths)}
    for measure, holds in MEASURES.items():
        count = sum(holds(path, checkpoint) for path in paths)
        low, high = estimates.share_interval(count, len(paths))
        row |= {measure: count / len(paths), f"{measure}_low": low, f"{measure}_high": high}
    return row


def rows_of(comparison, paths):
    """Tidy rows: each method on each unit after each checkpoint, and on all units of a group.
    Checkpoints count as the comparison's do."""
    rows = []
    for group in comparison.groups():
        units = comparison.units_of(group)
        named = [(unit.name, [unit]) for unit in units]
        for name, together in named + ([(f"all of {group}", units)] if len(units) > 1 else []):
            rows += _rows_of_units(name, together, comparison, paths)
    return rows


def _rows_of_units(name, units, comparison, paths):
    cells = [cell for unit in units for cell in unit.cells]
    rows = []
    for checkpoint in comparison.checkpoints:
        count = comparison.before + checkpoint
        for method in comparison.presets + comparison.peers(units):
            known = [paths.get(method, {}).get(cell) for cell in cells]
            if all(path is not None and len(path.branches) >= count for path in known):
                rows.append(_row(name, len(units), count, method, known))
    return rows


def lines_of(rows, align):
    """A table for each problem after the last checkpoint, and for all after each."""
    if not rows:
        return []
    last = max(row["after"] for row in rows)
    lines = ["", "Branches: % of studies whose best point is in the best branch (found), that put "
                 "three quarters", "or more of their trials on one branch (locked in), and on one "
                 "that is not the best (astray)"]
    for name in dict.fromkeys(row["problem"] for row in rows):
        shown = [row for row in rows if row["problem"] == name
                 and (row["problems"] > 1 or row["after"] == last)]
        if not shown:
            continue
        table = [[name, "evaluations", "studies", "found", "95% interval", "locked in", "astray"]]
        table += [[row["method"], str(row["after"]), str(row["studies"]), percent(row["found"]),
                   f"[{percent(row['found_low'])}, {percent(row['found_high'])}]",
                   percent(row["locked"]), percent(row["astray"])] for row in shown]
        lines += ["", *align(table)]
    return lines


def percent(share):
    return f"{100 * share:.0f}"
