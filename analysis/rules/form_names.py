"""By which name does the source know a value at a place of one view?

Rules    A variable has the name if its last read or assignment before the place had the value; failing that, what is
         read first behind it.  Then come parameters that nothing reads, then whatever short text has the value.
Cost     One walk over the view for all places, when the first name is asked for; then what is known of one value.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, TypeAlias, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView
from analysis.facts.model import FunctionFacts
from analysis.ir.function import SourceBranch, SourceBranchKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import ElementAddress
from analysis.ir.pace import paced
from analysis.ir.source import OWN_FRAME
from analysis.rules.access_text import closing
from analysis.rules.source_text import one_line

MAX_NAME: Final = 24
MAX_TEXT: Final = 10 * MAX_NAME
"""A longer text is no short name even where blanks and comments do not count."""

_IDENTIFIER: Final = re.compile(rb"[A-Za-z_]\w*")
_SUBSCRIPT: Final = re.compile(rb"[A-Za-z_]\w*\s*\[")
_POSTFIX: Final = re.compile(r"[A-Za-z_]\w*(?:\.\w+|->\w+|\[\w+\])*")

_Declared: TypeAlias = tuple[bytes, int]
"""A name, and how many declarations of it stand before its use: the last one is meant."""


def names_of(analysis: FileAnalysis, function: FunctionFacts, view: FrameView) -> ViewNames:
    """The names of one of the function's views, found once for as long as its facts last, which hold the view."""

    def found() -> ViewNames:
        return ViewNames(view, analysis.document.text[function.start : function.end])

    return analysis.remembered(function, (ViewNames, id(view)), found)


@final
class ViewNames:
    """The names of one view; `text` is the function's."""

    def __init__(self, view: FrameView, text: bytes) -> None:
        self._view = view
        self._function = view.root.function
        self._text = text
        self._uses: dict[_Declared, list[tuple[int, ValueId]]] = {}
        self._known_as: dict[ValueId, list[_Declared]] = {}
        self._texts: dict[ValueId, str] = {}
        self._declared: dict[bytes, list[_Declared]] = {}
        self._is_collected = False

    def name(self, value: ValueId, place: int) -> str | None:
        """The name of the value for who reads the text at `place`."""
        if not self._is_collected:
            self._collect()
            self._is_collected = True  # not before: the walk may be cancelled, and begins anew then
        return self._variable(value, place) or self._unread_parameter(value, place) or self._texts.get(value)

    def _variable(self, value: ValueId, place: int) -> str | None:
        known = next((key for key in self._known_as.get(value, ()) if self._held(key, place) == value), None)
        return None if known is None else known[0].decode("utf-8", "replace")

    def _held(self, key: _Declared, place: int) -> ValueId:
        """What the variable held last before the place; failing that, what is read first behind it."""
        uses = self._uses[key]
        before = bisect_right(uses, place, key=lambda use: use[0])
        if before:
            return uses[before - 1][1]
        return uses[bisect_right(uses, uses[0][0], key=lambda use: use[0]) - 1][1]

    def _unread_parameter(self, value: ValueId, place: int) -> str | None:
        if self._view.frame != OWN_FRAME:
            return None
        for parameter in self._function.parameters:
            if parameter.value == value and not self._is_shown(parameter.name, place):
                return parameter.name
        return None

    def _is_shown(self, name: str, place: int) -> bool:
        """Whether some value has this name at the place."""
        keys = self._declared.get(name.encode(), ())
        return any(self._variable(self._held(key, place), place) == name for key in keys)

    # -- one walk ---------------------------------------------------------------------------------------------------

    def _collect(self) -> None:
        for kept in (self._uses, self._known_as, self._texts, self._declared):
            kept.clear()
        declared = self._declarations()
        for start, end, value in paced((*self._values(), *self._assigned())):
            found = _IDENTIFIER.match(self._text, start)
            if found is not None and end in (None, found.end()):
                key = found[0], bisect_right(declared.get(found[0], []), start)
                self._uses.setdefault(key, []).append((start, value))
            elif end is not None and end - start <= MAX_TEXT and value not in self._texts:
                text = one_line(self._text[start:end])
                if len(text) <= MAX_NAME:
                    self._texts[value] = text if _POSTFIX.fullmatch(text) else f"({text})"
        for key, uses in paced(reversed(self._uses.items())):  # of two names, the one that is used first later
            uses.sort()
            for value in {value for _, value in uses}:
                self._known_as.setdefault(value, []).append(key)
        for key in self._uses:
            self._declared.setdefault(key[0], []).append(key)

    def _values(self) -> Iterator[tuple[int, int | None, ValueId]]:
        """Reads in this frame: (start, end, value); without an end, the pointer in front of the first subscript."""
        frame = self._view.frame
        for expression in self._function.expressions:
            if expression.span.frame == frame:
                yield expression.span.start, expression.span.end, expression.value
        first: dict[int, tuple[int, ValueId]] = {}
        for _, instruction in self._function.instructions():
            span = instruction.span
            if isinstance(instruction, ElementAddress) and span.frame == frame:
                subscript = _SUBSCRIPT.match(self._text, span.start, span.end)
                if subscript is not None and (span.start not in first or span.end < first[span.start][0]):
                    first[span.start] = span.end, instruction.base
        yield from ((start, None, base) for start, (_, base) in first.items())

    def _assigned(self) -> Iterator[tuple[int, None, ValueId]]:
        """Where variables get a value; not in the head of a `for`, which runs after what stands behind it."""
        frame = self._view.frame
        heads = [
            (branch.keyword.start, closing(self._text, branch.keyword.end) or branch.keyword.end)
            for branch in self._function.branches
            if branch.kind is SourceBranchKind.LOOP and branch.keyword.frame == frame and self._is_for(branch)
        ]
        for definition in self._function.definitions:
            start = definition.span.start
            if definition.span.frame == frame and not any(head <= start < end for head, end in heads):
                yield start, None, definition.value

    def _is_for(self, branch: SourceBranch) -> bool:
        return self._text[branch.keyword.start : branch.keyword.end] == b"for"

    def _declarations(self) -> dict[bytes, list[int]]:
        """Where the variables of this frame are declared, by name: a use means the last one before it."""
        found: dict[bytes, list[int]] = {}
        for declared in self._function.variables:
            if declared.span.frame == self._view.frame and declared.name:
                found.setdefault(declared.name.encode(), []).append(declared.span.start)
        return {name: sorted(starts) for name, starts in found.items()}
