"""What the files around an analysed one say now, and whether an analysis would be told the same again.

Rules    An analysis sees nothing but its text, its setup, and what its loader and its project told it.  So what it
         found holds as long as all questions that it asked have the answers that it got: texts by their hash, absent
         files and the project's answers too.
Cost     One look at the disk per path and one question to the index per name, however many analyses asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from typing import Final, TypeAlias, cast, final

from analysis.ir.record import record
from simt_lsp.workspace.disk_loader import DiskLoader, Question
from simt_lsp.workspace.project import FileSetup
from simt_lsp.workspace.project_index.index import ANY_LAUNCH
from simt_lsp.workspace.project_index.view import ProjectView

Trace: TypeAlias = Mapping[Question, bytes]
"""Hashes of answers by their questions."""

_UNKNOWN: Final = ("not known",)


@final
@record
class Setup:
    """How a file is analysed, as far as it decides what is found."""

    found: FileSetup
    has_project: bool
    is_included: bool

    @property
    def told(self) -> tuple[object, ...]:
        """All of it that an analysis sees."""
        setup = self.found
        return setup.settings, setup.context, setup.includers, self.has_project, self.is_included


@final
class Surroundings:
    """Answers to questions, each asked once: make a new one when something may have changed."""

    def __init__(self, loader: DiskLoader, project: ProjectView | None, setup: Callable[[str], Setup]) -> None:
        self._loader = loader
        self._project = project
        self._setup = setup
        self._known: dict[Question, bytes] = {}

    def tell(self, trace: Trace) -> bool:
        """Whether all answers are as they were."""
        return all(self._answer(question) == answer for question, answer in trace.items())

    def _answer(self, question: Question) -> bytes:
        known = self._known.get(question)
        if known is None:
            known = self._known[question] = hash_of(self._ask(question))
        return known

    def _ask(self, question: Question) -> object:
        match question:
            case ("setup", path):
                return self._setup(path).told
            case ("text", path):
                return self._loader.read(path)
            case ("exists", path):
                return self._loader.exists(path)
            case ("special", path):
                return self._loader.is_special(path)
            case ("suffix", suffix, near):
                return self._loader.find_suffix(suffix, near)
            case _:
                return _UNKNOWN if self._project is None else _ask_project(self._project, question)


def trace_of(setup: tuple[str, Setup] | None, loader: DiskLoader, project: ProjectView | None) -> dict[Question, bytes]:
    """All that one analysis of a file was told; `setup` is that of the file at a path."""
    told: dict[Question, object] = {**loader.told}
    if setup is not None:
        told["setup", setup[0]] = setup[1].told
    if project is not None:
        told |= project.told
    return {question: hash_of(answer) for question, answer in told.items()}


def names_in(trace: Trace) -> frozenset[str]:
    """The names that a project was asked for."""
    names: set[str] = set()
    for question in trace:
        match question:
            case ("users", _, name, _) | ("quoted", name):
                names.add(name)
            case ("launched beside", _):
                names.add(ANY_LAUNCH)
            case _:
                pass
    return frozenset(names)


def hash_of(answer: object) -> bytes:
    """One value per answer."""
    if isinstance(answer, bytes):
        return blake2b(answer, digest_size=16).digest()
    if isinstance(answer, frozenset):
        members: Iterable[object] = cast("frozenset[object]", answer)
        answer = "set", *sorted(map(repr, members))
    return blake2b(repr(answer).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _ask_project(project: ProjectView, question: Question) -> object:
    match question:
        case ("includers", path):
            return project.includers(path)
        case ("users", path, name, internal):
            return project.users(path, name, internal=bool(internal))
        case ("launched beside", path):
            return project.launched_beside(path)
        case ("quoted", name):
            return project.is_quoted(name)
        case ("environment", path):
            return project.environment(path)
        case _:
            return _UNKNOWN
