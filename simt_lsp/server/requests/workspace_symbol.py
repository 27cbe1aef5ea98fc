"""`workspace/symbol`: the kernels and device functions of the project by name, each with its file.

Rules    Names are those that the index of each root has seen; without an index, those of open documents.
         A query matches anywhere in a name, whatever the case of its letters; clients sort and filter further.
         Kernels come first.
Limits   At most `MAX_SYMBOLS` are answered.  Functions whose heads macros write are not seen.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from analysis.syntax.line_index import LineIndex
from simt_lsp.server.analyses.worker import GaveWay
from simt_lsp.server.views.view import client_position, printable

if TYPE_CHECKING:
    from analysis.project.skim import Skim
    from simt_lsp.server.session.server import SimtServer

MAX_SYMBOLS: Final = 512


async def on_workspace_symbol(ls: SimtServer, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    query = params.query.lower()

    def work(cancelled: Callable[[], bool]) -> list[types.SymbolInformation]:
        found: list[types.SymbolInformation] = []
        skims = dict(_skims(ls))
        kernels = [(path, one.kernels) for path, one in skims.items()]
        for path, places in [*kernels, *((path, one.functions) for path, one in skims.items())]:
            named = [(name, offset) for name, offset in places if query in name.lower()]
            if cancelled():
                raise GaveWay
            if named and len(found) < MAX_SYMBOLS:
                found += _symbols(ls, path, named)
        return found[:MAX_SYMBOLS]

    return await asyncio.wrap_future(ls.worker.run_in_background(work))


def _skims(ls: SimtServer) -> Iterator[tuple[str, Skim]]:
    """By file: the text of an open document counts before what the index has seen."""
    from analysis.project.skim import skim

    opened = [item for item in ls.documents.current.values() if item.analysed]
    known = {item.analysis_path for item in opened}
    for item in opened:
        yield item.analysis_path, skim(item.document.text)
    for root in ls.roots.all:
        skims = {} if root.project is None else root.project.skims()
        for path in sorted(skims):
            if path not in known:
                known.add(path)
                yield path, skims[path]


def _symbols(ls: SimtServer, path: str, named: list[tuple[str, int]]) -> Iterator[types.SymbolInformation]:
    text = ls.job.read(path)
    if text is None:
        return
    lines = LineIndex(text)
    for name, offset in named:
        written = name.encode("utf-8", "replace")
        if text[offset : offset + len(written)] == written:  # else the file has changed since
            start = client_position(lines, offset, ls.encoding)
            end = client_position(lines, offset + len(written), ls.encoding)
            yield types.SymbolInformation(
                name=printable(name),
                kind=types.SymbolKind.Function,
                location=types.Location(ls.other_files.uri_of(path), types.Range(start, end)),
                container_name=printable(os.path.basename(path)),
            )
