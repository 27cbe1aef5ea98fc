"""Of which functions of a file that others include are all callers known?

Rules    The files that include it say how their kernels call its functions (`calls.py`); its own kernels are roots that
         inline them.  A function is known if all these calls were followed.  What only a device function calls that
         nobody calls is not called, and stays as it is without callers.
         Two definitions with one declaration cannot be told apart from outside: neither is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from analysis.facts.calls import Calls, FollowedCalls, KnownCallers, key_of
from analysis.facts.roots import RootAnalysis
from analysis.ir.ids import FunctionId
from analysis.lower.program import DeviceFunction
from analysis.syntax.translation_unit import TranslationUnit

_FROM_INSIDE: Final = Calls(None)


def called_functions(
    unit: TranslationUnit, functions: Sequence[DeviceFunction], kernels: Iterable[RootAnalysis], callers: KnownCallers
) -> Mapping[FunctionId, Calls]:
    """Those functions, each with the calls from other files; without a context where only kernels of its file call."""
    own = FollowedCalls(unit, kernels, is_own=True)
    keys = {function.id: key_of(function.item) for function in functions}
    counts = Counter(keys.values())
    found: dict[FunctionId, Calls] = {}
    for function in functions:
        key = keys[function.id]
        outside = callers.calls.get(key)
        if counts[key] > 1 or own.is_open(function.item):
            continue
        if outside is not None and outside.context is not None:
            found[function.id] = outside
        elif outside is None and own.is_called(key):
            found[function.id] = _FROM_INSIDE
    return found
