"""Tunes gradient boosting with four worker processes that learn from an earlier study; see
four_workers.py.

usage: boosting.py [TRIALS]
"""

import four_workers
from sklearn import ensemble

from slipstream import choice, integer, log, real

SPACE = {
    "learning_rate": log(1e-3, 1),
    "n_estimators": integer(10, 100, scale="log"),
    "max_depth": integer(1, 8),
    "min_samples_split": integer(2, 32, scale="log"),
    "min_samples_leaf": integer(1, 32, scale="log"),
    "subsample": real(0.3, 1),
    "max_features": real(0.1, 1),
    "min_impurity_decrease": real(0, 0.1),
    "ccp_alpha": real(0, 0.02),
    "max_leaf_nodes": integer(2, 64, scale="log"),
    "loss": choice("log_loss", "exponential"),
}


def make_model(**params):
    return ensemble.GradientBoostingClassifier(random_state=0, **params)


if __name__ == "__main__":
    four_workers.main("example-boosting", SPACE, make_model)
