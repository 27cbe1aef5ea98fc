"""Everything that CUDA declares and a device function may use, from tables.

`builtin_type`, `nested_type`, `builtin_layout`     types by name, types inside them, members of the struct-like ones
`builtin_variable`                                  `threadIdx`, `warpSize`, `INT_MAX`
`builtin_function`, `builtin_method`                what a call means; constructors are functions of the type's name
`builtin_operator`                                  `a + b` where CUDA overloads it (complex numbers)
`lower_assembly`                                    `asm("...")`

Names    Qualified (`cooperative_groups::sync`, `cg::sync`, `std::max`) or the last component alone; the caller looks
         for the program's own names first.  `std::numeric_limits<T>::max()` is the function
         `std::numeric_limits::max` with template argument `T`.
"""

from __future__ import annotations

from analysis.lower.builtins.call import BuiltinCall, Literal, TemplateArgumentValue
from analysis.lower.builtins.core import BuiltinFunction, BuiltinMethod
from analysis.lower.builtins.registry import builtin_function, builtin_method
from analysis.lower.builtins.types import builtin_type, nested_type
from analysis.lower.builtins.variables import BuiltinVariable, builtin_variable

__all__ = [
    "BuiltinCall",
    "BuiltinFunction",
    "BuiltinMethod",
    "BuiltinVariable",
    "Literal",
    "TemplateArgumentValue",
    "builtin_function",
    "builtin_method",
    "builtin_type",
    "builtin_variable",
    "nested_type",
]
