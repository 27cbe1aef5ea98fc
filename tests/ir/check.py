"""`check_pass`: textual IR in, textual IR out beside it; only this file knows how passes are called."""

from __future__ import annotations

import re
from collections.abc import Callable

from analysis.ir.function import Function
from analysis.ir.parser import parse_function
from analysis.ir.printer import print_function
from analysis.ir.verifier import verify

_DEFINED = re.compile(r"(?:^\s*|[(,]\s*)%(\d+)(?: \w+)?: (?=\S)", re.MULTILINE)


def well_formed(text: str) -> Function:
    """The function that `text` describes, verified."""
    function = parse_function(text)
    assert verify(function) == ()
    return function


def check_pass(run: Callable[[Function], Function], before: str, after: str) -> Function:
    """`run` turns `before` into `after`, up to the numbers of values; all three are well formed."""
    changed = run(well_formed(before))
    assert verify(changed) == ()
    assert canonical(changed) == canonical(well_formed(after))
    return changed


def stays(run: Callable[[Function], Function], text: str) -> None:
    """`run` finds nothing to do."""
    function = well_formed(text)
    assert run(function) is function


def canonical(function: Function) -> str:
    """The text with values numbered in order of definition, and without the header's parameter names."""
    text = "\n".join(line for line in print_function(function).splitlines() if not line.startswith("  values "))
    order: dict[str, int] = {}
    for found in _DEFINED.finditer(text):
        order.setdefault(found[1], len(order))
    return re.sub(r"%(\d+)", lambda found: f"%{order[found[1]]}", text)
