"""The call that asks for trials, which leaves none behind if it is interrupted.

The server may have leased trials that nobody has heard of: its answer is on the way when Ctrl-C, a
signal or the cancellation of a task ends the wait for it. The server is then asked what this process
holds in the lane. As the process has no open trials there, these are the trials to give back.

Other processes may use the same worker id, although they should not, and the server may have leased
their trials to this one too. What the lane held before is therefore left to them: if it comes from an
earlier life of the worker instead, the next life takes it up."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Callable, Collection, Optional, TypeVar

from slipstream import errors
from slipstream._calls.call_error import is_overload
from slipstream._calls.cancellation import CalledOff, Cancellation
from slipstream._calls.plan import Attempt, Plan, Reply, Step, through, to_its_end, while_wanted
from slipstream._operations.lanes import Lane
from slipstream._operations.meant_study import MeantStudy
from slipstream._operations.service import Service
from slipstream._operations.termination import termination
from slipstream._wire.messages import Message

Taken = TypeVar("Taken")

_log = logging.getLogger("slipstream")


class Suggesting:
    """Asks for trials in a lane without open ones."""

    def __init__(self, service: Service, study: MeantStudy, lane: Lane) -> None:
        self._service = service
        self._study = study
        self._worker = lane.worker
        self._left = lane.left
        self._settled = True  # Whether no trial is leased here that this process does not know of.
        self._is_heard = False  # Whether the server may well have heard that trials are asked for.

    def ask(
        self,
        count: int,
        take: Callable[[Message], Taken],
        wait_for: Callable[[Plan[None]], None],
        tasks: Optional[Callable[[], Collection[Any]]],
    ) -> Plan[Taken]:
        """What `take` makes of the response. `wait_for` performs a plan by blocking, from whatever
        thread; `tasks` are as in Termination.begin."""
        cancellation = Cancellation()
        block = termination.begin(lambda: wait_for(self._give_back()), tasks, cancellation)
        try:
            self._check(tasks)
            call = self._service.suggest(self._study, self._worker, count, cancellation)
            wanted = while_wanted(call, lambda: not cancellation.requested)
            response = yield from through(wanted, self._perform)
            taken = take(response)
            self._check(tasks)
            termination.end(block)  # Here, where a Ctrl-C has the trials given back.
        except Exception:
            self._settled = True
            raise
        except GeneratorExit:
            raise
        except BaseException as interruption:
            yield from self._give_back()
            if isinstance(interruption, CalledOff):
                termination.check()
            raise
        finally:
            termination.end(block)
        self._settled = True
        return taken

    def _perform(self, step: Step) -> Plan[Optional[Reply]]:
        """Performs a step of the call. A server that refuses an attempt has leased nothing by it, and
        without a connection it has not received the attempt."""
        before = self._settled, self._is_heard
        if isinstance(step, Attempt):
            self._settled, self._is_heard = False, True
        reply = yield step
        failure = None if reply is None else reply.failure
        if failure is not None and is_overload(failure):
            self._settled, self._is_heard = before
        elif failure is not None and failure.is_unsent:
            self._is_heard = before[1]
        return reply

    @staticmethod
    def _check(tasks: Optional[Callable[[], Collection[Any]]]) -> None:
        """Nobody is to be given trials once the process is to end."""
        if termination.under_way:
            raise CalledOff if tasks is None else asyncio.CancelledError

    def _give_back(self) -> Plan[None]:
        # Maybe on two threads: the one that asked may not get to it before the process ends.
        if self._settled or termination.unheard:
            return
        try:
            plan = self._service.release_unheard(self._study, self._worker, self._left)
            yield from to_its_end(plan)
            self._settled = True
        except (errors.NoAnswer, errors.Overloaded) as unheard:
            termination.note_silence()
            if self._is_heard:
                _log.warning("trials that were just suggested may stay leased: %s", unheard)
        except Exception:
            pass  # The study is gone, or the connection was closed.
