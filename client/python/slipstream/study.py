"""A study, for programs that block while they wait."""

from __future__ import annotations

import os
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Collection,
    Iterator,
    List,
    Mapping,
    Optional,
    Tuple,
    Union,
    overload,
)

from slipstream import display
from slipstream._calls.blocking import BlockingTransport
from slipstream._calls.plan import Plan
from slipstream._operations import exchange, studies
from slipstream._operations.followed_forks import OfProcess, fork_lock
from slipstream._operations.foreign_names import OF_OPTIMIZE, with_hints
from slipstream._operations.lanes import Lanes
from slipstream._operations.meant_study import MeantStudy
from slipstream._operations.quotas import Quota
from slipstream._operations.service import Service
from slipstream._operations.study_base import Standing, StudyBase
from slipstream._operations.trial_values import Holder
from slipstream._operations.watching import Watching
from slipstream.connections import connect
from slipstream.local_server import file_of, join
from slipstream.optimization import Catch, optimize
from slipstream.options import Options
from slipstream.plots.contents import importances
from slipstream.plotter import Plotter
from slipstream.records import (
    Explanation,
    Lease,
    StudyDescription,
    StudyEvent,
    TransferSummary,
    TrialRecord,
)
from slipstream.trial import Trial
from slipstream.trials import Trials

Objective = Callable[[Trial], Optional[float]]
AnyTrial = Union[int, TrialRecord, Trial]
Callback = Callable[["Study", TrialRecord], Any]


class Study(StudyBase):
    """One optimisation on a server, made by `slipstream.create_or_load` or `slipstream.load`.

    Thread-safe; processes and machines that open the same study share it. Once the study has been
    deleted, its calls raise NotFound, even if a new study has its name.

    A study can be pickled, so it can be passed to processes of multiprocessing and joblib. The
    unpickled study has its own connection and worker id; if `slipstream.local` runs the server, it
    joins the server's file. copy.copy and copy.deepcopy return the study itself. A pickle holds the
    server's address and the paths of certificates, but neither a token nor a private key: the
    process that unpickles it takes the token from SLIPSTREAM_TOKEN and reads the files itself.

    A forked process may use the study, too, with its own connection and worker id, but not the
    trials of its parent. If a thread was calling the server during the fork, or `slipstream.aio`
    was used before it, using the study in the forked process raises RuntimeError."""

    if not TYPE_CHECKING:  # To which they have the types that __init__ gives them.
        _service = OfProcess()
        _reader = OfProcess()
        _lanes = OfProcess()
        _running = OfProcess()
        _transport = OfProcess()

    def __init__(
        self,
        service: Service,
        description: StudyDescription,
        transport: BlockingTransport,
        lanes: Lanes,
    ) -> None:
        super().__init__(service, description, lanes)
        self._transport = transport
        self._process = os.getpid()  # Last, as from then on other threads take what is there.

    def _follow_fork(self) -> None:
        """Gives the study a connection and a worker id of this process, if that is a fork: two
        processes under one worker id would get each other's trials."""
        if self._process == os.getpid():
            return
        with fork_lock():
            if self._process == os.getpid():
                return
            parents: Service = self.__dict__["_service"]
            service, transport = connect(parents.address, parents.options)
            Study.__init__(self, service, self._description, transport, Lanes(None))

    def __reduce__(self) -> Tuple[Any, ...]:
        address, options = self._service.address, self._service.options.without_secrets()
        objects = {name: one.objects for name, one in self.space.items() if one.objects}
        return _reopen, (address, file_of(address), self._meant, options, objects)

    @overload
    def suggest(self) -> Trial: ...

    @overload
    def suggest(self, count: int) -> List[Trial]: ...

    def suggest(self, count: Optional[int] = None) -> Any:
        """Returns the next trial or, with a count, a list of that many.

        A process restarted under the same `worker` gets its unfinished trials first. Raises
        CandidatesExhausted once all candidates have been tried. The list is shorter if the candidates
        that are left, the study's limit of trials or its project's quota allow no more. Only a `with`
        block renews a trial's lease in the background. Without one, a training run that takes longer
        than the lease loses its trial to another worker, unless it calls `report` in time."""
        trials = self._transport.run(self._suggest(1 if count is None else count, self._make))
        return trials[0] if count is None else trials

    def _make(self, holder: Holder, record: TrialRecord) -> Trial:
        return Trial(holder, record, self._transport)

    def _wait_for(self, plan: Plan[None]) -> None:
        self._transport.run(plan)

    def _next_trial(self, quota: Quota, hold: Callable[[Trial], None]) -> Optional[Trial]:
        def make(holder: Holder, record: TrialRecord) -> Trial:
            trial = self._make(holder, record)
            hold(trial)
            return trial

        plan = self._next(quota, make)
        if quota.until is None:
            return self._transport.run(plan)
        return self._transport.run_in_turn(f"{self.name}/trials", plan)

    def _stands(self, quota: Quota) -> Standing:
        return self._transport.run(self._standing(quota))

    @with_hints(OF_OPTIMIZE)
    def optimize(
        self,
        objective: Objective,
        trials: Optional[int] = None,
        *,
        until: Optional[int] = None,
        workers: int = 1,
        timeout: Optional[float] = None,
        catch: Catch = (),
        callbacks: Collection[Callback] = (),
        progress: bool = True,
    ) -> Optional[TrialRecord]:
        """Evaluates suggestions and returns the best trial of the study, or None if there is none.

        `objective` gets a trial and returns the value of the metric. It may raise Infeasible, or
        TrialStopped after `trial.should_stop()`. Any other exception fails the trial and ends the
        optimisation, unless `catch` names its type. Caught exceptions are counted, and the first
        one causes a warning. Errors of Slipstream itself are never caught, except that there is
        only a warning if somebody else, such as an operator, has ended the trial in the meantime.
        If the objective returns or reports a value that is not finite, the trial is infeasible, so
        that the model avoids similar configurations; the first such value causes a warning, too.

        `trials` is how many trials to evaluate in this call. `until` is how many the study is to
        have in all, over all processes and runs. It counts trials that have an outcome, including
        recorded ones, and those that a worker holds, but not queued ones. So a script that is run
        again after it has finished evaluates nothing, and one that was killed during its last trial
        finishes that trial if it has the same `worker`. If several processes reach the total at the
        same time, each may start at most one trial too many. If only `until` is given, the progress
        line counts the study's trials that have an outcome. After `timeout` seconds no more trials
        are started. Without these three arguments, the optimisation goes on until every candidate
        has been tried, or for ever.

        `workers` is how many threads evaluate at once. Ctrl-C ends the optimisation. With several
        workers, the first Ctrl-C waits for the training runs in progress, and a second one gives
        their trials back. To use several processes or machines, run the same script several times:
        they share the study.

        Batch systems, container platforms and closed terminals end a program by SIGTERM or SIGHUP.
        After such a signal, the optimisation does not wait for training runs: the trials are given
        back, and the process ends by the signal. With one worker, `finally` blocks of the objective
        run first, as with sys.exit(), and may save a checkpoint and annotate the trial. If they
        take longer than two seconds, the trial is given back while they run, and from then on
        another signal ends the process at once. With several workers, objectives end without their
        `finally` blocks, so save checkpoints during training. Python handles signals only between
        two steps of Python code on the main thread, and so not during a long call of compiled code.
        All this holds if `optimize` runs on the main thread and the program has no handler of its
        own for the signal.

        `callbacks` are called with the study and the trial's record after each trial of this call
        that has got its outcome, one at a time even with several workers. An exception in a
        callback ends the optimisation and is raised.

        `stop`, `pause` and `complete` end the optimisation from inside, in the objective or a
        callback. If another process pauses or completes the study, the optimisation ends with a
        warning, or raises FailedPrecondition if it has not started any trial."""
        quota = Quota(trials, timeout, until)
        return optimize(self, objective, quota, workers, catch, callbacks, progress)

    def watch(self, resume_token: Optional[str] = None) -> Iterator[StudyEvent]:
        """Yields the events of the study and its trials from now on, or those after the event with
        this `resume_token`, until the study is deleted. If the connection or the server fails for a
        while, the watch goes on where it was. The last event is "study_deleted". It is sent even if
        the study was deleted before the watch was resumed, and even if another study has its name
        by then.

        >>> import slipstream
        >>> space = {"x": slipstream.real(0, 1)}
        >>> study = slipstream.create_or_load("doctest-watch", space, minimize="loss")
        >>> events = study.watch()
        >>> study.record({"x": 0.5}, 0.25).number
        1
        >>> for event in events:
        ...     if event.kind == "incumbent_improved":
        ...         print(event.number, event.value)
        ...         break
        1 0.25
        """
        watching = Watching(self._service, self._meant, resume_token)
        self._transport.run(watching.begin())
        return self._events_of(watching)

    def _events_of(self, watching: Watching) -> Iterator[StudyEvent]:
        try:
            events = self._transport.run(watching.next_events())
            while events:
                yield from events
                events = self._transport.run(watching.next_events())
        finally:
            watching.cancel()

    @property
    def trials(self) -> Trials:
        """All trials as they are now, in the order of their numbers. Numbers begin at 1, but
        indices of this list at 0: `study.trial(n)` gives the trial with number n."""
        return Trials(self._transport.run(self._reader.trials()), self.objective, self.space)

    @property
    def best(self) -> Optional[TrialRecord]:
        """The best trial, or None if none has succeeded."""
        return self._transport.run(self._reader.best())

    @property
    def description(self) -> StudyDescription:
        """The study as it is now, with its state and the number of its trials."""
        return self._transport.run(self._reader.description())

    @property
    def transfer(self) -> Optional[TransferSummary]:
        """Whether the source tasks help, judged by the study's results, or why they are not used.

        None if there are no source tasks, if the preset does not weigh them, and until a model has
        made a suggestion."""
        return self.description.transfer

    def trial(self, number: int) -> TrialRecord:
        """The trial with this number as it is now, whoever holds it."""
        return self._transport.run(self._reader.trial(number))

    def tell(
        self,
        trial: Union[int, TrialRecord],
        value: Optional[float] = None,
        *,
        failed: Optional[str] = None,
        infeasible: Optional[str] = None,
        stopped: Optional[str] = None,
    ) -> TrialRecord:
        """Records the outcome of a trial, given by its number or its record, and returns it.

        Use this if one process asks for trials and another one learns their results. The outcome is
        the value of the metric, or the reason why the trial `failed`, is `infeasible` or was
        `stopped` early, perhaps with a value. Raises TrialEnded if the trial has another outcome
        already.

        >>> import slipstream
        >>> study = slipstream.create_or_load(
        ...     "doctest-tell", {"x": slipstream.real(0, 1)}, minimize="loss")
        >>> number = study.suggest().number
        >>> study.tell(number, 0.25).value
        0.25
        """
        reasons = {"failed": failed, "infeasible": infeasible, "stopped": stopped}
        return self._transport.run(self._reader.tell(trial, value, reasons))

    def enqueue(
        self,
        params: Mapping[str, Any],
        *,
        unless_there: bool = False,
        labels: Optional[Mapping[str, Union[str, float]]] = None,
        note: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> TrialRecord:
        """Queues a configuration as the next suggestion, and returns its trial.

        A parameter with a declared default may be left out, and then has this value. Leave out
        inactive parameters, or set them to None. With `unless_there`, nothing is queued if the
        study already has a trial with this configuration; that trial is returned. So a script that
        is run again queues nothing twice. `labels` and `note` are written on the trial, as by
        `annotate`, in a second call right after it has been queued. `request_id` (1 to 128
        printable characters) makes repeating the call safe: another call with the same id within a
        day adds nothing.

        >>> import slipstream
        >>> space = {"x": slipstream.real(0, 1), "y": slipstream.real(0, 1, default=0.5)}
        >>> study = slipstream.create_or_load("doctest-enqueue", space, minimize="loss")
        >>> study.enqueue({"x": 0.25}, note="by hand").params
        {'x': 0.25, 'y': 0.5}
        """
        plan = self._reader.enqueue(params, unless_there, labels, note, request_id)
        return self._transport.run(plan)

    def record(
        self,
        params: Mapping[str, Any],
        value: Optional[float] = None,
        *,
        failed: Optional[str] = None,
        infeasible: Optional[str] = None,
        stopped: Optional[str] = None,
        labels: Optional[Mapping[str, Union[str, float]]] = None,
        note: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> TrialRecord:
        """Adds a result from elsewhere as a trial. The outcome is given as for `tell`.

        Leave out inactive parameters, or set them to None. `labels`, `note` and `request_id` are as
        for `enqueue`.

        >>> import slipstream
        >>> study = slipstream.create_or_load(
        ...     "doctest-record", {"x": slipstream.real(0, 1)}, minimize="loss")
        >>> study.record({"x": 0.5}, 0.25, labels={"from": "last year"}).value
        0.25
        >>> study.record({"x": 1}, infeasible="does not fit into memory").state
        'infeasible'
        """
        reasons = {"failed": failed, "infeasible": infeasible, "stopped": stopped}
        plan = self._reader.record(params, value, reasons, labels, note, request_id)
        return self._transport.run(plan)

    def annotate(
        self,
        trial: AnyTrial,
        *,
        labels: Optional[Mapping[str, Union[str, float, None]]] = None,
        note: Optional[str] = None,
    ) -> TrialRecord:
        """Writes labels and a note on a trial, given by itself, its record or its number, and returns its
        record.

        Labels are strings or numbers. They are added to those that the trial has: a label with the
        same key is replaced, and None removes it. A note replaces the previous note, and "" removes
        it. Arguments that are left out change nothing. Repeating a call changes nothing either.

        Threads and tasks of one process take turns. The server takes all labels of a trial at once,
        so this method reads them, changes them and writes them back. If two processes change labels
        of the same trial at the same moment, the later one may undo the other's change.

        >>> import slipstream
        >>> study = slipstream.create_or_load(
        ...     "doctest-notes", {"x": slipstream.real(0, 1)}, minimize="loss")
        >>> trial = study.record({"x": 0.5}, 0.25)
        >>> study.annotate(1, labels={"gpu": "a100", "fold": 3}, note="from last year").labels
        {'fold': '3', 'gpu': 'a100'}
        >>> study.annotate(1, labels={"fold": None}).labels
        {'gpu': 'a100'}
        """
        plan = self._reader.annotate(trial, labels, note)
        return self._transport.run_in_turn(self._reader.name_of(trial), plan)

    def reports(self, trial: AnyTrial) -> Mapping[int, float]:
        """The intermediate measurements of a trial by step; give the trial, its record or its
        number."""
        return self._transport.run(self._reader.reports(trial))

    def importances(self) -> Mapping[str, float]:
        """The part of the values' variation that each parameter explains by itself, largest first.

        Needs NumPy. `study.plot.importance` draws these numbers."""
        return importances(self.trials)

    def explain(self, trial: AnyTrial) -> Optional[Explanation]:
        """Where the configuration of a trial came from; give the trial, its record or its number.
        None for a trial that was not suggested but added, as by `enqueue`.

        >>> import slipstream
        >>> study = slipstream.create_or_load(
        ...     "doctest-explain", {"x": slipstream.real(0, 1)}, minimize="loss")
        >>> with study.suggest() as trial:
        ...     trial.complete(0.5)
        >>> study.explain(trial.number).preset
        'auto'
        """
        return self._transport.run(self._reader.explain(trial))

    def source_weights(self, trial: AnyTrial) -> Mapping[str, float]:
        """The share of each source task in a trial's suggestion, by the task's name. The trial is
        given by itself, its record or its number."""
        return self._transport.run(self._reader.source_weights(trial))

    def source_titles(self) -> Mapping[str, str]:
        """The titles of the study's source tasks, by name. Those of another project are left out if
        the token may not read them."""
        return self._transport.run(self._reader.source_titles())

    def change(
        self,
        *,
        title: Optional[str] = None,
        labels: Optional[Mapping[str, Union[str, float, None]]] = None,
        lease: Lease = None,
        requeues: Optional[int] = None,
    ) -> StudyDescription:
        """Changes the study's title, labels or leases, and returns the changed study.

        Labels are added and removed as in `annotate`, with the same caution about two processes
        that change them at once. `lease` and `requeues` are as in `slipstream.create_or_load`, and
        apply to leases from now on. Workers keep renewing their current leases at the old interval,
        so do not shorten leases while training runs are in progress. Arguments that are left out
        change nothing.

        >>> import slipstream
        >>> study = slipstream.create_or_load(
        ...     "doctest-change", {"x": slipstream.real(0, 1)}, minimize="loss")
        >>> study.change(title="Learning rates", labels={"team": "vision", "year": 2026}).title
        'Learning rates'
        >>> study.change(labels={"year": None}).labels
        {'team': 'vision'}
        """
        plan = self._reader.change(title, labels, lease, requeues)
        return self._transport.run_in_turn(self.name, plan)

    def pause(self) -> None:
        """Stops suggestions for now; results are still accepted. An optimisation on this object ends
        as by `stop`."""
        self.stop()
        self._transport.run(self._reader.set_state("PAUSED"))

    def resume(self) -> None:
        """Resumes suggestions."""
        self._transport.run(self._reader.set_state("ACTIVE"))

    def complete(self) -> None:
        """Stops suggestions for good; late results are still accepted. An optimisation on this object
        ends as by `stop`."""
        self.stop()
        self._transport.run(self._reader.set_state("COMPLETED"))

    def export(self, path: str) -> None:
        """Writes the study to a file of JSON lines, with its trials, reports and provenances.

        `slipstream.import_study` makes a study from the file, here or on another server."""
        self._transport.run(exchange.export(self._service, self._meant, path))

    @property
    def plot(self) -> Plotter:
        """Plots of the study, such as `study.plot.history()`."""
        return Plotter(self)

    def _repr_html_(self) -> str:
        return display.study_html(self.description, self.best)


def _reopen(
    address: str,
    file: Optional[str],
    meant: MeantStudy,
    options: Options,
    objects: Mapping[str, Tuple[Any, ...]],
) -> Study:
    """The unpickled study, under a new worker id: two processes under one worker id would get each
    other's trials."""
    service, transport = connect(address if file is None else join(file), options)
    description = transport.run(studies.load_meant(service, meant))
    description = description.with_objects(objects)
    return Study(service, description, transport, Lanes(None))
