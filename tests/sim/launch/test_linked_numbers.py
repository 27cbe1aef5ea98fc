"""Numbers that host code computes from others: CUDA text in, chosen numbers out.  The grid is 8 x 256."""

from __future__ import annotations

import pytest

from tests.sim.launch.support import chosen, given

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_KERNEL = f"__global__ void k(int *x, int n, int step, int parts) {{ {_I} if (i < parts) x[i * 4] = n - i * step; }}\n"
_HOST = "void host(int *x, int n, int step) {{ int parts = {parts}; k<<<{blocks}, 256>>>(x, n, step, parts); }}"


@pytest.mark.parametrize(
    ("parts", "blocks", "numbers"),
    [
        # the grid says how many parts there are: the other numbers have to fit
        ("n % step == 0 ? n / step : n / step + 1", "(parts + 255) / 256", {"parts": "2048", "n": "2048", "step": "1"}),
        ("n / (8 * step)", "(parts + 255) / 256", {"parts": "2048", "n": "16384", "step": "1"}),
        ("n > 99 ? 4 * n / step : step", "(parts + 255) / 256", {"parts": "2048", "n": "2048", "step": "1"}),
    ],
)
def test_numbers_fit_what_host_code_computes_from_them(parts: str, blocks: str, numbers: dict[str, str]) -> None:
    found = chosen(_KERNEL + _HOST.format(parts=parts, blocks=blocks))
    assert {name: found[name] for name in numbers} == numbers


def test_a_number_that_nothing_decides_is_what_host_code_computes() -> None:
    kernel = f"__global__ void k(int *x, int n, int m, int shift) {{ {_I} if (i < n) x[i] = m + shift; }}\n"
    host = "void host(int *x, int n, int m) { k<<<8, 256>>>(x, n, m, n > 1000 ? n + m : m); }"
    found = chosen(kernel + host)
    assert (found["n"], found["m"], found["shift"]) == ("2048", "1", "2049")
    assert chosen(kernel + host, given(m="7"))["shift"] == "2055"
    assert chosen(kernel + host, given(shift="3"))["shift"] == "3"
