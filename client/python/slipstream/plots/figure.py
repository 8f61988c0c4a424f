"""A figure before it is drawn: panels with axes and layers, for any drawing library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple, Union


@dataclass(frozen=True)
class Axis:
    """One axis of a panel."""

    label: str = ""
    log: bool = False
    ticks: Sequence[Tuple[float, str]] = ()  # Positions and their texts; none: the library's own.
    limits: Optional[Tuple[float, float]] = None  # Its ends; None: the library's own.
    whole: bool = False  # Whether only whole numbers are on it.


@dataclass(frozen=True)
class Points:
    """Marks, coloured by a number if there is one for each."""

    x: Sequence[float]
    y: Sequence[float]
    name: str = ""
    colors: Optional[Sequence[float]] = None
    texts: Sequence[str] = ()  # What is shown when the pointer is over a mark.


@dataclass(frozen=True)
class Line:
    """A line, with a mark at each of its points where it has a shade."""

    x: Sequence[float]
    y: Sequence[float]
    name: str = ""
    shade: Optional[float] = None  # From 0 to 1 on the colour scale; None: a colour of its own.
    stepped: bool = False


@dataclass(frozen=True)
class Bars:
    """Horizontal bars, the first at the top."""

    labels: Sequence[str]
    values: Sequence[float]


@dataclass(frozen=True)
class Heat:
    """A map of values, `z[row][column]` at `y[row]`, `x[column]`, from one end of each axis to the
    other; blank where there is none."""

    x: Sequence[float]
    y: Sequence[float]
    z: Sequence[Sequence[Optional[float]]]
    name: str = ""


Layer = Union[Points, Line, Bars, Heat]


@dataclass(frozen=True)
class Panel:
    """One coordinate system."""

    x: Axis
    y: Axis
    layers: List[Layer]


@dataclass(frozen=True)
class Figure:
    """Panels side by side, in rows of at most `columns`."""

    title: str
    panels: List[Panel]
    columns: int = 3
    color_label: str = ""  # What the colours of points mean.
