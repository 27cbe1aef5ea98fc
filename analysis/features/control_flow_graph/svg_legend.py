"""The legend under the picture: what fills, lines and colours mean."""

from __future__ import annotations

from typing import Final

LEGEND_WIDTH: Final = 640.0
LEGEND_HEIGHT: Final = 52.0
MELDED_WIDTH: Final = 90.0
"""What the swatch for melded blocks adds."""
_ROW: Final = 22.0
_SWATCH: Final = 22.0

_FILLS: Final = (
    ("", "block runs together", 0.0),
    (" warps", "warps may part, lanes do not", 178.0),
    (" split", "divergent: lanes may part", 418.0),
)
_MELDED: Final = (" melded", "melded", 634.0)
_LINES: Final = (("edge", "flow", 0.0), ("back", "next iteration", 92.0), ("depends", "", 248.0))


def legend(x: float, y: float, *, all_dependences: bool, has_melded: bool = False) -> str:
    """Two rows with their top left corner at a place."""
    parts = [f'<g class="legend" transform="translate({x:.1f} {y:.1f})">']
    for level, words, left in (*_FILLS, *((_MELDED,) if has_melded else ())):
        parts.append(
            f'<g class="node{level}"><rect class="box" x="{left}" y="0" width="{_SWATCH}" height="13" rx="3"/></g>'
            f'<text class="label" x="{left + _SWATCH + 7}" y="10.5">{words}</text>'
        )
    depends = "control dependence without an edge" if all_dependences else "control dependence on what varies"
    for kind, words, left in _LINES:
        classes = "edge" if kind == "edge" else f"edge {kind}"
        parts.append(
            f'<path class="{classes}" marker-end="url(#{kind})" d="M{left} {_ROW + 7}H{left + 26}"/>'
            f'<text class="label" x="{left + 33}" y="{_ROW + 10.5}">{words or depends}</text>'
        )
    return "\n".join((*parts, "</g>"))
