"""From the launch in a host file to the kernel in a header, through the protocol."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.server.raw_client import NEOVIM, PUSHED, VSCODE, Message, RawClient, server

HEADER = """// kernels
template <class T> __global__ void scale(T *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2) x[i] *= 2;
}
"""
MAIN = """#include "kernels.cuh"
int main() {
  double *x;
  scale<<<3, 96>>>(x, 200);
  return 0;
}
"""
LAUNCH = (3, 3)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "kernels.cuh").write_text(HEADER)
    (tmp_path / "main.cu").write_text(MAIN)
    return tmp_path


def at(uri: str, place: tuple[int, int]) -> Message:
    return {"textDocument": {"uri": uri}, "position": {"line": place[0], "character": place[1]}}


def simulate(client: RawClient, argument: Message) -> Any:
    return client.request("workspace/executeCommand", {"command": "simt.simulate", "arguments": [argument]})


def open_main(client: RawClient, project: Path, capabilities: Message = VSCODE) -> str:
    client.initialize(capabilities, project)
    uri = (project / "main.cu").as_uri()
    client.open(uri, MAIN)
    return uri


def shown(client: RawClient, uri: str) -> Any:
    return client.request("simt/simulation", {"textDocument": {"uri": uri}})


def test_a_hover_of_a_launch_says_what_the_kernel_s_name_says(project: Path) -> None:
    with server() as client:
        uri = open_main(client, project)
        hover = client.request("textDocument/hover", at(uri, LAUNCH))
        text = hover["contents"]["value"]
        assert text.startswith("launch of `scale`, defined in kernels.cuh:2\n\ngrid of 3 blocks · blocks of 96 threads")
        assert "- `n` is `200`" in text
        assert "`scale`: **1 of 1 branch divergent**" in text
        assert hover["range"] == {"start": {"line": 3, "character": 2}, "end": {"line": 3, "character": 18}}
        assert client.request("textDocument/hover", at(uri, (2, 10))) is None
        assert client.stop() == 0


def test_the_lens_over_a_launch_runs_the_kernel_of_the_header(project: Path) -> None:
    with server() as client:
        uri = open_main(client, project)
        (lens,) = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        assert lens["command"]["title"] == "Simulate this launch"
        assert lens["range"]["start"] == {"line": 3, "character": 2}
        answer = simulate(client, lens["command"]["arguments"][0])
        report = answer["report"]
        header = (project / "kernels.cuh").as_uri()
        assert (answer["status"], answer["uri"], answer["kernel"]) == ("finished", header, "scale")
        assert answer["position"] == {"line": 1, "character": 35}
        assert (report["grid"], report["block"], report["inputs"]["T"]["value"]) == ([3, 1, 1], [96, 1, 1], "double")
        assert report["inputs"]["n"]["why"] == "the launch in main.cu:4"
        (run,) = report["policies"].values()
        assert [(branch["line"], branch["level"]) for branch in run["branches"]] == [(4, "varying")]

        found = client.request("simt/simulationReport", {**at(uri, LAUNCH), "format": "json"})
        assert (found["kernel"], found["stale"], found["content"]["block"]) == ("scale", False, [96, 1, 1])
        asked = {"textDocument": {"uri": header}, "kernel": "scale", "format": "text"}
        found = client.request("simt/simulationReport", asked)
        assert (found["kernel"], found["stale"]) == ("scale", False)  # though nobody has opened its file
        assert shown(client, uri)["kernels"] == []  # they belong to the header
        client.open(header, HEADER)
        (kernel,) = shown(client, header)["kernels"]
        assert (kernel["kernel"], kernel["line"], kernel["stale"]) == ("scale", 1, False)
        assert {line["line"] for line in kernel["lines"]} >= {2, 3}
        assert client.stop() == 0


def test_the_lens_over_a_launch_tells_the_result_as_long_as_it_holds(project: Path) -> None:
    def title() -> str:
        (lens,) = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        return str(lens["command"]["title"])

    with server() as client:
        uri = open_main(client, project)
        header = project / "kernels.cuh"
        simulate(client, at(uri, LAUNCH))
        told = title()
        assert told.startswith("Simulate again (")
        assert "of lanes active" in told
        client.change(uri, 2, {"text": MAIN.replace("96", "64")})
        assert title() == "Simulate this launch"
        client.change(uri, 3, {"text": "\n" + MAIN})
        assert title() == told
        client.open(header.as_uri(), HEADER)
        assert title() == told
        client.change(header.as_uri(), 2, {"text": HEADER.replace("*= 2", "*= 3")})
        client.request("textDocument/codeLens", {"textDocument": {"uri": header.as_uri()}})
        assert title() == "Simulate this launch"
        client.change(header.as_uri(), 3, {"text": HEADER})
        client.request("textDocument/codeLens", {"textDocument": {"uri": header.as_uri()}})
        assert title() == told
        assert client.stop() == 0


def test_the_lens_over_a_launch_forgets_what_a_header_on_disk_no_longer_says(project: Path) -> None:
    with server() as client:
        uri = open_main(client, project)
        simulate(client, at(uri, LAUNCH))
        (project / "kernels.cuh").write_text(HEADER.replace("*= 2", "*= 3"))
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})
        header = (project / "kernels.cuh").as_uri()
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": header, "type": 2}]})
        (lens,) = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        assert lens["command"]["title"] == "Simulate this launch"
        assert client.stop() == 0


def test_without_a_folder_from_the_client_the_project_is_that_of_the_document(project: Path) -> None:
    with server() as client:
        client.initialize(VSCODE)
        uri = (project / "main.cu").as_uri()
        client.open(uri, MAIN)
        header = (project / "kernels.cuh").as_uri()
        client.open(header, HEADER)
        deadline = time.monotonic() + 30
        while "only launch: main.cu:4" not in str(client.request("textDocument/hover", at(header, (1, 37)))):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert client.stop() == 0


LITERALS: Message = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
PLAIN: Message = {"textDocument": {"codeAction": LITERALS}}


def test_code_actions_simulate_what_lenses_would(project: Path) -> None:
    def offered(uri: str, line: int) -> list[Message]:
        place = {"line": line, "character": 0}
        asked: Message = {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}}
        return client.request("textDocument/codeAction", {**asked, "context": {"diagnostics": []}})

    with server() as client:
        uri = open_main(client, project, PLAIN)
        header = (project / "kernels.cuh").as_uri()
        client.open(header, HEADER)
        assert offered(uri, 2) == []
        (action,) = offered(uri, 3)
        assert action["title"] == "Simulate this launch"
        answer = simulate(client, action["command"]["arguments"][0])
        assert (answer["uri"], answer["report"]["block"]) == (header, [96, 1, 1])
        (action,) = offered(uri, 3)
        assert action["title"] == "Simulate this launch"
        (action,) = offered(header, 1)
        assert action["title"] == "Simulate this kernel"
        assert simulate(client, action["command"]["arguments"][0])["kernel"] == "scale"
        assert offered(header, 2) == []
        assert client.stop() == 0


def test_a_result_is_stale_once_the_launch_says_something_else(project: Path) -> None:
    with server() as client:
        uri = open_main(client, project)
        header = (project / "kernels.cuh").as_uri()
        client.open(header, HEADER)
        simulate(client, at(uri, LAUNCH))
        assert [one["stale"] for one in shown(client, header)["kernels"]] == [False]
        client.change(uri, 2, {"text": "\n" + MAIN})
        client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        assert [one["stale"] for one in shown(client, header)["kernels"]] == [False]
        client.change(uri, 3, {"text": MAIN.replace("96", "64")})
        client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        assert [one["stale"] for one in shown(client, header)["kernels"]] == [True]
        client.change(uri, 4, {"text": MAIN})
        client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        assert [one["stale"] for one in shown(client, header)["kernels"]] == [False]
        assert client.stop() == 0


def test_a_result_holds_when_the_project_around_the_header_becomes_known(project: Path) -> None:
    (project / "main.cu").unlink()  # so no file is known that includes the header
    with server() as client:
        uri = open_main(client, project)
        header = (project / "kernels.cuh").as_uri()
        client.open(header, HEADER)
        simulate(client, at(uri, LAUNCH))
        assert [one["stale"] for one in shown(client, header)["kernels"]] == [False]
        (project / "main.cu").write_text(MAIN)
        changes = [{"uri": uri, "type": 1}]
        client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        deadline = time.monotonic() + 30
        while "main.cu" not in str(client.request("textDocument/hover", at(header, (1, 37)))):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert [one["stale"] for one in shown(client, header)["kernels"]] == [False]
        assert client.stop() == 0


def test_kernels_of_included_headers_by_their_name(project: Path) -> None:
    with server() as client:
        uri = open_main(client, project, NEOVIM)
        answer = simulate(client, {"textDocument": {"uri": uri}, "kernel": "scale", "block": 32})
        assert (answer["status"], answer["report"]["block"]) == ("finished", [32, 1, 1])
        wrong = {"command": "simt.simulate", "arguments": [at(uri, (2, 3))]}
        error = client.answer(client.ask("workspace/executeCommand", wrong))["error"]
        assert error["message"] == "simt.simulate: the file has no kernels"
        assert client.stop() == 0


def test_a_launch_of_a_kernel_of_the_same_file(tmp_path: Path) -> None:
    text = "__global__ void k(int *x) { x[threadIdx.x] = 1; }\nvoid run(int *x) { k<<<2, 64>>>(x); k<<<4, 32>>>(x); }\n"
    uri = (tmp_path / "k.cu").as_uri()
    with server() as client:
        client.initialize(VSCODE, tmp_path)
        client.open(uri, text)
        second = text.splitlines()[1].index("k<<<4")
        answer = simulate(client, at(uri, (1, second)))
        assert (answer["uri"], answer["report"]["grid"], answer["report"]["block"]) == (uri, [4, 1, 1], [32, 1, 1])
        (kernel,) = shown(client, uri)["kernels"]
        assert not kernel["stale"]
        assert client.stop() == 0


NAVIGATED = """// kernels
__device__ float twice(float x) { return 2 * x; }
__global__ void step(float *x);
__global__ void step(float *x) { x[threadIdx.x] = twice(twice(x[0])); }
"""
USERS = {
    "first.cu": '#include "k.cuh"\nvoid first(float *x) { step<<<1, 32>>>(x); }\n',
    "second.cu": """#include "k.cuh"
__global__ void more(float *x) { *x = twice(*x); }
void f() { step<<<1, 2>>>(0); }
""",
}


def places(client: RawClient, method: str, place: Message, **more: Any) -> list[tuple[str, int, int]] | None:
    """Name of the file, line and character of each answer."""
    answer = client.request(f"textDocument/{method}", {**place, **more})
    if answer is None:
        return None
    starts = [(Path(one["uri"]).name, one["range"]["start"]) for one in answer]
    return [(name, start["line"], start["character"]) for name, start in starts]


def test_from_the_launch_to_the_kernel_and_back(tmp_path: Path) -> None:
    for name, text in {"k.cuh": NAVIGATED, **USERS}.items():
        (tmp_path / name).write_text(text)
    with server() as client:
        client.initialize(VSCODE, tmp_path)
        main, header = (tmp_path / "first.cu").as_uri(), (tmp_path / "k.cuh").as_uri()
        client.open(main, USERS["first.cu"])
        launch = at(main, (1, 25))
        assert places(client, "definition", launch) == [("k.cuh", 3, 16)]
        assert places(client, "declaration", launch) == [("k.cuh", 2, 16)]
        assert places(client, "definition", at(main, (1, 6))) is None
        assert places(client, "definition", at(main, (1, 40))) is None
        client.open((tmp_path / "second.cu").as_uri(), USERS["second.cu"])
        client.open(header, NAVIGATED)
        assert places(client, "definition", at(header, (3, 52))) == [("k.cuh", 1, 17)]
        context = {"context": {"includeDeclaration": False}}
        found = places(client, "references", at(header, (3, 18)), **context)
        assert sorted(found or ()) == [("first.cu", 1, 23), ("second.cu", 2, 11)]
        calls = places(client, "references", at(header, (1, 18)), context={"includeDeclaration": True})
        expected = [("k.cuh", 1, 17), ("k.cuh", 3, 50), ("k.cuh", 3, 56), ("second.cu", 1, 38)]
        assert sorted(calls or ()) == expected
        assert client.stop() == 0


def test_navigation_may_be_switched_off(project: Path) -> None:
    with server() as client:
        client.initialize({}, project, options={"navigation": False})
        uri = (project / "main.cu").as_uri()
        client.open(uri, MAIN)
        assert places(client, "definition", at(uri, LAUNCH)) is None
        assert client.stop() == 0


DECLARING = """__global__ void scale(float *x, int n);
int main() {
  float *x;
  scale<<<3, 96>>>(x, 300);
  return 0;
}
"""
DEFINING = """__device__ float half_of(float x) { return x * 0.5f; }

__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2) x[i] = half_of(x[i]);
}
"""


@pytest.fixture
def declaring(tmp_path: Path) -> Path:
    """A kernel in one file, which another declares and launches; a program beside them has one of the same name."""
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "one" / "main.cu").write_text(DECLARING)
    (tmp_path / "one" / "kernel.cu").write_text(DEFINING)
    (tmp_path / "other" / "main.cu").write_text(DECLARING.replace("96", "32"))
    (tmp_path / "other" / "kernel.cu").write_text("// another\n" + DEFINING)
    return tmp_path


def wait_for_lens(client: RawClient, uri: str) -> Message:
    """Until the index of the project is there."""
    for _ in range(300):
        found = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        if found:
            return found[0]
        time.sleep(0.1)
    raise AssertionError("no lens")


def test_a_kernel_that_the_host_file_only_declares_is_found_in_its_own_file(declaring: Path) -> None:
    with server() as client:
        client.initialize(VSCODE, declaring)
        uri = (declaring / "one" / "main.cu").as_uri()
        kernel = (declaring / "one" / "kernel.cu").as_uri()
        client.open(uri, DECLARING)
        lens = wait_for_lens(client, uri)
        assert lens["command"]["title"] == "Simulate this launch"
        answer = simulate(client, lens["command"]["arguments"][0])
        report = answer["report"]
        assert (answer["status"], answer["uri"], answer["position"]) == (
            "finished",
            kernel,
            {"line": 2, "character": 16},
        )
        assert (report["grid"], report["block"], report["inputs"]["n"]["value"]) == ([3, 1, 1], [96, 1, 1], "300")
        assert client.request("simt/simulationReport", {**at(uri, (3, 3)), "format": "json"})["kernel"] == "scale"
        hover = client.request("textDocument/hover", at(uri, (3, 3)))["contents"]["value"]
        assert hover.startswith("launch of `scale`, defined in kernel.cu:3\n")
        assert "only launch: main.cu:4" in hover
        assert "- `n` is `300`" in hover
        assert "`scale` is defined in kernel.cu:3: 1 of 1 branch divergent" in explain(client, uri, 4)["text"]
        assert places(client, "definition", at(uri, (3, 3))) == [("kernel.cu", 2, 16)]
        assert places(client, "definition", at(uri, (0, 18))) == [("kernel.cu", 2, 16)]
        assert places(client, "declaration", at(uri, (3, 3))) == [("main.cu", 0, 16)]
        every = {("main.cu", 0, 16), ("main.cu", 3, 2), ("kernel.cu", 2, 16)}
        context = {"context": {"includeDeclaration": True}}
        assert set(places(client, "references", at(uri, (3, 3)), **context) or ()) == every
        client.open(kernel, DEFINING)
        assert set(places(client, "references", at(kernel, (2, 18)), **context) or ()) == every - {("main.cu", 0, 16)}
        (caller,) = client.request("textDocument/prepareCallHierarchy", at(kernel, (2, 18)))
        (call,) = client.request("callHierarchy/incomingCalls", {"item": caller})
        assert (call["from"]["name"], call["from"]["uri"]) == ("main", uri)
        assert client.stop() == 0


def test_a_kernel_that_several_files_may_define_is_not_chosen(tmp_path: Path) -> None:
    for name, text in {"main.cu": DECLARING, "one.cu": DEFINING, "two.cu": DEFINING}.items():
        (tmp_path / name).write_text(text)
    with server() as client:
        client.initialize(VSCODE, tmp_path)
        uri = (tmp_path / "main.cu").as_uri()
        client.open(uri, DECLARING)
        for _ in range(300):
            if client.request("workspace/symbol", {"query": "half_of"}):
                break
            time.sleep(0.1)
        assert client.request("textDocument/codeLens", {"textDocument": {"uri": uri}}) == []
        hover = client.request("textDocument/hover", at(uri, (3, 3)))["contents"]["value"]
        assert hover.startswith("launch of `scale`; its definition is not in sight")
        assert client.stop() == 0


def test_kernels_of_the_project_are_workspace_symbols(tmp_path: Path) -> None:
    for name, text in {"k.cuh": NAVIGATED, **USERS}.items():
        (tmp_path / name).write_text(text)
    with server() as client:
        client.initialize(VSCODE, tmp_path)
        client.open((tmp_path / "second.cu").as_uri(), USERS["second.cu"])
        found: list[Message] = []
        for _ in range(100):  # the index of the project is built meanwhile
            found = client.request("workspace/symbol", {"query": "STE"})
            if found:
                break
            time.sleep(0.1)
        (step,) = found
        assert (step["name"], step["containerName"]) == ("step", "k.cuh")
        assert step["location"]["range"]["start"] == {"line": 3, "character": 16}
        every = client.request("workspace/symbol", {"query": ""})
        assert [one["name"] for one in every] == ["more", "step", "twice"]
        assert client.stop() == 0


def explain(client: RawClient, uri: str, line: int, **more: Any) -> Any:
    return client.request("simt/explain", {"textDocument": {"uri": uri}, "line": line, **more})


def test_a_launch_is_explained_with_what_the_header_says_of_its_kernel(project: Path) -> None:
    with server() as client:
        uri = open_main(client, project)
        said = explain(client, uri, 4)
        assert (said["function"], said["summary"]) == (None, "a kernel is launched here")
        (item,) = said["items"]
        assert item["range"] == {"start": {"line": 3, "character": 2}, "end": {"line": 3, "character": 18}}
        assert (item["what"], item["verdict"]) == ("launch of `scale`", "grid of 3 blocks, blocks of 96 threads")
        defined = "`scale` is defined in kernels.cuh:2: 1 of 1 branch divergent"
        assert item["details"] == ["`n` is `200`", defined]
        for line in (3, 5, 99):
            assert explain(client, uri, line)["summary"] == "no device function stands on this line"
        exactly = explain(client, uri, 4, exact=True, drawings=True)
        assert (exactly["items"], exactly["exact"], exactly["drawings"]) == ([item], [], [])
        command = {"command": "simt.explain", "arguments": [uri, 4]}
        assert client.request("workspace/executeCommand", command) == said["text"]
        header = (project / "kernels.cuh").as_uri()
        client.open(header, HEADER.replace("i % 2", "n % 2"))
        assert explain(client, uri, 4)["items"][0]["details"][-1] == defined.replace("1 of 1", "no")
        assert client.stop() == 0


def test_launches_of_kernels_of_the_file_and_of_none_are_explained(tmp_path: Path) -> None:
    text = """__global__ void k(int *x) { x[threadIdx.x] = 1; }
__global__ void k(int *x, int n) { if (threadIdx.x % 2) x[n] = 1; }
__global__ void away(int *x);
void run(int *x) { k<<<2, 64>>>(x); k<<<4, 32>>>(x, 1); }
void more(int *x) { away<<<1, 32>>>(x); }
"""
    uri = (tmp_path / "k.cu").as_uri()
    with server() as client:
        client.initialize(VSCODE, tmp_path)
        client.open(uri, text)
        first, second = explain(client, uri, 4)["items"]
        assert first["details"][-1] == "`k` is defined in line 1: no branches"
        assert second["details"][-1] == "`k` is defined in line 2: 1 of 1 branch divergent"
        (item,) = explain(client, uri, 5)["items"]
        assert item["details"][-1] == "the definition of `away` is not in sight"
        assert client.stop() == 0


COUNTING = """
import sys
from simt_lsp.server.analyses.analysed import AnalysisJob
once = AnalysisJob.__call__
def counted(self, item, *more, **named):
    print("ANALYSED", item.analysis_path.rpartition("/")[2], item.version, file=sys.stderr, flush=True)
    return once(self, item, *more, **named)
AnalysisJob.__call__ = counted
from simt_lsp.__main__ import main
sys.argv = ["simt-lsp", "--stdio"]
main()
"""
WAITING = "__global__ void %s(float *x) {\n  if (threadIdx.x < 64) __syncthreads();\n  x[threadIdx.x] = 1;\n}\n"
RUNS = '#include "%s.cuh"\nvoid run_%s(float *x) { %s<<<1, 64>>>(x); }\n'


def test_an_edit_of_a_launch_analyses_its_kernel_s_header_again_and_no_other_document(tmp_path: Path) -> None:
    texts = {f"{name}.cuh": WAITING % name for name in ("k", "o")} | {
        f"run_{name}.cu": RUNS % (name, name, name) for name in ("k", "o")
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    uris = {name: (tmp_path / name).as_uri() for name in texts}
    (tmp_path / "idle.cu").write_text(WAITING % "idle")
    with server(command=(sys.executable, "-c", COUNTING)) as client:
        client.initialize(PUSHED, tmp_path)
        for name, text in texts.items():
            client.open(uris[name], text)
        wider = texts["run_k.cu"].replace("64", "128")
        client.change(uris["run_k.cu"], 2, {"text": wider})
        client.wait_for_codes(uris["k.cuh"], ["DIV404", "SYN101"])
        # What is done in the background comes before the check of a file that is not open.
        client.request("workspace/executeCommand", {"command": "simt.checkWorkspace", "arguments": []})
        client.request("textDocument/hover", at(uris["o.cuh"], (1, 20)))
        before = len(_analysed(client))
        client.change(uris["run_k.cu"], 3, {"text": texts["run_k.cu"]})
        client.wait_for_codes(uris["k.cuh"], ["SYN107"])
        client.request("textDocument/hover", at(uris["o.cuh"], (1, 20)))
        assert set(_analysed(client)[before:]) == {"run_k.cu 3", "k.cuh 1"}


def _analysed(client: RawClient) -> list[str]:
    lines = b"".join(client.stderr).decode().splitlines()
    return [line.removeprefix("ANALYSED ") for line in lines if line.startswith("ANALYSED ")]
