"""Tensor-core matrices: `nvcuda::wmma`.

A fragment is a struct whose `x` holds each lane's share.  Which element lies in which lane is not specified by CUDA;
here lane `l` holds the elements `l * n` to `l * n + n - 1` of the matrix in row-major order.
Rules    All of a warp takes part: each operation is a warp barrier and its loads or stores.  The product is
         `COLLECTIVE`, a value that depends on all lanes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from analysis.ir.arithmetic import Math
from analysis.ir.collectives import WarpBarrier
from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator, MathFunction, SpecialRegister
from analysis.ir.types import U32, ArrayType, PointerType, StructType, Type
from analysis.lower.builtins.barriers import full_mask
from analysis.lower.builtins.core import BoundCall, Table, opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.layouts import declared_in, fragment_shape
from analysis.lower.builtins.memory import same_value
from analysis.lower.builtins.operations import build_aggregate
from analysis.lower.builtins.spelling import template_words

_B = BinaryOperator


class _Fragment(NamedTuple):
    type: StructType
    elements: ArrayType
    columns: int
    is_column_major: bool

    @property
    def share(self) -> int:
        assert self.elements.length is not None  # `layouts` makes fragments of known size only
        return self.elements.length


def _fragment(call: BoundCall, address: ValueId) -> _Fragment | None:
    pointer = call.builder.type_of(address)
    type = pointer.element if isinstance(pointer, PointerType) else None
    if not isinstance(type, StructType):
        return None
    words = template_words(type.name)[1]
    shape = fragment_shape(words)
    layout = declared_in(call.builder, type)
    elements = layout.fields[0].type if layout is not None else None
    if shape is None or not isinstance(elements, ArrayType):
        return None
    is_column_major = len(words) > 5 and words[5].endswith("col_major")
    return _Fragment(type, elements, shape[0] if is_column_major else shape[1], is_column_major)


def _lane_address(call: BoundCall, matrix: ValueId, stride: ValueId, fragment: _Fragment) -> ValueId:
    """Where the lane's share of a matrix in memory begins; a share does not leave its row."""
    emit = Emitter(call.builder, call.span)
    first = emit.with_number(_B.MULTIPLY, emit.special(SpecialRegister.LANE), fragment.share)
    row = emit.with_number(_B.DIVIDE, first, fragment.columns)
    column = emit.with_number(_B.REMAINDER, first, fragment.columns)
    offset = emit.add(emit.multiply(row, emit.convert(stride, U32)), column)
    return call.builder.element_address(matrix, offset, _pointee(call, matrix), call.span)


def _pointee(call: BoundCall, pointer: ValueId) -> Type:
    type = call.builder.type_of(pointer)
    assert isinstance(type, PointerType)  # the signature asks for a pointer
    return type.element


def _meet(call: BoundCall) -> None:
    call.builder.emit(WarpBarrier(full_mask(call.builder, call.warp_size, call.span), call.span))


def _load_matrix(call: BoundCall) -> ValueId | None:
    to, matrix, stride = call.arguments[:3]
    fragment = _fragment(call, to)
    if fragment is None:
        return opaque_bound(call)
    builder, span = call.builder, call.span
    _meet(call)
    start = _lane_address(call, matrix, stride, fragment)
    element = _pointee(call, matrix)
    values: list[ValueId] = []
    for index in range(fragment.share):
        at = builder.element_address(start, builder.constant(index, U32, span), element, span)
        values.append(builder.convert(builder.load(at, element, span), fragment.elements.element, span))
    _store_elements(call, to, fragment, tuple(values))
    return None


def _store_matrix(call: BoundCall) -> ValueId | None:
    matrix, source, stride = call.arguments[:3]
    fragment = _fragment(call, source)
    if fragment is None:
        return opaque_bound(call)
    builder, span = call.builder, call.span
    _meet(call)
    start = _lane_address(call, matrix, stride, fragment)
    element = _pointee(call, matrix)
    share = _elements(call, source, fragment)
    for index in range(fragment.share):
        value = builder.extract(share, index, fragment.elements.element, span)
        at = builder.element_address(start, builder.constant(index, U32, span), element, span)
        builder.store(at, builder.convert(value, element, span), span)
    return None


def _fill(call: BoundCall) -> ValueId | None:
    to, value = call.arguments
    fragment = _fragment(call, to)
    if fragment is None:
        return opaque_bound(call)
    converted = call.builder.convert(value, fragment.elements.element, call.span)
    _store_elements(call, to, fragment, (converted,) * fragment.share)
    return None


def _multiply_add(call: BoundCall) -> ValueId | None:
    """`mma_sync(d, a, b, c)`."""
    fragments = [_fragment(call, address) for address in call.arguments[:4]]
    target = fragments[0]
    if target is None:
        return opaque_bound(call)
    _meet(call)
    operands: list[ValueId] = []
    for address, fragment in zip(call.arguments[1:4], fragments[1:], strict=True):
        if fragment is None:
            return opaque_bound(call)
        operands.append(_elements(call, address, fragment))
    lane = call.builder.special(SpecialRegister.LANE, call.span)
    result = call.builder.value(target.elements)
    call.builder.emit(Math(result, MathFunction.COLLECTIVE, (*operands, lane), call.span))
    call.builder.store(call.builder.field_address(call.arguments[0], 0, target.elements, call.span), result, call.span)
    return None


def _elements(call: BoundCall, address: ValueId, fragment: _Fragment) -> ValueId:
    at = call.builder.field_address(address, 0, fragment.elements, call.span)
    return call.builder.load(at, fragment.elements, call.span)


def _store_elements(call: BoundCall, to: ValueId, fragment: _Fragment, values: tuple[ValueId, ...]) -> None:
    share = build_aggregate(call.builder, values, fragment.elements, call.span)
    call.builder.store(call.builder.field_address(to, 0, fragment.elements, call.span), share, call.span)


TABLE: Final[Table] = {
    "load_matrix_sync": (_load_matrix, "void(any&, P, u32, any?)"),
    "store_matrix_sync": (_store_matrix, "void(P, any&, u32, any?)"),
    "fill_fragment": (_fill, "void(any&, any)"),
    "mma_sync": (_multiply_add, "void(any&, any&, any&, any&, any?)"),
    "__float_to_tf32": (same_value, "f32(f32)"),
    "bmma_sync": (_multiply_add, "void(any&, any&, any&, any&, any?, any?)"),
}
