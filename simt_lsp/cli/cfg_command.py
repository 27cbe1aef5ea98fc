"""`simt-lsp cfg FILE:KERNEL`: the control flow of one function as a picture."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from typing import Final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.features.control_flow_graph.build import control_flow_graph
from analysis.features.control_flow_graph.melded import melded_graphs
from analysis.features.control_flow_graph.render import GraphFormat, render, render_melded
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.engine import Analyzed, Engine
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.one_file import analyzed_file
from simt_lsp.cli.paths import reason_of
from simt_lsp.cli.targets import function_target

_FORMATS: Final[Mapping[str, GraphFormat]] = {
    "": GraphFormat.SVG,
    ".svg": GraphFormat.SVG,
    ".dot": GraphFormat.DOT,
    ".gv": GraphFormat.DOT,
    ".mmd": GraphFormat.MERMAID,
    ".mermaid": GraphFormat.MERMAID,
}
"""By the ends of file names."""


def cfg(options: argparse.Namespace) -> ExitStatus:
    target = function_target(options.place)
    format = _format(options.format, options.output)
    analyzed = analyzed_file(Engine(engine_options(options, [target.path])), target.path)
    analysis = analyzed.analysis
    function = _named(analysis, target.path, target.function)
    if options.meld:
        text = _melded(analyzed, function, format, inlined=options.inlined)
    else:
        graph = control_flow_graph(analysis, function, inlined=options.inlined)
        text = None if graph is None else render(graph, format)
    if text is None:
        raise UsageError(f"{function.name} could not be analysed")
    _write(text, options.output)
    return ExitStatus.CLEAN


def _melded(analyzed: Analyzed, function: FunctionFacts, format: GraphFormat, *, inlined: bool) -> str | None:
    """Before and after; where nothing is melded, that is said beside the picture."""
    settings = analyzed.setup.configuration.rules.meld
    graphs = melded_graphs(analyzed.analysis, function, settings, inlined=inlined)
    if graphs is not None and not graphs.melded:
        print(f"simt-lsp: nothing in {function.name} can be melded", file=sys.stderr)
    return None if graphs is None else render_melded(graphs, format)


def _format(given: str | None, output: str | None) -> GraphFormat:
    """What is asked for, or what the name of the file promises."""
    if given is not None:
        return GraphFormat(given)
    suffix = "" if output is None else os.path.splitext(output)[1].lower()
    if suffix not in _FORMATS:
        raise UsageError(f"{output}: a graph is written as .svg, .dot or .mmd; --format says which whatever the name")
    return _FORMATS[suffix]


def _named(analysis: FileAnalysis, path: str, name: str | None) -> FunctionFacts:
    """The one function that is meant; with several of one name, the first that is compiled."""
    functions = sorted(analysis.facts.functions, key=lambda function: not function.active)
    if not functions:
        raise UsageError(f"{path} has no device functions")
    found = [
        function
        for function in functions
        if name is None or name in (function.name, function.name.rpartition("::")[2], str(function.id).split("(")[0])
    ]
    if len(found) == 1 or (found and name is not None):
        return found[0]
    names = ", ".join(dict.fromkeys(function.name for function in functions))
    if name is None:
        raise UsageError(f"name one function of {path}, as {path}:{functions[0].name}; it has: {names}")
    raise UsageError(f"{path} has no device function '{name}'; it has: {names}")


def _write(text: str, output: str | None) -> None:
    if output is None:
        print(text, end="")
        return
    try:
        with open(output, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{output}: {reason_of(error)}") from error
