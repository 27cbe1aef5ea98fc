"""Random projects: kernels in headers and sources, launches and callers spread over files, neighbours with their names.

Every launch that a program makes when it runs is written down beside its text (`Made`), whatever way it takes: direct,
through a macro, through functions of several files, through a pointer that nobody follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, final

from tests.sim.random.choices import Choices, Source

Extent = tuple[int, int, int]

BODIES: Final = (
    "if (threadIdx.x < 32) x[t & 255] = n;",
    "if (threadIdx.x < 64) { __syncthreads(); x[t & 255] = n; }",
    "if (threadIdx.y == 0) __syncthreads(); x[t & 255] += n;",
    "if (threadIdx.x / 32 == blockIdx.x) x[t & 255] = 1; else x[t & 255] = 2;",
    "for (int i = 0; i < blockDim.x / 16; i++) x[(t + i) & 255] += threadIdx.x / 16;",
    "if (n > 64) __syncthreads(); if (blockDim.x == 64) x[t & 255] = threadIdx.y;",
    "for (int i = threadIdx.x; i < n; i += blockDim.x) { x[i & 255] = t; __syncwarp(); }",
    "if (blockIdx.x == 0 && threadIdx.x + 8 < blockDim.x) x[t & 255] = threadIdx.x % 8;",
)
SHAPES: Final[tuple[Extent, ...]] = (
    (32, 1, 1), (64, 1, 1), (48, 1, 1), (128, 1, 1), (16, 4, 1), (32, 2, 1), (8, 8, 1), (64, 2, 1), (8, 4, 2)
)  # fmt: skip
NUMBERS: Final = (1, 7, 64, 100, 256)


@final
@dataclass(frozen=True, slots=True)
class Made:
    """A launch that the program makes."""

    grid: Extent
    block: Extent
    n: int


@final
@dataclass(slots=True)
class RandomProject:
    """Texts by path, and the launches by the path and the name of their kernel."""

    files: dict[str, str] = field(default_factory=dict[str, str])
    made: dict[tuple[str, str], list[Made]] = field(default_factory=dict[tuple[str, str], list[Made]])


def random_project(source: Source) -> RandomProject:
    """One or two programs side by side, with the same names in each."""
    choices = Choices(source)
    project = RandomProject()
    for folder in ("/project/one", "/project/two")[: choices.between(1, 2)]:
        _Program(choices, folder, project).write()
    return project


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

    def write(self) -> None:
        sources = ["main.cu", "other.cu", "host.cpp"]
        for index in range(self._choices.between(1, 2)):
            name = f"k{index}"
            path, include = self._kernel(name)
            for _ in range(self._choices.between(1, 3)):
                self._launch(name, path, include, self._choices.pick(sources))
        calls = "\n".join(f"  {statement}" for statement in self._main)
        self._add("main.cu", f"int main(int argc, char **argv) {{\n  int *x = nullptr;\n{calls}\n  return 0;\n}}")
        for name in self._bodies.keys() | self._heads.keys():
            parts = [*dict.fromkeys(self._heads.get(name, ())), *self._bodies.get(name, ())]
            self._project.files[f"{self._folder}/{name}"] = "\n".join(parts) + "\n"

    def _kernel(self, name: str) -> tuple[str, str]:
        """Defines a kernel; the path where, and what files see it by."""
        choices = self._choices
        signature = f"__global__ void {name}(int *x, int n)"
        index = "int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);"
        text = f"{signature} {{\n  {index}\n  {choices.pick(BODIES)}\n  {choices.pick(BODIES)}\n}}"
        match choices.below(5):
            case 0:
                path, include = f"{name}.cuh", f'#include "{name}.cuh"'
                text = choices.pick(["", "static ", "inline "]) + text
                self._head(path, "#pragma once")
            case 1:
                path, include = f"kernels/{name}.cuh", f'#include "all_{name}.h"'
                self._head(path, "#pragma once")
                self._head(f"all_{name}.h", f'#pragma once\n#include "kernels/{name}.cuh"')
            case 2:
                path, include = f"{name}.cu", f'#include "{name}.h"'
                self._head(f"{name}.h", f"#pragma once\n{signature};")
                if choices.below(2):
                    self._head(path, include)
            case 3:
                path, include = f"src/{name}.cu", f'#include "include/{name}.h"'
                self._head(f"include/{name}.h", f"#pragma once\n{signature};")
                self._head(path, f'#include "../include/{name}.h"')
            case _:
                path, include = f"{name}.cu", f"{choices.pick(['', 'extern '])}{signature};"
        self._add(path, text)
        self._project.made[f"{self._folder}/{path}", name] = []
        return path, include

    def _launch(self, name: str, path: str, include: str, user: str) -> None:
        """One or more launches of a kernel; `user` is the file that asks for them."""
        choices = self._choices
        self._number += 1
        function = f"run{self._number}"
        made = self._project.made[f"{self._folder}/{path}", name]
        grid, block, n = (choices.between(1, 3), 1, 1), choices.pick(SHAPES), choices.pick(NUMBERS)
        launcher = choices.pick([path, "main.cu", "other.cu"]) if choices.below(2) or user == "host.cpp" else user
        if launcher.endswith(".cpp"):
            launcher = "other.cu"
        if launcher != path:
            self._head(launcher, include)
        elif path.endswith(".cuh"):
            self._head("other.cu", include)
        dim = f"dim3({block[0]}, {block[1]}, {block[2]})" if block[1:] != (1, 1) else str(block[0])
        kind = choices.below(10)
        parameters, arguments = "int *x, int n", f"x, {n}"
        match kind:
            case 0:
                body = f"{name}<<<{grid[0]}, {dim}>>>(x, n);"
            case 1:
                body = f"dim3 b({block[0]}); b.y = {block[1]}; b.z = {block[2]}; {name}<<<{grid[0]}, b>>>(x, n);"
            case 2:
                block = (block[0], 1, 1)
                parameters, arguments = "int *x, int n, int block", f"x, {n}, {block[0]}"
                body = f"{name}<<<{grid[0]}, block>>>(x, n);"
            case 3:
                macro = f"LAUNCH{self._number}"
                self._head(launcher, f"#define {macro}(k, b) k<<<{grid[0]}, b>>>(x, n)")
                body = f"{macro}({name}, {dim});" if dim.isdigit() else f"dim3 d = {dim}; {macro}({name}, d);"
            case 4:
                macro = f"PASTE{self._number}"
                self._head(launcher, f"#define {macro}(a) k##a<<<{grid[0]}, b>>>(x, n)")
                body = f"dim3 b = {dim}; {macro}({name[1:]});"
            case 5:
                body = f"void (*f)(int *, int) = {name}; f<<<{grid[0]}, {dim}>>>(x, n);"
            case 6:
                made.append(Made(grid, (16, 2, 1), n))
                body = f"dim3 b(16, 2); if (n >= 0) {{ {name}<<<{grid[0]}, b>>>(x, n); b = {dim}; }}"
                body += f" {name}<<<{grid[0]}, b>>>(x, n);"
            case 7:
                made += [Made(grid, (size, 1, 1), n) for size in (32, 64)]
                block = (128, 1, 1)
                body = f"for (int b = 32; b <= 128; b *= 2) {name}<<<{grid[0]}, b>>>(x, n);"
            case 8:
                shape = f"dim3({dim})" if dim.isdigit() else dim
                call = f"cudaLaunchKernel((void *){name}, dim3({grid[0]}), {shape}, given, 0, 0);"
                body = f"void *given[] = {{ &x, &n }}; {call}"
            case _:
                body = f"const int size = {block[0]}; {name}<<<{grid[0]}, dim3(size, {block[1]}, {block[2]})>>>(x, n);"
        made.append(Made(grid, block, n))
        in_header = launcher.endswith(".cuh")
        self._add(launcher, f"{'inline ' if in_header else ''}void {function}({parameters}) {{ {body} }}")
        if user == "host.cpp" and in_header:
            user = "other.cu"
        self._call(function, parameters, arguments, include if in_header else "", launcher, user)

    def _call(self, function: str, parameters: str, arguments: str, include: str, launcher: str, user: str) -> None:
        """`main` calls the function, perhaps through another file."""
        choices = self._choices
        declaration = f"void {function}({parameters});"
        if choices.below(3) == 0:
            self._head(f"{function}.h", f"#pragma once\n{declaration}")
            declaration = f'#include "{function}.h"'
        seen = include or declaration
        if user == "main.cu":
            if launcher != "main.cu":
                self._head("main.cu", seen)
            self._main.append(f"{function}({arguments});")
            return
        if launcher != user:
            self._head(user, seen)
        through = f"go_{function}"
        if choices.below(2):
            names = ", ".join(part.split()[-1].lstrip("*") for part in parameters.split(","))
            self._add(user, f"void {through}({parameters}) {{ {function}({names}); }}")
            self._head("main.cu", f"void {through}({parameters});")
            self._main.append(f"{through}({arguments});")
        else:
            extra = f" auto *f = {function}; (void)f;" if choices.below(6) == 0 else ""
            self._add(user, f"void {through}(int *x) {{ {function}({arguments});{extra} }}")
            self._head("main.cu", f"void {through}(int *x);")
            self._main.append(f"{through}(x);")

    def _head(self, path: str, line: str) -> None:
        self._heads.setdefault(path, []).append(line)

    def _add(self, path: str, text: str) -> None:
        self._bodies.setdefault(path, []).append(text)


def shown(files: Mapping[str, str]) -> str:
    """All texts, for who reads a failure."""
    return "\n".join(f"--- {path}\n{text}" for path, text in sorted(files.items()))
