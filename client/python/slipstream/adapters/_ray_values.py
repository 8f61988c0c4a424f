"""Ray Tune's domains as a space of Slipstream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Tuple

from ray.tune.search import sample
from ray.tune.search.variant_generator import parse_spec_vars

from slipstream._convert.words import words_of
from slipstream.parameters import Parameter, Value, choice, integer, log, real

Path = Tuple[str, ...]  # Leads to a value in a nested configuration.


@dataclass(frozen=True)
class Translation:
    """A parameter, and the values that a configuration gets for its values."""

    path: Path
    parameter: Parameter
    to_tune: Callable[[Value], Any]


def _categorical(path: Path, domain: Any) -> Translation:
    values = list(domain.categories)
    words = words_of(values)
    return Translation(path, choice(*words), lambda value: values[words.index(str(value))])


def _numeric(path: Path, domain: Any) -> Translation:
    sampler, quantum = domain.get_sampler(), None
    if isinstance(sampler, sample.Quantized):
        sampler, quantum = sampler.get_sampler(), sampler.q
    is_log = isinstance(sampler, sample.LogUniform)
    if not is_log and not isinstance(sampler, sample.Uniform):
        raise TypeError(f"{type(sampler).__name__.lstrip('_').lower()} is neither uniform nor "
                        "loguniform, and has no bounds")
    whole = isinstance(domain, sample.Integer)
    scale = "log" if is_log else "linear"
    if quantum not in (None, 1):
        return _quantized(path, domain, quantum, int if whole else float, scale)
    if whole:
        # Without a quantum the upper bound is not a value.
        high = domain.upper if quantum else domain.upper - 1
        return Translation(path, integer(domain.lower, high, scale=scale), int)
    make = log if is_log else real
    return Translation(path, make(domain.lower, domain.upper), float)


def _quantized(
    path: Path, domain: Any, quantum: Any, convert: Callable[[Any], Any], scale: str
) -> Translation:
    """Multiples of the quantum, which both bounds are, counted from the lowest or, on a logarithmic
    scale, from zero."""
    first, last = round(domain.lower / quantum), round(domain.upper / quantum)
    if scale == "log":
        return Translation(path, integer(first, last, scale=scale),
                           lambda value: convert(int(value) * quantum))
    return Translation(path, integer(0, int(last - first)),
                       lambda value: convert((first + int(value)) * quantum))


def _translate(path: Path, domain: Any) -> Translation:
    if isinstance(domain, sample.Categorical):
        return _categorical(path, domain)
    if isinstance(domain, (sample.Float, sample.Integer)):
        return _numeric(path, domain)
    raise TypeError("a function that samples cannot be tuned; give uniform, choice or another domain")


def translate_all(config: Mapping[str, Any]) -> Dict[str, Translation]:
    """The domains in a nested configuration, by their paths' names joined by slashes."""
    _, domains, grids = parse_spec_vars(config)
    if grids:
        raise ValueError(f"grid_search at {'/'.join(grids[0][0])} is a search of its own; give "
                         "tune.choice instead")
    translations = {}
    for path, domain in domains:
        name = "/".join(str(part) for part in path)
        try:
            translations[name] = _translate(tuple(path), domain)
        except TypeError as error:
            raise TypeError(f"parameter {name!r}: {error}") from None
    return translations


def of_space(space: Mapping[str, Parameter]) -> Dict[str, Translation]:
    """The parameters of a space of Slipstream's, whose names are paths joined by slashes."""
    return {name: Translation(tuple(name.split("/")), parameter, lambda value: value)
            for name, parameter in space.items()}


def nested(values: Mapping[str, Value], translations: Mapping[str, Translation]) -> Dict[str, Any]:
    """The configuration with these values."""
    config: Dict[str, Any] = {}
    for name, value in values.items():
        translation = translations[name]
        place = config
        for part in translation.path[:-1]:
            place = place.setdefault(part, {})
        place[translation.path[-1]] = translation.to_tune(value)
    return config
