"""After any edits in any files of a project an analyzer says what a fresh one says about the same texts.

    python -m tests.projects.edits COUNT [SEED]

Question  Do launches that are kept, and the units that they come from, hold when they are used again?
Rules     A session is followed by one analyzer and one index, as the server has them: after each edit one file with
          kernels is analysed, every so many edits all of them, and compared with a fresh analyzer over a fresh index.
          Edits are those of `tests.edits`, and words of any file of the project that come into any other one: names of
          kernels and host functions, in host code and in device code; host functions that launch nothing come too.
          Functions that launch call helpers with their numbers, and these come to compute, to keep or to write them in
          other ways, through a second helper or not.  What each launch of a file is made with is compared, too, where
          launches are kept by what they depend on.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Final, final

from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.launches import Launch, launch_shapes
from analysis.launches.host_memo import HostMemo
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from simt_lsp.workspace.project_index.index import ProjectIndex
from simt_lsp.workspace.project_index.view import ProjectView
from tests.edits.sessions import EDITS
from tests.projects.random_project import random_project
from tests.sim.random.choices import Choices, Seeded
from tests.support.seeds import Counts, exit_with, run_seeds

SESSION: Final = 120
EVERY: Final = 5
_LIFE: Final = 8
"""After so many edits, on average, everything is as it was in the beginning."""
_WORDS: Final = (
    b"__device__ ",
    b"__host__ ",
    b"static ",
    b"\n",
    b"// x\n",
    b"#define go run1\n",
    b"#pragma unroll\n",
    b"static int size(int n) { return 64; }\n",
    b"inline int rows(int n) { int m = n; return m; }\n",
    b"inline void helper(int *x, int &n) { int m = n; }\n",
    b"inline void again(int *x, int n) { int m = n; helper(x, n); }\n",
)
_HELPER: Final = re.compile(rb"^\w+ int (help(?:er|ing)_\d+)\(.*$", re.MULTILINE)
_HELPERS: Final = (
    b"inline int %s(int n) { return n; }",
    b"inline int %s(int n) { return n + 1; }",
    b"inline int %s(int n) { return HELPING(n) + n; }",
    b"inline int %s(int n) { int m = n; return m; }",
    b"inline int %s(int n) { int m = HELPING(n); return m + 1; }",
    b"inline int %s(int n) { if (n > 1) { return 3; } return n; }",
    b"inline int %s(int &n) { n = 96; return 64; }",
    b"inline int %s(const int &n) { int m[] = {n}; return m[0]; }",
    b"inline int %s(int n, int m = 3) { return n + m; }",
    b"constexpr int %s(int n) { return 2 * n; }",
    b"static int %s(int n) { ; return 2 * n; }",
)
_HELPED: Final = (
    b" n = HELPER(3);",
    b" n = 3; HELPER(n);",
    b" HELPER(*x); n = HELPER(HELPER(7));",
    b" n = HELPER(n);",
    b"",
)
_LAUNCHER: Final = re.compile(rb"\bvoid run\d+\([^;{}]*\{")
_NAMES: Final = re.compile(rb"\b(?:k|run|go_run|LAUNCH|PASTE)\d+\b")
_VARIABLES: Final = re.compile(rb"\b(?:size|put)_\d+\b")
_OF_FUNCTIONS: Final = (b" int %s = 1; ", b" (void)&%s; ", b" %s(x, 7); ", b" %s<<<1, 32>>>(x, 7); ")
_OF_VARIABLES: Final = (b" %s = 96; ", b" %s(); ", b" (void)%s; ", b" auto f = &%s; ")
_BODY: Final = re.compile(rb"(?:__(?:global|device)__|\b(?:int|void) \w+\()[^;{}]*\{")

Texts = dict[str, bytes]


@final
class Follower:
    """What the server keeps from version to version."""

    def __init__(self) -> None:
        self._analyzer = Analyzer()
        self._index = ProjectIndex()
        self._seen: Texts = {}
        self._host = HostMemo()

    def see(self, path: str, texts: Texts) -> FileAnalysis:
        """One file of a project, after the index has seen all of them."""
        for other, text in texts.items():
            if self._seen.get(other) != text:
                self._index.scan(other, text)
        self._seen = dict(texts)
        view = ProjectView(self._index, lambda _: None)
        context = next(iter(self._index.includers(path).paths), None) if path.endswith(".cuh") else None
        document, loader = Document.open(texts[path]), DictLoader(dict(texts))
        return self._analyzer.analyze(path, document, loader, AnalysisSettings(), context=context, project=view)

    def launches(self, analysis: FileAnalysis) -> Mapping[str, tuple[Launch, ...]]:
        """Those in the file itself, as far as they are not kept from an earlier version."""
        return launch_shapes(analysis.program.unit, self._host)


def follow(seed: int, counts: Counts, edits: int = SESSION, every: int = EVERY) -> str | None:
    """What differs after some edit of a session; None if nothing does."""
    logging.getLogger("analysis").addHandler(logging.NullHandler())
    choices = Choices(Seeded(seed))
    beginning = {path: text.encode() for path, text in random_project(Seeded(seed)).files.items()}
    beginning = {path: _helped(text, number, choices) for number, (path, text) in enumerate(sorted(beginning.items()))}
    kernels = [path for path, text in beginning.items() if b"__global__" in text]
    texts, follower = dict(beginning), Follower()
    for number in range(1, edits + 1):
        path, kind = choices.pick(sorted(texts)), "begin again"
        if choices.chance(_LIFE):
            texts = dict(beginning)
        else:
            kind, texts[path] = edited(path, texts, choices)
        counts["edits"] += 1
        seen = choices.pick(kernels)
        analysis = follower.see(seen, texts)
        known, found = follower.launches(analysis), launch_shapes(analysis.program.unit)
        counts["launches of one file"] += sum(map(len, found.values()))
        if known != found:
            return f"after edit {number} ({kind} in {path}): launches in {seen}:\n  {known}\n  {found}"
        for other in kernels if number % every == 0 or number == edits else ():
            counts["files compared"] += 1
            wrong = _difference(follower.see(other, texts), Follower().see(other, texts), counts)
            if wrong is not None:
                return f"after edit {number} ({kind} in {path}): {other}: {wrong}"
    return None


def edited(path: str, texts: Texts, choices: Choices) -> tuple[str, bytes]:
    """The kind of an edit of one file, and the text after it."""
    text = texts[path]
    bodies = list(_BODY.finditer(text))
    helpers = list(_HELPER.finditer(text))
    match choices.below(5):
        case 0:
            kind = choices.pick(tuple(EDITS))
            return kind, EDITS[kind](text, choices)
        case 3 if helpers:
            old = choices.pick(helpers)
            return "a helper", text[: old.start()] + _helper(old[1], choices) + text[old.end() :]
        case 1 if bodies:
            at = choices.pick(bodies).end()
            word = choices.pick(
                (
                    b";",
                    b"\n",
                    b"int more = 1;",
                    b"x[0] = n;",
                    b"/* words */",
                    b"return 96;",
                    b"n = size(n);",
                    b"helper(x, n);",
                )
            )
            return "a word in a body", text[:at] + word + text[at:]
        case 2 if bodies:
            every = b" ".join(texts[other] for other in sorted(texts))
            variables = _VARIABLES.findall(every)
            is_variable = bool(variables) and choices.below(3) == 0
            names = variables if is_variable else _NAMES.findall(every) or [b"main"]
            at, name = choices.pick(bodies).end(), choices.pick(names)
            form = choices.pick(_OF_VARIABLES if is_variable else _OF_FUNCTIONS)
            return "a name in a body", text[:at] + form % name + text[at:]
        case _:
            lines = text.splitlines(keepends=True)
            lines.insert(choices.below(len(lines) + 1), choices.pick(_WORDS))
            return "a line", b"".join(lines)


def _helped(text: bytes, number: int, choices: Choices) -> bytes:
    """The text of a file whose functions that launch call helpers of its own."""
    parts = _LAUNCHER.split(text)
    if len(parts) == 1:
        return text
    names = [name % number for name in (b"helping_%d", b"helper_%d")]
    for place, head in enumerate(_LAUNCHER.findall(text), 1):
        parts[place] = head + choices.pick(_HELPED).replace(b"HELPER", names[1]) + parts[place]
    return b"".join(_helper(name, choices) + b"\n" for name in names) + b"".join(parts)


def _helper(name: bytes, choices: Choices) -> bytes:
    """One of them; no other is behind the one that is called by it."""
    is_last = name.startswith(b"helping")
    forms = [form for form in _HELPERS if not (is_last and b"HELPING" in form)]
    return choices.pick(forms).replace(b"HELPING", name.replace(b"helper", b"helping")) % name


def _difference(seen: FileAnalysis, fresh: FileAnalysis, counts: Counts) -> str | None:
    if seen.facts != fresh.facts:
        pairs = zip(seen.facts.functions, fresh.facts.functions, strict=False)
        one, other = next((pair for pair in pairs if pair[0] != pair[1]), (seen.facts, fresh.facts))
        return f"facts:\n  {one}\n  {other}"
    for function in fresh.facts.functions:
        places = seen.launch_places(function), fresh.launch_places(function)
        launches = seen.launch_of(function), fresh.launch_of(function)
        counts["launches compared"] += len(places[1])
        if places[0] != places[1] or launches[0] != launches[1]:
            return f"launches of {function.name}:\n  {places[0]} {launches[0]}\n  {places[1]} {launches[1]}"
    return None


def main(count: int, first: int) -> int:
    return run_seeds(follow, count, first)


if __name__ == "__main__":
    exit_with(main)
