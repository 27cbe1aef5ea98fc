"""What a repository had at an earlier commit, asked of git without running anything that the repository names.

Rules    Only objects are read (`rev-parse`, `merge-base`, `ls-tree`, `cat-file`): no hook, filter, external diff, pager
         or file system monitor runs, nothing is fetched, and nothing of the working tree or the index is looked at.
         What is no plain file (links, submodules) and names that lead out of the tree are left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Final, final

from analysis.ir.record import record

SECONDS: Final = 60.0
_SAFE: Final = (
    "--no-pager",
    "--no-replace-objects",
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "protocol.allow=never"),
)
_PLAIN_FILES: Final = (b"100644", b"100755")


class GitError(Exception):
    """Git is missing, or says no; the text is the reason."""


@final
@record
class Commit:
    """A commit of the repository whose working tree is at `top`, which is absolute; `id` is hexadecimal."""

    top: str
    id: str

    def files(self, suffixes: tuple[str, ...]) -> Mapping[str, str]:
        """The blobs of plain files whose names end so, by path relative to `top` with `/`; raises `GitError`."""
        listed = _git(self.top, "ls-tree", "-r", "-z", "--full-tree", self.id)
        found: dict[str, str] = {}
        for line in listed.split(b"\0"):
            head, _, name = line.partition(b"\t")
            path = os.fsdecode(name)
            if not name or not path.lower().endswith(suffixes) or not _is_inside(path):
                continue
            mode, _, blob = head.split(b" ")[:3]
            if mode in _PLAIN_FILES:
                found[path] = blob.decode("ascii")
        return found

    def texts(self, blobs: Sequence[str]) -> Iterator[bytes]:
        """The contents of blobs, in order; raises `GitError`."""
        with tempfile.TemporaryFile() as asked:
            asked.write("".join(f"{blob}\n" for blob in blobs).encode())
            asked.seek(0)
            with subprocess.Popen(
                _command(self.top, "cat-file", "--batch"),
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            ) as process:
                assert process.stdout is not None
                for _ in blobs:
                    yield _next_blob(process.stdout)


def commit_before(reference: str, path: str) -> Commit:
    """Where the branch of the working tree around `path` left `reference`: what they have in common, or else that
    commit itself; raises `GitError`."""
    folder = path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))
    top = os.fsdecode(_git(folder, "rev-parse", "--show-toplevel").rstrip(b"\r\n"))
    try:
        found = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    except GitError as error:
        raise GitError(f"'{reference}' is no commit here") from error
    commit = found.decode().strip()
    try:
        common = _git(folder, "merge-base", commit, "HEAD").decode().strip()
    except GitError:  # a shallow clone does not know it
        common = commit
    return Commit(os.path.realpath(top), common or commit)


def _next_blob(stream: IO[bytes]) -> bytes:
    head = stream.readline().split()
    if len(head) != 3 or head[1] != b"blob":
        raise GitError("an object of the commit is missing: the clone is not complete")
    text = stream.read(int(head[2]))
    stream.read(1)
    return text


def _git(folder: str, *arguments: str) -> bytes:
    try:
        done = subprocess.run(
            _command(folder, *arguments),
            capture_output=True,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git cannot be run: {error}") from error
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(said[0] if said else f"git {arguments[0]} ended with status {done.returncode}")
    return done.stdout


def _command(folder: str, *arguments: str) -> list[str]:
    program = shutil.which("git")
    if program is None:
        raise GitError("git is not installed here")
    if os.path.dirname(os.path.abspath(program)) == os.getcwd():  # Windows looks there first
        raise GitError("the git in the current folder is not run")
    return [program, *_SAFE, "-C", folder, *arguments]


def _environment() -> dict[str, str]:
    """Ours without what points git elsewhere, as hooks have it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def _is_inside(path: str) -> bool:
    parts = path.replace("\\", "/").split("/") if os.name == "nt" else path.split("/")
    return not os.path.isabs(path) and not any(part in ("", ".", "..") or ":" in part for part in parts)
