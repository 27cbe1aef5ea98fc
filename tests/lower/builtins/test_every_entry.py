"""Every row of every table lowers as it is declared: no opaque, well-formed IR, the declared result type."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from analysis.ir.types import (
    F32,
    S32,
    U32,
    VOID,
    GroupKind,
    HandleType,
    MemorySpace,
    PointerType,
    StructType,
    TemplateType,
    Type,
    UnknownType,
)
from analysis.ir.verifier import verify
from analysis.lower.builtins import (
    collectives,
    complex,
    control,
    memory_barriers,
    native_barriers,
    objects,
    pipelines,
    standard,
)
from analysis.lower.builtins.core import BuiltinFunction, Table
from analysis.lower.builtins.groups import tables as groups
from analysis.lower.builtins.registry import GLOBAL_TABLES, NAMESPACE_TABLES
from analysis.lower.builtins.signatures import Generic, Passing, Signature, Slot, signatures_of
from tests.lower.builtins.calls import Argument, argument, lower_call, type_named

GENERICS: dict[Generic, Type] = {
    Generic.ARITHMETIC: F32,
    Generic.FLOATING: F32,
    Generic.INTEGRAL: S32,
    Generic.VALUE: F32,
    Generic.PROMOTED: F32,
    Generic.OTHER_VALUE: S32,
    Generic.ELEMENT: S32,
    Generic.POINTER: PointerType(F32, MemorySpace.GLOBAL),
    Generic.ANY: F32,
    Generic.HANDLE: HandleType("cudaTextureObject_t"),
    Generic.GROUP: type_named("tile32"),
    Generic.MASK: U32,
    Generic.FUNCTION: HandleType("cooperative_groups::plus<f32>"),
}
"""What stands in for a type that the call decides."""

_PLUS, _BLOCK, _COMPLEX = "cooperative_groups::plus<f32>", "block", "std::complex<f32>"
_ITEMS = "std::array<f32,4>"

ARGUMENTS: dict[str, str] = {
    "memcpy": "f32*, f32*, u64=16",
    "memmove": "f32*, f32*, u64=16",
    "memset": "f32*, s32=0, u64=16",
    "cudaMalloc": "f32**, u64",
    "cudaStreamCreateWithFlags": "f32**, u32",
    "cudaEventCreateWithFlags": "f32**, u32",
    "memcpy_async": f"{_BLOCK}, f32*, f32*, u64",
    "memcpy_async_tx": "f32*, f32*, u64, cuda::barrier<2>&",
    "init": "cuda::barrier*, s32",
    "barrier_expect_tx": "cuda::barrier<2>&, u32",
    "barrier_arrive_tx": "cuda::barrier<2>&, u32, u32",
    "barrier_native_handle": "cuda::barrier<2>&",
    **{name: "f32, u64*, u32" for name in native_barriers.PTX_TABLE if name != "mbarrier_inval"},
    "reduce": f"tile32, f32, {_PLUS}",
    "inclusive_scan": f"tile32, f32, {_PLUS}",
    "exclusive_scan": f"tile32, f32, {_PLUS}",
    "make_pipeline": f"{_BLOCK}, cuda::pipeline_shared_state<2,2>*",
    "pipeline_consumer_wait_prior": "cuda::pipeline<thread>",
    "pipeline_producer_commit": "cuda::pipeline<thread>, f32",
    "get": f"{_COMPLEX}",
    "real": _COMPLEX,
    "imag": _COMPLEX,
    "conj": _COMPLEX,
    "norm": _COMPLEX,
    "arg": _COMPLEX,
    **{f"operator{symbol}": f"{_COMPLEX}, {_COMPLEX}" for symbol in ("+", "-", "*", "/", "==", "!=")},
    **{f"operator{symbol}=": f"{_COMPLEX}&, {_COMPLEX}" for symbol in ("+", "-", "*", "/")},
    **{f"operator{symbol}": "half2, half2" for symbol in ("<", "<=", ">", ">=")},
    "load_matrix_sync": "fragment_a&, f16*, u32",
    "store_matrix_sync": "f32*, fragment_c&, u32",
    "fill_fragment": "fragment_c&, f32",
    "mma_sync": "fragment_c&, fragment_a&, fragment_b&, fragment_c&",
    "bmma_sync": "fragment_c&, fragment_a&, fragment_b&, fragment_c&",
}
"""Arguments for rows whose `any` has to be something in particular."""

OPAQUE_BY_NATURE = {
    *control.RUNTIME,
    "invoke_one",
    "invoke_one_broadcast",
    "ref",
    "cref",
}
"""They run code that is not visible here, or give objects that name others."""


def rows() -> Iterator[tuple[str, str, Table]]:
    for family, table in {**GLOBAL_TABLES, **NAMESPACE_TABLES}.items():
        for name in table:
            yield family, name, table


def stand_in(slot: Slot) -> Argument:
    type = GENERICS[slot.type] if isinstance(slot.type, Generic) else slot.type
    if slot.passing is Passing.POINTER:
        return Argument(PointerType(type, MemorySpace.GLOBAL))
    return Argument(type, slot.passing is Passing.REFERENCE)


def arguments_for(name: str, signature: Signature) -> list[Argument]:
    if name in ARGUMENTS:
        return [argument(word) for word in ARGUMENTS[name].split(", ")]
    return [stand_in(slot) for slot in signature.parameters]


@pytest.mark.parametrize(("family", "name", "table"), [pytest.param(*row, id=f"{row[0]}-{row[1]}") for row in rows()])
def test_a_function_lowers_as_declared(family: str, name: str, table: Table) -> None:
    for signature in signatures_of(table[name][1]):
        lower_and_check(BuiltinFunction(name, *table[name]), name, signature)


def lower_and_check(function: BuiltinFunction, name: str, signature: Signature) -> None:
    explicit = (F32,) if signature.result.type is Generic.REQUESTED else (0,) if name == "get" else ()
    found = lower_call(function, arguments_for(name, signature), explicit)
    assert (found.opaque == []) is (name not in OPAQUE_BY_NATURE)
    assert verify(found.function) == ()
    declared = signature.result.fixed
    if declared is not None:
        assert found.result == (None if declared == VOID else declared)


GROUP_NAMES = {
    None: "any_group",
    GroupKind.BLOCK: "block",
    GroupKind.GRID: "grid",
    GroupKind.MULTI_GRID: "multi_grid",
    GroupKind.CLUSTER: "cluster",
    GroupKind.TILE: "tile16",
    GroupKind.COALESCED: "coalesced",
}

RECEIVERS: dict[str, Table] = {
    **{GROUP_NAMES[kind]: table for kind, table in groups.METHODS.items()},
    **{f"cub::{name}<f32,32,4,16>": table for name, table in collectives.METHODS.items()},
    "cuda::atomic<s32>&": objects.ATOMIC_METHODS,
    "cuda::atomic_ref<f32>&": objects.ATOMIC_METHODS,
    "cuda::barrier<1>&": memory_barriers.BARRIER_METHODS,
    "cuda::latch<2>&": memory_barriers.LATCH_METHODS,
    "cuda::pipeline<thread>": pipelines.METHODS,
    _COMPLEX: complex.METHODS,
    "cub::Max": standard.FUNCTOR_METHODS,
}

METHOD_ARGUMENTS: dict[str, str] = {
    "Load": f"f32*, {_ITEMS}&",
    "Store": f"f32*, {_ITEMS}&",
    **dict.fromkeys(
        ("StripedToBlocked", "BlockedToStriped", "WarpStripedToBlocked", "BlockedToWarpStriped"), f"{_ITEMS}&"
    ),
    **dict.fromkeys(("ScatterToBlocked", "ScatterToStriped"), f"{_ITEMS}&, {_ITEMS}&"),
    **dict.fromkeys(collectives.METHODS["BlockRadixSort"], f"{_ITEMS}&"),
    "InitHistogram": f"{_ITEMS}&",
    **dict.fromkeys(("Composite", "Histogram"), f"{_ITEMS}&, {_ITEMS}&"),
    "match_all": "f32, bool&",
    "compare_exchange_strong": "s32&, s32",
    "compare_exchange_weak": "s32&, s32",
}

OPAQUE_METHODS = (
    {("any_group", name) for name in groups.METHODS[None] if name in ("sync", "wait", "barrier_wait")}
    | {("any_group", name) for name in ("thread_rank", "size", "num_threads", "group_size")}
    | {("cub::BlockMergeSort<f32,32,4,16>", "Sort")}
)
"""`thread_group` may be any group; a comparison sort needs a function that only a file can give."""


@pytest.mark.parametrize(
    ("receiver", "name"), [(receiver, name) for receiver, table in RECEIVERS.items() for name in table]
)
def test_a_method_lowers_as_declared(receiver: str, name: str) -> None:
    entry = RECEIVERS[receiver][name]
    for signature in signatures_of(entry[1]):
        arguments = [stand_in(slot) for slot in signature.parameters]
        if name in METHOD_ARGUMENTS:
            arguments = [argument(word) for word in METHOD_ARGUMENTS[name].split(", ")]
        found = lower_call(BuiltinFunction(name, *entry), arguments, (), argument(receiver))
        assert (found.opaque == []) is ((receiver, name) not in OPAQUE_METHODS)
        assert verify(found.function) == ()
        declared = signature.result.fixed
        if declared is not None:
            assert found.result == (None if declared == VOID else declared)


@pytest.mark.parametrize(("family", "name", "table"), [pytest.param(*row, id=f"{row[0]}-{row[1]}") for row in rows()])
def test_too_many_arguments_are_opaque(family: str, name: str, table: Table) -> None:
    """Nine arguments fit nothing but a variadic function; nobody raises."""
    found = lower_call(BuiltinFunction(name, *table[name]), [Argument(F32)] * 9)
    is_variadic = any(signature.is_variadic for signature in signatures_of(table[name][1]))
    assert is_variadic or found.opaque == [name]
    assert verify(found.function) == ()


@pytest.mark.parametrize(("family", "name", "table"), [pytest.param(*row, id=f"{row[0]}-{row[1]}") for row in rows()])
def test_senseless_arguments_do_not_raise(family: str, name: str, table: Table) -> None:
    struct, handle = StructType("S"), HandleType("cudaStream_t")
    for type in (struct, handle, UnknownType("T"), TemplateType("T"), PointerType(struct, MemorySpace.SHARED)):
        for signature in signatures_of(table[name][1]):
            for count in {signature.required, len(signature.parameters)}:
                for is_lvalue in (False, True):
                    lower_call(BuiltinFunction(name, *table[name]), [Argument(type, is_lvalue)] * count)
