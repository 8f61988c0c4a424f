"""The loop that evaluates suggestions, on one thread or several."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple, Type

from slipstream import errors
from slipstream._operations.notices import warn_caller
from slipstream.progress import Progress
from slipstream.scalars import check_count, check_seconds

if TYPE_CHECKING:
    from slipstream._operations.held_trial import HeldTrial
    from slipstream.records import TrialRecord
    from slipstream.study import Study
    from slipstream.trial import Trial


class Quota:
    """How many trials may still be started, and until when. Thread-safe."""

    def __init__(self, trials: Optional[int], timeout: Optional[float]) -> None:
        self._lock = threading.Lock()
        self._left = None if trials is None else check_count("trials", trials, 0)
        seconds = None if timeout is None else check_seconds("timeout", timeout)
        self._end = None if seconds is None else time.monotonic() + seconds

    def take(self) -> bool:
        """Whether one more may be started."""
        with self._lock:
            late = self._end is not None and time.monotonic() >= self._end
            if self._left == 0 or late:
                return False
            if self._left is not None:
                self._left -= 1
            return True

    def close(self) -> None:
        """Lets no more be started."""
        with self._lock:
            self._left = 0


class FiniteValues:
    """Turns a value that is not finite into Infeasible, and warns of the first one. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._told = False

    def check(self, trial: HeldTrial, value: Any) -> Any:
        """What the objective returned for the trial, if it is finite or no number at all."""
        if trial.ended or not _is_infinite_or_nan(value):
            return value
        with self._lock:
            told, self._told = self._told, True
        if not told:
            warn_caller(
                f"the objective is {float(value)} in {trial!r}, which is recorded as infeasible, "
                "so that the model stays away from configurations like it; later ones are not "
                "warned of. Where the configuration is not to blame, raise an exception and name "
                "its type in catch="
            )
        raise errors.Infeasible(f"the objective is {float(value)}")


def _is_infinite_or_nan(value: Any) -> bool:
    try:
        return not math.isfinite(value)
    except (TypeError, ValueError, OverflowError):
        return False  # Whoever records it says what is wrong.


def _evaluate(
    trial: Trial,
    objective: Callable[[Trial], Any],
    finite: FiniteValues,
    catch: Tuple[Type[Exception], ...],
) -> None:
    try:
        with trial:
            trial.finish(finite.check(trial, objective(trial)))
    except errors.SlipstreamError:
        raise  # What the server did not hear must not go unnoticed.
    except catch:
        pass  # The trial has failed with the exception's text.


def _work(
    study: Study,
    objective: Callable[[Trial], Any],
    quota: Quota,
    finite: FiniteValues,
    catch: Tuple[Type[Exception], ...],
    progress: Progress,
) -> None:
    while quota.take():
        try:
            trial = study.suggest()
        except errors.CandidatesExhausted:
            return
        try:
            _evaluate(trial, objective, finite, catch)
        finally:
            progress.count(trial)


def _work_together(workers: int, work: Callable[[], None], quota: Quota) -> None:
    """Runs `work` on several threads; after an error or Ctrl-C none starts another trial."""
    with ThreadPoolExecutor(workers, thread_name_prefix="slipstream") as pool:
        futures = [pool.submit(work) for _ in range(workers)]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            quota.close()
    for future in futures:
        future.result()


def optimize(
    study: Study,
    objective: Callable[[Trial], Any],
    trials: Optional[int],
    workers: int,
    timeout: Optional[float],
    catch: Tuple[Type[Exception], ...],
    show_progress: bool,
) -> Optional[TrialRecord]:
    """See Study.optimize."""
    workers = check_count("workers", workers, 1)
    quota, finite = Quota(trials, timeout), FiniteValues()
    with Progress(study.id, study.objective, trials, show_progress, lambda: study.best) as progress:

        def work() -> None:
            _work(study, objective, quota, finite, catch, progress)

        if workers == 1:
            work()
        else:
            _work_together(workers, work, quota)
    return study.best
