"""The loop that evaluates suggestions, on one thread or several."""

from __future__ import annotations

import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple, Type

from slipstream import errors
from slipstream.progress import Progress

if TYPE_CHECKING:
    from slipstream.records import TrialRecord
    from slipstream.study import Study
    from slipstream.trial import Trial


class Quota:
    """How many trials may still be started, and until when. Thread-safe."""

    def __init__(self, trials: Optional[int], timeout: Optional[float]) -> None:
        if trials is not None and trials < 0:
            raise ValueError(f"trials={trials} must be 0 or more")
        self._lock = threading.Lock()
        self._left = trials
        self._end = None if timeout is None else time.monotonic() + timeout

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


def check_workers(workers: int) -> None:
    if workers < 1:
        raise ValueError(f"workers={workers} must be at least 1")


def _evaluate(
    trial: Trial, objective: Callable[[Trial], Any], catch: Tuple[Type[Exception], ...]
) -> None:
    try:
        with trial:
            trial.finish(objective(trial))
    except errors.SlipstreamError:
        raise  # What the server did not hear must not go unnoticed.
    except catch:
        pass  # The trial has failed with the exception's text.


def _work(
    study: Study,
    objective: Callable[[Trial], Any],
    quota: Quota,
    catch: Tuple[Type[Exception], ...],
    progress: Progress,
) -> None:
    while quota.take():
        try:
            trial = study.suggest()
        except errors.CandidatesExhausted:
            return
        try:
            _evaluate(trial, objective, catch)
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
    check_workers(workers)
    quota = Quota(trials, timeout)
    with Progress(study.id, study.objective, trials, show_progress, lambda: study.best) as progress:

        def work() -> None:
            _work(study, objective, quota, catch, progress)

        if workers == 1:
            work()
        else:
            _work_together(workers, work, quota)
    return study.best
