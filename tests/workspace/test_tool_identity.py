"""Two installs of one version are one tool; a change of a source makes another one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from simt_lsp.workspace.tool_identity import MAX_KEPT, SourceOfTool, identity_of, keep_identity, tool_identity


def _installed(folder: Path, text: str = "x = 1\n") -> Sequence[SourceOfTool]:
    folder.mkdir(exist_ok=True)
    path = folder / "a.py"
    path.write_text(text)
    os.utime(path, (len(folder.name), len(text)))
    return [SourceOfTool("package/a.py", str(path))]


def test_two_installs_are_one_tool_and_a_change_makes_another(tmp_path: Path) -> None:
    first, second = _installed(tmp_path / "one"), _installed(tmp_path / "second")
    changed = _installed(tmp_path / "third", "x = 2\n")
    assert identity_of(first, tmp_path) == identity_of(second, tmp_path) != identity_of(changed, tmp_path)
    renamed = [SourceOfTool("package/b.py", first[0].path)]
    assert identity_of(renamed, tmp_path) != identity_of(first, tmp_path)


def test_texts_are_read_once_per_install(tmp_path: Path) -> None:
    first = _installed(tmp_path / "one")
    known = identity_of(first, tmp_path)
    keep_identity(first, tmp_path)
    status = os.stat(first[0].path)
    Path(first[0].path).write_text("y = 1\n")
    os.utime(first[0].path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert identity_of(first, tmp_path) == known
    os.utime(first[0].path, (7, 7))
    assert identity_of(first, tmp_path) != known


def test_the_oldest_installs_go(tmp_path: Path) -> None:
    for number in range(MAX_KEPT + 3):
        keep_identity(_installed(tmp_path / "one", "x" * number), tmp_path)
    assert len(list((tmp_path / "tools").iterdir())) == MAX_KEPT


def test_the_tool_has_one(tmp_path: Path) -> None:
    assert len(tool_identity(tmp_path)) == 16
