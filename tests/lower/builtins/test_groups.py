"""Cooperative groups: ranks as arithmetic, synchronisation as barriers of the right group."""

from __future__ import annotations

from tests.lower.builtins.calls import check


def test_groups() -> None:
    check("cg::this_thread_block()", "%0: group<block> = const 0")
    check(
        "cg::coalesced_threads()",
        """
        %0: u32 = special active_mask
        %1: u32 = const 0
        %2: u32 = const 1
        %3: group<coalesced> = build %0, %1, %2
        """,
    )


def test_a_tile_of_a_block_knows_its_rank_as_linear_index_over_size() -> None:
    check(
        "cg::tiled_partition<32>(block)",
        """
        %1: u32 = const 32
        %2: u32 = special thread.z
        %3: u32 = special block_dim.y
        %4: u32 = mul %2, %3
        %5: u32 = special thread.y
        %6: u32 = add %4, %5
        %7: u32 = special block_dim.x
        %8: u32 = mul %6, %7
        %9: u32 = special thread.x
        %10: u32 = add %8, %9
        %11: u32 = special block_dim.x
        %12: u32 = special block_dim.y
        %13: u32 = mul %11, %12
        %14: u32 = special block_dim.z
        %15: u32 = mul %13, %14
        %16: u32 = const 1
        %17: u32 = sub %1, %16
        %18: u32 = add %15, %17
        %19: u32 = div %18, %1
        %20: u32 = div %10, %1
        %21: group<tile 32> = build %20, %19, %1
        """,
    )


def test_a_tile_of_a_tile_counts_inside_it() -> None:
    check(
        "cg::tiled_partition<4>(tile32)",
        """
        %1: u32 = const 4
        %2: u32 = special thread.z
        %3: u32 = special block_dim.y
        %4: u32 = mul %2, %3
        %5: u32 = special thread.y
        %6: u32 = add %4, %5
        %7: u32 = special block_dim.x
        %8: u32 = mul %6, %7
        %9: u32 = special thread.x
        %10: u32 = add %8, %9
        %11: u32 = const 32
        %12: u32 = rem %10, %11
        %13: u32 = const 32
        %14: u32 = div %13, %1
        %15: u32 = div %12, %1
        %16: group<tile 4> = build %15, %14, %1
        """,
    )


def test_partitions_of_lanes() -> None:
    check(
        "cg::tiled_partition(coalesced, u32)",
        """
        %2: u32 = extract %0, 0
        %3: u32 = special lane_mask.lt
        %4: u32 = and %2, %3
        %5: u32 = math popc %4
        %6: u32 = div %5, %1
        %8: u32 = extract %0, 0
        %7: u32 = match any %6 mask %8
        %9: u32 = special lane_mask.lt
        %10: u32 = and %7, %9
        %11: u32 = const 0
        %12: bool = eq %10, %11
        %14: u32 = extract %0, 0
        %13: u32 = vote ballot %12 mask %14
        %15: u32 = math popc %13
        %16: group<coalesced> = build %7, %6, %15
        """,
    )
    check(
        "cg::binary_partition(tile32, bool)",
        """
        %3: u32 = const 4294967295
        %2: u32 = vote ballot %1 mask %3
        %4: u32 = const 4294967295
        %5: u32 = and %2, %4
        %6: u32 = not %2
        %7: u32 = const 4294967295
        %8: u32 = and %6, %7
        %9: u32 = select %1, %5, %8
        %10: u32 = convert %1
        %11: u32 = const 2
        %12: group<coalesced> = build %9, %10, %11
        """,
    )
    check(
        "cg::labeled_partition(coalesced, s32)",
        """
        %3: u32 = extract %0, 0
        %2: u32 = match any %1 mask %3
        %4: u32 = special lane_mask.lt
        %5: u32 = and %2, %4
        %6: u32 = const 0
        %7: bool = eq %5, %6
        %9: u32 = extract %0, 0
        %8: u32 = vote ballot %7 mask %9
        %10: u32 = math popc %8
        %11: u32 = const 0
        %12: u32 = sub %11, %2
        %13: u32 = and %2, %12
        %14: u32 = const 1
        %15: u32 = sub %13, %14
        %16: u32 = and %8, %15
        %17: u32 = math popc %16
        %18: group<coalesced> = build %2, %17, %10
        """,
    )


def test_sync_is_the_barrier_of_the_group() -> None:
    check("block.sync()", "barrier")
    check(
        "tile32.sync()",
        """
        %1: u32 = const 4294967295
        warp_barrier %1
        """,
    )
    check(
        "tile8.sync()",
        """
        %1: u32 = const 255
        %2: u32 = special lane
        %3: u32 = const 4294967288
        %4: u32 = and %2, %3
        %5: u32 = shl %1, %4
        warp_barrier %5
        """,
    )
    check("tile128.sync()", "barrier")
    check(
        "coalesced.sync()",
        """
        %1: u32 = extract %0, 0
        warp_barrier %1
        """,
    )
    check("grid.sync()", "grid_barrier")
    check("cluster.sync()", "barrier")
    check("any_group.sync()", 'opaque barrier "sync" %0')
    check(
        "cg::sync(tile32)",
        """
        %1: u32 = const 4294967295
        warp_barrier %1
        """,
    )
    check("cg::wait(block)", "barrier")


def test_a_tile_of_unknown_size_computes_its_mask() -> None:
    check(
        "tile.sync()",
        """
        %1: u64 = const 1
        %2: u32 = extract %0, 2
        %3: u64 = convert %2
        %4: u64 = shl %1, %3
        %5: u64 = const 1
        %6: u64 = sub %4, %5
        %7: u32 = convert %6
        %8: u32 = special lane
        %9: u32 = extract %0, 2
        %10: u32 = rem %8, %9
        %11: u32 = sub %8, %10
        %12: u32 = shl %7, %11
        warp_barrier %12
        """,
    )


def test_half_of_a_wide_warp_is_a_tile_of_32() -> None:
    check(
        "tile32.sync()",
        """
        %1: u64 = const 4294967295
        %2: u32 = special lane
        %3: u32 = const 4294967264
        %4: u32 = and %2, %3
        %5: u64 = convert %4
        %6: u64 = shl %1, %5
        warp_barrier %6
        """,
        warp_size=64,
    )


def test_split_barriers_wait_at_the_wait() -> None:
    check(
        "block.barrier_arrive()",
        """
        fence block
        %1: u64 = const 0
        """,
    )
    check("block.barrier_wait(u64)", "barrier")


def test_ranks() -> None:
    check(
        "tile32.thread_rank()",
        """
        %1: u32 = special thread.z
        %2: u32 = special block_dim.y
        %3: u32 = mul %1, %2
        %4: u32 = special thread.y
        %5: u32 = add %3, %4
        %6: u32 = special block_dim.x
        %7: u32 = mul %5, %6
        %8: u32 = special thread.x
        %9: u32 = add %7, %8
        %10: u32 = const 32
        %11: u32 = rem %9, %10
        """,
    )
    check(
        "coalesced.thread_rank()",
        """
        %1: u32 = extract %0, 0
        %2: u32 = special lane_mask.lt
        %3: u32 = and %1, %2
        %4: u32 = math popc %3
        """,
    )
    check("cluster.block_rank()", "%1: u32 = special cluster_rank")
    check("tile32.meta_group_rank()", "%1: u32 = extract %0, 0")


def test_sizes() -> None:
    check(
        "block.size()",
        """
        %1: u32 = special block_dim.x
        %2: u32 = special block_dim.y
        %3: u32 = mul %1, %2
        %4: u32 = special block_dim.z
        %5: u32 = mul %3, %4
        """,
    )
    check("tile32.size()", "%1: u32 = const 32")
    check(
        "coalesced.num_threads()",
        """
        %1: u32 = extract %0, 0
        %2: u32 = math popc %1
        """,
    )
    check("tile32.meta_group_size()", "%1: u32 = extract %0, 1")


def test_indices() -> None:
    check(
        "block.group_index()",
        """
        %1: u32 = special block.x
        %2: u32 = special block.y
        %3: u32 = special block.z
        %4: <3 x u32 align 4> = build %1, %2, %3
        """,
    )


def test_tile_shuffles_carry_the_width() -> None:
    check(
        "tile32.shfl(f32, s32)",
        """
        %3: u32 = const 32
        %4: s32 = convert %3
        %6: u32 = const 4294967295
        %5: f32 = shuffle idx %0, %1 mask %6 width %4
        """,
    )
    check(
        "tile8.shfl_xor(f32, s32)",
        """
        %3: u32 = convert %1
        %4: u32 = const 8
        %5: s32 = convert %4
        %7: u32 = const 255
        %8: u32 = special lane
        %9: u32 = const 4294967288
        %10: u32 = and %8, %9
        %11: u32 = shl %7, %10
        %6: f32 = shuffle xor %0, %3 mask %11 width %5
        """,
    )


def test_coalesced_shuffles_search_the_mask() -> None:
    check(
        "coalesced.shfl(f32, s32)",
        """
        %3: u32 = convert %1
        %4: u32 = const 0
        %5: u32 = const 1
        %6: u32 = add %3, %5
        %7: u32 = extract %2, 0
        %8: s32 = convert %6
        %9: u32 = math fns %7, %4, %8
        %10: u32 = const 4294967295
        %11: bool = eq %9, %10
        %12: u32 = special lane
        %13: u32 = select %11, %12, %9
        %15: u32 = extract %2, 0
        %14: f32 = shuffle idx %0, %13 mask %15
        """,
    )


def test_votes_and_matches_in_ranks() -> None:
    check(
        "tile32.any(bool)",
        """
        %2: s32 = convert %0
        %4: u32 = const 4294967295
        %3: s32 = vote any %2 mask %4
        """,
    )
    check(
        "tile8.ballot(bool)",
        """
        %2: s32 = convert %0
        %4: u32 = const 255
        %5: u32 = special lane
        %6: u32 = const 4294967288
        %7: u32 = and %5, %6
        %8: u32 = shl %4, %7
        %3: u32 = vote ballot %2 mask %8
        %9: u32 = const 255
        %10: u32 = special lane
        %11: u32 = const 4294967288
        %12: u32 = and %10, %11
        %13: u32 = shl %9, %12
        %14: u32 = and %3, %13
        %15: u32 = special lane
        %16: u32 = const 4294967288
        %17: u32 = and %15, %16
        %18: u32 = shr %14, %17
        """,
    )
    check(
        "coalesced.ballot(bool)",
        """
        %2: s32 = convert %0
        %4: u32 = extract %1, 0
        %3: u32 = vote ballot %2 mask %4
        %5: u32 = extract %1, 0
        %6: u32 = math pext %3, %5
        """,
    )
    check(
        "tile32.match_all(f32, bool&)",
        """
        %5: u32 = const 4294967295
        %4: u32 = match all %0 mask %5
        %6: u32 = const 0
        %7: bool = ne %4, %6
        store %1, %7
        """,
    )


def test_larger_tiles_exchange_through_memory() -> None:
    check("tile128.shfl(f32, s32)", '%3: f32 = opaque barrier "shfl" %2, %0, %1')


def test_reductions() -> None:
    check(
        "cg::reduce(tile32, f32, cooperative_groups::plus<f32>)",
        """
        %4: u32 = const 4294967295
        %3: f32 = reduce add %1 mask %4
        """,
    )
    check(
        "cg::reduce(coalesced, s32, cooperative_groups::less<s32>)",
        """
        %4: u32 = extract %0, 0
        %3: s32 = reduce min %1 mask %4
        """,
    )


def test_an_unknown_operator_is_opaque() -> None:
    check("cg::reduce(tile4, s32, f32)", '%3: unknown "cg::reduce" = opaque "cg::reduce" %0, %1, %2')


def test_scans_are_ladders_of_shuffles() -> None:
    check(
        "cg::inclusive_scan(tile2, s32)",
        """
        %2: u32 = special thread.z
        %3: u32 = special block_dim.y
        %4: u32 = mul %2, %3
        %5: u32 = special thread.y
        %6: u32 = add %4, %5
        %7: u32 = special block_dim.x
        %8: u32 = mul %6, %7
        %9: u32 = special thread.x
        %10: u32 = add %8, %9
        %11: u32 = const 2
        %12: u32 = rem %10, %11
        %13: u32 = const 1
        %14: u32 = const 2
        %15: s32 = convert %14
        %17: u32 = const 3
        %18: u32 = special lane
        %19: u32 = const 4294967294
        %20: u32 = and %18, %19
        %21: u32 = shl %17, %20
        %16: s32 = shuffle up %1, %13 mask %21 width %15
        %22: s32 = add %16, %1
        %23: u32 = const 1
        %24: bool = ge %12, %23
        %25: s32 = select %24, %22, %1
        """,
    )
