"""Elements that are compared with something lie on either side of it, and the branch then splits in a run."""

from __future__ import annotations

import pytest

from sim.launch.adapt import run_adapted
from sim.launch.planner import Plan
from sim.policies.registry import POLICIES
from sim.result import Result
from sim.simulate import simulate
from sim.specification import TextureImage
from tests.sim.launch.support import chosen, given, plan, planner

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"

COMPARED = [
    ("float *a", "if (a[i] > 0) y[i] = 1;", "random(-1,1)[2048]"),
    ("float *a", "if (a[i] > 0.5f) y[i] = 1;", "random(0,1)[2048]"),
    ("float *a", "if (a[i] < 200) y[i] = 1;", "random(0,400)[2048]"),
    ("float *a", "if (a[i] < -2) y[i] = 1;", "random(-4,2)[2048]"),
    ("float *a", "if (2 * a[i] + 1 >= 7) y[i] = 1;", "random(0,6)[2048]"),
    ("float *a", "if (fabsf(a[i]) > 4) y[i] = 1;", "random(0,8)[2048]"),
    ("float *a", "if (a[i] < 0) y[i] = 0; else if (a[i] > 255) y[i] = 255;", "random(-127.5,382.5)[2048]"),
    ("float *a", "float v = a[i]; if (v * v < 4) y[i] = 1;", "random(0,4)[2048]"),
    ("float *a", "if (a[i] < 1e30f) y[i] = 1;", "random(0,1)[2048]"),
    ("float4 *a", "float4 v = a[i]; if (v.z > 0) y[i] = 1;", "random(-1,1)[2048]"),
    ("int *a", "if (a[i] > 0) y[i] = 1;", "random(-50,51)[2048]"),
    ("int *a", "if (a[i] < 128) y[i] = 1;", "random(0,256)[2048]"),
    ("int *a", "if (a[i] < 50) y[i] = 1;", "random(0,100)[2048]"),
    ("int *a", "if (128 > a[i]) y[i] = 1;", "random(0,256)[2048]"),
    ("int *a", "if (a[i] == 3) y[i] = 1;", "random(2,5)[2048]"),
    ("int *a", "if (a[i]) y[i] = 1;", "random(0,2)[2048]"),
    ("unsigned *a", "if (a[i] > 0) y[i] = 1;", "random(0,3)[2048]"),
    ("unsigned char *a", "if (a[i] < 128) y[i] = 1;", "random(0,256)[2048]"),
    ("char *a", "if (a[i] >= 'a' && a[i] <= 'z') y[i] = 1;", "random(84,128)[2048]"),
    ("int *a", "switch (a[i]) { case 0: y[i] = 1; break; case 5: y[i] = 2; }", "random(0,7)[2048]"),
    ("int *a", "if (a[i] > 0) y[i] = a[i] % 7;", "random(0,3)[2048]"),
    ("int *a", "if (a[i] > 0) y[a[i]] = 1;", "random(0,2048)[2048]"),
    ("int *a", "float s = 0; for (int j = 0; j < 16; j++) s += a[i]; if (s > 3200) y[i] = 1;", "random(0,400)[2048]"),
    (
        "int *a",
        "__shared__ int t[256]; t[threadIdx.x] = a[i]; if (t[threadIdx.x] > 0) y[i] = 1;",
        "random(-50,51)[2048]",
    ),
]


@pytest.mark.parametrize(("parameter", "body", "contents"), COMPARED)
def test_elements_lie_on_either_side(parameter: str, body: str, contents: str) -> None:
    assert chosen(_kernel(parameter, body))["a"] == contents


_FEW_SIDES = ("1e30f", "a[i] % 7", "y[a[i]]")


@pytest.mark.parametrize(
    ("parameter", "body"), [(one, body) for one, body, _ in COMPARED if not any(word in body for word in _FEW_SIDES)]
)
def test_the_branch_splits(parameter: str, body: str) -> None:
    assert _splits(_kernel(parameter, body))


def test_a_number_that_comes_from_the_command_line_moves_the_elements() -> None:
    text = _kernel("float *a, float limit", "if (a[i] > limit) y[i] = 1;")
    assert chosen(text, given(limit="3"))["a"] == "random(0,6)[2048]"
    assert chosen(text)["a"] == "random(0,1)[2048]"


@pytest.mark.parametrize(
    ("parameter", "body", "value"),
    [
        ("int *a, int limit", "if (a[i] < limit) y[i] = 1;", "50"),
        ("float *a, float limit", "if (4 * a[i] > limit) y[i] = 1;", "2"),
        ("float *a, float limit", "if (a[i] > 0) y[i] = a[i] < limit;", "0.5"),
        ("float *a, float limit", "y[i] = a[i] * limit;", "0.5"),
        ("float *a, int limit", "if (a[i] * 100 < limit + 20) y[i] = 1;", "30"),
    ],
)
def test_a_chosen_number_lies_among_the_elements(parameter: str, body: str, value: str) -> None:
    assert chosen(_kernel(parameter, body))["limit"] == value


def test_texels_lie_on_either_side() -> None:
    text = (
        "__global__ void k(cudaTextureObject_t tex, int *y, int w) { int x = blockIdx.x * blockDim.x + threadIdx.x;"
        " int r = blockIdx.y * blockDim.y + threadIdx.y; float s = 0;"
        " for (int d = 0; d < 16; d++) s += tex2D<float>(tex, x + d, r);"
        " y[r * w + x] = s > 40; if (s > 40) y[r * w + x] = 3; }"
    )
    reasons = {choice.name: choice.why for choice in plan(text).choices}
    assert reasons["tex"] == "as large as the grid; compared with 40"
    assert _splits(text)


def test_texels_that_are_indices_stay_within() -> None:
    text = (
        "__global__ void k(cudaTextureObject_t tex, float *y) { __shared__ float t[12 * 32];"
        " t[threadIdx.x] = 1; __syncthreads();"
        " y[threadIdx.x] = t[tex1Dfetch<unsigned>(tex, threadIdx.x) * 32 + threadIdx.x % 32]; }"
    )
    image = plan(text).specification.arguments["tex"]
    assert isinstance(image, TextureImage)
    assert image.texels.max() == 11


def test_a_mark_that_is_looked_for_is_near_other_marks() -> None:
    text = _kernel("int *a, int level", "if (a[i] == level) y[i] = 1; else if (a[i] == -1) y[i] = 2;")
    found = chosen(text)
    assert (found["level"], found["a"]) == ("1", "random(-2,3)[2048]")


def test_reasons_name_what_is_compared_with() -> None:
    text = (
        "struct Node { int state; float weight; };"
        f"__global__ void k(int *y, int *a, Node *nodes, float least) {{ {_I}"
        " if (a[i] > 0 || a[i] == 7) y[i] = 1; if (nodes[i].weight * 2 > least + 9 && nodes[i].state == 1) y[i] = 2; }"
    )
    reasons = {choice.name: choice.why for choice in plan(text).choices}
    assert reasons["a"] == "one element per thread; compared with 0, 7"
    assert reasons["nodes"].startswith("one element per thread; compared: ")
    assert "state with 1" in reasons["nodes"]


def test_members_have_ranges_of_their_own() -> None:
    text = (
        "struct Node { int state; float weight; };"
        f"__global__ void k(int *y, Node *nodes) {{ {_I}"
        " if (nodes[i].weight > 9) y[i] = 2; Node n = nodes[i]; if (n.state == 3) y[i] = 1; }"
    )
    assert _splits(text)


def _kernel(parameter: str, body: str) -> str:
    return f"__global__ void k(int *y, {parameter}) {{ {_I} {body} }}"


def _splits(text: str) -> bool:
    """Whether each `if` and `switch` parts the lanes of some warp."""

    def run(plan: Plan) -> Result:
        return simulate(plan.kernel, plan.specification, POLICIES["ipdom"])

    _, result = run_adapted(planner(text), run)
    assert not result.faults
    written = text.count("if (") + text.count("switch (")
    return sum(branch.diverged > 0 for branch in result.branches) >= written
