"""Performs the steps of plans by awaiting."""

from __future__ import annotations

import asyncio
import weakref
from typing import Any, Optional

import grpc
import grpc.aio

from slipstream._calls.forks import traffic
from slipstream._calls.link import (
    Credentials,
    Link,
    Links,
    authorization,
    channel_options,
    failure_of,
)
from slipstream._calls.plan import (
    Attempt,
    Look,
    Next,
    Pause,
    Plan,
    Reply,
    Result,
    Step,
    Stream,
    run_async,
)
from slipstream._wire.methods import METHODS


class AwaitingTransport:
    """Belongs to the event loop in which it is made."""

    def __init__(
        self, address: str, credentials: Credentials, token: Optional[str] = None
    ) -> None:
        def open_channel() -> Any:
            options = channel_options(address)
            renewed = credentials.renewed()
            if renewed is None:
                return grpc.aio.insecure_channel(address, options)
            return grpc.aio.secure_channel(address, renewed, options)

        self._links: Links[Any] = Links(
            address, open_channel, "open the study in the child (slipstream.aio.load)"
        )
        traffic.check()
        traffic.note_asyncio()
        self._loop = asyncio.get_running_loop()
        self._metadata = authorization(token)
        self._closed = False
        self._turns: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    async def run(self, plan: Plan[Result]) -> Result:
        """Performs a plan."""
        self._links.current()  # Complains of a fork, where the loop does not run.
        if asyncio.get_running_loop() is not self._loop:
            raise RuntimeError(
                "the study was opened in another event loop, to which its connection belongs: open it "
                "in this one, by slipstream.aio.load, or call asyncio.run once for all"
            )

        if self._closed:
            raise RuntimeError(
                "the study was closed, as at the end of its `async with`: use it only before that, or "
                "open it again by slipstream.aio.load"
            )

        async def perform(step: Step) -> Optional[Reply]:
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                return None
            if isinstance(step, Look):
                loop = asyncio.get_running_loop()
                return Reply(finding=await loop.run_in_executor(None, step.find))
            if isinstance(step, Next):
                return await self._next(step.call)
            return await self._attempt(step)

        return await run_async(plan, perform)

    async def run_in_turn(self, subject: str, plan: Plan[Result]) -> Result:
        """Performs a plan when no other one on the same subject is under way."""
        async with self._turns.setdefault(subject, asyncio.Lock()):
            return await self.run(plan)

    async def _attempt(self, attempt: Attempt) -> Reply:
        link: Link[Any] = self._links.current()
        request = attempt.request() if callable(attempt.request) else attempt.request
        try:
            method = link.method(attempt.method)
            call = method(request, timeout=attempt.seconds, metadata=self._metadata)
            if not METHODS[attempt.method].gives_stream:
                return Reply(response=await call)
            first = await call.read()
            return Reply() if first is grpc.aio.EOF else Reply(response=Stream(call, first))
        except grpc.aio.AioRpcError as error:
            failure = failure_of(error)
        self._links.replace_after(failure, link)
        return Reply(failure=failure)

    async def _next(self, call: Any) -> Reply:
        try:
            message = await call.read()
        except grpc.aio.AioRpcError as error:
            return Reply(failure=failure_of(error))
        return Reply() if message is grpc.aio.EOF else Reply(response=message)

    async def close(self) -> None:
        self._closed = True
        await self._links.current().channel.close()
