"""What measured numbers say of a claim, and the contrasts that most claims come to.

Intervals are over draws that were made independently: the seeds of a problem, or the problems of a
table. They are Student's intervals of a mean, unless draws fall into two groups that lie far apart:
there the share of draws that agree with the claim has Clopper and Pearson's exact interval.
"""

import dataclasses
import functools
import math

import numpy

from claims.experiment import Contrast
from claims.kept import OURS, REGRET

HOLDS = "holds"
FAILS = "does not hold"
UNKNOWN = "cannot be told"
MISSING = "was not run"


@functools.cache
def quantile(probability, freedom):
    """Student's, by bisection of the integrated density."""
    if probability < 0.5:
        return -quantile(1 - probability, freedom)
    log_factor = (math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
                  - 0.5 * math.log(freedom * math.pi))

    def below(t):
        # Under x = sqrt(freedom) tan(angle) the density is a power of the cosine.
        angles = numpy.linspace(0, math.atan(t / math.sqrt(freedom)), 4001)
        density = numpy.cos(angles) ** (freedom - 1) * math.sqrt(freedom) * math.exp(log_factor)
        return 0.5 + float(numpy.trapz(density, angles))

    low, high = 0.0, 1.0
    while below(high) < probability:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < probability else (low, middle)
    return (low + high) / 2


def interval(samples, confidence=0.95):
    """(mean, low, high); the bounds are infinite for a single draw, and the mean where all draws are
    equal."""
    samples = numpy.asarray(samples, dtype=float)
    if len(samples) < 2:
        return float(samples[0]), -math.inf, math.inf
    if samples.min() == samples.max():
        return (float(samples[0]),) * 3
    mean = float(samples.mean())
    error = float(samples.std(ddof=1)) / math.sqrt(len(samples))
    half = quantile(0.5 + confidence / 2, len(samples) - 1) * error
    return mean, mean - half, mean + half


def tail(successes, of, share):
    """The probability of at least so many successes."""
    return sum(math.comb(of, k) * share ** k * (1 - share) ** (of - k)
               for k in range(successes, of + 1))


def share_interval(successes, of, confidence=0.95):
    """(share, low, high), the bounds after Clopper and Pearson."""
    def least(count):
        """The least share under which at least `count` successes are not too improbable."""
        if count == 0:
            return 0.0
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if tail(count, of, middle) > (1 - confidence) / 2 else (
                middle, high)
        return (low + high) / 2
    return successes / of, least(successes), 1 - least(of - successes)


LEAST_DRAWS = 10  # Fewer draws are not taken for two groups.


def is_split(samples):
    """Whether draws are of two groups, each with at least a tenth of them, and the gap between the
    groups is more than half of the range."""
    if len(samples) < LEAST_DRAWS:
        return False
    ordered = numpy.sort(numpy.asarray(samples, dtype=float))
    gaps = numpy.diff(ordered)
    widest = int(gaps.argmax())
    smaller = min(widest + 1, len(ordered) - widest - 1)
    return gaps[widest] > (ordered[-1] - ordered[0]) / 2 and smaller >= len(ordered) / 10


def against(contrast):
    """(draws that contradict the claim, draws that count); ties of methods do not count."""
    gaps = numpy.asarray(contrast.samples, dtype=float) - contrast.bound
    if contrast.compares:
        gaps = gaps[gaps != 0]
    return int((gaps >= 0).sum()), len(gaps)


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A number that a claim says is below `bound`, with an interval."""

    mean: float
    low: float
    high: float
    bound: float
    is_share: bool = False  # Of the draws that contradict the claim.


def estimate(contrast, confidence=0.95):
    """Methods that tie in all draws tell nothing of which is better."""
    samples, bound = contrast.samples, contrast.bound
    if contrast.compares and all(sample == bound for sample in samples):
        return Estimate(bound, -math.inf, math.inf, bound)
    if is_split(samples):
        return Estimate(*share_interval(*against(contrast), confidence), 0.5, True)
    return Estimate(*interval(samples, confidence), bound)


@dataclasses.dataclass(frozen=True)
class Judged:
    verdict: str
    contrast: Contrast = None  # The one that decides, or that is closest to deciding otherwise.
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    bound: float = math.nan
    is_share: bool = False
    count: int = 0


def distance(contrast):
    """How many half intervals the mean is above the bound: the largest is nearest to refuting."""
    found = estimate(contrast)
    half, gap = (found.high - found.low) / 2, found.mean - found.bound
    if half > 0:
        return gap / half
    return math.inf if gap >= 0 else -math.inf


def refuting(contrasts):
    """The places of the contrasts that are not below their bound by an interval that allows for as
    many looks as there are contrasts. One of a single method whose draws all equal the bound is among
    them."""
    confidence = 1 - 0.05 / len(contrasts)

    def refutes(contrast):
        found = estimate(contrast, confidence)
        return found.low >= found.bound
    return [place for place, each in enumerate(contrasts) if each.samples and refutes(each)]


def is_against(judged):
    """Whether the deciding contrast's own interval, as if it were the only look, refutes the claim."""
    return judged.contrast is not None and judged.low >= judged.bound


def judge(contrasts):
    """A claim holds if each contrast's 95% interval is below its bound; it does not if one refutes
    it. The rest cannot be told."""
    contrasts = list(contrasts)
    if not contrasts or any(len(each.samples) == 0 for each in contrasts):
        return Judged(MISSING)
    refuted = refuting(contrasts)
    deciding = max((contrasts[place] for place in refuted or range(len(contrasts))), key=distance)
    if refuted:
        verdict = FAILS
    elif all(found.high < found.bound for found in map(estimate, contrasts)):
        verdict = HOLDS
    else:
        verdict = UNKNOWN
    return Judged(verdict, deciding, *dataclasses.astuple(estimate(deciding)), len(contrasts))


# ---- Numbers of one study ----

def simple(after):
    """The least regret of so many evaluations."""
    return lambda study: float(study[REGRET][:after].min())


def cumulative(after, first=0):
    return lambda study: float(study[REGRET][first:after].sum())


def mean_simple(after, first=0):
    """The simple regret averaged over evaluations, by which earlier is better."""
    return lambda study: float(numpy.minimum.accumulate(study[REGRET])[first:after].mean())


def until(level, limit):
    """Evaluations until the regret is at most `level`; one more than `limit` if never."""
    def metric(study):
        found = numpy.flatnonzero(study[REGRET][:limit] <= level)
        return float(found[0] + 1 if len(found) else limit + 1)
    return metric


def is_above(level, after):
    """1 unless the regret is at most `level` after so many evaluations: its mean is the share of
    studies that are not solved."""
    return lambda study: float(study[REGRET][:after].min() > level)


def last(quantity):
    return lambda study: float(study[quantity][-1])


def change(quantity):
    return lambda study: float(study[quantity][-1] - study[quantity][0])


def total(quantity):
    return lambda study: float(study[quantity].sum())


def logarithm(metric):
    return lambda study: math.log10(max(metric(study), 1e-300))


# ---- Contrasts ----

def paired(results, left, right, metric, program=OURS):
    """Two lists, of the draws that both (experiment, method) have."""
    of_left = results.draws(*left, metric, program)
    of_right = results.draws(*right, metric, program)
    shared = sorted(of_left.keys() & of_right.keys())
    return [of_left[draw] for draw in shared], [of_right[draw] for draw in shared]


def ranks(results, experiment, methods, metric, program=OURS):
    """{method: its rank in each draw that all have}; the least number's is 1, and equal ones share."""
    of = {name: results.draws(experiment, name, metric, program) for name in methods}
    shared = sorted(set.intersection(*(set(draws) for draws in of.values()))) if of else []

    def rank(name, draw):
        less = sum(of[other][draw] < of[name][draw] for other in methods)
        equal = sum(of[other][draw] == of[name][draw] for other in methods)
        return less + (equal + 1) / 2
    return {name: [rank(name, draw) for draw in shared] for name in methods}


def number_text(number):
    return f"{number:.3g}"


def difference(results, left, right, metric, program=OURS, factor=1.0, margin=0.0):
    """left - factor * right - margin, which the claim says is negative."""
    ours, theirs = paired(results, left, right, metric, program)
    samples = tuple(a - factor * b - margin for a, b in zip(ours, theirs))
    detail = ""
    if samples:
        detail = (f"{left[1]} {number_text(numpy.mean(ours))}, "
                  f"{right[1]} {number_text(numpy.mean(theirs))}")
    times = f"{factor:g} x " if factor != 1 else ""
    beyond = f" - {margin:g}" if margin else ""
    return Contrast(f"{left[1]} - {times}{right[1]}{beyond}", samples, 0.0, detail, compares=True)


def less(experiment, method, others, metric):
    """The method's number is less than each of the others'."""
    def contrasts(results, program=OURS):
        return [difference(results, (experiment, method), (experiment, other), metric, program)
                for other in others]
    return contrasts


def each_less(experiment, methods, others, metric):
    """Each method's number is less than each of the others'."""
    def contrasts(results, program=OURS):
        return [difference(results, (experiment, method), (experiment, other), metric, program)
                for method in methods for other in others]
    return contrasts


def close(experiment, method, others, metric, margin):
    """The method's number differs from each of the others' by less than the margin."""
    def contrasts(results, program=OURS):
        made = []
        for other in others:
            pair = (experiment, method), (experiment, other)
            made.append(difference(results, *pair, metric, program, margin=margin))
            made.append(difference(results, *reversed(pair), metric, program, margin=margin))
        return made
    return contrasts


def below(experiment, methods, metric, bound):
    """The number of each method is below the bound."""
    def contrasts(results, program=OURS):
        return [Contrast(method, tuple(results.draws(experiment, method, metric, program).values()),
                         bound) for method in methods]
    return contrasts


def above(experiment, methods, metric, bound):
    def negative(study):
        return -metric(study)

    def contrasts(results, program=OURS):
        return [Contrast(method,
                         tuple(results.draws(experiment, method, negative, program).values()),
                         -bound, flipped=True) for method in methods]
    return contrasts


def less_on_average(experiments, method, others, metric):
    """The same as less, for the mean over experiments with the same seeds."""
    def contrasts(results, program=OURS):
        made = []
        for other in others:
            parts = [difference(results, (name, method), (name, other), metric, program)
                     for name in experiments]
            if program != OURS:  # Not all experiments have a program.
                parts = [part for part in parts if part.samples]
            count = min((len(part.samples) for part in parts), default=0)
            samples = tuple(float(numpy.mean([part.samples[i] for part in parts]))
                            for i in range(count))
            made.append(Contrast(f"{method} - {other}, mean of {len(parts)} problems", samples,
                                 compares=True))
        return made
    return contrasts


def together(*makers):
    """All contrasts of several."""
    return lambda results, program=OURS: [each for make in makers
                                          for each in make(results, program)]
