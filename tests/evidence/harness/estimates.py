"""Means, medians, their 95% intervals, and ranks.

Samples are arrays whose first axis is what was drawn independently: the seeds of a problem, or the
tasks of a recorded table, each with its seeds along the second axis. Intervals are percentile
bootstraps over the first axis, with a fixed seed: the same samples give the same interval.
"""

import numpy

RESAMPLES = 5000
SEED = 20231
STATISTICS = ("mean", "median")


def _along(samples, statistic):
    """The statistic of each resample, [resamples, drawn, ...] -> [resamples]."""
    flat = samples.reshape(len(samples), -1)
    return flat.mean(axis=1) if statistic == "mean" else numpy.median(flat, axis=1)


def estimate(samples, statistic):
    return float(_along(numpy.asarray(samples, dtype=float)[None], statistic)[0])


def _resampled(samples, seed=SEED):
    drawn = numpy.random.default_rng(seed).integers(len(samples), size=(RESAMPLES, len(samples)))
    return samples[drawn]


def _middle(values):
    low, high = numpy.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def interval(samples, statistic):
    """(low, high); (nan, nan) for a single draw."""
    samples = numpy.asarray(samples, dtype=float)
    if len(samples) < 2:
        return float("nan"), float("nan")
    return _middle(_along(_resampled(samples), statistic))


def interval_over_units(of_units):
    """The interval of the mean of the units' means; each unit is resampled separately."""
    of_units = [numpy.asarray(samples, dtype=float) for samples in of_units]
    if any(len(samples) < 2 for samples in of_units):
        return float("nan"), float("nan")
    means = [_along(_resampled(samples, SEED + i), "mean") for i, samples in enumerate(of_units)]
    return _middle(numpy.mean(means, axis=0))


def interval_of_difference(ours, theirs, statistic):
    """The interval of statistic(ours) - statistic(theirs), resampled in pairs."""
    pairs = numpy.stack([numpy.asarray(ours, dtype=float), numpy.asarray(theirs, dtype=float)],
                        axis=1)
    if len(pairs) < 2:
        return float("nan"), float("nan")
    resampled = _resampled(pairs)
    return _middle(_along(resampled[:, :, 0], statistic) - _along(resampled[:, :, 1], statistic))


def verdict(low, high):
    """The verdict on a difference in regret with this interval."""
    if numpy.isnan(low):
        return "unknown"
    if low > 0:
        return "worse"
    return "better" if high < 0 else "no worse"


def share_interval(count, of):
    """Wilson's 95% interval of a share, which also holds for small samples."""
    z = 1.959963984540054
    share = count / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * (share * (1 - share) / of + z * z / (4 * of * of)) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)


def ranks(regrets):
    """Ranks from 1 within each column of [methods, cells]; ties share their mean rank."""
    regrets = numpy.asarray(regrets, dtype=float)
    below = (regrets[None, :, :] < regrets[:, None, :]).sum(axis=1)
    equal = (regrets[None, :, :] == regrets[:, None, :]).sum(axis=1)
    return below + (equal + 1) / 2
