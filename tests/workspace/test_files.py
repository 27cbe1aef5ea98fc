"""Reading files, finding them by suffix, and finding who includes a header."""

from __future__ import annotations

import os
from pathlib import Path

from analysis.project.skim import project_includes
from analysis.syntax.includes import is_header
from simt_lsp.workspace.disk_loader import MAX_FILE_BYTES, DiskLoader, FileCache, LazyIndex, path_key
from simt_lsp.workspace.file_index import WalkBounds, build_index
from simt_lsp.workspace.include_graph import IncludeGraph, build_graph
from simt_lsp.workspace.project import file_setup, whole_graph


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_a_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "a.h"
    path.write_text("one")
    cache = FileCache()
    assert cache.read(str(path)) == b"one"
    assert cache.read(str(path)) is cache.read(str(path))
    path.write_text("three")
    assert cache.read(str(path)) == b"three"
    path.unlink()
    assert cache.read(str(path)) is None


def test_only_regular_files_below_the_bound_are_read(tmp_path: Path) -> None:
    cache = FileCache()
    os.mkfifo(tmp_path / "pipe")
    with open(tmp_path / "large", "wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    for name in ("pipe", "large", "missing", "", "nul\0name"):
        assert cache.read(str(tmp_path / name)) is None
    assert not DiskLoader(cache).exists(str(tmp_path / "pipe"))
    assert not DiskLoader(cache).exists("nul\0name")


def test_the_cache_is_bounded(tmp_path: Path) -> None:
    write(tmp_path, {name: name * 10 for name in "abcdef"})
    cache = FileCache(max_bytes=25)
    for name in "abcdef":
        assert cache.read(str(tmp_path / name)) == (name * 10).encode()
    assert len(cache._texts) == 2  # pyright: ignore[reportPrivateUsage]  # the bound is what is tested


def test_open_documents_stand_in_for_files(tmp_path: Path) -> None:
    write(tmp_path, {"a.h": "disk"})
    path, new = str(tmp_path / "sub" / ".." / "a.h"), str(tmp_path / "new.h")
    loader = DiskLoader(FileCache(), {path_key(path): b"editor", path_key(new): b"unsaved"})
    assert loader.read(path) == b"editor"
    assert loader.exists(new)
    assert loader.read(new) == b"unsaved"
    assert loader.touched == {path_key(path), path_key(new)}
    assert DiskLoader(None, {path_key(new): b"unsaved"}).read(str(tmp_path / "a.h")) is None


def test_files_are_found_by_suffix_nearest_first(tmp_path: Path) -> None:
    write(
        tmp_path, {"z/common/u.h": "", "a/b/common/u.h": "", ".git/common/u.h": "", "node_modules/u.h": "", "u.txt": ""}
    )
    loader = DiskLoader(FileCache(), None, LazyIndex([str(tmp_path)]))
    above = str(tmp_path / "k.cu")
    assert loader.find_suffix("common/u.h", above) == str(tmp_path / "z/common/u.h")
    assert loader.find_suffix("common/u.h", str(tmp_path / "a/k.cu")) == str(tmp_path / "a/b/common/u.h")
    assert loader.find_suffix("b/common/u.h", above) == str(tmp_path / "a/b/common/u.h")
    assert loader.find_suffix("ommon/u.h", above) is None
    assert loader.find_suffix("u.txt", above) is None


def test_what_a_build_made_is_not_walked(tmp_path: Path) -> None:
    write(tmp_path, {"out/CMakeCache.txt": "", "out/deps/a.h": "", "src/a.h": ""})
    assert list(build_index([str(tmp_path)]).files()) == [str(tmp_path / "src/a.h")]
    write(tmp_path, {"CMakeCache.txt": "", "CMakeLists.txt": ""})  # built in the source folder
    assert list(build_index([str(tmp_path)]).files()) == [str(tmp_path / "src/a.h")]


def test_walks_survive_loops_and_stop_at_bounds(tmp_path: Path) -> None:
    write(tmp_path, {f"d{index}/f{index}.cu": "" for index in range(20)})
    os.symlink(tmp_path, tmp_path / "d3" / "loop")
    assert len(list(build_index([str(tmp_path)]).files())) == 20
    bounded = build_index([str(tmp_path)], bounds=WalkBounds(folders=5))
    assert bounded.truncated
    assert len(list(bounded.files())) < 20
    assert build_index([str(tmp_path / "nowhere")]).by_name == {}
    assert build_index([str(tmp_path)], cancelled=lambda: True).truncated


def test_includes_are_scanned_without_a_preprocessor() -> None:
    text = b'#include "a.h"\n  #  include\t"b/c.h" // x\n#include <s.h>\n//#include "no.h"\n'
    text += b'#include <math.h>\n#include <vector>\n#import "d.h"\r\n#include "a.h"\n'
    assert project_includes(text) == ("a.h", "b/c.h", "s.h", "d.h")


def test_the_context_of_a_header_is_the_nearest_compiled_file() -> None:
    graph = IncludeGraph()
    graph.scan("/p/k.cu", b'#include "inc/outer.cuh"\n')
    graph.scan("/p/a.cpp", b'#include "inc/outer.cuh"\n')
    graph.scan("/p/inc/outer.cuh", b'#include "inner.cuh"\n#include "../far/x.h"\n')
    assert graph.includers("/p/inc/inner.cuh") == ("/p/inc/outer.cuh",)
    assert graph.context("/p/inc/inner.cuh") == "/p/k.cu"
    assert graph.context("/p/far/x.h") == "/p/k.cu"
    assert graph.context("/p/other/inner.cuh") == "/p/k.cu"  # by the end of the path: only a guess, but stable
    assert graph.context("/p/none.h") is None
    graph.scan("/p/k.cu", b"")
    assert graph.context("/p/inc/inner.cuh") == "/p/a.cpp"
    graph.remove("/p/a.cpp")
    assert graph.context("/p/inc/inner.cuh") is None


def test_a_source_file_that_another_includes_is_seen_from_the_outermost() -> None:
    graph = IncludeGraph()
    graph.scan("/p/main.cu", b'#include "parts/all.cu"\n')
    graph.scan("/p/parts/all.cu", b'#include "kernel.cu"\n')
    graph.scan("/p/parts/kernel.cu", b"")
    graph.scan("/q/main.cu", b'#include "kernel.cu"\n')
    assert graph.context("/p/parts/kernel.cu") == "/p/main.cu"
    assert graph.context("/p/main.cu") is None
    graph.remove("/p/parts/all.cu")
    assert graph.context("/p/parts/kernel.cu") is None  # the one in /q means another kernel.cu


def test_all_files_that_a_source_file_is_compiled_in_are_found() -> None:
    graph = IncludeGraph()
    graph.scan("/p/main.cu", b'#include "parts/kernel.cu"\n')
    graph.scan("/p/parts/test.cpp", b'#include "wrapper.h"\n')
    graph.scan("/p/parts/wrapper.h", b'#include "kernel.cu"\n')
    graph.scan("/q/main.cu", b'#include "kernel.cu"\n')
    assert graph.compiled_includers("/p/parts/kernel.cu") == ("/p/main.cu", "/p/parts/test.cpp")
    assert graph.compiled_includers("/p/parts/wrapper.h") == ()  # anybody may include a header
    assert graph.compiled_includers("/p/main.cu") == ()


def test_a_source_file_that_the_build_compiles_needs_no_context(tmp_path: Path) -> None:
    write(tmp_path, {"main.cu": '#include "part.cu"', "part.cu": "", "compile_commands.json": "[]"})
    graph = whole_graph(LazyIndex([str(tmp_path)]))
    part = str(tmp_path / "part.cu")
    assert file_setup(part, graph=graph).context == str(tmp_path / "main.cu")
    assert file_setup(part, graph=graph).includers == (str(tmp_path / "main.cu"),)
    (tmp_path / "compile_commands.json").write_text('[{"directory": ".", "file": "part.cu", "arguments": ["nvcc"]}]')
    assert file_setup(part, graph=graph).context is None
    assert file_setup(part, graph=graph).includers == (str(tmp_path / "main.cu"),)  # it is compiled there too


def test_headers_that_include_each_other_have_no_context() -> None:
    graph = IncludeGraph()
    graph.scan("/p/a.h", b'#include "b.h"\n')
    graph.scan("/p/b.h", b'#include "a.h"\n#include "b.h"\n')
    assert graph.context("/p/a.h") is None


def test_the_graph_of_a_folder_leaves_open_documents_alone(tmp_path: Path) -> None:
    write(tmp_path, {"k.cu": '#include "h.cuh"', "m.cu": '#include "h.cuh"', "h.cuh": ""})
    graph = IncludeGraph()
    build_graph(graph, build_index([str(tmp_path)]), already=[str(tmp_path / "k.cu")])
    assert graph.includers(str(tmp_path / "h.cuh")) == (str(tmp_path / "m.cu"),)
    assert is_header("a.CUH")
    assert not is_header("a.cu")


def test_a_header_is_built_like_the_file_that_includes_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "src/k.cu": '#include "../inc/h.cuh"',
            "inc/h.cuh": "",
            "inc/near.cu": "",
            ".simt.toml": 'defines = ["B=mine"]\nblock = [8, 8]\n',
            "compile_commands.json": "[]",
        },
    )
    database = (
        '[{"directory": ".", "file": "src/k.cu", "arguments": ["nvcc", "-DA=1", "-DB=theirs", "-arch=sm_90"]},'
        '{"directory": ".", "file": "inc/near.cu", "arguments": ["nvcc", "-DWRONG"]}]'
    )
    (tmp_path / "compile_commands.json").write_text(database)
    header = str(tmp_path / "inc" / "h.cuh")
    setup = file_setup(header, graph=whole_graph(LazyIndex([str(tmp_path)])))
    assert setup.context == str(tmp_path / "src" / "k.cu")
    assert setup.settings.defines == ("A=1", "B=mine")
    assert setup.settings.architecture == 900
    assert setup.settings.block is not None
    assert setup.problems == ()
    alone = file_setup(None)
    assert (alone.context, alone.settings.architecture, alone.settings.warp_size) == (None, 800, 32)
