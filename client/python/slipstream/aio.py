"""The client for asyncio: the same as `slipstream`, awaited.

    study = await slipstream.aio.create_or_load("digits", space, maximize="accuracy")
    async with await study.suggest() as trial:
        await trial.complete(await train(**trial))

A study belongs to the event loop in which it was opened; close it by `await study.close()` or
`async with study:`. Source tasks are registered, and plots drawn, by the blocking package.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import (
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    List,
    Mapping,
    Optional,
    Tuple,
    Type,
    overload,
)

from slipstream import errors
from slipstream._calls.awaiting import AwaitingTransport
from slipstream._calls.caller import Caller
from slipstream._operations import opening, studies
from slipstream._operations.held_trial import HeldTrial
from slipstream._operations.service import Service
from slipstream._operations.study_base import StudyBase
from slipstream._operations.study_request import StudyRequest
from slipstream._operations.trial_values import Holder
from slipstream._operations.watching import Watching
from slipstream.optimization import Quota, check_workers
from slipstream.options import Options, choose_address
from slipstream.parameters import Parameter
from slipstream.progress import Progress
from slipstream.records import StudyDescription, StudyEvent, TransferSummary, TrialRecord
from slipstream.trials import Trials


class Trial(HeldTrial):
    """A configuration to try; see `slipstream.Trial`. The lease is renewed in `async with`."""

    def __init__(self, holder: Holder, record: TrialRecord, transport: AwaitingTransport) -> None:
        super().__init__(holder, record)
        self._transport = transport
        self._renewals: Optional[asyncio.Task[None]] = None

    async def report(self, step: int, value: float) -> None:
        """See `slipstream.Trial.report`."""
        await self._transport.run(self._report(step, value))

    async def should_stop(self) -> bool:
        """See `slipstream.Trial.should_stop`."""
        return await self._transport.run(self._should_stop())

    async def complete(self, value: float) -> None:
        """See `slipstream.Trial.complete`."""
        await self._transport.run(self._complete(value))

    async def fail(self, reason: str = "") -> None:
        """See `slipstream.Trial.fail`."""
        await self._transport.run(self._fail(reason))

    async def infeasible(self, reason: str = "") -> None:
        """See `slipstream.Trial.infeasible`."""
        await self._transport.run(self._infeasible(reason))

    async def stop(self, reason: Optional[str] = None, value: Optional[float] = None) -> None:
        """See `slipstream.Trial.stop`."""
        await self._transport.run(self._stop(reason, value))

    async def release(self) -> None:
        """See `slipstream.Trial.release`."""
        await self._transport.run(self._release())

    async def finish(self, value: Any) -> None:
        """See `slipstream.Trial.finish`."""
        await self._transport.run(self._finish(value))

    async def __aenter__(self) -> Trial:
        renewals = self._transport.run(self._renew())
        self._renewals = asyncio.get_running_loop().create_task(
            renewals, name=f"renews {self.name}"
        )
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> bool:
        self._end_renewals()
        return await self._transport.run(self._leave(error))

    def _end(self) -> None:
        super()._end()
        self._end_renewals()

    def _end_renewals(self) -> None:
        if self._renewals is not None:
            self._renewals.cancel()
            self._renewals = None


Objective = Callable[[Trial], Awaitable[Optional[float]]]


class Study(StudyBase):
    """One optimisation on a server; see `slipstream.Study`."""

    def __init__(
        self,
        service: Service,
        description: StudyDescription,
        transport: AwaitingTransport,
        worker: Optional[str],
    ) -> None:
        super().__init__(service, description, worker)
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
        """See `slipstream.Study.suggest`."""

        def make(holder: Holder, record: TrialRecord) -> Trial:
            return Trial(holder, record, self._transport)

        trials = await self._transport.run(self._suggest(1 if count is None else count, make))
        return trials[0] if count is None else trials

    async def optimize(
        self,
        objective: Objective,
        trials: Optional[int] = None,
        *,
        workers: int = 1,
        timeout: Optional[float] = None,
        catch: Tuple[Type[Exception], ...] = (),
        progress: bool = True,
    ) -> Optional[TrialRecord]:
        """See `slipstream.Study.optimize`; `workers` is the number of tasks."""
        check_workers(workers)
        quota = Quota(trials, timeout)
        best = await self.best()
        with Progress(self.id, self.objective, trials, progress, lambda: best) as shown:
            tasks = [
                asyncio.ensure_future(self._work(objective, quota, catch, shown))
                for _ in range(workers)
            ]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()  # Those that are still running give their trials back.
                await asyncio.gather(*tasks, return_exceptions=True)
        return await self.best()

    async def _work(
        self,
        objective: Objective,
        quota: Quota,
        catch: Tuple[Type[Exception], ...],
        progress: Progress,
    ) -> None:
        while quota.take():
            try:
                trial = await self.suggest()
            except errors.CandidatesExhausted:
                return
            try:
                async with trial:
                    await trial.finish(await objective(trial))
            except errors.SlipstreamError:
                raise  # What the server did not hear must not go unnoticed.
            except catch:
                pass  # The trial has failed with the exception's text.
            finally:
                progress.count(trial)

    async def watch(self, resume_token: str = "") -> AsyncIterator[StudyEvent]:
        """See `slipstream.Study.watch`; awaiting it begins: `async for event in await
        study.watch()`."""
        watching = Watching(self._service, self.name, resume_token)
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

    async def pause(self) -> None:
        """See `slipstream.Study.pause`."""
        await self._transport.run(self._reader.set_state("PAUSED"))

    async def resume(self) -> None:
        """See `slipstream.Study.resume`."""
        await self._transport.run(self._reader.set_state("ACTIVE"))

    async def complete(self) -> None:
        """See `slipstream.Study.complete`."""
        await self._transport.run(self._reader.set_state("COMPLETED"))

    async def reports(self, trial: TrialRecord) -> Mapping[int, float]:
        """See `slipstream.Study.reports`."""
        return await self._transport.run(self._reader.reports(trial.name))

    async def enqueue(self, params: Mapping[str, Any]) -> TrialRecord:
        """See `slipstream.Study.enqueue`."""
        return await self._transport.run(self._reader.add(params, None))

    async def record(
        self, params: Mapping[str, Any], value: float, *, request_id: Optional[str] = None
    ) -> TrialRecord:
        """See `slipstream.Study.record`."""
        return await self._transport.run(self._reader.add(params, value, request_id))


def _connect(
    address: Optional[str], options: Optional[Options]
) -> Tuple[Service, AwaitingTransport]:
    chosen = choose_address(address)
    settings = (options or Options()).with_environment(chosen)
    service = Service(Caller(chosen, settings.retry), settings)
    return service, AwaitingTransport(chosen, settings.channel_credentials(), settings.token)


async def create_or_load(
    study_id: str,
    space: Optional[Mapping[str, Parameter]] = None,
    *,
    worker: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
    **settings: Any,
) -> Study:
    """The study with this id, created if there is none.

    Takes the arguments of `slipstream.create_or_load`, which explains them."""
    request = StudyRequest(study_id, space, **settings)
    service, transport = _connect(address, options)
    try:
        description = await transport.run(opening.open_study(service, request))
    except BaseException:
        await transport.close()
        raise
    return Study(service, description, transport, worker)


async def load(
    study_id: str,
    *,
    worker: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> Study:
    """The study with this id as it is. NotFound if there is none."""
    service, transport = _connect(address, options)
    try:
        description = await transport.run(studies.load(service, study_id))
    except BaseException:
        await transport.close()
        raise
    return Study(service, description, transport, worker)
