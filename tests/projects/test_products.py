"""Launches whose grid is made of a product of two numbers that the kernel takes apart."""

from __future__ import annotations

import pytest

from analysis.features.launch_text import relation_texts
from tests.projects.products import HEAD, Compared, compared
from tests.sim.random.choices import Choices, Seeded
from tests.support.project_analysis import analyzed

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
KERNEL = f"__global__ void k(float *x, {{}} w, {{}} h) {{{{ {INDEX} if (i < w * h) x[i] = 1; }}}}"
UP = {"WITHIN x", "EXCEEDS x"}
NONE = set[str]()


def _products(launch: str, types: tuple[str, str] = ("int", "int"), host: str = "int w, int h") -> set[str]:
    before = f"const int T = 64;\n{HEAD}{KERNEL.format(*types)}\nint get(int *);\n"
    text = f"{before}void go(float *x, {host}, long l) {{ {launch} }}"
    analysis = analyzed({"k.cu": text}, "k.cu")
    launches = analysis.launch_of(next(one for one in analysis.facts.functions if one.name == "k"))
    assert launches is not None
    assert {(one.left, one.right) for one in launches.products} <= {(1, 2)}
    return {f"{one.kind.name} {'xyz'[one.axis]}" for one in launches.products}


@pytest.mark.parametrize(
    ("launch", "found"),
    [
        ("k<<<(w * h + 255) / 256, 256>>>(x, w, h);", UP),
        ("k<<<cdiv(h * w, T), T>>>(x, w, h);", UP),
        ("int n = w * h; int g = (n + 255) / 256; k<<<g, 256>>>(x, w, h);", UP),
        ("dim3 b(16, 4); dim3 g(1, (w * h + b.y - 1) / b.y); k<<<g, b>>>(x, w, h);", {"WITHIN y", "EXCEEDS y"}),
        ("k<<<w * h / 256, 256>>>(x, w, h);", {"COVERS x", "EXCEEDS x"}),
        ("k<<<(w * h - 1) / 256 + 1, 256>>>(x, w, h);", {"WITHIN x"}),
        ("k<<<(w * h + 255) / 256, 256>>>(x, w, h); k<<<w * h / 32, 32>>>(x, w, h);", {"EXCEEDS x"}),
        ("k<<<(w * h + 255) / 256, 256>>>(x, w, h); k<<<4, 256>>>(x, 100, 10);", UP),
        ("k<<<(w * h + 255) / 256, 256>>>(x, w, h); k<<<4, 256>>>(x, 100, 100);", {"EXCEEDS x"}),
        ("k<<<(w * h + 255) / 256, 256>>>(x, w, h); k<<<9, 256>>>(x, w, h);", NONE),
        ("int n = w * h; h = get(0); k<<<(n + 255) / 256, 256>>>(x, w, h);", NONE),
        ("int g = (w * h + 255) / 256; get(&w); k<<<g, 256>>>(x, w, h);", NONE),
        ("k<<<(w * l + 255) / 256, 256>>>(x, w, l);", NONE),
        ("long n = w * h; k<<<(n + 255) / 256, 256>>>(x, w, h);", NONE),
        ("k<<<(w * h + 255) / 256, 128>>>(x, w, h);", NONE),
        ("k<<<(w * h + 255) / 256, 256>>>(x, w, h / 2);", NONE),
    ],
)
def test_what_the_grid_says_of_a_product(launch: str, found: set[str]) -> None:
    assert _products(launch) == found


@pytest.mark.parametrize("types", [("unsigned", "int"), ("int", "long"), ("short", "int")])
def test_kernels_that_compute_another_product_are_told_nothing(types: tuple[str, str]) -> None:
    assert _products("k<<<(w * h + 255) / 256, 256>>>(x, w, h);", types) == NONE


def test_products_that_may_wrap_say_nothing() -> None:
    launch = "k<<<(w * h + 255) / 256, 256>>>(x, w, h);"
    assert _products(launch, ("unsigned", "unsigned"), "unsigned w, unsigned h") == NONE
    assert _products(launch, ("int", "int"), "short w, short h") == NONE


def test_the_product_is_named() -> None:
    host = "void go(float *x, int w, int h) { k<<<(w * h + 255) / 256, 256>>>(x, w, h); }"
    analysis = analyzed({"k.cu": f"{KERNEL.format('int', 'int')}\n{host}"}, "k.cu")
    function = next(one for one in analysis.facts.functions if one.name == "k")
    assert relation_texts(analysis, function) == ["`(gridDim.x - 1) * blockDim.x < w * h <= gridDim.x * blockDim.x`"]


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_what_is_claimed_holds_in_each_launch(first: int) -> None:
    found = Compared()
    for seed in range(first, first + 10):
        compared(Choices(Seeded(seed)), found)
    assert found.failures == []
    assert found.checked["with products"]
    assert found.checked["claims"]
