"""Moments."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Dict, Optional

from slipstream._wire.messages import Message

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def time_of(message: Message, field: str) -> Optional[datetime]:
    """The moment in the field of the message; None where it is absent."""
    if not message.HasField(field):
        return None
    stamp = getattr(message, field)
    return _EPOCH + timedelta(seconds=stamp.seconds, microseconds=stamp.nanos // 1000)


def timestamp_of(moment: Optional[datetime]) -> Optional[Dict[str, int]]:
    """The fields of the Timestamp of an aware moment, to the microsecond."""
    if moment is None:
        return None
    since = moment - _EPOCH
    return {"seconds": since.days * 86400 + since.seconds, "nanos": since.microseconds * 1000}
