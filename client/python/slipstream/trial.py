"""A trial of a blocking study."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Mapping, Optional, Type, Union

from slipstream._calls.blocking import BlockingTransport
from slipstream._calls.plan import Plan
from slipstream._operations.held_trial import HeldTrial
from slipstream._operations.termination import Block, termination
from slipstream._operations.trial_values import Holder
from slipstream.records import TrialRecord


class Trial(HeldTrial):
    """A configuration to try, made by `Study.suggest`.

    A `with` block renews the trial's lease in the background, so that no other worker gets the
    trial. An exception that leaves the block fails the trial, with the exception's text as the
    reason. Infeasible and TrialStopped give the trial that outcome and are not raised further.
    Ctrl-C and, on the main thread, SIGTERM and SIGHUP give the trial back, as `Study.optimize`
    describes; if the outcome is being sent at that moment, it is sent instead. Methods are
    thread-safe."""

    def __init__(self, holder: Holder, record: TrialRecord, transport: BlockingTransport) -> None:
        super().__init__(holder, record)
        self._transport = transport
        self._renewals: Optional[Plan[None]] = None
        self._block: Optional[Block] = None
        self._has_begun = False  # Whether there is or was a block of this trial.

    def report(self, step: int, value: float) -> None:
        """Reports an intermediate measurement, and renews the lease.

        A value that is not finite raises ValueError. If this error leaves the trial's block, the
        trial is infeasible; `Study.optimize` then starts the next one.

        Steps are whole numbers, and must mean the same in all trials of a study: epochs, trees or
        seconds of training, for example. Another value for a step replaces the one before.

        If the server does not answer, or is too busy, the report waits for up to a minute
        (`Options.call`). Then there is one warning, and the training goes on. The latest 500 reports
        are kept, and sent with the next one or before the outcome. While the server stays silent or
        busy, further reports wait for only two seconds. This holds for every NoAnswer, Overloaded
        and Unauthenticated, even if the cause is a mistake such as an expired certificate or a
        token that was revoked: the call that suggested the trial succeeded, so the mistake is new
        and may be corrected in time. The call that sends the outcome waits longer, and then raises
        the error."""
        self._transport.run(self._report(step, value))

    def should_stop(self) -> bool:
        """Whether the study's rule, given the reports so far, says to stop; see `stop_reason`.

        If the server does not answer, is busy or no longer takes the token, the result is False, and
        there is a warning as for `report`. Without `stopping=` in `slipstream.create_or_load`, the
        study has no rule, and the result is always False."""
        return self._transport.run(self._should_stop())

    def annotate(
        self,
        *,
        labels: Optional[Mapping[str, Union[str, float, None]]] = None,
        note: Optional[str] = None,
    ) -> None:
        """Writes labels and a note on the trial, for people and programs that look at it later.

        Works as `Study.annotate` does, before and after the outcome.

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
        """The current labels. If a lease ran out and the configuration was queued again, the new
        trial keeps the labels of the old one."""
        return self._transport.run(self._labels())

    @property
    def note(self) -> str:
        """The current note, or "" if there is none. As with labels, a new trial keeps the note of
        the old one."""
        return self._transport.run(self._note())

    def complete(self, value: float) -> None:
        """Records the value of the study's metric."""
        self._transport.run(self._complete(value))

    def fail(self, reason: str = "") -> None:
        """Records that the worker failed. This may be chance, so only configurations that fail
        again and again are avoided."""
        self._transport.run(self._fail(reason))

    def infeasible(self, reason: str = "") -> None:
        """Records that the configuration has no value, so that similar ones are avoided."""
        self._transport.run(self._infeasible(reason))

    def stop(self, reason: Optional[str] = None, value: Optional[float] = None) -> None:
        """Records that the training was stopped early.

        By default, the reason is that of `should_stop`, and the value the last one that was
        reported."""
        self._transport.run(self._stop(reason, value))

    def release(self) -> None:
        """Gives the trial back at once, so that another worker gets it. If Ctrl-C, a signal or a
        cancellation interrupted a call that was sending the outcome, the outcome is sent
        instead."""
        self._transport.run(self._release())

    def __enter__(self) -> Trial:
        self._has_begun = True
        try:
            if self._block is None:
                self._block = termination.begin(self._give_back)
            self._renewals = self._renew()
            self._transport.renewals.add(self._renewals)
        except BaseException as error:  # Such as a Ctrl-C: Python does not leave what was not entered.
            self.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> bool:
        try:
            self._end_renewals()
            return self._transport.run(self._leave(error))
        finally:
            if self._block is not None:
                termination.end(self._block)
                self._block = None

    def _give_back(self) -> None:
        if not self._ended:
            self.release()

    def _end(self) -> None:
        super()._end()
        self._end_renewals()

    def _end_renewals(self) -> None:
        if self._renewals is not None:
            self._transport.renewals.remove(self._renewals)
            self._renewals = None

    def finish(self, value: Any) -> None:
        """Records the value that an objective returned, unless it has ended the trial itself.

        If `should_stop` has advised to stop, the trial is stopped with this value, otherwise
        completed."""
        self._transport.run(self._finish(value))
