"""`python -m tests.projects.products COUNT SEED`: launches whose grid is made of a product, held against what they do.

Kernels take the two factors apart.  What is known of their product, and all that follows from it, is compared with runs
from each launch that a host function makes, for factors that fill the last block, leave it nearly empty, are 0, below 0
or too large for an integer; a host function is text and beside it what it launches.
"""
# ruff: noqa: E501 -- each text of a program stands on one line

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias, final

import numpy as np

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.ir.launch_relation import is_related
from benchmarks.claims.observer import ClaimObserver
from benchmarks.claims.subject import analyze_subject
from sim.kernel import load_kernel
from sim.policies.registry import POLICIES
from sim.simulate import simulate
from sim.specification import Array, Budget, LaunchSpecification, Scalar
from tests.sim.random.choices import Choices, Seeded
from tests.support.project_analysis import analyzed

Launched: TypeAlias = tuple[int, int, int, int]
"""Blocks, threads of each, and both factors as the kernel gets them."""
Happens: TypeAlias = Callable[[int, int, int], "Launched"]

_WORD: Final = 1 << 32
_MOST_BLOCKS: Final = 24

HEAD: Final = """\
static int cdiv(int a, int b) { return (a + b - 1) / b; }
static unsigned udiv(unsigned a, unsigned b) { return (a + b - 1) / b; }
template <typename T> T over(T a, T b) { return (a + b - 1) / b; }
"""


def _int(number: int) -> int:
    return (number + _WORD // 2) % _WORD - _WORD // 2


def _quotient(number: int, divisor: int) -> int:
    return number // divisor if number >= 0 else -(-number // divisor)


def _up(w: int, h: int, t: int) -> Launched:
    return _quotient(_int(_int(w * h) + t - 1), t), t, w, h


WAYS: Final[Mapping[str, Happens]] = {
    "k<<<(w * h + T - 1) / T, T>>>(x, w, h);": _up,
    "k<<<(T - 1 + h * w) / T, T>>>(x, w, h);": _up,
    "int n = w * h; k<<<cdiv(n, T), T>>>(x, w, h);": _up,
    "int n = h * w; int g = over(n, T); k<<<g, T>>>(x, w, h);": _up,
    "dim3 b(T); dim3 g((w * h + b.x - 1) / b.x); k<<<g, b>>>(x, w, h);": lambda w, h, t: ((((w * h) % _WORD + t - 1) % _WORD) // t, t, w, h),
    "k<<<(w * h + T - 1) / T, T>>>(x, h, w);": lambda w, h, t: (*_up(w, h, t)[:2], h, w),
    "k<<<w * h / T, T>>>(x, w, h);": lambda w, h, t: (_quotient(_int(w * h), t), t, w, h),
    "k<<<(w * h - 1) / T + 1, T>>>(x, w, h);": lambda w, h, t: (_quotient(_int(_int(w * h) - 1), t) + 1, t, w, h),
    "k<<<w * h / T + (w * h % T != 0), T>>>(x, w, h);": lambda w, h, t: (_quotient(_int(w * h), t) + (_int(w * h) % t != 0), t, w, h),
    "k<<<w * h / T + 1, T>>>(x, w, h);": lambda w, h, t: (_quotient(_int(w * h), t) + 1, t, w, h),
    "k<<<udiv(w * h, T), T>>>(x, w, h);": lambda w, h, t: (((w * h) % _WORD + t - 1) % _WORD // t, t, w, h),
    "k<<<min(cdiv(w * h, T), 3), T>>>(x, w, h);": lambda w, h, t: (min(_up(w, h, t)[0], 3), t, w, h),
    "k<<<(w * w + T - 1) / T, T>>>(x, w, w);": lambda w, h, t: _up(w, w, t),
    # what must not be taken for it
    "int n = w * h; w = 5; k<<<(n + T - 1) / T, T>>>(x, w, h);": lambda w, h, t: (*_up(w, h, t)[:2], 5, h),
    "int g = (w * h + T - 1) / T; h += 9; k<<<g, T>>>(x, w, h);": lambda w, h, t: (*_up(w, h, t)[:2], w, h + 9),
    "if (w > 8) h = 1; int n = w * h; h = 40; k<<<(n + T - 1) / T, T>>>(x, w, h);": lambda w, h, t: (*_up(w, 1 if w > 8 else h, t)[:2], w, 40),
    "k<<<(w * h + T - 1) / T, T>>>(x, w, h + 1);": lambda w, h, t: (*_up(w, h, t)[:2], w, h + 1),
    "k<<<((short)w * h + T - 1) / T, T>>>(x, w, h);": lambda w, h, t: _up(w, h, t),
    "k<<<((unsigned)w * h + T - 1) / T, T>>>(x, w, h);": lambda w, h, t: (((w * h) % _WORD + t - 1) % _WORD // t, t, w, h),
    "k<<<(w * h + T) / T, T>>>(x, w, h);": lambda w, h, t: (_quotient(_int(_int(w * h) + t), t), t, w, h),
    "k<<<(w * h + T - 1) / T, T / 2>>>(x, w, h);": lambda w, h, t: (_up(w, h, t)[0], t // 2, w, h),
    "k<<<(w * h + T - 1) / (T * 2), T>>>(x, w, h);": lambda w, h, t: (_quotient(_int(_int(w * h) + t - 1), 2 * t), t, w, h),
}  # fmt: skip

BODIES: Final = (
    "if (i < w * h) x[i % 64] = i; else x[64 + i % 64] = i;",
    "if (i >= h * w) return; x[i % 64] = i;",
    "if (blockIdx.x * blockDim.x < w * h) { __syncthreads(); x[threadIdx.x] = i; }",
    "int n = w * h; if (n > i) x[i % 64] = n;",
    "if (i < (unsigned)w * h) x[i % 64] = i;",
    "for (int j = i; j < w * h; j += 64) x[j % 64] += j;",
    "if (i % w < w && i / w < h) x[i % 64] = i;",
    "if (i <= w * h - 1) x[i % 64] = i;",
)
SIZES: Final = (0, 1, 2, 3, 5, 7, 8, 12, 16, 31, 32, 64, -1, -7, 1 << 16, 65537)


@final
@dataclass(slots=True)
class Compared:
    failures: list[str] = field(default_factory=list[str])
    checked: Counter[str] = field(default_factory=Counter[str])


def compared(choices: Choices, compared: Compared) -> None:
    """One program: one or two ways to launch one kernel."""
    threads = choices.pick((8, 32, 64))
    body = choices.pick(BODIES)
    ways = [choices.pick(tuple(WAYS)) for _ in range(1 + choices.chance(5))]
    kernel = f"__global__ void k(int *x, int w, int h) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"
    hosts = [f"void go{place}(int *x, int w, int h) {{ {way} }}" for place, way in enumerate(ways)]
    text = "\n".join((f"const int T = {threads};", HEAD, kernel, *hosts, ""))
    analysis = analyzed({"k.cu": text}, "k.cu")
    function = next(one for one in analysis.facts.functions if one.name == "k")
    knowledge = analysis.launch_of(function)
    assert knowledge is not None
    compared.checked["programs"] += 1
    compared.checked["with products"] += bool(knowledge.products)
    loaded = load_kernel(analysis.program, function.id)
    subject = analyze_subject(loaded.function, knowledge)
    for way in ways:
        for made in _made(WAYS[way], threads, choices):
            wrong = list(_wrong(knowledge, made))
            blocks, size, w, h = made
            if "i % w" in body and w == 0:
                continue
            observer = ClaimObserver(subject)
            arguments = {"x": Array(np.zeros(256, np.int32)), "w": Scalar(w), "h": Scalar(h)}
            specification = LaunchSpecification((blocks, 1, 1), (size, 1, 1), arguments, budget=Budget(seconds=60.0))
            found = observer.settle(simulate(loaded, specification, POLICIES["ipdom"], [observer]))
            compared.checked["launches"] += 1
            compared.checked["claims"] += found.checked.total()
            compared.failures += [f"{made}: {one}\n{text}" for one in (*wrong, *found.refutations)]


def _made(way: Happens, threads: int, choices: Choices) -> Iterator[Launched]:
    """Launches that a device makes, of programs whose integers do not overflow."""
    for _ in range(4):
        w, h = choices.pick(SIZES), choices.pick(SIZES)
        blocks, size, left, right = way(w, h, threads)
        is_defined = all(abs(one * other) < _WORD // 2 for one, other in ((w, h), (left, right)))
        if is_defined and 0 < blocks <= _MOST_BLOCKS:
            yield blocks, size, left, right


def _wrong(knowledge: LaunchKnowledge, made: Launched) -> Iterator[str]:
    blocks, size, *factors = made
    for one in knowledge.products:
        left, right = factors[one.left - 1], factors[one.right - 1]
        if not is_related(left * right, one.of_product, (size, 1, 1), (blocks, 1, 1)):
            yield f"{one} does not hold"


def main(count: int, first: int) -> int:
    found = Compared()
    for seed in range(first, first + count):
        before = len(found.failures)
        compared(Choices(Seeded(seed)), found)
        if len(found.failures) > before:
            print(f"seed {seed}: {found.failures[before]}", flush=True)
    print("checked: " + ", ".join(f"{name} {number:,}" for name, number in sorted(found.checked.items())))
    print(f"{count} programs from seed {first}: {len(found.failures)} claims refuted")
    return len(found.failures)


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
