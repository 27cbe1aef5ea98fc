"""What follows where threads miss a barrier: an error if something is missing, information if nothing is."""

from __future__ import annotations

import pytest

from analysis.races.absent_model import Consequence
from analysis.rules.check import check
from analysis.rules.diagnostic import Diagnostic, Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import analyze

_BARRIERS = RuleSettings(select=frozenset({"SYN"}), ignore=frozenset({"SYN107"}))
_KERNEL = """__device__ void unknown(float *);
__global__ void k(float *x, float *y, int n, int m) {
  __shared__ float s[128];
  __shared__ int count;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  BODY
}
void host(float *x, float *y, int n, int m) { k<<<4, 128>>>(x, y, n, m); }
"""


def found_in(body: str) -> Diagnostic:
    (found,) = check(analyze(_KERNEL.replace("BODY", body)), _BARRIERS)
    return found


@pytest.mark.parametrize(
    "body",
    [
        # Nothing is read that another thread writes.
        "if (i >= n) return; __syncthreads(); y[i] = x[i];",
        "if (i >= n) return; s[t] = x[i]; __syncthreads(); y[i] = s[t];",
        # Those with a smaller index are there.
        "if (i >= n) return; s[t] = x[i]; __syncthreads(); y[i] = s[0];",
        "if (i >= n) return; s[t] = x[i]; __syncthreads(); if (t > 0) y[i] = s[t - 1];",
        "if (i < n) { s[t] = x[i]; __syncthreads(); y[i] = s[t] + s[0]; }",
        "if (!(i < n)) return; s[t] = x[i]; __syncthreads(); y[i] = s[0];",
        "if (n <= i || i >= m) return; s[t] = x[i]; __syncthreads(); y[i] = s[0];",
        # Thread 0 is there if any is.
        "if (i >= n) return; if (t == 0) count = m; __syncthreads(); y[i] = count;",
        "if (i >= n) return; if (!t) count = m; __syncthreads(); y[i] = count;",
        # All threads have written, and were waited for.
        "s[t] = x[i]; __syncthreads(); if (i >= n) return; y[i] = s[127 - t]; __syncthreads(); y[i] += 1;",
        # The lanes say themselves which of them are there.
        "if (i >= n) return; __syncthreads(); y[i] = __shfl_sync(__activemask(), x[i], __ffs(__activemask()) - 1);",
        # Reads come before what is written.
        "if (i >= n) return; float v = s[127 - t]; __syncthreads(); s[t] = v;",
        # In a loop, and by a loop.
        "for (int r = 0; r < m; r++) { if (i >= n) return; y[i] += r; __syncthreads(); }",
        "for (; i < n; i += blockDim.x) { y[i] = 1; __syncthreads(); }",
        # What those who stay decide alike lets nobody leave.
        "if (i >= n) return; s[t] = x[i]; for (int d = m; d > 0; d /= 2) __syncthreads(); y[i] = s[0];",
        # Whole warps leave, so the lanes of the others are complete.
        "if (t / 32 > 1) return; __syncthreads(); y[i] = __shfl_sync(0xffffffff, x[i], 0);",
    ],
)
def test_nothing_is_missing(body: str) -> None:
    found = found_in(body)
    assert (found.consequence, found.severity) == (Consequence.NOTHING, Severity.INFORMATION), found.message
    assert "nothing afterwards needs them: allowed since compute capability 7.0" in found.message


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "if (i >= n) return; s[t] = x[i]; __syncthreads(); y[i] = s[127 - t];",
            "`s[127 - t]` at line 6 reads what they should have written.",
        ),
        (
            "if (i >= n) return; s[t] = x[i]; for (int d = m; d; d /= 2) __syncthreads(); y[i] = s[127 - t];",
            "`s[127 - t]` at line 6 reads what they should have written.",
        ),
        (
            "if (i < n) return; s[t] = x[i]; __syncthreads(); y[i] = s[0];",
            "`s[0]` at line 6 reads what they should have written.",
        ),
        (
            "if (i >= n) return; s[t] = x[i]; __syncthreads(); y[i] = s[t + 1];",
            "`s[t + 1]` at line 6 reads what they should have written.",
        ),
        (
            "if (i >= n) return; __syncthreads(); y[i] = __shfl_down_sync(0xffffffff, x[i], 1);",
            "at line 6 expects their lanes, which have left.",
        ),
        (
            "if (i >= n) return; __syncthreads(); y[i] = __any_sync(0xffffffff, x[i] > 0);",
            "at line 6 expects their lanes, which have left.",
        ),
        (
            "if (i >= n) return; y[i] = __syncthreads_count(x[i] > 0);",
            "`__syncthreads_count(x[i] > 0)` at line 6 does not count what they would bring.",
        ),
        (
            "if (i >= n) return; y[i] = x[i]; __syncthreads(); x[i] = y[i + 1];",
            "`y[i + 1]` at line 6 reads what they should have written.",
        ),
    ],
)
def test_something_is_missing(body: str, said: str) -> None:
    found = found_in(body)
    assert (found.consequence, found.severity) == (Consequence.MISSING, Severity.ERROR), found.message
    assert found.message.endswith(said)
    assert found.related[-1].message == "This needs them."


@pytest.mark.parametrize(
    ("body", "said"),
    [
        # Which element is read is not known.
        ("if (i >= n) return; s[t] = x[i]; __syncthreads(); y[i] = s[(int)x[i]];", "may read what they should have"),
        (
            "if (i >= n) return; s[t] = x[i]; __syncthreads(); for (int j = 0; j < m; j++) y[i] += s[j];",
            "`s[j]` at line 6 may read what they should have written.",
        ),
        (
            "if (i < n) { s[t] = x[i]; __syncthreads(); for (int j = 0; j < m; j++) y[i] += s[j]; }",
            "`s[j]` at line 6 may read what they should have written.",
        ),
        # What is not understood is no reason where there is another one.
        (
            "if (i >= n) return; unknown(x); s[t] = x[i]; __syncthreads(); for (int j = 0; j < m; j++) y[i] += s[j];",
            "`s[j]` at line 6 may read what they should have written.",
        ),
        # The count is of those who came.
        (
            "if (t == 0) count = 0; __syncthreads(); if (i >= n) return; atomicAdd(&count, 1); __syncthreads();"
            " y[i] = count;",
            "may read what they should have written.",
        ),
        # They wrote, and left without a barrier.
        ("s[t] = x[i]; if (i >= n) return; __syncthreads(); y[i] = s[127 - t];", "and no barrier orders that."),
        ("if (i >= n) { s[t] = 0; return; } __syncthreads(); y[i] = s[127 - t];", "and no barrier orders that."),
        ("if (i >= n) return; __syncthreads(); unknown(y);", "It is not known whether"),
        ("if (i >= n) return; __syncthreads(); y[i] = __shfl_sync(m, x[i], 0);", "may expect their lanes"),
    ],
)
def test_something_may_be_missing(body: str, said: str) -> None:
    found = found_in(body)
    assert (found.consequence, found.severity) == (Consequence.UNDECIDED, Severity.ERROR), found.message
    assert said in found.message


_OF_UNKNOWN_WIDTH = """
template <typename T> struct Three;
template <typename T>
__global__ void k(typename Three<T>::Type *x, typename Three<T>::Type *y, int n, int m) {
  __shared__ typename Three<T>::Type s[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  typename Three<T>::Type sum = {0.0f, 0.0f};
  s[t] = x[i];
  __syncthreads();
  for (int j = 0; j < m; j++) sum += s[READ];
  y[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("read", "said"),
    [
        ("j", "`s[j]` at line 11 may read what they should have written."),
        ("m - t", "`s[m - t]` at line 11 may read what they should have written."),
        ("t", "It is not known whether what comes afterwards needs them."),
    ],
)
def test_the_reader_is_named_where_types_are_not_known(read: str, said: str) -> None:
    (found,) = check(analyze(_OF_UNKNOWN_WIDTH.replace("READ", read)), _BARRIERS)
    assert (found.consequence, found.severity) == (Consequence.UNDECIDED, Severity.ERROR)
    assert found.message.endswith(said)


@pytest.mark.parametrize(
    "body",
    [
        "if (t < 5) { __syncthreads(); y[i] = 1; } __syncthreads();",
        "for (int r = 0; r < m; r++) { if (t == 3) continue; __syncthreads(); }",
        "for (int r = 0; r < m; r++) if (t < 5) __syncthreads();",
        "if (t < 5) { if (m) return; } else { if (n) return; } if (t == 7) __syncthreads(); __syncthreads();",
        "for (; i < n; i += blockDim.x) { y[i] = 1; __syncthreads(); } __syncthreads();",
    ],
)
def test_threads_that_stay_in_the_kernel_are_waited_for(body: str) -> None:
    found = found_in(body)
    assert (found.consequence, found.severity) == (Consequence.MISSING, Severity.ERROR), found.message
    assert "compute capability" not in found.message


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "s[t] = x[i]; if (t < 16) { s[t] += 1; __syncthreads(); } y[i] = s[127 - t];",
            "`s[127 - t]` at line 6 touches what the others write.",
        ),
        (
            "if (t < 16) { x[i + 1] = 1; __syncthreads(); } x[i] = 2;",
            "`x[i] = 2` at line 6 touches what the others write.",
        ),
        (
            "if (t < 16) { count = m; __syncthreads(); } y[i] = count;",
            "`count` at line 6 may touch what the others write.",
        ),
    ],
)
def test_threads_that_go_on_without_waiting_need_the_others(body: str, said: str) -> None:
    found = found_in(body)
    assert found.severity is Severity.ERROR, found.message
    assert found.message.endswith(f"They go on without waiting: {said}")


def test_what_nobody_else_uses_needs_no_order() -> None:
    found = found_in("if (t < 16) { s[t] = x[i]; __syncthreads(); x[i] = s[0]; } y[i] = 2;")
    assert found.consequence is Consequence.NOTHING, found.message


def test_the_settings_decide_how_loud_it_is() -> None:
    loud = RuleSettings(select=frozenset({"SYN103"}), severities={"SYN103": Severity.WARNING})
    (found,) = check(analyze(_KERNEL.replace("BODY", "if (i >= n) return; __syncthreads();")), loud)
    assert (found.consequence, found.severity) == (Consequence.NOTHING, Severity.WARNING)


def test_what_follows_is_that_of_the_worst_call() -> None:
    text = """__device__ void meet(int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();
}
__global__ void quiet(int n) { meet(n); }
__global__ void loud(float *x, int n) {
  meet(n);
  x[threadIdx.x] = __shfl_sync(0xffffffff, x[threadIdx.x], 0);
  __syncthreads();
}
"""
    (found,) = check(analyze(text), _BARRIERS)
    assert (found.consequence, found.severity) == (Consequence.MISSING, Severity.ERROR), found.message
