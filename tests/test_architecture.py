"""The folder list tells the architecture; this test makes it true.

Everything is read from the syntax trees of the sources: an import under `if TYPE_CHECKING` or in a function counts.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import final

import pytest

ROOT = Path(__file__).parent.parent
SOURCE_FOLDERS = ("analysis", "sim", "presentation", "simt_lsp", "tests", "benchmarks")

PACKAGES_OF_ANALYSIS = (
    "ir",
    "store",
    "syntax",
    "cpp",
    "project",
    "lower",
    "launches",
    "sides",
    "pipeline",
    "graph",
    "divergence",
    "memory",
    "affine",
    "inputs",
    "access",
    "verdict",
    "warp",
    "overflow",
    "races",
    "petri",
    "scalar",
    "meld",
    "straightline",
    "facts",
    "refactor",
    "rules",
    "features",
)
"""Each imports only those above it."""

ROOMS: Mapping[str, tuple[str, ...]] = {
    "analysis": PACKAGES_OF_ANALYSIS,
    "sim": (
        "refusals",
        "faults",
        "arrays",
        "kernel",
        "result",
        "glance",
        "specification",
        "block_sample",
        "policies",
        "events",
        "state",
        "values",
        "memory",
        "code",
        "machine",
        "observers",
        "launch",
        "simulate",
        "report",
        "equivalence",
        "confirm",
        "sanitize",
        "sweep",
    ),
    "analysis.cpp": ("types", "literals", "conversions", "overloads", "templates", "expressions", "constants"),
    "presentation": ("advice", "terminal", "html"),
    "simt_lsp": ("workspace", "run_check", "launch_requests", "checked_by_runs", "gates", "server", "cli", "__main__"),
    "simt_lsp.server": (
        "documents",
        "transport",
        "analyses",
        "simulations",
        "views",
        "session",
        "requests",
        "features",
        "main",
    ),
}
"""The rooms (packages and modules) of a package; each imports only those before it."""

LAYERS = ("analysis", "sim", "presentation", "simt_lsp")

THIRD_PARTY: Mapping[str, frozenset[str]] = {
    "analysis": frozenset({"tree_sitter", "tree_sitter_cuda"}),
    "sim": frozenset({"numpy"}),
    "presentation": frozenset(),
    "simt_lsp": frozenset(
        {"attrs", "distributed", "lsprotocol", "mcp", "mcp_types", "pydantic", "pyarrow", "pygls", "rich"}
    ),
}
"""What a layer may import besides the standard library and the layers below it."""

OUTSIDE_WORLD = frozenset(
    {"asyncio", "concurrent", "ctypes", "datetime", "fcntl", "glob", "http", "io", "mmap"}
    | {"multiprocessing", "os", "pathlib", "queue", "random", "requests", "select", "selectors", "shutil", "signal"}
    | {"socket", "socketserver", "ssl", "subprocess", "tempfile", "threading", "time", "urllib"}
)
"""Modules through which `analysis` would see files, the clock, the network, processes or threads."""

ALLOWED_IN_ANALYSIS: Mapping[str, str] = {
    "threading.RLock": "fingerprints are read from several threads, and again in a turn that reading them gives",
    "threading.Lock": "documents and caches are read from several threads; a lock starts none",
}
"""Names from those modules that may be imported all the same, with the reason."""

OUTSIDE_CALLS = frozenset({"open", "input", "print", "exec", "eval", "__import__", "breakpoint"})

MAX_FUNCTION_LINES = 60

LONG_FUNCTIONS: Mapping[str, str] = {
    "tests/lower/builtins/test_numbers.py:test_vectors": "one kernel text with the expectation on each line",
}
"""`path:function` that may be longer, with the reason."""


@final
@dataclass(frozen=True, slots=True)
class Import:
    """`importer` names `target`, in full, at `line`."""

    importer: str
    target: str
    line: int


@final
@dataclass(frozen=True, slots=True)
class Module:
    """What is asked of a module: its tree is not kept, since the collector would walk over it in all later tests."""

    path: str
    imports: tuple[Import, ...]
    outside_calls: tuple[tuple[str, int], ...]
    function_lengths: tuple[tuple[str, int], ...]


def test_imports_point_downward() -> None:
    assert [message for item in all_imports() if (message := wrong_direction(item))] == []


def test_the_analysis_sees_nothing_but_text() -> None:
    seen = [message for item in all_imports() if (message := reaches_outside(item))]
    for name, module in modules().items():
        if name.split(".")[0] == "analysis":
            seen += [f"{name}:{line}: calls {call}()" for call, line in module.outside_calls]
    assert seen == []


def test_every_exception_to_the_rules_is_still_needed() -> None:
    used = {item.target for item in all_imports() if item.importer.startswith("analysis.")}
    assert [name for name in ALLOWED_IN_ANALYSIS if name not in used] == []


def test_only_the_server_package_knows_the_protocol() -> None:
    users = {item.importer for item in all_imports() if item.target.split(".")[0] in ("lsprotocol", "pygls")}
    assert {user for user in users if user.split(".")[0] not in ("simt_lsp", "tests", "benchmarks")} == set()


def test_no_module_is_part_of_an_import_cycle() -> None:
    known = modules().keys()
    edges: dict[str, set[str]] = {name: set() for name in known}
    for item in all_imports():
        target = module_named(item.target, known)
        if target is not None and target != item.importer:
            edges[item.importer].add(target)
    assert cycles(edges) == []


def test_functions_stay_short() -> None:
    too_long = {
        f"{module.path}:{name}": length
        for module in modules().values()
        for name, length in module.function_lengths
        if length > MAX_FUNCTION_LINES and f"{module.path}:{name}" not in LONG_FUNCTIONS
    }
    assert too_long == {}


def test_the_description_names_what_there_is() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:analysis|sim|simt_lsp|presentation|tests|benchmarks)/[\w./]+)`", text))
    assert {path for path in named if not (ROOT / path).exists()} == set()
    rooms = [*(ROOT / "analysis").glob("*/__init__.py"), *(ROOT / "sim").glob("*/__init__.py")]
    rooms += [each for package in ("cpp", "lower") for each in (ROOT / "analysis" / package).glob("*/__init__.py")]
    assert {relative(room.parent) for room in rooms} - named == set()
    inside = text.partition("### Inside")[2].partition("### Ten")[0]
    known = {path.name for folder in ("cpp", "lower") for path in (ROOT / "analysis" / folder).rglob("*.py")}
    assert set(re.findall(r"`(\w+\.py)`", inside)) <= known


class TestTheChecksThemselves:
    """Each check sees a breach when there is one."""

    @pytest.mark.parametrize(
        ("importer", "target"),
        [
            ("analysis.ir.types", "analysis.syntax.tree"),
            ("analysis.graph.cycles", "analysis.divergence.levels"),
            ("analysis.facts.model", "analysis.rules.registry"),
            ("analysis.ir.types", "simt_lsp.server"),
            ("analysis.ir.types", "numpy"),
            ("analysis.newcomer.module", "analysis.ir.types"),
            ("sim.engine", "simt_lsp.cli"),
            ("sim.memory.access", "sim.machine.engine"),
            ("simt_lsp.server.views.view", "simt_lsp.server.session.server"),
            ("simt_lsp.workspace.project", "simt_lsp.server.documents.uris"),
            ("sim.engine", "pygls"),
        ],
    )
    def test_an_upward_import_is_seen(self, importer: str, target: str) -> None:
        assert wrong_direction(Import(importer, target, 1)) is not None

    @pytest.mark.parametrize(
        ("importer", "target"),
        [
            ("analysis.syntax.tree", "analysis.ir.types"),
            ("analysis.rules.registry", "analysis.facts.model"),
            ("analysis.memory.spaces", "analysis.divergence.levels"),
            ("simt_lsp.server.main", "analysis.features.hover"),
            ("analysis.ir.types", "dataclasses"),
            ("simt_lsp.server.main", "pygls.server"),
        ],
    )
    def test_a_downward_import_is_not(self, importer: str, target: str) -> None:
        assert wrong_direction(Import(importer, target, 1)) is None

    def test_relative_guarded_and_local_imports_count(self) -> None:
        text = "if TYPE_CHECKING:\n    from . import a\ndef f():\n    from ..b import c\n    import os.path\n"
        found = imports_of("analysis.ir.types", ast.parse(text), is_package=False)
        assert [item.target for item in found] == ["analysis.ir.a", "analysis.b.c", "os.path"]

    def test_a_cycle_is_named(self) -> None:
        assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]

    def test_file_access_is_seen(self) -> None:
        assert list(outside_calls(ast.parse("def f():\n    return open('x')\n"))) == [("open", 2)]
        assert reaches_outside(Import("analysis.ir.types", "pathlib.Path", 1)) is not None

    def test_the_length_of_a_function_is_its_span(self) -> None:
        assert list(function_lengths(ast.parse("class A:\n    def f(self):\n        x = 1\n        return x\n"))) == [
            ("f", 3)
        ]


def wrong_direction(item: Import) -> str | None:
    """Why this import is not allowed, or None."""
    layer, top = item.importer.split(".")[0], item.target.split(".")[0]
    if layer not in LAYERS or top in sys.stdlib_module_names:
        return None
    if top not in LAYERS:
        return None if top in THIRD_PARTY[layer] else f"{place(item)}: {layer} may not import {top}"
    if LAYERS.index(top) > LAYERS.index(layer):
        return f"{place(item)}: {layer} lies below {top}"
    return next((message for package in ROOMS if (message := wrong_direction_inside(package, item))), None)


def wrong_direction_inside(package: str, item: Import) -> str | None:
    """Why this import between two rooms of a package is not allowed, or None."""
    above, below = room_of(item.importer, package), room_of(item.target, package)
    if above is None or below is None:
        return None
    for room in (above, below):
        if room not in ROOMS[package]:
            return f"{place(item)}: `{room}` has no place in the order of {package}"
    if ROOMS[package].index(below) > ROOMS[package].index(above):
        return f"{place(item)}: {above} may not import {below}"
    return None


def room_of(module: str, package: str) -> str | None:
    """The part of `package` to which a module belongs; None for the package itself and for modules outside."""
    inside = module.removeprefix(f"{package}.")
    return inside.split(".")[0] if inside != module else None


def reaches_outside(item: Import) -> str | None:
    """Why this import lets `analysis` see more than text, or None."""
    if not item.importer.startswith("analysis") or item.target.split(".")[0] not in OUTSIDE_WORLD:
        return None
    if item.target in ALLOWED_IN_ANALYSIS:
        return None
    return f"{place(item)}: imports {item.target}"


def outside_calls(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Calls of built-in functions that reach files, the terminal or the interpreter."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OUTSIDE_CALLS:
            yield node.func.id, node.lineno


def imports_of(name: str, tree: ast.AST, *, is_package: bool) -> Iterator[Import]:
    """All imports of a module, wherever they stand, as absolute names."""
    package = name.split(".") if is_package else name.split(".")[:-1]
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (Import(name, alias.name, node.lineno) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = package[: len(package) - level + 1] if level else []
                prefix = ".".join([*base, *([module] if module else [])])
                yield from (Import(name, f"{prefix}.{alias.name}", node.lineno) for alias in names)
            case _:
                pass


def cycles(edges: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The strongly connected components with more than one module, sorted (Tarjan, recursion over modules)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for target in sorted(edges[name]):
            if target not in index:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], index[target])
        if low[name] == index[name]:
            start = stack.index(name)
            component = stack[start:]
            del stack[start:]
            if len(component) > 1:
                found.append(sorted(component))

    for name in sorted(edges):
        if name not in index:
            visit(name)
    return sorted(found)


def function_lengths(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def module_named(target: str, known: Set[str]) -> str | None:
    """The module that an imported name lives in: itself a module, or a name inside one."""
    if target in known:
        return target
    parent = target.rpartition(".")[0]
    return parent if parent in known else None


def place(item: Import) -> str:
    return f"{item.importer}:{item.line}"


@cache
def modules() -> Mapping[str, Module]:
    return {module_name(path): _module(path) for path in source_files()}


def _module(path: Path) -> Module:
    tree = ast.parse(path.read_bytes(), str(path))
    imports = imports_of(module_name(path), tree, is_package=path.name == "__init__.py")
    return Module(relative(path), tuple(imports), tuple(outside_calls(tree)), tuple(function_lengths(tree)))


def all_imports() -> Iterator[Import]:
    return (item for module in modules().values() for item in module.imports)


@cache
def source_files() -> tuple[Path, ...]:
    return tuple(
        path
        for folder in SOURCE_FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "__pycache__" not in path.parts
    )


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
