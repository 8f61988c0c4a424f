"""Learners, their hyperparameters and the data sets that record_learners tunes them on."""

import dataclasses
import math
import typing

import numpy
from sklearn import datasets, decomposition, ensemble, kernel_ridge, linear_model, neighbors
from sklearn import pipeline, preprocessing

DIVERGED = 100.0  # The largest squared error that is told apart, in variances of the outcome.


def some_of(bunch, count, seed=0):
    """So many random rows of a data set that comes with scikit-learn."""
    x, y = bunch
    rows = numpy.random.default_rng(seed).permutation(len(y))[:count]
    return numpy.asarray(x, float)[rows], numpy.asarray(y)[rows]


def classifications():
    digits = datasets.load_digits(return_X_y=True)
    make = datasets.make_classification
    return {
        "iris": some_of(datasets.load_iris(return_X_y=True), 150),
        "wine": some_of(datasets.load_wine(return_X_y=True), 178),
        "cancer": some_of(datasets.load_breast_cancer(return_X_y=True), 280),
        "digits": some_of(digits, 320, 1),
        "digits_small": some_of(digits, 130, 2),
        "digit8": some_of((digits[0], digits[1] == 8), 320, 3),
        "digit_odd": some_of((digits[0], digits[1] % 2), 300, 4),
        "make_easy": make(260, 8, n_informative=5, class_sep=1.3, flip_y=0.02, random_state=1),
        "make_noise_columns": make(260, 40, n_informative=4, n_redundant=0, random_state=2),
        "make_flip": make(260, 10, n_informative=6, n_classes=3, n_clusters_per_class=2,
                          flip_y=0.2, random_state=3),
        "moons": datasets.make_moons(240, noise=0.3, random_state=4),
        "quantiles": datasets.make_gaussian_quantiles(n_samples=240, n_features=6, n_classes=3,
                                                      random_state=5),
    }


def regressions():
    diabetes = datasets.load_diabetes(return_X_y=True)
    return {
        "diabetes": some_of(diabetes, 260),
        "diabetes_small": some_of(diabetes, 90, 7),
        "friedman1": datasets.make_friedman1(220, 10, noise=1.0, random_state=1),
        "friedman1_noisy": datasets.make_friedman1(140, 20, noise=4.0, random_state=2),
        "friedman2": datasets.make_friedman2(200, noise=40.0, random_state=3),
        "friedman3": datasets.make_friedman3(200, noise=0.1, random_state=4),
        "linear": datasets.make_regression(200, 12, n_informative=6, noise=20.0, random_state=5),
        "linear_wide": datasets.make_regression(110, 60, n_informative=5, noise=10.0,
                                                random_state=6),
        "sparse": datasets.make_sparse_uncorrelated(180, 8, random_state=7),
        "swiss": datasets.make_swiss_roll(220, noise=0.4, random_state=8),
    }


@dataclasses.dataclass(frozen=True)
class Parameter:
    """How its values are drawn, and where it is active."""

    draw: typing.Callable
    where: tuple = ()  # A parent, and the parent's values.


def real(low, high, where=()):
    return Parameter(lambda random: round(random.uniform(low, high), 6), where)


def log(low, high, where=()):
    return Parameter(
        lambda random: float(f"{math.exp(random.uniform(math.log(low), math.log(high))):.6g}"),
        where)


def whole(low, high, where=()):
    return Parameter(lambda random: int(random.integers(low, high + 1)), where)


def log_whole(low, high):
    return Parameter(lambda random: min(high, math.floor(
        math.exp(random.uniform(math.log(low), math.log(high + 1))))))


def one_of(*words):
    return Parameter(lambda random: str(random.choice(words)))


NEIGHBOURS = {
    "neighbours": log_whole(1, 40),
    "weights": one_of("uniform", "distance"),
    "metric": one_of("minkowski", "cosine", "chebyshev"),
    "p": real(1, 5, ("metric", "minkowski")),
    "scale": one_of("none", "standard", "minmax"),
    "pca": one_of("no", "yes"),
    "kept": real(0.1, 1, ("pca", "yes")),
}
DESCENT = {
    "surrogate": one_of("hinge", "log_loss", "modified_huber"),
    "penalty": one_of("l1", "l2", "elasticnet"),
    "l1_ratio": real(0.02, 0.98, ("penalty", "elasticnet")),
    "alpha": log(1e-6, 1),
    "schedule": one_of("optimal", "constant", "invscaling"),
    "eta0": log(1e-4, 10, ("schedule", "constant", "invscaling")),
    "power_t": real(0.1, 0.9, ("schedule", "invscaling")),
    "average": one_of("no", "yes"),
    "epochs": log_whole(2, 40),
}
RIDGE = {
    "kernel": one_of("rbf", "laplacian", "polynomial", "linear", "sigmoid"),
    "alpha": log(1e-4, 100),
    "gamma": log(1e-4, 3, ("kernel", "rbf", "laplacian", "polynomial", "sigmoid")),
    "degree": whole(2, 4, ("kernel", "polynomial")),
    "coef0": real(0, 2, ("kernel", "polynomial", "sigmoid")),
    "quantiles": one_of("no", "yes"),
}
TREES = {
    "kind": one_of("extra", "random"),
    "criterion": one_of("gini", "entropy"),
    "max_features": real(0.05, 1),
    "min_samples_leaf": log_whole(1, 30),
    "max_depth": whole(1, 14),
    "bootstrap": one_of("no", "yes"),
    "max_samples": real(0.1, 1, ("bootstrap", "yes")),
}
BOOSTING = {
    "learning_rate": log(0.01, 1),
    "iterations": log_whole(4, 48),
    "leaves": log_whole(3, 32),
    "min_samples_leaf": whole(2, 50),
    "l2": log(1e-4, 100),
    "features": real(0.1, 1),
}


def draw(space, random):
    """A configuration without the parameters that are inactive in it."""
    found = {}
    for name, parameter in space.items():
        parent, *values = parameter.where or (None,)
        if parent is None or found.get(parent) in values:
            found[name] = parameter.draw(random)
    return found


def neighbours(given, x):
    steps = []
    if given["scale"] == "standard":
        steps.append(preprocessing.StandardScaler())
    elif given["scale"] == "minmax":
        steps.append(preprocessing.MinMaxScaler())
    if given["pca"] == "yes":
        most = min(x.shape[1], int(0.6 * len(x)))
        steps.append(decomposition.PCA(max(1, min(most, math.ceil(given["kept"] * x.shape[1]))),
                                       random_state=0))
    steps.append(neighbors.KNeighborsClassifier(
        given["neighbours"], weights=given["weights"], metric=given["metric"],
        algorithm="brute", p=given.get("p", 2)))
    return pipeline.make_pipeline(*steps)


def descent(given, _):
    return pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.SGDClassifier(
        loss=given["surrogate"], penalty=given["penalty"], l1_ratio=given.get("l1_ratio", 0.15),
        alpha=given["alpha"], learning_rate=given["schedule"], eta0=given.get("eta0", 1.0),
        power_t=given.get("power_t", 0.5), average=given["average"] == "yes",
        max_iter=given["epochs"], tol=None, random_state=0))


def ridge(given, _):
    first = (preprocessing.QuantileTransformer(n_quantiles=40, output_distribution="normal",
                                               random_state=0)
             if given["quantiles"] == "yes" else preprocessing.StandardScaler())
    more = {name: given[name] for name in ("gamma", "degree", "coef0") if name in given}
    return pipeline.make_pipeline(first, kernel_ridge.KernelRidge(
        alpha=given["alpha"], kernel=given["kernel"], **more))


def trees(given, _):
    kind = (ensemble.ExtraTreesClassifier if given["kind"] == "extra"
            else ensemble.RandomForestClassifier)
    return kind(12, criterion=given["criterion"], max_features=given["max_features"],
                min_samples_leaf=given["min_samples_leaf"], max_depth=given["max_depth"],
                bootstrap=given["bootstrap"] == "yes", max_samples=given.get("max_samples"),
                random_state=0)


def boosting(given, _):
    return ensemble.HistGradientBoostingRegressor(
        learning_rate=given["learning_rate"], max_iter=given["iterations"],
        max_leaf_nodes=given["leaves"], min_samples_leaf=given["min_samples_leaf"],
        l2_regularization=given["l2"], max_features=given["features"], early_stopping=False,
        max_bins=64, random_state=0)


def error(model, x, y, _):
    return float((model.predict(x) != y).mean())


def log_loss(model, x, y, _):
    """-log of the probability of what is true; data sets number their classes from 0."""
    probabilities = model.predict_proba(x)[numpy.arange(len(y)), y]
    return float(-numpy.log(numpy.clip(probabilities, 1e-4, 1)).mean())


def squared(model, x, y, variance):
    with numpy.errstate(all="ignore"):
        loss = ((model.predict(x) - y) ** 2).mean() / variance
    return float(min(numpy.nan_to_num(loss, nan=DIVERGED, posinf=DIVERGED), DIVERGED))


@dataclasses.dataclass(frozen=True)
class Learner:
    space: dict
    make: typing.Callable
    loss: typing.Callable
    data_sets: typing.Callable
    configurations: int
    folds: int


LEARNERS = {
    "learner_neighbours": Learner(NEIGHBOURS, neighbours, error, classifications, 200, 4),
    "learner_descent": Learner(DESCENT, descent, error, classifications, 220, 3),
    "learner_ridge": Learner(RIDGE, ridge, squared, regressions, 220, 4),
    "learner_trees": Learner(TREES, trees, log_loss, classifications, 160, 2),
    "learner_boosting": Learner(BOOSTING, boosting, squared, regressions, 180, 2),
}
