"""Plans of watching a study."""

from __future__ import annotations

from typing import Any, List, Optional

from slipstream._calls.plan import Next, Plan
from slipstream._convert.times import time_of
from slipstream._operations.meant_study import MeantStudy
from slipstream._operations.service import Service
from slipstream._wire import messages
from slipstream._wire.messages import Message
from slipstream.records import StudyEvent


def _event_of(message: Message, resume_token: str) -> StudyEvent:
    return StudyEvent(
        kind=messages.enum_name("StudyEvent.Kind", message.kind).lower(),
        time=time_of(message, "time"),
        number=int(message.trial.rsplit("/", 1)[1]) if message.trial else None,
        value=message.value if message.HasField("value") else None,
        worker=message.worker,
        resume_token=message.resume_token or resume_token,
    )


class Watching:
    """Follows what happens to a study, also when the connection or the server fails for a while."""

    def __init__(self, service: Service, study: MeantStudy, resume_token: Optional[str]) -> None:
        if not isinstance(resume_token, (str, type(None))):
            raise TypeError(f"resume_token={resume_token!r} must be the string that an event has")
        if resume_token == "":
            raise ValueError("resume_token is empty: leave it out, or give None, to watch from now on")
        self._service = service
        self._study = study
        self._token = resume_token or ""
        self._call: Optional[Any] = None  # The stream's, while there is one.
        self._events: List[StudyEvent] = []  # That have not been handed out.
        self._over = False

    def begin(self) -> Plan[None]:
        """Returns when nothing that happens from now on will be missed."""
        yield from self._listen()

    def next_events(self) -> Plan[List[StudyEvent]]:
        """What has happened since the last time, at least one event; none once no more can."""
        while not self._events and not self._over:
            yield from self._listen()
        events, self._events = self._events, []
        return events

    def _listen(self) -> Plan[None]:
        response = yield from self._next_response()
        if response is None:
            self._over = True
            return
        self._token = response.resume_token
        self._events += [_event_of(one, self._token) for one in response.events]

    def _next_response(self) -> Plan[Optional[Message]]:
        if self._call is not None:
            reply = yield Next(self._call)
            assert reply is not None
            if reply.failure is None:
                return reply.response
            # A stream lasts as long as an attempt; another failure is met again, and then told.
            self._call = None
        stream = yield from self._service.watch_study(self._study, self._token)
        if stream is None:
            return None
        self._call = stream.call
        return stream.first

    def cancel(self) -> None:
        """Ends the stream."""
        if self._call is not None:
            self._call.cancel()
            self._call = None
