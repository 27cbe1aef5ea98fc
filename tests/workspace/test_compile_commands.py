"""compile_commands.json: flags of nvcc, clang and hipcc; malformed input is a message, never a crash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.facts.analyzer import Analyzer
from analysis.syntax.document import Document
from analysis.verdict.barriers import BarrierVerdict
from simt_lsp.workspace.compile_commands import find_database, parse_database, read_database
from simt_lsp.workspace.compile_flags import CompileFlags, read_flags
from simt_lsp.workspace.disk_loader import DiskLoader, FileCache
from simt_lsp.workspace.project import file_setup


def flags(*arguments: str, directory: str = "/p/build") -> CompileFlags:
    return read_flags(["nvcc", *arguments], directory)


def test_macros_in_all_spellings_and_the_last_wins() -> None:
    found = flags("-DA", "-D", "B=2", "--define-macro=C=3", "-DA=9", "-UB", "-DF(x)=x", '-D_G_H="q"', "-UZ", "-DZ=1")
    assert found.defines == ("C=3", "A=9", "F(x)=x", '_G_H="q"', "Z=1")
    assert found.undefines == ("B",)


def test_folders_are_absolute_and_system_folders_come_last() -> None:
    found = flags("-isystem", "/sys", "-I..", "-I", "inc", "--include-path=/abs", "-iquote", "q", "-I=x")
    assert found.include_dirs == ("/p", "/p/build/inc", "/abs", "/p/build/q", "/p/build/x", "/sys")


@pytest.mark.parametrize(
    ("arguments", "architecture"),
    [
        (["-arch=sm_70"], 700),
        (["-arch", "sm_86"], 860),
        (["-gencode", "arch=compute_70,code=sm_70", "-gencode=arch=compute_90,code=[sm_90,compute_90]"], 900),
        (["--generate-code=arch=compute_80,code=sm_80"], 800),
        (["--gpu-architecture=compute_75"], 750),
        (["--cuda-gpu-arch=sm_61"], 610),
        (["-arch=native"], None),
        (["-O3"], None),
    ],
)
def test_architectures(arguments: list[str], architecture: int | None) -> None:
    assert flags(*arguments).architecture == architecture


def test_all_architectures_of_a_build() -> None:
    found = flags("-gencode", "arch=compute_90,code=sm_90", "-gencode=arch=compute_70,code=[sm_70,compute_70]")
    assert (found.architecture, found.architectures) == (900, (700, 900))
    assert flags("-arch=native").architectures == ()


def test_amd_targets_decide_the_warp_size() -> None:
    assert flags("--offload-arch=gfx90a").warp_size == 64
    assert flags("--offload-arch=gfx1100").warp_size == 32
    assert flags("--offload-arch=gfx908:sramecc+").warp_size == 64


@pytest.mark.parametrize(
    ("flags", "is_linked"),
    [
        (["-rdc=true"], True),
        (["-rdc", "true"], True),
        (["--relocatable-device-code=true", "-rdc=false"], False),
        (["-dc"], True),
        (["--device-c"], True),
        (["-fgpu-rdc"], True),
        (["-fno-gpu-rdc"], False),
        (["-c"], False),
    ],
)
def test_whether_device_code_is_linked(flags: list[str], is_linked: bool) -> None:
    assert read_flags(["nvcc", *flags, "a.cu"], "/w").is_linked == is_linked


def test_other_flags_are_accepted_and_ignored() -> None:
    noise = [
        "-std=c++17",
        "--expt-relaxed-constexpr",
        "-Xptxas",
        "-v",
        "-O3",
        "-o",
        "-DNOT",
        "-c",
        "/x/y/k.cu",
    ]
    assert flags(*noise) == CompileFlags()


def test_host_options_are_read_too() -> None:
    assert flags("-Xcompiler", "-DA,-Wall", "-Xcompiler=-fPIC,-DB").defines == ("A", "B")


def test_forced_includes_and_language() -> None:
    found = flags("-include", "pre.h", "-x", "cu")
    assert (found.forced_includes, found.language) == (("/p/build/pre.h",), "cu")


def test_response_files_are_read_within_bounds(tmp_path: Path) -> None:
    (tmp_path / "a.rsp").write_text('-DA "-DB=x y" @b.rsp @missing.rsp')
    (tmp_path / "b.rsp").write_text("-DC @b.rsp")
    (tmp_path / "broken.rsp").write_text("-DD 'open")
    found = read_flags(["@a.rsp", "--options-file", "broken.rsp", "-DE"], str(tmp_path))
    assert found.defines == ("A", "B=x y", "C", "E")


def entry(**fields: Any) -> dict[str, Any]:
    return {"directory": "/p/build", "file": "../k.cu", "command": "nvcc -DA -c ../k.cu", **fields}


def test_entries_by_file_by_includer_and_by_nearness() -> None:
    text = json.dumps(
        [
            entry(),
            entry(file="../sub/deep/m.cu", arguments=["nvcc", "-DB"]),
            entry(file="../sub/deep/h.cpp", arguments=["c++", "-DC"]),
        ]
    )
    database = parse_database(text.encode(), "/p/build/compile_commands.json")
    assert database.problems == ()

    def defines(file: str, *includers: str) -> tuple[str, ...]:
        found = database.entry_for(file, includers)
        return () if found is None else found.flags().defines

    assert defines("/p/k.cu") == ("A",)
    assert defines("/p/x.cuh", "/p/sub/deep/h.cpp") == ("C",)
    assert defines("/p/sub/deep/other.cuh") == ("B",)
    assert defines("/p/other.cu") == ("A",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"[{]", "cannot be read: expecting property name"),
        (b"{}", "expected a list of entries"),
        (b"\xff[]", "cannot be read"),
        (b'["x"]', "entry 0: expected an object"),
        (b'[{"file": 1}]', "entry 0: no file"),
        (b'[{"file": "a.cu"}]', "entry 0: neither arguments nor command"),
        (b'[{"file": "a.cu", "command": "nvcc \'x"}]', "entry 0: command cannot be split: No closing quotation"),
        (b'[{"file": "a.cu", "arguments": [1]}]', "entry 0: arguments holds something that is not a text"),
    ],
)
def test_malformed_input_names_file_and_place(text: bytes, message: str) -> None:
    database = parse_database(text, "/p/compile_commands.json")
    assert dict(database.entries) == {}
    assert [problem.source for problem in database.problems] == ["/p/compile_commands.json"]
    assert message in database.problems[0].message


def test_the_database_is_found_upward_and_read_again_when_it_changes(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "src").mkdir()
    path = tmp_path / "build" / "compile_commands.json"
    path.write_text(json.dumps([entry(directory=str(tmp_path), file="src/k.cu")]))
    found = find_database(str(tmp_path / "src"))
    assert found is not None
    assert found == str(path)
    assert read_database(found).entries[str(tmp_path / "src" / "k.cu")].flags().defines == ("A",)
    path.write_text("[")
    assert len(read_database(found).problems) == 1


def test_a_forced_include_is_seen_by_the_analysis(tmp_path: Path) -> None:
    (tmp_path / "pre.h").write_text("#define GUARD if (threadIdx.x < 3)\n")
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(float *x) { GUARD __syncthreads(); }")
    command = entry(directory=str(tmp_path), file="k.cu", command="nvcc -include pre.h -c k.cu")
    (tmp_path / "compile_commands.json").write_text(json.dumps([command]))
    setup = file_setup(str(source))
    assert setup.settings.forced_includes == (str(tmp_path / "pre.h"),)
    document = Document.open(source.read_bytes())
    analysis = Analyzer().analyze(str(source), document, DiskLoader(FileCache()), setup.settings)
    assert not analysis.facts.problems
    (kernel,) = analysis.facts.functions
    assert [barrier.verdict for barrier in kernel.barriers] == [BarrierVerdict.DIVERGENT]


@given(
    st.lists(
        st.text(max_size=12) | st.sampled_from(["-D", "-I", "-Xcompiler", "@x", "-gencode", "-arch="]), max_size=20
    )
)
def test_no_arguments_raise(arguments: list[str]) -> None:
    read_flags([word for word in arguments if "\0" not in word], "/nowhere")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["file", "directory", "arguments", "command"]), inner)
        ),
        max_leaves=12,
    )
)
def test_no_json_raises(value: Any) -> None:
    parse_database(json.dumps(value).encode(), "/p/compile_commands.json")
