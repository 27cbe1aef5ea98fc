"""Which folder is the project of a file, where nobody names one?"""

from __future__ import annotations

import os
from typing import Final

ROOT_MARKERS: Final = (
    ".git",
    ".hg",
    ".simt.toml",
    "compile_commands.json",
    os.path.join("build", "compile_commands.json"),
)


def project_root(path: str) -> str:
    """The folder around `path` in which headers are looked for: the nearest with a mark of a project, or its own."""
    absolute = os.path.abspath(path)
    folder = absolute if os.path.isdir(absolute) else os.path.dirname(absolute)
    for marker in ROOT_MARKERS:
        above = folder
        while True:
            if os.path.exists(os.path.join(above, marker)):
                return above
            parent = os.path.dirname(above)
            if parent == above:
                break
            above = parent
    return folder


def is_a_project(folder: str) -> bool:
    """Not the home of a user, nor the top of a disk: what lies below these does not belong together."""
    own = os.path.realpath(folder)
    return own not in (os.path.realpath(os.path.expanduser("~")), os.path.dirname(own))
