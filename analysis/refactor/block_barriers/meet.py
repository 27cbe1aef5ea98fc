"""All threads of a block brought to the barriers of a function.

Question   Some threads miss a barrier that others wait at: they returned before, the barrier stands in one arm of a
           branch or in a loop that they left, or the arms of a branch wait at different barriers (SYN101 to SYN105).
           What text lets all threads come, and every thread do the work that it did?
Method     The whole function at once: its body is split at the barriers (`splitting.py`), and the work between them
           stands under conditions.
               if (i >= n) return;              if (i < n) tile[t] = x[i];
               tile[t] = x[i];           ->     __syncthreads();
               __syncthreads();                 if (i < n) y[i] = tile[0];
               y[i] = tile[0];
Proof      The new text is analysed.  Every barrier of the function must be convergent, nothing may be found in the file
           about barriers, races or warps that was not found before.
Refuses    whatever cannot be proven, with the reason.
Source     CUDA C++ Programming Guide, "Synchronization Functions"; the split is loop fission at barriers, Stratton,
           Stone and Hwu, "MCUDA", LCPC 2008, section 3.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, TypeAlias

from tree_sitter import Node

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.facts.object_ends import object_ends
from analysis.ir.instructions import WarpBarrier
from analysis.refactor.block_barriers.expressions import BUILTIN_INDEXES, Expressions
from analysis.refactor.block_barriers.knowledge import Knowledge, knowledge
from analysis.refactor.block_barriers.macros import hide_effects
from analysis.refactor.block_barriers.model import CannotMeet, Met, Obstacle, WhyNotMet
from analysis.refactor.block_barriers.pieces import Style, written
from analysis.refactor.block_barriers.reading import own_variables, template_numbers, text_of, walk
from analysis.refactor.block_barriers.splitting import Splitter
from analysis.refactor.edit import Replacement, apply_replacements
from analysis.refactor.layout import indentation, line_end
from analysis.verdict.barriers import BarrierVerdict

Reanalyze: TypeAlias = Callable[[bytes], FileAnalysis]
"""Analyses another text of the same file, with the same headers and settings."""

_INTEGERS: Final = re.compile(
    r"(?:unsigned |signed )?(?:char|short|int|long|long long)|unsigned|bool|size_t|u?int(?:8|16|32|64)_t"
)
_WORD: Final = re.compile(rb"[A-Za-z_]\w*")
_UNIT: Final = "  "


def draft_meeting(analysis: FileAnalysis, function: FunctionFacts) -> Met | CannotMeet | None:
    """The edit for a function, unproven; None where no branch of it keeps threads from a barrier."""
    known = knowledge(analysis, function)
    if not known.parting:
        return None
    ends = next((end for view in analysis.views(function) for end in object_ends(view)), None)
    if ends is not None:
        return CannotMeet(WhyNotMet.DESTRUCTOR, function.start + ends.start)
    try:
        return _Drafter(analysis, function).drafted(known)
    except Obstacle as obstacle:
        return obstacle.answer


def meet_barriers(analysis: FileAnalysis, function: FunctionFacts, reanalyze: Reanalyze) -> Met | CannotMeet | None:
    """The same, proven."""
    draft = draft_meeting(analysis, function)
    if not isinstance(draft, Met):
        return draft
    after = reanalyze(apply_replacements(analysis.document.text, draft.edit))
    refuted = _refuted(analysis, after, function)
    return draft if refuted is None else refuted


class _Drafter:
    def __init__(self, analysis: FileAnalysis, function: FunctionFacts) -> None:
        self._analysis = analysis
        self._facts = function
        self._text = analysis.document.text
        self._names = {word.decode() for word in _WORD.findall(_without_others(analysis, function))}

    def drafted(self, known: Knowledge) -> Met:
        node = self._definition()
        body = node.child_by_field_name("body")
        if body is None or node.has_error or body.type != "compound_statement" or not body.named_children:
            raise Obstacle(WhyNotMet.BROKEN, self._facts.start)
        if hide_effects(self._analysis, self._facts, node):
            raise Obstacle(WhyNotMet.MACRO, self._facts.start)
        splitter = Splitter(
            self._text,
            node,
            known,
            Expressions(self._text, own_variables(node) | template_numbers(node), self._is_integer),
            self._fresh,
            self._agrees,
        )
        pieces = splitter.body(body)
        inside = indentation(self._text, body.named_children[0].start_byte)
        lines = list(written(pieces, inside, self._style(body, inside)))
        return Met(tuple(self._edit(body, lines)), tuple(splitter.steps), known.parting)

    def _definition(self) -> Node:
        tree = self._analysis.document.tree
        if tree is None:
            raise Obstacle(WhyNotMet.BROKEN, self._facts.start)
        name = self._facts.start + self._facts.name_span.start
        node = tree.root_node.descendant_for_byte_range(name, name)
        while node is not None and node.type != "function_definition":
            node = node.parent
        if node is None:
            raise Obstacle(WhyNotMet.BROKEN, self._facts.start)
        return node

    def _edit(self, body: Node, lines: Sequence[str]) -> Iterator[Replacement]:
        """The lines that differ, as few as are found."""
        end = line_end(self._text, body.start_byte)
        start, stop = body.start_byte + 1, body.end_byte - 1
        old = self._text[start:stop].decode("utf-8", "surrogateescape").splitlines(keepends=True)
        closing = indentation(self._text, body.end_byte - 1) if old and not old[-1].strip() else ""
        new = [end, *(line + end for line in lines), closing]
        if old and old[0].strip():
            old = ["", *old]
        offsets = [start]
        for line in old:
            offsets.append(offsets[-1] + len(line.encode("utf-8", "surrogateescape")))
        for kind, first, last, begin, until in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind != "equal":
                text = "".join(new[begin:until])
                if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
                    raise Obstacle(WhyNotMet.BROKEN, offsets[first])  # bytes that are no UTF-8
                yield Replacement(offsets[first], offsets[last], text)

    def _style(self, body: Node, inside: str) -> Style:
        outside = indentation(self._text, self._facts.start)
        unit = inside[len(outside) :] if inside.startswith(outside) and inside != outside else _UNIT
        blocks = (one for one in walk(body) if one.type == "compound_statement" and one != body)
        first = next((one for one in blocks if one.start_point.row < one.end_point.row), body)
        before = self._text[self._text.rfind(b"\n", 0, first.start_byte) + 1 : first.start_byte]
        return Style(unit, is_below=not before.strip())

    # -- what the parts ask -------------------------------------------------------------------------------------------

    def _is_integer(self, identifier: Node) -> bool:
        found = self._analysis.expression_at(identifier.start_byte)
        is_own = found is not None and found.text == text_of(identifier)
        return is_own and found is not None and _INTEGERS.fullmatch(found.type) is not None

    def _agrees(self, identifier: Node) -> bool:
        """Builtin indexes by their name, for the name alone is an aggregate of three."""
        name = text_of(identifier)
        if name in BUILTIN_INDEXES:
            return name != "threadIdx"
        found = self._analysis.expression_at(identifier.start_byte)
        return found is not None and found.text == name and found.level <= Level.BLOCK

    def _fresh(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._names:
            number += 1
            name = f"{wanted}{number}"
        self._names.add(name)
        return name


def _without_others(analysis: FileAnalysis, function: FunctionFacts) -> bytes:
    """The text of the file without the other functions."""
    text, position, parts = analysis.document.text, 0, list[bytes]()
    for one in analysis.facts.functions:
        if one.start != function.start and one.start >= position:
            parts.append(text[position : one.start])
            position = one.end
    return b" ".join([*parts, text[position:]])


# -- the text after the change -----------------------------------------------------------------------------------------


def _refuted(before: FileAnalysis, after: FileAnalysis, function: FunctionFacts) -> CannotMeet | None:
    changed = next((one for one in after.facts.functions if one.id == function.id), None)
    if changed is None or after.facts.parse_errors > before.facts.parse_errors:
        return CannotMeet(WhyNotMet.BROKEN)
    if Counter(one.construct for one in changed.opaque) - Counter(one.construct for one in function.opaque):
        return CannotMeet(WhyNotMet.NOT_UNDERSTOOD)
    if knowledge(after, changed).parting:
        return CannotMeet(WhyNotMet.STILL_MISSED)
    return CannotMeet(WhyNotMet.NEW_PROBLEM) if _problems(after) - _problems(before) else None


def _problems(analysis: FileAnalysis) -> Counter[tuple[str, str]]:
    """What is found about barriers, warps and races, by function and kind."""
    found: Counter[tuple[str, str]] = Counter()
    for function in analysis.facts.functions:
        name = str(function.id)
        races = sum(1 for _ in analysis.race_records(function))
        if races:
            found[name, "race"] += races
        for view in analysis.views(function):
            found.update((name, problem.kind.name) for problem in view.root.warp_problems)
            for site in view.root.barriers:
                if site.verdict is not BarrierVerdict.CONVERGENT and isinstance(site.instruction, WarpBarrier):
                    found[name, "warp barrier"] += 1
                elif site.verdict is not BarrierVerdict.CONVERGENT and site.evidence and site.evidence.guards:
                    found[name, "block barrier"] += 1
    return found
