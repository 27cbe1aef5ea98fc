"""The outline of a file: its kernels and device functions, methods below their records."""

from __future__ import annotations

from enum import Enum
from itertools import groupby
from typing import assert_never, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.ir.function import FunctionKind
from analysis.ir.pace import paced
from analysis.ir.record import record


class SymbolNodeKind(Enum):
    """What an outline entry stands for."""

    KERNEL = "kernel"
    DEVICE = "device"
    SCOPE = "scope"


@final
@record
class SymbolNode:
    """`start`/`end` cover the whole item, `name_start`/`name_end` its name; `detail` is a few words."""

    name: str
    kind: SymbolNodeKind
    detail: str
    start: int
    end: int
    name_start: int
    name_end: int
    children: tuple[SymbolNode, ...]


def document_symbols(analysis: FileAnalysis) -> tuple[SymbolNode, ...]:
    """The outline in text order; neighbours with the same owner (`Owner::name`) stand below it."""
    functions = sorted(analysis.facts.functions, key=lambda function: (function.start, -function.end))
    outline: list[SymbolNode] = []
    for owner, group in groupby(functions, key=_owner):
        nodes = tuple(_node(function) for function in paced(group, 5))
        outline.extend(nodes if not owner else (_scope(owner, nodes),))
    return tuple(outline)


def _owner(function: FunctionFacts) -> str:
    return function.name.rpartition("::")[0]


def _scope(owner: str, children: tuple[SymbolNode, ...]) -> SymbolNode:
    start = children[0].start
    end = max(child.end for child in children)
    first = children[0]
    return SymbolNode(owner, SymbolNodeKind.SCOPE, "", start, end, first.name_start, first.name_end, children)


def _node(function: FunctionFacts) -> SymbolNode:
    return SymbolNode(
        function.name.rpartition("::")[2],
        _kind(function),
        f"{_kind(function).value}{'' if function.active else ', not compiled'}",
        function.start,
        function.end,
        function.start + function.name_span.start,
        function.start + function.name_span.end,
        (),
    )


def _kind(function: FunctionFacts) -> SymbolNodeKind:
    match function.kind:
        case FunctionKind.KERNEL:
            return SymbolNodeKind.KERNEL
        case FunctionKind.DEVICE:
            return SymbolNodeKind.DEVICE
        case _:
            assert_never(function.kind)
