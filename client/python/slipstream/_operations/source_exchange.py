"""Source tasks as files: a line of JSON for the task itself, and one for each observation."""

from __future__ import annotations

from typing import Iterator, Optional, Union

from slipstream._calls.plan import Plan
from slipstream._convert.names import one_project, parent_of
from slipstream._convert.trials import source_task_of
from slipstream._operations.json_lines import line_of, new_file, read_lines
from slipstream._operations.service import Service
from slipstream._operations.sources import chunks_of, find_name
from slipstream._wire import messages
from slipstream._wire.messages import Message
from slipstream.records import SourceTask


def export(
    service: Service, source: Union[SourceTask, str], path: str, project: Optional[str]
) -> Plan[None]:
    """Writes a source task, or the one of this name, to a file."""
    name = yield from find_name(service, source, project)
    task = yield from service.get_source_task(name)
    with new_file(path) as file:
        file.write(line_of(task))
        token = ""
        while True:
            page = yield from service.list_source_observations(name, token)
            file.writelines(line_of(one) for one in page.observations)
            token = page.next_page_token
            if not token:
                return


def _read(path: str) -> Iterator[Message]:
    advice = "this is a study, not a source task: slipstream.import_study takes it"
    return read_lines(path, "SourceTask", "Observation", "ExportLine", advice)


def _checked_task(path: str) -> Message:
    """The task in the first line. ValueError if it does not have the observations that follow."""
    lines = _read(path)
    task = next(lines, None)
    if task is None:
        raise ValueError(f"{path} is empty; the first line should be the source task")
    count = sum(1 for _ in lines)
    if task.observation_count and count != task.observation_count:
        cut_off = ": the file was cut off" if count < task.observation_count else ""
        raise ValueError(
            f"{path} has {count} observations, and the source task in its first line "
            f"{task.observation_count}{cut_off}"
        )
    return task


def import_source(service: Service, path: str, project: Optional[str]) -> Plan[SourceTask]:
    """Registers the source task that a file has. It keeps its name, which tells its content."""
    task = _checked_task(path)
    parent = parent_of(one_project(project))

    def stream(request_id: str) -> Iterator[Message]:
        header = {"source_task": task, "request_id": request_id, "parent": parent}
        yield messages.new("RegisterSourceTaskRequest", header=header)
        observations = _read(path)
        next(observations)  # The task.
        yield from chunks_of(observations)

    response = yield from service.register_source_task(stream)
    return source_task_of(response.source_task)
