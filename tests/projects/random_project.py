"""Random projects: kernels in headers and sources, launches and callers spread over files, neighbours with their names.

Every launch that a program makes when it runs is written down beside its text (`Made`), whatever way it takes: direct,
through a macro, through functions of several files, through a pointer that nobody follows (`launch_ways.py`,
`call_ways.py`).  Some files define `LARGE`, by which a header that all include says another `WIDTH`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, final

from tests.projects.call_ways import CALLS, SIZE, Call, Called
from tests.projects.launch_ways import BLOCKS, LAUNCHES, Asked, Extent, Made, Way, line
from tests.projects.number_ways import NUMBERED, related_numbers
from tests.sim.random.choices import Choices, Source

BODIES: Final = (
    "if (threadIdx.x < 32) x[t & 255] = n;",
    "if (threadIdx.x < 64) { __syncthreads(); x[t & 255] = n; }",
    "if (threadIdx.y == 0) __syncthreads(); x[t & 255] += n;",
    "if (threadIdx.x / 32 == blockIdx.x) x[t & 255] = 1; else x[t & 255] = 2;",
    "for (int i = 0; i < blockDim.x / 16; i++) x[(t + i) & 255] += threadIdx.x / 16;",
    "if (n > 64) __syncthreads(); if (blockDim.x == 64) x[t & 255] = threadIdx.y;",
    "for (int i = threadIdx.x; i < n; i += blockDim.x) { x[i & 255] = t; __syncwarp(); }",
    "if (blockIdx.x == 0 && threadIdx.x + 8 < blockDim.x) x[t & 255] = threadIdx.x % 8;",
    "if (pick(threadIdx.x) > n) __syncthreads(); x[t & 255] = pick(n);",
    "for (int i = 0; i < pick(n) % 5; i++) x[(t + i) & 255] = pick(1.5f * i);",
    "if (n == 7 || n < 0) { if (twice(threadIdx.x) < 64u) __syncthreads(); } else x[t & 255] = twice(n);",
    "if (threadIdx.x < scale[n & 3]) __syncthreads(); x[t & 255] = scale[threadIdx.x & 3];",
    "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) __syncthreads(); x[t & 255] = n;",
    "if (blockIdx.x * 64 + threadIdx.x >= (unsigned)n) return; __syncthreads(); x[t & 255] = n;",
    "if (blockIdx.x * blockDim.x < n) __syncthreads(); else x[t & 255] = n;",
    "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i & 255] = t;",
    "if (threadIdx.x < n) { __syncthreads(); x[t & 255] = n; } else if (blockIdx.x < n) __syncwarp();",
)
BY_WIDTH: Final = (
    "if (threadIdx.x < WIDTH) __syncthreads(); x[t & 255] = WIDTH;",
    "for (int i = t; i < WIDTH; i += 32) x[i & 255] = n;",
)
PICK: Final = """#pragma once
__device__ inline int pick(int v) { return v / 2; }
__device__ inline int pick(unsigned v) { return v > 16 ? 100 : 1; }
__device__ inline int pick(float v) { return (int)(v * 2); }
template <typename T> __device__ T twice(T v) { return v + v; }
static __constant__ int scale[4] = {8, 32, 100, 0};
"""
CONFIGURATION: Final = """#pragma once
#ifdef LARGE
#define WIDTH 64
#else
#define WIDTH 32
#endif
"""
SHAPES: Final[tuple[Extent, ...]] = (
    (32, 1, 1), (64, 1, 1), (48, 1, 1), (128, 1, 1), (16, 4, 1), (32, 2, 1), (8, 8, 1), (64, 2, 1), (8, 4, 2)
)  # fmt: skip
WAYS: Final = (BLOCKS, LAUNCHES, NUMBERED)
SOURCES: Final = ("main.cu", "other.cu", "host.cpp")


@final
@dataclass(slots=True)
class RandomProject:
    """Texts by path, and the launches by the path and the name of their kernel; `packed` take a number in a class,
    `generic` are templates."""

    files: dict[str, str] = field(default_factory=dict[str, str])
    made: dict[tuple[str, str], list[Made]] = field(default_factory=dict[tuple[str, str], list[Made]])
    packed: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    generic: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])


def random_project(source: Source) -> RandomProject:
    """One or two programs side by side, with the same names in each."""
    choices = Choices(source)
    project = RandomProject()
    for folder in ("/project/one", "/project/two")[: choices.between(1, 2)]:
        _Program(choices, folder, project).write()
    return project


@final
@dataclass(frozen=True, slots=True)
class _Kernel:
    """`include`: what files see it by; `owner`: the only file that can name it."""

    name: str
    spelled: str
    path: str
    include: str
    is_packed: bool
    owner: str | None = None


@final
class _Program:
    def __init__(self, choices: Choices, folder: str, project: RandomProject) -> None:
        self._choices = choices
        self._folder = folder
        self._project = project
        self._heads: dict[str, list[str]] = {}
        self._bodies: dict[str, list[str]] = {}
        self._main: list[str] = []
        """Statements of `main`."""
        self._number = 0
        self._is_related = False
        """Whether what the next launches pass hangs together with their grid."""
        self._large = {name for name in SOURCES if choices.below(3) == 0}

    def write(self) -> None:
        choices = self._choices
        for index in range(choices.between(1, 2)):
            is_several = choices.below(8) == 0
            for kernel in self._static_kernels(f"k{index}") if is_several else [self._kernel(f"k{index}")]:
                self._is_related = choices.below(4) == 0
                for _ in range(1 if self._is_related else choices.between(1, 3)):
                    self._launch(kernel, choices.pick(SOURCES))
        calls = "\n".join(f"  {{ {statement} }}" for statement in self._main)
        self._add("main.cu", f"int main(int argc, char **argv) {{\n  int *x = nullptr;\n{calls}\n  return 0;\n}}")
        for name in self._bodies.keys() | self._heads.keys():
            first = ["#define LARGE 1"] if name in self._large else []
            parts = [*first, *dict.fromkeys(self._heads.get(name, ())), *self._bodies.get(name, ())]
            self._project.files[f"{self._folder}/{name}"] = "\n".join(parts) + "\n"
        common = {"pick.cuh": PICK, "conf.h": CONFIGURATION, "size.h": "#pragma once\nstruct Size { int n, m; };\n"}
        self._project.files |= {f"{self._folder}/{name}": text for name, text in common.items()}

    # -- kernels ------------------------------------------------------------------------------------------------------

    def _static_kernels(self, name: str) -> list[_Kernel]:
        """Two sources have a kernel of this name each, which no other can see."""
        choices, found = self._choices, list[_Kernel]()
        for path in ("main.cu", "other.cu"):
            is_packed = choices.below(6) == 0
            before, text = self._written(name, path, is_packed, "static ", may_vary=True)
            self._add(path, choices.pick((text, f"namespace {{\n{text.removeprefix('static ')}\n}}")))
            for line_ in before:
                self._head(path, line_)
            found.append(self._defined(_Kernel(name, name, path, "", is_packed, path)))
        return found

    def _kernel(self, name: str) -> _Kernel:
        choices = self._choices
        place, is_packed = choices.below(5), choices.below(6) == 0
        space = "shapes" if choices.below(5) == 0 else ""
        is_header = place < 2
        is_template = is_header and choices.below(5) == 0
        linkage = choices.pick(["", "static ", "inline "]) if place == 0 and not is_template else ""
        path = (f"{name}.cuh", f"kernels/{name}.cuh", f"{name}.cu", f"src/{name}.cu", f"{name}.cu")[place]
        before, text = self._written(
            name, path, is_packed, linkage, may_vary=linkage == "static ", is_template=is_template
        )
        signature = f"{self._signature(name, is_packed)};"
        if space:
            text, signature = f"namespace {space} {{\n{text}\n}}", f"namespace {space} {{ {signature} }}"
        size = ['#include "size.h"'] if is_packed else []
        match place:
            case 0:
                include = f'#include "{name}.cuh"'
                before.insert(0, "#pragma once")
            case 1:
                include = f'#include "all_{name}.h"'
                before.insert(0, "#pragma once")
                self._head(f"all_{name}.h", f'#pragma once\n#include "kernels/{name}.cuh"')
            case 2:
                include = f'#include "{name}.h"'
                self._head(f"{name}.h", "\n".join(["#pragma once", *size, signature]))
                if choices.below(2):
                    before.append(include)
            case 3:
                include = f'#include "include/{name}.h"'
                up = ['#include "../size.h"'] if is_packed else []
                self._head(f"include/{name}.h", "\n".join(["#pragma once", *up, signature]))
                before.append(f'#include "../include/{name}.h"')
            case _:
                extern = choices.pick(["", "extern "]) if not space else ""
                include = "\n".join([*size, f"{extern}{signature}"])
        for line_ in before:
            self._head(path, line_)
        self._add(path, text)
        spelled, used = name, ""
        if space:
            spelled = choices.pick((f"shapes::{name}", f"::shapes::{name}", name, name))
            used = "" if "::" in spelled else choices.pick(("\nusing namespace shapes;", f"\nusing shapes::{name};"))
            if used:
                self._add(path, used.strip())
        if is_template:
            spelled += "<int>"
        return self._defined(_Kernel(name, spelled, path, include + used, is_packed))

    def _defined(self, kernel: _Kernel) -> _Kernel:
        key = f"{self._folder}/{kernel.path}", kernel.name
        self._project.made[key] = []
        if kernel.is_packed:
            self._project.packed.add(key)
        if kernel.spelled.endswith(">"):
            self._project.generic.add(key)
        return kernel

    def _signature(self, name: str, is_packed: bool) -> str:
        return f"__global__ void {name}(int *x, {'Size size' if is_packed else 'int n'})"

    def _written(
        self, name: str, path: str, is_packed: bool, linkage: str, *, may_vary: bool, is_template: bool = False
    ) -> tuple[list[str], str]:
        """What stands at the head of its file, and the definition."""
        choices = self._choices
        bodies = (*BODIES, *BY_WIDTH) if may_vary else BODIES
        chosen = [choices.pick(bodies), choices.pick(bodies)]
        up = "../" if "/" in path else ""
        before: list[str] = []
        if any("pick" in body or "twice" in body or "scale" in body for body in chosen):
            before.append(f'#include "{up}pick.cuh"')
        if any("WIDTH" in body for body in chosen):
            before.append(f'#include "{up}conf.h"')
        if is_packed:
            before.append(f'#include "{up}size.h"')
        signature = self._signature(name, is_packed)
        if choices.below(6) == 0:
            signature = signature.replace("void ", "void __launch_bounds__(256) ")
        if is_template:
            signature = "template <typename T> " + signature.replace("int *x", "T *x")
        index = "int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);"
        unpacked = "int n = size.n;\n  " if is_packed else ""
        return before, f"{linkage}{signature} {{\n  {unpacked}{index}\n  {chosen[0]}\n  {chosen[1]}\n}}"

    # -- launches -----------------------------------------------------------------------------------------------------

    def _launch(self, kernel: _Kernel, user: str) -> None:
        """A function that launches a kernel; `user` is the file that asks for it."""
        choices, path = self._choices, kernel.path
        self._number += 1
        launcher = choices.pick([path, "main.cu", "other.cu"]) if choices.below(2) or user == "host.cpp" else user
        if launcher.endswith(".cpp"):
            launcher = "other.cu"
        launcher = kernel.owner or launcher
        if launcher != path:
            self._head(launcher, kernel.include)
        elif path.endswith(".cuh"):
            self._head("other.cu", kernel.include)
        in_header = launcher.endswith(".cuh")
        if in_header and user == "host.cpp":
            user = "other.cu"
        block = choices.pick(SHAPES)
        asked = Asked(kernel.spelled, kernel.is_packed, self._number, choices.between(1, 3), block)
        by_width = choices.below(12) == 0
        chosen = related_numbers if self._is_related else choices.pick(choices.pick(WAYS))
        way = self._by_width(asked, launcher, user) if by_width else chosen(asked, choices)
        function = f"run{self._number}"
        called = Called(function, way.takes_size, self._number)
        linkage = "" if not in_header else "static inline " if by_width else "inline "
        for text in (way.before, f"{linkage}void {function}({called.parameters}) {{ {way.body} }}", way.after):
            if text:
                self._add(launcher, text)
        if way.elsewhere:
            self._add("host.cpp" if launcher == "other.cu" else "other.cu", way.elsewhere)
        call = self._call(called, kernel.include if in_header else "", launcher, user)
        made = self._project.made[f"{self._folder}/{path}", kernel.name]
        for passed in call.passes:
            made += way.happens(*passed)

    def _by_width(self, asked: Asked, launcher: str, user: str) -> Way:
        """The block is what a header says to the file that is compiled."""
        up = "../" if "/" in launcher else ""
        self._head(launcher, f'#include "{up}conf.h"')
        compiled = user if launcher.endswith(".cuh") else launcher
        width = 64 if compiled in self._large else 32

        def happens(n: int, size: int) -> list[Made]:
            here = Made(line(asked.grid), line(width), n)
            if compiled == launcher:
                return [here]
            return [here, Made(line(asked.grid), line(96 - width), n, may=True, elsewhere=True)]

        return Way(asked.launch("WIDTH"), happens)

    def _call(self, called: Called, include: str, launcher: str, user: str) -> Call:
        """`main` calls the function, perhaps through another file."""
        choices = self._choices
        call = choices.pick(CALLS)(called, choices)
        if call.default is not None and (include or launcher == user):
            call = CALLS[0](called, choices)
        parameters = called.parameters + ("" if call.default is None else f" = {call.default}")
        declaration = f"void {called.function}({parameters});"
        if choices.below(3) == 0:
            self._head(f"{called.function}.h", f"#pragma once\n{declaration}")
            declaration = f'#include "{called.function}.h"'
        seen = include or declaration
        if launcher != user:
            self._head(user, seen)
        if call.before:
            self._add(user, call.before)
        if user == "main.cu":
            self._main.append(call.statement)
            return call
        through = f"go_{called.function}"
        if choices.below(3) == 0 and call.default is None and not call.before:
            number = call.passes[0][0]
            self._add(user, f"void {through}({called.parameters}) {{ {called.function}({called.names}); }}")
            self._head("main.cu", f"void {through}({called.parameters});")
            self._main.append(called.call(number, function=through))
            return Call("", ((number, SIZE),))
        extra = f" auto *f = {called.function}; (void)f;" if choices.below(8) == 0 else ""
        self._add(user, f"void {through}(int *x) {{ {call.statement}{extra} }}")
        self._head("main.cu", f"void {through}(int *x);")
        self._main.append(f"{through}(x);")
        return call

    def _head(self, path: str, line_: str) -> None:
        self._heads.setdefault(path, []).append(line_)

    def _add(self, path: str, text: str) -> None:
        self._bodies.setdefault(path, []).append(text)


def shown(files: Mapping[str, str]) -> str:
    """All texts, for who reads a failure."""
    return "\n".join(f"--- {path}\n{text}" for path, text in sorted(files.items()))
