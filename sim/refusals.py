"""What the simulator cannot do, said loudly: never a wrong number, always the construct and its place."""

from __future__ import annotations

from typing import final

from analysis.ir.source import Span


@final
class Refusal(Exception):
    """The kernel uses `construct`, which is not simulated; `span` lies in the function named `function`."""

    def __init__(self, construct: str, function: str, span: Span) -> None:
        super().__init__(f"{construct} is not simulated")
        self.construct = construct
        self.function = function
        self.span = span


@final
class LaunchError(Exception):
    """The launch does not fit the kernel: an argument is missing, a block is too large."""
