"""Where the block of a kernel is not known and that decides a finding, its comment is offered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.raw_client import Message, RawClient
from tests.server.test_finding_actions import offered, opened

TITLE = "Say how large blocks are, which decides this: "
WARPS = """__global__ void warps(float *x, int n) {
  if (threadIdx.x / 32 == n) {
    for (int i = 0; i < n; i++) x[i] = sinf(x[i]) * cosf(x[i]);
  } else {
    for (int i = 0; i < n; i++) x[i] = expf(x[i]) / logf(x[i]);
  }
}
"""
ROWS = """template <typename T>
__global__ void rows(T *x, int n) {
  if ((threadIdx.x + threadIdx.y * 16) / 32 == n) {
    for (int i = 0; i < n; i++) x[i] = sinf(x[i]) * cosf(x[i]);
  } else {
    for (int i = 0; i < n; i++) x[i] = expf(x[i]) / logf(x[i]);
  }
}
"""


def comments(client: RawClient, uri: str, line: int) -> list[Message]:
    return [one for one in offered(client, uri, line) if one["title"].startswith(TITLE)]


@pytest.mark.parametrize(
    ("text", "line", "shape", "above"),
    [
        (WARPS, 1, "256", 0),
        ("int before;\n// about it\n" + WARPS, 3, "256", 2),
        ("// NOLINTNEXTLINE(simt-DIV401)\n" + WARPS, 2, "256", 0),
        (ROWS, 2, "16,16", 0),
    ],
)
def test_it_stands_above_the_declaration_and_the_finding_is_gone(
    text: str, line: int, shape: str, above: int, tmp_path: Path
) -> None:
    with opened(tmp_path, text) as (client, uri):
        (action,) = comments(client, uri, line)
        assert action["title"] == f"{TITLE}// simt: block={shape}"
        assert [one["code"] for one in action["diagnostics"]] == ["DIV401"]
        assert not action.get("isPreferred")
        (change,) = action["edit"]["documentChanges"]
        (edit,) = change["edits"]
        place = {"line": above, "character": 0}
        assert edit == {"range": {"start": place, "end": place}, "newText": f"// simt: block={shape}\n"}
        client.change(uri, 2, {"range": edit["range"], "text": edit["newText"]})
        report = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert "DIV401" not in {one["code"] for one in report["items"]}
        assert comments(client, uri, line + 1) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (WARPS + "void host(float *x, int n) { warps<<<1, 48>>>(x, n); }\n", 1),  # known
        (WARPS.replace("threadIdx.x / 32", "threadIdx.x % 32"), 1),  # any block splits
        (WARPS.replace("__global__", "__device__"), 1),  # its callers decide
        ("#define KERNEL \\\n" + WARPS, 2),  # no line can be put there
    ],
)
def test_it_is_not_offered_where_it_decides_nothing(text: str, line: int, tmp_path: Path) -> None:
    with opened(tmp_path, text) as (client, uri):
        assert comments(client, uri, line) == []
