"""Integers that a kernel's text names: macros, constants of the file, template arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from analysis.lower.names import ConstantName, FunctionDeclaration, TemplateArgument
from analysis.lower.program import Program
from sim.launch.instance import Instance, read_arguments

MAX_DEPTH: Final = 8
MAX_LENGTH: Final = 400

_WORD: Final = re.compile(r"[A-Za-z_]\w*")


def integer_constants(program: Program, instance: Instance, wanted: Callable[[str], object]) -> Mapping[str, int]:
    """The integers among the names in the kernel's text that are `wanted`, in alphabetical order."""
    declaration = program.declaration_of(instance.id)
    found: dict[str, int] = {}
    for word in sorted(declaration.item.identifiers):
        name = word.decode("utf-8", "replace")
        if wanted(name):
            number = integer_value(program, declaration, instance.arguments, name)
            if number is not None:
                found[name] = number
    return found


def integer_value(
    program: Program, declaration: FunctionDeclaration, arguments: Mapping[str, TemplateArgument], text: str
) -> int | None:
    """The value of a constant expression as it stands at the kernel; None where it has none."""
    expanded = _expanded(program, declaration.item.order, arguments, text, 0)
    if expanded is None:
        return None
    read = read_arguments(program.namespace_scope(declaration.item.namespace), expanded)
    if len(read) != 1 or not isinstance(read[0], ConstantName) or isinstance(read[0].value, float):
        return None
    return int(read[0].value)


def _expanded(
    program: Program, order: int, arguments: Mapping[str, TemplateArgument], text: str, depth: int
) -> str | None:
    """Object macros and template arguments replaced by what they stand for; None for what is no plain expression."""
    if depth > MAX_DEPTH or len(text) > MAX_LENGTH:
        return None
    parts: list[str] = []
    end = 0
    for match in _WORD.finditer(text):
        parts.append(text[end : match.start()])
        end = match.end()
        argument = arguments.get(match[0])
        macro = program.unit.macros.get(match[0].encode(), order)
        if isinstance(argument, ConstantName):
            parts.append(str(int(argument.value)))
        elif macro is None:
            parts.append(match[0])
        elif macro.parameters is not None:
            return None
        else:
            inner = _expanded(program, order, arguments, macro.body.decode("utf-8", "replace"), depth + 1)
            if inner is None:
                return None
            parts.append(f"({inner})" if _WORD.search(inner) or not inner.strip().isdigit() else inner)
    return "".join((*parts, text[end:]))
