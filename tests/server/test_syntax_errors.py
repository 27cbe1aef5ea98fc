"""A function that cannot be read is said to be one, where it cannot be read."""

from __future__ import annotations

from tests.server.kernels import DIVERGENT
from tests.server.raw_client import PUSHED, server

BROKEN = """__global__ void broken(float *out, int n) {
  if (threadIdx.x < n { __syncthreads(); }
  out[threadIdx.x] = 1;
}
"""


def test_the_place_is_marked_until_it_is_mended() -> None:
    with server() as client:
        client.initialize(PUSHED)
        client.open("untitled:k", BROKEN)
        (problem,) = client.diagnostics("untitled:k")
        assert (problem["code"], problem["severity"]) == ("syntax-error", 2)
        assert problem["message"] == "syntax error at line 2: `broken` is not analysed"
        assert problem["range"]["start"]["line"] == 1
        explained = client.request("simt/explain", {"textDocument": {"uri": "untitled:k"}, "line": 1})
        assert "`broken` is not analysed" in str(explained)
        client.change("untitled:k", 2, {"text": DIVERGENT})
        assert [one["code"] for one in client.diagnostics("untitled:k")] == ["SYN101"]
