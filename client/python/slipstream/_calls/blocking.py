"""Performs the steps of plans by blocking."""

from __future__ import annotations

import time
from typing import Any, Optional

import grpc

from slipstream._calls.link import Link, Links, channel_options, failure_of
from slipstream._calls.plan import Attempt, Pause, Plan, Reply, Result, Step, run
from slipstream._calls.renewals import Renewals


class BlockingTransport:
    """Thread-safe."""

    def __init__(self, address: str, credentials: Optional[Any]) -> None:
        def open_channel() -> Any:
            options = channel_options(address)
            if credentials is None:
                return grpc.insecure_channel(address, options)
            return grpc.secure_channel(address, credentials, options)

        self._links: Links[Any] = Links(address, open_channel)
        self.renewals = Renewals(self._attempt)

    def run(self, plan: Plan[Result]) -> Result:
        """Performs a plan."""
        return run(plan, self._perform)

    def _perform(self, step: Step) -> Optional[Reply]:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        return self._attempt(step)

    def _attempt(self, attempt: Attempt) -> Reply:
        link: Link[Any] = self._links.current()
        request = attempt.request() if callable(attempt.request) else attempt.request
        try:
            return Reply(response=link.method(attempt.method)(request, timeout=attempt.seconds))
        except grpc.RpcError as error:
            failure = failure_of(error)
        self._links.replace_after(failure, link)
        return Reply(failure=failure)

    def close(self) -> None:
        self._links.current().channel.close()
