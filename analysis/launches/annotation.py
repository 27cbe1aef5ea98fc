"""The comment above a kernel: `// simt: grid=8 block=16,16 n=2048 x=random(0,1) seed=1`.

Rules    Words of the form `key=value` after `simt:`, over one or more comment lines.  `grid`, `block`, `seed` and
         `shared` are about the launch; any other key names a parameter, a member of one (`p.width`), a variable or a
         template parameter, and keeps its value as text.
         What cannot be read is reported and otherwise ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Final, final

from analysis.ir.record import record
from analysis.launches.model import Shape

MAX_BLOCK_THREADS: Final = 1024


class AnnotationProblemKind(Enum):
    NOT_A_SETTING = "expected key=value"
    BAD_SHAPE = "expected one to three positive numbers, separated by commas"
    BLOCK_TOO_LARGE = "a block has at most 1024 threads"
    BAD_NUMBER = "expected a number"
    REPEATED = "this key was set before"


@final
@record
class AnnotationProblem:
    """A word that could not be read; `start` and `end` are offsets in the text of the comment."""

    kind: AnnotationProblemKind
    word: str
    start: int
    end: int


@final
@record
class LaunchAnnotation:
    """`parameters` holds every other key with its value as written."""

    block: Shape | None = None
    grid: Shape | None = None
    seed: int | None = None
    shared_bytes: int | None = None
    parameters: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    problems: tuple[AnnotationProblem, ...] = ()


def annotation(text: str) -> LaunchAnnotation:
    """What the comment says; a comment without `simt:` says nothing."""
    reader = _Reader()
    for line in _LINE.finditer(text):
        for word in _WORD.finditer(text, line.start(1), line.end(1)):
            reader.read(word[0], word.start(), word.end())
    return LaunchAnnotation(
        reader.shapes.get("block"),
        reader.shapes.get("grid"),
        reader.numbers.get("seed"),
        reader.numbers.get("shared"),
        reader.parameters,
        tuple(reader.problems),
    )


_LINE: Final = re.compile(r"(?://+|/\*|^|\*)[ \t]*simt:([^\n]*)", re.MULTILINE)
_WORD: Final = re.compile(r"(?:[^\s()\[\]]|\([^()\n]*\)|\[[^\[\]\n]*\])+|[()\[\]]")
_SETTING: Final = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*)=(.+)$")
_SHAPES: Final = ("block", "grid")
_NUMBERS: Final = ("seed", "shared")


@final
class _Reader:
    def __init__(self) -> None:
        self.shapes: dict[str, Shape] = {}
        self.numbers: dict[str, int] = {}
        self.parameters: dict[str, str] = {}
        self.problems: list[AnnotationProblem] = []

    def read(self, word: str, start: int, end: int) -> None:
        if word == "*/":
            return
        problem = self._problem(word)
        if problem is not None:
            self.problems.append(AnnotationProblem(problem, word, start, end))

    def _problem(self, word: str) -> AnnotationProblemKind | None:
        match = _SETTING.match(word)
        if match is None:
            return AnnotationProblemKind.NOT_A_SETTING
        key, value = match[1], match[2]
        if key in self.shapes or key in self.numbers or key in self.parameters:
            return AnnotationProblemKind.REPEATED
        if key in _SHAPES:
            return self._shape(key, value)
        if key in _NUMBERS:
            return self._number(key, value)
        self.parameters[key] = value
        return None

    def _shape(self, key: str, value: str) -> AnnotationProblemKind | None:
        parts = value.strip("()").replace("x", ",").split(",")
        if len(parts) > 3 or not all(part.isascii() and part.isdigit() and len(part) < 11 for part in parts):
            return AnnotationProblemKind.BAD_SHAPE
        shape = Shape(*(int(part) for part in parts))
        if min(shape) < 1:
            return AnnotationProblemKind.BAD_SHAPE
        if key == "block" and shape.x * shape.y * shape.z > MAX_BLOCK_THREADS:
            return AnnotationProblemKind.BLOCK_TOO_LARGE
        self.shapes[key] = shape
        return None

    def _number(self, key: str, value: str) -> AnnotationProblemKind | None:
        if not (value.isascii() and value.isdigit() and len(value) < 20):
            return AnnotationProblemKind.BAD_NUMBER
        self.numbers[key] = int(value)
        return None


def annotation_above(text: bytes, start: int) -> LaunchAnnotation | None:
    """The `// simt:` comment directly above the function that starts at `start`."""
    comments: list[str] = []
    end = text.rfind(b"\n", 0, start)
    while end > 0:
        begin = text.rfind(b"\n", 0, end) + 1
        line = text[begin:end].strip()
        if not line.startswith(b"//"):
            break
        comments.insert(0, line.decode("utf-8", "replace"))
        end = begin - 1
    joined = "\n".join(comments)
    return annotation(joined) if "simt:" in joined else None
