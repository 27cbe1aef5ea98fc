"""Defects that long runs of `planted_fuzz` showed to be missed, each with its twin; and a short run of it."""

from __future__ import annotations

from collections import Counter

import pytest

from sim.sanitize.api import sanitize
from sim.sanitize.model import KernelFindings, Severity, Site
from tests.sim.sanitize.planted_fuzz import check


def of(text: str, *, seconds: float = 20.0) -> KernelFindings:
    (found,) = sanitize(text, seconds=seconds, seeds=1).kernels
    return found


def found(text: str, *, seconds: float = 20.0) -> list[tuple[str, str, int]]:
    """Kind, severity and line of each finding."""
    return [(site.kind, site.severity.value, line(site)) for site in of(text, seconds=seconds).sites]


def line(site: Site) -> int:
    return 0 if site.place is None else site.place.line


@pytest.mark.parametrize("space", ["__device__", "__constant__"])
@pytest.mark.parametrize("type", ["float", "int", "unsigned char"])
def test_the_length_of_a_variable_is_no_choice(space: str, type: str) -> None:
    """Its contents are: those excuse nothing."""
    text = f"""{space} {type} table[64];
__global__ void k(float *out) {{ out[threadIdx.x] = table[threadIdx.x + MORE]; }}
void host(float *out) {{ k<<<1, 64>>>(out); }}
"""
    assert found(text.replace("MORE", "1")) == [("out-of-bounds", "error", 2)]
    assert found(text.replace("MORE", "0")) == []


def test_shared_memory_that_the_launch_gives_does_not_grow() -> None:
    text = """__global__ void k(float *out) {
  extern __shared__ float s[];
  s[threadIdx.x] = 1;
  out[threadIdx.x] = s[threadIdx.x] + s[63 - threadIdx.x] * 0;
}
void host(float *out) { k<<<1, 32, BYTES>>>(out); }
"""
    kinds = [kind for kind, severity, _ in found(text.replace("BYTES", "128")) if severity == "error"]
    assert "out-of-bounds" in kinds
    assert "out-of-bounds" not in [kind for kind, _, _ in found(text.replace("BYTES", "256"))]


UNASSIGNED = """
struct Four { float a, b, c, d; };
__device__ float half_of(float x) { return x / 2; }
__global__ void k(float *out, const float *in, int n) {
  int t = threadIdx.x;
  float v = in[t];
  STATEMENTS
  out[t] = v;
}
void host(float *out, float *in) { k<<<1, 64>>>(out, in, 3); }
"""


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        ("float s; v += s;", "float s = 1; v += s;"),
        ("float s; v += s * 2.0f;", "float s; s = v; v += s * 2.0f;"),
        ("float s; for (int i = 0; i < n; i++) s += in[i]; v = s;", "float s = 0; for (int i = 0; i < n; i++) s += v;"),
        ("float a[4]; a[0] = 1; a[1] = 2; a[3] = v; v += a[2];", "float a[4]; a[0] = 1; a[2] = v; v += a[2];"),
        ("Four f; f.a = v; f.c = v; v = f.a + f.b;", "Four f; f.a = v; f.c = v; v = f.a + f.c;"),
        ("float4 f; f.x = v; f.z = v; v = f.x + f.w;", "float4 f; f.x = v; f.w = v; v = f.x + f.w;"),
        ("int i; if (i > 0) v = 1;", "int i = n; if (i > 0) v = 1;"),
        ("int i; v = in[i & 3];", "int i = t; v = in[i & 3];"),
    ],
)
def test_variables_that_nobody_assigned(bad: str, good: str) -> None:
    assert found(UNASSIGNED.replace("STATEMENTS", bad)) == [("uninitialised-read", "error", 7)]
    assert found(UNASSIGNED.replace("STATEMENTS", good)) == []


@pytest.mark.parametrize(
    "text",
    [
        "float s; if (n > 0) s = 1; if (n > 0) v += s;",  # assigned where it is read
        "float s; if (t < 32) s = 1; else s = 2; v += s;",
        "Four f, g; f.a = v; g = f; v = g.a;",  # copied as a whole
        "float4 f; f.x = v; ((float4 *)out)[16 + t] = f;",  # stored as a whole
        "int i; i = i ^ i; v += i;",  # whatever it is
        "float s; (void)s;",
        "float s; if (n > 5) v += s;",  # never comes there
        "float s; for (int i = 0; i < n; i++) { s = i; v += s; }",
    ],
)
def test_what_is_no_read_of_an_unassigned_variable(text: str) -> None:
    assert found(UNASSIGNED.replace("STATEMENTS", text)) == []


def test_a_variable_that_is_passed_is_read_where_the_function_does() -> None:
    assert found(UNASSIGNED.replace("STATEMENTS", "float s; v = half_of(s);")) == [("uninitialised-read", "error", 3)]
    assert found(UNASSIGNED.replace("STATEMENTS", "float s = 1; v = half_of(s);")) == []


def test_a_variable_is_told_once_and_named() -> None:
    (site,) = of(UNASSIGNED.replace("STATEMENTS", "float s; v += s; v *= s; if (s > 1) v = 0;")).sites
    assert site.message == "computes with s, to which nothing was assigned"


ENDLESS = """__global__ void k(float *out, int n) {
  float v = threadIdx.x;
  if (blockIdx.x == gridDim.x - 1) {
    STATEMENTS
  }
  out[threadIdx.x + blockIdx.x * 32] = v;
}
void host(float *out) { k<<<2, 32>>>(out, 3); }
"""


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        ("for (unsigned j = 3; j >= 0; j--) v += 1;", "for (unsigned j = 3; j > 0; j--) v += 1;"),
        ("int j = 0; while (true) { ++j; if (j > 4) continue; }", "int j = 0; while (true) { if (++j > 4) break; }"),
        ("for (int j = 0; ; j++) v += j;", "for (int j = 0; ; j++) { v += j; if (j == n) return; }"),
    ],
)
def test_loops_without_a_way_out(bad: str, good: str) -> None:
    """Also where only one block comes there, which a smaller launch would not show."""
    assert found(ENDLESS.replace("STATEMENTS", bad), seconds=1.0) == [("livelock", "error", 4)]
    assert found(ENDLESS.replace("STATEMENTS", good)) == []


def test_a_loop_that_may_be_long_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.sanitize.endless.MANY", 200)
    text = ENDLESS.replace("STATEMENTS", "for (int j = 1; j < n; n++) v += j;")
    (site,) = of(text, seconds=1.0).sites
    assert (site.kind, site.severity, line(site)) == ("livelock", Severity.NOTE, 4)
    assert "does it end?" in site.message


def test_the_comment_above_a_kernel_counts() -> None:
    text = """// simt: grid=1 block=32 x=zeros[32]
__global__ void k(float *x) { x[threadIdx.x + 1] = 1; }
"""
    assert found(text) == [("out-of-bounds", "error", 2)]
    assert found(text.replace("x=zeros[32]", "x=zeros[33]")) == []


def test_random_defects_are_found_and_twins_are_clean() -> None:
    counts: Counter[str] = Counter()
    assert [wrong for seed in range(8) if (wrong := check(seed, counts)) is not None] == []
    assert counts["found"] == counts["planted"] == 8
