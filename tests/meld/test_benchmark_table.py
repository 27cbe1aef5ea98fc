"""The table and the page of the melding benchmark say what was counted."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from benchmarks.melding.charts import Axis, Bar, Group, Mark, Panel, grouped_bars, panel
from benchmarks.melding.charts import Line as Curve
from benchmarks.melding.counts import Counts
from benchmarks.melding.page import study_page
from benchmarks.melding.rows import lines_of
from benchmarks.melding.study import Comparison, SubjectStudy, ThresholdCurve, Variant
from benchmarks.melding.subjects import subjects_named
from benchmarks.melding.text import study_text

BEFORE = Counts(1000, 3000, 60, 100, 200, 0, "memory")
DARM = replace(BEFORE, issued=800, slots=2000, arithmetic_lanes=90, shared_requests=150)


def comparison(subject: str = "BIT", warp_size: int = 64) -> Comparison:
    """DARM and the best method gain, the others change nothing."""
    after = dict.fromkeys(Variant, BEFORE) | {Variant.DARM: DARM, Variant.BEST: DARM}
    return Comparison(subject, (64, 1, 1), warp_size, BEFORE, after)


def study(warp_size: int = 64) -> SubjectStudy:
    curve = ThresholdCurve("BIT", (64, 1, 1), warp_size, {0.1: 1.5, 0.5: 1.0})
    return SubjectStudy("BIT", (comparison(warp_size=warp_size),), (curve,), 0)


def test_methods_with_one_outcome_share_a_line_beside_the_figures_of_the_paper() -> None:
    before, after = lines_of(comparison())
    assert before.variants == (Variant.FUSION, Variant.TAIL, Variant.LINEAR, Variant.SOURCE)
    assert (before.darm_in_paper, before.fusion_in_paper) == (None, 0.97)
    assert after.variants == (Variant.DARM, Variant.BEST)
    assert (after.darm_in_paper, after.fusion_in_paper) == (1.46, None)
    assert (after.issued_share, after.speed_up, after.shared_share) == (0.8, 1.5, 0.75)
    assert after.global_share is None, "the original has no such request"


def test_the_table() -> None:
    expected = """\
BIT, warps of 64; the paper's ALU utilisation: 61 % before, 57 % after
  block  method                                     issued  of before  speed-up        paper  ALU  shared  global
  64     before; also fusion, tail, linear, source   1,000                       fusion 0.97  60%
         darm, best                                    800        80%      1.50    darm 1.46  90%     75%"""
    assert expected in study_text([study()], [64])


def test_the_thresholds_stand_in_a_table_of_their_own() -> None:
    expected = """\
  kernel  block   0.1   0.5
  BIT     64     1.50  1.00"""
    assert study_text([study()], [64]).endswith(expected)


def test_the_page_has_a_plot_for_each_figure_and_all_numbers() -> None:
    page = study_page([study()], [64])
    assert page.count('class="plot"') == 3
    assert page.count('class="panel"') == 2
    assert "BIT, darm in the paper: 1.46" in page
    assert "darm, best" in page


def test_bars_start_at_the_base_and_end_at_their_value() -> None:
    axis = Axis(0.0, 2.0, (0.0, 1.0, 2.0), base=1.0)
    group = Group(
        "k", (Bar("up", 1.5, "up"), Bar("down", 0.5, "down"), Bar("none", None, "")), (Mark(0, 2.0, "paper"),)
    )
    drawing = ElementTree.fromstring(grouped_bars([group], axis, "plot").text)
    up, down = drawing.findall("rect")
    middle = float(up.attrib["y"]) + float(up.attrib["height"])
    assert middle == pytest.approx(float(down.attrib["y"]))
    assert up.attrib["height"] == down.attrib["height"]
    (mark,) = (line for line in drawing.findall("line") if line.attrib["class"] == "mark")
    assert float(mark.attrib["y1"]) < float(up.attrib["y"])


def test_a_curve_leaves_out_what_is_not_known() -> None:
    axis = Axis(0.0, 2.0, (0.0, 2.0))
    drawn = Panel("k", ("a", "b", "c"), (Curve("darm", "darm", (1.0, None, 2.0)),))
    drawing = ElementTree.fromstring(panel(drawn, axis).text)
    assert len(drawing.findall("circle")) == 2


def test_a_kernel_that_does_not_exist_is_named() -> None:
    assert [subject.name for subject in subjects_named(["SB1", "BIT"])] == ["BIT", "SB1"]
    with pytest.raises(KeyError, match="SB9"):
        subjects_named(["SB9"])
