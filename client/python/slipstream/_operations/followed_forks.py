"""Attributes of an object that are made anew in a fork of its process."""

from __future__ import annotations

import threading
from typing import Any, ContextManager, Optional

from slipstream._calls.fork_hooks import at_fork

_lock = threading.RLock()


def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()


at_fork(after_in_child=_renew_lock)


def fork_lock() -> ContextManager[Any]:
    """The lock of this process under which an object is made anew."""
    return _lock


class OfProcess:
    """An attribute of an object whose method `_follow_fork` makes it anew in a fork, before it is
    read there."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, owner: Optional[Any], kind: type) -> Any:
        if owner is None:
            return self  # It was asked of the class, as documentation tools do.
        owner._follow_fork()
        return owner.__dict__[self._name]

    def __set__(self, owner: Any, value: Any) -> None:
        owner.__dict__[self._name] = value
