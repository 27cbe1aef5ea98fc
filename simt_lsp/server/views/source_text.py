"""The text of a document as a simulation process wants it: with what its analysis looked at, and nothing else."""

from __future__ import annotations

from simt_lsp.server.simulations.job import SourceText
from simt_lsp.server.views.view import View
from simt_lsp.workspace.disk_loader import path_key
from simt_lsp.workspace.file_index import FileIndex


def source_text(view: View) -> SourceText:
    analysed = view.analysed
    item = analysed.item
    texts = {path: text for path, text in view.known.open_texts().items() if path in analysed.touched}
    texts[path_key(item.analysis_path)] = item.document.text
    return SourceText(
        path=item.analysis_path,
        text=item.document.text,
        on_disk=item.path is not None,
        open_texts=texts,
        files=_index(analysed.touched),
        settings=analysed.settings,
        context=analysed.context,
        includers=analysed.includers,
    )


def _index(touched: frozenset[str]) -> FileIndex:
    """An index of the paths that the analysis looked at: what it found among all files is found among these."""
    by_name: dict[str, tuple[str, ...]] = {}
    for path in sorted(touched):
        name = path.rpartition("/")[2]
        by_name[name] = (*by_name.get(name, ()), path)
    return FileIndex(by_name)
