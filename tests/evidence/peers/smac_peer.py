"""SMAC3's facade for hyperparameters: a random forest, with conditions in its own words."""

import atexit
import shutil
import tempfile

import ConfigSpace
import smac
from smac.runhistory.dataclasses import TrialValue


def hyperparameter(parameter):
    name = parameter.name
    if parameter.type in ("categorical", "boolean"):
        return ConfigSpace.CategoricalHyperparameter(name, parameter.values)
    if parameter.type == "discrete":
        return ConfigSpace.OrdinalHyperparameter(name, parameter.values)
    kind = (ConfigSpace.UniformIntegerHyperparameter if parameter.type == "integer"
            else ConfigSpace.UniformFloatHyperparameter)
    return kind(name, lower=parameter.min, upper=parameter.max, log=parameter.scale != "linear")


def configuration_space(space, seed):
    made = ConfigSpace.ConfigurationSpace(seed=seed)
    known = {parameter.name: hyperparameter(parameter) for parameter in space.parameters}
    made.add(list(known.values()))
    made.add([ConfigSpace.InCondition(known[parameter.name], known[parameter.parent],
                                      list(parameter.when))
              for parameter in space.parameters if parameter.parent is not None])
    return made


class SmacPeer:
    def __init__(self, space, seed, settings):
        self._space = space
        self._open = []
        folder = tempfile.mkdtemp(prefix="smac")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        scenario = smac.Scenario(configuration_space(space, seed), n_trials=settings.trials,
                                 seed=seed, deterministic=True, output_directory=folder)
        self._facade = smac.HyperparameterOptimizationFacade(
            scenario, target_function=self._never, logging_level=False, overwrite=True)

    @staticmethod
    def _never(configuration, seed=0):
        raise AssertionError("trials are asked for and told")

    def ask(self):
        info = self._facade.ask()
        values = dict(info.config)
        configuration = {}
        for parameter in self._space.parameters:
            if parameter.name not in values:
                continue
            value = values[parameter.name]
            value = value.item() if hasattr(value, "item") else value
            if parameter.scale == "reverse_log":
                value = parameter.mirrored(value)
            configuration[parameter.name] = value
        self._open.append((configuration, info))
        return configuration

    def tell(self, configuration, loss):
        place = next(i for i, (known, _) in enumerate(self._open) if known is configuration)
        self._facade.tell(self._open.pop(place)[1], TrialValue(cost=loss))
