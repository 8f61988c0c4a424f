"""What a server offers to make studies of: presets, ingredients and rules of early stopping."""

from __future__ import annotations

from typing import List, Optional

from slipstream._calls.plan import Plan
from slipstream._convert.studies import recipe_of
from slipstream._operations.service import Service
from slipstream._wire.messages import Message
from slipstream.records import Ingredient, IngredientOption, Preset


def presets(service: Service) -> Plan[List[Preset]]:
    """All presets, in the order for people."""
    response = yield from service.list_presets()
    return [
        Preset(one.name, one.summary, one.is_default, recipe_of(one.recipe))
        for one in response.presets
    ]


def ingredients(service: Service, axis: Optional[str]) -> Plan[List[Ingredient]]:
    """All ingredients, or those of one axis."""
    response = yield from service.list_presets()
    axes = list(dict.fromkeys(one.axis for one in response.ingredients))
    if axis is not None and axis not in axes:
        raise ValueError(f"axis={axis!r} must be one of {', '.join(axes)}")
    return [
        _ingredient_of(one, response.options)
        for one in response.ingredients
        if axis in (None, one.axis)
    ]


def _ingredient_of(message: Message, options: List[Message]) -> Ingredient:
    own = f"{message.axis} {message.name}"  # Two ingredients may have options of one name.
    return Ingredient(
        message.axis, message.name, message.summary, message.source,
        tuple(_option_of(one) for one in options if own in one.ingredients),
        tuple(message.conflicts),
    )


def _option_of(message: Message) -> IngredientOption:
    default = message.default_value if message.HasField("default_value") else None
    return IngredientOption(
        message.name, message.summary, message.min, message.max, message.whole, message.unit, default
    )
