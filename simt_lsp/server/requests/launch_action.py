"""Where the block of a kernel is not known and that decides a finding: a quick fix that inserts `// simt: block=…`.

Cost     The text with the comment is analysed, once for as long as nothing changes that the kernel's facts depend on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from simt_lsp.server.session.client_edit import workspace_edit
from simt_lsp.server.views.findings import lsp_diagnostic
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.features.launch_comment import LaunchComment
    from analysis.rules.diagnostic import Diagnostic

_QUESTION: Final = "which findings does a comment about its block decide"


def launch_actions(view: View, findings: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
    from analysis.features.launch_comment import launch_comments

    for comment in launch_comments(view.analysis, findings):
        decided = _decided(view, comment)
        found = [one for one in findings if (one.code, one.start - comment.kernel.start) in decided]
        if found:
            yield types.CodeAction(
                title=printable(f"Say how large blocks are, which decides this: {comment.text}"),
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[lsp_diagnostic(view, one) for one in found],
                edit=workspace_edit(view.analysed.item, [comment.edit], view.encoding, view.features),
            )


def _decided(view: View, comment: LaunchComment) -> frozenset[tuple[str, int]]:
    """Codes and starts relative to the kernel."""
    kernel, rules = comment.kernel, view.analysed.configuration.rules
    question = (_QUESTION, f"{rules}", comment.text)
    return view.analysis.remembered(kernel, question, lambda: _found_decided(view, comment))


def _found_decided(view: View, comment: LaunchComment) -> frozenset[tuple[str, int]]:
    from analysis.features.launch_comment import is_decided
    from analysis.refactor.edit import apply_replacements

    after = view.known.recheck(apply_replacements(view.analysis.document.text, [comment.edit])).diagnostics
    kernel = comment.kernel
    return frozenset(
        (one.code, one.start - kernel.start)
        for one in view.analysed.diagnostics
        if kernel.start <= one.start < kernel.end and is_decided(one, comment, after)
    )
