"""Where the block of a kernel is not known: the comment that says it, and the findings that it decides.

Rules    The comment is one line directly above the declaration; above a `NOLINTNEXTLINE`, which speaks for the next.
         Blocks have 256 threads in it, in two or three dimensions where the kernel looks at them: whoever accepts it
         writes the true number.
         It decides a finding that is not there any more once the comment is, or is more or less sure.
Limits   One shape is tried; for another the findings may stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.ir.record import record
from analysis.refactor.edit import Replacement
from analysis.rules.diagnostic import Diagnostic
from analysis.syntax.document import Document
from analysis.syntax.lexing import HIDDEN

_SECOND: Final = re.compile(rb"\b(?:threadIdx|blockDim)\s*\.\s*y\b")
_THIRD: Final = re.compile(rb"\b(?:threadIdx|blockDim)\s*\.\s*z\b")


@final
@record
class LaunchComment:
    """`text` as it will stand above the kernel, `edit` inserts it."""

    kernel: FunctionFacts
    text: str
    edit: Replacement


def launch_comments(analysis: FileAnalysis, findings: Sequence[Diagnostic]) -> Iterator[LaunchComment]:
    """One for each kernel of the findings whose block is not known, where a line can be inserted."""
    for kernel in analysis.facts.kernels():
        launch = analysis.launch_of(kernel)
        if launch is None or launch.shapes or not kernel.active:
            continue
        if any(kernel.start <= one.start < kernel.end for one in findings):
            text = f"// simt: block={_shape(analysis.document.text[kernel.start : kernel.end])}"
            edit = _line_above(analysis.document, kernel.start, text)
            if edit is not None:
                yield LaunchComment(kernel, text, edit)


def is_decided(finding: Diagnostic, comment: LaunchComment, after: Sequence[Diagnostic]) -> bool:
    """`after`: what is found with the comment in the text."""
    shift = len(comment.edit.text.encode())
    said = finding.code, finding.start + shift, finding.severity, finding.tier
    return all((one.code, one.start, one.severity, one.tier) != said for one in after)


def _shape(text: bytes) -> str:
    if _THIRD.search(text):
        return "8,8,4"
    return "16,16" if _SECOND.search(text) else "256"


def _line_above(document: Document, start: int, comment: str) -> Replacement | None:
    lines = document.lines
    number = lines.line_of(start)
    while number and b"NOLINTNEXTLINE" in lines.line_text(number - 1):
        number -= 1
    place = lines.line_start(number)
    above = lines.line_text(number - 1).rstrip() if number else b""
    if above.endswith(b"\\") or any(match.start() < place < match.end() for match in HIDDEN.finditer(document.text)):
        return None
    line = lines.line_text(lines.line_of(start))
    indentation = line[: len(line) - len(line.lstrip())].decode()
    ending = "\r\n" if document.text[place + len(lines.line_text(number)) :].startswith(b"\r\n") else "\n"
    return Replacement(place, place, f"{indentation}{comment}{ending}")
