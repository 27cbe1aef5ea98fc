"""Which numbers does the variable of a counted loop hold, round by round?

Forms    `for (int t : {64, 128})`, also with `auto`, `const int &` or `auto &&`, `for (int t : sizes)` with an array or
         a container of constants that is only read, and `for (int t = 32; t <= 512; t *= 2)` with one step that adds,
         subtracts, multiplies, divides or shifts by a constant.
Rules    All rounds are made, unless something leaves the loop early: they are what the variable may hold.
Limits   `MAX_ROUNDS` rounds, else nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, final

from analysis.ir.record import record
from analysis.syntax.tree import Node

MAX_ROUNDS: Final = 16


@final
@record
class CountedLoop:
    """`guard` names the loop among the conditionals around a place; `end` is where its text ends."""

    guard: int
    variable: str
    start: int
    end: int
    first: Node
    """What the variable begins with; for `for (t : list)` the list."""
    condition: Node | None = None
    step: Node | None = None


def counted_loop(node: Node, guard: int) -> CountedLoop | None:
    """The loop of a `for_statement` or `for_range_loop`; None for those of another form."""
    return _over_list(node, guard) if node.kind == "for_range_loop" else _with_step(node, guard)


def range_variable(loop: Node) -> Node | None:
    """The name in `for (T name : list)`, by value or as a reference through which nobody writes to the list."""
    declarator, right = loop.field("declarator"), loop.field("right")
    if declarator is None or right is None or declarator.kind == "identifier":
        return declarator
    is_constant = right.kind == "initializer_list" or any(child.text == b"const" for child in loop.children)
    return declarator.child("identifier") if declarator.kind == "reference_declarator" and is_constant else None


def _over_list(node: Node, guard: int) -> CountedLoop | None:
    declarator, right = range_variable(node), node.field("right")
    if declarator is None or right is None or declarator.kind != "identifier":
        return None
    if right.kind not in ("initializer_list", "identifier"):
        return None
    return CountedLoop(guard, _text(declarator), node.start, node.end, right)


def _with_step(node: Node, guard: int) -> CountedLoop | None:
    initial, condition, step = (node.field(name) for name in ("initializer", "condition", "update"))
    if initial is None or condition is None or step is None:
        return None
    if initial.kind == "declaration":
        declared = initial.fields("declarator")
        name, first = (
            (declared[0].field("declarator"), declared[0].field("value")) if len(declared) == 1 else (None,) * 2
        )
    elif initial.kind == "assignment_expression" and _sign(initial) == "=":
        name, first = initial.field("left"), initial.field("right")
    else:
        return None
    stepped = step.field("argument") or step.field("left")
    if name is None or first is None or stepped is None or name.kind != "identifier" or stepped.text != name.text:
        return None
    if condition.kind != "binary_expression" or step.kind not in ("update_expression", "assignment_expression"):
        return None
    return CountedLoop(guard, _text(name), node.start, node.end, first, condition, step)


def rounds(
    first: int, holds: Callable[[int], bool | None], next_number: Callable[[int], int | None]
) -> tuple[int, ...] | None:
    """The numbers of all rounds, from the first on; None where they are not known."""
    found: list[int] = []
    number: int | None = first
    while number is not None and len(found) <= MAX_ROUNDS:
        goes_on = holds(number)
        if goes_on is None:
            return None
        if not goes_on:
            return tuple(found)
        found.append(number)
        number = next_number(number)
    return None


def stepped(step: Node, number: int, constant: int | None) -> int | None:
    """What the step makes of a number; `constant` is that on the right of it."""
    if step.kind == "update_expression":
        sign = step.field("operator")
        return None if sign is None else number + (1 if sign.text == b"++" else -1)
    operation = _STEPS.get(_sign(step))
    if operation is None or constant is None or constant < 0:
        return None
    return operation(number, constant) if number >= 0 else None


def _sign(node: Node) -> str:
    sign = node.field("operator")
    return "=" if sign is None else sign.text.decode("utf-8", "replace")


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace")


_STEPS: Final[Mapping[str, Callable[[int, int], int | None]]] = {
    "+=": lambda number, by: number + by,
    "-=": lambda number, by: number - by,
    "*=": lambda number, by: number * by,
    "/=": lambda number, by: number // by if by else None,
    "<<=": lambda number, by: number << by if by < 32 else None,
    ">>=": lambda number, by: number >> by if by < 32 else None,
}
