"""`using namespace std` hides none of CUDA's own types: a constructor of the same name is no member of std."""

from __future__ import annotations

import pytest

from analysis.ir.types import UnknownType
from tests.lower.check import lower_one


@pytest.mark.parametrize("type", ["float2", "int4", "uchar4", "double2", "dim3", "half"])
def test_types_of_cuda_stay_known(type: str) -> None:
    text = f"using namespace std; __global__ void k({type} *d, {type} const *s) {{ d[0] = s[0]; }}"
    function = lower_one(text, "k").function
    assert not [found for found in function.types if isinstance(found, UnknownType)]


def test_functions_of_std_are_still_found() -> None:
    text = "using namespace std; __global__ void k(float *d) { d[0] = sqrt(min(d[1], d[2])) + std::abs(d[3]); }"
    function = lower_one(text, "k").function
    assert not [found for found in function.types if isinstance(found, UnknownType)]
