"""What the names of functions and variables of a unit mean, for whoever asks on which side they are.

Rules    A name means something only where all that the unit declares with it is of one kind and on one side, something
         of it is in sight of whoever uses the name, and nothing that CUDA itself declares has the name: whatever
         overload resolution picks then, the answer is the same.
         A head with a word that nobody declares says nothing where a header is missing: the word may be a macro that
         holds the qualifiers.  Nor does one with `A_WORD` that nobody declares, since headers in `<>` may be missing,
         nor one with a macro that would say more if another condition held (`#ifdef WITH_CUDA`): how the file is
         compiled is not known to hold what these conditions ask for.
Limits   What unseen headers declare is on no side.  Overloads of both sides with one name are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Final, final

from analysis.ir.pace import paced
from analysis.lower.builtins import builtin_function
from analysis.sides.class_members import Members, members_of
from analysis.sides.objects import ObjectUse, Use
from analysis.sides.side import Side, side_of
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import IDENTIFIER, without_hidden
from analysis.syntax.problems import ProblemKind
from analysis.syntax.snippet import Snippet
from analysis.syntax.translation_unit import TranslationUnit


@final
class Sides:
    """Of one translation unit; what was looked up is remembered."""

    def __init__(self, unit: TranslationUnit) -> None:
        self.unit = unit
        self._functions: dict[str, tuple[Sequence[Item], Side] | None] = {}
        self._certain: dict[tuple[str, int, int], bool] = {}
        self._members_of: dict[tuple[str, int, int], Members | None] = {}

    @cached_property
    def names(self) -> dict[Side, frozenset[bytes]]:
        """The names with a function on each side, to see at a glance whether a text can hold a call of one."""
        found: dict[Side, set[bytes]] = {side: set() for side in Side}
        for item in paced((*self.unit.items, *self.unit.included_items), 2):
            if item.kind is ItemKind.FUNCTION and item.active:
                found[side_of(item)].add(item.name.encode("utf-8", "replace"))
        return {side: frozenset(names) for side, names in found.items()}

    def may_call(self, function: Item, snippet: Callable[[], Snippet], *sides: Side) -> bool:
        """Whether a name in the text of a function means functions on one of these sides, and nothing else.

        Its own name does so only where it stands there a second time.  A name that no text of a call follows is a
        variable; where macros are used, what is compiled is the text of the `snippet`.
        """
        own = function.name.encode("utf-8", "replace")
        has_macros = not function.identifiers.isdisjoint(self.unit.macros.names)
        for side in sides:
            for name in function.identifiers & self.names[side]:
                if name == own and function.text.count(name) < 2:
                    continue
                if not has_macros and not _looks_called(name, function.text):
                    continue
                known = self._known(name.decode("utf-8", "replace"))
                if known is None or known[1] is not side:
                    continue
                if not has_macros or _looks_called(name, snippet().text):
                    return True
        return False

    @cached_property
    def device_variables(self) -> frozenset[bytes]:
        """Names of variables at file level that are said to lie on the device."""
        return frozenset(name for name, item in self._variables if _ON_DEVICE.search(item.text) is not None)

    def names_variables(self, function: Item) -> bool:
        """Whether a variable of the host may stand in the text of a function."""
        return not function.identifiers.isdisjoint(self._host_variables)

    @cached_property
    def _host_variables(self) -> frozenset[bytes]:
        return frozenset(name for name, item in self._variables if _NOT_OF_HOST.search(item.text) is None)

    @cached_property
    def _variables(self) -> Sequence[tuple[bytes, Item]]:
        items = paced((*self.unit.items, *self.unit.included_items), 2)
        return [
            (item.name.encode("utf-8", "replace"), item)
            for item in items
            if item.kind is ItemKind.VARIABLE and item.active and item.owner is None
        ]

    @cached_property
    def is_told(self) -> bool:
        """Whether qualifiers say where functions run: a pragma of clang may say otherwise."""
        return not self.says(b"force_cuda_host_device")

    @cached_property
    def is_unchecked(self) -> bool:
        """Whether a pragma says somewhere that calls between the sides are not checked."""
        return self.says(b"exec_check_disable", b"hd_warning_disable")

    def says(self, *words: bytes) -> bool:
        """Whether one of these stands in any text that is read."""
        return self.unit.says(*words)

    @cached_property
    def is_incomplete(self) -> bool:
        """Whether declarations may stand in what was not read."""
        return any(problem.kind in _UNREAD for problem in self.unit.problems)

    def is_declared(self, name: str) -> bool:
        """Whether the unit declares anything with that name."""
        return bool(self.unit.lookup(name))

    def of_call(
        self, name: str, scopes: tuple[str, ...], caller: Item, *, is_launch: bool = False
    ) -> tuple[Sequence[Item], Side] | None:
        """What a call by name means, with the side that all of these are on; None where that is not certain.

        Kernels are never members, so that what is launched is inherited from no base.
        """
        known = self._known(name)
        if known is None:
            return None
        items, side = known
        seen = [item for item in items if _is_in_sight(item, scopes, caller)]
        if not seen or (not scopes and not is_launch and self._may_be_inherited(caller)):
            return None
        return seen, side

    def may_use_objects(self, function: Item, *sides: Side) -> bool:
        """Whether a function names a class with which it may call something on one of these sides."""
        has_operators = any(name.startswith(b"operator") for side in sides for name in self.names[side])
        named = {name.decode("utf-8", "replace") for name in function.identifiers & self._class_names}
        if function.owner is not None and function.owner.encode("utf-8", "replace") in self._class_names:
            named.add(function.owner)
        return bool(named) and (has_operators or any(self._has_member_on(name, sides) for name in sorted(named)))

    def members_beside(self, function: Item) -> frozenset[bytes]:
        """Names of what it may call of the classes that it names, and does not name itself."""
        classes = function.identifiers & self._class_names
        operators = {name for names in self.names.values() for name in names if name.startswith(b"operator")}
        return frozenset({*(b"~" + name for name in classes), *operators}) if classes else frozenset()

    def of_object(self, use: ObjectUse, caller: Item) -> tuple[Sequence[Item], Side] | None:
        """What the use of an object calls, with the side that all of these are on; None where that is not certain."""
        records = self._classes(use.of)
        known = [self._members(record) for record in records]
        members = [one for one in known if one is not None]
        is_seen = all(_is_in_sight(record, use.scopes, caller) for record in records)
        if not records or len(members) != len(known) or not is_seen or self._may_be_inherited(caller):
            return None
        if use.use is not Use.OPERATOR:
            return self._on_one_side(use.of, [use.name], members)
        if any(one.converts for one in members):
            return None
        if use.name in _OF_MEMBERS:
            is_asked = use.name != "operator=" or any(one.takes_own for each in members for one in each.named(use.name))
            return self._on_one_side(use.of, [use.name], members) if is_asked else None
        names = _COMPARISONS if use.name in _COMPARISONS else (use.name,)
        return self._on_one_side(use.of, names, members, is_free=True)

    def variables(self, name: str, user: Item) -> Sequence[Item]:
        """The variables at file level that a name means where it is used; none where it may mean something else."""
        items = [item for item in self.unit.lookup(name) if item.active]
        if not items or any(item.kind is not ItemKind.VARIABLE or item.owner is not None for item in items):
            return ()
        is_seen = any(_is_in_sight(item, (), user) for item in items)
        if not is_seen or self.may_be_member(name, user) or not all(map(self.is_certain, items)):
            return ()
        return items

    def is_certain(self, item: Item) -> bool:
        """Whether the words of a declaration are all known, so that no macro hides what it says."""
        known = self._certain.get(item.identity)
        if known is None:
            is_known = not self.is_incomplete or self._knows_words(item)
            known = self._certain[item.identity] = is_known and self.is_said(item)
        return known

    def is_said(self, item: Item) -> bool:
        """Whether no macro in front of its name would say more of its side if another condition held, or is unseen."""
        shouted = _shouted(item.identifiers)
        if not shouted and self.weakened.isdisjoint(item.identifiers):
            return True
        words = words_before_name(item)
        said = item.identifiers if words is None else frozenset(words)
        return self.weakened.isdisjoint(said) and not self._unseen(shouted & said)

    def _unseen(self, words: frozenset[bytes]) -> frozenset[bytes]:
        """Those that nothing declares."""
        left = (words - _WORDS).difference(self.unit.macros.names)
        declared = self.unit.declared_among(left) if left else ()
        return left.difference(word for word in declared if self.is_declared(word.decode("utf-8", "replace")))

    @cached_property
    def weakened(self) -> frozenset[bytes]:
        """Macros that hold more qualifiers in a region that is left out than where they are defined."""
        macros = self.unit.macros
        if not macros.left_out:
            return frozenset()
        bodies: dict[bytes, list[frozenset[bytes]]] = {}
        for name, history in macros.names.items():
            bodies[name] = [frozenset(IDENTIFIER.findall(one.body)) for _, one in history if one is not None]
        found = {
            name
            for name, qualifiers in macros.left_out.items()
            if name not in bodies or any(not qualifiers <= words for words in bodies[name])
        }
        size = -1
        while size != len(found):
            size = len(found)
            found |= {name for name, every in bodies.items() if any(not found.isdisjoint(words) for words in every)}
        return frozenset(found)

    def may_be_member(self, name: str, user: Item) -> bool:
        """Whether a name in a method may be that of a member of its class or of a base."""
        if user.owner is None:
            return False
        word = name.encode("utf-8", "replace")
        records = [item for item in self.unit.lookup(user.owner) if item.kind is ItemKind.RECORD]
        return not records or any(word in item.identifiers or _has_bases(item) for item in records)

    # -- inside -----------------------------------------------------------------------------------------------------

    def _known(self, name: str) -> tuple[Sequence[Item], Side] | None:
        if name not in self._functions:
            self._functions[name] = self._of_name(name)
        return self._functions[name]

    def _of_name(self, name: str) -> tuple[Sequence[Item], Side] | None:
        items = [item for item in self.unit.lookup(name) if item.active]
        if not items or any(item.kind is not ItemKind.FUNCTION for item in items):
            return None
        if name in _OF_LIBRARY or builtin_function(name) is not None:
            return None
        sides = {side_of(item) for item in items}
        if len(sides) != 1 or not all(map(self.is_certain, items)):
            return None
        return items, sides.pop()

    def _knows_words(self, item: Item) -> bool:
        words = words_before_name(item)
        return words is not None and all(map(self._knows_word, words))

    def _knows_word(self, word: bytes) -> bool:
        return word in _WORDS or self._is_told_by_macro(word) or self.is_declared(word.decode("utf-8", "replace"))

    @cached_property
    def _class_names(self) -> frozenset[bytes]:
        items = paced((*self.unit.items, *self.unit.included_items), 2)
        return frozenset(
            item.name.encode("utf-8", "replace")
            for item in items
            if item.kind is ItemKind.RECORD and item.active and item.is_definition and item.owner is None
        )

    def _classes(self, name: str) -> Sequence[Item]:
        """The definitions of a class and its specialisations; none where the name may mean something else."""
        items = [item for item in self.unit.lookup(name) if item.active]
        records = [item for item in items if item.kind is ItemKind.RECORD]
        others = [item for item in items if item.kind is not ItemKind.RECORD]
        if any(item.owner is not None or item.from_macro or not item.name for item in records):
            return ()
        if any(item.kind is not ItemKind.FUNCTION or item.owner != name for item in others):
            return ()
        defined = [item for item in records if item.is_definition]
        is_one = len({item.namespace for item in records}) == 1
        is_one = is_one and (len(defined) == 1 or all(item.is_template for item in defined))
        return defined if is_one else ()

    def _members(self, record: Item) -> Members | None:
        if record.identity not in self._members_of:
            self._members_of[record.identity] = members_of(self.unit.snippet(record), record.name)
        return self._members_of[record.identity]

    def _has_member_on(self, name: str, sides: tuple[Side, ...]) -> bool:
        records = [record for record in self._classes(name) if self._may_have_member_on(record, sides)]
        known = map(self._members, records)
        return any(member.side in sides for one in known if one is not None for member in one.functions)

    def _may_have_member_on(self, record: Item, sides: tuple[Side, ...]) -> bool:
        """Whether the text of a class may say so: `__device__` stands in it, or a macro that may hold that."""
        words = record.identifiers
        return sides != (Side.DEVICE,) or b"__device__" in words or not words.isdisjoint(self.unit.macros.names)

    def _on_one_side(
        self, owner: str, names: Sequence[str], members: Sequence[Members], *, is_free: bool = False
    ) -> tuple[Sequence[Item], Side] | None:
        """`is_free`: functions at file level count as well, and one of them has to name the class."""
        declared = [
            one for each in members for one in each.functions if one.name in names and (is_free or not one.is_friend)
        ]
        items = [item for name in names for item in self.unit.lookup(name) if item.active]
        items = [item for item in items if item.owner == owner or (is_free and (item.owner is None or item.is_friend))]
        word = owner.encode("utf-8", "replace")
        takes = any(item.owner == owner or word in item.identifiers for item in items)
        if any(name in each.others for name in names for each in members) or not (declared or takes):
            return None
        is_known = all(self._knows_word(word) for one in declared for word in one.words) and all(
            item.kind is ItemKind.FUNCTION and self.is_certain(item) and _DEFAULTED.search(item.text) is None
            for item in items
        )
        sides = {one.side for one in declared} | {side_of(item) for item in items}
        side = next(iter(sides))
        return None if not is_known or len(sides) != 1 or side is None else (items, side)

    def _is_told_by_macro(self, word: bytes) -> bool:
        """Whether a word is a macro whose definitions hold nothing unknown."""
        found = self.unit.macros.names.get(word, ())
        bodies = [definition.body for _, definition in found if definition is not None]
        return bool(bodies) and all(_WORDS.issuperset(IDENTIFIER.findall(body)) for body in bodies)

    def _may_be_inherited(self, caller: Item) -> bool:
        """Whether the class of a method has bases, in which its names may mean something."""
        return caller.owner is not None and any(_has_bases(item) for item in self.unit.lookup(caller.owner))


def words_before_name(item: Item) -> Sequence[bytes] | None:
    """The words in front of the name that an item declares, without those that stand in `<…>`, too; None where the name
    is not seen."""
    return _words_before(item.name.encode("utf-8", "replace"), _head(item.text))


@lru_cache(maxsize=1 << 12)
def _words_before(name: bytes, head: bytes) -> Sequence[bytes] | None:
    found = re.search(rb"(?<!\w)" + re.escape(name) + rb"\s*(?=[(;=,\[{]|$)", head)
    if found is None:
        return None
    before, inner = head[: found.start()], set[bytes]()
    while parts := _TEMPLATE.findall(before):  # the innermost ones first
        inner.update(word for part in parts for word in IDENTIFIER.findall(part))
        before = _TEMPLATE.sub(b" ", before)
    return [word for word in IDENTIFIER.findall(before) if word not in inner]


def _head(text: bytes) -> bytes:
    """What stands in front of the first brace, without what is hidden: mostly nothing is."""
    head = text.partition(b"{")[0]
    return head if _HIDES.search(head) is None else without_hidden(text).partition(b"{")[0]


@lru_cache(maxsize=1 << 12)
def _shouted(words: frozenset[bytes]) -> frozenset[bytes]:
    return frozenset(word for word in words if _SHOUTED.fullmatch(word))


def _is_in_sight(item: Item, scopes: tuple[str, ...], caller: Item) -> bool:
    """Whether a name without scopes finds it from there, or it lies in the scope that is written."""
    own = (*item.namespace, *(() if item.owner is None else (item.owner,)))
    written = tuple(scope for scope in scopes if scope)
    if written:
        return own[-len(written) :] == written
    if item.owner is not None:
        return item.owner == caller.owner
    return caller.namespace[: len(item.namespace)] == item.namespace


def _looks_called(name: bytes, text: bytes) -> bool:
    """Whether behind the name, somewhere, stands what follows it in a call: `(`, `<…>`, a comment, a spliced line."""
    called = re.compile(re.escape(name) + rb"\s*(?:\(|<[^;]*>|/[/*]|\\)")  # begins with letters that are found at once
    return any(_PART_OF_WORD.match(text, found.start() - 1) is None for found in called.finditer(text) if found.start())


def _has_bases(item: Item) -> bool:
    head = _head(item.text).replace(b"::", b"")
    return item.kind is ItemKind.RECORD and b":" in head


_PART_OF_WORD: Final = re.compile(rb"[\w$]")
_HIDES: Final = re.compile(rb"[/\"'\\]")
"""What comments and strings begin with, and spliced lines."""
_SHOUTED: Final = re.compile(rb"[A-Z][A-Z0-9_]{2,}")
"""What macros are called."""
_OF_MEMBERS: Final = frozenset({"operator=", "operator[]", "operator()", "operator->"})
"""Operators that only a class itself can have."""
_COMPARISONS: Final = tuple(f"operator{one}" for one in ("==", "!=", "<", ">", "<=", ">=", "<=>"))
"""One may stand for another."""
_DEFAULTED: Final = re.compile(rb"=\s*(?:default|delete)\s*;")
_UNREAD: Final = frozenset(ProblemKind) - {ProblemKind.CONDITION, ProblemKind.MACRO_GROWTH}
"""Problems behind which declarations may stand."""
_ON_DEVICE: Final = re.compile(rb"[A-Z_]*(?:device|constant|DEVICE|CONSTANT)[A-Z_]*")
"""Also through a macro that is called so; which it is decides the declaration."""
_NOT_OF_HOST: Final = re.compile(rb"\b(?:const|constexpr|__device__|__constant__|__managed__)\b")
_TEMPLATE: Final = re.compile(rb"<[^<>;{}()]*>")
_WORDS: Final = frozenset(
    b"template typename class struct enum union static inline extern const volatile signed unsigned void bool char "
    b"short int long float double auto size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t "
    b"uint32_t uint64_t uint uchar ushort ulong std string vector pair array FILE virtual explicit friend constexpr "
    b"__host__ __device__ __global__ __forceinline__ __noinline__ __inline__ __launch_bounds__ __constant__ "
    b"__shared__ __managed__ __restrict__ C dim3 cudaError_t cudaStream_t cudaEvent_t float2 float3 float4 int2 int3 "
    b"int4 uint2 uint3 uint4 double2 double3 double4 uchar4 wchar_t operator".split()
)
"""Words of heads that say no side but what they are known to say."""
_OF_LIBRARY: Final = frozenset(
    {"malloc", "free", "memcpy", "memset", "memcmp", "strlen", "strcmp", "strcpy", "printf", "assert", "abs"}
    | {"min", "max", "swap", "clock", "rand", "srand", "exit", "sqrt", "pow", "exp", "log"}
    | {"sin", "cos", "tan", "floor", "ceil", "fabs", "round", "move", "forward", "get", "begin"}
    | {"end", "size", "data", "norm", "real", "imag"}
)
"""Names that headers of the libraries declare as well, in versions of which not all are seen."""
