"""Runs plans that mostly pause, such as the renewals of leases, on one thread in the background."""

from __future__ import annotations

import math
import threading
import time
from typing import Callable, Dict, Optional, Union

from slipstream._calls import call_thread
from slipstream._calls.plan import Attempt, Look, Pause, Plan, Reply, advance

# A signal that comes just as the main thread has got its turn from another thread may be overlooked
# by Python until the next turn, for which a training of Python code alone would wait for ever.
_SECONDS_BETWEEN_TURNS = 1.0


class Renewals:
    """Thread-safe. The thread starts with the first plan, and ends with the process."""

    def __init__(self, attempt: Callable[[Attempt], Reply]) -> None:
        self._attempt = attempt
        # Taken as it is: within Condition.__enter__ a Ctrl-C could leave it locked.
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._due: Dict[Plan[None], float] = {}
        self._wakes_at = math.inf
        self._thread: Optional[threading.Thread] = None

    def add(self, plan: Plan[None]) -> None:
        """Runs the plan, up to its first pause before this returns."""
        pause = self._run_to_pause(plan)
        if pause is None:
            return
        with self._lock:
            if self._thread is None or not self._thread.is_alive():  # It may have failed to start.
                self._thread = threading.Thread(
                    target=self._serve, name="slipstream renewals", daemon=True
                )
                call_thread.start(self._thread)
            self._due[plan] = time.monotonic() + pause
            if self._due[plan] < self._wakes_at:
                self._changed.notify()

    def remove(self, plan: Plan[None]) -> None:
        """Stops the plan. If it is in a call, that call is finished first."""
        with self._lock:
            self._due.pop(plan, None)

    def _serve(self) -> None:
        while True:
            plan = self._wait_for_next()
            pause = self._run_to_pause(plan)
            with self._lock:
                if pause is None:
                    self._due.pop(plan, None)
                elif plan in self._due:
                    self._due[plan] = time.monotonic() + pause

    def _wait_for_next(self) -> Plan[None]:
        with self._lock:
            while True:
                plan = min(self._due, key=self._due.__getitem__, default=None)
                self._wakes_at = math.inf if plan is None else self._due[plan]
                left = self._wakes_at - time.monotonic()
                if plan is not None and left <= 0:
                    return plan
                self._changed.wait(None if plan is None else min(left, _SECONDS_BETWEEN_TURNS))

    def _perform(self, step: Union[Attempt, Look]) -> Reply:
        return Reply(finding=step.find()) if isinstance(step, Look) else self._attempt(step)

    def _run_to_pause(self, plan: Plan[None]) -> Optional[float]:
        """The seconds of the plan's next pause; None if it has ended."""
        step, _ = advance(plan, None)
        while isinstance(step, (Attempt, Look)):
            try:
                reply = self._perform(step)
            except Exception:  # The client is being closed, or the interpreter ends.
                return None
            step, _ = advance(plan, reply)
        return step.seconds if isinstance(step, Pause) else None
