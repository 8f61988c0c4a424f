"""A problem as a peer sees it: its space, and values of configurations from evidence_objective."""

import dataclasses
import json
import math
import subprocess

CANNOT_BEGIN = 77  # An exit code of the program.


@dataclasses.dataclass
class Parameter:
    name: str
    type: str             # double, integer, discrete, categorical or boolean.
    values: list = None   # Those of a discrete, categorical or boolean parameter.
    min: float = None     # Those of a double or integer parameter.
    max: float = None
    scale: str = None     # linear, log or reverse_log; None without an order.
    parent: str = None    # The parameter that decides whether this one is active,
    when: tuple = ()      # which it is for these values.

    @classmethod
    def of(cls, json_parameter):
        fields = dict(json_parameter)
        condition = fields.pop("condition", None) or {"parent": None, "values": ()}
        if fields["type"] == "boolean":
            fields["values"] = [False, True]
        return cls(parent=condition["parent"], when=tuple(condition["values"]), **fields)

    def is_ordered(self):
        return self.scale is not None

    def is_active(self, configuration):
        """Given its parent's value, absent if that is inactive itself."""
        return self.parent is None or configuration.get(self.parent) in self.when

    def mirrored(self, value):
        """What has a logarithmic scale if the parameter has a reversed one; its own inverse."""
        return min(max(self.min + self.max - value, self.min), self.max)

    def at(self, share):
        """The value at this share of a double or integer parameter's scale."""
        if self.type == "integer":
            low, high = self.min - 0.5, self.max + 0.5
        else:
            low, high = self.min, self.max
        if self.scale == "linear":
            value = low + share * (high - low)
        else:
            value = low * math.exp(share * math.log(high / low))
        value = min(max(value, self.min), self.max)
        value = self.mirrored(value) if self.scale == "reverse_log" else value
        return round(value) if self.type == "integer" else value


class Space:
    def __init__(self, parameters):
        """`parameters` as the program prints them; here parents stand before children."""
        waiting = [Parameter.of(each) for each in parameters]
        self.parameters = []
        while waiting:
            known = {None, *(each.name for each in self.parameters)}
            ready = [each for each in waiting if each.parent in known]
            self.parameters += ready
            waiting = [each for each in waiting if each not in ready]

    def active_part(self, values):
        """The configuration that a value for every parameter stands for."""
        configuration = {}
        for parameter in self.parameters:
            if parameter.is_active(configuration):
                configuration[parameter.name] = values[parameter.name]
        return configuration


def bounds_of(parameter):
    """The smallest and the largest value of a parameter that has an order."""
    values = parameter.values
    return (values[0], values[-1]) if values else (parameter.min, parameter.max)


def share_of(parameter, value):
    """Where a number lies between its bounds, on the parameter's scale."""
    low, high = bounds_of(parameter)
    if parameter.scale == "reverse_log":
        value = parameter.mirrored(value)
    if parameter.scale in ("log", "reverse_log"):
        return math.log(value / low) / math.log(high / low)
    return (value - low) / (high - low)


def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def row_of(space, configuration):
    """A configuration of texts as numbers: one for each parameter with an order, one for each choice
    of another one, and 0 where a parameter is inactive."""
    row = []
    for parameter in space.parameters:
        text = configuration.get(parameter.name)
        if not parameter.is_ordered():
            row += [float(text == text_of(choice)) for choice in parameter.values]
        else:
            row.append(0.0 if text is None else share_of(parameter, float(text)))
    return row


class CannotBegin(Exception):
    """The problem does not begin like that; the message says why."""


class Objective:
    """A running evidence_objective. Use it in a with statement."""

    def __init__(self, program, data, problem, seed, sources=False):
        command = [program, "--problem", problem, "--seed", str(seed), "--data", data]
        self._process = subprocess.Popen(
            command + (["--sources"] if sources else []), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self._process.stdout.readline()
        if not line:
            message = self._process.communicate()[1].strip()
            if self._process.returncode == CANNOT_BEGIN:
                raise CannotBegin(message)
            raise RuntimeError(message)
        described = json.loads(line)
        self.space = Space(described["parameters"])
        self.noiseless = described["noiseless"]
        self.branch = described["branch"]
        self.best_branches = described["best_branches"]
        self.candidates = described["candidates"]  # Configurations as texts; empty without a list.
        self.sources = described["sources"]  # Each task's configurations as texts, and its values.
        self.minimises = described["goal"] == "minimize"
        self._sign = 1 if self.minimises else -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.communicate()

    def losses_of_sources(self):
        """The sources with values that are to be minimised."""
        return [[(configuration, self._sign * value) for configuration, value in points]
                for points in self.sources]

    def evaluate(self, configuration):
        """Returns (what is to be minimised, the regret, the branch)."""
        line = "\t".join(f"{name}={text_of(value)}" for name, value in configuration.items())
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(self._process.communicate()[1].strip() or "the objective ended")
        value, regret, branch = answer.rstrip("\n").split("\t")
        return self._sign * float(value), float(regret), branch
