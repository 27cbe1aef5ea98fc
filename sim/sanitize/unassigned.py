"""Variables that are read although nothing was assigned to them, of those that live in registers.

Question  Which instructions that ran computed with a value that no path to them assigns?
Rules     A value is unassigned if it is the contents of a variable before any assignment, or is computed from such a
          one; a phi if all that comes in is.  That holds of loops, too (`float sum; for (...) sum += x[i];`): the
          greatest solution.  What some paths assign is not told: the program may read it on these alone.
          Copies are no reads: a structure with a member that nobody set may be passed on, and stored as a whole.
Evidence  The instruction ran.  Nothing that was chosen matters but for whether threads came there.
Cost      O(values + uses) for each function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final, TypeAlias

from analysis.ir.function import Function
from analysis.ir.instructions import (
    Assert,
    Atomic,
    Binary,
    Bitcast,
    Branch,
    Compare,
    Convert,
    ElementAddress,
    Instruction,
    Load,
    Math,
    Phi,
    Select,
    Store,
    Switch,
    Terminator,
    Unary,
    Undefined,
    ValueId,
)
from analysis.ir.source import Span
from analysis.ir.types import BooleanType, FloatType, IntegerType, PointerType
from sim.kernel import Kernel
from sim.report.model import FaultReport
from sim.report.places import SourcePlaces
from sim.result import InstructionCount, Result

_COMPUTED: Final = (Unary, Binary, Compare, Convert, Bitcast, Math, ElementAddress)
_Ran: TypeAlias = Mapping[tuple[str, Span], InstructionCount]
_Origins: TypeAlias = Mapping[ValueId, Set[ValueId]]
_SCALARS: Final = (IntegerType, FloatType, BooleanType, PointerType)


def unassigned_reads(kernel: Kernel, result: Result, places: SourcePlaces) -> Iterator[FaultReport]:
    """The first that ran of each variable, in the order of the functions' blocks."""
    ran = {(one.function, one.span): one for one in result.instructions if one.warp_instructions}
    (a, b, c), (x, y, z) = result.grid, result.block
    for function in (kernel.function, *kernel.callees.values()):
        for at, variable in _first_reads(function, ran):
            name = places.text(str(function.id), variable)
            yield FaultReport(
                kind="uninitialised-read",
                place=places.place(str(function.id), at.span),
                block=(0, 0, 0),
                thread=(0, 0, 0),
                count=min(at.thread_instructions, a * b * c * x * y * z),
                message=f"computes with {name or 'a variable'}, to which nothing was assigned",
            )


def _first_reads(function: Function, ran: _Ran) -> Iterator[tuple[InstructionCount, Span]]:
    """With where the variable is declared."""
    origins = _unassigned(function)
    if not origins:
        return
    declared = {one.result: one.span for _, one in function.instructions() if isinstance(one, Undefined)}
    users: list[Instruction | Terminator] = []
    for block in function.blocks:
        users += [*block.instructions, block.terminator]
    stores = Counter(one.span for one in users if isinstance(one, Store))
    told: set[ValueId] = set()
    for one in users:
        found = ran.get((str(function.id), one.span))
        read = frozenset[ValueId]().union(*(origins.get(value, ()) for value in _read(one, stores)))
        if found is None or not read or not told.isdisjoint(read):
            continue
        told |= read
        yield found, declared[min(read)]


def _read(one: Instruction | Terminator, stores: Counter[Span]) -> tuple[ValueId, ...]:
    """What it computes with or decides by: what it only hands on is not read."""
    match one:
        case Binary(left=left, right=right) | Compare(left=left, right=right):
            return () if left == right else (left, right)
        case Unary() | Math() | Branch() | Switch() | Assert() | Load():
            return one.operands
        case Select(condition=condition):
            return (condition,)
        case Store(address=address, value=value):
            return (address, value) if stores[one.span] == 1 else (address,)
        case Atomic(address=address):
            return (address,)
        case _:
            return ()


def _unassigned(function: Function) -> _Origins:
    """Values that are unassigned, each with the variables behind it."""
    sources: dict[ValueId, Set[ValueId]] = {
        one.result: {one.result}
        for _, one in function.instructions()
        if isinstance(one, Undefined) and isinstance(function.types[one.result], _SCALARS)
    }
    if not sources:
        return {}
    phis = [phi for block in function.blocks for phi in block.phis if _others(phi)]
    computed = [one for _, one in function.instructions() if isinstance(one, _COMPUTED)]
    assumed = {phi.result: phi for phi in phis}
    while True:
        found = _closed(sources, computed, assumed)
        kept = {result: phi for result, phi in assumed.items() if found.keys() >= _others(phi)}
        if len(kept) == len(assumed):
            return {value: origins for value, origins in found.items() if origins}
        assumed = kept


def _closed(sources: _Origins, computed: Sequence[Instruction], phis: Mapping[ValueId, Phi]) -> _Origins:
    """What is computed from sources and phis, with the sources behind it: rounds until nothing changes."""
    found: dict[ValueId, Set[ValueId]] = {**dict.fromkeys(phis, frozenset[ValueId]()), **sources}
    changes = True
    while changes:
        changes = False
        for result, operands in _equations(computed, phis):
            known = [found[one] for one in operands if one in found]
            new = frozenset[ValueId]().union(*known)
            if known and found.get(result) != new:
                found[result] = new
                changes = True
    return found


def _equations(
    computed: Sequence[Instruction], phis: Mapping[ValueId, Phi]
) -> Iterator[tuple[ValueId, tuple[ValueId, ...]]]:
    for one in computed:
        if one.result is not None:
            yield one.result, _operands(one)
    for result, phi in phis.items():
        yield result, phi.operands


def _operands(one: Instruction) -> tuple[ValueId, ...]:
    return () if isinstance(one, Binary) and one.left == one.right else one.operands


def _others(phi: Phi) -> Set[ValueId]:
    return frozenset(phi.operands) - {phi.result}
