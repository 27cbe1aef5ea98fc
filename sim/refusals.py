"""What the simulator cannot do, said loudly: never a wrong number, always the construct and its place."""

from __future__ import annotations

from typing import final

from analysis.ir.source import Span


@final
class Refusal(Exception):
    """The kernel uses `construct`, which is not simulated; `span` lies in the function named `function`.

    `is_a_guess`: what the text says is not known, so that nothing can be put in its place.
    """

    def __init__(self, construct: str, function: str, span: Span, *, is_a_guess: bool = False) -> None:
        super().__init__(f"{construct} is not simulated")
        self.construct = construct
        self.function = function
        self.span = span
        self.is_a_guess = is_a_guess


@final
class LaunchError(Exception):
    """The launch does not fit the kernel: an argument is missing, a block is too large."""
