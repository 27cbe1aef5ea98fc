"""Is a local variable that is returned copied, or does it become the result?

Rules   Compilers make a variable the result where every `return` of the function names it and it is declared in the
        outermost block.  None does where a later `return` in the block of the variable names something else: then the
        variable is moved from.  In between, compilers differ.
        A parameter is never the result.
Source  C++ standard, "Copy/move elision"; GCC and Clang.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import Final, final

from analysis.lower.types import innermost
from analysis.syntax.tree import Node


@final
class Elision(Enum):
    ALWAYS = auto()
    NEVER = auto()
    SOMETIMES = auto()


def elision(body: Node | None, statement: Node, name: bytes) -> Elision:
    """Of the local variable `name` that the return statement `statement` of the function with this body names."""
    block = None if body is None else _declaring_block(body, statement, name)
    if body is None or block is None:
        return Elision.SOMETIMES
    others = [found for found in _returns(body) if returned_name(found) != name]
    if not others:
        return Elision.ALWAYS if block is body else Elision.SOMETIMES
    declared = next(child.start for child in block.children if _declares(child, name))
    is_among = any(declared < found.start < block.end for found in others)
    has_arms = any(node.kind == "if_statement" and node.child("constexpr") is not None for node in body.walk())
    return Elision.NEVER if is_among and not has_arms else Elision.SOMETIMES


def returned_name(statement: Node) -> bytes | None:
    """The name that stands behind `return`, in parentheses or not."""
    value = next((child for child in statement.children if child.kind not in ("return", "comment")), None)
    while value is not None and value.kind == "parenthesized_expression" and len(value.children) == 1:
        value = value.children[0]
    return value.text if value is not None and value.kind == "identifier" else None


def only_return(body: Node) -> Node | None:
    """The only `return` of a function, those of lambdas in it aside; None where there are several, or none."""
    found = list(_returns(body))
    return found[0] if len(found) == 1 else None


def _returns(node: Node) -> Iterator[Node]:
    if node.kind == "return_statement":
        yield node
    for child in node.children:
        if child.kind not in _OTHER_FUNCTIONS:
            yield from _returns(child)


def _declaring_block(body: Node, statement: Node, name: bytes) -> Node | None:
    """The innermost block around the statement that declares the name before it."""
    found: Node | None = None
    node: Node | None = body
    while node is not None:
        if node.kind == "compound_statement" and any(
            child.start < statement.start and _declares(child, name) for child in node.children
        ):
            found = node
        node = next((child for child in node.children if child.start <= statement.start < child.end), None)
    return found


def _declares(node: Node, name: bytes) -> bool:
    if node.kind != "declaration":
        return False
    names = [innermost(one) for one in node.fields("declarator")]
    return any(found is not None and found.text == name for found in names)


_OTHER_FUNCTIONS: Final = frozenset({"lambda_expression", "struct_specifier", "class_specifier"})
