"""Numbers for the scalar arguments that nobody gave: consistent with the grid and with each other.

Rules    In this order, each with what is known so far:
         1. a number that an index of threads is compared with lets all threads pass (`i < n`: n = threads), and go
            round `STRIDES` times where a loop takes that index further (`i += gridDim.x * blockDim.x`);
         2. two numbers whose product is compared so share it (`i < width * height`);
         3. a number that a row index is multiplied with in an address is as large as a row, in what it counts
            (`bytes + y * pitch + 4 * x`), unless it also bounds a loop: if that alone walks along the rows, the loop
            decides (5.), else what threads reach and the loop both; of two such numbers that are open the one of the
            nearer axis comes first;
         4. a number that divides a thread index splits the threads into a square;
         5. a number that bounds a loop gives `TRIPS` iterations;
         6. what a compare-and-swap expects to find is -1 and marks free places, what bounds its index is the size of a
            table with room for two elements per thread, a divisor is 4, a shift 3, what a mask (`x & (n - 1)`) is made
            of 16;
         7. a number that elements of arrays are compared with lies among them;
         8. a number with the name of an extent (`width`, `rows`, `n`, `size`) is that of the grid;
         9. an offset in an address is 0, any other integer 1, a bool true; floats are 0.5, 0.75, 0.875 and so on, what
            is named as a lower end first and an upper end last: no two are equal, as their difference may be asked for;
        10. of two that got the same by 8 or 9 and of which one is subtracted from the other, or should be smaller, that
            one is half as large.
         What bounds the index of an array of fixed length (`if (i < n) s[i] = 0;`) lets it reach the last element, and
         no further.
Limits   Guesses, all listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property
from typing import Final, final

from analysis.inputs.estimate import MAX_TARGET, Estimate, register_ranges
from analysis.inputs.flow import Flow, Leaf, Register
from analysis.inputs.free_places import free_places
from analysis.inputs.number_uses import NumberUses, Row
from analysis.ir.ids import ValueId
from analysis.ir.index3 import Index3
from analysis.ir.operators import CompareOperator, SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import BooleanType, FloatType, IntegerType

TRIPS: Final = 16
STRIDES: Final = 2
"""Elements for each thread where a loop strides over them: with fewer none goes round, and more take longer."""
GEOMETRIC_BOUND: Final = 256
"""Of a loop that doubles or halves its variable: a power of two, as such loops expect."""

NONE_ALIKE: Final[Mapping[str, frozenset[str]]] = {}

_THREADS: Final = frozenset(
    {
        SpecialRegister.THREAD_X,
        SpecialRegister.THREAD_Y,
        SpecialRegister.THREAD_Z,
        SpecialRegister.BLOCK_X,
        SpecialRegister.BLOCK_Y,
        SpecialRegister.BLOCK_Z,
        SpecialRegister.LANE,
    }
)
_ROWS: Final = frozenset(
    {SpecialRegister.THREAD_Y, SpecialRegister.THREAD_Z, SpecialRegister.BLOCK_Y, SpecialRegister.BLOCK_Z}
)
_ANY: Final = "any floating-point number"
_OF_ROW: Final = "the length of a row"
MOST_HALVES: Final = 20
"""More different numbers below 1 would be too near to each other."""
_EQUALITIES: Final = (CompareOperator.EQUAL, CompareOperator.NOT_EQUAL)
_ROW_NAME: Final = re.compile(r"^w$|[a-z_]W$|[wW]idth|[cC]ols?$|[cC]olumns?$|[pP]itch|[sS]tride$")
_COLUMN_NAME: Final = re.compile(r"^h$|[a-z_]H$|[hH]eight|[rR]ows?$")
_LOWER_NAME: Final = re.compile(r"(?:min(?:imum)?|low(?:er)?|left|begin|start|from)$|(?:^|_)lo$")
_UPPER_NAME: Final = re.compile(r"(?:max(?:imum)?|high|upper|right|end|stop)$|(?:^|_)hi$")
"""Of names in small letters."""
_SIZE_NAME: Final = re.compile(
    r"^[nN]$|[sS]ize|[lL]en(?:gth)?$|[cC]ount$|[tT]otal|[eE]lements$|^(?:num|no)[A-Z_]|^n[A-Z]"
)


@final
@record
class ChosenNumber:
    """`is_chosen` where neither the user nor the file says the number; `table` is the length of the table whose indices
    it bounds, `strided` that of the arrays over which a loop strides up to it; 0 for none."""

    value: int | float | bool
    why: str
    is_chosen: bool = True
    table: int = 0
    strided: int = 0


def choose_numbers(
    flow: Flow,
    grid: Index3,
    block: Index3,
    warp_size: int,
    known: Mapping[str, int | float],
    inside: Mapping[str, tuple[float, str]],
    trips: int = TRIPS,
    alike: Mapping[str, frozenset[str]] = NONE_ALIKE,
) -> Mapping[str, ChosenNumber]:
    """A number for every scalar leaf that `known` has none for; loops that nothing else bounds run `trips` times.

    `inside`: numbers among the elements that a leaf is compared with, and the name of those.
    `alike`: others that host code passes the same as a leaf; what is found for one first counts for all.
    """
    return _Choosing(flow, grid, block, warp_size, known, inside, trips, alike).run()


@final
class _Choosing:
    def __init__(
        self,
        flow: Flow,
        grid: Index3,
        block: Index3,
        warp_size: int,
        known: Mapping[str, int | float],
        inside: Mapping[str, tuple[float, str]],
        trips: int,
        alike: Mapping[str, frozenset[str]],
    ) -> None:
        self._flow = flow
        self._inside = inside
        self._trips = trips
        self._alike = alike
        self._row = grid[0] * block[0]
        self._column = max(grid[1] * block[1], TRIPS)
        self._threads = self._row * grid[1] * block[1] * grid[2] * block[2]
        self._numbers: dict[str, int | float] = dict(known)
        self._chosen: dict[str, ChosenNumber] = {}
        self._estimate = Estimate(flow, register_ranges(grid, block, warp_size), self._numbers)
        self._uses = NumberUses(flow)
        self._marks = {mark.name for mark in free_places(flow).values() if isinstance(mark, Leaf)}

    def run(self) -> Mapping[str, ChosenNumber]:
        integers = [name for name, type in self._flow.leaves.items() if isinstance(type, IntegerType)]
        steps = (self._guards, self._shared_guards, self._pitches, self._splits, self._loops, self._far_pitches)
        while any(name not in self._numbers for name in integers):
            if not any(self._take(dict(step())) for step in steps):
                break
        others = [name for name in integers if name not in self._numbers]
        for name in others:
            if name not in self._numbers:
                self._take({name: self._other(name)})
        for name, type in self._flow.leaves.items():
            if isinstance(type, BooleanType) and name not in self._numbers:
                self._chosen[name] = ChosenNumber(True, "nothing depends on its size")
        self._halve(frozenset(others))
        self._floats()
        return self._chosen

    def _halve(self, others: AbstractSet[str]) -> None:
        """Of two numbers that are the same for no reason and of which one should be smaller, that one."""
        for larger, smaller in self._uses.differences:
            number = self._numbers.get(smaller)
            if {larger, smaller} <= others and number == self._numbers.get(larger) and isinstance(number, int):
                if smaller in self._alike.get(larger, ()) or number <= 0:
                    continue
                if number == 1:
                    self._replace(larger, ChosenNumber(2, f"more than {smaller}, which is compared with it"))
                else:
                    self._replace(smaller, ChosenNumber(number // 2, f"less than {larger}, which is compared with it"))

    def _replace(self, name: str, number: ChosenNumber) -> None:
        for one in {name, *self._alike.get(name, ())}:
            self._chosen[one] = number
            self._numbers[one] = number.value

    def _floats(self) -> None:
        """Different ones, rising from lower to upper ends."""
        types = self._flow.leaves.items()
        names = [name for name, type in types if isinstance(type, FloatType) and name not in self._numbers]
        for name in names:
            if name in self._inside:
                number, name_of_data = self._inside[name]
                self._chosen[name] = ChosenNumber(number, f"among the elements of {name_of_data}")
        free = sorted((name for name in names if name not in self._inside), key=_place_in_range)
        for place, name in enumerate(free):
            self._chosen[name] = ChosenNumber(1 - 0.5 ** (1 + min(place, MOST_HALVES)), _ANY)

    def _take(self, found: Mapping[str, ChosenNumber]) -> bool:
        new = {name: number for name, number in found.items() if name not in self._numbers}
        for name, number in new.items():
            self._chosen[name] = number
            self._numbers[name] = number.value
            for other in self._alike.get(name, frozenset()) - self._numbers.keys() - new.keys():
                self._chosen[other] = ChosenNumber(number.value, f"host code passes the same as for {name}")
                self._numbers[other] = number.value
        return bool(new)

    # -- the steps --------------------------------------------------------------------------------------------------

    def _guards(self) -> Iterator[tuple[str, ChosenNumber]]:
        strided = [
            wish
            for index, bound, target, most in self._compared()
            if self._is_thread(index) and (several := self._strided_target(index, target)) > target
            for wish in self._estimate.wishes(bound, min(several, most))
        ]
        once = dict(self._reached_once())
        for name, number in self._largest(iter(strided), "two elements for each thread"):
            if name not in once or number.value > once[name].value:
                once[name] = replace(number, strided=int(number.value))
        yield from once.items()

    def _reached_once(self) -> Iterator[tuple[str, ChosenNumber]]:
        return self._largest(
            (wish for index, bound, target, most in self._compared() if self._is_thread(index)
             for wish in self._estimate.wishes(bound, min(target, most))),
            "as many as threads reach",
        )  # fmt: skip

    def _shared_guards(self) -> Iterator[tuple[str, ChosenNumber]]:
        for index, bound, target, _ in self._compared():
            factors = self._estimate.factors(bound) if self._is_thread(index) else ()
            if len(factors) > 1:
                first = _power_of_two(max(1, round(target ** (1 / len(factors)))))
                return iter(((factors[0], ChosenNumber(first, "a factor of what threads reach")),))
        return iter(())

    def _strided_target(self, index: ValueId, target: int) -> int:
        """What lets a loop whose variable starts with the threads run several times, from what does once."""
        step = self._uses.step(index, self._estimate)
        return target + (min(STRIDES, self._trips) - 1) * step if step > 1 else target

    def _pitches(self) -> Iterator[tuple[str, ChosenNumber]]:
        return self._largest(self._pitch_wishes(is_far=False), _OF_ROW)

    def _far_pitches(self) -> Iterator[tuple[str, ChosenNumber]]:
        return self._largest(self._pitch_wishes(is_far=True), _OF_ROW)

    def _pitch_wishes(self, *, is_far: bool) -> Iterator[tuple[str, int]]:
        """`is_far`: also of rows on which other rows lie whose length is open."""
        walked, counted = self._walked_by_loops(), dict(self._loops())
        for index, pitch in self._uses.products:
            rows = self._uses.rows(index, pitch)
            if self._flow.leaf(index) in self._lengths_of_rows:  # of `r * w` and `y * w` only w is one
                continue
            if not walked.isdisjoint(self._open(pitch)) or not (is_far or self._is_near(index, pitch, rows)):
                continue
            reached = max((self._length(row) for row in rows), default=1)
            loop = counted.get(self._flow.leaf(pitch) or "")
            if loop is not None:
                yield from self._estimate.wishes(pitch, max(reached, min(int(loop.value), self._row)))
            elif reached > 1:
                yield from self._estimate.wishes(pitch, reached)
            elif self._flow.sources(index) & _REGISTERS_OF_ROWS:
                yield from self._estimate.wishes(pitch, self._row)

    @cached_property
    def _lengths_of_rows(self) -> frozenset[str]:
        """Numbers that an index is multiplied with which is no number itself."""
        pairs = ((self._flow.leaf(index), self._flow.leaf(pitch)) for index, pitch in self._uses.products)
        return frozenset(length for index, length in pairs if index is None and length is not None)

    def _is_near(self, index: ValueId, pitch: ValueId, rows: Sequence[Row]) -> bool:
        """Whether nothing of a nearer axis is added whose reach depends on other open numbers."""
        far, own = self._axis(index), self._open(pitch)
        columns = (column for row in rows for column, _ in row.columns)
        return not any(self._open(column) - own and self._axis(column) < far for column in columns)

    def _axis(self, value: ValueId) -> int:
        """0 to 2 for the threads, 3 for what does not depend on them."""
        sources = self._flow.sources(value)
        return max((axis for axis, registers in enumerate(_REGISTERS_BY_AXIS) if sources & registers), default=3)

    def _walked_by_loops(self) -> set[str]:
        """Numbers up to which loops count that no thread index starts, and that are lengths of rows: where no thread
        index walks along these rows that is not multiplied as well."""
        bounds = {
            name
            for index, bound, _, _ in self._compared()
            if (name := self._flow.leaf(bound)) is not None and not self._is_thread(index)
        }
        for index, pitch in self._uses.products:
            factors = {source for source in self._flow.sources(pitch) if isinstance(source, Leaf)}
            columns = {column for row in self._uses.rows(index, pitch) for column, _ in row.columns}
            if any(self._is_thread(one) and factors.isdisjoint(self._flow.sources(one)) for one in columns):
                bounds -= self._open(pitch)
        return bounds

    def _open(self, value: ValueId) -> set[str]:
        """The numbers in a value that are not chosen yet."""
        names = {source.name for source in self._flow.sources(value) if isinstance(source, Leaf)}
        return names - self._numbers.keys()

    def _length(self, row: Row) -> int:
        """What the largest index of the columns asks for, as far as they are known, in what the row is counted in."""
        ranges = [(self._estimate.range(column), size) for column, size in row.columns]
        reached = sum(known.high * size for known, size in ranges if known is not None)
        return -(-(reached + row.accessed) // row.size)

    def _splits(self) -> Iterator[tuple[str, ChosenNumber]]:
        side = _power_of_two(max(2, round(self._threads**0.5)))
        for divided, divisor in self._uses.divisions:
            if self._is_thread(divided):
                for name, number in self._estimate.wishes(divisor, side):
                    yield name, ChosenNumber(max(1, number), "splits the threads into rows")

    def _loops(self) -> Iterator[tuple[str, ChosenNumber]]:
        wishes = [
            wish
            for index, bound, target, most in self._compared()
            if not self._is_thread(index)
            for wish in self._estimate.wishes(bound, min(self._loop_target(index, target), most))
        ]
        yield from self._largest(iter(wishes), f"{self._trips} iterations of a loop")

    def _loop_target(self, index: ValueId, target: int) -> int:
        """What the bound has to be for the wanted number of iterations, from the one for the first."""
        if self._uses.is_geometric(index):
            return GEOMETRIC_BOUND if self._trips == TRIPS else 1 << self._trips
        return target - 1 + self._trips * self._uses.step(index, self._estimate)

    def _other(self, name: str) -> ChosenNumber:
        if name in self._marks:
            return ChosenNumber(self._last(name), "marks free places, as no chosen key does")
        if name in self._uses.tables:
            length = 2 * _power_of_two(self._threads)
            why = "a table with room for every thread"
            return ChosenNumber(length - self._uses.tables[name], why, table=length)
        if name in self._uses.divisors:
            return ChosenNumber(4, "a divisor")
        if name in self._uses.masks:
            return ChosenNumber(16, "a mask is made of it")
        if name in self._uses.shifts:
            return ChosenNumber(3, "a shift")
        if name in self._inside and name not in self._uses.offsets:
            number, name_of_data = self._inside[name]
            return ChosenNumber(round(number), f"among the elements of {name_of_data}")
        extent = self._named_extent(name)
        if extent:
            return ChosenNumber(extent, "the grid's extent, by its name")
        if name in self._uses.offsets:
            return ChosenNumber(0, "an offset in an address")
        return ChosenNumber(1, "nothing depends on its size")

    def _last(self, name: str) -> int:
        """-1, in the type of the number."""
        type = self._flow.leaves[name]
        return (1 << type.bits) - 1 if isinstance(type, IntegerType) and not type.signed else -1

    def _named_extent(self, name: str) -> int:
        """0 for a name that is not one of an extent."""
        last = name.rpartition(".")[2].partition("[")[0]
        if _ROW_NAME.search(last):
            return self._row
        if _COLUMN_NAME.search(last):
            return self._column
        return self._threads if _SIZE_NAME.search(last) else 0

    # -- helpers ----------------------------------------------------------------------------------------------------

    def _largest(self, wishes: Iterator[tuple[str, int]], why: str) -> Iterator[tuple[str, ChosenNumber]]:
        best: dict[str, int] = {}
        for name, number in wishes:
            if name not in self._numbers and number > 0:
                best[name] = max(number, best.get(name, 0))
        for name, number in best.items():
            if name in self._uses.masks and number & (number - 1):
                yield name, ChosenNumber(_power_of_two(number), f"{why}; a power of two, as a mask is made of it")
            else:
                multiple = self._uses.multiples.get(name, 1)
                yield name, ChosenNumber(-(-number // multiple) * multiple, why)

    def _compared(self) -> Iterator[tuple[ValueId, ValueId, int, int]]:
        """Comparisons of an index with a bound that depends on leaves without a number: index, bound, the number that
        lets every known index pass, and the largest that keeps it in arrays of fixed length."""
        for compare, is_exit in self._uses.compares:
            for index, bound in ((compare.left, compare.right), (compare.right, compare.left)):
                if not self._is_open(bound) or self._is_thread(bound):
                    continue
                if compare.operator in _EQUALITIES and not is_exit:
                    continue
                reached = self._estimate.range(index)
                if reached is None or not (is_exit or self._is_thread(index)):
                    continue
                excess = _excess(compare.operator, index == compare.left) * self._uses.unit(index)
                length = self._uses.shortest_array(index)
                yield index, bound, reached.high + excess, MAX_TARGET if length is None else length - 1 + excess

    def _is_open(self, value: ValueId) -> bool:
        return any(
            isinstance(source, Leaf) and source.name not in self._numbers for source in self._flow.sources(value)
        )

    def _is_thread(self, value: ValueId) -> bool:
        return bool(self._flow.sources(value) & _REGISTERS_OF_THREADS)


def _excess(operator: CompareOperator, index_is_left: bool) -> int:
    """By how much a bound exceeds the last index that is meant to pass: 0 for `i <= last` and `i > last`."""
    includes_last = operator in (CompareOperator.LESS_EQUAL, CompareOperator.GREATER)
    if not index_is_left:
        includes_last = operator in (CompareOperator.GREATER_EQUAL, CompareOperator.LESS)
    return 0 if includes_last else 1


def _place_in_range(name: str) -> int:
    """Lower ends come first, upper ends last."""
    small = name.rpartition(".")[2].lower()
    return -1 if _LOWER_NAME.search(small) else 1 if _UPPER_NAME.search(small) else 0


def _power_of_two(number: int) -> int:
    return 1 << (number - 1).bit_length()


_REGISTERS_OF_THREADS: Final = frozenset(Register(register) for register in _THREADS)
_REGISTERS_BY_AXIS: Final = tuple(
    frozenset(map(Register, registers))
    for registers in (
        (SpecialRegister.THREAD_X, SpecialRegister.BLOCK_X, SpecialRegister.LANE),
        (SpecialRegister.THREAD_Y, SpecialRegister.BLOCK_Y),
        (SpecialRegister.THREAD_Z, SpecialRegister.BLOCK_Z),
    )
)
_REGISTERS_OF_ROWS: Final = frozenset(Register(register) for register in _ROWS)
