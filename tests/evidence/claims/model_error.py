"""How far the mean of a study's process is from the function, over the whole space.

The process is computed once more in NumPy from the hyperparameters that the study tells.
"""

import numpy

from peers.objective import Objective

POINTS = 2000
SEED = 4


class Truth:
    """The function's values at random points of the unit cube."""

    def __init__(self, space, points, values):
        self.space = space
        self.points = points
        self.values = values

    @classmethod
    def of(cls, program, data, problem):
        with Objective(program, data, problem, 0) as objective:
            space = objective.space
            points = numpy.random.default_rng(SEED).uniform(size=(POINTS, len(space.parameters)))
            values = [objective.evaluate({parameter.name: parameter.at(share) for parameter, share
                                          in zip(space.parameters, point)})[1] for point in points]
        return cls(space, points, numpy.array(values))

    def unit_point(self, configuration):
        numbers = dict(part.split("=") for part in configuration.split())
        return [(float(numbers[parameter.name]) - parameter.min) / (parameter.max - parameter.min)
                for parameter in self.space.parameters]


def matern52(a, b, lengthscales):
    r = numpy.sqrt(5 * (((a[:, None, :] - b[None, :, :]) / lengthscales) ** 2).sum(-1))
    return (1 + r + r ** 2 / 3) * numpy.exp(-r)


def posterior_mean(x, y, lengthscales, amplitude, noise, at):
    covariance = amplitude ** 2 * matern52(x, x, lengthscales) + (noise + 1e-10) * numpy.eye(len(y))
    return amplitude ** 2 * matern52(at, x, lengthscales) @ numpy.linalg.solve(covariance, y)


def of_rows(rows, facts, truth):
    """The mean squared error after these rows, in variances of the function, with the
    hyperparameters that `facts` tell."""
    x = numpy.array([truth.unit_point(row["configuration"]) for row in rows])
    regrets = numpy.array([float(row["own_regret"]) for row in rows])
    mean, deviation = regrets.mean(), regrets.std(ddof=1) or 1.0
    lengthscales = numpy.array([float(one) for one in facts["lengthscales"].split()])
    predicted = mean + deviation * posterior_mean(
        x, (regrets - mean) / deviation, lengthscales, float(facts["amplitude"]),
        float(facts["noise_variance"]), truth.points)
    return float(((predicted - truth.values) ** 2).mean() / truth.values.var())


def of_study(rows, truth, checkpoints):
    """One error for each checkpoint, from the last hyperparameters that were told before."""
    errors = []
    for checkpoint in checkpoints:
        told = [dict(part.split("=", 1) for part in row["facts"].split("; ") if "=" in part)
                for row in rows[:checkpoint]]
        fitted = [facts for facts in told if "lengthscales" in facts]
        if not fitted:
            return []
        errors.append(of_rows(rows[:checkpoint], fitted[-1], truth))
    return errors
