"""CAL706."""

from __future__ import annotations

import pytest

from analysis.rules.check import check
from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture
from tests.support.project_analysis import analyzed

ONLY = RuleSettings(select=frozenset({"CAL706"}))
KERNELS = """
#define THREADS 2048
__global__ void k(float *x) { x[threadIdx.x] = 1; }
__global__ __launch_bounds__(128) void bounded(float *x) { x[threadIdx.x] = 1; }
__global__ void with_array(float *x) {
  extern __shared__ float dynamic[];
  __shared__ float own[4096], unused[1 << 20];
  own[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = own[0] + dynamic[0];
}
"""


@pytest.mark.parametrize(
    ("launch", "message"),
    [
        ("k<<<1, 2048>>>(x);", "A block of 2,048 threads: at most 1,024 are possible."),
        ("k<<<1, THREADS>>>(x);", "A block of 2,048 threads"),
        ("dim3 block(32, 64); k<<<1, block>>>(x);", "A block of 32 × 64 = 2,048 threads"),
        ("k<<<1, dim3(4, 2, 65)>>>(x);", "at most 64 are possible along z"),
        ("k<<<dim3(1, 65536), 32>>>(x);", "A grid of 65,536 blocks along y: at most 65,535"),
        ("k<<<dim3(1, 1, 70000), 32>>>(x);", "blocks along z"),
        ("bounded<<<1, 256>>>(x);", "`__launch_bounds__` of the kernel says at most 128."),
        ("k<<<1, 32, 50000>>>(x);", "50,000 bytes of dynamic shared memory: more than 49,152 have to be asked for"),
        ("with_array<<<1, 32, 40000>>>(x);", "40,000 bytes of dynamic shared memory and 16,384 of the kernel's arrays"),
        ("k<<<1, 32, 300000>>>(x);", "no GPU has more than 232,448 for a block"),
    ],
)
def test_too_much(launch: str, message: str) -> None:
    (found,) = check_fixture(KERNELS + f"void f(float *x) {{ {launch} }}  //~ launch-over-limits\n", ONLY)
    assert (found.code, found.severity) == ("CAL706", Severity.ERROR)
    assert message in found.message
    assert found.message.endswith("The launch fails, and the kernel does not run.")


@pytest.mark.parametrize(
    "launch",
    [
        "k<<<1, 1024>>>(x);",
        "k<<<dim3(70000, 65535, 65535), dim3(16, 1, 64)>>>(x);",
        "bounded<<<1, 128>>>(x);",
        "k<<<1, 32, 49152>>>(x);",
        "with_array<<<1, 32, 32768>>>(x);",
        "k<<<1, threads>>>(x);",
        "if (THREADS <= 1024) k<<<1, THREADS>>>(x);",
        "cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); k<<<1, 32, 65536>>>(x);",
    ],
)
def test_what_fits_or_is_not_known(launch: str) -> None:
    check_fixture(KERNELS + f"void f(float *x, int threads) {{ {launch} }}\n", ONLY)


def test_one_call_of_several() -> None:
    check_fixture(
        KERNELS
        + """
static void launched(float *x, int threads) { k<<<1, threads>>>(x); }  //~ launch-over-limits
static void fitting(float *x, int threads) { if (threads <= 1024) k<<<1, threads>>>(x); }
int main() {
  launched(0, 256);
  launched(0, 1280);
  fitting(0, 256);
  fitting(0, 1280);
}
""",
        ONLY,
    )


def test_numbers_of_other_files_count() -> None:
    text = KERNELS + "void f(float *x, int threads) { k<<<1, threads>>>(x); }\n"
    main = "void f(float *x, int threads);\nint main() { f(0, %d); }\n"
    for threads, number in ((2048, 1), (1024, 0)):
        analysis = analyzed({"k.cu": text, "main.cpp": main % threads}, "k.cu")
        found = check(analysis, ONLY)
        assert len(found) == number
        assert all("A block of 2,048 threads" in one.message for one in found)
