"""The loop that evaluates suggestions, on one thread or several."""

from __future__ import annotations

import inspect
import threading
from typing import TYPE_CHECKING, Any, Callable, Collection, List, Optional, Tuple, Type, Union

from slipstream import errors
from slipstream._operations.held_trial import NotFinite
from slipstream._operations.mishaps import FiniteValues, Mishaps
from slipstream._operations.notices import warn_caller
from slipstream._operations.quotas import Quota
from slipstream._operations.termination import termination
from slipstream.progress import Progress, brief_error
from slipstream.scalars import MOST_WORKERS, check_count
from slipstream.workers import Workers

if TYPE_CHECKING:
    from slipstream._operations.held_trial import HeldTrial
    from slipstream.records import TrialRecord
    from slipstream.study import Callback, Study
    from slipstream.trial import Trial


_SECONDS_BEFORE_NOTICE = 2.0
# Types of exceptions that fail their trial and do not end an optimisation.
Catch = Union[Type[Exception], Collection[Type[Exception]]]


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


def check_callbacks(callbacks: Any) -> Tuple[Callable[..., Any], ...]:
    """The functions that are called after each trial."""
    if callable(callbacks) or not isinstance(callbacks, (tuple, list, set, frozenset)):
        raise TypeError(
            f"callbacks={callbacks!r} must be a list of functions, such as callbacks=[f]"
        )
    for callback in callbacks:
        if not callable(callback):
            raise TypeError(
                f"callbacks has {callback!r}, which cannot be called: a callback is a function of "
                "a study and the record of a trial"
            )
    return tuple(callbacks)


def _refuse_asynchronous(what: str, function: Any) -> None:
    if inspect.iscoroutinefunction(function):
        raise TypeError(
            f"the {what} {function!r} is asynchronous: open the study by slipstream.aio, whose "
            "optimize() awaits it"
        )


class Evaluation:
    """What the threads or tasks of one optimisation share. Thread-safe."""

    def __init__(
        self,
        quota: Quota,
        catch: Tuple[Type[Exception], ...],
        callbacks: Tuple[Callable[..., Any], ...],
        progress: Progress,
    ) -> None:
        self.quota = quota
        self._callbacks = callbacks
        self.mishaps = Mishaps()
        self._catch = catch
        self._looked_at: Tuple[Type[Exception], ...] = (NotFinite, *catch)
        self._progress = progress
        self._finite = FiniteValues()

    def _tells_of(self, trial: HeldTrial) -> bool:
        """Whether callbacks are to hear of the trial, as it has got its outcome."""
        return bool(self._callbacks) and trial.ended and not trial.given_back

    def conclude(self, best: Optional[TrialRecord], ended: Optional[int]) -> None:
        """Takes note of how the study stands, now that all trials have ended."""
        self._progress.conclude(best, ended)
        if self.quota.ended_by:
            self.mishaps.note_state(self.quota.ended_by, self._progress.done)


class _Evaluation(Evaluation):
    """What the threads of one optimisation share. Thread-safe."""

    def __init__(
        self,
        study: Study,
        objective: Callable[[Trial], Any],
        quota: Quota,
        catch: Tuple[Type[Exception], ...],
        callbacks: Tuple[Callable[..., Any], ...],
        progress: Progress,
    ) -> None:
        super().__init__(quota, catch, callbacks, progress)
        self._study = study
        self._objective = objective
        self._lock = threading.Lock()
        self._calling_back = threading.Lock()
        self._held: List[Trial] = []  # Trials that others may have to give back, some of them ended.
        self._training = 0  # How many of them were started, and not let go yet.
        self._given_up = False

    def work(self) -> None:
        """Evaluates suggestions until no more may be started."""
        while self.quota.take() and not termination.under_way:
            trial = self._study._next_trial(self.quota, self._hold)
            if trial is None:
                return
            if not self._may_start():
                trial.release()
                return
            failure = None
            try:
                failure = self._evaluate(trial)
                self._catch_up(trial)
            except errors.SlipstreamError:
                raise  # What the server did not hear must not go unnoticed.
            except Exception as error:
                failure = error
                if trial.ended:  # Otherwise the server does not answer.
                    self._catch_up(trial)
                raise
            except BaseException:
                if not trial._has_begun:  # Its block would have given it back.
                    self.give_up()
                raise
            finally:
                is_awaited = self._let_go(trial)
                if is_awaited:
                    self._progress.count(trial, failure)
            if is_awaited:
                self._call_back(trial)

    def _evaluate(self, trial: Trial) -> Optional[Exception]:
        """What has failed the trial, if that is caught."""
        try:
            with trial:
                trial.finish(self._finite.check(trial, self._objective(trial)))
        except errors.TrialEnded as ended:
            self.mishaps.note_end(trial, ended)
        except errors.SlipstreamError:
            raise
        except self._looked_at as error:
            if self._finite.is_about(trial, error):
                return None
            if not isinstance(error, self._catch):
                raise
            self.mishaps.note_failure(trial, error)
            return error
        return None

    def _catch_up(self, trial: Trial) -> None:
        """Learns of what other processes have found, now and then, before the trial is counted."""
        if trial.given_back or not self._progress.wants_news():
            return
        try:
            news = self._study._transport.run(self._study._news(self.quota))
        except errors.SlipstreamError:
            news = None  # The line says what this process knows, and the next suggestion tells of it.
        self._progress.learn(*(news or (None, None)))

    def _call_back(self, trial: Trial) -> None:
        """Tells the callbacks of a trial that has its outcome, one after the other."""
        if not self._tells_of(trial):
            return
        record = self._study._transport.run(trial._as_it_is())
        with self._calling_back:
            for callback in self._callbacks:
                callback(self._study, record)

    def _hold(self, trial: Trial) -> None:
        """Called as soon as there is the trial: a Ctrl-C may come before it gets here."""
        with self._lock:
            self._held.append(trial)

    def _may_start(self) -> bool:
        with self._lock:
            may = not self._given_up and self.quota.start()
            self._training += may
            return may

    def _let_go(self, trial: Trial) -> bool:
        """Whether somebody still waits for the trial."""
        with self._lock:
            self._training -= 1
            if trial in self._held:
                self._held.remove(trial)
            return not self._given_up

    def tell_of_interruption(self) -> None:
        """Says why Ctrl-C has not ended the program, and what does."""
        runs = self._training_runs()
        if not runs:
            self._progress.say("interrupted: waiting for suggestions under way")
            return
        self._progress.say(
            f"interrupted: waiting for {runs} under way; Ctrl-C again gives their trials back"
        )

    def tell_of_error(self, error: BaseException) -> None:
        """Says why the error of a worker has not ended the program, if others still train."""
        runs = self._training_runs()
        if runs and not termination.under_way:
            self._progress.say(
                f"failed: {brief_error(error)}; waiting for {runs} under way; Ctrl-C twice gives "
                "their trials back"
            )

    def _training_runs(self) -> str:
        """Those under way; empty if there are none."""
        with self._lock:
            count = self._training
        return "the training run" if count == 1 else f"the {count} training runs" if count else ""

    def give_up(self) -> None:
        """Gives back the trials that are held, for which nobody waits any more."""
        with self._lock:
            self._given_up = True
            held, self._held = [trial for trial in self._held if not trial.ended], []
        for trial in held:
            try:
                trial.release()
            except (errors.NoAnswer, errors.Overloaded) as unheard:
                warn_caller(f"unfinished trials could not be given back: {unheard}")
                for one in held:
                    one._abandon()
                return
            except errors.SlipstreamError:
                pass  # It has just ended.


def _is_interrupted(wait: Callable[[], object]) -> bool:
    try:
        wait()
    except KeyboardInterrupt:
        return True
    return False


def _wait_for_others(workers: Workers, evaluation: _Evaluation) -> None:
    """Waits for training runs under way after an error, of which it tells if they take a while."""
    if workers.errors and not workers.wait(_SECONDS_BEFORE_NOTICE):
        evaluation.tell_of_error(workers.errors[0])
    workers.wait()


def _wait(workers: Workers, evaluation: _Evaluation) -> None:
    """Waits for training runs under way after an error and after Ctrl-C, unless that comes again."""
    interrupted = _is_interrupted(workers.wait_for_error)
    evaluation.quota.close()
    if not interrupted and not _is_interrupted(lambda: _wait_for_others(workers, evaluation)):
        if not workers.errors:
            return
        evaluation.mishaps.note_others(workers.errors, workers.errors[0])
        raise workers.errors[0]
    evaluation.tell_of_interruption()
    _is_interrupted(workers.wait)
    raise KeyboardInterrupt from (workers.errors[0] if workers.errors else None)


def _work(count: int, evaluation: _Evaluation) -> None:
    try:
        if count == 1:
            evaluation.work()
        else:
            _wait(Workers(count, evaluation.work), evaluation)
    finally:
        evaluation.quota.close()
        evaluation.give_up()  # Only after Ctrl-C, SIGTERM and the like are there any.


def optimize(
    study: Study,
    objective: Callable[[Trial], Any],
    quota: Quota,
    workers: int,
    catch: Catch,
    callbacks: Collection[Callback],
    show_progress: bool,
) -> Optional[TrialRecord]:
    """See Study.optimize."""
    workers = check_count("workers", workers, 1, MOST_WORKERS)
    check_objective(objective)
    _refuse_asynchronous("objective", objective)
    caught, called = check_catch(catch), check_callbacks(callbacks)
    for callback in called:
        _refuse_asynchronous("callback", callback)
    shown = Progress(
        study.id, study.objective, quota.total, show_progress,
        of_study=quota.counts_study, space=study.space,
    )
    with shown as progress, study._running.run(quota):
        evaluation = _Evaluation(study, objective, quota, caught, called, progress)
        block = termination.begin(evaluation.give_up)
        try:
            _work(workers, evaluation)
            termination.check()
            best, ended = study._stands(quota)
        finally:
            termination.end(block)
        evaluation.conclude(best, ended)
    return best
