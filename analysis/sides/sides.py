"""What the names of functions and variables of a unit mean, for whoever asks on which side they are.

Rules    A name means something only where all that the unit declares with it is of one kind and on one side, something
         of it is in sight of whoever uses the name, and nothing that CUDA itself declares has the name: whatever
         overload resolution picks then, the answer is the same.
         A head with a word that nobody declares says nothing where a header is missing: the word may be a macro that
         holds the qualifiers.
Limits   What unseen headers declare is on no side.  Overloads of both sides with one name are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final, final

from analysis.ir.pace import paced
from analysis.lower.builtins import builtin_function
from analysis.sides.side import Side, side_of
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import IDENTIFIER, without_hidden
from analysis.syntax.problems import ProblemKind
from analysis.syntax.translation_unit import TranslationUnit


@final
class Sides:
    """Of one translation unit; what was looked up is remembered."""

    def __init__(self, unit: TranslationUnit) -> None:
        self.unit = unit
        self._functions: dict[str, tuple[Sequence[Item], Side] | None] = {}
        self._certain: dict[tuple[str, int, int], bool] = {}

    @cached_property
    def names(self) -> dict[Side, frozenset[bytes]]:
        """The names with a function on each side, to see at a glance whether a text can hold a call of one."""
        found: dict[Side, set[bytes]] = {side: set() for side in Side}
        for item in paced((*self.unit.items, *self.unit.included_items), 2):
            if item.kind is ItemKind.FUNCTION and item.active:
                found[side_of(item)].add(item.name.encode("utf-8", "replace"))
        return {side: frozenset(names) for side, names in found.items()}

    def may_call(self, function: Item, *sides: Side) -> bool:
        """Whether a name in the text of a function means functions on one of these sides, and nothing else.

        Its own name does so only where it stands there a second time.
        """
        own = function.name.encode("utf-8", "replace")
        for side in sides:
            for name in function.identifiers & self.names[side]:
                if name == own and function.text.count(name) < 2:
                    continue
                known = self._known(name.decode("utf-8", "replace"))
                if known is not None and known[1] is side:
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
        texts = (self.unit.text_of(path) or b"" for path in self.unit.read_paths)
        return any(word in text for text in texts for word in words)

    @cached_property
    def is_incomplete(self) -> bool:
        """Whether declarations may stand in what was not read."""
        return any(problem.kind in _UNREAD for problem in self.unit.problems)

    def is_declared(self, name: str) -> bool:
        """Whether the unit declares anything with that name."""
        return bool(self.unit.lookup(name))

    def of_call(self, name: str, scopes: tuple[str, ...], caller: Item) -> tuple[Sequence[Item], Side] | None:
        """What a call by name means, with the side that all of these are on; None where that is not certain."""
        known = self._known(name)
        if known is None:
            return None
        items, side = known
        seen = [item for item in items if _is_in_sight(item, scopes, caller)]
        if not seen or (not scopes and self._may_be_inherited(caller)):
            return None
        return seen, side

    def variables(self, name: str, user: Item) -> Sequence[Item]:
        """The variables at file level that a name means where it is used; none where it may mean something else."""
        items = [item for item in self.unit.lookup(name) if item.active]
        if not items or any(item.kind is not ItemKind.VARIABLE or item.owner is not None for item in items):
            return ()
        is_seen = any(_is_in_sight(item, (), user) for item in items)
        if not is_seen or self._may_be_member(name, user) or not all(map(self.is_certain, items)):
            return ()
        return items

    def is_certain(self, item: Item) -> bool:
        """Whether the words of a declaration are all known, so that no macro hides what it says."""
        known = self._certain.get(item.identity)
        if known is None:
            known = self._certain[item.identity] = not self.is_incomplete or self._knows_words(item)
        return known

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
        return words is not None and all(
            word in _WORDS or self._is_told_by_macro(word) or self.is_declared(word.decode()) for word in words
        )

    def _is_told_by_macro(self, word: bytes) -> bool:
        """Whether a word is a macro whose definitions hold nothing unknown."""
        found = self.unit.macros.names.get(word, ())
        bodies = [definition.body for _, definition in found if definition is not None]
        return bool(bodies) and all(_WORDS.issuperset(IDENTIFIER.findall(body)) for body in bodies)

    def _may_be_inherited(self, caller: Item) -> bool:
        """Whether the class of a method has bases, in which its names may mean something."""
        return caller.owner is not None and any(_has_bases(item) for item in self.unit.lookup(caller.owner))

    def _may_be_member(self, name: str, user: Item) -> bool:
        if user.owner is None:
            return False
        word = name.encode("utf-8", "replace")
        records = [item for item in self.unit.lookup(user.owner) if item.kind is ItemKind.RECORD]
        return not records or any(word in item.identifiers or _has_bases(item) for item in records)


def words_before_name(item: Item) -> Sequence[bytes] | None:
    """The words in front of the name that an item declares, without those in `<…>`; None where the name is not seen."""
    head = without_hidden(item.text).partition(b"{")[0]
    found = re.search(rb"(?<!\w)" + re.escape(item.name.encode("utf-8", "replace")) + rb"\s*(?=[(;=,\[{]|$)", head)
    return None if found is None else IDENTIFIER.findall(_TEMPLATE.sub(b" ", head[: found.start()]))


def _is_in_sight(item: Item, scopes: tuple[str, ...], caller: Item) -> bool:
    """Whether a name without scopes finds it from there, or it lies in the scope that is written."""
    own = (*item.namespace, *(() if item.owner is None else (item.owner,)))
    written = tuple(scope for scope in scopes if scope)
    if written:
        return own[-len(written) :] == written
    if item.owner is not None:
        return item.owner == caller.owner
    return caller.namespace[: len(item.namespace)] == item.namespace


def _has_bases(item: Item) -> bool:
    head = without_hidden(item.text).partition(b"{")[0].replace(b"::", b"")
    return item.kind is ItemKind.RECORD and b":" in head


_UNREAD: Final = frozenset(ProblemKind) - {ProblemKind.CONDITION, ProblemKind.MACRO_GROWTH}
"""Problems behind which declarations may stand."""
_ON_DEVICE: Final = re.compile(rb"[A-Z_]*(?:device|constant|DEVICE|CONSTANT)[A-Z_]*")
"""Also through a macro that is called so; which it is decides the declaration."""
_NOT_OF_HOST: Final = re.compile(rb"\b(?:const|constexpr|__device__|__constant__|__managed__)\b")
_TEMPLATE: Final = re.compile(rb"<[^;{}()]*>")
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
