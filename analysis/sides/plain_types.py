"""Types of numbers, of CUDA's vectors and of pointers to these, as declarations write them; nothing else is known.

Question  Is there surely no conversion from this argument to that parameter?
Rules     Between numbers there always is one.  A pointer converts to one of the same type, with `const` added, and to
          `void *`; `void *` to no other one.  A pointer is a number only as `bool`, a number a pointer only as 0.
Limits    Names of types that the file declares are not followed: what they stand for is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, final

from analysis.ir.pace import popped
from analysis.ir.record import record
from analysis.sides.sides import Sides
from analysis.syntax.tree import Node


@final
@record
class PlainType:
    """`pointers` levels of pointers to `base`; `is_constant`: what the innermost one points to."""

    base: str
    pointers: int = 0
    is_constant: bool = False
    is_zero: bool = False
    """A literal 0, which is a null pointer, too."""

    def __str__(self) -> str:
        return f"{'const ' if self.is_constant else ''}{self.base}{' ' * bool(self.pointers)}{'*' * self.pointers}"


def is_refused(argument: PlainType, parameter: PlainType) -> bool:
    """Whether an argument of this type cannot be passed."""
    is_number = argument.base in _NUMBERS
    if not parameter.pointers:
        if argument.pointers:
            return parameter.base != "bool"
        return argument.base != parameter.base and not (is_number and parameter.base in _NUMBERS)
    if not argument.pointers:
        return not argument.is_zero
    if parameter.base == "void" and parameter.pointers == 1:
        return argument.pointers == 1 and argument.is_constant and not parameter.is_constant
    if (argument.base, argument.pointers) != (parameter.base, parameter.pointers):
        return True
    return argument.pointers == 1 and argument.is_constant and not parameter.is_constant


def declared_types(root: Node, templates: tuple[Node, ...], sides: Sides) -> dict[str, PlainType]:
    """Of the variables and parameters of a function, as far as a name is declared once."""
    unknown = {inner.text for one in templates for inner in one.walk() if inner.kind == "type_identifier"}
    found: dict[str, PlainType | None] = {}
    stack = [root]
    for node in popped(stack):
        if node.kind in _DECLARING:
            for declarator in node.fields("declarator"):
                for name, type in _declared(node, declarator, sides, unknown):
                    found[name] = None if name in found else type
        elif node.kind in _OTHER_NAMES:
            found.update({_text(child): None for child in node.walk() if child.kind == "identifier"})
            continue
        stack += node.children
    return {name: type for name, type in found.items() if type is not None}


def parameter_types(root: Node, templates: tuple[Node, ...], sides: Sides) -> list[PlainType | None]:
    """Of a function, in order; None for those that are not known."""
    unknown = {inner.text for one in templates for inner in one.walk() if inner.kind == "type_identifier"}
    found: list[PlainType | None] = []
    for parameter in parameters(root):
        declarator = parameter.field("declarator")
        is_odd = parameter.kind not in ("parameter_declaration", "optional_parameter_declaration")
        if is_odd or (declarator is not None and _is_reference(declarator)):
            found.append(None)
        else:
            found.append(_type_of(parameter, declarator, sides, unknown))
    return found


def parameters(root: Node) -> tuple[Node, ...]:
    """The parameters that a function declares; none for `(void)`."""
    for node in root.walk():
        listed = node.field("parameters") if node.kind == "function_declarator" else None
        if listed is not None:
            return () if listed.text.replace(b" ", b"") == b"(void)" else tuple(listed.children)
    return ()


def argument_type(node: Node, declared: Mapping[str, PlainType], sides: Sides) -> PlainType | None:
    """Of an argument as it is written; None where that is not known."""
    match node.kind:
        case "identifier":
            return declared.get(_text(node))
        case "number_literal":
            text = node.text.lower().rstrip(b"uflz")
            is_float = b"." in node.text or (b"e" in text and not text.startswith(b"0x"))
            return PlainType("double" if is_float else "int", is_zero=text in (b"0", b"0x0", b"00"))
        case "cast_expression":
            type = node.field("type")
            if type is None or type.kind != "type_descriptor":
                return None
            return _type_of(type, type.field("declarator"), sides, set())
        case "pointer_expression":
            operand, operator = node.field("argument"), node.field("operator")
            inner = None if operand is None else argument_type(operand, declared, sides)
            if inner is None or operand is None or operator is None or operand.kind != "identifier":
                return None
            if operator.text == b"&":
                return PlainType(inner.base, inner.pointers + 1, inner.is_constant)
            return PlainType(inner.base, inner.pointers - 1, inner.is_constant) if inner.pointers > 1 else None
        case "parenthesized_expression" if len(node.children) == 1:
            return argument_type(node.children[0], declared, sides)
        case _:
            return None


# -- inside ---------------------------------------------------------------------------------------------------------


def _declared(
    node: Node, declarator: Node, sides: Sides, unknown: set[bytes]
) -> Iterator[tuple[str, PlainType | None]]:
    inner = declarator.field("declarator") if declarator.kind == "init_declarator" else declarator
    name = None if inner is None else next((one for one in inner.walk() if one.kind == "identifier"), None)
    if inner is not None and name is not None:
        yield _text(name), _type_of(node, _without_reference(inner), sides, unknown)


def _type_of(node: Node, declarator: Node | None, sides: Sides, unknown: set[bytes]) -> PlainType | None:
    """Of what a declaration or a type in parentheses says; arrays are pointers, as they are passed."""
    written = node.field("type")
    base = None if written is None else _base(written, sides, unknown)
    if base is None:
        return None
    pointers = 0
    while declarator is not None and declarator.kind in _POINTERS:
        pointers += 1
        following = declarator.field("declarator")
        if following is None and declarator.kind == "pointer_declarator":
            following = declarator.child("identifier")
        declarator = following
    if declarator is not None and declarator.kind not in ("identifier",):
        return None
    is_constant = any(child.text in (b"const", b"constexpr") for child in node.children if child.role is None)
    return PlainType(base, pointers, is_constant and bool(pointers))


def _base(type: Node, sides: Sides, unknown: set[bytes]) -> str | None:
    words = type.text.decode("utf-8", "replace").split()
    if type.text in unknown or not all(re.fullmatch(r"\w+", word) for word in words):
        return None
    if len(words) == 1 and words[0] in _NAMED:
        return None if sides.is_declared(words[0]) else _NAMED[words[0]]
    if len(words) == 1 and _VECTOR.fullmatch(words[0]):
        return None if sides.is_declared(words[0]) else words[0]
    rest = sorted(word for word in words if word not in ("signed", "int") or len(words) == 1)
    if words in (["signed", "char"], ["char", "signed"]):
        return "signed char"
    spelled = " ".join(rest) or "int"
    return _SPELLED.get(spelled)


def _without_reference(declarator: Node) -> Node:
    inner = declarator.children[-1] if declarator.kind == "reference_declarator" and declarator.children else None
    return declarator if inner is None else inner


def _is_reference(declarator: Node) -> bool:
    return any(node.kind in ("reference_declarator", "abstract_reference_declarator") for node in declarator.walk())


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace")


_DECLARING: Final = frozenset({"declaration", "parameter_declaration", "optional_parameter_declaration"})
_OTHER_NAMES: Final = frozenset(
    {
        "structured_binding_declarator",
        "for_range_loop_declarator",
        "lambda_capture_specifier",
        "template_parameter_list",
    }
)
_POINTERS: Final = frozenset(
    {"pointer_declarator", "abstract_pointer_declarator", "array_declarator", "abstract_array_declarator"}
)
_SPELLED: Final = {
    **{name: name for name in ("int", "short", "long", "char", "float", "double", "bool", "void", "unsigned char")},
    "long long": "long long",
    "unsigned": "unsigned int",
    "char unsigned": "unsigned char",
    "short unsigned": "unsigned short",
    "long unsigned": "unsigned long",
    "long long unsigned": "unsigned long long",
    "double long": "long double",
}
"""By the words in alphabetical order, without `int` and `signed`."""
_NAMED: Final = {
    "size_t": "unsigned long",
    "uint": "unsigned int",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "int8_t": "signed char",
    "int16_t": "short",
    "int32_t": "int",
    "int64_t": "long",
    "uint8_t": "unsigned char",
    "uint16_t": "unsigned short",
    "uint32_t": "unsigned int",
    "uint64_t": "unsigned long",
}
_VECTOR: Final = re.compile(r"(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]")
_NUMBERS: Final = frozenset({*_SPELLED.values(), "signed char"}) - {"void"}
