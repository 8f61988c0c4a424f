"""Tunes a support vector machine whose degree exists only for the polynomial kernel.

usage: conditional_svm.py [TRIALS]
"""

import sys

from sklearn import datasets, model_selection, svm

import slipstream
from slipstream import choice, integer, log, real

SPACE = {
    "C": log(1e-2, 1e3, default=1.0),
    "gamma": log(1e-5, 1, when={"kernel": ["rbf", "poly"]}),
    "kernel": choice("linear", "rbf", "poly", default="rbf"),
    "degree": integer(2, 5, when={"kernel": "poly"}),
    "coef0": real(0, 1, when={"kernel": "poly"}),
}


def main():
    x, y = datasets.load_digits(return_X_y=True)
    x, y = x[:600], y[:600]

    def accuracy(trial):
        return model_selection.cross_val_score(svm.SVC(**trial), x, y, cv=3).mean()

    study = slipstream.create_or_load("example-svm", SPACE, maximize="accuracy")
    best = study.optimize(accuracy, trials=int((sys.argv[1:] or ["25"])[0]))
    print(f"accuracy {best.value:.4f} with {dict(best)}")


if __name__ == "__main__":
    main()
