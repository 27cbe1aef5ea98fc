"""Variables, parameters and branch keywords with what the warp sees, for editors that tint them.

Rules    Only what the analysis knows something about gets a token, so a language server for C++ beside us keeps the
         rest: declared names, their reads and assignments, and the keywords and operators of branches.
         Each is `uniform` (one value per warp at this use), `affine` (varying, and linear in the thread index; of a
         branch: a bounds check, at which few warps split) or `varying`, and `divergentBlock` where only a part of the
         warp may run it; `splitBlock` as well where more than bounds checks decide about that.  A function that was
         inlined in several places gets the worst of them.
Cost     Found once per function, kept while its facts are the same object (`TokenCache`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from itertools import chain
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView, branches_at
from analysis.facts.model import BranchFact, FunctionFacts
from analysis.facts.roots import RootAnalysis
from analysis.features.semantic_token_places import FramePlaces, blocks_at, places_by_frame, value_places
from analysis.features.summary import deciding_level, is_bounds_check
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.source import FrameId
from analysis.verdict.grade import Grade


class TokenKind(Enum):
    """The values are LSP's names."""

    VARIABLE = "variable"
    PARAMETER = "parameter"
    KEYWORD = "keyword"
    OPERATOR = "operator"


class Variance(Enum):
    """From best to worst in the order of definition; the values are the names of the modifiers."""

    UNIFORM = "uniform"
    AFFINE = "affine"
    VARYING = "varying"


DIVERGENT_BLOCK: Final = "divergentBlock"
SPLIT_BLOCK: Final = "splitBlock"
"""The names of the modifiers."""


@final
@record
class SemanticToken:
    """`start` and `end` are byte offsets: of the file, or of the function while cached."""

    start: int
    end: int
    kind: TokenKind
    variance: Variance
    in_divergent_block: bool
    in_split_block: bool


@final
class TokenCache:
    """Tokens of functions that did not change, kept beside their facts; belongs to one worker, like the analyzer."""

    def of(self, file: _FileTokens, analysis: FileAnalysis, function: FunctionFacts) -> tuple[SemanticToken, ...]:
        return analysis.remembered(function, self, lambda: file.tokens(function))


def semantic_tokens(
    analysis: FileAnalysis, start: int = 0, end: int | None = None, cache: TokenCache | None = None
) -> list[SemanticToken]:
    """The tokens of the file between two offsets, in text order, without overlaps."""
    last = len(analysis.document.text) if end is None else end
    kept = TokenCache() if cache is None else cache
    file = _FileTokens(analysis)
    found: dict[int, SemanticToken] = {}
    for function in paced(analysis.facts.functions):
        if function.active and function.start < last and start < function.end:
            base = function.start
            for token in paced(kept.of(file, analysis, function), 3):
                if base + token.start < last and start < base + token.end:
                    found[base + token.start] = replace(token, start=base + token.start, end=base + token.end)
    return [found[offset] for offset in sorted(found)]


_IDENTIFIER: Final = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_TARGET: Final = re.compile(rb"(?:\+\+|--)?\s*([A-Za-z_$\x80-\xff][\w$\x80-\xff]*)")
_KEYWORDS: Final = frozenset({b"if", b"for", b"while", b"do", b"switch"})
_OPERATORS: Final = frozenset({b"?", b"&&", b"||"})


@final
class _FileTokens:
    """The tokens of functions of one analysis; a root is walked once for all that were inlined into it."""

    def __init__(self, analysis: FileAnalysis) -> None:
        self._analysis = analysis
        self._roots: dict[int, _Root] = {}

    def tokens(self, function: FunctionFacts) -> tuple[SemanticToken, ...]:
        """Relative to the function."""
        text = self._analysis.document.text[function.start : function.end]
        names = _Names(function)
        found: dict[int, SemanticToken] = {}
        for view in self._analysis.views(function):
            for token in paced(_of_view(view, self._root(view), text, names), 3):
                found[token.start] = _worse(found.get(token.start), token)
        for branch in paced(function.branches, 5):
            views = self._analysis.views(function) if branch.convergent is Level.VARYING else ()
            is_split = any(self._root(view).splits_before(view, branch) for view in views)
            found |= {token.start: token for token in _of_branch(branch, text, is_split)}
        return tuple(found[start] for start in sorted(found))

    def _root(self, view: FrameView) -> _Root:
        known = self._roots.get(id(view.root))
        if known is None:
            known = self._roots[id(view.root)] = _Root(view.root)
        return known


@final
class _Root:
    """What is asked about one root, for all views of it."""

    def __init__(self, root: RootAnalysis) -> None:
        self._root = root
        self._frames = places_by_frame(root)
        self._split: dict[BasicBlockId, bool] = {}
        self._splitting: dict[BasicBlockId, bool] = {}

    def places(self, frame: FrameId) -> FramePlaces:
        return self._frames.get(frame) or FramePlaces()

    def splits_before(self, view: FrameView, branch: BranchFact) -> bool:
        sites = [site for here in branches_at(view, branch) for site in self._root.divergence.branch_sites(here)]
        return any(self.is_split(block) for block, _ in sites)

    def is_split(self, block: BasicBlockId) -> bool:
        """Whether a part of the warp may run it for another reason than bounds checks."""
        known = self._split.get(block)
        if known is None:
            known = self._split[block] = self._find_split(block)
        return known

    def _find_split(self, block: BasicBlockId) -> bool:
        if self._root.divergence.convergence(block) is not Level.VARYING:
            return False
        deciding = self._root.control.iterated_controllers(block)
        varying = [one for one in deciding if self._root.divergence.terminator_level(one) is Level.VARYING]
        return not varying or any(map(self._splits, varying))

    def _splits(self, block: BasicBlockId) -> bool:
        known = self._splitting.get(block)
        if known is None:
            grading = self._root.grader.decision(block)
            is_check = grading is not None and grading.grade in (Grade.ALIGNED, Grade.BOUNDARY)
            known = self._splitting[block] = not is_check
        return known


@final
class _Names:
    """The declared names of a function: which declaration does a use mean?"""

    def __init__(self, function: FunctionFacts) -> None:
        self._declared: dict[bytes, list[tuple[int, TokenKind]]] = {}
        for variable in paced(sorted(function.variables, key=lambda variable: variable.span.start)):
            kind = TokenKind.PARAMETER if variable.is_parameter else TokenKind.VARIABLE
            self._declared.setdefault(variable.name.encode(), []).append((variable.span.start, kind))

    def kind(self, name: bytes, start: int) -> TokenKind | None:
        """Of the last declaration with this name before a use; None for a name declared elsewhere."""
        declared = self._declared.get(name)
        if declared is None:
            return None
        index = bisect_right(declared, start, key=lambda item: item[0])
        return declared[index - 1][1] if index else None


def _of_view(view: FrameView, root: _Root, text: bytes, names: _Names) -> Iterator[SemanticToken]:
    places = root.places(view.frame)
    values: dict[tuple[int, int], list[ValueId]] = {}
    kinds: dict[tuple[int, int], TokenKind] = {}
    for start, end, value in paced(chain(value_places(places), _targets(places, text)), 3):
        name = _IDENTIFIER.match(text, start)
        if name is not None and end in (None, name.end()):
            kind = names.kind(name[0], start)
            if kind is not None:
                place = start, name.end()
                values.setdefault(place, []).append(value)
                kinds[place] = kind
    order = sorted(values)
    for place, blocks in zip(order, blocks_at(order, places.around), strict=True):
        variance = _worst(_variance(view.root, value, blocks) for value in values[place])
        is_split = not blocks or any(map(root.is_split, blocks))
        yield SemanticToken(*place, kinds[place], variance, _is_divergent(view.root, blocks), is_split)


def _targets(places: FramePlaces, text: bytes) -> Iterator[tuple[int, int | None, ValueId]]:
    """The names that get a value: in declarations, assignments, `x++` and `++x`."""
    for definition in places.definitions:
        target = _TARGET.match(text, definition.span.start, definition.span.end)
        if target is not None:
            yield target.start(1), target.end(1), definition.value


def _variance(root: RootAnalysis, value: ValueId, blocks: Sequence[BasicBlockId]) -> Variance:
    """At its worst over the blocks that may run the place; where none is known, of the definition."""
    divergence = root.divergence
    where = blocks or (divergence.home(value),)
    varying = [block for block in where if divergence.use_level(value, block) is Level.VARYING]
    if not varying:
        return Variance.UNIFORM
    affine = all(root.affine.form_at(value, block) is not None for block in varying)
    return Variance.AFFINE if affine else Variance.VARYING


def _worst(found: Iterable[Variance]) -> Variance:
    worst = Variance.UNIFORM
    for variance in found:
        if variance is Variance.VARYING or worst is Variance.UNIFORM:
            worst = variance
    return worst


def _is_divergent(root: RootAnalysis, blocks: Sequence[BasicBlockId]) -> bool:
    return not blocks or any(root.divergence.convergence(block) is Level.VARYING for block in blocks)


def _worse(one: SemanticToken | None, other: SemanticToken) -> SemanticToken:
    if one is None:
        return other
    variance = _worst((one.variance, other.variance))
    divergent = one.in_divergent_block or other.in_divergent_block
    split = one.in_split_block or other.in_split_block
    return SemanticToken(one.start, max(one.end, other.end), one.kind, variance, divergent, split)


def _of_branch(branch: BranchFact, text: bytes, is_split: bool) -> Iterator[SemanticToken]:
    start, end = branch.keyword.start, branch.keyword.end
    word = text[start:end]
    if word in _KEYWORDS or word in _OPERATORS:
        kind = TokenKind.KEYWORD if word in _KEYWORDS else TokenKind.OPERATOR
        yield SemanticToken(start, end, kind, _decision(branch), branch.convergent is Level.VARYING, is_split)


def _decision(branch: BranchFact) -> Variance:
    if is_bounds_check(branch):
        return Variance.AFFINE
    return Variance.VARYING if deciding_level(branch) is Level.VARYING else Variance.UNIFORM
