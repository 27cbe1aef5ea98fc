"""The ways in which a host function of a random project launches a kernel, each with the launches that it makes.

A way is text and beside it what the text does when the function runs: `run(int *x, int n)`, some with an `int size`.
"""
# ruff: noqa: E501 -- each text of a program stands on one line

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from tests.sim.random.choices import Choices

Extent: TypeAlias = tuple[int, int, int]
Happens: TypeAlias = "Callable[[int, int], list[Made]]"
"""What is launched when the function gets `n` and `size`."""


@final
@dataclass(frozen=True, slots=True)
class Made:
    """A launch that the program makes; or one that `may` be taken for one, behind a condition that is not known, or
    that other files make of the same text with their macros (`elsewhere`)."""

    grid: Extent
    block: Extent
    n: int
    may: bool = False
    elsewhere: bool = False


@final
@dataclass(frozen=True, slots=True)
class Asked:
    """A kernel to launch, and how, unless the way has its own mind; `number` is one that no other function has."""

    kernel: str
    is_packed: bool
    """Whether the kernel takes its number in a class, `Size{n, 1}`."""
    number: int
    grid: int
    block: Extent

    @property
    def shape(self) -> str:
        """The block as an argument of a launch."""
        return str(self.block[0]) if self.block[1:] == (1, 1) else f"dim3({', '.join(map(str, self.block))})"

    @property
    def dim(self) -> str:
        return f"dim3({', '.join(map(str, self.block))})"

    @property
    def last(self) -> str:
        """The type of the last parameter of the kernel."""
        return "Size" if self.is_packed else "int"

    def passed(self, number: str = "n") -> str:
        return f"Size{{{number}, 1}}" if self.is_packed else number

    def launch(self, block: str, number: str = "n", *, kernel: str | None = None) -> str:
        return f"{kernel or self.kernel}<<<{self.grid}, {block}>>>(x, {self.passed(number)});"

    def makes(self, *blocks: Extent) -> Happens:
        return lambda n, size: [Made((self.grid, 1, 1), block, n) for block in blocks or (self.block,)]


@final
@dataclass(frozen=True, slots=True)
class Way:
    """The body of the function; what stands before it, behind it, and in another file."""

    body: str
    happens: Happens
    before: str = ""
    after: str = ""
    elsewhere: str = ""
    takes_size: bool = False


def line(width: int) -> Extent:
    return width, 1, 1


# -- the block --------------------------------------------------------------------------------------------------------


def direct(asked: Asked, _: Choices) -> Way:
    return Way(asked.launch(asked.shape), asked.makes())


def members(asked: Asked, _: Choices) -> Way:
    x, y, z = asked.block
    return Way(f"dim3 b({x}); b.y = {y}; b.z = {z}; {asked.launch('b')}", asked.makes())


def members_one_by_one(asked: Asked, _: Choices) -> Way:
    x, y, z = asked.block
    text = f"dim3 b; b.x = {x}; if (n < -1000000) b.x = 16; b.y = {y}; b.z = {z}; {asked.launch('b')}"
    return Way(text, asked.makes())


def members_by_another_name(asked: Asked, choices: Choices) -> Way:
    x, y, z = asked.block
    name = choices.pick(
        ("dim3 &r = b; r.", "dim3 *p = &b; p->", "auto *p = &b; (*p).", "dim3 &&r = static_cast<dim3 &&>(b); r.")
    )
    place = name.rpartition("; ")[2]
    text = f"dim3 b(16, 2, 2); {name}x = {x}; {place}y = {y}; {place}z = {z}; {asked.launch('b')}"
    return Way(text, asked.makes())


def filled_by_function(asked: Asked, choices: Choices) -> Way:
    x, y, z = asked.block
    name = f"fill_{asked.number}"
    by, at, sign = choices.pick((("dim3 &b", "b.", ""), ("dim3 *b", "b->", "&")))
    before = f"static void {name}({by}) {{ {at}x = {x}; {at}y = {y}; {at}z = {z}; }}"
    return Way(f"dim3 b(16, 2, 2); {name}({sign}b); {asked.launch('b')}", asked.makes(), before)


def returned_by_function(asked: Asked, choices: Choices) -> Way:
    name = f"shape_{asked.number}"
    before = f"static {choices.pick(('', 'inline '))}dim3 {name}(int n) {{ if (n < -1000000) return dim3(4); return {asked.dim}; }}"
    return Way(
        choices.pick((asked.launch(f"{name}(n)"), f"auto b = {name}(n); {asked.launch('b')}")), asked.makes(), before
    )


def copied_before_it_changed(asked: Asked, _: Choices) -> Way:
    text = f"dim3 b = {asked.dim}; dim3 c = b; b.x = 16; b.y = 2; b.z = 1; {asked.launch('c')} {asked.launch('b')}"
    return Way(text, asked.makes(asked.block, (16, 2, 1)))


def changed_in_between(asked: Asked, _: Choices) -> Way:
    text = f"dim3 b(16, 2); if (n > -1000000) {{ {asked.launch('b')} b = {asked.dim}; }} {asked.launch('b')}"
    return Way(text, asked.makes((16, 2, 1), asked.block))


def in_a_class(asked: Asked, choices: Choices) -> Way:
    name = f"Config{asked.number}"
    before = f"struct {name} {{ int grid; dim3 block; }};"
    written = choices.pick((f"{name} c = {{1, {asked.dim}}};", f"{name} c; c.block = {asked.dim};"))
    return Way(f"{written} {asked.launch('c.block')}", asked.makes(), before)


def by_the_number(asked: Asked, choices: Choices) -> Way:
    text = choices.pick(
        (
            "if (n == 7 || n > 99) { %s } else { %s }",
            "if (n == 7 || n > 99) { %s return; } %s",
            "switch (n) { case 7: case 100: case 256: %s break; default: %s }",
            "switch (n) { default: %s break; case 1: case 64: %s }",
            "if (n != 1 && n != 64) %s else %s",
        )
    )
    before = "static int known(int n) { return n == 64 || n < 8 || n == 100 || n == 256; }"
    name = f"known_{asked.number}"
    body = text % (asked.launch("64"), asked.launch("32"))

    def happens(n: int, size: int) -> list[Made]:
        is_wide = n in (7, 100, 256)
        comes = n < 8 or n in (64, 100, 256)
        made = 64 if is_wide else 32
        wide, narrow = (Made(line(asked.grid), line(width), n, not comes or width != made) for width in (64, 32))
        return [wide, narrow]

    return Way(f"if (!{name}(n)) return; {body}", happens, before.replace("known", name))


def chosen(asked: Asked, choices: Choices) -> Way:
    text = choices.pick(
        (
            asked.launch("n > 50 ? 64 : 32"),
            asked.launch("n > 50 ? dim3(64) : dim3(32, 1)"),
            f"int b = 32; if (n > 50) b = 64; {asked.launch('b')}",
            f"int b = n > 50 ? 64 : 32; {asked.launch('b')}",
            f"int b; if (n > 50) b = 64; else b = 32; {asked.launch('b')}",
            f"int b = 32; n > 50 ? b = 64 : b; {asked.launch('b')}",
            f"int b = 32; if (n > 50 && (b = 64) > 0) {{ }} {asked.launch('b')}",
            f"int b = 32 << (n > 50); {asked.launch('b')}",
            f"int b = 32; if (n > 50) b <<= 1; {asked.launch('b')}",
            f"int b = 32; while (n > 50 && b < 64) b += 32; {asked.launch('b')}",
            f"const int sizes[] = {{32, 64}}; {asked.launch('sizes[n > 50]')}",
        )
    )
    return Way(text, lambda n, size: [Made(line(asked.grid), line(64 if n > 50 else 32), n)])


def parameter(asked: Asked, choices: Choices) -> Way:
    if choices.below(2):
        return Way(asked.launch("size"), lambda n, size: [Made(line(asked.grid), line(size), n)], takes_size=True)
    text = choices.pick(
        (
            "if (n > 50) size *= 2;",
            "if (n > 50) size = size + size;",
            "for (int i = 50; i < n; i++) { size *= 2; break; }",
        )
    )
    return Way(
        f"{text} {asked.launch('size')}",
        lambda n, size: [Made(line(asked.grid), line(2 * size if n > 50 else size), n)],
        takes_size=True,
    )  # fmt: skip


def size_in_a_variable(asked: Asked, choices: Choices) -> Way:
    size, (y, z) = asked.block[0], asked.block[1:]
    name = f"SIZE_{asked.number}"
    before, spelled = choices.pick(
        (
            ("", ""),
            (f"#define {name} {size}", name),
            (f"static const int {name} = {size};", name),
            (f"constexpr int {name} = {size};", name),
            (f"enum {{ NONE_{asked.number}, {name} = {size} }};", name),
            (f"struct Has{asked.number} {{ static const int {name} = {size}; }};", f"Has{asked.number}::{name}"),
            (
                f"template <int N> struct Has{asked.number} {{ static const int {name} = N; }};",
                f"Has{asked.number}<{size}>::{name}",
            ),
            (
                f"namespace sizes{asked.number} {{ const int {name} = {size}; }}\nnamespace others{asked.number} {{ const int {name} = 8; }}",
                f"sizes{asked.number}::{name}",
            ),
        )
    )
    after = f"#undef {name}\n#define {name} 16" if before.startswith("#") else ""
    text = f"const int size = {size}; " if not before else ""
    block = f"dim3({spelled or 'size'}, {y}, {z})"
    return Way(text + asked.launch(block), asked.makes(), before, after)


def variable_of_the_file(asked: Asked, choices: Choices) -> Way:
    """Somebody else writes it: first it is 64, then 32."""
    name = f"size_{asked.number}"
    kind = choices.pick(("static int", "int", "static unsigned", "static volatile int"))
    before = f"{kind} {name} = 64;\nstatic void set_{asked.number}(int v) {{ {name} = v; }}"
    body = f"{asked.launch(name)} set_{asked.number}(32); {asked.launch(name)}"
    return Way(body, asked.makes(line(64), line(32)), before if "static" in kind else f"namespace {{\n{before}\n}}")


_SIZES: Final[tuple[tuple[str, str, str, tuple[int, ...]], ...]] = (
    ("static int G = 64;", "", "L", (64,)),
    ("static int G = 64;", "", "G = 32; L", (32,)),
    ("static int G;", "", "G = 32; L G = 64; L", (32, 64)),
    ("inline int G = 64; void SET(int v);", "extern int G; void SET(int v) { G = v; }", "SET(32); L SET(64); L", (32, 64)),
    ("inline int G = 64; void SET(int v);", "extern int G; void SET(int v) { G = v; }", "G = 96; SET(32); L", (32,)),
    ("extern int G; void SET(int v);", "int G = 64; void SET(int v) { G = v; }", "SET(32); L SET(64); L", (32, 64)),
    ("extern int G;", "int G = 64;", "L", (64,)),
    ("static int G = 64; static void SET() { G = 32; }", "", "SET(); L", (32,)),
    ("static int G = 64; static void SET() { G = 32; }", "", "G = 96; auto f = SET; f(); L", (32,)),
    ("static int G = 64; static void SET(int &v) { v = 32; }", "", "G = 96; SET(G); L", (32,)),
    ("static int G = 64; static int SET(int v) { G = 32; return v; }", "", "G = 96; int b = G + SET(0); int c = G; K(c) (void)b;", (32,)),
    ("static int G = 64; static int SET(int v) { G = 32; return v; }", "", "G = 96; int b = SET(1) ? G : 0; K(b)", (32,)),
    ("static int G = 64; static void SET() { G = 32; }", "", "G = 96; int b = G; SET(); K(b) L", (96, 32)),
    ("static int G = 64;", "", "G = 64; for (int i = 0; i < 2; i++) { L G = 32; }", (64, 32)),
    ("static int G = 64; static void SET() { G = 32; }", "", "G = 64; for (int i = 0; i < 2; i++) { L SET(); }", (64, 32)),
    ("static int G = 64; static int *G_at = &G;", "", "*G_at = 32; L", (32,)),
    ("static int G = 64; static int &G_too = G;", "", "G_too = 32; L", (32,)),
    ("static int G = 64;", "", "int &r = G; r = 32; L", (32,)),
    ("static int G = 64;", "", "[] { G = 32; }(); L", (32,)),
    ("static int G = 64;", "", "auto f = [] { G = 32; }; G = 96; f(); L", (32,)),
    ("static int G = 64;", "", "::G = 32; L", (32,)),
    ("static int G = 64; static struct G_s { G_s() { G = 32; } } G_o;", "", "L", (32,)),
    ("static int G = 64; struct G_s { ~G_s() { G = 32; } };", "", "G = 64; { G_s s; L } L", (64, 32)),
    ("static int G = 64; static int G_early = G = 32;", "", "L", (32,)),
    ("static int G = 64; static int SET() { G = 32; return 1; } static int G_early = SET();", "", "L", (32,)),
    ("#define SET(v) G = v\nstatic int G = 64;", "", "SET(32); L", (32,)),
    ("#define SET G\nstatic int G = 64;", "", "SET = 32; L", (32,)),
    ("static int G = 64; static void SET(int v = 32) { G = v; }", "", "SET(); L", (32,)),
    ("static unsigned char G = 64;", "", "G = 288; L", (32,)),
    ("static int G = 64, G_b = 32;", "", "G = G_b; L", (32,)),
    ("static int G = 64;", "", "G = 16; G *= 2; L", (32,)),
    ("static int G = 64;", "", "{ int G = 7; (void)G; } L", (64,)),
    ("static int G = 64;", "", "int b = G; int G = 32; L K(b)", (32, 64)),
    ("static int G = 64;", "", "for (G = 32; G < 100; G += 32) L G = 64;", (32, 64, 96)),
    ("static int G = 64;", "", "{ extern int G; G = 32; } L", (32,)),
    ("static bool G_big; static int G;", "", "G_big = true; G = G_big ? 32 : 64; L", (32,)),
    ("namespace { int G = 64; void SET() { G = 32; } }", "", "SET(); L", (32,)),
    ("static int G = 64; struct G_s { static void set() { G = 32; } };", "", "G_s::set(); L", (32,)),
    ("static int G = 64; static void SET(int depth) { G = 32; if (depth) SET(depth - 1); }", "", "G = 64; L SET(2); L", (64, 32)),
    ("static int G = 64;", "", "int *p = &G; *p = 32; L", (32,)),
    ("static int G = 64; template <int N> static void SET() { G = N; }", "", "SET<32>(); L SET<96>(); L", (32, 96)),
)  # fmt: skip


def variable_that_changes(asked: Asked, choices: Choices) -> Way:
    """Whatever it held before, each call makes these launches."""
    before, elsewhere, body, sizes = choices.pick(_SIZES)

    def named(text: str) -> str:
        text = re.sub(r"\bG(?=\b|_)", f"size_{asked.number}", text)
        return re.sub(r"\bSET\b", f"put_{asked.number}", text)

    def launched(text: str) -> str:
        text = re.sub(r"\bL\b", asked.launch("G"), text)
        return re.sub(r"\bK\((\w+)\)", lambda found: asked.launch(found[1]), text)

    return Way(named(launched(body)), asked.makes(*map(line, sizes)), named(before), elsewhere=named(elsewhere))


def variable_of_another_file(asked: Asked, choices: Choices) -> Way:
    name = f"size_{asked.number}"
    kind = choices.pick(("extern int", "extern const int"))
    elsewhere = f"{'extern const' if 'const' in kind else ''} int {name} = 64;"
    return Way(asked.launch(name), asked.makes(line(64)), f"{kind} {name};", elsewhere=elsewhere)


def occupancy(asked: Asked, _: Choices) -> Way:
    text = f"int g = 1, b = 32; cudaOccupancyMaxPotentialBlockSize(&g, &b, {asked.kernel}); {asked.launch('b')}"
    return Way(text, asked.makes(line(96)))


def hidden_names(asked: Asked, choices: Choices) -> Way:
    text = choices.pick(
        (
            f"int b = 32; {{ int b = 64; {asked.launch('b')} }} {asked.launch('b')}",
            f"int b = 32; if (int b = 64) {asked.launch('b')} {asked.launch('b')}",
            f"int b = 32; for (int b = 64; b < 65; b++) {asked.launch('b')} {asked.launch('b')}",
            f"int b = 32; [&](int b) {{ {asked.launch('b')} }}(64); {asked.launch('b')}",
        )
    )
    return Way(text, asked.makes(line(64), line(32)))


def counted_calls(asked: Asked, _: Choices) -> Way:
    text = f"static int calls = 0; int b = calls++ ? 64 : 32; {asked.launch('b')} b = 96 - b; {asked.launch('b')}"
    return Way(text, asked.makes(line(64), line(32)))


BLOCKS: Final = (
    *(direct, members, members_one_by_one, members_by_another_name, filled_by_function, returned_by_function),
    *(copied_before_it_changed, changed_in_between, in_a_class, by_the_number, chosen, parameter, size_in_a_variable),
    *(
        variable_of_the_file,
        variable_that_changes,
        variable_that_changes,
        variable_of_another_file,
        occupancy,
        hidden_names,
        counted_calls,
    ),
)


# -- the launch -------------------------------------------------------------------------------------------------------


def macro(asked: Asked, _: Choices) -> Way:
    name = f"LAUNCH{asked.number}"
    before = f"#define {name}(k, b) k<<<{asked.grid}, b>>>(x, {asked.passed()})"
    return Way(f"dim3 d = {asked.dim}; {name}({asked.kernel}, d);", asked.makes(), before)


def pasted(asked: Asked, _: Choices) -> Way:
    name = f"PASTE{asked.number}"
    space, _colons, word = asked.kernel.rpartition("::")
    before = f"#define {name}(a) {space}{'::' if space else ''}{word[0]}##a<<<{asked.grid}, b>>>(x, {asked.passed()})"
    return Way(f"dim3 b = {asked.dim}; {name}({word[1:]});", asked.makes(), before)


def pointer(asked: Asked, choices: Choices) -> Way:
    signature = f"(int *, {asked.last})"
    table = f"table_{asked.number}"
    before, text, name = choices.pick(
        (
            ("", f"void (*f){signature} = {asked.kernel};", "f"),
            ("", f"auto f = &{asked.kernel};", "f"),
            (f"static void (*const {table}[]){signature} = {{{asked.kernel}}};", "", f"{table}[0]"),
            (f"typedef void (*Pointer{asked.number}){signature};", f"Pointer{asked.number} f = {asked.kernel};", "f"),
            (f"static auto *const {table} = {asked.kernel};", "", table),
        )
    )
    return Way(f"{text} {asked.launch(asked.shape, kernel=name)}", asked.makes(), before)


def pointers(asked: Asked, choices: Choices) -> Way:
    """Of several launches some go through a variable that nothing else happens to, and some do not."""
    signature = f"(int *, {asked.last})"
    first, second = asked.launch("32", kernel="f"), asked.launch("64", kernel="f")
    text = choices.pick(
        (
            f"auto f = {asked.kernel}; {first} {second}",
            f"auto f = &{asked.kernel}; {first} {first} {asked.launch('64')}",
            f"auto f = {asked.kernel}; {first} {first} void (*g){signature} = 0; g = {asked.kernel};"
            f" {asked.launch('64', kernel='g')}",
            f"void (*f){signature} = 0; if (n > 2) f = {asked.kernel}; else f = &{asked.kernel}; {first} {second}",
            f"{{ auto f = {asked.kernel}; {first} }} {{ auto f = {asked.kernel}; cudaFuncSetAttribute(f,"
            f" cudaFuncAttributePreferredSharedMemoryCarveout, 50); {second} }}",
            f"auto f = {asked.kernel}; {first} {first} auto go = [x, n](void (*f){signature}) {{ {second} }};"
            f" go({asked.kernel});",
            f"auto f = {asked.kernel}; {first} auto &g = f; {asked.launch('64', kernel='g')}",
        )
    )
    return Way(text, asked.makes(line(32), line(64)))


def wrapper(asked: Asked, choices: Choices) -> Way:
    name = f"apply_{asked.number}"
    kinds = (
        f"static void {name}(void (*f)(int *, {asked.last}), ",
        f"template <class F> static void {name}(F f, ",
        f"template <class F> static void {name}(F &&f, ",
    )
    before = f"{choices.pick(kinds)}dim3 b, int *x, int n) {{ {asked.launch('b', kernel='f')} }}"
    return Way(f"{name}({asked.kernel}, {asked.dim}, x, n);", asked.makes(), before)


def template_of_pointer(asked: Asked, _: Choices) -> Way:
    name = f"apply_{asked.number}"
    before = f"template <void (*F)(int *, {asked.last})> static void {name}(int *x, int n) {{ {asked.launch(asked.shape, kernel='F')} }}"
    return Way(f"{name}<{asked.kernel}>(x, n);", asked.makes(), before)


def template_of_size(asked: Asked, choices: Choices) -> Way:
    name = f"inner_{asked.number}"
    used, body = choices.pick(
        (("B", asked.launch("B")), ("B", f"const int b = B; {asked.launch('b')}"), ("B = 32", asked.launch("B")))
    )
    before = f"template <int {used}> static void {name}(int *x, int n) {{ {body} }}"
    second = f"{name}<>(x, n);" if "=" in used else f"{name}<32>(x, n);"
    return Way(f"{name}<64>(x, n); {second}", asked.makes(line(64), line(32)), before)


def overloads(asked: Asked, _: Choices) -> Way:
    name = f"inner_{asked.number}"
    before = (
        f"static void {name}(int *x, float n) {{ {asked.launch('32', '(int)n')} }}\n"
        f"static void {name}(int *x, int n) {{ {asked.launch('64')} }}"
    )
    return Way(
        f"{name}(x, n); {name}(x, 7.5f);",
        lambda n, size: [Made(line(asked.grid), line(64), n), Made(line(asked.grid), line(32), 7)],
        before,
    )


def default_argument(asked: Asked, _: Choices) -> Way:
    name = f"inner_{asked.number}"
    before = f"static void {name}(int *x, int n, int b = 64) {{ {asked.launch('b')} }}"
    return Way(f"{name}(x, n); {name}(x, n, 32);", asked.makes(line(64), line(32)), before)


def method(asked: Asked, choices: Choices) -> Way:
    name = f"Runner{asked.number}"
    before = f"struct {name} {{ int size; {choices.pick(('', 'explicit '))}{name}(int v) : size(v) {{}} void go(int *x, int n) const {{ {asked.launch('size')} }} }};"
    return Way(f"{name} r(64); r.go(x, n); r.size = 32; r.go(x, n);", asked.makes(line(64), line(32)), before)


def derived(asked: Asked, _: Choices) -> Way:
    name = f"Base{asked.number}"
    before = (
        f"struct {name} {{ virtual int size() const {{ return 64; }} void go(int *x, int n) const {{ int b = size(); {asked.launch('b')} }} }};\n"
        f"struct Other{asked.number} : {name} {{ int size() const override {{ return 32; }} }};"
    )
    return Way(f"{name}().go(x, n); Other{asked.number}().go(x, n);", asked.makes(line(64), line(32)), before)


def closure(asked: Asked, choices: Choices) -> Way:
    text = choices.pick(
        (
            f"auto go = [&](int b) {{ {asked.launch('b')} }}; go(64); go(32);",
            f"int b = 64; auto go = [&] {{ {asked.launch('b')} }}; go(); b = 32; go();",
            f"int b = 64; auto go = [=]() mutable {{ {asked.launch('b')} b = 32; }}; go(); go();",
            f"int b = 64; auto half = [&] {{ b /= 2; }}; {asked.launch('b')} half(); {asked.launch('b')}",
        )
    )
    return Way(text, asked.makes(line(64), line(32)))


def loop(asked: Asked, choices: Choices) -> Way:
    text = choices.pick(
        (
            f"for (int b = 32; b <= 128; b *= 2) {asked.launch('b')}",
            f"const int sizes[] = {{32, 64, 128}}; for (int b : sizes) {asked.launch('b')}",
            f"for (dim3 b(32); b.x <= 128; b.x *= 2) {asked.launch('b')}",
            f"dim3 b(32); while (b.x <= 128) {{ {asked.launch('b')} b.x += b.x; }}",
            f"int b = 32; again: {asked.launch('b')} b *= 2; if (b <= 128) goto again;",
            f"int b = 16; do {{ b *= 2; {asked.launch('b')} }} while (b < 128);",
            f"for (auto b : {{dim3(32), dim3(64), dim3(128)}}) {asked.launch('b')}",
            f"const dim3 shapes[] = {{dim3(32), {{64}}, 128}}; for (const dim3 &b : shapes) {asked.launch('b')}",
            f"dim3 shapes[] = {{dim3(32), {{64}}, 128}}; for (int i = 0; i < 3; i++) {asked.launch('shapes[i]')}",
            f"dim3 shapes[] = {{16, 32, 64}}; for (dim3 &b : shapes) {{ b.x *= 2; {asked.launch('b')} }}",
            f"std::initializer_list<dim3> shapes = {{dim3(32), {{64}}, 128}}; for (auto b : shapes) {asked.launch('b')}",
            f"std::vector<dim3> shapes = {{32, 64, 64}}; shapes[1] = 128; for (auto b : shapes) {asked.launch('b')}",
            f"int w = 32; const int sizes[] = {{w, 2 * w, 4 * w}}; w = 7; for (int b : sizes) {asked.launch('b')}",
            f"for (int i = 0; i < 3; i++) {{ int b = 32 << i; {asked.launch('b')} }}",
            f"for (int i = 0; i < 3; i++) {asked.launch('32 << i')}",
            f"int b = 16; {asked.launch('b *= 2')} {asked.launch('b *= 2')} {asked.launch('b *= 2')}",
        )
    )
    return Way(text, asked.makes(line(32), line(64), line(128)))


def runtime_function(asked: Asked, choices: Choices) -> Way:
    value = asked.passed()
    set_up = f"{asked.last} last = {value}; void *given[] = {{ &x, &last }};"
    call = f"({asked.kernel}), dim3({asked.grid}), {asked.dim}, given, 0, 0);"
    text = choices.pick(
        (
            f"{set_up} cudaLaunchKernel((void *){call}",
            f"{set_up} cudaLaunchKernel((const void *)&{call}",
            f"{set_up} cudaLaunchCooperativeKernel((void *){call}",
            f"cudaLaunchConfig_t c = {{}}; c.gridDim = {asked.grid}; c.blockDim = {asked.dim}; cudaLaunchKernelEx(&c, {asked.kernel}, x, {value});",
            f"{set_up} cudaKernelNodeParams p = {{}}; p.func = (void *){asked.kernel}; p.blockDim = {asked.dim}; add(p, given);",
        )
    )
    return Way(text, asked.makes(), "void add(cudaKernelNodeParams &p, void **given);" if "add(p" in text else "")


def other_kernel(asked: Asked, _: Choices) -> Way:
    name = f"parent_{asked.number}"
    before = f"static __global__ void {name}(int *x, int n) {{ if (threadIdx.x == 0) {asked.launch(asked.shape)} }}"
    return Way(f"{name}<<<1, 32>>>(x, n);", asked.makes(), before)


def queried(asked: Asked, _: Choices) -> Way:
    text = f"cudaFuncSetAttribute({asked.kernel}, cudaFuncAttributePreferredSharedMemoryCarveout, 50);"
    return Way(f"{text} {asked.launch(asked.shape)}", asked.makes())


LAUNCHES: Final = (
    *(
        macro,
        pasted,
        pointer,
        pointers,
        wrapper,
        template_of_pointer,
        template_of_size,
        overloads,
        default_argument,
        method,
    ),
    *(derived, closure, loop, runtime_function, other_kernel, queried),
)
