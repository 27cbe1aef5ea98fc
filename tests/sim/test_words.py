"""Several small integers in one word, against their definitions on Python's integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.sim.running import run

A = np.random.default_rng(1).integers(0, 1 << 32, 64, dtype=np.uint64).astype(np.uint32)
B = np.random.default_rng(2).integers(0, 1 << 32, 64, dtype=np.uint64).astype(np.uint32)
A[:4], B[:4] = [0x80808080, 0x7F7F7F7F, 0, 0x80008000], [0x01010101, 0xFFFFFFFF, 0xFFFFFFFF, 0x80008000]

_Lane = Callable[[int, int], int]


def lanes(word: int, bits: int, signed: bool) -> list[int]:
    parts = [word >> at & ((1 << bits) - 1) for at in range(0, 32, bits)]
    return [part - (1 << bits) if signed and part >> (bits - 1) else part for part in parts]


def each(function: _Lane, bits: int, signed: bool) -> list[int]:
    found: list[int] = []
    for a, b in zip(A.tolist(), B.tolist(), strict=True):
        parts = [function(x, y) for x, y in zip(lanes(a, bits, signed), lanes(b, bits, signed), strict=True)]
        found.append(sum((part & ((1 << bits) - 1)) << index * bits for index, part in enumerate(parts)))
    return found


def computed(expression: str) -> NDArray[np.uint32]:
    text = f"""__global__ void k(const unsigned *x, const unsigned *y, unsigned *out) {{
        int i = threadIdx.x; unsigned a = x[i], b = y[i], r = 0; {expression}; out[i] = r; }}"""
    found = run(text, {"x": A, "y": B, "out": np.zeros(64, np.uint32)}, block=64)
    assert found.faults == ()
    return found.arrays["out"]


_TAKEN = "bool h, l; {}; r = (h ? 0x10000u : 0) | l"
FUNCTIONS: dict[str, tuple[_Lane, int, bool]] = {
    "bool h, l; r = __vibmax_s16x2(a, b, &h, &l)": (max, 16, True),
    "bool h, l; r = __vibmin_u16x2(a, b, &h, &l)": (min, 16, False),
    _TAKEN.format("__vibmax_s16x2(a, b, &h, &l)"): (lambda x, y: int(x >= y), 16, True),
    _TAKEN.format("__vibmin_s16x2(a, b, &h, &l)"): (lambda x, y: int(x <= y), 16, True),
    _TAKEN.format("__vibmax_u16x2(a, b, &h, &l)"): (lambda x, y: int(x >= y), 16, False),
    "r = __vadd4(a, b)": (lambda x, y: x + y, 8, False),
    "r = __vsub2(a, b)": (lambda x, y: x - y, 16, False),
    "r = __vaddss4(a, b)": (lambda x, y: max(-128, min(127, x + y)), 8, True),
    "r = __vaddus2(a, b)": (lambda x, y: min(65535, x + y), 16, False),
    "r = __vsubus4(a, b)": (lambda x, y: max(0, x - y), 8, False),
    "r = __vabsdiffu4(a, b)": (lambda x, y: abs(x - y), 8, False),
    "r = __vabsdiffs2(a, b)": (lambda x, y: abs(x - y), 16, True),
    "r = __vavgu4(a, b)": (lambda x, y: (x + y + 1) >> 1, 8, False),
    "r = __vavgs2(a, b)": (lambda x, y: (x + y + (x + y >= 0)) >> 1, 16, True),
    "r = __vhaddu4(a, b)": (lambda x, y: (x + y) >> 1, 8, False),
    "r = __vmaxs4(a, b)": (max, 8, True),
    "r = __vminu2(a, b)": (min, 16, False),
    "r = __vcmpgtu4(a, b)": (lambda x, y: 255 if x > y else 0, 8, False),
    "r = __vcmpeq2(a, b)": (lambda x, y: 65535 if x == y else 0, 16, False),
    "r = __vsetles4(a, b)": (lambda x, y: int(x <= y), 8, True),
    "r = __vabsss4(a)": (lambda x, _: min(127, abs(x)), 8, True),
    "r = __vneg2(a)": (lambda x, _: -x, 16, True),
    "r = __vimax3_s16x2(a, b, a)": (max, 16, True),
    "r = __vimin_s16x2_relu(a, b)": (lambda x, y: max(0, min(x, y)), 16, True),
    'asm("vabsdiff4.u32.u32.u32 %0, %1, %2, 0;" : "=r"(r) : "r"(a), "r"(b))': (lambda x, y: abs(x - y), 8, False),
    'asm("vmin2.s32.s32.s32 %0, %1, %2, 0;" : "=r"(r) : "r"(a), "r"(b))': (min, 16, True),
}


@pytest.mark.parametrize("expression", FUNCTIONS)
def test_lanes_of_a_word(expression: str) -> None:
    assert computed(expression).tolist() == each(*FUNCTIONS[expression])


@pytest.mark.parametrize(
    "expression",
    [
        "r = 5 + __vsadu4(a, b)",
        'asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(5))',
    ],
)
def test_the_sum_of_the_distances(expression: str) -> None:
    pairs = zip(A.tolist(), B.tolist(), strict=True)
    expected = [
        5 + sum(abs(x - y) for x, y in zip(lanes(a, 8, False), lanes(b, 8, False), strict=True)) for a, b in pairs
    ]
    assert computed(expression).tolist() == expected
