"""Tunes a multi-layer perceptron with four worker processes that learn from an earlier study; see
four_workers.py.

usage: perceptron.py [TRIALS]
"""

import warnings

import four_workers
from sklearn import exceptions, neural_network, pipeline, preprocessing

from slipstream import choice, integer, log, reverse_log

SPACE = {
    "layers": integer(1, 3),
    "units": integer(4, 64, scale="log"),
    "activation": choice("relu", "tanh", "logistic"),
    "solver": choice("adam", "sgd"),
    "momentum": reverse_log(0.5, 0.99, when={"solver": "sgd"}),
    "learning_rate_init": log(1e-4, 0.3),
    "batch_size": integer(8, 128, scale="log"),
    "alpha": log(1e-6, 1),
}


def make_model(layers, units, **params):
    warnings.simplefilter("ignore", exceptions.ConvergenceWarning)  # Only 30 epochs are wanted.
    network = neural_network.MLPClassifier(
        hidden_layer_sizes=(units,) * layers, max_iter=30, random_state=0, **params
    )
    return pipeline.make_pipeline(preprocessing.StandardScaler(), network)


if __name__ == "__main__":
    four_workers.main("example-perceptron", SPACE, make_model)
