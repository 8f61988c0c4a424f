"""Whole studies as files: a line of JSON for each line of an export."""

from __future__ import annotations

from typing import Iterator, Optional

from slipstream import errors
from slipstream._calls.call_error import FailedCall, call_error
from slipstream._calls.plan import Next, Plan
from slipstream._convert.names import is_project_named, one_project, study_name
from slipstream._convert.studies import study_of
from slipstream._operations.json_lines import line_of, new_file, read_lines
from slipstream._operations.meant_study import MeantStudy
from slipstream._operations.service import Service
from slipstream._wire import messages
from slipstream._wire.messages import Message
from slipstream.records import StudyDescription

_CHUNK = 1000  # Lines.
_CHUNK_BYTES = 1 << 20


def export(service: Service, study: MeantStudy, path: str) -> Plan[None]:
    """Writes a study to a file. If the stream breaks, it is begun again, and the lines that have
    been written are skipped."""
    written = 0
    attempts = 0
    with new_file(path) as file:
        while True:
            attempts += 1
            before = written
            stream = yield from service.export_study(study)
            response = None if stream is None else stream.first
            read = 0
            failure = None
            while response is not None and stream is not None:
                for line in response.lines:
                    read += 1
                    if read > written:
                        file.write(line_of(line))
                        written += 1
                reply = yield Next(stream.call)
                assert reply is not None
                response, failure = reply.response, reply.failure
            if failure is None:
                return
            if written == before:
                raise call_error(
                    FailedCall(f"export {study.name}", service.address, attempts, 0.0), failure
                )


def _read(path: str) -> Iterator[Message]:
    advice = "this is a source task, not a study: slipstream.import_source takes it"
    return read_lines(path, "ExportLine", "ExportLine", "SourceTask", advice)


def _chunks(path: str, header: Message) -> Iterator[Message]:
    chunk = messages.new("ImportStudyRequest", header=header)
    size = 0
    for line in _read(path):
        more = line.ByteSize()
        if len(chunk.lines) == _CHUNK or (size and size + more > _CHUNK_BYTES):
            yield chunk
            chunk, size = messages.new("ImportStudyRequest"), 0
        chunk.lines.append(line)
        size += more
    yield chunk


def import_study(
    service: Service, path: str, study_id: str, project: Optional[str], replace: bool
) -> Plan[StudyDescription]:
    """Makes a study of the file's lines. ValueError names a line that is not one of an export."""
    # The default project, too, is named where it was asked for, and only there.
    is_named = is_project_named(project) or "/" in study_id
    if study_id:
        name = study_name(study_id, project)
        study_id, project = name.study_id, name.project
    parent = f"projects/{one_project(project)}" if is_named else ""
    where = {"study_id": study_id, "parent": parent, "replace_existing": replace}
    for _ in _read(path):
        pass  # An error within a stream of requests would not reach the caller.

    def stream(request_id: str) -> Iterator[Message]:
        header = messages.new("ImportStudyRequest.Header", request_id=request_id, **where)
        return _chunks(path, header)

    try:
        return study_of((yield from service.import_study(stream)))
    except errors.AlreadyExists as there:
        raise errors.AlreadyExists(
            f"{there}; give another study_id, or replace=True to replace that study"
        ) from None
    except errors.NotFound as missing:
        raise errors.NotFound(
            f"{missing}; the study's source tasks have to be there first: "
            "slipstream.export_source(NAME, path) where the study was exported, then "
            "slipstream.import_source(path)"
        ) from None
