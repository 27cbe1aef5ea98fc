"""Walk a translation unit in the order of preprocessing.

Question Which macros are defined when, which regions are active, and what is declared?

Rules    Pieces come from `skeleton`; a piece gets the next *order*, and so does each directive inside it.
         A head whose words are macros is expanded before it is read.  A macro use at the start of a piece whose
         expansion holds a `{`, `}` or `;` is a declaration of its own; what follows it in the piece is read again.
         In a region that is left out, definitions do not count, but the items of the main file are kept, inactive.
         What an earlier version of the file begins with as well is not walked again (`walked_prefix`).
         Forced includes come before the first line; one that is not at its path is looked for like a name in quotes.
Bounds   Headers nest at most `_MAX_DEPTH` deep and at most `_MAX_FILES` are read; a header that is open is not
         entered again.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from posixpath import basename
from typing import Final, NoReturn, final

from analysis.ir.pace import paced
from analysis.ir.source import Span
from analysis.syntax import directives
from analysis.syntax.cache import SyntaxCache
from analysis.syntax.conditions import evaluate
from analysis.syntax.directives import Conditional, Define, Include, Opening, PragmaOnce, Undefine, parse_directive
from analysis.syntax.environment import Environment, predefined
from analysis.syntax.expansion import Budget, BudgetSpent, Expander, Token, lex
from analysis.syntax.heads import ExpandedHead, Head, Opened, read_head
from analysis.syntax.includes import IncludeUse, Loader, is_special_file, resolve
from analysis.syntax.items import DeclarationSite, Item, items_of
from analysis.syntax.lexing import DIRECTIVE, identifiers, starts_line
from analysis.syntax.macros import MacroDefinition, is_defined
from analysis.syntax.open_conditionals import NO_CONDITIONALS
from analysis.syntax.parsing import MAX_PARSED_BYTES
from analysis.syntax.problems import Problem, ProblemKind
from analysis.syntax.scopes import inline_namespaces, scope_names
from analysis.syntax.skeleton import Piece, PieceKind, Skeleton
from analysis.syntax.skeleton_scanner import update
from analysis.syntax.system_headers import is_system_header
from analysis.syntax.walk_state import Branch, Preprocessed, WalkState
from analysis.syntax.walked_prefix import Around, LoaderOfMain, Start, WalkedPrefix, start_of

_MAX_DEPTH: Final = 64
MAX_SCOPES: Final = 256
"""As deep as compilers must be able to go; `ProblemKind.TOO_DEEP` says it."""
_MAX_FILES: Final = 2_000


class _Reached(Exception):
    """The main file has been walked inside its context: nothing after it counts."""


def preprocess(
    path: str,
    skeleton: Skeleton,
    loader: Loader,
    environment: Environment,
    cache: SyntaxCache,
    context: tuple[str, Skeleton] | None = None,
) -> Preprocessed:
    """Walk `path`, within the file that includes it if `context` names one."""
    if context is not None:
        found = _walked(path, skeleton, loader, environment, cache, context)
        if found is not None:
            return found
    found = _walked(path, skeleton, loader, environment, cache, None)
    assert found is not None, "the walk begins with the file itself"
    return found


def _walked(
    path: str, skeleton: Skeleton, loader: Loader, environment: Environment, cache: SyntaxCache, around: Around
) -> Preprocessed | None:
    """None where the file around it does not come to the main file."""
    asked = LoaderOfMain(loader, path, skeleton.text)
    variant = environment, None if around is None else around[0]
    prefixes = cache.prefixes
    start = Start(None, None)
    if prefixes is not None:
        start = start_of(prefixes.get(path, variant), skeleton, around, asked)
    walk = _Walk(path, skeleton, asked, environment, cache, around, start)
    try:
        walk.run()
    except _Reached:
        if prefixes is not None and walk.prefix is not None:
            prefixes.put(path, variant, walk.prefix)
        return walk.result
    return None


@final
class _Walk:
    def __init__(
        self,
        main: str,
        skeleton: Skeleton,
        loader: LoaderOfMain,
        environment: Environment,
        cache: SyntaxCache,
        around: Around,
        start: Start,
    ) -> None:
        self._main = main
        self._main_skeleton = skeleton
        self._loader = loader
        self._environment = environment
        self._cache = cache
        self._around = around
        self._start = start
        self._kept: WalkedPrefix | None = None
        self._state = WalkState() if start.prefix is None else start.prefix.state.copy()
        self.result = self._state.result

    @property
    def prefix(self) -> WalkedPrefix | None:
        """That of this version, once it was walked."""
        begun = self._start.prefix
        return begun.of_version(self._main_skeleton) if self._kept is None and begun is not None else self._kept

    def run(self) -> None:
        """Raises `_Reached` behind the last piece of the main file."""
        begun = self._start.prefix
        if begun is not None:
            self.result.texts[self._main] = self._main_skeleton.text
            self._loader.asked.extend(begun.asked)
            self._rest_of_main(begun.end)
        for definition in predefined(self._environment):
            self.result.macros.define(definition, 0)
        self._forced_includes()
        if self._around is None:
            self._file(self._main, self._main_skeleton)
        else:
            self._file(*self._around)

    def _forced_includes(self) -> None:
        """Walk the headers that the build command names."""
        for path in self._environment.forced_includes:
            name = basename(path)
            if is_system_header(name) and not self._loader.exists(path):
                continue
            resolved = self._resolve(b'"' + name.encode("utf-8", "surrogateescape") + b'"', path)
            if resolved is None:
                self._problem(ProblemKind.MISSING_INCLUDE, self._main, Span(0, 0), path)
            elif resolved != self._main:
                self._enter(resolved, self._main, Span(0, 0))

    def _file(self, path: str, skeleton: Skeleton) -> None:
        """Walk one file; conditionals that it leaves open end with it."""
        state = self._state
        state.open_files.append(path)
        state.files += 1
        self.result.texts[path] = skeleton.text
        outer, state.branches = state.branches, []
        if path == self._main:
            self._rest_of_main(0)
        for start, piece in paced(skeleton.entries, 5):
            self._entry(path, start, piece, is_main=False)
        state.branches = outer
        state.active = all(branch.active for branch in outer)
        state.open_files.pop()

    def _rest_of_main(self, first: int) -> NoReturn:
        """Walk the pieces of the main file from that one on."""
        keep_at = self._start.keep_at
        if keep_at is not None:
            self._pieces_of_main(first, keep_at)
            first = keep_at
            asked, latest = tuple(self._loader.asked), self._main_skeleton.entries
            self._kept = WalkedPrefix(keep_at, self._state.copy(), asked, latest, self._around)
        self._pieces_of_main(first, len(self._main_skeleton.entries))
        raise _Reached

    def _pieces_of_main(self, first: int, end: int) -> None:
        for index, (start, piece) in enumerate(paced(self._main_skeleton.entries[first:end], 5), first):
            self._loader.at = index
            self._entry(self._main, start, piece, is_main=True)

    def _entry(self, path: str, start: int, piece: Piece, *, is_main: bool) -> None:
        if piece.kind is PieceKind.DIRECTIVE:
            self._state.order += 1
            self._directive(piece.text, path, start)
        else:
            self._piece(path, start, piece, is_main)

    def _directive(self, text: bytes, path: str, start: int) -> None:
        directive = parse_directive(text)
        match directive:
            case Opening():
                active = self._state.active and self._holds(directive, path, start, text)
                self._state.branches.append(Branch(self._state.active, active, active))
                self._state.active = active
            case directives.Alternative() | directives.Else():
                self._alternative(directive, path, start, text)
            case directives.EndIf():
                if self._state.branches:
                    self._state.active = self._state.branches.pop().outer
            case Define() if not self._state.active:
                self.result.macros.leave_out(directive.name, directive.body)
            case _ if not self._state.active:
                pass
            case Define():
                self.result.macros.define(_definition(directive, path, start, start + len(text)), self._state.order)
            case Undefine():
                self.result.macros.undefine(directive.name, self._state.order)
            case Include():
                self._include(directive, path, Span(start, start + len(text)))
            case PragmaOnce():
                self._state.once.add(path)
            case directives.Pragma() | directives.Other():
                pass

    def _alternative(
        self, directive: directives.Alternative | directives.Else, path: str, start: int, text: bytes
    ) -> None:
        if not self._state.branches:
            return
        branch = self._state.branches[-1]
        branch.active = branch.outer and not branch.taken
        if branch.active and isinstance(directive, directives.Alternative):
            self._state.active = True
            branch.active = self._holds(directive, path, start, text)
        branch.taken = branch.taken or branch.active
        self._state.active = branch.active

    def _holds(self, directive: Opening | directives.Alternative, path: str, start: int, text: bytes) -> bool:
        current = self.result.macros.current
        match directive.kind:
            case Conditional.IFDEF | Conditional.ELIFDEF:
                return is_defined(directive.condition.split(b" ")[0], current)
            case Conditional.IFNDEF | Conditional.ELIFNDEF:
                return not is_defined(directive.condition.split(b" ")[0], current)
            case Conditional.IF | Conditional.ELIF:
                if directive.condition in (b"0", b"1"):
                    return directive.condition == b"1"
                value = evaluate(directive.condition, current, lambda name: self._resolve(name, path) is not None)
                if value is None:
                    self._problem(ProblemKind.CONDITION, path, Span(start, start + len(text)))
                return bool(value)

    def _resolve(self, argument: bytes, path: str) -> str | None:
        return resolve(argument, path, self._environment.include_dirs, self._loader)

    def _is_special(self, argument: bytes, path: str) -> bool:
        return is_special_file(argument, path, self._environment.include_dirs, self._loader)

    def _include(self, directive: Include, path: str, span: Span) -> None:
        argument = directive.argument
        if argument[:1] not in (b'"', b"<"):
            tokens = self._expanded(argument)
            argument = b"".join(token.text for token in tokens)
        spelled = argument[1:-1].decode("utf-8", "replace")
        is_system = argument[:1] == b"<" or is_system_header(spelled, quoted=True)
        resolved = self._resolve(argument, path)
        if path == self._main:
            self.result.includes.append(IncludeUse(spelled, resolved, span))
        if resolved is None:
            if not is_system:
                kind = ProblemKind.SPECIAL_FILE if self._is_special(argument, path) else ProblemKind.MISSING_INCLUDE
                self._problem(kind, path, span, argument.decode("utf-8", "replace"))
            return
        self._enter(resolved, path, span)

    def _enter(self, resolved: str, path: str, span: Span) -> None:
        """Walk the header at `resolved`, unless it says that once is enough; `path` names it at `span`."""
        if resolved in self._state.once or resolved in self._state.open_files:
            return
        if len(self._state.open_files) >= _MAX_DEPTH or self._state.files >= _MAX_FILES:
            self._problem(ProblemKind.INCLUDE_DEPTH, path, span)
            return
        if resolved == self._main:
            self._file(resolved, self._main_skeleton)
            return
        text = self._loader.read(resolved)
        if text is not None and len(text) <= MAX_PARSED_BYTES:
            skeleton = self._cache.skeleton(resolved, text)
            if not _is_guarded(skeleton, self.result.macros.current):
                self._file(resolved, skeleton)

    def _problem(self, kind: ProblemKind, path: str, span: Span, detail: str = "") -> None:
        self.result.problems.append(Problem(kind, path, span, detail))

    def _expanded(self, text: bytes) -> list[Token]:
        tokens = list(lex(text))
        try:
            return Expander(self.result.macros.current, Budget(20_000, 200_000)).expand(tokens)
        except BudgetSpent:
            return tokens

    def _piece(self, path: str, start: int, piece: Piece, is_main: bool) -> None:
        waiting: list[tuple[int, Piece]] = [(start, piece)]
        while waiting:
            at, current = waiting.pop()
            if current.kind is PieceKind.DIRECTIVE:
                self._state.order += 1
                self._directive(current.text, path, at)
            else:
                waiting += reversed(self._declared(path, at, current, is_main))

    def _declared(self, path: str, start: int, piece: Piece, is_main: bool) -> Sequence[tuple[int, Piece]]:
        """What is left of the piece behind macros that are declarations of their own, to be read again."""
        self._state.order += 1
        if is_main or self._state.active:
            current = self.result.macros.current
            text = piece.head()
            braced = piece.head_end < len(piece.text)
            if current.keys().isdisjoint(head_words(text)):  # tests the words, not all macros
                self._emit(read_head(text.rstrip(b";"), braced), path, start, piece, is_main)
            else:
                read = self._read_head(text, braced)
                if read.standalone:
                    self._state.order -= 1
                    for first, last, expansion in paced(read.standalone, 5):
                        self._state.order += 1
                        self._standalone(first, last, expansion, path, start, piece, is_main)
                    return _rest(piece, start, read.standalone[-1][1])
                self._emit(read.head, path, start, piece, is_main)
        for first, last in piece.inner:
            self._state.order += 1
            self._directive(piece.text[first:last], path, start + first)
        return ()

    def _emit(self, head: Head, path: str, start: int, piece: Piece, is_main: bool) -> None:
        if len(piece.scopes) > MAX_SCOPES:
            if all(known.kind is not ProblemKind.TOO_DEEP for known in self.result.problems):
                self._problem(ProblemKind.TOO_DEEP, path, Span(start, start + piece.head_end))
            return
        namespace, owner = scope_names(piece.scopes)
        if namespace:
            self._state.namespaces.update(namespace)
            self.result.inline_namespaces |= inline_namespaces(piece.scopes)
        has_body = piece.head_end < len(piece.text) and (
            piece.kind is PieceKind.BODY or head.opened in (Opened.RECORD, Opened.ENUM, Opened.VARIABLE)
        )
        if owner is not None and not (has_body or head.opened is Opened.ALIAS):
            return
        if owner is not None and head.opened in (Opened.VARIABLE, Opened.OTHER):
            return
        place = DeclarationSite(
            path, namespace, owner, start, start + len(piece.text), piece.text, self._state.active, self._state.order,
            has_body, owner is not None, piece.identifiers,
        )  # fmt: skip
        if head.opened is Opened.RECORD and has_body:
            self._record(head, place, is_main)
        else:
            self._add(items_of(head, place, self._state.namespaces), is_main)

    def _record(self, head: Head, place: DeclarationSite, is_main: bool) -> None:
        """A record, and what its declarators name: `typedef struct {...} A;` or `struct S {...} s;`."""
        closed = place.text.rfind(b"}") + 1
        after = place.text[closed:] if closed else b""
        tail = read_head((b"typedef int " if b"typedef" in head.words else b"int ") + after.rstrip(b";"), False)
        if not after.rstrip(b";").strip():
            self._add(items_of(head, place, self._state.namespaces), is_main)
            return
        if not head.name and tail.opened is Opened.ALIAS:
            head = Head(head.opened, tail.name, (), head.words, head.is_template)
            tail = Head(tail.opened, tail.others[0], (), tail.words, False, tail.others[1:]) if tail.others else None
        self._add(items_of(head, place, self._state.namespaces), is_main)
        if tail is not None and tail.opened in (Opened.ALIAS, Opened.VARIABLE) and tail.name != head.name:
            self._add(items_of(tail, place, self._state.namespaces), is_main)

    def _add(self, items: list[Item], is_main: bool) -> None:
        (self.result.items if is_main else self.result.included_items).extend(items)

    def _read_head(self, text: bytes, braced: bool) -> ExpandedHead:
        """The head with its macros expanded."""
        current = self.result.macros.current
        cached = self._cache.heads.get((text, braced))
        if cached is not None and all(
            (current[name].digest if name in current else None) == digest for name, digest in cached.looked_up
        ):
            return cached
        recorder = _Recorder(current)
        standalone = tuple(_standalone_uses(text, recorder))
        head = Head(Opened.OTHER)
        if not standalone:
            clean = DIRECTIVE.sub(lambda match: b"" if starts_line(text, match.start()) else match[0], text)
            tokens = list(lex(clean))
            with suppress(BudgetSpent):
                tokens = Expander(recorder, Budget(20_000, 200_000)).expand(tokens)
            head = read_head(b" ".join([token.text for token in tokens]).rstrip(b"; "), braced)
        looked_up = tuple((name, None if found is None else found.digest) for name, found in recorder.seen.items())
        read = ExpandedHead(looked_up, head, standalone)
        self._cache.heads.put((text, braced), read)
        return read

    def _standalone(
        self, first: int, last: int, expansion: bytes, path: str, start: int, piece: Piece, is_main: bool
    ) -> None:
        """A macro at that place of the piece that expands to declarations."""
        text = piece.text[first:last]
        namespace, owner = scope_names(piece.scopes)
        words = identifiers(text)
        part = 0
        for _, inner in update(None, expansion).entries:
            head = read_head(inner.head().rstrip(b";"), inner.head_end < len(inner.text))
            if head.opened is Opened.OTHER or inner.kind is PieceKind.DIRECTIVE:
                continue
            scopes, holder = scope_names(inner.scopes)
            has_body = inner.head_end < len(inner.text)
            place = DeclarationSite(
                path, namespace + scopes, holder or owner, start + first, start + last, text, self._state.active,
                self._state.order, has_body, owner is not None, words, True, part,
            )  # fmt: skip
            added = items_of(head, place, self._state.namespaces)
            part += len(added)
            self._add(added, is_main)


@final
class _Recorder:
    """Looks macros up and remembers the answers."""

    def __init__(self, macros: dict[bytes, MacroDefinition]) -> None:
        self._macros = macros
        self.seen: dict[bytes, MacroDefinition | None] = {}

    def get(self, name: bytes) -> MacroDefinition | None:
        found = self.seen[name] = self._macros.get(name)
        return found


def _standalone_uses(text: bytes, macros: _Recorder) -> Iterator[tuple[int, int, bytes]]:
    """Leading macro uses whose expansions are declarations of their own: where they stand, and their expansions."""
    use = _standalone_use(text, 0, macros)
    while use is not None:
        yield use
        use = _standalone_use(text, use[1], macros)


def _standalone_use(text: bytes, at: int, macros: _Recorder) -> tuple[int, int, bytes] | None:
    tokens = lex(text, at)
    first = next(tokens, None)
    if first is None or macros.get(first.text) is None:
        return None
    taken = _Taken(tokens)
    try:
        expansion = Expander(macros, Budget(50_000, 500_000)).expand_use(first, taken)
    except BudgetSpent:
        return None
    if not any(token.text in (b"{", b"}", b";") for token in expansion):
        return None
    begin, end = first.start if at else 0, max(taken.end, first.end)
    following = next(lex(text, end), None)
    if following is not None and following.text == b";":
        return begin, following.end, b" ".join([token.text for token in [*expansion, following]])
    return begin, end, b" ".join([token.text for token in expansion])


@final
class _Taken:
    """Passes tokens on and remembers where the last one ended."""

    def __init__(self, tokens: Iterator[Token]) -> None:
        self._tokens = tokens
        self.end = 0

    def __iter__(self) -> "_Taken":
        return self

    def __next__(self) -> Token:
        token = next(self._tokens)
        self.end = token.end
        return token


@lru_cache(maxsize=1 << 14)
def _definition(directive: Define, path: str, start: int, end: int) -> MacroDefinition:
    """What a directive at that place defines: the same object in each version, which keeps its digest."""
    span = Span(start, end)
    return MacroDefinition(directive.name, directive.parameters, directive.variadic, directive.body, path, span)


@lru_cache(maxsize=1 << 14)
def head_words(head: bytes) -> frozenset[bytes]:
    """The identifiers of a head."""
    return identifiers(head)


def _rest(piece: Piece, start: int, end: int) -> Sequence[tuple[int, Piece]]:
    """What stands behind that place of a piece, each with its own place in the file."""
    found: list[tuple[int, Piece]] = []
    for offset, inner in _rest_entries(piece.text[end:]):
        if inner.kind is not PieceKind.DIRECTIVE:
            inner = Piece(
                inner.kind,
                inner.text,
                inner.head_end,
                inner.opened,
                piece.scopes + inner.scopes,
                NO_CONDITIONALS,
                inner.inner,
            )
        found.append((start + end + offset, inner))
    return found


@lru_cache(maxsize=1 << 12)
def _rest_entries(text: bytes) -> tuple[tuple[int, Piece], ...]:
    return update(None, text).entries


def _is_guarded(skeleton: Skeleton, macros: Mapping[bytes, MacroDefinition]) -> bool:
    """Whether the file has an include guard that spans all of it, and its macro is defined."""
    entries = skeleton.entries
    if len(entries) < 3 or entries[0][1].kind is not PieceKind.DIRECTIVE:
        return False
    first, last = entries[0][1], entries[-1][1]
    opening = parse_directive(first.text)
    if not isinstance(opening, Opening) or opening.kind is not Conditional.IFNDEF or opening.condition not in macros:
        return False
    closes = last.kind is PieceKind.DIRECTIVE and isinstance(parse_directive(last.text), directives.EndIf)
    return closes and last.conditionals.depth == 1 and all(piece.conditionals for _, piece in entries[1:])
