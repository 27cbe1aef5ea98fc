"""Numbers that the text of a launch says are equal, and numbers of calls of the function around it."""

from __future__ import annotations

import pytest

from sim.launch.request import Request
from tests.sim.launch.support import chosen, given

_KERNEL = """__global__ void k(float *x, int pitch, int width, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < width) x[blockIdx.x * pitch + threadIdx.x] = size;
  if (size > 1) x[0] = i;
}
"""


def numbers(launch: str, *requests: Request) -> dict[str, str]:
    found = chosen(f"{_KERNEL} void host(float *x, int w, int b, int n, dim3 block) {{ {launch} }}", *requests)
    return {name: found[name] for name in ("pitch", "width", "size", "block")}


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("k<<<n, 64>>>(x, w, w, n);", {"pitch": "64", "width": "64"}),
        ("k<<<n, 64>>>(x, (int) w, (w), n);", {"pitch": "64", "width": "64"}),
        ("k<<<n, b>>>(x, w, w, b);", {"pitch": "256", "width": "256", "size": "256"}),
        ("k<<<n, block>>>(x, w, w, block.x);", {"size": "256"}),
        ("k<<<n, dim3(b)>>>(x, w, w, (int)block.x);", {"size": "2048"}),
        ("k<<<n, 64>>>(x, 512, 512, n);", {"pitch": "512", "width": "512"}),
    ],
)
def test_what_is_passed_twice_is_one_number(launch: str, expected: dict[str, str]) -> None:
    found = numbers(launch)
    assert {name: found[name] for name in expected} == expected


def test_a_number_that_is_given_holds_for_what_is_passed_the_same() -> None:
    found = numbers("k<<<n, 64>>>(x, w, w, n);", given(width="48"))
    assert (found["pitch"], found["width"]) == ("48", "48")


def test_numbers_of_a_call_of_the_function_around_the_launch_are_taken() -> None:
    text = _KERNEL + (
        "void run(float *x, int t, int w) { k<<<4, t>>>(x, w, w, 3); } int main() { run(0, 96, 80); run(0, 64, 50); }"
    )
    found = chosen(text)
    assert (found["block"], found["pitch"], found["width"]) == ("96", "80", "80")


def test_a_launch_with_template_arguments_may_be_one_that_the_first_call_does_not_make() -> None:
    text = (
        "template <int SIZE> __global__ void k(float *x) { __shared__ float s[SIZE]; s[threadIdx.x] = 1; x[0] = s[0]; }"
        " void run(float *x, int size) { if (size == 16) k<16><<<4, size>>>(x); else k<32><<<4, size>>>(x); }"
        " int main() { run(0, 32); }"
    )
    found = chosen(text)
    assert (found["SIZE"], found["block"]) != ("16", "32")
