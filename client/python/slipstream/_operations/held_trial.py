"""Plans of all that can be done with a trial that this process holds."""

from __future__ import annotations

import inspect
import math
import time
from typing import Any, Dict, Mapping, Optional, Tuple

from slipstream import errors
from slipstream._calls.plan import Pause, Plan
from slipstream._convert.trials import (
    command_of,
    labels_of,
    measurement_message,
    outcome_message,
    outcome_text,
    trial_of,
)
from slipstream._operations.annotations import Labels, annotate, read
from slipstream._operations.notices import warn_caller
from slipstream._operations.termination import termination
from slipstream._operations.trial_values import TrialValues
from slipstream._wire import messages
from slipstream._wire.messages import Message
from slipstream.records import TrialRecord
from slipstream.scalars import check_finite, plain, text_of, whole

# Where leases never end, or the server cannot be reached, it is asked again after this time.
_RENEWAL_UNLESS_KNOWN = 30.0
_REPORTS = 500  # In one call.
_LAST_STEP = 2**63 - 1
# After these the same call may succeed later, so a training goes on without it.
_PASSING = (errors.NoAnswer, errors.Overloaded)
# So may calls whose token was valid when the trial was suggested.
_DISPENSABLE = (*_PASSING, errors.Unauthenticated)


class NotFinite(ValueError):
    """A trial was told a value that is not finite."""

    def __init__(self, message: str, trial: TrialValues, reason: str) -> None:
        super().__init__(message)
        self.trial = trial
        self.reason = reason  # Such as "report() got nan".

    def __reduce__(self) -> Tuple[Any, ...]:
        return ValueError, self.args  # A trial cannot be pickled.


class HeldTrial(TrialValues):
    """The plans that a blocking trial performs by waiting, and one of asyncio by awaiting."""

    def _report(self, step: int, value: float) -> Plan[None]:
        number = self._finite(value, "report")
        return self._report_all({_whole_step(step, self.number): number})

    def _finite(self, value: Any, call: str) -> float:
        """The value as a finite number. NotFinite if it is another one."""
        try:
            return check_finite(
                f"trial {self.number}: {call}()",
                value,
                "; if the configuration is to blame, call trial.infeasible(reason) or raise "
                "slipstream.Infeasible(reason), otherwise trial.fail(reason)",
            )
        except ValueError as error:
            raise NotFinite(str(error), self, f"{call}() got {plain(value)}"[:100]) from None

    def _report_all(self, values: Mapping[int, float]) -> Plan[None]:
        """Reports finite values by step, after those that the server has not heard."""
        last = max(values, default=-1)
        if values and (self._last_report is None or last >= self._last_report[0]):
            self._last_report = (last, values[last])
        self._unsent.update(values)
        unsent = sorted(self._unsent.items())
        for first in range(0, len(unsent), _REPORTS):
            taken = yield from self._are_taken(dict(unsent[first:first + _REPORTS]))
            if not taken:
                break

    def _are_taken(self, values: Mapping[int, float]) -> Plan[bool]:
        """Whether the server has taken the reports. Those beyond its limit are dropped with a
        warning. If it does not answer, the latest ones are kept to be sent later, and the training
        goes on."""
        metric, created = self._holder.metric, self._record.created
        measurements = {step: measurement_message(metric, one) for step, one in values.items()}
        try:
            response = yield from self._heard(
                self._holder.service.report(self.name, created, measurements, self._unheard)
            )
        except errors.ResourceExhausted as error:
            self._unsent.clear()
            self._warn_of_dropped_reports(error)
            yield from self._renew_once()  # As the report would have done.
            return False
        except errors.SlipstreamError:
            self._unsent.clear()
            raise
        if response is None:
            self._unsent = dict(sorted(self._unsent.items())[-_REPORTS:])
            return False
        for step in values:
            self._unsent.pop(step, None)
        if messages.enum_name("Trial.State", response.state) != "ACTIVE":
            self._lost = True
        return True

    def _heard(self, call: Plan[Message]) -> Plan[Optional[Message]]:
        """The result of a call that a training can do without; None if the server is busy, does not
        answer, for whatever reason, or no longer takes the token. Even a mistake, such as an expired
        certificate, must be new, since the server has suggested the trial."""
        try:
            response = yield from self._if_there(call)
        except _DISPENSABLE as error:
            self._unheard = True
            self._warn_of_silence(error)
            return None
        except errors.SlipstreamError:
            self._unheard = False
            raise
        self._unheard = False
        return response

    def _warn_of_silence(self, error: errors.SlipstreamError) -> None:
        if not self._told_of_silence:
            self._told_of_silence = True
            warn_caller(
                f"{self!r}: the training goes on without advice: until the server takes calls again, "
                f"should_stop() is False, and the latest {_REPORTS} reports are kept, to be sent "
                f"then; {error}"
            )

    def _warn_of_dropped_reports(self, error: errors.ResourceExhausted) -> None:
        if not self._drops_reports:
            self._drops_reports = True
            warn_caller(
                f"{self!r}: further reports are dropped, as {error}. Its outcome is recorded all the "
                "same"
            )

    def _should_stop(self) -> Plan[bool]:
        response = yield from self._heard(
            self._holder.service.should_stop(self.name, self._record.created, self._unheard)
        )
        if response is None or not response.stop:
            self._advice = None
            return False
        self._advice = response.reason
        return True

    def _annotate(self, labels: Optional[Labels], note: Optional[str]) -> Plan[None]:
        holder, created = self._holder, self._record.created
        plan = annotate(holder.service, holder.study, self.name, created, labels, note)
        yield from self._if_there(plan)

    def _labels(self) -> Plan[Dict[str, str]]:
        return labels_of((yield from self._read()))

    def _note(self) -> Plan[str]:
        return str((yield from self._read()).note)

    def _as_it_is(self) -> Plan[TrialRecord]:
        """What the server knows of the trial now."""
        holder = self._holder
        return trial_of((yield from self._read()), dict(holder.space), holder.metric)

    def _read(self) -> Plan[Message]:
        """Reads the trial as it is now, because a suggestion has neither labels nor a note."""
        service, created = self._holder.service, self._record.created
        return self._if_there(read(service, self.name, created))

    def _complete(self, value: float) -> Plan[None]:
        number = self._finite(value, "complete")
        yield from self._observe(outcome_message("measurement", self._holder.metric, number))
        self._value = number

    def _fail(self, reason: str) -> Plan[None]:
        return self._observe(outcome_message("failure", self._holder.metric, reason=reason))

    def _infeasible(self, reason: str) -> Plan[None]:
        return self._observe(outcome_message("infeasibility", self._holder.metric, reason=reason))

    def _stop(self, reason: Optional[str], value: Optional[float]) -> Plan[None]:
        if value is not None:
            value = self._finite(value, "stop")
        elif self._last_report is not None:
            value = self._last_report[1]
        told = reason if reason is not None else self._advice or ""
        return self._observe(outcome_message("early_stop", self._holder.metric, value, told))

    def _observe(self, outcome: Message, briefly: bool = False) -> Plan[None]:
        self._on_its_way = outcome
        try:
            yield from self._send(outcome, briefly)
        except Exception:  # Others, such as Ctrl-C, do not tell whether the server has it.
            self._on_its_way = None
            self._unrecorded = True
            raise
        self._has_outcome = True
        self._end()
        self._on_its_way = None  # Last: until then a Ctrl-C would have the trial given back.

    def _send(self, outcome: Message, briefly: bool) -> Plan[None]:
        address = self._holder.service.address
        yield from self._send_unsent()
        try:
            yield from self._if_there(
                self._holder.service.observe(self.name, self._record.created, outcome, briefly)
            )
        except errors.TrialEnded as ended:
            raise (yield from self._other_outcome(ended)) from None
        except errors.NotFound as gone:
            raise self._with_result(gone, outcome) from None
        except errors.SlipstreamError as unheard:
            when = "the server answers again" if isinstance(unheard, _PASSING) else "that is mended"
            command = command_of(outcome, self._short_name(), self._holder.metric, address)
            unheard.args = (f"{unheard}; once {when}, this records the outcome: {command}",)
            raise

    def _with_result(self, gone: errors.NotFound, outcome: Message) -> errors.NotFound:
        """The error with the result, which would be lost with this process. A trial is gone if its
        study was deleted, or a backup restored that was made before it."""
        is_stopped = outcome.WhichOneof("kind") == "early_stop"
        measured = outcome.early_stop if is_stopped else outcome
        value = measured.measurement.metrics.get(self._holder.metric)
        if value is None:
            return gone
        stopped = f", stopped={outcome.early_stop.reason!r}" if is_stopped else ""
        return type(gone)(
            f"{gone}; if its study is there, for example after a backup was restored, "
            f"study.record({dict(self)!r}, {value!r}{stopped}) keeps the result"
        )

    def _other_outcome(self, refusal: errors.TrialEnded) -> Plan[errors.FailedPrecondition]:
        """The error that tells of the outcome that the trial has already."""
        space, metric = dict(self._holder.space), self._holder.metric
        who = "this process" if self._has_outcome else "somebody else"
        try:
            there = outcome_text(trial_of((yield from self._read()), space, metric))
            told = (
                f"cannot record the outcome of {self.name} on {self._holder.service.address}: {who} "
                f"has recorded another one already, {there}, which is kept"
            )
        except errors.SlipstreamError:
            told = str(refusal)
        if self._has_outcome:
            return errors.FailedPrecondition(told)
        told += (
            f". If two processes run under the worker id {self._holder.worker!r}, they get the same "
            "trials."
        )
        if self._ended:  # It was given back, or this has been told before.
            return errors.FailedPrecondition(told)
        self._end()
        return errors.TrialEnded(told, self.name)

    def _send_unsent(self) -> Plan[None]:
        """Sends reports that have not reached the server, before the outcome: after it the server
        takes none."""
        if not self._unsent:
            return
        try:
            yield from self._report_all({})
        except errors.SlipstreamError:
            pass  # The outcome matters, and it tells what is wrong.

    def _if_there(self, call: Plan[Message]) -> Plan[Message]:
        """The result of the call. If the trial does not exist any more it is lost, even if another
        one has its name."""
        try:
            return (yield from call)
        except errors.NotFound:
            self._lost = True
            raise

    def _release(self) -> Plan[None]:
        """Gives the trial back. If its outcome was on the way when a Ctrl-C or a signal came, that is
        sent instead."""
        outcome = self._on_its_way
        if not self._lost and not termination.unheard:
            try:
                if outcome is not None:
                    return (yield from self._observe(outcome, True))
                yield from self._holder.service.release(self._holder.study, self.worker, self.name)
            except _PASSING:
                termination.note_silence()
                raise
        self._abandon()

    def _abandon(self) -> None:
        """Forgets the trial in this process. If the server was not told, the lease runs out."""
        self._given_back = True
        self._end()

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._holder.give_back()

    def _finish(self, value: Optional[float]) -> Plan[None]:
        """Records what an objective returned, unless it has ended the trial itself."""
        if self._ended:
            return
        if inspect.iscoroutine(value):
            value.close()  # Or Python would warn that it was never awaited.
            raise TypeError(
                f"the objective returned {value!r}, which is to be awaited: open the study by "
                "slipstream.aio, whose optimize() does so"
            )
        if value is not None or self._advice is None:
            _check_returned(value)
        if self._advice is not None:
            yield from self._stop(None, value)
        else:
            yield from self._complete(value)  # type: ignore[arg-type]

    def _leave(self, error: Optional[BaseException]) -> Plan[bool]:
        """Ends the trial at the end of its block. Returns whether the block's error is thereby
        dealt with.

        If the block ended because the server was busy or did not answer, or would not record the
        outcome, the trainer has not failed: the trial keeps its lease until that runs out."""
        settled = isinstance(error, (errors.Infeasible, errors.TrialStopped))
        is_refused = self._unrecorded and isinstance(error, errors.SlipstreamError)
        if self._ended or is_refused or isinstance(error, _PASSING):
            return settled
        if error is None and self._advice is None and self._on_its_way is None:
            warn_caller(
                f"{self!r} ended its block without an outcome and is given back: call "
                "trial.complete(value), or trial.fail(), .infeasible() or .stop()"
            )
        try:
            yield from self._last_word(error)
        except errors.SlipstreamError as unheard:
            if error is None or settled:
                raise
            # The error on its way says more; the lease will run out.
            warn_caller(f"{self!r}: {unheard}")
        return settled

    def _last_word(self, error: Optional[BaseException]) -> Plan[None]:
        if isinstance(error, errors.Infeasible) and not termination.under_way:
            return self._infeasible(text_of(error))
        if isinstance(error, NotFinite) and error.trial is self and not termination.under_way:
            return self._infeasible(error.reason)
        if isinstance(error, errors.TrialStopped):
            return self._stop(text_of(error) or None, None)
        if self._on_its_way is not None:  # What cut it off may have become another error since.
            return self._release()
        if error is None and self._advice is not None:
            return self._stop(None, None)
        if isinstance(error, Exception) and not termination.under_way:
            return self._fail(_reason_of(error))
        # Nothing came of it, or the process is to end, by Ctrl-C or a signal. What a training makes
        # of a signal, such as an error of a process of its own that got it too, is no failure of it.
        return self._release()

    def _renew(self) -> Plan[None]:
        """Renews the lease when a third of it has passed, until it is lost."""
        age = time.monotonic() - self._suggested_at
        wait = max(0.0, self._renewal_pause(self._first_lease()) - age)
        while not self._lost:
            yield Pause(wait)
            wait = yield from self._renew_once()

    def _renew_once(self) -> Plan[float]:
        holder = self._holder
        try:
            response = yield from holder.service.heartbeat(holder.study, self.worker, self.name)
        except errors.NotFound:  # The study is gone.
            self._lost = True
            return _RENEWAL_UNLESS_KNOWN
        except errors.SlipstreamError:
            return self._renewal_pause(holder.lease)
        self._lost = any(not one.held for one in response.trials)
        if not response.HasField("lease_duration"):
            return _RENEWAL_UNLESS_KNOWN
        lease = response.lease_duration
        return self._renewal_pause(lease.seconds + lease.nanos / 1e9)

    def _first_lease(self) -> float:
        """The study's lease, or what this trial was leased for if that has become shorter."""
        ends, started = self._record.lease_ends, self._record.started
        if ends is None or started is None:
            return self._holder.lease
        return min(self._holder.lease, (ends - started).total_seconds())

    @staticmethod
    def _renewal_pause(lease: float) -> float:
        return lease / 3 if math.isfinite(lease) else _RENEWAL_UNLESS_KNOWN


def _whole_step(step: Any, number: int) -> int:
    converted = whole(step)
    if converted is None:
        raise TypeError(
            f"trial {number}: report() got step {step!r}, and steps are whole numbers, such as "
            "those of epochs; report(step, value) takes the step first"
        )
    if not 0 <= converted <= _LAST_STEP:
        raise ValueError(
            f"trial {number}: report() got step {step!r}, which must be from 0 to {_LAST_STEP}"
        )
    return converted


def _check_returned(value: Any) -> None:
    """TypeError if what an objective returned is no number, finite or not."""
    try:
        check_finite("", value)
    except TypeError:
        raise TypeError(
            f"the objective returned {value!r}: return the measured value as a number"
        ) from None
    except ValueError:
        pass  # The call that records it says what is wrong.


def _reason_of(error: BaseException) -> str:
    name, text = type(error).__name__, text_of(error)
    return f"{name}: {text}" if text else name
