"""What `check` writes as JSON is what the published schemas say; fields may come, none goes within a version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.kernels import BROKEN, CLEAN, DIVERGENT
from tests.cli.shell import simt_lsp, write

jsonschema = pytest.importorskip("jsonschema")

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
EXCHANGE = """\
__global__ void sum(int *out, const int *in) {
  __shared__ int total[64];
  total[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = total[63 - threadIdx.x];
}
void go(int *a, int *b) { sum<<<1, 64>>>(a, b); }
"""


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text())


def wrong(value: Any, name: str) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema(name))
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in validator.iter_errors(value)]


@pytest.mark.parametrize("name", ["check-1", "baseline-1"])
def test_schemas_are_schemas(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))


def test_reports_and_baselines_are_as_published(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": DIVERGENT, "b.cu": BROKEN, "c.cu": CLEAN, "d.cu": EXCHANGE, "copy/a.cu": DIVERGENT})
    command = ("check", ".", "missing.cu", "--format", "json", "--statistics", "--tier", "proven,possible,assumed")
    report = json.loads(simt_lsp(*command, cwd=tmp_path).stdout)
    assert wrong(report, "check-1") == []
    assert {one["code"] for file in report["files"] for one in file.get("diagnostics", [])} >= {"SYN101", "RAC301"}
    simt_lsp("check", ".", "--write-baseline", "known.json", cwd=tmp_path)
    known = json.loads((tmp_path / "known.json").read_text())
    assert wrong(known, "baseline-1") == []
    assert len(known["findings"]) >= 4


def test_what_is_renamed_is_noticed(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": DIVERGENT})
    report = json.loads(simt_lsp("check", "a.cu", "--format", "json", cwd=tmp_path).stdout)
    finding = report["files"][0]["diagnostics"][0]
    finding["rule"] = finding.pop("code")
    assert wrong(report, "check-1")
