"""The text of statements without statements inside; what a place does not allow becomes an assignment."""

from __future__ import annotations

from typing import Final, assert_never, final

from tests.meld.random.layout import Branches, Line, Piece
from tests.meld.random.names import CELLS, FUNCTIONS, POINTER_FUNCTIONS
from tests.meld.random.surroundings import Inside, Surroundings
from tests.meld.random.tree import Kind, Simple
from tests.sim.random.expressions import COMPARISONS
from tests.sim.random.scope import S32, STORED, U8, U32, U64, Expression, FloatKind, Memory, Variable

_INTS: Final = (S32,)
_UNSIGNED: Final = (U32, U64)


@final
class SimpleWriter:
    """Writes one statement: made from its genes and from what is in scope."""

    def __init__(self, surroundings: Surroundings, statement: Simple, inside: Inside) -> None:
        self._around = surroundings
        self._statement = statement
        self._inside = inside
        self._choices, self._expressions, self._numbers = surroundings.reader(statement.genes)
        self._context = surroundings.context
        self._features = surroundings.scope.features

    def pieces(self) -> tuple[Piece, ...]:
        self._features.add(self._statement.kind.name.lower())
        first, *others = (Line(one) if isinstance(one, str) else one for one in self._text())
        if isinstance(first, Line):
            first = Line(first.text, self._statement.comment)
        return (first, *others)

    def _text(self) -> list[str | Piece]:
        match self._statement.kind:
            case Kind.ASSIGN:
                return self._assign()
            case Kind.ADD:
                return self._add()
            case Kind.COUNT:
                return self._count()
            case Kind.DECLARE:
                return self._declare()
            case Kind.STORE:
                return self._store()
            case Kind.CELL:
                return self._store_cell()
            case Kind.SWAP:
                return self._swap()
            case Kind.ELEMENT:
                return self._element()
            case Kind.NUMBER:
                return self._number()
            case Kind.NUMBER_STORE:
                return self._number_store()
            case Kind.CALL:
                return self._call()
            case Kind.CALL_BY_POINTER:
                return self._call_by_pointer()
            case Kind.MEMBER:
                return self._member()
            case Kind.TILE:
                return self._tile()
            case Kind.GUARDED:
                return self._guarded()
            case Kind.MACRO:
                return self._macro()
            case Kind.COMMA:
                return self._comma()
            case Kind.CHOSEN:
                return self._chosen()
            case Kind.TOTAL:
                return self._total()
            case Kind.OWN_ATOMIC:
                return self._own_atomic()
            case Kind.VOLATILE:
                return self._volatile()
            case Kind.EXCHANGE:
                return self._exchange()
            case Kind.LEAVE:
                return self._leave()
            case Kind.RETURN:
                return self._return()
            case Kind.EMPTY:
                return self._empty()
            case _ as never:
                assert_never(never)

    # -- parts ------------------------------------------------------------------------------------------------------

    def _value(self) -> Expression:
        return self._expressions.value(self._context)

    def _as_int(self) -> str:
        return self._expressions.converted(self._value(), S32).text

    def _small(self) -> str:
        return self._expressions.limited(self._value(), 1000).text

    def _target(self, kinds: tuple[object, ...] = STORED) -> Variable | None:
        fitting = [one for one in self._around.scope.variables if one.kind in kinds]
        return self._choices.pick(fitting) if fitting else None

    def _cell(self) -> str:
        memory = self._choices.pick(self._around.cells)
        return self._expressions.element(self._context, memory)[0]

    # -- variables --------------------------------------------------------------------------------------------------

    def _assign(self) -> list[str | Piece]:
        target = self._target()
        assert target is not None
        return [f"{target.name} = {self._value().text};"]

    def _add(self) -> list[str | Piece]:
        target = self._target(_UNSIGNED)
        if target is None:
            return self._assign()
        operator = self._choices.pick(("+=", "-=", "^=", "*=", "|="))
        return [f"{target.name} {operator} {self._expressions.converted(self._value(), target.kind).text};"]

    def _count(self) -> list[str | Piece]:
        target = self._target((U32, U64, U8))
        if target is None:
            return self._assign()
        return [self._choices.pick(("{}++;", "++{};", "{}--;", "{} += 2;")).format(target.name)]

    def _declare(self) -> list[str | Piece]:
        choices, around = self._choices, self._around
        form = choices.below(8)
        name = around.declare(f"l{self._statement.name}")  # first: its own initialiser must not read it
        if form == 7:
            kind = choices.pick((FloatKind.FLOAT, FloatKind.DOUBLE))
            start = self._numbers.of(self._context, kind, self._context.level).text
            around.add_number(name, kind)
            return [f"{kind.value} {name} = {start};"]
        kind = choices.pick((S32, S32, S32, *STORED))
        if form == 6:
            second = around.declare(f"{name}b")
            start, other = self._value(), self._value()
            around.add_variable(name, kind)
            around.add_variable(second, kind)
            return [f"{kind.name} {name} = {start.text}, {second} = {other.text};"]
        start = self._value()
        if form == 5:
            around.add_constant(name, start.kind, start.low, start.high)
            return [f"const auto {name} = {start.text};"]
        if form == 4:
            around.add_variable(name, kind)
            return [f"{kind.name} {name};", f"{name} = {start.text};"]
        if form >= 2:
            around.add_constant(name, S32, S32.low, S32.high)
            return [f"const int {name} = {start.text};"]
        around.add_variable(name, kind)
        return [f"{kind.name} {name} = {start.text};"]

    def _comma(self) -> list[str | Piece]:
        first, second = self._target(), self._target()
        assert first is not None
        assert second is not None
        return [f"{first.name} = {self._value().text}, {second.name} = {self._value().text};"]

    def _chosen(self) -> list[str | Piece]:
        target = self._target()
        assert target is not None
        condition, _ = self._expressions.condition(self._context)
        places = [self._expressions.element(self._context, self._choices.pick(self._inputs()))[0] for _ in "ab"]
        return [f"{target.name} = {condition} ? {places[0]} : {places[1]};"]

    def _inputs(self) -> list[Memory]:
        return [one for one in self._around.scope.inputs if one.kind == S32]

    def _member(self) -> list[str | Piece]:
        name = self._choices.pick(("pair.a", "pair.b", "pair.c"))
        return [f"{name} = {self._value().text};"]

    def _guarded(self) -> list[str | Piece]:
        guarded = self._inside.arm.guarded
        target = self._target()
        assert target is not None
        if not guarded:
            return [f"{target.name} = {self._value().text};"]
        value = self._choices.pick(guarded)
        if self._choices.chance(2):
            value = self._expressions.combined(self._choices.pick("+-^"), value, self._value())
        if self._choices.chance(3):
            place = self._around.output("out", self._choices.below(4))
            return [f"{place} = {self._expressions.converted(value, S32).text};"]
        return [f"{target.name} = {value.text};"]

    # -- memory -----------------------------------------------------------------------------------------------------

    def _store(self) -> list[str | Piece]:
        array = self._choices.pick(("out", "out", "wide", "bytes"))
        place = self._around.output(array, self._choices.below(4))
        operator = self._choices.pick(("=", "=", "+=", "^=")) if array == "wide" else "="
        return [f"{place} {operator} {self._value().text};"]

    def _store_cell(self) -> list[str | Piece]:
        place = self._cell()
        if self._choices.chance(3):
            return [f"{place} ^= {self._as_int()};"]
        return [f"{place} = {self._as_int()};"]

    def _swap(self) -> list[str | Piece]:
        left, right = self._cell(), self._cell()
        choice = self._choices.below(3)
        name = f"held{self._statement.name}"
        if choice == 0:
            name = self._around.declare(name)
            self._around.add_constant(name, S32, S32.low, S32.high)
            return [f"const int {name} = {left};", f"{left} = {right};", f"{right} = {name};"]
        exchange = (Line(f"const int {name} = {left};"), Line(f"{left} = {right};"), Line(f"{right} = {name};"))
        condition = f"{left} {self._choices.pick(COMPARISONS)} {right}"
        return [Branches(((f"if ({condition})", exchange),))]

    def _element(self) -> list[str | Piece]:
        index = self._expressions.index(self._context, 4, self._context.level, 1)
        return [f"w[{index.text}] = {self._as_int()};"]

    def _tile(self) -> list[str | Piece]:
        if not self._around.own_tiles:
            return self._assign()
        tile = self._choices.pick(self._around.own_tiles)
        return [f"{tile.name}{tile.own} = {self._value().text};"]

    def _number(self) -> list[str | Piece]:
        target = self._choices.pick(self._around.numbers)
        operator = self._choices.pick(("=", "=", "+=", "*="))
        return [f"{target.text} {operator} {self._numbers.of(self._context, target.kind, self._context.level).text};"]

    def _number_store(self) -> list[str | Piece]:
        array, kind = self._choices.pick((("fout", FloatKind.FLOAT), ("dout", FloatKind.DOUBLE)))
        place = self._around.output(array, self._choices.below(4))
        return [f"{place} = {self._numbers.of(self._context, kind, self._context.level).text};"]

    # -- calls and macros -------------------------------------------------------------------------------------------

    def _call(self) -> list[str | Piece]:
        target = self._target()
        assert target is not None
        return [f"{target.name} = {self._choices.pick(FUNCTIONS)}({self._as_int()}, {self._as_int()});"]

    def _call_by_pointer(self) -> list[str | Piece]:
        function = self._choices.pick(POINTER_FUNCTIONS)
        target = self._target(_INTS)
        place = self._cell() if target is None or not self._choices.chance(3) else target.name
        return [f"{function}(&{place}, {self._as_int()});"]

    def _macro(self) -> list[str | Piece]:
        if self._choices.chance(2):
            target = self._target(_UNSIGNED)
            if target is not None:
                value = self._expressions.converted(self._value(), target.kind).text
                return [self._choices.pick(("RAISE({}, {});", "{} = TWICE({});")).format(target.name, value)]
        place = self._cell() if self._choices.chance(2) else self._around.output("out", self._choices.below(4))
        return [f"PUT({place}, {self._as_int()});"]

    # -- what melders refuse or treat with care -----------------------------------------------------------------------

    def _total(self) -> list[str | Piece]:
        value = self._value()
        if self._choices.chance(2):
            return [f"atomicMax(&peaks[t & 7], {self._expressions.converted(value, S32).text});"]
        return [f"atomicAdd(&sums[{self._small()} & 7], {self._expressions.converted(value, U32).text});"]

    def _own_atomic(self) -> list[str | Piece]:
        index = self._expressions.index(self._context, CELLS, self._context.level, 1)
        function = self._choices.pick(("atomicAdd", "atomicExch", "atomicMax"))
        call = f"{function}(&{self._around.own_cell(index.text)}, {self._as_int()})"
        target = self._target(_INTS)
        return [f"{call};" if target is None or self._choices.chance(2) else f"{target.name} = {call};"]

    def _volatile(self) -> list[str | Piece]:
        target = self._target()
        assert target is not None
        return [f"watched[i] = {self._as_int()};" if self._choices.chance(2) else f"{target.name} = watched[i];"]

    def _exchange(self) -> list[str | Piece]:
        mask, target = self._inside.arm.mask, self._target(_INTS)
        if not mask or self._inside.alone or target is None:
            return self._assign()
        self._features.add("exchange in an arm")
        return [f"{target.name} = __shfl_sync({mask}, {self._as_int()}, __ffs({mask}) - 1);"]

    def _leave(self) -> list[str | Piece]:
        ways = ["break;"] * self._inside.breaks + ["continue;"] * self._inside.continues
        if not ways:
            return self._assign()
        way = self._choices.pick(ways)
        self._features.add(way.rstrip(";"))
        condition, _ = self._expressions.condition(self._context)
        return [Branches(((f"if ({condition})", (Line(way, self._statement.comment),)),))]

    def _return(self) -> list[str | Piece]:
        if not self._inside.arm.may_return:
            return self._assign()
        self._around.returned = True
        place = self._around.output("out", self._choices.below(4))
        lines = (Line(f"{place} = {self._as_int()};"), Line("return;"))
        if self._choices.chance(2):
            return list(lines)
        condition, _ = self._expressions.condition(self._context)
        return [Branches(((f"if ({condition})", lines),))]

    def _empty(self) -> list[str | Piece]:
        return [";"]
