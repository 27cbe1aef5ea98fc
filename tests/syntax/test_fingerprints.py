"""Equal fingerprints promise equal analysis results."""

from random import Random

import pytest

from analysis.syntax.cache import SyntaxCache
from analysis.syntax.hidden_bodies import may_look_into_others
from analysis.syntax.items import ItemKind
from analysis.syntax.translation_unit import TranslationUnit
from tests.syntax.unit import build, only

BASE = """#define N 3
#define TWICE(x) (N * (x))
#include "h.h"
struct S { int a; };
__device__ int leaf(S s) { return s.a + header_value; }
__device__ int middle(S s) { return leaf(s); }
__global__ void user(int *p) { p[0] = middle(S()) + TWICE(2); }
__global__ void other(int *p) { p[0] = 1; }
__device__ int even(int n) { return n ? odd(n - 1) : 1; }
__device__ int odd(int n) { return n ? even(n - 1) : 0; }
"""
HEADER = "static const int header_value = 1;\n"
NAMES = ["leaf", "middle", "user", "other", "even", "odd"]


def prints(text: str, header: str = HEADER) -> dict[str, bytes]:
    unit = build(text, {"dir/h.h": header})
    return {name: unit.fingerprint(only(unit, name)) for name in NAMES}


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("return s.a", "return s.a * 2", {"leaf", "middle", "user"}),
        ("int a;", "float a;", {"leaf", "middle", "user"}),
        ("#define N 3", "#define N 4", {"user"}),
        ("#define N 3", "#define N /* c */ 3", set[str]()),
        ("p[0] = 1", "p[0] = 2", {"other"}),
        ("? odd(n - 1)", "? odd(n - 2)", {"even", "odd"}),
        ("#define N 3", "// a comment before everything\n#define N 3", set[str]()),
        ("__global__ void other", "int unrelated;\n__global__ void other", set[str]()),
    ],
)
def test_what_an_edit_changes(old: str, new: str, changed: set[str]) -> None:
    assert old in BASE
    before, after = prints(BASE), prints(BASE.replace(old, new))
    assert {name for name in NAMES if before[name] != after[name]} == changed


def test_a_header_counts_for_those_who_name_what_it_declares() -> None:
    before, after = prints(BASE), prints(BASE, "static const int header_value = 2;\n")
    assert {name for name in NAMES if before[name] != after[name]} == {"leaf", "middle", "user"}


def test_the_cycle_does_not_depend_on_who_asks_first() -> None:
    unit = build(BASE, {"dir/h.h": HEADER})
    late = unit.fingerprint(only(unit, "even"))
    unit = build(BASE, {"dir/h.h": HEADER})
    unit.fingerprint(only(unit, "odd"))
    assert unit.fingerprint(only(unit, "even")) == late


def test_a_macro_counts_with_the_meaning_it_has_at_the_item() -> None:
    text = "#define N 1\nint a() { return N; }\n#undef N\n#define N 2\nint b() { return N; }\n"
    before, after = build(text), build(text.replace("N 2", "N 3"))
    same = [before.fingerprint(only(before, name)) == after.fingerprint(only(after, name)) for name in "ab"]
    assert same == [True, False]


def test_an_item_before_a_define_does_not_hide_its_change_from_those_behind() -> None:
    text = "int a() { return N; }\n#define N 2\nint b() { return N; }\n"
    before, after = build(text), build(text.replace("N 2", "N 3"))
    assert before.fingerprint(only(before, "a")) == after.fingerprint(only(after, "a"))
    assert before.fingerprint(only(before, "b")) != after.fingerprint(only(after, "b"))


def test_an_item_that_uses_its_line_changes_when_it_moves() -> None:
    text = "int a() { return __LINE__; }\nint b() { return 1; }\n"
    before, after = build(text), build("\n" + text)
    same = [before.fingerprint(only(before, name)) == after.fingerprint(only(after, name)) for name in "ab"]
    assert same == [False, True]


def test_items_of_one_declaration_differ() -> None:
    unit = build("__device__ int a, b;")
    assert len({unit.fingerprint(item) for item in unit.items}) == 2


def test_builds_share_the_snippets_of_what_did_not_change() -> None:
    cache = SyntaxCache()

    def made(text: str) -> TranslationUnit:
        return build(text, {"dir/h.h": HEADER}, cache=cache)

    first, second = made(BASE), made("int new;\n" + BASE.replace("p[0] = 1", "p[0] = 2"))
    for name in NAMES:
        same = first.snippet(only(first, name)) is second.snippet(only(second, name))
        assert same == (name != "other"), name


EVERYTHING = """#define N 3
#define M N
enum Color { red, green };
namespace deep { __device__ int hidden(int x) { return x + red; } }
using deep::hidden;
struct V { int x; };
__device__ V operator+(V a, V b) { V c; c.x = a.x + b.x; return c; }
__device__ int here() { return __LINE__; }
__device__ int twice(int x) { return hidden(x) + M; }
#undef N
#define N 4
__device__ V sum(V a) { return a + a; }
__global__ void user(int *p, V v) { p[N] = twice(here()) + sum(v).x; }
__device__ int even(int n) { return n ? odd(n - 1) : green; }
__device__ int odd(int n) { return n ? even(n - 1) : 0; }
struct S { int x; __device__ int f(int n) { return even(n) + N; } __device__ auto g() { return [=] { return x; }(); } };
__device__ int method(S s) { return s.f(1) + s.g(); }
"""
WORDS = [
    "",
    ";",
    " ",
    "\n",
    "x",
    "N",
    "red",
    "+ 1",
    "user",
    "here()",
    "__LINE__",
    "{",
    "}",
    "#define N 5\n",
    "int z;",
    "auto ",
    "[=] { return 1; }()",
    "// ",
    "constexpr ",
]


@pytest.mark.parametrize("seed", range(40))
def test_after_any_edits_they_are_those_of_a_fresh_build(seed: int) -> None:
    random = Random(seed)
    cache = SyntaxCache()
    text = EVERYTHING
    for _ in range(12):
        at = random.randrange(len(text))
        text = text[:at] + random.choice(WORDS) + text[at + random.choice([0, 0, 1, 3]) :]
        edited, fresh = build(text, cache=cache), build(text)
        asked = random.sample(edited.items, random.randrange(1, len(edited.items) + 1))
        assert [edited.fingerprint(item) for item in asked] == [fresh.fingerprint(item) for item in asked], text
        asked = random.sample(edited.items, random.randrange(1, len(edited.items) + 1))
        assert [edited.to_lower(item) for item in asked] == [fresh.to_lower(item) for item in asked], text
        assert edited.meaning_of(b"S V even") == fresh.meaning_of(b"S V even"), text


LOOKING = {
    "apply([=] { return 1; })": True,
    "apply( // a comment\n  [&](int i) { return i; })": True,
    "return [] { return 1; }();": True,
    "auto f = <:=:> { return 1; };": True,
    "a[i] + b [j] + f(x)[2] + g[1][2]": False,
    "[[nodiscard]] int f();": False,
    "M [i]": True,
    "void f(cooperative_groups::thread_group g);": True,
    "int f();": False,
}


@pytest.mark.parametrize("text", LOOKING)
def test_where_a_lambda_may_stand(text: str) -> None:
    assert may_look_into_others(text.encode(), {b"M"}) is LOOKING[text]


SEEN = {
    "__device__ int f(int v) { return v; }": True,
    "template <int N> __device__ int f(int (&v)[N]) { return v[0]; }": True,
    "__device__ auto f(int v) { return v; }": False,
    "__device__ constexpr int f(int v) { return v; }": False,
    "#define INT auto\n__device__ INT f(int v) { return v; }": False,
    "#define D __device__ int\nD f(int v) { return v; }": True,
    "#define BODY { return v; }\n__device__ int f(int v) BODY": False,
    "#define OPEN {\n__device__ int f(int v) OPEN return v; }": False,
    "__host__ __device__ int f(int v) { return v; }": False,
    "int f(int v) { return v; }": False,
    "__device__ int f(int v) { return v + ; }": False,
    "__device__ int f(int v) { return 1; }\n__device__ int f(float v) { return v; }": False,
    "struct f { __device__ f(int v) { } };": False,
    "__device__ int f(int v) {\n#if 1\n return v;\n#endif\n}": False,
}


@pytest.mark.parametrize("text", SEEN)
def test_whose_body_others_do_not_see(text: str) -> None:
    unit = build(text)
    functions = [item for item in unit.items if item.name == "f" and item.kind is ItemKind.FUNCTION]
    assert functions
    for item in functions:
        locator = unit.locator(item)
        assert locator is not None
        assert (locator.view != item.text) is SEEN[text]
