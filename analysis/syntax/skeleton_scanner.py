"""The scanner behind `skeleton`: one pass over a text, one regular-expression match per token of structure."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import repeat
from typing import Final, final

from analysis.ir.pace import paced, spend
from analysis.syntax.changed_text import common_ends
from analysis.syntax.heads import Opened, read_head
from analysis.syntax.lexing import DIRECTIVE, HIDDEN, SKIPPED, starts_line
from analysis.syntax.open_conditionals import NO_CONDITIONALS, OpenConditionals
from analysis.syntax.scopes import OpenScope, Scopes
from analysis.syntax.skeleton import Entry, Piece, PieceKind, Skeleton

_RESCAN_BUDGET: Final = 4

Inner = list[tuple[int, int]]


def update(old: Skeleton | None, text: bytes) -> Skeleton:
    """The skeleton of `text`, taking what it can from that of an older version."""
    if old is None or not old.exact or not old.entries:
        return Scanner(text).run()
    if old.text == text:
        return old
    prefix, suffix = common_ends(old.text, text)
    return Scanner(text).resume(old, prefix, suffix)


@final
class _Open:
    """A piece whose end is not known yet."""

    __slots__ = ("conditionals", "head_end", "opened", "reach", "scopes", "start")

    def __init__(self, start: int, scopes: Scopes, conditionals: OpenConditionals) -> None:
        self.start = start
        self.scopes = scopes
        self.conditionals = conditionals
        self.head_end = 0  # 0 while in the head
        self.opened = Opened.OTHER
        self.reach = 0


@final
class Scanner:
    """Finds the pieces of one text."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._position = 0
        self._scopes: Scopes = ()
        self._conditionals = NO_CONDITIONALS
        self._records: list[_Open] = []
        self._suspended: list[_Open] = []
        self._entries: list[Entry] = []
        self._exact = True
        self._rescanned = 0

    def run(self) -> Skeleton:
        for _ in paced(iter(self._step, False), 5):
            pass
        return self._finish()

    def resume(self, old: Skeleton, prefix: int, suffix: int) -> Skeleton:
        """Scan only what lies between the common prefix and suffix of the old and the new text."""
        shift = len(self._text) - len(old.text)
        starts = [start for start, _ in old.entries]
        first = self._resumption(old, prefix)
        self._entries = list(old.entries[:first])
        if first:
            start, piece = old.entries[first]
            self._position, self._scopes, self._conditionals = start, piece.scopes, piece.conditionals
        settled = len(self._text) - suffix
        for _ in paced(repeat(None), 5):
            if self._position > settled and not self._records and not self._suspended:
                kept = self._old_entry(old, starts, shift)
                if kept is not None:
                    moved = old.entries[kept:]
                    self._entries += [(at + shift, piece) for at, piece in paced(moved)] if shift else moved
                    break
            if not self._step():
                break
        return self._finish()

    def _resumption(self, old: Skeleton, prefix: int) -> int:
        """The entry to start from: two pieces before the edit, where no record or split piece is open."""
        first = 0
        candidates: list[int] = []
        for index, (start, piece) in enumerate(old.entries):
            if start + piece.reach >= prefix:
                break
            if piece.resumable:
                candidates.append(index)
        if len(candidates) >= 2:
            first = candidates[-2]
        return first

    def _old_entry(self, old: Skeleton, starts: list[int], shift: int) -> int | None:
        """The old entry that begins here in the same state, if any."""
        position = _skip(self._text, self._position)
        index = bisect_left(starts, position - shift)
        if index == len(starts) or starts[index] != position - shift:
            return None
        piece = old.entries[index][1]
        same = piece.resumable and piece.scopes == self._scopes and piece.conditionals == self._conditionals
        return index if same else None

    def _finish(self) -> Skeleton:
        end = len(self._text.rstrip())
        for opened in [*self._suspended, *self._records]:
            opened.reach = len(self._text)
            self._add(opened, PieceKind.DECLARATION, end, ())
        self._entries.sort(key=_start_of)
        return Skeleton(self._text, tuple(self._entries), self._exact)

    # One step reads one piece, one directive or one closing brace of a scope.

    def _step(self) -> bool:
        text = self._text
        position = self._position = _skip(text, self._position)
        if position >= len(text):
            return False
        byte = text[position]
        if byte == _HASH:
            self._outer_directive(position)
        elif byte == _CLOSE:
            self._position = position + 1
            self._close_scope()
        elif byte == _SEMICOLON:
            self._position = position + 1
        elif self._records and (label := _ACCESS.match(text, position)):
            self._position = label.end()
        else:
            self._declaration(_Open(position, self._scopes, self._conditionals), position)
        return True

    def _outer_directive(self, start: int) -> None:
        end = _directive_end(self._text, start)
        opened = _Open(start, self._scopes, self._conditionals)
        opened.head_end = end
        self._add(opened, PieceKind.DIRECTIVE, end, ())
        self._position = end
        match = _CONDITIONAL.match(self._text, start)
        if match is None:
            return
        if match[1].startswith(b"if"):
            self._conditionals = self._conditionals.inside(self._scopes)
        elif match[1].startswith(b"el"):
            if self._conditionals:
                self._scopes = self._conditionals.scopes
        else:
            self._conditionals = self._conditionals.outer
            self._settle_suspended(start)

    def _settle_suspended(self, end: int) -> None:
        """Branches that no common end followed are pieces that end at `#endif`."""
        depth = self._conditionals.depth
        for opened in [opened for opened in self._suspended if opened.conditionals.depth > depth]:
            self._suspended.remove(opened)
            self._add(opened, PieceKind.DECLARATION, end, ())

    def _close_scope(self) -> None:
        if not self._scopes:
            return
        closed = self._scopes[-1]
        self._scopes = self._scopes[:-1]
        if closed.opened is Opened.RECORD and self._records:
            record = self._records.pop()
            end = self._tail(self._position)
            self._add(record, PieceKind.DECLARATION, end, ())
            self._position = end

    def _tail(self, position: int) -> int:
        """The end of what follows the brace of a record: `;`, perhaps after declarators."""
        match = _TAIL.match(self._text, position)
        return match.end() if match else position

    def _declaration(self, opened: _Open, position: int) -> None:
        """Read a head up to its `;` or `{` and, for a function, its body; `_position` is left after the piece."""
        text = self._text
        state = _State()
        while (match := _HEAD.search(text, position)) is not None:
            at = match.start()
            byte = text[at]
            position = match.end()
            if byte == _HASH:
                if not starts_line(text, at):
                    continue
                if not state.depth and _MACRO_USE.fullmatch(text, opened.start, _rstrip(text, opened.start, at)):
                    return self._end(opened, _rstrip(text, opened.start, at), state)
                position = _directive_end(text, at)
                if not self._directive(opened, at, position, state):
                    return None
            elif byte == _NEWLINE:
                if state.depth or not _PREFIX.fullmatch(text, opened.start, _rstrip(text, opened.start, at)):
                    return self._end(opened, _rstrip(text, opened.start, at), state)
            elif byte in _OPENERS and (state.depth or byte != _OPEN):
                state.depth += 1
            elif byte in _CLOSERS and state.depth:
                state.depth -= 1
            elif byte == _CLOSE:
                return self._end(opened, _rstrip(text, opened.start, at), state)
            elif byte == _SEMICOLON and not state.depth:
                return self._end(opened, at + 1, state)
            elif byte == _OPEN:
                if not self._brace(opened, at, state):
                    return None
                position = self._position
        opened.reach = len(text)
        return self._end(opened, _rstrip(text, opened.start, len(text)), state)

    def _end(self, opened: _Open, end: int, state: "_State", kind: PieceKind = PieceKind.DECLARATION) -> None:
        """The piece, and every branch that shares its end, is complete."""
        for suspended in self._suspended:
            if not suspended.head_end:
                suspended.head_end = opened.head_end or end
                suspended.opened = opened.opened
            suspended.reach = opened.reach
            self._add(suspended, kind, end, state.inner)
        self._suspended.clear()
        self._leave_around(state, end)
        for _ in range(self._open_inside(state, end)):
            self._conditionals = self._conditionals.inside(self._scopes)
        self._add(opened, kind, end, state.inner)
        self._position = max(end, opened.start + 1)

    def _brace(self, opened: _Open, at: int, state: "_State") -> bool:
        """A `{` after a head.  True when the head goes on after the group, as in `int a[] = {1}, b;`."""
        text = self._text
        if opened.head_end:
            head = read_head(b"int x =", True)  # a second group: `T a{1}, b{2};`
        else:
            if _is_in_template_list(text[opened.start : at]):
                return self._body(opened, at + 1, state, goes_on=True)
            head = read_head(text[opened.start : at], True)
            if head.opened is Opened.FUNCTION and _is_member_group(text[opened.start : at]):
                return self._body(opened, at + 1, state, goes_on=True)
            opened.head_end = at
            opened.opened = head.opened
        match head.opened:
            case Opened.NAMESPACE | Opened.EXTERN:
                self._scopes = (*self._scopes, OpenScope(head.opened, head.scope, b"inline" in head.words))
                self._position = at + 1
                return False
            case Opened.RECORD:
                self._records.append(opened)
                self._scopes = (*self._scopes, OpenScope(head.opened, (head.name,)))
                self._position = at + 1
                return False
            case Opened.FUNCTION | Opened.OTHER:
                self._body(opened, at + 1, state)
                return False
            case Opened.ENUM | Opened.ALIAS | Opened.USING | Opened.VARIABLE:
                return self._body(opened, at + 1, state, goes_on=True)

    def _body(self, opened: _Open, position: int, state: "_State", goes_on: bool = False) -> bool:
        """Read a group in braces from after its `{`.  True when the piece goes on behind it."""
        text = self._text
        body = position
        closed_at = 0
        state.depth = 1
        kind = PieceKind.DECLARATION if goes_on else PieceKind.BODY
        while (match := _BODY.search(text, position)) is not None:
            spend(1)
            at = match.start()
            byte = text[at]
            position = match.end()
            if byte == _CLOSE:
                state.depth -= 1
                if state.depth <= 0:
                    closed_at = closed_at or position
                    state.depth = 0
                    if not state.branches:
                        break
            elif byte == _HASH:
                if not starts_line(text, at):
                    continue
                position = _directive_end(text, at)
                if not self._directive(opened, at, position, state):
                    return False
                if state.depth:
                    closed_at = 0  # another branch closed it, or one that does not count
                elif closed_at and not state.branches:
                    closed_at = position
                    break
            elif byte in (_OPEN, _NEWLINE):
                if byte == _NEWLINE or (closed_at and state.depth == 0):
                    opened.reach = max(position, match.end("restart") + 1)
                    self._end(opened, closed_at or self._cut(opened, body, at), state, kind)
                    return False
                state.depth += 1
        else:
            self._end(opened, self._cut(opened, body, len(text)), state, kind)
            return False
        state.depth = 0
        opened.reach = position
        if goes_on:
            self._position = closed_at
            return True
        self._end(opened, closed_at, state, kind)
        return False

    def _cut(self, opened: _Open, body: int, limit: int) -> int:
        """Where a body ends that does not close before `limit`: rule 5."""
        text = self._text
        opened.reach = max(opened.reach, limit)
        self._rescanned += limit - body
        if self._rescanned > _RESCAN_BUDGET * len(text):
            self._exact = False
        else:
            weak = _WEAK.search(text, body, limit)
            if weak is not None:
                limit = weak.start()
        return _rstrip(text, body, limit)

    def _directive(self, opened: _Open, at: int, end: int, state: "_State") -> bool:
        """A directive inside a piece; False when it parts the piece, which then waits for the common end."""
        match = _CONDITIONAL.match(self._text, at)
        keyword = b"" if match is None else match[1]
        if keyword and not keyword.startswith(b"if") and not state.branches:
            is_inside_another = self._conditionals.depth > len(state.left)
            if keyword.startswith(b"el") and is_inside_another:
                self._leave_around(state, at)
                self._suspended.append(opened)
                self._outer_directive(at)
                return False
            if keyword == b"endif" and is_inside_another:
                state.left.append((at, end))
            return True
        state.inner.append((at, end))
        if keyword.startswith(b"if"):
            dead = match is not None and match[2] is not None
            state.branches.append((state.depth, None, dead))
        elif keyword.startswith(b"el"):
            before, after, dead = state.branches.pop()
            after = state.depth if after is None and not dead else after
            state.depth = before
            state.branches.append((before, after, False))
        elif keyword:
            before, after, dead = state.branches.pop()
            if after is not None:
                state.depth = after
            elif dead:
                state.depth = before
        return True

    def _leave_around(self, state: "_State", end: int) -> None:
        """The conditionals around a piece that an `#endif` inside of it closes, if it stands before the piece's end."""
        for start, behind in state.left:
            if start < end:
                self._directive_entry(start, behind)
                self._conditionals = self._conditionals.outer

    def _open_inside(self, state: "_State", end: int) -> int:
        """How many conditionals that begin inside a piece are open at its end, which may stand before what was read."""
        count = 0
        for start, _ in state.inner:
            match = _CONDITIONAL.match(self._text, start) if start < end else None
            if match is not None:
                count += match[1].startswith(b"if") - (match[1] == b"endif")
        return count

    def _directive_entry(self, start: int, end: int) -> None:
        piece = Piece(
            PieceKind.DIRECTIVE,
            self._text[start:end],
            end - start,
            Opened.OTHER,
            self._scopes,
            self._conditionals,
            resumable=False,
        )
        self._entries.append((start, piece))

    def _add(self, opened: _Open, kind: PieceKind, end: int, inner: Sequence[tuple[int, int]]) -> None:
        start = opened.start
        piece = Piece(
            kind,
            self._text[start:end],
            min(opened.head_end or end, end) - start,
            opened.opened,
            opened.scopes,
            opened.conditionals,
            tuple([(first - start, min(last, end) - start) for first, last in inner if start <= first < end]),
            not (self._records or self._suspended),
            opened.reach - start,
        )
        self._entries.append((start, piece))


@final
class _State:
    """Where the scanner stands inside a piece."""

    __slots__ = ("branches", "depth", "inner", "left")

    def __init__(self) -> None:
        self.depth = 0
        self.inner: Inner = []
        self.left: Inner = []
        """Each `#endif` of a conditional that begins before the piece."""
        self.branches: list[tuple[int, int | None, bool]] = []
        """Per open inner conditional: depth at `#if`, depth after the branch that counts, and whether it is `#if 0`."""


def _start_of(entry: Entry) -> int:
    return entry[0]


def _is_member_group(head: bytes) -> bool:
    """Whether a `{` behind this head of a constructor initialises a member: `S(int x) : a{x}, b{2} { ... }`."""
    return _MEMBER.search(head) is not None and _INITIALISERS.search(head) is not None


def _is_in_template_list(head: bytes) -> bool:
    """Whether a `{` behind this head stands between `<` and `>`: `template <Config C = Config{}> struct S`."""
    if not head.startswith(b"template") or b"operator" in head:
        return False
    angles = parentheses = 0
    for match in _ANGLES.finditer(head):
        token = match[0]
        if token in (b"(", b")"):
            parentheses += 1 if token == b"(" else -1
        elif token in (b"<", b">") and not parentheses:
            angles += 1 if token == b"<" else -1
    return angles > 0


def _skip(text: bytes, position: int) -> int:
    match = SKIPPED.match(text, position)
    return match.end() if match else position


def _directive_end(text: bytes, start: int) -> int:
    match = DIRECTIVE.match(text, start)
    return match.end() if match else start + 1


def _rstrip(text: bytes, start: int, end: int) -> int:
    while end > start and text[end - 1] in b" \t\r\n\f\v":
        end -= 1
    return end


_HASH: Final = ord("#")
_SEMICOLON: Final = ord(";")
_OPEN: Final = ord("{")
_CLOSE: Final = ord("}")
_NEWLINE: Final = ord("\n")
_OPENERS: Final = frozenset(b"([{")
_CLOSERS: Final = frozenset(b")]}")

_RESTART: Final = (
    rb"\n(?=(?P<restart>[ \t]*__global__\b"
    rb"|(?:__device__[ \t]+[A-Za-z_]|template[ \t]*<|extern[ \t]+\"C\"|namespace[ \t]+\w+\s*\{)))"
)
_HEAD: Final = re.compile(rb"\(|\)|{|}|;|#|\[|\]|" + HIDDEN.pattern + rb"|" + _RESTART, re.DOTALL)
_BODY: Final = re.compile(rb"{|}|#|" + HIDDEN.pattern + rb"|" + _RESTART, re.DOTALL)
_ACCESS: Final = re.compile(rb"(?:public|private|protected)\s*:(?!:)")
_CONDITIONAL: Final = re.compile(
    rb"#[ \t]*(if(?=[ \t]+(0)[ \t]*(?:\r?\n|/|$))?|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b"
)
_ANGLES: Final = re.compile(rb"->|<<|[<>]=|[<>()]")
_MEMBER: Final = re.compile(rb"(?:,|(?<!:):)\s*\w[\w:]*\s*(?:<[^{};]*>)?(?:\.\.\.)?\s*$")
_INITIALISERS: Final = re.compile(rb"\)(?:[^;{}:]|::)*:(?!:)")
_TAIL: Final = re.compile(rb"(?:[^;{}#()]|\((?:[^;{}#()]|\((?:[^;{}#()]|\([^;{}#()]*\))*\))*\))*;")
_MACRO_USE: Final = re.compile(rb"(?!__)(?:[A-Z_][A-Z0-9_]*|\w+\s*\([^{};]*\))")
_PREFIX: Final = re.compile(
    rb"(?:template\b|extern\b|static\b|inline\b|\[\[|__\w+)[^={};]*|template\b[^{};]*|(?!(?:while|if|for|do|return|else|switch)\b)\w+\s*(?:\([^{};]*\))?",
    re.DOTALL,
)
_WEAK: Final = re.compile(
    rb"^(?:static|inline|extern|const|unsigned|struct|class|void|int|float|double|bool|char|long|size_t|auto)\b"
    rb"[^;{}()\n]*\([^;{}]*\)\s*\{",
    re.MULTILINE,
)
