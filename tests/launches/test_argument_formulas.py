"""What host code computes arguments by: text in; out comes what the last argument is for numbers of the others.

Python's own arithmetic is the expected value, written by hand beside each text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from analysis.launches.formulas import computed, positions_in
from tests.launches.test_launches import launches

_PAIRS = ((1 << 12, 64), (1000, 7), (100, 30), (64, 64), (63, 4096))


def _rounded_up(number: int, divisor: int) -> int:
    return (number + divisor - 1) // divisor


_COMPUTED: Mapping[str, Callable[[int, int], int]] = {
    "int t = n % (2 * m) > m ? (n + 2 * m) / 32 : n / 32;": lambda n, m: (n + 2 * m if n % (2 * m) > m else n) // 32,
    "int rest = n % m; int t = rest == 0 ? n / m : n / m + 1;": _rounded_up,
    "int t = up(n, m);": _rounded_up,
    "int t = up(up(n, 4), up(m, 2));": lambda n, m: _rounded_up(_rounded_up(n, 4), _rounded_up(m, 2)),
    "int t = min(n, 2 * m) + max(n, m);": lambda n, m: min(n, 2 * m) + max(n, m),
    "int t = (n << 2) - (m >> 1);": lambda n, m: 4 * n - m // 2,
    "unsigned t = (unsigned)(n * m);": lambda n, m: n * m,
    "int t = n < WIDTH && m < WIDTH ? n : m;": lambda n, m: n if n < 80 and m < 80 else m,
}


@pytest.mark.parametrize(("body", "expected"), _COMPUTED.items())
def test_an_argument_is_computed_as_host_code_does(body: str, expected: Callable[[int, int], int]) -> None:
    text = (
        "const int WIDTH = 80;\nint up(int a, int b) { return (a + b - 1) / b; }\n"
        f"void host(float *x, int n, int m) {{ {body} k<<<8, 256>>>(x, n, m, t); }}"
    )
    (launch,) = launches(text)
    (one,) = launch.formulas
    assert (one.argument, positions_in(one.formula)) == (3, {1, 2})
    assert [computed(one.formula, {1: n, 2: m}) for n, m in _PAIRS] == [expected(n, m) for n, m in _PAIRS]


@pytest.mark.parametrize(
    "body",
    [
        "int t = n;",
        "int t = n * m; if (n > 5) t = m;",
        "int t; scanf(x, &t);",
        "int t = other(n, m);",
        "int t = n * hidden + m;",
        "int t = x[n] + m;",
    ],
)
def test_what_is_not_understood_has_no_formula(body: str) -> None:
    (launch,) = launches(f"void host(float *x, int n, int m, int hidden) {{ {body} k<<<8, 256>>>(x, n, m, t); }}")
    assert launch.formulas == ()


def test_an_argument_may_be_computed_from_one_other() -> None:
    (launch,) = launches("void host(float *x, int n, int m) { int t = (n - 1) / 16; k<<<8, 256>>>(x, n, m, t); }")
    (one,) = launch.formulas
    assert [computed(one.formula, {1: n}) for n in (1, 16, 17, 4097)] == [0, 0, 1, 256]


def test_a_division_by_nothing_is_no_number() -> None:
    (launch,) = launches("void host(float *x, int n, int m) { k<<<8, 256>>>(x, n, m, n / (m - 4)); }")
    (one,) = launch.formulas
    assert computed(one.formula, {1: 8, 2: 4}) is None
    assert computed(one.formula, {1: 8, 2: 6}) == 4
