"""Types that C++ keeps apart though the IR does not: no selection may stand between two of them.

Rules     `long` and `long long`, and `char` and `signed char`, are as wide as each other, but pointers to them have no
          common type.  Neither have two enumerations with a scope, or such a one and an integer.
          Variables are known by how the function spells their types; constants of enumerations by what stands in front
          of `::`.
Limits    Members, results of calls, and names for types are taken at their word: a melded text that no compiler takes
          is then found when it is compiled.
"""

from __future__ import annotations

import re
from typing import Final, final

from analysis.ir.types import ArrayType, IntegerType, PointerType, Type
from analysis.refactor.meld.spelled_types import SpelledTypes
from analysis.refactor.meld.terms import IDENTIFIER, Term


def scoped_enumerations(text: bytes) -> frozenset[str]:
    """Those that a file defines."""
    return frozenset(found[1].decode("utf-8", "replace") for found in _ENUMERATION.finditer(text))


@final
class DistinctTypes:
    """Of one function; `enumerations`: those with a scope."""

    def __init__(self, spelled: SpelledTypes, enumerations: frozenset[str]) -> None:
        self._spelled = spelled
        self._enumerations = enumerations

    def are_apart(self, left: Term, right: Term) -> bool:
        """Whether a selection between both is known to be no C++."""
        if left.kind == right.kind == "qualified_identifier":
            return _qualifier(left) != _qualifier(right)
        one, other = self._spelling(left), self._spelling(right)
        if one is None or other is None or one == other:
            return False
        if _leads_to_ambiguous(left.types) or _leads_to_ambiguous(right.types):
            return True
        return bool(self._enumerations & {one, other})

    def _spelling(self, whole: Term) -> str | None:
        """The type of the variable that the term is, or whose elements it is or points to."""
        if whole.kind == "qualified_identifier":
            return _qualifier(whole) if _qualifier(whole) in self._enumerations else None
        base = _base(whole)
        spelled = None if base is None else self._spelled.get(str(base.parts[0]))
        if spelled is None:
            return None
        # `long int` is `long`.
        words = sorted(spelled.text.split())
        return " ".join(word for word in words if word != "int" or len(words) == 1)


def _base(whole: Term) -> Term | None:
    """The variable in `a`, `a[i]`, `*a`, `&a[i]`, `a + i` and `c ? a : b`."""
    while whole.kind != IDENTIFIER:
        children = whole.children
        match whole.kind:
            case "subscript_expression" | "parenthesized_expression":
                whole = children[0]
            case "pointer_expression" | "select" if children:
                whole = children[-1]
            case "binary_expression" if _is_address(children[0].types):
                whole = children[0]
            case _:
                return None
    return whole


def _is_address(types: tuple[Type, ...]) -> bool:
    return any(isinstance(type_, PointerType | ArrayType) for type_ in types)


def _leads_to_ambiguous(types: tuple[Type, ...]) -> bool:
    """Whether it is a pointer to integers of a width that two types have."""
    elements = [type_.element for type_ in types if isinstance(type_, PointerType | ArrayType)]
    return any(isinstance(element, IntegerType) and element.bits in (8, 64) for element in elements)


def _qualifier(name: Term) -> str:
    return name.key.rpartition("::")[0]


_ENUMERATION: Final = re.compile(rb"\benum\s+(?:class|struct)\s+(\w+)")
