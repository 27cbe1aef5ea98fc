"""The node graph of one function: everything that has a level, and who reads whom.

Nodes are dense integers, in five ranges: values, branches (the decision at the end of a block), convergences (of a
block), loops (their trip counts), memory (one cell per tracked local variable, one node per store to one).  An edge
`a -> b` says "b joins a".  What is not a plain join stands apart: the exchanges of `collectives.py`, and the rules of
the solver for branches, convergences and loops.

Cost      one pass over the instructions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final, TypeAlias, assert_never, cast, final

from analysis.divergence.call_context import CallContext
from analysis.divergence.causes import Seed
from analysis.divergence.levels import Level
from analysis.divergence.local_memory import LocalMemory, find_local_memory, is_untracked_local
from analysis.divergence.options import DivergenceOptions
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import ValueId
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
    Load,
    Match,
    Math,
    NamedBarrier,
    Opaque,
    PhaseWait,
    Phi,
    PointerDifference,
    Print,
    ReadSpecial,
    Select,
    Shuffle,
    Store,
    Switch,
    SymbolAddress,
    TemplateArgument,
    Texture,
    Unary,
    Undefined,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.operators import BarrierReduction, PhaseQuestion, SpecialRegister
from analysis.ir.pace import paced
from analysis.ir.types import MemorySpace, PointerType

Pure: TypeAlias = (
    Unary
    | Binary
    | Compare
    | Select
    | Convert
    | Bitcast
    | Math
    | BuildAggregate
    | ExtractElement
    | InsertElement
    | ElementAddress
    | FieldAddress
    | PointerDifference
)
"""Functions of their operands alone."""

PURE = frozenset(
    {
        *(Unary, Binary, Compare, Select, Convert, Bitcast, Math, BuildAggregate, ExtractElement, InsertElement),
        *(ElementAddress, FieldAddress, PointerDifference),
    }
)

Exchange: TypeAlias = Shuffle | Vote | Match | WarpReduce

REGISTER_LEVELS: dict[SpecialRegister, tuple[Level, Seed]] = {
    SpecialRegister.THREAD_X: (Level.VARYING, Seed.THREAD_INDEX),
    SpecialRegister.THREAD_Y: (Level.VARYING, Seed.THREAD_INDEX),
    SpecialRegister.THREAD_Z: (Level.VARYING, Seed.THREAD_INDEX),
    SpecialRegister.BLOCK_X: (Level.BLOCK, Seed.BLOCK_INDEX),
    SpecialRegister.BLOCK_Y: (Level.BLOCK, Seed.BLOCK_INDEX),
    SpecialRegister.BLOCK_Z: (Level.BLOCK, Seed.BLOCK_INDEX),
    SpecialRegister.CLUSTER_RANK: (Level.BLOCK, Seed.BLOCK_INDEX),
    SpecialRegister.LANE: (Level.VARYING, Seed.LANE),
    SpecialRegister.LANE_MASK_EQUAL: (Level.VARYING, Seed.LANE),
    SpecialRegister.LANE_MASK_LESS: (Level.VARYING, Seed.LANE),
    SpecialRegister.LANE_MASK_LESS_EQUAL: (Level.VARYING, Seed.LANE),
    SpecialRegister.LANE_MASK_GREATER: (Level.VARYING, Seed.LANE),
    SpecialRegister.LANE_MASK_GREATER_EQUAL: (Level.VARYING, Seed.LANE),
    SpecialRegister.WARP_INDEX: (Level.WARP, Seed.WARP_INDEX),
    SpecialRegister.MULTIPROCESSOR: (Level.WARP, Seed.MULTIPROCESSOR),
    SpecialRegister.ACTIVE_MASK: (Level.VARYING, Seed.ACTIVE_MASK),
    SpecialRegister.CLOCK: (Level.VARYING, Seed.CLOCK),
    SpecialRegister.GLOBAL_TIMER: (Level.VARYING, Seed.CLOCK),
}
"""Registers that are not listed hold one value for the whole grid."""

_DECISIONS: Final = (Branch, Switch)
CHANGING_REGISTERS = frozenset(
    {
        SpecialRegister.WARP_INDEX,  # both may change when a block is suspended and resumed
        SpecialRegister.MULTIPROCESSOR,
        SpecialRegister.ACTIVE_MASK,
        SpecialRegister.CLOCK,
        SpecialRegister.GLOBAL_TIMER,
    }
)


@final
@dataclass(slots=True)
class NodeGraph:
    """Built once by `build_nodes`, then only read, and the users no more once it is solved."""

    function: Function
    control: ControlFlow
    memory: LocalMemory
    branch_base: int
    convergence_base: int
    loop_base: int
    memory_base: int
    users: list[list[int]]
    """For values and memory nodes: the nodes that join them."""
    home: list[int]
    """For values, branches and stores: the basic block."""
    seeds: list[tuple[int, Level, Seed]] = field(default_factory=list[tuple[int, Level, Seed]])
    exchanges: list[tuple[Exchange | ReadSpecial, int]] = field(
        default_factory=list[tuple[Exchange | ReadSpecial, int]]
    )
    """Instructions whose level is not a join, with their blocks."""
    exchange_users: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """For a value or a convergence node: the exchanges that read it."""
    stores_of: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """For a block: its store nodes, which join its convergence."""
    cells: dict[int, int] = field(default_factory=dict[int, int])
    """Tracked local symbol to its memory node."""
    symbol_of: dict[int, int] = field(default_factory=dict[int, int])
    """Memory node (cell or store) to its symbol."""
    timeless: bytearray = field(default_factory=bytearray)
    """1 for a value that is the same in every iteration of every loop: a function of parameters, indices, constants."""
    barrier_blocks: dict[int, Level] = field(default_factory=dict[int, Level])
    warp_barrier_blocks: set[int] = field(default_factory=set[int])
    observers: list[int] = field(default_factory=list[int])
    """Values through which a thread may learn what other threads did."""
    shared_reads: list[int] = field(default_factory=list[int])
    """Values that a whole block learns at once: loads from shared memory, reductions at a barrier."""
    unknown: Level = Level.VARYING
    """What opaque code and calls return."""
    waits: bool = False
    """Something here may wait for other threads in another way than at a block barrier."""
    waited: Level = Level.GRID
    """The level at which threads may have waited before they come to the entry."""
    definitions: dict[ValueId, Instruction | Phi] = field(default_factory=dict[ValueId, Instruction | Phi])
    """What defines each value, unreachable blocks included; none for parameters."""

    def branch_node(self, block: int) -> int:
        return self.branch_base + block

    def convergence_node(self, block: int) -> int:
        return self.convergence_base + block

    def loop_node(self, cycle: int) -> int:
        return self.loop_base + cycle

    @property
    def count(self) -> int:
        return len(self.home)

    def forget_users(self) -> None:
        """Once all levels are known nobody asks for them, and they are most of what a graph is made of."""
        self.users.clear()


def build_nodes(function: Function, control: ControlFlow, options: DivergenceOptions) -> NodeGraph:
    values, blocks = len(function.types), len(function.blocks)
    memory_base = values + 2 * blocks + len(control.cycles)
    graph = NodeGraph(
        function,
        control,
        find_local_memory(function, control.order),
        branch_base=values,
        convergence_base=values + blocks,
        loop_base=values + 2 * blocks,
        memory_base=memory_base,
        users=[[] for _ in range(memory_base)],
        home=[0] * memory_base,
        timeless=bytearray(values),
        unknown=options.unknown,
        waited=Level.GRID if options.context is None else options.context.waited,
        definitions=_definitions(function),
    )
    for parameter in function.parameters:
        graph.timeless[parameter.value] = 1
    if options.context is not None:
        _read_arguments(graph, options.context)
    graph.seeds.extend(_of_parameters(function, options))
    for block in paced(control.order):
        _read_block(graph, block)
    return graph


def _definitions(function: Function) -> dict[ValueId, Instruction | Phi]:
    found = {item.result: item for block in function.blocks for item in chain(block.phis, block.instructions)}
    found.pop(None, None)
    return cast("dict[ValueId, Instruction | Phi]", found)


def with_other_parameters(graph: NodeGraph, before: DivergenceOptions, options: DivergenceOptions) -> NodeGraph:
    """The graph, built for `before`, for options that say something else of parameters and of who comes."""
    assert (before.context, before.unknown) == (options.context, options.unknown)
    seeds = graph.seeds[sum(1 for _ in _of_parameters(graph.function, before)) :]
    return replace(graph, seeds=[*_of_parameters(graph.function, options), *seeds])


def _of_parameters(function: Function, options: DivergenceOptions) -> Iterator[tuple[int, Level, Seed]]:
    """The seeds of what is passed."""
    if options.context is None:
        if options.parameters > Level.GRID:
            yield from ((parameter.value, options.parameters, Seed.PARAMETER) for parameter in function.parameters)
        return
    for parameter, argument in zip(function.parameters, options.context.arguments, strict=True):
        level = options.of_argument(argument)
        if level > Level.GRID:
            is_doubtful = level is Level.VARYING and argument.is_assumed
            yield parameter.value, level, Seed.UNKNOWN_ARGUMENT if is_doubtful else Seed.ARGUMENT


def _read_arguments(graph: NodeGraph, context: CallContext) -> None:
    """What threads may know when they come."""
    for parameter, argument in zip(graph.function.parameters, context.arguments, strict=True):
        if argument.is_observed:
            graph.observers.append(parameter.value)
    graph.waits |= graph.waited > Level.GRID


def _read_block(graph: NodeGraph, block: int) -> None:
    users, home, timeless = graph.users, graph.home, graph.timeless
    body = graph.function.blocks[block]
    for phi in body.phis:
        home[phi.result] = block
        for _, value in phi.incoming:
            users[value].append(phi.result)
    for instruction in paced(body.instructions, 2):
        if type(instruction) in PURE:
            result = instruction.result
            assert result is not None
            home[result] = block
            steady = 1
            for operand in instruction.operands:
                users[operand].append(result)
                steady &= timeless[operand]
            timeless[result] = steady
        elif type(instruction) is Constant:
            home[instruction.result] = block
            timeless[instruction.result] = 1
        else:
            if instruction.result is not None:
                home[instruction.result] = block
            _read_instruction(graph, block, instruction)
    terminator = body.terminator
    if isinstance(terminator, _DECISIONS) and len(graph.control.successors[block]) > 1:
        node = graph.branch_node(block)
        home[node] = block
        users[terminator.operands[0]].append(node)


def _read_instruction(graph: NodeGraph, block: int, instruction: Instruction) -> None:
    match instruction:
        case Load():
            _read_load(graph, instruction)
        case Store():
            _read_store(graph, block, instruction)
        case ReadSpecial():
            _read_register(graph, block, instruction)
        case Call() | Opaque():
            _read_unknown(graph, instruction)
        case SymbolAddress():
            _read_symbol(graph, instruction)
        case Undefined() | TemplateArgument():
            graph.timeless[instruction.result] = 1
        case Texture():
            if instruction.result is not None:
                for operand in instruction.arguments:
                    graph.users[operand].append(instruction.result)
        case Shuffle() | Vote() | Match() | WarpReduce():
            _add_exchange(graph, block, instruction)
        case Atomic() | PhaseWait():
            _read_observer(graph, instruction)
        case Allocate():
            _seed(graph, instruction.result, Level.VARYING, Seed.ALLOCATION)
        case Print():
            _seed(graph, instruction.result, Level.VARYING, Seed.OPAQUE)
        case BlockBarrier():
            graph.barrier_blocks[block] = min(Level.BLOCK, graph.barrier_blocks.get(block, Level.BLOCK))
            if instruction.result is not None and instruction.reduction is not BarrierReduction.NONE:
                _seed(graph, instruction.result, Level.BLOCK, Seed.BARRIER_REDUCTION)
                graph.shared_reads.append(instruction.result)
        case GridBarrier():
            graph.barrier_blocks[block] = Level.GRID
        case NamedBarrier():
            graph.waits |= not instruction.arrive_only
        case WarpBarrier():
            graph.warp_barrier_blocks.add(block)
        case Fence() | Assert() | DeviceLaunch():
            pass
        case (
            Constant()
            | Unary()
            | Binary()
            | Compare()
            | Select()
            | Convert()
            | Bitcast()
            | Math()
            | BuildAggregate()
            | ExtractElement()
            | InsertElement()
            | ElementAddress()
            | FieldAddress()
            | PointerDifference()
        ):
            raise AssertionError("constants and pure instructions are dealt with by the caller")
        case _:
            assert_never(instruction)


def _seed(graph: NodeGraph, value: int | None, level: Level, seed: Seed) -> None:
    if value is not None:
        graph.seeds.append((value, level, seed))


def _read_observer(graph: NodeGraph, instruction: Atomic | PhaseWait) -> None:
    """What other threads did to the memory decides the result."""
    asks = isinstance(instruction, PhaseWait)
    _seed(graph, instruction.result, Level.VARYING, Seed.PHASE if asks else Seed.ATOMIC)
    graph.observers.append(instruction.result)
    graph.waits |= asks and instruction.question is not PhaseQuestion.TEST


def _read_unknown(graph: NodeGraph, instruction: Call | Opaque) -> None:
    called = isinstance(instruction, Call)
    if graph.unknown > Level.GRID:
        _seed(graph, instruction.result, graph.unknown, Seed.CALL if called else Seed.OPAQUE)
    if instruction.result is not None:
        graph.observers.append(instruction.result)
    graph.waits |= called or instruction.may_contain_barrier


def _read_symbol(graph: NodeGraph, instruction: SymbolAddress) -> None:
    """One object per grid, per block or per thread: the address says which, and loads inherit it."""
    result = instruction.result
    graph.timeless[result] = 1
    match graph.function.symbols[instruction.symbol].kind:
        case SymbolKind.SHARED | SymbolKind.DYNAMIC_SHARED:
            _seed(graph, result, Level.BLOCK, Seed.SHARED_MEMORY)
        case SymbolKind.LOCAL:
            if instruction.symbol in graph.memory.escaped:
                _seed(graph, result, Level.VARYING, Seed.LOCAL_MEMORY)
        case SymbolKind.GLOBAL | SymbolKind.CONSTANT | SymbolKind.TEXTURE:
            pass


def _read_register(graph: NodeGraph, block: int, instruction: ReadSpecial) -> None:
    register = instruction.register
    found = REGISTER_LEVELS.get(register)
    if found is not None:
        graph.seeds.append((instruction.result, *found))
    if register not in CHANGING_REGISTERS:
        graph.timeless[instruction.result] = 1
    elif found is not None and found[0] is Level.WARP:
        _add_exchange(graph, block, instruction)


def _read_load(graph: NodeGraph, load: Load) -> None:
    graph.users[load.address].append(load.result)
    if load.volatile:
        _seed(graph, load.result, Level.VARYING, Seed.VOLATILE)
        graph.observers.append(load.result)
    if is_untracked_local(graph.function, load.address, graph.memory):
        _seed(graph, load.result, Level.VARYING, Seed.LOCAL_MEMORY)
        return
    for symbol in _targets(graph, load.address):
        graph.users[_cell(graph, symbol)].append(load.result)
    type_ = graph.function.types[load.address]
    if isinstance(type_, PointerType) and type_.space is MemorySpace.SHARED:
        _seed(graph, load.result, Level.BLOCK, Seed.SHARED_MEMORY)
        graph.shared_reads.append(load.result)
    elif isinstance(type_, PointerType) and type_.space is MemorySpace.GENERIC:
        graph.shared_reads.append(load.result)


def _read_store(graph: NodeGraph, block: int, store: Store) -> None:
    for symbol in _targets(graph, store.address):
        if symbol in graph.memory.escaped:
            continue
        node = _new_node(graph, block)
        graph.symbol_of[node] = symbol
        graph.users[store.address].append(node)
        graph.users[store.value].append(node)
        graph.users[node].append(_cell(graph, symbol))
        graph.stores_of.setdefault(block, []).append(node)


def _targets(graph: NodeGraph, address: int) -> Sequence[int]:
    """The local variables that the address may point to."""
    found = graph.memory.targets.get(address)
    return () if found is None else sorted(found)


def _cell(graph: NodeGraph, symbol: int) -> int:
    node = graph.cells.get(symbol)
    if node is None:
        node = graph.cells[symbol] = _new_node(graph, 0)
        graph.symbol_of[node] = symbol
    return node


def _new_node(graph: NodeGraph, block: int) -> int:
    graph.users.append([])
    graph.home.append(block)
    return graph.count - 1


def _add_exchange(graph: NodeGraph, block: int, instruction: Exchange | ReadSpecial) -> None:
    index = len(graph.exchanges)
    graph.exchanges.append((instruction, block))
    sources: Sequence[int] = (*instruction.operands, graph.convergence_node(block))
    for source in dict.fromkeys(sources):
        graph.exchange_users.setdefault(source, []).append(index)
