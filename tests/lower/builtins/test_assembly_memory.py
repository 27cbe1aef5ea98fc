"""Inline PTX on memory and between threads: a statement in, IR lines out."""

from __future__ import annotations

from tests.lower.builtins.assembly import check_assembly


def test_barriers() -> None:
    check_assembly("bar.sync 0;", "", "", "barrier")
    check_assembly("barrier.sync.aligned 0;", "", "", "barrier")
    check_assembly(
        "bar.sync %0, %1;",
        "",
        "s32, s32",
        """
        %2: u32 = bitcast %0
        %3: u32 = bitcast %1
        named_barrier %2, %3
        """,
    )
    check_assembly(
        "bar.arrive 1, 64;",
        "",
        "",
        """
        %0: u32 = const 1
        %1: u32 = const 64
        named_barrier arrive %0, %1
        """,
    )
    check_assembly(
        "bar.warp.sync 0xffffffff;",
        "",
        "",
        """
        %0: u32 = const 4294967295
        warp_barrier %0
        """,
    )
    check_assembly(
        "bar.red.popc.u32 %0, 0, %1;",
        "u32",
        "bool",
        """
        %3: s32 = convert %1
        %2: s32 = barrier count %3
        %4: u32 = bitcast %2
        store %0, %4
        """,
    )


def test_fences() -> None:
    check_assembly("membar.gl;", "", "", "fence device")
    check_assembly("fence.acq_rel.sys;", "", "", "fence system")
    check_assembly("fence.proxy.async.shared::cta;", "", "", "fence block")


def test_warp_instructions() -> None:
    check_assembly(
        "activemask.b32 %0;",
        "u32",
        "",
        """
        %1: u32 = special active_mask
        store %0, %1
        """,
    )
    check_assembly(
        "vote.sync.ballot.b32 %0, %1, 0xffffffff;",
        "u32",
        "bool",
        """
        %3: u32 = const 4294967295
        %2: u32 = vote ballot %1 mask %3
        store %0, %2
        """,
    )
    check_assembly(
        "shfl.sync.bfly.b32 %0, %1, 1, 0x181f, 0xffffffff;",
        "f32",
        "f32",
        """
        %2: u32 = const 1
        %3: u32 = const 6175
        %4: u32 = const 8
        %5: u32 = shr %3, %4
        %6: s32 = const 8
        %8: u32 = const 4294967295
        %7: f32 = shuffle xor %1, %2 mask %8 width %6
        store %0, %7
        """,
    )
    check_assembly(
        "match.any.sync.b32 %0, %1, %2;",
        "u32",
        "u32, u32",
        """
        %3: u32 = match any %1 mask %2
        store %0, %3
        """,
    )
    check_assembly(
        "redux.sync.add.s32 %0, %1, %2;",
        "s32",
        "s32, u32",
        """
        %3: s32 = reduce add %1 mask %2
        store %0, %3
        """,
    )


def test_loads_and_stores() -> None:
    check_assembly(
        "ld.global.nc.f32 %0, [%1+8];",
        "f32",
        "f32*",
        """
        %2: ptr<global u8> = bitcast %1
        %3: s64 = const 8
        %4: ptr<global u8> = element %2, %3
        %5: ptr<global f32> = bitcast %4
        %6: f32 = load %5
        store %0, %6
        """,
    )
    check_assembly(
        "ld.volatile.shared.u32 %0, [%1];",
        "u32",
        "u32",
        """
        %2: u64 = convert %1
        %3: ptr<shared u32> = bitcast %2
        %4: u32 = load volatile %3
        store %0, %4
        """,
    )
    check_assembly(
        "ld.global.v2.f32 {%0, %1}, [%2];",
        "f32, f32",
        "f32*",
        """
        %3: ptr<global <2 x f32 align 8>> = bitcast %2
        %4: <2 x f32 align 8> = load %3
        %5: f32 = extract %4, 0
        %6: f32 = extract %4, 1
        store %0, %5
        store %1, %6
        """,
    )
    check_assembly(
        "st.release.gpu.global.u32 [%0], %1;",
        "",
        "u32*, u32",
        """
        fence device
        store volatile %0, %1
        """,
    )
    check_assembly(
        "st.global.v2.u32 [%0], {%1, %2};",
        "",
        "u32*, u32, u32",
        """
        %3: ptr<global <2 x u32 align 8>> = bitcast %0
        %4: <2 x u32 align 8> = build %1, %2
        store %3, %4
        """,
    )


def test_an_order_of_an_atomic_is_a_fence_before_it_or_behind() -> None:
    check_assembly(
        "atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;",
        "u32",
        "u32*, u32",
        """
        fence device
        %3: u32 = atomic add %1, %2
        fence device
        store %0, %3
        """,
    )
    check_assembly(
        "atom.release.cta.global.add.u32 %0, [%1], %2;",
        "u32",
        "u32*, u32",
        """
        fence block
        %3: u32 = atomic add block %1, %2
        store %0, %3
        """,
    )


def test_atomics() -> None:
    check_assembly(
        "atom.global.add.u32 %0, [%1], %2;",
        "u32",
        "u32*, u32",
        """
        %3: u32 = atomic add %1, %2
        store %0, %3
        """,
    )
    check_assembly(
        "atom.cas.b32 %0, [%1], %2, %3;",
        "u32",
        "u32*, u32, u32",
        """
        %4: u32 = atomic cas %1, %2, %3
        store %0, %4
        """,
    )
    check_assembly(
        "red.shared.max.s32 [%0], %1;",
        "",
        "u32, s32",
        """
        %2: u64 = convert %0
        %3: ptr<shared s32> = bitcast %2
        %4: s32 = atomic max %3, %1
        """,
    )


def test_asynchronous_copies() -> None:
    check_assembly(
        "cp.async.ca.shared.global [%0], [%1], 4;",
        "",
        "u32, f32*",
        """
        %2: u64 = convert %0
        %3: ptr<shared u32> = bitcast %2
        %4: ptr<global u32> = bitcast %1
        %5: u32 = load %4
        store %3, %5
        """,
    )
    check_assembly(
        "cp.async.commit_group;",
        "",
        "",
        "",
    )
    check_assembly("cp.async.wait_group 0;", "", "", "fence block")


def test_matrix_fragments_come_from_the_whole_warp() -> None:
    check_assembly(
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];",
        "u32, u32",
        "u32",
        """
        %3: u32 = const 4294967295
        warp_barrier %3
        %4: u64 = convert %2
        %5: ptr<shared <4 x u32 align 16>> = bitcast %4
        %6: <4 x u32 align 16> = load %5
        %7: u32 = const 0
        %8: u32 = special lane
        %9: u32 = const 0
        %10: u32 = math matrix.rows %6, %9, %7, %8
        %11: u32 = const 1
        %12: u32 = math matrix.rows %6, %11, %7, %8
        store %0, %10
        store %1, %12
        """,
    )
    check_assembly(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};",
        "+f64, +f64",
        "f64, f64",
        """
        %4: f64 = load %0
        %5: f64 = load %1
        %6: u32 = const 4294967295
        warp_barrier %6
        %7: [1 x f64] = build %2
        %8: [1 x f64] = build %3
        %9: [2 x f64] = build %4, %5
        %10: u32 = special lane
        %11: u32 = const 8
        %12: u32 = const 8
        %13: u32 = const 4
        %14: u32 = const 4
        %15: [2 x f64] = math matrix.product %7, %8, %9, %11, %12, %13, %14, %10
        %16: f64 = extract %15, 0
        %17: f64 = extract %15, 1
        store %0, %16
        store %1, %17
        """,
    )


def test_products_in_other_layouts_come_from_the_whole_warp() -> None:
    check_assembly(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1}, {%2}, {%3}, {%0, %1};",
        "+f32, +f32",
        "u32, u32",
        """
        %4: f32 = load %0
        %5: f32 = load %1
        %6: u32 = const 4294967295
        warp_barrier %6
        %7: u32 = special lane
        %8: u32 = const 0
        %9: f32 = math collective %2, %3, %4, %5, %8, %7
        %10: u32 = const 1
        %11: f32 = math collective %2, %3, %4, %5, %10, %7
        store %0, %9
        store %1, %11
        """,
    )


def test_the_end_of_a_thread() -> None:
    check_assembly("trap;", "", "", "trap")
    check_assembly(
        "exit;",
        "",
        "",
        "",
    )
    check_assembly(
        "{ .reg .pred p; setp.eq.s32 p, %0, 0; @p exit; }",
        "",
        "s32",
        """
        %1: s32 = const 0
        %2: bool = eq %0, %1
        branch %2, block1, block2
        block1:
        block2:
        """,
    )
