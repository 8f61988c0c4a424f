"""The loop that evaluates suggestions, in one task or several."""

from __future__ import annotations

import asyncio
import inspect
from typing import (
    TYPE_CHECKING,
    Any,
    Awaitable,
    Callable,
    Collection,
    List,
    Optional,
    Set,
    Tuple,
    Type,
)

from slipstream import errors
from slipstream._operations.quotas import Quota
from slipstream._operations.termination import termination
from slipstream.aio.trial import Trial
from slipstream.optimization import (
    Catch,
    Evaluation,
    check_callbacks,
    check_catch,
    check_objective,
)
from slipstream.progress import Progress
from slipstream.records import TrialRecord
from slipstream.scalars import MOST_WORKERS, check_count

if TYPE_CHECKING:
    from slipstream.aio.study import Callback, Study

Objective = Callable[[Trial], Awaitable[Optional[float]]]


class _NotAwaitable(TypeError):
    """What every trial would fail by."""


async def _outcome(objective: Objective, trial: Trial) -> Optional[float]:
    result = objective(trial)
    if not inspect.isawaitable(result):
        await trial.release()
        raise _NotAwaitable(
            f"the objective returned {result!r}, which cannot be awaited: make it an async "
            "function, or open the study by slipstream, whose optimize() calls it on threads"
        )
    return await result


class _Evaluation(Evaluation):
    """What the tasks of one optimisation share."""

    def __init__(
        self,
        study: Study,
        objective: Objective,
        quota: Quota,
        catch: Tuple[Type[Exception], ...],
        callbacks: Tuple[Callable[..., Any], ...],
        progress: Progress,
    ) -> None:
        super().__init__(quota, catch, callbacks, progress)
        self._study = study
        self._objective = objective
        self._training: Set[Optional[asyncio.Task[Any]]] = set()
        self._calling_back = asyncio.Lock()
        self._outer = asyncio.current_task()
        self._tasks: List[asyncio.Task[None]] = []

    async def work(self) -> None:
        """Evaluates suggestions until no more may be started."""
        while self.quota.take() and not termination.under_way:
            trial = await self._study._next_trial(self.quota)
            if trial is None:
                return
            if not self.quota.start():
                await trial.release()
                return
            failure = None
            try:
                failure = await self._evaluate(trial)
                await self._catch_up(trial)
            except errors.SlipstreamError:
                raise  # What the server did not hear must not go unnoticed.
            except Exception as error:
                failure = error
                if trial.ended:  # Otherwise the server does not answer.
                    await self._catch_up(trial)
                raise
            finally:
                self._progress.count(trial, failure)
            await self._call_back(trial)

    async def _evaluate(self, trial: Trial) -> Optional[Exception]:
        """What has failed the trial, if that is caught."""
        try:
            async with trial:
                value = await self._train(trial)
                await trial.finish(self._finite.check(trial, value))
        except errors.TrialEnded as ended:
            self.mishaps.note_end(trial, ended)
        except (errors.SlipstreamError, _NotAwaitable):
            raise
        except self._looked_at as error:
            if self._finite.is_about(trial, error):
                return None
            if not isinstance(error, self._catch):
                raise
            self.mishaps.note_failure(trial, error)
            return error
        return None

    async def _train(self, trial: Trial) -> Optional[float]:
        self._training.add(asyncio.current_task())
        try:
            return await _outcome(self._objective, trial)
        finally:
            self._training.discard(asyncio.current_task())

    async def _catch_up(self, trial: Trial) -> None:
        """Learns of what other processes have found, now and then, before the trial is counted."""
        if trial.given_back or not self._progress.wants_news():
            return
        try:
            news = await self._study._transport.run(self._study._news(self.quota))
        except errors.SlipstreamError:
            news = None  # The line says what this process knows, and the next suggestion tells of it.
        self._progress.learn(*(news or (None, None)))

    async def _call_back(self, trial: Trial) -> None:
        """Tells the callbacks of a trial that has its outcome, one after the other."""
        if not self._tells_of(trial):
            return
        record = await self._study._transport.run(trial._as_it_is())
        async with self._calling_back:
            for callback in self._callbacks:
                called = callback(self._study, record)
                if inspect.isawaitable(called):
                    await called

    def start(self, count: int) -> List[asyncio.Task[None]]:
        """Starts so many tasks that evaluate suggestions."""
        self._tasks = [asyncio.ensure_future(self.work()) for _ in range(count)]
        return self._tasks

    def tasks_to_cancel(self) -> Collection[Optional[asyncio.Task[Any]]]:
        """The tasks whose end ends the optimisation."""
        return [task for task in self._tasks if not task.done()] or [self._outer]

    def is_training(self, task: asyncio.Task[Any]) -> bool:
        """Whether the task has a trial that has no outcome yet."""
        return task in self._training


async def _work_together(count: int, evaluation: _Evaluation) -> None:
    tasks = evaluation.start(count)
    raised: Optional[BaseException] = None
    try:
        await asyncio.gather(*tasks)
    except BaseException as error:
        raised = error
        raise
    finally:
        evaluation.quota.close()
        for task in tasks:
            # A termination has cancelled all; a second time would cut short what they clean up.
            if evaluation.is_training(task) and not termination.under_way:
                task.cancel()  # It gives its trial back.
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        failures = [end for end in ends if isinstance(end, Exception)]
        evaluation.mishaps.note_others(failures, raised)


def _nothing() -> None:
    """Each trial is given back by its own block."""


async def optimize(
    study: Study,
    objective: Objective,
    quota: Quota,
    workers: int,
    catch: Catch,
    callbacks: Collection[Callback],
    show_progress: bool,
) -> Optional[TrialRecord]:
    """See Study.optimize."""
    workers = check_count("workers", workers, 1, MOST_WORKERS)
    check_objective(objective)
    caught, called = check_catch(catch), check_callbacks(callbacks)
    shown = Progress(
        study.id, study.objective, quota.total, show_progress,
        of_study=quota.counts_study, space=study.space,
    )
    with shown as progress, study._running.run(quota):
        evaluation = _Evaluation(study, objective, quota, caught, called, progress)
        block = termination.begin(_nothing, evaluation.tasks_to_cancel)
        try:
            await _work_together(workers, evaluation)
            termination.check()
            best, ended = await study._stands(quota)
        finally:
            termination.end(block)
        evaluation.conclude(best, ended)
    return best
