"""Search spaces."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence

from slipstream._convert.values import (
    Space,
    configuration_message,
    configuration_of,
    value_message,
    value_of,
)
from slipstream._wire import messages
from slipstream._wire.messages import Message
from slipstream.parameters import Condition, Parameter

_DOMAINS = {
    "real": "double_domain",
    "integer": "integer_domain",
    "discrete": "discrete_domain",
    "choice": "categorical_domain",
    "boolean": "boolean_domain",
}
_KINDS = {domain: kind for kind, domain in _DOMAINS.items()}


def _parameter_message(name: str, parameter: Parameter, space: Mapping[str, Parameter]) -> Message:
    message = messages.new("Parameter", name=name)
    domain = getattr(message, _DOMAINS[parameter.kind])
    domain.SetInParent()
    if parameter.low is not None:
        domain.min, domain.max = parameter.low, parameter.high
    if parameter.values:
        domain.values.extend(parameter.values)
    if parameter.scale != "linear":
        domain.scale = messages.enum_value("Scale", parameter.scale.upper())
    if parameter.default is not None:
        message.default_value.CopyFrom(value_message(parameter.default, parameter, "default"))
    if parameter.condition is not None:
        _set_condition(message, name, parameter.condition, space)
    return message


def _set_condition(
    message: Message, name: str, condition: Condition, space: Mapping[str, Parameter]
) -> None:
    if condition.parent not in space:
        raise ValueError(
            f"{name!r} is active when {condition!r}, but the space has no {condition.parent!r}"
        )
    message.condition.parent = condition.parent
    for value in condition.values:
        encoded = value_message(value, space[condition.parent], condition.parent)
        message.condition.values.append(encoded)


def check_parameters(space: Mapping[str, Parameter]) -> None:
    """TypeError for what is no parameter, ValueError for integers that no message can hold."""
    for name, parameter in space.items():
        if not isinstance(name, str):
            raise TypeError(f"the space has a parameter called {name!r}, and names are strings")
        if not isinstance(parameter, Parameter):
            raise TypeError(
                f"space[{name!r}] is {parameter!r}, but must be a parameter, such as "
                "slipstream.real(0, 1) or slipstream.choice('a', 'b')"
            )
        bounds = (parameter.low, parameter.high) if parameter.kind == "integer" else ()
        if not all(-(2**63) <= bound < 2**63 for bound in bounds if bound is not None):
            raise ValueError(
                f"space[{name!r}] is {parameter!r}: its bounds must be from -2**63 to 2**63 - 1"
            )


def space_message(
    space: Mapping[str, Parameter], candidates: Sequence[Mapping[str, Any]], allow_repeats: bool
) -> Message:
    """The space, with a list of candidates unless that is empty."""
    message = messages.new("SearchSpace")
    check_parameters(space)
    for name, parameter in space.items():
        message.parameters.append(_parameter_message(name, parameter, space))
    if candidates:
        message.candidates.allow_repeats = allow_repeats
        for row in candidates:
            message.candidates.configurations.append(configuration_message(row, dict(space)))
    return message


def _parameter_of(message: Message) -> Parameter:
    field = message.WhichOneof("domain")
    domain, kind = getattr(message, field), _KINDS[field]
    bounded = kind in ("real", "integer")
    scaled = bounded or kind == "discrete"
    scale = messages.enum_name("Scale", domain.scale).lower() if scaled else "linear"
    values = tuple(domain.values) if kind in ("discrete", "choice") else ()
    if kind == "discrete" and all(value.is_integer() for value in values):
        values = tuple(int(value) for value in values)
    return Parameter(
        kind=kind,
        low=domain.min if bounded else None,
        high=domain.max if bounded else None,
        values=values,
        scale="linear" if scale == "scale_unspecified" else scale,
    )


def space_of(message: Message) -> Space:
    """The parameters by name, in order."""
    bare = {one.name: _parameter_of(one) for one in message.parameters}
    space = {}
    for one in message.parameters:
        parameter, condition, default = bare[one.name], None, None
        if one.HasField("condition"):
            parent = bare[one.condition.parent]
            values = tuple(value_of(value, parent) for value in one.condition.values)
            condition = Condition(one.condition.parent, values)
        if one.HasField("default_value"):
            default = value_of(one.default_value, parameter)
        space[one.name] = Parameter(
            parameter.kind, parameter.low, parameter.high, parameter.values, parameter.scale,
            default, condition,
        )
    return space


def candidates_of(message: Message, space: Space) -> List[Dict[str, Any]]:
    """The candidates, none if the space is not a list of them."""
    return [configuration_of(one, space) for one in message.candidates.configurations]
