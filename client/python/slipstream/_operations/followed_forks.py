"""Attributes of an object that a fork of its process makes anew."""

from __future__ import annotations

import os
import threading
from typing import Any, ContextManager

_lock = threading.RLock()


def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def fork_lock() -> ContextManager[Any]:
    """The lock of this process under which an object is made anew."""
    return _lock


class OfProcess:
    """An attribute of an object whose method `_follow_fork` makes it anew in a fork, before it is
    read there."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, owner: Any, kind: type) -> Any:
        owner._follow_fork()
        return owner.__dict__[self._name]

    def __set__(self, owner: Any, value: Any) -> None:
        owner.__dict__[self._name] = value
