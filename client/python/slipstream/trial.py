"""A trial of a blocking study."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Optional, Type

from slipstream._calls.blocking import BlockingTransport
from slipstream._operations.held_trial import HeldTrial, Holder
from slipstream.records import TrialRecord


class _BlockEnded(Exception):
    """Ends the renewals of a trial."""


class Trial(HeldTrial):
    """A configuration to try, made by `Study.suggest`.

    In a `with` block its lease is renewed in the background, so that nobody else gets it. An
    exception that leaves the block fails the trial with its text; Infeasible and TrialStopped give
    it that outcome and go no further; Ctrl-C gives the trial back. Methods are thread-safe."""

    def __init__(self, holder: Holder, record: TrialRecord, transport: BlockingTransport) -> None:
        super().__init__(holder, record)
        self._transport = transport
        self._block_ended = threading.Event()

    def report(self, step: int, value: float) -> None:
        """Reports a measurement on the way, and renews the lease.

        All trials of a study count the same steps: epochs, trees, seconds of training."""
        self._transport.run(self._report(step, value))

    def should_stop(self) -> bool:
        """Whether to stop early, by the study's rule and the reports so far; see `stop_reason`."""
        return self._transport.run(self._should_stop())

    def complete(self, value: float) -> None:
        """Records the value of the study's metric."""
        self._transport.run(self._complete(value))

    def fail(self, reason: str = "") -> None:
        """Records that the worker failed, which says nothing about the configuration."""
        self._transport.run(self._fail(reason))

    def infeasible(self, reason: str = "") -> None:
        """Records that the configuration has no value, so that others like it are avoided."""
        self._transport.run(self._infeasible(reason))

    def stop(self, reason: Optional[str] = None, value: Optional[float] = None) -> None:
        """Records that the training was stopped early.

        Without a reason it is that of `should_stop`, without a value that of the last report."""
        self._transport.run(self._stop(reason, value))

    def release(self) -> None:
        """Gives the trial back at once: another worker gets it."""
        self._transport.run(self._release())

    def __enter__(self) -> Trial:
        self._block_ended.clear()
        name = f"renews {self.name}"
        threading.Thread(target=self._keep_lease, name=name, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> bool:
        self._block_ended.set()
        return self._transport.run(self._leave(error))

    def _keep_lease(self) -> None:
        def sleep(seconds: float) -> None:
            if self._block_ended.wait(seconds) or self.ended:
                raise _BlockEnded

        try:
            self._transport.run(self._renew(), sleep)
        except (_BlockEnded, ValueError):  # ValueError: the client was closed meanwhile.
            pass

    def _end(self) -> None:
        super()._end()
        self._block_ended.set()

    def finish(self, value: Any) -> None:
        """Records what an objective returned, unless it has ended the trial itself.

        After the advice to stop the trial is stopped with this value, otherwise completed."""
        self._transport.run(self._finish(value))
