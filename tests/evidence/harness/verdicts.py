"""Whether what a study says of its source tasks is true.

A study says with which probability its start is better than one without sources, and whether the
sources help. The truth is known here: the same preset without its sources begins with the very
points of one of the starts that the study compares with, and their regrets are recorded.
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
    better: float = 0.0  # The probabilities that the start was better or worse.
    worse: float = 0.0
    truth: float = 0.0  # By how much the best so far was better on average over these trials.
    later: float = 0.0  # By how much the study is better after all of its trials.


def facts_of(text):
    """{name: text} of a cell's column of facts."""
    return dict(part.split("=", 1) for part in text.split("; ") if "=" in part)


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
    start = [advantage(evaluations) for evaluations in range(1, said.trials + 1)]
    return dataclasses.replace(said, better=float(facts["start_better"]),
                               worse=float(facts["start_worse"]), truth=sum(start) / said.trials)


def calibration(verdicts, margin):
    """Of studies whose start was better or worse by more than `margin`, how many there are, the mean
    probability that they gave to what is true, and how often they took the likelier side."""
    given = [each.better if each.truth > 0 else each.worse
             for each in verdicts if abs(each.truth) > margin]
    other = [each.worse if each.truth > 0 else each.better
             for each in verdicts if abs(each.truth) > margin]
    if not given:
        return 0, 0.0, 0.0
    right = sum(one > two for one, two in zip(given, other)) / len(given)
    return len(given), sum(given) / len(given), right


def lines_of(name, verdicts, margin):
    """What a reader wants to know of some verdicts."""
    count = len(verdicts)
    counts = {state: sum(each.state == state for each in verdicts) for state in STATES}
    lines = [f"{name}: {count} studies; "
             + ", ".join(f"{state} {counts[state]}" for state in STATES if counts[state])]
    told = [each for each in verdicts if each.trials > 0]
    if not told:
        return lines
    count, given, right = calibration(told, margin)
    lines.append(f"    of {count} starts that differ by more than {margin:g}, {100 * right:.0f}% are on "
                 f"the likelier side; the true side got {100 * given:.0f}% on average")
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
