"""Plots of a study, as figures of Matplotlib or Plotly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

from slipstream.plots import contents
from slipstream.plots.figure import Figure

if TYPE_CHECKING:
    from slipstream.study import Study

ENGINES = ("matplotlib", "plotly")


def _draw(figure: Figure, engine: str) -> Any:
    if engine == "matplotlib":
        from slipstream.plots import matplotlib_drawing

        return matplotlib_drawing.draw(figure)
    if engine == "plotly":
        from slipstream.plots import plotly_drawing

        return plotly_drawing.draw(figure)
    raise ValueError(f"engine={engine!r} must be one of {', '.join(ENGINES)}")


class Plotter:
    """Draws a study as it is now: `study.plot.history().savefig("history.svg")`.

    `engine` is "matplotlib" or "plotly". Each plot raises ValueError while there are too few
    results for it."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def history(self, *, engine: str = "matplotlib") -> Any:
        """Each trial's value, and the best so far."""
        return _draw(contents.history(self._study.id, self._study.trials), engine)

    def importance(self, *, engine: str = "matplotlib") -> Any:
        """The part of the values' variation that each parameter explains by itself.

        These are main effects in a random forest (functional ANOVA); the rest, up to 1, are
        interactions. A conditional parameter is judged by the trials in which it is active."""
        return _draw(contents.importance(self._study.id, self._study.trials), engine)

    def slices(
        self, params: Union[str, Sequence[str], None] = None, *, engine: str = "matplotlib"
    ) -> Any:
        """The values against each parameter, or against those that `params` names."""
        return _draw(contents.slices(self._study.id, self._study.trials, params), engine)

    def contour(
        self, first: Optional[str] = None, second: Optional[str] = None, *, engine: str = "matplotlib"
    ) -> Any:
        """A model of the values over two parameters, averaged over the others, and the trials.

        A parameter that is left out is the one that explains most of the values' variation.
        Only trials in which both parameters are active count; where one of them makes the other
        inactive, the plot is blank."""
        return _draw(contents.contour(self._study.id, self._study.trials, first, second), engine)

    def parallel_coordinates(self, *, engine: str = "matplotlib") -> Any:
        """A line through the parameter values of each trial; better trials are brighter.

        If a parameter is not active, the line passes below its range, at "not active"."""
        return _draw(contents.parallel_coordinates(self._study.id, self._study.trials), engine)

    def curves(self, *, engine: str = "matplotlib") -> Any:
        """What each trial reported, step by step, and where it was stopped early."""
        trials = self._study.trials
        reports = {one.number: self._study.reports(one) for one in trials if one.report_count}
        return _draw(contents.curves(self._study.id, trials, reports), engine)

    def transfer(self, *, engine: str = "matplotlib") -> Any:
        """The share of each source task in the suggestions that use any, above the history."""
        if not self._study.sources:
            raise ValueError("the study has no source task: give sources= when you create one")
        trials = self._study.trials
        weights = {
            trial.number: self._study.source_weights(trial)
            for trial in trials
            if trial.worker  # Others were not suggested.
        }
        titles = self._study.source_titles()
        summary = self._study.transfer
        figure = contents.transfer(self._study.id, trials, weights, titles, summary)
        return _draw(figure, engine)
