"""A-GP-UCB and what it is compared with."""

import functools
import math

import numpy

from claims.programs.parts import best_of, gaussian, log_likelihood, nearest_place, posterior

LENGTHS = numpy.geomspace(0.02, 2, 31)
BUMP_NOISE = 0.02 ** 2
RATE, SHORTER_RATE = 6.0, 30.0  # The belief in lengthscales is a Gamma distribution of shape 3.


def gamma_log_density(lengths, rate, shape=3.0):
    return (shape - 1) * numpy.log(lengths) - rate * lengths


def length_weights(x, y, rate):
    """The posterior of the lengthscale on a grid that is even in its logarithm."""
    scores = numpy.array([log_likelihood(lambda a, b, l=l: gaussian(a, b, l), x, y, BUMP_NOISE)
                          for l in LENGTHS])
    scores += gamma_log_density(LENGTHS, rate) + numpy.log(LENGTHS)
    weights = numpy.exp(scores - scores.max())
    return weights / weights.sum()


def likeliest_length(x, y, rate):
    return LENGTHS[int(numpy.argmax(length_weights(x, y, rate)))]


def at_length(task, x, y, length):
    return posterior(lambda a, b: gaussian(a, b, length), x, y, BUMP_NOISE, task.places)


def information(x, length):
    gram = numpy.eye(len(x)) + gaussian(x, x, length) / BUMP_NOISE
    return 0.5 * numpy.linalg.slogdet(gram)[1]


class Expanding:
    """Algorithm 1 with equations 14 to 16: h grows until the regret estimate reaches t^0.9.

    The text has lost how h is divided. It says that for any lambda between 0 and 1 both g and b grow
    without bound if h does, which corollary 4 assumes: so does b = h^lambda, while g would stay below
    lambda^(-1/d) with b = 1 + lambda (h - 1). g grows no faster than a logarithm."""

    def __init__(self, one_step, norm=2.0, length=None, share=0.1, failure=0.1,
                 rate=RATE):
        self.rate = rate
        self.one_step, self.norm, self.length = one_step, norm, length
        self.share, self.failure = share, failure

    def split(self, h, dimension):
        b = h ** self.share
        return b, (h / b) ** (1 / dimension)

    def most(self, number, dimension):
        return (10 * (1 + math.log(max(1, number)))) ** (dimension / (1 - self.share))

    def multiplier(self, b, g, dimension, gain):
        return (b * g ** dimension * self.norm
                + 4 * math.sqrt(BUMP_NOISE) * math.sqrt(gain + 1 + math.log(1 / self.failure)))

    def __call__(self, task, trials):
        h, paid, told = 1.0, 0.0, []
        first = len(task.y)
        for number in range(first, trials):
            x, y = task.data()
            d = x.shape[1]
            length = self.length or likeliest_length(x, y, self.rate)
            while True:
                b, g = self.split(h, d)
                mean, variance = at_length(task, x, y, length / g)
                multiplier = self.multiplier(b, g, d, information(x, length / g))
                values = mean + multiplier * numpy.sqrt(variance)
                place = best_of(task, values)
                chosen = numpy.sqrt(variance[nearest_place(task.places, [place])[0]])
                if self.one_step:
                    estimate = paid + 2 * multiplier * chosen
                    reference = (number - first + 1) ** 0.9
                else:
                    gain = g ** d * information(x, length)
                    constant = 8 / math.log(1 + 1 / BUMP_NOISE)
                    estimate = self.multiplier(b, g, d, gain) * math.sqrt(constant * number * gain)
                    reference = number ** 0.9
                if estimate >= reference or 1.1 * h > self.most(number, d):
                    break
                h *= 1.1
            paid += 2 * multiplier * chosen
            told.append(h)
            task.evaluate(place)
        return {"h": told}


def with_true_length(multiplier=2.0):
    def program(task, trials):
        for _ in range(trials - len(task.y)):
            x, y = task.data()
            mean, variance = at_length(task, x, y, 0.1)
            task.evaluate(best_of(task, mean + multiplier * numpy.sqrt(variance)))
    return program


def with_bound(norm):
    def program(task, trials):
        for _ in range(trials - len(task.y)):
            x, y = task.data()
            mean, variance = at_length(task, x, y, 0.1)
            multiplier = norm + 4 * math.sqrt(BUMP_NOISE) * math.sqrt(
                information(x, 0.1) + 1 + math.log(1 / 0.1))
            task.evaluate(best_of(task, mean + multiplier * numpy.sqrt(variance)))
    return program


def averaged(task, trials, rate=RATE):
    """HMC's target without a chain: the average over the lengthscale's posterior."""
    lengths = []
    for _ in range(trials - len(task.y)):
        x, y = task.data()
        weights = length_weights(x, y, rate)
        values = numpy.zeros(len(task.places))
        for weight, length in zip(weights, LENGTHS):
            if weight > 1e-4:
                mean, variance = at_length(task, x, y, length)
                values += weight * (mean + 2 * numpy.sqrt(variance))
        lengths.append(float(numpy.exp(weights @ numpy.log(LENGTHS))))
        task.evaluate(best_of(task, values))
    return {"lengthscales": lengths}


def likeliest(task, trials, rate=RATE):
    for _ in range(trials - len(task.y)):
        x, y = task.data()
        mean, variance = at_length(task, x, y, likeliest_length(x, y, rate))
        task.evaluate(best_of(task, mean + 2 * numpy.sqrt(variance)))


def wang(task, trials, kappa=0.1, rate=RATE):
    """The least scale at which the next point's deviation is at least kappa."""
    for _ in range(trials - len(task.y)):
        x, y = task.data()
        length, g = likeliest_length(x, y, rate), 1.0
        while True:
            mean, variance = at_length(task, x, y, length / g)
            place = best_of(task, mean + 2 * numpy.sqrt(variance))
            if variance[nearest_place(task.places, [place])[0]] >= kappa ** 2 or g > 1000:
                break
            g *= 1.1
        task.evaluate(place)


def programs():
    bump = {"A-GP-UCB": Expanding(False), "A-GP-UCB, one step": Expanding(True),
            "GP-UCB, true": with_true_length(), "HMC": averaged, "MAP": likeliest,
            "Wang & de Freitas": wang}
    samples = {"A-GP-UCB": Expanding(False, norm=0.25, length=1.0),
               "A-GP-UCB, one step": Expanding(True, norm=0.25, length=1.0),
               "GP-UCB, true": with_bound(4.0), "GP-UCB, wrong norm": with_bound(0.25)}

    def with_constants(**constants):
        return {name: bump[name] for name in ("GP-UCB, true", "HMC")} | {
            "A-GP-UCB": Expanding(False, **constants),
            "A-GP-UCB, one step": Expanding(True, **constants)}
    shorter = {name: functools.partial(bump[name], rate=SHORTER_RATE)
               for name in ("HMC", "MAP", "Wang & de Freitas")} | {
        "GP-UCB, true": with_true_length(), "A-GP-UCB": Expanding(False, rate=SHORTER_RATE),
        "A-GP-UCB, one step": Expanding(True, rate=SHORTER_RATE)}
    return {"bump": bump, "bump, shorter belief": shorter, "bump from four": bump,
            "samples": samples, "samples, two dimensions": samples,
            "bump, lambda 0.5": with_constants(share=0.5),
            "bump, B_0 0.5": with_constants(norm=0.5)}
