"""Which file may define a function that another one only declares?"""

from __future__ import annotations

from simt_lsp.workspace.project_index.index import ProjectIndex


def definers(project: ProjectIndex, path: str, name: str) -> tuple[str, ...]:
    """The files with a definition of `name` that belongs to `path`; where none surely does, those that may.

    What is declared in a header belongs to the files that include it.
    """
    units = {path, *project.includers(path).paths}
    certain: list[str] = []
    doubtful: list[str] = []
    for other in project.defining(name):
        if other == path:
            continue
        users = project.users(other, name, internal=False)
        if not units.isdisjoint(users.paths):
            certain.append(other)
        elif not units.isdisjoint(users.doubtful):
            doubtful.append(other)
    return tuple(certain or doubtful)
