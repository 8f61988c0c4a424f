"""The loop that evaluates suggestions, on one thread or several."""

from __future__ import annotations

import inspect
import math
import threading
import time
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Collection,
    List,
    Optional,
    Sequence,
    Tuple,
    Type,
    Union,
)

from slipstream import errors
from slipstream._operations.notices import callers_line, warn_caller
from slipstream.progress import Progress, brief_error
from slipstream.scalars import check_count, check_seconds
from slipstream.workers import Workers

if TYPE_CHECKING:
    from slipstream._operations.held_trial import HeldTrial
    from slipstream.records import TrialRecord
    from slipstream.study import Study
    from slipstream.trial import Trial


# Types of exceptions that fail their trial and do not end an optimisation.
Catch = Union[Type[Exception], Collection[Type[Exception]]]


class Quota:
    """How many trials may still be started, and until when. Thread-safe."""

    def __init__(self, trials: Optional[int], timeout: Optional[float]) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self.trials = None if trials is None else check_count("trials", trials, 0)
        self._left = self.trials
        seconds = None if timeout is None else check_seconds("timeout", timeout)
        self._end = None if seconds is None else time.monotonic() + seconds

    def take(self) -> bool:
        """Whether one more may be started."""
        with self._lock:
            late = self._end is not None and time.monotonic() >= self._end
            if self._closed or self._left == 0 or late:
                return False
            if self._left is not None:
                self._left -= 1
            return True

    def close(self) -> None:
        """Lets no more be started."""
        with self._lock:
            self._closed = True

    @property
    def closed(self) -> bool:
        """Whether a trial that was suggested since is not to be started either."""
        with self._lock:
            return self._closed


class _Warnings:
    """Warnings at the line of the user's program that led to the making of this object.
    Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._line = callers_line()
        self._told = False

    def warn(self, text: str) -> None:
        self._line.warn(text)

    def warn_first(self, text: str) -> None:
        """Warns the first time that this is called."""
        with self._lock:
            told, self._told = self._told, True
        if not told:
            self._line.warn(text)


class FiniteValues:
    """Turns a value that is not finite into Infeasible, and warns of the first one. Thread-safe.

    The warning is at the line of the user's program that led to the making of this object."""

    def __init__(self) -> None:
        self._warnings = _Warnings()

    def check(self, trial: HeldTrial, value: Any) -> Any:
        """What the objective returned for the trial, if it is finite or no number at all."""
        if trial.ended or not _is_infinite_or_nan(value):
            return value
        self._warnings.warn_first(
            f"the objective is {float(value)} in {trial!r}, which is recorded as infeasible, "
            "so that the model stays away from configurations like it; further ones "
            "are recorded without a warning. Where the configuration is not to blame, raise "
            "an exception and name its type in catch="
        )
        raise errors.Infeasible(f"the objective is {float(value)}")


def _is_infinite_or_nan(value: Any) -> bool:
    try:
        return not math.isfinite(value)
    except (TypeError, ValueError, OverflowError):
        return False  # Whoever records it says what is wrong.


class Mishaps:
    """Warns of what happens to trials without ending the optimisation, at the line of the user's
    program that led to the making of this object. Thread-safe."""

    def __init__(self) -> None:
        self._warnings = _Warnings()

    def note_failure(self, trial: HeldTrial, error: Exception) -> None:
        """An exception that is caught has failed the trial. Only the first one is told."""
        self._warnings.warn_first(
            f"{trial!r} has failed, and the optimisation goes on: {brief_error(error)}. Further "
            "failures are counted without a warning; each trial has its reason"
        )

    def note_others(
        self, failures: Sequence[BaseException], raised: Optional[BaseException]
    ) -> None:
        """Several workers have failed, and the optimisation raises one of their errors only."""
        for other in failures:
            if other is not raised:
                self._warnings.warn(
                    f"another worker has failed too: {brief_error(other, whole=True)}"
                )

    def note_end(self, trial: HeldTrial, error: errors.TrialEnded) -> None:
        """Somebody else has ended the trial while it was evaluated. Raises what is about another
        one."""
        if error.trial != trial.name:
            raise error
        self._warnings.warn(f"{error} The optimisation goes on.")


def check_catch(catch: Any) -> Tuple[Type[Exception], ...]:
    """The types of exceptions that fail their trial and nothing more."""
    listed = catch if isinstance(catch, (tuple, list, set, frozenset)) else (catch,)
    if not all(isinstance(one, type) and issubclass(one, Exception) for one in listed):
        raise TypeError(
            f"catch={catch!r} must be types of exceptions, such as (ValueError, OSError), or "
            "Exception for all of them"
        )
    return tuple(listed)


def check_objective(objective: Any) -> None:
    """Refuses what cannot be called."""
    if not callable(objective):
        raise TypeError(f"the objective is {objective!r}, and must be a function of a trial")


class _Evaluation:
    """What the threads of one optimisation share. Thread-safe."""

    def __init__(
        self,
        study: Study,
        objective: Callable[[Trial], Any],
        quota: Quota,
        catch: Tuple[Type[Exception], ...],
        progress: Progress,
    ) -> None:
        self._study = study
        self._objective = objective
        self._catch = catch
        self._progress = progress
        self._finite = FiniteValues()
        self.mishaps = Mishaps()
        self._lock = threading.Lock()
        self._held: List[Trial] = []
        self._given_up = False
        self.quota = quota

    def work(self) -> None:
        """Evaluates suggestions until no more may be started."""
        while self.quota.take():
            try:
                trial = self._study.suggest()
            except errors.CandidatesExhausted:
                return
            if not self._hold(trial):
                trial.release()
                return
            failure = None
            try:
                failure = self._evaluate(trial)
                self._catch_up()
            except errors.SlipstreamError:
                raise  # What the server did not hear must not go unnoticed.
            except Exception as error:
                failure = error
                if trial.ended:  # Otherwise the server does not answer.
                    self._catch_up()
                raise
            finally:
                if self._let_go(trial):
                    self._progress.count(trial, failure)

    def _evaluate(self, trial: Trial) -> Optional[Exception]:
        """What has failed the trial, if that is caught."""
        try:
            with trial:
                trial.finish(self._finite.check(trial, self._objective(trial)))
        except errors.TrialEnded as ended:
            self.mishaps.note_end(trial, ended)
        except errors.SlipstreamError:
            raise
        except self._catch as error:
            self.mishaps.note_failure(trial, error)
            return error
        return None

    def _catch_up(self) -> None:
        """Learns of what other processes have found, now and then."""
        if not self._progress.wants_best():
            return
        try:
            self._progress.learn(self._study.best)
        except errors.SlipstreamError:
            pass  # The line says what this process knows, and the next suggestion tells of it.

    def _hold(self, trial: Trial) -> bool:
        """Whether the trial may be started: the quota may have been closed since it was asked
        for."""
        with self._lock:
            if self._given_up or self.quota.closed:
                return False
            self._held.append(trial)
            return True

    def _let_go(self, trial: Trial) -> bool:
        """Whether somebody still waits for the trial."""
        with self._lock:
            if trial in self._held:
                self._held.remove(trial)
            return not self._given_up

    def tell_what_it_waits_for(self) -> None:
        """Says why Ctrl-C has not ended the program, and what does."""
        with self._lock:
            count = len(self._held)
        if count == 0:
            self._progress.say("interrupted: waiting for suggestions under way")
            return
        trainings = "the training" if count == 1 else f"the {count} trainings"
        self._progress.say(
            f"interrupted: waiting for {trainings} under way; Ctrl-C again gives their trials back"
        )

    def give_up(self) -> None:
        """Gives back the trials that are held, for which nobody waits any more."""
        with self._lock:
            self._given_up = True
            held, self._held = self._held, []
        for trial in held:
            try:
                trial.release()
            except errors.NoAnswer as unheard:
                warn_caller(f"unfinished trials could not be given back: {unheard}")
                return  # Their leases will run out.
            except errors.SlipstreamError:
                pass  # It has just ended.


def _is_interrupted(wait: Callable[[], None]) -> bool:
    try:
        wait()
    except KeyboardInterrupt:
        return True
    return False


def _wait(workers: Workers, evaluation: _Evaluation) -> None:
    """Waits for trainings under way after an error and after Ctrl-C, unless that comes again."""
    interrupted = _is_interrupted(workers.wait_for_error)
    evaluation.quota.close()
    if not interrupted and not _is_interrupted(workers.wait):
        if not workers.errors:
            return
        evaluation.mishaps.note_others(workers.errors, workers.errors[0])
        raise workers.errors[0]
    evaluation.tell_what_it_waits_for()
    _is_interrupted(workers.wait)
    raise KeyboardInterrupt from (workers.errors[0] if workers.errors else None)


def _work_together(count: int, evaluation: _Evaluation) -> None:
    try:
        _wait(Workers(count, evaluation.work), evaluation)
    finally:
        evaluation.quota.close()
        evaluation.give_up()  # Only after a second Ctrl-C and the like are there any.


def optimize(
    study: Study,
    objective: Callable[[Trial], Any],
    trials: Optional[int],
    workers: int,
    timeout: Optional[float],
    catch: Catch,
    show_progress: bool,
) -> Optional[TrialRecord]:
    """See Study.optimize."""
    workers = check_count("workers", workers, 1)
    check_objective(objective)
    if inspect.iscoroutinefunction(objective):
        raise TypeError(
            f"the objective {objective!r} is asynchronous: open the study by slipstream.aio, whose "
            "optimize() awaits it"
        )
    caught = check_catch(catch)
    quota = Quota(trials, timeout)
    with Progress(study.id, study.objective, quota.trials, show_progress) as progress:
        evaluation = _Evaluation(study, objective, quota, caught, progress)
        if workers == 1:
            evaluation.work()
        else:
            _work_together(workers, evaluation)
        best = study.best
        progress.conclude(best)
    return best
