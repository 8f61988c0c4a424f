"""cm-BO and what it is compared with; equations, lines and stages are numbered as in the paper."""

import functools
import math

import numpy

from claims.programs.parts import (JITTER, best_of, log_likelihood, matern52, nearest_place,
                                   posterior, squared_distances, standardised, with_length)

MULTIPLIER = 3.0  # The standard deviation's, in the upper confidence bounds.
# The likeliest pair of these is taken. Each task's results are standardised, the target's by all
# results so far, so that noises are in variances of a task's results.
LENGTHS = numpy.geomspace(0.1, 3.0, 8)
NOISES = (1e-4, 1e-3, 1e-2, 1e-1)
# The noise where the sources make the prior is that of our presets, as the paper has none.
TARGET_NOISE = math.exp(-4)


# ---- Kernels, likelihoods and places ----

def matern32(a, b, lengthscale):
    r = numpy.sqrt(3 * squared_distances(a, b, lengthscale))
    return (1 + r) * numpy.exp(-r)


def matern32_times_12(a, b, lengthscale):
    return matern32(a, b, lengthscale) * numpy.exp(
        -numpy.sqrt(squared_distances(a, b, lengthscale)))


def likeliest(kernel, x, y):
    """The kernel with its likeliest length, and the noise that goes with it."""
    pairs = [(length, noise) for length in LENGTHS for noise in NOISES]
    scores = [log_likelihood(with_length(kernel, length), x, y, noise, 1.0)
              for length, noise in pairs]
    length, noise = pairs[int(numpy.argmax(scores))]
    return with_length(kernel, length), noise


def joint_posterior(prior_mean, prior, here, y, noise):
    """The mean and covariance at all places, after results at the places numbered `here`."""
    gram = prior[numpy.ix_(here, here)] + (noise + JITTER) * numpy.eye(len(here))
    cross = prior[here]
    solved = numpy.linalg.solve(gram, cross)
    mean, covariance = prior_mean + solved.T @ (y - prior_mean[here]), prior - cross.T @ solved
    return mean, (covariance + covariance.T) / 2


class Pursuit:
    """A study's places, with those that were evaluated already, and what was found there."""

    def __init__(self, task, trials):
        self.task, self.trials = task, trials
        self.places = numpy.unique(numpy.concatenate([task.data()[0], task.places]), axis=0)

    def results(self):
        """Points, standardised results and the numbers of their places, until there are enough."""
        while len(self.task.y) < self.trials:
            x, y = self.task.data()
            self.here = numpy.array(nearest_place(self.places, x))
            yield x, standardised(y), self.here

    def evaluate_best(self, values):
        """No place is evaluated twice, because the recorded results have no noise."""
        values = numpy.array(values, dtype=float)
        values[self.here] = -math.inf
        self.task.evaluate(best_of(self.task, values, self.places))


def bound(mean, variance, multiplier=MULTIPLIER):
    return mean + multiplier * numpy.sqrt(numpy.maximum(variance, 0))


# ---- The sources ----

@functools.lru_cache(maxsize=4)
def learnt_sources(kernel, places, count, data):
    """Each source's posterior mean and covariance at the places, given as bytes."""
    places = numpy.frombuffer(places).reshape(count, -1)
    means, covariances = [], []
    for x, y in data:
        x, y = numpy.frombuffer(x).reshape(-1, places.shape[1]), numpy.frombuffer(y)
        fitted, noise = likeliest(kernel, x, standardised(y))
        together = numpy.concatenate([places, x])
        here = numpy.arange(count, len(together))
        mean, covariance = joint_posterior(numpy.zeros(len(together)), fitted(together, together),
                                           here, standardised(y), noise)
        means.append(mean[:count])
        covariances.append(covariance[:count, :count])
    return numpy.array(means), numpy.array(covariances)


def as_bytes(array):
    return numpy.ascontiguousarray(array, dtype=float).tobytes()


def sources_at(task, kernel, places):
    data = tuple((as_bytes(x), as_bytes(y)) for x, y in task.sources)
    return learnt_sources(kernel, as_bytes(places), len(places), data)


# ---- Distances between Gaussians ----

class Wasserstein:
    """The root of equation 6, between each of these Gaussians and another."""

    def __init__(self, means, covariances):
        self.means = means
        values, vectors = numpy.linalg.eigh(covariances)
        roots = numpy.sqrt(numpy.maximum(values, 0))
        self.roots = (vectors * roots[:, None, :]) @ vectors.transpose(0, 2, 1)
        self.traces = values.sum(1)

    def to(self, mean, covariance):
        values = numpy.linalg.eigvalsh(self.roots @ covariance @ self.roots)
        shared = numpy.sqrt(numpy.maximum(values, 0)).sum(1)
        square = (((self.means - mean) ** 2).sum(1) + self.traces + numpy.trace(covariance)
                  - 2 * shared)
        return numpy.sqrt(numpy.maximum(square, 0))


class Jeffreys:
    """Equations 3 and 4. The logarithms of the determinants cancel."""

    RIDGE = 1e-4  # This share of the mean variance is added to each, so that inverses exist.

    def __init__(self, means, covariances):
        self.means, self.covariances = means, self.regularised(covariances)
        self.inverses = numpy.linalg.inv(self.covariances)

    def regularised(self, covariances):
        size = covariances.shape[-1]
        means = numpy.trace(covariances, axis1=-2, axis2=-1)[..., None, None] / size
        return covariances + self.RIDGE * means * numpy.eye(size)

    def to(self, mean, covariance):
        covariance = self.regularised(covariance)
        inverse = numpy.linalg.inv(covariance)
        apart = self.means - mean
        square = numpy.einsum("ki,kij,kj->k", apart, self.inverses + inverse, apart)
        traces = (self.inverses * covariance + self.covariances * inverse).sum((1, 2))
        return (traces + square) / 2 - len(mean)


# ---- Stages 1 and 2: clusters and their prototypes ----

CLUSTER_PLACES = 100
CLUSTER_COUNTS = range(2, 7)
STARTS, ROUNDS = 10, 20  # k-means has so many starts, each with at most so many rounds.


def prototypes_of(means, covariances, labels):
    """Equation 7, the geometric centres: plain averages of the means and of the covariances."""
    chosen = [labels == label for label in numpy.unique(labels)]
    return (numpy.array([means[members].mean(0) for members in chosen]),
            numpy.array([covariances[members].mean(0) for members in chosen]))


def seeds(apart, count, random):
    """k-means++ on the distances between members, the best of several starts."""
    def start():
        found = [random.integers(len(apart))]
        while len(found) < count:
            near = apart[found].min(0) ** 2
            if near.sum() == 0:  # All others coincide with one that was chosen.
                break
            found.append(random.choice(len(apart), p=near / near.sum()))
        return found
    return min((start() for _ in range(STARTS)), key=lambda found: apart[found].min(0).sum())


def k_means(means, covariances, distance, apart, count, random):
    """A cluster that loses all its members is dropped."""
    labels = apart[seeds(apart, count, random)].argmin(0)
    for _ in range(ROUNDS):
        centres = zip(*prototypes_of(means, covariances, labels))
        moved = numpy.array([distance.to(*centre) for centre in centres]).argmin(0)
        if (moved == labels).all():
            break
        labels = moved
    return numpy.unique(labels, return_inverse=True)[1]


def quality(apart, labels):
    """Equation 11 divided by equation 10; how to combine the two is not said. A cluster of one has
    no pairs, thus no entropy, and is left out of the average."""
    same = labels[:, None] == labels[None, :]
    within = []
    for label in numpy.unique(labels):
        members = numpy.flatnonzero(labels == label)
        pairs = len(members) * (len(members) - 1)
        if pairs:
            within.append(apart[numpy.ix_(members, members)].sum() / pairs)
    if not within or same.all():
        return 0.0
    return apart[~same].mean() / max(numpy.mean(within), 1e-12)


def all_distances(distance, means, covariances):
    found = numpy.array([distance.to(*each) for each in zip(means, covariances)])
    found = (found + found.T) / 2
    numpy.fill_diagonal(found, 0)
    return numpy.maximum(found, 0)


def clusters(task, kind, places):
    random = numpy.random.default_rng(0)
    chosen = random.choice(len(places), min(CLUSTER_PLACES, len(places)), replace=False)
    means, covariances = sources_at(task, matern32_times_12, places[chosen])
    distance = kind(means, covariances)
    apart = all_distances(distance, means, covariances)
    judged = apart if kind is Wasserstein else all_distances(
        Wasserstein(means, covariances), means, covariances)
    found = [k_means(means, covariances, distance, apart, count, random)
             for count in CLUSTER_COUNTS if count <= len(means)]
    return max(found, key=lambda labels: quality(judged, labels))


# ---- Stage 3: the adaptive prior ----

def pursue(pursuit, prototypes, kind):
    """Lines 12 to 22 of algorithm 1; without a distance the weights stay as they are."""
    means, covariances = prototypes
    distance = kind(means, covariances) if kind else None
    weights = numpy.full(len(means), 1 / len(means))
    for _, y, here in pursuit.results():
        mean, covariance = joint_posterior(
            weights @ means, numpy.tensordot(weights ** 2, covariances, 1), here, y, TARGET_NOISE)
        pursuit.evaluate_best(bound(mean, numpy.diag(covariance)))
        if distance:
            far = distance.to(mean, covariance)
            weights = numpy.exp(1 - far / (far.max() or 1.0))
            weights /= weights.sum()


def clustered(cluster_kind, weight_kind):
    """The product kernel learns the posteriors that are clustered, Matérn 3/2 those that make the
    prior. The paper says no more of the two kernels, and line 15 adds none to the sources'."""
    def program(task, trials):
        pursuit = Pursuit(task, trials)
        labels = clusters(task, cluster_kind, pursuit.places)
        sources = sources_at(task, matern32, pursuit.places)
        pursue(pursuit, prototypes_of(*sources, labels), weight_kind)
    return program


def global_centre(task, trials):
    pursuit = Pursuit(task, trials)
    sources = sources_at(task, matern32, pursuit.places)
    pursue(pursuit, prototypes_of(*sources, numpy.zeros(len(task.sources))), None)


def individual_weights(task, trials):
    pursuit = Pursuit(task, trials)
    pursue(pursuit, sources_at(task, matern32, pursuit.places), Jeffreys)


# ---- What it is compared with ----

def at_random(task, trials):
    pursuit = Pursuit(task, trials)
    for _ in pursuit.results():
        pursuit.evaluate_best(numpy.zeros(len(pursuit.places)))


def alone(task, trials):
    pursuit = Pursuit(task, trials)
    for x, y, _ in pursuit.results():
        kernel, noise = likeliest(matern52, x, y)
        pursuit.evaluate_best(bound(*posterior(kernel, x, y, noise, pursuit.places)))


# ---- RGPE ----

DRAWS = 256


def drawn(mean, covariance, random):
    factor = numpy.linalg.cholesky(covariance + 1e-6 * numpy.eye(len(mean)))
    return mean + random.standard_normal((DRAWS, len(mean))) @ factor.T


def misranked(draws, y, number):
    """With how many results each draw ranks this one in another order than the results do."""
    return ((draws[:, [number]] < draws) != (y[number] < y)).sum(1)


def target_losses(kernel, x, y, noise, random):
    """Each point is ranked by the process that did not see it, with the same kernel."""
    prior, losses = kernel(x, x), 0
    for number in range(len(y)):
        others = numpy.delete(numpy.arange(len(y)), number)
        left = joint_posterior(numpy.zeros(len(y)), prior, others, y[others], noise)
        losses = losses + misranked(drawn(*left, random), y, number)
    return losses


def source_losses(mean, covariance, y, random):
    draws = drawn(mean, covariance, random)
    return sum(misranked(draws, y, number) for number in range(len(y)))


def ranking_weights(losses):
    """The share of draws in which each model misranks least; in a tie the first one counts, which is
    the target's. A source is left out if its median loss is above the 95th percentile of the target's."""
    own = losses[0]
    kept = numpy.median(losses, axis=1) <= numpy.percentile(own, 95)
    kept[0] = True
    first = numpy.where(kept[:, None], losses, math.inf).argmin(0)
    return numpy.bincount(first, minlength=len(losses)) / DRAWS


def ranked_ensemble(task, trials):
    pursuit = Pursuit(task, trials)
    means, covariances = sources_at(task, matern52, pursuit.places)
    variances = numpy.diagonal(covariances, axis1=1, axis2=2)
    for x, y, here in pursuit.results():
        kernel, noise = likeliest(matern52, x, y)
        losses = [target_losses(kernel, x, y, noise, task.random)] + [
            source_losses(mean[here], covariance[numpy.ix_(here, here)], y, task.random)
            for mean, covariance in zip(means, covariances)]
        weights = ranking_weights(numpy.array(losses))
        mean, variance = posterior(kernel, x, y, noise, pursuit.places)
        pursuit.evaluate_best(bound(weights @ numpy.vstack([mean, means]),
                                    weights ** 2 @ numpy.vstack([variance, variances])))


# ---- RM-GP-UCB ----

# These are the constants of its authors' runs, with the multiplier above for the target's bound.
ETA, EPSILON, R, SOURCE_MULTIPLIER = 1.0, 0.7, 0.7, 1.0


def gaps(task, fitted):
    """How far each source's results are from the target's farther bound, on average."""
    found = []
    for x, y in task.sources:
        mean, variance = posterior(*fitted, x)
        away = numpy.abs(mean - standardised(y)) + MULTIPLIER * numpy.sqrt(variance)
        found.append(away.mean())
    return numpy.array(found)


def robust(task, trials):
    """Weights are updated before each suggestion, for the first time on the initial results."""
    pursuit = Pursuit(task, trials)
    means, covariances = sources_at(task, matern52, pursuit.places)
    bounds = bound(means, numpy.diagonal(covariances, axis1=1, axis2=2), SOURCE_MULTIPLIER)
    summed, trust = numpy.zeros(len(task.sources)), 1.0
    for x, y, _ in pursuit.results():
        kernel, noise = likeliest(matern52, x, y)
        gap = gaps(task, (kernel, x, y, noise))
        summed += gap
        weights = numpy.exp(-ETA * (summed - summed.min()))
        weights /= weights.sum()
        trust *= min(R, (weights @ gap) ** -EPSILON)
        own = bound(*posterior(kernel, x, y, noise, pursuit.places))
        pursuit.evaluate_best(trust * weights @ bounds + (1 - trust) * own)


# ---- HyperBO ----

FITTING_ROUNDS = 3


def shared_likelihood(lengths, noise, data):
    """With the mean and the variance that make all sources' results likeliest, and these two."""
    squares, crossed, ones, logarithms, count = 0.0, 0.0, 0.0, 0.0, 0
    for x, y in data:
        factor = numpy.linalg.cholesky(matern52(x, x, lengths) + noise * numpy.eye(len(y)))
        z, one = numpy.linalg.solve(factor, numpy.stack([y, numpy.ones(len(y))], 1)).T
        squares, crossed, ones = squares + z @ z, crossed + z @ one, ones + one @ one
        logarithms += numpy.log(numpy.diag(factor)).sum()
        count += len(y)
    mean = crossed / ones
    variance = (squares - crossed * mean) / count
    return -count / 2 * math.log(variance) - logarithms, mean, variance


def shared_prior(data):
    """One length for each dimension and the noise, improved in turn from the likeliest with one
    length for all."""
    dimension = data[0][0].shape[1]
    choices = [LENGTHS] * dimension + [NOISES]

    def told(values):
        return shared_likelihood(numpy.array(values[:-1]), values[-1], data)

    def likelier(offered):
        return max(offered, key=lambda values: told(values)[0])
    values = likelier([length] * dimension + [noise] for length in LENGTHS for noise in NOISES)
    for _ in range(FITTING_ROUNDS):
        for place, offered in enumerate(choices):
            values = likelier(values[:place] + [choice] + values[place + 1:] for choice in offered)
    return (numpy.array(values[:-1]), values[-1], *told(values)[1:])


def pretrained(task, trials):
    """The prior is not fitted to the target's results."""
    pursuit = Pursuit(task, trials)
    lengths, noise, mean, variance = shared_prior([(x, standardised(y)) for x, y in task.sources])
    for x, y, _ in pursuit.results():
        pursuit.evaluate_best(bound(*posterior(
            with_length(matern52, lengths), x, y, noise * variance, pursuit.places, variance,
            mean)))


def programs():
    return {"GP-UCB": {
        "WssClus_WssCMP": clustered(Wasserstein, Wasserstein),
        "JefClus_JefCMP": clustered(Jeffreys, Jeffreys),
        "JefClus_WssCMP": clustered(Jeffreys, Wasserstein),
        "WssClus_JefCMP": clustered(Wasserstein, Jeffreys),
        "GlobalCen": global_centre, "IndiWeight-Jef": individual_weights,
        "RGPE": ranked_ensemble, "RM-GP-UCB": robust, "HyperBO": pretrained,
        "GP": alone, "Random": at_random}}
