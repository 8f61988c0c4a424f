"""The papers' equations, once more in NumPy; see independent.py."""

import functools
import hashlib
import math
import pathlib
import re

import numpy

PLACES = {1: 1001, 2: 101, 3: 21, 4: 9}  # On each side of the unit cube, in so many dimensions.
DRAWN_PLACES = 800          # Joint draws are at so many of these.
JITTER = 1e-8


def digest():
    """A name for exactly these programs."""
    return hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest()[:12]


def initial_points(preset):
    found = re.search(r"initial=random\+initial_points=(\d+)", preset)
    return int(found[1]) if found else 0


# ---- Data ----

class Task:
    """A maximisation on the unit cube. Programs that factorise all of the source's points at each
    step choose among the coarse places, every second in each dimension."""

    def __init__(self, objective, beginning, seed):
        self._objective = objective
        self._parameters = objective.space.parameters
        self._units = beginning["units"]
        self.random = numpy.random.default_rng(seed + 1000)
        self.places = self._grid()
        self.regrets, self.x, self.y = [], [], []
        self.source_x, self.source_y = self._source()
        for configuration in beginning["initial"]:
            self.evaluate(self._point(configuration))

    def unit(self, name):
        return 1.0 if name == "own" else self._units[name]

    def _bounds(self, parameter):
        values = parameter.values
        return (values[0], values[-1]) if values else (parameter.min, parameter.max)

    def _point(self, configuration):
        point = []
        for parameter in self._parameters:
            low, high = self._bounds(parameter)
            point.append((float(configuration[parameter.name]) - low) / (high - low))
        return numpy.array(point)

    def _grid(self):
        sides = []
        for parameter in self._parameters:
            low, high = self._bounds(parameter)
            if parameter.values:
                sides.append((numpy.array(parameter.values) - low) / (high - low))
            else:
                sides.append(numpy.linspace(0, 1, PLACES[len(self._parameters)]))
        grid = numpy.stack(numpy.meshgrid(*sides, indexing="ij"), -1)
        self.coarse = grid[tuple([slice(None, None, 2)] * len(sides))].reshape(-1, len(sides))
        return grid.reshape(-1, len(sides))

    def _source(self):
        if not self._objective.sources:
            return None, None
        points = self._objective.sources[0]
        sign = -1 if self._objective.minimises else 1
        return (numpy.array([self._point(configuration) for configuration, _ in points]),
                sign * numpy.array([value for _, value in points]))

    def regret_at(self, point):
        """Without an evaluation that counts."""
        return self._objective.evaluate(self._configuration(point))[1]

    def _configuration(self, point):
        configuration = {}
        for parameter, share in zip(self._parameters, point):
            low, high = self._bounds(parameter)
            value = low + float(share) * (high - low)
            if parameter.values:
                value = min(parameter.values, key=lambda each, value=value: abs(each - value))
            configuration[parameter.name] = float(min(max(value, low), high))
        return configuration

    def evaluate(self, point):
        cost, regret, _ = self._objective.evaluate(self._configuration(point))
        self.x.append(numpy.array(point))
        self.y.append(-cost)
        self.regrets.append(regret)

    def data(self):
        return (numpy.array(self.x).reshape(len(self.x), len(self._parameters)),
                numpy.array(self.y))


# ---- Processes with their posterior on the task's places ----

def squared_distances(a, b, lengthscale):
    a, b = a / lengthscale, b / lengthscale
    square = (a ** 2).sum(1)[:, None] + (b ** 2).sum(1)[None, :] - 2 * a @ b.T
    return numpy.maximum(square, 0)


def gaussian(a, b, lengthscale):
    return numpy.exp(-squared_distances(a, b, lengthscale) / 2)


def matern52(a, b, lengthscale):
    r = numpy.sqrt(5 * squared_distances(a, b, lengthscale))
    return (1 + r + r ** 2 / 3) * numpy.exp(-r)


def posterior(kernel, x, y, noise, at, variance=1.0, mean=0.0):
    """(mean, variance) at places, for a kernel of this variance."""
    if len(y) == 0:
        return numpy.full(len(at), mean), numpy.full(len(at), variance)
    covariance = variance * kernel(x, x) + numpy.diag(numpy.broadcast_to(noise, len(y)) + JITTER)
    factor = numpy.linalg.cholesky(covariance)
    cross = numpy.linalg.solve(factor, variance * kernel(x, at))
    z = numpy.linalg.solve(factor, y - mean)
    return mean + cross.T @ z, numpy.maximum(variance - (cross ** 2).sum(0), 1e-12 * variance)


def log_likelihood(kernel, x, y, noise, variance=1.0):
    covariance = variance * kernel(x, x) + numpy.diag(numpy.broadcast_to(noise, len(y)) + JITTER)
    factor = numpy.linalg.cholesky(covariance)
    z = numpy.linalg.solve(factor, y)
    return float(-0.5 * z @ z - numpy.log(numpy.diag(factor)).sum())


@functools.cache
def _erf_table():
    x = numpy.linspace(-9, 9, 36001)
    return x, numpy.array([0.5 * (1 + math.erf(value / math.sqrt(2))) for value in x])


def normal_distribution(u):
    return numpy.interp(u, *_erf_table())


def expected_improvement(mean, deviation, best):
    u = (mean - best) / deviation
    return deviation * (numpy.exp(-u ** 2 / 2) / math.sqrt(2 * math.pi)
                        + u * normal_distribution(u))


def best_of(task, values, places=None):
    """A place with the largest value; one of them at random where there are several."""
    top = numpy.flatnonzero(values >= values.max() - 1e-12)
    return (task.places if places is None else places)[task.random.choice(top)]


# ---- DeltaBO and its baselines, with constants as given ----

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


def nearest_place(places, points):
    return [int(((places - point) ** 2).sum(1).argmin()) for point in points]


def delta_bo(constants):
    """Equations 5 and 7, and line 5 of algorithm 1."""
    def program(task, trials):
        mean_g, variance_g = posterior(constants.k_g, task.source_x, task.source_y,
                                       constants.source_noise, task.places)
        for _ in range(trials):
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
        for _ in range(trials):
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
        for _ in range(trials):
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
        for _ in range(trials):
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


# ---- The same with what is likeliest instead of given constants ----

LEARNT_LENGTHS = numpy.geomspace(0.05, 1.5, 8)
LEARNT_NOISES = (1e-4, 1e-3, 1e-2, 1e-1)
LEARNT_TAUS = (0.01, 0.1, 0.5, 1.0, 3.0)
BETA = 0.2


def likeliest_of(choices, score):
    """The choice with the largest score; the first of equal ones."""
    scores = [score(*choice) for choice in choices]
    return choices[int(numpy.argmax(scores))]


def with_length(kernel, length):
    return lambda a, b: kernel(a, b, length)


def own_scale(y):
    return (y - y.mean()) / ((y.std(ddof=1) if len(y) > 1 else 1.0) or 1.0)


def learnt_delta_bo(task, trials):
    scaled = scale_by_source(task)
    source_y = scaled(task.source_y)
    pairs = [(length, noise) for length in LEARNT_LENGTHS for noise in LEARNT_NOISES]
    length, noise = likeliest_of(pairs, lambda l, v: log_likelihood(
        with_length(matern52, l), task.source_x, source_y, v))
    mean_g, variance_g = posterior(with_length(matern52, length), task.source_x, source_y, noise,
                                   task.places)
    triples = [(l, v, t) for l in LEARNT_LENGTHS for v in LEARNT_NOISES for t in LEARNT_TAUS]
    for _ in range(trials):
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
        for _ in range(trials):
            x, y = task.data()
            if len(y) < 3:
                task.evaluate(task.places[task.random.choice(len(task.places))])
                continue
            y = own_scale(y)
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
    for _ in range(trials):
        x, y = task.data()
        all_x = numpy.concatenate([task.source_x, x])
        all_y = numpy.concatenate([source_y, scaled(y)])
        noise = numpy.concatenate([numpy.full(len(source_y), 0.1), numpy.full(len(y), 1e-2)])
        (length,) = likeliest_of([(l,) for l in LEARNT_LENGTHS], lambda l: log_likelihood(
            with_length(matern52, l), all_x, all_y, noise))
        mean, variance = posterior(with_length(matern52, length), all_x, all_y, noise, task.coarse)
        task.evaluate(best_of(task, mean + numpy.sqrt(BETA * variance), task.coarse))


LEARNT = {"DeltaBO": learnt_delta_bo, "GP-EI": learnt_classical("ei"),
          "GP-PI": learnt_classical("pi"), "GP-UCB": learnt_classical("ucb"),
          "Env-GP": learnt_pooled}


# ---- Envelope-BO ----

WIDTHS = numpy.geomspace(0.05, 1.0, 16)
EXACT = 1e-6  # The noise of a function without any, in variances of the source.


def likeliest_width(x, y, noise):
    scores = [log_likelihood(lambda a, b, l=l: gaussian(a, b, l), x, y, noise) for l in WIDTHS]
    return WIDTHS[int(numpy.argmax(scores))]


def scale_by_source(task):
    mean, deviation = task.source_y.mean(), task.source_y.std(ddof=1)
    return lambda values: (values - mean) / deviation


def wanted(mean, variance, rule, round_number, dimension):
    deviation = numpy.sqrt(variance)
    if rule == "ei":
        return expected_improvement(mean, deviation, mean.max())
    t, d, delta = round_number, dimension, 0.01
    beta = (2 * math.log(t ** 2 * 2 * math.pi ** 2 / (3 * delta))
            + 2 * d * math.log(t ** 2 * d * math.sqrt(math.log(4 * d / delta))))
    return mean + math.sqrt(beta) * deviation


def envelope(rule, shape=5.0, size=3.0):
    """Algorithm 2 and equations 16 to 24."""
    def program(task, trials):
        scaled = scale_by_source(task)
        source_y = scaled(task.source_y)
        width = likeliest_width(task.source_x, source_y, EXACT)
        variances = []
        for number in range(trials - len(task.y)):
            x, y = task.data()
            y = scaled(y)
            errors = y - posterior(lambda a, b: gaussian(a, b, width), task.source_x, source_y,
                                   EXACT, x)[0]
            variance = (size + 0.5 * (errors ** 2).sum()) / (shape + len(y) / 2 + 1)
            variances.append(variance)
            all_x, all_y = numpy.concatenate([task.source_x, x]), numpy.concatenate([source_y, y])
            noise = numpy.concatenate([numpy.full(len(source_y), variance),
                                       numpy.full(len(y), EXACT)])
            likeliest = likeliest_width(all_x, all_y, noise)
            at = posterior(lambda a, b, l=likeliest: gaussian(a, b, l), all_x, all_y, noise,
                           task.places)
            task.evaluate(best_of(task, wanted(*at, rule, number + 1, x.shape[1])))
        return {"source_noise_variance": variances}
    return program


def generic(rule):
    def program(task, trials):
        for number in range(trials - len(task.y)):
            x, y = task.data()
            y = (y - y.mean()) / (y.std(ddof=1) or 1.0)
            width = likeliest_width(x, y, EXACT)
            at = posterior(lambda a, b, l=width: gaussian(a, b, l), x, y, EXACT, task.places)
            task.evaluate(best_of(task, wanted(*at, rule, number + 1, x.shape[1])))
    return program


def envelope_programs():
    made = {}
    for case in ("case 1", "case 2"):
        for rule, name in (("ei", "EI"), ("ucb", "GP-UCB")):
            for more in ("", " from six"):
                made[f"{case}, {name}{more}"] = {"Envelope-BO": envelope(rule),
                                                 "Generic-BO": generic(rule)}
    return made


# ---- A-GP-UCB ----

LENGTHS = numpy.geomspace(0.02, 2, 31)
BUMP_NOISE = 0.02 ** 2


def gamma_log_density(lengths, shape=3.0, rate=6.0):
    return (shape - 1) * numpy.log(lengths) - rate * lengths


def length_weights(x, y):
    """The posterior of the lengthscale on a grid that is even in its logarithm."""
    scores = numpy.array([log_likelihood(lambda a, b, l=l: gaussian(a, b, l), x, y, BUMP_NOISE)
                          for l in LENGTHS])
    scores += gamma_log_density(LENGTHS) + numpy.log(LENGTHS)
    weights = numpy.exp(scores - scores.max())
    return weights / weights.sum()


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

    def __init__(self, one_step, norm=2.0, length=None, share=0.1, failure=0.1):
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
            length = self.length or LENGTHS[int(numpy.argmax(length_weights(x, y)))]
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


def averaged(task, trials):
    """HMC's target without a chain: the average over the lengthscale's posterior."""
    lengths = []
    for _ in range(trials - len(task.y)):
        x, y = task.data()
        weights = length_weights(x, y)
        values = numpy.zeros(len(task.places))
        for weight, length in zip(weights, LENGTHS):
            if weight > 1e-4:
                mean, variance = at_length(task, x, y, length)
                values += weight * (mean + 2 * numpy.sqrt(variance))
        lengths.append(float(numpy.exp(weights @ numpy.log(LENGTHS))))
        task.evaluate(best_of(task, values))
    return {"lengthscales": lengths}


def likeliest(task, trials):
    for _ in range(trials - len(task.y)):
        x, y = task.data()
        mean, variance = at_length(task, x, y, LENGTHS[int(numpy.argmax(length_weights(x, y)))])
        task.evaluate(best_of(task, mean + 2 * numpy.sqrt(variance)))


def wang(task, trials, kappa=0.1):
    """The least scale at which the next point's deviation is at least kappa."""
    for _ in range(trials - len(task.y)):
        x, y = task.data()
        length, g = LENGTHS[int(numpy.argmax(length_weights(x, y)))], 1.0
        while True:
            mean, variance = at_length(task, x, y, length / g)
            place = best_of(task, mean + 2 * numpy.sqrt(variance))
            if variance[nearest_place(task.places, [place])[0]] >= kappa ** 2 or g > 1000:
                break
            g *= 1.1
        task.evaluate(place)


def agpucb_programs():
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
    return {"bump": bump, "bump from four": bump, "samples": samples,
            "bump, lambda 0.5": with_constants(share=0.5),
            "bump, B_0 0.5": with_constants(norm=0.5)}


# ---- UHE-BO and what it is compared with ----

SHAPE, RATE = 1e-3, 10.0  # The Gamma beliefs in the variance and in the lengthscales.
LOG_LOW, LOG_HIGH = math.log(0.005), math.log(20)
SEARCHED = 3000   # Random places at which the acquisition is computed, with as many near the best.
CHECKED = 1000    # Random points at which the model's error is computed.
DEVIATIONS = 1.96


def log_posterior(logarithms, x, y):
    """Of the logarithms of variance and lengthscales, with the Jacobian."""
    values = numpy.exp(logarithms)
    try:
        likelihood = log_likelihood(lambda a, b: matern52(a, b, values[1:]), x, y,
                                    EXACT * values[0], values[0])
    except numpy.linalg.LinAlgError:
        return -math.inf
    return likelihood + float((SHAPE * logarithms - RATE * values).sum())


def most_probable(x, y, start, random):
    """By pattern search from the last ones and from two random starts."""
    def climb(at):
        value, step = log_posterior(at, x, y), 1.0
        while step > 0.05:
            better = False
            for place in range(len(at)):
                for sign in (-1, 1):
                    moved = at.copy()
                    moved[place] = min(max(moved[place] + sign * step, LOG_LOW), LOG_HIGH)
                    found = log_posterior(moved, x, y)
                    if found > value:
                        at, value, better = moved, found, True
            step = step if better else step / 2
        return value, at
    starts = [start] + [random.uniform(-3, 0.5, len(start)) for _ in range(2)]
    return max((climb(numpy.array(one, dtype=float)) for one in starts),
               key=lambda found: found[0])[1]


def standardised(y):
    deviation = y.std(ddof=1) if len(y) > 1 else 1.0
    return (y - y.mean()) / (deviation or 1.0)


def pseudo_data(x, y, random):
    """Equation 2: twice as many random points, each with the value of the nearest result."""
    points = random.uniform(size=(2 * len(y), x.shape[1]))
    return points, y[squared_distances(points, x, 1.0).argmin(1)]


class UnknownHyperparameters:
    """Algorithm 1, without the loss or without EXP3 for what it is compared with. Rewards are scaled
    by the initial results, or by all so far if `running`."""

    def __init__(self, consistent, arms, running=False):
        self.consistent, self.arms, self.running = consistent, arms, running

    def __call__(self, task, trials):
        random, dimension = task.random, len(task.x[0])
        weights = numpy.zeros(2)  # Logarithms.
        rate = min(1.0, math.sqrt(4 * math.log(2) / ((math.e - 1) * trials)))
        low, high = min(task.y), max(task.y)
        theta = numpy.full(dimension + 1, -1.0)
        self.points = random.uniform(size=(CHECKED, dimension))
        errors, arm, chances = [], 1, None
        first = len(task.y)
        for number in range(trials - first):
            x, y = task.data()
            y = standardised(y)
            if number % 2 == 0:
                shares = numpy.exp(weights - weights.max())
                chances = (1 - rate) * shares / shares.sum() + rate / 2
                arm = {"exp3": int(random.uniform() >= chances[0]), "alternate": 0,
                       "none": 1}[self.arms]
            if arm == 0 and number % 2 == 0:
                task.evaluate(random.uniform(size=dimension))
            else:
                learnt = pseudo_data(x, y, random) if self.consistent else (x, y)
                theta = most_probable(*learnt, theta, random)
                task.evaluate(self.best(x, y, theta, random))
            if number % 2 == 1:
                if self.running:
                    low, high = min(task.y), max(task.y)
                reward = min(max((max(task.y[-2:]) - low) / ((high - low) or 1), 0), 1)
                weights[arm] += rate * reward / (2 * chances[arm])
            if len(task.y) in (25, 50, 100):
                errors.append(self.error(task, theta))
        return {"model_error": errors}

    def best(self, x, y, theta, random):
        values = numpy.exp(theta)
        near = x[y.argmax()] + random.standard_normal((SEARCHED, x.shape[1])) * (
            10 ** random.uniform(-4, -0.5, (SEARCHED, 1)))
        places = numpy.clip(numpy.concatenate(
            [random.uniform(size=(SEARCHED, x.shape[1])), near]), 0, 1)
        mean, variance = posterior(lambda a, b: matern52(a, b, values[1:]), x, y,
                                   EXACT * values[0], places, values[0])
        return places[(mean + DEVIATIONS * numpy.sqrt(variance)).argmax()]

    def error(self, task, theta):
        x, y = task.data()
        values = numpy.exp(theta)
        mean, _ = posterior(lambda a, b: matern52(a, b, values[1:]), x, standardised(y),
                            EXACT * values[0], self.points, values[0])
        truth = -numpy.array([task.regret_at(point) for point in self.points])
        predicted = -numpy.mean(task.regrets) + numpy.std(task.regrets, ddof=1) * mean
        return float(((predicted - truth) ** 2).mean() / truth.var())


def uhebo_programs():
    methods = {"UHE-BO": UnknownHyperparameters(True, "exp3"),
               "MAP": UnknownHyperparameters(False, "none"),
               "Random+EXP3": UnknownHyperparameters(False, "exp3"),
               "RA-BO": UnknownHyperparameters(True, "alternate")}
    running = {"UHE-BO": UnknownHyperparameters(True, "exp3", running=True),
               "MAP": methods["MAP"],
               "Random+EXP3": UnknownHyperparameters(False, "exp3", running=True)}
    return {"deceptive2": methods, "h1": methods, "deceptive4": methods,
            "deceptive2, running rewards": running, "h1, running rewards": running}


# ---- Which experiments have programs ----

BUMPS = dict(side=1, target=0.1, noise=0.1, source=0.1, source_noise=0.1, difference=0.1, tau=0.3,
             kernel="squared", source_kernel="squared", difference_kernel="squared")
BOHACHEVSKY = dict(side=4, target=0.8, noise=0.06 ** 0.5, source=1.6, source_noise=0.24 ** 0.5,
                   difference=1.0, tau=0.3, source_kernel="squared",
                   difference_kernel="matern52")
MODEL = dict(side=2, target=1.0, noise=0.1, source=1.2, source_noise=0.1 ** 0.5, difference=1.0,
             tau=0.8 ** 0.5)

PROGRAMS = {
    "deltabo": {
        "model": delta_programs(**MODEL), "model, beta 2": delta_programs(**MODEL, beta=2.0),
        "model, N 100": delta_programs(**MODEL),
        "bumps": delta_programs(**BUMPS), "bumps, beta 2": delta_programs(**BUMPS, beta=2.0),
        "bumps, wide": delta_programs(**(BUMPS | {"side": 2})),
        "model, learnt": LEARNT, "bumps, learnt": LEARNT, "Bohachevsky, learnt": LEARNT,
        "Bohachevsky": delta_programs(**BOHACHEVSKY),
        "Bohachevsky, beta 2": delta_programs(**BOHACHEVSKY, beta=2.0)},
    "envelope": envelope_programs(),
    "agpucb": agpucb_programs(),
    "uhebo": uhebo_programs(),
}
