"""DeltaBO and what it is compared with, with constants as given and learnt."""

import math

import numpy

from claims.programs.parts import (
    best_of, expected_improvement, gaussian, log_likelihood, matern52, nearest_place, posterior,
    scale_by_source, standardised, with_length)

DRAWN_PLACES = 800          # Joint draws are at so many of these.


class Constants:
    """Lengthscales in shares of the box's side; noises and tau are deviations."""

    def __init__(self, *, side, target, noise, source, source_noise, difference, tau,
                 kernel="matern52", source_kernel="matern52", difference_kernel="squared", beta=0.2):
        kernels = {"matern52": matern52, "squared": gaussian}

        def of(name, lengthscale):
            return lambda a, b: kernels[name](a, b, lengthscale / side)
        self.k_f, self.k_g = of(kernel, target), of(source_kernel, source)
        self.k_delta = of(difference_kernel, difference)
        self.noise, self.source_noise = noise ** 2, source_noise ** 2
        self.tau, self.beta = tau ** 2, beta


def delta_bo(constants):
    """Equations 5 and 7, and line 5 of algorithm 1."""
    def program(task, trials):
        mean_g, variance_g = posterior(constants.k_g, task.source_x, task.source_y,
                                       constants.source_noise, task.places)
        for _ in range(trials - len(task.y)):
            x, y = task.data()
            here = nearest_place(task.places, x)
            mean, variance = posterior(constants.k_delta, x, y - mean_g[here],
                                       variance_g[here] + constants.noise, task.places,
                                       constants.tau)
            task.evaluate(best_of(task, mean_g + mean
                                  + numpy.sqrt(constants.beta * (variance_g + variance))))
    return program


def classical(constants, acquisition):
    def program(task, trials):
        for _ in range(trials - len(task.y)):
            x, y = task.data()
            if acquisition == "ts":
                chosen = task.random.choice(len(task.places), min(DRAWN_PLACES, len(task.places)),
                                            replace=False)
                task.evaluate(drawn(constants, x, y, task, task.places[chosen]))
                continue
            mean, variance = posterior(constants.k_f, x, y, constants.noise, task.places)
            deviation = numpy.sqrt(variance)
            best = -math.inf
            if len(y):
                best = posterior(constants.k_f, x, y, constants.noise, x)[0].max()
            if acquisition == "ucb":
                values = mean + math.sqrt(constants.beta) * deviation
            elif len(y) == 0:
                values = deviation
            elif acquisition == "ei":
                values = expected_improvement(mean, deviation, best)
            else:
                values = (mean - best) / deviation
            task.evaluate(best_of(task, values))
    return program


def drawn(constants, x, y, task, places):
    prior = constants.k_f(places, places)
    mean = numpy.zeros(len(places))
    if len(y):
        inverse = numpy.linalg.inv(constants.k_f(x, x) + constants.noise * numpy.eye(len(y)))
        cross = constants.k_f(places, x)
        mean = cross @ inverse @ y
        prior = prior - cross @ inverse @ cross.T
    factor = numpy.linalg.cholesky(prior + 1e-6 * numpy.eye(len(places)))
    return places[(mean + factor @ task.random.standard_normal(len(places))).argmax()]


def pooled(constants):
    """Env-GP: the source's points are results with the noise of the difference."""
    def program(task, trials):
        for _ in range(trials - len(task.y)):
            x, y = task.data()
            all_x = numpy.concatenate([task.source_x, x])
            noise = numpy.concatenate([numpy.full(len(task.source_y), constants.tau),
                                       numpy.full(len(y), constants.noise)])
            mean, variance = posterior(constants.k_f, all_x, numpy.concatenate([task.source_y, y]),
                                       noise, task.coarse)
            task.evaluate(best_of(task, mean + numpy.sqrt(constants.beta * variance), task.coarse))
    return program


def corrected(constants):
    """Diff-GP: the source's points, corrected by a process of the differences with k_f."""
    def program(task, trials):
        for _ in range(trials - len(task.y)):
            x, y = task.data()
            shift, spread = numpy.zeros(len(task.source_y)), numpy.ones(len(task.source_y))
            if len(y):
                at_x = posterior(constants.k_f, task.source_x, task.source_y,
                                 constants.source_noise, x)[0]
                shift, spread = posterior(constants.k_f, x, y - at_x, constants.noise,
                                          task.source_x)
            all_x = numpy.concatenate([task.source_x, x])
            noise = numpy.concatenate([constants.source_noise + spread,
                                       numpy.full(len(y), constants.noise)])
            mean, variance = posterior(
                constants.k_f, all_x, numpy.concatenate([task.source_y + shift, y]), noise,
                task.coarse)
            task.evaluate(best_of(task, mean + numpy.sqrt(constants.beta * variance), task.coarse))
    return program


def delta_programs(**constants):
    told = Constants(**constants)
    return {"DeltaBO": delta_bo(told), "GP-EI": classical(told, "ei"),
            "GP-PI": classical(told, "pi"), "GP-TS": classical(told, "ts"),
            "GP-UCB": classical(told, "ucb"), "Env-GP": pooled(told), "Diff-GP": corrected(told)}


LEARNT_LENGTHS = numpy.geomspace(0.05, 1.5, 8)
LEARNT_NOISES = (1e-4, 1e-3, 1e-2, 1e-1)
LEARNT_TAUS = (0.01, 0.1, 0.5, 1.0, 3.0)
BETA = 0.2


def likeliest_of(choices, score):
    """The choice with the largest score; the first of equal ones."""
    scores = [score(*choice) for choice in choices]
    return choices[int(numpy.argmax(scores))]


def learnt_delta_bo(task, trials):
    scaled = scale_by_source(task)
    source_y = scaled(task.source_y)
    pairs = [(length, noise) for length in LEARNT_LENGTHS for noise in LEARNT_NOISES]
    length, noise = likeliest_of(pairs, lambda l, v: log_likelihood(
        with_length(matern52, l), task.source_x, source_y, v))
    mean_g, variance_g = posterior(with_length(matern52, length), task.source_x, source_y, noise,
                                   task.places)
    triples = [(l, v, t) for l in LEARNT_LENGTHS for v in LEARNT_NOISES for t in LEARNT_TAUS]
    for _ in range(trials - len(task.y)):
        x, y = task.data()
        here = nearest_place(task.places, x)
        residual = scaled(y) - mean_g[here] if len(y) else y
        mean, variance = 0.0, 1.0
        if len(y):
            length, noise, tau = likeliest_of(triples, lambda l, v, t: log_likelihood(
                with_length(gaussian, l), x, residual, variance_g[here] + v, t))
            mean, variance = posterior(with_length(gaussian, length), x, residual,
                                       variance_g[here] + noise, task.places, tau)
        task.evaluate(best_of(task, mean_g + mean
                              + numpy.sqrt(BETA * (variance_g + variance))))


def learnt_classical(rule):
    def program(task, trials):
        pairs = [(length, noise) for length in LEARNT_LENGTHS for noise in LEARNT_NOISES]
        for _ in range(trials - len(task.y)):
            x, y = task.data()
            if len(y) < 3:
                task.evaluate(task.places[task.random.choice(len(task.places))])
                continue
            y = standardised(y)
            length, noise = likeliest_of(pairs, lambda l, v, y=y: log_likelihood(
                with_length(matern52, l), x, y, v))
            kernel = with_length(matern52, length)
            mean, variance = posterior(kernel, x, y, noise, task.places)
            best = posterior(kernel, x, y, noise, x)[0].max()
            deviation = numpy.sqrt(variance)
            values = {"ei": lambda: expected_improvement(mean, deviation, best),
                      "pi": lambda: (mean - best) / deviation,
                      "ucb": lambda: mean + math.sqrt(BETA) * deviation}[rule]()
            task.evaluate(best_of(task, values))
    return program


def learnt_pooled(task, trials):
    """Env-GP with a source noise of 0.1, as the preset's."""
    scaled = scale_by_source(task)
    source_y = scaled(task.source_y)
    for _ in range(trials - len(task.y)):
        x, y = task.data()
        all_x = numpy.concatenate([task.source_x, x])
        all_y = numpy.concatenate([source_y, scaled(y)])
        noise = numpy.concatenate([numpy.full(len(source_y), 0.1), numpy.full(len(y), 1e-2)])
        (length,) = likeliest_of([(l,) for l in LEARNT_LENGTHS], lambda l: log_likelihood(
            with_length(matern52, l), all_x, all_y, noise))
        mean, variance = posterior(with_length(matern52, length), all_x, all_y, noise, task.coarse)
        task.evaluate(best_of(task, mean + numpy.sqrt(BETA * variance), task.coarse))


def learnt_corrected(task, trials):
    """Diff-GP: the differences' process has the kernel that is the source's likeliest, and that of the
    corrected and the target's points has their likeliest length. The target's noise is 0.01."""
    scaled = scale_by_source(task)
    source_y = scaled(task.source_y)
    pairs = [(length, noise) for length in LEARNT_LENGTHS for noise in LEARNT_NOISES]
    length, source_noise = likeliest_of(pairs, lambda l, v: log_likelihood(
        with_length(matern52, l), task.source_x, source_y, v))
    kernel = with_length(matern52, length)
    for _ in range(trials - len(task.y)):
        x, y = task.data()
        shift, spread = numpy.zeros(len(source_y)), numpy.ones(len(source_y))
        if len(y):
            at_x = posterior(kernel, task.source_x, source_y, source_noise, x)[0]
            shift, spread = posterior(kernel, x, scaled(y) - at_x, 1e-2, task.source_x)
        all_x = numpy.concatenate([task.source_x, x])
        all_y = numpy.concatenate([source_y + shift, scaled(y)])
        noise = numpy.concatenate([source_noise + spread, numpy.full(len(y), 1e-2)])
        (own,) = likeliest_of([(l,) for l in LEARNT_LENGTHS], lambda l: log_likelihood(
            with_length(matern52, l), all_x, all_y, noise))
        mean, variance = posterior(with_length(matern52, own), all_x, all_y, noise, task.coarse)
        task.evaluate(best_of(task, mean + numpy.sqrt(BETA * variance), task.coarse))


LEARNT = {"DeltaBO": learnt_delta_bo, "GP-EI": learnt_classical("ei"),
          "GP-PI": learnt_classical("pi"), "GP-UCB": learnt_classical("ucb"),
          "Env-GP": learnt_pooled, "Diff-GP": learnt_corrected}


BUMPS = dict(side=1, target=0.1, noise=0.1, source=0.1, source_noise=0.1, difference=0.1, tau=0.3,
             kernel="squared", source_kernel="squared", difference_kernel="squared")
BOHACHEVSKY = dict(side=4, target=0.8, noise=0.06 ** 0.5, source=1.6, source_noise=0.24 ** 0.5,
                   difference=1.0, tau=0.3, source_kernel="squared",
                   difference_kernel="matern52")
MODEL = dict(side=2, target=1.0, noise=0.1, source=1.2, source_noise=0.1 ** 0.5, difference=1.0,
             tau=0.8 ** 0.5)


def programs():
    return {"model": delta_programs(**MODEL), "model, beta 2": delta_programs(**MODEL, beta=2.0),
            "model, N 100": delta_programs(**MODEL),
            "bumps": delta_programs(**BUMPS), "bumps, beta 2": delta_programs(**BUMPS, beta=2.0),
            "bumps, wide": delta_programs(**(BUMPS | {"side": 2})),
            "model, learnt": LEARNT,
            "model, likeliest": {name: LEARNT[name] for name in ("DeltaBO", "Diff-GP")},
            "bumps, learnt": LEARNT, "Bohachevsky, learnt": LEARNT,
            "Bohachevsky": delta_programs(**BOHACHEVSKY),
            "Bohachevsky, beta 2": delta_programs(**BOHACHEVSKY, beta=2.0)}
