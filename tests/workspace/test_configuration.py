"""Settings: what is allowed is taken, everything else is answered by a message and costs only itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from analysis.features.inlay_hints import InlayHintMode
from analysis.meld.settings import MeldMethod
from analysis.rules.diagnostic import Severity
from analysis.rules.settings import OFF
from simt_lsp.workspace.settings.all_settings import SETTINGS
from simt_lsp.workspace.settings.configuration import DEFAULT, Configuration
from simt_lsp.workspace.settings.kinds import parse_architecture
from simt_lsp.workspace.settings.reader import apply_source
from simt_lsp.workspace.settings.sources import load_configuration, merge
from simt_lsp.workspace.settings.values import Source


def read(values: dict[str, Any], directory: str | None = None) -> tuple[Configuration, list[str]]:
    configuration, problems = apply_source(DEFAULT, Source("test", values, directory))
    return configuration, [problem.message for problem in problems]


def test_nothing_set_is_the_default_without_problems() -> None:
    assert read({}) == (DEFAULT, [])
    assert read(dict.fromkeys([*(setting.name for setting in SETTINGS), "rules", "simulate"])) == (DEFAULT, [])


def test_every_key_takes_a_good_value() -> None:
    configuration, problems = read(
        {
            "warpSize": 64,
            "architecture": "sm_90a",
            "block": [16, 16],
            "defines": ["A", "B=2"],
            "undefines": ["C"],
            "includeDirs": ["include"],
            "project": False,
            "rules": {"SYN101": "warning", "divergent-branch": "off"},
            "tiers": ["proven", "possible"],
            "shareThreshold": 5,
            "meldMethod": "tail",
            "meldThreshold": 0.3,
            "inlayHints": "all",
            "codeLens": False,
            "navigation": False,
        },
        "/root/of/all",
    )
    assert problems == []
    options = configuration.analysis
    assert (options.warp_size, options.architecture, options.block) == (64, 900, (16, 16, 1))
    assert (options.defines, options.undefines) == (("A", "B=2"), ("C",))
    assert options.include_dirs == ("/root/of/all/include",)
    assert not options.project
    assert configuration.rules.severities == {"SYN101": Severity.WARNING, "divergent-branch": OFF}
    assert {tier.value for tier in configuration.rules.tiers} == {"proven", "possible"}
    assert configuration.rules.share_threshold == 5
    assert (configuration.rules.meld.method, configuration.rules.meld.threshold) == (MeldMethod.TAIL, 0.3)
    assert configuration.inlay_hints.mode is InlayHintMode.ALL
    assert not configuration.code_lens
    assert not configuration.navigation


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("warpSize", 7, "warpSize = 7 is not allowed: use 4, 8, 16, 32 or 64"),
        ("warpSize", True, "warpSize = true is not allowed: use 4, 8, 16, 32 or 64"),
        ("warpSize", [32], "warpSize = [32] is not allowed: use 4, 8, 16, 32 or 64"),
        ("architecture", "ampere", 'architecture = "ampere" is not allowed: use "sm_80", "compute_80" or 80'),
        ("architecture", 3, 'architecture = 3 is not allowed: use "sm_80", "compute_80" or 80'),
        ("codeLens", "yes", 'codeLens = "yes" is not allowed: use true or false'),
        ("inlayHints", "some", 'inlayHints = "some" is not allowed: use "off", "varying", "forms" or "all"'),
        (
            "shareThreshold",
            -1,
            "shareThreshold = -1 is not allowed: use percent of a kernel's issue slots, from 0 to 100",
        ),
        ("meldThreshold", 0.6, "meldThreshold = 0.6 is not allowed: use a share from 0 to 0.5"),
        ("meldThreshold", True, "meldThreshold = true is not allowed: use a share from 0 to 0.5"),
        (
            "meldMethod",
            "all",
            'meldMethod = "all" is not allowed: use "best", "darm", "fusion", "tail" or "linear"',
        ),
        ("includeDirs", [1], "includeDirs = [1] is not allowed: use a list of folders"),
        ("defines", ["1x"], 'defines = ["1x"] is not allowed: "1x" is not a macro name'),
    ],
)
def test_a_bad_value_names_key_value_and_what_is_allowed(key: str, value: object, expected: str) -> None:
    assert read({key: value}) == (DEFAULT, [expected])


@pytest.mark.parametrize("value", [0, 2048, [32, 64], [1, 1, 65], "16x", "axb", [], [1, 1, 1, 1], 1.5, {"x": 1}])
def test_a_bad_block_is_refused(value: object) -> None:
    configuration, problems = read({"block": value})
    assert configuration == DEFAULT
    assert len(problems) == 1
    assert "product up to 1024" in problems[0]


@pytest.mark.parametrize(
    ("value", "block"),
    [(256, (256, 1, 1)), ("16x16", (16, 16, 1)), ("32, 8, 2", (32, 8, 2)), ([1024], (1024, 1, 1)), ("64", (64, 1, 1))],
)
def test_blocks_have_several_spellings(value: object, block: tuple[int, int, int]) -> None:
    assert read({"block": value})[0].analysis.block == block


def test_an_unknown_key_names_the_closest_one() -> None:
    assert read({"warpsizes": 32})[1] == ["warpsizes is not a setting; did you mean warpSize?"]
    assert read({"zzz": 32})[1] == ["zzz is not a setting"]
    assert read({"server": {"path": "x"}, "trace": {"server": "off"}})[1] == []


def test_a_bad_rule_costs_only_itself() -> None:
    configuration, problems = read({"rules": {"SYN101": "loud", "SYN102": "hint", "syn1010": "off"}})
    assert configuration.rules.severities == {"SYN102": Severity.HINT}
    assert len(problems) == 2
    assert problems[0].startswith('rules.SYN101 = "loud" is not allowed: ')
    assert "SYN101" in problems[1]


def test_key_spellings_are_equal() -> None:
    for key in ("warpSize", "warp-size", "warp_size", "WARPSIZE"):
        assert read({key: 16})[0].analysis.warp_size == 16


def test_later_sources_win_and_lists_add_up() -> None:
    configuration, problems = merge(
        [
            Source("a", {"warpSize": 16, "defines": ["A"], "rules": {"SYN101": "hint"}}),
            Source("b", {"warpSize": 64, "defines": {"B": 1, "C": True}, "rules": {"SYN102": "hint"}}),
        ]
    )
    assert problems == ()
    assert configuration.analysis.warp_size == 64
    assert configuration.analysis.defines == ("A", "B=1", "C=1")
    assert set(configuration.rules.severities) == {"SYN101", "SYN102"}


def test_the_nearest_settings_file_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / ".simt.toml").write_text('warpSize = 8\nincludeDirs = ["inc"]\n')
    found = load_configuration(str(inner / "k.cu"))
    assert found.path == str(tmp_path / ".simt.toml")
    assert found.configuration.analysis.include_dirs == (str(tmp_path / "inc"),)
    (tmp_path / "a" / ".simt.toml").write_text("warpSize = 16\n")
    assert load_configuration(str(inner / "k.cu")).configuration.analysis.warp_size == 16
    overridden = load_configuration(str(inner / "k.cu"), [Source("client", {"warpSize": 32})])
    assert overridden.configuration.analysis.warp_size == 32


@pytest.mark.parametrize("content", [b"warpSize = ", b"\xff\xfe", b"a = [[[[" * 500, b"\0"])
def test_a_broken_settings_file_is_one_problem(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".simt.toml").write_bytes(content)
    found = load_configuration(str(tmp_path / "k.cu"))
    assert found.configuration == DEFAULT
    assert [problem.source for problem in found.problems] == [str(tmp_path / ".simt.toml")]
    assert "cannot be read" in found.problems[0].message


@pytest.mark.parametrize(("text", "number"), [("sm_80", 800), ("compute_120", 1200), ("lto_75", 750), ("gfx90a", None)])
def test_architectures(text: str, number: int | None) -> None:
    assert parse_architecture(text) == number
