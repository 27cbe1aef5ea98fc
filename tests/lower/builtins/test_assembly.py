"""Inline PTX that computes: a statement in, IR lines out."""

from __future__ import annotations

import pytest

from tests.lower.builtins.assembly import assembly_lines, check_assembly


def test_special_registers() -> None:
    check_assembly(
        "mov.u32 %0, %laneid;",
        "u32",
        "",
        """
        %1: u32 = special lane
        store %0, %1
        """,
    )
    check_assembly(
        "mov.u32 %0, %%tid.x;",
        "s32",
        "",
        """
        %1: u32 = special thread.x
        %2: s32 = bitcast %1
        store %0, %2
        """,
    )
    check_assembly(
        "mov.u64 %0, %clock64;",
        "u64",
        "",
        """
        %1: u64 = special clock
        store %0, %1
        """,
    )
    check_assembly(
        "mov.u32 %0, %nwarpid;",
        "u32",
        "",
        """
        %1: u32 = const ?
        store %0, %1
        """,
    )


def test_arithmetic_has_the_type_of_the_instruction() -> None:
    check_assembly(
        "add.s32 %0, %1, %2;",
        "s32",
        "s32, s32",
        """
        %3: s32 = add %1, %2
        store %0, %3
        """,
    )
    check_assembly(
        "mul.wide.u32 %0, %1, 4;",
        "u64",
        "u32",
        """
        %2: u32 = const 4
        %3: u64 = convert %1
        %4: u64 = convert %2
        %5: u64 = mul %3, %4
        store %0, %5
        """,
    )
    check_assembly(
        "mad.hi.u32 %0, %1, %2, %3;",
        "u32",
        "u32, u32, u32",
        """
        %4: u32 = math mulhi %1, %2
        %5: u32 = add %4, %3
        store %0, %5
        """,
    )
    check_assembly(
        "fma.rn.f32 %0, %1, 0f3F800000, %1;",
        "f32",
        "f32",
        """
        %2: f32 = const 1.0
        %3: f32 = math fma %1, %2, %1
        store %0, %3
        """,
    )
    check_assembly(
        "ex2.approx.ftz.f32 %0, %1;",
        "f32",
        "f32",
        """
        %2: f32 = math exp2 %1
        store %0, %2
        """,
    )


def test_bit_fields_and_words() -> None:
    check_assembly(
        "lop3.b32 %0, %1, %2, %3, 0xE8;",
        "u32",
        "u32, u32, u32",
        """
        %4: u32 = const 232
        %5: u32 = math lop3 %1, %2, %3, %4
        store %0, %5
        """,
    )
    check_assembly(
        "bfe.u32 %0, %1, 4, 8;",
        "u32",
        "u32",
        """
        %2: u32 = const 4
        %3: u32 = const 8
        %4: u32 = math bfe %1, %2, %3
        store %0, %4
        """,
    )
    check_assembly(
        "shf.l.wrap.b32 %0, %1, %2, 7;",
        "u32",
        "u32, u32",
        """
        %3: u32 = const 7
        %4: u32 = math funnel_l %1, %2, %3
        store %0, %4
        """,
    )
    check_assembly(
        "prmt.b32 %0, %1, %2, 0x3210;",
        "u32",
        "u32, u32",
        """
        %3: u32 = const 12816
        %4: u32 = math byte_perm %1, %2, %3
        store %0, %4
        """,
    )


def test_registers_hold_bits() -> None:
    check_assembly(
        "mov.b32 %0, %1;",
        "u32",
        "f32",
        """
        %2: u32 = bitcast %1
        store %0, %2
        """,
    )
    check_assembly(
        "mov.b64 {%0, %1}, %2;",
        "u32, u32",
        "f64",
        """
        %3: u64 = bitcast %2
        %4: u32 = convert %3
        %5: u64 = const 32
        %6: u64 = shr %3, %5
        %7: u32 = convert %6
        store %0, %4
        store %1, %7
        """,
    )
    check_assembly(
        "mov.b64 %0, {%1, %2};",
        "f64",
        "u32, u32",
        """
        %3: u64 = convert %1
        %4: u64 = convert %2
        %5: u64 = const 32
        %6: u64 = shl %4, %5
        %7: u64 = or %3, %6
        %8: f64 = bitcast %7
        store %0, %8
        """,
    )
    check_assembly(
        "cvt.rn.f16x2.f32 %0, %1, %2;",
        "u32",
        "f32, f32",
        """
        %3: f16 = convert %1
        %4: f16 = convert %2
        %5: <2 x f16 align 4> = build %4, %3
        %6: u32 = bitcast %5
        store %0, %6
        """,
    )
    check_assembly(
        "cvt.rni.s32.f32 %0, %1;",
        "s32",
        "f32",
        """
        %2: s32 = math cvt.rn %1
        store %0, %2
        """,
    )


def test_carries() -> None:
    check_assembly(
        "add.cc.u32 %0, %2, %3; addc.u32 %1, %2, 0;",
        "u32, u32",
        "u32, u32",
        """
        %4: u32 = add %2, %3
        %5: bool = lt %4, %2
        %6: u32 = const 0
        %7: u32 = add %2, %6
        %8: u32 = convert %5
        %9: u32 = add %7, %8
        store %0, %4
        store %1, %9
        """,
    )


def test_predicates_select_between_values() -> None:
    check_assembly(
        "{ .reg .pred p; setp.ne.b32 p, %1, 0; @p mov.b32 %0, %2; }",
        "+u32",
        "s32, u32",
        """
        %3: u32 = load %0
        %4: u32 = bitcast %1
        %5: u32 = const 0
        %6: bool = ne %4, %5
        %7: u32 = select %6, %2, %3
        store %0, %7
        """,
    )
    check_assembly(
        "{ .reg .pred p, q; setp.lt.and.s32 p, %1, %2, q; selp.b32 %0, 1, 0, !p; }",
        "u32",
        "s32, s32",
        """
        %3: bool = lt %1, %2
        %5: bool = land %3, %4
        %6: u32 = const 1
        %7: u32 = const 0
        %8: bool = lnot %5
        %9: u32 = select %8, %6, %7
        store %0, %9
        """,
    )


def test_guarded_accesses_are_branched_around() -> None:
    check_assembly(
        "{ .reg .pred p; setp.ne.b32 p, %1, 0; @p ld.global.f32 %0, [%2]; }",
        "+f32",
        "s32, f32*",
        """
        %3: f32 = load %0
        %4: u32 = bitcast %1
        %5: u32 = const 0
        %6: bool = ne %4, %5
        store %7, %3
        branch %6, block1, block2
        block1:
        %8: f32 = load %2
        store %7, %8
        jump block2
        block2:
        %9: f32 = load %7
        store %0, %9
        """,
    )
    check_assembly(
        "{ .reg .pred p; setp.eq.u32 p, %1, 0; @!p st.shared.u32 [%0], %1; }",
        "",
        "u32, u32",
        """
        %2: u32 = const 0
        %3: bool = eq %1, %2
        %4: bool = lnot %3
        branch %4, block1, block2
        block1:
        %5: u64 = convert %0
        %6: ptr<shared u32> = bitcast %5
        store %6, %1
        jump block2
        block2:
        """,
    )


def test_operands_may_have_names() -> None:
    check_assembly(
        "add.u32 %[sum], %[a], %[a];",
        "u32 sum",
        "u32 a",
        """
        %2: u32 = add %1, %1
        store %0, %2
        """,
    )


def test_what_is_not_known_is_opaque_by_itself() -> None:
    check_assembly(
        "foo.bar.u32 %0, %1; add.u32 %0, %0, 1;",
        "u32",
        "u32",
        """
        %2: u32 = opaque "asm foo.bar.u32" %1
        %3: u32 = const 1
        %4: u32 = add %2, %3
        store %0, %4
        """,
    )
    check_assembly(
        "mbarrier.try_wait.shared.b64 p, [%0];",
        "",
        "u32",
        """
        %1: u32 = opaque barrier "asm mbarrier.try_wait.shared.b64" %0
        """,
    )


def test_text_with_labels_is_opaque_as_a_whole() -> None:
    check_assembly("L: bra L;", "", "", 'opaque barrier "asm with control flow"')
    check_assembly(
        "{ .reg .pred p; L: setp.eq.u32 p, %1, 0; @p bra L; mov.u32 %0, 1; }",
        "u32",
        "u32",
        """
        %2: u32 = opaque barrier "asm with control flow" %1
        store %0, %2
        """,
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";;{}",
        "add.u32",
        "add.u32 %0",
        "add.u32 %7, %0, %1;",
        "add %0, %0, %0;",
        "mov.u32 %0, %nosuchregister;",
        "@%9 exit;",
        "@!q ld.global.u32 %0, [%1];",
        "st.global.u32 %0, %1;",
        "st.global.v4.u32 [%1], {%0, %0};",
        "shfl.sync.idx.b32 %0, %1;",
        "mov.b64 {%0, %1}, %0;",
        "setp.xx.u32 p, %0, %1;",
        "ld.global.u32 %1, [%0+x];",
        "cp.async.cg.shared.global [%0], [%1], 7;",
        "vote.sync.any.pred %0, %1",
        "{{{{",
        "mov.u32 %0, ;",
        "bar.red.or.pred p, 0;",
    ],
)
def test_nonsense_does_not_raise(text: str) -> None:
    assembly_lines(text, "u32", "u32")
