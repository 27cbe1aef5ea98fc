"""Who calls and who launches, as the call hierarchy of an editor shows it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.server.raw_client import VSCODE, Message, RawClient, server

HEADER = """// kernels
__device__ float twice(float x) { return 2 * x; }
__device__ int other(int x) { return x; }
__global__ void step(float *x);
__global__ void step(float *x) {
  x[threadIdx.x] = twice(twice(x[0]));
  x[0] = other(1);
}
"""
FIRST = """#include "k.cuh"
void first(float *x) {
  step<<<1, 32>>>(x);
  step<<<2, 32>>>(x);
}
"""
SECOND = """#include "k.cuh"
__global__ void more(float *x) { *x = twice(*x); }
void second() { step<<<1, 2>>>(0); more<<<1, 2>>>(0); }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {"k.cuh": HEADER, "first.cu": FIRST, "second.cu": SECOND}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def prepare(client: RawClient, uri: str, line: int, character: int) -> Any:
    place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
    return client.request("textDocument/prepareCallHierarchy", place)


def calls(client: RawClient, direction: str, item: Message) -> dict[str, list[tuple[int, int]]] | None:
    """The starts of the ranges, by the names of those at the other end."""
    answer = client.request(f"callHierarchy/{direction}Calls", {"item": item})
    if answer is None:
        return None
    end = "from" if direction == "incoming" else "to"
    return {f"{one[end]['name']} {one[end]['detail']}": [start(span) for span in one["fromRanges"]] for one in answer}


def start(span: Message) -> tuple[int, int]:
    return span["start"]["line"], span["start"]["character"]


def test_a_kernel_with_what_it_calls_and_who_launches_it(project: Path) -> None:
    with server() as client:
        client.initialize(VSCODE, project)
        first, header = (project / "first.cu").as_uri(), (project / "k.cuh").as_uri()
        client.open(first, FIRST)
        client.open((project / "second.cu").as_uri(), SECOND)
        (kernel,) = prepare(client, first, 2, 3)
        assert (kernel["name"], kernel["detail"], kernel["uri"]) == ("step", "k.cuh", header)
        assert (start(kernel["range"]), start(kernel["selectionRange"])) == ((4, 0), (4, 16))
        assert calls(client, "outgoing", kernel) == {"twice k.cuh": [(5, 19), (5, 25)], "other k.cuh": [(6, 9)]}
        launched = {"first first.cu": [(2, 2), (3, 2)], "second second.cu": [(2, 16)]}
        assert calls(client, "incoming", kernel) == launched
        client.open(header, HEADER)  # what an open document says is the same
        assert prepare(client, header, 3, 17) == [kernel]
        assert calls(client, "incoming", kernel) == launched
        assert client.stop() == 0


def test_a_device_function_with_its_callers(project: Path) -> None:
    with server() as client:
        client.initialize(VSCODE, project)
        header = (project / "k.cuh").as_uri()
        client.open(header, HEADER)
        client.open((project / "second.cu").as_uri(), SECOND)
        (called,) = prepare(client, header, 5, 21)
        assert (called["name"], start(called["selectionRange"])) == ("twice", (1, 17))
        found = {"step k.cuh": [(5, 19), (5, 25)], "more second.cu": [(1, 38)]}
        assert calls(client, "incoming", called) == found
        assert calls(client, "outgoing", called) == {}
        assert client.stop() == 0


def test_a_host_function_is_there_as_the_caller_of_a_launch_alone(project: Path) -> None:
    with server() as client:
        client.initialize(VSCODE, project)
        second = (project / "second.cu").as_uri()
        client.open(second, SECOND)
        assert prepare(client, second, 2, 6) is None  # `second`, the function
        assert prepare(client, second, 1, 24) is None  # `float`
        (kernel,) = prepare(client, second, 2, 36)
        assert calls(client, "incoming", kernel) == {"second second.cu": [(2, 35)]}
        (use,) = client.request("callHierarchy/incomingCalls", {"item": kernel})
        host = use["from"]
        assert (host["uri"], start(host["selectionRange"])) == (second, (2, 5))
        assert calls(client, "incoming", host) is None
        assert calls(client, "outgoing", host) == {"step k.cuh": [(2, 16)], "more second.cu": [(2, 35)]}
        assert client.stop() == 0


def test_an_item_of_an_older_text_is_not_taken_for_another_function(project: Path) -> None:
    with server() as client:
        client.initialize(VSCODE, project)
        header = (project / "k.cuh").as_uri()
        client.open(header, HEADER)
        (item,) = prepare(client, header, 1, 17)
        client.change(header, 2, {"text": HEADER.replace("twice", "thrice")})
        assert calls(client, "incoming", item) is None
        assert calls(client, "outgoing", item) is None
        assert client.stop() == 0


def test_it_may_be_switched_off(project: Path) -> None:
    with server() as client:
        client.initialize(VSCODE, project)
        header = (project / "k.cuh").as_uri()
        client.open(header, HEADER)
        (kernel,) = prepare(client, header, 4, 17)
        assert client.stop() == 0
    with server() as client:
        client.initialize({}, project, options={"navigation": False})
        client.open(header, HEADER)
        assert prepare(client, header, 4, 17) is None
        assert calls(client, "incoming", kernel) is None
        assert calls(client, "outgoing", kernel) is None
        assert client.stop() == 0


DECLARED = {
    "k.cuh": "#pragma once\n__device__ int one(int x) { return x; }\n__device__ int one(float x) { return 1; }\n"
    "__global__ void fill(float *x);\n",
    "between.cuh": '#pragma once\n#include "k.cuh"\n__device__ int two(int x) { return one(x) + one(2.0f); }\n',
    "fill.cu": '#include "k.cuh"\n__global__ void fill(float *x) { *x = 1; }\nvoid own() { fill<<<1, 32>>>(0); }\n',
    "use.cu": '#include "between.cuh"\nvoid use() { fill<<<1, 32>>>(0); }\n'
    "__global__ void k(int *x) { *x = two(1); }\n",
}


def test_callers_in_files_that_are_not_open(tmp_path: Path) -> None:
    """One in a header between, one that sees a declaration alone; not the calls of an overload."""
    for name, text in DECLARED.items():
        (tmp_path / name).write_text(text)
    with server() as client:
        client.initialize(VSCODE, tmp_path)
        header, fill = (tmp_path / "k.cuh").as_uri(), (tmp_path / "fill.cu").as_uri()
        client.open(header, DECLARED["k.cuh"])
        (called,) = prepare(client, header, 1, 16)
        found = calls(client, "incoming", called)
        for _ in range(100):  # the index of the project is built meanwhile
            if found:
                break
            time.sleep(0.1)
            found = calls(client, "incoming", called)
        assert found == {"two between.cuh": [(2, 35)]}
        (overload,) = prepare(client, header, 2, 16)
        assert calls(client, "incoming", overload) == {"two between.cuh": [(2, 44)]}
        launches = {"own fill.cu": [(2, 13)], "use use.cu": [(1, 13)]}
        (declared,) = prepare(client, header, 3, 17)
        assert calls(client, "incoming", declared) == launches
        client.open(fill, DECLARED["fill.cu"])
        (defined,) = prepare(client, fill, 2, 14)
        assert (defined["uri"], start(defined["selectionRange"])) == (fill, (1, 16))
        assert calls(client, "incoming", defined) == launches
        assert client.stop() == 0
