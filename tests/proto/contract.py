"""What the protocol promises, and what is wrong with a change of it.

A promise is a line for each thing that clients out there rely on: a field with its number, name,
type and label, an enumeration's value, a method with its types. Additions break nobody."""

import re

from google.protobuf import descriptor_pb2

FIELD = descriptor_pb2.FieldDescriptorProto
CAMEL = re.compile(r"^[A-Z][A-Za-z0-9]*$")
SNAKE = re.compile(r"^[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*$")
UPPER = re.compile(r"^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$")


def type_of(field):
    return field.type_name or FIELD.Type.Name(field.type)[len("TYPE_"):].lower()


def label_of(field, message):
    if field.proto3_optional:
        return "optional"
    if field.HasField("oneof_index"):
        return f"oneof({message.oneof_decl[field.oneof_index].name})"
    return FIELD.Label.Name(field.label)[len("LABEL_"):].lower().replace("optional", "single")


def messages_of(file):
    """All messages of a file with their full names, also those within others."""
    def walk(messages, prefix):
        for message in messages:
            name = f"{prefix}.{message.name}"
            yield name, message
            yield from walk(message.nested_type, name)
    yield from walk(file.message_type, file.package)


def enums_of(file):
    for enum in file.enum_type:
        yield f"{file.package}.{enum.name}", enum
    for name, message in messages_of(file):
        for enum in message.enum_type:
            yield f"{name}.{enum.name}", enum


def own_files(descriptors):
    return [file for file in descriptors.file if not file.package.startswith("google.")]


def promises(descriptors):
    """{what: how it is}, such as {"field slipstream.v1.Study 3": "space .slipstream... single"}."""
    found = {}
    for file in own_files(descriptors):
        for name, message in messages_of(file):
            found[f"message {name}"] = ""
            for field in message.field:
                how = f"{field.name} {type_of(field)} {label_of(field, message)}"
                found[f"field {name} {field.number}"] = how
        for name, enum in enums_of(file):
            found[f"enum {name}"] = ""
            for value in enum.value:
                found[f"value {name} {value.number}"] = value.name
        for service in file.service:
            for method in service.method:
                streams = ("stream " if method.client_streaming else "",
                           "stream " if method.server_streaming else "")
                found[f"method {file.package}.{service.name} {method.name}"] = (
                    f"{streams[0]}{method.input_type} to {streams[1]}{method.output_type}")
    return found


def text_of(found):
    return "".join(f"{what}: {how}".rstrip(" ") + "\n" for what, how in sorted(found.items()))


def parse(text):
    lines = (line.partition(":") for line in text.splitlines())
    return {what: how.strip() for what, _, how in lines}


def reserved(descriptors):
    """Numbers and names that no field or value will have again: {(full name, number or name)}."""
    found = set()
    for file in own_files(descriptors):
        for name, message in messages_of(file):
            found |= {(name, number) for one in message.reserved_range
                      for number in range(one.start, one.end)}
            found |= {(name, word) for word in message.reserved_name}
        for name, enum in enums_of(file):
            found |= {(name, number) for one in enum.reserved_range
                      for number in range(one.start, one.end + 1)}
            found |= {(name, word) for word in enum.reserved_name}
    return found


def breaks(released, descriptors):
    """A line for each promise that is not kept. A field may go if its number and its name are
    reserved."""
    now, gone = promises(descriptors), reserved(descriptors)
    for what, how in sorted(released.items()):
        if what in now:
            if now[what] != how:
                yield f"{what} was {how!r} and is {now[what]!r}"
            continue
        kind, name, *rest = what.split()
        if kind in ("field", "value"):
            missing = [one for one in (int(rest[0]), how.split()[0]) if (name, one) not in gone]
            if not missing:
                continue
            yield f"{what} ({how}) is gone, and {missing} not reserved"
        else:
            yield f"{what} is gone"


def comments_of(file):
    """The paths of a file that have a comment above them."""
    return {tuple(one.path) for one in file.source_code_info.location
            if one.leading_comments.strip()}


def _lint_enum(name, enum, path, commented):
    yield from _named(name, enum.name, CAMEL)
    if path not in commented:
        yield f"{name} has no comment"
    for i, value in enumerate(enum.value):
        yield from _named(f"{name}.{value.name}", value.name, UPPER)
        if (*path, 2, i) not in commented:
            yield f"{name}.{value.name} has no comment"
    if enum.value[0].number != 0 or not enum.value[0].name.endswith("_UNSPECIFIED"):
        yield f"{name}'s first value must be 0 and end in _UNSPECIFIED"


def _named(what, name, pattern):
    if not pattern.match(name):
        yield f"{what}: the name does not match {pattern.pattern}"


def _lint_message(name, message, path, commented):
    yield from _named(name, message.name, CAMEL)
    explains_itself = message.name.endswith(("Request", "Response"))  # Their method is explained.
    if path not in commented and not explains_itself and not message.options.map_entry:
        yield f"{name} has no comment"
    for i, field in enumerate(message.field):
        yield from _named(f"{name}.{field.name}", field.name, SNAKE)
        if (*path, 2, i) not in commented and not message.options.map_entry:
            yield f"{name}.{field.name} has no comment"
    for i, enum in enumerate(message.enum_type):
        yield from _lint_enum(f"{name}.{enum.name}", enum, (*path, 4, i), commented)
    for i, nested in enumerate(message.nested_type):
        yield from _lint_message(f"{name}.{nested.name}", nested, (*path, 3, i), commented)


def _lint_service(name, service, path, commented):
    if path not in commented:
        yield f"{name} has no comment"
    for i, method in enumerate(service.method):
        yield from _named(f"{name}.{method.name}", method.name, CAMEL)
        if (*path, 2, i) not in commented:
            yield f"{name}.{method.name} has no comment"
        request = method.input_type.rsplit(".", 1)[1]
        if request != f"{method.name}Request":
            yield f"{name}.{method.name} takes {request}, not {method.name}Request"


def lint(descriptors):
    """A line for each thing that is not as everything else; needs source information."""
    for file in own_files(descriptors):
        commented = comments_of(file)
        if file.name.rsplit("/", 1)[0].replace("/", ".") != file.package:
            yield f"{file.name} is of package {file.package}"
        for i, message in enumerate(file.message_type):
            yield from _lint_message(f"{file.package}.{message.name}", message, (4, i), commented)
        for i, enum in enumerate(file.enum_type):
            yield from _lint_enum(f"{file.package}.{enum.name}", enum, (5, i), commented)
        for i, service in enumerate(file.service):
            yield from _lint_service(f"{file.package}.{service.name}", service, (6, i), commented)
