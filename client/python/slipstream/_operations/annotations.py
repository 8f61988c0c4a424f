"""Plans of what people and programs write on trials: labels and a note.

The server takes all labels of a trial at once. They are therefore read, changed and written back,
and transports let the annotations of one trial take turns."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from slipstream import errors
from slipstream._calls.plan import Plan
from slipstream._convert.times import time_of
from slipstream._operations.meant_study import MeantStudy
from slipstream._operations.service import Service
from slipstream._wire.messages import Message
from slipstream.scalars import label_texts, plain

# As the server has them. Lengths are in bytes.
_LONGEST_NOTE = 1024
_MOST_LABELS = 64
_LONGEST_KEY = 63
_LONGEST_VALUE = 256

Labels = Mapping[str, Union[str, float, None]]  # One that is None is removed.


def texts_of(labels: Labels) -> Dict[str, Optional[str]]:
    given: Any = labels
    if isinstance(labels, Mapping):
        given = {key: "" if one is None else one for key, one in labels.items()}
    texts = label_texts(given)
    return {key: None if labels[key] is None else text for key, text in texts.items()}


def merged(labels: Mapping[str, str], changes: Mapping[str, Optional[str]]) -> Dict[str, str]:
    """These labels with others beside them or in their place, without those that become None."""
    return {key: text for key, text in {**labels, **changes}.items() if text is not None}


def _changes(
    trial: Message, labels: Mapping[str, Optional[str]], note: Optional[str]
) -> Dict[str, Any]:
    """The fields of the trial that are to have other values."""
    changes: Dict[str, Any] = {}
    kept = merged(trial.labels, labels)
    if kept != dict(trial.labels):
        changes["labels"] = kept
    if note is not None and note != trial.note:
        changes["note"] = note
    return changes


def read(service: Service, name: str, created: Optional[datetime]) -> Plan[Message]:
    """The trial; NotFound if the one of this name was created at another time."""
    trial = yield from service.get_trial(name)
    if created is not None and created != time_of(trial, "create_time"):
        raise errors.NotFound(
            f"cannot read {name} on {service.address}: {name} is not the trial that the call is "
            "about, which is gone: its study was deleted and created again, or an older backup was "
            "restored"
        )
    return trial


def checked(
    labels: Optional[Labels], note: Optional[str]
) -> Tuple[Dict[str, Optional[str]], Optional[str]]:
    """The labels as texts, and the note. TypeError for what cannot be written."""
    note = plain(note)
    if not isinstance(note, (str, type(None))):
        raise TypeError(f"note={note!r} must be a string")
    return texts_of(labels or {}), note


def check_new(labels: Optional[Labels], note: Optional[str]) -> None:
    """Refuses what the server would not write on a new trial, before that is made. TypeError as
    `checked`, InvalidArgument for what is beyond its bounds."""
    texts, text = checked(labels, note)
    _check_length("the note", text, 0, _LONGEST_NOTE)
    if len(texts) > _MOST_LABELS:
        raise errors.InvalidArgument(f"there are {len(texts)} labels, more than {_MOST_LABELS}")
    for key, value in texts.items():
        _check_length(f"the key of the label {key!r}", key, 1, _LONGEST_KEY)
        if any(unicodedata.category(character) == "Cc" for character in key):
            raise errors.InvalidArgument(f"the key of the label {key!r} has control characters")
        _check_length(f"the value of the label {key!r}", value, 0, _LONGEST_VALUE)


def _check_length(what: str, text: Optional[str], least: int, most: int) -> None:
    length = len((text or "").encode())
    if not least <= length <= most:
        raise errors.InvalidArgument(f"{what} has {length} bytes, must have {least} to {most}")


def annotate(
    service: Service,
    study: MeantStudy,
    name: str,
    created: Optional[datetime],
    labels: Optional[Labels],
    note: Optional[str],
) -> Plan[Message]:
    """The trial with these labels, beside those that it has, and the note, unless that is None."""
    if labels is None and note is None:
        raise TypeError("annotate() got nothing to write: give labels=, note= or both")
    texts, note = checked(labels, note)
    trial = yield from read(service, name, created)
    changes = _changes(trial, texts, note)
    return (yield from service.update_trial(study, trial, changes)) if changes else trial
