"""Gradient boosting on a split of the breast-cancer data: what boosting.py's processes run.

usage: boosting_worker.py STUDY SPLIT
"""

import sys

from sklearn import datasets, ensemble, model_selection

import slipstream
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


def accuracy_on(split):
    """An objective: the accuracy on a part of the data that the split leaves out."""
    x, y = datasets.load_breast_cancer(return_X_y=True)
    parts = model_selection.train_test_split(x, y, test_size=0.5, random_state=split)
    x_train, x_test, y_train, y_test = parts

    def accuracy(trial):
        model = ensemble.GradientBoostingClassifier(random_state=0, **trial)
        return model.fit(x_train, y_train).score(x_test, y_test)

    return accuracy


def main():
    study = slipstream.load(sys.argv[1])
    accuracy = accuracy_on(int(sys.argv[2]))
    while True:
        with study.suggest() as trial:
            print(trial.number, flush=True)
            trial.complete(accuracy(trial))


if __name__ == "__main__":
    main()
