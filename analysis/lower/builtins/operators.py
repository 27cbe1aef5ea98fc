"""Operators that CUDA's headers overload: on complex numbers, on pairs of halves, on libcu++ atomics.

A compound assignment is the operator and a store.  Operands of any other class stay opaque.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.types import BF16, F16, HandleType, Type, VectorType
from analysis.lower.builtins import complex, half, objects
from analysis.lower.builtins.core import BoundCall, BuiltinFunction, Lowering, Table, opaque_bound

_PAIRS: Final[Mapping[tuple[str, int], str]] = {
    ("+", 2): "__hadd2",
    ("-", 2): "__hsub2",
    ("*", 2): "__hmul2",
    ("/", 2): "__h2div",
    ("-", 1): "__hneg2",
    ("==", 2): "__hbeq2",
    ("!=", 2): "__hbne2",
    ("<", 2): "__hblt2",
    ("<=", 2): "__hble2",
    (">", 2): "__hbgt2",
    (">=", 2): "__hbge2",
}


def _operator(symbol: str) -> Lowering:
    def lower(call: BoundCall) -> ValueId | None:
        types = tuple(call.builder.type_of(value) for value in call.arguments)
        value = _of_atomic(call, types[0], f"operator{symbol}")
        if value is not None:
            return value
        is_compound = symbol.endswith("=") and symbol not in ("==", "!=", "<=", ">=")
        plain = symbol.removesuffix("=") if is_compound else symbol
        result = _computed(call, plain, types)
        if result is None or (is_compound and not call.call.addresses):
            return opaque_bound(call)
        address = call.call.addresses[0] if is_compound else None
        if is_compound and address is not None:
            call.builder.store(address, result, call.span)
        return result

    return lower


def _computed(call: BoundCall, symbol: str, types: tuple[Type, ...]) -> ValueId | None:
    if any(complex.is_complex(type) for type in types):
        lowering = complex.OPERATORS.get((symbol, len(types)))
        return None if lowering is None else lowering(call)
    first = types[0]
    if isinstance(first, VectorType) and first.length == 2 and first.element in (F16, BF16):
        name = _PAIRS.get((symbol, len(types)))
        return None if name is None else BuiltinFunction(name, *half.TABLE[name]).lower(call.call)
    return None


def _of_atomic(call: BoundCall, type: Type, name: str) -> ValueId | None:
    """`counter += 1` on a `cuda::atomic`: a method of its first operand."""
    table = objects.method_table(type) if isinstance(type, HandleType) else None
    entry = table.get(name) if table is not None else None
    if entry is None:
        return None
    given = call.call
    method = replace(
        given,
        receiver=given.arguments[0],
        receiver_address=given.addresses[0] if given.addresses else None,
        arguments=given.arguments[1:],
        addresses=given.addresses[1:],
    )
    return BuiltinFunction(name, *entry).lower(method)


_BINARY: Final = ("+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "+=", "-=", "*=", "/=")

TABLE: Final[Table] = {
    **{f"operator{symbol}": (_operator(symbol), "any(any, any?)") for symbol in _BINARY},
    "operator++": (_operator("++"), "any(any, any?)"),
    "operator--": (_operator("--"), "any(any, any?)"),
}
