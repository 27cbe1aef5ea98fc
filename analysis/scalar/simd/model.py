"""A kernel as one warp runs it on a machine with vectors and without a reconvergence stack: lines of code as data."""

from __future__ import annotations

from typing import final

from analysis.ir.function import Function
from analysis.ir.record import record
from analysis.ir.source import Span


@final
@record
class SimdLine:
    """`target = code` for the lanes of `mask`, or for the warp where there is none.

    `code` is an expression of NumPy over vectors (`v7`), scalars (`s7`) and masks (`m3`), which calls `load`, `store`
    and the like; without a target it is a statement, and one that ends in `:` opens what is indented below it.
    """

    depth: int
    code: str
    span: Span
    target: str | None = None
    mask: str | None = None

    @property
    def text(self) -> str:
        """As it is printed; the mask of a statement stands in its code."""
        guard = "" if self.mask is None else f"({self.mask}) "
        return f"{'    ' * self.depth}{guard}{'' if self.target is None else f'{self.target} = '}{self.code}"


@final
@record
class SimdCode:
    """`vectors` and `scalars` are the values that are written, with the names of their element types."""

    function: Function
    lines: tuple[SimdLine, ...]
    vectors: tuple[tuple[str, str], ...]
    scalars: tuple[tuple[str, str], ...]
    masks: tuple[str, ...]
    """Of blocks: the lanes that wait to run one, none of them at first."""


@final
@record
class NotVectorised:
    """What has no form here, and where it stands."""

    construct: str
    span: Span
