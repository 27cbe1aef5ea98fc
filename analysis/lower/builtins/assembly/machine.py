"""Registers and operands while an `asm` statement is lowered.

Rules    PTX registers have a size and no more: a value is converted where an instruction or an output asks for another
         type, by its bits where the sizes agree.  A pointer stays a pointer until something computes with it.
         Outputs are written to their objects at the end, as the compiler does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never, final

from analysis.ir.calls import Opaque
from analysis.ir.ids import ValueId
from analysis.ir.operators import SpecialRegister, UnaryOperator
from analysis.ir.types import (
    BF16,
    BOOLEAN,
    F16,
    F32,
    F64,
    S8,
    S16,
    S32,
    S64,
    U8,
    U16,
    U32,
    U64,
    BooleanType,
    FloatType,
    IntegerType,
    MemorySpace,
    PointerType,
    Type,
    VectorType,
)
from analysis.lower.builtins.assembly.call import AssemblyCall
from analysis.lower.builtins.assembly.syntax import (
    Address,
    Immediate,
    Operand,
    Pair,
    Placeholder,
    PtxInstruction,
    PtxText,
    Register,
    Special,
    Vector,
)
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.conversions import truth
from analysis.lower.layouts import size_of

PTX_TYPES: Final[Mapping[str, Type]] = {
    "pred": BOOLEAN,
    "u8": U8,
    "s8": S8,
    "b8": U8,
    "u16": U16,
    "s16": S16,
    "b16": U16,
    "u32": U32,
    "s32": S32,
    "b32": U32,
    "u64": U64,
    "s64": S64,
    "b64": U64,
    "f16": F16,
    "bf16": BF16,
    "f32": F32,
    "f64": F64,
    "f16x2": VectorType(F16, 2, 4),
    "bf16x2": VectorType(BF16, 2, 4),
    "tf32": F32,
    "b128": IntegerType(128, signed=False),
}

_R = SpecialRegister
_AXES: Final = {
    "tid": (_R.THREAD_X, _R.THREAD_Y, _R.THREAD_Z),
    "ntid": (_R.BLOCK_DIM_X, _R.BLOCK_DIM_Y, _R.BLOCK_DIM_Z),
    "ctaid": (_R.BLOCK_X, _R.BLOCK_Y, _R.BLOCK_Z),
    "nctaid": (_R.GRID_DIM_X, _R.GRID_DIM_Y, _R.GRID_DIM_Z),
}
SPECIAL_REGISTERS: Final[Mapping[str, tuple[SpecialRegister, Type]]] = {
    **{
        f"{name}.{axis}": (register, U32)
        for name, registers in _AXES.items()
        for axis, register in zip("xyz", registers, strict=True)
    },
    "laneid": (_R.LANE, U32),
    "warpid": (_R.WARP_INDEX, U32),
    "smid": (_R.MULTIPROCESSOR, U32),
    "gridid": (_R.GRID_ID, U64),
    "lanemask_eq": (_R.LANE_MASK_EQUAL, U32),
    "lanemask_lt": (_R.LANE_MASK_LESS, U32),
    "lanemask_le": (_R.LANE_MASK_LESS_EQUAL, U32),
    "lanemask_gt": (_R.LANE_MASK_GREATER, U32),
    "lanemask_ge": (_R.LANE_MASK_GREATER_EQUAL, U32),
    "clock": (_R.CLOCK, U32),
    "clock_hi": (_R.CLOCK, U32),
    "clock64": (_R.CLOCK, U64),
    "globaltimer": (_R.GLOBAL_TIMER, U64),
    "globaltimer_lo": (_R.GLOBAL_TIMER, U32),
    "globaltimer_hi": (_R.GLOBAL_TIMER, U32),
    "dynamic_smem_size": (_R.DYNAMIC_SHARED_SIZE, U32),
    "cluster_ctarank": (_R.CLUSTER_RANK, U32),
    "WARP_SZ": (_R.WARP_SIZE, U32),
}
_LAUNCH_CONSTANTS: Final = frozenset(
    ("nsmid", "nwarpid", "total_smem_size", "aggr_smem_size", "cluster_nctarank", "is_explicit_cluster")
)


class NotUnderstood(Exception):
    """The instruction stays opaque; caught by the driver, never seen outside this package."""


@final
class Machine:
    """The state between two instructions of one statement."""

    def __init__(self, call: AssemblyCall, text: PtxText) -> None:
        self.call = call
        self.builder = call.builder
        self.span = call.span
        self.emit = Emitter(call.builder, call.span)
        self.values: dict[int | str, ValueId] = {}
        self.written: set[int] = set()
        self.carry: ValueId | None = None
        """What the last `.cc` instruction left, a truth value."""
        self._registers = text.registers
        self._keys = self._placeholder_keys()

    def _placeholder_keys(self) -> dict[int | str, int]:
        """Numbers and names of the statement's operands, outputs first."""
        keys: dict[int | str, int] = {}
        operands = (*self.call.outputs, *self.call.inputs)
        for index, operand in enumerate(operands):
            keys[index] = index
            if operand.name:
                keys[operand.name] = index
        for index, output in enumerate(self.call.outputs):
            if output.constraint.startswith("+"):
                self.values[index] = self.builder.load(output.address, output.type, self.span)
        for index, input in enumerate(self.call.inputs, len(self.call.outputs)):
            self.values[index] = input.value
            if input.constraint.isdigit() and int(input.constraint) < len(self.call.outputs):
                self.values[int(input.constraint)] = input.value
        return keys

    # -- keys of what can be written ----------------------------------------------------------------------------

    def key_of(self, operand: Operand) -> int | str | None:
        """The place that a destination names; None for `_`."""
        match operand:
            case Placeholder(key=key):
                if key not in self._keys:
                    raise NotUnderstood
                return self._keys[key]
            case Register(name="_"):
                return None
            case Register(name=name):
                return name
            case _:
                raise NotUnderstood

    def destinations(self, instruction: PtxInstruction) -> list[int | str]:
        """The places that the first operand names and that can be written; an input cannot."""
        if not instruction.operands:
            return []
        first = instruction.operands[0]
        parts = first.members if isinstance(first, Vector) else (first,)
        parts = (first.first, first.second) if isinstance(first, Pair) else parts
        named = [part for part in parts if isinstance(part, Placeholder | Register)]
        keys = [self.key_of(part) for part in named]
        return [key for key in keys if isinstance(key, str) or (key is not None and key < len(self.call.outputs))]

    def type_of_key(self, key: int | str) -> Type:
        if key in self.values:
            return self.builder.type_of(self.values[key])
        if isinstance(key, int):
            return self.call.outputs[key].type if key < len(self.call.outputs) else U32
        return PTX_TYPES.get(self._registers.get(key, "b32"), U32)

    # -- reading and writing --------------------------------------------------------------------------------------

    def read(self, operand: Operand, type: Type) -> ValueId:
        """The operand's value as a `type`."""
        match operand:
            case Immediate(value=value):
                return self._immediate(value, type)
            case Register(is_negated=True, name=name):
                value = self.coerce(self._held(name), BOOLEAN)
                return self.builder.unary(UnaryOperator.LOGICAL_NOT, value, BOOLEAN, self.span)
            case Vector(members=members):
                return self._packed(members, type)
            case Placeholder() | Register() | Special():
                return self.coerce(self.raw(operand), type)
            case Address() | Pair():
                raise NotUnderstood
            case _:
                assert_never(operand)

    def raw(self, operand: Operand) -> ValueId:
        """The operand's value as it is held."""
        match operand:
            case Special(name=name):
                return self._special(name)
            case Placeholder() | Register():
                key = self.key_of(operand)
                if key is None:
                    raise NotUnderstood
                return self._held(key)
            case Immediate(value=value):
                return self._immediate(value, F32 if isinstance(value, float) else S32)
            case _:
                raise NotUnderstood

    def write(self, operand: Operand, value: ValueId) -> None:
        if isinstance(operand, Vector):
            self._unpack(operand.members, value)
            return
        key = self.key_of(operand)
        if key is None:
            return
        self.put(key, value)

    def put(self, key: int | str, value: ValueId) -> None:
        self.values[key] = value
        if isinstance(key, int):
            if key >= len(self.call.outputs):
                raise NotUnderstood
            self.written.add(key)

    def _held(self, key: int | str) -> ValueId:
        if key not in self.values:
            self.values[key] = self.builder.undefined(self.type_of_key(key), self.span)
        return self.values[key]

    def read_carry(self) -> ValueId:
        return self.emit.constant(False, BOOLEAN) if self.carry is None else self.carry

    def _immediate(self, value: int | float, type: Type) -> ValueId:
        if isinstance(type, FloatType):
            return self.emit.constant(float(value), type)
        if isinstance(type, VectorType):
            return self.builder.bitcast(self.emit.constant(int(value), U32), type, self.span)
        if isinstance(value, float):
            return self.coerce(self.emit.constant(value, F32), type)
        if isinstance(type, IntegerType) and not type.signed:
            value &= (1 << type.bits) - 1
        return self.emit.constant(bool(value) if isinstance(type, BooleanType) else value, type)

    def _special(self, name: str) -> ValueId:
        found = SPECIAL_REGISTERS.get(name)
        if found is not None:
            return self.emit.special(found[0], found[1])
        if name in _LAUNCH_CONSTANTS:
            return self.emit.constant(None)
        raise NotUnderstood

    # -- types ------------------------------------------------------------------------------------------------------

    def coerce(self, value: ValueId, type: Type) -> ValueId:
        """`value` as a `type`: the same bits where the sizes agree, the same number where they do not."""
        have = self.builder.type_of(value)
        if have == type:
            return value
        if isinstance(type, BooleanType):
            return truth(self.builder, value, self.span)
        if isinstance(have, PointerType) or isinstance(type, PointerType):
            return self._pointer(value, have, type)
        sizes = (size_of(have, self.builder.structs), size_of(type, self.builder.structs))
        if sizes[0] == sizes[1] and not isinstance(have, BooleanType) and sizes[0] is not None:
            return self.builder.bitcast(value, type, self.span)
        return self.builder.convert(value, type, self.span)

    def _pointer(self, value: ValueId, have: Type, type: Type) -> ValueId:
        if isinstance(have, PointerType):
            if isinstance(type, PointerType):
                return self.builder.bitcast(value, type, self.span)
            return self.coerce(self.builder.bitcast(value, U64, self.span), type)
        return self.builder.bitcast(self.coerce(value, U64), type, self.span)

    def address(self, operand: Operand, element: Type, space: MemorySpace | None) -> ValueId:
        """`[base+offset]` as a pointer to `element`; without a stated space, the base's own."""
        if not isinstance(operand, Address):
            raise NotUnderstood
        base = self.raw(operand.base)
        have = self.builder.type_of(base)
        own = have.space if isinstance(have, PointerType) else MemorySpace.GENERIC
        if operand.offset:
            base = self.coerce(base, PointerType(U8, space or own))
            base = self.builder.element_address(base, self.emit.constant(operand.offset, S64), U8, self.span)
        return self.coerce(base, PointerType(element, space or own))

    def _packed(self, members: tuple[Operand, ...], type: Type) -> ValueId:
        """`{low, high}` as one wider value."""
        if not isinstance(type, IntegerType) or type.bits % len(members):
            raise NotUnderstood
        part = IntegerType(type.bits // len(members), signed=False)
        wide = IntegerType(type.bits, signed=False)
        result = self.emit.convert(self.read(members[0], part), wide)
        for index, member in enumerate(members[1:], 1):
            shifted = self.emit.convert(self.read(member, part), wide)
            shifted = self.emit.shift_left(shifted, self.emit.constant(index * part.bits, wide))
            result = self.emit.bit_or(result, shifted)
        return self.coerce(result, type)

    def _unpack(self, members: tuple[Operand, ...], value: ValueId) -> None:
        """A wider value or a vector into `{low, high}`."""
        type = self.builder.type_of(value)
        if isinstance(type, VectorType) and type.length == len(members):
            for index, member in enumerate(members):
                self.write(member, self.builder.extract(value, index, type.element, self.span))
            return
        size = size_of(type, self.builder.structs)
        if size is None or size % len(members):
            raise NotUnderstood
        wide = IntegerType(size * 8, signed=False)
        part = IntegerType(wide.bits // len(members), signed=False)
        bits = self.coerce(value, wide)
        for index, member in enumerate(members):
            shifted = self.emit.shift_right(bits, self.emit.constant(index * part.bits, wide)) if index else bits
            self.write(member, self.emit.convert(shifted, part))

    # -- what is not understood ---------------------------------------------------------------------------------------

    def opaque(self, instruction: PtxInstruction, *, may_contain_barrier: bool = False) -> None:
        """The instruction as an opaque operation on all values it names."""
        keys = self.destinations(instruction)
        sources = tuple(self._named_values(instruction.operands))
        if not keys:
            self.builder.emit(Opaque(None, f"asm {instruction.spelled}", sources, may_contain_barrier, self.span))
        for key in keys:
            value = self.builder.opaque(
                f"asm {instruction.spelled}",
                sources,
                self.type_of_key(key),
                self.span,
                may_contain_barrier=may_contain_barrier,
            )
            self.put(key, value)

    def _named_values(self, operands: tuple[Operand, ...]) -> list[ValueId]:
        values: list[ValueId] = []
        for operand in operands:
            match operand:
                case Placeholder() | Register():
                    key = self.key_of(operand)
                    if key is not None and key in self.values:
                        values.append(self.values[key])
                case Address(base=base):
                    values += self._named_values((base,))
                case Vector(members=members):
                    values += self._named_values(members)
                case Pair(first=first, second=second):
                    values += self._named_values((first, second))
                case Special() | Immediate():
                    pass
                case _:
                    assert_never(operand)
        return values

    def finish(self) -> None:
        """Writes the outputs to their objects."""
        for index in sorted(self.written):
            output = self.call.outputs[index]
            value = self.coerce(self.values[index], output.type)
            self.builder.store(output.address, value, self.span)
