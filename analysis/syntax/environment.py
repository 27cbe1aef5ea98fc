"""What a translation unit is compiled for: the macros that exist before its first line.

Rules    The device side is analysed, on Linux with GNU: `__CUDA_ARCH__` is defined, `_WIN32` is not.  What host code
         may do is asked of the other side, where `__CUDA_ARCH__` is not defined.
         `defines` are `NAME` or `NAME=value`, as after `-D`; `undefines` win over everything predefined.
"""

from enum import Enum
from functools import lru_cache
from typing import Final, final

from analysis.ir.record import record
from analysis.ir.source import NO_SPAN
from analysis.syntax.macros import MacroDefinition
from analysis.syntax.target_macros import target_macros

PREDEFINED_PATH: Final = "<predefined>"


class Language(Enum):
    """The dialect of a file."""

    CUDA = "cuda"
    HIP = "hip"


@final
@record
class Environment:
    """Settings of a translation unit; `architecture` is `__CUDA_ARCH__`.

    `forced_includes` are the paths of headers that are read before the first line, as after `-include`.
    """

    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    forced_includes: tuple[str, ...] = ()
    architecture: int = 800
    language: Language = Language.CUDA
    is_host: bool = False
    """The text is read as it is compiled for the host."""
    is_linked: bool = False
    """Device code of several files is linked (`nvcc -rdc=true`): the device may call what other files define."""


@lru_cache(maxsize=256)
def predefined(environment: Environment) -> tuple[MacroDefinition, ...]:
    """The definitions before the first line."""
    values = dict(_COMMON)
    if environment.language is Language.HIP:
        values |= _HIP
    else:
        values |= _CUDA
        values |= target_macros(ARCHITECTURES, None if environment.is_host else environment.architecture)
        values["__CUDA_ARCH__"] = str(environment.architecture)
    if environment.is_host:
        for name in ON_DEVICE:
            values.pop(name, None)
    for define in environment.defines:
        name, separator, value = define.partition("=")
        values[name.strip()] = value if separator else "1"
    for name in environment.undefines:
        values.pop(name.strip(), None)
    return tuple(_definition(name, value) for name, value in values.items() if name)


def _definition(name: str, value: str) -> MacroDefinition:
    from analysis.syntax.directives import Define, parse_directive

    parsed = parse_directive(f"#define {name} {value}".encode("utf-8", "replace"))
    if not isinstance(parsed, Define):
        return MacroDefinition(name.encode("utf-8", "replace"), None, False, b"", PREDEFINED_PATH, NO_SPAN)
    return MacroDefinition(parsed.name, parsed.parameters, parsed.variadic, parsed.body, PREDEFINED_PATH, NO_SPAN)


ON_DEVICE: Final = ("__CUDA_ARCH__", "__HIP_DEVICE_COMPILE__", "__AMDGCN__")
"""Defined where a text is compiled for the device, and by that alone."""
ASKING_FOR_SIDE: Final = (*ON_DEVICE, "NV_IF_TARGET", "NV_IF_ELSE_TARGET", "NV_DISPATCH_TARGET")
"""Where one of these stands, the text may be another one on the host."""
ARCHITECTURES: Final = (
    *(500, 520, 530, 600, 610, 620, 700, 720, 750, 800, 860, 870, 890, 900),
    *(1000, 1010, 1030, 1100, 1200, 1210),
)
"""What CUDA 12 and 13 compile for, as in `__CUDA_ARCH__`."""
_STDINT_SUFFIXES: Final = {
    **dict.fromkeys(("INT8", "INT16", "INT32", "UINT8", "UINT16"), "number"),
    "UINT32": "number##U",
    **dict.fromkeys(("INT64", "INTMAX"), "number##L"),
    **dict.fromkeys(("UINT64", "UINTMAX"), "number##UL"),
}
_COMMON: Final = {
    "__cplusplus": "201703L",
    "__linux__": "1",
    "__linux": "1",
    "__unix__": "1",
    "__x86_64__": "1",
    "__LP64__": "1",
    "__GNUC__": "11",
    "__GNUC_MINOR__": "4",
    "__STDC__": "1",
    "__STDC_HOSTED__": "1",
    "__CHAR_BIT__": "8",
    "__SIZEOF_POINTER__": "8",
    "HIP_DYNAMIC_SHARED(type, var)": "extern __shared__ type var[];",  # files of HIP are often called .cu
    **dict.fromkeys(
        ("typeof(...)", "__typeof(...)", "__typeof__(...)"), "std::remove_reference_t<decltype(__VA_ARGS__)>"
    ),
    **{f"{name}_C(number)": body for name, body in _STDINT_SUFFIXES.items()},  # of <cstdint>
}
_CUDA: Final = {
    "__CUDACC__": "1",
    "__NVCC__": "1",
    "__CUDACC_VER_MAJOR__": "12",
    "__CUDACC_VER_MINOR__": "4",
    "__CUDACC_VER_BUILD__": "0",
    "CUDART_VERSION": "12040",
    "CUDA_VERSION": "12040",
}
_HIP: Final = {
    "__HIP__": "1",
    "__HIPCC__": "1",
    "__HIP_PLATFORM_AMD__": "1",
    "__HIP_PLATFORM_HCC__": "1",
    "__HIP_DEVICE_COMPILE__": "1",
    "__AMDGCN__": "1",
    "__clang__": "1",
}
