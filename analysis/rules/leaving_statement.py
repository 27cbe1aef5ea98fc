"""Where threads leave: the `return` of an early exit, the `continue` that jumps past a barrier."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, final

from tree_sitter import Node

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.rules.guard_text import branch_at

_RETURNS: Final = frozenset({"return_statement"})
_JUMPS: Final = frozenset({"break_statement", "continue_statement", "goto_statement"})
_ENDS: Final = re.compile(rb"\b(?:return|asm|__trap)\b")


@final
@record
class LeavingStatement:
    """`location` is its keyword, or that of the branch where there is no such statement; `leaves`: it is no jump."""

    location: Location
    leaves: bool


def leaving_statement(analysis: FileAnalysis, branch: Location) -> LeavingStatement:
    """The first one inside of the `if` whose keyword stands at `branch`; returns before jumps."""
    node = _if_at(analysis, branch)
    if node is None:
        source = branch_at(analysis, branch)
        body = b"" if source is None else source[0].bytes(source[1].extent)
        return LeavingStatement(branch, bool(_ENDS.search(body)))
    for kinds in (_RETURNS, _JUMPS):
        found = next(_statements(node, kinds), None)
        if found is not None:
            keyword = found.children[0] if found.children else found
            location = Location(branch.path, keyword.start_byte, keyword.end_byte)
            return LeavingStatement(location, kinds is _RETURNS)
    return LeavingStatement(branch, bool(_ENDS.search(analysis.document.text[node.start_byte : node.end_byte])))


def _if_at(analysis: FileAnalysis, branch: Location) -> Node | None:
    tree = analysis.document.tree
    if tree is None or branch.path != analysis.facts.path:
        return None
    node = tree.root_node.descendant_for_byte_range(branch.start, branch.end)
    while node is not None and node.type != "if_statement":
        node = node.parent
    return node if node is not None and node.start_byte == branch.start else None


def _statements(node: Node, kinds: frozenset[str]) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in kinds:
            yield child
        elif child.type != "lambda_expression":
            yield from _statements(child, kinds)
