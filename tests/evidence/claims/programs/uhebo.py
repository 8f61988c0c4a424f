"""UHE-BO and what it is compared with."""

import math
import time

import numpy

from claims.programs.parts import (
    EXACT, log_likelihood, matern52, posterior, squared_distances, standardised)

SHAPE, RATE = 1e-3, 10.0  # The Gamma beliefs in the variance and in the lengthscales.
LOG_LOW, LOG_HIGH = math.log(0.005), math.log(20)
SEARCHED = 3000   # Random places at which the acquisition is computed, with as many near the best.
CHECKED = 1000    # Random points at which the model's error is computed.
DEVIATIONS = 1.96
CHECKPOINTS = (25, 50, 100)  # Evaluations after which the model's error is told.
BURNT, KEPT = 5, 10  # Sweeps of the sampler at each step, each from where the last one ended.
GROWTH = 1.1  # The step of a search for what divides the lengthscales.


def log_posterior(logarithms, x, y):
    """The log posterior density of the logarithms of variance and lengthscales, with the Jacobian."""
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


def pseudo_data(x, y, random):
    """Equation 2: twice as many random points, each with the value of the nearest result."""
    points = random.uniform(size=(2 * len(y), x.shape[1]))
    return points, y[squared_distances(points, x, 1.0).argmin(1)]


def searched_places(x, y, random, count=SEARCHED):
    near = x[y.argmax()] + random.standard_normal((count, x.shape[1])) * (
        10 ** random.uniform(-4, -0.5, (count, 1)))
    return numpy.clip(numpy.concatenate(
        [random.uniform(size=(count, x.shape[1])), near]), 0, 1)


def process(x, y, theta, places):
    """(mean, variance) with these logarithms of variance and lengthscales."""
    values = numpy.exp(theta)
    return posterior(lambda a, b: matern52(a, b, values[1:]), x, y, EXACT * values[0], places,
                     values[0])


def upper_bound(x, y, theta, places):
    mean, variance = process(x, y, theta, places)
    return mean + DEVIATIONS * numpy.sqrt(variance)


def best_place(x, y, theta, random):
    places = searched_places(x, y, random)
    return places[upper_bound(x, y, theta, places).argmax()]


def model_error(task, thetas, points):
    """The mean squared error of the process's mean, an average over the hyperparameters if there
    are several, in variances of the function."""
    x, y = task.data()
    mean = numpy.mean([process(x, standardised(y), theta, points)[0] for theta in thetas], axis=0)
    truth = -numpy.array([task.regret_at(point) for point in points])
    predicted = -numpy.mean(task.regrets) + numpy.std(task.regrets, ddof=1) * mean
    return float(((predicted - truth) ** 2).mean() / truth.var())


class UnknownHyperparameters:
    """Algorithm 1, without the loss or without EXP3 for what it is compared with. Rewards are
    scaled by the initial results, or by all so far if `running`."""

    def __init__(self, consistent, arms, running=False):
        self.consistent, self.arms, self.running = consistent, arms, running

    def __call__(self, task, trials):
        random, dimension = task.random, len(task.x[0])
        weights = numpy.zeros(2)  # Logarithms.
        rate = min(1.0, math.sqrt(4 * math.log(2) / ((math.e - 1) * trials)))
        low, high = min(task.y), max(task.y)
        theta = numpy.full(dimension + 1, -1.0)
        points = random.uniform(size=(CHECKED, dimension))
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
                task.evaluate(best_place(x, y, theta, random))
            if number % 2 == 1:
                if self.running:
                    low, high = min(task.y), max(task.y)
                reward = min(max((max(task.y[-2:]) - low) / ((high - low) or 1), 0), 1)
                weights[arm] += rate * reward / (2 * chances[arm])
            if len(task.y) in CHECKPOINTS:
                errors.append(model_error(task, [theta], points))
        return {"model_error": errors}


# ---- What chooses one place after another. ----

class Fitted:
    """`used` are the hyperparameters of the model from which the last place was chosen."""

    def __init__(self, task, trials):
        self.task, self.random, self.trials = task, task.random, trials
        self.dimension = task.places.shape[1]
        self.theta = numpy.full(self.dimension + 1, -1.0)
        self.used = [self.theta]

    def fit(self):
        x, y = self.task.data()
        y = standardised(y)
        self.theta = most_probable(x, y, self.theta, self.random)
        self.used = [self.theta]
        return x, y

    def divided(self, x, y, places, divisor):
        """The chosen place and its deviation with lengthscales divided by so much."""
        theta = self.theta - numpy.append(0, numpy.full(self.dimension, math.log(divisor)))
        self.used = [theta]
        mean, variance = process(x, y, theta, places)
        deviation = numpy.sqrt(variance)
        chosen = (mean + DEVIATIONS * deviation).argmax()
        return places[chosen], float(deviation[chosen])


class Uniform(Fitted):
    def next_place(self):
        return self.random.uniform(size=self.dimension)


class Portfolio(Fitted):
    """EXP3 chooses for each evaluation between a random place and that of the upper bound. Rewards
    are scaled by the initial results."""

    def __init__(self, task, trials):
        super().__init__(task, trials)
        self.weights, self.arm, self.chances = numpy.zeros(2), None, None
        self.low, self.high = min(task.y), max(task.y)
        self.rate = min(1.0, math.sqrt(2 * math.log(2) / ((math.e - 1) * trials)))

    def next_place(self):
        if self.arm is not None:
            reward = (self.task.y[-1] - self.low) / ((self.high - self.low) or 1)
            self.weights[self.arm] += (self.rate * min(max(reward, 0), 1)
                                       / (2 * self.chances[self.arm]))
        shares = numpy.exp(self.weights - self.weights.max())
        self.chances = (1 - self.rate) * shares / shares.sum() + self.rate / 2
        self.arm = int(self.random.uniform() >= self.chances[0])
        if self.arm == 0:
            return self.random.uniform(size=self.dimension)
        x, y = self.fit()
        return best_place(x, y, self.theta, self.random)


class Expanding(Fitted):
    """A-GP-UCB with equations 16 and 18, a constant multiplier and g = h. As nothing else keeps h
    from growing where the deviations are small, it grows no faster than a logarithm."""

    def __init__(self, task, trials):
        super().__init__(task, trials)
        self.h, self.paid, self.number = 1.0, 0.0, 0

    def next_place(self):
        x, y = self.fit()
        places = searched_places(x, y, self.random)
        self.number += 1
        while True:
            place, deviation = self.divided(x, y, places, self.h)
            estimate = self.paid + 2 * DEVIATIONS * deviation
            if (estimate >= self.number ** 0.9
                    or GROWTH * self.h > 10 * (1 + math.log(self.number))):
                break
            self.h *= GROWTH
        self.paid = estimate
        return place


class Shrinking(Fitted):
    """Wang & de Freitas: the least divisor at which the deviation is at least 0.1."""

    def next_place(self):
        x, y = self.fit()
        places, divisor = searched_places(x, y, self.random), 1.0
        while True:
            place, deviation = self.divided(x, y, places, divisor)
            if deviation >= 0.1 or divisor > 1000:
                return place
            divisor *= GROWTH


class Sampled(Fitted):
    """The upper bound is averaged over samples of the hyperparameters, at fewer places."""

    def next_place(self):
        x, y = self.task.data()
        y = standardised(y)
        for _ in range(BURNT):
            self.sweep(x, y)
        self.used = []
        for _ in range(KEPT):
            self.sweep(x, y)
            self.used.append(self.theta.copy())
        places = searched_places(x, y, self.random, SEARCHED // 3)
        bounds = [upper_bound(x, y, theta, places) for theta in self.used]
        return places[numpy.mean(bounds, axis=0).argmax()]

    def sweep(self, x, y):
        """Slice sampling of one hyperparameter after the other, with slices that are first stepped
        out by 1 and then shrunk."""
        for index in range(len(self.theta)):
            def density(value, index=index):
                if not LOG_LOW <= value <= LOG_HIGH:
                    return -math.inf
                moved = self.theta.copy()
                moved[index] = value
                return log_posterior(moved, x, y)
            at = self.theta[index]
            level = density(at) - self.random.exponential()
            low = at - self.random.uniform()
            high = low + 1
            while density(low) > level:
                low -= 1
            while density(high) > level:
                high += 1
            while True:
                value = self.random.uniform(low, high)
                if density(value) > level:
                    break
                low, high = (value, high) if value < at else (low, value)
            self.theta[index] = value


def one_by_one(chooser):
    def program(task, trials):
        points = task.random.uniform(size=(CHECKED, task.places.shape[1]))
        choice, errors = chooser(task, trials), []
        while len(task.y) < trials:
            task.evaluate(choice.next_place())
            if len(task.y) in CHECKPOINTS:
                if chooser is Uniform:
                    choice.fit()
                errors.append(model_error(task, choice.used, points))
        return {"model_error": errors}
    return program


def timed(program):
    def of_seconds(task, trials):
        began = time.process_time()
        told = program(task, trials)
        return told | {"seconds": [time.process_time() - began]}
    return of_seconds


def programs():
    methods = {"UHE-BO": UnknownHyperparameters(True, "exp3"),
               "MAP": UnknownHyperparameters(False, "none"),
               "Random+EXP3": UnknownHyperparameters(False, "exp3"),
               "RA-BO": UnknownHyperparameters(True, "alternate"),
               "MCMC": one_by_one(Sampled), "A-GP-UCB": one_by_one(Expanding),
               "Wang & de Freitas": one_by_one(Shrinking), "Portfolio": one_by_one(Portfolio),
               "Random": one_by_one(Uniform)}
    methods = {name: timed(program) for name, program in methods.items()}
    running = {"UHE-BO": UnknownHyperparameters(True, "exp3", running=True),
               "MAP": methods["MAP"],
               "Random+EXP3": UnknownHyperparameters(False, "exp3", running=True)}
    return dict.fromkeys(("branin", "hartmann3", "deceptive2", "h1", "deceptive4"), methods) | {
        "deceptive2, running rewards": running, "h1, running rewards": running}
