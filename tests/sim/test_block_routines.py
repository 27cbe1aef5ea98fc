"""cub's block-wide routines against what their documentation says, computed with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.result import Result
from tests.sim.running import Given, run

THREADS, ITEMS = 64, 3
COUNT = THREADS * ITEMS
RANDOM = np.random.default_rng(5)
KEYS = RANDOM.integers(-40, 40, COUNT, dtype=np.int32)


def _run(body: str, given: Given, parameters: str) -> Result:
    text = f"#include <cub/cub.cuh>\n__global__ void k({parameters}) {{\n{body}\n}}"
    result = run(text, given, block=THREADS)
    assert result.faults == ()
    return result


def _sorted_by(routine: str, keys: NDArray[np.generic], kind: str, extra: str = "") -> NDArray[np.generic]:
    body = f"""
    using Sort = cub::BlockRadixSort<{kind}, {THREADS}, {ITEMS}>;
    __shared__ typename Sort::TempStorage temp;
    {kind} key[{ITEMS}];
    cub::LoadDirectBlocked(threadIdx.x, keys, key);
    Sort(temp).{routine}(key{extra});
    for (int i = 0; i < {ITEMS}; i++) keys[threadIdx.x * {ITEMS} + i] = key[i];"""
    body = body.replace(
        "cub::LoadDirectBlocked(threadIdx.x, keys, key);",
        f"for (int i = 0; i < {ITEMS}; i++) key[i] = keys[threadIdx.x * {ITEMS} + i];",
    )
    return _run(body, {"keys": keys.copy()}, f"{kind}* keys").arrays["keys"]


FLOATS = RANDOM.normal(size=COUNT).astype(np.float32)


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        (KEYS, "int"),
        (KEYS.astype(np.uint32), "unsigned"),
        (FLOATS, "float"),
        (FLOATS.astype(np.float64), "double"),
        (KEYS.astype(np.int64) << 33, "long long"),
        (KEYS.astype(np.int8), "signed char"),
    ],
)
def test_a_radix_sort_orders_keys_of_every_kind(keys: NDArray[np.generic], kind: str) -> None:
    assert np.array_equal(_sorted_by("Sort", keys, kind), np.sort(keys))
    assert np.array_equal(_sorted_by("SortDescending", keys, kind), np.sort(keys)[::-1])
    striped = np.sort(keys).reshape(THREADS, ITEMS)
    assert np.array_equal(
        _sorted_by("SortBlockedToStriped", keys, kind).reshape(THREADS, ITEMS).T.reshape(-1), striped.reshape(-1)
    )


def test_a_radix_sort_of_some_bits_is_stable() -> None:
    keys = RANDOM.integers(0, 256, COUNT).astype(np.uint32)
    expected = keys[np.argsort((keys >> 2) & 7, kind="stable")]
    assert np.array_equal(_sorted_by("Sort", keys, "unsigned", ", 2, 5"), expected)


def test_values_move_with_their_keys() -> None:
    body = f"""
    using Sort = cub::BlockRadixSort<int, {THREADS}, {ITEMS}, float>;
    __shared__ typename Sort::TempStorage temp;
    int key[{ITEMS}]; float value[{ITEMS}];
    for (int i = 0; i < {ITEMS}; i++) key[i] = keys[threadIdx.x * {ITEMS} + i], value[i] = threadIdx.x * {ITEMS} + i;
    Sort(temp).SortDescending(key, value);
    for (int i = 0; i < {ITEMS}; i++) values[threadIdx.x * {ITEMS} + i] = value[i];"""
    given = {"keys": KEYS, "values": np.zeros(COUNT, np.float32)}
    found = _run(body, given, "int* keys, float* values").arrays["values"]
    assert np.array_equal(found, np.argsort(-KEYS, kind="stable"))


def test_a_merge_sort_takes_any_comparison() -> None:
    body = f"""
    using Sort = cub::BlockMergeSort<int, {THREADS}, {ITEMS}>;
    __shared__ typename Sort::TempStorage temp;
    int key[{ITEMS}];
    for (int i = 0; i < {ITEMS}; i++) key[i] = keys[threadIdx.x * {ITEMS} + i];
    Sort(temp).Sort(key, [](int a, int b) {{ return a % 10 < b % 10; }});
    for (int i = 0; i < {ITEMS}; i++) keys[threadIdx.x * {ITEMS} + i] = key[i];"""
    given = np.abs(KEYS)
    found = _run(body, {"keys": given.copy()}, "int* keys").arrays["keys"]
    assert np.array_equal(found, given[np.argsort(given % 10, kind="stable")])


@pytest.mark.parametrize("algorithm", ["DIRECT", "VECTORIZE", "TRANSPOSE", "WARP_TRANSPOSE", "STRIPED"])
def test_loads_and_stores_arrange_items_and_leave_out_the_invalid(algorithm: str) -> None:
    body = f"""
    using Load = cub::BlockLoad<int, {THREADS}, {ITEMS}, cub::BLOCK_LOAD_{algorithm}>;
    using Store = cub::BlockStore<int, {THREADS}, {ITEMS}, cub::BLOCK_STORE_{algorithm}>;
    __shared__ union {{ typename Load::TempStorage load; typename Store::TempStorage store; }} temp;
    int item[{ITEMS}];
    Load(temp.load).Load(in, item, n, -1);
    for (int i = 0; i < {ITEMS}; i++) held[threadIdx.x * {ITEMS} + i] = item[i];
    __syncthreads();
    Store(temp.store).Store(out, item, n - 5);"""
    n = COUNT - 7
    given = {"in": KEYS[:n].copy(), "held": np.zeros(COUNT, np.int32), "out": np.zeros(n - 5, np.int32), "n": n}
    result = _run(body, given, "const int* in, int* held, int* out, int n")
    loaded = np.full(COUNT, -1)
    loaded[:n] = KEYS[:n]
    held = loaded.reshape(ITEMS, THREADS).T.reshape(-1) if algorithm == "STRIPED" else loaded
    assert np.array_equal(result.arrays["held"], held)
    assert np.array_equal(result.arrays["out"], KEYS[: n - 5])


BLOCKED = np.arange(COUNT).reshape(THREADS, ITEMS)
STRIPED = np.arange(COUNT).reshape(ITEMS, THREADS).T
WARP_STRIPED = np.arange(COUNT).reshape(THREADS // 32, ITEMS, 32).transpose(0, 2, 1).reshape(THREADS, ITEMS)


@pytest.mark.parametrize(
    ("routine", "before", "after"),
    [
        ("StripedToBlocked", STRIPED, BLOCKED),
        ("BlockedToStriped", BLOCKED, STRIPED),
        ("WarpStripedToBlocked", WARP_STRIPED, BLOCKED),
        ("BlockedToWarpStriped", BLOCKED, WARP_STRIPED),
    ],
)
@pytest.mark.parametrize("call", ["item", "item, item"])
def test_exchanges(routine: str, before: NDArray[np.generic], after: NDArray[np.generic], call: str) -> None:
    body = f"""
    using Exchange = cub::BlockExchange<int, {THREADS}, {ITEMS}>;
    __shared__ typename Exchange::TempStorage temp;
    int item[{ITEMS}];
    for (int i = 0; i < {ITEMS}; i++) item[i] = data[threadIdx.x * {ITEMS} + i];
    Exchange(temp).{routine}({call});
    for (int i = 0; i < {ITEMS}; i++) data[threadIdx.x * {ITEMS} + i] = item[i];"""
    found = _run(body, {"data": before.astype(np.int32).reshape(-1)}, "int* data").arrays["data"]
    assert np.array_equal(found.reshape(THREADS, ITEMS), after)


def test_items_are_scattered_to_their_ranks() -> None:
    ranks = RANDOM.permutation(COUNT).astype(np.int32)
    body = f"""
    using Exchange = cub::BlockExchange<int, {THREADS}, {ITEMS}>;
    __shared__ typename Exchange::TempStorage temp;
    int item[{ITEMS}], rank[{ITEMS}];
    for (int i = 0; i < {ITEMS}; i++) item[i] = threadIdx.x * {ITEMS} + i, rank[i] = ranks[item[i]];
    Exchange(temp).ScatterToBlocked(item, rank);
    for (int i = 0; i < {ITEMS}; i++) data[threadIdx.x * {ITEMS} + i] = item[i];"""
    given = {"data": np.zeros(COUNT, np.int32), "ranks": ranks}
    found = _run(body, given, "int* data, const int* ranks").arrays["data"]
    assert np.array_equal(found[ranks], np.arange(COUNT))


@pytest.mark.parametrize("outside", ["", ", 99"])
def test_flags_of_heads_and_tails(outside: str) -> None:
    keys = np.sort(KEYS) // 7
    body = f"""
    using Flags = cub::BlockDiscontinuity<int, {THREADS}>;
    __shared__ typename Flags::TempStorage temp;
    int item[{ITEMS}], head[{ITEMS}], tail[{ITEMS}];
    for (int i = 0; i < {ITEMS}; i++) item[i] = keys[threadIdx.x * {ITEMS} + i];
    Flags(temp).FlagHeads(head, item, cub::Inequality(){outside});
    __syncthreads();
    Flags(temp).FlagTails(tail, item, [](int a, int b) {{ return a != b; }}{outside});
    for (int i = 0; i < {ITEMS}; i++) keys[threadIdx.x * {ITEMS} + i] = head[i] + 2 * tail[i];"""
    found = _run(body, {"keys": keys.copy()}, "int* keys").arrays["keys"]
    differs = keys[1:] != keys[:-1]
    assert np.array_equal(found, np.append(True, differs) + 2 * np.append(differs, True))


@pytest.mark.parametrize(
    "routine", ["Histogram(item, bins)", "InitHistogram(bins); __syncthreads(); H(temp).Composite(item, bins)"]
)
def test_a_histogram_counts_every_item(routine: str) -> None:
    body = f"""
    using H = cub::BlockHistogram<unsigned char, {THREADS}, {ITEMS}, 80>;
    __shared__ typename H::TempStorage temp;
    __shared__ unsigned bins[80];
    unsigned char item[{ITEMS}];
    for (int i = 0; i < {ITEMS}; i++) item[i] = keys[threadIdx.x * {ITEMS} + i] + 40;
    H(temp).{routine};
    __syncthreads();
    for (int i = threadIdx.x; i < 80; i += {THREADS}) counts[i] = bins[i];"""
    given = {"keys": KEYS, "counts": np.zeros(80, np.uint32)}
    found = _run(body, given, "const int* keys, unsigned* counts").arrays["counts"]
    assert np.array_equal(found, np.bincount(KEYS + 40, minlength=80))
