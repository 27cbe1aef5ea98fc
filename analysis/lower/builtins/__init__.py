"""Everything that CUDA declares and a device function may use, from tables.

`builtin_type`, `nested_type`                       types by name, types inside them
`builtin_layout`, `static_member`                   members of the struct-like ones, their static constants
`builtin_variable`                                  `threadIdx`, `warpSize`, `INT_MAX`
`builtin_function`, `builtin_method`                what a call means
`builtin_operator`                                  `a + b` where CUDA's headers overload it
`builtin_constructor`                               `type(arguments)` for CUDA's class types
`lower_assembly`                                    `asm("...")`

Names    Qualified (`cooperative_groups::sync`, `cg::sync`, `std::max`) or the last component alone; the caller looks
         for the program's own names first.  `std::numeric_limits<T>::max()` is the function
         `std::numeric_limits::max` with template argument `T`.
"""

from __future__ import annotations

from analysis.lower.builtins.assembly import lower_assembly
from analysis.lower.builtins.assembly.call import AssemblyCall, AssemblyInput, AssemblyOperand
from analysis.lower.builtins.call import BuiltinCall, Literal, TemplateArgumentValue, no_literal
from analysis.lower.builtins.constructors import builtin_constructor
from analysis.lower.builtins.core import BuiltinFunction, BuiltinMethod
from analysis.lower.builtins.layouts import builtin_layout, static_member
from analysis.lower.builtins.operators import builtin_operator
from analysis.lower.builtins.registry import builtin_function, builtin_method
from analysis.lower.builtins.types import builtin_type, is_known_by_address, nested_type
from analysis.lower.builtins.variables import BuiltinVariable, builtin_variable

__all__ = [
    "AssemblyCall",
    "AssemblyInput",
    "AssemblyOperand",
    "BuiltinCall",
    "BuiltinFunction",
    "BuiltinMethod",
    "BuiltinVariable",
    "Literal",
    "TemplateArgumentValue",
    "builtin_constructor",
    "builtin_function",
    "builtin_layout",
    "builtin_method",
    "builtin_operator",
    "builtin_type",
    "builtin_variable",
    "is_known_by_address",
    "lower_assembly",
    "nested_type",
    "no_literal",
    "static_member",
]
