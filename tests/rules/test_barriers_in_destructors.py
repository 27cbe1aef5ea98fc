"""SYN104 where the end of an object leads to a barrier."""

from __future__ import annotations

import pytest

from tests.rules.fixture import check_fixture

GUARDS = """
struct Guard { __device__ Guard(int) {} __device__ ~Guard() { __syncthreads(); } };
struct Holder { int n; Guard guard; __device__ Holder(int m) : n(m), guard(m) {} };
struct Heir : Guard { __device__ Heir() : Guard(1) {} };
struct Outside { int n; __device__ ~Outside(); };
__device__ Outside::~Outside() { __syncthreads(); }
template <class T> struct Around { T value; __device__ ~Around() { __syncthreads(); } };
struct Idle { int n; __device__ ~Idle() {} };
__device__ Guard made() { return Guard(1); }
__device__ int look(const Guard &) { return 1; }
__device__ int take(Guard) { return 1; }
"""


def test_the_return_that_skips_the_end_of_the_scope_and_the_brace_are_reported() -> None:
    text = (
        GUARDS
        + """__global__ void k(int *out) {
  __shared__ int tile[64];
  Guard guard(1);
  tile[threadIdx.x] = 1;
  if (threadIdx.x > 5) return;  //~ barrier-in-divergent-call, divergent-branch
  out[threadIdx.x] = tile[0];
}  //~ barrier-in-divergent-call
void host(int *out) { k<<<1, 64>>>(out); }
"""
    )
    at_return, at_brace = (found for found in check_fixture(text) if found.code == "SYN104")
    assert text[at_return.start : at_return.end] == "return;"
    assert text[at_brace.start : at_brace.end] == "}"
    for found in (at_return, at_brace):
        assert found.message.startswith("`Guard::~Guard`, which runs here, leads to a barrier in divergent code.")
        assert found.related[-1].location.start == text.index("__syncthreads()")


def test_a_return_that_all_threads_of_the_block_take_is_fine() -> None:
    check_fixture(
        GUARDS
        + """__global__ void k(int *out, int n) {
  Guard guard(1);
  if (n > 5) return;
  out[threadIdx.x] = n;
}
"""
    )


@pytest.mark.parametrize(
    "object",
    [
        "Guard g(1);",
        "Guard g = made();",
        "auto g = made();",
        "const Guard &g = made();",
        "Holder h(1);",
        "Heir h;",
        "Outside o;",
        "Around<int> a;",
        "Guard g[2] = {1, 2};",
        "Guard g(1); goto end; end:;",
        "if (Idle i{1}; n) { Guard g(1); }",
        "for (Guard g(1); n > 3; n--) {}",
        "for (const Guard &g : {Guard(1), Guard(2)}) {}",
        "switch (n) { case 1: { Guard g(1); break; } }",
        "while (n-- > 0) { Guard g(1); if (n == 3) continue; if (n == 4) break; }",
        "[&] { Guard g(1); if (n) return; n++; }();",
    ],
)
def test_an_object_of_a_divergent_arm_is_reported_and_one_of_a_uniform_arm_is_not(object: str) -> None:
    exits = 3 if "continue" in object else 2 if "return" in object else 1
    claims = ", ".join(["barrier-in-divergent-call"] * exits)
    line = f"if (threadIdx.x > 7) {{ {object} }}  //~ {claims}"
    for found in check_fixture(f"{GUARDS} __global__ void k(int n) {{\n{line}\n}}"):
        assert "::~" in found.message
    check_fixture(f"{GUARDS} __global__ void k(int n) {{ if (n > 7) {{ {object} }} }}")


@pytest.mark.parametrize("statement", ["made();", "Guard(1);", "n += look(Guard(1));", "n += take(Guard(1));"])
def test_a_temporary_ends_with_its_statement(statement: str) -> None:
    line = f"if (threadIdx.x > 7) {{ {statement} }}  //~ barrier-in-divergent-call"
    check_fixture(f"{GUARDS} __global__ void k(int n) {{\n{line}\n}}")
    check_fixture(f"{GUARDS} __global__ void k(int n) {{ {statement} if (threadIdx.x > 7) n++; }}")


@pytest.mark.parametrize(
    ("condition", "level"), [("n > 2 && look(Guard(1))", "n"), ("threadIdx.x > 2 && look(Guard(1))", "threadIdx.x")]
)
def test_a_temporary_of_the_right_side_of_a_condition_ends_where_it_was_made(condition: str, level: str) -> None:
    claim = "  //~ barrier-in-divergent-call" if level == "threadIdx.x" else ""
    check_fixture(f"{GUARDS} __global__ void k(int n, int *out) {{\nif ({condition}) out[0] = 1;{claim}\n}}")
    check_fixture(f"{GUARDS} __global__ void k(int n, int *out) {{\nbool b = {condition};{claim}\nout[0] = b; }}")


@pytest.mark.parametrize("object", ["Idle i{1};", "Guard *g = nullptr;", "Guard &g = *(Guard *)out;"])
def test_what_ends_without_code_is_silent(object: str) -> None:
    check_fixture(f"{GUARDS} __global__ void k(int *out) {{ if (threadIdx.x > 7) {{ {object} out[0] = 1; }} }}")
