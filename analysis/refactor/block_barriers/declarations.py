"""Variables that are declared under a guard and used behind a barrier: what of a declaration all threads may run.

Rules     `__shared__` memory and what is computed from numbers and local variables alone is declared by all threads.
          Any other variable is declared by all threads without its value, which the guarded code assigns; for that it
          is a number, a pointer or a vector, and no reference, array or constant address.
Example   `const float v = x[i];` becomes `float v;` and, under the guard, `v = x[i];`
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, final

from tree_sitter import Node

from analysis.ir.record import record
from analysis.refactor.block_barriers.expressions import Expressions, one_line
from analysis.refactor.block_barriers.model import Obstacle, WhyNotMet
from analysis.refactor.block_barriers.reading import declared, declared_name, identifiers, text_of

_VECTOR: Final = re.compile(
    r"u?(?:char|short|int|long|longlong|float|double)[1-4]|size_t|u?int(?:8|16|32|64)_t|uint|uchar"
)
_QUALIFIERS: Final = frozenset({"type_qualifier", "storage_class_specifier"})


@final
@record
class Apart:
    """A declaration without values, and the assignments of them."""

    declaration: str
    assignments: tuple[str, ...]


def hoisted(
    statements: Sequence[Node], breaks: Callable[[Node], bool], is_open: Callable[[Node], bool]
) -> frozenset[int]:
    """The numbers of the declarations whose variables are used beyond the guarded statements around them.

    `breaks`: the statement does not stand under the guard.  `is_open`: the declaration would not, if hoisted.
    """
    found: set[int] = set()
    ends = {number for number, one in enumerate(statements) if breaks(one)}
    while True:
        more = {
            number for number in range(len(statements)) if number not in found and _is_used(statements, number, ends)
        }
        if not more:
            return frozenset(found)
        found |= more
        ends |= {number for number in more if is_open(statements[number])}


def _is_used(statements: Sequence[Node], number: int, ends: set[int]) -> bool:
    if statements[number].type != "declaration" or number in ends:
        return False
    end = min((one for one in ends if one > number), default=None)
    return end is not None and not identifiers(statements[end:]).isdisjoint(declared(statements[number]))


def is_shared(declaration: Node) -> bool:
    return "__shared__" in text_of(declaration)


def may_be_open(declaration: Node, expressions: Expressions, unknown: frozenset[str]) -> bool:
    """Whether all threads may run the declaration as it stands."""
    if is_shared(declaration):
        return True
    if "&" in text_of(declaration).partition("=")[0]:
        return False
    values = [_value(one) for one in declaration.children_by_field_name("declarator")]
    if any(value is None for value in values) and not _has_plain_type(declaration):
        return False
    return all(value is None or expressions.is_plain(value, unknown) for value in values)


def names_without_value(declaration: Node) -> frozenset[str]:
    declarators = declaration.children_by_field_name("declarator")
    return frozenset(name for one in declarators if _value(one) is None and (name := declared_name(one)))


def apart(declaration: Node) -> Apart:
    """Raises `Obstacle`."""
    declarators = declaration.children_by_field_name("declarator")
    if not _has_plain_type(declaration) or not all(_is_scalar(one) for one in declarators):
        raise Obstacle(WhyNotMet.DECLARATION, declaration.start_byte)
    is_pointer = any(_target(one).type == "pointer_declarator" for one in declarators)
    words: list[str] = []
    for child in declaration.children:
        if child.start_byte >= declarators[0].start_byte:
            break
        if child.type in _QUALIFIERS and text_of(child) != "const":
            raise Obstacle(WhyNotMet.DECLARATION, declaration.start_byte)
        if text_of(child) != "const" or is_pointer:
            words.append(one_line(child))
    names = ", ".join(one_line(_target(one)) for one in declarators)
    assignments = tuple(
        f"{declared_name(one)} = {text_of(value)};" for one in declarators if (value := _value(one)) is not None
    )
    return Apart(f"{' '.join(words)} {names};", assignments)


def _has_plain_type(declaration: Node) -> bool:
    kind = declaration.child_by_field_name("type")
    if kind is None:
        return False
    return kind.type in ("primitive_type", "sized_type_specifier") or _VECTOR.fullmatch(text_of(kind)) is not None


def _is_scalar(declarator: Node) -> bool:
    """A number, a vector or a pointer whose own value may change."""
    target, value = _target(declarator), _value(declarator)
    if declarator.type == "init_declarator" and (value is None or value.type in ("initializer_list", "argument_list")):
        return False
    while target.type == "pointer_declarator":
        inner = target.child_by_field_name("declarator")
        if inner is None or any(one.type == "type_qualifier" and text_of(one) == "const" for one in target.children):
            return False
        target = inner
    return target.type == "identifier"


def _target(declarator: Node) -> Node:
    inner = declarator.child_by_field_name("declarator") if declarator.type == "init_declarator" else None
    return declarator if inner is None else inner


def _value(declarator: Node) -> Node | None:
    return declarator.child_by_field_name("value") if declarator.type == "init_declarator" else None
