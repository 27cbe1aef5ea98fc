"""One line in words."""

from __future__ import annotations

import re
from dataclasses import replace
from inspect import cleandoc

from analysis.features.explain import explain_line, render_explanation
from analysis.features.explain_access import NEIGHBOURS
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldMethod, MeldSettings
from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import analyze
from tests.support.project_analysis import analyzed

TEXT = """__device__ void sync() { __syncthreads(); }
__global__ void k(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = v;
  y[0] = n;
  if (v > 0.0f) sync();
  float w = mystery(n);
  __syncthreads();
}
int host() { return 1; }
"""


def explained(line: int) -> str:
    return render_explanation(explain_line(analyze(TEXT), line))


def test_a_variable_with_its_chain() -> None:
    assert explained(3) == cleandoc("""
        line 3 in k: int i = blockIdx.x * blockDim.x + threadIdx.x;
          `i`: varying, = threadIdx.x + blockIdx.x*blockDim.x
              line 3: int i = blockIdx.x * blockDim.x + threadIdx.x;  (the thread index differs in every thread)
            all threads of the grid arrive here together
    """)


def test_a_branch_with_its_grade() -> None:
    assert explained(4) == cleandoc("""
        line 4 in k: if (i >= n) return;
          `if` on `i >= n`: the condition is varying; boundary: each bound splits at most one warp per row
              line 4: if (i >= n) return;
              line 3: int i = blockIdx.x * blockDim.x + threadIdx.x;  (the thread index differs in every thread)
            all threads of the grid arrive here together
    """)


def test_a_place_that_not_all_threads_reach() -> None:
    shown = explained(5)
    assert "    the lanes of a warp may not arrive here together\n" in shown
    assert shown.count("line 4: if (i >= n) return;") == 1


def test_a_line_that_only_uses_values_names_those_that_vary() -> None:
    items = explain_line(analyze(TEXT), 6).items
    assert [(item.what, item.verdict) for item in items if item.what in ("`i`", "`v`")] == [
        ("`i`", "varying, = threadIdx.x + blockIdx.x*blockDim.x"),
        ("`v`", "varying"),
    ]


def test_nothing_varies() -> None:
    assert explained(7) == cleandoc("""
        line 7 in k: y[0] = n;
          nothing varies here
          `y[0]`: store to global memory, every lane writes one address
            address in bytes: y
            of the values that the lanes write, one remains
    """)


def test_a_name_of_a_function_shows_what_its_warps_meet() -> None:
    assert explained(2).splitlines()[:6] == [
        "line 2 in k: __global__ void k(const float *x, float *y, int n) {",
        "  kernel `k`: 1 unsafe barrier · 1 divergent branch · 1 opaque",
        "      line 8: if (v > 0.0f) sync();  (divergent branch)",
        "      line 9: float w = mystery(n);  (opaque: call of unknown function mystery)",
        "      line 10: __syncthreads();  (unsafe barrier)",
        "  `x`: uniform in the grid",
    ]


def test_a_kernel_names_all_its_launches() -> None:
    launch = '#include "k.cuh"\nvoid a(int *x) { k<<<1, 64>>>(x); }\n'
    files = {"k.cuh": "__global__ void k(int *x) { x[0] = 1; }\n", **{f"{name}.cu": launch for name in "abcdefg"}}
    text = render_explanation(explain_line(analyzed(files, "k.cuh"), 1))
    listed = ", ".join(f"{name}.cu:2" for name in "abcdefg")
    assert f"    block of 64 threads; all 7 launches: {listed}\n" in text


def test_a_function_with_many_places_shows_the_gravest() -> None:
    branches = "".join(f"  if (x[threadIdx.x] > {n}) x[{n}] = x[threadIdx.x] * 2 + 1;\n" for n in range(20))
    text = f"__global__ void k(int *x) {{\n{branches}  if (threadIdx.x < 7) __syncthreads();\n}}\n"
    (item, *_) = explain_line(analyze(text), 1).items
    assert item.verdict == "1 unsafe barrier · 20 divergent branches; 12 of them"
    assert [step.line for step in item.why] == [*range(2, 13), 22]


def test_a_function_in_which_nothing_varies() -> None:
    shown = render_explanation(explain_line(analyze("__global__ void k(int *x, int n) { *x = n; }\n"), 1))
    assert shown.splitlines()[1:3] == ["  nothing varies here", "  kernel `k`: no divergent branches"]


def test_the_summary_counts_what_differs() -> None:
    text = "__global__ void k(int *x, int n) {\n  int i = threadIdx.x; int j = n;\n  int t = threadIdx.x;\n}\n"
    assert explain_line(analyze(text), 2).summary == "not the same for all threads of the grid in 1 of 2 places"
    assert explain_line(analyze(text), 3).summary == "not the same for all threads of the grid"


def test_a_long_line_of_a_chain_is_shown_around_its_place() -> None:
    text = """__global__ void k(int *first, int *count, int *x) {
  for (int edge = first[threadIdx.x]; edge < first[threadIdx.x] + count[threadIdx.x]; edge++) x[edge] = 0;
}
"""
    (loop, *_) = explain_line(analyze(text), 2).items
    assert loop.why[0].source is not None
    assert loop.why[0].source.startswith("for (int edge = first[threadIdx.x];")


def test_an_address_without_any_name_in_it_is_not_shown() -> None:
    text = """__device__ void f(float *x) { *x = 1.0f; }
__global__ void k(float *a, float *b, int n, int m) { f(a + n); f(b + m); }
"""
    assert "address in bytes" not in render_explanation(explain_line(analyze(text), 1))


def test_a_call_that_leads_to_a_barrier() -> None:
    (call,) = [item for item in explain_line(analyze(TEXT), 8).items if item.what.startswith("call")]
    assert call.what == "call `sync()`"
    assert call.verdict.startswith("This call leads to a barrier in divergent code. ")


def test_an_opaque_is_named_once() -> None:
    verdicts = [item.verdict for item in explain_line(analyze(TEXT), 9).items if item.what == "`mystery(n)`"]
    assert len(verdicts) == 1
    assert verdicts[0].startswith("opaque to the analysis (call of unknown function mystery")


def test_a_barrier_with_its_verdict() -> None:
    (barrier,) = explain_line(analyze(TEXT), 10).items
    assert barrier.what == "block barrier `__syncthreads()`"
    assert barrier.verdict.startswith("divergent: Threads 0-31 of the block arrive at this barrier, 32-63 do not")
    assert [step.line for step in barrier.why][-1] == 3


def test_lines_without_device_code() -> None:
    assert explained(12).endswith("no device function stands on this line")
    assert explained(99).endswith("the file has 13 lines")
    assert explained(0).endswith("the file has 13 lines")


def test_code_that_is_not_compiled() -> None:
    explanation = explain_line(analyze("#if 0\n__global__ void k(int n) { int m = n; }\n#endif\n"), 2)
    assert explanation.items == ()
    assert explanation.summary == "`k` is excluded by `#if`: nothing is known about it"


MEMORY = """__global__ void k(float *out, const float *in, const int *pick, int n) {
  __shared__ float tile[32][32];
  int i = threadIdx.x;
  tile[i][0] = 1.0f;
  out[i * 32] += in[pick[i]];
  out[i * n] = in[i + n];
  atomicAdd(out, 1.0f);
}
void host(float *out, const float *in, const int *pick, int n) { k<<<1, 64>>>(out, in, pick, n); }
"""


def accesses(line: int) -> list[list[str]]:
    """What is said of each access on the line: its text, its verdict, the details."""
    items = explain_line(analyze(MEMORY), line).items
    return [[f"{item.what}: {item.verdict}", *item.details] for item in items if " memory, " in item.verdict]


def test_a_bank_conflict_with_its_reason_and_repair() -> None:
    assert accesses(4) == [
        [
            "`tile[i][0]`: store to shared memory, 32-way bank conflict (stride 32 words)",
            "address in bytes: tile + 128*threadIdx.x",
            "lanes that are 32 words apart use 1 of the 32 banks",
            "to fix: make the rows one element longer, so that a column lies in different banks",
        ]
    ]


def test_a_costly_a_scattered_and_a_coalesced_access() -> None:
    found = accesses(5)
    assert found == [
        [
            "`out[i * 32]`: load from and store to global memory, stride 128 B: 32 sectors where 4 would do (12 %)",
            "address in bytes: out + 128*threadIdx.x",
            NEIGHBOURS,
        ],
        ["`in[pick[i]]`: load from global memory, scattered: the index comes from memory, `pick[i]`"],
        [
            "`pick[i]`: load from global memory, stride 4 B, coalesced: 4 sectors (100 %)",
            "address in bytes: pick + 4*threadIdx.x",
        ],
    ]


def test_a_stride_that_is_no_number_and_a_base_that_may_be_shifted() -> None:
    assert accesses(6) == [
        [
            "`out[i * n]`: store to global memory, stride 4*n B: 32 sectors where 4 would do (12 %), "
            "unless `n` is below 8",
            "address in bytes: out + 4*n*threadIdx.x",
            NEIGHBOURS,
        ],
        [
            "`in[i + n]`: load from global memory, stride 4 B, coalesced: 4 sectors (100 %)",
            "address in bytes: in + 4*threadIdx.x + 4*n",
            "5 sectors where the base is not a multiple of 32 bytes",
        ],
    ]


def test_lanes_that_update_one_address_queue() -> None:
    assert accesses(7) == [
        [
            "`atomicAdd(out, 1.0f)`: atomic on global memory, every lane updates one address, one after the other",
            "address in bytes: out",
            "to relieve: combine the values in the warp or block first, and let one lane update",
        ]
    ]


def test_the_line_of_a_kernel_lists_its_costly_accesses() -> None:
    lines = render_explanation(explain_line(analyze(MEMORY), 1)).splitlines()
    assert lines[1:6] == [
        "  kernel `k`: 2 uncoalesced · 32-way bank conflict",
        "    block of 64 threads; only launch: fixture.cu:9",
        "      line 4: tile[i][0] = 1.0f;  (32-way bank conflict)",
        "      line 5: out[i * 32] += in[pick[i]];  (uncoalesced)",
        "      line 6: out[i * n] = in[i + n];  (uncoalesced)",
    ]


ARMS = """__global__ void k(float *x, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 0) { x[i] = a[i] * 2.0f; } else { x[i] = b[i] * 2.0f; }
  if (i % 3 == 0) { x[i] = a[i]; } else { __syncthreads(); }
  if (i % 5 == 0) x[i] = 1.0f;
  if (n == 0) { x[i] = a[i]; } else { x[i] = b[i]; }
}
"""


def melding(line: int, settings: MeldSettings = DEFAULT_MELD_SETTINGS) -> list[str]:
    """What is said about the arms of the branches on the line."""
    items = explain_line(analyze(ARMS), line, settings).items
    return [detail for item in items for detail in item.details if "meld" in detail]


def test_arms_that_can_be_melded() -> None:
    (words,) = melding(3)
    assert re.fullmatch(
        r"the arms can be melded: one converged sequence would save about \d+ % of this kernel's issue slots", words
    )


def test_arms_that_cannot_be_melded_say_why() -> None:
    (words,) = melding(4)
    assert words.startswith("the arms are not melded: ")
    assert "barrier" in words


def test_nothing_is_said_where_there_are_no_two_arms_or_no_warp_splits() -> None:
    assert melding(5) == melding(6) == []


def test_the_method_of_the_settings_counts() -> None:
    """Tail merging wants equal instructions; these arms differ in an operand."""
    assert melding(3, replace(DEFAULT_MELD_SETTINGS, method=MeldMethod.TAIL)) != melding(3)


LADDER = """__global__ void k(const float *a, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i];
  if (v > 3) {
    x[i] = expf(v) * logf(v);
  } else if (v > 2) {
    x[i] = expf(v + 1) / logf(v);
  } else {
    x[i] = sinf(v) + 2 / v;
  }
  if (v > 4) {
    x[i] += expf(v) * logf(v);
  } else {
    x[i] *= sinf(v) + 2 / v;
  }
}
"""


def test_a_rung_tells_its_own_share_and_that_of_the_finding() -> None:
    analysis = analyze(LADDER)
    told = next(one for one in check(analysis, RuleSettings()) if one.code == "DIV401")
    (share,) = re.findall(r"about (\d+) % of this kernel's issue slots\.", told.message)
    together = f"all rungs of this ladder take about {share} % of this kernel's issue slots together"
    for line in (4, 6):
        (item,) = (one for one in explain_line(analysis, line).items if one.what.startswith("`if`"))
        own, *others = (words for words in item.details if words.startswith(("a split", "all rungs")))
        assert own.startswith("a split takes about")
        assert share not in own
        assert others == [together]


def test_a_branch_alone_tells_its_own_share_only() -> None:
    (item,) = (one for one in explain_line(analyze(LADDER), 11).items if one.what.startswith("`if`"))
    assert not any("together" in words for words in item.details)
