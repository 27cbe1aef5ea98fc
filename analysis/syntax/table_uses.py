"""Does anything but a definition do more with a table than to read its elements?

Rules   What counts is each mention of the name that no dot stands before; comments and strings are passed over.
        `table[i]` reads an element, `&table[i]` and `table[i] = x` do not, and neither does the name alone.
Limits  Names are not told apart by scope, which errs on the side of yes.
"""

import re
from collections.abc import Iterable
from typing import Final

from analysis.syntax.items import Item
from analysis.syntax.lexing import HIDDEN

_AFTER_ELEMENT: Final = re.compile(rb"\s*\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\s*(?!\s*=(?!=))")


def is_only_read(table: str, items: Iterable[Item]) -> bool:
    """Whether all `items` but those of that name only read elements of the table."""
    name = table.encode("utf-8", "replace")
    spelled = re.escape(name)
    mention = re.compile(HIDDEN.pattern + b"|" + spelled + rb"\b(?<![\w.]" + spelled + b")", re.DOTALL)
    for item in items:
        if name not in item.identifiers or item.name == table:
            continue
        for found in mention.finditer(item.text):
            if found[0] != name:
                continue
            before = item.text[: found.start()].rstrip()
            if before.endswith(b"&") or _AFTER_ELEMENT.match(item.text, found.end()) is None:
                return False
    return True
