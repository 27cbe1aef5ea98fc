"""What a user of Neovim does, with keys, in every supported version."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.editors.neovim.editor import VERSIONS, Neovim
from tests.editors.others.snippets import snippet
from tests.editors.outcome import FAILED

HALO: Final = """\
__global__ void halo(float *out, const float *in, int n) {
  __shared__ float tile[32][32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 2 == 0) {
    out[i] = in[i * 8];
  } else {
    out[i] = in[i] + 1.0f;
  }
  tile[threadIdx.x][0] = out[i];
  if (threadIdx.x < 7) {
    __syncthreads();
  }
}
"""
_DECORATED: Final = """
local space = vim.api.nvim_get_namespaces()['simt.decorations']
return vim.tbl_map(function(mark) return mark[2] + 1 end, vim.api.nvim_buf_get_extmarks(0, space, 0, -1, {}))"""
"""The lines, from 1, that something stands behind."""
Open = Callable[..., Neovim]


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "halo.cu").write_text(HALO)
    (folder / ".simt.toml").write_text('tiers = ["proven", "possible"]\n')
    return folder


@pytest.fixture
def neovim(version: str, project: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Neovim]:
    home = tmp_path / "home"
    home.mkdir()
    with Neovim(version, project, home, files=("halo.cu",)) as editor:
        editor.wait_for("#vim.diagnostic.get(0) > 0")
        yield editor
        if request.node.stash.get(FAILED, False):
            editor.picture("failed")


def test_findings_stand_in_their_lines(neovim: Neovim) -> None:
    neovim.lua("vim.diagnostic.config({ virtual_text = true })")
    assert "SYN101" in neovim.codes()
    neovim.sees("Threads 0-6 of the block arrive at this barrier")
    neovim.picture("findings")


def test_hover_says_why(neovim: Neovim) -> None:
    neovim.at(4, 7)
    neovim.keys("K")
    neovim.sees("differs in every thread")
    neovim.picture("hover")


def test_hints_and_the_line_above_the_kernel_are_shown(neovim: Neovim) -> None:
    neovim.sees("Simulate")
    neovim.sees("32-way conflict")
    neovim.picture("hints")


def test_branches_that_split_are_coloured(neovim: Neovim) -> None:
    groups = "vim.iter(vim.inspect_pos(0, 3, 2).semantic_tokens):map(function(t) return t.opts.hl_group end)"
    neovim.wait_for(f"{groups}:any(function(group) return group == '@lsp.typemod.keyword.varying.cuda' end)")
    neovim.picture("colours")


def test_explain(neovim: Neovim) -> None:
    neovim.at(4, 3)
    neovim.run("SimtExplain")
    neovim.sees("a split takes about")
    neovim.picture("explain")


def test_explain_exactly(neovim: Neovim) -> None:
    neovim.at(4, 3)
    neovim.run("SimtExplainExactly")
    neovim.sees("exactly, over all paths of two threads:")
    neovim.wait_for("vim.bo.filetype == 'simt-explanation' and not vim.bo.modifiable")
    neovim.picture("explain-exactly")
    neovim.run("close")
    neovim.no_longer_sees("exactly, over all paths of two threads:")


def test_explain_has_nothing_to_say_of_an_empty_line(neovim: Neovim) -> None:
    neovim.keys("Go\x1b")
    neovim.run("SimtExplain")
    neovim.sees("no device function stands on this line")


def test_the_report_has_the_numbers_of_the_shell(neovim: Neovim, project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "simt_lsp", "simulate", "halo.cu", "--json"],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    run = json.loads(done.stdout)["policies"]["ipdom"]
    neovim.at(4)
    neovim.run("SimtSimulate")
    neovim.sees("SIMD efficiency")
    neovim.sees(f"{run['warp_instructions']:,} warp instructions")
    neovim.picture("report")
    neovim.keys("q")
    neovim.no_longer_sees("SIMD efficiency")


def test_what_ran_stands_behind_the_lines_until_the_text_changes(neovim: Neovim) -> None:
    neovim.at(4)
    neovim.run("SimtSimulate")
    neovim.sees("SIMD efficiency")
    neovim.keys("q")
    neovim.sees("50 % of lanes")
    neovim.sees("split 8 of 8 times")
    assert 3 not in neovim.lua(_DECORATED), "all lanes worked there, and nothing else was lost"
    neovim.picture("decorations")
    neovim.keys("5Go    out[i] = 2.0f;\x1b")
    neovim.no_longer_sees("50 % of lanes")
    neovim.picture("stale")
    neovim.keys("u")
    neovim.sees("50 % of lanes")


def test_what_was_removed_from_behind_the_lines_comes_back_with_the_next_simulation_only(neovim: Neovim) -> None:
    neovim.at(4)
    neovim.run("SimtSimulate")
    neovim.sees("q closes")
    neovim.keys("q")
    neovim.sees("50 % of lanes")
    neovim.run("SimtClear")
    neovim.no_longer_sees("50 % of lanes")
    neovim.lua("_G.told = 0 local show = require('simt.decorations').show"
               " require('simt.decorations').show = function(...) _G.told = _G.told + 1 show(...) end")  # fmt: skip
    neovim.keys("Go// an edit after which the server tells of the simulation again\x1b")
    neovim.wait_for("_G.told > 0")
    assert "50 % of lanes" not in neovim.terminal.text()
    neovim.at(4)
    neovim.run("SimtSimulate")
    neovim.sees("q closes")
    neovim.keys("q")
    neovim.sees("50 % of lanes")


BOTH: Final = """\
__global__ void both(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) {
    x[i] = 1;
  }
}
void run(float *x) { both<<<64, 128>>>(x, 8000); }
"""


def test_what_ran_stands_before_a_long_finding_and_counts_both_halves_of_a_condition(
    neovim: Neovim, project: Path
) -> None:
    (project / "both.cu").write_text(BOTH)
    neovim.edit("both.cu")
    neovim.at(3)
    neovim.run("SimtSimulate grid=64 n=8000")
    neovim.sees("q closes")
    neovim.keys("q")
    run = "vim.lsp.buf_request_sync(0, 'simt/simulation', { textDocument = { uri = vim.uri_from_bufnr(0) } }, 9000)"
    (kernel,) = neovim.lua(
        f"return vim.iter(pairs({run})):map(function(_, a) return a.result.kernels[1] end):totable()"
    )
    (branch,) = [one for one in kernel["branches"] if one["position"]["line"] == 2]
    (line,) = [one for one in kernel["lines"] if one["line"] == 2]
    assert branch["executed"] > line["executed"]
    neovim.sees(f"split {branch['diverged']:,} of {branch['executed']:,} times")
    finding = "{ lnum = 2, col = 2, message = ('finding '):rep(20), severity = 3 }"
    show = f"vim.diagnostic.set(vim.api.nvim_create_namespace('test'), 0, {{ {finding} }})"
    neovim.lua(f"vim.diagnostic.config({{ virtual_text = true }}) {show}")
    neovim.sees("times     ■ finding finding")
    simulation = "vim.lsp.get_clients()[1].handlers['simt/simulation']"
    neovim.lua(f"local again = vim.iter(pairs({run})):map(function(_, a) return a.result end):totable()[1]"
               f" vim.diagnostic.reset() {simulation}(nil, again) {show}")  # fmt: skip
    neovim.sees("times     ■ finding finding")
    neovim.lua(f"local again = vim.iter(pairs({run})):map(function(_, a) return a.result end):totable()[1]"
               f" {simulation}(nil, again)")  # fmt: skip
    neovim.lua("vim.cmd.redraw()")
    neovim.sees("times     ■ finding finding")


def test_a_report_waits_until_nobody_types(neovim: Neovim) -> None:
    neovim.at(4)
    neovim.lua("_G.answered = false vim.cmd('normal! G') vim.cmd.startinsert()"
               " local c = require('simt.client') local request = c.request"
               " c.request = function(a, b, method, d, answered, f)"
               "   return request(a, b, method, d, function(result) answered(result) _G.answered = true end, f) end"
               " vim.schedule(function() require('simt.simulate').run(vim.api.nvim_get_current_buf(),"
               " { textDocument = { uri = vim.uri_from_bufnr(0) }, kernel = 'halo' }) end)")  # fmt: skip
    neovim.wait_for("_G.answered")
    neovim.keys("// typed")
    neovim.sees("// typed")
    assert "q closes" not in neovim.terminal.text()
    neovim.keys("\x1b")
    neovim.sees("q closes")
    neovim.keys("q")
    neovim.wait_for("vim.api.nvim_buf_get_lines(0, -2, -1, false)[1]:find('// typed', 1, true)")


def test_the_last_report_can_be_read_again(neovim: Neovim) -> None:
    neovim.at(4)
    neovim.run("SimtReport text")
    neovim.sees("simt: no kernel was simulated here; :SimtSimulate does")
    neovim.run("SimtSimulate")
    neovim.sees("q closes")
    neovim.keys("q")
    neovim.no_longer_sees("q closes")
    neovim.run("SimtReport text")
    neovim.sees("SIMD efficiency")
    neovim.keys("q")
    neovim.run("SimtReport pdf")
    neovim.sees("simt: pdf is not a format; there are: html, text")


def test_a_launch_can_be_given(neovim: Neovim) -> None:
    neovim.at(4)
    neovim.run("SimtSimulate grid=2 block=64")
    neovim.sees("grid 2")
    neovim.sees("block 64")


def test_a_wrong_launch_is_answered_with_what_is_wrong(neovim: Neovim) -> None:
    neovim.at(4)
    neovim.run("SimtSimulate grdi=2")
    neovim.sees("grdi")


ENDLESS: Final = "__global__ void k(volatile int *x) { for (;;) x[0] += 1; }\n"


def test_a_simulation_that_takes_long_is_told_of_and_can_be_ended(neovim: Neovim, project: Path) -> None:
    folder = project / "endless"
    folder.mkdir()
    (folder / "endless.cu").write_text(ENDLESS)
    (folder / ".simt.toml").write_text("[simulate]\nseconds = 300\n")  # it must not end by itself before it is ended
    neovim.edit("endless/endless.cu")
    neovim.run("SimtSimulate")
    neovim.sees("simulating k: ")
    neovim.sees("(:SimtCancel ends it)")
    neovim.picture("progress")
    neovim.run("SimtCancel")
    neovim.sees("simt: the simulation was ended")
    neovim.run("SimtCancel")
    neovim.sees("simt: nothing is being simulated")
    for _ in range(2):
        neovim.run("SimtSimulate")
        neovim.sees("simulating k: ")
    neovim.run("enew")  # and from another buffer
    neovim.run("SimtCancel")
    neovim.sees("simt: 2 simulations were ended")


def test_a_simulation_ends_with_its_buffer(neovim: Neovim, project: Path) -> None:
    (project / "endless.cu").write_text(ENDLESS)
    (project / ".simt.toml").write_text("[simulate]\nseconds = 300\n")
    neovim.edit("endless.cu")
    neovim.run("SimtSimulate")
    neovim.sees("simulating k: ")
    neovim.run("bdelete")
    neovim.no_longer_sees("simulating k: ")
    neovim.run("SimtCancel")
    neovim.sees("simt: nothing is being simulated")


LONG: Final = """__global__ void k(int *x) {
  for (long j = 0; j < 1000000000; ++j) {
    if (threadIdx.x % 2) x[threadIdx.x] += 1;
  }
}
"""


def test_what_a_long_run_has_counted_stands_behind_the_lines_and_stays_when_it_is_ended(
    neovim: Neovim, project: Path
) -> None:
    folder = project / "long"
    folder.mkdir()
    (folder / "long.cu").write_text(LONG)
    (folder / ".simt.toml").write_text("[simulate]\nseconds = 300\n")
    neovim.edit("long/long.cu")
    neovim.lua("vim.diagnostic.config({ virtual_text = false })")  # or a long finding stands before it
    neovim.run("SimtSimulate grid=1 block=32")
    neovim.sees("Simulating… (so far ")
    neovim.sees("% of lanes · split ")
    neovim.picture("so_far")
    neovim.run("SimtCancel")
    neovim.sees("Simulate again (")
    neovim.sees("ended early)")
    neovim.sees("% of lanes · split ")


def test_the_cursor_may_stand_anywhere_in_the_line_of_a_finding(neovim: Neovim) -> None:
    neovim.at(9, 30)
    neovim.lua("vim.schedule(vim.lsp.buf.code_action)")
    neovim.sees("Pad")


def test_the_lens_simulates(neovim: Neovim) -> None:
    neovim.sees("Simulate")
    neovim.at(1)
    neovim.lua("vim.schedule(function() vim.lsp.codelens.run() end)")
    neovim.sees("2: Simulate")
    neovim.picture("lens")
    neovim.keys("2\r")
    neovim.sees("SIMD efficiency")


def test_the_marks_are_explained(neovim: Neovim) -> None:
    neovim.run("SimtLegend")
    neovim.sees("What the marks mean")
    neovim.sees("32/4 sectors")
    neovim.picture("legend")
    neovim.keys("q")
    neovim.no_longer_sees("What the marks mean")


@pytest.mark.parametrize(
    ("given", "filetype", "text"), [("dot", "dot", "digraph"), ("mermaid", "mermaid", "flowchart")]
)
def test_control_flow_as_text(neovim: Neovim, given: str, filetype: str, text: str) -> None:
    neovim.at(4)
    neovim.run(f"SimtCfg {given}")
    neovim.sees(text)
    assert neovim.lua("return vim.bo.filetype") == filetype
    neovim.picture("graph")


def test_a_kernel_as_vectors_leads_to_its_source(neovim: Neovim) -> None:
    neovim.at(4)
    neovim.run("SimtSimd")
    neovim.sees("m0 = all_lanes")
    assert neovim.lua("return vim.bo.filetype") == "simt-simd"
    neovim.picture("vectors")
    neovim.lua("vim.fn.search('store(')")
    neovim.keys("\r")
    neovim.wait_for("vim.bo.filetype == 'cuda'")
    assert "=" in neovim.lua("return vim.api.nvim_get_current_line()")


def test_control_flow_as_a_picture_is_opened_by_the_system(neovim: Neovim) -> None:
    neovim.lua("vim.ui.open = function(path) _G.opened = path end")
    neovim.at(4)
    neovim.run("SimtCfg")
    neovim.wait_for("_G.opened")
    assert "<svg" in Path(neovim.lua("return _G.opened")).read_text()


def test_a_fix_is_applied_and_its_finding_is_gone(neovim: Neovim) -> None:
    assert "MEM502" in neovim.codes()
    neovim.at(9, 3)
    neovim.lua("vim.schedule(vim.lsp.buf.code_action)")
    neovim.sees("Pad")
    neovim.picture("actions")
    neovim.keys("1\r")
    neovim.sees("float tile[32][32 + 1];")
    neovim.wait_for("not vim.iter(vim.diagnostic.get(0)):any(function(d) return d.code == 'MEM502' end)")
    assert "SYN101" in neovim.codes()
    neovim.picture("applied")


def test_all_safe_fixes_are_made_and_undone_as_documented(neovim: Neovim) -> None:
    """Not what is about the cursor: it stands on a finding without a fix."""
    before = neovim.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
    neovim.at(1, 1)
    neovim.run(snippet("Neovim", "vim").strip().removeprefix(":"))
    neovim.sees("float tile[32][32 + 1];")
    neovim.wait_for("not vim.iter(vim.diagnostic.get(0)):any(function(d) return d.code == 'MEM502' end)")
    assert "SYN101" in neovim.codes()
    neovim.picture("applied")
    neovim.keys("u")
    neovim.wait_for("vim.iter(vim.diagnostic.get(0)):any(function(d) return d.code == 'MEM502' end)")
    assert neovim.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)") == before


def test_a_killed_server_is_started_again_with_the_file(neovim: Neovim) -> None:
    for pid in neovim.lua("return vim.api.nvim_get_proc_children(vim.fn.getpid())"):
        os.kill(pid, signal.SIGKILL)
    neovim.sees("quit with exit code")
    neovim.picture("killed")
    neovim.keys("\r")
    neovim.wait_for("#vim.lsp.get_clients() == 0")
    neovim.lua("vim.diagnostic.reset()")
    neovim.run("SimtExplain")
    neovim.sees("simt: the server does not run for this buffer: :SimtRestart starts it")
    neovim.keys("\r")
    neovim.run("SimtRestart")
    neovim.sees("simt: the server runs again")
    neovim.wait_for("#vim.diagnostic.get(0) > 0")
    neovim.picture("restarted")


def test_a_server_is_exchanged_for_a_new_one(neovim: Neovim) -> None:
    old = neovim.lua("return vim.lsp.get_clients()[1].id")
    neovim.keys("Go// edited, not written\x1b")
    neovim.run("SimtRestart")
    neovim.wait_for(f"(vim.lsp.get_clients()[1] or {{ id = {old} }}).id ~= {old}")
    neovim.at(4)
    neovim.run("SimtExplain")
    neovim.sees("a split takes about")


def test_health_of_a_working_installation(neovim: Neovim) -> None:
    neovim.run("checkhealth simt")
    neovim.sees("Kernels can be simulated")
    neovim.picture("health")


def test_the_help_is_there(neovim: Neovim) -> None:
    neovim.run("helptags ALL")
    neovim.run("help :SimtSimulate")
    neovim.sees("Run the kernel of the cursor on the simulator")


def test_a_missing_server_is_explained(version: str, project: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with Neovim(version, project, home, path="/usr/bin:/bin", files=("halo.cu",)) as editor:
        editor.run("checkhealth simt")
        editor.sees("is not on the PATH that Neovim sees")
        editor.picture("health")


def test_a_wrong_option_is_named(version: str, project: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    config = "local ok, why = pcall(require('simt').setup, { colour = 1 })\n_G.why = why"
    with Neovim(version, project, home, config=f"vim.schedule(function() {config} end)") as editor:
        editor.wait_for("_G.why")
        assert 'simt: there is no option "colour"; there are: border, cmd' in editor.lua("return _G.why")


def test_options_reach_the_server(version: str, project: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    config = (
        "vim.cmd.packadd('simt')\nrequire('simt').setup({ settings = { ignore = { 'SYN101' } }, inlay_hints = false })"
    )
    with Neovim(version, project, home, config=config, files=("halo.cu",)) as editor:
        editor.wait_for("#vim.diagnostic.get(0) > 0")
        assert "MEM502" in editor.codes()
        assert "SYN101" not in editor.codes()
        assert editor.lua("return vim.lsp.inlay_hint.is_enabled({ bufnr = 0 })") is False


def test_two_editors_at_once(version: str, project: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with (
        Neovim(version, project, tmp_path / "one", files=("halo.cu",)) as one,
        Neovim(version, project, tmp_path / "two", files=("halo.cu",)) as two,
    ):
        one.wait_for("#vim.diagnostic.get(0) > 0")
        two.wait_for("#vim.diagnostic.get(0) > 0")
        assert one.codes() == two.codes()
        one.picture("one")
        two.picture("two")
