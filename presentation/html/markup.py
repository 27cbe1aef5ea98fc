"""Markup that cannot be injected into: text and attribute values are escaped where elements are made."""

from __future__ import annotations

import html
import re
from typing import Final, TypeAlias, final

from analysis.ir.record import record

_VOID: Final = frozenset({"br", "col", "input", "meta"})
_INVALID: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls, half characters, and marks that turn the direction of what follows."""


@final
@record
class Markup:
    """Text that is HTML already."""

    text: str


Content: TypeAlias = str | Markup

NOTHING: Final = Markup("")


def element(name: str, /, *content: Content, **attributes: str) -> Markup:
    """`element("a", "x < y", class_="jump", aria_label="…")`; an underscore in a name stands for a hyphen."""
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{_escaped(value)}"' for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(*content).text}</{name}>")


def joined(*content: Content) -> Markup:
    return Markup("".join(one.text if isinstance(one, Markup) else _escaped(one) for one in content))


def _escaped(text: str) -> str:
    return html.escape(_INVALID.sub("\N{REPLACEMENT CHARACTER}", text), quote=True)
