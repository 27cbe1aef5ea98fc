"""What every launch says of its arguments holds for the numbers that a simulation chooses."""

from __future__ import annotations

import pytest

from sim.launch.request import Request
from tests.sim.launch.support import chosen, given

KERNEL = """__global__ void k(float *x, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = m;
}
"""


def numbers(launch: str, *requests: Request, kernel: str = KERNEL) -> tuple[str, str, str, str]:
    found = chosen(f"{kernel} void host(float *x, int n, int b, int g) {{ {launch} }}", *requests)
    return found["grid"], found["block"], found["n"], found["m"]


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("k<<<g, b>>>(x, n, g);", ("8", "256", "2048", "8")),
        ("k<<<g, b>>>(x, n, b);", ("8", "256", "2048", "256")),
        ("int t = b; k<<<g, t>>>(x, n, b);", ("8", "256", "2048", "256")),
        ("k<<<(n + 63) / 64, 64>>>(x, n, b);", ("8", "64", "512", "1")),
        ("k<<<(n + 63) / 64, 64>>>(x, n, b * 48);", ("8", "64", "512", "16")),
        ("k<<<g, 64>>>(x, n * 1024, b << 22);", ("8", "64", "1024", "1")),
    ],
)
def test_what_is_passed_is_what_runs(launch: str, expected: tuple[str, str, str, str]) -> None:
    assert numbers(launch) == expected


@pytest.mark.parametrize(
    ("launch", "grid"),
    [
        ("k<<<(n + 63) / 64, 64>>>(x, n, b);", "16"),
        ("int blocks = (n + 63) / 64; k<<<blocks, 64>>>(x, n, b);", "16"),
        ("k<<<n / 64, 64>>>(x, n, b);", "15"),
        ("k<<<n / 64 + 1, 64>>>(x, n, b);", "16"),
        ("n = 5000; k<<<(n + 63) / 64, 64>>>(x, n, b);", "16"),
        ("k<<<g, 64>>>(x, n, b);", "8"),
        ("k<<<2, 64>>>(x, n, b);", "2"),
    ],
)
def test_a_number_that_is_given_decides_the_grid(launch: str, grid: str) -> None:
    assert numbers(launch, given(n="1000"))[::2] == (grid, "1000")


def test_a_grid_that_is_given_stays() -> None:
    found = numbers("k<<<(n + 63) / 64, 64>>>(x, n, b);", Request(grid=(2, 1, 1)), given(n="1000"))
    assert found[::2] == ("2", "1000")


def test_a_large_number_is_cut_like_the_grids_of_host_code() -> None:
    assert numbers("k<<<(n + 63) / 64, 64>>>(x, n, b);", given(n="1000000"))[0] == "489"


def test_a_chosen_number_leaves_no_block_without_work() -> None:
    """A loop alone would ask for 16 rounds."""
    kernel = KERNEL.replace("if (i < n) x[i] = m;", "for (int j = 0; j < n; j++) x[i] += m;")
    grid, block, n, _ = numbers("k<<<(n + 63) / 64, 64>>>(x, n, b);", kernel=kernel)
    assert (int(grid) - 1) * int(block) < int(n) <= int(grid) * int(block)


PRODUCT = """__global__ void k(float *x, int w, int h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = w + h;
}
"""


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("k<<<(w * h + 63) / 64, 64>>>(x, w, h, n);", (512, "512", "1")),
        ("int all = h * w; k<<<(all + 63) / 64, 64>>>(x, w, h, n);", (512, "512", "1")),
        ("k<<<w * h / 64, 64>>>(x, w, 3, n);", (1536, "512", "3")),
        ("k<<<(w * w + 63) / 64, 64>>>(x, w, h, n);", (16, "1", "16")),
    ],
)
def test_factors_fit_the_grid_that_is_computed_of_their_product(launch: str, expected: tuple[int, str, str]) -> None:
    found = chosen(f"{PRODUCT} void host(float *x, int n, int w, int h) {{ {launch} }}")
    assert (int(found["w"]) * int(found["h"]), found["w"], found["h"]) == expected
