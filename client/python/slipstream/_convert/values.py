"""Values of parameters, and configurations."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from slipstream._wire import messages
from slipstream._wire.messages import Message
from slipstream.parameters import Parameter, Value
from slipstream.scalars import is_number, plain

Space = Dict[str, Parameter]


def value_message(value: Any, parameter: Parameter, name: str) -> Message:
    """A value of the kind that the parameter takes. TypeError if it is of another one."""
    value = plain(parameter.label_of(value))
    if is_number(value) and _is_too_large(value, parameter):
        raise ValueError(f"{name} got a number that is too large for {parameter!r}")
    if parameter.kind == "choice" and isinstance(value, str):
        return messages.new("ParameterValue", category_value=value)
    if parameter.kind == "boolean" and isinstance(value, bool):
        return messages.new("ParameterValue", boolean_value=value)
    if parameter.kind == "integer" and is_number(value) and float(value).is_integer():
        return messages.new("ParameterValue", integer_value=int(value))
    if parameter.kind in ("real", "discrete") and is_number(value):
        return messages.new("ParameterValue", double_value=float(value))
    raise TypeError(f"{name}={value!r} is not a value of {parameter!r}")


def _is_too_large(number: float, parameter: Parameter) -> bool:
    """Whether a message has no room for it."""
    try:
        float(number)
    except OverflowError:
        return True
    # Compared as it is: the nearest double of the largest integers is 2**63.
    return parameter.kind == "integer" and (number < -(2**63) or number >= 2**63)


def value_of(message: Message, parameter: Parameter) -> Value:
    """The value as Python's own type."""
    kind = message.WhichOneof("kind")
    value: Value = getattr(message, kind)
    if kind == "double_value" and parameter.kind == "integer":
        return int(value)
    if kind == "integer_value" and parameter.kind == "real":
        return float(value)
    if parameter.kind == "discrete":
        is_whole = all(float(one).is_integer() for one in (value, *parameter.values))
        return int(value) if is_whole else value
    return value


def with_objects(row: Mapping[str, Value], space: Space) -> Dict[str, Any]:
    """The configuration with what labels stand for."""
    return {name: space[name].object_of(value) for name, value in row.items()}


def configuration_message(row: Mapping[str, Any], space: Space) -> Message:
    """A configuration. KeyError for a name that is not the space's."""
    configuration = messages.new("Configuration")
    for name, value in row.items():
        if name not in space:
            raise KeyError(f"{name!r} is not a parameter of the space, which has {', '.join(space)}")
        configuration.values[name].CopyFrom(value_message(value, space[name], name))
    return configuration


def configuration_of(message: Message, space: Space) -> Dict[str, Value]:
    """The values by name, in the order of the space."""
    values = message.values
    return {
        name: value_of(values[name], parameter)
        for name, parameter in space.items()
        if name in values
    }
