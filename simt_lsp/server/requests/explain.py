"""`simt/explain` and the command `simt.explain`: everything the analysis can say about one line, launches included.

Request  `{"textDocument": {"uri"}, "position": {"line", "character"}}` or `{"textDocument": {"uri"}, "line"}`, where
         `line` counts from 1.  With `"exact": true` all paths of two threads are followed as well, and with
         `"drawings": true` the net and the states behind that are drawn.
Answer   `{"line", "source", "function", "summary", "items": [{"range", "what", "verdict", "place", "why": [step],
         "whyNotConvergent": [step]}], "exact": [{"range", "sentences"}], "drawings": [{"title", "svg", "problem"}],
         "text"}` or null; a step is `{"text", "source", "location": {"uri", "range"}}`; `exact` and `drawings` are null
         where they were not asked for, `svg` where a drawing is too large, as `problem` says.
Command  Arguments: URI, line (from 1), and `true` for the exact analysis.  Answers the text, and shows it as a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from simt_lsp.server.session.definitions import with_definition
from simt_lsp.server.views.launches_in_view import sites_of
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from analysis.features.exact.explain_exactly import ExactFunction
    from analysis.features.explain import ExplainedItem, Explanation
    from analysis.features.hover_info import FunctionSubject
    from analysis.features.launch_site import FunctionPlace, LaunchSite
    from analysis.features.source_step import SourceStep
    from simt_lsp.server.session.server import SimtServer

METHOD = "simt/explain"


async def on_explain(ls: SimtServer, params: object) -> dict[str, Any] | None:
    """pygls hands parameters of methods it does not know over as nested named tuples."""
    uri = getattr(getattr(params, "textDocument", None), "uri", None)
    line = _line(params)
    if not isinstance(uri, str) or line is None:
        raise ValueError("simt/explain needs textDocument.uri, and position or line")
    exact = getattr(params, "exact", None) is True
    drawings = exact and getattr(params, "drawings", None) is True
    return await _explained(ls, uri, line, exact=exact, drawings=drawings)


async def explain_command(ls: SimtServer, arguments: list[Any]) -> str | None:
    """The text for `[uri, line]` or `[uri, line, exact]`, also shown to the user."""
    match arguments:
        case [str(uri), int(line)]:
            answer = await _explained(ls, uri, line, exact=False)
        case [str(uri), int(line), bool(exact)]:
            answer = await _explained(ls, uri, line, exact=exact)
        case _:
            raise ValueError("simt.explain takes a URI, a line, and whether to be exact")
    if answer is None:
        return None
    ls.show_message(str(answer["text"]), types.MessageType.Info)
    return str(answer["text"])


async def _explained(
    ls: SimtServer, uri: str, line: int, *, exact: bool, drawings: bool = False
) -> dict[str, Any] | None:
    """What is said of a launch comes from the file of its kernel: it is asked for before the line is explained."""

    def first(view: View) -> dict[str, Any] | tuple[LaunchSite, ...]:
        return _launches_on(view, line) or explain(view, line, (), {}, exact=exact, drawings=drawings)

    found = await ls.ask(uri, first)
    if not isinstance(found, tuple):
        return found
    sites = [await with_definition(ls, uri, site) for site in found]
    facts = {kernel: await _facts_of(ls, kernel) for site in sites for kernel in site.definitions}
    return await ls.ask(uri, lambda view: explain(view, line, sites, facts, exact=exact, drawings=drawings))


async def _facts_of(ls: SimtServer, kernel: FunctionPlace) -> FunctionSubject | None:
    def answer(view: View) -> FunctionSubject | None:
        from analysis.features.launch_hover import kernel_subject

        return kernel_subject(view.analysis, kernel)

    return await ls.other_files.ask(kernel.path, answer)


def _launches_on(view: View, line: int) -> tuple[LaunchSite, ...]:
    from analysis.features.explain_launch import sites_on_line

    return sites_on_line(view.analysis, sites_of(view), _within(view, line))


def _within(view: View, line: int) -> int:
    """The nearest line that the document has."""
    return min(max(line, 1), view.analysed.item.document.lines.line_count)


def explain(
    view: View,
    line: int,
    sites: Sequence[LaunchSite],
    facts: Mapping[FunctionPlace, FunctionSubject | None],
    *,
    exact: bool,
    drawings: bool = False,
) -> dict[str, Any]:
    """`sites` are the launches on the line, `facts` what the files of their kernels say of these."""
    from analysis.features.explain import explain_line, render_explanation
    from analysis.features.explain_launch import with_launches

    line = _within(view, line)
    explanation = explain_line(view.analysis, line, view.analysed.configuration.rules.meld)
    explanation = with_launches(view.analysis, explanation, sites, facts.get)
    answer = _object(view, explanation, render_explanation(explanation))
    return answer | _exact(view, line, str(answer["text"]), drawings=drawings) if exact else answer


def _exact(view: View, line: int, text: str, *, drawings: bool) -> dict[str, Any]:
    """The exact analysis is loaded only where somebody asks for it."""
    from analysis.features.exact.explain_exactly import explain_exactly
    from analysis.features.exact.words import block_words, render_exact

    functions = explain_exactly(view.analysis, line)
    items = [
        {
            "range": view.range(block.code.start, block.code.end),
            "sentences": [printable(sentence.strip()) for sentence in block_words(view.analysis, block)],
        }
        for function in functions
        for block in function.blocks
    ]
    return {
        "exact": items,
        "drawings": _drawings(view, functions) if drawings else None,
        "text": f"{text}\n{printable(render_exact(view.analysis, functions))}",
    }


def _drawings(view: View, functions: Sequence[ExactFunction]) -> list[dict[str, Any]]:
    """Nothing where no code runs on the line."""
    from analysis.features.petri_drawing.of_line import TooLarge, code_to_draw, draw_net, draw_states
    from analysis.features.petri_drawing.svg import render_svg

    asked = code_to_draw(functions)
    if asked is None:
        return []
    found: list[dict[str, Any]] = []
    for title, draw in (("Petri net", draw_net), ("State space", draw_states)):
        diagram = draw(view.analysis, asked, free=False)
        is_drawn = not isinstance(diagram, TooLarge)
        svg = render_svg(diagram) if is_drawn else None
        found.append({"title": title, "svg": svg, "problem": None if is_drawn else diagram.reason})
    return found


def _object(view: View, explanation: Explanation, text: str) -> dict[str, Any]:
    return {
        "exact": None,
        "drawings": None,
        "line": explanation.line,
        "source": printable(explanation.source),
        "function": None if explanation.function is None else printable(explanation.function),
        "summary": printable(explanation.summary),
        "items": [_item(view, item) for item in explanation.items],
        "text": printable(text),
    }


def _item(view: View, item: ExplainedItem) -> dict[str, Any]:
    return {
        "range": view.range(item.start, item.end),
        "what": printable(item.what),
        "verdict": printable(item.verdict),
        "details": [printable(detail) for detail in item.details],
        "place": None if item.place is None else printable(item.place),
        "why": [_step(view, step) for step in item.why],
        "whyNotConvergent": [_step(view, step) for step in item.why_not_convergent],
    }


def _step(view: View, step: SourceStep) -> dict[str, Any]:
    return {
        "text": printable(step.text),
        "source": None if step.source is None else printable(step.source),
        "location": view.location(step.location),
    }


def _line(params: object) -> int | None:
    line = getattr(params, "line", None)
    if isinstance(line, int):
        return line
    line = getattr(getattr(params, "position", None), "line", None)
    return line + 1 if isinstance(line, int) else None
