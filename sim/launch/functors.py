"""What stands for a template parameter that is called: a class of function objects of the file, or a function of it.

Rules    The first launch whose argument is written as an object of a class (`Scale{2.0f}`, `Scale(2.0f)`) decides.
         Otherwise the first class of the file that has `operator()` is chosen.
         For a pointer to a function, the first device function of the file with as many parameters as the call passes,
         those first that the file names without calling them.
Limits   A lambda has no name, so a kernel that is only launched with lambdas gets a class of the file or none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from analysis.launches import Launch
from analysis.lower.names import FunctionDeclaration, TemplateParameter
from analysis.lower.program import Program
from analysis.syntax.items import ItemKind

_OBJECT: Final = re.compile(r"\s*([A-Za-z_][\w:]*(?:\s*<[^(){};]*>)?)\s*[({]")
_CALLABLE: Final = re.compile(rb"\boperator\s*\(\s*\)\s*\(")


def called_types(
    program: Program, declaration: FunctionDeclaration, parameter: TemplateParameter, launches: Sequence[Launch]
) -> Iterator[tuple[str, str, bool]]:
    """Texts of types that may stand for the parameter, best first, with who says so and whether it is a choice.

    Nothing where the kernel calls no object of that type.
    """
    text = declaration.snippet.text
    word = re.escape(parameter.name.encode("utf-8", "replace"))
    objects = re.findall(rb"\b" + word + rb"\b[\s&]*(?:const\b|__restrict__\b)?[\s&]*(\w+)\s*[,)=;]", text)
    calls = [re.search(rb"(?<![\w.>])" + re.escape(name) + rb"\s*\(", text) for name in objects]
    counts = {_count(text, call.end()) for call in calls if call is not None}
    if not counts:
        return
    for launch in launches:
        for argument in launch.arguments:
            found = _OBJECT.match(argument)
            if found is not None:
                yield found[1], "a launch in the file", False
    for item in (*program.unit.items, *program.unit.included_items):
        if item.kind is ItemKind.RECORD and item.active and not item.is_template:
            operators = _CALLABLE.finditer(item.text)
            if any(_count(item.text, operator.end()) in counts for operator in operators):
                yield item.name, "chosen: a class of the file that can be called", True


def called_functions(program: Program, declaration: FunctionDeclaration, name: str) -> Iterator[str]:
    """Names of functions that may stand for a pointer to a function which the kernel calls `name`, best first."""
    text, word = declaration.snippet.text, re.escape(name.encode("utf-8", "replace"))
    calls = re.finditer(rb"(?<![\w.>])(?:" + word + rb"|\(\s*\*\s*" + word + rb"\s*\))\s*\(", text)
    counts = {_count(text, call.end()) for call in calls}
    items = (*program.unit.items, *program.unit.included_items)
    found: list[str] = []
    for item in items:
        if item.kind is ItemKind.FUNCTION and item.active and not item.is_template and b"__device__" in item.text:
            head = re.search(rb"\b" + re.escape(item.name.encode("utf-8", "replace")) + rb"\s*\(", item.text)
            if head is not None and _count(item.text, head.end()) in counts:
                found.append(item.name)
    uses = b"\n".join(item.text for item in items if item.active)
    yield from sorted(found, key=lambda one: not re.search(rb"\b" + re.escape(one.encode()) + rb"\b(?!\s*\()", uses))


def _count(text: bytes, start: int) -> int:
    """How many arguments or parameters a list has whose bracket has just been opened."""
    depth, commas, is_empty = 1, 0, True
    for character in text[start:].decode("latin-1"):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            break
        commas += depth == 1 and character == ","
        is_empty = is_empty and character.isspace()
    return 0 if is_empty else commas + 1
