"""Do all varying terms of a difference cancel?  `for (i = first[tid]; i < first[tid] + n; i += m)`.

Rules     Both sides are taken apart along sums.  A counter of the loop around is its start, if the one way back adds
          what agrees in the warp: the start is defined before the loop, so inside it means one number all the time.
Contract  No warp splits at a comparison of such sides.
Assumes   that no sum wraps (`docs/limitations.md`).
Gives up  behind the loop, where threads bring the counter from different rounds; at floating-point numbers, which may
          differ from themselves; after `MAX_LOOKS` values.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Phi
from analysis.ir.operators import BinaryOperator
from analysis.ir.types import IntegerType

MAX_LOOKS: Final = 100


@final
class Cancelling:
    def __init__(self, control: ControlFlow, divergence: DivergenceResult) -> None:
        self._types = divergence.function.types
        self._control = control
        self._divergence = divergence
        self._looks = 0

    def agrees(self, left: ValueId, right: ValueId, block: BasicBlockId) -> bool:
        """Whether all that varies in a warp cancels in `left - right`, where `block` reads both."""
        if not isinstance(self._types[left], IntegerType):
            return False
        self._looks = 0
        terms = self._terms(left, block)
        terms.subtract(self._terms(right, block))
        return not any(terms.values())

    def _terms(self, value: ValueId, block: BasicBlockId) -> Counter[ValueId]:
        """The terms of a sum that vary in a warp, each with its factor."""
        self._looks += 1
        if self._looks > MAX_LOOKS:
            return Counter({value: 1})
        if self._divergence.use_level(value, block) <= Level.WARP:
            return Counter()
        match self._divergence.definition(value):
            case Binary(operator=BinaryOperator.ADD | BinaryOperator.SUBTRACT as operator, left=left, right=right):
                terms = self._terms(left, block)
                combine = terms.update if operator is BinaryOperator.ADD else terms.subtract
                combine(self._terms(right, block))
                return terms
            case Phi() as phi if (start := self._start(phi, block)) is not None:
                return self._terms(start, block)
            case _:
                return Counter({value: 1})

    def _start(self, phi: Phi, block: BasicBlockId) -> ValueId | None:
        """What the loop around `block` counts from with `phi`, if every round adds what agrees in the warp."""
        home = self._divergence.home(phi.result)
        cycle = self._control.innermost_cycle(home)
        if cycle is None or cycle.header != home or block not in cycle.blocks or not cycle.reducible:
            return None
        back = {value for source, value in phi.incoming if source in cycle.blocks}
        starts = {value for source, value in phi.incoming if source not in cycle.blocks}
        if len(starts) != 1 or len(back) != 1 or not self._is_step(back.pop(), phi.result):
            return None
        return starts.pop()

    def _is_step(self, value: ValueId, phi: ValueId) -> bool:
        """Whether `value` is `phi` plus or minus something that agrees in the warp."""
        match self._divergence.definition(value):
            case Binary(operator=BinaryOperator.ADD | BinaryOperator.SUBTRACT as operator, left=left, right=right):
                if left != phi and operator is BinaryOperator.ADD:
                    left, right = right, left
                return left == phi and self._divergence.use_level(right, self._divergence.home(value)) <= Level.WARP
            case _:
                return False
