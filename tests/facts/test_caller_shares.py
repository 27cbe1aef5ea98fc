"""A function of a header is weighed by what it takes of the kernels in other files that call it."""

from __future__ import annotations

import pickle

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.calls import KnownCallers, known_callers
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts, PartOf
from analysis.facts.settings import AnalysisSettings
from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

HELPER = """\
__device__ void helper(float *x, int i) {
  if (x[i] > 0.0f) {
    x[i] = x[i] * 2.0f + 1.0f;
  } else {
    x[i] = x[i] * 3.0f - 1.0f;
  }
}
"""
ROUND = "  for (int r = 0; r < 500; r++) x[threadIdx.x] = x[threadIdx.x] / 3.0f + r;\n"


def _kernel(name: str, body: str) -> str:
    return f"__global__ void {name}(float *x) {{\n{body}  helper(x, threadIdx.x);\n}}\n"


ALL = _kernel("all", "")
LITTLE = _kernel("little", ROUND)


def _analyze(path: str, files: dict[str, str], callers: KnownCallers | None = None) -> FileAnalysis:
    loader = DictLoader({name: text.encode() for name, text in files.items()})
    includer = next((name for name, text in files.items() if f'"{path}"' in text), None)
    document = Document.open(files[path].encode())
    return Analyzer().analyze(path, document, loader, AnalysisSettings(), context=includer, callers=callers)


def _callers(files: dict[str, str]) -> KnownCallers | None:
    calls = [_analyze(path, files).calls() for path in files if path != "h.cuh"]
    return pickle.loads(pickle.dumps(known_callers("h.cuh", calls)))


def _including(**kernels: str) -> dict[str, str]:
    files = {f"{name}.cu": f'#include "h.cuh"\n{text}' for name, text in kernels.items()}
    return {"h.cuh": HELPER, **files}


def _header(files: dict[str, str]) -> FileAnalysis:
    return _analyze("h.cuh", files, _callers(files))


def _part(analysis: FileAnalysis) -> PartOf:
    function: FunctionFacts = next(one for one in analysis.facts.functions if one.name == "helper")
    part = function.branches[0].cost_part
    assert part is not None
    return part


@pytest.mark.parametrize("kernel", [pytest.param(ALL, id="all of it"), pytest.param(LITTLE, id="little of it")])
def test_the_share_is_that_in_the_file_of_the_kernel(kernel: str) -> None:
    outside = _part(_header(_including(main=kernel)))
    inside = _part(_analyze("k.cu", {"k.cu": HELPER + kernel}))
    assert outside.whole == inside.whole
    assert outside.is_kernel
    assert outside.share.expected == pytest.approx(inside.share.expected, rel=0.1)


def test_the_kernel_of_which_it_is_most_is_named() -> None:
    part = _part(_header(_including(a=LITTLE, b=ALL)))
    assert part.whole == "all"
    assert _part(_header(_including(a=ALL, b=LITTLE))) == part


def test_two_calls_are_twice_the_share() -> None:
    once = _part(_header(_including(main=LITTLE)))
    twice = _part(_header(_including(main=LITTLE.replace("}\n", "  helper(x, blockIdx.x);\n}\n"))))
    assert twice.share.expected == pytest.approx(2 * once.share.expected, rel=0.1)


def test_a_small_part_of_a_kernel_is_no_finding() -> None:
    found = check(_header(_including(main=ALL)), RuleSettings())
    (priced,) = [one for one in found if one.cost is not None]
    assert priced.code == "DIV401"
    assert "of the issue slots of kernel `all`" in priced.message
    assert not [one for one in check(_header(_including(main=LITTLE)), RuleSettings()) if one.cost]


def test_without_a_kernel_it_is_a_share_of_the_function() -> None:
    files = {"h.cuh": HELPER}
    assert _part(_analyze("h.cuh", files)).whole == "helper"
    device = LITTLE.replace("__global__", "__device__")
    assert _part(_header(_including(main=device))).whole == "helper"


def test_an_edit_of_the_body_keeps_what_is_known() -> None:
    files = _including(main=LITTLE)
    known = _callers(files)
    edited = {**files, "h.cuh": HELPER.replace("3.0f", "4.0f").replace("- 1.0f", "- 1.0f - i")}
    assert _part(_analyze("h.cuh", edited, known)).whole == "little"


def test_what_is_called_through_others_counts() -> None:
    outer = "__device__ void outer(float *x) { helper(x, threadIdx.x); }\n"
    files = _including(main=LITTLE.replace("helper(x, threadIdx.x)", "outer(x)"))
    files["h.cuh"] = HELPER + outer
    part = _part(_header(files))
    assert part.whole == "little"
    assert part.share.expected < 0.03


def test_sectors_are_weighed_too() -> None:
    body = "__device__ void helper(float *x, int i) { x[i * 64] = 1.0f; }\n"
    files = {**_including(all=ALL, little=LITTLE), "h.cuh": body}
    for name, codes in (("all", ["MEM501"]), ("little", [])):
        one = {path: text for path, text in files.items() if path in ("h.cuh", f"{name}.cu")}
        assert [found.code for found in check(_header(one), RuleSettings())] == codes
