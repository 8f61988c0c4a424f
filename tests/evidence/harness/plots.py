"""Regret curves as SVG: own presets with a band, the best recorded peers as thin grey lines."""

import math
import pathlib

import matplotlib
import numpy

from harness import estimates
from harness.results import RECORDED
from harness.tables import measure

matplotlib.use("svg")
matplotlib.rcParams |= {
    "svg.hashsalt": "slipstream", "font.size": 9, "axes.titlesize": 10, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": "#E4E4E4",
    "axes.axisbelow": True, "legend.frameon": False, "figure.dpi": 100}
from matplotlib import pyplot  # noqa: E402  After the backend was chosen.

# Okabe and Ito's colours, which colour-blind people can distinguish, and a dark one beside them.
OWN_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#4B2E1E")
OWN_MARKERS = "os^Dv*"
OWN_DASHES = ("-", "--", ":", "-.")
PEER_GREYS = ("#000000", "#777777")
PEER_DASHES = ((5, 2), (1, 1.3), (8, 2, 1.5, 2), (10, 3), (2.5, 1.2), (8, 2, 1, 2, 1, 2),
               (1, 3), (4, 1, 1, 1))
SHOWN_PEERS = 3  # The best at the last checkpoint; random comes in addition.
LOG_FROM_RATIO = 20


class Style:
    """The style of each method, the same in all plots."""

    def __init__(self, presets, peers):
        self._looks = {}
        for i, name in enumerate(presets):
            self._looks[name] = {"color": OWN_COLOURS[i % len(OWN_COLOURS)], "linewidth": 1.8,
                                 "marker": OWN_MARKERS[i % len(OWN_MARKERS)], "markersize": 4,
                                 "linestyle": OWN_DASHES[i // len(OWN_COLOURS) % len(OWN_DASHES)]}
        for i, name in enumerate(peers):
            dash = PEER_DASHES[i % len(PEER_DASHES)]
            self._looks[name] = {"color": PEER_GREYS[i % len(PEER_GREYS)], "linewidth": 1.2,
                                 "linestyle": (0, dash)}

    def of(self, method):
        return self._looks[method]


def _series(comparison, method, unit):
    """Evaluations at which all regrets are known, and these, [evaluations, draws, within]."""
    last = max(comparison.checkpoints)
    known = [c for c in range(1 - comparison.before, last + 1) if comparison.known(method, unit, c)]
    evaluations = numpy.array([comparison.before + c for c in known])
    return evaluations, numpy.array([comparison.samples(method, unit, c) for c in known])


def _curve(unit, regrets):
    """(middle, low, high): a problem's median and quartiles, a table's mean and 95% interval."""
    if unit.draws == len(unit.cells):
        flat = regrets.reshape(len(regrets), -1)
        low, middle, high = numpy.percentile(flat, [25, 50, 75], axis=1)
        return middle, low, high
    middle = numpy.array([estimates.estimate(at, "mean") for at in regrets])
    bounds = numpy.array([estimates.interval(at, "mean") for at in regrets])
    return middle, bounds[:, 0], bounds[:, 1]


def _shown_peers(comparison, unit):
    last = max(comparison.checkpoints)
    peers = [peer for peer in comparison.peers([unit]) if comparison.known(peer, unit, last)]
    samples = {peer: comparison.samples(peer, unit, last) for peer in peers}
    best = sorted(peers, key=lambda peer: (estimates.estimate(samples[peer], "median"),
                                           estimates.estimate(samples[peer], "mean")))
    chosen = set(best[:SHOWN_PEERS]) | ({"random" + RECORDED} & set(peers))
    return [peer for peer in peers if peer in chosen]


def _draw_methods(axes, comparison, unit, style):
    """Draws curves and returns their middles."""
    middles = []
    for method in comparison.presets + _shown_peers(comparison, unit):
        evaluations, regrets = _series(comparison, method, unit)
        if len(evaluations) == 0:
            continue
        middle, low, high = _curve(unit, regrets)
        is_own = method in comparison.presets
        axes.plot(evaluations, middle, label=method, markevery=(4, 10),
                  zorder=3 if is_own else 2.5, **style.of(method))
        if is_own:
            axes.fill_between(evaluations, low, high, color=style.of(method)["color"], alpha=0.15,
                              linewidth=0)
        middles.append(middle)
    return numpy.concatenate(middles)


def scale(axes, middles):
    """Logarithmic where the curves span more than a little; zeros then lie below the edge."""
    positive = middles[middles > 0]
    if len(positive) == 0 or positive.max() / positive.min() < LOG_FROM_RATIO:
        if middles.min() < middles.max() / 2:
            axes.set_ylim(bottom=0)
        return
    axes.set_yscale("log")
    axes.set_ylim(positive.min() / 2, positive.max() * 2)


def _draw_unit(axes, comparison, unit, style):
    scale(axes, _draw_methods(axes, comparison, unit, style))
    is_problem = unit.draws == len(unit.cells)
    axes.set_title(f"{unit.name}, {unit.count_text()}", loc="left")
    axes.set_xlabel("evaluations")
    axes.set_ylabel(measure(unit.group, comparison.unit) + ", "
                    + ("median and quartiles" if is_problem else "mean and 95% interval"))
    axes.set_xlim(1, comparison.before + max(comparison.checkpoints))


def save(figure, path):
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)


def _draw_one(comparison, unit, style, path):
    figure, axes = pyplot.subplots(figsize=(6.4, 3.8))
    _draw_unit(axes, comparison, unit, style)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    save(figure, path)


def _draw_overview(comparison, units, style, path):
    columns = min(3, len(units))
    rows = math.ceil(len(units) / columns)
    figure, grid = pyplot.subplots(rows, columns, squeeze=False,
                                   figsize=(4.2 * columns, 3.1 * rows), layout="constrained")
    handles = {}
    for i, (axes, unit) in enumerate(zip(grid.flat, units)):
        _draw_unit(axes, comparison, unit, style)
        if i % columns > 0:
            axes.set_ylabel("")
        drawn, labels = axes.get_legend_handles_labels()
        handles |= dict(zip(labels, drawn))
    for axes in list(grid.flat)[len(units):]:
        axes.set_visible(False)
    figure.legend(handles.values(), handles.keys(), loc="upper center",
                  bbox_to_anchor=(0.5, 0), ncol=min(4, len(handles)))
    save(figure, path)


def draw(comparison, folder):
    """Writes an SVG for each unit and one for each group of several; returns their paths."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    recorded = {peer: None for unit in comparison.units for peer in comparison.peers([unit])}
    style = Style(comparison.presets, list(recorded))
    paths = []
    for unit in comparison.units:
        paths.append(folder / f"{unit.name}.svg")
        _draw_one(comparison, unit, style, paths[-1])
    for group in comparison.groups():
        units = comparison.units_of(group)
        if len(units) > 1:
            paths.append(folder / f"all-{group}.svg")
            _draw_overview(comparison, units, style, paths[-1])
    return paths
