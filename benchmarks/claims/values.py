"""Claims about values: levels, linear forms, ranges, alignments, tags; where they are computed and where read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final, TypeAlias, assert_never, final

import numpy as np

from analysis.affine.atoms import Atom, Axis, IterationAtom, RegisterAtom, ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.collange import Affine, Bottom, ConstantTag, Uniform, Unknown
from analysis.affine.interval import Interval
from analysis.affine.linear_form import LinearForm
from analysis.divergence.levels import Level
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.source import NO_SPAN, Span
from analysis.ir.types import BooleanType, IntegerType, MemorySpace, PointerType
from benchmarks.claims.agreement import Agreement, Words, as_words, joined, mixed
from benchmarks.claims.claim import Claim, Findings, Refutation
from benchmarks.claims.forms import Evaluator, values_in
from benchmarks.claims.instances import Instances
from benchmarks.claims.subject import Subject
from benchmarks.claims.threads import Threads
from sim.arrays import Lanes, Rows, Values

Site: TypeAlias = tuple[ValueId, BasicBlockId | None]
"""A value where it is defined, or where a block reads it."""

MAX_ALIGNMENT: Final = 1 << 63


@final
class ValueClaims:
    """Told of every definition, and of the reads of values that other blocks defined."""

    def __init__(
        self,
        subject: Subject,
        instances: Instances,
        known: dict[ValueId, int],
        own_memory: Callable[[Values], Values],
        reads: Iterable[ValueId],
    ) -> None:
        """`known`: numbers that arguments have; `own_memory`: addresses without the place of the thread's memory;
        `reads`: the values that are read outside of the block that defines them."""
        self._subject = subject
        self._instances = instances
        self._known = known
        self._own_memory = own_memory
        affine = subject.affine
        count = len(subject.function.types)
        forms = [affine.form(ValueId(value)) for value in range(count)]
        self._kept = {*reads, *(value for form in forms if form is not None for value in values_in(form))}
        self._alignments = [affine.alignment(ValueId(value)) for value in range(count)]
        self._tag_of = cache(affine.collange)
        self._base_alignment_of = cache(affine.alignment)
        self._levels = [subject.divergence.level(ValueId(value)) for value in range(count)]
        self._held: dict[ValueId, Words] = {}
        self._agreements: defaultdict[tuple[Claim, Site], Agreement] = defaultdict(Agreement)
        self._wrong: dict[tuple[Claim, Site], tuple[str, str]] = {}
        self._checked: set[tuple[Claim, Site]] = set()
        self._rows = 0

    def wave(self, rows: int) -> None:
        self._rows = rows
        self._held.clear()

    def define(
        self,
        value: ValueId,
        block: BasicBlockId,
        parts: tuple[Values, ...],
        rows: Rows,
        lanes: Lanes,
        threads: Threads,
    ) -> None:
        """`block` is the one that defines the value; lanes are in its instance already."""
        words = self._words(value, parts, lanes.shape)
        if value in self._kept:
            self._hold(value, rows, lanes, words)
        if not parts:
            return
        site: Site = (value, None)
        self._level(Claim.VALUE, site, self._levels[value], block, words, rows, lanes, threads)
        form = self._subject.affine.form(value)
        if form is not None:
            self._form(Claim.FORM, site, form, block, words, rows, lanes, threads)
            self._whole_form(site, form, words, rows, lanes, threads)
        self._range(Claim.RANGE, site, self._subject.affine.range, words, lanes)
        self._alignment(site, words, self._alignments[value], lanes)
        self._tag(site, block, words, rows, lanes, threads)

    def read(self, value: ValueId, block: BasicBlockId, rows: Rows, lanes: Lanes, threads: Threads) -> None:
        """`block` reads a value that another one defined."""
        held = self._held.get(value)
        if held is None:
            return
        words = held[rows]
        site: Site = (value, block)
        level = self._subject.divergence.use_level(value, block)
        self._level(Claim.USE, site, level, block, words, rows, lanes, threads)
        form = self._subject.affine.form_at(value, block)
        if form is not None:
            self._form(Claim.USE_FORM, site, form, block, words, rows, lanes, threads)
        self._range(Claim.USE_RANGE, site, lambda of: self._subject.affine.range_at(of, block), words, lanes)

    # -- one claim each ---------------------------------------------------------------------------------------------

    def _level(
        self,
        claim: Claim,
        site: Site,
        level: Level,
        block: BasicBlockId,
        words: Words,
        rows: Rows,
        lanes: Lanes,
        threads: Threads,
    ) -> None:
        if level is Level.VARYING:
            return
        keys = joined(self._instances.key(block, rows), threads.groups(level, rows))
        self._agreements[claim, site].note(keys, words, threads.numbers(rows), lanes)

    def _form(
        self,
        claim: Claim,
        site: Site,
        form: LinearForm,
        block: BasicBlockId,
        words: Words,
        rows: Rows,
        lanes: Lanes,
        threads: Threads,
    ) -> None:
        """Without its thread part the value is one number in each warp."""
        thread_part = self._evaluator(rows, threads).thread_part(form)
        if thread_part is None:
            return
        keys = joined(self._instances.key(block, rows), threads.groups(Level.WARP, rows))
        rest = (words - thread_part) & _mask(form.bits)
        self._agreements[claim, site].note(keys, rest, threads.numbers(rows), lanes)
        if form.exact:
            self._alignment(site, rest, min(self._base_alignment_of(form.base), 1 << form.bits), lanes)

    def _whole_form(
        self, site: Site, form: LinearForm, words: Words, rows: Rows, lanes: Lanes, threads: Threads
    ) -> None:
        """Where all atoms are told, the form is the value."""
        expected = self._evaluator(rows, threads).whole(form)
        if expected is None:
            return
        self._checked.add((Claim.FORM, site))
        wrong = lanes & (((words - expected) & _mask(form.bits)) != 0)
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0])
            wanted = int(np.broadcast_to(expected, words.shape)[at])
            self._wrong.setdefault((Claim.FORM, site), (str(form), f"{int(words[at])} instead of {wanted}"))

    def _range(
        self, claim: Claim, site: Site, range_of: Callable[[ValueId], Interval], words: Words, lanes: Lanes
    ) -> None:
        type_ = self._subject.function.types[site[0]]
        if not isinstance(type_, IntegerType | BooleanType | PointerType) or not lanes.any():
            return
        self._checked.add((claim, site))
        seen = words[lanes]
        if isinstance(type_, IntegerType) and type_.signed:
            low, high = int(seen.view(np.int64).min()), int(seen.view(np.int64).max())
        else:
            low, high = int(seen.min()), int(seen.max())
        interval = range_of(site[0])
        if low not in interval or high not in interval:
            self._wrong.setdefault((claim, site), (str(interval), f"{low}..{high}"))

    def _alignment(self, site: Site, words: Words, alignment: int, lanes: Lanes) -> None:
        type_ = self._subject.function.types[site[0]]
        if not isinstance(type_, IntegerType | PointerType) or alignment == 1:
            return
        alignment = min(alignment, MAX_ALIGNMENT)
        self._checked.add((Claim.ALIGNMENT, site))
        wrong = lanes & ((words & np.uint64(alignment - 1)) != 0)
        if wrong.any():
            self._wrong.setdefault((Claim.ALIGNMENT, site), (str(alignment), str(int(words[wrong][0]))))

    def _tag(self, site: Site, block: BasicBlockId, words: Words, rows: Rows, lanes: Lanes, threads: Threads) -> None:
        """Without its stride from lane to lane the register holds one number in each warp."""
        value = site[0]
        type_ = self._subject.function.types[value]
        if not isinstance(type_, IntegerType | BooleanType | PointerType) or not lanes.any():
            return
        mask = _mask(type_.bits if isinstance(type_, IntegerType) else 64)
        tag = self._tag_of(value)
        match tag:
            case Bottom():
                self._checked.add((Claim.TAG, site))
                self._wrong.setdefault((Claim.TAG, site), (str(tag), "it is computed"))
            case ConstantTag(value=constant):
                self._checked.add((Claim.TAG, site))
                wrong = lanes & (((words - np.uint64(constant % (1 << 64))) & mask) != 0)
                if wrong.any():
                    self._wrong.setdefault((Claim.TAG, site), (str(tag), str(int(words[wrong][0]))))
            case Uniform() | Affine():
                stride = np.uint64((tag.stride if isinstance(tag, Affine) else 0) % (1 << 64))
                rest = (words - stride * threads.axis(Axis.LANE, rows)) & mask
                keys = joined(self._instances.key(block, rows), threads.groups(Level.WARP, rows))
                self._agreements[Claim.TAG, site].note(keys, rest, threads.numbers(rows), lanes)
                self._alignment(site, rest, min(tag.alignment, int(mask) + 1), lanes)
            case Unknown():
                pass
            case _:
                assert_never(tag)

    # -- what is needed for it --------------------------------------------------------------------------------------

    def _words(self, value: ValueId, parts: tuple[Values, ...], shape: tuple[int, ...]) -> Words:
        type_ = self._subject.function.types[value]
        if len(parts) == 1:
            words = as_words(np.broadcast_to(parts[0], shape))
            if isinstance(type_, PointerType) and self._subject.spaces.space(value) in _OWN:
                words = as_words(self._own_memory(words.view(np.int64)))
            return words
        total: Words = np.zeros(shape, np.uint64)
        for number, part in enumerate(parts):
            total = mixed(total + as_words(np.broadcast_to(part, shape)) + np.uint64(number))
        return total

    def _hold(self, value: ValueId, rows: Rows, lanes: Lanes, words: Words) -> None:
        held = self._held.get(value)
        if held is None:
            held = self._held[value] = np.zeros((self._rows, lanes.shape[1]), np.uint64)
        held[rows] = np.where(lanes, words, held[rows])

    def _evaluator(self, rows: Rows, threads: Threads) -> Evaluator:
        def atom_words(atom: Atom) -> Words | None:
            match atom:
                case RegisterAtom(register=register):
                    return threads.register(register, rows)
                case ValueAtom(value=value) | ResidualAtom(value=value):
                    if value in self._known:
                        return np.full((1, 1), self._known[value] & ((1 << 64) - 1), np.uint64)
                    held = self._held.get(value)
                    return None if held is None else held[rows]
                case IterationAtom(cycle=cycle):
                    return self._instances.number(cycle, rows)
                case SymbolAtom():
                    return None
                case _:
                    assert_never(atom)

        return Evaluator(self._subject.affine, atom_words, lambda axis: threads.axis(axis, rows))

    # -- what it comes to -------------------------------------------------------------------------------------------

    def settle(self, findings: Findings) -> None:
        for (claim, site), agreement in self._agreements.items():
            agreement.settle()
            if agreement.entries:
                self._checked.add((claim, site))
            if agreement.conflict is not None:
                found = agreement.conflict
                seen = f"threads {found.threads} see {tuple(map(hex, found.seen))}"
                self._wrong.setdefault((claim, site), (self._said(claim, site), seen))
        for claim, site in self._checked:
            if claim in _GROUPS:
                findings.count(claim, self._level_at(site))
            else:
                findings.checked[claim] += 1
        for (claim, site), (claimed, seen) in self._wrong.items():
            value, block = site
            subject = f"%{value}" if block is None else f"%{value} in block{block}"
            span = self._span(value)
            is_exact = claim not in _FORMS or self._form_is_exact(site)
            undefined, memory = value in self._subject.undefined, self._rests_on_memory(site)
            findings.refutations.append(Refutation(claim, subject, span, claimed, seen, undefined, memory, is_exact))

    def _said(self, claim: Claim, site: Site) -> str:
        if claim is Claim.TAG:
            return str(self._tag_of(site[0]))
        if claim in _FORMS:
            return str(self._subject.affine.form(site[0]))
        return self._level_at(site).name

    def _level_at(self, site: Site) -> Level:
        value, block = site
        return self._levels[value] if block is None else self._subject.divergence.use_level(value, block)

    def _rests_on_memory(self, site: Site) -> bool:
        value, block = site
        home = self._subject.divergence.home(value) if block is None else block
        return value in self._subject.from_memory or home in self._subject.decided_by_memory

    def _form_is_exact(self, site: Site) -> bool:
        form = self._subject.affine.form(site[0])
        return form is not None and form.exact

    def _span(self, value: ValueId) -> Span:
        definition = self._subject.divergence.definition(value)
        return NO_SPAN if definition is None else definition.span


_OWN: Final = (MemorySpace.LOCAL, MemorySpace.GENERIC)
_GROUPS: Final = (Claim.VALUE, Claim.USE)
_FORMS: Final = (Claim.FORM, Claim.USE_FORM)


def _mask(bits: int) -> np.uint64:
    return np.uint64((1 << min(bits, 64)) - 1)
