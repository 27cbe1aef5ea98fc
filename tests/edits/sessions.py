"""Somebody types for a long time: random edits of a file and its header, one after the other.

Texts are bytes, edits are as an editor makes them: letters and words that come and go, lines that are cut, copied and
pasted elsewhere, macros, directives and brackets without partners, undo, and a file that is closed and opened again.
Now and then everything is as it was in the beginning, or most of a session would pass in rubble.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, final

from tests.edits.programs import HEADER, MAIN, Project
from tests.sim.random.choices import Choices

_LARGEST: Final = 9000
"""Bytes; who pastes more has everything as it was."""
_UNDO: Final = 12
"""So many versions are remembered."""
_LIFE: Final = 20
"""After so many edits, on average, the beginning comes again."""

_WORDS: Final = (
    *("{", "}", "(", ")", ";", ",", "/*", "*/", "//", '"', "'", "\\\n", "#", "<", ">", "<<<", ">>>", "::", "=", "*"),
    *(
        "#if 1\n",
        "#if TILE > 8\n",
        "#else\n",
        "#endif\n",
        "#ifdef LIMIT\n",
        "#undef TILE\n",
        "#undef LIMIT\n",
        "[",
        "]",
    ),
    *("#define LIMIT 33\n", "#define TILE 8\n", "#define CHECK(c) (c)\n", "#define out in\n", "#define pick where\n"),
    *(
        "#define EACH(i, n) if (int i = n)\n",
        "#define TWO {{\n",
        "#define if(c) if (threadIdx.x > (c))\n",
        "TWO",
        "CHECK(v)",
    ),
    *(
        "threadIdx.x",
        "blockIdx.x",
        "blockDim.x",
        "n",
        "v",
        "i",
        "t",
        "LIMIT",
        "TILE",
        "1",
        "31",
        "0x",
        "1.5f",
        "__LINE__",
    ),
    *("__syncthreads();\n", "__syncwarp();\n", "return;\n", "if (threadIdx.x < n) ", "else ", "for (;;) ", "break;\n"),
    *(
        "int ",
        "float ",
        "auto ",
        "const ",
        "__shared__ ",
        "__device__ ",
        "__global__ ",
        "template <class T> ",
        "static ",
    ),
    *(
        "namespace n {\n",
        "using namespace shapes;\n",
        "struct S { int x; };\n",
        '#include "h.cuh"\n',
        "extern ",
        "&",
        "!",
    ),
    *(
        "__device__ int pick(int v) { return threadIdx.x; }\n",
        "__device__ int extra(int v) { return pick(v) + LIMIT; }\n",
    ),
    *("template <> struct Tile<8> { static const int size = 1; };\n", "inline namespace m {\n", "enum { left = 7 };\n"),
    *("// simt: block=64\n", "// NOLINT\n", "// NOLINTNEXTLINE(simt-*)\n", "\r\n", "\n", "\t", "ü", "你", "\0", "\f"),
    *("__global__ void more(int *o) { if (threadIdx.x < LIMIT) __syncthreads(); o[threadIdx.x * TILE] = 1; }\n",),
)

_TOKEN: Final = re.compile(rb"\w+|[^\w\s]")


@final
class Step(NamedTuple):
    """One edit: where, what it was, and all texts afterwards."""

    path: str
    kind: str
    texts: Project


def session(project: Project, choices: Choices) -> Iterator[Step]:
    """An endless session that begins with `project`."""
    files = {MAIN: project.main.encode(), HEADER: project.header.encode()}
    beginning, done = dict(files), [dict(files)]
    while True:
        path = HEADER if choices.chance(6) else MAIN
        if choices.chance(_LIFE) or len(files[path]) > _LARGEST:
            kind, files = "begin again", dict(beginning)
        elif choices.chance(12):
            kind, files = "undo", dict(choices.pick(done))
        else:
            kind = choices.pick(tuple(EDITS))
            files[path] = EDITS[kind](files[path], choices)
        done = [*done[-_UNDO:], dict(files)]
        yield Step(path, kind, Project(_text(files[MAIN]), _text(files[HEADER])))


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _insert(text: bytes, choices: Choices) -> bytes:
    at = _boundary(text, choices)
    return text[:at] + choices.pick(_WORDS).encode() + text[at:]


def _delete_letters(text: bytes, choices: Choices) -> bytes:
    at = choices.below(len(text) + 1)
    return text[:at] + text[at + choices.between(1, 3) :]


def _delete_passage(text: bytes, choices: Choices) -> bytes:
    at = choices.below(len(text) + 1)
    return text[:at] + text[at + choices.between(1, 80) :]


def _delete_word(text: bytes, choices: Choices) -> bytes:
    return _replaced(text, b"", choices)


def _exchange_word(text: bytes, choices: Choices) -> bytes:
    return _replaced(text, choices.pick(_WORDS).encode(), choices)


def _rename(text: bytes, choices: Choices) -> bytes:
    """One use of a name becomes another name of the file."""
    names = re.findall(rb"\w+", text)
    return _replaced(text, choices.pick(names), choices) if names else text


def _paste(text: bytes, choices: Choices) -> bytes:
    start = choices.below(len(text) + 1)
    at = _boundary(text, choices)
    return text[:at] + text[start : start + choices.between(1, 200)] + text[at:]


def _cut_line(text: bytes, choices: Choices) -> bytes:
    lines = text.splitlines(keepends=True)
    if lines:
        del lines[choices.below(len(lines))]
    return b"".join(lines)


def _copy_lines(text: bytes, choices: Choices) -> bytes:
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    start, at = choices.below(len(lines)), choices.below(len(lines))
    return b"".join([*lines[:at], *lines[start : start + choices.between(1, 8)], *lines[at:]])


def _move_line(text: bytes, choices: Choices) -> bytes:
    lines = text.splitlines(keepends=True)
    if lines:
        line = lines.pop(choices.below(len(lines)))
        lines.insert(choices.below(len(lines) + 1), line)
    return b"".join(lines)


def _new_line(text: bytes, choices: Choices) -> bytes:
    """A word on a line of its own, where a directive or a declaration may take effect."""
    lines = text.splitlines(keepends=True)
    lines.insert(choices.below(len(lines) + 1), choices.pick(_WORDS).encode() + b"\n")
    return b"".join(lines)


def _change_number(text: bytes, choices: Choices) -> bytes:
    found = list(re.finditer(rb"\b\d+\b", text))
    if not found:
        return text
    number = choices.pick(found)
    return text[: number.start()] + str(choices.pick((0, 1, 2, 8, 31, 32, 33, 64))).encode() + text[number.end() :]


def _in_a_class(text: bytes, choices: Choices) -> bytes:
    """A change of a class that mostly leaves it readable: of a body, a head or a member."""
    found = [one for one in _CLASS.finditer(text) if _end_of(text, one.end()) is not None]
    if not found:
        return text
    start = choices.pick(found).start()
    end = _end_of(text, text.index(b"{", start) + 1) or len(text)
    old, new = choices.pick(_EXCHANGES)
    places = list(re.finditer(old, text[start:end], re.MULTILINE))
    if not places:
        return text
    place = choices.pick(places)
    return text[: start + place.start()] + place.expand(new) + text[start + place.end() :]


def _end_of(text: bytes, at: int) -> int | None:
    """Behind the brace that closes what is open there."""
    depth = 1
    for found in re.finditer(rb"[{}]", text[at:]):
        depth += 1 if found[0] == b"{" else -1
        if depth == 0:
            return at + found.end()
    return None


_CLASS: Final = re.compile(rb"\b(?:struct|class)\s+\w+[^;(){]*\{")
_EXCHANGES: Final = (
    (rb"\) (const )?\{", rb") \1{ if (threadIdx.x > 3) __syncthreads(); "),
    (rb"\) (const )?\{", rb") \1{ int Point = 1; "),
    (rb"\) (const )?\{", rb") \1{ struct Step { int y; }; "),
    (rb"\) (const )?\{", rb") \1{ ) "),
    (rb"\) (const )?\{", rb") \1{ // "),
    (rb"\) const \{", rb") {"),
    (rb"\) \{", rb") const {"),
    (rb"return ([^;]*);", rb"return threadIdx.x;"),
    (rb"return ([^;]*);", rb"return 1.5f * (\1);"),
    (rb"return ([^;]*);", rb"return [=] { return \1; }();"),
    (rb"return ([^;]*);", rb"return twice(\1);"),
    (rb"\b\d+\b", rb"33"),
    (rb"\b\d+\b", rb"1"),
    (rb"__device__ int ", rb"__device__ auto "),
    (rb"__device__ int ", rb"__device__ float "),
    (rb"__device__ int ", rb"__device__ constexpr int "),
    (rb"__device__ int ", rb"__host__ __device__ int "),
    (rb"__device__ (int|void) ", rb"__device__ static \1 "),
    (rb"constexpr ", rb""),
    (rb"\bint (\w+);", rb"float \1;"),
    (rb"\bint (\w+);", rb"int \1 = 7;"),
    (rb"\bint (\w+);", rb"int \1; int more;"),
    (rb"\bint (\w+);", rb"static const int \1 = 5;"),
    (rb"\(int (\w+)\)", rb"(float \1)"),
    (rb"\(int (\w+)\)", rb"(int \1, int by = 2)"),
    (rb": public (\w+)", rb": \1"),
    (rb"(struct|class) (\w+) \{", rb"\1 \2 : shapes::Point {"),
    (rb" : [^{]*\{", rb" {"),
    (rb"using \w+::\w+;", rb""),
    (rb"^ *__device__ .*\n", rb""),
    (rb"^( *__device__ .*\n)", rb"\1\1"),
    (rb"^( *)METHOD", rb"#undef METHOD\n#define METHOD __device__ auto\n\1METHOD"),
)


EDITS: Final = {
    "insert": _insert,
    "delete letters": _delete_letters,
    "delete a passage": _delete_passage,
    "delete a word": _delete_word,
    "exchange a word": _exchange_word,
    "rename": _rename,
    "paste": _paste,
    "cut a line": _cut_line,
    "copy lines": _copy_lines,
    "move a line": _move_line,
    "new line": _new_line,
    "change a number": _change_number,
    "change a class": _in_a_class,
    "change another class": _in_a_class,
}


def _boundary(text: bytes, choices: Choices) -> int:
    """Before a token, mostly; now and then anywhere."""
    tokens = list(_TOKEN.finditer(text))
    if not tokens or choices.chance(8):
        return choices.below(len(text) + 1)
    return choices.pick(tokens).start()


def _replaced(text: bytes, new: bytes, choices: Choices) -> bytes:
    tokens = list(_TOKEN.finditer(text))
    if not tokens:
        return text
    token = choices.pick(tokens)
    return text[: token.start()] + new + text[token.end() :]
