"""A study, for programs that await."""

from __future__ import annotations

import asyncio
from typing import (
    Any,
    AsyncIterator,
    Callable,
    Collection,
    List,
    Mapping,
    Optional,
    Union,
    overload,
)

from slipstream._calls.awaiting import AwaitingTransport
from slipstream._calls.plan import Plan
from slipstream._operations import exchange
from slipstream._operations.foreign_names import OF_OPTIMIZE, with_hints
from slipstream._operations.lanes import Lanes
from slipstream._operations.quotas import Quota
from slipstream._operations.service import Service
from slipstream._operations.study_base import Standing, StudyBase
from slipstream._operations.trial_values import Holder
from slipstream._operations.watching import Watching
from slipstream.aio.optimization import Objective, optimize
from slipstream.aio.trial import Trial
from slipstream.connections import connect
from slipstream.optimization import Catch
from slipstream.plots.contents import importances
from slipstream.records import (
    Explanation,
    Lease,
    StudyDescription,
    StudyEvent,
    TransferSummary,
    TrialRecord,
)
from slipstream.trials import Trials

AnyTrial = Union[int, TrialRecord, Trial]
Callback = Callable[["Study", TrialRecord], Any]

class Study(StudyBase):
    """One optimisation on a server; see `slipstream.Study`."""

    def __init__(
        self,
        service: Service,
        description: StudyDescription,
        transport: AwaitingTransport,
        lanes: Lanes,
    ) -> None:
        super().__init__(service, description, lanes)
        self._transport = transport

    async def __aenter__(self) -> Study:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection."""
        await self._transport.close()

    @overload
    async def suggest(self) -> Trial: ...

    @overload
    async def suggest(self, count: int) -> List[Trial]: ...

    async def suggest(self, count: Optional[int] = None) -> Any:
        """The next trial or, with a count, a list of at most that many; see
        `slipstream.Study.suggest`."""
        plan = self._suggest(1 if count is None else count, self._make)
        trials = await self._transport.run(plan)
        return trials[0] if count is None else trials

    def _make(self, holder: Holder, record: TrialRecord) -> Trial:
        return Trial(holder, record, self._transport)

    def _wait_for(self, plan: Plan[None]) -> None:
        # The event loop may be busy.
        connect(self._service.address, self._service.options)[1].run(plan)

    def _tasks(self) -> Callable[[], Collection[Any]]:
        task = asyncio.current_task()
        return lambda: [task]

    async def _next_trial(self, quota: Quota) -> Optional[Trial]:
        plan = self._next(quota, self._make)
        if quota.until is None:
            return await self._transport.run(plan)
        return await self._transport.run_in_turn(f"{self.name}/trials", plan)

    async def _stands(self, quota: Quota) -> Standing:
        return await self._transport.run(self._standing(quota))

    @with_hints(OF_OPTIMIZE)
    async def optimize(
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
        """See `slipstream.Study.optimize`; `workers` is the number of tasks. Callbacks may be
        asynchronous. SIGTERM and SIGHUP cancel the tasks, which may await while they clean up."""
        quota = Quota(trials, timeout, until)
        return await optimize(self, objective, quota, workers, catch, callbacks, progress)

    async def watch(self, resume_token: Optional[str] = None) -> AsyncIterator[StudyEvent]:
        """See `slipstream.Study.watch`. Awaiting it starts the watch: `async for event in await
        study.watch()`."""
        watching = Watching(self._service, self._meant, resume_token)
        await self._transport.run(watching.begin())
        return self._events_of(watching)

    async def _events_of(self, watching: Watching) -> AsyncIterator[StudyEvent]:
        try:
            events = await self._transport.run(watching.next_events())
            while events:
                for event in events:
                    yield event
                events = await self._transport.run(watching.next_events())
        finally:
            watching.cancel()

    async def trials(self) -> Trials:
        """See `slipstream.Study.trials`."""
        found = await self._transport.run(self._reader.trials())
        return Trials(found, self.objective, self.space)

    async def best(self) -> Optional[TrialRecord]:
        """See `slipstream.Study.best`."""
        return await self._transport.run(self._reader.best())

    async def description(self) -> StudyDescription:
        """See `slipstream.Study.description`."""
        return await self._transport.run(self._reader.description())

    async def transfer(self) -> Optional[TransferSummary]:
        """See `slipstream.Study.transfer`."""
        return (await self.description()).transfer

    async def change(
        self,
        *,
        title: Optional[str] = None,
        labels: Optional[Mapping[str, Union[str, float, None]]] = None,
        lease: Lease = None,
        requeues: Optional[int] = None,
    ) -> StudyDescription:
        """See `slipstream.Study.change`."""
        plan = self._reader.change(title, labels, lease, requeues)
        return await self._transport.run_in_turn(self.name, plan)

    async def pause(self) -> None:
        """See `slipstream.Study.pause`."""
        self.stop()
        await self._transport.run(self._reader.set_state("PAUSED"))

    async def resume(self) -> None:
        """See `slipstream.Study.resume`."""
        await self._transport.run(self._reader.set_state("ACTIVE"))

    async def complete(self) -> None:
        """See `slipstream.Study.complete`."""
        self.stop()
        await self._transport.run(self._reader.set_state("COMPLETED"))

    async def export(self, path: str) -> None:
        """See `slipstream.Study.export`."""
        await self._transport.run(exchange.export(self._service, self._meant, path))

    async def importances(self) -> Mapping[str, float]:
        """See `slipstream.Study.importances`."""
        trials = await self.trials()
        return await asyncio.get_running_loop().run_in_executor(None, importances, trials)

    async def explain(self, trial: AnyTrial) -> Optional[Explanation]:
        """See `slipstream.Study.explain`."""
        return await self._transport.run(self._reader.explain(trial))

    async def source_weights(self, trial: AnyTrial) -> Mapping[str, float]:
        """See `slipstream.Study.source_weights`."""
        return await self._transport.run(self._reader.source_weights(trial))

    async def source_titles(self) -> Mapping[str, str]:
        """See `slipstream.Study.source_titles`."""
        return await self._transport.run(self._reader.source_titles())

    async def reports(self, trial: AnyTrial) -> Mapping[int, float]:
        """See `slipstream.Study.reports`."""
        return await self._transport.run(self._reader.reports(trial))

    async def annotate(
        self,
        trial: AnyTrial,
        *,
        labels: Optional[Mapping[str, Union[str, float, None]]] = None,
        note: Optional[str] = None,
    ) -> TrialRecord:
        """See `slipstream.Study.annotate`."""
        plan = self._reader.annotate(trial, labels, note)
        return await self._transport.run_in_turn(self._reader.name_of(trial), plan)

    async def trial(self, number: int) -> TrialRecord:
        """See `slipstream.Study.trial`."""
        return await self._transport.run(self._reader.trial(number))

    async def tell(
        self,
        trial: Union[int, TrialRecord],
        value: Optional[float] = None,
        *,
        failed: Optional[str] = None,
        infeasible: Optional[str] = None,
        stopped: Optional[str] = None,
    ) -> TrialRecord:
        """See `slipstream.Study.tell`."""
        reasons = {"failed": failed, "infeasible": infeasible, "stopped": stopped}
        return await self._transport.run(self._reader.tell(trial, value, reasons))

    async def enqueue(
        self,
        params: Mapping[str, Any],
        *,
        unless_there: bool = False,
        labels: Optional[Mapping[str, Union[str, float]]] = None,
        note: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> TrialRecord:
        """See `slipstream.Study.enqueue`."""
        plan = self._reader.enqueue(params, unless_there, labels, note, request_id)
        return await self._transport.run(plan)

    async def record(
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
        """See `slipstream.Study.record`."""
        reasons = {"failed": failed, "infeasible": infeasible, "stopped": stopped}
        plan = self._reader.record(params, value, reasons, labels, note, request_id)
        return await self._transport.run(plan)
