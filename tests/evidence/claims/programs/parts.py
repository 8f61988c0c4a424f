"""What the programs share: a study's data, kernels, posteriors and acquisitions."""

import functools
import math

import numpy

from peers.objective import row_of, share_of

PLACES = {1: 1001, 2: 101, 3: 21, 4: 9}  # On each side of the unit cube, in so many dimensions.
JITTER = 1e-8
EXACT = 1e-6  # The noise of a function without any, in variances of the results.


class Task:
    """A maximisation on the unit cube. Programs that factorise all of the source's points at each
    step choose among the coarse places, every second in each dimension. The places of a problem with
    a list of candidates are those that were not evaluated yet, and there are no coarse ones."""

    def __init__(self, objective, beginning, seed):
        self._objective = objective
        self._parameters = objective.space.parameters
        self._units = beginning["units"]
        self._sign = -1 if objective.minimises else 1
        self._candidates = list(objective.candidates)
        self.random = numpy.random.default_rng(seed + 1000)
        self.places = self._points(self._candidates) if self._candidates else self._grid()
        self.regrets, self.x, self.y = [], [], []
        self.sources = [self._source(points) for points in objective.sources]
        self.source_x, self.source_y = self.sources[0] if self.sources else (None, None)
        for configuration in beginning["initial"]:
            self.evaluate(self._point(configuration))

    def unit(self, name):
        return 1.0 if name == "own" else self._units[name]

    def data(self):
        return numpy.array(self.x).reshape(len(self.x), self.places.shape[1]), numpy.array(self.y)

    def evaluate(self, point):
        cost, regret, _ = self._objective.evaluate(self._configuration(point))
        if self._candidates:
            index = self._nearest(point)
            self.places = numpy.delete(self.places, index, axis=0)
            del self._candidates[index]
        self.x.append(numpy.array(point))
        self.y.append(-cost)
        self.regrets.append(regret)

    def regret_at(self, point):
        """Without an evaluation that counts."""
        return self._objective.evaluate(self._configuration(point))[1]

    def _source(self, points):
        return (self._points([configuration for configuration, _ in points]),
                self._sign * numpy.array([value for _, value in points]))

    def _points(self, configurations):
        return numpy.array([self._point(configuration) for configuration in configurations])

    def _point(self, configuration):
        return numpy.array(row_of(self._objective.space, configuration))

    def _grid(self):
        sides = []
        for parameter in self._parameters:
            if parameter.values:
                sides.append(numpy.array([share_of(parameter, value)
                                          for value in parameter.values]))
            else:
                sides.append(numpy.linspace(0, 1, PLACES[len(self._parameters)]))
        grid = numpy.stack(numpy.meshgrid(*sides, indexing="ij"), -1)
        self.coarse = grid[tuple([slice(None, None, 2)] * len(sides))].reshape(-1, len(sides))
        return grid.reshape(-1, len(sides))

    def _configuration(self, point):
        if self._candidates:
            return self._candidates[self._nearest(point)]
        configuration = {}
        for parameter, share in zip(self._parameters, point):
            if parameter.values:
                value = min(parameter.values, key=lambda each, parameter=parameter, share=share:
                            abs(share_of(parameter, each) - share))
            else:
                value = parameter.at(float(share))
            configuration[parameter.name] = float(value)
        return configuration

    def _nearest(self, point):
        return int(((self.places - point) ** 2).sum(1).argmin())


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


def with_length(kernel, length):
    return lambda a, b: kernel(a, b, length)


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


def nearest_place(places, points):
    return [int(((places - point) ** 2).sum(1).argmin()) for point in points]


def scale_by_source(task):
    mean, deviation = task.source_y.mean(), task.source_y.std(ddof=1)
    return lambda values: (values - mean) / deviation


def standardised(y):
    deviation = y.std(ddof=1) if len(y) > 1 else 1.0
    return (y - y.mean()) / (deviation or 1.0)
