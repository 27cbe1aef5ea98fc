"""`textDocument/documentSymbol`: kernels and device functions, methods below their records.

Both are functions to LSP, whose names for kinds are what editors show; the detail says which is a kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from analysis.ir.pace import paced
from simt_lsp.server.transport.written import Written
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.features.symbols import SymbolNode
    from simt_lsp.server.session.server import SimtServer

KINDS: Final = {
    "kernel": types.SymbolKind.Function,
    "device": types.SymbolKind.Function,
    "scope": types.SymbolKind.Struct,
}

Symbols = list[types.DocumentSymbol] | list[types.SymbolInformation]


async def on_document_symbol(ls: SimtServer, params: types.DocumentSymbolParams) -> Written | None:
    return await ls.ask_written(params.text_document.uri, symbols)


def symbols(view: View) -> Symbols:
    from analysis.features.symbols import document_symbols

    found = document_symbols(view.analysis)
    if view.features.symbol_tree:
        return [_tree(view, node) for node in paced(found, 10)]
    return list(_flat(view, found, None))


def _tree(view: View, node: SymbolNode) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=_name(node),
        kind=KINDS[node.kind.value],
        detail=printable(node.detail),
        range=view.range(node.start, node.end),
        selection_range=view.range(node.name_start, node.name_end),
        children=[_tree(view, child) for child in node.children],
    )


def _flat(view: View, nodes: Iterable[SymbolNode], container: str | None) -> Iterator[types.SymbolInformation]:
    for node in paced(nodes, 10):
        location = types.Location(view.analysed.item.uri, view.range(node.start, node.end))
        yield types.SymbolInformation(
            name=_name(node), kind=KINDS[node.kind.value], location=location, container_name=container
        )
        yield from _flat(view, node.children, _name(node))


def _name(node: SymbolNode) -> str:
    return printable(node.name) or "(anonymous)"  # clients refuse symbols without a name
