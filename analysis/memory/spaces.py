"""Memory spaces: into which space does a pointer point, and from which variable was it derived?

Question  CUDA's qualifiers stand at variables, not at pointers: `float *p = shared_array` is generic by its type.
Lattice   undecided < one space < GENERIC (one of several, not known which), for every value that is a pointer.
Guaranteed
          the address of a variable lies in the variable's space; `malloc` and `new` take from the heap in global
          memory; a pointer that comes with a kernel's arguments, alone or in a struct passed by value, is global, as
          the host cannot name shared or local memory; a type that names a space is believed.
Derived   pointer arithmetic, member addresses, casts between pointers, selects and phis point where their sources
          point.  They are first assumed to, and the assumption is taken back where a source is not in the space; so a
          pointer induction variable, which depends on itself, keeps the space it started with.
Neutral   the null pointer and uninitialised pointers: no object lies there.
Unknown   pointers loaded from memory, results of calls, integers turned into pointers, parameters of a device function
          whose callers are not known: GENERIC, unless the type names a space.  Where they are, what all of them pass.
Variables The same fixpoint finds the variable that a pointer was derived from, where it is one for all paths.
Cost      O(derived pointers) per round; a loop of pointers takes two or three rounds.
Source    Wu et al., "gpucc: an open-source GPGPU compiler", CGO 2016, section 3.2, Algorithm 1, for all spaces at once
          (a set of guaranteed and assumed pointers per space is one lattice value per pointer).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, final

from analysis.divergence.call_context import Argument
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function, FunctionKind
from analysis.ir.ids import SymbolId, ValueId
from analysis.ir.instructions import (
    Allocate,
    Bitcast,
    Constant,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    Select,
    SymbolAddress,
    Undefined,
)
from analysis.ir.pace import paced
from analysis.ir.types import MemorySpace, PointerType, Type

_SEVERAL: Final = -1
NO_ARGUMENTS: Final[Mapping[ValueId, Argument]] = {}

_Origin: TypeAlias = int | None
"""A symbol or `_SEVERAL`; None: undecided."""
_Derivation: TypeAlias = tuple[ValueId, tuple[ValueId, ...]]


@final
class SpaceResult:
    """Frozen facts of one function."""

    def __init__(self, spaces: Sequence[MemorySpace | None], origins: Sequence[_Origin]) -> None:
        self._spaces = spaces
        self._origins = origins

    def space(self, value: ValueId) -> MemorySpace:
        """Where the pointer points; GENERIC where that is not known, and for what is no pointer."""
        return self._spaces[value] or MemorySpace.GENERIC

    def variable(self, value: ValueId) -> SymbolId | None:
        """The one variable that the pointer was derived from; None where there may be another."""
        origin = self._origins[value]
        return None if origin is None or origin == _SEVERAL else SymbolId(origin)


def infer_spaces(
    function: Function, control: ControlFlow, arguments: Mapping[ValueId, Argument] = NO_ARGUMENTS
) -> SpaceResult:
    """The spaces of all pointers that the entry reaches; calls are inlined before, so callees are looked through.

    `arguments`: what is known of the parameters of a device function.
    """
    spaces: list[MemorySpace | None] = [None] * len(function.types)
    origins: list[_Origin] = [None] * len(function.types)
    derivations = _guarantee(function, control, spaces, origins, arguments)
    changed = True
    while changed:
        changed = False
        for result, sources in paced(derivations):
            space, origin = spaces[result], origins[result]
            for source in sources:
                if space is not MemorySpace.GENERIC:
                    space = _join(space, spaces[source])
                if origin != _SEVERAL:
                    origin = _join_origins(origin, origins[source])
            if space is not spaces[result] or origin != origins[result]:
                declared = function.types[result]
                assert isinstance(declared, PointerType)
                settled = space if declared.space is MemorySpace.GENERIC else declared.space
                changed |= settled is not spaces[result] or origin != origins[result]
                spaces[result], origins[result] = settled, origin
    return SpaceResult(spaces, origins)


def _guarantee(
    function: Function,
    control: ControlFlow,
    spaces: list[MemorySpace | None],
    origins: list[_Origin],
    arguments: Mapping[ValueId, Argument],
) -> list[_Derivation]:
    """Fills in what needs no other pointer; the pointers that do, with their sources."""
    types = function.types
    derivations: list[_Derivation] = []
    from_host: set[ValueId] = set()
    for parameter in function.parameters:
        _set(types, spaces, origins, parameter.value)
        told = arguments.get(parameter.value)
        if told is not None and spaces[parameter.value] is MemorySpace.GENERIC:
            spaces[parameter.value] = told.space
        if function.kind is FunctionKind.KERNEL:
            from_host.add(parameter.value)
            if isinstance(types[parameter.value], PointerType):
                spaces[parameter.value] = MemorySpace.GLOBAL
    for block in control.order:
        body = function.blocks[block]
        derivations += [(phi.result, phi.operands) for phi in body.phis if isinstance(types[phi.result], PointerType)]
        for instruction in body.instructions:
            result = instruction.result
            if result is None:
                continue
            if type(instruction) is ExtractElement and instruction.aggregate in from_host:
                from_host.add(result)
                if isinstance(types[result], PointerType):
                    spaces[result], origins[result] = MemorySpace.GLOBAL, _SEVERAL
                continue
            declared = types[result]
            if type(declared) is not PointerType:
                continue
            kind = type(instruction)
            if kind is ElementAddress or kind is FieldAddress:
                derivations.append((result, (instruction.operands[0],)))
            elif kind is Select:
                derivations.append((result, instruction.operands[1:]))
            elif kind is Bitcast and isinstance(types[instruction.operands[0]], PointerType):
                derivations.append((result, instruction.operands))
            elif kind is Undefined or (type(instruction) is Constant and instruction.value == 0):
                pass
            else:
                _set(types, spaces, origins, result)
                if type(instruction) is SymbolAddress:
                    origins[result] = instruction.symbol
                elif kind is Allocate:
                    spaces[result] = MemorySpace.GLOBAL
    return derivations


def _set(types: Sequence[Type], spaces: list[MemorySpace | None], origins: list[_Origin], value: ValueId) -> None:
    """What only the type tells."""
    declared = types[value]
    if isinstance(declared, PointerType):
        spaces[value], origins[value] = declared.space, _SEVERAL


def _join(left: MemorySpace | None, right: MemorySpace | None) -> MemorySpace | None:
    if left is right or right is None:
        return left
    return right if left is None else MemorySpace.GENERIC


def _join_origins(left: _Origin, right: _Origin) -> _Origin:
    if left == right or right is None:
        return left
    return right if left is None else _SEVERAL
