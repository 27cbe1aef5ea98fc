"""A baseline knows findings by what they are, not by where they stand."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from simt_lsp.gates.baseline import BadBaseline, Baseline, baseline_text
from simt_lsp.gates.site import Site, neighbourhood

KERNEL = ["a[i] = 1;", "__syncthreads();", "b[i] = 2;", "", "__syncthreads();", "c[i] = 3;"]


def sites(lines: Sequence[str], path: str, *, function: str = "k", rule: str = "SYN101") -> list[Site]:
    """One finding for each barrier."""
    return [
        Site(rule, "divergent-barrier", "error", function, path, number + 1, number + 1, line, around)
        for number, line in enumerate(lines)
        if "__syncthreads" in line
        for around in [neighbourhood(lambda one: lines[one], number, len(lines))]
    ]


def baseline(folder: Path, *findings: Sequence[Site]) -> Baseline:
    path = folder / "baseline.json"
    path.write_text(baseline_text(str(path), [(found[0].path, found) for found in findings]))
    return Baseline.read(str(path))


def files(folder: Path, *names: str) -> list[str]:
    for name in names:
        (folder / name).write_text("")
    return [str(folder / name) for name in names]


@pytest.mark.parametrize(
    ("lines", "known"),
    [
        (KERNEL, [True, True]),
        (["// a", "", *KERNEL], [True, True]),  # moved
        ([f"\t{line} " for line in KERNEL], [True, True]),  # indented
        ([KERNEL[0], KERNEL[1], "b[j] = 4;", *KERNEL[3:]], [True, True]),  # edited beside
        (KERNEL[3:], [True]),  # one is gone
        (["__syncthreads();", *KERNEL], [False, True, True]),  # of equal lines the other one is new
        ([*KERNEL, "__syncthreads();"], [True, True, False]),
        ([*KERNEL[:4], "__syncthreads(); // why", KERNEL[5]], [True, False]),  # the line itself is edited
    ],
)
def test_findings_stay_known_when_they_move(tmp_path: Path, lines: Sequence[str], known: Sequence[bool]) -> None:
    (path,) = files(tmp_path, "a.cu")
    kept = baseline(tmp_path, sites(KERNEL, path))
    assert kept.known(sites(lines, path), path) == known
    assert len(kept.left()) == 2 - sum(known)


def test_another_rule_or_function_is_another_finding(tmp_path: Path) -> None:
    (path,) = files(tmp_path, "a.cu")
    kept = baseline(tmp_path, sites(KERNEL, path))
    other = [*sites(KERNEL, path, function="other"), *sites(KERNEL, path, rule="SYN102")]
    assert kept.known(other, path) == [False] * 4


def test_a_renamed_file_stays_known_and_a_copied_one_does_not(tmp_path: Path) -> None:
    old, new = files(tmp_path, "a.cu", "b.cu")
    assert baseline(tmp_path, sites(KERNEL, old)).known(sites(KERNEL, new), new) == [False, False]
    Path(old).unlink()
    assert baseline(tmp_path, sites(KERNEL, old)).known(sites(KERNEL, new), new) == [True, True]


def test_what_was_not_looked_at_is_not_gone(tmp_path: Path) -> None:
    one, two = files(tmp_path, "a.cu", "b.cu")
    kept = baseline(tmp_path, sites(KERNEL, one), sites(KERNEL, two))
    kept.known([], one)
    assert [entry.path for entry in kept.left()] == ["a.cu", "a.cu"]


def test_the_file_is_the_same_whatever_the_order(tmp_path: Path) -> None:
    found = [(name, sites(KERNEL, name)) for name in files(tmp_path, "a.cu", "b.cu", "c.cu")]
    path = str(tmp_path / "baseline.json")
    texts = {baseline_text(path, random.Random(seed).sample(found, len(found))) for seed in range(5)}
    assert len(texts) == 1
    assert str(tmp_path) not in texts.pop()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "simt-lsp baseline 2", "findings": []}', "\udcff", "[" * 100_000]
)
def test_what_is_no_baseline_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadBaseline):
        Baseline.read(str(path))


def test_entries_are_text(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    text = json.loads(baseline_text(str(path), [("a.cu", sites(KERNEL, "a.cu"))]))
    text["findings"][0]["line"] = ["no", "text"]
    path.write_text(json.dumps(text))
    with pytest.raises(BadBaseline):
        Baseline.read(str(path))
