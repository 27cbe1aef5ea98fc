"""Chooses machine instructions for a function, as a plan tells: conventional code, or scalarized code.

Constants, addresses of variables and template arguments are immediate operands.  `p[i]` is a shift (or product) and a
sum, a constant index one sum; C's conversions between integers of one width, and casts of pointers, cost nothing.
Vectors and structs are held member by member, so that to build one or to take it apart costs nothing either.
A conditional branch falls through where the layout allows; a switch is one indirect branch.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import assert_never, final

from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import ENTRY, Function, FunctionKind
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Allocate,
    Assert,
    Atomic,
    Binary,
    Bitcast,
    BlockBarrier,
    Branch,
    BuildAggregate,
    Call,
    Compare,
    Constant,
    Convert,
    DeviceLaunch,
    ElementAddress,
    ExtractElement,
    Fence,
    FieldAddress,
    GridBarrier,
    InsertElement,
    Instruction,
    Jump,
    Load,
    Match,
    Math,
    NamedBarrier,
    Opaque,
    PhaseWait,
    PointerDifference,
    Print,
    ReadSpecial,
    Return,
    Select,
    Shuffle,
    Store,
    Switch,
    SymbolAddress,
    TemplateArgument,
    Terminator,
    Texture,
    Trap,
    Unary,
    Undefined,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.operators import BarrierReduction, SpecialRegister, TextureOperation
from analysis.ir.types import BooleanType, IntegerType, MemorySpace, PointerType, Type, VectorType
from analysis.lower.layouts import size_and_alignment, size_of
from analysis.memory.spaces import SpaceResult
from analysis.scalar.arithmetic import converted, number, retyped, simplified
from analysis.scalar.base_selection import BaseSelection, field_offset
from analysis.scalar.code import Code, MachinePhi
from analysis.scalar.emitter import Emitter, constant_expression
from analysis.scalar.leaves import Leaves
from analysis.scalar.machine import AccessKind, Bank, Immediate, MemoryAccess, Operand, Register, SiteId
from analysis.scalar.mnemonics import Named, mnemonic, type_suffix
from analysis.scalar.plan import Plan
from analysis.scalar.sites import Sites

PARAMETER_BASE = 4096
"""Where a kernel's arguments lie, as in Fig. 1."""
UNDEFINED = Immediate("undef")

_SPECIAL_NAMES = {"thread": "tid", "block": "ctaid", "block_dim": "ntid", "grid_dim": "nctaid"}
_SHARED_SPACES = (MemorySpace.GLOBAL, MemorySpace.SHARED)


def select_code(function: Function, control: ControlFlow, plan: Plan, spaces: SpaceResult) -> Code:
    return _Selection(function, control, plan, spaces).run()


@final
class _Selection:
    def __init__(self, function: Function, control: ControlFlow, plan: Plan, spaces: SpaceResult) -> None:
        order = tuple(block for block in map(BasicBlockId, range(len(function.blocks))) if control.is_reachable(block))
        self._function = function
        self._control = control
        self._plan = plan
        self._spaces = spaces
        self._sites = Sites(function)
        self._leaves = Leaves(function.structs)
        self._next = dict(pairwise(order))
        self._labels = {block: f"BB_{place}" for place, block in enumerate(order, 1)}
        self._code = Code(order, control.successors)
        self._out = Emitter(self._code, plan.converged)
        self._own: dict[ValueId, tuple[Operand, ...]] = {}
        self._bases = BaseSelection(function, plan.bases, self._out, self._own, self._costs_nothing)

    def run(self) -> Code:
        self._parameters()
        for block in self._control.order:
            for index, phi in enumerate(self._function.blocks[block].phis):
                self._out.begin(block, self._sites.phi(block, index), phi.span)
                self._own[phi.result] = self._results(phi.result)
                self._bases.start_phi(phi)
        for block in self._control.order:
            for index, instruction in enumerate(self._function.blocks[block].instructions):
                site = self._sites.instruction(block, index)
                self._out.begin(block, site, instruction.span)
                self._select(instruction, site)
                if instruction.result in self._plan.bases:
                    self._out.begin(block, site, instruction.span)
                    self._bases.select(instruction)
            terminator = self._function.blocks[block].terminator
            self._out.begin(block, self._sites.terminator(block), terminator.span, at_end=True)
            self._leave(block, terminator)
        self._finish_phis()
        return self._code

    # -- values -----------------------------------------------------------------------------------------------------

    def _type(self, value: ValueId | None) -> Type | None:
        return None if value is None else self._function.types[value]

    def _name(self, instruction: Named) -> str:
        first = next(iter(instruction.operands), None)
        return mnemonic(instruction, self._type(instruction.result), self._type(first))

    def _bank(self, value: ValueId) -> Bank:
        return Bank.SCALAR if self._plan.scalar[value] else Bank.THREAD

    def _results(self, value: ValueId | None) -> tuple[Register, ...]:
        """New registers for the value of this site."""
        if value is None:
            return ()
        count = len(self._leaves.of(self._function.types[value]))
        return tuple(self._out.result(self._bank(value), leaf) for leaf in range(count))

    def _read(self, values: Sequence[ValueId]) -> tuple[Operand, ...]:
        return tuple(operand for value in values for operand in self._own[value])

    def _one(self, value: ValueId) -> Operand:
        """A value that one register holds."""
        return next(iter(self._own[value]), UNDEFINED)

    def _parameters(self) -> None:
        offset = 0
        is_kernel = self._function.kind is FunctionKind.KERNEL
        for index, parameter in enumerate(self._function.parameters):
            self._out.begin(ENTRY, SiteId(index), parameter.span)
            type_ = self._function.types[parameter.value]
            size, alignment = size_and_alignment(type_, self._function.structs)
            offset = -(-offset // alignment) * alignment
            results = self._results(parameter.value)
            for leaf, (part, result) in enumerate(zip(self._leaves.of(type_), results, strict=True)):
                if is_kernel:
                    place = Immediate(f"[{PARAMETER_BASE + offset + 8 * leaf}]")
                    access = MemoryAccess(AccessKind.LOAD, 1)
                    self._out.emit(f"ld.{type_suffix(part)}", (result,), (place,), access=access)
                else:
                    self._out.emit("mov", (result,), (Immediate(f"%{parameter.name or index}"),))
            self._own[parameter.value] = results
            offset += 8 if size is None else size

    def _finish_phis(self) -> None:
        for block in self._control.order:
            phis = self._code.phis[block]
            for index, phi in enumerate(self._function.blocks[block].phis):
                site = self._sites.phi(block, index)
                incoming = [(p, self._own[v]) for p, v in phi.incoming if self._control.is_reachable(p)]
                for leaf, result in enumerate(self._own[phi.result]):
                    assert isinstance(result, Register)
                    parts = tuple((p, own[leaf] if leaf < len(own) else UNDEFINED) for p, own in incoming)
                    phis.append(MachinePhi(result, parts, site, phi.span))
                base = self._bases.finish_phi(phi, site, self._control)
                if base is not None:
                    phis.append(base)

    # -- instructions -----------------------------------------------------------------------------------------------

    def _select(self, instruction: Instruction, site: SiteId) -> None:
        """Sets the operands that hold the result."""
        match instruction:
            case Load() | Store() | Atomic():
                self._access(instruction, site)
            case Constant() | Undefined() | TemplateArgument() | SymbolAddress() | ReadSpecial():
                self._own[instruction.result] = self._leaf_value(instruction)
            case Unary() | Binary() | Compare() | Select() | Math() | Convert() | Bitcast():
                self._own[instruction.result] = self._arithmetic(instruction)
            case BuildAggregate() | ExtractElement() | InsertElement():
                self._own[instruction.result] = self._aggregate(instruction)
            case ElementAddress() | FieldAddress() | PointerDifference():
                self._own[instruction.result] = (self._address(instruction),)
            case BlockBarrier(reduction=reduction):
                self._effect(instruction, self._name(instruction), reduction is BarrierReduction.NONE)
            case NamedBarrier() | WarpBarrier() | GridBarrier() | Fence():
                self._effect(instruction, self._name(instruction), once_is_enough=True)
            case Shuffle() | Vote() | Match() | WarpReduce() | PhaseWait():
                self._effect(instruction, self._name(instruction), once_is_enough=False)
            case Texture(operation=operation):
                self._effect(instruction, self._name(instruction), operation is not TextureOperation.SURFACE_WRITE)
            case Call(callee=callee):
                self._effect(instruction, f"call {str(callee).split('(')[0]}", once_is_enough=False)
            case Opaque(construct=construct):
                self._effect(instruction, f"opaque <{construct}>", once_is_enough=False)
            case DeviceLaunch():
                self._effect(instruction, "call launch", once_is_enough=False)
            case Print():
                self._effect(instruction, "call printf", once_is_enough=False)
            case Assert():
                self._effect(instruction, "assert", once_is_enough=False)
            case Allocate():
                self._effect(instruction, "call malloc", once_is_enough=False)
            case _:
                assert_never(instruction)

    def _leaf_value(
        self, instruction: Constant | Undefined | TemplateArgument | SymbolAddress | ReadSpecial
    ) -> tuple[Operand, ...]:
        count = len(self._leaves.of(self._function.types[instruction.result]))
        match instruction:
            case Constant(value=value):
                return (_literal(value),) * count
            case Undefined():
                return (UNDEFINED,) * count
            case TemplateArgument(name=name):
                return (Immediate(name),) * count
            case SymbolAddress(symbol=symbol):
                return (Immediate(self._function.symbols[symbol].name),)
            case ReadSpecial(register=register):
                results = self._results(instruction.result)
                self._out.emit("mov", results, (Immediate(_special_name(register)),))
                return results
            case _:
                assert_never(instruction)

    def _arithmetic(
        self, instruction: Unary | Binary | Compare | Select | Math | Convert | Bitcast
    ) -> tuple[Operand, ...]:
        types, value = self._function.types, instruction.result
        operands = self._read(instruction.operands)
        if isinstance(instruction, Bitcast | Convert) and self._costs_nothing(instruction):
            return tuple(retyped(operand, types[value]) for operand in operands)
        name = "mov" if isinstance(instruction, Bitcast) else self._name(instruction)
        parts = self._leaves.of(types[value])
        constants = [operand for operand in operands if isinstance(operand, Immediate)]
        if constants and len(constants) == len(operands):
            if isinstance(instruction, Convert):
                return tuple(converted(constant, types[value]) for constant in constants)
            known = simplified(name, constants) or constant_expression(name, constants)
            return (retyped(known, types[value]),) * len(parts)
        if isinstance(instruction, Select) and len(operands) == 1 + 2 * len(parts):
            results = self._results(value)
            for leaf, result in enumerate(results):
                choice = operands[0], operands[1 + leaf], operands[1 + len(parts) + leaf]
                self._out.emit(name, (result,), choice)
            return results
        results = self._results(value)
        self._out.emit(name, results, operands)
        return results

    def _costs_nothing(self, instruction: Bitcast | Convert) -> bool:
        """Are the same registers read in another way?"""
        source, target = self._function.types[instruction.operand], self._function.types[instruction.result]
        if isinstance(instruction, Bitcast):
            return len(self._leaves.of(source)) == len(self._leaves.of(target))
        if isinstance(source, BooleanType):
            return isinstance(target, IntegerType | BooleanType)
        return _width(source) is not None and _width(source) == _width(target)

    def _aggregate(self, instruction: BuildAggregate | ExtractElement | InsertElement) -> tuple[Operand, ...]:
        types, leaves = self._function.types, self._leaves
        whole = types[instruction.result]
        match instruction:
            case BuildAggregate():
                operands = self._read(instruction.elements)
                if leaves.is_split(whole) and len(operands) == len(leaves.of(whole)):
                    return operands
            case ExtractElement(aggregate=aggregate, index=index):
                operands = self._own[aggregate]
                if leaves.is_split(types[aggregate]):
                    member = operands[leaves.place(types[aggregate], index)]
                    if len(member) == len(leaves.of(whole)):
                        return member
            case InsertElement(aggregate=aggregate, index=index, value=value):
                operands = (*self._own[aggregate], *self._own[value])
                place = leaves.place(whole, index)
                if leaves.is_split(whole) and place.stop - place.start == len(self._own[value]):
                    held = list(self._own[aggregate])
                    held[place] = self._own[value]
                    return tuple(held)
            case _:
                assert_never(instruction)
        results = self._results(instruction.result)
        self._out.emit("mov", results, operands)
        return results

    def _address(self, instruction: ElementAddress | FieldAddress | PointerDifference) -> Operand:
        structs, result = self._function.structs, self._function.types[instruction.result]
        bank = self._bank(instruction.result)
        match instruction:
            case ElementAddress(base=base, index=index):
                size = size_of(result.element, structs) if isinstance(result, PointerType) else None
                return self._out.element(self._one(base), self._one(index), size, bank)
            case FieldAddress(base=base):
                offset = field_offset(self._function, instruction)
                return self._out.compute("iadd", (self._one(base), offset), bank)
            case PointerDifference(left=left, right=right):
                pointer = self._function.types[left]
                size = size_of(pointer.element, structs) if isinstance(pointer, PointerType) else None
                if size == 1:
                    return self._out.compute("isub", (self._one(left), self._one(right)), bank)
                distance = self._out.compute("isub", (self._one(left), self._one(right)))
                divisor = Immediate("sizeof") if size is None else number(size)
                return self._out.compute("idiv.s64", (distance, divisor), bank)
            case _:
                assert_never(instruction)

    def _access(self, instruction: Load | Store | Atomic, site: SiteId) -> None:
        address = instruction.address
        accessed = instruction.value if isinstance(instruction, Store) else instruction.result
        type_ = self._function.types[accessed]
        space = self._spaces.space(address)
        suffix = f"{_space_suffix(space)}.{_memory_suffix(type_)}"
        elements = len(self._leaves.of(type_))
        axis = self._plan.sequential.get(site)
        where = self._one(address) if axis is None else self._bases.base(address)
        word = "" if axis is None else "wseq"
        match instruction:
            case Load(volatile=volatile, result=result):
                results = self._results(result)
                self._out.emit(
                    f"ld{word}{suffix}",
                    results,
                    (where,),
                    once_is_enough=not volatile and space is not MemorySpace.LOCAL,
                    sequential=axis is not None,
                    access=MemoryAccess(AccessKind.LOAD, elements),
                    essential=volatile,
                )
                self._own[result] = results
            case Store(volatile=volatile, value=value):
                self._out.emit(
                    f"st{word}{suffix}",
                    (),
                    (where, *self._own[value]),
                    once_is_enough=not volatile and space in _SHARED_SPACES,
                    sequential=axis is not None,
                    access=MemoryAccess(AccessKind.STORE, elements),
                    essential=True,
                )
            case Atomic(result=result, arguments=arguments):
                results = self._results(result)
                self._out.emit(
                    self._name(instruction),
                    results,
                    (where, *self._read(arguments)),
                    once_is_enough=False,
                    access=MemoryAccess(AccessKind.ATOMIC, elements),
                    essential=True,
                )
                self._own[result] = results
            case _:
                assert_never(instruction)

    def _effect(self, instruction: Instruction, name: str, once_is_enough: bool) -> None:
        """An instruction that must stay whoever reads its result."""
        results = self._results(instruction.result)
        operands = self._read(instruction.operands)
        self._out.emit(name, results, operands, once_is_enough=once_is_enough, essential=True)
        if instruction.result is not None:
            self._own[instruction.result] = results

    # -- control ----------------------------------------------------------------------------------------------------

    def _leave(self, block: BasicBlockId, terminator: Terminator) -> None:
        following = self._next.get(block)
        match terminator:
            case Jump(target=target):
                self._jump(target, following)
            case Branch(if_true=if_true, if_false=if_false) if if_true == if_false:
                self._jump(if_true, following)
            case Branch(condition=condition, if_true=if_true, if_false=if_false):
                guard = (self._one(condition),)
                if if_true == following:
                    self._out.emit("bra", (), guard, target=if_false, negated=True, essential=True)
                else:
                    self._out.emit("bra", (), guard, target=if_true, essential=True)
                    self._jump(if_false, following)
            case Switch(value=value, cases=cases, default=default):
                arms = [f"{'?' if case.value is None else case.value}: {self._labels[case.target]}" for case in cases]
                table = Immediate("{" + ", ".join([*arms, f"default: {self._labels[default]}"]) + "}")
                self._out.emit("brx.idx", (), (self._one(value), table), essential=True)
            case Return(value=value):
                name = "exit" if self._function.kind is FunctionKind.KERNEL else "ret"
                operands = () if value is None else self._own[value]
                self._out.emit(name, (), operands, once_is_enough=False, essential=True)
            case Trap():
                self._out.emit("trap", (), (), once_is_enough=False, essential=True)
            case _:
                assert_never(terminator)

    def _jump(self, target: BasicBlockId, following: BasicBlockId | None) -> None:
        if target != following:
            self._out.emit("bra", (), (), target=target, essential=True)


# -- spelling ---------------------------------------------------------------------------------------------------------


def _literal(value: int | float | bool | str | None) -> Immediate:
    match value:
        case bool() | int():
            return number(int(value))
        case None:
            return Immediate("?")
        case str():
            return Immediate(json.dumps(value))
        case float():
            return Immediate(repr(value))


def _special_name(register: SpecialRegister) -> str:
    """`%tid.x`, as PTX has it."""
    word, dot, axis = register.value.partition(".")
    return f"%{_SPECIAL_NAMES.get(word, word)}{dot}{axis}"


def _space_suffix(space: MemorySpace) -> str:
    """Global memory is not named, as in Fig. 1."""
    return "" if space in (MemorySpace.GLOBAL, MemorySpace.GENERIC) else f".{space.value}"


def _memory_suffix(type_: Type) -> str:
    if isinstance(type_, VectorType):
        return f"v{type_.length}.{type_suffix(type_.element)}"
    return type_suffix(type_)


def _width(type_: Type) -> int | None:
    """Bits of an integer or address."""
    match type_:
        case IntegerType(bits=bits):
            return bits
        case PointerType():
            return 64
        case _:
            return None
