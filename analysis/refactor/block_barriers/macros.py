"""Macros whose uses do what the text does not show.

Rules     A macro may spell numbers, indexes and operands; who reads the text sees what is done with them.  One that
          assigns, declares, calls, branches or leaves on its own hides that: then the expanded function has more such
          nodes than its text, and nothing can be said of the statements between two barriers.  The same holds where
          the text was read wrongly, as `int (&r) = t;` is.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from tree_sitter import Node

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.refactor.block_barriers.reading import walk

_DOING: Final = frozenset(
    {"assignment_expression", "update_expression", "call_expression", "lambda_expression"}
    | {"declaration", "if_statement", "for_statement", "while_statement", "do_statement", "switch_statement"}
    | {"return_statement", "break_statement", "continue_statement", "goto_statement"}
)


def hide_effects(analysis: FileAnalysis, function: FunctionFacts, definition: Node) -> bool:
    """Whether some macro in the function does more than its use shows."""
    snippet = analysis.program.snippet(analysis.program.item_of(function.id))
    shown = Counter(one.type for one in walk(definition) if one.type in _DOING or _takes_address(one.type, one.text))
    root = snippet.root
    done = Counter(one.kind for one in root.walk() if one.kind in _DOING or _takes_address(one.kind, one.text))
    return bool(done - shown)


def _takes_address(kind: str, text: bytes | None) -> bool:
    return kind == "pointer_expression" and text is not None and text.startswith(b"&")
