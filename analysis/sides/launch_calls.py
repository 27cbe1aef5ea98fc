"""How many arguments a kernel takes, and with which arguments it is launched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from analysis.sides.plain_types import parameters
from analysis.sides.sides import Sides
from analysis.syntax.items import Item
from analysis.syntax.tree import Node


def accepted_counts(kernel: Item, sides: Sides) -> range | None:
    """How many arguments a kernel takes; None where a parameter may be more or less than one."""
    snippet = sides.unit.plain_snippet(kernel)
    if snippet.unreadable() is not None:
        return None
    listed = parameters(snippet.root)
    if any(one.kind not in _ORDINARY or _is_macro(one.field("type"), sides) for one in listed):
        return None
    return range(sum(one.kind == "parameter_declaration" for one in listed), len(listed) + 1)


def arguments_of(call: Node, sides: Sides) -> Sequence[Node] | None:
    """What a launch passes; None where an argument may be more or less than one."""
    listed = call.field("arguments")
    if listed is None or listed.has_error:
        return None
    is_odd = any(node.kind not in _ONE and (node.kind in _MANY or _is_macro(node, sides)) for node in listed.children)
    return None if is_odd else listed.children


def _is_macro(node: Node | None, sides: Sides) -> bool:
    """Whether a name or a call may be a macro of a header that is not seen."""
    if node is None:
        return False
    name = node.field("function") if node.kind == "call_expression" else node
    text = b"" if name is None else name.text
    return _MACRO.fullmatch(text) is not None and not sides.is_declared(text.decode("utf-8", "replace"))


_ORDINARY: Final = frozenset({"parameter_declaration", "optional_parameter_declaration"})
_ONE: Final = frozenset({"number_literal", "null", "true", "false", "string_literal", "char_literal"})
_MANY: Final = frozenset({"parameter_pack_expansion", "ERROR", "comma_expression"})
_MACRO: Final = re.compile(rb"[A-Z_][A-Z0-9_]{2,}")
