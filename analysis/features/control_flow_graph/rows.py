"""What a node says, row by row, short enough to draw: the same rows in every format."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import Enum
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.features.control_flow_graph.model import (
    ControlFlowGraph,
    Decision,
    GraphBarrier,
    GraphNode,
    SourceLine,
)
from analysis.ir.record import record
from analysis.rules.wording import counted
from analysis.verdict.barriers import BarrierVerdict

MAX_TEXT: Final = 44
MAX_LINES: Final = 9
_KEPT_AT_END: Final = 2

VERDICT_WORDS: Final = {
    BarrierVerdict.CONVERGENT: "safe",
    BarrierVerdict.DIVERGENT: "unsafe",
    BarrierVerdict.UNKNOWN: "not proven safe",
}

LEVEL_REMARKS: Final = {
    Level.GRID: "uniform",
    Level.BLOCK: "block-uniform",
    Level.WARP: "warp-uniform",
    Level.VARYING: "varying",
}

_AFTER: Final = frozenset({"?", "&&", "||"})
"""Operators that stand behind what they decide on."""

_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class RowKind(Enum):
    """What a row is about; barriers by verdict, decisions by whether they vary."""

    SOURCE = "source"
    OMITTED = "omitted"
    CALL = "call"
    SAFE = "safe"
    UNSAFE = "unsafe"
    UNPROVEN = "unproven"
    UNIFORM = "uniform"
    VARYING = "varying"
    ENDING = "ending"


@final
@record
class Row:
    """`number` is a source line, None where the row is no source text; `remark` stands at the right."""

    kind: RowKind
    number: int | None
    text: str
    remark: str


_BARRIER_KINDS: Final = {
    BarrierVerdict.CONVERGENT: RowKind.SAFE,
    BarrierVerdict.DIVERGENT: RowKind.UNSAFE,
    BarrierVerdict.UNKNOWN: RowKind.UNPROVEN,
}


def rows_of(node: GraphNode) -> tuple[Row, ...]:
    """The source, then what is called, barriers, and the decision or the end."""
    return tuple(_rows(node))


def row_text(row: Row) -> str:
    """A row for formats without columns."""
    number = "" if row.number is None else f"{row.number}: "
    return f"{number}{row.text}" + (f" ({row.remark})" if row.remark else "")


def title_of(graph: ControlFlowGraph) -> str:
    divergent = sum(node.divergent for node in graph.nodes)
    return f"{printable(graph.function)}: {divergent} of {counted(len(graph.nodes), 'block')} divergent"


def printable(text: str) -> str:
    """Without what no picture can show."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def shortened(text: str, limit: int = MAX_TEXT) -> str:
    flat = printable(text)
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def columns(text: str) -> int:
    """The columns that a text takes in a monospaced font: East Asian wide characters take two."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def _rows(node: GraphNode) -> Iterator[Row]:
    yield from _source(node.lines)
    for call in node.calls:
        remark = "diverges inside" if call.diverges else ""
        yield Row(RowKind.CALL, None, shortened(f"calls {call.name}"), remark)
    for barrier in node.barriers:
        yield _barrier(barrier)
    if node.decision is not None:
        yield _decision(node.decision)
    if node.ending is not None and not any(line.text.startswith(node.ending.value) for line in node.lines):
        yield Row(RowKind.ENDING, None, node.ending.value, "")


def _source(lines: tuple[SourceLine, ...]) -> Iterator[Row]:
    if len(lines) <= MAX_LINES:
        shown, omitted, rest = lines, (), ()
    else:
        kept = MAX_LINES - _KEPT_AT_END - 1
        shown, omitted, rest = lines[:kept], lines[kept:-_KEPT_AT_END], lines[-_KEPT_AT_END:]
    yield from (Row(RowKind.SOURCE, line.number, shortened(line.text), "") for line in shown)
    if omitted:
        yield Row(RowKind.OMITTED, None, f"… {counted(len(omitted), 'more statement')}", "")
    yield from (Row(RowKind.SOURCE, line.number, shortened(line.text), "") for line in rest)


def _barrier(barrier: GraphBarrier) -> Row:
    where = "" if barrier.callee is None else f" in {barrier.callee}"
    text = shortened(f"{barrier.scope.value} barrier{where}")
    return Row(_BARRIER_KINDS[barrier.verdict], None, text, VERDICT_WORDS[barrier.verdict])


def _decision(decision: Decision) -> Row:
    text, keyword = decision.line.text, decision.keyword
    text = shortened(f"{text} {keyword}" if keyword in _AFTER else f"{keyword} {text}")
    kind = RowKind.VARYING if decision.level is Level.VARYING else RowKind.UNIFORM
    return Row(kind, decision.line.number or None, text, LEVEL_REMARKS[decision.level])
