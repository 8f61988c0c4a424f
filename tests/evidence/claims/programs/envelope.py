"""Envelope-BO and what it is compared with."""

import math

import numpy

from claims.programs.parts import (
    EXACT, best_of, expected_improvement, gaussian, log_likelihood, posterior, scale_by_source,
    squared_distances, standardised)

WIDTHS = numpy.geomspace(0.05, 1.0, 16)  # In two dimensions.
LEARNT = (1e-6, 1e-4, 1e-2, 0.1, 0.5)  # The noise's variances to choose from, where it is learnt.


def likeliest(kernel, x, y, noises, variance=1.0):
    """(width, noise): the likeliest, with the width in proportion to the cube's diagonal."""
    widths = WIDTHS * math.sqrt(x.shape[1] / 2)
    choices = [(width, noise) for noise in noises for width in widths]
    scores = [log_likelihood(lambda a, b, w=width: kernel(a, b, w), x, y, noise, variance)
              for width, noise in choices]
    return choices[int(numpy.argmax(scores))]


def wanted(mean, variance, rule, round_number, dimension):
    deviation = numpy.sqrt(variance)
    if rule == "ei":
        return expected_improvement(mean, deviation, mean.max())
    t, d, delta = round_number, dimension, 0.01
    beta = (2 * math.log(t ** 2 * 2 * math.pi ** 2 / (3 * delta))
            + 2 * d * math.log(t ** 2 * d * math.sqrt(math.log(4 * d / delta))))
    return mean + math.sqrt(beta) * deviation


def envelope(rule, noises=(EXACT,), shape=5.0, size=3.0):
    """Algorithm 2 and equations 16 to 24."""
    def program(task, trials):
        scaled = scale_by_source(task)
        source_y = scaled(task.source_y)
        source_width, source_noise = likeliest(gaussian, task.source_x, source_y, noises)
        variances = []
        for number in range(trials - len(task.y)):
            x, y = task.data()
            y = scaled(y)
            errors = y - posterior(lambda a, b: gaussian(a, b, source_width), task.source_x,
                                   source_y, source_noise, x)[0]
            variance = (size + 0.5 * (errors ** 2).sum()) / (shape + len(y) / 2 + 1)
            variances.append(variance)
            all_x, all_y = numpy.concatenate([task.source_x, x]), numpy.concatenate([source_y, y])
            width, noise = likeliest(gaussian, all_x, all_y, [
                numpy.concatenate([numpy.full(len(source_y), variance), numpy.full(len(y), own)])
                for own in noises])
            at = posterior(lambda a, b, w=width: gaussian(a, b, w), all_x, all_y, noise,
                           task.places)
            task.evaluate(best_of(task, wanted(*at, rule, number + 1, x.shape[1])))
        return {"source_noise_variance": variances}
    return program


def generic(rule, noises=(EXACT,)):
    def program(task, trials):
        for number in range(trials - len(task.y)):
            x, y = task.data()
            y = standardised(y)
            width, noise = likeliest(gaussian, x, y, noises)
            at = posterior(lambda a, b, w=width: gaussian(a, b, w), x, y, noise, task.places)
            task.evaluate(best_of(task, wanted(*at, rule, number + 1, x.shape[1])))
    return program


# ---- Methods whose process is over points of all tasks, of which the last coordinate is 0 in the
# source and 1 in the target: an indicator in place of descriptors, which these tasks lack. ----

def of_task(x, indicator):
    return numpy.column_stack([x, numpy.full(len(x), float(indicator))])


def of_both(task):
    """(points, results) of the source and of the target."""
    x, y = task.data()
    return (of_task(task.source_x, 0), task.source_y), (of_task(x, 1), y)


NEIGHBOURS, FAR = 0.7, 30.0  # The share of the neighbours' kernel, and where that is zero.


def deviations_kernel(a, b, width):
    """A Gaussian kernel of the configurations and one of how near configuration and task are, as
    of tasks that are neighbours. Divided by the sum of both variances."""
    near = 1 - numpy.sqrt(squared_distances(a, b, 1.0)) / FAR
    return (1 - NEIGHBOURS) * gaussian(a[:, :-1], b[:, :-1], width) + NEIGHBOURS * near


def efficient(rule, noises=LEARNT):
    """Results are deviations from their task's mean, in its standard deviations. The Gaussian
    kernel has a variance of 1."""
    variance = 1 / (1 - NEIGHBOURS)

    def program(task, trials):
        for number in range(trials - len(task.y)):
            (source_x, source_y), (x, y) = of_both(task)
            all_x = numpy.concatenate([source_x, x])
            all_y = numpy.concatenate([standardised(source_y), standardised(y)])
            width, noise = likeliest(deviations_kernel, all_x, all_y, noises, variance)
            at = posterior(lambda a, b, w=width: deviations_kernel(a, b, w), all_x, all_y, noise,
                           of_task(task.places, 1), variance)
            task.evaluate(best_of(task, wanted(*at, rule, number + 1, task.places.shape[1])))
    return program


RANKING_WIDTH = 0.3  # In two dimensions, of the kernel in which scores are learnt.
COST, SWEEPS = 10.0, 30
MOST_PAIRS = 500     # At most so many pairs of each task are used.


def scores_kernel(a, b, width):
    """The indicator's lengthscale is 1 with any width of the others."""
    lengthscales = numpy.full(a.shape[1], width)
    lengthscales[-1] = 1.0
    return gaussian(a, b, lengthscales)


def ordered_pairs(y, random):
    """(better, worse): some or all pairs of different results."""
    better, worse = numpy.nonzero(y[:, None] > y[None, :])
    if len(better) > MOST_PAIRS:
        kept = random.choice(len(better), MOST_PAIRS, replace=False)
        better, worse = better[kept], worse[kept]
    return better, worse


def ranking_scores(x, better, worse):
    """A support vector machine's scores that are to be larger by 1 at the better of each pair, by
    ascent of its dual in one multiplier after the other."""
    kernel = scores_kernel(x, x, RANKING_WIDTH * math.sqrt((x.shape[1] - 1) / 2))
    scores = numpy.zeros(len(x))
    multipliers = [0.0] * len(better)
    sizes = (2 - 2 * kernel[better, worse] + 1e-9).tolist()
    pairs = list(zip(better.tolist(), worse.tolist()))
    for _ in range(SWEEPS):
        for number, (one, other) in enumerate(pairs):
            was = multipliers[number]
            missing = 1 - float(scores[one] - scores[other])
            now = min(max(was + missing / sizes[number], 0.0), COST)
            if now != was:
                scores += (now - was) * (kernel[one] - kernel[other])
                multipliers[number] = now
    return scores


def collaborative(rule):
    """Surrogate-based collaborative tuning: a process of scores that rank each task's results."""
    def program(task, trials):
        of_source = ordered_pairs(task.source_y, task.random)
        for number in range(trials - len(task.y)):
            (source_x, _), (x, y) = of_both(task)
            of_target = ordered_pairs(y, task.random)
            all_x = numpy.concatenate([source_x, x])
            scores = standardised(ranking_scores(
                all_x, *[numpy.concatenate([of_source[side], of_target[side] + len(source_x)])
                         for side in (0, 1)]))
            width, noise = likeliest(scores_kernel, all_x, scores, (EXACT,))
            at = posterior(lambda a, b, w=width: scores_kernel(a, b, w), all_x, scores, noise,
                           of_task(task.places, 1))
            task.evaluate(best_of(task, wanted(*at, rule, number + 1, task.places.shape[1])))
    return program


def methods(rule, **noises):
    """With the noise's variances that Envelope-BO and Generic-BO choose from."""
    return {"Envelope-BO": envelope(rule, **noises), "Efficient-BO": efficient(rule),
            "Collaborative-BO": collaborative(rule), "Generic-BO": generic(rule, **noises)}


def programs():
    made = {}
    for rule, name in (("ei", "EI"), ("ucb", "GP-UCB")):
        for case in ("case 1", "case 2"):
            for more in ("", " from six"):
                made[f"{case}, {name}{more}"] = methods(rule)
        for learner in ("SVM", "elastic net", "MLP"):
            made[f"{learner}, {name}"] = methods(rule, noises=LEARNT)
    return made
