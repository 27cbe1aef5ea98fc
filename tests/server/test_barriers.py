"""Inserting `__syncwarp()` through the protocol: what is offered, checked and applied, and what the user is told."""

from __future__ import annotations

from typing import Final

import pytest

from tests.server.raw_client import NEOVIM, VSCODE, Message, insert
from tests.server.test_meld import LITERALS_ONLY, URI, Editor, actions, after, editor, heard

LADDER: Final = """__global__ void sum(float *x) {
  __shared__ volatile float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  /* 𝄞 */ if (t < 32) { s[t] += s[t + 32];
    s[t] += s[t + 16];
  }
  if (t == 0) x[0] = s[0];
}
void host(float *x) { sum<<<1, 64>>>(x); }
"""
ORDERED: Final = LADDER.replace("s[t + 32];\n", "s[t + 32]; __syncwarp();\n").replace(
    "    s[t] += s[t + 16];\n",
    "    const auto value = s[t] + s[t + 16];\n    __syncwarp();\n    s[t] = value;\n",
)
FOUND: Final = 6
"""The line of the finding."""
UNKNOWN: Final = LADDER.replace("  s[t] = x[t];\n", '  asm volatile("frobnicate;");\n  s[t] = x[t];\n')
"""Nobody can run it."""
STUCK: Final = LADDER.replace("s[t] += s[t + 16];", "x[t] = s[t] = s[t + 16];")
SPLIT: Final = """__global__ void k(float *x, const float *y) {
  int t = threadIdx.x;
  float v = y[t];
  if (v > 0.5f) {
    v += y[t ^ 1];
  }
  if (v > 0.7f) return;
  x[t] = v;
}
void host(float *x, float *y) { k<<<2, 64>>>(x, y); }
"""

EARLY: Final = """__global__ void smooth(const float *x, float *y, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;  /* 𝄞 */
  tile[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = tile[threadIdx.x] + tile[0];
}
void host(float *x, float *y, int n) { smooth<<<4, 256>>>(x, y, n); }
"""
GUARDED: Final = EARLY.replace("  if (i >= n) return;  /* 𝄞 */\n  tile", "  /* 𝄞 */\n  if (i < n) tile").replace(
    "  y[i] =", "  if (i < n) y[i] ="
)


def named(client: Editor, line: int, kind: str) -> list[Message]:
    return [one for one in actions(client, line) if one["kind"] == kind and "__syncwarp" in one["title"]]


@pytest.mark.parametrize(("base", "encoding"), [(VSCODE, "utf-16"), (NEOVIM, "utf-8")], ids=["vscode", "neovim"])
def test_the_fix_is_checked_when_it_is_chosen(base: Message, encoding: str) -> None:
    with editor(base, LADDER) as client:
        (action,) = named(client, FOUND, "quickfix")
        assert action["title"] == "Insert `__syncwarp()`"
        assert [found["code"] for found in action["diagnostics"]] == ["WRP209"]
        assert not {"edit", "command"} & set(action)
        resolved = client.request("codeAction/resolve", action)
        assert resolved["title"].startswith("Insert 2 `__syncwarp()` and take 1 statement apart: ")
        assert resolved["title"].endswith("gone, equal results under 8 policies, checked on 64 threads")
        (change,) = resolved["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": URI, "version": 1}
        assert after(LADDER, change["edits"], encoding) == ORDERED
        assert [one["title"] for one in named(client, FOUND, "quickfix")] == [resolved["title"]]
        assert client.stop() == 0


def test_code_that_is_in_order_gets_no_offer() -> None:
    with editor(text=ORDERED) as client:
        assert not any("__syncwarp" in action["title"] for line in range(12) for action in actions(client, line))


def test_what_cannot_run_is_offered_as_not_checked() -> None:
    with editor(text=UNKNOWN) as client:
        (action,) = named(client, FOUND + 1, "quickfix")
        resolved = client.request("codeAction/resolve", action)
        assert "edit" not in resolved
        question = heard(client, "window/showMessageRequest")
        assert question["message"].startswith("The `__syncwarp()` was not checked: ")
        (again,) = named(client, FOUND + 1, "quickfix")
        assert "apart (not checked: " in again["title"]
        (change,) = client.request("codeAction/resolve", again)["edit"]["documentChanges"]
        assert "__syncwarp();" in after(UNKNOWN, change["edits"], "utf-16")


def test_what_cannot_be_written_is_disabled_with_the_reason() -> None:
    with editor(text=STUCK) as client:
        (action,) = named(client, FOUND, "quickfix")
        assert action["disabled"]["reason"].startswith("lanes read and write in one statement")


def test_a_client_that_resolves_nothing_gets_the_edit_sent() -> None:
    with editor(text=LADDER, wired=LITERALS_ONLY) as client:
        (action,) = named(client, FOUND, "quickfix")
        assert action["command"]["command"] == "simt.repairBarriers"
        command = {"command": "simt.repairBarriers", "arguments": action["command"]["arguments"]}
        assert client.request("workspace/executeCommand", command) == {"applied": True}
        (applied,) = client.applied
        assert after(LADDER, applied["edit"]["documentChanges"][0]["edits"], "utf-16") == ORDERED


def test_lanes_are_brought_together_behind_a_branch() -> None:
    with editor(text=SPLIT) as client:
        (action,) = named(client, 3, "refactor.rewrite")
        assert action["title"] == "Insert `__syncwarp()` after the branch"
        resolved = client.request("codeAction/resolve", action)
        assert resolved["title"] == (
            "Insert `__syncwarp()` after the branch: equal results under 8 policies, checked on 128 threads"
        )
        (change,) = resolved["edit"]["documentChanges"]
        expected = SPLIT.replace("  }\n  if", "  }\n  __syncwarp();\n  if")
        assert after(SPLIT, change["edits"], "utf-16") == expected
        assert named(client, 6, "refactor.rewrite") == []  # lanes that return do not come


def test_another_version_is_not_edited() -> None:
    with editor(text=LADDER) as client:
        (action,) = named(client, FOUND, "quickfix")
        client.change(URI, 2, insert(0, 0, "// above\n"))
        number = client.ask("codeAction/resolve", action)
        assert client.answer(number)["error"]["code"] == -32801
        assert "ask again" in heard(client, "window/showMessage")["message"]


def test_work_is_guarded_so_that_all_threads_come_to_the_barrier() -> None:
    with editor(text=EARLY) as client:
        (action,) = [one for one in actions(client, 3) if one["kind"] == "quickfix"]
        assert action["title"] == "Guard the work instead of returning early"
        assert [found["code"] for found in action["diagnostics"]] == ["SYN103"]
        resolved = client.request("codeAction/resolve", action)
        assert resolved["title"] == (
            "Guard the work instead of returning early: equal results under 8 policies, checked on 1,024 threads"
        )
        (change,) = resolved["edit"]["documentChanges"]
        assert after(EARLY, change["edits"], "utf-16") == GUARDED


def test_a_barrier_that_has_to_stay_says_why() -> None:
    with editor(text=EARLY.replace("y[i] =", "y[i] = __syncthreads_count(i) +")) as client:
        (action,) = [one for one in actions(client, 3) if one["kind"] == "quickfix"]
        assert action["title"] == "Bring all threads to the barrier"
        assert action["disabled"]["reason"].startswith("the barrier names who takes part")


TILE: Final = """__global__ void k(float *x) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  x[t] = s[63 - t];
}
void host(float *x) { k<<<1, 64>>>(x); }
"""


def test_the_missing_barrier_of_the_block_is_inserted() -> None:
    with editor(text=TILE) as client:
        (action,) = [one for one in actions(client, 4) if "__syncthreads" in one["title"]]
        assert (action["title"], action["kind"]) == ("Insert `__syncthreads()`", "quickfix")
        assert [found["code"] for found in action["diagnostics"]] == ["RAC301"]
        resolved = client.request("codeAction/resolve", action)
        assert resolved["title"].startswith("Insert `__syncthreads()`: 1 race gone, equal results under 8 policies")
        (change,) = resolved["edit"]["documentChanges"]
        assert after(TILE, change["edits"], "utf-16") == TILE.replace("x[t];\n", "x[t];\n  __syncthreads();\n", 1)
        assert client.stop() == 0


def test_a_barrier_that_not_all_threads_reach_is_shown_with_the_reason() -> None:
    part = TILE.replace("  s[t] = x[t];\n", "  if (t < 50) {\n  s[t] = x[t];\n").replace(
        "63 - t];\n", "49 - t];\n  }\n"
    )
    with editor(text=part) as client:
        (action,) = [one for one in actions(client, 5) if "__syncthreads" in one["title"]]
        assert action["disabled"] == {"reason": "not all threads of the block come there"}
        assert client.stop() == 0
