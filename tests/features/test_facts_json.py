"""The contract with other programs, field by field."""

from __future__ import annotations

import json

from analysis.features.facts_json import facts_object
from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import analyze

TEXT = """// ünïcode
__global__ void kernel(const float *x, float *y, int n) {
  int i = threadIdx.x;
  /* ü */ if (i < n) y[i] = x[i] > 0 ? 1.0f : f(2.0f);
  for (int j = 0; j < n; j++) {
    if (i == 3) __syncthreads();
  }
  __syncwarp();
}
__device__ int helper(int a) { return a; }
"""


def test_every_field_of_the_contract() -> None:
    analysis = analyze(TEXT)
    found = json.loads(json.dumps(facts_object(analysis, check(analysis, RuleSettings()))))
    assert list(found) == ["path", "parse_errors", "functions", "diagnostics"]
    assert (found["path"], found["parse_errors"]) == ("fixture.cu", 0)
    kernel, helper = found["functions"]
    assert {key: kernel[key] for key in ("name", "kind", "active", "line", "end_line")} == {
        "name": "kernel",
        "kind": "kernel",
        "active": True,
        "line": 2,
        "end_line": 9,
    }
    assert {entry["line"] for entry in kernel["opaque"]} == {4}
    assert all(isinstance(entry["construct"], str) for entry in kernel["opaque"])
    assert [(b["line"], b["column"], b["kind"], b["level"], b["grade"]) for b in kernel["branches"]] == [
        (4, 11, "if", "varying", "boundary"),
        (4, 38, "conditional", "varying", "data-dependent"),
        (5, 3, "loop", "grid", None),
        (6, 5, "if", "varying", "boundary"),
    ]
    assert [b["convergent"] for b in kernel["branches"]] == ["grid", "none", "grid", "grid"]
    assert [b["trips"] for b in kernel["branches"]] == [None, None, "grid", None]
    assert kernel["barriers"] == [
        {"line": 6, "scope": "block", "verdict": "divergent"},
        {"line": 8, "scope": "warp", "verdict": "convergent"},
    ]
    assert [(a["line"], a["kind"], a["stride"]) for a in kernel["accesses"]] == [(4, "store", 4), (4, "load", 4)]
    assert kernel["accesses"][1] == {
        "line": 4,
        "column": 29,
        "space": "global",
        "kind": "load",
        "bytes": 4,
        "pattern": "warp-sequential",
        "participation": "bounded",
        "stride": 4,
        "stride_form": None,
        "sectors": 4,
        "sectors_max": 4,
        "ideal_sectors": 4,
        "bank_ways": None,
        "bank_conflicts": None,
        "exact": True,
    }
    assert helper["accesses"] == []
    assert (helper["name"], helper["kind"], helper["line"], helper["end_line"]) == ("helper", "device", 10, 10)
    assert helper["opaque"] == helper["branches"] == helper["barriers"] == []


def test_diagnostics_have_positions_from_one_in_code_points() -> None:
    analysis = analyze(TEXT)
    (found,) = facts_object(analysis, check(analysis, RuleSettings()))["diagnostics"]
    assert found == {
        "code": "SYN101",
        "name": "divergent-barrier",
        "severity": "error",
        "tier": "proven",
        "line": 6,
        "column": 17,
        "end_line": 6,
        "end_column": 32,
        "message": (
            "Thread 3 of the block arrives at this barrier, 0-2, 4-63 do not (blocks of 64 threads, n = 32): "
            "at the `if` at line 6, `i == 3` depends on `threadIdx.x` (line 3)."
        ),
    }


def test_a_stride_that_is_no_number_has_words() -> None:
    analysis = analyze("__global__ void k(float *x, int n) {\n  x[threadIdx.x * n] = x[threadIdx.x] + x[n * n];\n}\n")
    accesses = facts_object(analysis, ())["functions"][0]["accesses"]
    found = sorted((access["kind"], access["stride"] or 0, access["stride_form"]) for access in accesses)
    assert found == [("load", 0, None), ("load", 4, None), ("store", 0, "4*n")]
