"""Grid and block: CUDA text in, shapes out."""

from __future__ import annotations

import pytest

from sim.launch.request import Request
from sim.launch.shapes import other_blocks
from sim.refusals import LaunchError
from tests.sim.launch.support import plan
from tests.sim.launch.test_adapt import adapted

_X = "x[blockIdx.x * blockDim.x + threadIdx.x] = 1;"
_XY = "x[(blockIdx.y * blockDim.y + threadIdx.y) * 64 + blockIdx.x * blockDim.x + threadIdx.x] = 1;"
_HOST = "void host(int *p, int n) { %s }"


def kernel(body: str, before: str = "", bounds: str = "") -> str:
    return f"{before}\n__global__ void {bounds} k(int *x) {{ {body} }}\n"


@pytest.mark.parametrize(
    ("text", "grid", "block"),
    [
        (kernel(_X), (8, 1, 1), (256, 1, 1)),
        (kernel(_XY), (4, 4, 1), (16, 16, 1)),
        (kernel("x[threadIdx.z * 4 + threadIdx.x] = 1;"), (2, 2, 2), (8, 8, 4)),
        (kernel(_X) + _HOST % "k<<<3, 96>>>(p);", (3, 1, 1), (96, 1, 1)),
        (kernel(_X) + _HOST % "k<<<n, 96>>>(p);", (8, 1, 1), (96, 1, 1)),
        (kernel(_XY) + _HOST % "k<<<dim3(2, 3), dim3(8, 4)>>>(p);", (2, 3, 1), (8, 4, 1)),
        (kernel(_X, bounds="__launch_bounds__(128)"), (8, 1, 1), (128, 1, 1)),
        (kernel(_XY, bounds="__launch_bounds__(64)"), (4, 4, 1), (8, 8, 1)),
        (kernel("x[threadIdx.x + BLOCK_SIZE] = 1;", "#define BLOCK_SIZE 64"), (8, 1, 1), (64, 1, 1)),
        (kernel("x[threadIdx.x + THREADS] = 1;", "const int THREADS = 4 * 8;"), (8, 1, 1), (32, 1, 1)),
        (
            kernel("x[threadIdx.y * BLOCK_X + threadIdx.x * BLOCK_Y] = 1;", "#define BLOCK_X 32\n#define BLOCK_Y 4"),
            (4, 4, 1),
            (32, 4, 1),
        ),
        (kernel("x[threadIdx.y * TILE + threadIdx.x] = 1;", "#define TILE 8"), (4, 4, 1), (8, 8, 1)),
        (kernel("x[threadIdx.x + blockSize] = 1;", "const int blockSize = 64;"), (8, 1, 1), (64, 1, 1)),
        (kernel("x[threadIdx.x * NUM_BLOCKS] = 1;", "#define NUM_BLOCKS 64"), (8, 1, 1), (256, 1, 1)),
        (kernel("x[(blockIdx.x * 16 + threadIdx.y) * 16 + threadIdx.x] = 1;"), (8, 1, 1), (16, 16, 1)),
        (kernel(_XY) + _HOST % "k<<<n, dim3(32, n)>>>(p);", (4, 1, 1), (32, 16, 1)),
        (kernel(_XY) + _HOST % "dim3 b(n); b.y = 4; k<<<n, b>>>(p);", (4, 1, 1), (16, 4, 1)),
        (kernel(_XY) + _HOST % "k<<<dim3(1, n), 64>>>(p);", (1, 4, 1), (64, 1, 1)),
        (kernel(_XY) + _HOST % "dim3 g(n, 2); k<<<g, dim3(8, 8)>>>(p);", (4, 2, 1), (8, 8, 1)),
        (kernel(_XY) + _HOST % "k<<<dim3(n, n, 3), 64>>>(p);", (4, 4, 1), (64, 1, 1)),
        (kernel("x[blockIdx.y * 16 + threadIdx.x] = 1;"), (1, 4, 1), (256, 1, 1)),
        (kernel("x[blockIdx.z * 16 + threadIdx.x] = blockIdx.y;"), (1, 2, 2), (256, 1, 1)),
        (kernel("int u = blockIdx.x; x[blockIdx.y * 16 + threadIdx.x] = 1;"), (1, 4, 1), (256, 1, 1)),
        (kernel(_X) + _HOST % "k<<<n, dim3(n, 1, 1)>>>(p);", (8, 1, 1), (256, 1, 1)),
        (kernel("assert(blockDim.x == 64); " + _X, "#include <cassert>"), (8, 1, 1), (64, 1, 1)),
        (kernel("if (blockDim.x != 32 || blockDim.y != 8) __trap(); " + _XY), (4, 4, 1), (32, 8, 1)),
        (kernel("if (blockDim.y != 4) __trap(); " + _XY), (4, 4, 1), (16, 4, 1)),
        (kernel("if (blockDim.x == 64) __trap(); " + _X), (8, 1, 1), (256, 1, 1)),
        (
            kernel("assert(blockDim.x == 64); " + _X, "#include <cassert>") + _HOST % "k<<<n, 128>>>(p);",
            (8, 1, 1),
            (128, 1, 1),
        ),
    ],
)
def test_shape(text: str, grid: tuple[int, int, int], block: tuple[int, int, int]) -> None:
    specification = plan(text).specification
    assert (specification.grid, specification.block) == (grid, block)


def test_a_large_grid_is_cut_and_says_so() -> None:
    found = plan(kernel(_X) + _HOST % "k<<<100000, 256>>>(p);")
    assert found.specification.blocks * found.specification.threads_per_block <= 1 << 15
    assert next(choice.why for choice in found.choices if choice.name == "grid").endswith("cut from 100000")


def test_the_command_line_wins_over_the_comment_and_the_launch() -> None:
    text = kernel(_X) + _HOST % "k<<<3, 96>>>(p);"
    comment = Request("the comment above the kernel", grid=(5, 1, 1), block=(64, 1, 1), folder=".")
    found = plan(text, Request(block=(32, 1, 1)), comment)
    assert (found.specification.grid, found.specification.block) == ((5, 1, 1), (32, 1, 1))
    assert not found.block.is_chosen


def test_a_block_that_no_device_runs_is_refused() -> None:
    with pytest.raises(LaunchError, match="block=2048: a block has at most 1024 threads"):
        plan(kernel(_X), Request(block=(2048, 1, 1)))


def test_other_blocks_have_the_dimensions_of_the_kernel() -> None:
    flat, square = plan(kernel(_X)).evidence, plan(kernel(_XY)).evidence
    assert (flat.thread_axes, square.thread_axes) == (1, 2)
    assert all(shape[1:] == (1, 1) and shape != (128, 1, 1) for shape in other_blocks(flat, (128, 1, 1)))
    assert (32, 8, 1) in other_blocks(square, (16, 16, 1))


def test_other_blocks_respect_bounds_and_begin_with_constants() -> None:
    bounded = plan(kernel(_X, bounds="__launch_bounds__(64)")).evidence
    assert max(shape[0] for shape in other_blocks(bounded, (64, 1, 1))) == 32
    template = "template <int WINDOW = 96>" + kernel("x[threadIdx.x + WINDOW] = 1;")
    assert next(other_blocks(plan(template).evidence, (256, 1, 1))) == (96, 1, 1)


def test_ranks_of_groups_do_not_make_a_kernel_three_dimensional() -> None:
    text = kernel("x[cooperative_groups::this_thread_block().thread_rank()] = 1;")
    assert plan(text).specification.block == (256, 1, 1)


def test_a_block_that_reaches_past_what_a_coordinate_indexes_is_made_to_fit() -> None:
    text = "__constant__ float table[3][8]; __global__ void k(float *x) {" + (
        " x[blockIdx.x * blockDim.x + threadIdx.x] = table[threadIdx.y][threadIdx.x % 8]; }"
    )
    fitted, result = adapted(text)
    assert fitted.block.extent == (16, 3, 1)
    assert result.faults == ()
