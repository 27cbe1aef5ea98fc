"""Inline PTX that finds bits."""

from __future__ import annotations

from tests.lower.builtins.assembly import assembly_lines, check_assembly


def test_the_highest_bit() -> None:
    check_assembly(
        "bfind.u32 %0, %1;",
        "u32",
        "u32",
        """
        %2: u32 = math clz %1
        %3: u32 = const 31
        %4: u32 = sub %3, %2
        store %0, %4
        """,
    )


def test_the_highest_bit_that_is_not_the_sign() -> None:
    lines = assembly_lines("bfind.s64 %0, %1;", "u32", "s64")
    assert [line.split(" = ")[1].split()[0] for line in lines if " = " in line][2:] == [
        "const",
        "shr",
        "xor",
        "math",
        "const",
        "sub",
    ]


def test_the_shift_to_the_highest_bit_is_all_ones_for_zero() -> None:
    lines = assembly_lines("bfind.shiftamt.u32 %0, %1;", "u32", "u32")
    assert [line.split(": ")[1] for line in lines if "select" in line or "4294967295" in line] == [
        "u32 = const 4294967295",
        lines[-2].split(": ")[1],
    ]
