"""The line over each kernel."""

from __future__ import annotations

import pytest

from analysis.features.code_lens import code_lenses
from tests.rules.fixture import analyze
from tests.support.project_analysis import analyzed


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("x[0] = 1.0f;", "no divergent branches"),
        ("if (threadIdx.x < n) x[threadIdx.x] = 1.0f;", "only bounds checks can split warps"),
        ("if (x[threadIdx.x] > 0) x[0] = 1.0f;", "1 divergent branch"),
        ("if (threadIdx.x % 2) x[0] = 1.0f; if (x[threadIdx.x] > 0) x[0] = 1.0f;", "2 divergent branches"),
        ("if (threadIdx.x < 16) __syncthreads();", "1 unsafe barrier"),
        ("if (n > 3) __syncthreads();", "no divergent branches"),
        ("for (int i = 0; i < n; i++) { if (x[threadIdx.x] > i) break; }", "2 divergent branches"),
        ("if (mystery(n)) __syncthreads();", "1 unproven barrier · 1 divergent branch · 1 opaque"),
        ("x[threadIdx.x * 32] += 1.0f;", "1 uncoalesced"),
        ("if (threadIdx.x % 2) x[threadIdx.x] = 1.0f;", "1 divergent branch"),
        ("x[threadIdx.x + 1] = x[threadIdx.x * n];", "1 uncoalesced"),
        (
            "__shared__ float t[64]; t[threadIdx.x * 8] = x[0]; x[0] = t[threadIdx.x * 8];",
            "8-way bank conflicts",
        ),
        (
            "x[threadIdx.x * 32] = 1.0f; if (threadIdx.x % 2) x[0] = sinf(x[n]); else x[1] = cosf(x[n]) / n;",
            "1 uncoalesced · 1 divergent branch",
        ),
        (
            "for (int i = 0; i < n; i++) if (threadIdx.x % 2) x[0] = sinf(x[n]); else x[1] = cosf(x[n]) / n; "
            "x[threadIdx.x * 3] = 1.0f;",
            "1 divergent branch · 1 uncoalesced",
        ),
        ("mystery(n);", "no divergent branches · 1 opaque"),
    ],
)
def test_the_title_counts_what_is_there(body: str, title: str) -> None:
    text = f"__global__ void kernel(float *x, int n) {{ {body} }}\n"
    (lens,) = code_lenses(analyze(text))
    assert lens.title == title
    assert text[lens.start : lens.end] == lens.function == "kernel"


def test_a_lens_names_launches_that_stand_in_other_files() -> None:
    kernel = "__global__ void k(int *x) { x[0] = 1; }\n"
    launch = '#include "k.cuh"\nvoid a(int *x) { k<<<1, 64>>>(x); }\n'

    def origin(**files: str) -> str | None:
        texts = {f"{name}.cu": text for name, text in files.items()} | {"k.cuh": kernel}
        (lens,) = code_lenses(analyzed(texts, "k.cuh"))
        return lens.origin

    assert origin() is None
    assert origin(a=launch) == "launched in a.cu:2"
    many = dict.fromkeys("abcde", launch)
    assert origin(**many) == "launched in a.cu:2, b.cu:2, c.cu:2, 2 more"


def test_a_lens_names_no_launch_of_the_same_file() -> None:
    (lens,) = code_lenses(analyze("__global__ void k(int *x) { x[0] = 1; }\nint main() { k<<<1, 64>>>(0); }\n"))
    assert lens.origin is None


def test_the_counts_are_there_as_numbers() -> None:
    (lens,) = code_lenses(
        analyze("__global__ void k(float *x) { if (threadIdx.x < 3) __syncthreads(); if (x[threadIdx.x]) x[0] = 1; }")
    )
    assert (lens.divergent_branches, lens.unsafe_barriers, lens.opaque) == (1, 1, 0)
    assert (lens.uncoalesced, lens.bank_ways) == (0, None)


@pytest.mark.parametrize(
    ("own", "title"),
    [
        ("x[0] = deep(x);", "1 divergent branch in called functions"),
        ("x[0] = deep(x) + odd(x);", "1 divergent branch in called functions"),
        ("if (threadIdx.x % 2) x[0] = 1.0f; odd(x);", "1 divergent branch in called functions · 1 divergent branch"),
        ("if (threadIdx.x < n) x[0] = even(x);", "only bounds checks can split warps"),
    ],
)
def test_branches_of_called_functions_count_apart(own: str, title: str) -> None:
    text = f"""
    __device__ float odd(float *x) {{ return x[threadIdx.x] > 0 ? sinf(x[0]) * cosf(x[1]) : logf(x[2]) / x[3]; }}
    __device__ float even(float *x) {{ return x[blockIdx.x] > 0 ? sinf(x[0]) * cosf(x[1]) : logf(x[2]) / x[3]; }}
    __device__ float deep(float *x) {{ return odd(x); }}
    __global__ void kernel(float *x, int n) {{ {own} }}
    __global__ void other(float *x) {{ x[0] = odd(x); }}
    """
    assert code_lenses(analyze(text))[0].title == title


def test_only_active_kernels_have_a_lens() -> None:
    text = "__device__ void d() {}\n#if 0\n__global__ void off() {}\n#endif\n__global__ void on() {}\n"
    assert [lens.function for lens in code_lenses(analyze(text))] == ["on"]
