"""Parameters that have the names of a trial's own attributes."""

from __future__ import annotations

from typing import Iterable

from slipstream._operations.notices import is_adapter_asking, warn_caller


def warn_of_hidden_names(space: Iterable[str], kind_of_trial: type) -> None:
    """Warns of parameters that cannot be read as `trial.NAME`, where that is another value and not
    an error. A program that uses an adapter has no such trial."""
    own = dir(kind_of_trial)
    hidden = [name for name in space if name in own and not name.startswith("_")]
    if not hidden or is_adapter_asking():
        return
    attributes = ", ".join(f"trial.{name}" for name in hidden)
    items = ", ".join(f"trial[{name!r}]" for name in hidden)
    if len(hidden) == 1:
        told = f"{attributes} is the trial's own, and the parameter of this name is {items}"
    else:
        told = f"{attributes} are the trial's own, and the parameters of these names are {items}"
    warn_caller(told)
