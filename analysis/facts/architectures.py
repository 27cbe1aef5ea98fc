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
    if not unit.says(_ARCHITECTURE):
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
    """Only what stands around the names is looked at: an edit waits for this."""
    own = unit.text_of(unit.path) or b""
    asking = {_ARCHITECTURE}
    carried = [one for one in _macros_with(unit, _ARCHITECTURE) if one.name in own]
    for one in carried:
        if one.parameters is None and _ALONE.fullmatch(one.body) is not None:
            asking.add(one.name)
            carried += [other for other in _macros_with(unit, one.name) if other.name in own]
    for text in (own, *(one.body for one in carried)):
        for name in sorted(asking):
            for way, operand in _comparisons(text, name):
                yield from ((way, number) for number in _numbers(unit, operand, own, carried))
    for found in _OF_LIBRARY.finditer(own) if _LIBRARY in own else ():
        yield (b"==" if found[1] != b"PROVIDES" else b">="), 10 * int(found[2])


def _macros_with(unit: TranslationUnit, name: bytes) -> Sequence[MacroDefinition]:
    """Those in whose definition a name stands."""
    definitions = (one for history in unit.macros.names.values() for _, one in history)
    return [one for one in definitions if one is not None and name in one.body and one.name != name]


def _comparisons(text: bytes, name: bytes) -> Iterator[tuple[bytes, bytes]]:
    """What a name is compared with in a text, and how."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        behind, before = _BEHIND.match(text, end), _BEFORE.search(text, max(0, at - _AROUND), at)
        if behind is not None:
            yield behind[1], behind[2]
        elif before is not None:
            yield _TURNED[before[2]], before[1]
        at = text.find(name, end)


def _numbers(unit: TranslationUnit, operand: bytes, own: bytes, carried: Sequence[MacroDefinition]) -> Iterator[int]:
    """What an operand stands for: a number, a macro for one, or what is passed to the macro that compares."""
    found = [operand]
    named = (one for _, one in unit.macros.names.get(operand, ()))
    found += [one.body.strip(b"( )") for one in named if one is not None and one.parameters is None]
    for one in carried:
        if one.parameters is not None and operand in one.parameters:
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
_BEHIND: Final = re.compile(rb"[\s)]*" + _WAY + rb"[\s(]*(\w+)")
_BEFORE: Final = re.compile(rb"(\w+)[\s)]*" + _WAY + rb"[\s(]*$")
_AROUND: Final = 60
"""Bytes before a name in which a comparison with it begins."""
_WAYS: Final[Mapping[bytes, Callable[[int, int], bool]]] = {
    b">=": operator.ge,
    b"<=": operator.le,
    b"==": operator.eq,
    b"!=": operator.ne,
    b"<": operator.lt,
    b">": operator.gt,
}
_TURNED: Final = {b">=": b"<=", b"<=": b">=", b"<": b">", b">": b"<", b"==": b"==", b"!=": b"!="}
