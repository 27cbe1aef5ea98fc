"""How much shared memory the arrays of a kernel take, with those of all that it calls."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView
from analysis.facts.model import FunctionFacts
from analysis.ir.function import FunctionKind, Symbol, SymbolKind
from analysis.ir.instructions import SymbolAddress
from analysis.lower.layouts import size_of
from analysis.syntax.items import Item


def static_shared_bytes(analysis: FileAnalysis, kernels: Sequence[Item]) -> int | None:
    """Of the one kernel of the file that these declare; None where that is not known."""
    places = {kernel.span.start for kernel in kernels if kernel.path == analysis.facts.path and kernel.is_definition}
    found = [facts for facts in analysis.facts.functions if facts.start in places]
    return shared_bytes(analysis, found[0]) if len(found) == 1 == len(places) else None


def shared_bytes(analysis: FileAnalysis, function: FunctionFacts) -> int | None:
    """Of a kernel as it is for all arguments of its template; the arrays that it never uses do not count."""
    return analysis.remembered(function, shared_bytes, lambda: _shared_bytes(analysis.views(function)))


def shared_arrays(view: FrameView) -> list[tuple[Symbol, int | None]]:
    """The arrays that a kernel uses, with their bytes."""
    function = view.root.function
    if all(symbol.kind is not SymbolKind.SHARED for symbol in function.symbols):
        return []
    used = {one.symbol for block in function.blocks for one in block.instructions if type(one) is SymbolAddress}
    return [
        (function.symbol(number), size_of(function.symbol(number).type, function.structs))
        for number in sorted(used)
        if function.symbol(number).kind is SymbolKind.SHARED
    ]


def _shared_bytes(views: Sequence[FrameView]) -> int | None:
    sizes = {_shared_of(view) for view in views if view.root.function.kind is FunctionKind.KERNEL and view.frame == 0}
    return sizes.pop() if len(sizes) == 1 else None


def _shared_of(view: FrameView) -> int | None:
    sizes = [size for _, size in shared_arrays(view)]
    return None if any(size is None for size in sizes) else sum(size for size in sizes if size is not None)
