"""What host code says of members of objects that a launch passes, and what it does not."""

from __future__ import annotations

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.launches import Launch, launch_shapes
from analysis.pipeline import unit_of_text
from tests.support.project_analysis import analyzed

TYPES = (
    "struct In { int a, b; };\n"
    "struct P { int n; In in; int s[2]; float *x; int2 v; };\n"
    "typedef struct Old_ { int n; short m; unsigned char c; bool on; } Old;\n"
    "struct All { P of; };\n"
    "struct Made { int n; Made(int m) : n(m + 1) {} };\n"
    "__global__ void k(P p);\nbool ask();\nvoid use(P p);\nvoid fill(P &p);\nvoid fill_all(int *s);\n"
)


def only_launch(text: str) -> Launch:
    unit = unit_of_text(TYPES + text)
    (found,) = launch_shapes(unit)["k"]
    return found


def claimed(text: str) -> dict[str, int]:
    return {one.path: one.number for one in only_launch(text).members}


WHOLE = {"n": 1, "in.a": 2, "in.b": 3, "s.0": 4, "s.1": 5, "v.x": 6, "v.y": 7}


@pytest.mark.parametrize(
    ("body", "members"),
    [
        ("P p = {1, {2, 3}, {4, 5}, 0, {6, 7}}; k<<<1, 2>>>(p);", WHOLE),
        ("k<<<1, 2>>>(P{1, {2, 3}, {4, 5}, 0, make_int2(6, 7)});", WHOLE),
        ("P p; p.n = 1; p.in.b = 3; p.s[1] = 5; k<<<1, 2>>>(p);", {"n": 1, "in.b": 3, "s.1": 5}),
        (
            "struct P p = {.n = 1, .in = {.b = 3}}; k<<<1, 2>>>(p);",
            WHOLE | dict.fromkeys(WHOLE, 0) | {"n": 1, "in.b": 3},
        ),
        ("P p = {}; P q = p; p.n = 3; q.n += 2; k<<<1, 2>>>(q);", dict.fromkeys(WHOLE, 0) | {"n": 2}),
        ("P p; p.in = {2, 3}; k<<<1, 2>>>((p));", {"in.a": 2, "in.b": 3}),
        ("P p; p.n = 1; use(p); k<<<1, 2>>>(p);", {"n": 1}),
        ("All all; all.of.n = 1; P p = all.of; k<<<1, 2>>>(all.of);", {"n": 1}),
        ("P p = {1, 2, 3, 4, 5, 0, 6, 7}; k<<<1, 2>>>(p);", {"n": 1}),
        ("Old o = {70000, 70000, 300}; k<<<1, 2>>>(o);", {"n": 70000, "m": 4464, "c": 44}),
        ("int w = 3; auto d = dim3(w, w); k<<<1, 2>>>(d);", {"x": 3, "y": 3, "z": 1}),
        ("uint3 d{5}; k<<<1, 2>>>(d);", {"x": 5, "y": 0, "z": 0}),
        ("uint3 d; d.y = 5; k<<<1, 2>>>(d);", {"y": 5}),
        ("P p; if (ask()) p.n = 1; else p.n = 2; p.in.a = 4; k<<<1, 2>>>(p);", {"in.a": 4}),
    ],
)
def test_what_every_launch_passes(body: str, members: dict[str, int]) -> None:
    assert claimed(f"void run() {{ {body} }}") == members


@pytest.mark.parametrize(
    "body",
    [
        "P p; p.n = 1; fill(p); k<<<1, 2>>>(p);",
        "P p; P *q = &p; p.n = 1; q->n = 2; k<<<1, 2>>>(p);",
        "P p; P &q = p; p.n = 1; q.n = 2; k<<<1, 2>>>(p);",
        "P p; p.s[0] = 1; fill_all(p.s); k<<<1, 2>>>(p);",
        "P p; int *s = p.s; p.s[0] = 1; s[0] = 2; k<<<1, 2>>>(p);",
        "P p; p.s[0] = 1; p.s[ask()] = 2; k<<<1, 2>>>(p);",
        "P p; p.s[0] = 1; for (int &one : p.s) one = 2; k<<<1, 2>>>(p);",
        "P p; p.n = 1; [&] { p.n = 2; }(); k<<<1, 2>>>(p);",
        "P p; while (ask()) { k<<<1, 2>>>(p); p.n = 1; }",
        "Made p = {1}; k<<<1, 2>>>(p);",
        "P *p = new P; p->n = 1; k<<<1, 2>>>(*p);",
        "int s[2] = {1, 2}; k<<<1, 2>>>(s);",
        "union { int n; float f; } u; u.n = 1; u.f = 2; k<<<1, 2>>>(u);",
        "P p; memcpy(p.s, other(), 8); k<<<1, 2>>>(p);",
    ],
)
def test_what_is_not_known(body: str) -> None:
    assert claimed(f"void run() {{ {body} }}") == {}


def test_members_of_parameters_are_those_that_calls_pass() -> None:
    text = (
        "static void run(P p, int w) { p.in.a = w; k<<<1, 2>>>(p); }\n"
        "int main() { P p; p.n = 1; p.s[1] = 5; run(p, 3); p.n = 2; run(p, 4); }"
    )
    launch = only_launch(text)
    assert {one.path: one.number for one in launch.members} == {"s.1": 5}
    made = [{one.path: one.number for one in each.members} for each in launch.made]
    assert made == [{"n": 1, "in.a": 3, "s.1": 5}, {"n": 2, "in.a": 4, "s.1": 5}]


FUNCTIONS = (
    "P made(int n) { P p = {n}; p.in.a = n + 1; return p; }\n"
    "P brief(int n) { return P{n}; }\n"
    "P either(int n) { P p = {n}; if (n > 3) return p; p.n = 2; return p; }\n"
    "void filled(P &p, int n) { p.n = n; p.s[1] += p.n; }\n"
    "void at(int n, P *p) { p->n = n; p->in.b = p->n * 2; }\n"
    "void twice(P *p, const P &q) { p->n = 1; p->in.a = q.n; }\n"
    "P *kept;\nvoid keeps(P *p) { p->n = 1; kept = p; }\n"
    "void early(P &p) { if (ask()) return; p.n = 1; }\n"
    "void deep(P &p) { fill(p); p.n = 1; }\n"
    "P over(int n) { P p; p.n = n; return p; }\nP over(float n) { P p; p.n = 7; return p; }\n"
    "template <class T> void any(T &p) { p.n = 1; }\n"
)


@pytest.mark.parametrize(
    ("body", "members"),
    [
        ("k<<<1, 2>>>(made(3));", dict.fromkeys(WHOLE, 0) | {"n": 3, "in.a": 4}),
        ("P p = brief(5); k<<<1, 2>>>(p);", dict.fromkeys(WHOLE, 0) | {"n": 5}),
        ("auto p = made(3); p.n *= 2; k<<<1, 2>>>(p);", dict.fromkeys(WHOLE, 0) | {"n": 6, "in.a": 4}),
        ("P p; p.s[1] = 2; p.s[0] = 9; filled(p, 3); k<<<1, 2>>>(p);", {"n": 3, "s.0": 9, "s.1": 5}),
        ("P p; p.n = 4; at(p.n + 1, &p); k<<<1, 2>>>(p);", {"n": 5, "in.b": 10}),
        ("P p; p.n = 4; if (ask()) at(4, &p); k<<<1, 2>>>(p);", {"n": 4}),
        ("P p; for (int i = 0; i < 3; i++) at(i, &p); k<<<1, 2>>>(p);", {}),
        ("P p; p.n = 4; twice(&p, p); k<<<1, 2>>>(p);", {}),
        ("P p; P q; q.n = 4; twice(&p, q); k<<<1, 2>>>(p);", {"n": 1, "in.a": 4}),
        ("P p; keeps(&p); p.n = 2; k<<<1, 2>>>(p);", {}),
        ("P p; p.n = 2; early(p); k<<<1, 2>>>(p);", {}),
        ("P p; p.n = 2; deep(p); k<<<1, 2>>>(p);", {}),
        ("k<<<1, 2>>>(either(5));", {}),
        ("k<<<1, 2>>>(over(5));", {}),
        ("P p; p.n = 2; any(p); k<<<1, 2>>>(p);", {}),
        ("auto made = [](int n) { return P{7}; }; k<<<1, 2>>>(made(3));", {}),
    ],
)
def test_functions_make_objects(body: str, members: dict[str, int]) -> None:
    assert claimed(f"{FUNCTIONS}void run() {{ {body} }}") == members


def test_an_edit_of_what_makes_the_object_is_seen() -> None:
    text = (
        "struct P { int n, m; };\n__global__ void k(P p, int *x) { x[p.n] = p.m; }\n"
        "int more(int n) { int m = n + 1; return m; }\n"
        "void fill(P &p) { int m = 3; p.m = m; }\n"
        "P made(int n) { P p; p.n = n; fill(p); return p; }\n"
        "void run(int *x) { k<<<1, 2>>>(made(1), x); }\nint main() { run(0); }\n"
    )
    analyzer = Analyzer()
    for version, found in (
        (text, (1, 3)),
        (text.replace("p.n = n;", "p.n = n * 2;"), (2, 3)),
        (text.replace("int m = 3;", "int m = 4;"), (1, 4)),
        (text.replace("= n + 1;", "= n + 2;"), (1, 3)),
        (text.replace("p.m = m;", "p.m = m; keep(&p);"), ()),
        (text.replace("x[p.n] = p.m", "x[p.n] = p.m + 1"), (1, 3)),
    ):
        analysis = analyzed({"k.cu": version}, "k.cu", analyzer)
        knowledge = analysis.launch_of(next(one for one in analysis.facts.functions if one.name == "k"))
        assert knowledge is not None
        (launch,) = knowledge.launches
        assert tuple(number for _, _, number in launch.members) == found, version
