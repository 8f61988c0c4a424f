"""Draws figures with Plotly."""

from __future__ import annotations

import math
from typing import Any, Dict

from slipstream.plots.figure import Axis, Bars, Figure, Heat, Layer, Line, Points

try:
    from plotly import colors, graph_objects, subplots
except ImportError:
    raise ImportError(
        "these plots need Plotly: pip install plotly; or give engine='matplotlib'"
    ) from None

_SCALE = "Viridis"
_ROW_HEIGHT = 340


def _color_at(place: float) -> str:
    return str(colors.sample_colorscale(_SCALE, [min(max(place, 0.0), 1.0)])[0])


def _points(points: Points, on_heat: bool) -> Any:
    marker: Dict[str, Any] = {"size": 7}
    if on_heat:  # Seen on every colour.
        marker.update(color="white", line={"color": "black", "width": 1})
    if points.colors is not None:
        # One scale, so that a colour means the same in all panels.
        marker.update(color=list(points.colors), coloraxis="coloraxis")
    return graph_objects.Scatter(
        x=list(points.x), y=list(points.y), mode="markers", name=points.name, marker=marker,
        text=list(points.texts), showlegend=bool(points.name) and not on_heat,
        cliponaxis=not on_heat,  # Whole where they are on a bound.
    )


def _line(line: Line) -> Any:
    style: Dict[str, Any] = {"shape": "hv"} if line.stepped else {}
    if line.shade is not None:
        style.update(color=_color_at(line.shade), width=1)
    return graph_objects.Scatter(
        x=list(line.x), y=list(line.y), mode="lines" if line.shade is None else "lines+markers",
        marker={"size": 3}, name=line.name, line=style,
        showlegend=line.shade is None and bool(line.name),
    )


def _trace(layer: Layer, on_heat: bool) -> Any:
    if isinstance(layer, Points):
        return _points(layer, on_heat)
    if isinstance(layer, Line):
        return _line(layer)
    if isinstance(layer, Bars):
        return graph_objects.Bar(
            x=list(layer.values), y=list(layer.labels), orientation="h", showlegend=False
        )
    assert isinstance(layer, Heat)
    return graph_objects.Contour(
        x=list(layer.x), y=list(layer.y), z=[list(row) for row in layer.z], colorscale=_SCALE,
        colorbar={"title": {"text": layer.name}}, showlegend=False,
    )


def _axis(axis: Axis) -> Dict[str, Any]:
    options: Dict[str, Any] = {"title": {"text": axis.label}}
    if axis.log:
        options["type"] = "log"
    if axis.whole:
        options["tickformat"] = ",d"
    if axis.limits:
        options["range"] = [math.log10(one) if axis.log else one for one in axis.limits]
    if axis.ticks:
        options["tickvals"] = [position for position, _ in axis.ticks]
        options["ticktext"] = [text.replace("\n", "<br>") for _, text in axis.ticks]
    return options


def draw(figure: Figure) -> Any:
    """A Plotly figure, which a notebook shows and `write_html` writes."""
    columns = min(figure.columns, len(figure.panels))
    rows = -(-len(figure.panels) // columns)
    canvas = subplots.make_subplots(rows=rows, cols=columns)
    for index, panel in enumerate(figure.panels):
        place = {"row": index // columns + 1, "col": index % columns + 1}
        on_heat = any(isinstance(layer, Heat) for layer in panel.layers)
        for layer in panel.layers:
            canvas.add_trace(_trace(layer, on_heat), **place)
        canvas.update_xaxes(**_axis(panel.x), **place)
        canvas.update_yaxes(**_axis(panel.y), **place)
        if any(isinstance(layer, Bars) for layer in panel.layers):
            canvas.update_yaxes(autorange="reversed", **place)
    bars = max(len(layer.values) if isinstance(layer, Bars) else 0
               for panel in figure.panels for layer in panel.layers)
    canvas.update_layout(
        title={"text": figure.title}, height=max(420, _ROW_HEIGHT * rows, 24 * bars + 100),
        coloraxis={"colorscale": _SCALE, "colorbar": {"title": {"text": figure.color_label}}},
        # Above the panels; beside them it would take their room.
        legend={"orientation": "h", "x": 1, "xanchor": "right", "y": 1.01, "yanchor": "bottom"},
    )
    return canvas
