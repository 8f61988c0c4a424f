"""A trial of a blocking study."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Mapping, Optional, Type, Union

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

    def annotate(
        self,
        *,
        labels: Optional[Mapping[str, Union[str, float, None]]] = None,
        note: Optional[str] = None,
    ) -> None:
        """Writes labels and a note on the trial, for people and programs that look at it later.

        See `Study.annotate`; it may be called before and after the outcome.

        >>> import slipstream
        >>> study = slipstream.create_or_load(
        ...     "doctest-labels", {"x": slipstream.real(0, 1)}, minimize="loss")
        >>> with study.suggest() as trial:
        ...     trial.annotate(labels={"gpu": "a100", "fold": 3})
        ...     trial.complete(trial.x)
        >>> study.best.labels["gpu"]
        'a100'
        """
        self._transport.run_in_turn(self.name, self._annotate(labels, note))

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels as they are now. A configuration that was queued again, because a lease ran
        out, keeps those of the trial before."""
        return self._transport.run(self._labels())

    @property
    def note(self) -> str:
        """The note as it is now, which is kept as labels are; empty if there is none."""
        return self._transport.run(self._note())

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
