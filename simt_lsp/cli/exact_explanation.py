"""The part of `explain` that follows all paths of two threads: what it proves, and drawings of what it looked at."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from typing import Final

from analysis.facts.file_analysis import FileAnalysis
from analysis.features.exact.explain_exactly import explain_exactly
from analysis.features.exact.words import render_exact
from analysis.features.petri_drawing.dot import render_dot
from analysis.features.petri_drawing.model import Diagram
from analysis.features.petri_drawing.of_line import TooLarge, code_to_draw, draw_net, draw_states
from analysis.features.petri_drawing.svg import render_svg
from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.paths import reason_of

_RENDERERS: Final[Mapping[str, Callable[[Diagram], str]]] = {".svg": render_svg, ".dot": render_dot, ".gv": render_dot}
"""By the ends of file names."""


def explain_paths(options: argparse.Namespace, analysis: FileAnalysis, line: int) -> None:
    functions = explain_exactly(analysis, line)
    print(render_exact(analysis, functions))
    asked = code_to_draw(functions)
    for output, draw in ((options.net, draw_net), (options.states, draw_states)):
        if output is not None:
            if asked is None:
                raise UsageError(f"{output}: no code runs on line {line}, so there is nothing to draw")
            _write(draw(analysis, asked, free=options.free), output)


def _write(diagram: Diagram | TooLarge, output: str) -> None:
    render = _RENDERERS.get(os.path.splitext(output)[1].lower())
    if render is None:
        raise UsageError(f"{output}: a drawing is written as .svg or .dot")
    if isinstance(diagram, TooLarge):
        raise UsageError(f"{output}: {diagram.reason}")
    try:
        with open(output, "w", encoding="utf-8", newline="\n") as file:
            file.write(render(diagram))
    except OSError as error:
        raise UsageError(f"{output}: {reason_of(error)}") from error
