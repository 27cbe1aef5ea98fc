"""The entry point: one document in, one `FileAnalysis` out, with work shared between versions of a file.

Rules    Nothing raises on any text.  A crash inside one function costs that function: it is logged, listed among the
         file's problems, and the function counts as one opaque.
Cost     Functions are lowered again when their text, macros or what they see of declarations changes, and roots are
         analysed again when a body that they are made of, or what is known of their launch, does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import count
from typing import Final, final

from analysis.facts.architectures import other_architectures
from analysis.facts.calls import KnownCallers
from analysis.facts.file_analysis import Answers, FileAnalysis, OtherArchitecture
from analysis.facts.functions import (
    AnalyzedFunctions,
    FunctionCaches,
    MergedFacts,
    NumberedRoot,
    analyze_functions,
)
from analysis.facts.kept_launches import MAX_KEPT_FILES
from analysis.facts.launch_places import LaunchPlaces, launch_places
from analysis.facts.lowered import SsaFunction
from analysis.facts.model import FileFacts, FileProblem, ProblemKind
from analysis.facts.settings import AnalysisSettings
from analysis.facts.syntax_errors import syntax_errors
from analysis.ir.pace import Cancelled as Cancelled
from analysis.ir.pace import ends_when, pace, turn
from analysis.launches.host_memo import HostMemo
from analysis.launches.outside import MAX_KEPT, Outside, UnitMemo
from analysis.lower.program import LowerSettings, Program
from analysis.project.model import Project
from analysis.store.bounded import BoundedCache
from analysis.store.freeing import free_in_turns
from analysis.store.kept import LetGo, Store, TableStatistics
from analysis.syntax.cache import SyntaxCache
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment, Language
from analysis.syntax.includes import Loader
from analysis.syntax.problems import Problem
from analysis.syntax.problems import ProblemKind as SyntaxProblemKind
from analysis.syntax.translation_unit import TranslationUnit

HIP_SUFFIXES = (".hip", ".hip.cpp", ".hip.h")


@final
class Analyzer:
    """Analyses files; keeps what the newest version of each needed, and some of what was needed lately.

    `edited` False: no file comes a second time, so that nothing is kept but what files share.
    `let_go` is given large results that nobody needs any more, to free them when nobody waits.
    Not thread-safe: one analyzer belongs to one worker.
    """

    def __init__(self, *, edited: bool = True, let_go: LetGo = free_in_turns) -> None:
        self._edited = edited
        self._store = Store(let_go if edited else list[object].clear)
        self._syntax = SyntaxCache(store=self._store, keeps_parsed=not edited)
        self._functions = FunctionCaches(
            host=HostMemo(),
            uses=BoundedCache(8192),
            instances=BoundedCache(2048),
            identities=BoundedCache(8192),
            kept_launches=BoundedCache(MAX_KEPT_FILES) if edited else None,
            own_launches=BoundedCache(MAX_KEPT_FILES) if edited else None,
            ssa=self._store.table("functions", _values_of_function, SPARE_VALUES),
            launches_of_roots=BoundedCache(8192),
            bases=self._store.table("bases of roots", lambda _: 1, SPARE_BASES if edited else 0),
            roots=self._store.table("roots", _values_of_root, SPARE_VALUES if edited else 0),
            facts=self._store.table("facts", _number_of_facts, SPARE_FACTS if edited else 0),
            numbers=count(),
        )
        self._units: UnitMemo = BoundedCache(MAX_KEPT)
        self._answers: Answers = BoundedCache(MAX_ANSWERS)

    def release(self, path: str) -> None:
        """The file at `path` was closed: what only its newest version needed may go."""
        self._store.release(path)
        self._syntax.release(path)
        for kept in (self._functions.kept_launches, self._functions.own_launches):
            if kept is not None:
                kept.discard(path)

    def statistics(self) -> tuple[TableStatistics, ...]:
        """How much is kept between versions, and how often it was of use."""
        return self._store.statistics()

    def analyze(
        self,
        path: str,
        document: Document,
        loader: Loader,
        settings: AnalysisSettings,
        *,
        context: str | None = None,
        includers: Sequence[str] = (),
        project: Project | None = None,
        callers: KnownCallers | None = None,
        cancelled: Callable[[], bool] | None = None,
        comes_again: bool = False,
        every_architecture: bool = False,
    ) -> FileAnalysis:
        """Never raises on any text; raises `Cancelled` soon after `cancelled()` is true.

        Without `cancelled` it is a part of whatever is paced around it.

        `context` is a file that includes this header: the header then sees that file's names and macros.
        `callers` says of a file that others include how all of them call its functions (`FileAnalysis.calls`).
        `includers` are all files that this one is compiled in, where they are known: their launches are its launches.
        `project` knows the files that belong together: all that launch a kernel or call a host function are then read.
        `comes_again`: where files are not edited, this one is analysed once more, with its callers.
        `every_architecture`: it is also analysed for the other architectures that it asks for (`FileAnalysis.others`).
        """
        paces = nullcontext() if cancelled is None else pace(ends_when(cancelled))
        with paces, self._store.version_of(path):
            analysis = self._analyze(path, document, loader, settings, context, includers, project, callers, turn)
            if every_architecture:
                analysis.others = tuple(self._other_architectures(analysis, settings, callers))
        if not self._edited and not comes_again:
            self._store.release(path)
        return analysis

    def _analyze(
        self,
        path: str,
        document: Document,
        loader: Loader,
        settings: AnalysisSettings,
        context: str | None,
        includers: Sequence[str],
        project: Project | None,
        callers: KnownCallers | None,
        checkpoint: Callable[[], None],
    ) -> FileAnalysis:
        environment = environment_of(path, settings)
        unit = TranslationUnit.build(path, document, loader, environment, self._syntax, context, includers)
        checkpoint()
        program = Program(unit, LowerSettings(warp_size=settings.warp_size))
        outside = None
        if project is not None:
            outside = Outside(unit, project, loader, self._syntax, self._units, self._functions.host)
        try:
            known = None if callers is None or callers.uncounted else callers
            analyzed = analyze_functions(program, settings, self._functions, checkpoint, outside, known)
            text_of = unit.text_of if outside is None else outside.text_of
            places = launch_places(analyzed.launches, text_of, {path: document.lines})
        finally:
            if outside is not None:
                outside.close()
        return self._analysis(document, program, analyzed, places, callers)

    def _analysis(
        self,
        document: Document,
        program: Program,
        analyzed: AnalyzedFunctions,
        places: LaunchPlaces,
        callers: KnownCallers | None,
    ) -> FileAnalysis:
        functions = tuple(sorted((entry.facts for entry in analyzed.functions), key=lambda facts: facts.start))
        problems = (
            *(_problem(problem) for problem in program.unit.problems if problem.path == program.unit.path),
            *analyzed.problems,
            *_uncounted(callers),
            *syntax_errors(functions, document.lines),
        )
        parse_errors = sum(facts.syntax_errors for facts in functions)
        facts = FileFacts(program.unit.path, parse_errors, functions, problems)
        functions_by_id = {entry.facts.id: entry for entry in analyzed.functions}
        return FileAnalysis(
            facts,
            document,
            program,
            functions_by_id,
            analyzed.called,
            places,
            self._answers,
            self._functions.host,
            analyzed.launches,
            self._functions.own_launches,
        )

    def _other_architectures(
        self, analysis: FileAnalysis, settings: AnalysisSettings, callers: KnownCallers | None
    ) -> Iterator[OtherArchitecture]:
        """The file as others compile it; what they have in common with the analysed one is not analysed again."""
        main = analysis.program.unit
        known = None if callers is None or callers.uncounted else callers
        for architecture in other_architectures(main, settings.built_for):
            unit = main.for_architecture(architecture)
            if unit is None:
                continue
            program = Program(unit, LowerSettings(warp_size=settings.warp_size))
            analyzed = analyze_functions(program, settings, self._functions, turn, None, known, analysis.launches)
            found = self._analysis(analysis.document, program, analyzed, analysis.all_launch_places, callers)
            yield OtherArchitecture(architecture, found)


def _uncounted(callers: KnownCallers | None) -> Iterable[FileProblem]:
    if callers is not None and callers.uncounted:
        message = f"{callers.uncounted:,} files include this one, too many to read: its callers count as not known"
        yield FileProblem(ProblemKind.TOO_LARGE, 0, 0, message)


SPARE_VALUES: Final = 50_000
"""Values of functions that are kept though no newest version needs them."""
SPARE_FACTS: Final = 20_000
SPARE_BASES: Final = 2_000
MAX_ANSWERS: Final = 128
"""Of `FileAnalysis.recalled`: what is asked of one branch takes 70 KB in the mean, 350 KB for the longest ones."""


def _values_of_function(one: SsaFunction) -> int:
    return len(one.function.types)


def _values_of_root(one: NumberedRoot) -> int:
    return len(one.analysis.function.types)


def _number_of_facts(one: MergedFacts) -> int:
    facts = one.facts
    return 1 + len(facts.branches) + len(facts.barriers) + len(facts.accesses) + len(facts.variables)


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
        is_linked=settings.is_linked,
    )


def _problem(problem: Problem) -> FileProblem:
    match problem.kind:
        case SyntaxProblemKind.MISSING_INCLUDE:
            kind = ProblemKind.MISSING_INCLUDE
        case SyntaxProblemKind.TOO_LARGE | SyntaxProblemKind.TOO_DEEP:
            kind = ProblemKind.TOO_LARGE
        case _:
            kind = ProblemKind.PREPROCESSOR
    message = f"{problem.kind.value}: {problem.detail}" if problem.detail else problem.kind.value
    return FileProblem(kind, problem.span.start, problem.span.end, message)
