"""What each plot shows."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from slipstream.parameters import Parameter
from slipstream.plots.cells import can_be_active, places_along, value_at
from slipstream.plots.figure import Axis, Bars, Figure, Heat, Layer, Line, Panel, Points
from slipstream.plots.unit_values import plotted, raw_value, ticks_of, unit_row, words_of
from slipstream.records import TransferSummary, TrialRecord
from slipstream.trials import Trials

_NOT_ACTIVE = -0.15  # Where parallel coordinates have a parameter that has no value.
_LONGEST_LIST = 40  # Characters of words below an axis of parallel coordinates.
_MOST_SOURCES = 8  # With a line of their own.


def _need_results(
    trials: Trials, fewest: int, having: Sequence[str] = (), needed_by: str = "this plot"
) -> List[TrialRecord]:
    """The trials that succeeded, in which the parameters were active."""
    done = [one for one in trials.succeeded() if all(name in one.params for name in having)]
    if len(done) < fewest:
        wanted = f"{fewest} trial{'s' if fewest > 1 else ''} that succeeded"
        wanted += f" and have {' and '.join(map(repr, having))}" if having else ""
        found = {0: "is none", 1: "is 1"}.get(len(done), f"are {len(done)}")
        raise ValueError(f"{needed_by} needs at least {wanted}, and there {found}")
    return done


def _values(trials: Sequence[TrialRecord]) -> List[float]:
    return [float(trial.value) for trial in trials if trial.value is not None]


def _texts(trials: Sequence[TrialRecord]) -> List[str]:
    return [f"trial {one.number}: {dict(one.params)}" for one in trials]


def _axis(name: str, parameter: Parameter) -> Axis:
    limits = (0.0, 1.0) if words_of(parameter) else None
    return Axis(name, parameter.scale == "log", ticks_of(parameter), limits)


def history(title: str, trials: Trials) -> Figure:
    """Each trial's value, and the best so far."""
    done = _need_results(trials, 1)
    best: List[float] = []
    for value in _values(done):
        better = not best or trials.objective.is_better(value, best[-1])
        best.append(value if better else best[-1])
    numbers = [float(trial.number) for trial in done]
    layers: List[Layer] = [
        Points(numbers, _values(done), "trials", texts=_texts(done)),
        Line(numbers, best, "best so far", stepped=True),
    ]
    stopped = [one for one in trials if one.state == "stopped" and one.value is not None]
    if stopped:
        places = [float(trial.number) for trial in stopped]
        layers.append(Points(places, _values(stopped), "stopped early", texts=_texts(stopped)))
    panel = Panel(Axis("trial", whole=True), Axis(trials.objective.metric), layers)
    return Figure(f"{title}: history", [panel])


def _forest(done: Sequence[TrialRecord], space: Mapping[str, Parameter]) -> Any:
    from slipstream.plots.forest import Forest

    return Forest([unit_row(space, one.params, -1.0) for one in done], _values(done))


def importances(trials: Trials, needed_by: str = "importances()") -> Dict[str, float]:
    """How much of the values' variation each parameter explains by itself, the largest first."""
    done = _need_results(trials, 4, needed_by=needed_by)
    shares = _forest(done, trials.space).importances()
    ranked = sorted(zip(shares, trials.space), reverse=True)
    return {name: share for share, name in ranked}


def importance(title: str, trials: Trials) -> Figure:
    """How much of the values' variation each parameter explains by itself."""
    shares = importances(trials, needed_by="this plot")
    bars = Bars(list(shares), list(shares.values()))
    panel = Panel(Axis("share of the variance explained alone"), Axis(), [bars])
    return Figure(f"{title}: importance", [panel])


def _choose(
    space: Mapping[str, Parameter], params: Union[str, Sequence[str], None]
) -> List[str]:
    """The names of the parameters, of which there may be one; all of the study's for none."""
    names = [params] if isinstance(params, str) else list(params or space)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{name!r} is not the name of a parameter, which is a string")
        if name not in space:
            raise KeyError(f"{name!r} is not a parameter of the study, which has {', '.join(space)}")
    return names


def slices(title: str, trials: Trials, params: Union[str, Sequence[str], None]) -> Figure:
    """The values against each parameter."""
    done = _need_results(trials, 1)
    panels = []
    for name in _choose(trials.space, params):
        parameter = trials.space[name]
        with_it = [trial for trial in done if name in trial.params]
        points = Points(
            [plotted(parameter, trial.params, name) for trial in with_it],
            _values(with_it),
            colors=[float(trial.number) for trial in with_it],
            texts=_texts(with_it),
        )
        panels.append(Panel(_axis(name, parameter), Axis(trials.objective.metric), [points]))
    return Figure(f"{title}: slices", panels, color_label="trial")


def _most_important(trials: Trials, besides: Optional[str]) -> str:
    """The parameter that explains most of the values' variation, besides another one."""
    ranked = importances(trials, needed_by="this plot")
    for name in ranked:
        if name != besides:
            return name
    raise ValueError("a contour needs two parameters, and the study has one")


def contour(
    title: str, trials: Trials, first: Optional[str] = None, second: Optional[str] = None
) -> Figure:
    """A model of the values over two parameters, averaged over the others, and the trials.

    Only trials in which both are active count, and the map is blank where they cannot be."""
    _choose(trials.space, [one for one in (first, second) if one is not None])
    first = _most_important(trials, second) if first is None else first
    second = _most_important(trials, first) if second is None else second
    if first == second:
        raise ValueError(f"contour({first!r}, {second!r}) needs two different parameters")
    done = _need_results(trials, 4, [first, second])
    heat, conditional = _map_of(done, trials, first, second)
    x, y = trials.space[first], trials.space[second]
    points = Points(
        [plotted(x, one.params, first) for one in done],
        [plotted(y, one.params, second) for one in done],
        "trials",
        texts=_texts(done),
    )
    panel = Panel(_filled(first, x, heat.x), _filled(second, y, heat.y), [heat, points])
    blank = "".join(f", blank where {name} is not active" for name in conditional)
    return Figure(f"{title}: contour{blank}", [panel])


def _map_of(
    done: Sequence[TrialRecord], trials: Trials, first: str, second: str
) -> Tuple[Heat, List[str]]:
    """The map of a contour, and which of the two parameters it is blank for."""
    space, names = trials.space, list(trials.space)
    across, up = places_along(space, first, second), places_along(space, second, first)
    effects = _forest(done, space).map(names.index(first), names.index(second), across, up)
    columns = [can_be_active(space, second, {first: value_at(space[first], one)})
               for one in across]
    rows = [can_be_active(space, first, {second: value_at(space[second], one)}) for one in up]
    shown = [[effect if columns[at] and row_shown else None for at, effect in enumerate(row)]
             for row, row_shown in zip(effects, rows)]
    heat = Heat(
        [raw_value(space[first], place) for place in across],
        [raw_value(space[second], place) for place in up],
        shown,
        trials.objective.metric,
    )
    blank = {first: not all(rows), second: not all(columns)}
    return heat, [name for name, some in blank.items() if some]


def _filled(name: str, parameter: Parameter, places: Sequence[float]) -> Axis:
    """An axis that ends where the map does."""
    ends = (places[0], places[-1])
    return replace(_axis(name, parameter), limits=ends if ends[0] < ends[1] else None)


def parallel_coordinates(title: str, trials: Trials) -> Figure:
    """A line through the values of each trial, the better the brighter.

    Where a parameter is not active the line passes below the range, at a place of its own."""
    done = _need_results(trials, 1)
    low, high = min(_values(done)), max(_values(done))

    def shade(value: float) -> float:
        place = (value - low) / (high - low) if high > low else 1.0
        return place if trials.objective.maximize else 1 - place

    positions = [float(index) for index in range(len(trials.space) + 1)]
    lines: List[Layer] = []
    for trial in sorted(done, key=lambda one: shade(one.value or 0.0)):
        value = trial.value or 0.0
        places = unit_row(trials.space, trial.params, _NOT_ACTIVE)
        places.append((value - low) / (high - low) if high > low else 0.5)
        lines.append(Line(positions, places, f"trial {trial.number}", shade(value)))
    labels = [*trials.space, trials.objective.metric]
    ticks = [(position, _range(name, trials, low, high)) for position, name in enumerate(labels)]
    whole = all(len(trial.params) == len(trials.space) for trial in done)
    heights = [] if whole else [(_NOT_ACTIVE, "not active"), (0, "0"), (0.5, "0.5"), (1, "1")]
    panel = Panel(Axis(ticks=ticks), Axis("place in the range", ticks=heights), lines)
    return Figure(f"{title}: parallel coordinates (the brighter the better)", [panel], columns=1)


def curves(
    title: str, trials: Trials, reports: Mapping[int, Mapping[int, float]]
) -> Figure:
    """What trials reported, by their numbers, step by step; the better the end, the brighter."""
    told = {number: steps for number, steps in reports.items() if steps}
    if not told:
        raise ValueError("this plot needs a trial that has reported, and there is none")
    ends = {number: steps[max(steps)] for number, steps in told.items()}
    best_last = sorted(
        told, key=lambda number: ends[number], reverse=not trials.objective.maximize
    )
    lines: List[Layer] = []
    for place, number in enumerate(best_last, start=1):
        steps = sorted(told[number])
        values = [told[number][step] for step in steps]
        shade = place / len(best_last)
        lines.append(Line([float(step) for step in steps], values, f"trial {number}", shade))
    stopped = [one.number for one in trials if one.state == "stopped" and one.number in told]
    if stopped:
        last = [float(max(told[number])) for number in stopped]
        lines.append(Points(last, [ends[number] for number in stopped], "stopped early"))
    panel = Panel(Axis("step", whole=True), Axis(trials.objective.metric), lines)
    dots = ", a dot where stopped early" if stopped else ""
    return Figure(f"{title}: learning curves (the brighter the better{dots})", [panel])


def _range(name: str, trials: Trials, low: float, high: float) -> str:
    if name == trials.objective.metric and name not in trials.space:
        return f"{name}\n{low:.4g} to {high:.4g}"
    parameter = trials.space[name]
    words = words_of(parameter)
    if words:
        listed = ", ".join(map(str, words))
        short = listed if len(listed) <= _LONGEST_LIST else f"{len(words)} words"
        return f"{name}\n{textwrap.fill(short, 20)}"
    return f"{name}\n{raw_value(parameter, 0):.4g} to {raw_value(parameter, 1):.4g}"


def transfer(
    title: str,
    trials: Trials,
    weights: Mapping[int, Mapping[str, float]],
    titles: Mapping[str, str],
    summary: Optional[TransferSummary] = None,
) -> Figure:
    """The share of each source task in the suggestions that use any, and what it came to."""
    weights = {number: shares for number, shares in weights.items() if shares}
    totals: Dict[str, float] = {}
    for shares in weights.values():
        for name, share in shares.items():
            totals[name] = totals.get(name, 0.0) + share
    if not totals:
        why = f": {summary.unused_because}" if summary is not None and summary.unused_because else ""
        raise ValueError(f"no suggestion of this study has used its source tasks so far{why}")
    sources = sorted(totals, key=lambda name: (-totals[name], name))
    # The last line has whatever is left once the others have a source task each.
    groups = [[name] for name in sources[: _MOST_SOURCES - 1]]
    groups += [sources[_MOST_SOURCES - 1 :]] if len(sources) >= _MOST_SOURCES else []
    groups += [sources] if len(sources) > 1 else []
    numbers = [float(number) for number in weights]
    lines: List[Layer] = [
        Line(
            numbers,
            [sum(shares.get(name, 0.0) for name in group) for shares in weights.values()],
            _group_name(group, titles, len(sources)),
        )
        for group in groups
    ]
    if summary is not None and summary.shares:
        places = [float(number) for number in summary.shares]
        lines.append(Line(places, list(summary.shares.values()), "model with source tasks"))
    panel = Panel(Axis("trial", whole=True), Axis("share in the suggestion"), lines)
    verdict = ""
    if summary is not None:
        verdict = f" ({'not used' if summary.unused_because else summary.state})"
    return Figure(f"{title}: transfer{verdict}", [panel, *history(title, trials).panels], columns=1)


def _group_name(group: Sequence[str], titles: Mapping[str, str], count: int) -> str:
    if len(group) == 1:
        return titles.get(group[0]) or group[0].split("/")[-1][:12]
    return "all source tasks" if len(group) == count else f"{len(group)} other source tasks"
