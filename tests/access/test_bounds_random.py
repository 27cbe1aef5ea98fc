"""Random nests of loops over a shared array: what is said to miss the array does, thread by thread."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, final

from hypothesis import event, given, settings
from hypothesis import strategies as st

from analysis.access.analysis import analyze_accesses
from analysis.affine.analysis import analyze_affine
from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.graph.control_flow import ControlFlow
from analysis.memory.spaces import infer_spaces
from tests.sim.running import kernel_of

COMPARISONS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "!=": operator.ne,
}
MAX_ROUNDS: Final = 300


@final
@dataclass(frozen=True)
class Loop:
    """`for (int j = start + scale * t; j comparison end; j += step)`, or the same with the test at the end."""

    start: int
    scale: int
    comparison: str
    end: int
    step: int
    is_tested_last: bool

    def text(self, name: str, body: str) -> str:
        first, test = f"int {name} = {self.start} + {self.scale} * t;", f"{name} {self.comparison} {self.end}"
        if self.is_tested_last:
            return f"{first} do {{ {body} {name} += {self.step}; }} while ({test});"
        return f"{first} for (; {test}; {name} += {self.step}) {{ {body} }}"

    def values(self, thread: int) -> list[int] | None:
        """Of the counter in each round; None for a loop that does not end soon."""
        goes_on = COMPARISONS[self.comparison]
        found: list[int] = []
        counter = self.start + self.scale * thread
        while (self.is_tested_last and not found) or goes_on(counter, self.end):
            found.append(counter)
            counter += self.step
            if len(found) > MAX_ROUNDS:
                return None
        return found


def loops() -> st.SearchStrategy[Loop]:
    small = st.integers(-3, 12)
    return st.builds(
        Loop,
        small,
        st.sampled_from([0, 0, 1, 2]),
        st.sampled_from(sorted(COMPARISONS)),
        st.integers(-3, 40),
        st.sampled_from([1, 2, 3, 8, -1, -2]),
        st.booleans(),
    )


@given(outer=loops(), inner=loops(), offset=st.integers(-2, 30), block=st.sampled_from([8, 32, 33]))
@settings(max_examples=150)
def test_threads_that_are_said_to_miss_the_array_do(outer: Loop, inner: Loop, offset: int, block: int) -> None:
    nest = outer.text("a", inner.text("b", f"s[t + a + 2 * b + {offset}] = 1;"))
    kernel = kernel_of(
        f"__global__ void k(int *p) {{ __shared__ int s[64]; int t = threadIdx.x; {nest} p[t] = s[t % 64]; }}"
    )
    control = ControlFlow.of(kernel.function)
    divergence = analyze_divergence(kernel.function, control, LaunchKnowledge((BlockShape(block, 1, 1),)))
    affine = analyze_affine(kernel.function, control, divergence)
    accesses = analyze_accesses(kernel.function, control, divergence, infer_spaces(kernel.function, control), affine)
    told = [access.outside for access in accesses if access.outside is not None]
    event(f"{len(told)} told")
    if not told:
        return
    (found,) = told
    missing: list[int] = []
    unknown: list[int] = []
    for thread in range(block):
        rounds = outer.values(thread), inner.values(thread)
        if rounds[0] is None or (rounds[0] and rounds[1] is None):
            unknown.append(thread)
        elif any(not 0 <= thread + a + 2 * b + offset < 64 for a in rounds[0] for b in rounds[1] or ()):
            missing.append(thread)
    assert not unknown
    assert (found.first, found.last, found.count) == (missing[0], missing[-1], len(missing))
