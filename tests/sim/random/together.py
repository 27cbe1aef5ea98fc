"""What groups of threads do together: barriers, shared memory that changes hands, exchanges within warps; and what a
thread does alone in memory that it owns or adds to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import final

from analysis.divergence.levels import Level
from tests.sim.random.choices import Choices
from tests.sim.random.expressions import Expressions
from tests.sim.random.lines import Lines
from tests.sim.random.scope import S32, U32, U64, Added, Context, Expression, FloatKind, IntegerKind, Memory, Scope

IDENTITIES = {"atomicAdd": "0", "atomicMin": "100", "atomicMax": "-100", "atomicOr": "0", "atomicXor": "5"}
"""Operations on shared arrays, with what the elements start from."""
Body = Callable[[Context], None]


def _nothing(context: Context) -> None: ...


@final
class Together:
    def __init__(
        self,
        choices: Choices,
        scope: Scope,
        expressions: Expressions,
        lines: Lines,
        outputs: tuple[Memory, ...],
        totals: tuple[tuple[Memory, str], ...],
    ) -> None:
        """`outputs`: global arrays with `own` elements; `totals`: others, with the operation that adds to each."""
        self._choices = choices
        self._scope = scope
        self._expressions = expressions
        self._lines = lines
        self._outputs = outputs
        self._totals = totals

    def something(self, context: Context, body: Body) -> None:
        """The widest thing that the place allows, or a narrower one."""
        choices = self._choices
        if self._scope.warp_functions and context.level <= Level.WARP and choices.chance(5):
            self._call_function(context)
        elif context.level <= Level.BLOCK and choices.below(3) < 2:
            choices.pick((self._window, self._reduction, self._window, self._histogram, self._barrier))(context, body)
        elif context.level <= Level.WARP and self._scope.warp_size <= 32:  # masks have 32 bits
            if self._scope.numbers and choices.chance(4):
                self._shuffle_number(context)
                return
            choices.pick(
                (
                    self._shuffle,
                    self._vote,
                    self._shuffle,
                    self._vote,
                    self._match,
                    self._warp_reduce,
                    self._partial,
                    self._warp_window,
                    self._warp_barrier,
                )
            )(context, body)
        else:
            self.own_memory(context)

    # -- blocks -----------------------------------------------------------------------------------------------------

    def _barrier(self, context: Context, body: Body) -> None:
        self._lines.add("__syncthreads();")

    def _reduction(self, context: Context, body: Body) -> None:
        self._scope.features.add("barrier reduction")
        condition, _ = self._expressions.condition(context)
        name = self._choices.pick(("count", "and", "or"))
        text = f"__syncthreads_{name}{condition}"
        if name != "count":
            text = f"({text} != 0)"
        self._give(context, text, Level.BLOCK)

    def _window(self, context: Context, body: Body) -> None:
        """Everybody writes its own element, then all read all."""
        if not context.own_shared:
            self._lines.add("__syncthreads();")
            return
        self._scope.features.add("shared")
        array = self._choices.pick(context.own_shared)
        self._lines.add(f"{array.name}{array.own} = {self._expressions.value(context).text};")
        self._read_by_all(context, array, body)

    def _read_by_all(self, context: Context, array: Memory, body: Body) -> None:
        own = tuple(one for one in context.own_shared if one != array)
        inside = replace(context.closed(), own_shared=own, readable=(*context.readable, array), depth=context.depth + 1)
        self._lines.add("__syncthreads();")
        body(inside)
        self._lines.add("__syncthreads();")

    def _histogram(self, context: Context, body: Body) -> None:
        """Everybody adds to any element, then all read all."""
        arrays = [one for one in context.own_shared if one.kind in (S32, U32)]
        if not arrays:
            self._lines.add("__syncthreads();")
            return
        self._scope.features.add("shared atomics")
        array = self._choices.pick(arrays)
        function = self._choices.pick(tuple(IDENTITIES))
        self._lines.add(f"{array.name}{array.own} = {IDENTITIES[function]};")
        self._lines.add("__syncthreads();")
        own = tuple(one for one in context.own_shared if one != array)
        added = (*context.added, Added(array, function))
        inside = replace(context.closed(), own_shared=own, added=added, depth=context.depth + 1)
        self._add_to(inside, Added(array, function))
        body(inside)
        self._read_by_all(context, array, body)

    # -- warps ------------------------------------------------------------------------------------------------------

    def _give(self, context: Context, text: str, level: Level) -> None:
        """To a variable that may hold what agrees within `level` only."""
        targets = [one for one in self._scope.variables if one.level >= max(level, context.level)]
        target = self._choices.pick(targets)
        self._lines.add(f"{target.name} = ({target.kind.name}){text};")

    def _call(self, name: str, arguments: str) -> str:
        """An operation of the whole warp."""
        self._scope.features.add(name.strip("_").split("_")[0])
        return f"{name}_sync({self._full}, {arguments})"

    @property
    def _full(self) -> str:
        return f"0x{(1 << self._scope.warp_size) - 1:x}u"

    def _exchanged(self, context: Context) -> Expression:
        value = self._expressions.value(context)
        kinds: tuple[IntegerKind, ...] = (S32, U32, U64)
        return self._expressions.converted(value, self._choices.pick(kinds))

    def _shuffle(self, context: Context, body: Body) -> None:
        value = self._exchanged(context)
        text, level = self._shuffled(context, value, self._scope.warp_size)
        self._give(context, text, level)

    def _shuffled(self, context: Context, value: Expression, width: int) -> tuple[str, Level]:
        """Among lanes that all exist: below the last in a part of a warp only the lanes before a lane surely do."""
        choices, expressions = self._choices, self._expressions
        is_whole = self._scope.has_whole_warps
        pick = choices.below(4 if is_whole else 2)
        if pick == 0:
            return self._call("__shfl_up", f"{value.text}, {choices.between(1, width)}"), Level.VARYING
        if pick == 1:
            if is_whole:
                source = expressions.limited(
                    expressions.value(context, choices.pick((Level.WARP, Level.VARYING))), width
                )
            else:
                source = expressions.number(0)
            return self._call("__shfl", f"{value.text}, {source.text}"), max(Level.WARP, source.level)
        if pick == 2:
            return self._call("__shfl_xor", f"{value.text}, {choices.between(1, width - 1)}"), Level.VARYING
        return self._call("__shfl_down", f"{value.text}, {choices.between(1, width)}"), Level.VARYING

    def exchange(self, context: Context) -> None:
        """Within a warp of which all lanes are here, without memory."""
        ways = (self._shuffle, self._vote, self._match, self._warp_reduce, self._warp_barrier)
        self._choices.pick(ways)(context, _nothing)

    def _call_function(self, context: Context) -> None:
        """That exchanges values itself."""
        self._scope.features.add("exchange in a function")
        name = self._choices.pick(self._scope.warp_functions)
        left, right = (self._expressions.converted(self._expressions.value(context), S32) for _ in range(2))
        self._give(context, f"{name}({left.text}, {right.text})", Level.VARYING)

    def _shuffle_number(self, context: Context) -> None:
        targets = [one for one in self._scope.numbers if one.level is Level.VARYING and one.kind is not FloatKind.HALF]
        if not targets:
            return
        target, source = self._choices.pick(targets), self._choices.pick(targets)
        self._scope.features.add("exchange of numbers")
        name = self._choices.pick(("__shfl_up", "__shfl_xor" if self._scope.has_whole_warps else "__shfl_up"))
        distance = self._choices.between(1, self._scope.warp_size - 1)
        self._lines.add(f"{target.text} = ({target.kind.value}){self._call(name, f'{source.text}, {distance}')};")

    def _vote(self, context: Context, body: Body) -> None:
        condition, _ = self._expressions.condition(context)
        name = self._choices.pick(("__ballot", "__any", "__all"))
        text = self._call(name, condition)
        self._give(context, text if name == "__ballot" else f"({text} != 0)", Level.WARP)

    def _match(self, context: Context, body: Body) -> None:
        value = self._expressions.combined("&", self._exchanged(context), self._expressions.number(3))
        if self._choices.chance(2):
            flag = self._lines.fresh("all")
            self._lines.declare(f"int {flag} = 0;")
            self._give(context, self._call("__match_all", f"{value.text}, &{flag}"), Level.WARP)
            self._give(context, f"({flag} != 0)", Level.WARP)
        else:
            self._give(context, self._call("__match_any", value.text), Level.VARYING)

    def _warp_reduce(self, context: Context, body: Body) -> None:
        name = self._choices.pick(("add", "min", "max", "and", "or", "xor"))
        value = self._expressions.value(context)
        signed = name in ("min", "max") and self._choices.chance(2)
        value = self._expressions.converted(value, S32 if signed else U32)
        self._give(context, self._call(f"__reduce_{name}", value.text), Level.WARP)

    def _warp_barrier(self, context: Context, body: Body) -> None:
        self._scope.features.add("syncwarp")
        self._lines.add("__syncwarp();")

    def _partial(self, context: Context, body: Body) -> None:
        """The first lanes of the warp among themselves, with a mask that names just them."""
        self._scope.features.add("partial mask")
        lanes = self._scope.warp_size // 2
        mask = f"0x{(1 << lanes) - 1:x}u"
        value = self._exchanged(context)
        alone = [one for one in self._scope.variables if one.level is Level.VARYING]
        target = self._choices.pick(alone)
        pick = self._choices.below(4 if self._scope.has_whole_warps else 3)
        text = (
            f"__shfl_up_sync({mask}, {value.text}, 1)",
            f"__ballot_sync({mask}, {value.text} & 1)",
            f"__reduce_max_sync({mask}, {self._expressions.converted(value, U32).text})",
            f"__shfl_xor_sync({mask}, {value.text}, {self._choices.between(1, lanes - 1)})",
        )[pick]
        self._lines.open(f"if (lane < {lanes})")
        self._lines.add(f"{target.name} = ({target.kind.name}){text};")
        if self._choices.chance(2):
            self._lines.add(f"__syncwarp({mask});")
        self._lines.close()

    def _warp_window(self, context: Context, body: Body) -> None:
        """Lanes read each other's elements of shared memory between barriers of the warp."""
        arrays = [one for one in context.own_shared if one.own == "[t]"]
        if not arrays:
            self._lines.add("__syncwarp();")
            return
        self._scope.features.add("shared memory of a warp")
        array = self._choices.pick(arrays)
        expressions = self._expressions
        self._lines.add(f"{array.name}[t] = {expressions.value(context).text};")
        self._lines.add("__syncwarp();")
        other = expressions.limited(expressions.value(context), self._scope.warp_size)
        index = f"t - lane + (int){other.text}"
        if not self._scope.has_whole_warps:
            index = f"min({index}, {self._scope.threads - 1})"
        self._give(context, f"{array.name}[{index}]", Level.VARYING)
        self._lines.add("__syncwarp();")

    # -- one thread -------------------------------------------------------------------------------------------------

    def own_memory(self, context: Context) -> None:
        choices = self._choices
        pick = choices.below(8)
        if pick < 3 and context.own_shared:
            array = choices.pick(context.own_shared)
            self._use(context, f"{array.name}{array.own}", array.kind)
        elif pick == 3 and context.added:
            self._add_to(context, choices.pick(context.added))
        elif pick == 4:
            memory, function = choices.pick(self._totals)
            self._scope.features.add("global atomics")
            self._add_to(context, Added(memory, function))
        else:
            output = choices.pick(self._outputs)
            self._use(context, f"{output.name}{output.own.replace('#', str(choices.below(4)))}", output.kind)

    def _add_to(self, context: Context, added: Added) -> None:
        place, _ = self._expressions.element(context, added.memory)
        value = self._expressions.converted(self._expressions.value(context), added.memory.kind)
        self._lines.add(f"{added.function}(&{place}, {value.text});")

    def _use(self, context: Context, place: str, kind: IntegerKind) -> None:
        """An element that nobody else touches."""
        choices, expressions = self._choices, self._expressions
        value = expressions.value(context)
        pick = choices.below(4)
        if pick == 0:
            self._lines.add(f"{place} = {value.text};")
        elif pick == 1:
            self._give(context, place, Level.VARYING)
        elif pick == 2 or kind not in (S32, U32, U64):
            total = expressions.combined("+", Expression.read(place, kind, Level.VARYING), value)
            self._lines.add(f"{place} = {total.text};")
        else:
            self._scope.features.add("atomics with results")
            value = expressions.converted(value, kind)
            other = expressions.converted(expressions.leaf(context, Level.VARYING), kind)
            call = choices.pick(
                (
                    f"atomicAdd(&{place}, {value.text})",
                    f"atomicExch(&{place}, {value.text})",
                    f"atomicCAS(&{place}, {other.text}, {value.text})",
                    f"atomicMax(&{place}, {value.text})",
                )
            )
            self._give(context, call, Level.VARYING)
