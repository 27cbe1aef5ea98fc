"""`textDocument/semanticTokens/*`: names and branch keywords with what the warp sees.

Rules    The answer is null when the setting `semanticTokens` is off: an editor that takes the tokens of one server only
         then asks the next.
         A delta refers to the last full answer for the document; to any other it is a full answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from simt_lsp.server.session.sent_tokens import SentTokens
from simt_lsp.server.transport.token_stream import encode_tokens, token_edits
from simt_lsp.server.transport.written import Written
from simt_lsp.server.views.view import View

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer


async def on_semantic_tokens(ls: SimtServer, params: types.SemanticTokensParams) -> Written | None:
    return await ls.ask_written(params.text_document.uri, lambda view: full(ls.sent_tokens, view))


async def on_semantic_tokens_delta(ls: SimtServer, params: types.SemanticTokensDeltaParams) -> Written | None:
    def answer(view: View) -> types.SemanticTokens | types.SemanticTokensDelta | None:
        return changes(ls.sent_tokens, view, params.previous_result_id)

    return await ls.ask_written(params.text_document.uri, answer)


async def on_semantic_tokens_range(ls: SimtServer, params: types.SemanticTokensRangeParams) -> Written | None:
    def answer(view: View) -> types.SemanticTokens | None:
        start, end = view.offset(params.range.start), view.offset(params.range.end)
        data = _numbers(ls.sent_tokens, view, start, end)
        return None if data is None else types.SemanticTokens(data=data)

    return await ls.ask_written(params.text_document.uri, answer)


def full(sent: SentTokens, view: View) -> types.SemanticTokens | None:
    data = _numbers(sent, view)
    if data is None:
        return None
    return types.SemanticTokens(data=data, result_id=sent.keep(view.analysed.item.uri, data))


def changes(sent: SentTokens, view: View, since: str) -> types.SemanticTokens | types.SemanticTokensDelta | None:
    before = sent.last(view.analysed.item.uri)
    after = full(sent, view)
    if after is None or before is None or before[0] != since:
        return after
    return types.SemanticTokensDelta(edits=token_edits(before[1], after.data), result_id=after.result_id)


def _numbers(sent: SentTokens, view: View, start: int = 0, end: int | None = None) -> list[int] | None:
    from analysis.features.semantic_tokens import semantic_tokens

    if not view.analysed.configuration.semantic_tokens:
        return None
    document = view.analysed.item.document
    tokens = semantic_tokens(view.analysis, start, end, sent.cache())
    return encode_tokens(tokens, document.text, document.lines, view.encoding)
