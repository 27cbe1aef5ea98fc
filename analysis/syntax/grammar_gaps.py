"""Mends constructs that the grammar has no rule for, where all of an error's text is accounted for.

    `class T, typename E<T>::type * = nullptr`   a default for a pointer without a name: an error for `*`
    `Box box = {1, 2}`, of a parameter           a list as a default: its type is missing
    `decltype(a.b, true)`                        a comma in `decltype`: an error for one of its operands
    `decltype(x)(3)`                             a conversion to such a type: an error in front of brackets
    `{.p{.a = 2}}`                               a designator in front of braces: an error for the designator
    `typename A<T>::B{8}.m()`                    a type in front of an expression: an error for `typename`
    `int f(short) = delete;`                     a free function that is deleted: an operand of `delete` is missing
    `int (A::*run)(int) const;`, of a class      a pointer to a method: an error for `A::`, in a typedef one for `const`
    `int A::*of;`, of a class                    a pointer to a member: a bit-field `A` and an error for a colon

Rules    Only errors of exactly these shapes are mended, so that nothing is read that is not there.
Cost     One walk, of a text with errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from analysis.syntax.node_building import new_node
from analysis.syntax.tree import ERROR, Node


def mend_grammar_gaps(root: Node) -> int:
    """Mends the tree in place; gives the number of errors that are none any more."""
    mended = 0
    for node in list(root.walk()):
        for mend in _MENDERS.get(node.kind, ()):
            mended += mend(node)
        if _is_broken(node):
            mended += _conversion(node) + _named_types(node)
    return mended


def _is_broken(node: Node) -> bool:
    return any(child.kind == ERROR for child in node.children)


def _default_of_pointer(node: Node) -> bool:
    """`TYPE ERROR(*) default`"""
    if len(node.children) < 3 or node.children[-2].kind != ERROR or node.children[-1].role != "default_value":
        return False
    error = node.children[-2]
    if not _POINTERS.fullmatch(error.text) or node.children[-3].role != "type":
        return False
    declarator: Node | None = None
    for at in range(error.end - 1, error.start - 1, -1):
        sign = node.source[at : at + 1]
        if sign not in (b"*", b"&"):
            continue
        kind = "abstract_pointer_declarator" if sign == b"*" else "abstract_reference_declarator"
        role = "declarator" if sign == b"*" or declarator is None else None
        inner = () if declarator is None else (declarator,)
        declarator = new_node(kind, at, error.end, node, inner, role)
    if declarator is None:
        return False
    declarator.role = "declarator"
    node.put(declarator, error)
    return True


def _braced_default(node: Node) -> bool:
    """`TYPE NAME = MISSING{...}` is `TYPE NAME = TYPE{...}`, unless that is a pointer: the type is no pointer."""
    type, default = node.field("type"), node.field("default_value")
    if type is None or default is None or default.kind != "compound_literal_expression":
        return False
    missing, declarator = default.field("type"), node.field("declarator")
    if missing is None or not missing.is_missing:
        return False
    if declarator is not None and declarator.kind not in ("identifier", "reference_declarator"):
        return False
    default.put(new_node(type.kind, type.start, type.end, node, type.children, "type"), missing)
    return True


def _comma_in_decltype(node: Node) -> bool:
    """`decltype a ERROR(, b)` and `decltype ERROR(a,) b`"""
    if len(node.children) != 3:
        return False
    _, left, right = node.children
    if right.kind == ERROR and len(right.children) == 1 and right.text.startswith(b","):
        right = right.children[0]
    elif left.kind == ERROR and len(left.children) == 1 and left.text.endswith(b","):
        left = left.children[0]
    else:
        return False
    comma = new_node("comma_expression", left.start, right.end, node, [left, right])
    left.role, right.role = "left", "right"
    node.children = [node.children[0], comma]
    return True


def _conversion(node: Node) -> bool:
    """`ERROR(decltype(x)) (3)`"""
    for error, brackets in zip(node.children, node.children[1:], strict=False):
        if error.kind != ERROR or brackets.kind != "parenthesized_expression" or len(error.children) != 1:
            continue
        type = error.children[0]
        if type.kind != "decltype" or type.text != error.text:
            continue
        type.role = "function"
        listed = new_node("argument_list", brackets.start, brackets.end, node, brackets.children, "arguments")
        call = new_node("call_expression", error.start, brackets.end, node, [type, listed], brackets.role)
        node.put(call, brackets)
        node.children = [child for child in node.children if child is not error]
        return True
    return False


def _named_types(node: Node) -> int:
    """`ERROR(typename) A<T>::B(...)`: the name is known to be a type by what stands behind it."""
    found = [
        error
        for error, named in zip(node.children, node.children[1:], strict=False)
        if error.kind == ERROR and error.text == b"typename" and named.kind in _BEGUN_BY_TYPES
    ]
    node.children = [child for child in node.children if child not in found]
    return len(found)


def _braced_designators(node: Node) -> int:
    """`ERROR(.p) {...}`, each of them."""
    mended = 0
    kept: list[Node] = []
    for child in node.children:
        before = kept[-1] if kept else None
        if child.kind == "initializer_list" and before is not None and _is_designator(before):
            designator = before.children[0]
            designator.role, child.role = "designator", "value"
            kept[-1] = new_node("initializer_pair", before.start, child.end, node, [designator, child])
            mended += 1
        else:
            kept.append(child)
    if mended:
        node.children = kept
    return mended


def _is_designator(node: Node) -> bool:
    if node.kind != ERROR or len(node.children) != 1:
        return False
    return node.children[0].kind == "field_designator" and node.children[0].text == node.text


def _deleted(node: Node) -> bool:
    """`f(short) = delete`, with a name missing behind it."""
    made = node.field("declarator")
    if made is None or made.kind != "init_declarator":
        return False
    function, value = made.field("declarator"), made.field("value")
    if function is None or value is None or value.kind != "delete_expression" or value.text != b"delete":
        return False
    if _innermost_kind(function) != "function_declarator" or not any(child.is_missing for child in value.children):
        return False
    function.role = "declarator"
    clause = new_node("delete_method_clause", function.end, value.end, node, ())
    node.children = [*(child for child in node.children if child is not made), function, clause]
    return True


def _pointer_to_method(node: Node) -> int:
    """`(ERROR(A::) *run)`"""
    if len(node.children) != 2:
        return 0
    error, pointer = node.children
    if error.kind != ERROR or pointer.kind != "pointer_declarator" or len(error.children) != 1:
        return 0
    if _QUALIFIER.fullmatch(error.text) is None or not pointer.children:
        return 0
    node.children = [_to_member(error.children[0], pointer, pointer.children, node)]
    return 1


def _qualified_type(node: Node) -> int:
    """`typedef int (...)(int) ERROR(const)`"""
    function, error = node.children[-2:] if len(node.children) > 2 else (node, node)
    if function.kind != "function_declarator" or error.kind != ERROR or error.text != b"const":
        return 0
    word = new_node("const", error.start, error.end, node, ())
    function.children = [*function.children, new_node("type_qualifier", error.start, error.end, node, [word])]
    function.end = error.end
    node.children = node.children[:-1]
    return 1


def _pointer_to_member(node: Node) -> int:
    """`int A ERROR(:) :*of`, and with brackets behind it."""
    if len(node.children) < 4 or node.children[-1].kind != "bitfield_clause":
        return 0
    name, error, clause = node.children[-3:]
    access = clause.children[0] if len(clause.children) == 1 else clause
    pointer = access.field("argument")
    if error.kind != ERROR or error.children or name.kind != "field_identifier" or pointer is None:
        return 0
    between = _QUALIFIER.fullmatch(node.source[name.start : access.start])
    declarator = None if between is None or access.kind != "pointer_expression" else _declared(pointer)
    if declarator is None:
        return 0
    declarator.role = "declarator"
    made = _to_member(name, access, [declarator], node)
    made.role = "declarator"
    node.children = [*node.children[:-3], made]
    return 1


def _declared(value: Node) -> Node | None:
    """A name, or an element of one, as a declarator."""
    if value.kind == "identifier":
        return new_node("type_identifier", value.start, value.end, value, ())
    inner, listed = value.field("argument"), value.field("indices")
    array = None if value.kind != "subscript_expression" or inner is None else _declared(inner)
    if array is None or listed is None or len(listed.children) != 1:
        return None
    array.role, listed.children[0].role = "declarator", "size"
    return new_node("array_declarator", value.start, value.end, value, [array, listed.children[0]])


def _to_member(owner: Node, pointer: Node, declared: Sequence[Node], like: Node) -> Node:
    """`owner::*declared`, of which `pointer` begins at the star."""
    scope = new_node("namespace_identifier", owner.start, owner.end, like, (), "scope")
    name = new_node("pointer_type_declarator", pointer.start, pointer.end, like, declared, "name")
    return new_node("qualified_identifier", owner.start, pointer.end, like, [scope, name])


def _innermost_kind(declarator: Node) -> str:
    """The kind of a declarator behind pointers and references."""
    inner: Node | None = declarator
    while inner is not None and inner.kind in ("pointer_declarator", "reference_declarator"):
        inner = inner.children[-1] if inner.children else None
    return "" if inner is None else inner.kind


_QUALIFIER: Final = re.compile(rb"\w+\s*::\s*")
_POINTERS: Final = re.compile(rb"[*&\s]+")
_BEGUN_BY_TYPES: Final = frozenset(
    {"binary_expression", "call_expression", "compound_literal_expression", "field_expression"}
)
_MENDERS: Final[dict[str, tuple[Callable[[Node], int], ...]]] = {
    "optional_parameter_declaration": (_default_of_pointer, _braced_default),
    "decltype": (_comma_in_decltype,),
    "initializer_list": (_braced_designators,),
    "declaration": (_deleted,),
    "parenthesized_declarator": (_pointer_to_method,),
    "type_definition": (_qualified_type,),
    "field_declaration": (_pointer_to_member,),
}
