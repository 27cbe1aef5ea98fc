"""What stands before an edit is walked once, and a walk that goes on from there finds what a whole one does."""

from random import Random

import pytest

from analysis.syntax.cache import SyntaxCache
from analysis.syntax.environment import Environment
from analysis.syntax.translation_unit import TranslationUnit
from tests.syntax.unit import MAIN, build

TEXT = """#include "a.h"
#include "b.h"
void f() { int x; }
#include "c.h"
void g() { int y; }
"""
FILES = {"dir/a.h": "int a;", "include/b.h": "int b;", "dir/c.h": "int c;"}
ENVIRONMENT = Environment(include_dirs=("near", "include"))


def kept_of(first: TranslationUnit, second: TranslationUnit) -> str:
    """The names of the included items that a later walk took over from an earlier one."""
    return " ".join(item.name for item in second.included_items if any(item is one for one in first.included_items))


def versions(*edits: tuple[str, str]) -> list[TranslationUnit]:
    """The text after each edit, built with one cache."""
    cache, texts = SyntaxCache(), [TEXT]
    for old, new in edits:
        assert old in texts[-1]
        texts.append(texts[-1].replace(old, new))
    return [build(text, FILES, ENVIRONMENT, cache) for text in texts]


def test_what_is_included_before_an_edit_is_not_walked_again() -> None:
    first, second, third = versions(("int y", "int yy"), ("int yy", "int yyy"))
    assert kept_of(first, second) == ""  # nobody knew yet where edits would be
    assert kept_of(second, third) == "a b c"


def test_what_is_included_behind_an_edit_is_walked_again() -> None:
    first, second, third = versions(("int x", "int xx"), ("int xx", "int xxx"))
    assert kept_of(first, second) == ""
    assert kept_of(second, third) == "a b"


def test_the_prefix_follows_the_place_of_the_edits() -> None:
    units = versions(("int x", "int xx"), ("int y", "int yy"), ("int yy", "int yyy"), ("int xx", "int x"))
    assert kept_of(units[1], units[2]) == "a b"
    assert kept_of(units[2], units[3]) == "a b c"
    assert kept_of(units[3], units[4]) == ""


@pytest.mark.parametrize(
    ("files", "names"),
    [
        ({**FILES, "include/b.h": "int changed;"}, "a changed c"),
        ({**FILES, "near/b.h": "int nearer;"}, "a nearer c"),
        ({**FILES, "dir/b.h": "int beside;"}, "a beside c"),
        ({path: text for path, text in FILES.items() if path != "dir/a.h"}, "b c"),
    ],
)
def test_a_header_that_is_not_as_it_was_is_seen(files: dict[str, str], names: str) -> None:
    cache = SyntaxCache()
    first = build(TEXT, FILES, ENVIRONMENT, cache)
    second = build(TEXT.replace("int y", "int yy"), files, ENVIRONMENT, cache)
    assert [item.name for item in first.included_items] == ["a", "b", "c"]
    assert [item.name for item in second.included_items] == names.split()
    assert len(second.problems) == ("a" not in names.split())


def test_another_environment_or_file_around_it_is_another_text() -> None:
    cache = SyntaxCache()
    text = '#include "a.h"\nvoid f() { }\n'
    files = {"dir/a.h": "#ifdef N\nint n;\n#endif\n#if __CUDA_ARCH__ >= 900\nint new;\n#endif\n"}
    around = {"dir/x.cu": '#define N\n#include "main.cu"\n', "dir/y.cu": '#include "main.cu"\n'}

    def names(environment: Environment, context: str | None = None) -> list[str]:
        unit = build(text, files | around, environment, cache, context=context)
        return [item.name for item in unit.included_items]

    assert names(Environment()) == []
    assert names(Environment(architecture=900)) == ["new"]
    assert names(Environment(), "dir/x.cu") == ["n"]
    assert names(Environment(), "dir/y.cu") == []
    around["dir/y.cu"] = around["dir/x.cu"]
    assert names(Environment(), "dir/y.cu") == ["n"]


def test_behind_a_change_before_the_first_line_a_prefix_is_kept_again() -> None:
    cache = SyntaxCache()
    forced = Environment(forced_includes=("forced.h",))
    texts = [TEXT.replace("int y", f"int y{number}") for number in range(4)]
    headers = ["int once;", "int once;", "int twice;", "int twice;"]
    units = [
        build(text, {**FILES, "forced.h": header, "dir/b.h": "int b;"}, forced, cache)
        for text, header in zip(texts, headers, strict=True)
    ]
    assert kept_of(units[1], units[2]) == ""
    assert kept_of(units[2], units[3]) == "twice a b c"


LINES = (
    '#include "a.h"',
    '#include "b.h"',
    '#include "c.h"',
    '#include "lost.h"',
    "#include NAME",
    '#define NAME "b.h"',
    "#define N 1",
    "#define N 2",
    "#undef N",
    "#define MAKE(x) void x() { int y; }",
    "MAKE(made)",
    "#ifdef N",
    "#if N > 1 && defined(A_H)",
    '#if __has_include("c.h")',
    "#else",
    "#endif",
    "#pragma once",
    "namespace outer {",
    "inline namespace inner {",
    "struct S { int x; __device__ int f() { return N; } };",
    "int outer::g() { return N; }",
    "__global__ void k(int *p) {",
    "}",
    "int a, b;",
    "",
)


def lines_of(random: Random, count: int) -> list[str]:
    return [random.choice(LINES) for _ in range(count)]


def all_of(unit: TranslationUnit) -> tuple[object, ...]:
    macros = unit.macros
    return (
        unit.items, unit.included_items, unit.includes, unit.problems, unit.inline_namespaces, macros.names,
        macros.current, macros.left_out, {path: unit.text_of(path) for path in unit.read_paths},
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_after_any_edits_a_walk_finds_what_a_whole_one_finds(seed: int) -> None:
    random, cache = Random(seed), SyntaxCache()
    files = {f"dir/{name}.h": lines_of(random, 6) for name in "abc"}
    files["dir/around.cu"] = [*lines_of(random, 4), '#include "main.cu"', *lines_of(random, 2)]
    files[MAIN] = [*lines_of(random, 12), "void last() { }"]
    context = random.choice((None, "dir/around.cu"))
    environments = Environment(), Environment(architecture=900, forced_includes=("dir/a.h",))
    for _ in range(20):
        lines = files[random.choice([*files, *[MAIN] * 12])]
        at = random.choice([-2, random.randrange(len(lines))])
        lines[at : at + random.randrange(2)] = lines_of(random, 1)
        if random.random() < 0.1 and files.pop("dir/c.h", None) is None:
            files["dir/c.h"] = lines_of(random, 3)
        texts = {path: "\n".join(lines) for path, lines in files.items()}
        text, environment = texts.pop(MAIN), random.choice(environments)
        kept = build(text, texts, environment, cache, context=context)
        assert all_of(kept) == all_of(build(text, texts, environment, context=context)), text
