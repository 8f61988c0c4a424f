"""The comparison as text."""

import collections
import statistics
import textwrap

from harness.cells import RECORDED_GROUPS
from harness.comparison import unit_name
from harness.results import RECORDED

WIDTH = 100
FEW_DRAWS = 10  # Below, a percentile bootstrap covers far less than 95%.


def number(value):
    if value != value:
        return "-"
    return f"{value:.3g}"


def between(low, high):
    return "-" if low != low else f"[{number(low)}, {number(high)}]"


def align(rows, left=1):
    """Aligned columns of text, indented and separated by two spaces, the first `left` flush left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if i < left else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def measure(group, unit):
    if unit != "own":
        return f"regret / (best - {unit})"
    return "normalised regret" if group in RECORDED_GROUPS else "simple regret"


def summary_lines(comparison, summary):
    """A table for each unit and checkpoint."""
    lines = []
    for unit in comparison.units:
        for checkpoint in comparison.checkpoints:
            rows = [row for row in summary
                    if row["problem"] == unit.name and row["after"] == checkpoint]
            if not rows:
                continue
            lines += ["", f"{unit.name} after {checkpoint} suggestions, {unit.count_text()}: "
                          f"{measure(unit.group, comparison.unit)}, best so far"]
            table = [("method", "mean", "95% interval", "median", "95% interval", "mean rank")]
            table += [(row["method"], number(row["mean"]),
                       between(row["mean_low"], row["mean_high"]), number(row["median"]),
                       between(row["median_low"], row["median_high"]), f"{row['mean_rank']:.2f}")
                      for row in rows]
            lines += align(table)
        for name, count in comparison.partial_peers(unit).items():
            lines.append(f"  left out: {name}, which has {count} of "
                         f"{len(unit.cells)} studies")
    return lines


FIRST_LEGEND = ("Best mean rank, each of {} draws counting the same (seeds of a problem, tasks of a table),",
                "and those whose paired difference from it has a 95% interval, not corrected, that "
                "reaches 0")


def first_lines(rows):
    """For each checkpoint the method with the best mean rank, and those that may be as good. Few
    draws tell no method apart."""
    if not rows:
        return []
    draws = rows[0]["draws"]
    lines = [FIRST_LEGEND[0].format(draws), FIRST_LEGEND[1]]
    for checkpoint in dict.fromkeys(row["after"] for row in rows):
        best, *others = [row for row in rows if row["after"] == checkpoint]
        tied = [f"{row['method']} +{row['difference']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
                for row in others if not row["low"] > 0]
        others_text = (f"not told apart from it: {', '.join(tied) or 'none'}"
                       if draws >= FEW_DRAWS else "too few draws to tell others apart")
        text = (f"after {checkpoint}: {best['method']} {best['mean_rank']:.2f} of "
                f"{1 + len(others)} methods; {others_text}")
        lines += textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="      ",
                               break_on_hyphens=False)
    return lines


def rank_lines(comparison):
    """Mean ranks over all problems of a group."""
    lines = []
    for group in comparison.groups():
        units = comparison.units_of(group)
        methods = comparison.presets + comparison.peers(units)
        columns = [comparison.mean_ranks(methods, units, checkpoint)
                   for checkpoint in comparison.checkpoints]
        if not any(columns):
            continue
        studies = sum(len(unit.cells) for unit in units)
        lines += ["", f"Mean rank of {len(methods)} methods over all {studies} studies, {group}"]
        rows = [[name] + [f"{column[name]:.2f}" if name in column else "-" for column in columns]
                for name in sorted(methods, key=lambda name: columns[-1].get(name, 1e9))]
        lines += align([["method"] + [f"after {c}" for c in comparison.checkpoints]] + rows)
        first = [row for checkpoint in comparison.checkpoints
                 for row in comparison.rank_rows(methods, units, checkpoint)]
        lines += first_lines(first)
    return lines


def verdict_lines(comparison, preset, group):
    """Compares the preset with each unit's best recorded peer, with a verdict."""
    differences = comparison.differences(preset, group)
    if not differences:
        return []
    lines = ["", f"{preset} against each problem's best recorded peer, {group}: difference in "
                 "regret, paired"]
    few = min(unit.draws for unit in comparison.units_of(group))
    if few < FEW_DRAWS:
        lines.append(f"  CAUTION: with {few} draws the intervals are too narrow to decide "
                     "anything.")
    table = [("after", "problem", "", "ours", "best peer", "theirs", "difference",
              "95% interval", "verdict")]
    table += [(str(row["after"]), row["problem"], row["statistic"], number(row["ours"]),
               row["best_peer"], number(row["theirs"]), number(row["difference"]),
               between(row["low"], row["high"]), row["verdict"]) for row in differences]
    lines += align(table, left=3)
    verdicts = [checkpoint_verdict(comparison, preset, group, checkpoint, differences)
                for checkpoint in comparison.checkpoints
                if any(row["after"] == checkpoint for row in differences)]
    overall = "met" if all(holds for holds, _ in verdicts) else "NOT met"
    return lines + [text for _, text in verdicts] + [
        "  Nowhere worse than the best peer and first by mean rank, at all of these: " + overall]


def checkpoint_verdict(comparison, preset, group, checkpoint, differences):
    """(whether the bar is met, the line that says so)."""
    units = comparison.units_of(group)
    peers = comparison.peers(units)
    mean_ranks = comparison.mean_ranks([preset] + peers, units, checkpoint)
    counted = collections.Counter(row["verdict"] for row in differences
                                  if row["after"] == checkpoint)
    holds = counted["worse"] == counted["unknown"] == 0
    others = {name: rank for name, rank in mean_ranks.items() if name != preset}
    text = (f"  after {checkpoint}: worse in {counted['worse']} of {counted.total()}, better in "
            f"{counted['better']}")
    if preset in mean_ranks and others:
        best = min(others, key=others.get)
        is_first = mean_ranks[preset] <= others[best]
        holds = holds and is_first
        text += (f"; mean rank {mean_ranks[preset]:.2f} of {len(mean_ranks)} methods, "
                 f"{best.removesuffix(RECORDED)} {others[best]:.2f}")
    else:
        holds = False
    return holds, text + (": the bar is met" if holds else ": the bar is NOT met")


def hundredths(value):
    """The text of a regret of at most about 1."""
    if value != value:
        return "-"
    return f"{100 * value:.1f}" if abs(value) >= 0.1 else f"{100 * value:.2f}"


def against_lines(against):
    """Two tables for each unit, and for each section with all of its units."""
    lines = []
    few = [unit.name for unit in against.units if unit.draws < FEW_DRAWS]
    if few:
        lines += ["", f"CAUTION: {len(few)} problems have fewer than {FEW_DRAWS} seeds or tasks; "
                      "their intervals are too narrow."]
    lines += ["", *against_legend(against)]
    for unit in against.units:
        lines += against_block(f"{unit.name}, {unit.count_text()}", against.rows_of(unit))
    lines += ["", "ALL IN ALL", *against_legend(against)]
    totals, ranks = against.totals(), against.rank_rows()
    for section, units in against.sections().items():
        lines += against_block(
            f"{section}, each problem counting the same: "
            + (units[0].name if len(units) == 1 else f"{len(units)} problems"),
            [row for row in totals if row["section"] == section])
        lines += first_lines([row for row in ranks if row["section"] == section])
    return lines


def against_legend(against):
    unit = against.comparison.unit
    regret = "Regret" if unit == "own" else f"Regret / (best - {unit})"
    return [f"{regret} x 100 of the best so far, mean and 95% interval; mean rank;",
            f"w:b, % of studies worse : better than {against.reference} by more than "
            f"{against.margin:g}, here {100 * against.margin:g}."]


def against_block(title, rows):
    """A table with a row per method and a column per checkpoint."""
    cells = {(row["method"], row["after"]): row for row in rows}
    methods, checkpoints = (list(dict.fromkeys(key[i] for key in cells)) for i in (0, 1))
    regrets = [["regret x 100"] + [f"after {checkpoint}" for checkpoint in checkpoints]]
    ranks = [["rank, w:b in %"] + [f"rank {checkpoint}" for checkpoint in checkpoints]
             + [f"w:b {checkpoint}" for checkpoint in checkpoints]]
    for method in methods:
        known = [cells.get((method, checkpoint)) for checkpoint in checkpoints]
        regrets.append([method] + [_regret_text(row) if row else "-" for row in known])
        ranks.append([method] + [f"{row['mean_rank']:.2f}" if row else "-" for row in known]
                     + [f"{100 * row['worse']:.0f}:{100 * row['better']:.0f}" if row else "-"
                        for row in known])
    return ["", title] + align(regrets) + align(ranks)


def _regret_text(row):
    if row["low"] != row["low"]:
        return hundredths(row["regret"])
    return f"{hundredths(row['regret'])} [{hundredths(row['low'])}, {hundredths(row['high'])}]"


def time_lines(rows, checkpoints, before, place=unit_name):
    """Seconds in Strategy::Suggest, by preset and place: by default a problem's unit."""
    times = collections.defaultdict(list)
    for row in rows:
        if int(row["suggestion"]) > 0:
            key = row["preset"], place(row["problem"])
            times[key].append((int(row["evaluation"]), float(row["seconds"])))
    table = [["preset", "problem", "median", "longest"]
             + [f"around {checkpoint}" for checkpoint in checkpoints]]
    for (preset, where), pairs in sorted(times.items()):
        medians = [statistics.median(near) if (near := _seconds_near(pairs, before + checkpoint))
                   else float("nan") for checkpoint in checkpoints]
        seconds = [value for _, value in pairs]
        table.append([preset, where, number(statistics.median(seconds)), number(max(seconds))]
                     + [number(median) for median in medians])
    return ["", "Seconds for one suggestion, while as many studies ran as there were jobs; medians "
                "but for the longest"] + align(table, left=2)


def _seconds_near(pairs, last):
    """The seconds of the last five suggestions up to that evaluation."""
    return [seconds for evaluation, seconds in pairs if last - 5 < evaluation <= last]


def rung_lines(rows):
    """Which presets stepped down their ladder, and how often."""
    rungs = collections.defaultdict(collections.Counter)
    for row in rows:
        if int(row["suggestion"]) > 0:
            rungs[row["preset"]][row["rung"]] += 1
    lines = [""]
    for preset, counted in sorted(rungs.items()):
        down = {rung: count for rung, count in counted.items() if rung != "recipe"}
        text = ", ".join(f"{rung} {count}" for rung, count in down.items()) or "none"
        lines.append(f"Steps down the ladder, {preset}: {text} (of {counted.total()} suggestions)")
    return lines
