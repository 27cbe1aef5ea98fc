"""What one analysis sees of an index; remembers the names that it asked for, and all answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from analysis.project.model import Users
from analysis.syntax.environment import Environment
from simt_lsp.workspace.disk_loader import Question
from simt_lsp.workspace.project_index.index import ANY_LAUNCH, ProjectIndex


@final
class ProjectView:
    """An `analysis.project.model.Project`."""

    def __init__(self, index: ProjectIndex, environment: Callable[[str], Environment | None]) -> None:
        """`environment` says how the build reads a file."""
        self._index = index
        self._environment = environment
        self._environments: dict[str, Environment | None] = {}
        self.asked: set[str] = set()
        self.told: dict[Question, object] = {}

    def includers(self, path: str) -> Users:
        """See `Project`."""
        found = self.told["includers", path] = self._index.includers(path)
        return found

    def users(self, path: str, name: str, *, internal: bool) -> Users:
        """See `Project`."""
        self.asked.add(name)
        found = self._index.users(path, name, internal=internal)
        self.told["users", path, name, "internal" if internal else ""] = found
        return found

    def launched_beside(self, path: str) -> frozenset[str]:
        """See `Project`."""
        self.asked.add(ANY_LAUNCH)
        found = self.told["launched beside", path] = self._index.launched_beside(path)
        return found

    def is_quoted(self, name: str) -> bool:
        """See `Project`."""
        self.asked.add(name)
        found = self.told["quoted", name] = self._index.is_quoted(name)
        return found

    def environment(self, path: str) -> Environment | None:
        """See `Project`."""
        if path not in self._environments:
            self._environments[path] = self.told["environment", path] = self._environment(path)
        return self._environments[path]
