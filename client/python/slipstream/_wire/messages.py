"""Message classes, one for each message of the protocol, made when the package is imported."""

from __future__ import annotations

import importlib.resources
from typing import Any, Dict

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "slipstream.v1"
DESCRIPTORS = "protocol.binpb"

# A message's fields are only known at run time, so a type checker cannot know them either.
Message = Any


def _read_descriptors() -> bytes:
    file = importlib.resources.files(__package__).joinpath(DESCRIPTORS)
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise ImportError(
            f"slipstream lacks its protocol ({file}): install the package with pip, or build the "
            "CMake target slipstream_python and import it from the build tree's folder python"
        ) from None


def _load_pool() -> Any:
    """A pool of our own, so that stubs of the same protocol may be imported beside it."""
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(_read_descriptors()).file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool


def _class_of(descriptor: Any) -> Any:
    factory: Any = message_factory
    if hasattr(factory, "GetMessageClass"):
        return factory.GetMessageClass(descriptor)
    return factory.MessageFactory(POOL).GetPrototype(descriptor)  # Before protobuf 4.22.


POOL = _load_pool()
_classes: Dict[str, Any] = {}


def class_of(descriptor: Any) -> Any:
    """The class of the messages that the descriptor describes."""
    name = descriptor.full_name
    if name not in _classes:
        _classes[name] = _class_of(descriptor)
    return _classes[name]


def new(name: str, /, **fields: Any) -> Message:
    """A message, for example `new("GetStudyRequest", name="studies/digits")`."""
    full_name = f"{PACKAGE}.{name}"
    found = _classes.get(full_name)
    return (found or class_of(POOL.FindMessageTypeByName(full_name)))(**fields)


def enum_value(name: str, value: str) -> int:
    """The number of an enumeration's value, for example of "Metric.Goal", "MAXIMIZE"."""
    return int(POOL.FindEnumTypeByName(f"{PACKAGE}.{name}").values_by_name[value].number)


def enum_name(name: str, number: int) -> str:
    """The name of an enumeration's number; of one that is newer than this package, the number."""
    value = POOL.FindEnumTypeByName(f"{PACKAGE}.{name}").values_by_number.get(number)
    return str(value.name) if value else str(number)
