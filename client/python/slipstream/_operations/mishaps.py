"""Warnings of what goes wrong with trials without ending the optimisation."""

from __future__ import annotations

import math
import threading
from typing import Any, Optional, Sequence

from slipstream import errors
from slipstream._operations.held_trial import HeldTrial, NotFinite
from slipstream._operations.notices import callers_line
from slipstream._operations.termination import termination
from slipstream.progress import brief_error


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
        reason = f"the objective is {float(value)}"
        self._warn(trial, reason)
        raise errors.Infeasible(reason)

    def is_about(self, trial: HeldTrial, error: Exception) -> bool:
        """Whether the error is that the objective has told the trial such a value."""
        if not isinstance(error, NotFinite) or error.trial is not trial:
            return False
        self._warn(trial, error.reason)
        return True

    def _warn(self, trial: HeldTrial, reason: str) -> None:
        self._warnings.warn_first(
            f"{reason} in {trial!r}, which is recorded as infeasible, "
            "so that the model stays away from configurations like it; further ones "
            "are recorded without a warning. Where the configuration is not to blame, raise "
            "an exception and name its type in catch="
        )


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
        """A caught exception has failed the trial. Only the first one causes a warning."""
        self._warnings.warn_first(
            f"{trial!r} has failed, and the optimisation goes on: {brief_error(error)}. Further "
            "failures are counted without a warning; each trial has its reason"
        )

    def note_others(
        self, failures: Sequence[BaseException], raised: Optional[BaseException]
    ) -> None:
        """Warns of the errors of several workers, except for the one that the optimisation
        raises."""
        for other in failures:
            is_end = termination.under_way and isinstance(other, SystemExit)
            if other is not raised and not is_end:
                self._warnings.warn(
                    f"another worker has failed too: {brief_error(other, whole=True)}"
                )

    def note_state(self, state: str, trials: int) -> None:
        """Somebody else has paused or completed the study after so many trials."""
        count = "1 trial" if trials == 1 else f"{trials} trials"
        self._warnings.warn(f"the study was {state}, so the optimisation ends after {count}")

    def note_end(self, trial: HeldTrial, error: errors.TrialEnded) -> None:
        """Somebody else has ended the trial while it was evaluated. Raises an error that is about
        another trial."""
        if error.trial != trial.name:
            raise error
        self._warnings.warn(f"{error} The optimisation goes on.")
