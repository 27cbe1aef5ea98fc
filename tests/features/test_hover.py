"""What a hover says at `$0`, in both renderings."""

from __future__ import annotations

from inspect import cleandoc

import pytest

from analysis.features.hover import hover_at
from analysis.features.hover_info import ValueSubject
from analysis.features.hover_text import render_markdown, render_text
from tests.rules.fixture import analyze_at_cursor


def markdown(marked: str) -> str | None:
    """The hover at the cursor."""
    analysis, offset = analyze_at_cursor(cleandoc(marked) + "\n")
    info = hover_at(analysis, offset)
    return None if info is None else render_markdown(info)


def expected(text: str) -> str:
    return cleandoc(text)


def test_a_varying_value_shows_its_chain_by_source_lines() -> None:
    assert markdown("""
        __global__ void k(float *x) {
          int tid = threadIdx.x;
          int i = blockIdx.x * blockDim.x + tid;
          x[$0i] = 0.0f;
        }
    """) == expected("""
        `i` is **varying** · `int`

        `= threadIdx.x + blockIdx.x*blockDim.x`

        - line 3: `int i = blockIdx.x * blockDim.x + tid;`
        - line 2: `int tid = threadIdx.x;` (the thread index differs in every thread)

        All threads of the grid arrive here together
    """)


def test_a_uniform_value_needs_no_chain() -> None:
    assert markdown("""
        __global__ void k(float *x, int n) {
          x[$0n] = 0.0f;
        }
    """) == expected("""
        `n` is **uniform in the grid** · `int`

        All threads of the grid arrive here together
    """)


@pytest.mark.parametrize(
    ("line", "name"),
    [("int m = $0n + 1;", "n"), ("bool $0m = n > 1;", "m"), ("x[$0n] = 0.0f;", "n"), ("f(x, $0n + 1);", "n")],
)
def test_a_place_behind_a_varying_branch_names_the_branch(line: str, name: str) -> None:
    assert markdown(f"""
        __device__ void f(float *a, int b) {{ a[b] = 1.0f; }}
        __global__ void k(float *x, int n) {{
          if (threadIdx.x < n) {{
            {line}
          }}
        }}
    """) == expected(f"""
        `{name}` is **uniform in the grid** · `{"bool" if name == "m" else "int"}`

        The lanes of a warp may not arrive here together: line 3 `if (threadIdx.x < n) {{`
    """)


def test_a_branch_shows_level_grade_and_convergence() -> None:
    assert markdown("""
        __global__ void k(float *x, int n) {
          int i = threadIdx.x;
          $0if (i < n) x[i] = 0.0f;
        }
    """) == expected("""
        **condition varying**

        boundary: each bound splits at most one warp per row

        - line 3: `if (i < n) x[i] = 0.0f;`
        - line 2: `int i = threadIdx.x;` (the thread index differs in every thread)

        All threads of the grid arrive here together
    """)


def test_an_assignment_is_told_apart_from_the_element_it_changes() -> None:
    shown = markdown("""
        __global__ void k(bool *seen) {
          $0seen[threadIdx.x] = true;
        }
    """)
    assert shown is not None
    assert shown.startswith("`seen[threadIdx.x] = true` is **uniform in the grid**")


def test_all_threads_that_come_to_a_branch_decide_its_first_part() -> None:
    shown = markdown("""
        __global__ void k(float *x, const bool *wanted, int n) {
          int i = threadIdx.x;
          $0if (i < n && wanted[i]) x[i] = 0.0f;
        }
    """)
    assert shown is not None
    assert shown.endswith("All threads of the grid arrive here together")


def test_a_branch_behind_a_varying_branch_names_it() -> None:
    shown = markdown("""
        __global__ void k(float *x, int n) {
          if (threadIdx.x < 7) {
            $0if (n > 3) x[n] = 0.0f;
          }
        }
    """)
    assert shown is not None
    assert shown.endswith("The lanes of a warp may not arrive here together: line 2 `if (threadIdx.x < 7) {`")


def test_a_place_is_shown_as_its_worst_caller_leaves_it() -> None:
    """The value varies most in the first call, but the second is where lanes have parted."""
    shown = markdown("""
        __device__ void f(float *x, int a) {
          x[0] = $0a;
        }
        __global__ void k(float *x, int n) {
          f(x, threadIdx.x);
          if (threadIdx.x < 7) {
            f(x, n);
          }
        }
    """)
    assert shown is not None
    assert shown.startswith("`a` is **varying**")
    assert shown.endswith("The lanes of a warp may not arrive here together: line 6 `if (threadIdx.x < 7) {`")


def test_a_line_that_says_two_things_is_shown_once() -> None:
    shown = markdown("""
        __global__ void k(const float *x, float *y, int n) {
          int i = threadIdx.x;
          float $0v = i < n ? x[i] : 0.0f;
          y[i] = v;
        }
    """)
    assert shown is not None
    assert shown.count("line 3:") == 1


def test_a_loop_shows_its_trip_count() -> None:
    shown = markdown("""
        __global__ void k(float *x, const int *rows) {
          int i = threadIdx.x;
          $0for (int j = 0; j < rows[i]; j++) x[j] += 1.0f;
        }
    """)
    assert shown is not None
    assert shown.startswith("**trip count varying**\n\ndata-dependent: ")


def test_a_convergent_barrier() -> None:
    assert (
        markdown("""
        __global__ void k() {
          $0__syncthreads();
        }
    """)
        == "**convergent block barrier**\n\n- it orders nothing: no thread uses what another one writes around it"
    )


def test_a_barrier_names_the_accesses_that_need_it() -> None:
    assert markdown("""
        __global__ void k(float *out, const float *in, int n) {
          __shared__ float s[128];
          float v = 0;
          for (int r = 0; r < n; r++) {
            s[threadIdx.x] = in[r * 128 + threadIdx.x];
            __syncthreads();
            v += s[127 - threadIdx.x];
            $0__syncthreads();
          }
          out[threadIdx.x] = v;
        }
    """) == expected("""
        **convergent block barrier**

        - line 7 reads `s[127 - threadIdx.x]` before line 5 writes `s[threadIdx.x]`, in the next round
    """)


def test_a_barrier_of_which_nothing_is_known_names_no_accesses() -> None:
    assert (
        markdown("""
        __global__ void k(float *out) {
          __shared__ float s[128];
          s[threadIdx.x] = 1;
          if (threadIdx.x < 64) __syncthreads();
          $0__syncthreads();
          out[threadIdx.x] = s[127 - threadIdx.x];
        }
    """)
        == "**convergent block barrier**"
    )


def test_a_divergent_barrier_shows_who_misses_it_and_why() -> None:
    assert markdown("""
        __global__ void k() {
          if (threadIdx.x < 16) {
            __sync$0threads();
          }
        }
    """) == expected("""
        **divergent block barrier**

        Threads 0-15 of the block arrive at this barrier, 16-63 do not (blocks of 64 threads): at the `if` at line 2, `threadIdx.x < 16` depends on `threadIdx.x`.

        - line 3: `__syncthreads();` (this code runs only where a branch leads there)
        - line 2: `if (threadIdx.x < 16) {` (the thread index differs in every thread)
    """)  # noqa: E501


def test_a_barrier_behind_a_divergent_call_names_the_call() -> None:
    shown = markdown("""
        __device__ void sync() {
          $0__syncthreads();
        }
        __global__ void k() {
          if (threadIdx.x < 16) sync();
        }
    """)
    assert shown is not None
    assert "arrive at this barrier" in shown
    assert "The call at line 5 leads here." in shown


def test_a_barrier_without_known_callers() -> None:
    assert (
        markdown("""
        __device__ void sync() {
          $0__syncthreads();
        }
    """)
        is not None
    )


def test_a_kernel_name_shows_counts_and_launch() -> None:
    assert markdown("""
        __global__ void __launch_bounds__(256) $0k(const float *x, float *y) {
          int i = threadIdx.x;
          if (x[i] > 0.0f) y[i] = 1.0f;
          if (i < 16) __syncthreads();
          float z = mystery(x[i]);
          y[i] = z;
        }
    """) == expected("""
        **1 of 2 branches divergent · 1 of 1 barrier unsafe**

        one-dimensional block of unknown size

        Opaque to the analysis, so treated as varying:
        - line 5: `float z = mystery(x[i]);` (call of unknown function mystery)
    """)


def test_an_opaque_on_the_chain_is_named() -> None:
    shown = markdown("""
        __global__ void k(float *x) {
          float z = mystery(1.0f);
          x[0] = $0z;
        }
    """)
    assert shown is not None
    assert "Opaque to the analysis, so treated as varying:\n- line 2: `float z = mystery(1.0f);` (call of" in shown


def test_the_plain_form_says_the_same_without_markup() -> None:
    analysis, offset = analyze_at_cursor(
        "__global__ void k(float *x) {\n  int tid = threadIdx.x;\n  x[$0tid] = 0;\n}\n"
    )
    info = hover_at(analysis, offset)
    assert info is not None
    assert render_text(info) == expected("""
        tid is varying · int
        = threadIdx.x
          line 2: int tid = threadIdx.x; (the thread index differs in every thread)
        All threads of the grid arrive here together
    """)


@pytest.mark.parametrize(
    "marked",
    [
        "$0\n__global__ void k() {}\n",
        "int ho$0st(int a) { return a; }\n",
        "__global__ void k() { $0 }\n",
        "#if 0\n__global__ void k(int n) { int m = $0n; }\n#endif\n",
    ],
)
def test_nothing_to_say(marked: str) -> None:
    analysis, offset = analyze_at_cursor(marked)
    assert hover_at(analysis, offset) is None


def test_markup_in_source_text_stays_text() -> None:
    shown = markdown("""
        __global__ void k(float *x) {
          int a_b_c = threadIdx.x * 2 * x[0];
          x[0] = $0a_b_c;
        }
    """)
    assert shown is not None
    assert "`int a_b_c = threadIdx.x * 2 * x[0];`" in shown


def test_a_parameter_is_declared_where_no_thread_has_parted() -> None:
    assert (
        markdown("""
        __global__ void k(float *x, int $0n) {
          x[0] = n;
        }
    """)
        == "`n` is **uniform in the grid** · `int`"
    )


def test_the_launch_decides_the_block() -> None:
    shown = markdown("""
        __global__ void $0k() {}
        void host() { k<<<1, dim3(16, 8)>>>(); }
    """)
    assert shown == "**no branches**\n\nblock of 16 x 8 threads; only launch: fixture.cu:2"


def test_a_long_chain_is_cut_in_the_middle() -> None:
    steps = "\n".join(f"int v{i + 1} = v{i} + 1;" for i in range(9))
    analysis, offset = analyze_at_cursor(
        f"__global__ void k(int *x) {{\nint v0 = threadIdx.x;\n{steps}\nx[0] = $0v9;\n}}\n"
    )
    info = hover_at(analysis, offset)
    assert info is not None
    assert len(info.why) == 10
    assert render_text(info).splitlines()[1:-1] == [
        "= threadIdx.x + 9",
        "  line 11: int v9 = v8 + 1;",
        "  line 10: int v8 = v7 + 1;",
        "  line 9: int v7 = v6 + 1;",
        "  … 4 more",
        "  line 4: int v2 = v1 + 1;",
        "  line 3: int v1 = v0 + 1;",
        "  line 2: int v0 = threadIdx.x; (the thread index differs in every thread)",
    ]


def test_a_kernel_with_bounds_checks_alone() -> None:
    shown = markdown("__global__ void $0k(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }")
    assert shown is not None
    assert shown.startswith("**no branch divergent but 1 bounds check**")


def test_the_range_of_a_part_of_a_macro_is_not_said_of_its_value() -> None:
    shown = markdown("""
        #define SUM(x) ((x) + (x) * 2)
        __global__ void k(int *x) {
          x[0] = $0SUM(threadIdx.x & 3);
        }
    """)
    assert shown is not None
    assert "`SUM(threadIdx.x & 3)` is **varying**" in shown
    assert "from 0 to" not in shown


def test_the_range_of_a_part_of_a_macro_is_not_said_of_an_initialiser() -> None:
    def shown(body: str) -> str | None:
        return markdown(f"""
            #define SUM(x) {body}
            __global__ void k(int *x) {{
              int t = threadIdx.x;
              int w = $0SUM(t & 3);
              x[t] = w;
            }}
        """)

    whole, single = shown("((x) + (x) * 2)"), shown("((x) + 1)")
    assert whole is not None
    assert "`SUM(t & 3)` is **varying**" in whole
    assert "from 0 to" not in whole
    assert single is not None
    assert "from 1 to 4" in single


def test_the_type_of_a_part_of_a_macro_is_not_said_of_its_value() -> None:
    shown = markdown("""
        #define AT(a, i) ((a)[(i) * 2 + blockIdx.x])
        __global__ void k(float *x) {
          float v = $0AT(x, threadIdx.x);
          x[0] = v;
        }
    """)
    assert shown is not None
    assert shown.startswith("`AT(x, threadIdx.x)` is **varying**\n")


@pytest.mark.parametrize(("macro", "marked"), [("$0AT(x,", "AT(x,"), ("AT($0x,", "AT(x,")])
def test_a_macro_over_several_lines_is_marked_on_one(macro: str, marked: str) -> None:
    analysis, offset = analyze_at_cursor(f"""
        #define AT(a, i) a[(i) * 2 + 1]
        __global__ void k(int *x, int n) {{
          x[0] = {macro}
                    threadIdx.x +
                    n);
        }}
    """)
    info = hover_at(analysis, offset)
    assert info is not None
    assert analysis.document.text[info.start : info.end].decode() == marked
    assert isinstance(info.subject, ValueSubject)
    assert info.subject.start <= info.start
    assert analysis.document.text[: info.subject.end].endswith(b"n)")


_CHOSEN = """
struct Shape {{ virtual __device__ int area(int s) const {{ return s; }} }};
struct Square : Shape {{ __device__ int area(int s) const override {{ return s * s; }} }};
typedef int (*F)(int); __device__ int one(int x) {{ return 1; }} __device__ int two(int x) {{ return 2; }}
__device__ F first = one; __device__ F second = two;
__global__ void k(int *o, Shape **s, F *p, int n) {{ int i = threadIdx.x; o[i] = {}; }}
"""


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("p[$0i](n)", "`i` is **varying**"),
        ("p$0[i](n)", "**function that is called varying**"),
        ("s[i]->ar$0ea(n)", "**function that is called varying**"),
        ("s[i]->area($0n)", "`n` is **uniform in the grid**"),
        ("s[0]->ar$0ea(i)", "**function that is called uniform in the grid**"),
    ],
)
def test_a_call_that_is_chosen_at_run_time_says_how_far_threads_agree(call: str, shown: str) -> None:
    found = markdown(_CHOSEN.format(call))
    assert found is not None
    assert found.startswith(shown)
