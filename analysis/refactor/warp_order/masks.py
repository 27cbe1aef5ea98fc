"""Which lanes a barrier waits for: all that live where all come together, else those that a ballot names beforehand.

Rules     Inside of one `if` that parts a warp, its condition is put to the vote before it, where all lanes still come:
          `const unsigned active = __ballot_sync(0xffffffff, t < 16);`.  The condition is then evaluated twice, so it
          reads no memory and has no effects; and nothing leaves the arm, so that all lanes named come to the barrier.
          `__activemask()` never says who will come.
Withheld  in loops whose rounds differ within a warp, in `else` arms, and below two branches that part a warp.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BranchFact, FunctionFacts
from analysis.refactor.warp_order.model import Obstacle, WhyNotOrdered
from analysis.refactor.warp_order.statements import has_effects

_CONSTRUCTS: Final = frozenset(
    {"if_statement", "for_statement", "while_statement", "do_statement", "switch_statement", "for_range_loop"}
)
_LEAVING: Final = frozenset({"return_statement", "break_statement", "continue_statement", "goto_statement"})
_MEMORY: Final = frozenset({"subscript_expression", "pointer_expression"})


def parting_branch(analysis: FileAnalysis, inside: Node) -> Node | None:
    """The `if` whose lanes have to be named for a barrier beside the statement `inside`; None where all lanes come.

    Raises `Obstacle`.
    """
    found: list[Node] = []
    for node in parting(analysis, inside, Level.WARP):
        found.append(node)
        arm = node.child_by_field_name("consequence")
        if node.type != "if_statement" or arm is None or not arm.start_byte <= inside.start_byte < arm.end_byte:
            raise Obstacle(WhyNotOrdered.DIVERGENT, node.start_byte)
    if not found:
        return None
    if len(found) > 1:
        raise Obstacle(WhyNotOrdered.DIVERGENT, found[0].start_byte)
    check_guard(found[0])
    return found[0]


def parting(analysis: FileAnalysis, inside: Node, group: Level) -> Iterator[Node]:
    """The branches and loops around a statement at which threads of one warp or block may part, the innermost first."""
    function = analysis.facts.function_at(inside.start_byte)
    if function is None:
        raise Obstacle(WhyNotOrdered.BROKEN, inside.start_byte)
    node = inside.parent
    while node is not None and node.start_byte >= function.start:
        if node.type in _CONSTRUCTS and _parts(function, node, group):
            yield node
        node = node.parent


def _parts(function: FunctionFacts, construct: Node, group: Level) -> bool:
    heads = (branch for branch in function.branches if _is_head(function, branch, construct))
    return any(one.level > group or (one.trips is not None and one.trips > group) for one in heads)


def _is_head(function: FunctionFacts, branch: BranchFact, construct: Node) -> bool:
    keyword = function.start + branch.keyword.start
    if not construct.start_byte <= keyword < construct.end_byte:
        return False
    parts = (construct.child_by_field_name(name) for name in ("consequence", "alternative", "body"))
    return not any(part is not None and part.start_byte <= keyword < part.end_byte for part in parts)


def check_guard(branch: Node) -> None:
    """Raises `Obstacle` where the condition must not be evaluated twice, or the arm is left before its end."""
    condition = branch.child_by_field_name("condition")
    value = None if condition is None else condition.child_by_field_name("value")
    arm = branch.child_by_field_name("consequence")
    if value is None or arm is None or branch.parent is None or branch.parent.type == "else_clause":
        raise Obstacle(WhyNotOrdered.DIVERGENT, branch.start_byte)
    if condition is not None and condition.child_by_field_name("initializer") is not None:
        raise Obstacle(WhyNotOrdered.CONDITION, branch.start_byte)
    if value.type == "declaration" or has_effects(value) or _contains(value, _MEMORY):
        raise Obstacle(WhyNotOrdered.CONDITION, branch.start_byte)
    if _contains(arm, _LEAVING):
        raise Obstacle(WhyNotOrdered.DIVERGENT, branch.start_byte)


def condition_text(text: bytes, branch: Node) -> str:
    condition = branch.child_by_field_name("condition")
    value = None if condition is None else condition.child_by_field_name("value")
    assert value is not None, "checked"
    return text[value.start_byte : value.end_byte].decode("utf-8", "surrogateescape")


def _contains(node: Node, types: frozenset[str]) -> bool:
    return node.type in types or any(_contains(child, types) for child in node.named_children)
