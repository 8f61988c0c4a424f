"""The trainings behind the tuning_*.csv tables: models whose hyperparameters are points of the unit
cube, on data sets that come with scikit-learn.

Where papers give bounds of hyperparameters, these are theirs. Values are to be maximised.
"""

import functools
import math
import warnings

import numpy
from sklearn import datasets, ensemble, linear_model, metrics, model_selection, neural_network
from sklearn import preprocessing, svm

SEED = 20261124
WORST_LOSS = 5.0
TARGET, SOURCE = "target", "source"


def share(u, low, high):
    return low + u * (high - low)


def log_share(u, low, high):
    return low * (high / low) ** u


def whole(u, low, high):
    return min(low + int(u * (high - low + 1)), high)


def one_of(u, *words):
    return words[min(int(u * len(words)), len(words) - 1)]


# ---- Data: (x, y, other_x, other_y) of a task on a split ----

@functools.cache
def scaled(name):
    data = {"cancer": datasets.load_breast_cancer, "digits": datasets.load_digits}[name]()
    return preprocessing.StandardScaler().fit_transform(data.data), data.target


def divided(x, y, train, seed):
    x, other_x, y, other_y = model_selection.train_test_split(
        x, y, train_size=train, random_state=seed, stratify=y)
    return x, y, other_x, other_y


@functools.cache
def overlapping(name, which, split):
    """60% of the data in both tasks, and 20% in each alone; 30% of a task's data validates."""
    x, y = scaled(name)
    order = numpy.random.default_rng(SEED + split).permutation(len(y))
    shared, rest = order[:int(0.6 * len(y))], order[int(0.6 * len(y)):]
    half = len(rest) // 2
    rows = numpy.concatenate([shared, rest[:half] if which == TARGET else rest[half:]])
    return divided(x[rows], y[rows], 0.7, SEED + split)


@functools.cache
def part_of(name, which, split):
    """60% to train, of which the source has 30%."""
    x, y = scaled(name)
    x, y, other_x, other_y = divided(x, y, 0.6, SEED + split)
    if which == SOURCE:
        x, y, _, _ = divided(x, y, 0.3, SEED + split)
    return x, y, other_x, other_y


@functools.cache
def two_thirds(name, _, split):
    x, y = scaled(name)
    return divided(x, y, 2 / 3, SEED + split)


def accuracy(model, data):
    x, y, other_x, other_y = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Solvers that stop before they converge.
        try:
            return model.fit(x, y).score(other_x, other_y)
        except ValueError:  # The training diverged.
            return 0.0


# ---- Trainings ----

def boosting11(u, which, split):
    model = ensemble.GradientBoostingClassifier(
        loss=one_of(u[0], "log_loss", "exponential"), learning_rate=share(u[1], 0.001, 1),
        n_estimators=whole(u[2], 20, 200), subsample=share(u[3], 0.02, 1),
        criterion=one_of(u[4], "friedman_mse", "squared_error"),
        min_samples_split=whole(u[5], 2, 10), min_samples_leaf=whole(u[6], 1, 10),
        min_weight_fraction_leaf=share(u[7], 0, 0.5), max_depth=whole(u[8], 1, 10),
        max_features=one_of(u[9], "sqrt", "log2"), max_leaf_nodes=whole(u[10], 2, 10),
        random_state=SEED)
    return accuracy(model, overlapping("cancer", which, split))


def mlp8(u, which, split):
    model = neural_network.MLPClassifier(
        activation=one_of(u[0], "identity", "logistic", "tanh", "relu"),
        alpha=log_share(u[1], 1e-6, 1e-2), learning_rate_init=log_share(u[2], 1e-6, 1e-2),
        max_iter=whole(u[3], 100, 300), shuffle=one_of(u[4], True, False),
        beta_1=share(u[5], 0, 0.9999), beta_2=share(u[6], 0, 0.9999),
        n_iter_no_change=whole(u[7], 1, 10), random_state=SEED)
    return accuracy(model, overlapping("cancer", which, split))


def svm2(u, which, split):
    model = svm.SVC(C=log_share(u[0], 1e-3, 1e3), gamma=log_share(u[1], 1e-5, 1), max_iter=20000)
    return accuracy(model, part_of("digits", which, split))


def elastic2(u, which, split):
    """The area under the curve."""
    x, y, other_x, other_y = part_of("cancer", which, split)
    one, two = log_share(u[0], 1e-5, 1e-1), log_share(u[1], 1e-5, 1e-1)
    model = linear_model.SGDClassifier(loss="log_loss", penalty="elasticnet", alpha=one + two,
                                       l1_ratio=one / (one + two), max_iter=200, random_state=SEED)
    return metrics.roc_auc_score(other_y, model.fit(x, y).decision_function(other_x))


def mlp6(u, which, split):
    """A penalty of squares instead of dropout, which scikit-learn has not, and fewer neurons."""
    model = neural_network.MLPClassifier(
        hidden_layer_sizes=(whole(u[1], 10, 80),) * whole(u[0], 1, 3), solver="sgd",
        learning_rate_init=log_share(u[2], 1e-3, 1), batch_size=whole(u[3], 30, 300),
        momentum=log_share(u[4], 1e-3, 0.999), alpha=log_share(u[5], 1e-5, 1e-1), max_iter=15,
        random_state=SEED)
    return accuracy(model, part_of("digits", which, split))


def logistic2(u, which, split):
    model = linear_model.SGDClassifier(
        loss="log_loss", learning_rate="constant", eta0=10 ** share(u[0], -5, 0),
        alpha=10 ** share(u[1], -5, 0), max_iter=30, tol=None, random_state=SEED)
    return accuracy(model, two_thirds("digits", which, split))


def logistic4(u, which, split):
    """The validation's log loss, its sign changed, after 20 passes of plain gradient descent."""
    x, y, other_x, other_y = two_thirds("digits", which, split)
    rate, penalty = log_share(u[0], 1e-4, 1), log_share(u[1], 1e-6, 1)
    batch, drop = int(log_share(u[2], 20, 1000)), share(u[3], 0, 0.75)
    random = numpy.random.default_rng(SEED)
    weights = numpy.zeros((x.shape[1] + 1, 10))
    x = numpy.column_stack([x, numpy.ones(len(x))])
    other_x = numpy.column_stack([other_x, numpy.ones(len(other_x))])
    wanted = numpy.eye(10)[y]
    for _ in range(20):
        order = random.permutation(len(y))
        for start in range(0, len(y), batch):
            rows = order[start:start + batch]
            kept = x[rows] * (random.uniform(size=(len(rows), x.shape[1])) >= drop) / (1 - drop)
            gradient = kept.T @ (softmax(kept @ weights) - wanted[rows]) / len(rows)
            weights -= rate * (gradient + penalty * weights)
    chosen = softmax(other_x @ weights)[numpy.arange(len(other_y)), other_y]
    loss = float(-numpy.log(numpy.maximum(chosen, 1e-300)).mean())
    return -min(loss, WORST_LOSS) if math.isfinite(loss) else -WORST_LOSS


def softmax(scores):
    powers = numpy.exp(numpy.clip(scores - scores.max(axis=1, keepdims=True), -700, 0))
    return powers / powers.sum(axis=1, keepdims=True)


def boosting4(u, which, split):
    model = ensemble.HistGradientBoostingClassifier(
        max_depth=whole(u[0], 1, 15), max_features=share(u[1], 0.1, 1),
        learning_rate=log_share(u[2], 1e-3, 1), l2_regularization=log_share(u[3], 1e-3, 1e3),
        max_iter=40, random_state=SEED)
    return accuracy(model, two_thirds("cancer", which, split))


def forest4(u, which, split):
    x = two_thirds("digits", which, split)[0]
    model = ensemble.RandomForestClassifier(
        max_depth=round(log_share(u[0], 1, 50)), min_samples_split=round(log_share(u[1], 2, 128)),
        max_features=max(1, round(x.shape[1] ** u[2])), min_samples_leaf=whole(u[3], 1, 20),
        n_estimators=32, random_state=SEED)
    return accuracy(model, two_thirds("digits", which, split))


# For each table: the training, its dimension, the number of configurations and of splits, and
# whether there is a source task.
TRAININGS = {
    "tuning_boosting11": (boosting11, 11, 120, 2, True),
    "tuning_mlp8": (mlp8, 8, 120, 2, True),
    "tuning_svm2": (svm2, 2, 300, 3, True),
    "tuning_elastic2": (elastic2, 2, 300, 3, True),
    "tuning_mlp6": (mlp6, 6, 120, 2, True),
    "tuning_logistic2": (logistic2, 2, 120, 2, False),
    "tuning_logistic4": (logistic4, 4, 120, 2, False),
    "tuning_boosting4": (boosting4, 4, 120, 2, False),
    "tuning_forest4": (forest4, 4, 120, 2, False),
}


def columns_of(name):
    """The columns of the table's values, each a task and a split: target0, source0, target1, ..."""
    _, _, _, splits, has_source = TRAININGS[name]
    tasks = (TARGET, SOURCE) if has_source else (TARGET,)
    return [(task, split) for split in range(splits) for task in tasks]


def configurations(name):
    _, dimension, count, _, _ = TRAININGS[name]
    random = numpy.random.default_rng([SEED, list(TRAININGS).index(name)])
    return numpy.round(random.uniform(size=(count, dimension)), 4)
