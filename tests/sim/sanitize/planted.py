"""Random kernels with one planted defect each, and their twins without it.

A kernel is a frame of harmless statements around a defect, which stands plainly, under conditions that hold, in loops,
in a function that is called, in a lambda or in a template.  The twin differs in the lines of the defect alone.
The run comes to each defect, whatever arrays hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from tests.sim.random.choices import Choices, Seeded, Source

MARK: Final = "//!"
"""Behind the lines where the defect may be told."""
ROUNDS: Final = 3
"""What the argument `n` is."""


@final
@dataclass(frozen=True, slots=True)
class Planted:
    """`text` has the defect, `twin` has not; `kinds` are what it may be called, at a marked line."""

    family: str
    kinds: frozenset[str]
    text: str
    twin: str
    may_be_long: bool = False
    """A loop of which only a long run could tell that it has no end."""

    @property
    def lines(self) -> frozenset[int]:
        return frozenset(number for number, line in enumerate(self.text.splitlines(), start=1) if MARK in line)


@final
@dataclass(frozen=True, slots=True)
class Shape:
    blocks: int
    width: int
    height: int

    @property
    def threads(self) -> int:
        return self.width * self.height


@final
@dataclass(frozen=True, slots=True)
class Defect:
    """`bad` and `good` stand in one place; `before` and `after` around both; all use `t`, `v`, `n` and `in`.

    `outside` stands before the kernel, `parameters` (text and argument) are more of them, `says` is its comment.
    `stays`: it may stand in no condition, loop or function, as it declares or exchanges something.
    `may_be_long`: as of `Planted`.
    """

    kinds: tuple[str, ...]
    bad: Sequence[str]
    good: Sequence[str]
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    outside: Sequence[str] = ()
    parameter: str | None = None
    """Its type, with the star."""
    name: str = "s"
    says: str | None = None
    shared: int = 0
    stays: bool = False
    may_be_long: bool = False


def planted(source: Source) -> Planted:
    choices = Choices(source)
    name = choices.pick(list(FAMILIES))
    make, one_block = FAMILIES[name]
    shape = Shape(
        1 if one_block else choices.between(1, 3), *choices.pick(((64, 1), (128, 1), (96, 1), (32, 1), (16, 4), (8, 8)))
    )
    defect = make(choices, shape)
    return _framed(name, defect, shape, choices)


# -- the frame ---------------------------------------------------------------------------------------------------------


def _framed(name: str, defect: Defect, shape: Shape, choices: Choices) -> Planted:
    wrap = _plain if defect.stays else choices.pick(_WRAPS)
    harmless = (
        [_harmless(choices, shape) for _ in range(choices.below(3))],
        [_harmless(choices, shape) for _ in range(choices.below(2))],
    )

    def text(lines: Sequence[str]) -> str:
        outside, inside = wrap(lines, defect, shape)
        linear = "threadIdx.x" if shape.height == 1 else f"threadIdx.y * {shape.width} + threadIdx.x"
        more = "" if defect.parameter is None else f", {defect.parameter}{defect.name}"
        given = "" if defect.parameter is None else f", ({defect.parameter})pointer"
        body = [
            f"int t = {linear};",
            f"float v = in[blockIdx.x * {shape.threads} + t];",
            *(line for lines in harmless[0] for line in lines),
            *defect.before,
            *inside,
            *defect.after,
            *(line for lines in harmless[1] for line in lines),
            f"out[blockIdx.x * {shape.threads} + t] = v;",
        ]
        says = [] if defect.says is None else [f"// simt: {defect.says}"]
        dimensions = f"{shape.blocks}, dim3({shape.width}, {shape.height}), {defect.shared}"
        return "\n".join(
            [
                "#include <cuda_runtime.h>",
                *defect.outside,
                *outside,
                *says,
                f"__global__ void k(float *out, const float *in, int n{more}) {{",
                *("  " + line for line in body),
                "}",
                "void host(float *out, float *in, void *pointer) {",
                f"  k<<<{dimensions}>>>(out, in, {ROUNDS}{given});",
                "}",
                "",
            ]
        )

    bad = [line if MARK in line else f"{line}  {MARK}" for line in defect.bad]
    return Planted(name, frozenset(defect.kinds), text(bad), text(defect.good), defect.may_be_long)


def _harmless(choices: Choices, shape: Shape) -> Sequence[str]:
    number = choices.below(1000)
    return choices.pick(
        (
            [f"v = v * 0.5f + {number}.0f;"],
            [f"if (t % 2 == {number % 2}) v += 1.0f; else v -= 2.0f;"],
            [f"for (int i{number} = 0; i{number} < n; i{number}++) v += in[(t + i{number}) % {shape.threads}];"],
            [f"v += __shfl_xor_sync(0xffffffff, v, {1 << number % 5});"],
            ["__syncthreads();"],
            [
                f"__shared__ float h{number}[{shape.threads}];",
                f"h{number}[t] = v;",
                "__syncthreads();",
                f"v += h{number}[(t + 1) % {shape.threads}];",
                "__syncthreads();",
            ],
        )
    )


_Wrapped: TypeAlias = tuple[Sequence[str], Sequence[str]]


def _plain(lines: Sequence[str], defect: Defect, shape: Shape) -> _Wrapped:
    return (), lines


def _if_given(lines: Sequence[str], defect: Defect, shape: Shape) -> _Wrapped:
    return (), ["if (n > 1) {", *lines, "}"]


def _if_block(lines: Sequence[str], defect: Defect, shape: Shape) -> _Wrapped:
    return (), ["if (blockIdx.x == gridDim.x - 1) {", *lines, "}"]


def _last_round(lines: Sequence[str], defect: Defect, shape: Shape) -> _Wrapped:
    return (), ["for (int r = 0; r < n; r++) {", "if (r == 2) {", *lines, "}", "}"]


def _switch(lines: Sequence[str], defect: Defect, shape: Shape) -> _Wrapped:
    return (), [
        "switch (n) {",
        "case 1: v = 0; break;",
        f"case {ROUNDS}: {{",
        *lines,
        "break; }",
        "default: v = 1;",
        "}",
    ]


def _block(lines: Sequence[str], defect: Defect, shape: Shape) -> _Wrapped:
    return (), ["do {", *lines, "} while (n < 0);"]


def _lambda(lines: Sequence[str], defect: Defect, shape: Shape) -> _Wrapped:
    return (), ["auto inner = [&](int n) {", *lines, "};", "inner(n);"]


_WRAPS: Final = (_plain, _plain, _if_given, _if_block, _last_round, _switch, _block, _lambda)


# -- out of bounds -----------------------------------------------------------------------------------------------------

_TYPES: Final = ("float", "int", "double", "short", "unsigned char", "long long", "float2", "float4")
_SIZES: Final = {
    "float": 4,
    "int": 4,
    "double": 8,
    "short": 2,
    "unsigned char": 1,
    "long long": 8,
    "float2": 8,
    "float4": 16,
}


@final
@dataclass(frozen=True, slots=True)
class _Bounds:
    """An index that fits an array of `size` elements, and one that does not, for `t` below the number of threads.

    `guard` in front of both.
    """

    size: int
    good: str
    bad: str
    good_guard: str = ""
    bad_guard: str = ""


def _bounds(choices: Choices, t: str, threads: int) -> _Bounds:
    d = choices.between(1, 9)
    far = choices.pick((7, 100, 5000, 1 << 20))
    one = choices.below(threads)
    return choices.pick(
        (
            _Bounds(threads, t, f"{t} + {d}"),
            _Bounds(threads, t, f"{t} + 1"),
            _Bounds(threads, t, f"{t} - {d}"),
            _Bounds(threads, t, f"{t} - 1"),
            _Bounds(threads, t, f"{t} + {far}"),
            _Bounds(threads, t, f"{t} - {far}"),
            _Bounds(threads + d, f"{t} + {d}", f"{t} + {d + 1}"),
            _Bounds(threads, f"{threads - 1} - {t}", f"{threads} - {t}"),
            _Bounds(threads, f"{threads - 1} - {t}", f"{threads - 2} - {t}"),
            _Bounds((threads - 1) * d + 1, f"{t} * {d}", f"({t} + 1) * {d}"),
            _Bounds(
                threads - d if d < threads else 1, f"{t} % {max(1, threads - d)}", f"{t} % {max(1, threads - d) + 1}"
            ),
            _Bounds(threads, t, f"{threads}", f"if ({t} == {one}) ", f"if ({t} == {one}) "),
            _Bounds(threads, f"{threads - 1}", f"{threads}", f"if ({t} == {one}) ", f"if ({t} == {one}) "),
            _Bounds(threads, f"{t} - 1", f"{t} - 1", f"if ({t} > 0) ", f"if ({t} >= 0) "),
            _Bounds(threads, f"{t} + 1", f"{t} + 1", f"if ({t} < {threads - 1}) ", f"if ({t} <= {threads - 1}) "),
            _Bounds(threads, f"{t} - n + {ROUNDS}", f"{t} - n + {ROUNDS + 1}"),
            _Bounds(
                threads,
                f"{t} ^ 1" if threads % 2 == 0 else t,
                f"{t} ^ {threads if threads & (threads - 1) == 0 else 128}",
            ),
        )
    )


def _element(choices: Choices, index: str) -> str:
    """`s[index]`, in many spellings."""
    return choices.pick(
        (f"s[{index}]", f"s[{index}]", f"(*(s + ({index})))", f"(&s[0])[{index}]", f"s[(long long)({index})]")
    )


def _use(choices: Choices, type: str, element: str, is_read_only: bool, *, shared_writes: bool) -> str:
    member = ".x" if type in ("float2", "float4") else ""
    reads = [f"v += {element}{member};", f"v = {element}{member} > 0 ? 1.0f : v;"]
    writes = [f"{element}{member} = v;", f"{element}{member} += 2;"]
    if type in ("float", "int"):
        writes.append(f"atomicAdd(&{element}, ({type})2);")
    return choices.pick(reads if is_read_only or not shared_writes else [*reads, *writes])


def _with_bounds(choices: Choices, shape: Shape, declared: Callable[[str, int], str], *, where: str) -> Defect:
    is_local = where == "local"
    threads = 8 if is_local else shape.threads
    t = "(t % 8)" if is_local else "t"
    type = choices.pick(_TYPES)
    bounds = _bounds(choices, t, threads)
    spell = choices.below(1 << 20)

    def one(index: str, guard: str) -> str:
        same = Choices(Seeded(spell))  # both use the element in the same way
        element = _element(same, index)
        # Elements that several threads use are read, or each thread's own.
        own = bounds.good.split()[0] in (t, str(threads - 1)) and "%" not in bounds.good.replace("t % 8", "")
        read_only = where == "constant" or not (own or is_local)
        return guard + _use(same, type, element, read_only, shared_writes=True)

    fill = _filled(choices, type, bounds.size, shape, is_local) if where in ("local", "shared", "dynamic") else ()
    declaration = declared(type, bounds.size)
    inside = where in ("local", "shared", "dynamic")
    parameter = f"{type} *" if where == "given" else None
    return Defect(
        ("out-of-bounds",),
        bad=[one(bounds.bad, bounds.bad_guard)],
        good=[one(bounds.good, bounds.good_guard)],
        before=[declaration, *fill] if inside else [],
        after=["__syncthreads();"] if where in ("shared", "dynamic") else [],
        outside=[declaration] if where in ("device", "constant") else [],
        parameter=parameter,
        says=f"s=zeros[{bounds.size}]" if where == "given" else None,
        shared=bounds.size * _SIZES[type] if where == "dynamic" else 0,
    )


def _filled(choices: Choices, type: str, size: int, shape: Shape, is_local: bool) -> Sequence[str]:
    """Every element has a value; a barrier follows."""
    value = {"float2": "make_float2(1, 2)", "float4": "make_float4(1, 2, 3, 4)"}.get(type, f"({type})t")
    if is_local:
        return [f"for (int j = 0; j < {size}; j++) s[j] = {value};"]
    return [f"for (int j = t; j < {size}; j += {shape.threads}) s[j] = {value};", "__syncthreads();"]


def _shared_bounds(choices: Choices, shape: Shape) -> Defect:
    return _with_bounds(choices, shape, lambda type, size: f"__shared__ {type} s[{size}];", where="shared")


def _dynamic_bounds(choices: Choices, shape: Shape) -> Defect:
    return _with_bounds(choices, shape, lambda type, size: f"extern __shared__ {type} s[];", where="dynamic")


def _local_bounds(choices: Choices, shape: Shape) -> Defect:
    return _with_bounds(choices, shape, lambda type, size: f"{type} s[{size}];", where="local")


def _device_bounds(choices: Choices, shape: Shape) -> Defect:
    return _with_bounds(choices, shape, lambda type, size: f"__device__ {type} s[{size}];", where="device")


def _constant_bounds(choices: Choices, shape: Shape) -> Defect:
    return _with_bounds(choices, shape, lambda type, size: f"__constant__ {type} s[{size}];", where="constant")


def _given_bounds(choices: Choices, shape: Shape) -> Defect:
    return _with_bounds(choices, shape, lambda type, size: "", where="given")


def _loop_bounds(choices: Choices, shape: Shape) -> Defect:
    """A loop goes one element too far, or begins before the first."""
    space = choices.pick(("__shared__ ", ""))
    size = choices.between(3, 40)
    heads = choices.pick(
        (
            (f"int j = 0; j < {size}; j++", f"int j = 0; j <= {size}; j++"),
            (f"int j = {size - 1}; j >= 0; j--", f"int j = {size}; j > 0; j--"),
            (f"int j = {size - 1}; j >= 0; j--", f"int j = {size - 1}; j >= -1; j--"),
            (f"int j = 1; j < {size}; j++", f"int j = 1; j < {size} + n - 2; j++"),
            (f"int j = 0; j < {size}; j += 2", f"int j = 0; j < {size + 2}; j += 2"),
        )
    )
    guard = "if (t == 3) " if space else ""
    uses = choices.pick(("s[j] = j;", "s[j] = v + j;"))
    good, bad = (f"{guard}for ({head}) {uses}" for head in heads)
    return Defect(("out-of-bounds",), [bad], [good], before=[f"{space}float s[{size}];"])


def _vector_bounds(choices: Choices, shape: Shape) -> Defect:
    """The last vector reaches over the end."""
    short = choices.pick((4, 8, 12))
    size = shape.threads * 4
    declared = f"__shared__ __align__(16) float s[{size}];"
    less = f"__shared__ __align__(16) float s[{size - short // 4}];"
    fill = [f"for (int j = t; j < {size - 4}; j += {shape.threads}) s[j] = 1;", "__syncthreads();"]
    use = choices.pick(
        (
            "*(float4 *)(s + 4 * t) = make_float4(v, v, v, v);",
            "reinterpret_cast<float4 *>(s)[t] = make_float4(1, 2, 3, v);",
        )
    )
    return Defect(
        ("out-of-bounds",),
        bad=[less, *fill, use],
        good=[declared, *fill, use],
        after=["__syncthreads();"],
        stays=True,
    )


# -- misaligned --------------------------------------------------------------------------------------------------------

_WIDE: Final = (("short", 2), ("int", 4), ("float", 4), ("double", 8), ("float2", 8), ("float4", 16), ("long long", 8))


def _misaligned(choices: Choices, shape: Shape) -> Defect:
    type, width = choices.pick(_WIDE)
    off = choices.between(1, width - 1)
    size = (shape.threads + 2) * width
    where = choices.pick(("shared", "device", "local", "given", "dynamic"))
    declared = {
        "shared": f"__shared__ __align__(16) unsigned char b[{size}];",
        "dynamic": "extern __shared__ __align__(16) unsigned char b[];",
        "device": f"__device__ __align__(16) unsigned char b[{size}];",
        "local": f"__align__(16) unsigned char b[{4 * width}];",
        "given": "",
    }[where]
    t = "(t % 3)" if where == "local" else "t"
    value = {"float2": "make_float2(1, v)", "float4": "make_float4(1, 2, 3, v)"}.get(type, f"({type})v")
    spelling = choices.pick(
        (
            "*({type} *)(b + {width} * {t} + {off})",
            "(({type} *)(b + {off}))[{t}]",
            "*reinterpret_cast<{type} *>(&b[{t} * {width} + {off}])",
        )
    )

    def place(off: int) -> str:
        return spelling.format(type=type, width=width, t=t, off=off)

    read = "w.x + w.y" if type in ("float2", "float4") else "w"
    reads = choices.chance(2) and where in ("device", "given")
    bad, good = (
        f"{{ {type} w = {place(at)}; v += {read}; }}" if reads else f"{place(at)} = {value};" for at in (off, 0)
    )
    inside = where in ("shared", "local", "dynamic")
    return Defect(
        ("misaligned",),
        [bad],
        [good],
        before=[declared] if inside else [],
        outside=[declared] if where == "device" else [],
        parameter="unsigned char *" if where == "given" else None,
        name="b",
        says=f"b=zeros[{size}]" if where == "given" else None,
        shared=size if where == "dynamic" else 0,
    )


def _misaligned_vector(choices: Choices, shape: Shape) -> Defect:
    """A vector of floats or ints that begins at any element."""
    type, lanes = choices.pick((("float2", 2), ("float4", 4), ("int2", 2), ("int4", 4)))
    element = type[:-1]
    off = choices.between(1, lanes - 1)
    size = (shape.threads + 2) * lanes
    index = choices.pick((f"{lanes} * t + {{}}", f"t * {lanes} + {{}} * (n - 2)"))
    bad, good = (f"{{ {type} w = *({type} *)(s + {index.format(at)}); v += w.x + w.y; }}" for at in (off, 0))
    return Defect(
        ("misaligned",),
        [bad],
        [good],
        before=[
            f"__shared__ __align__(16) {element} s[{size}];",
            f"for (int j = t; j < {size}; j += {shape.threads}) s[j] = j;",
            "__syncthreads();",
        ],
        after=["__syncthreads();"],
    )


# -- not initialised ---------------------------------------------------------------------------------------------------


def _unwritten_shared(choices: Choices, shape: Shape) -> Defect:
    threads = shape.threads
    less = choices.between(1, threads - 1)
    type = choices.pick(("float", "int", "double", "short"))
    writes = choices.pick(
        (
            (f"if (t < {threads}) s[t] = t;", f"if (t < {less}) s[t] = t;"),
            ("s[t] = t;", "if (t != 0) s[t] = t;"),
            (f"s[(t + 1) % {threads}] = t;", f"if (t < {threads - 1}) s[t + 1] = t;"),
            (
                f"for (int j = t; j < {threads}; j += {threads}) s[j] = t;",
                f"for (int j = t; j < {threads - 1}; j += {threads}) s[j] = t;",
            ),
            ("s[t] = t;", "v += 1.0f;"),
            ("s[t] = t;", "s[t / 2 * 2] = t / 2;"),
        )
    )
    reads = choices.pick(
        (f"v += s[{threads - 1} - t];", "v += s[t];", f"for (int j = 0; j < {threads}; j++) v += s[j];")
    )
    good, bad = writes
    return Defect(
        ("uninitialised-read",),
        bad=[bad, "__syncthreads();", reads],
        good=[good, "__syncthreads();", reads],
        before=[f"__shared__ {type} s[{threads}];"],
        after=["__syncthreads();"],
        stays="/ 2 *" in bad,
    )


def _unwritten_local(choices: Choices, shape: Shape) -> Defect:
    size = choices.between(3, 12)
    type = choices.pick(("float", "int", "double", "short"))
    hole = choices.below(size)
    good, bad = choices.pick(
        (
            (f"for (int j = 0; j < {size}; j++) s[j] = j;", f"for (int j = 1; j < {size}; j++) s[j] = j;"),
            (f"for (int j = 0; j < {size}; j++) s[j] = j;", f"for (int j = 0; j < {size - 1}; j++) s[j] = j;"),
            (
                f"for (int j = 0; j < {size}; j++) s[j] = j;",
                f"for (int j = 0; j < {size}; j++) if (j != {hole}) s[j] = j;",
            ),
            (f"for (int j = 0; j < {size}; j++) s[j] = j;", "v += 1.0f;"),
            (f"for (int j = 0; j < {size}; j++) s[j] = j;", f"s[t % {size}] = 1;"),
        )
    )
    reads = choices.pick(
        (
            f"for (int j = 0; j < {size}; j++) v += s[j];",
            f"v += s[(t + n - 2) % {size}];",
            f"for (int j = {size - 1}; j >= 0; j--) v = v * 0.5f + s[j];",
        )
    )
    return Defect(("uninitialised-read",), [bad, reads], [good, reads], before=[f"{type} s[{size}];"])


def _unwritten_constant_index(choices: Choices, shape: Shape) -> Defect:
    """A small array with constant indices, a structure, a variable: what compilers keep in registers."""
    hole = choices.below(4)
    which = choices.pick(("array", "struct", "vector", "variable"))
    if which == "variable":
        good = ["float s = v;", "v += s * 2.0f;"]
        return Defect(("uninitialised-read",), ["float s;", good[1]], good)
    names = {"array": "s[{}]", "struct": "s.m{}", "vector": "s.{}"}[which]
    members = [names.format("xyzw"[at] if which == "vector" else at) for at in range(4)]
    declared = {"array": "float s[4];", "struct": "Four s;", "vector": "float4 s;"}[which]
    writes = [f"{member} = v + {at};" for at, member in enumerate(members)]
    reads = f"v += {' + '.join(members)};"
    return Defect(
        ("uninitialised-read",),
        bad=[*(line for at, line in enumerate(writes) if at != hole), reads],
        good=[*writes, reads],
        before=[declared],
        outside=["struct Four { float m0, m1, m2, m3; };"] if which == "struct" else [],
    )


def _unwritten_given(choices: Choices, shape: Shape) -> Defect:
    threads = shape.threads
    good, bad = choices.pick(
        (("s[t] = t;", f"if (t < {choices.between(1, threads - 1)}) s[t] = t;"), ("s[t] = t;", "if (t % 2) s[t] = t;"))
    )
    reads = choices.pick(("v += s[t];", f"v += s[{threads - 1} - t];"))
    return Defect(
        ("uninitialised-read",),
        [bad, "__syncthreads();", reads],
        [good, "__syncthreads();", reads],
        parameter="float *",
        says=f"s=uninitialised[{threads}]",
    )


# -- barriers, masks, loops --------------------------------------------------------------------------------------------


def _missed_barrier(choices: Choices, shape: Shape) -> Defect:
    threads = shape.threads
    c = choices.between(1, threads - 1)
    condition = choices.pick(
        (f"t < {c}", "t != 0", "t % 2", f"t == {c}", "t > 0 && n > 0", f"threadIdx.x < {min(c, shape.width - 1)}")
    )
    barrier = choices.pick(
        ("__syncthreads();", "__syncthreads();", "v += __syncthreads_count(v > 0);", "v += __syncthreads_or(v > 1);")
    )
    good, bad = choices.pick(
        (
            ([f"if (n > 0) {barrier}"], [f"if ({condition}) {barrier}"]),
            ([barrier], [f"if ({condition}) {barrier}"]),
            (
                [f"if ({condition}) v += 1;", barrier],
                [f"if ({condition}) {{ v += 1; {barrier} }} else {{ v += 2; {barrier} }}"],
            ),
            ([f"for (int j = 0; j < n; j++) {barrier}"], [f"for (int j = 0; j < n - t % 2; j++) {barrier}"]),
            (
                [f"for (int j = 0; j < n; j++) {{ {barrier} }}"],
                [f"for (int j = 0; j < n; j++) {{ if (j == 1 && {condition}) break; {barrier} }}"],
            ),
            (["{", barrier, "}"], [f"if (!({condition})) v += 1; else {barrier}"]),
        )
    )
    return Defect(("barrier-divergence", "deadlock", "livelock"), bad, good)


def _illegal_mask(choices: Choices, shape: Shape) -> Defect:
    c = choices.between(1, 31)
    some = f"0x{(1 << c) - 1:x}"
    intrinsic = choices.pick(
        (
            "v += __shfl_xor_sync({}, v, 0);",
            "v += __shfl_sync({}, v, 0);",
            "v += __shfl_down_sync({}, v, 0);",
            "v += __any_sync({}, v > 0);",
            "v += __all_sync({}, v > 0);",
            "v += __popc(__ballot_sync({}, t & 1));",
            "__syncwarp({});",
            "v += __reduce_add_sync({}, t);",
            "v += __match_any_sync({}, t / 2);",
        )
    )
    good, bad = choices.pick(
        (
            (f"if (t % 32 < {c}) {intrinsic.format(some)}", f"if (t % 32 < {c}) {intrinsic.format('0xffffffff')}"),
            (intrinsic.format("0xffffffff"), intrinsic.format(some)),
            (intrinsic.format("0xffffffff"), f"if (t % 32 >= {c}) {intrinsic.format('0xffffffff')}"),
            (f"if (t % 32 < {c}) {intrinsic.format(some)}", f"if (t % 32 <= {c}) {intrinsic.format(some)}"),
        )
    )
    return Defect(("illegal-warp-mask", "deadlock", "livelock", "inactive-lane-read"), [bad], [good])


def _bad_lane(choices: Choices, shape: Shape) -> Defect:
    c = choices.between(1, 15)
    some = f"0x{(1 << c) - 1:x}"
    width = choices.pick((3, 5, 6, 7, 12, 24, 33, 0))
    if choices.chance(2):
        good, bad = (f"v += __shfl_sync(0xffffffff, v, 0, {one});" for one in (8, width))
        return Defect(("illegal-shuffle-width",), [bad], [good])
    other = choices.between(c, 31)
    good, bad = (f"if (t % 32 < {c}) v += __shfl_sync({some}, v, {lane});" for lane in (0, other))
    return Defect(("inactive-lane-read",), [bad], [good])


def _endless(choices: Choices, shape: Shape) -> Defect:
    number = choices.between(600, 1000)
    good, bad = choices.pick(
        (
            (f"int j = t; while (j < {number}) j++;", f"int j = t; while (j != {number}) j ^= 1;"),
            ("int j = 3; while (j > 0) j--;", "int j = 3; while (j > 0) { if (n < 0) j--; }"),
            ("for (unsigned j = 3; j > 0; j--) v += 1;", "for (unsigned j = 3; j >= 0; j--) v += 1;"),
            ("for (int j = 0; j < n; j++) v += j;", "for (int j = 0; j < n; n++) v += j;"),
            ("for (int j = 1; j < 64; j *= 2) v += j;", "for (int j = 0; j < 64; j *= 2) v += j;"),
            (
                "int j = 0; while (true) { if (++j > 4) break; }",
                "int j = 0; while (true) { ++j; if (j > 4) continue; }",
            ),
            (
                f"int j = t * 2; while (j < {2 * number}) j += 2;",
                f"int j = t * 2; while (j != {2 * number + 1}) j += 2;",
            ),
            ("float f = 0; while (f < 16.0f) f += 1.0f;", "float f = 16777216.0f; while (f < 16777218.0f) f += 1.0f;"),
        )
    )
    after = "v += f;" if "float f" in good else "v += j;" if "int j = t" in good else ""
    is_counting = "n++" in bad or f"!= {2 * number + 1}" in bad
    return Defect(
        ("livelock", "deadlock"), [f"{{ {bad} {after} }}"], [f"{{ {good} {after} }}"], may_be_long=is_counting
    )


_LOCK: Final = "while (atomicCAS(&flag, 0, 1) != 0) {}"
_CRITICAL: Final = "__threadfence(); v += 1; __threadfence(); atomicExch(&flag, 0);"


def _waits_for_ever(choices: Choices, shape: Shape) -> Defect:
    """A flag that nobody sets, a lock that nobody releases, a count that is never reached, lanes that lock each other
    out."""
    wait = "while (*(volatile int *)&flag == 0) {}"
    arrive = "if (t == 0) { __threadfence(); atomicAdd(&flag, 1); while (atomicAdd(&flag, 0) %s gridDim.x) {} }"
    in_turns = f"while (!done) {{ if (atomicCAS(&flag, 0, 1) == 0) {{ {_CRITICAL} done = true; }} }}"
    good, bad = choices.pick(
        (
            (
                ["if (t == 0) { __threadfence(); atomicExch(&flag, 1); }", "__syncthreads();", wait],
                ["__syncthreads();", wait],
            ),
            (
                [f"if (t == 0) {{ {_LOCK} {_CRITICAL} }}"],
                [f"if (t == 0) {{ {_LOCK} v += 1; }}", f"if (t == 0) {{ {_LOCK} v += 2; }}"],
            ),
            ([arrive % "<", "__syncthreads();"], [arrive % "<=", "__syncthreads();"]),
            ([f"{{ bool done = false; {in_turns} }}"], [f"{{ {_LOCK} {_CRITICAL} }}"]),
        )
    )
    outside = "__device__ unsigned flag = 0;" if "gridDim" in good[0] else "__device__ int flag = 0;"
    return Defect(("livelock", "deadlock"), bad, good, outside=[outside], stays="__syncthreads();" in good)


FAMILIES: Final[dict[str, tuple[Callable[[Choices, Shape], Defect], bool]]] = {
    "bounds, shared": (_shared_bounds, False),
    "bounds, dynamic shared": (_dynamic_bounds, False),
    "bounds, local": (_local_bounds, False),
    "bounds, device variable": (_device_bounds, True),
    "bounds, constant": (_constant_bounds, False),
    "bounds, given length": (_given_bounds, True),
    "bounds, loop": (_loop_bounds, False),
    "bounds, vector": (_vector_bounds, False),
    "misaligned": (_misaligned, True),
    "misaligned vector": (_misaligned_vector, False),
    "unwritten, shared": (_unwritten_shared, False),
    "unwritten, local": (_unwritten_local, False),
    "unwritten, register": (_unwritten_constant_index, False),
    "unwritten, given length": (_unwritten_given, True),
    "missed barrier": (_missed_barrier, False),
    "illegal mask": (_illegal_mask, False),
    "bad lane": (_bad_lane, False),
    "endless loop": (_endless, False),
    "waits for ever": (_waits_for_ever, False),
}
"""What makes a defect, and whether it needs a single block."""
