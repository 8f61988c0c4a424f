"""Draws figures with Matplotlib."""

from __future__ import annotations

from typing import Any

from slipstream.plots.figure import Axis, Bars, Figure, Heat, Layer, Line, Panel, Points

try:
    from matplotlib import colormaps
    from matplotlib.figure import Figure as Canvas
except ImportError:
    raise ImportError(
        "plots need Matplotlib 3.6 or newer: pip install matplotlib; or give engine='plotly'"
    ) from None

_COLORS = "viridis"
_MOST_LABELS = 12


def _draw_points(axes: Any, points: Points, on_heat: bool) -> Any:
    if points.colors is not None:
        return axes.scatter(points.x, points.y, s=18, c=points.colors, cmap=_COLORS)
    if on_heat:  # Seen on every colour, and whole where they are on a bound.
        return axes.scatter(points.x, points.y, s=18, c="white", edgecolors="black", linewidths=0.7,
                            clip_on=False, zorder=3)
    return axes.scatter(points.x, points.y, s=18, label=points.name or None, alpha=0.8)


def _draw_line(axes: Any, line: Line) -> None:
    y = [float("nan") if value is None else value for value in line.y]
    style = {"drawstyle": "steps-post"} if line.stepped else {}
    if line.shade is None:
        axes.plot(line.x, y, label=line.name or None, **style)
    else:
        axes.plot(line.x, y, color=colormaps[_COLORS](line.shade), alpha=0.6, linewidth=1)


def _draw(axes: Any, layer: Layer, on_heat: bool) -> Any:
    """Draws a layer, and returns what a colour bar explains, if anything."""
    if isinstance(layer, Points):
        drawn = _draw_points(axes, layer, on_heat)
        return drawn if layer.colors is not None else None
    if isinstance(layer, Bars):
        axes.barh(range(len(layer.values)), layer.values)
        axes.set_yticks(range(len(layer.labels)), layer.labels)
        axes.invert_yaxis()
        return None
    if isinstance(layer, Heat):
        return axes.contourf(layer.x, layer.y, layer.z, levels=16, cmap=_COLORS)
    _draw_line(axes, layer)
    return None


def _label(axes: Any, which: str, axis: Axis) -> None:
    getattr(axes, f"set_{which}label")(axis.label)
    if axis.log:
        getattr(axes, f"set_{which}scale")("log")
    if axis.ticks:
        getattr(axes, f"set_{which}ticks")(
            [position for position, _ in axis.ticks], [text for _, text in axis.ticks]
        )
    if axis.limits:
        getattr(axes, f"set_{which}lim")(axis.limits)


def _draw_panel(canvas: Any, axes: Any, panel: Panel, color_label: str) -> None:
    on_heat = any(isinstance(layer, Heat) for layer in panel.layers)
    for layer in panel.layers:
        colored = _draw(axes, layer, on_heat)
        if colored is not None:
            name = layer.name if isinstance(layer, Heat) else color_label
            canvas.colorbar(colored, ax=axes, label=name)
    _label(axes, "x", panel.x)
    _label(axes, "y", panel.y)
    labels = axes.get_legend_handles_labels()[1]
    if 1 < len(labels) <= _MOST_LABELS:
        axes.legend(fontsize="small")


def draw(figure: Figure) -> Any:
    """A Matplotlib figure, which is not pyplot's: it needs no closing, and `savefig` writes it."""
    columns = min(figure.columns, len(figure.panels))
    rows = -(-len(figure.panels) // columns)
    texts = max(len(panel.x.ticks) for panel in figure.panels)
    width, height = max(6.4, 4.2 * columns, 1.5 * texts), max(4.2, 3.2 * rows)
    canvas = Canvas(figsize=(width, height), layout="constrained")
    canvas.suptitle(figure.title)
    for index, panel in enumerate(figure.panels, start=1):
        _draw_panel(canvas, canvas.add_subplot(rows, columns, index), panel, figure.color_label)
    return canvas
