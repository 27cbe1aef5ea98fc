"""What runs say of findings that the analysis could not decide.

`//? CODE verdict` on the line of a finding: all undecided findings are claimed, and nothing else is.
"""

from __future__ import annotations

import re
from typing import Final

import pytest

from analysis.rules.settings import RuleSettings
from analysis.rules.undecided import undecided_findings
from sim.confirm.confirm import OUT_OF_TIME, confirm
from sim.confirm.model import Confirmed, DependsOnChoices, NotRun, RunVerdict
from sim.confirm.words import evidence_object, run_words, verdict_name
from tests.rules.fixture import analyze

CLAIM: Final = re.compile(r"//\? (\w+) ([a-z-]+)")
RULES: Final = RuleSettings(select=frozenset({"RAC", "SYN", "WRP"}))

KERNEL: Final = """
__global__ void k(float *out, const float *in, const int *flag, const int *key, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float v = in[t];
  STATEMENTS
  __syncthreads();
  s[t] = v;
  out[t] = v;
}
"""
LAUNCH: Final = "void host(float *a, int *b, int n) { k<<<2, 128>>>(a, a, b, b, n); }\n"


def run(statements: str, launch: str = LAUNCH, seconds: float = 20.0) -> dict[tuple[int, str], RunVerdict]:
    text = KERNEL.replace("STATEMENTS", statements) + launch
    analysis = analyze(text)
    findings = undecided_findings(analysis, RULES)
    verdicts = confirm(analysis, findings, seconds=seconds)
    line_of = analysis.document.lines.line_of
    return {
        (line_of(one.diagnostic.start), one.diagnostic.code): verdict
        for one, verdict in zip(findings, verdicts, strict=True)
    }


def claimed(statements: str) -> dict[tuple[int, str], str]:
    lines = KERNEL.replace("STATEMENTS", statements).splitlines()
    return {(number, found[1]): found[2] for number, line in enumerate(lines) for found in CLAIM.finditer(line)}


CASES: Final = {
    "a flag of the block lets all threads come": """if (flag[blockIdx.x]) {
    s[t] = v;
    v = s[127 - t];  //? RAC301 confirmed
  }""",
    "a barrier stands between": """if (flag[blockIdx.x]) s[t] = v;
  __syncthreads();
  if (flag[blockIdx.x]) v = s[127 - t];""",
    "what data decides, seldom enough that no run has it": """if (flag[0] == 123456789) {
    s[t] = v;
    v = s[127 - t];  //? RAC301 not-seen
  }""",
    "a permutation keeps threads apart, random numbers do not": """s[t] = 0;
  __syncthreads();
  s[key[t] & 127] = v;  //? RAC301 depends-on-choices""",
    "all write the same": "if (flag[t]) s[0] = 1.0f;  //? RAC302 not-seen",
    "data lets threads miss a barrier": "if (v > 0.5f) __syncthreads();  //? SYN101 confirmed",
    "a race behind a barrier that threads miss says nothing": """if (flag[blockIdx.x]) s[t] = v;
  if (v > 0.5f) __syncthreads();  //? SYN101 confirmed
  if (flag[blockIdx.x]) v = s[127 - t];  //? RAC301 not-run""",
    "lanes that the mask names do not come": """if (v > 0.5f)
    v = __shfl_down_sync(0xffffffff, v, 1);  //? WRP202 confirmed""",
    "an array that is too short": """int *fixed = 0;
  if (flag[blockIdx.x]) {
    fixed[t] = 1;
    s[t] = v;
    v = s[127 - t];  //? RAC301 not-run
  }""",
}


@pytest.mark.parametrize("statements", CASES.values(), ids=CASES)
def test_verdicts(statements: str) -> None:
    found = run(statements)
    said = {key: verdict_name(verdict) for key, verdict in found.items()}
    assert said == claimed(statements), [run_words(verdict) for verdict in found.values()]


def test_the_evidence_names_launch_threads_and_lines() -> None:
    (verdict,) = run("if (flag[blockIdx.x]) {\n    s[t] = v;\n    v = s[127 - t];\n  }").values()
    assert isinstance(verdict, Confirmed)
    words = run_words(verdict)
    assert words.startswith("confirmed by a run of k (grid 2, block 128): thread 0,0,0 of block 0,0,0, line 8: ")
    assert "reads byte 508 of s, which thread 127,0,0 of block 0,0,0 writes (line 7)" in words
    evidence = evidence_object(verdict)
    assert evidence is not None
    assert (evidence["grid"], evidence["block"], evidence["first"]["line"]) == ([2, 1, 1], [128, 1, 1], 8)
    assert [one["line"] for one in evidence["others"]] == [7]
    assert {choice["name"] for choice in evidence["choices"]} >= {"grid", "block", "flag", "in"}


def test_a_block_that_was_chosen_confirms_nothing_that_one_warp_does_not_show() -> None:
    """No launch says that blocks have more than one warp."""
    statements = "if (flag[blockIdx.x]) {\n    s[t] = v;\n    __syncwarp();\n    v = s[t ^ 32];\n  }"
    (verdict,) = run(statements, launch="").values()
    assert isinstance(verdict, DependsOnChoices)
    assert verdict.names[0] == "block"
    assert "but what was chosen for them may decide it (block = " in run_words(verdict)
    (launched,) = run(statements).values()
    assert isinstance(launched, Confirmed)


def test_a_chosen_template_number_confirms_nothing() -> None:
    text = KERNEL.replace("__global__", "template <int STEP> __global__").replace(
        "STATEMENTS", "if (flag[blockIdx.x]) { s[t] = v; v = s[t ^ STEP]; }"
    )
    analysis = analyze(text)
    (verdict,) = confirm(analysis, undecided_findings(analysis, RULES))
    assert isinstance(verdict, DependsOnChoices)
    assert "STEP" in verdict.names


def test_a_device_function_is_held_against_the_kernels_that_run_it() -> None:
    function = "__device__ void meet(float *x) { if (x[threadIdx.x] > 0.5f) __syncthreads(); }\n"
    kernel = "__global__ void k(float *out) { meet(out); }\nvoid host(float *a) { k<<<1, 64>>>(a); }\n"
    for text, kind in ((function + kernel, Confirmed), (function, NotRun)):
        analysis = analyze(text)
        (verdict,) = confirm(analysis, undecided_findings(analysis, RULES))
        assert isinstance(verdict, kind)


def test_what_cannot_run_says_why() -> None:
    (verdict,) = run('asm volatile("frobnicate;");\n  if (flag[0]) { s[t] = v; v = s[127 - t]; }').values()
    assert isinstance(verdict, NotRun)
    assert "asm" in verdict.reason


def test_no_time_is_no_verdict() -> None:
    (verdict,) = run("if (flag[0]) { s[t] = v; v = s[127 - t]; }", seconds=0.01).values()
    assert verdict == NotRun(OUT_OF_TIME)


def test_a_caller_may_end_it() -> None:
    analysis = analyze(KERNEL.replace("STATEMENTS", "if (flag[0]) { s[t] = v; v = s[127 - t]; }") + LAUNCH)
    (verdict,) = confirm(analysis, undecided_findings(analysis, RULES), progress=lambda _share: False)
    assert isinstance(verdict, NotRun)
