"""Draws figures with Matplotlib."""

from __future__ import annotations

from typing import Any, Tuple

from slipstream.plots.figure import Axis, Bars, Figure, Heat, Line, Panel, Points

try:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure as Canvas
    from matplotlib.ticker import MaxNLocator, NullLocator
except ImportError:
    raise ImportError(
        "plots need Matplotlib 3.6 or newer: pip install matplotlib; or give engine='plotly'"
    ) from None

_COLORS = "viridis"
_MOST_LABELS = 12
_WIDEST = 20  # Inches, for the sake of texts that are beside each other.


def _draw_points(axes: Any, points: Points, color: str, colors: Any, on_heat: bool) -> None:
    if points.colors is not None:
        norm = None if colors is None else colors.norm  # None where there are no points at all.
        axes.scatter(points.x, points.y, s=18, c=points.colors, cmap=_COLORS, norm=norm)
    elif on_heat:  # Seen on every colour, and whole where they are on a bound.
        axes.scatter(points.x, points.y, s=18, c="white", edgecolors="black", linewidths=0.7,
                     clip_on=False, zorder=3)
    else:
        axes.scatter(points.x, points.y, s=18, color=color, label=points.name or None, alpha=0.8)


def _draw_line(axes: Any, line: Line, color: str) -> None:
    style = {"drawstyle": "steps-post"} if line.stepped else {}
    if line.shade is None:
        axes.plot(line.x, line.y, color=color, label=line.name or None, **style)
    else:
        shade = colormaps[_COLORS](line.shade)
        axes.plot(line.x, line.y, color=shade, alpha=0.6, linewidth=1, marker=".", markersize=3)


def _draw_heat(canvas: Any, axes: Any, heat: Heat) -> None:
    shown = [[float("nan") if value is None else value for value in row] for row in heat.z]
    field = axes.contourf(heat.x, heat.y, shown, levels=16, cmap=_COLORS)
    canvas.colorbar(field, ax=axes, label=heat.name)


def _draw_bars(axes: Any, bars: Bars) -> None:
    axes.barh(range(len(bars.values)), bars.values)
    axes.set_yticks(range(len(bars.labels)), bars.labels)
    axes.invert_yaxis()


def _label(axes: Any, which: str, axis: Axis) -> None:
    getattr(axes, f"set_{which}label")(axis.label)
    if axis.log:
        getattr(axes, f"set_{which}scale")("log")
    if axis.ticks:
        positions, texts = zip(*axis.ticks)
        getattr(axes, f"set_{which}ticks")(positions, texts)
        getattr(axes, f"{which}axis").set_minor_locator(NullLocator())
    elif axis.whole:
        getattr(axes, f"{which}axis").set_major_locator(MaxNLocator(integer=True))
    if axis.limits:
        getattr(axes, f"set_{which}lim")(axis.limits)


def _draw_panel(canvas: Any, axes: Any, panel: Panel, colors: Any) -> None:
    on_heat = any(isinstance(layer, Heat) for layer in panel.layers)
    for index, layer in enumerate(panel.layers):
        color = f"C{index % 10}"  # Points and lines would each begin with the same one.
        if isinstance(layer, Points):
            _draw_points(axes, layer, color, colors, on_heat)
        elif isinstance(layer, Line):
            _draw_line(axes, layer, color)
        elif isinstance(layer, Heat):
            _draw_heat(canvas, axes, layer)
        else:
            _draw_bars(axes, layer)
    _label(axes, "x", panel.x)
    _label(axes, "y", panel.y)
    labels = axes.get_legend_handles_labels()[1]
    if 1 < len(labels) <= _MOST_LABELS:
        axes.legend(fontsize="small")


def _colors_of(figure: Figure) -> Any:
    """What the colours of points mean, the same in all panels; None if they have no meaning."""
    numbers = [number for panel in figure.panels for layer in panel.layers
               if isinstance(layer, Points) for number in layer.colors or ()]
    return ScalarMappable(Normalize(min(numbers), max(numbers)), _COLORS) if numbers else None


def _width_of_texts(axis: Axis) -> float:
    """The inches that the texts of the ticks need beside each other."""
    longest = max((len(line) for _, text in axis.ticks for line in text.split("\n")), default=0)
    return len(axis.ticks) * (0.085 * longest + 0.15)


def _size(figure: Figure, rows: int, columns: int) -> Tuple[float, float]:
    """The width and the height of the figure in inches."""
    texts = max(_width_of_texts(panel.x) for panel in figure.panels)
    slanted = 1.2 * max(len(panel.x.ticks) for panel in figure.panels)
    width = min(texts, max(_WIDEST, slanted)) + 1 if figure.columns == 1 else 4.2 * columns
    bars = max(len(layer.values) if isinstance(layer, Bars) else 0
               for panel in figure.panels for layer in panel.layers)
    return max(6.4, width), max(4.2, 3.2 * rows, 0.25 * bars + 1)


def draw(figure: Figure) -> Any:
    """A Matplotlib figure, which is not pyplot's: it needs no closing, and `savefig` writes it."""
    columns = min(figure.columns, len(figure.panels))
    rows = -(-len(figure.panels) // columns)
    width, height = _size(figure, rows, columns)
    canvas = Canvas(figsize=(width, height), layout="constrained")
    canvas.suptitle(figure.title)
    colors = _colors_of(figure)
    for index, panel in enumerate(figure.panels, start=1):
        axes = canvas.add_subplot(rows, columns, index)
        _draw_panel(canvas, axes, panel, colors)
        if _width_of_texts(panel.x) > width / columns - 0.9:
            for text in axes.get_xticklabels():
                text.set(rotation=40, horizontalalignment="right", rotation_mode="anchor")
    if colors is not None:
        canvas.colorbar(colors, ax=canvas.axes, label=figure.color_label, fraction=0.03, aspect=40)
    return canvas
