"""A trial of an asyncio study."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Mapping, Optional, Type, Union

from slipstream import errors
from slipstream._calls.awaiting import AwaitingTransport
from slipstream._operations.held_trial import HeldTrial
from slipstream._operations.termination import Block, termination
from slipstream._operations.trial_values import Holder
from slipstream.connections import connect
from slipstream.records import TrialRecord


class Trial(HeldTrial):
    """A configuration to try; see `slipstream.Trial`. The lease is renewed in `async with`."""

    def __init__(self, holder: Holder, record: TrialRecord, transport: AwaitingTransport) -> None:
        super().__init__(holder, record)
        self._transport = transport
        self._renewals: Optional[asyncio.Task[None]] = None
        self._block: Optional[Block] = None

    async def report(self, step: int, value: float) -> None:
        """See `slipstream.Trial.report`."""
        await self._transport.run(self._report(step, value))

    async def should_stop(self) -> bool:
        """See `slipstream.Trial.should_stop`."""
        return await self._transport.run(self._should_stop())

    async def annotate(
        self,
        *,
        labels: Optional[Mapping[str, Union[str, float, None]]] = None,
        note: Optional[str] = None,
    ) -> None:
        """See `slipstream.Trial.annotate`."""
        await self._transport.run_in_turn(self.name, self._annotate(labels, note))

    async def labels(self) -> Mapping[str, str]:
        """See `slipstream.Trial.labels`."""
        return await self._transport.run(self._labels())

    async def note(self) -> str:
        """See `slipstream.Trial.note`."""
        return await self._transport.run(self._note())

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
        task = asyncio.current_task()
        if self._block is None:
            self._block = termination.begin(self._give_back, lambda: [task])
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
        try:
            self._end_renewals()
            return await self._transport.run(self._leave(error))
        finally:
            if self._block is not None:
                termination.end(self._block)
                self._block = None

    def _give_back(self) -> None:
        """Gives the trial back while the event loop is busy, on a connection of its own. If its outcome
        was on the way, that is sent instead."""
        if self._ended or self._lost:
            return
        parents, outcome = self._holder.service, self._on_its_way
        service, transport = connect(parents.address, parents.options)
        try:
            if outcome is None:
                transport.run(service.release(self._holder.study, self.worker, self.name))
                self._given_back = True
            else:
                transport.run(
                    service.observe(self.name, self._record.created, outcome, briefly=True)
                )
                self._has_outcome = True
        except (errors.NoAnswer, errors.Overloaded):
            termination.note_silence()
            raise
        self._ended = True

    def _end(self) -> None:
        super()._end()
        self._end_renewals()

    def _end_renewals(self) -> None:
        if self._renewals is not None:
            self._renewals.cancel()
            self._renewals = None
