"""Arrays in structs that kernels take by value: each element is an input, whatever index reads it."""

from __future__ import annotations

import numpy as np
import pytest

from sim.faults import OutOfBounds
from sim.launch.request import Request
from sim.policies.ipdom import Ipdom
from sim.refusals import LaunchError
from sim.simulate import simulate
from tests.sim.launch.support import chosen, given, plan

_PLANES = "struct Planes { float *__restrict__ plane[3]; int pitch; };"
_NESTED = f"{_PLANES} struct Image {{ Planes in; const float *weights; int size[2]; }};"
_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def _arrays(text: str, *requests: Request) -> dict[str, list[float]]:
    made = plan(text, *requests)
    result = simulate(made.kernel, made.specification, Ipdom)
    assert result.faults == ()
    return {name: data.reshape(-1).tolist() for name, data in result.arrays.items()}


def test_a_pointer_at_a_fixed_index_is_an_input() -> None:
    text = f"{_PLANES} __global__ void k(Planes image, float by) {{ {_I} image.plane[1][i] += by; }}"
    assert chosen(text)["image.plane[1]"] == "random(0,1)[2048]"
    assert "image.plane[0]" not in chosen(text)
    small = given(**{"image.plane[1]": "7[64]", "by": "1"})
    shape = Request(grid=(1, 1, 1), block=(64, 1, 1))
    assert _arrays(text, small, shape)["image.plane[1]"] == [8.0] * 64


def test_all_are_inputs_where_the_index_is_not_known() -> None:
    text = f"""{_PLANES} __global__ void k(Planes image) {{
        {_I} for (int c = 0; c < 3; c++) if (i < image.pitch) image.plane[c][i] = c; }}"""
    assert {name for name in chosen(text) if name.startswith("image")} == {
        "image.plane[0]",
        "image.plane[1]",
        "image.plane[2]",
        "image.pitch",
    }
    assert chosen(text)["image.pitch"] == "2048"
    found = _arrays(text)
    assert [set(found[f"image.plane[{c}]"]) for c in range(3)] == [{0.0}, {1.0}, {2.0}]


def test_structs_in_structs_and_sizes_in_them() -> None:
    text = f"""{_NESTED} __global__ void k(Image im) {{
        {_I} if (i < im.size[0]) for (int c = 0; c < 3; c++) im.in.plane[c][i] = im.weights[i]; }}"""
    assert chosen(text)["im.size[0]"] == "2048"
    assert chosen(text)["im.weights"] == "random(0,1)[2048]"
    found = _arrays(text)
    np.testing.assert_array_equal(found["im.in.plane[2]"], found["im.weights"])


def test_arrays_of_structs() -> None:
    text = f"""struct Row {{ float *p; int n; }}; struct Rows {{ Row rows[2]; }};
        __global__ void k(Rows r) {{ {_I} for (int j = 0; j < 2; j++) if (i < r.rows[j].n) r.rows[j].p[i] = j + 1; }}"""
    assert chosen(text)["r.rows[1].n"] == "2048"
    assert set(_arrays(text)["r.rows[1].p"]) == {2.0}


def test_numbers_are_given_by_element() -> None:
    text = "struct S { int n[2]; }; __global__ void k(S s, int *x) { x[threadIdx.x] = s.n[0] + 10 * s.n[1]; }"
    made = given(**{"s.n[0]": "3", "s.n[1]": "4"})
    assert set(_arrays(text, made)["x"][:256]) == {43}


def test_a_name_that_is_no_element_is_refused() -> None:
    text = f"{_PLANES} __global__ void k(Planes image) {{ image.plane[1][threadIdx.x] = 1; }}"
    with pytest.raises(LaunchError, match=r"did you mean image\.plane\[1\]"):
        plan(text, given(**{"image.plane[4]": "zeros"}))


def test_pointers_that_a_longer_array_holds_stay_null() -> None:
    text = "struct S { float *p[65]; int c; }; __global__ void k(S s) { s.p[s.c][threadIdx.x] = 1; }"
    made = plan(text)
    assert isinstance(simulate(made.kernel, made.specification, Ipdom).faults[0], OutOfBounds)
