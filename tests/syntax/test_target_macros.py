"""What `<nv/target>` leaves of its arms, on each side and for each architecture, as nvcc 13.0 preprocesses it."""

from __future__ import annotations

import pytest

from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.includes import DictLoader
from analysis.syntax.translation_unit import TranslationUnit


def _body(text: str, architecture: int | None) -> str:
    whole = f"#include <nv/target>\n__host__ __device__ void f() {{ {text} }}"
    environment = Environment(architecture=architecture or 800, is_host=architecture is None)
    unit = TranslationUnit.build("a.cu", Document.open(whole.encode()), DictLoader(), environment)
    assert not unit.problems
    (item,) = unit.items
    return unit.snippet(item).text.decode().partition("{")[2].rpartition("}")[0].strip()


@pytest.mark.parametrize(
    ("condition", "architectures"),
    [
        ("NV_IS_HOST", {None}),
        ("NV_IS_DEVICE", {700, 800, 900}),
        ("NV_ANY_TARGET", {None, 700, 800, 900}),
        ("NV_NO_TARGET", set[int]()),
        ("NV_PROVIDES_SM_80", {800, 900}),
        ("NV_IS_EXACTLY_SM_80", {800}),
        ("NV_HAS_FEATURE_SM_90a", {900}),
    ],
)
def test_one_condition(condition: str, architectures: set[int | None]) -> None:
    for architecture in (None, 700, 800, 900):
        expected = "one(1, 2);" if architecture in architectures else "other();"
        assert _body(f"NV_IF_TARGET({condition}, (one(1, 2);), (other();))", architecture) == expected
        assert _body(f"NV_IF_ELSE_TARGET({condition}, (one(1, 2);), (other();))", architecture) == expected
        assert _body(f"NV_IF_TARGET({condition}, (one(1, 2);))", architecture) == expected.replace("other();", "")


@pytest.mark.parametrize(
    ("architecture", "expected"), [(None, "host();"), (700, "rest();"), (800, "eighty(); x;"), (900, "eighty(); x;")]
)
def test_the_first_that_fits(architecture: int | None, expected: str) -> None:
    arms = "NV_IS_HOST, (host();), NV_PROVIDES_SM_100, (newest();), NV_PROVIDES_SM_80, (eighty(); x;)"
    assert _body(f"NV_DISPATCH_TARGET({arms}, NV_ANY_TARGET, (rest();))", architecture) == expected
    assert _body(f"NV_DISPATCH_TARGET({arms})", architecture) == expected.replace("rest();", "")


def test_one_within_another() -> None:
    text = "NV_IF_TARGET(NV_IS_DEVICE, (NV_IF_TARGET(NV_PROVIDES_SM_90, (new_one();), (old();))), (host();))"
    assert [_body(text, one) for one in (None, 800, 900)] == ["host();", "old();", "new_one();"]
