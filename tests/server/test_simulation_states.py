"""What makes the result of a simulation stale, and what brings it back; refusals and faults as diagnostics."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.server.raw_client import PUSHED, VSCODE, Message, RawClient, insert, replace, server

KERNEL = """#include "width.cuh"
#define STEP 2
__device__ int next(int i) { return i + STEP; }
// simt: x=@x.npy
__global__ void k(int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[next(i) % WIDTH];
}
template <typename T> __global__ void generic(T *y) { y[threadIdx.x] = 1; }
void run(int *x, int *y, float *z) {
  k<<<2, 64>>>(x, y, 100);
  generic<<<1, 32>>>(z);
}
__global__ void other(int *y) { y[threadIdx.x] = 0; }
"""


def project(folder: Path) -> tuple[str, str]:
    """The URIs of the kernel's file and of its header."""
    (folder / "width.cuh").write_text("#define WIDTH 16\n")
    (folder / "k.cu").write_text(KERNEL)
    np.save(folder / "x.npy", np.arange(16, dtype=np.int32))
    return (folder / "k.cu").as_uri(), (folder / "width.cuh").as_uri()


def simulate(client: RawClient, uri: str, kernel: str = "k", **overrides: object) -> Message:
    argument = {"textDocument": {"uri": uri}, "kernel": kernel, **overrides}
    return client.request("workspace/executeCommand", {"command": "simt.simulate", "arguments": [argument]})


def kernels(client: RawClient, uri: str) -> dict[str, Message]:
    found = client.request("simt/kernels", {"textDocument": {"uri": uri}})["kernels"]
    return {kernel["name"]: kernel for kernel in found}


def state(client: RawClient, uri: str, kernel: str = "k") -> str:
    return kernels(client, uri)[kernel]["simulation"]["state"]


def changed(client: RawClient, *paths: Path) -> None:
    changes = [{"uri": path.as_uri(), "type": 2} for path in paths]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})


def in_text(line: int, before: str, after: str) -> tuple[Message, Message]:
    """An edit and its undoing."""
    start = KERNEL.splitlines()[line].index(before)
    there, back = (line, start), (line, start + len(before))
    return replace(there, back, after), replace(there, (line, start + len(after)), before)


EDITS = {
    "the kernel": in_text(6, "y[i]", "y[i + 0]"),
    "a function it calls": in_text(2, "i + STEP", "i - STEP"),
    "a macro": in_text(1, "2", "3"),
    "the comment above it": in_text(3, "x=@x.npy", "x=@x.npy n=7"),
    "a launch": in_text(10, "64", "128"),
    "the arguments of a launch": in_text(10, "100", "90"),
}


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_makes_it_stale_and_undoing_it_brings_it_back(tmp_path: Path, what: str) -> None:
    uri, _ = project(tmp_path)
    edit, undo = EDITS[what]
    with server() as client:
        client.initialize({**PUSHED, "experimental": {"simtSimulation": True}}, tmp_path)
        client.open(uri, KERNEL)
        assert simulate(client, uri)["status"] == "finished"
        assert state(client, uri) == "finished"
        client.change(uri, 2, edit)
        (told,) = client.notification("simt/simulation", uri=uri, version=2)["kernels"]
        assert state(client, uri) == "stale"
        assert (told["stale"], told["lines"], told["accesses"]) == (True, [], [])
        client.change(uri, 3, undo)
        assert state(client, uri) == "finished"


@pytest.mark.parametrize(
    "edit",
    [insert(0, 0, "// a line above\n"), in_text(13, "= 0", "= 1")[0], in_text(11, "1, 32", "1, 64")[0]],
    ids=["above", "another kernel", "a launch of another kernel"],
)
def test_other_edits_only_move_it(tmp_path: Path, edit: Message) -> None:
    uri, _ = project(tmp_path)
    with server() as client:
        client.initialize(PUSHED, tmp_path)
        client.open(uri, KERNEL)
        simulate(client, uri)
        client.change(uri, 2, edit)
        assert state(client, uri) == "finished"


def test_a_template_depends_on_the_code_that_instantiates_it(tmp_path: Path) -> None:
    uri, _ = project(tmp_path)
    with server() as client:
        client.initialize(PUSHED, tmp_path)
        client.open(uri, KERNEL)
        simulate(client, uri, "generic")
        client.change(uri, 2, insert(13, 0, "template __global__ void generic<double>(double *);\n"))
        assert state(client, uri, "generic") == "stale"


def other_header(folder: Path) -> Path:
    (folder / "width.cuh").write_text("#define WIDTH 8\n")
    return folder / "width.cuh"


def other_array(folder: Path) -> Path:
    np.save(folder / "x.npy", np.arange(1, 17, dtype=np.int64))
    return folder / "x.npy"


def other_settings(folder: Path) -> Path:
    (folder / ".simt.toml").write_text("[simulate.kernels.k]\nseed = 3\n")
    return folder / ".simt.toml"


@pytest.mark.parametrize("change", [other_header, other_array, other_settings])
def test_files_on_disk_make_it_stale(tmp_path: Path, change: Callable[[Path], Path]) -> None:
    uri, _ = project(tmp_path)
    with server() as client:
        client.initialize({**PUSHED, "experimental": {"simtSimulation": True}}, tmp_path)
        client.open(uri, KERNEL)
        simulate(client, uri)
        before = {path: path.read_bytes() for path in tmp_path.iterdir()}
        path = change(tmp_path)
        client.seen.clear()
        changed(client, path)
        client.wait(stale)
        assert state(client, uri) == "stale"
        if path in before:
            path.write_bytes(before[path])
        else:
            path.unlink()
        changed(client, path)
        restored = "stale" if path.suffix == ".npy" else "finished"  # a file that was written again has a new time
        assert state(client, uri) == restored


def stale(message: Message) -> bool:
    return message.get("method") == "simt/simulation" and any(one["stale"] for one in message["params"]["kernels"])


def test_an_unsaved_header_makes_it_stale(tmp_path: Path) -> None:
    uri, header = project(tmp_path)
    with server() as client:
        client.initialize({**PUSHED, "experimental": {"simtSimulation": True}}, tmp_path)
        client.open(uri, KERNEL)
        client.open(header, "#define WIDTH 16\n", version=7)
        simulate(client, uri)
        client.change(header, 8, {"text": "#define WIDTH 4\n"})
        client.wait(stale)
        client.change(header, 9, {"text": "#define WIDTH 16\n"})
        assert state(client, uri) == "finished"


REFUSED = "__global__ void k(int *x) {\n  x[0] = unheard_of(x);\n}\n"


def simulation_diagnostics(client: RawClient, uri: str) -> list[Message]:
    answer = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    return [one for one in answer["items"] if one["source"] == "simt-sim"]


def test_a_refusal_stands_at_its_construct_until_that_is_changed() -> None:
    uri = "untitled:k.cu"
    with server() as client:
        client.initialize(VSCODE)
        client.open(uri, REFUSED)
        assert simulate(client, uri)["status"] == "refused"
        (found,) = simulation_diagnostics(client, uri)
        assert (found["code"], found["severity"]) == ("refused", 3)
        assert found["range"]["start"] == {"line": 1, "character": 9}
        assert "unheard_of" in found["message"]
        assert "havoc" in found["message"]
        assert state(client, uri) == "refused"
        client.change(uri, 2, replace((1, 9), (1, 22), "3"))
        assert not simulation_diagnostics(client, uri)
        assert state(client, uri) == "stale"


def test_a_launch_that_does_not_fit_stands_at_the_kernels_name() -> None:
    uri = "untitled:k.cu"
    with server() as client:
        client.initialize(VSCODE)
        client.open(uri, "// simt: m=3\n__global__ void k(int *x) { x[0] = 1; }\n")
        simulate(client, uri)
        (found,) = simulation_diagnostics(client, uri)
        assert (found["code"], found["range"]["start"]) == ("refused", {"line": 1, "character": 16})
        assert "k has no argument m; it has: x" in found["message"]
        assert "in the settings" in found["message"]


def test_without_numpy_the_kernel_says_what_to_do(tmp_path: Path) -> None:
    uri = "untitled:k.cu"
    (tmp_path / "numpy.py").write_text("raise ModuleNotFoundError(\"No module named 'numpy'\", name='numpy')\n")
    start = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from simt_lsp.__main__ import main; main()"
    with server(command=(sys.executable, "-I", "-c", start, "--stdio")) as client:
        client.initialize(VSCODE)
        client.open(uri, REFUSED)
        simulate(client, uri)
        (found,) = simulation_diagnostics(client, uri)
        assert (found["code"], found["severity"]) == ("failed", 3)
        assert "pip install numpy" in found["message"]
        simulator = client.request("simt/status", {})["simulator"]
        assert (simulator["state"], simulator["running"]) == ("unavailable", [])
        assert "pip install" in simulator["message"]


def test_related_places_of_a_race_are_in_the_text() -> None:
    uri = "untitled:k.cu"
    with server() as client:
        client.initialize(VSCODE)
        client.open(uri, "__global__ void k(int *x) {\n  x[0] = threadIdx.x;\n  x[1] = x[0];\n}\n")
        simulate(client, uri, grid=1, block=64)
        races = [one for one in simulation_diagnostics(client, uri) if one["code"] == "data-race"]
        assert races
        places = [one["location"] for race in races for one in race["relatedInformation"]]
        assert places
        assert {place["uri"] for place in places} == {uri}
        assert {place["range"]["start"]["line"] for place in places} <= {1, 2}


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_settings_of_a_workspace_read_no_file_outside_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    np.save(tmp_path / "outside.npy", np.zeros(16, np.int32))
    (folder / "link.npy").symlink_to(tmp_path / "outside.npy")
    uri, _ = project(folder)
    text = KERNEL.replace("// simt: x=@x.npy\n", "")
    with server() as client:
        client.initialize(PUSHED, folder)
        client.open(uri, text)
        for path in ("../outside.npy", "link.npy", str(tmp_path / "outside.npy")):
            (folder / ".simt.toml").write_text(f'[simulate.kernels.k.arguments]\nx = "@{path}"\n')
            changed(client, folder / ".simt.toml")
            answer = simulate(client, uri)
            assert answer["status"] == "refused"
            assert "only files below the folder" in answer["message"]
        (folder / ".simt.toml").write_text('[simulate.kernels.k.arguments]\nx = "@x.npy"\n')
        changed(client, folder / ".simt.toml")
        assert simulate(client, uri)["status"] == "finished"
