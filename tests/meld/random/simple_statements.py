"""The text of statements without statements inside; what a place does not allow becomes an assignment."""

from __future__ import annotations

from typing import Final, assert_never, final

from tests.meld.random.language import feature_text
from tests.meld.random.layout import Branches, Line, Piece
from tests.meld.random.names import CELLS, FUNCTIONS, POINTER_FUNCTIONS
from tests.meld.random.parts import Parts, Text
from tests.meld.random.surroundings import Inside, Surroundings
from tests.meld.random.tree import Feature, Kind, Simple
from tests.sim.random.expressions import COMPARISONS
from tests.sim.random.scope import S32, STORED, U8, U32, U64, FloatKind, Memory

_INTS: Final = (S32,)
_UNSIGNED: Final = (U32, U64)


@final
class SimpleWriter:
    """Writes one statement: made from its genes and from what is in scope."""

    def __init__(self, surroundings: Surroundings, statement: Simple, inside: Inside) -> None:
        self._parts = Parts(surroundings, statement, inside)

    def pieces(self) -> tuple[Piece, ...]:
        self._parts.features.add(self._parts.statement.kind.name.lower())
        first, *others = (Line(one) if isinstance(one, str) else one for one in self._text())
        if isinstance(first, Line):
            first = Line(first.text, self._parts.statement.comment)
        return (first, *others)

    def _text(self) -> Text:
        match self._parts.statement.kind:
            case Feature() as feature:
                return feature_text(feature, self._parts)
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

    # -- variables --------------------------------------------------------------------------------------------------

    def _assign(self) -> Text:
        target = self._parts.target()
        assert target is not None
        return [f"{target.name} = {self._parts.value().text};"]

    def _add(self) -> Text:
        target = self._parts.target(_UNSIGNED)
        if target is None:
            return self._assign()
        operator = self._parts.choices.pick(("+=", "-=", "^=", "*=", "|="))
        return [f"{target.name} {operator} {self._parts.expressions.converted(self._parts.value(), target.kind).text};"]

    def _count(self) -> Text:
        target = self._parts.target((U32, U64, U8))
        if target is None:
            return self._assign()
        return [self._parts.choices.pick(("{}++;", "++{};", "{}--;", "{} += 2;")).format(target.name)]

    def _declare(self) -> Text:
        choices, around = self._parts.choices, self._parts.around
        form = choices.below(8)
        name = around.declare(f"l{self._parts.statement.name}")  # first: its own initialiser must not read it
        if form == 7:
            kind = choices.pick((FloatKind.FLOAT, FloatKind.DOUBLE))
            start = self._number_of(kind)
            around.add_number(name, kind)
            return [f"{kind.value} {name} = {start};"]
        kind = choices.pick((S32, S32, S32, *STORED))
        if form == 6:
            second = around.declare(f"{name}b")
            start, other = self._parts.value(), self._parts.value()
            around.add_variable(name, kind)
            around.add_variable(second, kind)
            return [f"{kind.name} {name} = {start.text}, {second} = {other.text};"]
        start = self._parts.value()
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

    def _comma(self) -> Text:
        first, second = self._parts.target(), self._parts.target()
        assert first is not None
        assert second is not None
        return [f"{first.name} = {self._parts.value().text}, {second.name} = {self._parts.value().text};"]

    def _chosen(self) -> Text:
        target = self._parts.target()
        assert target is not None
        condition, _ = self._parts.expressions.condition(self._parts.context)
        places = [
            self._parts.expressions.element(self._parts.context, self._parts.choices.pick(self._inputs()))[0]
            for _ in "ab"
        ]
        return [f"{target.name} = {condition} ? {places[0]} : {places[1]};"]

    def _inputs(self) -> list[Memory]:
        return [one for one in self._parts.around.scope.inputs if one.kind == S32]

    def _member(self) -> Text:
        name = self._parts.choices.pick(("pair.a", "pair.b", "pair.c"))
        return [f"{name} = {self._parts.value().text};"]

    def _guarded(self) -> Text:
        guarded = self._parts.inside.arm.guarded
        target = self._parts.target()
        assert target is not None
        if not guarded:
            return [f"{target.name} = {self._parts.value().text};"]
        value = self._parts.choices.pick(guarded)
        if self._parts.choices.chance(2):
            value = self._parts.expressions.combined(self._parts.choices.pick("+-^"), value, self._parts.value())
        if self._parts.choices.chance(3):
            place = self._parts.around.output("out", self._parts.choices.below(4))
            return [f"{place} = {self._parts.expressions.converted(value, S32).text};"]
        return [f"{target.name} = {value.text};"]

    # -- memory -----------------------------------------------------------------------------------------------------

    def _store(self) -> Text:
        array = self._parts.choices.pick(("out", "out", "wide", "bytes"))
        place = self._parts.around.output(array, self._parts.choices.below(4))
        operator = self._parts.choices.pick(("=", "=", "+=", "^=")) if array == "wide" else "="
        return [f"{place} {operator} {self._parts.value().text};"]

    def _store_cell(self) -> Text:
        place = self._parts.cell()
        if self._parts.choices.chance(3):
            return [f"{place} ^= {self._parts.as_int()};"]
        return [f"{place} = {self._parts.as_int()};"]

    def _swap(self) -> Text:
        left, right = self._parts.cell(), self._parts.cell()
        choice = self._parts.choices.below(3)
        name = f"held{self._parts.statement.name}"
        if choice == 0:
            name = self._parts.around.declare(name)
            self._parts.around.add_constant(name, S32, S32.low, S32.high)
            return [f"const int {name} = {left};", f"{left} = {right};", f"{right} = {name};"]
        exchange = (Line(f"const int {name} = {left};"), Line(f"{left} = {right};"), Line(f"{right} = {name};"))
        condition = f"{left} {self._parts.choices.pick(COMPARISONS)} {right}"
        return [Branches(((f"if ({condition})", exchange),))]

    def _element(self) -> Text:
        index = self._parts.expressions.index(self._parts.context, 4, self._parts.context.level, 1)
        return [f"w[{index.text}] = {self._parts.as_int()};"]

    def _tile(self) -> Text:
        if not self._parts.around.own_tiles:
            return self._assign()
        tile = self._parts.choices.pick(self._parts.around.own_tiles)
        return [f"{tile.name}{tile.own} = {self._parts.value().text};"]

    def _number(self) -> Text:
        target = self._parts.choices.pick(self._parts.around.numbers)
        operator = self._parts.choices.pick(("=", "=", "+=", "*="))
        return [f"{target.text} {operator} {self._number_of(target.kind)};"]

    def _number_of(self, kind: FloatKind) -> str:
        return self._parts.numbers.of(self._parts.context, kind, self._parts.context.level).text

    def _number_store(self) -> Text:
        array, kind = self._parts.choices.pick((("fout", FloatKind.FLOAT), ("dout", FloatKind.DOUBLE)))
        place = self._parts.around.output(array, self._parts.choices.below(4))
        return [f"{place} = {self._number_of(kind)};"]

    # -- calls and macros -------------------------------------------------------------------------------------------

    def _call(self) -> Text:
        target = self._parts.target()
        assert target is not None
        return [
            f"{target.name} = {self._parts.choices.pick(FUNCTIONS)}({self._parts.as_int()}, {self._parts.as_int()});"
        ]

    def _call_by_pointer(self) -> Text:
        function = self._parts.choices.pick(POINTER_FUNCTIONS)
        target = self._parts.target(_INTS)
        place = self._parts.cell() if target is None or not self._parts.choices.chance(3) else target.name
        return [f"{function}(&{place}, {self._parts.as_int()});"]

    def _macro(self) -> Text:
        if self._parts.choices.chance(2):
            target = self._parts.target(_UNSIGNED)
            if target is not None:
                value = self._parts.expressions.converted(self._parts.value(), target.kind).text
                return [self._parts.choices.pick(("RAISE({}, {});", "{} = TWICE({});")).format(target.name, value)]
        place = (
            self._parts.cell()
            if self._parts.choices.chance(2)
            else self._parts.around.output("out", self._parts.choices.below(4))
        )
        return [f"PUT({place}, {self._parts.as_int()});"]

    # -- what melders refuse or treat with care -----------------------------------------------------------------------

    def _total(self) -> Text:
        value = self._parts.value()
        if self._parts.choices.chance(2):
            return [f"atomicMax(&peaks[t & 7], {self._parts.expressions.converted(value, S32).text});"]
        return [f"atomicAdd(&sums[{self._parts.small()} & 7], {self._parts.expressions.converted(value, U32).text});"]

    def _own_atomic(self) -> Text:
        index = self._parts.expressions.index(self._parts.context, CELLS, self._parts.context.level, 1)
        function = self._parts.choices.pick(("atomicAdd", "atomicExch", "atomicMax"))
        call = f"{function}(&{self._parts.around.own_cell(index.text)}, {self._parts.as_int()})"
        target = self._parts.target(_INTS)
        return [f"{call};" if target is None or self._parts.choices.chance(2) else f"{target.name} = {call};"]

    def _volatile(self) -> Text:
        target = self._parts.target()
        assert target is not None
        return [
            f"watched[i] = {self._parts.as_int()};" if self._parts.choices.chance(2) else f"{target.name} = watched[i];"
        ]

    def _exchange(self) -> Text:
        mask, target = self._parts.inside.arm.mask, self._parts.target(_INTS)
        if not mask or self._parts.inside.alone or target is None:
            return self._assign()
        self._parts.features.add("exchange in an arm")
        return [f"{target.name} = __shfl_sync({mask}, {self._parts.as_int()}, __ffs({mask}) - 1);"]

    def _leave(self) -> Text:
        ways = ["break;"] * self._parts.inside.breaks + ["continue;"] * self._parts.inside.continues
        if not ways:
            return self._assign()
        way = self._parts.choices.pick(ways)
        self._parts.features.add(way.rstrip(";"))
        condition, _ = self._parts.expressions.condition(self._parts.context)
        return [Branches(((f"if ({condition})", (Line(way, self._parts.statement.comment),)),))]

    def _return(self) -> Text:
        if not self._parts.inside.arm.may_return:
            return self._assign()
        self._parts.around.returned = True
        place = self._parts.around.output("out", self._parts.choices.below(4))
        lines = (Line(f"{place} = {self._parts.as_int()};"), Line("return;"))
        if self._parts.choices.chance(2):
            return list(lines)
        condition, _ = self._parts.expressions.condition(self._parts.context)
        return [Branches(((f"if ({condition})", lines),))]

    def _empty(self) -> Text:
        return [";"]
