"""CUDA's atomic functions, in their block, device and system forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.memory import Atomic
from analysis.ir.operators import AtomicOperator, MemoryScope
from analysis.lower.builtins.core import BoundCall, Lowering, Table

_A = AtomicOperator


def atomic(operator: AtomicOperator, scope: MemoryScope = MemoryScope.DEVICE) -> Lowering:
    """`(address, value)` or `(address, compare, value)`; the result is the old value."""

    def lower(call: BoundCall) -> ValueId:
        result = call.builder.value(call.result)
        call.builder.emit(Atomic(result, operator, call.arguments[0], call.arguments[1:], call.span, scope))
        return result

    return lower


_UPDATE: Final = "E(E*, E)"
_STEMS: Final[Mapping[str, tuple[AtomicOperator, str]]] = {
    "atomicAdd": (_A.ADD, _UPDATE),
    "atomicSub": (_A.SUBTRACT, _UPDATE),
    "atomicExch": (_A.EXCHANGE, _UPDATE),
    "atomicMin": (_A.MINIMUM, _UPDATE),
    "atomicMax": (_A.MAXIMUM, _UPDATE),
    "atomicInc": (_A.INCREMENT, _UPDATE),
    "atomicDec": (_A.DECREMENT, _UPDATE),
    "atomicAnd": (_A.AND, _UPDATE),
    "atomicOr": (_A.OR, _UPDATE),
    "atomicXor": (_A.XOR, _UPDATE),
    "atomicCAS": (_A.COMPARE_AND_SWAP, "E(E*, E, E)"),
}

_SCOPES: Final = {"": MemoryScope.DEVICE, "_block": MemoryScope.BLOCK, "_system": MemoryScope.SYSTEM}

TABLE: Final[Table] = {
    **{
        f"{name}{ending}": (atomic(operator, scope), declared)
        for name, (operator, declared) in _STEMS.items()
        for ending, scope in _SCOPES.items()
    },
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
