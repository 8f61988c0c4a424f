"""Files of messages, each a line of JSON: exported studies and source tasks."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import Iterator, Optional, TextIO

from google.protobuf import json_format

from slipstream._wire import messages
from slipstream._wire.messages import Message

_MOST_LINKS = 40  # As many as Linux follows.


def line_of(message: Message) -> str:
    """The message as a line."""
    text: str = json_format.MessageToJson(message, indent=None, sort_keys=True)
    return text + "\n"


def _open_descriptor(path: str) -> Optional[int]:
    """A copy of the descriptor of this process that a path such as /dev/stdout leads to. It goes on
    where the last writer ended, which the path itself would not."""
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(os.path.abspath(path))
        folder = os.path.realpath(folder)
        if folder in ("/dev/fd", f"/proc/{os.getpid()}/fd") and name.isdecimal():
            return os.dup(int(name))
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


@contextlib.contextmanager
def new_file(path: str) -> Iterator[TextIO]:
    """A file to write, which is there only once it is whole. Others may write to the same path at
    the same time. A link is followed. What is no regular file, such as a device or a pipe, is
    written to as it is, and so is what this process has open as /dev/stdout or the like."""
    path = os.fsdecode(path)  # TypeError for what names no file.
    descriptor = _open_descriptor(path)
    if descriptor is not None or (os.path.exists(path) and not os.path.isfile(path)):
        with open(path if descriptor is None else descriptor, "w", encoding="utf-8") as stream:
            yield stream
        return
    target = os.path.realpath(path)
    partial = f"{target}.{secrets.token_hex(4)}.partial"
    try:
        with open(partial, "x", encoding="utf-8") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename == partial:
            error.filename = path
        if os.path.exists(partial):
            os.remove(partial)
        raise


def _parsed(text: str, message_type: str) -> Message:
    if not text.lstrip().startswith("{"):
        raise json_format.ParseError(
            "the line is not a JSON object, and so not one that an export has written; "
            "slipstream.register_source takes tables of results"
        )
    message = messages.new(message_type)
    json_format.Parse(text, message, descriptor_pool=messages.POOL)
    return message


def _is(text: str, message_type: str) -> bool:
    try:
        _parsed(text, message_type)
    except json_format.ParseError:
        return False
    return True


def _message_of(
    text: str, where: str, message_type: str, other_type: Optional[str], advice: str
) -> Message:
    try:
        return _parsed(text, message_type)
    except json_format.ParseError as error:
        complaint = advice if other_type and _is(text, other_type) else str(error)
        raise ValueError(f"{where}: {complaint}") from None


def read_lines(
    path: str, first_type: str, message_type: str, other_type: str, advice: str
) -> Iterator[Message]:
    """The messages of a file, the first of which may be of another type. ValueError names a line
    that is none, or a file that is no text; if the first line is a message of `other_type`, with the
    advice."""
    try:
        # Of a number, open() would take the file that has it in this process, and close that.
        with open(os.fsdecode(path), encoding="utf-8") as file:
            for number, text in enumerate(file, start=1):
                wanted = first_type if number == 1 else message_type
                other = other_type if number == 1 else None
                yield _message_of(text, f"{path}:{number}", wanted, other, advice)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not in UTF-8: {error}") from None
