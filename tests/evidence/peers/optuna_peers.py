"""Optuna's samplers. Spaces are written as its users write them, by asking for a parameter only
where it is active. Ordinals are integers that count their values."""

import warnings

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)


def suggested(trial, parameter):
    name = parameter.name
    if parameter.type in ("categorical", "boolean"):
        return trial.suggest_categorical(name, parameter.values)
    if parameter.type == "discrete":
        return parameter.values[trial.suggest_int(name, 0, len(parameter.values) - 1)]
    logarithmic = parameter.scale != "linear"
    suggest = trial.suggest_int if parameter.type == "integer" else trial.suggest_float
    value = suggest(name, parameter.min, parameter.max, log=logarithmic)
    return parameter.mirrored(value) if parameter.scale == "reverse_log" else value


class OptunaPeer:
    def __init__(self, sampler, space):
        self._space = space
        self._study = optuna.create_study(sampler=sampler)
        self._open = []

    def ask(self):
        trial = self._study.ask()
        configuration = {}
        for parameter in self._space.parameters:
            if parameter.is_active(configuration):
                configuration[parameter.name] = suggested(trial, parameter)
        self._open.append((configuration, trial))
        return configuration

    def tell(self, configuration, loss):
        """Ends the oldest trial that has this configuration."""
        place = next(i for i, (known, _) in enumerate(self._open) if known is configuration)
        self._study.tell(self._open.pop(place)[1], loss)


def tree_parzen(space, seed, settings):
    return OptunaPeer(optuna.samplers.TPESampler(
        seed=seed, multivariate=True, group=True, constant_liar=settings.workers > 1), space)


def gaussian_process(space, seed, settings):
    """In a conditional space it models the parameters that every trial has; it draws the others."""
    return OptunaPeer(optuna.samplers.GPSampler(
        seed=seed, deterministic_objective=settings.noiseless), space)
