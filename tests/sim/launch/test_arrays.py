"""Chosen and given arrays: what the kernel does with them decides what they hold."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from sim.launch.attempt import Attempt
from sim.launch.request import Request
from sim.policies.registry import POLICIES
from sim.refusals import LaunchError
from sim.simulate import simulate
from sim.specification import Array, ChosenArray, Filling, Struct, TextureImage
from tests.sim.launch.support import chosen, given, plan

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def argument(text: str, name: str, *requests: Request, attempt: Attempt | None = None) -> object:
    return plan(text, *requests, attempt=attempt).specification.arguments[name]


@pytest.mark.parametrize(
    ("parameter", "body", "argument_"),
    [
        ("float *a", f"{_I} x[i] = a[i];", ChosenArray(2048, Filling.RANDOM, 0, 1)),
        ("int *a", f"{_I} x[i] = a[i];", ChosenArray(2048, Filling.RANDOM, 0, 100)),
        ("unsigned char *a", f"{_I} x[i] = a[i];", ChosenArray(2048, Filling.RANDOM, 0, 256)),
        ("float *a", f"{_I} a[i] = 1;", ChosenArray(2048, Filling.UNINITIALISED)),
        ("int *a", "atomicAdd(a, 1);", ChosenArray(2048, Filling.ZERO)),
        ("int *a", f"{_I} x[a[i]] = 1;", ChosenArray(2048, Filling.RANDOM, 0, 2048)),
        ("int *a", f"{_I} x[2 * a[i] + 1] = 1;", ChosenArray(2048, Filling.RANDOM, 0, 2048)),
        ("int *a", f"{_I} x[a[i] % 16] = 1;", ChosenArray(2048, Filling.RANDOM, 0, 100)),
        (
            "const int *a, const int *b",
            f"__shared__ int tile[900]; {_I} tile[a[i] * b[i]] = 1; x[i] = tile[0];",
            ChosenArray(2048, Filling.RANDOM, 0, 30),
        ),
        ("int *a", f"{_I} x[i] = i / a[0];", ChosenArray(2048, Filling.RANDOM, 1, 100)),
        ("int *a", f"{_I} x[i % a[i]] = 1;", ChosenArray(2048, Filling.RANDOM, 1, 100)),
        ("int *a", f"{_I} x[i] = i / (a[0] + 1);", ChosenArray(2048, Filling.RANDOM, 0, 100)),
        (
            "int *a",
            f"__shared__ int bins[64]; {_I} bins[a[i]] = 1; x[i] = bins[0];",
            ChosenArray(2048, Filling.RANDOM, 0, 64),
        ),
        ("int *a", f"{_I} for (int j = 0; j < a[i]; j++) x[j] = i;", ChosenArray(2048, Filling.RANDOM, 0, 9)),
        ("float4 *a", f"{_I} x[i] = a[i].x;", ChosenArray(2048, Filling.RANDOM, 0, 1)),
        ("bool *a", f"{_I} x[i] = a[i];", ChosenArray(2048, Filling.RANDOM, 0, 2)),
    ],
)
def test_contents(parameter: str, body: str, argument_: ChosenArray) -> None:
    assert argument(f"__global__ void k(int *x, {parameter}) {{ {body} }}", "a") == argument_


def test_offsets_grow() -> None:
    text = (
        "__global__ void k(float *x, int *row, int *column, float *value) {"
        f"{_I} float sum = 0; for (int j = row[i]; j < row[i + 1]; j++) sum += value[j] * x[column[j]]; x[i] = sum; }}"
    )
    rows = argument(text, "row")
    assert isinstance(rows, Array)
    steps = np.diff(rows.data)
    assert rows.data.dtype == np.int32
    assert rows.data[0] == 0
    assert steps.min() == 1
    assert steps.max() == 8
    assert argument(text, "column") == ChosenArray(2048, Filling.RANDOM, 0, 2048)


def test_neighbours_that_are_indices_are_offsets() -> None:
    text = f"__global__ void k(float *x, int *row, int *a) {{ {_I} x[row[i + 1] - 1] = row[i]; x[a[i]] = a[i + 2]; }}"
    assert isinstance(argument(text, "row"), Array)
    assert argument(text, "a") == ChosenArray(2048, Filling.RANDOM, 0, 2048)


def test_neighbours_are_seen_where_registers_are_read_twice() -> None:
    text = (
        "__global__ void k(float *x, int *limits) { __shared__ int first, length;"
        "if (threadIdx.x == 0) { first = limits[blockIdx.x]; length = limits[1 + blockIdx.x] - first; }"
        "__syncthreads(); if (threadIdx.x < length) x[first + threadIdx.x] = 1; }"
    )
    limits = argument(text, "limits")
    assert isinstance(limits, Array)
    assert np.diff(limits.data).min() >= 1


def test_structs_are_filled_by_the_role_of_their_members() -> None:
    text = (
        "struct Node { int start; int edges; float weight; };\n"
        "__global__ void k(Node *nodes, int *target, int *x) {"
        f"{_I} for (int j = nodes[i].start; j < nodes[i].start + nodes[i].edges; j++)"
        " x[target[j]] = nodes[i].weight; }"
    )
    nodes = argument(text, "nodes")
    assert isinstance(nodes, Array)
    members = np.ascontiguousarray(nodes.data).view([("start", "i4"), ("edges", "i4"), ("weight", "f4")])
    assert len(members) == 2048
    assert (np.diff(members["start"]) > 0).all()
    assert members["edges"].max() == 8
    assert 0 <= members["weight"].min() <= members["weight"].max() < 1
    assert members["weight"].std() > 0.2


_FOLLOWED = {
    "int s = a[i]; while (s != a[s]) s = a[s]; x[i] = s;": 0,
    "int s = i; while (s != 0) s = a[s]; x[i] = s;": 0,
    "int s = i; while (s != -1) s = a[s]; x[i] = s;": -1,
    "int s = i; while (s >= 0) s = a[s]; x[i] = s;": -1,
}


@pytest.mark.parametrize("body", _FOLLOWED)
def test_who_follows_links_arrives(body: str) -> None:
    links = argument(f"__global__ void k(int *x, int *a) {{ {_I} {body} }}", "a")
    assert isinstance(links, Array)
    assert links.data[0] == _FOLLOWED[body]
    assert (links.data[1:] < np.arange(1, 2048)).all()
    assert links.data.min() == _FOLLOWED[body]
    assert len(set(links.data.tolist())) > 100


def test_links_of_structs_are_told_from_other_indices() -> None:
    text = (
        "struct Node { int next; int other; };\n"
        f"__global__ void k(int *x, Node *a) {{ {_I} int s = i; while (s >= 0) s = a[s].next; x[a[i].other] = s; }}"
    )
    nodes = argument(text, "a")
    assert isinstance(nodes, Array)
    members = np.ascontiguousarray(nodes.data).view([("next", "i4"), ("other", "i4")])
    assert members["next"][0] == -1
    assert (members["next"][1:] < np.arange(1, 2048)).all()
    assert (members["other"][1:] > np.arange(1, 2048)).any()


def test_the_same_seed_gives_the_same_contents() -> None:
    text = f"__global__ void k(int *x, int *a) {{ {_I} for (int j = a[i]; j < a[i + 1]; j++) x[j] = 1; }}"
    first, again, other = (argument(text, "a", Request(seed=seed)) for seed in (1, 1, 2))
    assert isinstance(first, Array)
    assert isinstance(again, Array)
    assert isinstance(other, Array)
    assert (first.data == again.data).all()
    assert (first.data != other.data).any()


def test_pointers_in_structs_are_arrays() -> None:
    text = f"struct P {{ float *in; int *out; int n; }}; __global__ void k(P p) {{ {_I} p.out[i] = p.in[i]; }}"
    found = argument(text, "p")
    assert found == Struct(
        {"in": ChosenArray(2048, Filling.RANDOM, 0, 1), "out": ChosenArray(2048, Filling.UNINITIALISED)}
    )


def test_bytes_behind_void_pointers_are_what_is_read_there() -> None:
    found = argument(f"__global__ void k(float *x, const void *a) {{ {_I} x[i] = ((const float *)a)[i]; }}", "a")
    assert isinstance(found, Array)
    assert found.data.dtype == np.uint8
    numbers = found.data.view(np.float32)
    assert len(numbers) == 2048
    assert 0 <= numbers.min() <= numbers.max() < 1


def test_constant_arrays_are_inputs_unless_the_file_says_what_they_hold() -> None:
    text = (
        "__constant__ float unknown[3][5]; __constant__ float known[] = {1, 2}; __device__ int *table;\n"
        f"__global__ void k(float *x) {{ {_I} x[i] = unknown[1][2] + known[i & 1] + table[i]; }}"
    )
    variables = dict(plan(text).specification.variables)
    known = variables.pop("known")
    assert isinstance(known, Array)
    assert known.data.tolist() == [1, 2]
    assert variables == {
        "unknown": ChosenArray(15, Filling.RANDOM, 0, 1),
        "table": ChosenArray(2048, Filling.RANDOM, 0, 100),
    }


@pytest.mark.parametrize(
    ("declaration", "octets"),
    [
        ("int v = -2;", np.array([-2], np.int32)),
        ("unsigned char v = 255;", np.array([255], np.uint8)),
        ("double v[3] = {1.5};", np.array([1.5, 0, 0])),
        ("int v[2][3] = {{1, 2}, {4}};", np.array([1, 2, 0, 4, 0, 0], np.int32)),
        ("int v[2][2] = {1, 2, 3};", np.array([1, 2, 3, 0], np.int32)),
        ("short v[] = {1, 1 << 4, sizeof(int)};", np.array([1, 16, 4], np.int16)),
        ("float2 v = {1, 2};", np.array([1, 2], np.float32)),
        ("struct P { int a; float b[2]; } v = {7, {1, 2}};", np.array([7, 0x3F800000, 0x40000000], np.int32)),
    ],
)
def test_initial_values(declaration: str, octets: np.ndarray) -> None:
    text = f"__constant__ {declaration} __global__ void k(int *x) {{ x[0] = *(const int *)&v; }}"
    if declaration.startswith("struct"):
        text = text.replace(
            "__constant__ struct P { int a; float b[2]; }", "struct P { int a; float b[2]; }; __constant__ P"
        )
    found = plan(text).specification.variables["v"]
    assert isinstance(found, Array)
    assert found.data.tobytes() == octets.tobytes()


def test_a_variable_whose_initialiser_is_not_understood_says_so() -> None:
    text = f"__constant__ int v[2] = {{ unknown(), 2 }}; __global__ void k(int *x) {{ {_I} x[i] = v[i & 1]; }}"
    choices = {choice.name: choice.why for choice in plan(text).choices}
    assert choices["v"] == "its initialiser is not understood"


def test_variables_of_namespaces_are_given_by_their_whole_name_or_by_an_end_that_is_theirs_alone() -> None:
    text = (
        "namespace a { __constant__ int v; __constant__ int w; } namespace b { __constant__ int v; }"
        f"__global__ void k(int *x) {{ {_I} x[i] = a::v + b::v + a::w; }}"
    )
    found = chosen(text, given(**{"a::v": "3", "w": "5"}))
    assert (found["a::v"], found["a::w"]) == ("3", "5")
    with pytest.raises(LaunchError, match=r"k has no argument v; it has: a::v, a::w, b::v, x"):
        plan(text, given(v="3"))


def test_initial_numbers_are_known_to_the_choice_of_others() -> None:
    kernel = f"__global__ void k(int *x, int height) {{ {_I} if (i < width * height) x[i] = 1; }}"
    text = f"__constant__ int width = 128; {kernel}"
    assert chosen(text)["height"] == "16"


def test_images_are_as_large_as_the_grid() -> None:
    text = (
        "__global__ void k(float *x, cudaTextureObject_t t) {"
        f"{_I} int j = blockIdx.y * blockDim.y + threadIdx.y; x[i] = tex2D<uchar4>(t, i, j).x; }}"
    )
    found = argument(text, "t")
    assert isinstance(found, TextureImage)
    assert (found.texels.shape, found.texels.dtype, found.channels) == ((64, 64, 4), np.uint8, 4)


def test_arrays_of_earlier_attempts_are_longer() -> None:
    text = f"__global__ void k(float *x, float *a) {{ {_I} x[i] = a[3 * i]; }}"
    assert argument(text, "a", attempt=Attempt(lengths={"a": 6142})) == ChosenArray(6142, Filling.RANDOM, 0, 1)


# -- given ------------------------------------------------------------------------------------------------------------

_SUM = f"__global__ void k(float *x, float *a, int n) {{ {_I} if (i < n) x[i] = a[i]; }}"


@pytest.mark.parametrize(
    ("text", "argument_"),
    [
        ("random(-1,2)", ChosenArray(2048, Filling.RANDOM, -1, 2)),
        ("random(0,1)[77]", ChosenArray(77, Filling.RANDOM, 0, 1)),
        ("iota", ChosenArray(2048, Filling.INDEX)),
        ("zeros[0x10]", ChosenArray(16, Filling.ZERO)),
        ("uninitialized[8]", ChosenArray(8, Filling.UNINITIALISED)),
    ],
)
def test_given_fillings(text: str, argument_: ChosenArray) -> None:
    assert argument(_SUM, "a", given(a=text)) == argument_


def test_a_given_length_does_not_grow() -> None:
    found = plan(_SUM, given(a="zeros[8]"))
    assert set(found.arrays) == {"x"}


def test_more_than_fits_is_refused_before_it_is_made() -> None:
    with pytest.raises(LaunchError, match=r"a=random\(0,1\)\[1000000000000\]: 4,000,000,000,000 bytes"):
        plan(_SUM, given(a="random(0,1)[1000000000000]"))


def test_given_numbers_are_the_elements() -> None:
    found = argument(_SUM, "a", given(a="1,2.5,-3"))
    assert isinstance(found, Array)
    assert found.data.dtype == np.float32
    assert found.data.tolist() == [1, 2.5, -3]


def test_files_are_read_and_converted(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.arange(6, dtype=np.float64).reshape(2, 3))
    found = argument(_SUM, "a", given(a=f"@{path}"))
    assert isinstance(found, Array)
    assert found.data.dtype == np.float32
    assert found.data.tolist() == [0, 1, 2, 3, 4, 5]


def test_files_of_a_comment_lie_below_the_source(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    np.save(tmp_path / "data" / "a.npy", np.ones(4, np.float32))
    comment = Request("the comment above the kernel", arguments={"a": "@data/a.npy"}, folder=str(tmp_path))
    found = argument(_SUM, "a", comment)
    assert isinstance(found, Array)
    assert found.data.tolist() == [1, 1, 1, 1]
    for path in ("../a.npy", "/etc/a.npy", "data/../../a.npy"):
        elsewhere = Request(arguments={"a": f"@{path}"}, folder=str(tmp_path))
        with pytest.raises(LaunchError, match="only files below the folder of the text that names them are read"):
            plan(_SUM, elsewhere)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_lead_no_comment_out_of_its_folder(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "project of others"
    project.mkdir()
    outside.mkdir()
    np.save(outside / "a.npy", np.ones(4, np.float32))
    np.save(project / "b.npy", np.ones(4, np.float32))
    (project / "file.npy").symlink_to(outside / "a.npy")
    (project / "folder").symlink_to(outside, target_is_directory=True)
    (project / "inside.npy").symlink_to(project / "b.npy")
    (tmp_path / "entrance").symlink_to(project, target_is_directory=True)
    for path in ("file.npy", "folder/a.npy"):
        with pytest.raises(LaunchError, match="only files below the folder"):
            plan(_SUM, Request(arguments={"a": f"@{path}"}, folder=str(project)))
    for folder in (project, tmp_path / "entrance"):
        found = plan(_SUM, Request(arguments={"a": "@inside.npy"}, folder=str(folder)))
        assert [file.path for file in found.files] == [str(project / "b.npy")]


def test_what_is_said_about_all_kernels_need_not_fit_each() -> None:
    general = Request("the settings", arguments={"unheard": "3", "a": "zeros[8]"}, is_general=True)
    found = argument(_SUM, "a", given(a="iota[4]"), general)
    assert isinstance(found, ChosenArray)
    assert (found.filling, found.length) == (Filling.INDEX, 4)
    with pytest.raises(LaunchError, match="has no argument unheard"):
        plan(_SUM, given(unheard="3"), general)


def test_bad_files_are_answered(tmp_path: Path) -> None:
    text = tmp_path / "text.npy"
    text.write_text("no array")
    objects = tmp_path / "objects.npy"
    np.save(objects, np.array([{}, None], dtype=object), allow_pickle=True)
    words = tmp_path / "words.npy"
    np.save(words, np.array(["a", "b"]))
    for path, message in (
        (tmp_path / "none.npy", "no such file"),
        (text, "not a readable .npy file"),
        (objects, "not a readable .npy file"),
        (words, "does not fit float32"),
    ):
        with pytest.raises(LaunchError, match=f"a=@.*{path.name}.*{message}"):
            plan(_SUM, given(a=f"@{path}"))


def test_numbers_that_lose_their_value_are_refused(tmp_path: Path) -> None:
    text = f"__global__ void k(int *x, int *a) {{ {_I} x[i] = a[i]; }}"
    np.save(tmp_path / "real.npy", np.array([1.5]))
    with pytest.raises(LaunchError, match="holds float64, which does not fit int32; convert it first"):
        plan(text, given(a=f"@{tmp_path / 'real.npy'}"))
    np.save(tmp_path / "wide.npy", np.array([7], np.int64))
    found = argument(text, "a", given(a=f"@{tmp_path / 'wide.npy'}"))
    assert isinstance(found, Array)
    assert found.data.tolist() == [7]


@pytest.mark.parametrize(
    "text", ["random(1)", "random(2,1)", "zeros(0,1)", "zeros[-1]", "iota[x]", "@a.txt", "1,,2", ""]
)
def test_bad_arrays_are_answered(text: str) -> None:
    with pytest.raises(LaunchError, match=r"^a=.*expected"):
        plan(_SUM, given(a=text))


def test_everything_chosen_is_listed_with_a_reason() -> None:
    found = plan(_SUM)
    assert [choice.name for choice in found.choices] == ["grid", "block", "x", "a", "n"]
    assert all(choice.value and choice.why for choice in found.choices)
    assert chosen(_SUM)["a"] == "random(0,1)[2048]"


def test_one_number_as_often_as_wanted() -> None:
    text = "__global__ void k(int *a, float *b, short *c) { c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x] + c[0]; }"
    found = plan(text, given(a="-7[40]", b="2.5f[0x20]", c="1[300]"))
    shown = {choice.name: choice.value for choice in found.choices}
    assert (shown["a"], shown["b"], shown["c"]) == ("-7[40]", "2.5[32]", "1[300]")
    again = plan(text, given(a=shown["a"], b=shown["b"], c=shown["c"]))
    assert again.specification == found.specification
    result = simulate(found.kernel, found.specification, POLICIES["ipdom"])
    assert set(result.arrays["a"].tolist()) == {-7}
    assert set(result.arrays["b"].tolist()) == {2.5}
    with pytest.raises(LaunchError, match=r"a=7\[0\]: expected a length in elements, as a=7\[4096\]"):
        plan(text, given(a="7[0]"))


def test_bounds_that_are_given_hold_for_offsets_too() -> None:
    rows = "__global__ void k(int *a, float *x) { for (int j = a[threadIdx.x]; j < a[threadIdx.x + 1]; j++) x[j] = 1; }"
    assert plan(rows).arrays["a"].text() == "offsets[2048]"
    found = argument(rows, "a", given(a="3[257]"))
    assert isinstance(found, ChosenArray)
    assert (found.low, found.high, found.length) == (3, 3, 257)


@pytest.mark.parametrize("parameter", ["S *x", "S x", "const S *x", "T x"])
def test_a_class_with_a_member_of_unknown_type_has_no_memory(parameter: str) -> None:
    text = "struct S { int n; Hidden h; }; struct T { S s[2]; int n; };"
    text += f"__global__ void k({parameter}, int *out) {{ out[threadIdx.x] = (&x)[0] ? 1 : 2; }}"
    with pytest.raises(LaunchError, match=r"the type of a member of [ST] is not visible"):
        plan(text)
