"""What is laid out, and the answer.  Lengths are in pixels, `y` grows downwards."""

from __future__ import annotations

from typing import final

from analysis.ir.record import record


@final
@record
class Box:
    """A node; `below` is the height of the zone under it where the labels of its links stand."""

    width: float
    height: float
    below: float


@final
@record
class Link:
    """From one box to another, never to itself; `label_width` is 0 without a label.

    Boxes are numbered so that a link that does not close a cycle leads to a higher number.
    """

    source: int
    target: int
    label_width: float


@final
@record
class BoxPosition:
    """The middle and the top of a box."""

    x: float
    top: float


@final
@record
class Route:
    """An SVG path from the bottom of one box to the top of another.

    The first stretch goes straight down beside the label; `label_x` is where that is anchored, `label_before` says
    that it ends there.
    """

    path: str
    label_x: float
    label_before: bool


@final
@record
class Layout:
    """Parallel to the boxes and links that were laid out."""

    width: float
    height: float
    places: tuple[BoxPosition, ...]
    routes: tuple[Route, ...]
