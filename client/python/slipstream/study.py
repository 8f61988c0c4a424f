"""A study, for programs that block while they wait."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Optional, Tuple, Type, overload

from slipstream import display
from slipstream._calls.blocking import BlockingTransport
from slipstream._operations.service import Service
from slipstream._operations.study_base import StudyBase
from slipstream._operations.trial_values import Holder
from slipstream.optimization import optimize
from slipstream.plotter import Plotter
from slipstream.records import StudyDescription, TrialRecord
from slipstream.trial import Trial
from slipstream.trials import Trials

Objective = Callable[[Trial], Optional[float]]


class Study(StudyBase):
    """One optimisation on a server, made by `slipstream.create_or_load` or `slipstream.load`.

    Thread-safe; processes and machines that open the same study share it."""

    def __init__(
        self,
        service: Service,
        description: StudyDescription,
        transport: BlockingTransport,
        worker: Optional[str],
    ) -> None:
        super().__init__(service, description, worker)
        self._transport = transport

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
        optimisation, unless `catch` names its type.

        `trials` is how many to evaluate now, `timeout` after how many seconds none is started any
        more (without both it goes on until every candidate has been tried, or for ever), `workers`
        how many threads evaluate at once. For processes or machines, run the same
        script several times: they share the study."""
        return optimize(self, objective, trials, workers, timeout, catch, progress)

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

    def enqueue(self, params: Mapping[str, Any]) -> TrialRecord:
        """Queues a configuration, which the next suggestion is."""
        return self._transport.run(self._reader.add(params, None))

    def record(self, params: Mapping[str, Any], value: float) -> TrialRecord:
        """Adds a result from elsewhere."""
        return self._transport.run(self._reader.add(params, value))

    def reports(self, trial: TrialRecord) -> Mapping[int, float]:
        """The measurements on the way of a trial, by step."""
        return self._transport.run(self._reader.reports(trial.name))

    def source_weights(self, trial: TrialRecord) -> Mapping[str, float]:
        """The share that each source task had in the suggestion of a trial, by name."""
        return self._transport.run(self._reader.source_weights(trial.name))

    def source_titles(self) -> Mapping[str, str]:
        """The titles of the study's source tasks, by name."""
        return self._transport.run(self._reader.source_titles())

    def pause(self) -> None:
        """Stops suggestions for now; results are still taken."""
        self._transport.run(self._reader.set_state("PAUSED"))

    def resume(self) -> None:
        """Lets suggestions go on."""
        self._transport.run(self._reader.set_state("ACTIVE"))

    def complete(self) -> None:
        """Stops suggestions for good; late results are still taken."""
        self._transport.run(self._reader.set_state("COMPLETED"))

    @property
    def plot(self) -> Plotter:
        """Plots of the study, such as `study.plot.history()`."""
        return Plotter(self)

    def _repr_html_(self) -> str:
        return display.study_html(self.description, self.best)
