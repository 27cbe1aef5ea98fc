"""ARI601."""

from __future__ import annotations

import pytest

from analysis.refactor.edit import apply_replacements
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import analyze, check, check_fixture

SETTINGS = RuleSettings(select=frozenset({"ARI601"}))
KERNEL = """
__global__ void k(long long *o, {parameters}) {{
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  {body}
}}
void host(long long *o) {{ k<<<dim3(64, 4), 128>>>(o, 7); }}
"""


@pytest.mark.parametrize(
    ("parameters", "body"),
    [
        ("unsigned n", "o[i] = i / (long long)n;  //~ wide-division"),
        ("int n", "o[i] = i % (long long)n;  //~ wide-division"),
        ("int n", "long long j = (long long)blockIdx.y * blockDim.y + 1; o[i] = i / j;  //~ wide-division"),
        ("long long n", "if (0 < n && n < 1000) o[i] = i / n;  //~ wide-division"),
        ("long long n", "o[i] = i / n;"),  # may be long
        ("unsigned n, long long m", "if (i < m) o[i] = (i + 1) / (long long)n;"),  # as large as `m`
        ("unsigned n", "o[i] = (long long)threadIdx.x / (long long)n;"),  # a compiler knows
        ("unsigned n", "o[i] = i / 7;"),  # a product
        ("int n", "o[i] = (int)i / n;"),
    ],
)
def test_what_fits_and_is_not_seen_to_fit(parameters: str, body: str) -> None:
    check_fixture(KERNEL.format(parameters=parameters, body=body), SETTINGS)


def test_little_of_a_kernel_is_not_worth_it() -> None:
    loop = "for (int j = 0; j < 1000; j++) o[j] += j;"
    check_fixture(KERNEL.format(parameters="unsigned n", body=f"o[i] = i / (long long)n; {loop}"), SETTINGS)


def test_the_message_and_the_cast() -> None:
    body = "long long j = n; if (j > 0) o[i] = o[i / j];  //~ wide-division"
    text = KERNEL.format(parameters="int n", body=body)
    (found,) = check_fixture(text, SETTINGS)
    assert found.message == (
        "`i / j` divides 64-bit integers that fit `unsigned`, which a compiler does not see: it tests at run time and "
        "keeps a way of about 70 instructions beside the one of about 20, about 24 % of this kernel's issue slots. "
        "Cast both operands to `unsigned`."
    )
    assert found.fix is not None
    after = apply_replacements(text.encode(), found.fix.replacements).decode()
    assert "o[i] = o[(unsigned)i / (unsigned)j];" in after
    assert check(analyze(after), SETTINGS) == ()


@pytest.mark.parametrize(
    ("body", "repaired"),
    [
        ("long long q = i / (long long)n; o[i] = q;", ""),
        ("long long j = n; const long long q = i % j; o[i] = q;", "q = (int)i % (int)j; o"),
        ("long long j = n; long long q; q = i / j; o[i] = q;", " q = (int)i / (int)j; o"),
        ("long long j = n; auto q = i / j; o[i] = q;", "q = (long long)((int)i / (int)j); o"),
        ("long long j = n; if (i == i / j) o[i] = 1;", "if (i == (long long)((int)i / (int)j)) o"),
        ("long long j = n; o[i] += i / j;", "o[i] += (long long)((int)i / (int)j);"),
    ],
)
def test_a_result_that_is_assigned_needs_no_cast(body: str, repaired: str) -> None:
    text = KERNEL.format(parameters="int n", body=body + "  //~ wide-division")
    (found,) = check_fixture(text, SETTINGS)
    assert (found.fix is not None) is bool(repaired)
    if found.fix is not None:
        after = apply_replacements(text.encode(), found.fix.replacements).decode()
        assert repaired in after
        assert check(analyze(after), SETTINGS) == ()
