"""Which functions have a body that host code cannot compute with?

Question  May the text between the braces of a function change without changing any number that its callers compute?
Rules     Host code computes a call if the body is one `return` (`analysis/launches/host_functions.py`), and knows of
          other functions what their heads say: whether they may write to their arguments.
          A body that begins with a statement which is surely no `return` is none of these; neither is that of a kernel.
          Bodies of constant expressions count, and so do those of which the head is not surely the text before a brace.
"""

import re
from collections.abc import Iterable
from typing import Final

from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import IDENTIFIER, without_hidden
from analysis.syntax.macros import MacroTable

_FIRST_STATEMENT: Final = re.compile(rb"\{[\s;]*[A-Za-z_][^;{}#]*[;{]")
"""One that is a block, or begins one, is no `return` either."""
_NO_STATEMENTS: Final = frozenset({b"return", b"using", b"typedef", b"static_assert", b"__extension__"})


def unread_body(item: Item, macros: MacroTable) -> int | None:
    """Where the body of a function starts that callers do not compute with; None where it may count for them."""
    if item.kind is not ItemKind.FUNCTION or not (item.is_definition and item.active):
        return None
    if item.from_macro or item.is_constexpr or not (item.is_kernel or does_more_than_return(item, macros)):
        return None
    return _end_of_head(item)


def does_more_than_return(item: Item, macros: MacroTable) -> bool:
    """Whether the first brace opens the body, and it begins with a statement that is surely no `return`."""
    if _end_of_head(item) is None:
        return False
    shown = without_hidden(item.text)
    first = _FIRST_STATEMENT.match(shown, shown.find(b"{"))
    return first is not None and not _may_be_no_statement(IDENTIFIER.findall(first[0]), macros)


def _end_of_head(item: Item) -> int | None:
    """The first brace of a text, if it opens the body, or stands in the comment before that."""
    brace = item.text.find(b"{")
    shown = without_hidden(item.text)
    head, name = shown[: shown.find(b"{")], item.name.encode("utf-8", "replace")
    if brace < 0 or without_hidden(item.text[:brace]) != head or head.count(b"(") != head.count(b")"):
        return None
    is_named = name in head and head[head.find(name) + len(name) :].lstrip().startswith(b"(")
    return brace if is_named else None


def _may_be_no_statement(words: Iterable[bytes], macros: MacroTable) -> bool:
    """Whether there is a `return` among the words or behind them, or one that a compiler may be told to ignore."""
    seen: set[bytes] = set()
    pending = [*words]
    for word in pending:
        if word in _NO_STATEMENTS:
            return True
        if word not in seen:
            seen.add(word)
            definitions = [one for _, one in macros.names.get(word, ()) if one is not None]
            pending += [part for one in definitions for part in IDENTIFIER.findall(one.body)]
    return False
