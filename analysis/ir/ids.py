"""The typed indexes that name things inside a function, each with its printed form."""

from __future__ import annotations

from typing import NewType

ValueId = NewType("ValueId", int)
"""Printed `%7`."""
BasicBlockId = NewType("BasicBlockId", int)
"""Printed `block3`; index into `Function.blocks`."""
SymbolId = NewType("SymbolId", int)
"""Printed `$2`; index into `Function.symbols`."""
SourceBranchId = NewType("SourceBranchId", int)
"""Printed `!4`; index into `Function.branches`."""
FunctionId = NewType("FunctionId", str)
"""Names one device function of a translation unit (overloads differ); printed `@name`."""
