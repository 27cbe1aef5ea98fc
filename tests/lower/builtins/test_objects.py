"""Objects of libcu++, cub, wmma and complex numbers: a call in, IR lines out."""

from __future__ import annotations

import re

from tests.lower.builtins.calls import check, lowered


def test_an_atomic_in_memory_is_its_value() -> None:
    check(
        "cuda::atomic<s32>&.fetch_add(u8, s32)",
        """
        %4: ptr<local s32> = bitcast %2
        %5: s32 = convert %0
        fence system
        %6: s32 = atomic add system %4, %5
        fence system
        """,
    )
    check(
        "cuda::atomic<s32,2>&.load()",
        """
        %2: ptr<local s32> = bitcast %0
        %3: s32 = atomic load block %2
        fence block
        """,
    )
    check(
        "cuda::atomic<s32>&.compare_exchange_strong(s32&, s32)",
        """
        %5: ptr<local s32> = bitcast %3
        %6: s32 = load %0
        fence system
        %7: s32 = atomic cas system %5, %6, %2
        fence system
        store %0, %7
        %8: bool = eq %7, %6
        """,
    )


def test_an_atomic_reference_is_an_address() -> None:
    check(
        "cuda::atomic_ref<f32,1>.fetch_add(f32)",
        """
        %2: ptr<generic f32> = bitcast %1
        fence device
        %3: f32 = atomic add %2, %0
        fence device
        """,
    )


def test_complex_numbers() -> None:
    check(
        "operator*(std::complex<f32>, f32)",
        """
        %2: f32 = extract %0, 0
        %3: f32 = extract %0, 1
        %4: f32 = mul %2, %1
        %5: f32 = mul %3, %1
        %6: struct "std::complex<f32>" = build %4, %5
        """,
    )
    check(
        "operator-(std::complex<f32>)",
        """
        %1: f32 = extract %0, 0
        %2: f32 = extract %0, 1
        %3: f32 = neg %1
        %4: f32 = neg %2
        %5: struct "std::complex<f32>" = build %3, %4
        """,
    )
    check(
        "operator+(std::complex<f32>, std::complex<f32>)",
        """
        %2: f32 = extract %0, 0
        %3: f32 = extract %0, 1
        %4: f32 = extract %1, 0
        %5: f32 = extract %1, 1
        %6: f32 = add %2, %4
        %7: f32 = add %3, %5
        %8: struct "std::complex<f32>" = build %6, %7
        """,
    )
    check(
        "std::abs(std::complex<f32>)",
        """
        %1: f32 = extract %0, 0
        %2: f32 = extract %0, 1
        %3: f32 = math hypot %1, %2
        """,
    )
    check(
        "std::abs(s16)",
        """
        %1: s32 = convert %0
        %2: s32 = math abs %1
        """,
    )


def test_threads_of_a_block_sort_meet_between_writing_and_reading() -> None:
    found = lowered("cub::BlockRadixSort<f32,64,4>.Sort(std::array<f32,4>&)")
    kept = [line for line in found.lines if "barrier" in line or re.search(r"store|= load", line)]
    assert [line for line in kept if "barrier" in line] == ["barrier"] * 3
    assert "store" in kept[kept.index("barrier") - 1]


def test_block_sorts_of_unknown_size_are_surrounded_by_barriers() -> None:
    found = lowered("cub::BlockRadixSort<f32,64>.Sort(f32&)")
    assert [line for line in found.lines if "barrier" in line or "collective" in line] == [
        "barrier",
        "%13: f32 = math collective %3, %12",
        "barrier",
    ]


def test_block_reductions_meet_once_between_store_and_load() -> None:
    found = lowered("cub::BlockReduce<f32,64>.Sum(f32)")
    kept = [line for line in found.lines if "barrier" in line or "shared [" in line or re.match(r"store|.* load", line)]
    assert [line.split(" = ")[-1].split()[0] for line in kept[:4]] == ["address", "store", "barrier", "load"]
    assert sum("barrier" in line for line in found.lines) == 1
    assert "= select" in found.lines[-2]  # thread 0 has the sum, no other


def test_warp_collectives() -> None:
    check(
        "cub::WarpReduce<f32,32>.Sum(f32)",
        """
        %2: u32 = const 0
        %3: group<tile 32> = build %2, %2, %2
        %5: u32 = const 4294967295
        %4: f32 = reduce add %0 mask %5
        """,
    )
    check(
        "cub::WarpReduce<s32,32>.Reduce(s32, cub::Max)",
        """
        %3: u32 = const 0
        %4: group<tile 32> = build %3, %3, %3
        %6: u32 = const 4294967295
        %5: s32 = reduce max %0 mask %6
        """,
    )


def test_matrix_products_take_the_whole_warp() -> None:
    check(
        "wmma::mma_sync(fragment_c&, fragment_a&, fragment_b&, fragment_c&)",
        """
        %8: u32 = const 4294967295
        warp_barrier %8
        %9: ptr<local [8 x f16]> = field %2, 0
        %10: [8 x f16] = load %9
        %11: ptr<local [8 x f16]> = field %4, 0
        %12: [8 x f16] = load %11
        %13: ptr<local [8 x f32]> = field %6, 0
        %14: [8 x f32] = load %13
        %15: u32 = special lane
        %16: u32 = const 16
        %17: u32 = const 16
        %18: u32 = const 16
        %19: u32 = const 2
        %20: [8 x f32] = math matrix.product %10, %12, %14, %16, %17, %18, %19, %15
        %21: ptr<local [8 x f32]> = field %0, 0
        store %21, %20
        """,
    )


def test_a_pipeline_of_one_thread_waits_for_nobody() -> None:
    check("cuda::pipeline<thread>.consumer_wait()", "fence block")
    assert lowered("cuda::pipeline<block>.quit()").opaque == ["quit"]
