"""A suppression that says nothing is faded, and an action removes it."""

from __future__ import annotations

from tests.server.raw_client import PUSHED, server

TEXT = """__global__ void k(float *x) {
  x[threadIdx.x] = 1;  // NOLINT(simt-divergent-barrier)
}
"""


def test_it_is_reported_and_removed() -> None:
    with server() as client:
        capabilities = {**PUSHED, "textDocument": {**PUSHED.get("textDocument", {}), **ACTIONS}}
        client.initialize(capabilities)
        client.open("untitled:k", TEXT)
        (problem,) = client.diagnostics("untitled:k")
        assert (problem["code"], problem["severity"]) == ("unused-suppression", 4)
        context = {"diagnostics": [problem]}
        asked = {"textDocument": {"uri": "untitled:k"}, "range": problem["range"], "context": context}
        (action,) = client.request("textDocument/codeAction", asked)
        ((edit,),) = action["edit"]["changes"].values()
        assert (edit["range"]["start"], edit["newText"]) == ({"line": 1, "character": 21}, "")


ACTIONS = {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}}
