"""CUDA's types by name: C's scalars on Linux, vectors with their alignments, handles, cooperative groups, `std::`.

Rules    A type without visible contents is a `HandleType`; its name keeps the template arguments in the notation of
         `spelling`, so `cuda::atomic<u32>` can say what it holds.
         Class templates with members (`std::pair`, `std::complex`, wmma fragments) are `StructType`; `builtin_layout`
         gives their members.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from analysis.ir.types import (
    BF16,
    BOOLEAN,
    F16,
    F32,
    F64,
    S8,
    S16,
    S32,
    S64,
    U8,
    U16,
    U32,
    U64,
    VOID,
    ArrayType,
    BooleanType,
    FloatType,
    GroupKind,
    GroupType,
    HandleType,
    IntegerType,
    PointerType,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
    VoidType,
)

_TemplateArgument: TypeAlias = Type | int | None

_S128, _U128 = IntegerType(128, signed=True), IntegerType(128, signed=False)

NAMED: Final[Mapping[str, Type]] = {
    "void": VOID,
    "bool": BOOLEAN,
    "_Bool": BOOLEAN,
    "char": S8,
    "wchar_t": S32,
    "char8_t": U8,
    "char16_t": U16,
    "char32_t": U32,
    "float": F32,
    "double": F64,
    "uchar": U8,
    "ushort": U16,
    "uint": U32,
    "ulong": U64,
    "byte": U8,
    "u_char": U8,
    "u_short": U16,
    "u_int": U32,
    "u_long": U64,
    "clock_t": S64,
    "time_t": S64,
    "size_t": U64,
    "ssize_t": S64,
    "ptrdiff_t": S64,
    "intptr_t": S64,
    "uintptr_t": U64,
    "intmax_t": S64,
    "uintmax_t": U64,
    "nullptr_t": U64,
    "float_t": F32,
    "double_t": F64,
    "__int128": _S128,
    "__int128_t": _S128,
    "__uint128_t": _U128,
    "__int64": S64,
    "half": F16,
    "__half": F16,
    "__half_raw": F16,
    "half_t": F16,
    "_Float16": F16,
    "__fp16": F16,
    "nv_half": F16,
    "hip_bfloat16": BF16,
    "__hip_bfloat16": BF16,
    "nv_bfloat16": BF16,
    "__nv_bfloat16": BF16,
    "__nv_bfloat16_raw": BF16,
    **{
        f"{prefix}int{width}{bits}_t": IntegerType(bits, signed=not prefix)
        for prefix in ("", "u")
        for width in ("", "_least", "_fast")
        for bits in (8, 16, 32, 64)
    },
}

VECTORS: Final[Mapping[str, VectorType]] = {
    **{
        f"{name}{length}": VectorType(element, length, alignment)
        for name, element, alignments in (
            ("char", S8, (1, 2, 1, 4)),
            ("uchar", U8, (1, 2, 1, 4)),
            ("short", S16, (2, 4, 2, 8)),
            ("ushort", U16, (2, 4, 2, 8)),
            ("int", S32, (4, 8, 4, 16)),
            ("uint", U32, (4, 8, 4, 16)),
            ("long", S64, (8, 16, 8, 16)),
            ("ulong", U64, (8, 16, 8, 16)),
            ("longlong", S64, (8, 16, 8, 16)),
            ("ulonglong", U64, (8, 16, 8, 16)),
            ("float", F32, (4, 8, 4, 16)),
            ("double", F64, (8, 16, 8, 16)),
        )
        for length, alignment in zip((1, 2, 3, 4), alignments, strict=True)
    },
    "dim3": VectorType(U32, 3, 4),
    **dict.fromkeys(("half2", "__half2", "nv_half2", "__half2_raw"), VectorType(F16, 2, 4)),
    **dict.fromkeys(
        ("__nv_bfloat162", "nv_bfloat162", "__hip_bfloat162", "__nv_bfloat162_raw"), VectorType(BF16, 2, 4)
    ),
    **dict.fromkeys(
        ("cuComplex", "cuFloatComplex", "hipFloatComplex", "hipComplex", "cufftComplex"), VectorType(F32, 2, 8)
    ),
    **dict.fromkeys(("cuDoubleComplex", "hipDoubleComplex", "cufftDoubleComplex"), VectorType(F64, 2, 16)),
}

_TEXTURE, _SURFACE = "cudaTextureObject_t", "cudaSurfaceObject_t"

HANDLES: Final[Mapping[str, str]] = {
    **dict.fromkeys((_TEXTURE, "hipTextureObject_t", "CUtexObject"), _TEXTURE),
    **dict.fromkeys((_SURFACE, "hipSurfaceObject_t", "CUsurfObject"), _SURFACE),
    **{
        name: name
        for name in (
            "cudaStream_t",
            "cudaEvent_t",
            "hipStream_t",
            "hipEvent_t",
            "cudaGraph_t",
            "cudaError_t",
            "hipError_t",
            "textureReference",
            "surfaceReference",
            "CUtensorMap",
            "__nv_fp8_e4m3",
            "__nv_fp8_e5m2",
            "__nv_fp8_e8m0",
            "__nv_fp8_storage_t",
            "__nv_fp8x2_e4m3",
            "__nv_fp8x2_e5m2",
            "__nv_fp8x4_e4m3",
            "__nv_fp8x4_e5m2",
            "__nv_fp4_e2m1",
            "__nv_fp6_e2m3",
            "__nv_fp6_e3m2",
            "cuda::pipeline",
            "cuda::barrier",
            "cuda::pipeline_shared_state",
            "cuda::memory_order",
            "cuda::thread_scope",
            "cooperative_groups::thread_group",
        )
    },
    **{
        name: state
        for state, names in {
            "curandStateXORWOW": "curandState curandState_t curandStateXORWOW_t hiprandState hiprandState_t",
            "curandStatePhilox4_32_10": "curandStatePhilox4_32_10_t hiprandStatePhilox4_32_10_t",
            "curandStateMRG32k3a": "curandStateMRG32k3a_t hiprandStateMRG32k3a_t",
            "curandStateMtgp32": "curandStateMtgp32_t",
            "curandStateSobol32": "curandStateSobol32_t",
            "curandStateSobol64": "curandStateSobol64_t",
            "curandStateScrambledSobol32": "curandStateScrambledSobol32_t",
            "curandStateScrambledSobol64": "curandStateScrambledSobol64_t",
        }.items()
        for name in (state, *names.split())
    },
}
"""Every spelling to the canonical one."""

HANDLE_TEMPLATES: Final = frozenset(
    [
        "texture",
        "surface",
        "cuda::atomic",
        "cuda::atomic_ref",
        "cuda::barrier",
        "cuda::pipeline",
        "cuda::pipeline_shared_state",
        "cuda::counting_semaphore",
        "cuda::binary_semaphore",
        "cuda::latch",
        "cooperative_groups::plus",
        "cooperative_groups::less",
        "cooperative_groups::greater",
        "cooperative_groups::bit_and",
        "cooperative_groups::bit_or",
        "cooperative_groups::bit_xor",
        "std::plus",
        "std::minus",
        "std::multiplies",
        "std::less",
        "std::greater",
        "std::bit_and",
        "std::bit_or",
        "std::bit_xor",
        "std::maximum",
        "std::minimum",
        "std::equal_to",
        "std::not_equal_to",
        "std::less_equal",
        "std::greater_equal",
        "cub::Sum",
        "cub::Max",
        "cub::Min",
        "cub::ArgMax",
        "cub::ArgMin",
        "cub::Equality",
        "cub::Inequality",
        "cub::BlockReduce",
        "cub::BlockScan",
        "cub::BlockLoad",
        "cub::BlockStore",
        "cub::BlockExchange",
        "cub::BlockRadixSort",
        "cub::BlockMergeSort",
        "cub::BlockHistogram",
        "cub::BlockDiscontinuity",
        "cub::BlockAdjacentDifference",
        "cub::BlockShuffle",
        "cub::BlockRunLengthDecode",
        "cub::BlockRadixRank",
        "cub::WarpReduce",
        "cub::WarpScan",
        "cub::WarpLoad",
        "cub::WarpStore",
        "cub::WarpExchange",
        "cub::WarpMergeSort",
        "cub::GridBarrier",
        "cub::CacheModifiedInputIterator",
        "std::numeric_limits",
    ]
)
"""Class templates whose objects show no members."""

STRUCT_TEMPLATES: Final = frozenset(["std::pair", "std::tuple", "std::complex", "nvcuda::wmma::fragment"])
"""Class templates with members: `layouts.builtin_layout` knows them."""

GROUPS: Final[Mapping[str, GroupType]] = {
    "thread_block": GroupType(GroupKind.BLOCK),
    "grid_group": GroupType(GroupKind.GRID),
    "multi_grid_group": GroupType(GroupKind.MULTI_GRID),
    "cluster_group": GroupType(GroupKind.CLUSTER),
    "coalesced_group": GroupType(GroupKind.COALESCED),
}

_NAMESPACES: Final[Mapping[str, str]] = {
    "cg": "cooperative_groups",
    "wmma": "nvcuda::wmma",
    "cuda::std": "std",
    "thrust": "std",
    "hip::std": "std",
    "hipcub": "cub",
    "cooperative_groups::experimental": "cooperative_groups",
    "cuda::experimental": "cuda",
    "cuda::device": "cuda",
    "nvcuda::wmma::experimental": "nvcuda::wmma",
}


def canonical(name: str) -> tuple[str, str]:
    """Namespace and last component, aliases of a namespace resolved."""
    name = name.removeprefix("::")
    space, _, last = name.rpartition("::")
    return _NAMESPACES.get(space, space), last


def builtin_type(name: str, template_arguments: tuple[_TemplateArgument, ...] = ()) -> Type | None:
    """The CUDA type of that name, qualified or not; None where no header of CUDA declares it."""
    if " " in name:
        return _several_words(name)
    simple = NAMED.get(name) or VECTORS.get(name) or _WORDS.get(name)
    if simple is not None:
        return simple
    if "<" in name:
        return _spelled_template(name)
    space, last = canonical(name)
    if space in ("std", ""):
        simple = NAMED.get(last) or (VECTORS.get(last) if not space else None)
        if simple is not None:
            return simple
    if space in ("cooperative_groups", ""):
        group = _group(last, template_arguments)
        if group is not None:
            return group
    if last == "array" and space == "std" and len(template_arguments) == 2:
        element, length = template_arguments
        if not isinstance(element, int | None):
            return ArrayType(element, length if isinstance(length, int) else None)
    return _object(space, last, template_arguments)


def nested_type(type: Type, name: str) -> Type | None:
    """A type declared inside a CUDA class: `cub::BlockReduce<float, 256>::TempStorage`, `complex<T>::value_type`."""
    if isinstance(type, HandleType | StructType):
        if name in ("value_type", "element_type", "storage_element_type", "difference_type"):
            return element_of_handle(type)
        if name in ("TempStorage", "arrival_token", "WarpReduce", "storage_type"):
            return HandleType(f"{type.name}::{name}")
    if isinstance(type, ArrayType) and name == "value_type":
        return type.element
    return None


def element_of_handle(type: HandleType | StructType) -> Type | None:
    """The first type among a template's arguments: what a `texture<float4>` or `cuda::atomic<int>` holds."""
    match = _FIRST_ARGUMENT.search(type.name)
    if match is None:
        return None
    return next((found for word in _arguments(match[1]) if (found := spelled_type(word)) is not None), None)


def _object(space: str, last: str, template_arguments: tuple[_TemplateArgument, ...]) -> Type | None:
    qualified = f"{space}::{last}" if space else last
    handle = HANDLES.get(qualified)
    if handle is not None and not template_arguments:
        return HandleType(handle)
    for candidate in (qualified,) if space else (last, f"nvcuda::wmma::{last}", f"cooperative_groups::{last}"):
        if candidate in HANDLE_TEMPLATES:
            return HandleType(_with_arguments(candidate, template_arguments))
        if candidate in STRUCT_TEMPLATES:
            return StructType(_with_arguments(candidate, template_arguments))
        if candidate in HANDLES:
            return HandleType(HANDLES[candidate])
    if space == "nvcuda::wmma" and last in _FRAGMENT_WORDS:
        return HandleType(last)
    return None


_FRAGMENT_WORDS: Final = frozenset(("matrix_a", "matrix_b", "accumulator", "row_major", "col_major"))


def _group(last: str, template_arguments: tuple[_TemplateArgument, ...]) -> GroupType | None:
    if last == "thread_block_tile":
        size = template_arguments[0] if template_arguments else None
        return GroupType(GroupKind.TILE, size if isinstance(size, int) else None)
    return GROUPS.get(last)


def _several_words(name: str) -> Type | None:
    """`unsigned long long int`, in any order; qualifiers do not matter."""
    words = [word for word in name.split() if word not in _QUALIFIERS]
    if len(words) == 1:
        return builtin_type(words[0])
    if not words or not _SPECIFIERS.issuperset(words):
        return None
    if "double" in words:
        return F64
    if "char" in words:
        bits = 8
    elif "short" in words:
        bits = 16
    elif "__int128" in words:
        bits = 128
    else:
        bits = 64 if "long" in words else 32
    return IntegerType(bits, signed="unsigned" not in words)


_QUALIFIERS: Final = frozenset(
    ["const", "volatile", "struct", "class", "typename", "register", "static", "constexpr", "enum"]
)
_SPECIFIERS: Final = frozenset(["unsigned", "signed", "long", "short", "int", "char", "double", "__int128"])
_WORDS: Final[Mapping[str, Type]] = {
    "int": S32,
    "unsigned": U32,
    "signed": S32,
    "short": S16,
    "long": S64,
}


# -- the spelling of types inside names ------------------------------------------------------------------------------

_SCALARS: Final[Mapping[str, Type]] = {
    "void": VOID,
    "bool": BOOLEAN,
    "f16": F16,
    "bf16": BF16,
    "f32": F32,
    "f64": F64,
    **{f"{sign}{bits}": IntegerType(bits, signed=sign == "s") for sign in "su" for bits in (8, 16, 32, 64, 128)},
}
_VECTOR: Final = re.compile(r"(\w+)x([1-4])@(\d+)$")
_FIRST_ARGUMENT: Final = re.compile(r"<(.*)>")


def spelling(type: Type) -> str:
    """A type as part of a name: `u32`, `f32x4@16`."""
    match type:
        case VoidType():
            return "void"
        case BooleanType():
            return "bool"
        case IntegerType(bits=bits, signed=signed):
            return f"{'s' if signed else 'u'}{bits}"
        case FloatType(format=format):
            return format.value
        case VectorType(element=element, length=length, alignment=alignment):
            return f"{spelling(element)}x{length}@{alignment}"
        case PointerType(element=element):
            return f"{spelling(element)}*"
        case ArrayType(element=element, length=length):
            return f"{spelling(element)}[{'' if length is None else length}]"
        case GroupType(kind=kind):
            return kind.value
        case StructType(name=name) | HandleType(name=name) | TemplateType(name=name):
            return name
        case UnknownType(spelling=text):
            return text


def spelled_type(text: str) -> Type | None:
    """The type that `spelling` wrote, for scalars and vectors; a plain name is a template's parameter."""
    scalar = _SCALARS.get(text)
    if scalar is not None:
        return scalar
    match = _VECTOR.match(text)
    if match is None:
        return None
    element = _SCALARS.get(match[1])
    return None if element is None else VectorType(element, int(match[2]), int(match[3]))


def _with_arguments(name: str, arguments: tuple[_TemplateArgument, ...]) -> str:
    if not arguments:
        return name
    words = (
        "?" if argument is None else str(argument) if isinstance(argument, int) else spelling(argument)
        for argument in arguments
    )
    return f"{name}<{','.join(words)}>"


def _spelled_template(name: str) -> Type | None:
    """A type whose template arguments are part of the name: `cub::BlockReduce<float, 256>::TempStorage`."""
    match = _SPELLED.match(name)
    if match is None:
        return None
    arguments = tuple(_argument(word) for word in _arguments(match[2]))
    type = builtin_type(match[1], arguments)
    return nested_type(type, match[3]) if type is not None and match[3] else type


_SPELLED: Final = re.compile(r"([\w:]+)\s*<(.*)>(?:\s*::\s*(\w+))?$", re.DOTALL)


def _argument(word: str) -> _TemplateArgument:
    if word.isdigit():
        return int(word)
    return spelled_type(word) or builtin_type(word) or UnknownType(word)


def _arguments(text: str) -> list[str]:
    """The words between a template's brackets, split at the commas of the outermost level."""
    words: list[str] = []
    depth = start = 0
    for index, character in enumerate(text):
        depth += (character == "<") - (character == ">")
        if character == "," and depth == 0:
            words.append(text[start:index].strip())
            start = index + 1
    words.append(text[start:].strip())
    return words
