"""How a function spells the types of its variables, so that a new variable is declared as its author would have.

Only plain declarations; a name that is declared with different types has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias, final

from analysis.ir.record import record
from analysis.refactor.meld.survey import Survey
from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node


@final
@record
class SpelledType:
    """`unsigned int` of `const unsigned int *p`."""

    text: str
    is_constant: bool


SpelledTypes: TypeAlias = Mapping[str, SpelledType]
"""By the name of the variable."""


def spelled_types(text: bytes, survey: Survey) -> SpelledTypes:
    """The types of the variables and parameters, without `*` and extents."""
    snippet = survey.snippet
    found: dict[str, SpelledType | None] = {}
    for node in survey.declarations:
        spelled = _spelled(text, snippet, node)
        for child in node.children:
            name = _name(child) if child.role == "declarator" else None
            if name is not None:
                found[name] = spelled if found.get(name, spelled) == spelled else None
    return {name: spelled for name, spelled in found.items() if spelled is not None}


def _spelled(text: bytes, snippet: Snippet, node: Node) -> SpelledType | None:
    types = [child for child in node.children if child.role == "type"]
    qualifiers = {child.text for child in node.children if child.kind == "type_qualifier"}
    if len(types) != 1 or b"volatile" in qualifiers or types[0].kind == "placeholder_type_specifier":
        return None
    span = snippet.span(types[0].start, types[0].end)
    spelling = " ".join(text[span.start : span.end].decode("utf-8", "replace").split())
    return SpelledType(spelling, bool(qualifiers & {b"const", b"constexpr", b"__constant__"}))


def _name(declarator: Node) -> str | None:
    """The name in `*p`, `v[4]` or `x = 3`; None for anything else, references too."""
    node = declarator
    while node.kind in ("init_declarator", "pointer_declarator", "array_declarator"):
        inner = node.field("declarator") or next((child for child in node.children if child.kind in _INNER), None)
        if inner is None:
            return None
        node = inner
    return node.text.decode("utf-8", "replace") if node.kind == "identifier" else None


_INNER: Final = frozenset({"identifier", "pointer_declarator", "array_declarator"})
