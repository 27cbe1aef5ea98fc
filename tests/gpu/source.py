"""Cases of the comparison with native code as device code: many in one file, each in a namespace of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from analysis.ir.function import Function
from analysis.ir.types import FloatFormat, FloatType, Type
from sim.kernel import Kernel
from tests.gpu.launch import GpuLaunch
from tests.sim.native.comparison import Case
from tests.sim.native.program import Value

_INCLUDE: Final = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"][^\n]*$", re.MULTILINE)
_FORMATS: Final[Mapping[FloatFormat, type[np.floating]]] = {
    FloatFormat.HALF: np.float16,
    FloatFormat.SINGLE: np.float32,
    FloatFormat.DOUBLE: np.float64,
}


def space_of(index: int) -> str:
    """The namespace of a file's unit of that number."""
    return f"unit_{index}"


def source_of(cases: Sequence[Case]) -> str:
    """Headers first; a host function takes the address of each kernel, so that templates are instantiated."""
    headers = dict.fromkeys(line.strip() for case in cases for line in _INCLUDE.findall(case.unit.text))
    lines = list(headers)
    for index, case in enumerate(cases):
        text = _INCLUDE.sub("", case.unit.text)
        lines += [f"namespace {space_of(index)} {{", f'#line 1 "{case.unit.name}"', text, "}"]
    for index, case in enumerate(cases):
        if "<" in case.unit.kernel:
            lines.append(f"void *keep_{index}() {{ return (void *)&{space_of(index)}::{case.unit.kernel}; }}")
    return "\n".join(lines) + "\n"


def launch_of(case: Case, kernel: Kernel, module: str, index: int) -> GpuLaunch:
    """The launch of the file's case of that number."""
    types = parameter_types(kernel.function)
    arguments = {name: argument(value, types[name]) for name, value in case.arguments.items()}
    return GpuLaunch(
        module,
        space_of(index),
        case.unit.kernel,
        case.grid,
        case.block,
        case.shared,
        arguments,
        case.set_variables,
        tuple(case.unit.variables),
    )


def parameter_types(function: Function) -> dict[str, Type]:
    return {parameter.name: function.types[parameter.value] for parameter in function.parameters}


def argument(value: Value, type: Type) -> np.ndarray | bytes:
    """Arrays as they are, everything else as the bytes of the parameter's type."""
    match value:
        case np.ndarray():
            return value
        case np.void():
            return value.tobytes()
        case _ if isinstance(type, FloatType):
            return _FORMATS[type.format](value).tobytes()
        case _:
            return (int(value) & 0xFFFF_FFFF_FFFF_FFFF).to_bytes(8, "little")
