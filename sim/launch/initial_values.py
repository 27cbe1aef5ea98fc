"""What the file initialises `__constant__` and `__device__` variables with.

Rules    Initialisers of numbers, of arrays and of structs, with braces around members or without (C's brace elision).
Limits   None for a variable whose initialiser holds anything but constant expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.function import Symbol, SymbolKind
from analysis.ir.types import ArrayType, FloatFormat, FloatType, StructType, Type, VectorType
from analysis.lower.constants import evaluate
from analysis.lower.layouts import size_of
from analysis.lower.names import GlobalDeclaration, GlobalVariable, Scope
from analysis.lower.program import Program
from analysis.syntax.tree import Node
from sim.kernel import Kernel
from sim.launch.contents import Structs, fit, number_format

MAX_BYTES: Final = 1 << 24


def initial_values(program: Program, kernel: Kernel) -> Mapping[str, NDArray[Any]]:
    """Contents by name, in the memory format of `Array.data`; only variables with an initialiser that is understood."""
    found: dict[str, NDArray[Any]] = {}
    for function in (kernel.function, *kernel.callees.values()):
        namespaces = [program.declaration_of(frame.function).item.namespace for frame in function.frames]
        for symbol in function.symbols:
            if symbol.kind in (SymbolKind.CONSTANT, SymbolKind.GLOBAL) and symbol.name not in found:
                declaration = _declaration(program, namespaces, symbol)
                values = None if declaration is None else _contents(declaration, symbol, function.structs)
                if values is not None:
                    found[symbol.name] = values
    return found


def _declaration(program: Program, namespaces: list[tuple[str, ...]], symbol: Symbol) -> GlobalDeclaration | None:
    for path in dict.fromkeys(namespaces):
        entity = program.find_in_namespace(path, symbol.name)
        if isinstance(entity, GlobalVariable):
            return entity.declaration
    return None


def _contents(declaration: GlobalDeclaration, symbol: Symbol, structs: Structs) -> NDArray[Any] | None:
    size = size_of(symbol.type, structs)
    if declaration.value is None or size is None or size > MAX_BYTES:
        return None
    octets = np.zeros(size, np.uint8)
    try:
        _Filler(declaration.scope, structs, octets).value(symbol.type, declaration.value, 0)
    except _NotConstantError:
        return None
    return fit(octets, _element(symbol.type))


def _element(type: Type) -> Type:
    while isinstance(type, ArrayType):
        type = type.element
    return type


class _NotConstantError(Exception):
    """Something in the initialiser is not known."""


@final
class _Filler:
    """Writes an initialiser into bytes."""

    def __init__(self, scope: Scope, structs: Structs, octets: NDArray[np.uint8]) -> None:
        self._scope = scope
        self._structs = structs
        self._octets = octets

    def value(self, type: Type, node: Node, offset: int) -> None:
        members = self._members(type)
        if members is None:
            self._number(type, node, offset)
        elif node.kind == "initializer_list":
            self._list(type, [child for child in node.children if child.kind != "comment"], offset)
        else:
            raise _NotConstantError  # a copy, a string, a call of a constructor

    def _list(self, type: Type, nodes: list[Node], offset: int) -> None:
        rest = iter(nodes)
        self._fill(type, rest, next(rest, None), offset)

    def _fill(self, type: Type, rest: Iterator[Node], node: Node | None, offset: int) -> Node | None:
        """Gives members their initialisers; the first node that is left over."""
        for member, at in self._members(type) or ():
            if node is None:
                return None
            if node.kind == "initializer_list" or self._members(member) is None:
                self.value(member, node, offset + at)
                node = next(rest, None)
            else:
                node = self._fill(member, rest, node, offset + at)
        return node

    def _number(self, type: Type, node: Node, offset: int) -> None:
        if node.kind == "initializer_list" and len(node.children) == 1:
            node = node.children[0]
        found, format = evaluate(self._scope, node), number_format(type)
        if found is None or format is None or (isinstance(type, FloatType) and type.format is FloatFormat.BFLOAT16):
            raise _NotConstantError
        number = int(found.value) & ((1 << 8 * format.itemsize) - 1) if format.kind in "iu" else found.value
        octets = np.array([number], np.uint64 if format.kind in "iu" else format).view(np.uint8)
        self._octets[offset : offset + format.itemsize] = octets[: format.itemsize]

    def _members(self, type: Type) -> Iterable[tuple[Type, int]] | None:
        """Types and offsets; None for what is not an aggregate."""
        match type:
            case ArrayType(element=element, length=length) | VectorType(element=element, length=length):
                size = size_of(element, self._structs) or 0
                return ((element, index * size) for index in range(length or 0))
            case StructType(name=name):
                layout = self._structs.get(name)
                if layout is None or layout.is_union or layout.has_bit_fields:
                    raise _NotConstantError
                return [(member.type, member.offset) for member in layout.fields]
            case _:
                return None
