"""ARI607."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

SETTINGS = RuleSettings(select=frozenset({"ARI607"}))

KERNEL = """
__global__ void k(const float *x, const int *c, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  STATEMENT
}
"""


def test_four_neighbours() -> None:
    (found,) = check_fixture(
        KERNEL.replace("STATEMENT", "y[i] = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];  //~ wide-access"),
        SETTINGS,
    )
    assert (found.severity, found.tier, len(found.related)) == (Severity.HINT, None, 3)
    assert found.message.startswith(
        "Each thread reads four neighbouring elements of `x` one by one, from a multiple of 16 bytes on. If `x` itself "
        "is aligned to 16 bytes, one `float4` would save about "
    )


@pytest.mark.parametrize(
    "statement",
    [
        "const float *p = x + 4 * i; y[i] = p[0] + p[1] + p[2] + p[3];",
        "y[i] = c[8 * i + 4] + c[8 * i + 5] + c[8 * i + 6] + c[8 * i + 7];",
        "float s = x[i]; y[4 * i] = s; y[4 * i + 1] = s; y[4 * i + 2] = s; y[4 * i + 3] = -s;",
        "y[i] = x[16 * i] + x[16 * i + 3] + x[16 * i + 1] + x[16 * i + 2];",
    ],
)
def test_words_that_lie_together(statement: str) -> None:
    check_fixture(KERNEL.replace("STATEMENT", statement + "  //~ wide-access"), SETTINGS)


@pytest.mark.parametrize(
    "statement",
    [
        "y[i] = x[3 * i] + x[3 * i + 1] + x[3 * i + 2] + x[3 * i + 3];",
        "y[i] = x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3] + x[4 * i + 4];",
        "y[i] = x[n * i] + x[n * i + 1] + x[n * i + 2] + x[n * i + 3];",
        "y[i] = x[4 * i] + x[4 * i + 1] + x[4 * i + 2];",
        "y[4 * i] = x[4 * i]; y[4 * i + 1] = x[4 * i + 1]; y[4 * i + 2] = x[4 * i + 2]; y[4 * i + 3] = x[4 * i + 3];",
        "__shared__ float s[256]; y[i] = s[4 * i] + s[4 * i + 1] + s[4 * i + 2] + s[4 * i + 3];",
        "y[i] = x[i - 1] + x[i] + x[i + 1] + x[i + 2];",
        "float4 f = ((const float4 *)x)[i]; y[i] = f.x + f.y + f.z + f.w;",
        "float s = 0; for (int j = 0; j < 1000; j++) s += sinf(s); y[i] = s + x[0] + x[1] + x[2] + x[3];",
    ],
)
def test_what_is_no_wide_access(statement: str) -> None:
    check_fixture(KERNEL.replace("STATEMENT", statement), SETTINGS)


def test_one_finding_for_each_array() -> None:
    stores = " ".join(f"y[8 * i + {at}] = s;" for at in range(8))
    (found,) = check_fixture(KERNEL.replace("STATEMENT", f"float s = x[i]; {stores}  //~ wide-access"), SETTINGS)
    assert found.message.startswith("Each thread writes 2 times four neighbouring elements of `y` one by one")
    assert [one.message for one in found.related] == ["its neighbour"] * 3 + ["four more begin here"]


@pytest.mark.parametrize(("type_", "mark"), [("float4", ""), ("Aligned", ""), ("Plain", "  //~ wide-access")])
def test_members_of_an_aligned_type_are_joined_by_compilers(type_: str, mark: str) -> None:
    check_fixture(
        f"""
struct Plain {{ float x, y, z, w; }};
struct __align__(16) Aligned {{ float x, y, z, w; }};
__global__ void k(const {type_} *box, float *area) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = box[i].x;{mark}
  float y = box[i].y, z = box[i].z, w = box[i].w;
  area[i] = (z - x) * (w - y);
}}
""",
        SETTINGS,
    )
