"""Where a declaration stands in another version of the text, and where its name stands in it."""

from __future__ import annotations

import re
from typing import Final

from analysis.ir.source import Span
from analysis.syntax.items import Item
from analysis.syntax.translation_unit import TranslationUnit

_PARAMETERS: Final = re.compile(rb"\s*\(")


def relocated(unit: TranslationUnit, item: Item) -> Item:
    """The same declaration in this version of the text; `item` itself if it is gone."""
    return unit.same(item) or item


def name_span(item: Item) -> Span:
    """Where the function's name stands in its own text; the whole item if a macro wrote it."""
    name = item.name.encode()
    start = item.text.find(name)
    while start >= 0:
        before = item.text[start - 1 : start] if start else b""
        end = start + len(name)
        if not (before.isalnum() or before == b"_") and _PARAMETERS.match(item.text, end):
            return Span(start, end)
        start = item.text.find(name, start + 1)
    return Span(0, len(item.text))
