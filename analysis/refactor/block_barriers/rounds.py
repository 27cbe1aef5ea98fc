"""Loops with a barrier that threads leave at different times, rewritten so that all make the same rounds.

Padded    `for (int i = t; i < n; i += step)` with a bound and a step on which the block agrees counts from what is
          common to all threads, and each thread adds its own part, which is not negative: so nobody needs more rounds
          than who begins at the common start.
              for (int start = 0; start < n; start += step) {
                int i = start + t;
Voted     Any other loop whose condition is plain goes on while some thread has work: `__syncthreads_or(i < n)`.  A
          thread that is done stays done, because only threads with work change what the condition reads, or because the
          loop's variable only moves away from the bound.
Refuses   conditions that read memory, `do` loops, loops around barriers of a grid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, final

from tree_sitter import Node

from analysis.ir.record import record
from analysis.refactor.block_barriers.expressions import (
    BUILTIN_INDEXES,
    Condition,
    Expressions,
    conjunction,
    one_line,
)
from analysis.refactor.block_barriers.model import Obstacle, WhyNotMet
from analysis.refactor.block_barriers.reading import (
    LOOPS,
    changed,
    changed_by,
    declared_name,
    identifiers,
    text_of,
    walk,
)

_UP: Final = frozenset({"+=", "++"})
_MULTIPLIED: Final = frozenset({"*=", "<<="})
"""Which moves a number that is not negative up, or not at all."""
_DOWN: Final = frozenset({"-=", "--", ">>=", "/="})
_RISING: Final = frozenset({"+", "*", "/", "%", ">>", "<<", "&"})


@final
@record
class Rounds:
    """A loop that threads under `guard` come to with work; `unknown` variables may hold nothing, `aliased` ones may be
    changed by anything, and `agrees` says of an identifier whether the block has one value in it."""

    loop: Node
    body: Node
    guard: tuple[Condition, ...]
    expressions: Expressions
    unknown: frozenset[str]
    aliased: frozenset[str]
    agrees: Callable[[Node], bool]
    fresh: Callable[[str], str]
    function: Node

    def is_fixed(self, node: Node) -> bool:
        """Whether nothing in the body changes what the expression reads."""
        return identifiers([node]).isdisjoint(changed([self.body]) | self.aliased)

    def is_plain(self, node: Node) -> bool:
        return self.expressions.is_plain(node, self.unknown)


@final
@record
class EqualRounds:
    """The new head, what stands `first` in the body, and what holds for those who have work in a round; `is_whole`:
    that says what the guard around the loop says as well."""

    head: str
    first: tuple[str, ...]
    goes_on: Condition
    is_whole: bool


def padded(rounds: Rounds) -> EqualRounds | None:
    counted = _counted(rounds)
    if counted is None or counted.operator not in ("<", "<=") or counted.step_operator not in _UP:
        return None
    is_common = all(_agrees(rounds, one) for one in (counted.bound, *counted.step))
    if not is_common or counted.name in changed([rounds.body]) | rounds.aliased:
        return None
    if not all(rounds.is_plain(one) and rounds.is_fixed(one) for one in (counted.bound, *counted.step, counted.start)):
        return None
    parts = list(_addends(counted.start))
    own = [one for one in parts if not _agrees(rounds, one)]
    if not own or not all(_is_not_negative(rounds.function, one) for one in own):
        return None
    common = " + ".join(one_line(one) for one in parts if one not in own) or "0"
    name = rounds.fresh("start")
    step = f"{name} += {one_line(counted.step[0])}" if counted.step else f"{name}++"
    head = f"for ({counted.type} {name} = {common}; {name} {counted.operator} {one_line(counted.bound)}; {step})"
    first = f"{counted.type} {counted.name} = {name} + {' + '.join(one_line(one) for one in own)};"
    return EqualRounds(head, (first,), rounds.expressions.positive(counted.condition), is_whole=False)


def voted(rounds: Rounds) -> EqualRounds:
    """Raises `Obstacle`."""
    loop = rounds.loop
    condition = loop.child_by_field_name("condition")
    if condition is not None and condition.type == "condition_clause":
        condition = condition.child_by_field_name("value")
    if (
        loop.type == "do_statement"
        or condition is None
        or not rounds.is_plain(condition)
        or condition.type == "declaration"
    ):
        raise Obstacle(WhyNotMet.ROUNDS, loop.start_byte)
    inner = [part for one in walk(rounds.body) if one.type in LOOPS for part in _head_of(one)]
    if not identifiers([condition]).isdisjoint(changed(inner) | rounds.aliased):
        raise Obstacle(WhyNotMet.ROUNDS, loop.start_byte)
    if loop.type == "for_statement" and not _stays_done(rounds):
        raise Obstacle(WhyNotMet.ROUNDS, loop.start_byte)
    here = rounds.expressions.positive(condition)
    goes_on = conjunction((*rounds.guard, here))
    vote = f"__syncthreads_or({goes_on})"
    if loop.type == "while_statement":
        head = f"while ({vote})"
    else:
        start, update = loop.child_by_field_name("initializer"), loop.child_by_field_name("update")
        first = ";" if start is None else one_line(start).rstrip(";") + ";"
        head = f"for ({first} {vote}; {'' if update is None else one_line(update)})"
    if rounds.is_fixed(condition):
        return EqualRounds(head, (), here, is_whole=False)
    name = rounds.fresh("active")
    return EqualRounds(head, (f"const bool {name} = {goes_on};",), Condition(name, 3), is_whole=True)


# -- counting loops ----------------------------------------------------------------------------------------------------


@final
@record
class _Counted:
    """`for (type name = start; name operator bound; name step_operator step)`; no step for `++` and `--`."""

    type: str
    name: str
    start: Node
    condition: Node
    operator: str
    bound: Node
    step_operator: str
    step: tuple[Node, ...]


def _counted(rounds: Rounds) -> _Counted | None:
    loop = rounds.loop
    start, condition, update = (loop.child_by_field_name(name) for name in ("initializer", "condition", "update"))
    if start is None or start.type != "declaration" or condition is None or update is None:
        return None
    declarators, kind = start.children_by_field_name("declarator"), start.child_by_field_name("type")
    moved = _moved(update)
    if len(declarators) != 1 or declarators[0].type != "init_declarator" or kind is None or moved is None:
        return None
    name, value = declared_name(declarators[0]), declarators[0].child_by_field_name("value")
    target = declarators[0].child_by_field_name("declarator")
    left, bound = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    operator = condition.child_by_field_name("operator")
    if name is None or value is None or target is None or target.type != "identifier":
        return None
    if condition.type != "binary_expression" or left is None or bound is None or operator is None:
        return None
    if text_of(left) != name or moved[0] != name or text_of(kind) == "auto":
        return None
    return _Counted(one_line(kind), name, value, condition, text_of(operator), bound, *moved[1:])


def _moved(update: Node) -> tuple[str, str, tuple[Node, ...]] | None:
    """The variable that an update moves, by which operator, and how far."""
    operator = update.child_by_field_name("operator")
    if operator is None:
        return None
    if update.type == "update_expression":
        target = update.child_by_field_name("argument")
        return None if target is None else (text_of(target), text_of(operator), ())
    left, right = update.child_by_field_name("left"), update.child_by_field_name("right")
    if update.type != "assignment_expression" or left is None or right is None or left.type != "identifier":
        return None
    return text_of(left), text_of(operator), (right,)


def _stays_done(rounds: Rounds) -> bool:
    """Whether the loop's variable only moves away from the bound that a thread has reached."""
    loop = rounds.loop
    condition, update = loop.child_by_field_name("condition"), loop.child_by_field_name("update")
    moved = None if update is None else _moved(update)
    if condition is None or moved is None or condition.type != "binary_expression":
        return update is None
    name, operator, steps = moved
    left, bound = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    compared = condition.child_by_field_name("operator")
    if left is None or bound is None or compared is None or text_of(left) != name or name in identifiers([bound]):
        return False
    if not all(rounds.is_plain(one) and _is_not_negative(rounds.function, one) for one in steps):
        return False
    start = loop.child_by_field_name("initializer")
    values = () if start is None else [v for d in start.children_by_field_name("declarator") for v in _values(d)]
    if rounds.guard and not all(rounds.is_plain(one) for one in values):
        return False
    if text_of(compared) in (">", ">="):
        return operator in _DOWN
    begins_low = bool(values) and all(_is_not_negative(rounds.function, one) for one in values)
    return text_of(compared) in ("<", "<=") and (operator in _UP or (operator in _MULTIPLIED and begins_low))


def _values(declarator: Node) -> Iterator[Node]:
    value = declarator.child_by_field_name("value")
    if value is not None:
        yield value


def _head_of(loop: Node) -> Iterator[Node]:
    body = loop.child_by_field_name("body")
    yield from (child for child in loop.named_children if child != body)


# -- values ------------------------------------------------------------------------------------------------------------


def _addends(node: Node) -> Iterator[Node]:
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type == "binary_expression" and operator is not None and text_of(operator) == "+":
        assert left is not None
        assert right is not None
        yield from _addends(left)
        yield from _addends(right)
    else:
        yield node


def _agrees(rounds: Rounds, node: Node) -> bool:
    """Whether the block has one value: all that it is computed of is common."""
    return all(rounds.agrees(one) for one in walk(node) if one.type == "identifier")


def _is_not_negative(function: Node, node: Node, depth: int = 4) -> bool:
    match node.type:
        case "number_literal":
            return True
        case "field_expression":
            return text_of(node).partition(".")[0] in BUILTIN_INDEXES
        case "parenthesized_expression":
            return all(_is_not_negative(function, one, depth) for one in node.named_children)
        case "binary_expression":
            operator = node.child_by_field_name("operator")
            is_rising = operator is not None and text_of(operator) in _RISING
            return is_rising and all(_is_not_negative(function, one, depth) for one in node.named_children)
        case "identifier":
            value = _only_value(function, text_of(node)) if depth else None
            return text_of(node) == "warpSize" or (value is not None and _is_not_negative(function, value, depth - 1))
        case _:
            return False


def _only_value(function: Node, name: str) -> Node | None:
    """What a variable of the function holds that is declared once and never changed."""
    values: list[Node | None] = []
    for one in walk(function):
        if one.type == "declaration":
            declarators = one.children_by_field_name("declarator")
            values += [each.child_by_field_name("value") for each in declarators if declared_name(each) == name]
        elif (one.type == "parameter_declaration" and name in identifiers([one])) or name in changed_by(one):
            return None
    return values[0] if len(values) == 1 else None
