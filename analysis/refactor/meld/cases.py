"""How the cases of a `switch` stand in the syntax tree, and which of them no melder may take for arms.

Rules     Labels with nothing between them (`case 1: case 2:`) are one case.  A case ends in `break`, `return` or
          `continue`; only the last one may end in nothing.
Refused   a case that runs on into the next one; a `break` in the middle of a case; labels inside a statement of another
          case; a variable that a case declares without braces of its own and a later case names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

from analysis.ir.record import record
from analysis.refactor.meld.model import Obstacle
from analysis.refactor.meld.scopes import CASE
from analysis.syntax.tree import Node


@final
@record
class CaseNodes:
    """One case: its labels, and the statements without the `break` that ends it."""

    parts: tuple[Node, ...]
    """The syntax tree has one node for each label; the last one holds the statements."""
    labels: tuple[Node, ...]
    """The values; `default` has none."""
    is_default: bool
    block: Node | None
    """The braces in which all statements stand, if there are any."""
    statements: tuple[Node, ...]
    leaving: Node | None
    """The `break` that ends it."""

    @property
    def colon_follows(self) -> Node:
        """The part of the last label in front of its colon."""
        part = self.parts[-1]
        value = part.field("value")
        return part.children[0] if value is None else value


@final
@record
class NoCases:
    """Why the statements of a `switch` cannot be told apart as cases, and where."""

    obstacle: Obstacle
    node: Node
    message: str


MAX_CASES: Final = 64
"""So many are half a second's work, which grows with their square."""


def cases_of(switch: Node) -> tuple[CaseNodes, ...] | NoCases:
    """The cases in the order of the text."""
    body = switch.field("body")
    children = () if body is None or body.kind != "compound_statement" else tuple(body.children)
    strange = next((child for child in children if child.kind != CASE), None)
    if strange is not None or not children:
        return NoCases(Obstacle.UNKNOWN_CODE, strange or switch, "a statement of the `switch` belongs to no case")
    found: list[CaseNodes] = []
    waiting: list[Node] = []
    for child in children:
        waiting.append(child)
        if _statements(child) or child is children[-1]:
            found.append(_case(waiting))
            waiting = []
    if len(found) > MAX_CASES:
        message = f"a `switch` of more than {MAX_CASES} cases is not melded"
        return NoCases(Obstacle.TOO_LARGE, found[MAX_CASES].parts[0], message)
    for index, case in enumerate(found):
        problem = _problem(case, is_last=index + 1 == len(found)) or _shared_names(index, found)
        if problem is not None:
            return problem
    return tuple(found)


def _case(parts: Sequence[Node]) -> CaseNodes:
    labels = [value for part in parts if (value := part.field("value")) is not None]
    is_default = any(child.kind == "default" for part in parts for child in part.children)
    statements = _statements(parts[-1])
    leaving = statements.pop() if statements and statements[-1].kind == _BREAK else None
    block = statements[0] if len(statements) == 1 and statements[0].kind == "compound_statement" else None
    if block is not None:
        statements = list(block.children)
        if leaving is None and statements and statements[-1].kind == _BREAK:
            leaving = statements.pop()
    return CaseNodes(tuple(parts), tuple(labels), is_default, block, tuple(statements), leaving)


def _statements(part: Node) -> list[Node]:
    return [child for child in part.children if child.role != "value" and child.kind not in ("case", "default")]


def _problem(case: CaseNodes, *, is_last: bool) -> NoCases | None:
    broken = next((inner for part in case.parts for inner in part.children if inner.is_error), None)
    if broken is not None:
        return NoCases(Obstacle.UNKNOWN_CODE, broken, "a case has a label that is no single value")
    inside = [inner for statement in case.statements for inner in _own(statement)]
    nested = next((inner for inner in inside if inner.kind == CASE), None)
    if nested is not None:
        return NoCases(Obstacle.FALL_THROUGH, nested, "a label of the `switch` stands inside a statement of a case")
    if not is_last and case.leaving is None and not (case.statements and case.statements[-1].kind in _LEAVING):
        place = case.statements[-1] if case.statements else case.parts[-1]
        return NoCases(Obstacle.FALL_THROUGH, place, "a case runs on into the next one")
    middle = next((inner for inner in inside if inner.kind == _BREAK), None)
    if middle is not None:
        return NoCases(Obstacle.LEAVES_ARM, middle, "a `break` in the middle of a case leaves the `switch` early")
    return None


def _shared_names(index: int, cases: Sequence[CaseNodes]) -> NoCases | None:
    case = cases[index]
    if case.block is None:
        names = {name for statement in case.statements if statement.kind == "declaration" for name in _names(statement)}
        later = (part for other in cases[index + 1 :] for part in other.parts) if names else ()
        if any(not names.isdisjoint(_names(part)) for part in later):
            message = "a later case names a variable that this case declares"
            return NoCases(Obstacle.DECLARATION, case.statements[0], message)
    return None


def _own(statement: Node) -> Iterator[Node]:
    """The statement and all inside whose `break` and `case` belong to the `switch` around it."""
    yield statement
    if statement.kind == "switch_statement":
        return
    for child in statement.children:
        for inner in _own(child):
            if inner.kind != _BREAK or statement.kind not in _LOOPS:
                yield inner


def _names(node: Node) -> Iterator[bytes]:
    return (inner.text for inner in node.walk() if inner.kind == "identifier")


_BREAK: Final = "break_statement"
_LEAVING: Final = frozenset({"return_statement", "continue_statement"})
_LOOPS: Final = frozenset({"for_statement", "while_statement", "do_statement", "for_range_loop"})
