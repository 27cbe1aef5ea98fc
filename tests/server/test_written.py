"""Answers that are written in turns say what pygls would have written in one go."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lsprotocol import converters, types

from analysis.ir.pace import pace
from simt_lsp.server.transport.written import written

PLACE = types.Position(1, 2)
RANGE = types.Range(PLACE, types.Position(3, 4))
CONVERTER = converters.get_converter()


def symbol(*children: types.DocumentSymbol) -> types.DocumentSymbol:
    function = types.SymbolKind.Function
    return types.DocumentSymbol("ü", function, RANGE, RANGE, tags=[types.SymbolTag.Deprecated], children=list(children))


def diagnostic() -> types.Diagnostic:
    related = types.DiagnosticRelatedInformation(types.Location("file:///a.cu", RANGE), "why")
    return types.Diagnostic(RANGE, "m", tags=[types.DiagnosticTag.Unnecessary], related_information=[related], data={})


ANSWERS: dict[str, Any] = {
    "nothing": None,
    "empty": [],
    "hints": [types.InlayHint(PLACE, "x", kind=types.InlayHintKind.Type, padding_left=True)] * 200,
    "nested": [symbol(*[symbol(*[symbol()] * count)] * count) for count in (0, 1, 70)],
    "numbers": types.SemanticTokens(data=list(range(5_000)), result_id="3"),
    "no numbers": types.SemanticTokens(data=[]),
    "changes": types.SemanticTokensDelta(edits=[types.SemanticTokensEdit(1, 2, [1] * 2_000)], result_id="3"),
    "lenses": [types.CodeLens(RANGE, types.Command("t", "c", arguments=["a", {"p": PLACE, "q": None}]))] * 70,
    "report": types.RelatedFullDocumentDiagnosticReport(items=[diagnostic()] * 70, result_id="1"),
    "plain": {"a": RANGE, "b": [{"c": PLACE, "d": [], "e": [{"x": 1}]}] * 100, "f": {}, "g": ["h", 1.5, None]},
}


@pytest.mark.parametrize("name", ANSWERS)
def test_it_says_the_same(name: str) -> None:
    expected = json.dumps(ANSWERS[name], default=CONVERTER.unstructure)
    assert json.loads(written(ANSWERS[name], CONVERTER.unstructure).text) == json.loads(expected)


@pytest.mark.parametrize("name", ["hints", "nested", "numbers", "report"])
def test_others_get_their_turn_while_it_is_written(name: str) -> None:
    turns: list[None] = []
    with pace(lambda: turns.append(None)):
        written(ANSWERS[name], CONVERTER.unstructure)
    assert len(turns) >= 2
