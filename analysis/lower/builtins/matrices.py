"""Tensor-core matrices: `nvcuda::wmma`.

A fragment is a struct whose `x` holds each lane's share.  Which element lies in which lane is not specified by CUDA;
here lane `l` holds the elements `l * n` to `l * n + n - 1` of the matrix in row-major order.
Rules    All of a warp takes part: each operation is a warp barrier and its loads or stores.  The product is one of the
         `COLLECTIVES`, a value that depends on all lanes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from analysis.ir.collectives import WarpBarrier
from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator, MathFunction, ShareLayout, SpecialRegister
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
    sizes: tuple[int, int, int]
    """m, n, k of the product that it belongs to."""
    rows: int
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
    m, n, k = (int(word) for word in words[1:4])
    return _Fragment(type, elements, (m, n, k), shape[0], shape[1], is_column_major)


def _lane_addresses(call: BoundCall, matrix: ValueId, stride: ValueId, fragment: _Fragment) -> list[ValueId]:
    """Where the elements of the lane's share lie in memory; a share does not leave its row (or column).

    Accumulators have no order of their own: the fourth argument says how the matrix lies in memory.
    """
    emit = Emitter(call.builder, call.span)
    first = emit.with_number(_B.MULTIPLY, emit.special(SpecialRegister.LANE), fragment.share)
    line = fragment.rows if fragment.is_column_major else fragment.columns
    along, across = emit.with_number(_B.REMAINDER, first, line), emit.with_number(_B.DIVIDE, first, line)
    pitch = emit.convert(stride, U32)
    element = _pointee(call, matrix)

    def address(base: ValueId, offset: ValueId) -> ValueId:
        return call.builder.element_address(base, offset, element, call.span)

    is_turned = call.literal(3) == _COLUMN_MAJOR and not fragment.is_column_major
    if is_turned:
        start = address(matrix, emit.add(emit.multiply(along, pitch), across))
        return [address(start, emit.multiply(emit.constant(index), pitch)) for index in range(fragment.share)]
    start = address(matrix, emit.add(emit.multiply(across, pitch), along))
    return [address(start, emit.constant(index)) for index in range(fragment.share)]


_COLUMN_MAJOR: Final = 1
"""`mem_col_major`."""


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
    element = _pointee(call, matrix)
    addresses = _lane_addresses(call, matrix, stride, fragment)
    loaded = [builder.load(address, element, span) for address in addresses]
    values = tuple(builder.convert(value, fragment.elements.element, span) for value in loaded)
    _store_elements(call, to, fragment, values)
    return None


def _store_matrix(call: BoundCall) -> ValueId | None:
    matrix, source, stride = call.arguments[:3]
    fragment = _fragment(call, source)
    if fragment is None:
        return opaque_bound(call)
    builder, span = call.builder, call.span
    _meet(call)
    element = _pointee(call, matrix)
    share = _elements(call, source, fragment)
    for index, address in enumerate(_lane_addresses(call, matrix, stride, fragment)):
        value = builder.extract(share, index, fragment.elements.element, span)
        builder.store(address, builder.convert(value, element, span), span)
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
    operands = _operands(call)
    if operands is None:
        return opaque_bound(call)
    target, first, second, addend = operands
    _meet(call)
    emit = Emitter(call.builder, call.span)
    shares = [_elements(call, at, one) for at, one in zip(call.arguments[1:4], operands[1:], strict=True)]
    shares[2] = _converted(call, shares[2], addend, target)
    layout = ShareLayout(first.is_column_major + 2 * second.is_column_major)
    numbers = (emit.constant(number) for number in (*target.sizes, int(layout)))
    lane = emit.special(SpecialRegister.LANE)
    product = emit.math(MathFunction.MATRIX_PRODUCT, *shares, *numbers, lane, type=target.elements)
    call.builder.store(call.builder.field_address(call.arguments[0], 0, target.elements, call.span), product, call.span)
    return None


def _multiply_bits(call: BoundCall) -> ValueId | None:
    """`bmma_sync(d, a, b, c, operation?, accumulation?)` over single bits, which no type of the IR holds."""
    operands = _operands(call)
    if operands is None:
        return opaque_bound(call)
    _meet(call)
    shares = [_elements(call, at, one) for at, one in zip(call.arguments[1:4], operands[1:], strict=True)]
    lane = call.builder.special(SpecialRegister.LANE, call.span)
    result = call.builder.math(MathFunction.COLLECTIVE, (*shares, lane), operands[0].elements, call.span)
    at = call.builder.field_address(call.arguments[0], 0, operands[0].elements, call.span)
    call.builder.store(at, result, call.span)
    return None


def _operands(call: BoundCall) -> tuple[_Fragment, _Fragment, _Fragment, _Fragment] | None:
    found = [_fragment(call, address) for address in call.arguments[:4]]
    known = [fragment for fragment in found if fragment is not None]
    return (known[0], known[1], known[2], known[3]) if len(known) == 4 else None


def _converted(call: BoundCall, share: ValueId, have: _Fragment, want: _Fragment) -> ValueId:
    """The addend's elements in the type of the result's."""
    if have.elements == want.elements:
        return share
    builder, span = call.builder, call.span
    elements = [builder.extract(share, index, have.elements.element, span) for index in range(have.share)]
    converted = tuple(builder.convert(element, want.elements.element, span) for element in elements)
    return build_aggregate(builder, converted, want.elements, span)


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
    "bmma_sync": (_multiply_bits, "void(any&, any&, any&, any&, any?, any?)"),
}
