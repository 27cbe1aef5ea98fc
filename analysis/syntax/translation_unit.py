"""A file, the headers it reads, and every declaration in them: the entry point of this package.

Rules    Nothing raises on user input.  A build is immutable; snippets and fingerprints are computed when asked for.
         With `context`, a header is seen as the file that includes it sees it, up to that include.
Cost     The walk costs a few microseconds per declaration; texts that did not change are not scanned again.
Limits   See `skeleton`, `expansion` and `includes`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import Final, NamedTuple, final

from analysis.ir.pace import paced
from analysis.ir.source import Span
from analysis.syntax.cache import SyntaxCache
from analysis.syntax.document import Document
from analysis.syntax.environment import ASKING_FOR_SIDE, Environment
from analysis.syntax.fingerprints import Fingerprints, names_of
from analysis.syntax.function_values import FunctionValues, calls_other_files, function_values, has_derived_class
from analysis.syntax.includes import IncludeUse, Loader, is_header
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import identifiers
from analysis.syntax.line_index import LineIndex
from analysis.syntax.macros import MacroTable
from analysis.syntax.parsing import MAX_PARSED_BYTES
from analysis.syntax.preprocessing import preprocess
from analysis.syntax.problems import Problem, ProblemKind
from analysis.syntax.snippet import Snippet
from analysis.syntax.trees import Trees
from analysis.syntax.walk_state import Preprocessed

MAX_INCLUDERS: Final = 4
"""Of a source file, without a project; each is read whenever the file is analysed, and no part of it is kept."""


_WITH_BODY: Final = frozenset({ItemKind.FUNCTION, ItemKind.RECORD})
_ASKING: Final = tuple(name.encode() for name in ASKING_FOR_SIDE)
_NOT_READ: Final = frozenset({ProblemKind.MISSING_INCLUDE, ProblemKind.SPECIAL_FILE, ProblemKind.TOO_LARGE})
_AROUND: Final = re.compile(rb"([A-Za-z_$][\w$]*)\s*::")


@final
class Locator(NamedTuple):
    """An item by what others see of it; `number` counts those that look alike."""

    path: str
    namespace: tuple[str, ...]
    owner: str | None
    name: str
    part: int
    view: bytes
    number: int


@final
class TranslationUnit:
    """One file with everything it can name."""

    def __init__(
        self,
        path: str,
        found: Preprocessed,
        environment: Environment,
        cache: SyntaxCache,
        around: "tuple[str, bytes, Loader] | None" = None,
        compiled_in: "tuple[Sequence[str], Loader] | None" = None,
    ) -> None:
        self.path = path
        self._around = around
        self._compiled_in = compiled_in
        self.environment = environment
        self.items: tuple[Item, ...] = tuple(found.items)
        """The items of the main file, in text order; also those in regions that are left out."""
        self.included_items: tuple[Item, ...] = tuple(found.included_items)
        """The active items of the headers, and of the context up to its include of the main file."""
        self.includes: tuple[IncludeUse, ...] = tuple(found.includes)
        self.problems: tuple[Problem, ...] = tuple(found.problems)
        self.inline_namespaces: frozenset[tuple[str, ...]] = frozenset(found.inline_namespaces)
        self.macros: MacroTable = found.macros
        self._texts = found.texts
        self._cache = cache
        self._is_variant = False
        """Whether it was made of another unit with the same text, for another side or architecture."""
        self._found: dict[str, tuple[Item, ...]] = {}
        self._by_text: dict[str, dict[tuple[str, bytes], Item]] = {}
        self._lines: dict[str, LineIndex] = {}
        self._located: dict[str, dict[int, Locator]] = {}

    @classmethod
    def build(
        cls,
        path: str,
        document: Document,
        loader: Loader,
        environment: Environment | None = None,
        cache: SyntaxCache | None = None,
        context: str | None = None,
        includers: Sequence[str] = (),
    ) -> "TranslationUnit":
        """Read `document` as the file `path`; share `cache` between builds to share their work.

        `includers` are all files that it is compiled in; without any, `context` counts as one of several.
        """
        environment = Environment() if environment is None else environment
        cache = SyntaxCache() if cache is None else cache
        if len(document.text) > MAX_PARSED_BYTES:
            found = Preprocessed(problems=[Problem(ProblemKind.TOO_LARGE, path, Span(0, 0))])
            return cls(path, found, environment, cache)
        skeleton = cache.skeleton(path, document.text)
        text = loader.read(context) if context is not None and context != path else None
        inside = (tuple(includers), loader)
        if context is None or text is None or len(text) > MAX_PARSED_BYTES:
            found = preprocess(path, skeleton, loader, environment, cache, None)
            return cls(path, found, environment, cache, None, inside)
        found = preprocess(path, skeleton, loader, environment, cache, (context, cache.skeleton(context, text)))
        return cls(path, found, environment, cache, (context, text, loader), inside)

    @cached_property
    def includer(self) -> "TranslationUnit | None":
        """The whole context of a header, what follows its include too; None where it is read without one."""
        if self._around is None:
            return None
        context, text, loader = self._around
        return TranslationUnit.build(context, Document.open(text), loader, self.environment, self._cache)

    @property
    def asks_for_side(self) -> bool:
        """Whether its own text asks outside of functions and classes on which side it is compiled: `__CUDA_ARCH__`."""
        whole = _asks_for_side(self._texts.get(self.path, b""))
        inside = (item for item in self.items if item.owner is None and item.kind in _WITH_BODY) if whole else ()
        asking = (item for item in inside if not item.from_macro and not item.identifiers.isdisjoint(_ASKING))
        return whole > sum(_asks_for_side(item.text) for item in asking)

    @property
    def host_side(self) -> "TranslationUnit":
        """The same text as it is compiled for the host: another one only where some text asks for the side."""
        return self._host_side or self

    @cached_property
    def _host_side(self) -> "TranslationUnit | None":
        if not self.says(*_ASKING):
            return None
        return self._read_in(replace(self.environment, is_host=True))

    def for_architecture(self, architecture: int) -> "TranslationUnit | None":
        """The same text as it is compiled for another architecture; None where it is too large to be read."""
        return self._read_in(replace(self.environment, architecture=architecture))

    def _read_in(self, environment: Environment) -> "TranslationUnit | None":
        if self._loader is None:
            return None
        context = None if self._around is None else self._around[0]
        includers = () if self._compiled_in is None else self._compiled_in[0]
        document = Document.open(self._texts.get(self.path, b""))
        unit = TranslationUnit.build(self.path, document, self._loader, environment, self._cache, context, includers)
        unit._is_variant = True
        return unit

    @property
    def includers(self) -> "tuple[TranslationUnit, ...]":
        """The whole files that this one is compiled in: all of them, or none where they are not all read.

        A file that names this one and leaves it out, in a dead branch or for another of its name, is none of them.
        """
        return self._read_includers or ()

    @property
    def is_included(self) -> bool:
        """Whether the text may be a part of other files: who uses what it defines is then not to be seen in it."""
        return self.has_unread_includers or bool(self._read_includers)

    @property
    def has_unread_includers(self) -> bool:
        """Whether it may be a part of files other than `includers`."""
        return is_header(self.path) or self._read_includers is None

    @property
    def _loader(self) -> Loader | None:
        if self._around is not None:
            return self._around[2]
        return None if self._compiled_in is None else self._compiled_in[1]

    @cached_property
    def _read_includers(self) -> "tuple[TranslationUnit, ...] | None":
        """None where some are not read."""
        paths, loader = self._compiled_in or ((), None)
        if loader is None or not paths:
            return () if self._around is None else None
        if len(paths) > MAX_INCLUDERS:
            return None
        units: list[TranslationUnit] = []
        for path in paths:
            text = loader.read(path)
            if text is None or len(text) > MAX_PARSED_BYTES:
                return None
            unit = TranslationUnit.build(path, Document.open(text), loader, self.environment, self._cache)
            if unit.text_of(self.path) is not None:
                units.append(unit)
        return tuple(units)

    def lookup(self, name: str) -> tuple[Item, ...]:
        """All items of that last-component name: active ones first, then in order."""
        known = self._found.get(name)
        if known is None:
            indices = self._by_name.get(name.encode("utf-8", "surrogateescape"), ())
            items = [item for index in indices if (item := self._all[index]).name == name]
            known = self._found[name] = tuple(sorted(items, key=_activity))
        return known

    def declared_among(self, names: frozenset[bytes]) -> frozenset[bytes]:
        """Those of the names that items have."""
        return names & self._by_name.keys()

    @property
    def read_paths(self) -> Iterable[str]:
        """The main file and the headers that were read."""
        return self._texts.keys()

    def text_of(self, path: str) -> bytes | None:
        """The text of the main file or of a header that was read."""
        return self._texts.get(path)

    def says(self, *words: bytes) -> bool:
        """Whether one of these stands in any text that is read."""
        own = self._texts.get(self.path, b"")
        around = tuple([text for path, text in self._texts.items() if path != self.path])
        return any(word in own for word in words) or self._cache.is_said(self.path, around, words)

    def same(self, item: Item) -> Item | None:
        """The first item that is called and reads like one of another version of the text."""
        known = self._by_text.get(item.name)
        if known is None:
            known = self._by_text[item.name] = {}
            for other in self.lookup(item.name):
                known.setdefault((other.path, other.text), other)
        return known.get((item.path, item.text))

    def line_of(self, path: str, offset: int) -> int:
        """The line, from 0, of an offset in the main file or a header that was read."""
        known = self._lines.get(path)
        if known is None:
            known = self._lines[path] = LineIndex(self._texts.get(path, b""))
        return known.line_of(offset)

    def snippet(self, item: Item) -> Snippet:
        """The item, expanded and parsed; the same object while all that it is read with stays the same."""
        key = self.to_lower(item), item.part
        return self._cache.snippets.get_or_compute(key, lambda: self._snippet(item))

    def plain_snippet(self, item: Item) -> Snippet:
        """The item as the grammar alone reads it, whatever names mean; shared by all texts and units with this item.

        Nobody who knows what names mean may repair it.
        """
        index = self._index.get(_key(item))
        if index is None:
            return self._trees.make(item)
        parsed = self._fingerprints.to_parse(index)
        key = b"plain" + parsed, item.part
        return self._cache.snippets.get_or_compute(key, lambda: self._trees.plain(index, parsed))

    def _snippet(self, item: Item) -> Snippet:
        index = self._index.get(_key(item))
        return self._trees.make(item) if index is None else self._trees.of(index, self._fingerprints.to_parse(index))

    def fingerprint(self, item: Item) -> bytes:
        """A hash of all that the analysis of `item` can depend on."""
        index = self._index.get(_key(item))
        return b"" if index is None else self._fingerprints.of(index)

    def to_lower(self, item: Item) -> bytes:
        """A hash of all that lowering `item` depends on: the bodies of functions that it calls are no part of that."""
        index = self._index.get(_key(item))
        return b"" if index is None else self._fingerprints.to_lower(index)

    def to_evaluate(self, item: Item) -> bytes:
        """A hash of all that the numbers depend on which a host function computes."""
        index = self._index.get(_key(item))
        return b"" if index is None else self._fingerprints.to_evaluate(index)

    def to_parse(self, item: Item) -> bytes:
        """A hash of all that `plain_snippet` depends on, but for the part; empty for an item of another unit."""
        index = self._index.get(_key(item))
        return b"" if index is None else self._fingerprints.to_parse(index)

    def seen(self, item: Item) -> bytes:
        """A hash of all that others can see of `item`, and of what that names in turn."""
        index = self._index.get(_key(item))
        return b"" if index is None else self._fingerprints.seen(index)

    def meaning_of(self, text: bytes) -> bytes:
        """A hash of all that the names in `text` can mean here: of functions that types stand in, of what others see of
        everything else."""
        around = frozenset(_AROUND.findall(text))
        digests: list[bytes] = []
        for name in sorted(identifiers(text) & self._by_name.keys()):
            for index in self._by_name[name]:
                is_around = name in around and self._all[index].kind is ItemKind.FUNCTION
                digests.append(self._fingerprints.to_lower(index) if is_around else self._fingerprints.seen(index))
        return blake2b(b"".join(digests), digest_size=16).digest()

    @cached_property
    def is_alone(self) -> bool:
        """Whether device code can name nothing of another text: it is compiled as a whole program, and all is read."""
        is_whole = not any(problem.kind in _NOT_READ for problem in self.problems)
        is_whole = is_whole and not self.is_included and not self.environment.is_linked
        return is_whole and not calls_other_files(self._all)

    @cached_property
    def function_values(self) -> FunctionValues:
        """The device functions whose address may be taken."""
        return function_values(self._all, self.macros, is_alone=self.is_alone)

    @cached_property
    def callable_by_value(self) -> bytes:
        """A hash of all that decides which functions a call may run that is chosen at run time, and of their heads."""
        found = self.function_values
        digests = sorted(self.seen(item) for item in (*found.items, *self._of_virtual_calls()))
        return blake2b(
            b"".join([bytes([self.is_alone, found.is_known, self.has_derived_in_functions]), *digests]), digest_size=16
        ).digest()

    @cached_property
    def has_derived_in_functions(self) -> bool:
        """Whether some function may declare a class with bases."""
        return any(has_derived_class(item) for item in paced(self._all))

    def _of_virtual_calls(self) -> Sequence[Item]:
        """All classes and their methods, where any function is virtual."""
        if not any(b"virtual" in item.identifiers for item in self._all):
            return ()
        kinds = (ItemKind.RECORD, ItemKind.FUNCTION)
        methods = [item for item in self._all if item.kind in kinds and item.active and item.is_definition]
        return [item for item in methods if item.kind is ItemKind.RECORD or item.owner is not None]

    def locator(self, item: Item) -> Locator | None:
        """How to find `item` in other versions of the text in which others see the same of it."""
        index = self._index.get(_key(item))
        return None if index is None else self._locators(item.name)[index]

    def located(self, locator: Locator) -> Item | None:
        """What stands here for an item of another version."""
        found = [index for index, known in self._locators(locator.name).items() if known == locator]
        return self._all[found[0]] if found else None

    def _locators(self, name: str) -> Mapping[int, Locator]:
        known = self._located.get(name)
        if known is None:
            known = self._located[name] = {}
            same: Counter[Locator] = Counter()
            for index in self._by_name.get(name.encode("utf-8", "surrogateescape"), ()):
                item = self._all[index]
                view = self._fingerprints.view_of(index)
                first = Locator(item.path, item.namespace, item.owner, item.name, item.part, view, 0)
                known[index] = first._replace(number=same[first])
                same[first] += 1
        return known

    @cached_property
    def _all(self) -> Sequence[Item]:
        return (*self.items, *self.included_items)

    @cached_property
    def _trees(self) -> Trees:
        return Trees(self._all, self.macros, self._texts, self._cache)

    @cached_property
    def _by_name(self) -> dict[bytes, list[int]]:
        return names_of(self._all)

    @cached_property
    def _index(self) -> dict[tuple[str, int, int, str, int], int]:
        return {_key(item): index for index, item in enumerate(paced(self._all, 2))}

    @cached_property
    def _fingerprints(self) -> Fingerprints:
        # What a `using` line names does not say whom it concerns: any name may mean something else behind it.
        usings = [(item.namespace, item.text) for item in self._all if item.kind is ItemKind.USING and item.active]
        # What the architecture changes it changes by its macro, so that other items are the same for all.
        environment = replace(self.environment, architecture=0)
        settings = repr((environment, sorted(self.inline_namespaces), usings)).encode("utf-8", "replace")
        fresh = Fingerprints(self._all, self._by_name, self.macros, settings, self.path, self._trees)
        # Those of another side or architecture are no earlier version of these.
        return fresh if self._is_variant else self._cache.fingerprints(self.path, fresh)


def _asks_for_side(text: bytes) -> int:
    return sum(text.count(name) for name in _ASKING)


def _key(item: Item) -> tuple[str, int, int, str, int]:
    return item.path, item.order, item.span.start, item.name, item.part


def _activity(item: Item) -> tuple[bool, int]:
    return not item.active, item.order
