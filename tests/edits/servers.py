"""`python -m tests.edits.servers COUNT [SEED]`: random editing sessions of a running server, compared with a fresh one.

Question  Are the diagnostics of a server after hours of typing those of one that was just started?
Rules     Two processes are spoken to over the protocol.  One follows a session of edits in a file and its header, as an
          editor sends them: versions that are not waited for, ranges that are replaced, hovers in between.  Every so
          many edits both files are opened in the other one, which is new, and what each publishes is compared.
          One process follows all sessions, one file after the other is closed.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, final

from benchmarks.server_process import ServerProcess, server_process
from simt_lsp.server.session.errors import CONTENT_MODIFIED
from tests.edits.programs import HEADER, MAIN, Project, projects
from tests.edits.sessions import session
from tests.sim.random.choices import Choices, Seeded
from tests.support.seeds import Counts, exit_with, run_seeds

EDITS: Final = 500
EVERY: Final = 100
ATTEMPTS, SECONDS = 5, 1.0
_UNREADABLE: Final = re.compile("is not analysed")


@final
class Editor:
    """The two files of a project as one editor has them open."""

    def __init__(self, server: ServerProcess, folder: Path, texts: Project) -> None:
        self._server = server
        self._paths = {MAIN: folder / MAIN, HEADER: folder / HEADER}
        self._texts = {MAIN: texts.main, HEADER: texts.header}
        self._version = 1
        for name, path in self._paths.items():
            server.open(path, self._texts[name])

    def show(self, texts: Project) -> None:
        """Both files get these texts, each by one replacement of what differs."""
        for name, text in ((MAIN, texts.main), (HEADER, texts.header)):
            if text != self._texts[name]:
                self._version += 1
                document = {"uri": self._paths[name].as_uri(), "version": self._version}
                change = _change(self._texts[name], text)
                self._texts[name] = text
                parameters = {"textDocument": document, "contentChanges": [change]}
                self._server.notify("textDocument/didChange", parameters)

    def hover(self, line: int) -> None:
        """Waits for an answer about the main file, so that this version of it is analysed."""
        place = {"textDocument": {"uri": self._paths[MAIN].as_uri()}, "position": {"line": line, "character": 4}}
        self._server.request("textDocument/hover", place)

    def diagnostics(self) -> dict[str, list[str]]:
        """What a client that asks is told of both files."""
        found: dict[str, list[str]] = {}
        for name, path in self._paths.items():
            answer: dict[str, Any] = {}
            while "result" not in answer:  # an editor asks again where the file, or its header, was analysed again
                answer = self._server.request("textDocument/diagnostic", {"textDocument": {"uri": path.as_uri()}})
                assert "result" in answer or answer["error"]["code"] == CONTENT_MODIFIED, answer
            items: Sequence[Any] = answer["result"]["items"]
            found[name] = sorted(json.dumps(item, sort_keys=True) for item in items)
        return found

    def close(self) -> None:
        for path in self._paths.values():
            self._server.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})


def _change(old: str, new: str) -> dict[str, Any]:
    """The lines that differ, replaced; the whole text where lines end in more than one way."""
    if "\r" in old + new or "\f" in old + new:
        return {"text": new}
    before, after = old.split("\n"), new.split("\n")
    first = 0
    while first < min(len(before), len(after)) - 1 and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first - 1 and before[-1 - last] == after[-1 - last]:
        last += 1
    end = len(before) - last - 1
    span = {
        "start": {"line": first, "character": 0},
        "end": {"line": end, "character": len(before[end].encode("utf-16-le")) // 2},
    }
    return {"range": span, "text": "\n".join(after[first : len(after) - last])}


def follow(
    server: ServerProcess, folder: Path, seed: int, edits: int = EDITS, every: int = EVERY, counts: Counts | None = None
) -> str | None:
    """What differs after some of the first `edits` edits of a session; None if nothing."""
    counted = Counts() if counts is None else counts
    known = projects(seed)
    project, choices = known[seed % len(known)], Choices(Seeded(seed))
    editor = Editor(server, folder, project)
    try:
        for number, step in enumerate(islice(session(project, choices), edits), 1):
            counted["edits"] += 1
            editor.show(step.texts)
            if choices.chance(60):
                editor.hover(choices.below(1 + step.texts.main.count("\n")))
            if number % every == 0 or number == edits:
                counted["comparisons"] += 1
                wrong = _compare(editor, folder, step.texts, counted)
                if wrong is not None:
                    return f"after edit {number} ({step.kind} in {step.path}): {wrong}"
    finally:
        editor.close()
    return None


def _compare(editor: Editor, folder: Path, texts: Project, counts: Counts) -> str | None:
    with server_process() as server:
        initialize(server, folder)
        other = Editor(server, folder, texts)
        # Whoever does not know the project yet would ask to be asked again.
        attempts, seen, fresh = ATTEMPTS, editor.diagnostics(), other.diagnostics()
        while seen != fresh and attempts:
            attempts -= 1
            counts["asked again"] += 1
            time.sleep(SECONDS)
            seen, fresh = editor.diagnostics(), other.diagnostics()
    for name in (MAIN, HEADER):
        counts["diagnostics compared"] += len(fresh[name])
        if seen[name] != fresh[name]:
            kept, new = set(seen[name]) - set(fresh[name]), set(fresh[name]) - set(seen[name])
            if not new and _are_held([json.loads(one) for one in kept], [json.loads(one) for one in fresh[name]]):
                counts["held findings"] += len(kept)
                continue
            return f"{name}:\n  only kept: " + "\n  ".join(kept) + "\n  only new: " + "\n  ".join(new)
    return None


def _are_held(kept: Sequence[Any], fresh: Sequence[Any]) -> bool:
    """Findings of a function stay while it cannot be read (`held_findings.py`); a fresh server never saw them.

    They name no other places, and the function has no finding of its own: it may stand in another that is not closed.
    """
    is_broken = any(_UNREADABLE.search(one["message"]) for one in fresh)
    read = {one["data"]["function"] for one in fresh if "function" in one.get("data", {})}
    return is_broken and all(
        not one.get("relatedInformation") and one.get("data", {}).get("function", "") not in {"", *read} for one in kept
    )


def initialize(server: ServerProcess, folder: Path) -> None:
    """As a client that asks for diagnostics."""
    capabilities = {
        "textDocument": {"diagnostic": {}, "publishDiagnostics": {"relatedInformation": True}},
        "workspace": {"diagnostics": {"refreshSupport": True}},
    }
    parameters = {"processId": None, "rootUri": folder.as_uri(), "capabilities": capabilities}
    server.request("initialize", parameters)
    server.notify("initialized", {})


def main(count: int, first: int) -> int:
    with TemporaryDirectory() as name, server_process() as server:
        folder = Path(name)
        initialize(server, folder)
        return run_seeds(lambda seed, counts: follow(server, folder, seed, counts=counts), count, first)


if __name__ == "__main__":
    exit_with(main)
