"""Random programs over pointers, run thread by thread: every address lies in an object of the claimed space."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.parser import parse_function
from analysis.ir.printer import print_function
from analysis.ir.promote import promote
from analysis.ir.types import MemorySpace, PointerType
from analysis.memory.spaces import SpaceResult, infer_spaces
from tests.support.evaluator import Grid, Trace, run

POINTERS = 3
OBJECTS = {"s": "shared", "t": "shared", "d": "dynamic_shared", "c": "constant", "g": "global"}
GRID = Grid((4, 1, 1), 1, 4)


@settings(max_examples=300)
@given(st.integers(0, 2**32))
def test_no_run_contradicts_a_space_or_a_variable(seed: int) -> None:
    function = random_pointers(Random(seed))
    control = ControlFlow.of(function)
    traces = traces_of(function)
    assert contradictions(function, infer_spaces(function, control), traces) == [], print_function(function)


def test_the_referee_notices_a_wrong_claim() -> None:
    for seed in range(50):
        function = random_pointers(Random(seed))
        traces = traces_of(function)
        everything_shared = [MemorySpace.SHARED] * len(function.types)
        if contradictions(function, SpaceResult(everything_shared, [0] * len(function.types)), traces):
            return
    raise AssertionError("a blind claim was never refuted")


def test_many_pointers_are_decided() -> None:
    """The claims are not vacuous: a good part of the pointers through phis has a space."""
    decided = phis = 0
    for seed in range(300):
        function = random_pointers(Random(seed))
        result = infer_spaces(function, ControlFlow.of(function))
        for block in function.blocks:
            for phi in block.phis:
                if isinstance(function.types[phi.result], PointerType):
                    phis += 1
                    decided += result.space(phi.result) is not MemorySpace.GENERIC
    assert phis > 100
    assert decided > phis // 10


def contradictions(function: Function, result: SpaceResult, traces: list[Trace]) -> list[str]:
    spaces = {"p": MemorySpace.GLOBAL}
    for symbol in function.symbols:
        spaces[symbol.name] = MemorySpace("shared" if symbol.kind.value == "dynamic_shared" else symbol.kind.value)
    found: list[str] = []
    for trace in traces:
        for (value, _), seen in trace.definitions.items():
            if isinstance(seen, tuple):
                claim, variable = result.space(value), result.variable(value)
                if claim is not MemorySpace.GENERIC and claim is not spaces[seen[0]]:
                    found.append(f"%{value} points to {seen[0]}, not into {claim.value} memory")
                if variable is not None and function.symbols[variable].name != seen[0]:
                    found.append(f"%{value} points to {seen[0]}, not to {function.symbols[variable].name}")
    return found


def traces_of(function: Function) -> list[Trace]:
    n, p = (parameter.value for parameter in function.parameters)
    return [trace for number in (0, 1, 5) for trace in run(function, GRID, {n: number, p: ("p", 0)}, steps=40)]


def random_pointers(random: Random) -> Function:
    """Pointer variables that are moved, exchanged, chosen between and written through, in any flow graph."""
    lines = [f"local ${index} v{index}: ptr<generic s32>" for index in range(POINTERS)]
    for index, (name, kind) in enumerate(OBJECTS.items(), POINTERS):
        lines.append(f"{kind} ${index} {name}: s32")
    count = random.randrange(2, 7)
    lines.append("entry:")
    names = iter(range(10**6))

    def value(type_: str, text: str) -> str:
        name = f"%x{next(names)}"
        lines.append(f"  {name}: {type_} = {text}")
        return name

    def object_address() -> str:
        pick = random.randrange(len(OBJECTS) + 2)
        if pick == len(OBJECTS):
            return "%p"
        if pick > len(OBJECTS):
            return value("ptr<generic s32>", "const 0")
        kind = list(OBJECTS.values())[pick]
        space = "shared" if kind == "dynamic_shared" else kind
        return value(f"ptr<{space} s32>", f"address ${POINTERS + pick}")

    def pointer() -> str:
        if random.randrange(4) == 0:
            return value("ptr<generic s32>", f"bitcast {object_address()}")
        place = value("ptr<local ptr<generic s32>>", f"address ${random.randrange(POINTERS)}")
        return value("ptr<generic s32>", f"load {place}")

    def condition() -> str:
        limit = value("s32", f"const {random.randrange(4)}")
        thread = value("s32", f"convert {value('u32', 'special thread.x')}")
        return value("bool", f"lt {random.choice(['%n', thread])}, {limit}")

    def assign(variable: int, pointer_value: str) -> None:
        place = value("ptr<local ptr<generic s32>>", f"address ${variable}")
        lines.append(f"  store {place}, {pointer_value}")

    for variable in range(POINTERS):
        assign(variable, value("ptr<generic s32>", f"bitcast {object_address()}"))
    lines.append("  jump b0")
    for block in range(count):
        lines.append(f"b{block}:")
        for _ in range(random.randrange(3)):
            match random.randrange(3):
                case 0:
                    moved = value("ptr<generic s32>", f"element {pointer()}, {value('s32', 'const 1')}")
                case 1:
                    moved = value("ptr<generic s32>", f"select {condition()}, {pointer()}, {pointer()}")
                case _:
                    moved = pointer()
            assign(random.randrange(POINTERS), moved)
        lines.append(f"  store {pointer()}, %n")
        if block == count - 1 or random.randrange(6) == 0:
            lines.append("  return")
        else:
            lines.append(f"  branch {condition()}, b{random.randrange(count)}, b{block + 1}")
    text = "\n".join(["kernel @k(%n: s32, %p: ptr<global s32>) {", *lines, "}"])
    return promote(parse_function(text))
