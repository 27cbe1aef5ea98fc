"""Barriers, fences, warp functions and atomics: a call in, IR lines out."""

from __future__ import annotations

from tests.lower.builtins.calls import check


def test_block_barriers() -> None:
    check("__syncthreads()", "barrier")
    check(
        "__syncthreads_or(bool)",
        """
        %1: s32 = convert %0
        %2: s32 = barrier or %1
        """,
    )
    check(
        "__barrier_sync_count(s32, s32)",
        """
        %2: u32 = convert %0
        %3: u32 = convert %1
        named_barrier %2, %3
        """,
    )


def test_warp_barriers_take_all_lanes_by_default() -> None:
    check(
        "__syncwarp()",
        """
        %0: u32 = const 4294967295
        warp_barrier %0
        """,
    )
    check("__syncwarp(u32)", "warp_barrier %0")
    check(
        "__syncwarp()",
        """
        %0: u64 = const 18446744073709551615
        warp_barrier %0
        """,
        warp_size=64,
    )


def test_fences() -> None:
    check("__threadfence_block()", "fence block")
    check("__threadfence()", "fence device")
    check("__threadfence_system()", "fence system")


def test_shuffles() -> None:
    check(
        "__shfl_down_sync(u32, f32, s32, s32)",
        """
        %4: u32 = convert %2
        %5: f32 = shuffle down %1, %4 mask %0 width %3
        """,
    )
    check("__shfl_xor(f64, s32)", "%2: f64 = shuffle xor %0, %1")
    check("__shfl_sync(u32, half2, s32)", "%3: <2 x f16 align 4> = shuffle idx %1, %2 mask %0")


def test_shuffles_have_no_form_for_small_integers() -> None:
    check(
        "__shfl_sync(u32, u8, s32)",
        """
        %3: s32 = convert %1
        %4: s32 = shuffle idx %3, %2 mask %0
        """,
    )
    check(
        "__shfl_up(bool, s32)",
        """
        %2: s32 = convert %0
        %3: u32 = convert %1
        %4: s32 = shuffle up %2, %3
        """,
    )


def test_votes() -> None:
    check(
        "__ballot_sync(u32, bool)",
        """
        %2: s32 = convert %1
        %3: u32 = vote ballot %2 mask %0
        """,
    )
    check(
        "__any(bool)",
        """
        %1: s32 = convert %0
        %2: s32 = vote any %1
        """,
    )
    check("__ballot_sync(u64, s32)", "%2: u64 = vote ballot %1 mask %0", warp_size=64)


def test_matches() -> None:
    check("__match_any_sync(u32, u64)", "%2: u32 = match any %1 mask %0")
    check(
        "__match_all_sync(u32, f32, s32*)",
        """
        %3: u32 = match all %1 mask %0
        %4: u32 = const 0
        %5: bool = ne %3, %4
        %6: s32 = convert %5
        store %2, %6
        """,
    )


def test_reductions() -> None:
    check("__reduce_add_sync(u32, s32)", "%2: s32 = reduce add %1 mask %0")
    check("__reduce_min_sync(u32, u32)", "%2: u32 = reduce min %1 mask %0")


def test_the_active_mask_has_a_bit_per_lane() -> None:
    check("__activemask()", "%0: u32 = special active_mask")
    check("__activemask()", "%0: u64 = special active_mask", warp_size=64)


def test_atomics_compute_in_the_type_of_the_object() -> None:
    check(
        "atomicAdd(f32*, s32)",
        """
        %2: f32 = convert %1
        %3: f32 = atomic add %0, %2
        """,
    )
    check(
        "atomicCAS_block(u64*, u32, u64)",
        """
        %3: u64 = convert %1
        %4: u64 = atomic cas block %0, %3, %2
        """,
    )
    check(
        "atomicInc(u32*, s32)",
        """
        %2: u32 = convert %1
        %3: u32 = atomic inc %0, %2
        """,
    )
    check("atomicAdd(half2*, half2)", "%2: <2 x f16 align 4> = atomic add %0, %1")
    check("atomicExch_system(f32*, f32)", "%2: f32 = atomic exch system %0, %1")
