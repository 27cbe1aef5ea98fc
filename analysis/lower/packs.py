"""Parameter packs: what they stand for, and what is repeated for each of their elements.

Rules   The packs that a pattern names are expanded together; a pattern inside another expansion is none of its own.
        An expansion in a list becomes one `pack_element` node for each element: its children are the pattern and the
        number of the element.  A pack that stands for itself (in a template without arguments) is not expanded.
Source  C++ standard, "Variadic templates", "Fold expressions".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from analysis.cpp.types.model import SIZE
from analysis.ir.types import BOOLEAN, U64
from analysis.lower.names import ArgumentPack, ConstantName, Entity, PackPattern, Scope, TemplateArgument, VariablePack
from analysis.syntax.tree import Node

PACK_ELEMENT: Final = "pack_element"
EXPANSION: Final = "parameter_pack_expansion"
_NAMES: Final = frozenset({"identifier", "type_identifier", "namespace_identifier"})
_ASSIGNING: Final = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})


def pack_length(scope: Scope, pattern: Node) -> int | None:
    """How many times a pattern is repeated; None where it names no pack with known elements."""
    lengths = {len(pack.elements) for _, pack in _packs(scope, pattern)}
    return min(lengths) if lengths else None


def element_scope(scope: Scope, pattern: Node, index: int) -> Scope:
    """A scope in which the packs of a pattern mean their element `index`."""
    inner = scope.inside()
    for name, pack in _packs(scope, pattern):
        element: Entity | TemplateArgument = pack.elements[index]
        element = element.element if isinstance(element, PackPattern) else element
        if not isinstance(element, PackPattern):
            inner.declare(name, element)
    return inner


def is_open(scope: Scope, pattern: Node, index: int) -> bool:
    """Whether element `index` stands for any number of elements."""
    return any(isinstance(pack.elements[index], PackPattern) for _, pack in _packs(scope, pattern))


def expanded(scope: Scope, nodes: Sequence[Node]) -> Sequence[Node]:
    """The list with its expansions carried out."""
    if EXPANSION not in [node.kind for node in nodes]:
        return nodes
    found: list[Node] = []
    for node in nodes:
        pattern = node.field("pattern") if node.kind == EXPANSION else None
        length = None if pattern is None else pack_length(scope, pattern)
        if pattern is None or length is None:
            found.append(node)
        else:
            found += [pack_element(pattern, index) for index in range(length)]
    return found


def pack_element(pattern: Node, index: int, role: str | None = None) -> Node:
    """The pattern for one element."""
    number = str(index).encode()
    children = [pattern, Node("number_literal", 0, len(number), number)]
    return Node(PACK_ELEMENT, pattern.start, pattern.end, pattern.source, role, children)


def element_of(scope: Scope, node: Node) -> tuple[Scope, Node]:
    """The scope and the pattern of a `pack_element`."""
    pattern, number = node.children
    return element_scope(scope, pattern, int(number.text)), pattern


def fold(scope: Scope, node: Node) -> Node | ConstantName | None:
    """What a fold expression stands for: an expression, or the value of an empty one; None where it is not known."""
    left, sign, right = node.field("left"), node.field("operator"), node.field("right")
    if left is None or sign is None or right is None:
        return None
    spelling = sign.kind
    is_left_pack = right.kind == "..." or (left.kind != "..." and pack_length(scope, left) is not None)
    pattern = left if is_left_pack else right
    length = pack_length(scope, pattern)
    if length is None:
        return None
    operands = [pack_element(pattern, index) for index in range(length)]
    other = right if is_left_pack else left
    if other.kind != "...":
        operands = [*operands, other] if is_left_pack else [other, *operands]
    if not operands:
        return _EMPTY.get(spelling)
    while len(operands) > 1:
        if is_left_pack:
            operands[-2:] = [_joined(node, operands[-2], sign, operands[-1])]
        else:
            operands[:2] = [_joined(node, operands[0], sign, operands[1])]
    return operands[0]


def _joined(like: Node, left: Node, sign: Node, right: Node) -> Node:
    kind = "comma_expression" if sign.kind == "," else "binary_expression"
    kind = "assignment_expression" if sign.kind in _ASSIGNING else kind
    parts = [(left, "left"), (sign, "operator"), (right, "right")]
    children = [Node(part.kind, part.start, part.end, part.source, role, part.children) for part, role in parts]
    return Node(kind, like.start, like.end, like.source, like.role, children)


def _packs(scope: Scope, pattern: Node) -> Iterator[tuple[str, ArgumentPack | VariablePack]]:
    pending, seen = [pattern], set[bytes]()
    while pending:
        node = pending.pop()
        if node.kind in _NAMES and node.text not in seen:
            seen.add(node.text)
            name = node.text.decode("utf-8", "replace")
            entity = scope.find(name)
            if isinstance(entity, ArgumentPack | VariablePack):
                yield name, entity
        if node.kind not in (EXPANSION, "fold_expression") and not is_pack_size(node):
            pending += node.children


def is_pack_size(node: Node) -> bool:
    """Whether this is `sizeof...(pack)`."""
    return node.kind == "sizeof_expression" and node.text[6:].lstrip().startswith(b"...")


def pack_size(scope: Scope, node: Node) -> ConstantName | None:
    """`sizeof...(pack)`."""
    value = node.field("value")
    while value is not None and value.kind == "parenthesized_expression" and len(value.children) == 1:
        value = value.children[0]
    entity = None if value is None else scope.find(value.text.decode("utf-8", "replace"))
    if not isinstance(entity, ArgumentPack | VariablePack):
        return None
    is_exact = not any(isinstance(element, PackPattern) for element in entity.elements)
    return ConstantName(len(entity.elements), U64, SIZE) if is_exact else None


_EMPTY: Final = {"&&": ConstantName(True, BOOLEAN), "||": ConstantName(False, BOOLEAN)}
