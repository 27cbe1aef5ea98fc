"""The repair of a bound that is loaded in each round of a loop: a variable in front of it.

Offered  for what the head of a `for` loads, so that it is loaded at least once as it stands, if nothing that the loop
         declares occurs in it, and if the loop is a statement of a block.
Unsafe   since a store in the loop may be meant to change it.
"""

from __future__ import annotations

import re
from typing import Final

from analysis.facts.merge import FrameView
from analysis.ir.function import SourceBranchKind
from analysis.ir.instructions import Branch
from analysis.ir.source import Span
from analysis.refactor.edit import Replacement
from analysis.rules.diagnostic import Applicability, Fix
from analysis.rules.rule import Subject
from analysis.straightline.reloaded_indices import ReloadedIndex
from analysis.syntax.lexing import HIDDEN


def hoisting_fix(subject: Subject, view: FrameView, one: ReloadedIndex) -> Fix | None:
    """None where the text is not as expected."""
    if one.loop is None or not one.is_in_header or not one.is_bound:
        return None
    terminator = view.root.function.blocks[one.loop.header].terminator
    if not isinstance(terminator, Branch) or terminator.branch is None:
        return None
    branch = view.root.function.branches[terminator.branch]
    extent = branch.extent
    if branch.kind is not SourceBranchKind.LOOP or extent.frame != view.frame:
        return None
    start, whole = subject.function.start, subject.text.bytes(Span(0, subject.function.end - subject.function.start))
    visible = HIDDEN.sub(lambda match: b" " * len(match[0]), whole)
    head = _FOR.match(visible, extent.start)
    load = visible[one.load.start : one.load.end]
    loaded = _LOAD.fullmatch(load)
    if head is None or not extent.start < one.load.start < one.load.end <= extent.end or loaded is None:
        return None
    if head["name"] in _WORD.findall(load) or not head.end() <= one.load.start:
        return None
    before = visible[: extent.start].rstrip()
    if before[-1:] not in (b";", b"{", b"}"):
        return None
    name = _free_name(visible, loaded["array"].decode() + "_end")
    at = start + extent.start
    line = whole.rfind(b"\n", 0, extent.start) + 1
    indent = whole[line : extent.start]
    if indent.strip():
        return None
    return Fix(
        f"Load `{load.decode()}` once, in front of the loop",
        (
            Replacement(at, at, f"const auto {name} = {load.decode()};\n{indent.decode()}"),
            Replacement(start + one.load.start, start + one.load.end, name),
        ),
        Applicability.UNSAFE,
    )


_FOR: Final = re.compile(rb"for\s*\(\s*(?:[\w:]+\s+)+(?P<name>\w+)\s*=[^;{}]*;")
_LOAD: Final = re.compile(rb"(?:\w+\s*(?:\.|->)\s*)*(?P<array>\w+)\s*\[[^;{}=]*\]")
_WORD: Final = re.compile(rb"[A-Za-z_]\w*")


def _free_name(text: bytes, wanted: str) -> str:
    """The name, with a number where the function uses it already."""
    name, number = wanted, 1
    while re.search(rb"\b" + name.encode() + rb"\b", text):
        number += 1
        name = f"{wanted}{number}"
    return name
