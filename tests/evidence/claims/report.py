"""REPORT.md: what each paper claims and what came out, from kept numbers alone."""

import math
import pathlib
import textwrap

from claims import judgement as judged
from claims import kept, principal
from claims.all_papers import PAPERS
from claims.kept import INDEPENDENT
from oracles import oracles

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
FILE = REPOSITORY / "tests/evidence/REPORT.md"

HEAD = """# What five papers claim, and what came out

Each paper's experiments were run by our own programs, with the preset that has the paper's name and
with those that it is compared with. Every figure below is computed from
`tests/evidence/claims/kept`, which these commands measure, and compute again:

```
tests/evidence/papers all --keep            # Studies, kept numbers and this report.
tests/evidence/papers all --quick           # Fewer seeds, in .build/papers.
tests/evidence/papers all --report-only     # This report and all plots, from the kept numbers.
```

A claim is turned into numbers, one for each seed (or each data set) and each method that it names,
all of which have to be below a bound. It **holds** if each one's 95% interval (Student's) is, it
**does not hold** if one is above by an interval that allows for as many looks, and the rest **cannot
be told**. The same holds of one method's number that equals its bound in all draws, but two methods
that are equal in all draws cannot be told apart. The figure is that of the comparison which decides or
comes closest to deciding otherwise. Regret is noise-free, and R_T is its sum over suggestions.

A mean says little where draws fall into two groups, as where a study either finds the peak or does not.
By one rule for all comparisons these are judged by shares: if there are at least ten draws, the widest
gap between neighbours is more than half of their range, and each side has at least a tenth of the
draws, then the share of draws below the bound has to exceed one half, by Clopper and Pearson's exact
interval. Draws in which two methods are equal do not count.

Where a claim does not hold, or the figure's interval alone is against it, the last column is the same
comparison among programs in NumPy that were written from the paper's equations and not from our code
(`tests/evidence/claims/programs`); *not run* where none was. They had the first draws of the same
problems, as many as the table below says, and the constants that stand at the head of each program.
They choose among places of a grid and learn a constant by taking the likeliest of a few values. So
they tell a large fault of ours from a paper's effect that does not appear, and not a small one. Where
none was run for the deciding comparison alone, the column is about the others that do not hold.

Beyond that, what a preset of a paper believes and wants at ten suggestions agrees with an oracle of
the paper's equations in NumPy (`tests/evidence/oracles`), which has these presets:
{covered}. Those of `collaborative`, `hyperbo`, `scaml`, `stacked` and `wang_de_freitas` are for
standardised results without a warp. The presets that experiments below have and no oracle are
{uncovered}.
"""

NO_MODEL = ("random",)  # Presets that believe nothing.


def preset_names():
    """Those that experiments have, without the options that they were given."""
    return {preset.split("+")[0] for paper in PAPERS.values() for experiment in paper.experiments
            for preset in experiment.methods.values()}


def names_text(names):
    return ", ".join(f"`{name}`" for name in sorted(names))


def head_text():
    covered = {*oracles.ORACLES, *(preset for preset, _, _ in oracles.VARIANTS.values())}
    text = HEAD.format(covered=names_text(covered),
                       uncovered=names_text(preset_names() - covered - set(NO_MODEL)))
    head, last = text.rsplit("\n\n", 1)
    return head + "\n\n" + textwrap.fill(last, 104, break_on_hyphens=False) + "\n"


RUNS = """## What was run

Numbers are of full runs or of `--quick` ones, which have fewer seeds or data sets, as the table says;
*in part* are those of which methods or draws are missing. A study runs in one process: the harness
(`tests/evidence/study.cc`) shows the `Strategy` that the service calls what the service would show
it, without network, store and leases. `tests/e2e/same_suggestions_test.cc` runs a study of DeltaBO
and one of cm-BO through the gRPC service as well; suggestions, predictions and weights are the same,
bit for bit.
"""


def signed(number):
    if math.isinf(number):
        return "infinite"
    return f"{number + 0.0:.3g}".replace("-", "−")  # Without the sign of a zero.


def estimate_text(found, contrast):
    mean, low, high, bound = found.mean, found.low, found.high, contrast.bound
    if found.is_share:
        return share_text(contrast, mean, low, high)
    if contrast.compares and math.isinf(low) and len(contrast.samples) > 1:
        return f"equal in all {len(contrast.samples)} draws"
    if contrast.flipped:
        mean, low, high, bound = -mean, -high, -low, -bound
    text = f"{signed(mean)} [{signed(low)}, {signed(high)}]"
    if bound or contrast.flipped:
        text += f", claimed {'above' if contrast.flipped else 'below'} {signed(bound)}"
    return text


def share_text(contrast, share, low, high):
    """The share of draws that agree with the claim; that of those which contradict it is given."""
    contradict, of = judged.against(contrast)
    bound = -contrast.bound if contrast.flipped else contrast.bound
    return (f"{'above' if contrast.flipped else 'below'} {signed(bound)} in {of - contradict} of {of} "
            f"draws, {signed(1 - share)} [{signed(1 - high)}, {signed(1 - low)}], claimed above 0.5")


def figure_text(found):
    if found.verdict == judged.MISSING:
        return ""
    contrast = found.contrast
    text = f"{contrast.label.replace(' - ', ' − ')}: {estimate_text(found, contrast)}"
    if contrast.detail:
        text += f" ({contrast.detail})"
    if found.count > 1:
        text += f"; the nearest of {found.count}"
    return text


def independent_text(claim, results, ours):
    """Empty unless ours does not hold, or its deciding interval alone is against the claim. Where no
    program was run for the deciding comparison, the others that do not hold either are judged by
    theirs."""
    if ours.verdict != judged.FAILS and not judged.is_against(ours):
        return ""
    contrasts = claim.contrasts(results, INDEPENDENT)
    with_program = [place for place, each in enumerate(contrasts) if each.samples]
    if not with_program:
        return "not run"
    of_ours = claim.contrasts(results)
    if of_ours.index(ours.contrast) not in with_program:
        refuted = judged.refuting(of_ours)
        with_program = [place for place in with_program if place in refuted]
        if not with_program:
            return "not run for this comparison"
        missing = len(refuted) - len(with_program)
        more = f"{missing} more that {'do' if missing > 1 else 'does'} not hold"
    else:
        missing = len(contrasts) - len(with_program)
        more = f"{missing} more"
    found = judged.judge([contrasts[place] for place in with_program])
    text = f"{found.verdict}: {figure_text(found)}"
    return text + (f"; {more} {'were' if missing > 1 else 'was'} not run" if missing else "")


def judge_all(paper, results):
    return [(claim, judged.judge(claim.contrasts(results))) for claim in paper.claims]


def claim_lines(paper, results):
    lines = ["| | claim | section | what is compared | figure | | in NumPy |",
             "|---|---|---|---|---|---|---|"]
    for number, (claim, found) in enumerate(judge_all(paper, results), start=1):
        cells = (str(number), claim.text, claim.section, claim.how, figure_text(found),
                 f"**{found.verdict}**", independent_text(claim, results, found))
        lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    return lines


def seeds_text(seeds):
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    if seeds == list(range(seeds[0], seeds[0] + len(seeds))):
        return f"seeds {seeds[0]} to {seeds[-1]}"
    return "seeds " + ", ".join(map(str, seeds))


def interval_text(samples, digits=3):
    mean, low, high = judged.interval(samples)
    if math.isinf(low):
        return f"{mean:.{digits}g}"
    return f"{mean:.{digits}g} ± {(high - low) / 2:.2g}"


def unit_text(experiment):
    return {"own": "", "mean": ", regrets over that of the mean value",
            "worst": ", regrets over that of the worst value"}[experiment.unit]


def table_lines(experiment, results):
    checkpoints = experiment.checkpoints
    heads = [f"simple, {checkpoint}" for checkpoint in checkpoints]
    last = checkpoints[-1]
    lines = ["| method | " + " | ".join(heads) + f" | R_{last} |",
             "|---|" + "---|" * (len(heads) + 1)]
    for method in results.methods(experiment.name):
        cells = [interval_text(list(results.draws(experiment.name, method,
                                                  judged.simple(after)).values()))
                 for after in checkpoints]
        total = judged.cumulative(last, experiment.initial())
        cells.append(interval_text(list(results.draws(experiment.name, method, total).values())))
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return lines


def rank_lines(experiment, results):
    """Mean ranks, and shares of the draws that were solved."""
    methods, checkpoints = results.methods(experiment.name), experiment.checkpoints
    heads = ([f"rank, {after}" for after in checkpoints]
             + [f"below {experiment.solved:g}, {after}" for after in checkpoints])
    lines = ["", "| method | " + " | ".join(heads) + " |", "|---|" + "---|" * len(heads)]
    ranks = [judged.ranks(results, experiment.name, methods, judged.simple(after))
             for after in checkpoints]
    for method in methods:
        shares = [results.draws(experiment.name, method,
                                judged.is_above(experiment.solved, after)).values()
                  for after in checkpoints]
        cells = ([interval_text(each[method]) for each in ranks]
                 + [f"{100 * (1 - sum(each) / len(each)):.0f}%" for each in shares])
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return lines


FULL, QUICK, PART = "full", "`--quick`", "in part"
REMARKS = {FULL: "", QUICK: " (`--quick`)", PART: " (part of a run)"}


def run_of(experiment, results):
    """Which run the numbers are of, as far as they tell."""
    found = [set(results.studies(experiment.name, method)) for method in experiment.methods]

    def is_of(quick):
        problems, seeds = experiment.drawn(quick)
        return all(draws == {(problem, seed) for problem in problems for seed in seeds}
                   for draws in found)
    return FULL if is_of(False) else QUICK if is_of(True) else PART


def counts_text(counts):
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    return str(most) if least == most else f"{least} to {most}"


def seed_counts(experiment, results, program):
    draws = [results.studies(experiment.name, method, program)
             for method in results.methods(experiment.name, program)]
    return counts_text([len({seed for _, seed in each}) for each in draws])


def run_lines(all_results):
    """A table of what each experiment's numbers were measured by."""
    lines = ["| paper | experiment | run | problems | seeds | seeds in NumPy |",
             "|---|---|---|---|---|---|"]
    for name, results in all_results.items():
        for experiment in PAPERS[name].experiments:
            if experiment.name in results.experiments():
                cells = (PAPERS[name].title, experiment.name, run_of(experiment, results),
                         str(len(results.problems(experiment.name))),
                         seed_counts(experiment, results, kept.OURS),
                         seed_counts(experiment, results, INDEPENDENT))
                lines.append("| " + " | ".join(cells) + " |")
    return lines


def experiment_lines(experiment, results):
    problems = results.problems(experiment.name)
    of = (problems[0] if len(problems) == 1
          else f"{len(problems)} problems of {problems[0].split('/')[0]}")
    start = ("" if experiment.from_nothing else
             f", after {experiment.initial()} initial points, which simple regret counts")
    lines = [f"### {experiment.title}", "",
             f"`{of}`, {seeds_text(results.seeds(experiment.name))}"
             f"{REMARKS[run_of(experiment, results)]}, "
             f"{experiment.suggestions} suggestions{start}{unit_text(experiment)}."]
    if experiment.choices:
        lines.append(experiment.choices)
    presets = "; ".join(f"{method} `{preset}`" for method, preset in experiment.methods.items())
    ranks = rank_lines(experiment, results) if experiment.solved else []
    return lines + ["", *table_lines(experiment, results), *ranks, "",
                    f"<details><summary>Presets</summary>\n\n{presets}\n\n</details>", ""]


def paper_lines(paper, results):
    lines = [f"## {paper.title}", ""]
    if paper.notes:
        lines += [paper.notes, ""]
    lines += claim_lines(paper, results) + [""]
    lines += [line for plot in principal.lines(paper, results) for line in (plot, "")]
    for experiment in paper.experiments:
        if experiment.name in results.experiments():
            lines += experiment_lines(experiment, results)
    return lines


def summary_lines(all_results):
    verdicts = (judged.HOLDS, judged.FAILS, judged.UNKNOWN, judged.MISSING)
    lines = ["| paper | " + " | ".join(verdicts) + " |", "|---|" + "---|" * len(verdicts)]
    for name, results in all_results.items():
        found = [each.verdict for _, each in judge_all(PAPERS[name], results)]
        counts = [str(found.count(verdict)) for verdict in verdicts]
        lines.append(f"| {PAPERS[name].title} | " + " | ".join(counts) + " |")
    return lines


def text_of(all_results):
    """The report; `all_results` are {paper's name: kept.Results}."""
    lines = [head_text(), *summary_lines(all_results), "", RUNS, *run_lines(all_results), ""]
    for name, results in all_results.items():
        lines += paper_lines(PAPERS[name], results)
    return "\n".join(lines).rstrip() + "\n"


def read_all(folder=kept.FOLDER, names=None):
    paths = {name: pathlib.Path(folder) / f"{name}{kept.ENDING}" for name in names or PAPERS}
    return {name: kept.Results.read(path) for name, path in paths.items() if path.exists()}
