"""Who uses what a file defines, over the files of a project."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from random import Random

import pytest

from analysis.project.model import Users
from simt_lsp.workspace.file_index import build_index
from simt_lsp.workspace.project_index.build import build_project
from simt_lsp.workspace.project_index.cache_folder import cache_folder
from simt_lsp.workspace.project_index.index import ANY_LAUNCH, MAX_USERS, ProjectIndex
from tests.workspace.users_by_definition import ByDefinition

KERNEL = "__global__ void k(int *x) { }\n"
DECLARED = "__global__ void k(int *x);\n"
LAUNCH = "void run(int *x) { k<<<1, 32>>>(x); }\n"


def _index(files: dict[str, str]) -> ProjectIndex:
    index = ProjectIndex()
    for path, text in files.items():
        index.scan(path, text.encode())
    return index


def _users(files: dict[str, str], path: str, name: str = "k", *, internal: bool = False) -> Users:
    return _index(files).users(path, name, internal=internal)


def test_includers_over_headers() -> None:
    files = {
        "/p/k.cuh": KERNEL,
        "/p/all.h": '#include "k.cuh"\n',
        "/p/a.cu": '#include "all.h"\n' + LAUNCH,
        "/p/b.cpp": '#include "all.h"\n',
        "/p/c.cu": "",
    }
    index = _index(files)
    assert index.includers("/p/k.cuh") == Users(("/p/a.cu", "/p/b.cpp"), are_all=True)
    assert index.users("/p/k.cuh", "k", internal=True) == Users(("/p/a.cu",), are_all=True)


def test_a_header_that_launches_makes_its_includers_users() -> None:
    files = {
        "/p/k.cuh": KERNEL,
        "/p/run.h": '#include "k.cuh"\n' + LAUNCH,
        "/p/a.cu": '#include "run.h"\nint main() { run(0); }\n',
        "/p/b.cu": '#include "k.cuh"\n',
    }
    assert _users(files, "/p/k.cuh") == Users(("/p/a.cu",), are_all=True)
    assert _users(files, "/p/run.h", "run") == Users(("/p/a.cu",), are_all=True)


def test_what_is_launched_beside_a_file_and_what_strings_name() -> None:
    files = {
        "/p/k.cuh": KERNEL,
        "/p/all.h": '#include "k.cuh"\n',
        "/p/a.cu": '#include "all.h"\nvoid f() { q<<<1, 2>>>(); find("old"); }\n',
        "/p/b.cu": "void g() { r<<<1, 2>>>(); }\n",
    }
    index = _index(files)
    assert index.launched_beside("/p/k.cuh") == {"q"}
    assert index.is_quoted("old")
    assert not index.is_quoted("k")
    changed = index.scan("/p/a.cu", files["/p/a.cu"].replace("q<<<", "s<<<").encode())
    assert changed == {"q", "s", ANY_LAUNCH}
    assert index.launched_beside("/p/k.cuh") == {"s"}
    assert index.scan("/p/a.cu", files["/p/a.cu"].replace("q<<<", "s<<<").replace('"old"', '"new_"').encode()) == {
        "old",
        "new_",
    }


def test_neighbours_with_the_same_names_stay_apart() -> None:
    program = {"k.cu": KERNEL, "k.h": DECLARED, "main.cu": '#include "k.h"\n' + LAUNCH}
    files = {f"/{folder}/{name}": text for folder in ("p", "q") for name, text in program.items()}
    files["/p/k.cu"] = '#include "k.h"\n' + KERNEL  # the other one does not include its header
    assert _users(files, "/p/k.cu") == Users(("/p/main.cu",), are_all=True)
    assert _users(files, "/q/k.cu") == Users(("/q/main.cu",), are_all=True)


def test_a_plain_declaration_means_the_definition_beside_it() -> None:
    files = {f"/{folder}/k.cu": KERNEL for folder in "pq"}
    files |= {f"/{folder}/main.cu": DECLARED + LAUNCH for folder in "pq"}
    assert _users(files, "/p/k.cu") == Users(("/p/main.cu",), are_all=True)
    assert _users(files, "/p/k.cu", internal=True) == Users((), are_all=True)


def test_a_plain_declaration_means_the_nearest_definition() -> None:
    files = {"/s/p/src/k.cu": KERNEL, "/s/q/src/k.cu": KERNEL, "/s/p/app/main.cu": DECLARED + LAUNCH}
    assert _users(files, "/s/p/src/k.cu") == Users(("/s/p/app/main.cu",), are_all=True)
    assert _users(files, "/s/q/src/k.cu") == Users((), are_all=True)


@pytest.mark.parametrize(
    "others",
    [
        pytest.param({"/p/src/k2.cu": KERNEL, "/p/main.cu": DECLARED + LAUNCH}, id="two as near"),
        pytest.param(
            {
                "/p/k.h": DECLARED,
                "/p/src/k2.cu": '#include "k.h"\n' + KERNEL,
                "/p/main.cu": '#include "k.h"\n' + LAUNCH,
            },
            id="two with one header",
        ),
    ],
)
def test_a_unit_is_doubtful_where_several_definitions_may_be_meant(others: dict[str, str]) -> None:
    users = _users({"/p/src/k.cu": '#include "k.h"\n' + KERNEL, **others}, "/p/src/k.cu")
    assert users == Users((), are_all=True, doubtful=("/p/main.cu",))


def test_a_unit_that_defines_the_name_itself_means_its_own() -> None:
    files = {"/p/k.cu": KERNEL, "/p/other.cu": KERNEL + LAUNCH}
    assert _users(files, "/p/k.cu") == Users((), are_all=True)


def test_a_name_beside_the_includer_means_no_other_file() -> None:
    files = {f"/{folder}/k.cuh": KERNEL for folder in "pq"}
    files |= {f"/{folder}/main.cu": '#include "k.cuh"\n' + LAUNCH for folder in "pq"}
    files["/p/test/main.cu"] = '#include "k.cuh"\n' + LAUNCH  # found by the build's folders: either may be meant
    index = _index(files)
    assert index.includers("/q/k.cuh").paths == ("/q/main.cu", "/p/test/main.cu")
    assert index.includers("/p/k.cuh").paths == ("/p/main.cu", "/p/test/main.cu")


def test_a_source_file_that_another_includes_is_a_part_of_it() -> None:
    files = {"/p/k.cuh": KERNEL, "/p/part.cu": '#include "k.cuh"\n' + LAUNCH, "/p/main.cu": '#include "part.cu"\n'}
    assert _users(files, "/p/k.cuh") == Users(("/p/main.cu",), are_all=True)


def test_too_many_users_are_not_all() -> None:
    files = {f"/p/{number}.cu": '#include "k.cuh"\n' + LAUNCH for number in range(MAX_USERS + 1)}
    users = _users({"/p/k.cuh": KERNEL, **files}, "/p/k.cuh")
    assert len(users.paths) == MAX_USERS
    assert not users.are_all


def test_pasted_names_may_be_any() -> None:
    files = {"/p/k.cuh": KERNEL, "/p/a.cu": '#include "k.cuh"\n#define RUN(n) n##k<<<1, 2>>>()\nvoid f() { RUN(); }\n'}
    assert _users(files, "/p/k.cuh").paths == ("/p/a.cu",)


def test_changes_tell_which_names_they_concern() -> None:
    index = _index({"/p/k.cuh": KERNEL, "/p/a.cu": '#include "k.cuh"\n'})
    assert index.users("/p/k.cuh", "k", internal=False).paths == ()
    changed = index.scan("/p/a.cu", ('#include "k.cuh"\n' + LAUNCH).encode())
    assert changed is not None
    assert "k" in changed
    assert index.users("/p/k.cuh", "k", internal=False).paths == ("/p/a.cu",)
    assert index.scan("/p/a.cu", ('#include "k.cuh"\n' + LAUNCH + "// a comment\n").encode()) == frozenset()
    assert index.scan("/p/a.cu", LAUNCH.encode()) is None
    assert index.users("/p/k.cuh", "k", internal=False).paths == ()
    index.scan("/p/a.cu", ('#include "k.cuh"\n' + LAUNCH).encode())
    index.remove("/p/a.cu")
    assert index.users("/p/k.cuh", "k", internal=False).paths == ()


def _tree(folder: Path) -> Path:
    root = folder / "project"
    root.mkdir()
    (root / "k.cuh").write_text(KERNEL)
    (root / "table.def").write_text('#include "k.cuh"\n')
    (root / "a.cu").write_text('#include "table.def"\n' + LAUNCH)
    return root


def _read_nothing(path: str, limit: int) -> bytes:
    pytest.fail(f"reads {limit} bytes of {path}")


def _built(root: Path, cache: Path | None) -> ProjectIndex:
    index = build_project([str(root)], build_index([str(root)]), cache, least_saved=1)
    assert index is not None
    return index


def test_a_second_start_reads_what_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, cache = _tree(tmp_path), tmp_path / "cache"
    for path in root.iterdir():
        os.utime(path, (time.time() - 60, time.time() - 60))
    first = _built(root, cache)
    assert first.users(str(root / "k.cuh"), "k", internal=False) == Users((str(root / "a.cu"),), are_all=True)
    monkeypatch.setattr("simt_lsp.workspace.project_index.build.read_regular", _read_nothing)
    assert _built(root, cache).skims() == first.skims()


def test_a_young_file_is_looked_at_again(tmp_path: Path) -> None:
    root, cache = _tree(tmp_path), tmp_path / "cache"
    _built(root, cache)
    before = (root / "a.cu").stat()
    (root / "a.cu").write_text((root / "a.cu").read_text().replace("k<<<", "q<<<"))
    os.utime(root / "a.cu", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "q" in _built(root, cache).skims()[str(root / "a.cu")].launched


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 7}', '{"files": {"a": [1]}}'])
def test_what_is_not_ours_is_not_read(tmp_path: Path, text: str) -> None:
    root, cache = _tree(tmp_path), tmp_path / "cache"
    first = _built(root, cache)
    (saved,) = cache.iterdir()
    saved.write_text(text)
    assert _built(root, cache).skims() == first.skims()


def test_damage_inside_is_not_read(tmp_path: Path) -> None:
    root, cache = _tree(tmp_path), tmp_path / "cache"
    first = _built(root, cache)
    (saved,) = cache.iterdir()
    content = json.loads(saved.read_text())
    damages: list[dict[str, object]] = [
        {"names": [1, 2]},
        {"roots": ["/elsewhere"]},
        {"names": []},
        {"saved": "x"},
        {"files": {"/a": None}},
    ]
    for damaged in damages:
        saved.write_text(json.dumps({**content, **damaged}))
        assert _built(root, cache).skims() == first.skims()


def test_nothing_is_kept_in_the_workspace(tmp_path: Path) -> None:
    root = _tree(tmp_path)
    before = sorted(root.rglob("*"))
    _built(root, root / "cache")
    assert sorted(root.rglob("*")) == before


def test_the_folder_of_the_cache() -> None:
    assert cache_folder({"HOME": "/h"}, "linux") == Path("/h/.cache/simt-lsp")
    assert cache_folder({"HOME": "/h", "XDG_CACHE_HOME": "/c"}, "linux") == Path("/c/simt-lsp")
    assert cache_folder({"HOME": "/h", "XDG_CACHE_HOME": "relative"}, "linux") == Path("/h/.cache/simt-lsp")
    assert cache_folder({"HOME": "/h"}, "darwin") == Path("/h/Library/Caches/simt-lsp")
    assert cache_folder({"LOCALAPPDATA": "/l"}, "win32") == Path("/l/simt-lsp/Cache")
    assert cache_folder({"HOME": "/h", "SIMT_LSP_CACHE": "/mine"}, "linux") == Path("/mine")
    assert cache_folder({"HOME": "/h", "SIMT_LSP_CACHE": "off"}, "linux") is None
    assert cache_folder({}, "linux") is None


FOLDERS = ("/p", "/p/a", "/p/a/x", "/p/b", "/q", "/q/a", "")
NAMES = ("k.cu", "m.cu", "n.cpp", "k.h", "m.cuh", "all.h", "part.cu")
FUNCTIONS = ("k", "run", "f")
TEXTS = (
    "",
    "",
    KERNEL,
    DECLARED,
    "void g() { k<<<1, 2>>>(0); }\n",
    "#define GO k<<<1, 2>>>(0)\n",
    "#define P(n) n##k\n",
    "static void k(int *x) { y(x); }\n",
)


def _random_text(random: Random, files: list[str]) -> str:
    names = [random.choice(files).rpartition("/")[2] for _ in range(random.choice((0, 1, 1, 2, 3)))]
    includes = [f'#include "{random.choice(("", "", "../", "a/", "../a/", "./"))}{name}"\n' for name in names]
    bodies = [random.choice(TEXTS).replace("k", function) for function in FUNCTIONS]
    return "".join((*includes, *bodies, random.choice(("", "", "", "", "", "}\n"))))


@pytest.mark.parametrize("seed", range(5))
def test_random_projects_are_answered_word_for_word(seed: int) -> None:
    random = Random(seed)
    files = [f"{folder}/{name}" for folder in FOLDERS for name in NAMES if random.random() < 0.5]
    index = ProjectIndex()
    for path in files:
        index.scan(path, _random_text(random, files).encode())
    for _ in range(4):
        changed = random.choice(files)
        if random.random() < 0.3:
            index.remove(changed)
        else:
            index.scan(changed, _random_text(random, files).encode())
        told = ByDefinition(index.skims())
        for path in random.sample(files, 3):
            assert index.includers(path) == told.includers(path)
            for name in FUNCTIONS:
                for internal in (False, True):
                    assert index.users(path, name, internal=internal) == told.users(path, name, internal=internal)
