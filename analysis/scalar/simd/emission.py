"""From a function to the lines of its vector form.

Rules    A block is entered by the lanes that wait for it (`m3`), hands them on to its successors, and leaves nobody
         waiting: where it may run again its mask is emptied first (`p3` is then who runs).  Vectors are written under
         the mask.  What the scalarized code keeps in scalar registers (`plan.py`) is written once, and a branch that
         asks such a value is a branch of the warp.  Phis are moves on the way to their block, all at once.
         A structure is a vector for each of its members; to take one out, or to put one in, is no line.
Limits   Calls that are not inlined, device memory that is allocated, barriers of the grid, named ones and
         those in memory, unions and text are refused with their place.  A barrier of the block is a line of the warp:
         it has to be reached by all of it.  Lanes that wait for each other in a loop wait for ever, as they do with a
         stack.
Source   Collange's slides, "Compiling SPMD to predicated SIMD"; ISPC, Pharr and Mark, InPar 2012.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function, FunctionKind
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Assert,
    BlockBarrier,
    Branch,
    BuildAggregate,
    Constant,
    ExtractElement,
    Fence,
    InsertElement,
    Instruction,
    Jump,
    Math,
    Opaque,
    Phi,
    Print,
    Return,
    Store,
    Switch,
    Terminator,
    Texture,
    Trap,
    Undefined,
    WarpBarrier,
)
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.scalar.plan import Plan
from analysis.scalar.simd.expressions import at, expressions
from analysis.scalar.simd.model import NotVectorised, SimdCode, SimdLine
from analysis.scalar.simd.parts import SimdPart, members_of, parts_of_type
from analysis.scalar.simd.structure import Part, Repeated, parts_of


def vectorised(function: Function, control: ControlFlow, plan: Plan, warp_size: int) -> SimdCode | NotVectorised:
    """The vector form of a kernel; the first construct without one is the answer where there is any."""
    if function.kind is not FunctionKind.KERNEL:
        return NotVectorised("a function that is no kernel", Span(0, 0))
    try:
        return _Emission(function, control, plan, warp_size).code()
    except _Refused as refused:
        return refused.reason


class _Refused(Exception):
    def __init__(self, construct: str, span: Span) -> None:
        super().__init__(construct)
        self.reason = NotVectorised(construct, span)


@final
@record
class _Term:
    """A number of a value as it is written: the name of a vector or of a scalar, or a literal."""

    text: str
    is_vector: bool


@final
class _Emission:
    def __init__(self, function: Function, control: ControlFlow, plan: Plan, warp_size: int) -> None:
        self._function = function
        self._control = control
        self._plan = plan
        self._warp_size = warp_size
        self._lines: list[SimdLine] = []
        self._written: dict[str, tuple[str, bool]] = {}
        self._terms: dict[ValueId, Sequence[_Term]] = {}
        self._parts: dict[ValueId, Sequence[SimdPart]] = {}
        self._depth = 0
        self._span = Span(0, 0)
        for one in function.parameters:
            names = self._numbered(f"{one.name or 'a'}_{one.value}", one.value)
            self._terms[one.value] = [_Term(name, is_vector=False) for name in names]

    def code(self) -> SimdCode:
        self._line("m0 = all_lanes", Span(0, 0))
        for part in parts_of(self._control):
            self._part(part, is_repeated=False)
        vectors = tuple((name, element) for name, (element, is_vector) in self._written.items() if is_vector)
        scalars = tuple((name, element) for name, (element, is_vector) in self._written.items() if not is_vector)
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
        span = self._span = terminator.span
        match terminator:
            case Jump(target=target):
                self._edge(block, target, mask, None, span)
            case Branch(condition=condition, if_true=one, if_false=other) if not self._asked(condition).is_vector:
                for word, target in ((f"if {self._asked(condition).text}:", one), ("else:", other)):
                    self._line(word, span)
                    self._depth += 1
                    self._edge(block, target, mask, None, span)
                    self._depth -= 1
            case Branch(condition=condition, if_true=one, if_false=other):
                asked = self._asked(condition).text
                self._edge(block, one, mask, asked, span)
                self._edge(block, other, mask, f"~{asked}", span)
            case Switch(value=value, cases=cases, default=default):
                asked = self._asked(value).text
                tests = [(f"({asked} == {case.value})", case.target) for case in cases]
                if any(case.value is None for case in cases):
                    raise _Refused("a case whose value is not known", span)
                for test, target in tests:
                    self._edge(block, target, mask, test, span)
                rest = " & ".join(f"~{test}" for test, _ in tests) or None
                self._edge(block, default, mask, rest, span)
            case Return():
                self._line("pass", span)
            case Trap():
                self._line(f"trap({mask})", span)

    def _asked(self, value: ValueId) -> _Term:
        return self._of(value)[0]

    def _edge(self, block: BasicBlockId, target: BasicBlockId, mask: str, asked: str | None, span: Span) -> None:
        """The lanes that go from a block to another, with what phis hold there."""
        going = mask if asked is None else f"{mask} & {asked}"
        phis = self._function.blocks[target].phis
        moves = [(phi, dict(phi.incoming)[block]) for phi in phis]
        if asked is not None and moves:
            self._line(f"e = {going}", span)
            going = "e"
        self._line(f"m{target} = m{target} | {going}", span)
        results = {term.text for phi in phis for term in self._of(phi.result)}
        is_parallel = any(term.text in results for _, value in moves for term in self._of(value))
        texts: list[Sequence[str]] = []
        for phi, value in moves:
            terms = self._of(value)
            if not is_parallel:
                texts.append([term.text for term in terms])
                continue
            texts.append(self._numbered(f"t{phi.result}", phi.result))
            for name, term in zip(texts[-1], terms, strict=True):
                self._line(f"{name} = {term.text}", span)
        for (phi, value), names in zip(moves, texts, strict=True):
            self._move(phi, names, going, span, value)

    def _move(self, phi: Phi, names: Sequence[str], going: str, span: Span, value: ValueId) -> None:
        is_asked = going == "e" and self._is_scalar(phi.result)
        if is_asked:  # no lane may go this way, then the register keeps its value
            self._line("if any(e):", span)
            self._depth += 1
        self._assign(phi.result, names, going, span, of_lanes=any(term.is_vector for term in self._of(value)))
        self._depth -= is_asked

    # -- values --------------------------------------------------------------------------------------------------------

    def _instruction(self, instruction: Instruction, mask: str) -> None:
        span = self._span = instruction.span
        match instruction:
            case BuildAggregate(result=result, elements=elements):
                self._parts_of(result)  # refuses unions
                self._alias(result, [term for element in elements for term in self._of(element)], mask, span)
            case ExtractElement(result=result, aggregate=aggregate, index=index):
                start, end = self._range(aggregate, index)
                self._alias(result, self._of(aggregate)[start:end], mask, span)
            case InsertElement(result=result, aggregate=aggregate, index=index, value=value):
                (start, end), whole = self._range(aggregate, index), self._of(aggregate)
                self._alias(result, [*whole[:start], *self._of(value), *whole[end:]], mask, span)
            case Store(address=address, value=value):
                place = self._of(address)[0].text
                for part, term in zip(self._parts_of(value), self._of(value), strict=True):
                    self._line(f"store({mask}, {part.element}, {at(place, part)}, {term.text})", span)
            case Texture(result=None, operation=operation, arguments=(handle, value, *place)):
                written = ", ".join(term.text for term in self._of(value))
                given = ", ".join(self._of(one)[0].text for one in (handle, *place))
                first, _, rest = given.partition(", ")
                self._line(f"texture_{operation.value}({mask}, {first}, ({written},), {rest})", span)
            case BlockBarrier(result=None):
                self._line("barrier()", span)
            case WarpBarrier(mask=named):
                self._line(f"warp_barrier({mask}, {self._of(named)[0].text})", span)
            case Fence():
                self._line("fence()", span)
            case Assert(condition=condition):
                self._line(f"expect({mask}, {self._of(condition)[0].text})", span)
            case Print(result=result, format=format, arguments=arguments):
                given = (mask, repr(format), *(term.text for one in arguments for term in self._of(one)))
                self._line(f"printf({', '.join(given)})", span)
                if result is not None:
                    self._terms[result] = [_Term(str(len(arguments)), is_vector=False)]
            case _:
                self._computed(instruction, mask, span)

    def _computed(self, instruction: Instruction, mask: str, span: Span) -> None:
        result = instruction.result
        if result is None:
            raise _Refused(_words(instruction), span)

        def names(value: ValueId) -> Sequence[str]:
            return [term.text for term in self._of(value)]

        found = expressions(instruction, self._function, names, self._parts_of, mask, self._warp_size)
        if found is None:
            raise _Refused(_words(instruction), span)
        if isinstance(instruction, Constant | Undefined):
            self._terms[result] = [_Term(code, is_vector=False) for code in found.codes]
            return
        of_vectors = any(term.is_vector for operand in instruction.operands for term in self._of(operand))
        self._assign(result, found.codes, mask, span, of_lanes=found.of_lanes or of_vectors)

    def _alias(self, result: ValueId, terms: Sequence[_Term], mask: str, span: Span) -> None:
        """Other names for numbers that are there; in a scalar register they are copied."""
        if self._is_scalar(result) and any(term.is_vector for term in terms):
            self._assign(result, [term.text for term in terms], mask, span, of_lanes=True)
        else:
            self._terms[result] = terms

    def _assign(self, result: ValueId, codes: Sequence[str], mask: str, span: Span, *, of_lanes: bool) -> None:
        """A scalar that is computed of vectors, on which the lanes agree, is that of the first lane."""
        is_scalar = self._is_scalar(result)
        for term, part, code in zip(self._of(result), self._parts_of(result), codes, strict=True):
            self._written[term.text] = part.element, not is_scalar
            written = f"first({mask}, {code})" if is_scalar and of_lanes else code
            self._lines.append(SimdLine(self._depth, written, span, term.text, None if is_scalar else mask))

    def _line(self, code: str, span: Span) -> None:
        self._lines.append(SimdLine(self._depth, code, span))

    def _is_scalar(self, value: ValueId) -> bool:
        return bool(self._plan.scalar[value])

    def _of(self, value: ValueId) -> Sequence[_Term]:
        if value not in self._terms:
            is_scalar = self._is_scalar(value)
            names = self._numbered(f"{'s' if is_scalar else 'v'}{value}", value)
            self._terms[value] = [_Term(name, is_vector=not is_scalar) for name in names]
        return self._terms[value]

    def _numbered(self, name: str, value: ValueId) -> Sequence[str]:
        """`v7`, or `v7_0`, `v7_1` for the numbers of a structure."""
        count = len(self._parts_of(value))
        return [name] if count == 1 else [f"{name}_{index}" for index in range(count)]

    def _parts_of(self, value: ValueId) -> Sequence[SimdPart]:
        if value not in self._parts:
            found = parts_of_type(self._function.type_of(value), self._function.structs, self._warp_size)
            if found is None:
                raise _Refused("a value that is no numbers", self._span)
            self._parts[value] = found
        return self._parts[value]

    def _range(self, aggregate: ValueId, index: int) -> tuple[int, int]:
        """The numbers of one member."""
        structs = self._function.structs
        members = members_of(self._function.type_of(aggregate), structs, self._warp_size)
        own = [parts_of_type(member, structs, self._warp_size) for member, _ in members or ()]
        if not own or any(parts is None for parts in own):
            raise _Refused("a value that is no numbers", self._span)
        counts = [len(parts or ()) for parts in own]
        return sum(counts[:index]), sum(counts[: index + 1])

    def _span_of(self, block: BasicBlockId) -> Span:
        found = self._function.blocks[block]
        spans: Sequence[Span] = [one.span for one in (*found.instructions, found.terminator)]
        return next((span for span in spans if span.end > span.start), Span(0, 0))


def _words(instruction: Instruction) -> str:
    """What an instruction is called where it is refused: `NamedBarrier` is a named barrier."""
    if isinstance(instruction, Opaque):
        return instruction.construct
    if isinstance(instruction, Math):
        return f"the function {instruction.function.value}"
    name = type(instruction).__name__
    return "".join(f" {letter.lower()}" if letter in _CAPITALS else letter for letter in name).strip()


_CAPITALS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
