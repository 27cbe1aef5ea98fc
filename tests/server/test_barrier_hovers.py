"""What is said of a barrier stands once in a hover, whoever shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.kernels import DIVERGENT
from tests.server.raw_client import VSCODE, Message, server

SENTENCE = "arrive at this barrier"
EARLY = """__global__ void early(int *out, int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();
  out[threadIdx.x] = out[threadIdx.x + 1];
}
"""


@pytest.mark.parametrize(
    ("text", "line", "shows_findings", "told"),
    [
        (DIVERGENT, 3, True, 0),
        (DIVERGENT, 3, False, 1),
        (EARLY, 2, True, 1),  # its finding stands at the return
        (DIVERGENT + "// NOLINTBEGIN\n" + EARLY + "// NOLINTEND\n", 3, True, 0),
        (DIVERGENT.replace("__syncthreads();", "__syncthreads();  // NOLINT"), 3, True, 1),
    ],
)
def test_a_hover_leaves_out_what_the_client_shows_with_the_finding(
    text: str, line: int, shows_findings: bool, told: int, tmp_path: Path
) -> None:
    client: Message = {**VSCODE, "experimental": {"simtFindingsInHovers": shows_findings}}
    uri = (tmp_path / "k.cu").as_uri()
    with server() as one:
        one.initialize(client, tmp_path)
        one.open(uri, text)
        column = text.splitlines()[line].index("__sync")
        place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": column + 1}}
        hover = one.request("textDocument/hover", place)["contents"]["value"]
        assert "**divergent block barrier**" in hover
        assert hover.count(SENTENCE) == told
        assert "thread index differs in every thread" in hover
        assert one.stop() == 0
