"""Make the nodes that `repair` puts in place of misread ones, in the shapes that the grammar itself would make."""

from collections.abc import Sequence
from typing import Final

from analysis.syntax.tree import Node


def parameter_value(parameter: Node, like: Node) -> Node:
    """A parameter read as an expression."""
    type_node, declarator = parameter.field("type"), parameter.field("declarator")
    assert type_node is not None
    value = as_expression(type_node)
    value.role = None
    if declarator is None:
        return value
    match declarator.kind:
        case "variadic_declarator":
            value.role = "pattern"
            return new_node("parameter_pack_expansion", parameter.start, parameter.end, like, [value])
        case "abstract_array_declarator":
            return _element(value, declarator, like)
        case _:
            inner = declared_value(declarator)
            assert inner is not None
            start = declarator.start
            length = 2 if like.source[start : start + 2] == b"&&" else 1
            sign = like.source[start : start + length].decode("ascii", "replace")
            operator = new_node(sign, start, start + length, like, [], "operator")
            value.role, inner.role = "left", "right"
            return new_node("binary_expression", parameter.start, parameter.end, like, [value, operator, inner])


def declared_value(declarator: Node) -> Node | None:
    """What a declarator declares, if it can be an operand of `*` or `&` (or the size of an array)."""
    if not declarator.children:
        return None
    inner = declarator.children[-1]
    if declarator.kind == "abstract_array_declarator":
        return inner if _has_sizes(declarator) else None
    return inner if inner.kind == "identifier" and len(declarator.children) == 1 else None


def _has_sizes(declarator: Node) -> bool:
    """Whether all brackets of `[i][j]`, read as arrays of arrays without a name, have an index."""
    outer = declarator.field("declarator")
    if declarator.field("size") is None or declarator.kind != "abstract_array_declarator":
        return False
    return _has_sizes(outer) if outer is not None else True


def _element(value: Node, declarator: Node, like: Node) -> Node:
    """`value[i][j]`, whose brackets were read as those of a declarator."""
    outer, size = declarator.field("declarator"), declarator.field("size")
    assert size is not None
    start = declarator.start
    if outer is not None:
        value, start = _element(value, outer, like), outer.end
    size.role, value.role = None, "argument"
    indices = new_node("subscript_argument_list", start, declarator.end, like, [size], "indices")
    return new_node("subscript_expression", value.start, declarator.end, like, [value, indices])


def as_expression(node: Node) -> Node:
    """A type that is the name of a value."""
    if node.kind == "type_descriptor" and len(node.children) == 1:
        node = node.children[0]
    if node.kind == "type_identifier":
        node.kind = "identifier"
    return node


def called_name(name: Node) -> Node:
    """The name of a type read as that of a function, or as what a call converts to."""
    match name.kind:
        case "type_identifier":
            name.kind = "identifier"
        case "template_type":
            name.kind = "template_function"
            if (inner := name.field("name")) is not None:
                inner.kind = "identifier"
        case "qualified_identifier":
            if (last := name.field("name")) is not None:
                called_name(last)
        case _:
            pass
    return name


def named_value(descriptor: Node) -> Node | None:
    """The name in a type_descriptor that can be an expression: `a`, `a::b`, `a[i]`."""
    name, declarator = descriptor.field("type"), descriptor.field("declarator")
    if name is None or name.kind not in ("type_identifier", "qualified_identifier"):
        return None
    if declarator is None:
        return name if len(descriptor.children) == 1 else None
    is_element = declarator.kind == "abstract_array_declarator" and declared_value(declarator) is not None
    return name if is_element and len(descriptor.children) == 2 else None


def described_value(descriptor: Node) -> Node:
    """The expression that `named_value` found."""
    value = parameter_value(descriptor, descriptor)
    value.role = None
    return value


def address_signs(value: Node) -> tuple[int, Node | None]:
    """How many `&` stand side by side before an operand."""
    count, start = 0, value.start
    node: Node | None = value
    while node is not None and node.kind == "pointer_expression" and node.start == start + count:
        operator = node.field("operator")
        if operator is None or operator.kind != "&":
            break
        count += 1
        node = node.field("argument")
    return count, node


def type_descriptor(name: Node, like: Node) -> Node:
    """A type_descriptor around the name of a type."""
    match name.kind:
        case "template_function":
            name.kind = "template_type"
            inner = name.field("name")
            if inner is not None:
                inner.kind = "type_identifier"
        case "qualified_identifier":
            last = name.field("name")
            if last is not None and last.kind == "identifier":
                last.kind = "type_identifier"
        case _:
            name.kind = "type_identifier"
    name.role = "type"
    return new_node("type_descriptor", name.start, name.end, like, [name], "type")


def spelled(name: Node) -> bytes:
    text = name.text
    return text if text.isalnum() else b"".join(text.split())


def new_node(kind: str, start: int, end: int, like: Node, children: Sequence[Node], role: str | None = None) -> Node:
    return Node(kind, start, end, like.source, role, children)


def compared(node: Node, name: Node, middle: Node) -> list[Node]:
    """`left`, `<`, `middle`, `>`, `(right)` of a misread call."""
    function, arguments = node.field("function"), node.field("arguments")
    assert function is not None
    assert arguments is not None
    left = name
    if function.kind == "field_expression":
        kept = [child for child in function.children if child.role != "field"]
        name.kind, name.role = "field_identifier", "field"
        left = new_node("field_expression", function.start, name.end, node, [*kept, name])
    value = arguments.children[0]
    value.role = None
    right = new_node("parenthesized_expression", arguments.start, arguments.end, node, [value])
    less = node.source.find(b"<", left.end)
    more = node.source.find(b">", middle.end)
    return [
        left,
        new_node("<", less, less + 1, node, [], "operator"),
        as_expression(middle),
        new_node(">", more, more + 1, node, [], "operator"),
        right,
    ]


def climb(operands: list[Node], operators: list[Node], like: Node) -> Node:
    """A tree from operands and operators, by precedence, left to right."""
    output: list[Node] = [operands[0]]
    waiting: list[Node] = []

    def reduce() -> None:
        right, left, operator = output.pop(), output.pop(), waiting.pop()
        left.role, operator.role, right.role = "left", "operator", "right"
        output.append(new_node("binary_expression", left.start, right.end, like, [left, operator, right]))

    for operator, operand in zip(operators, operands[1:], strict=False):
        while waiting and _PRECEDENCE.get(waiting[-1].kind, 0) >= _PRECEDENCE.get(operator.kind, 0):
            reduce()
        waiting.append(operator)
        output.append(operand)
    while waiting:
        reduce()
    return output[0]


_LEVELS: Final = (
    ("||", "or"), ("&&", "and"), ("|", "bitor"), ("^", "xor"), ("&", "bitand"), ("==", "!=", "not_eq"),
    ("<=>",), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
_PRECEDENCE: Final = {operator: level for level, row in enumerate(_LEVELS, 1) for operator in row}
