"""For which architectures does a file read differently than for the one that it is analysed for?

Question  `#if __CUDA_ARCH__ >= 800` has two sides, and one build may compile both.  Which other values of
          `__CUDA_ARCH__` make another text of this file?
Rules     Every comparison with a number, or with a macro that stands for one, counts: in directives and in code, and in
          macros that the file uses, so that `#define HAS_ASYNC_COPY (__CUDA_ARCH__ >= 800)` counts in whatever header.
          So does what `<nv/target>` asks.  Architectures for which all comparisons come out alike are one, and of these
          the one nearest to the analysed architecture stands for all.
          What no build makes is left out: no compiler in use reads `#if __CUDA_ARCH__ < 350`.
Limits    What headers ask counts where they are analysed themselves, unless a macro carries it here.
          `MAX_OTHERS` architectures, the nearest first.  Arithmetic (`__CUDA_ARCH__ / 100 >= 8`) says nothing.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from analysis.syntax.environment import ARCHITECTURES, Language
from analysis.syntax.lexing import identifiers, without_hidden
from analysis.syntax.macros import MacroDefinition
from analysis.syntax.translation_unit import TranslationUnit

MAX_OTHERS: Final = 6

_Test: TypeAlias = tuple[bytes, int]
"""A comparison of the architecture with a number."""


def other_architectures(unit: TranslationUnit, built_for: Sequence[int] = ()) -> tuple[int, ...]:
    """One for each way in which the file reads otherwise; `built_for`: all that it is compiled for, where that is
    known."""
    if unit.environment.language is not Language.CUDA or not _is_asked_for(unit):
        return ()
    own, found = unit.environment.architecture, list[int]()
    tests = frozenset(_tests(unit))
    known = {_answers(tests, own)}
    for one in sorted(built_for or ARCHITECTURES, key=lambda one: (abs(one - own), -one)):
        if (answers := _answers(tests, one)) not in known:
            known.add(answers)
            found.append(one)
    return tuple(found[:MAX_OTHERS])


def _is_asked_for(unit: TranslationUnit) -> bool:
    """To see at a glance: most files name no architecture, and no macro that does."""
    own = unit.text_of(unit.path) or b""
    if _ARCHITECTURE in own or _LIBRARY in own:
        return True
    if not any(_ARCHITECTURE in (unit.text_of(path) or b"") for path in unit.read_paths):
        return False
    return any(
        definition is not None and _ARCHITECTURE in definition.body and name in own
        for name, definitions in unit.macros.names.items()
        for _, definition in definitions
    )


def _answers(tests: frozenset[_Test], architecture: int) -> frozenset[_Test]:
    """The comparisons that come out true."""
    return frozenset((way, number) for way, number in tests if _WAYS[way](architecture, number))


def _tests(unit: TranslationUnit) -> Iterator[_Test]:
    own = without_hidden(unit.text_of(unit.path) or b"")
    used = _used_macros(unit, own)
    asking = {_ARCHITECTURE, *(one.name for one in used if one.parameters is None and _ALONE.fullmatch(one.body))}
    name = rb"\b(?:" + b"|".join(map(re.escape, sorted(asking))) + rb")\b"
    left, right = name + rb"[\s)]*" + _WAY + rb"[\s(]*(\w+)", rb"(\w+)[\s)]*" + _WAY + rb"[\s(]*" + name
    comparison = re.compile(left + b"|" + right)
    for text in (own, *(one.body for one in used)):
        for found in comparison.finditer(text):
            way = found[1] or _TURNED[found[4]]
            for number in _numbers(found[2] or found[3], own, used):
                yield way, number
    for found in _OF_LIBRARY.finditer(own):
        yield (b"==" if found[1] != b"PROVIDES" else b">="), 10 * int(found[2])


def _used_macros(unit: TranslationUnit, own: bytes) -> Sequence[MacroDefinition]:
    """The macros that a text names, and those that these are made of."""
    found: dict[bytes, MacroDefinition] = {}
    waiting = [*(identifiers(own) & unit.macros.names.keys())]
    while waiting:
        name = waiting.pop()
        last = next((one for _, one in reversed(unit.macros.names[name]) if one is not None), None)
        if name not in found and name != _ARCHITECTURE and last is not None:
            found[name] = last
            waiting += identifiers(last.body) & unit.macros.names.keys()
    return [*found.values()]


def _numbers(operand: bytes, own: bytes, used: Sequence[MacroDefinition]) -> Iterator[int]:
    """What an operand stands for: a number, a macro for one, or what is passed to the macro that compares."""
    found = [operand]
    for one in used:
        if one.name == operand and one.parameters is None:
            found.append(one.body.strip(b"( )"))
        elif one.parameters is not None and operand in one.parameters:
            calls = re.finditer(rb"\b" + re.escape(one.name) + rb"\s*\(([^()]*)\)", own)
            found += [argument.strip() for call in calls for argument in call[1].split(b",")]
    for text in found:
        if (number := _NUMBER.fullmatch(text)) is not None:
            yield int(number[1])


_ARCHITECTURE: Final = b"__CUDA_ARCH__"
_LIBRARY: Final = b"NV_"
"""Beginning of the names of `<nv/target>`."""
_OF_LIBRARY: Final = re.compile(rb"\bNV_(PROVIDES|IS_EXACTLY|HAS_FEATURE)_SM_(\d{2,3})[af]?\b")
_ALONE: Final = re.compile(rb"[(\s]*" + _ARCHITECTURE + rb"[)\s]*")
_NUMBER: Final = re.compile(rb"(\d{1,6})[uUlL]*")
_WAY: Final = rb"(>=|<=|==|!=|<(?!<)|>(?!>))"
_WAYS: Final[Mapping[bytes, Callable[[int, int], bool]]] = {
    b">=": operator.ge,
    b"<=": operator.le,
    b"==": operator.eq,
    b"!=": operator.ne,
    b"<": operator.lt,
    b">": operator.gt,
}
_TURNED: Final = {b">=": b"<=", b"<=": b">=", b"<": b">", b">": b"<", b"==": b"==", b"!=": b"!="}
