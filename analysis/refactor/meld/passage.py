"""One branch of a function with everything that reading and planning it look at, as data that can be compared.

Question  Does a plan that was made for an earlier version of the function still hold?
Rules     Reader and planner are given a passage and the settings, and nothing else.  So equal passages have equal
          plans, whatever was edited around them: a passage is the key under which plans are remembered.
          Places count from the beginning of the line in which the branch begins, so a passage that moved is equal.
          What the IR says is there as it was read: prices, types, and the names that have one type.
Names     Of what names mean, only those are kept that occur in the letters of the passage.
Hash      of the small fields: what text means seldom differs where the text is the same.
Cost      O(nodes and instructions of the branch + names of the function): a small part of what planning costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from operator import itemgetter
from typing import TypeAlias, final

from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import Type
from analysis.lower.names import Scope
from analysis.refactor.meld.bound_arguments import bound_arguments
from analysis.refactor.meld.knowledge import Knowledge, Price
from analysis.refactor.meld.spelled_types import SpelledType, spelled_types
from analysis.refactor.meld.survey import Survey
from analysis.syntax.frozen_tree import FrozenTree, frozen
from analysis.syntax.source_map import SourceMap
from analysis.syntax.tree import Node

Place: TypeAlias = tuple[int, int]
"""Where something starts and ends in the text of a passage."""


@final
@record
class Passage:
    """An `if` or `switch` statement, with what is asked about it."""

    text: bytes
    """The text of the file, from the beginning of the line."""
    source: bytes
    """The same with macros expanded; the tree was made from it, and its places are those of `source`."""
    tree: FrozenTree = field(hash=False)
    source_map: SourceMap = field(hash=False)
    prices: tuple[Price, ...] = field(hash=False)
    types: tuple[tuple[int, int, tuple[Type, ...]], ...] = field(hash=False)
    """Of expressions, by where they start and end in `text`."""
    names: tuple[tuple[str, tuple[Type, ...]], ...] = field(hash=False)
    """Variables that have one type."""
    aliased: frozenset[str]
    """Variables that other names may change."""
    hidden: frozenset[str]
    """Names that the text of a macro spells."""
    in_registers: frozenset[str]
    """Arrays of a thread that a selected address would force into memory."""
    bound: frozenset[Place]
    """Arguments that a call may change through a reference, by where they stand in `source`."""
    spelled: tuple[tuple[str, SpelledType], ...] = field(hash=False)
    """How the function spells the types of variables."""
    enumerations: frozenset[str]
    """Those with a scope."""
    parting: frozenset[Place]
    """The keywords of the branches that often split a warp."""
    has_all_cases: bool
    """Of a `switch`: whether its value is always one of the labels."""
    asked: tuple[Place, ...]
    """The keywords of the branches whose plans are wanted, in the order of the text."""


@final
@record
class Located:
    """A passage, and how far from the beginning of the function it begins."""

    passage: Passage
    origin: int


@final
class Passages:
    """Makes the passages of one function in one call context."""

    def __init__(
        self, text: bytes, survey: Survey, knowledge: Knowledge, scope: Scope, enumerations: frozenset[str]
    ) -> None:
        self._text = text
        self._snippet = survey.snippet
        self._knowledge = knowledge
        self._scope = scope
        self._variables = survey.variables
        self._calls_in = survey.calls_in
        self._spelled = spelled_types(text, survey)
        self._enumerations = enumerations
        self._aliased = survey.aliased | knowledge.in_registers
        self._hidden = survey.hidden(text)

    def located(self, fork: Node, parting: Iterable[Span], asked: Sequence[Span]) -> Located:
        """The passage of an `if` or `switch` statement; the places of keywords count in the function."""
        span = self._snippet.span(fork.start, fork.end)
        origin, tree_origin, source, source_map = self._source(fork, span)
        text = self._text[origin : span.end]
        words = text.decode("utf-8", "replace") + "\n" + source.decode("utf-8", "replace")

        def moved(place: Span) -> Place:
            return place.start - origin, place.end - origin

        def spelled(names: Iterable[str]) -> frozenset[str]:
            return frozenset(name for name in names if name in words)

        knowledge = self._knowledge
        types_in_words = tuple(
            (name, type_) for name, type_ in sorted(self._spelled.items(), key=itemgetter(0)) if name in words
        )
        words_of_types = "\n".join([words, *(type_.text for _, type_ in types_in_words)])
        return Located(
            Passage(
                text,
                source,
                frozen(fork, tree_origin),
                source_map,
                knowledge.prices(span, origin),
                tuple((start - origin, end - origin, types) for (start, end), types in knowledge.types(span).items()),
                tuple((name, types) for name, types in knowledge.names.items() if name in words),
                spelled(self._aliased),
                spelled(self._hidden),
                spelled(knowledge.in_registers),
                self._bound(fork, tree_origin),
                types_in_words,
                frozenset(name for name in self._enumerations if name in words_of_types),
                frozenset(moved(place) for place in parting if span.start <= place.start and place.end <= span.end),
                fork.kind == "switch_statement" and knowledge.has_all_cases(span),
                tuple(map(moved, asked)),
            ),
            origin,
        )

    def _bound(self, fork: Node, origin: int) -> frozenset[Place]:
        found = (one for call in self._calls_in(fork) for one in bound_arguments(self._scope, call, self._variables))
        return frozenset((one.start - origin, one.end - origin) for one in found)

    def _source(self, fork: Node, span: Span) -> tuple[int, int, bytes, SourceMap]:
        """Where text and tree begin, the expanded text, and its map.

        Beside a macro one character more on both sides says whether the branch begins or ends inside it.
        """
        known = self._snippet.source_map
        if not known.starts:
            origin = self._line_of(span.start)
            return origin, origin, self._snippet.text[origin : fork.end], known
        start = max(fork.start - 1, 0)
        part = known.part(start, fork.end + 1)
        origin = self._line_of(min([span.start, *(end for end in part.origin_ends if end >= 0)]))
        return origin, start, self._snippet.text[start : fork.end + 1], part.counted_from(origin)

    def _line_of(self, offset: int) -> int:
        return self._text.rfind(b"\n", 0, offset) + 1
