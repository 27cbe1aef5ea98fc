"""Many repairs at once through the protocol: on a save, from a menu, and of one rule."""

from __future__ import annotations

from typing import Final

import pytest

from tests.server.raw_client import NEOVIM, VSCODE, Message, insert, repairs
from tests.server.test_barriers import FOUND, LADDER, ORDERED
from tests.server.test_barriers import named as barrier_actions
from tests.server.test_meld import LITERALS_ONLY, URI, Editor, actions, after, editor

TILES: Final = """__global__ void both(float *out, const float *in) {
  __shared__ float /* ünï𝄞 */ one[32][32], two[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  one[y][x] = in[y * 32 + x];
  two[y][x] = __shfl(in[y * 32 + x], 1);
  __syncthreads();
  out[y * 32 + x] = one[x][y] + two[x][y];
}
void host(float *out, const float *in) { both<<<1, dim3(32, 32)>>>(out, in); }
"""
PADDED: Final = TILES.replace("[32][32]", "[32][32 + 1]")
ALL_FIXED: Final = PADDED.replace("__shfl(", "__shfl_sync(0xffffffff, ")
CONFLICTS: Final = 6
SHUFFLE: Final = 4
RULE_TITLE: Final = "Fix all bank-conflict (MEM502) in this file"


def asked(client: Editor, *only: str) -> list[Message]:
    """Code actions for the whole document, as on a save."""
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    context = {"diagnostics": [], "only": list(only), "triggerKind": 2}
    parameters = {"textDocument": {"uri": URI}, "range": place, "context": context}
    found: list[Message] = client.request("textDocument/codeAction", parameters)
    return repairs(found)


def edited(client: Editor, text: str, action: Message, encoding: str = "utf-16") -> str:
    """The text with an action that is resolved first."""
    assert not {"edit", "command"} & set(action)
    (change,) = client.request("codeAction/resolve", action)["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": URI, "version": 1}
    return after(text, change["edits"], encoding)


@pytest.mark.parametrize(("base", "encoding"), [(VSCODE, "utf-16"), (NEOVIM, "utf-8")], ids=["vscode", "neovim"])
@pytest.mark.parametrize("only", ["source.fixAll.simt", "source.fixAll", "source", ""])
def test_all_safe_repairs_are_made_where_they_are_asked_for(base: Message, encoding: str, only: str) -> None:
    with editor(base, TILES) as client:
        (action,) = [one for one in asked(client, only) if one["kind"] == "source.fixAll.simt"]
        assert action["title"] == "Make all safe repairs of simt-lsp"
        assert edited(client, TILES, action, encoding) == ALL_FIXED
        assert client.stop() == 0


def test_a_menu_about_the_cursor_has_them_not() -> None:
    with editor(text=TILES) as client:
        kinds = {one["kind"] for line in range(8) for one in actions(client, line)}
        assert kinds == {"quickfix"}
        assert asked(client, "source.organizeImports", "source.fixAll.ruff") == []
        assert client.stop() == 0


def test_nothing_is_offered_where_nothing_is_to_be_repaired() -> None:
    with editor(text=ALL_FIXED) as client:
        assert asked(client, "source.fixAll.simt") == []
        assert client.stop() == 0


def test_a_client_that_cannot_resolve_gets_the_edit_at_once() -> None:
    with editor(text=TILES, wired=LITERALS_ONLY) as client:
        (action,) = asked(client, "source.fixAll.simt")
        (change,) = action["edit"]["documentChanges"]
        assert after(TILES, change["edits"], "utf-16") == ALL_FIXED
        assert client.stop() == 0


def test_an_edit_is_of_the_version_that_it_was_offered_for() -> None:
    with editor(text=TILES) as client:
        (action,) = asked(client, "source.fixAll.simt")
        client.change(URI, 2, insert(0, 0, "\n"))
        with pytest.raises(AssertionError, match="content modified"):
            client.request("codeAction/resolve", action)
        assert client.stop() == 0


def test_all_of_one_rule_where_there_are_more_than_one() -> None:
    with editor(text=TILES) as client:
        offered = actions(client, CONFLICTS, ["quickfix"])
        padding = [f"Pad the rows of `{name}` by one element" for name in ("one", "two")]
        assert [one["title"] for one in offered] == [*padding, RULE_TITLE]
        action = offered[-1]
        assert [found["code"] for found in action["diagnostics"]] == ["MEM502", "MEM502"]
        assert edited(client, TILES, action) == PADDED
        assert [one["title"] for one in actions(client, SHUFFLE, ["quickfix"])] == [
            "Use `__shfl_sync` with a full mask"
        ]
        assert client.stop() == 0


CHOSEN: Final = """__global__ void k(float *x, const float *y) {
  __shared__ float one, two;
  int t = threadIdx.x;
  if (threadIdx.x == 0) one = two = 0.0f;
  if (threadIdx.x == 0) two = 0.0f;
  __syncthreads();
  one = y[t];
  two = y[t + 1];
  __syncthreads();
  x[t] = one + two;
}
void host(float *x) { k<<<1, 64>>>(x, x); }
"""


def test_what_is_not_safe_says_so_and_is_left_out_on_a_save() -> None:
    with editor(text=CHOSEN) as client:
        assert asked(client, "source.fixAll.simt") == []
        one, rule = actions(client, 6, ["quickfix"])
        assert (one["title"], one["isPreferred"]) == ("Let one thread alone write `one`, as elsewhere (unsafe)", False)
        assert rule["title"] == "Fix all varying-store-to-one-address (RAC302) in this file, also what is unsafe"
        alone = CHOSEN.replace("  one = y", "  if (threadIdx.x == 0) one = y")
        assert edited(client, CHOSEN, rule) == alone.replace("  two = y", "  if (threadIdx.x == 0) two = y")
        assert client.stop() == 0


def test_barriers_are_among_them_once_a_run_has_confirmed_them() -> None:
    with editor(text=LADDER) as client:
        assert asked(client, "source.fixAll.simt") == []
        (offered,) = barrier_actions(client, FOUND, "quickfix")
        client.request("codeAction/resolve", offered)
        (action,) = asked(client, "source.fixAll.simt")
        assert edited(client, LADDER, action) == ORDERED
        client.change(URI, 2, insert(0, 0, "\n"))
        assert asked(client, "source.fixAll.simt") == []
        assert client.stop() == 0
