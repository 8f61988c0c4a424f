"""The server's methods as plans, with their deadlines; what changes anything has a request id."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Any, Callable, Collection, Iterator, List, Mapping, Optional, Sequence

from slipstream import errors
from slipstream._calls.caller import Caller
from slipstream._calls.cancellation import Cancellation
from slipstream._calls.plan import Pause, Plan, Stream
from slipstream._calls.request_id import make_request_id
from slipstream._convert.times import timestamp_of
from slipstream._operations.meant_study import MeantStudy
from slipstream._operations.namesakes import host_name, is_this_process
from slipstream._wire import messages
from slipstream._wire.messages import Message
from slipstream.options import Deadlines, Options

# Whoever gives a trial back is often about to end; if nobody hears it, the lease runs out.
_RELEASE = Deadlines(attempt=2, overall=5)
# What was asked for last may not have been leased at all.
_LOOK_BACK = Deadlines(attempt=2, overall=2)
# Seconds that a server may need to lease trials once it has decided to.
_LEASING = 0.2
# For what a training goes on without, once the server has been silent for a whole call.
_BRIEF = Deadlines(attempt=1, overall=2)
_TRIALS_PER_PAGE = 500
_SOURCE_TASKS_PER_PAGE = 100
_STUDIES_PER_PAGE = 100


class Service:
    """Plans the calls to one server."""

    def __init__(self, caller: Caller, options: Options) -> None:
        self.address = caller.address
        self._caller = caller
        self._options = options

    @property
    def options(self) -> Options:
        """How calls are made."""
        return self._options

    def _read(self, method: str, what: str, request_type: str, **fields: Any) -> Plan[Message]:
        return self._read_within(self._options.call, method, what, request_type, **fields)

    def _read_within(
        self, deadlines: Deadlines, method: str, what: str, request_type: str, **fields: Any
    ) -> Plan[Message]:
        request = messages.new(request_type, **fields)
        return self._caller.call(method, request, what, deadlines)

    def _advise(
        self, briefly: bool, method: str, what: str, request_type: str, **fields: Any
    ) -> Plan[Message]:
        """A call that a training can go on without."""
        request = messages.new(request_type, **fields)
        deadlines = self._options.call
        if briefly:
            attempt = min(_BRIEF.attempt, deadlines.attempt)
            deadlines = Deadlines(attempt, min(_BRIEF.overall, deadlines.overall))
        return self._caller.call(method, request, what, deadlines)

    def _change(
        self,
        method: str,
        what: str,
        deadlines: Optional[Deadlines] = None,
        request_id: Optional[str] = None,
        cancellation: Optional[Cancellation] = None,
        **fields: Any,
    ) -> Plan[Message]:
        chosen = request_id or make_request_id()
        request = messages.new(f"{method}Request", request_id=chosen, **fields)
        chosen_deadlines = deadlines or self._options.call
        return self._caller.call(method, request, what, chosen_deadlines, cancellation)

    def create_study(self, study_id: str, parent: str, study: Message) -> Plan[Message]:
        what = f"create study {study_id}" + (f" in {parent}" if parent else "")
        return self._change("CreateStudy", what, study=study, study_id=study_id, parent=parent)

    def get_study(self, name: str, fields: Sequence[str] = ()) -> Plan[Message]:
        mask = {"read_mask": {"paths": list(fields)}} if fields else {}
        return self._read("GetStudy", f"read {name}", "GetStudyRequest", name=name, **mask)

    def change_study(self, meant: MeantStudy, changes: Mapping[str, Any]) -> Plan[Message]:
        """Gives these fields of the study other values."""
        study = messages.new("Study", name=meant.name, **changes)
        fields = {"study": study, "update_mask": {"paths": list(changes)}, **meant.time_field()}
        return self._change("UpdateStudy", f"change {meant.name}", **fields)

    def list_studies(self, parent: str) -> Plan[List[Message]]:
        """All studies, oldest first, without their candidates."""

        def page(token: str) -> Plan[Message]:
            fields = {"page_size": _STUDIES_PER_PAGE, "page_token": token, "parent": parent}
            return self._read("ListStudies", "list studies", "ListStudiesRequest", **fields)

        return _all_pages(page, "studies")

    def set_study_state(self, meant: MeantStudy, state: str) -> Plan[Message]:
        return self.change_study(meant, {"state": messages.enum_value("Study.State", state)})

    def delete_study(self, name: str) -> Plan[Message]:
        return self._change("DeleteStudy", f"delete {name}", name=name)

    def suggest(
        self, study: MeantStudy, worker: str, count: int, cancellation: Cancellation
    ) -> Plan[Message]:
        return self._change(
            "Suggest",
            f"suggest for {study.name}",
            self._options.suggest,
            cancellation=cancellation,
            worker=worker,
            count=count,
            process={"host": host_name(), "process_id": os.getpid()},
            **study.fields(),
        )

    def heartbeat(self, study: MeantStudy, worker: str, trial: str) -> Plan[Message]:
        what = f"renew the leases of worker {worker}"
        fields = {"worker": worker, "trials": [trial], **study.fields()}
        return self._read("Heartbeat", what, "HeartbeatRequest", **fields)

    def release(self, study: MeantStudy, worker: str, trial: str) -> Plan[Message]:
        what = f"give back trials of {study.name}"
        fields = {"worker": worker, "trials": [trial], **study.fields()}
        return self._change("ReleaseTrials", what, _RELEASE, **fields)

    def release_unheard(
        self, study: MeantStudy, worker: str, left: Collection[str]
    ) -> Plan[None]:
        """Gives back what the server has leased to this process under the worker's id, but for the
        trials `left` there before. Whoever else uses the id goes on with those, and with what the
        server has leased to it since."""
        trials = yield from self._unheard(study, worker, left)
        if not trials:  # A server that was just leasing some does so all the same.
            yield Pause(_LEASING)
            trials = yield from self._unheard(study, worker, left)
        if trials:
            what = f"give back trials of {study.name}"
            fields = {"worker": worker, "trials": trials, **study.fields()}
            yield from self._change("ReleaseTrials", what, _LOOK_BACK, **fields)

    def _unheard(
        self, study: MeantStudy, worker: str, left: Collection[str]
    ) -> Plan[List[str]]:
        held = yield from self.list_held(study, _LOOK_BACK)
        return [
            trial.name
            for trial in held
            if trial.worker == worker
            and trial.name not in left
            and is_this_process(trial.worker_process)
        ]

    def report(
        self,
        trial: str,
        created: Optional[datetime],
        measurements: Mapping[int, Message],
        briefly: bool = False,
    ) -> Plan[Message]:
        reports = [{"step": step, "measurement": one} for step, one in measurements.items()]
        what = f"report a measurement of {trial}"
        fields = {"trial": trial, "create_time": timestamp_of(created), "reports": reports}
        return self._advise(briefly, "Report", what, "ReportRequest", **fields)

    def should_stop(
        self, trial: str, created: Optional[datetime], briefly: bool = False
    ) -> Plan[Message]:
        what = f"ask whether to stop {trial}"
        fields = {"trial": trial, "create_time": timestamp_of(created)}
        return self._advise(briefly, "ShouldStop", what, "ShouldStopRequest", **fields)

    def observe(
        self, trial: str, created: Optional[datetime], outcome: Message, briefly: bool = False
    ) -> Plan[Message]:
        what = f"record the outcome of {trial}"
        created_at = timestamp_of(created)
        fields = {"trial": trial, "create_time": created_at, "outcome": outcome}
        measured = outcome.HasField("measurement") or outcome.early_stop.HasField("measurement")
        # Only what was measured is worth to wait for.
        deadlines = self._options.outcome if measured else self._options.call
        if briefly:
            deadlines = _RELEASE
        try:
            return (yield from self._change("Observe", what, deadlines, **fields))
        except errors.TrialEnded as ended:
            ended.trial = trial
            raise

    def add_trials(
        self, study: MeantStudy, observations: Sequence[Message], request_id: Optional[str] = None
    ) -> Plan[Message]:
        fields = {"observations": observations, **study.fields()}
        return self._change(
            "AddTrials", f"add trials to {study.name}", request_id=request_id, **fields
        )

    def get_trial(self, name: str, created: Optional[datetime] = None) -> Plan[Message]:
        fields = {"name": name, "create_time": timestamp_of(created)}
        return self._read("GetTrial", f"read {name}", "GetTrialRequest", **fields)

    def update_trial(
        self, study: MeantStudy, trial: Message, changes: Mapping[str, Any]
    ) -> Plan[Message]:
        """Gives fields of the trial, which was read, other values."""
        fields = {
            "trial": messages.new("Trial", name=trial.name, **changes),
            "update_mask": {"paths": list(changes)},
            "create_time": trial.create_time if trial.HasField("create_time") else None,
            **study.time_field(),
        }
        return self._change("UpdateTrial", f"annotate {trial.name}", **fields)

    def list_reports(self, trial: str, created: Optional[datetime]) -> Plan[Message]:
        what = f"list the reports of {trial}"
        fields = {"trial": trial, "create_time": timestamp_of(created)}
        return self._read("ListReports", what, "ListReportsRequest", **fields)

    def best_trials(self, study: MeantStudy, count: int) -> Plan[Message]:
        what = f"find the best trials of {study.name}"
        return self._read("BestTrials", what, "BestTrialsRequest", count=count, **study.fields())

    def explain(self, trial: str, created: Optional[datetime]) -> Plan[Message]:
        fields = {"trial": trial, "create_time": timestamp_of(created)}
        return self._read("Explain", f"explain {trial}", "ExplainRequest", **fields)

    def watch_study(self, study: MeantStudy, resume_token: str) -> Plan[Optional[Stream]]:
        """None if the stream ended at once."""
        fields = {"resume_token": resume_token, **study.fields()}
        return self._read("WatchStudy", f"watch {study.name}", "WatchStudyRequest", **fields)

    def export_study(self, study: MeantStudy) -> Plan[Optional[Stream]]:
        """None if the stream ended at once."""
        request = messages.new("ExportStudyRequest", name=study.name, **study.time_field())
        return self._caller.call(
            "ExportStudy", request, f"export {study.name}", self._options.registration
        )

    def import_study(self, chunks: Callable[[str], Iterator[Message]]) -> Plan[Message]:
        """`chunks` makes the stream's messages anew for each attempt, with the request id given."""
        request_id = make_request_id()
        return self._caller.call(
            "ImportStudy",
            lambda: chunks(request_id),
            "import a study",
            self._options.registration,
        )

    def list_trials(
        self, study: MeantStudy, deadlines: Optional[Deadlines] = None, **chosen: Any
    ) -> Plan[List[Message]]:
        """All trials, or those that the fields of the request choose."""
        what = f"list the trials of {study.name}"

        def page(token: str) -> Plan[Message]:
            where = {"page_size": _TRIALS_PER_PAGE, "page_token": token}
            fields = {**where, **study.fields(), **chosen}
            within = deadlines or self._options.call
            return self._read_within(within, "ListTrials", what, "ListTrialsRequest", **fields)

        return _all_pages(page, "trials")

    def list_held(
        self, study: MeantStudy, deadlines: Optional[Deadlines] = None
    ) -> Plan[List[Message]]:
        """The names of trials that workers hold, with who they are and nothing else."""
        active = messages.enum_value("Trial.State", "ACTIVE")
        mask = {"paths": ["name", "worker", "worker_process"]}
        return self.list_trials(study, deadlines, states=[active], read_mask=mask)

    def list_presets(self) -> Plan[Message]:
        return self._read("ListPresets", "list presets", "ListPresetsRequest")

    def list_source_tasks(self, parent: str) -> Plan[List[Message]]:
        def page(token: str) -> Plan[Message]:
            fields = {"page_size": _SOURCE_TASKS_PER_PAGE, "page_token": token, "parent": parent}
            return self._read(
                "ListSourceTasks", "list source tasks", "ListSourceTasksRequest", **fields
            )

        return _all_pages(page, "source_tasks")

    def get_source_task(self, name: str) -> Plan[Message]:
        return self._read("GetSourceTask", f"read {name}", "GetSourceTaskRequest", name=name)

    def list_source_observations(self, name: str, token: str) -> Plan[Message]:
        """A page of the observations of a source task."""
        what = f"list the observations of {name}"
        fields = {"source_task": name, "page_token": token}
        return self._read(
            "ListSourceObservations", what, "ListSourceObservationsRequest", **fields
        )

    def delete_source_task(self, name: str) -> Plan[Message]:
        return self._change("DeleteSourceTask", f"delete {name}", name=name)

    def register_source_task(self, chunks: Callable[[str], Iterator[Message]]) -> Plan[Message]:
        """`chunks` makes the stream's messages anew for each attempt, with the request id given."""
        request_id = make_request_id()
        return self._caller.call(
            "RegisterSourceTask",
            lambda: chunks(request_id),
            "register a source task",
            self._options.registration,
        )


def _all_pages(page: Callable[[str], Plan[Message]], elements: str) -> Plan[List[Message]]:
    found: List[Message] = []
    token = ""
    while True:
        response = yield from page(token)
        found += getattr(response, elements)
        if not response.next_page_token:
            return found
        if response.next_page_token == token:
            raise RuntimeError(f"the server sent page {token!r} with its own token as the next")
        token = response.next_page_token
