"""A study, for programs that block while they wait."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Mapping, Optional, Tuple, Type, Union, overload

from slipstream import display
from slipstream._calls.blocking import BlockingTransport
from slipstream._operations import exchange, studies
from slipstream._operations.lanes import Lanes
from slipstream._operations.meant_study import MeantStudy
from slipstream._operations.service import Service
from slipstream._operations.study_base import StudyBase
from slipstream._operations.trial_values import Holder
from slipstream._operations.watching import Watching
from slipstream.connections import connect
from slipstream.local_server import file_of, join
from slipstream.optimization import optimize
from slipstream.options import Options
from slipstream.plotter import Plotter
from slipstream.records import StudyDescription, StudyEvent, TransferSummary, TrialRecord
from slipstream.trial import Trial
from slipstream.trials import Trials

Objective = Callable[[Trial], Optional[float]]


class Study(StudyBase):
    """One optimisation on a server, made by `slipstream.create_or_load` or `slipstream.load`.

    Thread-safe; processes and machines that open the same study share it. Once it has been deleted
    its calls raise NotFound, also if another study has its name since.

    It can be pickled, and so be an argument of processes that multiprocessing spawns and of
    joblib's. What is unpickled has a connection and a worker id of its own, and joins the server's
    file if `slipstream.local` runs the server; copy.copy and copy.deepcopy return the study itself.
    Pickles have the server's address and the paths of
    certificates, but neither a token nor a private key: the process that unpickles has the token
    from SLIPSTREAM_TOKEN and reads the files itself."""

    def __init__(
        self,
        service: Service,
        description: StudyDescription,
        transport: BlockingTransport,
        lanes: Lanes,
    ) -> None:
        super().__init__(service, description, lanes)
        self._transport = transport

    def __reduce__(self) -> Tuple[Any, ...]:
        address, options = self._service.address, self._service.options.without_secrets()
        return _reopen, (address, file_of(address), self._meant, options)

    @overload
    def suggest(self) -> Trial: ...

    @overload
    def suggest(self, count: int) -> List[Trial]: ...

    def suggest(self, count: Optional[int] = None) -> Any:
        """The next trial or, with a count, a list of as many.

        A process that was restarted under the same `worker` gets its unfinished trials first.
        CandidatesExhausted once the list of candidates has been tried; a list of trials is shorter
        than asked for when it is nearly so."""

        def make(holder: Holder, record: TrialRecord) -> Trial:
            return Trial(holder, record, self._transport)

        trials = self._transport.run(self._suggest(1 if count is None else count, make))
        return trials[0] if count is None else trials

    def optimize(
        self,
        objective: Objective,
        trials: Optional[int] = None,
        *,
        workers: int = 1,
        timeout: Optional[float] = None,
        catch: Tuple[Type[Exception], ...] = (),
        progress: bool = True,
    ) -> Optional[TrialRecord]:
        """Evaluates suggestions and returns the best trial of the study, None if there is none.

        `objective` gets a trial and returns the value of the metric. It may raise Infeasible, or
        TrialStopped after `trial.should_stop()`. Another exception fails its trial and ends the
        optimisation, unless `catch` names its type. After a value that is not finite the trial is
        infeasible, so that the model stays away from configurations like it; a warning tells of
        the first one, and the optimisation goes on.

        `trials` is how many to evaluate now, `timeout` after how many seconds none is started any
        more (without both it goes on until every candidate has been tried, or for ever), `workers`
        how many threads evaluate at once. Ctrl-C ends it; with several workers the first one waits
        for the trainings under way, and a second one gives their trials back. For processes or
        machines, run the same script several times: they share the study."""
        return optimize(self, objective, trials, workers, timeout, catch, progress)

    def watch(self, resume_token: str = "") -> Iterator[StudyEvent]:
        """What happens to the study and its trials from now on, or after an earlier event's
        `resume_token`, until the study is deleted. Goes on where it was when the connection or
        the server fails for a while. The events end with "study_deleted" also where the study was
        deleted before they were resumed, whether or not another one has its name by then.

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
        """All trials by number, as they are now."""
        return Trials(self._transport.run(self._reader.trials()), self.objective, self.space)

    @property
    def best(self) -> Optional[TrialRecord]:
        """The best trial, None if none has succeeded."""
        return self._transport.run(self._reader.best())

    @property
    def description(self) -> StudyDescription:
        """The study as it is now, with its state and the number of its trials."""
        return self._transport.run(self._reader.description())

    @property
    def transfer(self) -> Optional[TransferSummary]:
        """Whether the source tasks serve the study, as its results tell, or why they are not used;
        None without source tasks, with a preset that does not weigh them, and before the first
        suggestion that a model has made."""
        return self.description.transfer

    def enqueue(self, params: Mapping[str, Any]) -> TrialRecord:
        """Queues a configuration, which the next suggestion is.

        Parameters that are not active are left out or None."""
        return self._transport.run(self._reader.enqueue(params))

    def record(
        self, params: Mapping[str, Any], value: float, *, request_id: Optional[str] = None
    ) -> TrialRecord:
        """Adds a result from elsewhere. Parameters that are not active are left out or None.

        With a `request_id` of the caller's own, of 1 to 128 printable characters, whoever says it
        again within a day adds nothing."""
        return self._transport.run(self._reader.record(params, value, request_id))

    def annotate(
        self,
        trial: Union[int, TrialRecord],
        *,
        labels: Optional[Mapping[str, Union[str, float, None]]] = None,
        note: Optional[str] = None,
    ) -> TrialRecord:
        """Writes labels and a note on a trial, given by its number or its record, and returns it.

        Labels are strings or numbers, and come beside those that the trial has: one of the same key
        is replaced, and one that is None is removed. A note replaces the one before, and "" removes
        it; what is left out stays as it is. The same again changes nothing.

        Threads and tasks of a process take turns. The server takes all labels of a trial at once,
        so they are read, changed and written back: of two processes that change labels of the same
        trial within the same milliseconds, the later one may undo what the other has written.

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

    def reports(self, trial: TrialRecord) -> Mapping[int, float]:
        """The measurements on the way of a trial, by step."""
        return self._transport.run(self._reader.reports(trial.name))

    def source_weights(self, trial: TrialRecord) -> Mapping[str, float]:
        """The share that each source task had in the suggestion of a trial, by name."""
        return self._transport.run(self._reader.source_weights(trial.name))

    def source_titles(self) -> Mapping[str, str]:
        """The titles of the study's source tasks, by name."""
        return self._transport.run(self._reader.source_titles())

    def change(
        self,
        *,
        title: Optional[str] = None,
        labels: Optional[Mapping[str, Union[str, float, None]]] = None,
    ) -> StudyDescription:
        """Gives the study another title or other labels, and returns it as it is then.

        Labels come beside those that the study has, as those of `annotate` do, and the same holds
        of two processes that change them at once. What is left out stays as it is.

        >>> import slipstream
        >>> study = slipstream.create_or_load(
        ...     "doctest-change", {"x": slipstream.real(0, 1)}, minimize="loss")
        >>> study.change(title="Learning rates", labels={"team": "vision", "year": 2026}).title
        'Learning rates'
        >>> study.change(labels={"year": None}).labels
        {'team': 'vision'}
        """
        return self._transport.run_in_turn(self.name, self._reader.change(title, labels))

    def pause(self) -> None:
        """Stops suggestions for now; results are still taken."""
        self._transport.run(self._reader.set_state("PAUSED"))

    def resume(self) -> None:
        """Lets suggestions go on."""
        self._transport.run(self._reader.set_state("ACTIVE"))

    def complete(self) -> None:
        """Stops suggestions for good; late results are still taken."""
        self._transport.run(self._reader.set_state("COMPLETED"))

    def export(self, path: str) -> None:
        """Writes the study to a file of JSON lines, with its trials, reports and provenances.

        `slipstream.import_study` makes a study of it, here or on another server."""
        self._transport.run(exchange.export(self._service, self._meant, path))

    @property
    def plot(self) -> Plotter:
        """Plots of the study, such as `study.plot.history()`."""
        return Plotter(self)

    def _repr_html_(self) -> str:
        return display.study_html(self.description, self.best)


def _reopen(address: str, file: Optional[str], meant: MeantStudy, options: Options) -> Study:
    """The study that was pickled, in whatever process. Two under one worker id would get each
    other's trials."""
    service, transport = connect(address if file is None else join(file), options)
    description = transport.run(studies.load_meant(service, meant))
    return Study(service, description, transport, Lanes(None))
