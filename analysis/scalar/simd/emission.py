"""From a function to the lines of its vector form.

Rules    A block is entered by the lanes that wait for it (`m3`), hands them on to its successors, and leaves nobody
         waiting: where it may run again its mask is emptied first (`p3` is then who runs).  Vectors are written under
         the mask.  What the scalarized code keeps in scalar registers (`plan.py`) is written once, and a branch that
         asks such a value is a branch of the warp.  Phis are moves on the way to their block, all at once.
Limits   Collectives of a warp, atomics, calls, objects that are no numbers and local structures are refused with their
         place.  A barrier of the block is a line of the warp: it has to be reached by all of it.
         Lanes that wait for each other in a loop wait for ever, as they do with a stack.
Source   Collange's slides, "Compiling SPMD to predicated SIMD"; ISPC, Pharr and Mark, InPar 2012.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function, FunctionKind
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    BlockBarrier,
    Branch,
    Constant,
    Fence,
    Instruction,
    Jump,
    Phi,
    Return,
    Store,
    Switch,
    Terminator,
    Trap,
)
from analysis.ir.source import Span
from analysis.scalar.plan import Plan
from analysis.scalar.simd.expressions import constant_text, element_name, expression
from analysis.scalar.simd.model import NotVectorised, SimdCode, SimdLine
from analysis.scalar.simd.structure import Part, Repeated, parts_of


def vectorised(function: Function, control: ControlFlow, plan: Plan) -> SimdCode | NotVectorised:
    """The vector form of a kernel; the first construct without one is the answer where there is any."""
    if function.kind is not FunctionKind.KERNEL:
        return NotVectorised("a function that is no kernel", Span(0, 0))
    try:
        return _Emission(function, control, plan).code()
    except _Refused as refused:
        return refused.reason


class _Refused(Exception):
    def __init__(self, construct: str, span: Span) -> None:
        super().__init__(construct)
        self.reason = NotVectorised(construct, span)


@final
class _Emission:
    def __init__(self, function: Function, control: ControlFlow, plan: Plan) -> None:
        self._function = function
        self._control = control
        self._plan = plan
        self._lines: list[SimdLine] = []
        self._written: dict[ValueId, str] = {}
        self._constants: dict[ValueId, str] = {}
        self._depth = 0
        self._parameters = {one.value for one in function.parameters}

    def code(self) -> SimdCode:
        self._line("m0 = all_lanes", Span(0, 0))
        for part in parts_of(self._control):
            self._part(part, is_repeated=False)
        names = sorted(self._written.items())
        vectors = tuple((self._name(value), type) for value, type in names if not self._plan.scalar[value])
        scalars = tuple((self._name(value), type) for value, type in names if self._plan.scalar[value])
        masks = tuple(f"m{block}" for block in sorted(self._control.order))
        return SimdCode(self._function, tuple(self._lines), vectors, scalars, masks)

    # -- control -------------------------------------------------------------------------------------------------------

    def _part(self, part: Part, *, is_repeated: bool) -> None:
        if not isinstance(part, Repeated):
            self._block(part, is_repeated=is_repeated)
            return
        waiting = " | ".join(f"m{entry}" for entry in part.entries)
        self._line(f"while any({waiting}):", self._span_of(part.header))
        self._depth += 1
        for inner in part.parts:
            self._part(inner, is_repeated=True)
        self._depth -= 1

    def _block(self, block: BasicBlockId, *, is_repeated: bool) -> None:
        found = self._function.blocks[block]
        is_guarded = block != 0
        if is_guarded:
            self._line(f"if any(m{block}):", self._span_of(block))
            self._depth += 1
        mask = f"p{block}" if is_repeated else f"m{block}"
        if is_repeated:
            self._line(f"p{block} = m{block}", self._span_of(block))
            self._line(f"m{block} = no_lanes", self._span_of(block))
        for instruction in found.instructions:
            self._instruction(instruction, mask)
        self._terminator(block, found.terminator, mask)
        if is_guarded:
            self._depth -= 1

    def _terminator(self, block: BasicBlockId, terminator: Terminator, mask: str) -> None:
        span = terminator.span
        match terminator:
            case Jump(target=target):
                self._edge(block, target, mask, None, span)
            case Branch(condition=condition, if_true=one, if_false=other) if self._is_scalar(condition):
                for word, target in ((f"if {self._name(condition)}:", one), ("else:", other)):
                    self._line(word, span)
                    self._depth += 1
                    self._edge(block, target, mask, None, span)
                    self._depth -= 1
            case Branch(condition=condition, if_true=one, if_false=other):
                asked = self._name(condition)
                self._edge(block, one, mask, asked, span)
                self._edge(block, other, mask, f"~{asked}", span)
            case Switch(value=value, cases=cases, default=default):
                tests = [(f"({self._name(value)} == {case.value})", case.target) for case in cases]
                if any(case.value is None for case in cases):
                    raise _Refused("a case whose value is not known", span)
                for test, target in tests:
                    self._edge(block, target, mask, test, span)
                rest = " & ".join(f"~{test}" for test, _ in tests) or None
                self._edge(block, default, mask, rest, span)
            case Return():
                self._line("pass", span)
            case Trap():
                raise _Refused("a trap", span)

    def _edge(self, block: BasicBlockId, target: BasicBlockId, mask: str, asked: str | None, span: Span) -> None:
        """The lanes that go from a block to another, with what phis hold there."""
        going = mask if asked is None else f"{mask} & {asked}"
        phis = self._function.blocks[target].phis
        moves = [(phi, dict(phi.incoming)[block]) for phi in phis]
        if asked is not None and moves:
            self._line(f"e = {going}", span)
            going = "e"
        self._line(f"m{target} = m{target} | {going}", span)
        results = {phi.result for phi in phis}
        is_parallel = any(value in results for _, value in moves)
        if is_parallel:
            for phi, value in moves:
                self._line(f"t{phi.result} = {self._name(value)}", span)
        for phi, value in moves:
            self._move(phi, f"t{phi.result}" if is_parallel else self._name(value), going, span, value)

    def _move(self, phi: Phi, text: str, going: str, span: Span, value: ValueId) -> None:
        if not self._is_scalar(phi.result):
            self._assign(phi.result, text, going, span)
            return
        is_asked = going == "e"
        if is_asked:  # no lane may go this way, then the register keeps its value
            self._line("if any(e):", span)
            self._depth += 1
        self._assign(phi.result, text, going, span, (value,))
        self._depth -= is_asked

    # -- values --------------------------------------------------------------------------------------------------------

    def _instruction(self, instruction: Instruction, mask: str) -> None:
        span = instruction.span
        match instruction:
            case Constant(result=result, value=value) if (text := constant_text(value)) is not None:
                self._constants[result] = text
            case Store(address=address, value=value):
                element = element_name(self._function.type_of(value))
                if element is None:
                    raise _Refused("a store of what is no number", span)
                self._line(f"store({mask}, {element}, {self._name(address)}, {self._name(value)})", span)
            case BlockBarrier():
                self._line("barrier()", span)
            case Fence():
                self._line("fence()", span)
            case _:
                result = instruction.result
                code = expression(instruction, self._function, self._name, mask)
                if code is None or result is None:
                    raise _Refused(_words(instruction), span)
                self._assign(result, code, mask, span, instruction.operands)

    def _assign(self, result: ValueId, code: str, mask: str, span: Span, operands: Sequence[ValueId] = ()) -> None:
        """A scalar that is computed of vectors, on which the lanes agree, is that of the first lane."""
        element = element_name(self._function.type_of(result))
        if element is None:
            raise _Refused("a value that is no number", span)
        self._written[result] = element
        under = None if self._is_scalar(result) else mask
        if under is None and any(map(self._is_vector, operands)):
            code = f"first({mask}, {code})"
        self._lines.append(SimdLine(self._depth, code, span, self._name(result), under))

    def _line(self, code: str, span: Span) -> None:
        self._lines.append(SimdLine(self._depth, code, span))

    def _is_scalar(self, value: ValueId) -> bool:
        return bool(self._plan.scalar[value]) or value in self._constants

    def _is_vector(self, value: ValueId) -> bool:
        return not (self._is_scalar(value) or value in self._parameters)

    def _name(self, value: ValueId) -> str:
        if value in self._constants:
            return self._constants[value]
        if value in self._parameters:
            found = next(one for one in self._function.parameters if one.value == value)
            return f"{found.name or 'a'}_{value}"
        return f"{'s' if self._plan.scalar[value] else 'v'}{value}"

    def _span_of(self, block: BasicBlockId) -> Span:
        found = self._function.blocks[block]
        spans: Sequence[Span] = [one.span for one in (*found.instructions, found.terminator)]
        return next((span for span in spans if span.end > span.start), Span(0, 0))


def _words(instruction: Instruction) -> str:
    """What an instruction is called where it is refused: `WarpReduce` is a warp reduce."""
    name = type(instruction).__name__
    return "".join(f" {letter.lower()}" if letter in _CAPITALS else letter for letter in name).strip()


_CAPITALS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
