"""A trial of a blocking study."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Optional, Type

from slipstream._calls.blocking import BlockingTransport
from slipstream._calls.plan import Plan
from slipstream._operations.held_trial import HeldTrial
from slipstream._operations.trial_values import Holder
from slipstream.records import TrialRecord


class Trial(HeldTrial):
    """A configuration to try, made by `Study.suggest`.

    In a `with` block its lease is renewed in the background, so that nobody else gets it. An
    exception that leaves the block fails the trial with its text; Infeasible and TrialStopped give
    it that outcome and go no further; Ctrl-C gives the trial back. Methods are thread-safe."""

    def __init__(self, holder: Holder, record: TrialRecord, transport: BlockingTransport) -> None:
        super().__init__(holder, record)
        self._transport = transport
        self._renewals: Optional[Plan[None]] = None

    def report(self, step: int, value: float) -> None:
        """Reports a measurement on the way, and renews the lease.

        All trials of a study count the same steps, which are whole numbers: epochs, trees, seconds
        of training."""
        self._transport.run(self._report(step, value))

    def should_stop(self) -> bool:
        """Whether to stop early, by the study's rule and the reports so far; see `stop_reason`."""
        return self._transport.run(self._should_stop())

    def complete(self, value: float) -> None:
        """Records the value of the study's metric."""
        self._transport.run(self._complete(value))

    def fail(self, reason: str = "") -> None:
        """Records that the worker failed. That may be chance; configurations that fail again and
        again are avoided."""
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
        self._renewals = self._renew()
        self._transport.renewals.add(self._renewals)
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> bool:
        self._end_renewals()
        return self._transport.run(self._leave(error))

    def _end(self) -> None:
        super()._end()
        self._end_renewals()

    def _end_renewals(self) -> None:
        if self._renewals is not None:
            self._transport.renewals.remove(self._renewals)
            self._renewals = None

    def finish(self, value: Any) -> None:
        """Records what an objective returned, unless it has ended the trial itself.

        After the advice to stop the trial is stopped with this value, otherwise completed."""
        self._transport.run(self._finish(value))
