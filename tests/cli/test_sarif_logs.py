"""SARIF logs of both commands are what code hosts take; `make test-editors` asks Microsoft's multitool as well."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.kernels import BROKEN, CLEAN, DIVERGENT
from tests.cli.sarif_log import complaints
from tests.cli.shell import simt_lsp, write

FILES: Mapping[str, str | bytes] = {
    "a.cu": DIVERGENT,
    "with space/ä ö.cu": DIVERGENT.replace("__syncthreads", "/* äöü 🦊 */ __syncthreads"),
    "broken.cu": BROKEN,
    "clean.cu": CLEAN,
    "race.cu": (
        "__global__ void k(int *out) {\r\n  __shared__ int s[64];\r\n  s[threadIdx.x] = 1; /* 🦊 */ out[threadIdx.x] ="
        " s[63 - threadIdx.x] + s[threadIdx.x + 1];\r\n}\r\nvoid go(int *a) { k<<<1, 64>>>(a); }\r\n"
    ),
}
"""With names and texts that are not ASCII, and with other ends of lines."""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("tree"), FILES)


@pytest.fixture(scope="module", params=[("check", "."), ("sanitize", ".", "--jobs", "1")], ids=lambda one: one[0])
def text(request: pytest.FixtureRequest, tree: Path) -> str:
    done = simt_lsp(*request.param, "--format", "sarif", cwd=tree)
    return done.stdout


def test_logs_are_what_code_hosts_take(text: str) -> None:
    log = json.loads(text)
    assert complaints(log, text) == []
    places = [one["locations"][0]["physicalLocation"] for one in log["runs"][0]["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} >= {
        "a.cu",
        "with%20space/%C3%A4%20%C3%B6.cu",
        "race.cu",
    }


def _first(log: Any) -> Any:
    return log["runs"][0]["results"][0]


SPOILED: Mapping[str, Callable[[Any], object]] = {
    "its rule is another one": lambda log: _first(log).update(ruleId="other"),
    "no fingerprint": lambda log: _first(log).update(partialFingerprints={}),
    "lines 4000 to": lambda log: _first(log)["locations"][0]["physicalLocation"]["region"].update(startLine=4000),
    "no relative address": lambda log: _first(log)["locations"][0]["physicalLocation"]["artifactLocation"].update(
        uri="/tmp/a.cu"
    ),
    "the name is the id": lambda log: log["runs"][0]["tool"]["driver"]["rules"][0].update(id="x", name="x"),
    "has no fullDescription": lambda log: log["runs"][0]["tool"]["driver"]["rules"][0].pop("fullDescription"),
}


@pytest.mark.parametrize("complaint", SPOILED)
def test_what_is_wrong_is_noticed(text: str, complaint: str) -> None:
    log = copy.deepcopy(json.loads(text))
    SPOILED[complaint](log)
    assert any(complaint in one for one in complaints(log, text))
