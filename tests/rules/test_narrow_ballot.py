"""WRP211."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.verdict.barriers import Tier
from tests.rules.warp_fixture import KERNEL, diagnostics_of, reported, silent

CODE, SLUG = "WRP211", "narrow-ballot"
WIDE = "//! warp-size = 64" + KERNEL.replace("% 32", "% warpSize")


def test_the_message() -> None:
    found = reported("unsigned b = __ballot(v > 0); y[t] = b;", CODE, SLUG, kernel=WIDE)  # //~ narrow-ballot
    assert (found.severity, found.tier) == (Severity.ERROR, Tier.PROVEN)
    assert found.message == "This ballot of 64 lanes is kept in 32 bits: lanes 32-63 are lost."


def test_the_place_where_lanes_are_lost_is_named() -> None:
    found = reported("unsigned long long b = __ballot(v > 0); if (n > 3) y[0] = (int)b;", CODE, SLUG, kernel=WIDE)
    assert [one.message for one in found.related] == ["It is converted to 32 bits here."]


@pytest.mark.parametrize(
    "statement",
    [
        "y[t] = __popc(__ballot(v > 0));",
        "y[t] = __ffs(__ballot_sync(~0ull, v > 0)) - 1;",
        "unsigned peers = __match_any_sync(~0ull, n + t / 4); y[t] = peers;",
        "int active = __activemask(); y[t] = active;",
        "unsigned long long b = __ballot(v > 0); y[t] = __popc(b & ((1ull << lane) - 1));",
        "unsigned long long b = __ballot(v > 0); if (n > 3) b |= 1; y[t] = (int)~b;",
    ],
)
def test_reported(statement: str) -> None:
    reported(statement, CODE, SLUG, kernel=WIDE)


@pytest.mark.parametrize(
    "statement",
    [
        "unsigned long long b = __ballot(v > 0); y[t] = __popcll(b);",
        "unsigned long long b = __ballot(v > 0); y[t] = __popc((unsigned)b) + __popc((unsigned)(b >> 32));",
        "y[t] = __ballot(v > 0) != 0;",
        "y[t] = (int)(__ballot(v > 0) & 0xffff);",
        "y[t] = __any(v > 0);",
        "if (__ballot(v > 0) == ~0ull) y[t] = 1;",
    ],
)
def test_silent(statement: str) -> None:
    silent(statement, CODE, kernel=WIDE)


def test_silent_where_warps_have_32_lanes() -> None:
    assert not diagnostics_of("unsigned b = __ballot_sync(~0u, v > 0); y[t] = b;", CODE, warp_size=32)
