"""The repair of a write to one address by several threads: the thread that owns the variable writes alone.

Offered  only where the text says which thread that is: every other write to the variable stands in an `if` of its own,
         all of them with one condition, which names a single thread (`threadIdx.x == 0`).  The write must be a
         statement between braces that has no other effect.
Unsafe   What the other threads wrote is lost, and nobody can tell whether that is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from analysis.facts.race_records import RaceRecord
from analysis.refactor.edit import Replacement
from analysis.refactor.warp_order.statements import has_effects
from analysis.rules.diagnostic import Applicability, Fix
from analysis.rules.rule import Subject

_ONE_THREAD: Final = re.compile(rb"threadIdx\s*\.\s*x\s*==\s*\d+[uU]?")


def one_writer_fix(subject: Subject, found: RaceRecord) -> Fix | None:
    """None where the text does not say who should write, or the write cannot be guarded by itself."""
    tree, place = subject.analysis.document.tree, found.first.location
    if tree is None or found.variable is None or place.path != subject.analysis.facts.path:
        return None
    if not _has_rows_of_threads(subject):
        return None
    write = _around(tree.root_node.descendant_for_byte_range(place.start, place.end), "assignment_expression")
    function = _around(write, "function_definition")
    if write is None or function is None or not _may_be_guarded(write):
        return None
    name = found.variable.name
    guards = {_guard(one) for one in _writes(function, name.encode()) if one != write}
    if len(guards) != 1:
        return None
    (guard,) = guards
    if guard is None:
        return None
    edit = Replacement(place.start, place.start, f"if ({guard}) ")
    return Fix(f"Let one thread alone write `{name}`, as elsewhere", (edit,), Applicability.UNSAFE)


def _has_rows_of_threads(subject: Subject) -> bool:
    """Whether `threadIdx.x` names a thread, as far as launches are known."""
    launch = subject.analysis.launch_of(subject.function)
    return launch is None or all(shape.y == shape.z == 1 for shape in launch.shapes)


def _may_be_guarded(write: Node) -> bool:
    statement, (left, right) = write.parent, (write.child_by_field_name(name) for name in ("left", "right"))
    if statement is None or statement.type != "expression_statement" or left is None or right is None:
        return False
    is_in_braces = statement.parent is not None and statement.parent.type == "compound_statement"
    return is_in_braces and not has_effects(left) and not has_effects(right)


def _writes(node: Node, name: bytes) -> Iterator[Node]:
    """What assigns to the variable or an element of it, or changes it in another way."""
    if node.type in ("assignment_expression", "update_expression"):
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        while target is not None and target.type == "subscript_expression":
            target = target.named_child(0)
        if target is not None and target.text == name:
            yield node
    for child in node.named_children:
        yield from _writes(child, name)


def _guard(write: Node) -> str | None:
    """The condition of an `if` around the write, where it names one thread."""
    branch = _around(write, "if_statement")
    condition = None if branch is None else branch.child_by_field_name("condition")
    value = None if condition is None else condition.child_by_field_name("value")
    arm = None if branch is None else branch.child_by_field_name("consequence")
    if value is None or value.text is None or arm is None:
        return None
    is_inside = arm.start_byte <= write.start_byte and write.end_byte <= arm.end_byte
    return value.text.decode() if is_inside and _ONE_THREAD.fullmatch(value.text) else None


def _around(node: Node | None, kind: str) -> Node | None:
    """The innermost node of a kind that contains the node, or is it."""
    while node is not None and node.type != kind:
        node = node.parent
    return node
