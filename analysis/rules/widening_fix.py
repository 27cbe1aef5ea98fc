"""The repair of an index that overflows: its first operand is widened, and the variables that it passes through.

Offered  if the operation stands in the text as it is, and each variable of 32 bits between it and the index has a
         declaration of its own (`int at = row * n + col;`), whose type is replaced as well.
Unsafe   since what else uses these variables (formats, overloads) is not looked at.
Spelling that of the variable which it starts; else what the function uses already: `size_t`, `int64_t`, or `long long`;
         a variable that had a sign keeps it.
         The rest of the file is not looked at: what is found of a function is kept while that is edited.
"""

from __future__ import annotations

import re
from typing import Final

from analysis.facts.merge import FrameView
from analysis.ir.function import Variable
from analysis.ir.instructions import Binary, ElementAddress, Load, Phi
from analysis.ir.source import Span
from analysis.ir.types import IntegerType
from analysis.overflow.model import Overflow
from analysis.refactor.edit import Replacement
from analysis.rules.diagnostic import Applicability, Fix
from analysis.rules.rule import Subject
from analysis.syntax.lexing import HIDDEN


def widening_fix(subject: Subject, view: FrameView, found: Overflow) -> Fix | None:
    """None where the text is not as expected."""
    item = view.root.divergence.definition(found.value)
    if not isinstance(item, Binary) or not _is_in_one_body(view, found):
        return None
    whole = HIDDEN.sub(_blanks, subject.text.bytes(Span(0, subject.function.end - subject.function.start)))
    text = whole[item.span.start : item.span.end]
    cast = _first_used(whole, (b"size_t", b"int64_t", b"uint64_t")) or "size_t"
    variables = _passed_through(view, found)
    signed = next((one for one in variables if isinstance(one.type, IntegerType) and one.type.signed), None)
    if signed is not None:
        cast = _first_used(whole, (b"int64_t",)) or "long long"
    elif (written := _WIDE.search(whole[: item.span.start])) is not None:
        cast = b" ".join(written[1].split()).decode()
    edits: list[Replacement] = []
    if _STEP.match(text) is None:
        if _FIRST.match(text) is None:
            return None
        at = subject.function.start + item.span.start
        edits.append(Replacement(at, at, f"({cast})"))
    elif not variables:
        return None
    for variable in variables:
        edit = _of_declaration(whole, variable, cast)
        if edit is None:
            return None
        start = subject.function.start
        edits.append(Replacement(edit.start + start, edit.end + start, edit.text))
    first = f"`{variables[0].name}`" if variables else "the first operand"
    ordered = tuple(sorted(edits, key=lambda one: one.start))
    return Fix(f"Widen {first} to 64 bits", ordered, Applicability.UNSAFE)


_FIRST: Final = re.compile(rb"[\w(]")
"""What an operand starts with to which a cast binds."""
_WIDE: Final = re.compile(rb"(?<![\w:])((?:unsigned\s+)?long(?:\s+long)?|u?int64_t|s?size_t|ptrdiff_t)\s+\w+\s*=\s*\Z")
"""The variable that it starts, which has the type that is missing."""
_STEP: Final = re.compile(rb"\w+\s*[+\-*]=|\+\+|\w+\s*\+\+")
_DECLARED: Final = re.compile(rb"(?<![\w:])(?:(?:unsigned|signed)\s+int|unsigned|signed|int|uint|u?int32_t)(?=\s+\Z)")
_REST: Final = re.compile(rb"\s*=[^,;{}]*;|\s*=[^,;{}]*\([^;{}]*\)[^,;{}]*;")


def _blanks(match: re.Match[bytes]) -> bytes:
    return b" " * len(match[0])


def _first_used(text: bytes, names: tuple[bytes, ...]) -> str | None:
    return next((name.decode() for name in names if re.search(rb"\b" + name + rb"\b", text)), None)


def _is_in_one_body(view: FrameView, found: Overflow) -> bool:
    """What is passed to or returned by a function has a type there, too."""
    items = [view.root.divergence.definition(value) for value in found.path]
    if any(isinstance(item, Load) for item in items):
        return False  # what is in memory has a type there
    elements = (item for _, item in view.root.function.instructions() if isinstance(item, ElementAddress))
    used = [item for item in elements if item.index == found.path[-1]]
    return all(item.span.frame == view.frame for item in used) and all(
        isinstance(item, Phi) or (item is not None and item.span.frame == view.frame) for item in items
    )


def _passed_through(view: FrameView, found: Overflow) -> list[Variable]:
    """The variables of 32 bits that hold what is computed from it, each once."""
    function = view.root.function
    values = set(found.path)
    variables: dict[tuple[int, int], Variable] = {}
    for definition in view.root.records[view.frame].definitions:
        variable = function.variables[definition.variable]
        is_narrow = isinstance(variable.type, IntegerType) and variable.type.bits == 32
        if definition.value in values and is_narrow:
            variables[variable.span.start, variable.span.end] = variable
    return list(variables.values())


def _of_declaration(text: bytes, variable: Variable, type_: str) -> Replacement | None:
    """The type of the only variable that is declared there."""
    before = text[: variable.span.start]
    found = _DECLARED.search(before[-40:])
    if found is None or _REST.match(text, variable.span.end) is None:
        return None
    offset = len(before) - len(before[-40:])
    return Replacement(offset + found.start(), offset + found.end(), type_)
