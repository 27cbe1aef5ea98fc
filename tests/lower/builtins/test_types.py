"""Types, variables and constants by name."""

from __future__ import annotations

import pytest

from analysis.ir.function import FunctionKind
from analysis.ir.ids import FunctionId
from analysis.ir.printer import print_function
from analysis.ir.types import (
    BF16,
    F16,
    F32,
    F64,
    S8,
    S32,
    S64,
    U8,
    U32,
    U64,
    VOID,
    ArrayType,
    GroupKind,
    GroupType,
    HandleType,
    StructType,
    TemplateType,
    Type,
    VectorType,
)
from analysis.lower.builder import FunctionBuilder
from analysis.lower.builtins import (
    builtin_constructor,
    builtin_function,
    builtin_layout,
    builtin_type,
    builtin_variable,
    nested_type,
    static_member,
)
from tests.lower.builtins.calls import SPAN, Argument, lower_call


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("unsigned long long int", U64),
        ("long unsigned", U64),
        ("const unsigned", U32),
        ("signed char", S8),
        ("long double", F64),
        ("uchar", U8),
        ("size_t", U64),
        ("std::int64_t", S64),
        ("clock_t", S64),
        ("__half", F16),
        ("__nv_bfloat16", BF16),
        ("float3", VectorType(F32, 3, 4)),
        ("double2", VectorType(F64, 2, 16)),
        ("long4", VectorType(S64, 4, 16)),
        ("dim3", VectorType(U32, 3, 4)),
        ("half2", VectorType(F16, 2, 4)),
        ("cuDoubleComplex", VectorType(F64, 2, 16)),
        ("cudaTextureObject_t", HandleType("cudaTextureObject_t")),
        ("curandState_t", HandleType("curandStateXORWOW")),
        ("cg::thread_block", GroupType(GroupKind.BLOCK)),
        ("cooperative_groups::coalesced_group", GroupType(GroupKind.COALESCED)),
        ("cub::BlockReduce<float, 256>", HandleType("cub::BlockReduce<f32,256>")),
        ("cub::BlockReduce<float, 256>::TempStorage", HandleType("cub::BlockReduce<f32,256>::TempStorage")),
        ("cuda::std::complex<double>", StructType("std::complex<f64>")),
        ("thrust::complex<float>", StructType("std::complex<f32>")),
        ("my_type", None),
        ("mylib::float4", None),
    ],
)
def test_types_by_name(name: str, type: Type | None) -> None:
    assert builtin_type(name, ()) == type


def test_template_arguments_become_part_of_the_type() -> None:
    assert builtin_type("cooperative_groups::thread_block_tile", (16,)) == GroupType(GroupKind.TILE, 16)
    assert builtin_type("cg::thread_block_tile", (None,)) == GroupType(GroupKind.TILE)
    assert builtin_type("cuda::atomic_ref", (U32,)) == HandleType("cuda::atomic_ref<u32>")
    assert builtin_type("std::array", (F32, 4)) == ArrayType(F32, 4)
    assert builtin_type("texture", (VectorType(F32, 4, 16), 2)) == HandleType("texture<f32x4@16,2>")


def test_types_inside_types() -> None:
    scan = HandleType("cub::BlockScan<s32,128>")
    assert nested_type(scan, "TempStorage") == HandleType("cub::BlockScan<s32,128>::TempStorage")
    assert nested_type(StructType("std::complex<f32>"), "value_type") == F32
    assert nested_type(S32, "value_type") is None


def test_struct_like_templates_have_members() -> None:
    pair = builtin_layout(StructType("std::pair<u8,f64>"))
    assert pair is not None
    assert [(field.name, field.type, field.offset) for field in pair.fields] == [("first", U8, 0), ("second", F64, 8)]
    complex = builtin_layout(StructType("std::complex<f32>"))
    assert complex is not None
    assert (complex.size, complex.alignment) == (8, 8)
    assert builtin_layout(StructType("std::pair<Mine,f64>")) is None
    assert builtin_layout(F32) is None


def test_a_fragment_holds_each_lanes_share() -> None:
    fragment = StructType("nvcuda::wmma::fragment<accumulator,16,16,16,f32>")
    layout = builtin_layout(fragment)
    assert layout is not None
    assert layout.fields[0].type == ArrayType(F32, 8)
    assert static_member(fragment, "num_elements") == 8
    assert static_member(StructType("std::pair<u8,u8>"), "num_elements") is None


def test_objects_are_made_by_naming_their_type() -> None:
    pair = builtin_constructor(StructType("std::pair<u8,f64>"))
    assert pair is not None
    assert lower_call(pair, [Argument(S32), Argument(S32)]).lines[2:-1] == [
        "%2: u8 = convert %0",
        "%3: f64 = convert %1",
        '%4: struct "std::pair<u8,f64>" = build %2, %3',
    ]
    reference = builtin_constructor(HandleType("cuda::atomic_ref<s32>"))
    assert reference is not None
    made = lower_call(reference, [Argument(S32, is_lvalue=True)]).lines
    assert made[-2] == '%2: handle "cuda::atomic_ref<s32>" = bitcast %0'
    assert builtin_constructor(F32) is None


def test_limits_take_their_type_from_the_name_too() -> None:
    for name, type in (
        ("std::numeric_limits<unsigned char>::max", U8),
        ("std::numeric_limits<f32>::lowest", F32),
        ("cuda::std::numeric_limits<double>::epsilon", F64),
    ):
        function = builtin_function(name)
        assert function is not None
        assert lower_call(function, []).result == type
    dependent = builtin_function("std::numeric_limits::max")
    assert dependent is not None
    assert lower_call(dependent, [], (TemplateType("T"),)).lines == ["%0: template T = const ?", "return"]


@pytest.mark.parametrize(
    "name",
    [
        "mylib::min",
        "swap",
        "get",
        "load_matrix_sync",
        "rotl",
        "f<",
        "",
        "::",
    ],
)
def test_names_that_mean_nothing_without_their_namespace(name: str) -> None:
    assert builtin_function(name) is None


def test_group_functions_are_found_by_their_argument() -> None:
    group, number = Argument(GroupType(GroupKind.BLOCK)), Argument(F32)
    function = builtin_function("sync")
    assert function is not None
    assert lower_call(function, [group]).lines[1:] == ["barrier", "return"]
    assert lower_call(function, [number]).lines[1] == 'opaque barrier "sync" %0'


# -- variables and constants ----------------------------------------------------------------------------------------


def lines_of(name: str, member: str | None = None) -> list[str]:
    builder = FunctionBuilder()
    variable = builtin_variable(name)
    assert variable is not None
    value = variable.lower(builder, SPAN) if member is None else variable.member(builder, member, SPAN)
    assert value is not None
    function = builder.finish(FunctionId("f"), "f", FunctionKind.DEVICE, VOID, SPAN)
    lines = [line.strip() for line in print_function(function).splitlines()]
    return lines[lines.index("block0:") + 1 : lines.index("return")]


def test_index_variables() -> None:
    assert lines_of("threadIdx", "x") == ["%0: u32 = special thread.x"]
    assert lines_of("gridDim", "z") == ["%0: u32 = special grid_dim.z"]
    assert lines_of("blockIdx")[-1] == "%3: <3 x u32 align 4> = build %0, %1, %2"
    assert lines_of("hipThreadIdx_y") == ["%0: u32 = special thread.y"]
    assert lines_of("warpSize") == ["%0: s32 = special warp_size"]
    variable = builtin_variable("threadIdx")
    assert variable is not None
    assert variable.member(FunctionBuilder(), "w", SPAN) is None


@pytest.mark.parametrize(
    ("name", "value", "type"),
    [
        ("INT_MAX", 2147483647, S32),
        ("UINT_MAX", 4294967295, U32),
        ("LLONG_MIN", -9223372036854775808, S64),
        ("UINT64_MAX", 18446744073709551615, U64),
        ("FLT_MAX", 3.4028234663852886e38, F32),
        ("DBL_EPSILON", 2.220446049250313e-16, F64),
        ("M_PI", 3.141592653589793, F64),
        ("CUDART_PI_F", 3.141592653589793, F32),
        ("INFINITY", float("inf"), F32),
        ("CUDART_INF", float("inf"), F64),
        ("cuda::memory_order_relaxed", 0, S32),
    ],
)
def test_constants(name: str, value: float, type: Type) -> None:
    variable = builtin_variable(name)
    assert variable is not None
    assert (variable.constant, variable.type) == (value, type)


def test_an_unknown_name_is_no_constant() -> None:
    assert builtin_variable("MY_MAX") is None
    assert builtin_variable("mine::INT_MAX") is None


def test_arguments_by_reference_need_no_load() -> None:
    swap = builtin_function("std::swap")
    assert swap is not None
    assert [swap.takes_address(index, 2) for index in (0, 1)] == [True, True]
    exchange = builtin_function("std::exchange")
    assert exchange is not None
    assert [exchange.takes_address(index, 2) for index in (0, 1)] == [True, False]
