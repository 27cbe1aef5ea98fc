"""What the kernels of one file pass to the device functions that they call: facts for the files that define these.

Question  A header does not know its callers.  Each file that includes it does: with which arguments, from which blocks,
          and how many threads together?
Rules     Each frame of each root is a call.  Its context is what the root knows where the call stands; instances of a
          template count for the template.  A kernel knows its launches and its arguments.  A device function that no
          kernel of the file calls may be called from anywhere, so what it passes counts as varying, except numbers.
Open      A function of which not every call has a frame may be called with anything: its name stands somewhere in the
          text where no call of it was followed (its address is taken, an overload was not decided, a macro hides it, a
          body was lowered in place), it is called where code was not understood or cut off, or another open function
          names it.  A name that the language knows as well (`max`) counts where no argument list follows: which of the
          two a call means was decided when it was lowered.  Host code opens what it passes as a template argument.
          Operators, constructors and destructors are called without a name: they are all open as soon as one call in
          the file is not understood.
Key       A function is known by its file and its declaration, not by its place: an edit of a body keeps what is known.
          Two definitions with the same declaration (in branches of `#if`) share it, and the header believes neither.
Limits    Host code that is compiled for the device too is seen as device code only where it says `__device__`.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeAlias, final

from analysis.divergence.call_context import CallContext, joined
from analysis.facts.calls_of_root import context_of_call
from analysis.facts.frame_shares import FrameShares
from analysis.facts.item_text import relocated
from analysis.facts.model import Taken
from analysis.facts.parts import larger
from analysis.facts.roots import RootAnalysis
from analysis.ir.instructions import Opaque
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME, FrameId, Span
from analysis.launches.other_uses import uses_of_names
from analysis.lower.builtins import builtin_function
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import IDENTIFIER, without_hidden
from analysis.syntax.line_index import LineIndex
from analysis.syntax.problems import CUT_OFF, ProblemKind
from analysis.syntax.translation_unit import TranslationUnit

NOTHING_TAKEN: Final = Taken(None, None)
Place: TypeAlias = tuple[str, int, int]
"""`Item.identity`."""
_BODY: Final = re.compile(rb"\{")
_SPACE: Final = re.compile(rb"\s+")
_LAMBDA: Final = re.compile(rb"\[[^\[\]]*\]\s*(?:\(|\{|mutable\b|__device__\b|__host__\b)")


@final
@record
class FunctionKey:
    """One definition in a file, by what stands before its body."""

    path: str
    namespace: tuple[str, ...]
    owner: str | None
    name: str
    head: bytes
    part: int

    @property
    def is_implicit(self) -> bool:
        """Whether it may be called without its name."""
        return is_called_without_name(self.name, self.owner)


def key_of(item: Item) -> FunctionKey:
    body = _BODY.search(item.text)
    head = item.text if body is None or item.from_macro else item.text[: body.start()]
    words = _SPACE.sub(b" ", without_hidden(head)).strip()
    return FunctionKey(item.path, item.namespace, item.owner, item.name, words, item.part)


def is_called_without_name(name: str, owner: str | None) -> bool:
    """Operators, conversions, constructors and destructors."""
    return name.startswith(("operator", "~")) or name == owner


@final
@record
class CallSite:
    """Where a call stands; lines count from 1."""

    path: str
    line: int


@final
@record
class Calls:
    """All calls of one function: what they have in common (None: anything may be passed), where they stand, and what
    they take of the kernels that make them (the one where it is most)."""

    context: CallContext | None
    sites: tuple[CallSite, ...] = ()
    taken: Taken = NOTHING_TAKEN

    def join(self, other: Calls) -> Calls:
        slots = larger(self.taken.slots, other.taken.slots)
        sectors = larger(self.taken.sectors, other.taken.sectors)
        context = joined((self.context, other.context))
        return Calls(context, _sorted({*self.sites, *other.sites}), Taken(slots, sectors))


OPEN: Final = Calls(None)
NOT_UNLAUNCHED: Final[Mapping[int, int]] = {}


@final
@record
class CallsOfFile:
    """What one file says about the functions of the files that it reads.

    `read` are those files, `missed` the last names of those that it includes and that were not found.  `is_complete` is
    False where something of the file was not seen, so that it may call anything.
    """

    path: str
    calls: Mapping[FunctionKey, Calls]
    read: frozenset[str]
    is_complete: bool
    missed: frozenset[str]


@final
@record
class KnownCallers:
    """What all files that include a header, by `files`, pass to its functions; one that is missing is not called.

    `uncounted`: nothing of that, since so many files include it that they were not looked at.
    """

    calls: Mapping[FunctionKey, Calls]
    files: tuple[str, ...]
    uncounted: int = 0


def too_many_callers(files: int) -> KnownCallers:
    """Of a header that more files include than are looked at."""
    return KnownCallers({}, (), files)


def unseen(path: str) -> CallsOfFile:
    """Of a file that was not analysed: it may call anything."""
    return CallsOfFile(path, {}, frozenset(), is_complete=False, missed=frozenset())


def known_callers(path: str, files: Iterable[CallsOfFile], between: Iterable[str] = ()) -> KnownCallers | None:
    """For the header at `path`, from all files that may include it; None where one of them does not know.

    `between` are the headers through which they may include it: who misses one of them may have missed the header.
    """
    through = {posixpath.basename(one) for one in (path, *between)}
    found: dict[FunctionKey, Calls] = {}
    names: list[str] = []
    for file in files:
        if not file.is_complete or (path not in file.read and not through.isdisjoint(file.missed)):
            return None
        if path not in file.read:
            continue
        names.append(file.path)
        for key, calls in file.calls.items():
            if key.path == path:
                known = found.get(key)
                found[key] = calls if known is None else known.join(calls)
    return KnownCallers(found, tuple(sorted(names))) if names else None


def calls_of_file(
    unit: TranslationUnit,
    roots: Iterable[RootAnalysis],
    *,
    is_complete: bool,
    unlaunched: Mapping[int, int] = NOT_UNLAUNCHED,
) -> CallsOfFile:
    """What the roots of a file say about functions of other files.

    `unlaunched` are the ids of the roots that nothing launches, with `View.launched_instead`.
    """
    followed = FollowedCalls(unit, roots, is_own=False)
    missing = (one.detail for one in unit.problems if one.kind is ProblemKind.MISSING_INCLUDE)
    missed = frozenset(posixpath.basename(name.strip('"<>')) for name in missing)
    is_whole = is_complete and all(problem.kind not in CUT_OFF for problem in unit.problems)
    return CallsOfFile(unit.path, followed.calls(unlaunched), frozenset(unit.read_paths), is_whole, missed)


@final
class FollowedCalls:
    """The calls that the roots of one version of a file make: of functions of other files, or of its own."""

    def __init__(self, unit: TranslationUnit, roots: Iterable[RootAnalysis], *, is_own: bool) -> None:
        self._unit = unit
        self._is_own = is_own
        self._roots = [*{id(root): root for root in roots}.values()]
        self._lines: dict[str, LineIndex] = {}
        self._relocated: dict[int, Item] = {}
        self._followed: defaultdict[tuple[Place, bytes], set[tuple[int, int]]] = defaultdict(set)
        """By the place of a function and a name: where calls of that name were followed."""
        self._reached: dict[Place, Item] = {}
        """Every function that has a frame."""
        self._frames: defaultdict[FunctionKey, list[tuple[RootAnalysis, FrameId, Item | None]]] = defaultdict(list)
        self._open: set[bytes] = set()
        self._opens_implicit = False
        if self._wanted:
            for root in self._roots:
                self._read(root)
            self._look_for_names()
            self._spread()

    def is_open(self, item: Item) -> bool:
        """Whether something may call the function that no frame shows."""
        if is_called_without_name(item.name, item.owner):
            return self._opens_implicit
        return _name(item) in self._open

    def is_called(self, key: FunctionKey) -> bool:
        """Whether a frame shows a call of the function."""
        return key in self._frames

    def calls(self, unlaunched: Mapping[int, int] = NOT_UNLAUNCHED) -> Mapping[FunctionKey, Calls]:
        """By function; one that is missing is not called."""
        shares = _SharesOfKernels(unlaunched)
        opened = dict.fromkeys(key_of(one) for items in self._wanted.values() for one in items if self.is_open(one))
        found: dict[FunctionKey, Calls] = {}
        for key, frames in self._frames.items():
            sites = {self._site(caller, root.function.frames[frame].call) for root, frame, caller in frames if caller}
            if key in opened:
                found[key] = Calls(None, _sorted(sites))
                continue
            context = joined([context_of_call(root, frame) for root, frame, _ in frames])
            found[key] = Calls(context, _sorted(sites), shares.taken((root, frame) for root, frame, _ in frames))
        return found | {key: Calls(None, OPEN.sites) for key in opened if key not in found}

    @cached_property
    def _wanted(self) -> Mapping[bytes, Sequence[Item]]:
        """The functions that something is said about, by their names."""
        items = self._unit.items if self._is_own else self._unit.included_items
        found: defaultdict[bytes, list[Item]] = defaultdict(list)
        for item in items:
            if item.kind is ItemKind.FUNCTION and item.is_device and item.is_definition and not item.is_kernel:
                found[_name(item)].append(item)
        return found

    @cached_property
    def _names(self) -> frozenset[bytes]:
        """Those that a text names where it calls them."""
        return frozenset(
            name
            for name, items in self._wanted.items()
            if any(not is_called_without_name(item.name, item.owner) for item in items)
        )

    @cached_property
    def _known_words(self) -> frozenset[bytes]:
        """Those that the language gives a meaning of its own."""
        return frozenset(name for name in self._names if builtin_function(name.decode("utf-8", "replace")) is not None)

    # -- frames -----------------------------------------------------------------------------------------------------

    def _read(self, root: RootAnalysis) -> None:
        for index, frame in enumerate(root.function.frames):
            item = self._item(root, FrameId(index))
            if item is None:
                continue
            self._reached[item.identity] = item
            if index == OWN_FRAME:
                continue
            caller = self._item(root, frame.parent)
            if caller is not None:
                self._followed[caller.identity, _name(item)].add((frame.call.start, frame.call.end))
            if (item.path == self._unit.path) is self._is_own and frame.block is not None:
                self._frames[key_of(item)].append((root, FrameId(index), caller))
        for refused in root.refused:
            declared = root.items.get(refused.callee)
            if declared is None:
                self._open_all(self._item(root, refused.call.frame), None)
            else:
                self._open.add(_name(declared))
                self._opens_implicit |= is_called_without_name(declared.name, declared.owner)
        for _, instruction in root.function.instructions():
            if type(instruction) is Opaque and may_call(instruction):
                self._open_all(self._item(root, instruction.span.frame), instruction.span)
        if root.is_too_large:
            self._open_all(self._item(root, OWN_FRAME), None)

    def _item(self, root: RootAnalysis, frame: FrameId) -> Item | None:
        declared = root.items.get(root.function.frames[frame].function)
        if declared is None:
            return None
        known = self._relocated.get(id(declared))
        if known is None:
            known = self._relocated[id(declared)] = relocated(self._unit, declared)
        return known

    def _site(self, caller: Item, call: Span) -> CallSite:
        lines = self._lines.get(caller.path)
        if lines is None:
            lines = self._lines[caller.path] = LineIndex(self._unit.text_of(caller.path) or b"")
        return CallSite(caller.path, lines.line_of(caller.span.start + call.start) + 1)

    # -- names ------------------------------------------------------------------------------------------------------

    def _open_all(self, item: Item | None, span: Span | None) -> None:
        """What is not understood at `span` of a function, or in all of it, may call whatever is named there."""
        self._opens_implicit = True
        if item is None:
            self._open |= self._names
            return
        whole = item.text if span is None else item.text[span.start : span.end]
        named = frozenset(IDENTIFIER.findall(without_hidden(whole)))
        if not named.isdisjoint(self._hiding):
            named |= self._expanded(item).keys()
        self._open |= named & self._names

    def _look_for_names(self) -> None:
        """Opens the functions that are named where no call of them was followed."""
        wanted = self._names | self._hiding
        for item in (*self._unit.items, *self._unit.included_items):
            if not (item.active and item.is_definition) or wanted.isdisjoint(item.identifiers):
                continue
            if item.kind is ItemKind.VARIABLE:
                self._open |= _named_without_call(item.text, self._names, b"")
            elif item.kind is ItemKind.FUNCTION and item.identity in self._reached:
                self._look_into(item)
            elif item.kind is ItemKind.FUNCTION and not item.is_device:
                self._look_into_host(item)

    def _look_into(self, item: Item) -> None:
        named = item.identifiers & self._names
        counts = Counter(dict(uses_of_names(item, named)))
        for name, count in self._expanded(item).items():
            if name in self._names:
                counts[name] = max(counts[name], count - (name == _name(item)))
        self._open |= _named_without_call(item.text, named & self._known_words, _name(item))
        for name, count in counts.items():
            if name in self._known_words:
                continue
            calls = self._followed.get((item.identity, name), ())
            if all(one.owner is None for one in self._wanted[name]):
                count -= len(re.findall(rb"(?:\.|->)\s*" + re.escape(name) + rb"(?![\w$])", item.text))
            if count > sum(name in item.text[start:end] for start, end in calls):
                self._open.add(name)
        has_errors = self._unit.snippet(item).error_count > 0
        if has_errors:
            self._open |= named
        self._opens_implicit |= has_errors or _LAMBDA.search(item.text) is not None

    def _look_into_host(self, item: Item) -> None:
        """Host code calls host functions; it may pass the address of another one, or hold a lambda for the device."""
        text = item.text if item.identifiers.isdisjoint(self._hiding) else self._unit.snippet(item).text
        if b"__device__" in text:
            self._open |= frozenset(IDENTIFIER.findall(text)) & self._names
            self._opens_implicit = True
        else:
            named = frozenset(IDENTIFIER.findall(text)) & self._names
            self._open |= _template_arguments(text, frozenset(uses_of_names(item, named)) if named else named)

    def _spread(self) -> None:
        """Opens what open functions name in turn."""
        waiting = [*self._open]
        seen: set[bytes] = set()
        while waiting:
            name = waiting.pop()
            for item in () if name in seen else self._unit.lookup(name.decode("utf-8", "surrogateescape")):
                if item.kind is ItemKind.FUNCTION and item.is_definition and item.is_device:
                    named = ((item.identifiers | self._expanded(item).keys()) & self._names) - self._open
                    self._open |= named
                    waiting.extend(named)
                    self._opens_implicit = True
            seen.add(name)

    @cached_property
    def _hiding(self) -> frozenset[bytes]:
        """Macros behind which a name of a function may stand."""
        bodies = {
            name: {word for _, one in history if one is not None for word in IDENTIFIER.findall(one.body)}
            for name, history in self._unit.macros.names.items()
        }
        found = {
            name
            for name, history in self._unit.macros.names.items()
            if any(one is not None and b"##" in one.body for _, one in history)
            or not self._names.isdisjoint(bodies[name])
        }
        count = -1
        while count < len(found):
            count = len(found)
            found |= {name for name, words in bodies.items() if not words.isdisjoint(found)}
        return frozenset(found)

    def _expanded(self, item: Item) -> Counter[bytes]:
        """How often each name stands in the text once macros are expanded; nothing where none hides a function."""
        if item.identifiers.isdisjoint(self._hiding):
            return Counter()
        return Counter(IDENTIFIER.findall(without_hidden(self._unit.snippet(item).text)))


@final
class _SharesOfKernels:
    """What calls take of the kernels that make them."""

    def __init__(self, unlaunched: Mapping[int, int]) -> None:
        self._unlaunched = unlaunched
        self._kernels: dict[int, FrameShares] = {}

    def taken(self, calls: Iterable[tuple[RootAnalysis, FrameId]]) -> Taken:
        """Of the kernel where it is most; what a device function takes that no kernel calls says nothing."""
        frames: defaultdict[int, list[FrameId]] = defaultdict(list)
        for root, frame in calls:
            if root.is_of_kernel:
                if id(root) not in self._kernels:
                    self._kernels[id(root)] = FrameShares(root, self._unlaunched.get(id(root), 0))
                frames[id(root)].append(frame)
        slots = sectors = None
        for kernel, called in frames.items():
            found = self._kernels[kernel].taken(called)
            slots, sectors = larger(slots, found.slots), larger(sectors, found.sectors)
        return Taken(slots, sectors)


def may_call(opaque: Opaque) -> bool:
    """Whether functions of the file may run in what is not understood."""
    return opaque.may_contain_barrier and not opaque.construct.startswith("asm ")


def _named_without_call(text: bytes, names: frozenset[bytes], own: bytes) -> frozenset[bytes]:
    """Names that something else follows than arguments."""
    named = frozenset(IDENTIFIER.findall(text)) & names - {own}
    if not named:
        return named
    words = rb"|".join(map(re.escape, sorted(named)))
    called = re.compile(rb"(?<![\w$])(?:" + words + rb")(?![\w$])(?!\s*\()")
    return frozenset(match[0] for match in called.finditer(without_hidden(text)))


def _template_arguments(text: bytes, names: frozenset[bytes]) -> frozenset[bytes]:
    """Names that may stand between `<` and `>`."""
    if not names:
        return names
    words = rb"|".join(map(re.escape, sorted(names)))
    passed = re.compile(rb"[<,]\s*&?\s*(?:[\w$]+\s*::\s*)*(" + words + rb")(?=\s*[,>])")
    return frozenset(match[1] for match in passed.finditer(without_hidden(text)))


def _name(item: Item) -> bytes:
    return item.name.encode("utf-8", "surrogateescape")


def _sorted(sites: Iterable[CallSite]) -> tuple[CallSite, ...]:
    return tuple(sorted(sites, key=lambda site: (site.path, site.line)))
