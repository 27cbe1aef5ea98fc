"""Files that somebody wrote to annoy: what must end within seconds and say what was left out.

Each is a law of growth with a size: `Hostile.text(size)` is one file, in which a harmless kernel follows the annoying
one.  `python -m benchmarks.hostile` runs them at full size, `tests/hostile` at small ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from analysis.ir.record import record

HARMLESS: Final = """
__global__ void harmless(int *out) {
  if (threadIdx.x < 5) __syncthreads();
  out[threadIdx.x] = 1;
}
"""
"""It has one finding, SYN101, which must be there whatever stands before it."""


@final
@record
class Hostile:
    """`body(size)` is the annoying part; `size` what the benchmark runs, `small` what tests run."""

    name: str
    body: Callable[[int], str]
    size: int
    small: int
    is_endless: bool = False
    """The harmless kernel is a part of what does not end."""

    def text(self, size: int) -> str:
        return self.body(size) + HARMLESS


def _kernel(*lines: str) -> str:
    start = "__global__ void k(int *x, int n) {\n  int i = threadIdx.x;\n"
    return start + "\n".join(lines) + "\n}\n"


# -- deep --------------------------------------------------------------------------------------------------------------


def less_than(size: int) -> str:
    """`a < a < a`: each `<` might begin template arguments."""
    return _kernel("  int a = i;", "  x[i] = " + " < ".join(["a"] * size) + ";")


def parentheses(size: int) -> str:
    return _kernel("  x[i] = " + "(" * size + "i" + ")" * size + ";")


def unary(size: int) -> str:
    return _kernel("  x[i] = " + "- " * size + "i;")


def conditionals(size: int) -> str:
    return _kernel("  x[i] = " + "i > 3 ? i : " * size + "0;")


def sums(size: int) -> str:
    return _kernel("  x[i] = " + " + ".join(["i"] * size) + ";")


def nested_ifs(size: int) -> str:
    return _kernel(*(f"  if (x[i] > {n}) {{" for n in range(size)), "  x[i] = 0;", "}" * size)


def nested_loops(size: int) -> str:
    return _kernel(*(f"  for (int j{n} = 0; j{n} < i; j{n}++) {{" for n in range(size)), "  x[i]++;", "}" * size)


def braces(size: int) -> str:
    return _kernel("  " + "{" * size + "x[i] = 0;" + "}" * size)


def unclosed(size: int) -> str:
    return _kernel("  x[i] = 0;", "  " + "{ ( [" * size)


def else_ifs(size: int) -> str:
    return _kernel(*(f"  if (x[i] == {n}) x[i] += {n}; else" for n in range(size)), "  x[i] = 0;")


def subscripts(size: int) -> str:
    return _kernel("  x[i] = " + "x[" * size + "i" + "]" * size + ";")


def pointers(size: int) -> str:
    return _kernel("  int " + "*" * size + "p = 0;", "  x[i] = p != 0;")


def lambdas(size: int) -> str:
    opened = "".join(f"auto f{n} = [=](int a{n}) {{ " for n in range(size))
    closed = "".join(f"return a{n} + 1; }}; f{n}(i); " for n in reversed(range(size)))
    return _kernel("  " + opened + closed)


# -- wide --------------------------------------------------------------------------------------------------------------


def ifs(size: int) -> str:
    return _kernel(*(f"  if (x[{n}] > i) x[i] += {n};" for n in range(size)))


def lines(size: int) -> str:
    own = "  int " + ", ".join(f"a{n} = i" for n in range(7)) + ";"
    return _kernel(own, *(f"  a{n % 7} = a{(n + 3) % 7} * {n + 3}; x[i] += a{n % 7};" for n in range(size)))


def cases(size: int) -> str:
    return _kernel("  switch (x[i]) {", *(f"    case {n}: x[i] += {n * 7 % 1009}; break;" for n in range(size)), "  }")


def initialisers(size: int) -> str:
    return _kernel("  int t[] = {" + ", ".join(str(n) for n in range(size)) + "};", "  x[i] = t[i];")


def table(size: int) -> str:
    return "__constant__ int t[] = {" + ", ".join(str(n) for n in range(size)) + "};\n" + _kernel("  x[i] = t[i];")


def locals_(size: int) -> str:
    return _kernel(*(f"  int v{n} = i + {n};" for n in range(size)), f"  x[i] = v{size - 1};")


def barriers(size: int) -> str:
    return _kernel(*("  x[i]++; __syncthreads();" for _ in range(size)))


def shared_accesses(size: int) -> str:
    return _kernel("  __shared__ int s[1024];", *(f"  s[i + {n % 1000}] = s[i ^ {n % 31}];" for n in range(size)))


def gotos(size: int) -> str:
    """Labels in a ring, each entered from outside as well: no loop has one head."""
    enter = (f"  if (x[{n}] == i) goto L{n};" for n in range(size))
    ring = (f"  L{n}: x[{n}]++; if (x[{n}] > {n}) goto L{(n + 1) % size};" for n in range(size))
    return _kernel(*enter, *ring)


def breaks(size: int) -> str:
    return _kernel("  while (true) {", *(f"    if (x[{n}] == i) break; x[i] += {n};" for n in range(size)), "  }")


def returns(size: int) -> str:
    return _kernel(*(f"  if (x[{n}] == i) return; x[i] += {n};" for n in range(size)), "  __syncthreads();")


def parameters(size: int) -> str:
    listed = ", ".join(f"int p{n}" for n in range(size))
    return f"__global__ void k({listed}, int *x) {{ x[threadIdx.x] = p{size - 1}; }}\n"


def functions(size: int) -> str:
    return "".join(f"__device__ int f{n}(int a) {{ return a > {n} ? a : {n}; }}\n" for n in range(size)) + _kernel(
        f"  x[i] = f{size - 1}(i);"
    )


def overloads(size: int) -> str:
    types = "".join(f"struct S{n} {{ int v; }};\n__device__ int f(S{n} a) {{ return a.v; }}\n" for n in range(size))
    return types + _kernel(f"  S{size - 1} a; a.v = i;", "  x[i] = f(a);")


def members(size: int) -> str:
    return (
        "struct S {"
        + "".join(f" int m{n};" for n in range(size))
        + " };\n"
        + _kernel("  S a, b; a = b;", "  x[i] = a.m0;")
    )


def launches(size: int) -> str:
    calls = "".join(f"  k<<<{n + 1}, {n % 1024 + 1}>>>(x, {n});\n" for n in range(size))
    return _kernel("  if (i < n) x[i] = n;") + "void host(int *x) {\n" + calls + "}\n"


# -- doubling ----------------------------------------------------------------------------------------------------------


def doubling_calls(size: int) -> str:
    levels = "".join(
        f"__device__ void f{n + 1}(int *x, int i) {{\n"
        f"  for (int j = 0; j < i; j++) {{ f{n}(x, j); __syncthreads(); f{n}(x, i); }}\n}}\n"
        for n in range(size)
    )
    first = "__device__ void f0(int *x, int i) { if (x[i] > 0) x[i]++; __syncthreads(); }\n"
    return first + levels + _kernel(f"  f{size}(x, i);")


def growing_templates(size: int) -> str:
    """Each instance asks for one with a type that is longer; `size` only changes the text."""
    return (
        "template <typename A, typename B> struct P { A a; B b; };\n"
        + "template <typename T> __device__ int f(T t, int n) {\n"
        + "  if (n == 0) return 0;\n  P<T, T> p; return f(p, n - 1);\n}\n"
        + "".join(f"__device__ int g{n}(int n) {{ return f(n, n); }}\n" for n in range(max(1, size // 100)))
        + _kernel("  x[i] = f(i, n);")
    )


def doubling_types(size: int) -> str:
    first = "template <typename A, typename B> struct P { A a; B b; };\nusing T0 = P<int, float>;\n"
    levels = "".join(f"using T{n + 1} = P<T{n}, T{n}>;\n" for n in range(size))
    return first + levels + _kernel(f"  T{size} a;", "  x[i] = sizeof(a);")


def doubling_structs(size: int) -> str:
    levels = "".join(f"struct S{n + 1} {{ S{n} a, b; }};\n" for n in range(size))
    return (
        "struct S0 { int v = 0; };\n"
        + levels
        + _kernel(f"  S{size} a, b{{}};", "  a = b;", f"  x[i] = sizeof(S{size});")
    )


def doubling_arrays(size: int) -> str:
    return _kernel("  int t" + "[2]" * size + " = {};", "  x[i] = sizeof(t);")


def recursive_templates(size: int) -> str:
    return (
        "namespace n {\ntemplate <int N> struct R {\n"
        "  static __device__ int of(int i) { return R<N + 1>::of(i) + 1; }\n};\n}\n"
        + f"template <int N> __device__ int f(int i) {{ return f<N - 1>(i) + f<N - 1>(i + {size}); }}\n"
        + _kernel("  x[i] = n::R<0>::of(i) + f<1000>(i);")
    )


def doubling_macros(size: int) -> str:
    levels = "".join(f"#define M{n + 1} M{n} M{n}\n" for n in range(30))
    return "#define M0 x[i]++;\n" + levels + _kernel(*(f"  M30  // {n}" for n in range(size)))


def doubling_arguments(size: int) -> str:
    levels = "".join(f"#define A{n + 1}(a) A{n}(a + a)\n" for n in range(size))
    return "#define A0(a) (a)\n" + levels + _kernel(f"  x[i] = A{size}(i);")


def doubling_includes(size: int) -> str:
    """A file that includes itself twice."""
    return f"#define N {size}\n#include __FILE__\n#include __FILE__\n" + _kernel("  x[i] = N;")


# -- the preprocessor --------------------------------------------------------------------------------------------------


def nested_conditions(size: int) -> str:
    return "#if 1\n" * size + _kernel("  x[i] = 0;") + "#endif\n" * size


def long_condition(size: int) -> str:
    return "#if " + "(" * size + "1" + ")" * size + "\n" + _kernel("  x[i] = 0;") + "#endif\n"


def macros(size: int) -> str:
    return "".join(f"#define M{n} {n}\n" for n in range(size)) + _kernel(f"  x[i] = M{size - 1};")


def chained_macros(size: int) -> str:
    return "#define M0 i\n" + "".join(f"#define M{n + 1} M{n}\n" for n in range(size)) + _kernel(f"  x[i] = M{size};")


def continued_lines(size: int) -> str:
    return "#define M \\\n" + "  x[i]++; \\\n" * size + "\n" + _kernel("  M")


def comments(size: int) -> str:
    return "/* " * size + "*/\n" + "// \\\n" * size + "\n" + _kernel("  x[i] = 0;")


def devices(size: int) -> str:
    return '#include "/dev/zero"\n#include "/dev/stdin"\n#include "/proc/self/environ"\n' * size + _kernel(
        "  x[i] = 0;"
    )


def namespaces(size: int) -> str:
    opened = "".join(f"namespace n{n} {{ " for n in range(size))
    return opened + _kernel("  x[i] = 0;") + "}" * size + "\n"


def classes(size: int) -> str:
    derived = "".join(f"struct S{n + 1} : S{n} {{ int m{n}; }};\n" for n in range(size))
    return "struct S0 { int v; };\n" + derived + _kernel(f"  S{size} a; a.v = i;", "  x[i] = a.v;")


def constant_loop(size: int) -> str:
    return (
        "constexpr int spin(int n) {\n  int s = 0;\n"
        "  for (int a = 0; a < n; a++) for (int b = 0; b < n; b++) s += a ^ b;\n  return s;\n}\n"
        + _kernel(f"  constexpr int s = spin({size});", "  __shared__ int t[s % 100 + 1];", "  x[i] = t[0] + s;")
    )


# -- odd texts ---------------------------------------------------------------------------------------------------------


def one_line(size: int) -> str:
    """A kernel in one line, behind a character that UTF-16 counts twice: where is its last token?"""
    return _kernel("  /* \U0001f600 */ " + " ".join(f"if (x[{n}] > i) x[i] += {n};" for n in range(size)))


def surrogates(size: int) -> str:
    """Lines that end with CR LF, and hold characters outside of the basic plane, between tokens too."""
    line = '/*\U0001f680*/ x[i] += n; /*\U0001f680*/ s = "\U0001f680\U0001f680"; // \U0001f680\r\n'
    return _kernel("  const char *s;", line * size)


def sibling_lambdas(size: int) -> str:
    return _kernel(*(f"  auto f{n} = [=](int a) {{ return a + {n}; }}; x[i] += f{n}(i);" for n in range(size)))


def nested_initialisers(size: int) -> str:
    return "struct S { int v[4]; };\n" + _kernel("  S a = " + "{" * size + "i" + "}" * size + ";", "  x[i] = a.v[0];")


def endless_raw_strings(size: int) -> str:
    """Each begins a raw string with an end of its own, which never comes."""
    return _kernel("  x[i] = 0;") + "".join(f'const char *s{n} = R"e{n}(text)";\n' for n in range(size))


def unopened(size: int) -> str:
    return _kernel("  x[i] = 0;") + "} ) ] >\n" * size


def enumerators(size: int) -> str:
    return f"enum E {{ {', '.join(f'A{n}' for n in range(size))} }};\n" + _kernel(f"  x[i] = A{size - 1};")


HOSTILE: Final = (
    Hostile("a < a < a", less_than, 20_000, 60),
    Hostile("parentheses", parentheses, 20_000, 60),
    Hostile("unary operators", unary, 20_000, 60),
    Hostile("conditional expressions", conditionals, 5_000, 60),
    Hostile("sum of many", sums, 20_000, 60),
    Hostile("nested ifs", nested_ifs, 5_000, 40),
    Hostile("nested loops", nested_loops, 2_000, 20),
    Hostile("nested braces", braces, 20_000, 60),
    Hostile("unclosed brackets", unclosed, 20_000, 60),
    Hostile("else ifs", else_ifs, 10_000, 40),
    Hostile("nested subscripts", subscripts, 5_000, 40),
    Hostile("pointers to pointers", pointers, 20_000, 60),
    Hostile("nested lambdas", lambdas, 1_000, 20),
    Hostile("ifs", ifs, 20_000, 60),
    Hostile("lines", lines, 100_000, 60),
    Hostile("cases", cases, 50_000, 60),
    Hostile("local initialisers", initialisers, 20_000, 60),
    Hostile("constant table", table, 1_000_000, 60),
    Hostile("local variables", locals_, 20_000, 60),
    Hostile("barriers", barriers, 10_000, 40),
    Hostile("shared accesses", shared_accesses, 10_000, 40),
    Hostile("gotos in a ring", gotos, 500, 10),
    Hostile("breaks", breaks, 5_000, 20),
    Hostile("returns", returns, 5_000, 20),
    Hostile("parameters", parameters, 10_000, 60),
    Hostile("functions", functions, 20_000, 60),
    Hostile("overloads", overloads, 5_000, 30),
    Hostile("members", members, 10_000, 60),
    Hostile("launches", launches, 10_000, 60),
    Hostile("calls that double", doubling_calls, 30, 5),
    Hostile("templates that grow", growing_templates, 1_000, 10),
    Hostile("types that double", doubling_types, 40, 6),
    Hostile("structs that double", doubling_structs, 60, 8),
    Hostile("arrays that double", doubling_arrays, 60, 8),
    Hostile("endless templates", recursive_templates, 1_000, 10),
    Hostile("macros that double", doubling_macros, 100, 2),
    Hostile("arguments that double", doubling_arguments, 30, 6),
    Hostile("includes that double", doubling_includes, 100, 2),
    Hostile("nested #if", nested_conditions, 10_000, 60),
    Hostile("long #if", long_condition, 20_000, 60),
    Hostile("macro definitions", macros, 100_000, 60),
    Hostile("chained macros", chained_macros, 10_000, 40),
    Hostile("continued lines", continued_lines, 20_000, 60),
    Hostile("comments", comments, 100_000, 60),
    Hostile("includes of devices", devices, 100, 1),
    Hostile("namespaces", namespaces, 10_000, 40),
    Hostile("chain of classes", classes, 2_000, 20),
    Hostile("constant loops", constant_loop, 100_000, 20),
    Hostile("one line", one_line, 10_000, 60),
    Hostile("surrogates", surrogates, 20_000, 40),
    Hostile("sibling lambdas", sibling_lambdas, 10_000, 30),
    Hostile("nested initialiser lists", nested_initialisers, 20_000, 60),
    Hostile("endless raw strings", endless_raw_strings, 20_000, 40, is_endless=True),
    Hostile("unopened brackets", unopened, 50_000, 60),
    Hostile("enumerators", enumerators, 100_000, 60),
)
