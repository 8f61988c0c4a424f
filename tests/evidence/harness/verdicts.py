"""Whether what a study says of its source tasks is true.

A study says how much better its start is than one without sources would have been, with an
interval, and whether the sources help. The truth is known here: the same preset without its sources
begins with the very points that the study compares with, and their regrets are recorded.
"""

import dataclasses

STATES = ("helping", "neutral", "hurting", "unknown")


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What a study said, and what is true, in parts of the problem's worst regret."""

    problem: str
    seed: int
    state: str
    by_start: bool  # Forecasts showed no difference, so the start decided.
    trials: int     # Those of the start; 0 where the study said nothing of it.
    gain: float = 0.0
    low: float = 0.0
    high: float = 0.0
    truth: float = 0.0  # The gain of the start.
    later: float = 0.0  # And that after all of the study's trials.


def facts_of(text):
    """{name: text} of a cell's column of facts."""
    return dict(part.split("=", 1) for part in text.split("; ") if "=" in part)


def value_per_regret(rows):
    """How much of the objective's unit one unit of regret is: the slope of values on regrets."""
    points = [(float(row["own_regret"]), float(row["value"])) for row in rows]
    points = [(x, y) for x, y in points if x == x and y == y]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if spread == 0:
        return 1.0
    return abs(sum((x - mean_x) * (y - mean_y) for x, y in points)) / spread


def verdict_of(rows, reference, after):
    """That of a study (its cell's rows) when its suggestion number `after` was made; `reference` are
    the rows of the study without sources."""
    last = rows[after - 1]
    facts = facts_of(last["facts"])
    unit = float(last["worst_regret"]) or 1.0

    def advantage(evaluations):
        return (float(reference[evaluations - 1]["regret"])
                - float(rows[evaluations - 1]["regret"])) / unit

    state = facts.get("transfer", "unknown")
    low, high = (float(facts.get(f"transfer_gain_{end}", 0)) for end in ("low", "high"))
    said = Verdict(last["problem"], int(last["seed"]), state, by_start=low <= 0 <= high,
                   trials=int(float(facts.get("start_trials", 0))), later=advantage(after))
    if said.trials == 0:
        return said
    scale = value_per_regret(rows) * unit
    gain, low, high = (float(facts[f"start_gain{end}"]) / scale for end in ("", "_low", "_high"))
    return dataclasses.replace(said, gain=gain, low=low, high=high, truth=advantage(said.trials))


def contains(verdict, tolerance=1e-6):
    """Whether the interval has the true gain."""
    return verdict.low - tolerance <= verdict.truth <= verdict.high + tolerance


def lines_of(name, verdicts, margin):
    """What a reader wants to know of some verdicts."""
    count = len(verdicts)
    counts = {state: sum(each.state == state for each in verdicts) for state in STATES}
    lines = [f"{name}: {count} studies; "
             + ", ".join(f"{state} {counts[state]}" for state in STATES if counts[state])]
    told = [each for each in verdicts if each.trials > 0]
    if not told:
        return lines
    covered = sum(contains(each) for each in told) / len(told)
    lines.append(f"    the start's interval has the true gain in {100 * covered:.0f}% of {len(told)}; "
                 f"mean true gain x 100 {100 * sum(each.truth for each in told) / len(told):.2f}, said "
                 f"{100 * sum(each.gain for each in told) / len(told):.2f}")
    for word, sign in (("better", 1), ("worse", -1)):
        true = [each for each in told if sign * each.truth > margin]
        if not true:
            continue
        states = {state: sum(each.state == state for each in true) for state in STATES}
        lines.append(f"    the start was {word} by more than {margin:g} in {len(true)}: said "
                     + ", ".join(f"{state} {states[state]}" for state in STATES if states[state]))
    decided = [each for each in told if each.by_start and each.state in ("helping", "hurting")]
    wrong = [each for each in decided
             if (each.truth < -margin if each.state == "helping" else each.truth > margin)]
    lines.append(f"    the start decided in {len(decided)}, for the wrong side in {len(wrong)}")
    return lines
