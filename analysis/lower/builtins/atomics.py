"""CUDA's atomic functions, in their block, device and system forms.

Limits   The scope is not kept: an `Atomic` is atomic for everybody.
"""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.memory import Atomic
from analysis.ir.operators import AtomicOperator
from analysis.lower.builtins.core import BoundCall, Lowering, Table

_A = AtomicOperator


def atomic(operator: AtomicOperator) -> Lowering:
    """`(address, value)` or `(address, compare, value)`; the result is the old value."""

    def lower(call: BoundCall) -> ValueId:
        result = call.builder.value(call.result)
        call.builder.emit(Atomic(result, operator, call.arguments[0], call.arguments[1:], call.span))
        return result

    return lower


_UPDATE: Final = "E(E*, E)"
_STEMS: Final[Table] = {
    "atomicAdd": (atomic(_A.ADD), _UPDATE),
    "atomicSub": (atomic(_A.SUBTRACT), _UPDATE),
    "atomicExch": (atomic(_A.EXCHANGE), _UPDATE),
    "atomicMin": (atomic(_A.MINIMUM), _UPDATE),
    "atomicMax": (atomic(_A.MAXIMUM), _UPDATE),
    "atomicInc": (atomic(_A.INCREMENT), _UPDATE),
    "atomicDec": (atomic(_A.DECREMENT), _UPDATE),
    "atomicAnd": (atomic(_A.AND), _UPDATE),
    "atomicOr": (atomic(_A.OR), _UPDATE),
    "atomicXor": (atomic(_A.XOR), _UPDATE),
    "atomicCAS": (atomic(_A.COMPARE_AND_SWAP), "E(E*, E, E)"),
}

TABLE: Final[Table] = {
    **{f"{name}{scope}": entry for name, entry in _STEMS.items() for scope in ("", "_block", "_system")},
    "unsafeAtomicAdd": (atomic(_A.ADD), _UPDATE),
    "safeAtomicAdd": (atomic(_A.ADD), _UPDATE),
    "atomicAddNoRet": (atomic(_A.ADD), _UPDATE),
    "unsafeAtomicMax": (atomic(_A.MAXIMUM), _UPDATE),
    "unsafeAtomicMin": (atomic(_A.MINIMUM), _UPDATE),
    "__sync_fetch_and_add": (atomic(_A.ADD), _UPDATE),
    "__sync_fetch_and_sub": (atomic(_A.SUBTRACT), _UPDATE),
    "__sync_fetch_and_and": (atomic(_A.AND), _UPDATE),
    "__sync_fetch_and_or": (atomic(_A.OR), _UPDATE),
    "__sync_fetch_and_xor": (atomic(_A.XOR), _UPDATE),
    "__sync_val_compare_and_swap": (atomic(_A.COMPARE_AND_SWAP), "E(E*, E, E)"),
    "__sync_lock_test_and_set": (atomic(_A.EXCHANGE), _UPDATE),
}
