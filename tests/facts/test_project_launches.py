"""Launches and calls in other files of a project."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.known_launches import LaunchesOfFile
from analysis.facts.known_launches import launches_of_file as once
from analysis.features.launch_text import block_text, launches_text
from tests.support.project_analysis import analyzed

KERNEL = "__global__ void k(int *x, int n) { if (threadIdx.x < 32) x[threadIdx.y] = n; }\n"
DECLARED = "__global__ void k(int *x, int n);\n"
ROWS = "void rows(int *x) { k<<<2, dim3(64, 4)>>>(x, 7); }\n"
SQUARES = "void squares(int *x) { k<<<1, dim3(8, 8)>>>(x, 7); }\n"
NOTHING = set[tuple[int, int, int]]()


def _shapes(files: dict[str, str], path: str, analyzer: Analyzer | None = None) -> set[tuple[int, int, int]]:
    analysis = analyzed(files, path, analyzer)
    launch = analysis.launch_of(next(one for one in analysis.facts.functions if one.name == "k"))
    assert launch is not None
    return {(shape.x, shape.y, shape.z) for shape in launch.shapes}


IN_HEADER = {"k.cuh": KERNEL, "a.cu": '#include "k.cuh"\n' + ROWS}
DECLARED_IN_HEADER = {"k.cu": KERNEL, "k.h": DECLARED, "a.cu": '#include "k.h"\n' + ROWS}


@pytest.mark.parametrize(
    ("files", "path"),
    [
        pytest.param(IN_HEADER, "k.cuh", id="a header"),
        pytest.param(DECLARED_IN_HEADER, "k.cu", id="a declaration in a header"),
        pytest.param({"k.cu": KERNEL, "a.cu": DECLARED + ROWS}, "k.cu", id="a plain declaration"),
        pytest.param({"k.cu": KERNEL, "a.cu": '#include "k.cu"\n' + ROWS}, "k.cu", id="a part"),
        pytest.param(
            {"k.cu": KERNEL, "a.cu": DECLARED + "#define RUN(b) k<<<2, b>>>(0, 7)\nvoid f() { RUN(dim3(64, 4)); }\n"},
            "k.cu",
            id="a macro",
        ),
        pytest.param(
            {
                "k.cuh": KERNEL + "#define RUN(n, b) n##k<<<2, b>>>(0, 7)\n",
                "a.cu": '#include "k.cuh"\nvoid f() { RUN(, dim3(64, 4)); }\n',
            },
            "k.cuh",
            id="pasted words",
        ),
    ],
)
def test_launches_elsewhere(files: dict[str, str], path: str) -> None:
    assert _shapes(files, path) == {(64, 4, 1)}
    another = '#include "k.h"\n' if "k.h" in files else '#include "k.cuh"\n' if "k.cuh" in files else DECLARED
    assert _shapes({**files, "b.cu": another + SQUARES}, path) == {(64, 4, 1), (8, 8, 1)}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param("void *any = (void *)k;\n", id="a pointer"),
        pytest.param("void other(int *x, dim3 b) { k<<<1, b>>>(x, 1); }\n", id="unknown blocks"),
        pytest.param("#define KERNEL k\nvoid f() { run(KERNEL); }\n", id="a name in a macro"),
        pytest.param("#define GLUE(a) a##k\nvoid f() { run(GLUE()); }\n", id="a pasted name"),
    ],
)
@pytest.mark.parametrize(("files", "path"), [(IN_HEADER, "k.cuh"), (DECLARED_IN_HEADER, "k.cu")])
def test_one_use_that_is_not_known_opens_all(files: dict[str, str], path: str, other: str) -> None:
    include = '#include "k.h"\n' if "k.h" in files else '#include "k.cuh"\n'
    assert _shapes({**files, "b.cu": include + other}, path) == NOTHING


def test_a_launch_of_a_namesake_opens() -> None:
    namesake = "namespace other { __global__ void k(int *x, int n); }\nusing namespace other;\n"
    assert _shapes({**DECLARED_IN_HEADER, "b.cu": '#include "k.h"\n' + namespace_launch(namesake)}, "k.cu") == NOTHING


def namespace_launch(text: str) -> str:
    return text + SQUARES


@pytest.mark.parametrize("other", ["cl_kernel k;\n", "void k();\nvoid f() { k(); }\n", "void f(int k) { g(k); }\n"])
def test_another_thing_of_that_name_is_none(other: str) -> None:
    assert _shapes({**DECLARED_IN_HEADER, "b.cpp": other}, "k.cu") == {(64, 4, 1)}


def test_neighbours_with_the_same_names() -> None:
    files = {f"/p/{name}": text for name, text in DECLARED_IN_HEADER.items()}
    files |= {f"/q/{name}": text.replace("dim3(64, 4)", "32") for name, text in DECLARED_IN_HEADER.items()}
    assert _shapes(files, "/p/k.cu") == {(64, 4, 1)}
    assert _shapes(files, "/q/k.cu") == {(32, 1, 1)}


def test_own_launches_do_not_stand_for_those_of_a_file_that_is_not_certain() -> None:
    own = KERNEL + SQUARES
    assert _shapes({"/p/s/k.cu": own, "/p/a.cu": DECLARED + ROWS}, "/p/s/k.cu") == {(8, 8, 1), (64, 4, 1)}
    ambiguous = {"/p/s/k.cu": own, "/p/t/k.cu": KERNEL, "/p/a.cu": DECLARED + ROWS}
    assert _shapes(ambiguous, "/p/s/k.cu") == NOTHING
    another = {**ambiguous, "/p/a.cu": "int k(int); int f() { return k(1); }\n"}
    assert _shapes(another, "/p/s/k.cu") == {(8, 8, 1)}


BY_MACRO = """#pragma once
#ifdef LARGE
#define WIDTH 64
#else
#define WIDTH 32
#endif
__global__ void k(int *x, int n) { if (threadIdx.x < 32) x[threadIdx.y] = n; }
static inline void run(int *x, int n) { k<<<2, WIDTH>>>(x, n); }
static inline void through(int *x) { run(x, 7); }
"""


@pytest.mark.parametrize("call", ["run(x, 3);", "through(x);"])
def test_a_header_launches_with_the_macros_of_each_file(call: str) -> None:
    files = {"k.cuh": BY_MACRO, "a.cu": f'#include "k.cuh"\nvoid a(int *x) {{ {call} }}\n'}
    assert _shapes(files, "k.cuh") == {(32, 1, 1)}
    large = f'#define LARGE\n#include "k.cuh"\nvoid b(int *x) {{ {call} }}\n'
    assert _shapes({**files, "b.cu": large}, "k.cuh") == {(32, 1, 1), (64, 1, 1)}
    calls_nothing = '#define LARGE\n#include "k.cuh"\n'
    assert _shapes({**files, "b.cu": calls_nothing}, "k.cuh") == {(32, 1, 1)}


WRAPPED = KERNEL + "void launch(int *x, int n, int block) { k<<<(n + block - 1) / block, block>>>(x, n); }\n"


@pytest.mark.parametrize("caller", ["main.cpp", "main.cu"])
@pytest.mark.parametrize("header", [True, False])
def test_calls_of_a_wrapper_in_another_file(caller: str, *, header: bool) -> None:
    call = "int main() { int n = 1 << 10; launch(0, n, 256); }\n"
    declaration = "void launch(int *x, int n, int block);\n"
    files = {"k.cu": WRAPPED, caller: ('#include "k.h"\n' if header else declaration) + call}
    if header:
        files["k.h"] = declaration
    assert _shapes(files, "k.cu") == {(256, 1, 1)}
    analysis = analyzed(files, "k.cu")
    launch = analysis.launch_of(analysis.facts.functions[0])
    assert launch is not None
    assert launch.passed == ((0, 0), (1, 1024))


def test_calls_of_a_wrapper_with_several_numbers() -> None:
    call = "void launch(int *x, int n, int block);\nint main() { launch(0, 7, 256); }\n"
    files = {"k.cu": WRAPPED, "a.cpp": call, "b.cpp": call.replace("main", "other").replace("256", "64")}
    assert _shapes(files, "k.cu") == {(256, 1, 1), (64, 1, 1)}
    analysis = analyzed(files, "k.cu")
    launch = analysis.launch_of(analysis.facts.functions[0])
    assert launch is not None
    assert {made.shape.x for made in launch.launches} == {256, 64}


@pytest.mark.parametrize(
    "use",
    [
        pytest.param("int main(int argc, char **) { launch(0, 7, argc); }\n", id="an unknown number"),
        pytest.param("int main() { launch(0, 7, 256); }\nauto any = launch;\n", id="a pointer"),
        pytest.param("#define L launch\nint main() { launch(0, 7, 256); L(0, 7, 64); }\n", id="a macro"),
    ],
)
def test_a_wrapper_that_may_be_called_with_anything(use: str) -> None:
    files = {"k.cu": WRAPPED, "a.cpp": "void launch(int *x, int n, int block);\n" + use}
    assert _shapes(files, "k.cu") == NOTHING


def test_calls_are_followed_over_files() -> None:
    files = {
        "k.cuh": KERNEL,
        "launch.cu": '#include "k.cuh"\nvoid launch(int *x, int block) { k<<<1, block>>>(x, 1); }\n',
        "run.cpp": "void launch(int *x, int block);\nvoid run(int block) { launch(0, block); }\n",
        "main.cpp": "void run(int block);\nint main() { run(128); }\n",
    }
    assert _shapes(files, "k.cuh") == {(128, 1, 1)}


def test_macros_of_a_compiler_are_not_those_of_a_host_file() -> None:
    text = "void launch(int *x, int n, int block);\n#ifdef __CUDACC__\n#define B 32\n#else\n#define B 64\n#endif\n"
    files = {"k.cu": WRAPPED, "a.cpp": text + "int main() { launch(0, 7, B); }\n"}
    assert _shapes(files, "k.cu") == {(64, 1, 1)}


def test_the_launches_that_are_assumed_are_named() -> None:
    files = {**IN_HEADER, "b.cu": '#include "k.cuh"\n\n' + SQUARES}
    analysis = analyzed(files, "k.cuh")
    kernel = analysis.facts.functions[0]
    assert analysis.launch_places(kernel) == (("a.cu", 2), ("b.cu", 3))
    text = launches_text(block_text(analysis.launch_of(kernel)), analysis, kernel)
    assert text == "block of 64 x 4 or 8 x 8 threads; both launches: a.cu:2, b.cu:3"
    unknown = analyzed({**files, "c.cu": '#include "k.cuh"\nvoid *any = (void *)k;\n'}, "k.cuh")
    assert unknown.launch_places(unknown.facts.functions[0]) == ()


def test_an_edit_elsewhere_is_seen_and_one_of_the_kernel_reads_nothing_again() -> None:
    analyzer = Analyzer()
    assert _shapes(IN_HEADER, "k.cuh", analyzer) == {(64, 4, 1)}
    assert _shapes({**IN_HEADER, "a.cu": '#include "k.cuh"\n' + SQUARES}, "k.cuh", analyzer) == {(8, 8, 1)}
    edited = {**IN_HEADER, "k.cuh": "/* above */\n" + KERNEL.replace("= n", "= n + 1")}
    assert _shapes(edited, "k.cuh", analyzer) == {(64, 4, 1)}


BODIES = KERNEL + "__device__ int d(int v) { return v; }\nvoid own(int *x) { k<<<1, 32>>>(x, 7); }\n"


@pytest.mark.parametrize(
    ("body", "is_kept"),
    [
        ("return v + 1;", True),
        ("int own = v; return own;", True),
        ("/* k */ return v;", True),
        ("#pragma unroll\nfor (int i = 0; i < 4; i++) v += i; return v;", True),
        ("#if 1\nv++;\n#endif\nreturn v;", True),
        ("#if 1\nv++;\n#define SIZE 64\n#endif\nreturn v;", False),
        ("return (long)k;", False),
        ("k<<<1, 64>>>(0, v); return v;", False),
    ],
)
def test_launches_are_looked_for_again_only_if_host_code_can_tell(
    body: str, is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyzer = Analyzer()
    files = {"k.cu": BODIES, "k.h": DECLARED, "a.cu": '#include "k.h"\n' + ROWS}
    assert _shapes(files, "k.cu", analyzer) == {(64, 4, 1), (32, 1, 1)}
    edited = {**files, "k.cu": BODIES.replace("return v;", f"\n{body}\n")}
    expected = _shapes(edited, "k.cu")
    found: list[object] = []

    def counted(*given: Any) -> LaunchesOfFile:
        found.append(given)
        return once(*given)

    monkeypatch.setattr("analysis.facts.kept_launches.launches_of_file", counted)
    assert _shapes(edited, "k.cu", analyzer) == expected
    assert bool(found) != is_kept


HOST = """\
#define LEAVE(x) return x;
inline int rows(int n) { return 64; }
inline int helper(int v) { int w = v; return w; }
"""
HOSTS = {
    "k.cuh": KERNEL + HOST,
    "launch.cu": '#include "k.cuh"\nvoid launch(int *x, int block) { helper(block); k<<<1, block>>>(x, 7); }\n',
    "run.cpp": "void launch(int *x, int block);\nvoid run(int block) { launch(0, block); }\n",
    "main.cpp": '#include "k.cuh"\nvoid run(int block);\nint main() { run(rows(1)); helper(2); }\n',
}


@pytest.mark.parametrize(
    ("before", "after", "is_kept"),
    [
        ("int w = v;", "int w = v + 1; w *= 2;", True),
        ("int w = v;", ";; int w = v; /* run(32); */", True),
        ("int w = v;", "#if 1\nint w = v;\n#endif\n", False),  # does it begin with a statement?
        ("int w = v; return w;", "return v;", False),
        ("int w = v; return w;", "LEAVE(v)", False),
        ("int w = v;", "int w = v; run(32);", False),
        ("int w = v;", "int w = v; launch(0, 32);", False),
        ("int w = v;", "int w = v; void *p = (void *)k;", False),
        ("return 64;", "return 32;", False),
        ("int helper(int v)", "int helper(int &v)", False),
    ],
)
def test_host_functions_that_no_launch_depends_on_are_not_seen_again(
    before: str, after: str, is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyzer = Analyzer()
    assert _shapes(HOSTS, "k.cuh", analyzer) == {(64, 1, 1)}
    edited = {**HOSTS, "k.cuh": HOSTS["k.cuh"].replace(before, after)}
    expected = _shapes(edited, "k.cuh")
    found: list[object] = []

    def counted(*given: Any) -> LaunchesOfFile:
        found.append(given)
        return once(*given)

    monkeypatch.setattr("analysis.facts.kept_launches.launches_of_file", counted)
    assert _shapes(edited, "k.cuh", analyzer) == expected
    assert bool(found) != is_kept


def test_a_host_function_that_comes_to_call_what_another_file_follows_is_read_again() -> None:
    analyzer = Analyzer()
    files = {**HOSTS, "main.cpp": HOSTS["main.cpp"].replace("run(rows(1)); ", "")}
    calling = {**files, "k.cuh": "void run(int block);\n" + KERNEL + HOST.replace("int w = v;", "int w = v; run(%d);")}
    for block in (32, 96, 160):
        edited = {**calling, "k.cuh": calling["k.cuh"].replace("%d", str(block))}
        assert _shapes(edited, "k.cuh", analyzer) == _shapes(edited, "k.cuh")


def test_launches_that_are_kept_stand_where_they_stand_now() -> None:
    analyzer = Analyzer()
    files = {"k.cu": BODIES, "k.h": DECLARED, "a.cu": '#include "k.h"\n' + ROWS}
    for number in range(4):
        edited = {**files, "k.cu": BODIES.replace("return v;", "\n" * number + "return v;")}
        analysis = analyzed(edited, "k.cu", analyzer)
        places = analysis.launch_places(analysis.facts.functions[0])
        assert places == (("a.cu", 2), ("k.cu", 3 + number))


def test_launches_in_other_files_are_told_though_others_are_not_known() -> None:
    files = {**DECLARED_IN_HEADER, "b.cu": '#include "k.h"\nvoid *any = (void *)k;\n' + SQUARES}
    analysis = analyzed(files, "k.cu")
    (kernel,) = analysis.program.device_functions()
    found = analysis.launches_elsewhere(kernel)
    assert [(one.path, one.block, one.argument_values[1]) for one in found] == [
        ("a.cu", (64, 4, 1), 7),
        ("b.cu", (8, 8, 1), 7),
    ]
    assert analyzed({"k.cu": KERNEL + ROWS}, "k.cu").launches_elsewhere(kernel) == []


def test_a_line_that_a_launch_passes_is_that_of_the_newest_text() -> None:
    analyzer = Analyzer()
    numbers: list[object] = []
    for number in range(2):
        text = BODIES.replace("return v;", "\n" * number + "return v;").replace("(x, 7)", "(x, __LINE__)")
        analysis = analyzed({"k.cu": text}, "k.cu", analyzer)
        launch = analysis.launch_of(analysis.facts.functions[0])
        assert launch is not None
        numbers.append(launch.passed)
    assert numbers[0] != numbers[1]
