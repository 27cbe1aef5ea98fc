"""The functions of one version of a file, lowered, as far as somebody asks for them.

Rules    What was lowered for an earlier version is there again while the function's own text and all that it sees of
         others are the same: of functions that it calls that is the head (`analysis.syntax.fingerprints`).
         An instance of a template depends on its arguments, too, which its id names.
Limits   An instance is known once a caller of it was lowered, so what makes it known is lowered again with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import TypeAlias, final

from analysis.facts.instances import LaunchedTemplates
from analysis.facts.limited import unexpanded
from analysis.facts.model import OpaqueFact
from analysis.ir.function import Function
from analysis.ir.instructions import FunctionId
from analysis.ir.promote import promote
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.lower.program import Program
from analysis.store.kept import Table
from analysis.syntax.items import Item
from analysis.syntax.translation_unit import Locator

SsaKey: TypeAlias = tuple[FunctionId, bytes, int, int]


@final
@record
class SsaFunction:
    """One function lowered and promoted, on its own, with a number that no other has.

    `callees` come with what declares them: a place, since their bodies may be others than when it was lowered.
    """

    number: int
    function: Function
    callees: tuple[tuple[FunctionId, Locator | Item], ...]
    has_launch_bounds: bool
    syntax_errors: int
    unreadable: Span | None
    is_guess: bool
    is_too_large: bool
    callable_by_value: bytes | None
    """What it was lowered with, where it calls a function that a value says."""
    unexpanded: tuple[OpaqueFact, ...]
    """Uses of macros that grow without bound."""


@final
class LoweredFunctions:
    """Asked by their ids; those that the file defines are declared first."""

    def __init__(
        self,
        program: Program,
        warp_size: int,
        templates: LaunchedTemplates,
        kept: Table[SsaKey, SsaFunction],
        numbers: Iterator[int],
    ) -> None:
        self._program = program
        self._warp_size = warp_size
        self._templates = templates
        self._kept = kept
        self._numbers = numbers
        self._own: dict[FunctionId, tuple[Item, int]] = {}
        self._called_from: dict[FunctionId, tuple[FunctionId, Item]] = {}
        self._contexts: dict[FunctionId, bytes] = {}
        self._found: dict[FunctionId, SsaFunction] = {}
        """What was asked for: of one version of a file each question has one answer."""

    def declare(self, function: FunctionId, item: Item, number: int) -> None:
        """A function of the file; `number` counts definitions of the same signature."""
        self._own[function] = item, number

    def is_own(self, function: FunctionId) -> bool:
        """Whether it was declared."""
        return function in self._own

    def of(self, function: FunctionId) -> SsaFunction | None:
        """The function, lowered; None where nothing declares it."""
        known = self._found.get(function)
        if known is not None:
            return known
        item = self.item_of(function)
        if item is None:
            return None
        key = (function, self._program.unit.to_lower(item) + self._context(function), item.part, self._warp_size)
        own = self._kept.get_or_compute(key, lambda: self._lower(function))
        if own.callable_by_value is not None:
            own = self._with_functions(function, key, own)
        for callee, declared in own.callees:
            if callee not in self._called_from:
                found = self._program.unit.located(declared) if isinstance(declared, Locator) else declared
                assert found is not None, "what a function was lowered with is there again"
                self._called_from[callee] = function, found
        self._found[function] = own
        return own

    def _with_functions(self, function: FunctionId, key: SsaKey, kept: SsaFunction) -> SsaFunction:
        """The function as it is with those that it may call here by a value; `kept` is for some that were once."""
        digest = self._program.unit.callable_by_value
        key = (key[0], key[1] + digest, key[2], key[3])
        return self._kept.get_or_compute(
            key, lambda: kept if kept.callable_by_value == digest else self._lower(function)
        )

    def number_of(self, function: FunctionId) -> int:
        """The number of the lowered function; -1 where nothing declares it."""
        own = self.of(function)
        return -1 if own is None else own.number

    def body(self, function: FunctionId) -> Function | None:
        """What a call leads to; None where that is not known."""
        known = self.of(function)
        return None if known is None or known.is_guess else known.function

    def item_of(self, function: FunctionId) -> Item | None:
        """The item of a function; an instance of a template may be known from a caller only that was lowered before."""
        if function in self._own:
            return self._own[function][0]
        launched = self._templates.item_of(function)
        if launched is not None:
            return launched
        called = self._called_from.get(function)
        if called is not None:
            return called[1]
        try:
            return self._program.item_of(function)
        except KeyError:
            return None

    def _context(self, function: FunctionId) -> bytes:
        """What an instance of a template depends on beside its own text."""
        if function in self._own:
            return b""
        known = self._contexts.get(function)
        if known is None:
            known = self._program.unit.meaning_of(function.encode("utf-8", "replace"))
            caller = self._called_from.get(function)
            if caller is not None and "<anonymous" in function:  # a type that has no name is one of the caller's
                item = self.item_of(caller[0])
                known += b"" if item is None else self._program.unit.to_lower(item) + self._context(caller[0])
            known = self._contexts[function] = blake2b(known, digest_size=16).digest()
        return known

    def _lower(self, function: FunctionId) -> SsaFunction:
        self._make_known(function)
        lowered = self._program.lower(function)
        unit = self._program.unit
        items = {callee: self._program.item_of(callee) for callee in lowered.callees}
        return SsaFunction(
            next(self._numbers),
            promote(lowered.function),
            tuple((callee, unit.locator(item) or item) for callee, item in items.items()),
            lowered.launch_bounds is not None,
            lowered.error_count,
            lowered.unreadable,
            lowered.is_guess,
            lowered.is_too_large,
            unit.callable_by_value if lowered.asks_for_functions else None,
            unexpanded(self._program, self.item_of(function)),
        )

    def _make_known(self, function: FunctionId) -> None:
        """The program knows what was declared, and instances of templates once a caller was lowered."""
        if function in self._own:
            self._program.function_of(*self._own[function])
            return
        if self._templates.item_of(function) is not None:
            self._templates.make_known()
            return
        try:
            self._program.item_of(function)
        except KeyError:
            caller, _ = self._called_from[function]
            self._make_known(caller)
            self._program.lower(caller)
