"""What stands in statements: which names they change or mention, and how they are left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tree_sitter import Node

from analysis.refactor.block_barriers.model import Obstacle, WhyNotMet

LOOPS: Final = frozenset({"for_statement", "while_statement", "do_statement"})
_ARGUMENTS: Final = frozenset({"argument_list", "initializer_list"})
_DECLARING: Final = frozenset({"declaration", "parameter_declaration", "optional_parameter_declaration"})
_SEEN: Final = frozenset({"__shared__", "extern", "static", "volatile"})
"""What makes a variable one of more threads than one, or of none."""
_TRIVIA: Final = frozenset({"comment", "preproc_call"})


def walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from walk(child)


def statements_of(body: Node) -> tuple[Node, ...]:
    """Those of a block, or the one statement that stands where a block may."""
    if body.type != "compound_statement":
        return (body,)
    found = tuple(child for child in body.named_children if child.type not in _TRIVIA)
    for child in found:
        if child.type.startswith("preproc") or child.type == "labeled_statement":
            raise Obstacle(WhyNotMet.MACRO, child.start_byte)
    return found


def text_of(node: Node) -> str:
    assert node.text is not None
    return node.text.decode("utf-8", "surrogateescape")


def identifiers(nodes: Iterable[Node]) -> frozenset[str]:
    return frozenset(text_of(one) for node in nodes for one in walk(node) if one.type == "identifier")


def declared(declaration: Node) -> tuple[str, ...]:
    """The names that a declaration introduces; raises `Obstacle` for one that cannot be told."""
    names: list[str] = []
    for declarator in declaration.children_by_field_name("declarator"):
        name = declared_name(declarator)
        if name is None:
            raise Obstacle(WhyNotMet.DECLARATION, declaration.start_byte)
        names.append(name)
    return tuple(names)


def declared_name(declarator: Node) -> str | None:
    node: Node | None = declarator
    while node is not None and node.type != "identifier":
        inner = node.child_by_field_name("declarator")
        if inner is None:
            kinds = (
                ("identifier",) if node.type == "reference_declarator" else ("pointer_declarator", "array_declarator")
            )
            inner = next((one for one in node.named_children if one.type in kinds), None)
        node = inner
    return None if node is None else text_of(node)


def own_variables(function: Node) -> frozenset[str]:
    """The variables and parameters of a function that no other thread can see: not shared, and no references."""
    names: set[str] = set()
    others: set[str] = set()
    for one in walk(function):
        if one.type in _DECLARING:
            is_seen = not _SEEN.isdisjoint(text_of(one).split())
            for declarator in one.children_by_field_name("declarator"):
                inner = declarator.child_by_field_name("declarator") if declarator.type == "init_declarator" else None
                is_reference = (declarator if inner is None else inner).type == "reference_declarator"
                name = declared_name(declarator)
                if name is not None:
                    (others if is_seen or is_reference else names).add(name)
    return frozenset(names - others)


def template_numbers(function: Node) -> frozenset[str]:
    """The parameters of its template that are values."""
    around = function.parent
    if around is None or around.type != "template_declaration":
        return frozenset()
    parameters = around.child_by_field_name("parameters")
    values = () if parameters is None else [one for one in parameters.named_children if one.type in _DECLARING]
    names = (declared_name(one) for value in values for one in value.children_by_field_name("declarator"))
    return frozenset(name for name in names if name is not None)


def changed(nodes: Iterable[Node]) -> frozenset[str]:
    """Names that the nodes may assign, hand to somebody who may, or declare again."""
    return frozenset(name for node in nodes for one in walk(node) for name in changed_by(one))


def changed_by(node: Node) -> Iterator[str]:
    """Those that the node itself changes, not what is in it."""
    match node.type:
        case "assignment_expression":
            target = node.child_by_field_name("left")
        case "update_expression":
            target = node.child_by_field_name("argument")
        case "pointer_expression" if text_of(node).startswith("&"):
            target = node.child_by_field_name("argument")
        case "declaration":
            yield from (name for one in node.children_by_field_name("declarator") if (name := declared_name(one)))
            return
        case "lambda_expression":
            yield from identifiers([node])
            return
        case _ if node.type in _ARGUMENTS:
            yield from (text_of(one) for one in node.named_children if one.type == "identifier")
            return
        case _:
            return
    if target is not None:
        yield from identifiers([root_of(target)])


def root_of(target: Node) -> Node:
    """The variable that `v.x`, `v[i]` or `(v)` is a part of; what stands there where that is none."""
    node = target
    while node.type in ("field_expression", "subscript_expression", "parenthesized_expression"):
        inner = node.child_by_field_name("argument")
        if inner is None:
            inner = next(iter(node.named_children), None)
        if inner is None:
            break
        node = inner
    return node


def contains(node: Node, *types: str) -> bool:
    return any(one.type in types for one in walk(node))


def jumps_out(node: Node) -> bool:
    """Whether a `break` or `continue` in the node is one of a loop or switch around it."""
    return any(_leaves(node, frozenset({"break_statement", "continue_statement"})))


def _leaves(node: Node, wanted: frozenset[str]) -> Iterator[bool]:
    if node.type in wanted:
        yield True
    inner = wanted
    if node.type in LOOPS or node.type == "for_range_loop":
        inner = frozenset[str]()
    elif node.type == "switch_statement":
        inner = wanted - {"break_statement"}
    if inner:
        for child in node.named_children:
            yield from _leaves(child, inner)


def condition_of(one: Node) -> Node:
    """Raises `Obstacle` where more stands in the parentheses than an expression."""
    clause = one.child_by_field_name("condition")
    value = None if clause is None else clause.child_by_field_name("value")
    is_more = clause is not None and clause.child_by_field_name("initializer") is not None
    if value is None or is_more or value.type == "declaration" or text_of(one).startswith("if constexpr"):
        raise Obstacle(WhyNotMet.CONDITION, one.start_byte)
    return value


def other_arm(one: Node) -> Node | None:
    clause = one.child_by_field_name("alternative")
    if clause is None:
        return None
    return next((child for child in clause.named_children if child.type != "comment"), None)


def evaluated(part: Node) -> Iterator[Node]:
    """The values that a part of a loop's head computes."""
    match part.type:
        case "declaration":
            for one in part.children_by_field_name("declarator"):
                value = one.child_by_field_name("value")
                yield part if value is None else value
        case "assignment_expression":
            left, right = part.child_by_field_name("left"), part.child_by_field_name("right")
            if left is None or right is None or left.type != "identifier":
                yield part
            else:
                yield right
        case "update_expression":
            target = part.child_by_field_name("argument")
            if target is None or target.type != "identifier":
                yield part
        case "condition_clause":
            yield from part.named_children
        case "comma_expression":
            for one in part.named_children:
                yield from evaluated(one)
        case _:
            yield part


def aliased(function: Node) -> frozenset[str]:
    """Variables that something may change without naming them."""
    names: set[str] = set()
    for one in walk(function):
        if one.type == "pointer_expression" and text_of(one).startswith("&"):
            target = one.child_by_field_name("argument")
            if target is not None and target.type == "identifier":
                names.add(text_of(target))
        if one.type == "init_declarator":
            target, value = one.child_by_field_name("declarator"), one.child_by_field_name("value")
            if target is not None and value is not None and "&" in text_of(target):
                names |= identifiers([value])
        if one.type == "lambda_expression":
            names |= changed([one])
    return frozenset(names)
