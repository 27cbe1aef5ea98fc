"""Random index expressions, computed for every thread, must not contradict what is said about their requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.access.model import Access
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from tests.access.test_accesses import accesses_of

Thread = tuple[int, int]
"""Its x and y in the block."""

SHAPES = (BlockShape(32), BlockShape(96), BlockShape(20), BlockShape(16, 4), BlockShape(8, 12), BlockShape(32, 3))
UNIFORM = (0, 64, -64, 192, 7, 33)
"""Values of `n`; the first ones keep what they are added to aligned like an allocation."""


@dataclass(frozen=True)
class Expression:
    """An `int` of C: its text, and its value in a thread."""

    text: str
    value: Callable[[Thread, int], int]


@settings(max_examples=400)
@given(st.integers(0, 2**32))
def test_no_run_contradicts_the_cost_of_a_request(seed: int) -> None:
    random = Random(seed)
    index, limit, shape = random_index(random), random.choice((None, None, 1, 5, 17)), random.choice(SHAPES)
    for is_shared in (False, True):
        text = kernel(index, limit, is_shared=is_shared)
        found = accesses_of(text, LaunchKnowledge((shape,)))[-1]
        for n in UNIFORM:
            has_rows = "y" in index.text
            said = contradictions(found, addresses(index, limit, shape, n), n, is_shared=is_shared, has_rows=has_rows)
            assert said == [], (text, shape, n)


def test_the_referee_notices_a_wrong_claim() -> None:
    index = Expression("(2 * x)", lambda thread, _: 2 * thread[0])
    (found,) = accesses_of(kernel(index, None, is_shared=False), LaunchKnowledge((BlockShape(64),)))
    assert contradictions(found, addresses(index, None, BlockShape(64), 0), 0, is_shared=False) == []
    other = Expression("(3 * x)", lambda thread, _: 3 * thread[0])
    assert contradictions(found, addresses(other, None, BlockShape(64), 0), 0, is_shared=False) != []


def test_most_requests_are_told_exactly() -> None:
    """The claims are not vacuous."""
    exact = 0
    for seed in range(100):
        random = Random(seed)
        text = kernel(random_index(random), None, is_shared=False)
        request = accesses_of(text, LaunchKnowledge((random.choice(SHAPES),)))[-1].request
        exact += request is not None and request.is_exact
    assert exact > 50


def kernel(index: Expression, limit: int | None, *, is_shared: bool) -> str:
    guard = "" if limit is None else f"if (x < {limit}) "
    array = "__shared__ int a[64];" if is_shared else ""
    return f"""__global__ void k(int *{"b" if is_shared else "a"}, int n) {{
  {array}
  int x = threadIdx.x, y = threadIdx.y;
  {guard}a[{index.text}] = n;
}}"""


def addresses(index: Expression, limit: int | None, shape: BlockShape, n: int) -> list[list[int]]:
    """For each warp with a lane that comes, the byte addresses of these lanes; the array begins at 4096."""
    threads = [(thread % shape.x, thread // shape.x) for thread in range(shape.threads)]
    warps = [threads[start : start + 32] for start in range(0, len(threads), 32)]
    found = [
        [4096 + 4 * index.value(thread, n) for thread in warp if limit is None or thread[0] < limit] for warp in warps
    ]
    return [warp for warp in found if warp]


def contradictions(
    access: Access, warps: Sequence[Sequence[int]], n: int, *, is_shared: bool, has_rows: bool = False
) -> list[str]:
    request = access.request
    if request is None:
        return []
    found: list[str] = []
    if is_shared:
        ways = max(most_words_of_a_bank(warp) for warp in warps)
        said = request.bank_ways
        if said is not None and (ways != said if request.is_exact else ways < said):
            found.append(f"{ways} ways, not {said}")
        return found
    sectors = max(len({address // 32 for address in warp}) for warp in warps)
    if request.sectors_max is not None and sectors > request.sectors_max:
        found.append(f"{sectors} sectors, more than {request.sectors_max}")
    if request.sectors is not None:
        is_aligned = n % 64 == 0
        # What `y` adds may agree in each warp: then it is a part of the base that counts as aligned.
        bases = range(0, 32, 4) if has_rows else (0,)
        possible = {len({(address + base) // 32 for address in warp}) for base in bases for warp in warps}
        told = request.sectors in possible if has_rows else sectors == request.sectors
        if request.is_exact and is_aligned and not told:
            found.append(f"{sectors} sectors, not {request.sectors}")
        if not request.is_exact and is_aligned and max(possible) < request.sectors:
            found.append(f"{sectors} sectors, fewer than {request.sectors}")
    return found


def most_words_of_a_bank(warp: Sequence[int]) -> int:
    return max(Counter(word % 32 for word in {address // 4 for address in warp}).values())


def random_index(random: Random, depth: int = 0) -> Expression:
    pick = random.randrange(9 if depth < 3 else 4)
    if pick == 0:
        return Expression("n", lambda _, n: n)
    if pick == 1:
        return Expression("y", lambda thread, _: thread[1])
    if pick < 4:
        return Expression("x", lambda thread, _: thread[0])
    left = random_index(random, depth + 1)
    if random.randrange(8) == 0 and "n" not in left.text:
        return Expression(f"({left.text} * n)", lambda thread, n: left.value(thread, n) * n)
    number = random.choice((1, 2, 3, 4, 8, 16, 32, 33))
    if pick == 4:
        return Expression(f"({left.text} * {number})", lambda thread, n: left.value(thread, n) * number)
    if pick == 5 and "n" not in left.text and "-" not in left.text:
        return Expression(f"({left.text} % {number})", lambda thread, n: left.value(thread, n) % number)
    if pick == 6 and "n" not in left.text and "-" not in left.text:
        return Expression(f"({left.text} / {number})", lambda thread, n: left.value(thread, n) // number)
    right = random_index(random, depth + 1)
    if pick == 7:
        return Expression(
            f"({left.text} - {right.text})", lambda thread, n: left.value(thread, n) - right.value(thread, n)
        )
    return Expression(f"({left.text} + {right.text})", lambda thread, n: left.value(thread, n) + right.value(thread, n))
