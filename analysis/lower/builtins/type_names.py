"""The names of CUDA's types: C's scalars on Linux, vectors with their alignments, handles, groups, class templates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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
    GroupKind,
    GroupType,
    IntegerType,
    MemorySpace,
    PointerType,
    Type,
    VectorType,
)

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
    "cudaGraphConditionalHandle": U64,
    "time_t": S64,
    "size_t": U64,
    "__mbarrier_t": U64,
    "__mbarrier_token_t": U64,
    "ssize_t": S64,
    "ptrdiff_t": S64,
    "intptr_t": S64,
    "uintptr_t": U64,
    "intmax_t": S64,
    "uintmax_t": U64,
    "nullptr_t": PointerType(VOID, MemorySpace.GENERIC),
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
    "std::nullopt_t": "std::nullopt_t",
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
        "std::atomic",
        "std::atomic_ref",
        "std::barrier",
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
        "cooperative_groups::block_tile_memory",
    ]
)
"""Class templates whose objects show no members."""

STRUCT_TEMPLATES: Final = frozenset(
    [
        "std::pair",
        "std::tuple",
        "cub::KeyValuePair",
        "std::complex",
        "nvcuda::wmma::fragment",
        "cudaExtent",
        "cudaPos",
        "cudaPitchedPtr",
    ]
)
"""Classes and class templates with members: `layouts.builtin_layout` knows them."""

GROUPS: Final[Mapping[str, GroupType]] = {
    "thread_block": GroupType(GroupKind.BLOCK),
    "grid_group": GroupType(GroupKind.GRID),
    "multi_grid_group": GroupType(GroupKind.MULTI_GRID),
    "cluster_group": GroupType(GroupKind.CLUSTER),
    "coalesced_group": GroupType(GroupKind.COALESCED),
}
