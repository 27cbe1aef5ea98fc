"""Findings in what other architectures compile: the same as for these alone, each told once."""

from __future__ import annotations

import pytest

from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.rules.check import check
from analysis.rules.diagnostic import Applicability, Diagnostic
from analysis.rules.diagnostic_cache import DiagnosticCache
from analysis.rules.other_architectures import OF_ALL
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

BARRIERS = RuleSettings(select=frozenset({"SYN101"}))
WAITING = "  if (threadIdx.x < 7) { __syncthreads(); }\n  x[threadIdx.x] = 1;\n"


def _analysed(
    text: str, analyzer: Analyzer | None = None, *, built_for: tuple[int, ...] = (), architecture: int = 800
) -> FileAnalysis:
    files = {
        "arch.h": b"#define IS_NEW (__CUDA_ARCH__ >= 900)\n#define FROM(n) (__CUDA_ARCH__ >= (n))\n#define HOPPER 900\n"
    }
    known = AnalysisSettings(architecture=architecture, built_for=built_for)
    return (analyzer or Analyzer()).analyze(
        "k.cu", Document.open(text.encode()), DictLoader(files), known, every_architecture=True
    )


def _found(analysis: FileAnalysis, rules: RuleSettings = BARRIERS) -> list[Diagnostic]:
    return [*check(analysis, rules)]


def _kernel(directive: str, otherwise: str = "") -> str:
    return (
        f'#include "arch.h"\n__global__ void k(float *x) {{\n{directive}\n{WAITING}#else\n{otherwise}\n#endif\n}}\n'
        "__global__ void plain(float *x) { x[threadIdx.x] = 2; }\n"
    )


@pytest.mark.parametrize(
    ("directive", "told"),
    [
        ("#if __CUDA_ARCH__ >= 900", "sm_90"),
        ("#if 900 <= __CUDA_ARCH__", "sm_90"),
        ("#if (__CUDA_ARCH__) >= HOPPER", "sm_90"),
        ("#if IS_NEW", "sm_90"),
        ("#if FROM(900)", "sm_90"),
        ("#if __CUDA_ARCH__ < 750", "sm_72"),
        ("#if __CUDA_ARCH__ == 860", "sm_86"),
        ("#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ > 800)", "sm_86"),
    ],
)
def test_the_other_side_of_a_threshold(directive: str, told: str) -> None:
    (found,) = _found(_analysed(_kernel(directive)))
    assert found.code == "SYN101"
    assert found.message.endswith(f" This holds for {told}, not for sm_80.")


@pytest.mark.parametrize("directive", ["#if __CUDA_ARCH__ >= 700", "#if __CUDA_ARCH__ >= 350", "#ifdef __CUDA_ARCH__"])
def test_what_holds_for_the_analysed_one_is_told_as_ever(directive: str) -> None:
    (found,) = _found(_analysed(_kernel(directive)))
    assert "This holds for" not in found.message


def test_what_nobody_compiles_is_left_out() -> None:
    assert not _found(_analysed(_kernel("#if __CUDA_ARCH__ < 350")))
    assert not _found(_analysed(_kernel("#if __CUDA_ARCH__ >= 900"), built_for=(800, 860)))
    (found,) = _found(_analysed(_kernel("#if __CUDA_ARCH__ >= 900"), built_for=(800, 1000)))
    assert "This holds for sm_100, not" in found.message


def test_one_finding_on_many_sides() -> None:
    text = _kernel("#if __CUDA_ARCH__ >= 900 || __CUDA_ARCH__ < 750 || __CUDA_ARCH__ == 860")
    (found,) = _found(_analysed(text))
    assert found.message.endswith(" This holds for sm_72, sm_86 and sm_90, not for sm_80.")


def test_a_condition_in_code_and_a_suppression() -> None:
    text = "__global__ void k(float *x) {\n  if (__CUDA_ARCH__ >= 900) {\n" + WAITING + "  }\n}\n"
    assert len(_found(_analysed(text))) == 1
    assert not _found(_analysed(text.replace("__syncthreads(); }", "__syncthreads(); }  // NOLINT(simt-SYN101)")))


def test_the_library_that_asks() -> None:
    arm = "if (threadIdx.x < 7) { __syncthreads(); } x[threadIdx.x] = 1;"
    text = f"__global__ void k(float *x) {{ NV_IF_TARGET(NV_PROVIDES_SM_90, ({arm}), (x[threadIdx.x] = 2;)) }}"
    (found,) = _found(_analysed(text))
    assert "This holds for sm_90" in found.message


def test_lanes_run_in_step_before_volta() -> None:
    text = """__device__ float from_left(float v) {
#if __CUDA_ARCH__ >= 700
  return __shfl_up_sync(~0u, v, 1);
#else
  return __shfl_up(v, 1);
#endif
}
__global__ void k(float *x) { x[threadIdx.x] = from_left(x[threadIdx.x]); }
"""
    analysis = _analysed(text)
    assert [one.architecture for one in analysis.others] == [620]
    assert not _found(analysis, RuleSettings(select=frozenset({"WRP", "RAC", "SYN"})))


def test_only_what_reads_otherwise_is_analysed_again() -> None:
    analysis = _analysed(_kernel("#if __CUDA_ARCH__ >= 900"))
    (other,) = analysis.others
    same = {one.name: other.analysis.is_same_in(analysis, one) for one in other.analysis.facts.functions}
    assert same == {"k": False, "plain": True}
    assert not _analysed(_kernel("#ifdef __CUDA_ARCH__")).others


def test_repairs_that_hold_elsewhere_are_looked_at() -> None:
    text = """__global__ void k(float *x) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
#if __CUDA_ARCH__ < 900
  __syncthreads();
#endif
  x[threadIdx.x] = s[63 - threadIdx.x];
}
void f(float *x) { k<<<1, 64>>>(x); }
"""
    found = _found(_analysed(text), RuleSettings(select=frozenset({"RAC301"})))
    assert len(found) == 1
    assert "This holds for sm_90" in found[0].message
    assert all(one.fix is None or one.fix.applicability is Applicability.UNSAFE for one in found)


def test_what_is_superfluous_is_so_for_all() -> None:
    text = """__global__ void k(float *x) {
  __shared__ float s[64];
#if __CUDA_ARCH__ %s
  s[threadIdx.x] = x[threadIdx.x];
#endif
  __syncthreads();
  x[threadIdx.x] = s[63 - threadIdx.x];
}
void f(float *x) { k<<<1, 64>>>(x); }
"""
    rules = RuleSettings(select=frozenset({"SYN107"}))
    assert not _found(_analysed(text % ">= 900"), rules)
    assert not _found(_analysed(text % ">= 800"), rules)
    assert _found(_analysed(text % ">= 900", built_for=(800,)), rules)
    found = "#if __CUDA_ARCH__ >= 900\n  __syncthreads();\n  x[threadIdx.x] = 1;\n#endif\n"
    (only,) = _found(_analysed(f"__global__ void k(float *x) {{\n{found}}}\n"), rules)
    assert "This holds for sm_90" in only.message


def test_edits_find_the_same_as_fresh_analyses() -> None:
    analyzer, cache = Analyzer(), DiagnosticCache()
    text = _kernel("#if __CUDA_ARCH__ >= 900")
    for version in (text, text.replace("< 7", "< 9"), text.replace("900", "800"), "int a;\n" + text, text):
        again = check(_analysed(version, analyzer), BARRIERS, cache)
        assert again == check(_analysed(version), BARRIERS)
        assert len(again) == 1


@pytest.mark.parametrize("architecture", [720, 860, 900])
def test_as_for_the_architecture_alone(architecture: int) -> None:
    text = "".join(
        f"__device__ float f{n}(float *x) {{\n#if __CUDA_ARCH__ {test}\n{WAITING}  return 1;\n"
        "#else\n  return 2;\n#endif\n}\n"
        f"__global__ void k{n}(float *x) {{ x[0] = f{n}(x); if (x[0] > 1) __syncthreads(); }}\n"
        for n, test in enumerate((">= 900", "< 750", "== 860", "!= 720", "> 870"))
    )
    rules = RuleSettings(select=frozenset({"SYN", "MEM", "DIV", "ARI"}), ignore=OF_ALL)
    everywhere = {(one.start, one.code) for one in _found(_analysed(text), rules)}
    alone = {(one.start, one.code) for one in _found(_analysed(text, architecture=architecture), rules)}
    assert alone
    assert alone <= everywhere
    told = {(one.start, one.code) for one in _found(_analysed(text), rules) if architecture in one.architectures}
    assert told <= alone
