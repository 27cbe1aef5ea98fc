"""Tools for agents: what an agent is told of kernels, called as an agent calls them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer

from simt_lsp.cli.mcp.server import make_server

RACY = """\
__global__ void shift(float *a) {
  __shared__ float tile[64];
  tile[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = tile[(threadIdx.x + 33) % 64];
}
void host(float *a) { shift<<<1, 64>>>(a); }
"""
ORDERED = RACY.replace("  a[threadIdx.x] = tile", "  __syncthreads();\n  a[threadIdx.x] = tile")
TWO_ARMS = """\
__global__ void arms(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2) {
    float x = in[i] * 3.0f + 1.0f;
    out[i] = x * x + in[i + 1] * x;
  } else {
    float x = in[i] * 5.0f + 2.0f;
    out[i] = x * x + in[i + 2] * x;
  }
}
"""


def called(name: str, server: MCPServer | StdioServerParameters | None = None, **arguments: object) -> dict[str, Any]:
    """The structured answer; fails if the tool does."""

    async def call(client: Client) -> dict[str, Any]:
        result = await client.call_tool(name, arguments)
        assert not result.is_error, result.content
        assert result.structured_content is not None
        return result.structured_content

    return of_client(call, server)


def error_of(name: str, **arguments: object) -> str:
    async def call(client: Client) -> str:
        result = await client.call_tool(name, arguments)
        assert result.is_error
        return "".join(getattr(one, "text", "") for one in result.content)

    return of_client(call)


def of_client(call: Callable[[Client], Awaitable[Any]], server: MCPServer | StdioServerParameters | None = None) -> Any:
    async def run() -> Any:
        async with Client(server or make_server(), read_timeout_seconds=60) as client:
            return await call(client)

    return asyncio.run(run())


def test_the_command_serves_the_tools_on_standard_input_and_output(tmp_path: Path) -> None:
    started = StdioServerParameters(command=sys.executable, args=["-I", "-m", "simt_lsp", "mcp"], cwd=tmp_path)

    async def names(client: Client) -> set[str]:
        assert client.instructions is not None
        return {tool.name for tool in (await client.list_tools()).tools}

    assert of_client(names, started) == {"check", "explain", "simulate", "sanitize", "meld"}
    assert [one["rule"] for one in called("check", started, code=RACY)["findings"]] == ["RAC301 shared-race"]
    assert not [*tmp_path.iterdir()]


def test_a_race_is_found_with_its_other_side_and_a_repair() -> None:
    answer = called("check", code=RACY, patch=True)
    (found,) = answer["findings"]
    assert found["place"].startswith("code.cu:4:")
    assert found["because"][0].startswith("code.cu:3: ")
    assert found["repair"] is not None
    assert "+  __syncthreads();" in answer["patch"]
    assert called("check", code=ORDERED)["findings"] == []


def test_what_is_not_analysed_is_a_problem() -> None:
    answer = called("check", code="__global__ void k(int *a) { a[0] = = 1; }")
    assert answer["findings"] == []
    assert any(problem.startswith("code.cu:1: ") for problem in answer["problems"])


def test_a_line_is_explained_and_so_is_a_rule() -> None:
    assert "varying" in called("explain", code=TWO_ARMS, line=3)["result"]
    assert "shared" in called("explain", rule="RAC301")["result"]


def test_a_run_shows_the_race_and_what_it_rests_on() -> None:
    (racy,) = called("simulate", code=RACY)["kernels"]
    assert racy["faults"][0]["kind"] == "data-race"
    assert racy["faults"][0]["place"].startswith("code.cu:4:")
    assert "faults" in racy["verdict"]
    (ordered,) = called("simulate", code=ORDERED, policies="all")["kernels"]
    assert (ordered["faults"], ordered["notes"], ordered["not_reached"]) == ([], [], None)
    assert ordered["verdict"].startswith("no fault in 8 runs of one launch, which reached 4 of 4 lines")


def test_many_runs_are_told_in_short() -> None:
    answer = called("sanitize", code=RACY)
    (found,) = answer["findings"]
    assert (found["kind"], found["severity"], found["found_by"]) == ("data-race", "error", "both")
    assert found["place"].startswith("code.cu:4:")
    assert found["run"].startswith("shift<<<(1, 1, 1), (64, 1, 1)>>>")
    assert answer["verdicts"][0].startswith("shift: ")


def test_arguments_go_in_and_arrays_come_out() -> None:
    (run,) = called("simulate", code=ORDERED, arguments={"a": "iota[64]"}, arrays=["a"])["kernels"]
    assert run["arrays"]["a"] == np.roll(np.arange(64.0), -33).tolist()


def test_arms_are_melded_after_a_check() -> None:
    answer = called("meld", code=TWO_ARMS, patch=True)
    (found,) = answer["melds"]
    assert found["saving"] > 0
    assert found["edits"][0]["line"] == 3
    assert answer["patch"].startswith("--- ")
    assert called("meld", code=ORDERED)["melds"] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("check", {}, "give either `path`"),
        ("check", {"code": ORDERED, "path": "a.cu"}, "give either `path`"),
        ("check", {"path": "/nowhere/at/all.cu"}, "`/nowhere/at/all.cu` does not exist"),
        ("check", {"path": "--fix"}, "`--fix` is no path"),
        ("explain", {"code": ORDERED, "line": 99}, "code.cu has 8 lines"),
        ("explain", {"code": ORDERED}, "give a `line`, or a `rule`"),
        ("simulate", {"code": ORDERED, "arguments": {"b": "1"}}, "shift has no argument b; it has: a"),
        ("simulate", {"code": ORDERED, "arrays": ["../a"]}, "`../a` is no name of an argument"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(tool: str, arguments: dict[str, object], said: str) -> None:
    complaint = error_of(tool, **arguments)
    assert said in complaint
    assert "/tmp/simt-lsp-" not in complaint


def test_what_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simt_lsp.cli.mcp.check_tool.SECONDS", 0.01)
    assert "not finished after 0.01 seconds" in error_of("check", code=ORDERED)
