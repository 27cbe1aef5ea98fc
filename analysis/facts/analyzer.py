"""The entry point: one document in, one `FileAnalysis` out, with work shared between versions of a file.

Rules    Nothing raises on any text.  A crash inside one function costs that function: it is logged, listed among the
         file's problems, and the function counts as one opaque.
Cost     Functions are keyed by their fingerprint (text, macros, declarations and callees they use) and what is known
         of their launch, so an edit in one body analyses one function again.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import final

from analysis.facts.cache import BoundedCache
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.functions import FunctionCaches, analyze_functions
from analysis.facts.model import FileFacts, FileProblem, ProblemKind
from analysis.facts.settings import AnalysisSettings
from analysis.lower.program import LowerSettings, Program
from analysis.syntax.cache import SyntaxCache
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment, Language
from analysis.syntax.includes import Loader
from analysis.syntax.problems import Problem
from analysis.syntax.problems import ProblemKind as SyntaxProblemKind
from analysis.syntax.translation_unit import TranslationUnit

HIP_SUFFIXES = (".hip", ".hip.cpp", ".hip.h")


class Cancelled(Exception):
    """The caller asked to stop; nothing was published."""


@final
class Analyzer:
    """Analyses files; keeps bounded caches of snippets, lowered functions and function facts between calls.

    `edited` False: no file comes a second time, so that nothing is kept but what files share.
    Not thread-safe: one analyzer belongs to one worker.
    """

    def __init__(self, *, edited: bool = True) -> None:
        self._syntax = SyntaxCache()
        self._functions = FunctionCaches(
            launches=BoundedCache(4096),
            uses=BoundedCache(8192),
            instances=BoundedCache(2048),
            identities=BoundedCache(8192),
            ssa=BoundedCache(4096),
            roots=BoundedCache(2048 if edited else 1),
            facts=BoundedCache(4096 if edited else 1),
            numbers=count(),
        )

    def analyze(
        self,
        path: str,
        document: Document,
        loader: Loader,
        settings: AnalysisSettings,
        *,
        context: str | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> FileAnalysis:
        """Never raises on any text; raises `Cancelled` between functions once `cancelled()` is true.

        `context` is a file that includes this header: the header then sees that file's names and macros.
        """

        def checkpoint() -> None:
            if cancelled():
                raise Cancelled

        environment = environment_of(path, settings)
        unit = TranslationUnit.build(path, document, loader, environment, self._syntax, context)
        checkpoint()
        program = Program(unit, LowerSettings(warp_size=settings.warp_size))
        analyzed = analyze_functions(program, settings, self._functions, checkpoint)
        problems = (*(_problem(problem) for problem in unit.problems if problem.path == path), *analyzed.problems)
        functions = tuple(sorted((entry.facts for entry in analyzed.functions), key=lambda facts: facts.start))
        parse_errors = sum(facts.syntax_errors for facts in functions)
        facts = FileFacts(path, parse_errors, functions, problems)
        return FileAnalysis(facts, document, program, {entry.facts.id: entry for entry in analyzed.functions})


def environment_of(path: str, settings: AnalysisSettings) -> Environment:
    """What the preprocessor knows before it reads the file at `path`."""
    language = Language.HIP if path.endswith(HIP_SUFFIXES) else Language.CUDA
    return Environment(
        settings.defines,
        settings.undefines,
        settings.include_dirs,
        settings.forced_includes,
        settings.architecture,
        language,
    )


def _problem(problem: Problem) -> FileProblem:
    match problem.kind:
        case SyntaxProblemKind.MISSING_INCLUDE:
            kind = ProblemKind.MISSING_INCLUDE
        case SyntaxProblemKind.TOO_LARGE:
            kind = ProblemKind.TOO_LARGE
        case _:
            kind = ProblemKind.PREPROCESSOR
    message = f"{problem.kind.value}: {problem.detail}" if problem.detail else problem.kind.value
    return FileProblem(kind, problem.span.start, problem.span.end, message)
