"""What one analysis sees of an index; remembers the names that it asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from analysis.project.model import Users
from analysis.syntax.environment import Environment
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

    def includers(self, path: str) -> Users:
        """See `Project`."""
        return self._index.includers(path)

    def users(self, path: str, name: str, *, internal: bool) -> Users:
        """See `Project`."""
        self.asked.add(name)
        return self._index.users(path, name, internal=internal)

    def launched_beside(self, path: str) -> frozenset[str]:
        """See `Project`."""
        self.asked.add(ANY_LAUNCH)
        return self._index.launched_beside(path)

    def is_quoted(self, name: str) -> bool:
        """See `Project`."""
        self.asked.add(name)
        return self._index.is_quoted(name)

    def environment(self, path: str) -> Environment | None:
        """See `Project`."""
        if path not in self._environments:
            self._environments[path] = self._environment(path)
        return self._environments[path]
