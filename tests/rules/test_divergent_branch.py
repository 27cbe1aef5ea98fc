"""DIV401."""

from __future__ import annotations

import re
from dataclasses import replace

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

MELDABLE = frozenset({"DIV403"})
CHEAP = RuleSettings(ignore=MELDABLE, share_threshold=0)
NO_ARITHMETIC = RuleSettings(ignore=frozenset({"ARI", "SYN107"}))
ALL_TIERS = RuleSettings(ignore=MELDABLE, tiers=frozenset(Tier))


def test_two_expensive_arms_on_data() -> None:
    (found,) = check_fixture("""
__global__ void k(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] > 0.0f) {  //~ divergent-branch
    y[i] = x[i] * 2.0f + 1.0f;
  } else {
    y[i] = x[i] * 3.0f - 1.0f;
  }
}
""")
    assert (found.code, found.severity, found.tier) == ("DIV401", Severity.INFORMATION, None)
    assert found.message == (
        "Lanes of one warp can go different ways at this `if`: `x[i] > 0.0f` depends on `threadIdx.x` (line 3); "
        "a split takes about 36 % of this kernel's issue slots."
    )


def test_a_bounds_check_around_a_whole_kernel_is_silent() -> None:
    check_fixture(
        """
__global__ void k(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float a = x[i];
    y[i] = a * a + 2.0f * a - 1.0f;
  }
}
""",
        CHEAP,
    )


def test_two_dimensional_bounds_are_silent() -> None:
    check_fixture(
        """
__global__ void k(float *x, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= w || j >= h) return;
  if (i > 0 && i < w - 1 && j > 0) x[j * w + i] = x[j * w + i] * 2.0f + x[i];
}
""",
        CHEAP,
    )


def test_a_cheap_branch_is_silent() -> None:
    text = """
__global__ void k(const int *x, int *y) {
  int v = x[threadIdx.x];
  for (int k = 0; k < 64; k++) v += x[k];
  if (v > 0) v /= y[v]; else v *= y[1];%s
  y[threadIdx.x] = v;
}
"""
    check_fixture(text % "")
    check_fixture(text % "  //~ divergent-branch", CHEAP)


def test_a_structured_branch_is_reported() -> None:
    (found,) = check_fixture("""
__global__ void k(float *x, float *y) {
  int i = threadIdx.x;
  if (i % 2 == 0) {  //~ divergent-branch
    y[i] = x[i] * 2.0f + x[i + 1] * 3.0f;
  } else {
    y[i] = x[i] * 4.0f + x[i - 1] * 5.0f;
  }
}
""")
    assert found.message == (
        "Lanes of one warp can go different ways at this `if`: `i % 2 == 0` depends on `threadIdx.x` (line 3); "
        "a split takes about 47 % of this kernel's issue slots."
    )


def test_uniform_branches_are_silent() -> None:
    check_fixture(
        """
__global__ void k(const int *p, float *y, int n) {
  if (n > 3) y[threadIdx.x] = p[0];
  if (p[n] > 3) y[threadIdx.x] = p[1];
  if (p[blockIdx.x] > 3) y[threadIdx.x] = p[2];
}
""",
        CHEAP,
    )


def test_a_switch_and_a_conditional() -> None:
    check_fixture(
        """
__global__ void k(const int *p, float *y) {
  int v = p[threadIdx.x];
  switch (v) {  //~ divergent-branch
    case 0: y[0] = y[2] / y[1]; break;
    case 1: y[1] = y[3] / y[4]; break;
  }
}
""",
        CHEAP,
    )


def test_a_condition_that_is_not_known_is_assumed_and_shown_only_when_asked() -> None:
    text = """
__device__ void helper(float *y, int mode) {
  if (mode) y[0] = y[1] * y[2]; else y[1] = y[3] * y[4];%s
}
__global__ void k(float *y) {
  if (mystery()) y[0] = y[1] * y[2]; else y[1] = y[3] * y[4];%s
}
"""
    check_fixture(text % ("", ""))
    claim = "  //~ divergent-branch"
    found = check_fixture(text % (claim, claim), ALL_TIERS)
    assert {entry.tier for entry in found} == {Tier.ASSUMED}


def test_an_argument_of_an_unknown_caller_counts_only_where_lanes_part_without_it() -> None:
    work = "y[0] = y[1] * y[2]; else y[1] = y[3] * y[4];"
    text = """
__device__ void helper(float *y, const int *p, unsigned count) {
  if (%s) %s%s
}
"""
    for condition in ("threadIdx.x < count", "count % 2", "threadIdx.x + count < 5", "*p > 1"):
        check_fixture(text % (condition, work, ""))
        (found,) = check_fixture(text % (condition, work, "  //~ divergent-branch"), ALL_TIERS)
        assert found.tier is Tier.ASSUMED, condition
    for condition in ("threadIdx.x % 2 < count", "p[threadIdx.x] > count", "count < p[threadIdx.x]"):
        (found,) = check_fixture(text % (condition, work, "  //~ divergent-branch"))
        assert found.tier is None, condition
        assert "depends on `threadIdx.x`" in found.message


def test_an_argument_of_a_known_caller_is_followed() -> None:
    text = """
__device__ void helper(float *y, unsigned count) {
  if (threadIdx.x < count) y[0] = y[1] * y[2]; else y[1] = y[3] * y[4];%s
}
__global__ void k(float *y, const int *p, unsigned n) { helper(y, %s); }
"""
    check_fixture(text % ("", "n"), ALL_TIERS)
    (found,) = check_fixture(text % ("  //~ divergent-branch", "p[threadIdx.x]"))
    assert found.tier is None


def test_in_a_header_the_callers_that_are_known_speak_for_themselves() -> None:
    text = """
__device__ void helper(float *y, unsigned count) {
  if (threadIdx.x < count) y[0] = y[1] * y[2]; else y[1] = y[3] * y[4];  //~ divergent-branch
}
__global__ void k(float *y, const int *p, unsigned n) { helper(y, %s); }
"""
    (found,) = check_fixture(text % "n", ALL_TIERS, path="a.cuh")
    assert found.tier is Tier.ASSUMED
    (found,) = check_fixture(text % "p[threadIdx.x]", path="a.cuh")
    assert found.tier is None


def test_arms_that_a_compiler_predicates_are_silent() -> None:
    """Every warp issues both sides of them, whether it parts or not."""
    text = """
__global__ void k(const int *x, int *y) {
  int v = x[threadIdx.x];
  %s
  y[threadIdx.x] = v;
}
"""
    check_fixture(text % "if (v > 0) v += 1; else v *= 3;", CHEAP)
    check_fixture(text % "if (v > 0) y[v] = 1; else y[v + 1] = 2;", CHEAP)
    check_fixture(text % "switch (v) { case 0: v += 3; break; case 1: v ^= 5; break; default: v = 0; }", CHEAP)
    check_fixture(text % "if (v > 0) v += x[1]; else v *= x[v];", CHEAP)
    check_fixture(text % "v = v > 0 ? x[v] : v + x[v + 1];", CHEAP)
    claim = "  //~ divergent-branch"
    check_fixture(text % f"if (v > 0) v += x[1] + x[v + 2]; else v *= x[v] + x[v + 3];{claim}", CHEAP)
    check_fixture(text % f"if (v > 0) y[v] = x[v]; else y[v + 1] = x[v + 2];{claim}", CHEAP)
    check_fixture(text % f"if (v > 0) v /= 3 + v; else v %= v - 2;{claim}", CHEAP)
    check_fixture(
        text % f"if (v > 0) y[v] = y[v + 1] = y[v + 2] = 1; else y[v] = y[v + 3] = y[v + 4] = 2;{claim}", CHEAP
    )
    check_fixture(text % f"if (v > 0) atomicAdd(y, v); else atomicSub(y, v);{claim}", CHEAP)


def test_of_lanes_that_wait_the_share_of_the_longer_way_is_told_as_that() -> None:
    """It is no loss: how many lanes wait nobody knows."""
    (found,) = check_fixture(
        """
__global__ void k(const int *flags, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = x[i];
  if (flags[i]) {  //~ divergent-branch
    for (int j = 0; j < 64; j++) s = expf(s) + logf(s);
  }
  x[i] = s;
}
""",
    )
    assert re.search(
        r"; lanes on the shorter way wait for the longer one, which is about 9\d % of this kernel's issue slots; "
        r"data decide how many wait\.$",
        found.message,
    )


def test_lanes_that_wait_because_of_indices_and_sizes_alone_are_no_matter_of_the_data() -> None:
    """Rows that end the threads of a grid in the middle, cut up by sizes that nobody knows: no order of data helps."""
    text = """
__global__ void k(float *y, int width, int n, const int *v) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = i % width, end = n %% width ? n / width : n / width + 1;
  %s
  float s = y[i];
  for (int j = 0; j < 64; j++) s = s * s + 1.0f;
  y[i] = s;
}
"""
    text = text.replace("i % width", "i %% width")
    check_fixture(
        text % "if (i / width == 0 && x > end / 2) return;", RuleSettings(ignore=frozenset({"ARI", "SYN107"}))
    )
    check_fixture(
        text % "if (v[x] == 0 && x > end / 2) return;  //~ divergent-branch",
        RuleSettings(ignore=frozenset({"ARI", "SYN107"})),
    )


def test_a_price_is_a_share_of_the_kernel_and_not_a_total() -> None:
    """The trips of the loop around are not known and do not matter; work outside of it does, and then it is a range."""
    branch = "if (v > k) y[v] = sinf(y[k]); else y[k] = cosf(y[v]);"
    text = """
__global__ void k(const int *x, float *y, int n) {
  int v = x[threadIdx.x];
  %s
}
"""
    claim = "  //~ divergent-branch"
    (alone,) = check_fixture(text % f"for (int k = 0; k < n; k++) {{ {branch}{claim}\n  }}")
    (nested,) = check_fixture(
        text % f"for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) {{ {branch}{claim}\n  }}"
    )
    assert alone.message.endswith("a split takes about 47 % of this kernel's issue slots.")
    assert nested.message.endswith("a split takes about 47 % of this kernel's issue slots.")
    (before,) = check_fixture(
        text % f"int k = n; {branch}{claim}\n  for (k = 0; k < n; k++) y[k] += 1.0f;",
        RuleSettings(select=frozenset({"DIV401"}), share_threshold=3),
    )
    assert before.message.endswith(
        "a split takes an unknown part of this kernel's issue slots. How often loops run is not known and decides the "
        "share: a run counts it (`simt-lsp simulate`)."
    )
    (beside,) = check_fixture(
        text % f"int k; for (k = 0; k < n; k++) y[k] += 1.0f;\n for (k = 0; k < n * n; k++) {{ {branch}{claim}\n  }}"
    )
    assert beside.message.count("a split takes at least 3 % of this kernel's issue slots.") == 1
    (doubtful,) = check_fixture(
        text % f"int k = n; {branch}{claim}\n  for (k = 0; k < n; k++) y[k] += 1.0f;",
        RuleSettings(select=frozenset({"DIV401"}), share_threshold=5),
    )
    assert (before.severity, doubtful.severity) == (Severity.INFORMATION, Severity.HINT)
    check_fixture(text % f"int k = n; {branch}\n  for (k = 0; k < 4000; k++) y[k] += 1.0f;")


def test_in_a_called_function_it_is_a_share_of_the_kernel_that_calls_it() -> None:
    text = """
__device__ void part(int v, float *y) {
  if (v > 3) y[v] = sinf(y[1]); else y[1] = cosf(y[v]);%s
}
%s
"""
    claim = "  //~ divergent-branch"
    calls = """
__global__ void %s(const int *x, float *y) {
  for (int i = 0; i < %s; i++) y[i] += 1;
  part(x[threadIdx.x], y);
}
"""
    own = text % (claim, "")
    often = text % (claim, calls % ("rare", 900) + calls % ("often", 9))
    (found,) = check_fixture(own, ALL_TIERS)
    assert "of this function's issue slots." in found.message
    check_fixture(text % ("", calls % ("rare", 900)))
    (found,) = check_fixture(often)
    assert re.search(r"a split takes about \d\d % of the issue slots of kernel `often`\.", found.message), found.message


def test_a_check_that_splits_the_only_warp_is_reported() -> None:
    """One warp of the block at most: of a block of one warp that is all of them, of eight it is little."""
    text = """
__global__ void k(float *x, const float *y, int n) {
  float sum = 0.0f;
  if (threadIdx.x < 16) {MARK
    for (int j = 0; j < n; j++) sum += y[j] * j;
  } else {
    for (int j = 0; j < n; j++) sum -= y[j] + j;
  }
  x[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
void host(float *x, float *y) { k<<<4, BLOCK>>>(x, y, 1000); }
"""
    settings = RuleSettings(ignore=frozenset({"DIV403", "MEM"}))
    for block, mark in (("32", "  //~ divergent-branch"), ("64", "  //~ divergent-branch"), ("256", "")):
        check_fixture(text.replace("MARK", mark).replace("BLOCK", block), settings)


def test_an_arm_that_prints_has_no_price() -> None:
    """It reports an error that does not happen."""
    check_fixture(
        """
__global__ void k(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] < 0.0f) {
    printf("%d %f", i, x[i]);
  } else {
    y[i] = x[i] * 2.0f + y[i] * 3.0f;
  }
}
"""
    )


def test_an_arm_to_which_two_conditions_lead_runs_twice() -> None:
    """Lanes that the first condition sends there do not wait for those that ask the second."""
    text = """
__global__ void k(const int *p, float *x, const float *y, int n) {
  int t = threadIdx.x;
  float s = x[t];
  if (%s) {
    for (int j = 0; j < 32; j++) s = s * y[j] + 1.0f;
  }
  x[t] = s;
}
"""
    turns = replace(CHEAP, share_threshold=30)  # that lanes wait is another finding, of a third of the arm
    twice = "p[t] > 3 || p[t + n] * p[t + 2 * n] > 5"
    (found,) = check_fixture(text.replace("(%s) {", f"({twice}) {{  //~ divergent-branch"), turns)
    assert found.message.endswith("a split takes about 47 % of this kernel's issue slots.")
    check_fixture(text % "p[t] > 3 && p[t + n] * p[t + 2 * n] > 5", turns)
    check_fixture(text % "p[t] > 3 || p[t + n] > 5", turns)  # one load is issued under a predicate
    check_fixture(text % "p[0] > 3 || p[t + n] * p[t + 2 * n] > 5", turns)
    check_fixture(text % "t >= n || p[t + n] * p[t + 2 * n] > 5", turns)
    check_fixture(text % "bool(p[t] > 3 | (p[t + n] * p[t + 2 * n] > 5))", turns)


def test_arms_of_a_few_functions_or_nested_ones_are_predicated_too() -> None:
    """As machine code has it that a compiler made of them."""
    text = """
struct Pair { double low, high; };
__global__ void k(const double *x, const float *f, Pair *y, float *z) {
  int i = threadIdx.x;
  double a = x[2 * i], b = x[2 * i + 1];
  float v = f[i], w = f[i + 99];
  Pair p;
  %s
  y[i] = p;
  z[i] = v;
}
"""
    check_fixture(text % "if (a >= 0) p = {__dmul_rd(a, a), __dmul_ru(b, b)}; else p = {__dmul_rd(b, b), a};", CHEAP)
    nested = "if (a >= 0) p = {a * a, b * b}; else if (b <= 0) p = {b * b, a * a}; else p = {0, fmax(a * b, b * b)};"
    check_fixture(text % nested, CHEAP)
    check_fixture(text % "if (v > 0) v = floorf(v) + w; else v = fminf(v, w) * fabsf(v);", CHEAP)
    claim = "  //~ divergent-branch"
    check_fixture(text % f"if (v > 0) v = sinf(v) + w; else v = expf(w) * v;{claim}", CHEAP)
    loop = "if (v > 0) { do v = v * v; while (v < 9); } else { do w = w * w; while (w > 1); v += w; }"
    check_fixture(text % f"{loop}{claim}", replace(CHEAP, select=frozenset({"DIV401"})))
    longer = "if (a >= 0) v = v * v * w * w * v; else if (b < 0) v = w * w * w * v - w; else v = w - v * v * v * v;"
    check_fixture(text % f"{longer}{claim}", CHEAP)


def test_the_message_names_the_block_where_its_shape_decides() -> None:
    text = """
__global__ void k(const float *x, float *y) {
  int t = threadIdx.x + threadIdx.y * blockDim.x;
  if (threadIdx.y % 2 == 0) y[t] = expf(x[t]) + sinf(x[t]);MARK
  else y[t] = logf(x[t]) * cosf(x[t]);
}
"""
    reported = text.replace("MARK", "  //~ divergent-branch")
    words = "The block's shape is not known and decides whether warps split: `// simt: block=…` above it says it."
    settings = RuleSettings(select=frozenset({"DIV401"}))
    (found,) = check_fixture(reported, settings)
    assert found.message.endswith(words)
    (found,) = check_fixture(reported.replace("__global__", "// simt: block=16,16\n__global__"), settings)
    assert words not in found.message
    check_fixture(text.replace("MARK", "").replace("__global__", "// simt: block=32,8\n__global__"), settings)


def test_the_message_does_not_name_the_block_where_warps_split_in_any() -> None:
    (found,) = check_fixture(
        """
__global__ void k(const float *x, float *y) {
  int t = threadIdx.x;
  if (t % 2 == 0) y[t] = expf(x[t]) + sinf(x[t]);  //~ divergent-branch
  else y[t] = logf(x[t]) * cosf(x[t]);
}
""",
        RuleSettings(select=frozenset({"DIV401"})),
    )
    assert found.message.endswith("of this kernel's issue slots.")


def test_the_message_names_callers_that_are_not_known() -> None:
    text = """
__device__ void f(const float *x, float *y, int kind) {
  if (kind > 3) *y = expf(*x) + sinf(*x);  //~ divergent-branch
  else *y = logf(*x) * cosf(*x);
}
"""
    settings = RuleSettings(select=frozenset({"DIV401"}), tiers=frozenset(Tier))
    (found,) = check_fixture(text, settings)
    assert found.message.endswith(
        "No call of `f` is known, so its arguments are taken to differ between lanes; a call decides it."
    )
    call = "__global__ void k(const float *x, float *y) { f(x, y, x[threadIdx.x]); }\n"
    (found,) = check_fixture(text + call, settings)
    assert "No call" not in found.message


def test_where_data_decide_how_long_the_shorter_side_loops_it_is_a_hint() -> None:
    text = """
__global__ void k(const int *begin, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  if (x[i] > 0.0f) {  //~ divergent-branch
    for (int j = 0; j < %s; j++) s += x[j] * y[j];
  } else {
    for (int j = 0; j < n; j++) s += sinf(x[j]) * expf(y[j]) + sqrtf(x[j + n]);
  }
  y[i] = s;
}
"""
    settings = RuleSettings(select=frozenset({"DIV401"}))
    (found,) = check_fixture(text % "begin[i + 1] - begin[i]", settings)
    assert found.severity is Severity.HINT
    (found,) = check_fixture(text % "n", settings)
    assert found.severity is Severity.INFORMATION


def test_a_split_of_less_than_five_percent_is_told_only_who_asks_for_it() -> None:
    text = """
__global__ void k(const int *x, float *y) {
  int v = x[threadIdx.x];
  if (v > 3) y[v] = sinf(y[1]); else y[1] = cosf(y[v]);CLAIM
  for (int j = 0; j < ROUNDS; j++) y[j] += 1.0f;
}
"""
    claimed, only = "  //~ divergent-branch", frozenset({"DIV401"})
    (found,) = check_fixture(text.replace("ROUNDS", "16").replace("CLAIM", claimed), RuleSettings(select=only))
    assert found.cost is not None
    assert 0.05 <= found.cost.share < 0.1
    few = text.replace("ROUNDS", "40")
    check_fixture(few.replace("CLAIM", ""), RuleSettings(select=only))
    (asked,) = check_fixture(few.replace("CLAIM", claimed), RuleSettings(select=only, share_threshold=3))
    assert asked.cost is not None
    assert 0.03 <= asked.cost.share < 0.05
