"""Macros, conditions and includes: C text beside what it must become."""

import pytest

from analysis.ir.source import NO_SPAN
from analysis.syntax.conditions import evaluate
from analysis.syntax.directives import Define, Include, parse_directive
from analysis.syntax.environment import Environment, Language
from analysis.syntax.expansion import Budget, BudgetSpent, Expander, lex
from analysis.syntax.macros import MacroDefinition
from analysis.syntax.problems import ProblemKind
from tests.syntax.unit import all_described, build, only


def macros(*lines: str) -> dict[bytes, MacroDefinition]:
    table: dict[bytes, MacroDefinition] = {}
    for line in lines:
        define = parse_directive(b"#define " + line.encode())
        assert isinstance(define, Define)
        table[define.name] = MacroDefinition(
            define.name, define.parameters, define.variadic, define.body, "x.cu", NO_SPAN
        )
    return table


def expand(text: str, *definitions: str) -> str:
    tokens = Expander(macros(*definitions)).expand(list(lex(text.encode())))
    return b" ".join([token.text for token in tokens]).decode()


@pytest.mark.parametrize(
    ("text", "definitions", "expected"),
    [
        ("N", ["N 3"], "3"),
        ("F(1)", ["F(x) x + x"], "1 + 1"),
        ("F", ["F(x) x"], "F"),
        ("F (1, (2, 3))", ["F(a, b) b a"], "( 2 , 3 ) 1"),
        ("A", ["A B", "B A"], "A"),
        ("F(F(1))", ["F(x) (x)"], "( ( 1 ) )"),
        ("f(2)(3)", ["f(x) x f"], "2 f ( 3 )"),
        ("G(3)", ["G F", "F(x) [x]"], "[ 3 ]"),
        ('S(a  b "q\\n")', ["S(x) #x"], '"a b \\"q\\\\n\\""'),
        ("C(x, 1)", ["C(a, b) a##b"], "x1"),
        ("C(, y)", ["C(a, b) a##b"], "y"),
        ("C(N, N)", ["C(a, b) a##b", "N 1"], "NN"),
        ("D(N)", ["C(a, b) a##b", "D(x) C(x, x)", "N 1"], "11"),
        ("P(1, 2, 3)", ["P(f, ...) g(f, __VA_ARGS__)"], "g ( 1 , 2 , 3 )"),
        ("P(1)", ["P(f, ...) g(f, ## __VA_ARGS__)"], "g ( 1 )"),
        ("P(1, 2)", ["P(f, ...) g(f, ## __VA_ARGS__)"], "g ( 1 , 2 )"),
        ("P(1)", ["P(f, rest...) g(f, ## rest)"], "g ( 1 )"),
        ("V(1) V()", ["V(...) f(0 __VA_OPT__(, __VA_ARGS__))"], "f ( 0 , 1 ) f ( 0 )"),
        ("F()", ["F() 1"], "1"),
        ("F(1, 2)", ["F(x) x"], "F ( 1 , 2 )"),
        ("F(1", ["F(x) x"], "F ( 1"),
        ("a->b >>= c", ["b d"], "a -> d >>= c"),
    ],
)
def test_expansion(text: str, definitions: list[str], expected: str) -> None:
    assert expand(text, *definitions) == expected


def test_a_macro_bomb_ends_quickly() -> None:
    bomb = ["A0 x x"] + [f"A{level} A{level - 1} A{level - 1}" for level in range(1, 40)]
    with pytest.raises(BudgetSpent):
        Expander(macros(*bomb), Budget(10_000, 100_000)).expand(list(lex(b"A39")))


def test_deeply_nested_uses_end() -> None:
    with pytest.raises(BudgetSpent):
        Expander(macros("F(x) x")).expand(list(lex(b"F(" * 500 + b"1" + b")" * 500)))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("1", True),
        ("defined(N) && !defined M", True),
        ("N == 3", True),
        ("N > 3 || UNKNOWN", False),
        ("(1 + 2) * 3 == 9 && 7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1", True),
        ("1 << 4 == 16", True),
        ("10 - 3 - 2 == 5", True),
        ("0x10UL == 16 && 010 == 8", True),
        ("N == 3 ? 0 : 1", False),
        ("F(2) == 3", True),
        ("~0 == -1 && !0", True),
        ("'a' == 97", True),
        ("true && !false", True),
        ('__has_include("there.h") && !__has_include(<nowhere>)', True),
        ("__has_attribute(noinline)", False),
        ("UNKNOWN(1, 2)", False),
        ("IS_N", True),
        ("-1 > 0u && -1 + 0u > 1 && ~0u > 5", True),
        ("(1 ? -1 : 0u) > 0", True),
        ("-1 >> 1 == -1 && (~0u >> 63) == 1", True),
        ("0xFFFFFFFFFFFFFFFF > 0 && 18446744073709551615u > 0", True),
        ("(0u < 1) - 2 < 0 && !1u - 1 < 0", True),
        ("1 || 1 / 0", True),
        ("0 && 1 / 0", False),
        ("1 ? 2 : 1 / 0", True),
        ("1 / 0", None),
        ("1 && 1 / 0", None),
        ("(1", None),
        ("1 +", None),
        ("", None),
        ("(" * 200 + "1" + ")" * 200, None),
    ],
)
def test_conditions(condition: str, expected: bool | None) -> None:
    table = macros("N 3", "F(x) (x + 1)", "IS_N defined(N)")
    assert evaluate(condition.encode(), table, lambda name: name == b'"there.h"') is expected


def test_directives_are_read_across_lines_and_comments() -> None:
    assert parse_directive(b"#  define /* c */ F(a, \\\n b) a /* x */ + \\\r\n b // end") == Define(
        b"F", (b"a", b"b"), False, b"a   +  b"
    )
    assert parse_directive(b'#include "a//b.h" // c') == Include(b'"a//b.h"')
    assert parse_directive(b"#define F (x)") == Define(b"F", None, False, b"(x)")


def test_definitions_count_from_their_line_on() -> None:
    unit = build("#define N 1\nint a = N;\n#undef N\nint b = N;\n#define N 2\nint c = N;")
    assert [unit.snippet(only(unit, name)).text for name in "abc"] == [b"int a = 1;", b"int b = N;", b"int c = 2;"]
    assert [unit.macros.get(b"N", only(unit, name).order) is not None for name in "abc"] == [True, False, True]


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        (Environment(), ["function cuda", "function new", "function linux"]),
        (Environment(architecture=600), ["function cuda", "function old", "function linux"]),
        (Environment(language=Language.HIP), ["function hip", "function linux"]),
        (Environment(undefines=("__CUDACC__", "__linux__")), ["function new"]),
        (
            Environment(defines=("EXTRA", "__CUDA_ARCH__=500")),
            ["function cuda", "function old", "function linux", "function extra"],
        ),
    ],
)
def test_what_is_predefined(environment: Environment, expected: list[str]) -> None:
    unit = build(
        "#ifdef __CUDACC__\nvoid cuda() {}\n#elif defined(__HIPCC__)\nvoid hip() {}\n#endif\n"
        "#ifdef __CUDA_ARCH__\n#if __CUDA_ARCH__ >= 700\nvoid new() {}\n#else\nvoid old() {}\n#endif\n#endif\n"
        "#if defined(__linux__) && !defined(_WIN32)\nvoid linux() {}\n#endif\n#if EXTRA\n"
        "void extra() {}\n#endif",
        environment=environment,
    )
    assert [line for line in all_described(unit) if "inactive" not in line] == expected


@pytest.mark.parametrize("language", list(Language))
def test_dynamic_shared_memory_of_hip_is_a_declaration(language: Language) -> None:
    unit = build(
        "__global__ void k() { HIP_DYNAMIC_SHARED(float, s) s[0] = 1; }", environment=Environment(language=language)
    )
    assert b"{ extern __shared__ float s[]; s[0] = 1; }" in unit.snippet(only(unit, "k")).text


def test_constants_of_a_width_have_their_suffix() -> None:
    unit = build("auto a = UINT32_C(1) + INT64_C(0x2) + UINT64_C(3) + INT8_C(4);")
    assert unit.snippet(only(unit, "a")).text == b"auto a = 1U + 0x2L + 3UL + 4;"


def test_includes_are_found_beside_then_in_directories_then_by_suffix() -> None:
    unit = build(
        '#include "beside.h"\n#include <conf.h>\n#include "../up/deep.h"\n#include "gone.h"\n'
        '#include <stdio.h>\n#define H "beside.h"\n#include H\n',
        {
            "dir/beside.h": "int a;",
            "inc/beside.h": "int wrong;",
            "inc/conf.h": "int b;",
            "far/up/deep.h": "int c;",
            "x/stdio.h": "",
        },
        Environment(include_dirs=("inc",)),
    )
    assert [include.resolved for include in unit.includes] == [
        "dir/beside.h", "inc/conf.h", "far/up/deep.h", None, None, "dir/beside.h",
    ]  # fmt: skip
    assert [item.name for item in unit.included_items] == ["a", "b", "c", "a"]
    assert [problem.kind for problem in unit.problems] == [ProblemKind.MISSING_INCLUDE]


def test_a_bracketed_name_means_a_header_of_the_project_but_never_of_the_toolkit() -> None:
    copies = ["cooperative_groups.h", "cuda_fp16.h", "cuda_fp16.hpp", "math.h", "sys/time.h", "curand_kernel.h"]
    copies += ["cub/cub.cuh", "cooperative_groups/reduce.h", "vector", "sm_60_atomic_functions.h", "cublas_v2.h"]
    names = ["helper_math.h", "part/u.cuh", "gone.h", "mathlib.h", *copies]
    unit = build(
        "".join(f"#include <{name}>\n" for name in names),
        {
            "common/helper_math.h": "int a;",
            "other/part/u.cuh": "int wrong;",
            "dir/deep/part/u.cuh": "int nearest;",
            "x/mathlib.h": "",
            **{f"{folder}/{name}": "int hides;" for folder in ("inc", "x") for name in copies},
        },
        Environment(include_dirs=("inc",)),
    )
    found = ["common/helper_math.h", "dir/deep/part/u.cuh", None, "x/mathlib.h"]
    assert [include.resolved for include in unit.includes] == found + [None] * len(copies)
    assert [item.name for item in unit.included_items] == ["a", "nearest"]
    assert not unit.problems


def test_a_quoted_name_of_the_toolkit_is_read_where_it_is_a_header_of_the_project() -> None:
    names = ["cuda_runtime.h", "device_launch_parameters.h", "math_functions.h", "vector_types.h", "cub/cub.cuh"]
    unit = build(
        "".join(f'#include "{name}"\n' for name in (*names, "stdio.h", "gone.h", "gone")),
        {
            **{f"cuda/include/{name}": "int hides;" for name in ("cuda_runtime_api.h", *names[:2], "cub/cub.cuh")},
            "x/cub/cub.cuh": "int hides;",
            "dir/math_functions.h": "int a;",
            "inc/vector_types.h": "int b;",
        },
        Environment(include_dirs=("cuda/include", "inc")),
    )
    found = [None, None, "dir/math_functions.h", "inc/vector_types.h", None, None, None, None]
    assert [include.resolved for include in unit.includes] == found
    assert [item.name for item in unit.included_items] == ["a", "b"]
    assert [problem.detail for problem in unit.problems] == ['"gone.h"', '"gone"']


def test_forced_includes_come_before_the_first_line() -> None:
    files = {
        "build/pre.h": '#pragma once\n#define N 4\nint pre;\n#include "more.h"',
        "build/more.h": "int more;",
        "inc/elsewhere.h": "int elsewhere;",
        "inc/cuda_runtime.h": "int hides;",
    }
    forced = ("build/pre.h", "build/elsewhere.h", "build/cuda_runtime.h", "build/gone.h")
    environment = Environment(include_dirs=("inc",), forced_includes=forced)
    unit = build('#include "../build/pre.h"\n#if N == 4\nint a;\n#endif', files, environment)
    assert [item.name for item in unit.included_items] == ["pre", "more", "elsewhere"]
    assert [(item.name, item.active) for item in unit.items] == [("a", True)]
    assert [(problem.kind, problem.path, problem.detail) for problem in unit.problems] == [
        (ProblemKind.MISSING_INCLUDE, "dir/main.cu", "build/gone.h")
    ]


def test_forced_includes_come_before_the_context_of_a_header_and_are_files_themselves() -> None:
    environment = Environment(forced_includes=("dir/pre.h",))
    files = {"dir/pre.h": "#define N 4\nint pre;", "dir/k.cu": 'int before;\n#include "k.cuh"'}
    inside = build("#if N == 4\nint a;\n#endif", files, environment, path="dir/k.cuh", context="dir/k.cu")
    assert [item.name for item in inside.included_items] == ["pre", "before"]
    assert [(item.name, item.active) for item in inside.items] == [("a", True)]
    itself = build("#define N 4\nint pre;", files, environment, path="dir/pre.h")
    assert [item.name for item in itself.items] == ["pre"]


def test_headers_are_read_once_when_they_say_so_and_cycles_end() -> None:
    unit = build(
        '#include "once.h"\n#include "once.h"\n#include "guard.h"\n#include "guard.h"\n#include "cycle.h"\nint end;',
        {
            "dir/once.h": "#pragma once\nint once;",
            "dir/guard.h": "#ifndef G\n#define G\nint guarded;\n#endif\n",
            "dir/cycle.h": '#include "main.cu"\n#include "cycle.h"\nint cycle;',
        },
    )
    assert [item.name for item in unit.included_items] == ["once", "guarded", "cycle"]
    assert [item.name for item in unit.items] == ["end"]


def test_a_header_sees_what_its_includer_defined_before_it() -> None:
    files = {"dir/all.cu": '#define N 4\nint before;\n#include "k.cuh"\n#define N2 5\nint after;'}
    header = "#if N == 4\n__global__ void k() { int a[N]; }\n#endif"
    alone = build(header, files, path="dir/k.cuh")
    inside = build(header, files, path="dir/k.cuh", context="dir/all.cu")
    assert [item.active for item in alone.items] == [False]
    assert [item.active for item in inside.items] == [True]
    assert inside.snippet(inside.items[0]).text == b"__global__ void k() { int a[4]; }"
    assert [item.name for item in inside.included_items] == ["before"]
    unrelated = build(header, {"dir/other.cu": "int x;"}, path="dir/k.cuh", context="dir/other.cu")
    assert [item.name for item in unrelated.items] == ["k"]


def test_deep_headers_end_with_a_problem() -> None:
    files = {f"dir/h{level}.h": f'#include "h{level + 1}.h"\n' for level in range(200)}
    unit = build('#include "h0.h"', files)
    assert ProblemKind.INCLUDE_DEPTH in [problem.kind for problem in unit.problems]
