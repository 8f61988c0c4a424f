"""HEBO with its defaults. It knows no conditions: every parameter has a value, and the model keeps
those of inactive ones."""

import contextlib
import io
import random

import numpy
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO


def declared(parameter):
    name = parameter.name
    if parameter.type == "categorical":
        return {"name": name, "type": "cat", "categories": parameter.values}
    if parameter.type == "boolean":
        return {"name": name, "type": "bool"}
    if parameter.type == "discrete":  # Counts the values.
        return {"name": name, "type": "int", "lb": 0, "ub": len(parameter.values) - 1}
    logarithmic = parameter.scale != "linear"
    kind = {("integer", False): "int", ("integer", True): "pow_int",
            ("double", False): "num", ("double", True): "pow"}[parameter.type, logarithmic]
    return {"name": name, "type": kind, "lb": parameter.min, "ub": parameter.max}


def value_of(parameter, answer):
    if parameter.type == "categorical":
        return str(answer)
    if parameter.type == "boolean":
        return bool(answer)
    if parameter.type == "discrete":
        return parameter.values[int(answer)]
    if parameter.type == "integer":
        return min(max(int(answer), int(parameter.min)), int(parameter.max))
    value = min(max(float(answer), parameter.min), parameter.max)
    return parameter.mirrored(value) if parameter.scale == "reverse_log" else value


class HeboPeer:
    def __init__(self, space, seed, _):
        random.seed(seed)
        numpy.random.seed(seed)
        torch.manual_seed(seed)
        self._space = space
        self._open = []
        self._optimiser = HEBO(DesignSpace().parse([declared(each) for each in space.parameters]),
                               scramble_seed=seed)

    def ask(self):
        with contextlib.redirect_stdout(io.StringIO()):  # It prints its jitter.
            suggestion = self._optimiser.suggest(1)
        answer = suggestion.iloc[0]
        configuration = self._space.active_part(
            {each.name: value_of(each, answer[each.name]) for each in self._space.parameters})
        self._open.append((configuration, suggestion))
        return configuration

    def tell(self, configuration, loss):
        place = next(i for i, (known, _) in enumerate(self._open) if known is configuration)
        self._optimiser.observe(self._open.pop(place)[1], numpy.array([[loss]]))
