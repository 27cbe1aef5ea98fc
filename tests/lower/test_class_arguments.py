"""Template arguments of class type: which instances launches name, and which constants these see."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.ir.ids import FunctionId
from analysis.ir.types import ArrayType
from analysis.launches.instances import launched_instances, launching_functions
from analysis.lower.program import Program
from sim.kernel import load_kernel
from sim.policies.ipdom import Ipdom
from sim.simulate import simulate
from sim.specification import Array, LaunchSpecification
from tests.lower.check import constructs, program_of

TEXT = """
struct Config {
  int tile = 16; int stages = 2; bool fast = false;
  constexpr int bytes() const { return tile * stages; }
};
constexpr Config big{64, 4};
template <int N> constexpr Config sized{N, N + 1};
template <Config C> struct Tile { static constexpr int twice = C.tile * 2; int rows[C.stages]; };
template <Config C> struct Special { static constexpr int value = 1; };
template <> struct Special<Config{8}> { static constexpr int value = 2; };
template <class T, Config C = Config{}> struct Default { static constexpr int value = C.tile; };
template <Config C> __device__ int chosen() { if constexpr (C.fast) return 1000; else return C.stages; }
template <Config C> __global__ void k(int* o) {
  __shared__ char s[C.bytes()];
  constexpr Config copy = C;
  constexpr int bytes = C.bytes();
  o[0] = bytes; o[1] = copy.tile; o[2] = Tile<C>::twice; o[3] = sizeof(Tile<C>); o[4] = Default<int>::value;
  o[5] = Special<C>::value; o[6] = C.stages;
  s[o[7]] = 0;
}
"""


def launched(program: Program) -> list[FunctionId | None]:
    found = launched_instances(program, launching_functions(program))
    return [None if one is None else one.instance.id for each in found.values() for one in each]


@pytest.mark.parametrize(
    ("host", "name", "stored"),
    [
        ("k<Config{.tile = 32, .stages = 3}><<<1, 64>>>(p);", "k<Config{32, 3, false}>", [96, 32, 64, 12, 16, 1, 3]),
        ("k<big><<<1, 64>>>(p);", "k<Config{64, 4, false}>", [256, 64, 128, 16, 16, 1, 4]),
        ("k<sized<5>><<<1, 64>>>(p);", "k<Config{5, 6, false}>", [30, 5, 10, 24, 16, 1, 6]),
        ("constexpr Config c{8}; k<c><<<1, 64>>>(p);", "k<Config{8, 2, false}>", [16, 8, 16, 8, 16, 2, 2]),
        (
            "constexpr int n = 4; k<Config{n, n * 2, true}><<<1, 1>>>(0);",
            "k<Config{4, 8, true}>",
            [32, 4, 8, 32, 16, 1, 8],
        ),
    ],
)
def test_the_instance_of_a_launch(host: str, name: str, stored: list[int]) -> None:
    program = program_of(f"{TEXT}void host(int* p) {{ {host} }}")
    (id,) = launched(program)
    assert id is not None
    assert id == f"{name}(int* o)"
    lowered = program.lower(id)
    assert constructs(lowered) == []
    symbol = next(each for each in lowered.function.symbols if each.name == "s")
    assert isinstance(symbol.type, ArrayType)
    assert symbol.type.length == stored[0]
    launch = LaunchSpecification(grid=(1, 1, 1), block=(1, 1, 1), arguments={"o": Array(np.zeros(8, np.int32))})
    result = simulate(load_kernel(program, id), launch, Ipdom)
    assert result.faults == ()
    assert list(map(int, result.arrays["o"][:7])) == stored


@pytest.mark.parametrize(
    "host", ["Config c{8}; k<c><<<1, 64>>>(p);", "k<unknown><<<1, 64>>>(p);", "k<Config{m, 3}><<<1, 64>>>(p);"]
)
def test_an_object_that_is_no_constant_is_any(host: str) -> None:
    assert launched(program_of(f"{TEXT}void host(int* p, int m) {{ {host} }}")) == [None]
