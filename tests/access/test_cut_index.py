"""Indices that are cut to a power of two, against all values that the number nobody knows can have."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from analysis.access.model import AccessPattern
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from tests.access.test_accesses import UNKNOWN, accesses_of, check

KERNEL = """
__global__ void k(TYPE *out, int n, const int *data) {
  __shared__ TYPE s[1024];
  int t = threadIdx.x, u = threadIdx.y;
  TYPE sum = 0;
  for (int j = 0; j < n; j++) sum += s[INDEX];
  out[t] = sum;
}
"""


def _ways(index: str, launch: LaunchKnowledge = UNKNOWN, type_: str = "float") -> int | None:
    found = accesses_of(KERNEL.replace("INDEX", index).replace("TYPE", type_), launch)
    request = next(access.request for access in found if access.space.value == "shared")
    return None if request is None or not request.is_exact else request.bank_ways


@pytest.mark.parametrize(
    ("index", "ways"),
    [
        ("(t + j) & 1023", 1),
        ("(2 * t + j) & 1023", 2),
        ("(4 * t + j) & 1023", 4),
        ("1023 & (j + 8 * t)", 8),
        ("(8 * t + (j & 255)) % 1024", 8),
        ("(8 * t + j) % 1024u", 8),
        ("(32 * t + j) & 1023", 32),
        ("(64 * t + j) & 1023", 16),  # two lanes meet in each word
        ("(1024 * t + j) & 1023", 1),  # all do
        ("(t + j) & 31", 1),
        ("32 * t + ((t + j) & 31)", 1),  # a swizzled column
        ("32 * t + (j & 31)", 32),
        ("32 * u + ((t + j) & 31)", 1),
        ("32 * (31 - t) + ((2 * t + n) & 31)", 2),
    ],
)
def test_the_ways_of_a_conflict(index: str, ways: int) -> None:
    shape = LaunchKnowledge((BlockShape(32, 4, 1),))
    assert _ways(index, shape) == ways
    if "u" not in index.replace("1024u", ""):
        assert _ways(index) == ways  # whatever the shape: a warp lies in a row


@pytest.mark.parametrize(
    "index",
    [
        "(8 * t - j) % 1024",  # of a negative number the remainder is negative
        "(t + j) & 15",  # 16 words are not all banks
        "(t + j) & 1021",
        "(t + j) % 1000",
        "(data[t] + j) & 1023",
        "16 * t + ((t + j) & 31)",  # what wraps for one lane and not for its neighbour counts
        "((t + j) & 31) + ((t + n) & 31)",
        "((t + j) & 63) / 2",
    ],
)
def test_what_is_not_known(index: str) -> None:
    assert _ways(index) is None


def test_elements_that_share_a_word_do_so_for_some_numbers_only() -> None:
    assert _ways("(t + j) & 1023", type_="short") is None
    assert _ways("(2 * t + j) & 1023", type_="double") == 2


def test_sectors_of_memory_depend_on_the_number() -> None:
    (access, *_) = check("""
__global__ void k(const float *x, float *y, int j) {
  float v = x[(8 * threadIdx.x + j) & 1023];  //@ global stride - unknown
  y[threadIdx.x] = v;
}
""")
    assert access.pattern is AccessPattern.UNKNOWN


@pytest.mark.parametrize("seed", range(60))
def test_the_count_holds_for_every_number(seed: int) -> None:
    draw = random.Random(seed)
    bits, row = draw.randint(5, 10), 1 << draw.randint(5, 10)
    x, y, over = draw.randint(-9, 70), draw.randint(0, 40), draw.choice([0, 0, 1, 2, 5])
    shape = draw.choice([(32, 4), (16, 16), (8, 8), (64, 2), (7, 9)])
    width = {"float": 4, "double": 8}
    type_ = draw.choice(list(width))
    period = 1 << bits
    index = f"{over * max(row, period)} * t + (({x} * t + {y} * u + j) & {period - 1})"
    claimed = _ways(index, LaunchKnowledge((BlockShape(*shape, 1),)), type_)
    for j in [draw.randrange(5000) for _ in range(20)]:
        threads = [(thread % shape[0], thread // shape[0]) for thread in range(shape[0] * shape[1])]
        indices = [over * max(row, period) * t + ((x * t + y * u + j) & (period - 1)) for t, u in threads]
        addresses = [width[type_] * index for index in indices]
        assert claimed == max(
            _passes(addresses[start : start + size], width[type_])
            for size in [32 * 4 // width[type_]]
            for warp in range(0, len(addresses), 32)
            for start in range(warp, min(warp + 32, len(addresses)), size)
        )


def _passes(addresses: list[int], width: int) -> int:
    words = {address // 4 + word for address in addresses for word in range(width // 4)}
    return max(Counter(word % 32 for word in words).values())
