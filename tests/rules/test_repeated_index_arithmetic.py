"""ARI602."""

from __future__ import annotations

import pytest

from analysis.refactor.edit import apply_replacements
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import analyze, check, check_fixture

SETTINGS = RuleSettings(select=frozenset({"ARI602"}))
ROWS = """
__global__ void k(const int *{restrict}row, const int *col, {type} *{restrict}y) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = row[i]; j < row[i + 1]; j++) {{{claim}
    {body}
  }}
}}
"""
CLAIM = "  //~ repeated-index-arithmetic"


def rows(body: str, claim: str, restrict: str = "", type_: str = "int") -> str:
    return ROWS.format(body=body, claim=claim, restrict=restrict, type=type_)


@pytest.mark.parametrize(
    ("body", "is_reported"),
    [
        ("y[i] += col[j];", True),
        ("y[j] = i;", True),
        ("__shared__ int s[64]; s[i & 63] += col[j];", False),  # other memory
        ("int t[4]; t[j & 3] = col[j]; if (t[0]) y[0] = 1;", True),
        ("y[i] += col[j]; __syncthreads();", False),  # another thread may have changed it
        ("y[i] += col[j]; atomicAdd(&y[0], 1);", False),
        ("((int *)row)[j] = 1; y[i] = j;", False),  # is meant
        ("volatile int *v = y; *v = j;", False),
    ],
)
def test_a_bound_that_a_store_may_change(body: str, is_reported: bool) -> None:
    check_fixture(rows(body, CLAIM if is_reported else ""), SETTINGS)


@pytest.mark.parametrize(("type_", "restrict", "is_reported"), [("float", "", True), ("int", "__restrict__ ", False)])
def test_restrict_rules_it_out_and_types_do_not(type_: str, restrict: str, is_reported: bool) -> None:
    check_fixture(rows("y[i] += col[j];", CLAIM if is_reported else "", restrict, type_), SETTINGS)


def test_the_bound_moves_in_front_of_the_loop() -> None:
    text = rows("y[i] += col[j];", CLAIM)
    (found,) = check_fixture(text, SETTINGS)
    assert found.message == (
        "`row[i + 1]` is loaded again in each round of the loop, about 20 % of this kernel's issue slots: a compiler "
        "must expect that `y[i] += col[j]` changes it. Load it into a variable in front of the loop, or declare both "
        "pointers `__restrict__`."
    )
    assert found.fix is not None
    after = apply_replacements(text.encode(), found.fix.replacements).decode()
    assert "\n  const auto row_end = row[i + 1];\n  for (int j = row[i]; j < row_end; j++) {" in after
    assert check(analyze(after), SETTINGS) == ()


def test_the_bound_may_lie_in_a_member() -> None:
    text = """struct Graph { int *row; int *col; };
__global__ void k(const Graph g, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = g.row[i]; j < g.row[i + 1]; j++)  //~ repeated-index-arithmetic
    y[i] += g.col[j];
}
"""
    (found,) = check_fixture(text, SETTINGS)
    assert found.fix is not None
    after = apply_replacements(text.encode(), found.fix.replacements).decode()
    assert "\n  const auto row_end = g.row[i + 1];\n  for (int j = g.row[i]; j < row_end; j++)" in after
    assert check(analyze(after), SETTINGS) == ()


@pytest.mark.parametrize(
    "loop",
    [
        "if (i) for (int j = row[i]; j < row[i + 1]; j++) y[i] += col[j];",
        "int j = row[i]; while (j < row[i + 1]) { y[i] += col[j]; j++; }",
    ],
)
def test_a_loop_that_is_no_statement_of_a_block_gets_no_fix(loop: str) -> None:
    head = "__global__ void k(const int *row, const int *col, int *y) { int i = threadIdx.x; "
    (found,) = check(analyze(f"{head}{loop} }}"), SETTINGS)
    assert found.fix is None


def test_the_loads_of_one_loop_are_one_finding() -> None:
    body = "y[i] += col[j * col[i]];"
    (found,) = check_fixture(rows(body, CLAIM), SETTINGS)
    assert found.message.startswith("`row[i + 1]` and `col[i]` are loaded again in each round of the loop")
    assert found.fix is None


def test_a_second_load_of_a_block() -> None:
    kernel = "__global__ void k(const int *idx, int *a, int *b) {{ int i = threadIdx.x; {body} }}"
    (found,) = check(analyze(kernel.format(body="a[idx[i]] = 1; b[idx[i]] = 2;")), SETTINGS)
    assert found.message.startswith("`idx[i]` is loaded a second time, ")
    assert check(analyze(kernel.format(body="b[i] = a[idx[i]] + a[idx[i]];")), SETTINGS) == ()
    assert check(analyze(kernel.format(body="int j = idx[i]; a[j] = 1; b[j] = 2;")), SETTINGS) == ()


@pytest.mark.parametrize(
    ("index", "is_reported"),
    [
        ("unsigned t = blockIdx.x * blockDim.x + threadIdx.x;", True),
        ("int t = blockIdx.x * blockDim.x + threadIdx.x;", False),
        ("size_t t = blockIdx.x * blockDim.x + threadIdx.x;", False),
        ("unsigned t = threadIdx.x;", False),  # a compiler knows how large that is
        ("unsigned t = i;", True),
    ],
)
def test_an_index_that_may_wrap(index: str, is_reported: bool) -> None:
    claim = CLAIM if is_reported else ""
    body = f"{index} a[t] = b[t] + b[t + 1] + b[t + 2];{claim}"
    found = check_fixture(f"__global__ void k(float *a, const float *b, unsigned i) {{ {body}\n}}", SETTINGS)
    if is_reported:
        (one,) = found
        assert one.message.startswith("The address of `b[t + 1]` and another address are computed anew, ")
        assert one.message.endswith(
            "its unsigned 32-bit index may wrap, so to a compiler it is no offset from `b[t]`. "
            "It is one with an `int`, with 64 bits, or from a pointer to the first element."
        )


def test_addresses_of_shared_memory_wrap_as_the_index_does() -> None:
    body = "__shared__ float s[1024]; s[i] = a[i]; __syncthreads(); a[i] = s[i] + s[i + 1] + s[i + 2];"
    check_fixture(f"__global__ void k(float *a, unsigned i) {{ {body} }}", SETTINGS)
