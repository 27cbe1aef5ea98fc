"""Any bytes are a normal input, and an edited file is read as if it were new."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from analysis.syntax.cache import SyntaxCache
from analysis.syntax.repair import repair
from analysis.syntax.skeleton import Entry
from analysis.syntax.skeleton_scanner import update
from tests.syntax.unit import build

WORDS = [
    "__global__ void k",
    "__device__ int f",
    "struct S",
    "template <int N>\n",
    "namespace n",
    "int x",
    "typedef",
    "using",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ";",
    "=",
    ",",
    ":",
    "::",
    "*",
    "&",
    "~",
    "operator",
    "return",
    "if",
    "N",
    "F",
    "\n#if N\n",
    "\n#else\n",
    "\n#elif F(1)\n",
    "\n#endif\n",
    "\n#define N F(N)\n",
    "\n#define F(x) x##N #x {\n",
    "\n#undef N\n",
    '\n#include "h.h"\n',
    '\n#include "main.cu"\n',
    "\n#define K(n) __global__ void n() { }\n",
    "\nK(a)\n",
    "\n",
    "\\\n",
    '"',
    "'",
    "//",
    "/*",
    "*/",
    "1",
    'R"(',
    'extern "C"',
    "__LINE__",
    "defined",
    "é",
    "\0",
    "__launch_bounds__(1)",
    "[[",
    "]]",
]
programs = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)
inputs = st.one_of(programs.map(str.encode), st.binary(max_size=60))


@settings(max_examples=400)
@given(inputs)
def test_any_bytes_can_be_read(text: bytes) -> None:
    unit = build(text, {"dir/h.h": "#define N 1\nint h;"})
    for item in unit.items + unit.included_items:
        found = unit.snippet(item)
        assert text[item.span.start : item.span.end] == item.text or item.path != unit.path
        for node in found.root.walk():
            span = found.span(node.start, node.end)
            assert 0 <= span.start <= span.end <= len(item.text)
        repair(found.root, lambda name: name == b"N", lambda name: name == b"F")
        assert unit.fingerprint(item)
        assert not item.name or item in unit.lookup(item.name)


@settings(max_examples=300)
@given(programs, st.integers(0, 200), st.integers(0, 20), st.sampled_from(["", *WORDS]))
def test_an_edited_skeleton_equals_a_fresh_one(text: str, at: int, removed: int, added: str) -> None:
    old = ("int before;\nvoid a() { }\nvoid b() { }\n" + text + "\nvoid y() { }\nvoid z() { }\n").encode()
    new = old[:at] + added.encode() + old[at + removed :]
    edited, fresh = update(update(None, old), new), update(None, new)
    assert described(edited.entries) == described(fresh.entries)


def test_closing_a_brace_far_below_is_noticed() -> None:
    below = "".join(f"int g{number};\n" for number in range(9))
    old = ("int before;\nint more;\nvoid a() { {\n}\nvoid b() { }\n" + below).encode()
    new = old + b"__global__ void k() { }\n" + b"}"
    assert described(update(update(None, old), new).entries) == described(update(None, new).entries)
    shut = old.replace(b"int g8;", b"}")
    assert described(update(update(None, old), shut).entries) == described(update(None, shut).entries)


LINES = (
    "#if A",
    "#ifdef B",
    "#else",
    "#endif",
    "#pragma once",
    "namespace outer {",
    "struct S { int x; int f() { return 1; } };",
    "int outer::g() { return 2; }",
    "__global__ void k(int *p) {",
    "MAKE(made)",
    "}",
    "int a, b;",
)
lines = st.lists(st.sampled_from(LINES), max_size=14)


@settings(max_examples=300)
@given(lines, st.integers(0, 14), st.integers(0, 1), st.sampled_from(LINES))
@example([LINES[8], LINES[7], LINES[0], LINES[8]], 3, 1, LINES[1])  # a body that ends where it cannot go on
@example([LINES[0], LINES[8], LINES[7], LINES[3]], 0, 1, LINES[4])  # an `#endif` in a body that is cut before it
@example([LINES[8], LINES[0], LINES[10], LINES[11], LINES[8]], 4, 1, LINES[11])  # and one that is missing
def test_an_edited_skeleton_of_broken_conditionals_equals_a_fresh_one(
    text: list[str], at: int, removed: int, added: str
) -> None:
    old, new = "\n".join(text).encode(), "\n".join([*text[:at], added, *text[at + removed :]]).encode()
    edited, fresh = update(update(None, old), new), update(None, new)
    assert described(edited.entries) == described(fresh.entries)
    for _, piece in fresh.entries:
        assert all(end <= len(piece.text) for _, end in piece.inner)


def described(entries: tuple[Entry, ...]) -> list[object]:
    return [
        (start, piece.kind, piece.text, piece.head_end, piece.opened, piece.scopes, piece.conditionals, piece.inner)
        for start, piece in entries
    ]


@settings(max_examples=60)
@given(programs, programs)
def test_a_shared_cache_changes_no_answer(first: str, second: str) -> None:
    cache = SyntaxCache()
    build(first, cache=cache)
    warm, cold = build(second, cache=cache), build(second)
    assert warm.items == cold.items
    assert [warm.snippet(item).text for item in warm.items] == [cold.snippet(item).text for item in cold.items]


def test_every_qualified_function_becomes_an_item_whatever_stands_between() -> None:
    noise = [
        "int a = ;",
        "} }",
        "#if 0\n(",
        "#endif\n",
        "struct {",
        "namespace {",
        "void f() { (",
        "#define X {",
        "x = [",
        '"',
        "'a",
    ]
    text = "".join(
        f"{junk}\n__global__ void k{number}(int *p) {{ p[0] = {number}; }}\n" for number, junk in enumerate(noise)
    )
    unit = build(text)
    kernels = [item.name for item in unit.items if item.is_kernel and item.is_definition]
    assert kernels == [f"k{number}" for number in range(len(noise))]


def test_hostile_texts_end_quickly() -> None:
    for text in (
        "(" * 20_000,
        "{" * 20_000,
        "void f() {\n" * 3_000,
        "a<" * 5_000,
        "#if 1\n" * 5_000,
        "x=" * 20_000,
        "/*" * 20_000,
    ):
        unit = build(text)
        for item in unit.items[:20]:
            unit.snippet(item)


def test_a_long_row_of_macros_that_declare() -> None:
    """Each is a declaration of its own, and no `;` ends one."""
    row = "".join(f"OP(f{number})\n" for number in range(600))
    text = (
        "#define OP(name) __device__ int name(int a) { return a; }\n"
        + row
        + "__global__ void k(int *p) { *p = f7(1); }\n"
    )
    items = build(text).items
    assert [item.name for item in (items[0], items[1], items[-1])] == ["f0", "f1", "k"]
    assert len(items) == 601
    assert all(text[item.span.start : item.span.end] == f"OP({item.name})" for item in items[:-1])
