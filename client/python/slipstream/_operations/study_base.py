"""What a blocking study and one of asyncio share."""

from __future__ import annotations

from dataclasses import fields
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Collection,
    Dict,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
)

from slipstream import errors
from slipstream._calls.cancellation import CalledOff
from slipstream._calls.plan import Plan, while_wanted
from slipstream._convert.names import StudyName
from slipstream._convert.trials import trial_of
from slipstream._operations.foreign_names import OF_STUDIES
from slipstream._operations.lanes import Lanes
from slipstream._operations.meant_study import meant_study
from slipstream._operations.namesakes import warn_of_namesakes
from slipstream._operations.quotas import Quota, RunningQuotas
from slipstream._operations.service import Service
from slipstream._operations.studies import StudyReader
from slipstream._operations.suggesting import Suggesting
from slipstream._operations.trial_values import Holder
from slipstream._wire import messages
from slipstream._wire.messages import Message
from slipstream.parameters import Parameter
from slipstream.records import Objective, StudyDescription, TrialRecord
from slipstream.scalars import check_count

OneStudy = TypeVar("OneStudy", bound="StudyBase")
OneTrial = TypeVar("OneTrial")

# The best trial and, if progress counts all trials of the study, how many have ended.
Standing = Tuple[Optional[TrialRecord], Optional[int]]

# The states of trials that nobody works on, and that have no outcome.
_NOT_COUNTED = ("REQUESTED", "STALE", "WITHDRAWN")
_HELD = "ACTIVE"
_MOST_SUGGESTIONS = 1000  # Of one call, as the server has it.
_DESCRIBED = frozenset(one.name for one in fields(StudyDescription))


class StudyBase:
    """What does not depend on how to wait."""

    def __init__(self, service: Service, description: StudyDescription, lanes: Lanes) -> None:
        self._service = service
        self._description = description
        self._name = StudyName(description.project, description.study_id)
        self._space = dict(description.space)
        self._meant = meant_study(description)
        self._reader = StudyReader(service, description)
        self._lanes = lanes
        self._running = RunningQuotas()

    @property
    def id(self) -> str:
        """The study's id, for example "digits"."""
        return self._description.study_id

    @property
    def name(self) -> str:
        """The name on the server, "studies/{id}" or "projects/{project}/studies/{id}"."""
        return self._name.full

    @property
    def project(self) -> str:
        """The project that the study belongs to, "default" unless another was asked for."""
        return self._name.project

    @property
    def space(self) -> Mapping[str, Parameter]:
        """The parameters by name."""
        return self._space

    @property
    def objective(self) -> Objective:
        """What is measured, and which way is better."""
        return self._description.objective

    @property
    def sources(self) -> List[str]:
        """The names of the source tasks that the study learns from."""
        return list(self._description.sources or ())

    @property
    def worker(self) -> str:
        """The id under which this process asks for trials. While it has others, further ones are
        asked for under the same with a number, such as "gpu#2"."""
        return self._lanes.worker

    def stop(self) -> None:
        """Ends the optimisations that run on this object: no more trials are started, those under
        way are finished, and `optimize` returns the best trial as usual.

        The objective, a callback or another thread may call this. It does nothing if none runs.
        Other processes go on, and so do optimisations on other objects for the same study. While the
        server does not answer, the results of trials under way are kept and sent again and again,
        for as long as `Options.outcome` allows: five minutes by default.

        >>> import slipstream
        >>> study = slipstream.create_or_load(
        ...     "doctest-stop", {"x": slipstream.real(0, 1)}, minimize="loss")
        >>> def good_enough(study, record):
        ...     if record.value < 0.5:
        ...         study.stop()
        >>> best = study.optimize(lambda trial: trial.x, callbacks=[good_enough], progress=False)
        >>> best.number == study.description.trial_count
        True
        """
        self._running.close()

    if not TYPE_CHECKING:  # To which a study would have every attribute.

        def __getattr__(self, name: str) -> Any:
            there = {one: self._reading(one) for one in ("best", "trials", "description")}
            if name in OF_STUDIES:
                told = OF_STUDIES[name].format(**there)
            elif name in _DESCRIBED and not hasattr(type(self), name):
                told = f"{there['description']}.{name} reads it from the server"
            else:
                return self.__getattribute__(name)  # Complains of what is missing.
            raise AttributeError(f"a study has no {name!r} here: {told}")

    def _reading(self, name: str) -> str:
        """How a program reads this of the study, by an attribute or by awaiting a method."""
        is_property = isinstance(getattr(type(self), name), property)
        return f"study.{name}" if is_property else f"(await study.{name}())"

    def __copy__(self: OneStudy) -> OneStudy:
        return self  # Threads share a study, and what is unpickled has another worker id.

    def __deepcopy__(self: OneStudy, memo: Dict[int, Any]) -> OneStudy:
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        raise TypeError(
            f"{self!r} cannot be pickled, as its connection belongs to an event loop: open it "
            "where it is needed, by slipstream.aio.load"
        )

    def __repr__(self) -> str:
        return f"<study {self._name.short} on {self._service.address}: {self.objective}>"

    def _suggest(
        self, count: int, make: Callable[[Holder, TrialRecord], OneTrial]
    ) -> Plan[List[OneTrial]]:
        count = check_count("count", count, 1, _MOST_SUGGESTIONS)
        yield from self._recall()
        lane = self._lanes.take(count)
        metric = self.objective.metric
        holder = Holder(
            self._service, self._meant, metric, self._space, self._description.lease or 0,
            lane.worker, lambda: self._lanes.give_back(lane),
        )

        def take(response: Message) -> List[OneTrial]:
            self._lanes.resumed(lane, [trial.name for trial in response.trials])
            return [make(holder, trial_of(one, self._space, metric)) for one in response.trials]

        got = 0
        try:
            suggesting = Suggesting(self._service, self._meant, lane)
            trials = yield from suggesting.ask(count, take, self._wait_for, self._tasks())
            got = len(trials)
            return trials
        except errors.FailedPrecondition:
            self._lanes.resumed(lane, ())  # Or it would have been given what it holds.
            raise
        finally:
            self._lanes.give_back(lane, count - got)

    def _wait_for(self, plan: Plan[None]) -> None:
        """Performs a plan by blocking, from whatever thread."""
        raise NotImplementedError

    def _tasks(self) -> Optional[Callable[[], Collection[Any]]]:
        """Those of asyncio that wait for what this one asks for; None without asyncio."""
        return None

    def _recall(self) -> Plan[None]:
        if not self._lanes.recalled:
            held = yield from self._service.list_held(self._meant)
            if not self._lanes.recalled:  # By another thread meanwhile.
                self._lanes.recall((trial.name, trial.worker) for trial in held)
                warn_of_namesakes(self._lanes.worker, held)

    def _count_without(self, states: Sequence[str]) -> Plan[int]:
        """How many trials are in none of these states.

        The number of all is read first. Whatever happens in between can then only make the count
        too small, and an optimisation does not end too early."""
        study = yield from self._service.get_study(self._meant.name, ["trial_count"])
        numbers = [messages.enum_value("Trial.State", state) for state in states]
        others = yield from self._service.list_trials(
            self._meant, states=numbers, read_mask={"paths": ["state"]}
        )
        return int(study.trial_count) - len(others)

    def _count(self) -> Plan[int]:
        """How many trials have an outcome or are held by a worker, but for those that an earlier
        life of this one has left: it takes them up again."""
        yield from self._recall()
        return (yield from self._count_without(_NOT_COUNTED)) - self._lanes.left

    def _count_ended(self) -> Plan[int]:
        """How many trials have an outcome."""
        return self._count_without((*_NOT_COUNTED, _HELD))

    def _standing(self, quota: Quota) -> Plan[Standing]:
        """The best trial and, if progress counts all trials of the study, how many have ended."""
        ended = (yield from self._count_ended()) if quota.counts_study else None
        return (yield from self._reader.best()), ended

    def _news(self, quota: Quota) -> Plan[Optional[Standing]]:
        """How the study stands; None if the optimisation ends before that is known."""
        try:
            return (yield from while_wanted(self._standing(quota), lambda: not quota.closed))
        except CalledOff:
            return None

    def _has_enough(self, quota: Quota) -> Plan[bool]:
        if quota.until is None:
            return False
        return quota.closed or (yield from self._count()) >= quota.until

    def _next(
        self, quota: Quota, make: Callable[[Holder, TrialRecord], OneTrial]
    ) -> Plan[Optional[OneTrial]]:
        """The trial that an optimisation evaluates next; None if it has come to its end. Where the
        quota has a total, workers are to take turns, as each counts what the others were given.

        A call that is to be repeated later is not, if the optimisation ends before that."""
        try:
            return (yield from while_wanted(self._ask(quota, make), lambda: not quota.closed))
        except CalledOff:
            if quota.closed:
                return None
            raise

    def _ask(
        self, quota: Quota, make: Callable[[Holder, TrialRecord], OneTrial]
    ) -> Plan[Optional[OneTrial]]:
        if (yield from self._has_enough(quota)):
            return None
        try:
            (trial,) = yield from self._suggest(1, make)
        except errors.CandidatesExhausted:
            return None
        except errors.FailedPrecondition:
            if quota.closed:
                return None  # This process has paused or completed the study.
            state = (yield from self._reader.description()).state
            if state == "active" or not quota.started:
                raise
            quota.end_by(state)
            return None
        return trial
