"""Plans for kernels that are written down in a test."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.lower.program import Program
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.translation_unit import TranslationUnit
from sim.launch.attempt import Attempt
from sim.launch.planner import Plan, Planner
from sim.launch.request import Request


class NoFiles:
    """A loader for tests without headers."""

    def read(self, path: str) -> bytes | None:
        return None

    def exists(self, path: str) -> bool:
        return False


def planner(text: str, *requests: Request, name: str = "k", sampled_blocks: int = 0) -> Planner:
    unit = TranslationUnit.build("a.cu", Document.open(text.encode()), NoFiles(), Environment())
    program = Program(unit)
    kernel = next(function for function in program.device_functions() if function.item.name == name)
    return Planner(program, kernel, requests, sampled_blocks=sampled_blocks)


def plan(text: str, *requests: Request, attempt: Attempt | None = None, name: str = "k") -> Plan:
    return planner(text, *requests, name=name).plan(attempt)


def given(**arguments: str) -> Request:
    return Request(arguments=arguments)


def chosen(text: str, *requests: Request) -> Mapping[str, str]:
    """Name and value of everything in the plan's report."""
    return {choice.name: choice.value for choice in plan(text, *requests).choices}
