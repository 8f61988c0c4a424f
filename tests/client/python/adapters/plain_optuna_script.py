"""A script of Optuna's as its users write them: conditions, steps, and pruning on the way."""

import math

import optuna

optuna.logging.set_verbosity(optuna.logging.WARNING)


def objective(trial):
    rate = trial.suggest_float("rate", 1e-5, 1.0, log=True)
    layers = trial.suggest_int("layers", 1, 5)
    optimizer = trial.suggest_categorical("optimizer", ["adam", "sgd"])
    bound = math.exp(-0.1 * (math.log10(rate) + 2) ** 2 - 0.05 * (layers - 3) ** 2)
    accuracy = 0.0
    for epoch in range(10):
        accuracy = bound * (1 - 0.6 ** (epoch + 1))
        trial.report(accuracy, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned()
    if optimizer == "sgd":
        accuracy -= 0.1 * (trial.suggest_float("momentum", 0.0, 0.99) - 0.9) ** 2
    return accuracy


study = optuna.create_study(study_name="plain-script", direction="maximize")
study.optimize(objective, n_trials=25)
print(study.best_value)
