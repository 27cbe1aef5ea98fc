"""The page in a real browser: what it shows, what clicks and keys do, and that it asks for nothing."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from presentation.html.page import html_page, html_parts
from sim.observers.timeline import SegmentRun
from sim.observers.work import Work
from sim.report.model import KernelReport, TimelineReport
from tests.presentation.browser import Tab, browser_tab
from tests.sim.report.sample import at, ipdom, sample, study


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Generator[Tab]:
    with browser_tab(tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture
def page(browser: Tab, tmp_path: Path) -> Generator[Tab]:
    """The sample, opened; afterwards nothing may have gone wrong or out."""
    show(browser, sample(), tmp_path)
    yield browser
    assert browser.problems == []
    assert browser.requests == []


def show(tab: Tab, report: KernelReport, folder: Path) -> None:
    file = folder / "report.html"
    file.write_text(html_page(report), encoding="utf-8")
    tab.prefer("light")
    tab.open(file.as_uri())


def marked(tab: Tab) -> list[str]:
    return tab.value("[...document.querySelectorAll('.line.marked')].map((row) => row.id)")


def rows(tab: Tab, selector: str) -> list[list[str]]:
    """The cells of a table's body, as words."""
    script = f"""[...document.querySelectorAll({json.dumps(selector + " tbody tr")})].map((row) =>
        [...row.children].map((cell) => cell.innerText.split(/\\s+/).filter(Boolean).join(" ")))"""
    return tab.value(script)


class TestShown:
    def test_the_figures_come_first(self, page: Tab) -> None:
        assert page.text("h1") == "gather<float>"
        tiles = page.value("[...document.querySelectorAll('#panel-0 .tile b')].map((value) => value.innerText)")
        assert tiles == ["61.0 %", "6,272", "2 of 4", "22,843", "1,953", "2"]

    def test_branches(self, page: Tab) -> None:
        assert rows(page, "#panel-0 table.branches") == [
            ["8 if (i < n) lanes to line 9: 2,000, line 18: 48", "64", "1", "", "31.2", "18", "varying"],
            ["10 for (k < index[i])", "1,024", "640", "", "18.0", "end", "varying"],
            ["15 if (sum < T(0))", "63", "0", "", "31.7", "end", "varying, never diverged in this run"],
            ["util.h:3:1 while (spin)", "64", "0", "", "32.0", "no jump", "uniform"],
        ]

    def test_source_with_counts(self, page: Tab) -> None:
        found = {row[0]: row[1:] for row in rows(page, "#panel-0 table.source") if row[0]}
        assert list(found) == [str(line) for line in range(5, 19)]
        assert found["12"] == ["3,584", "", "56.2 %", "", "sum += x[i * 32 + k];"]
        assert found["15"][3:] == ["never", 'if (sum < T(0)) printf("</script><img src=x onerror=alert(1)>");']
        assert found["10"][3] == "640 of 1,024"

    def test_efficiency_is_a_colour(self, page: Tab) -> None:
        colour = "getComputedStyle(document.querySelector('#p0-line-%d .lanes')).color"
        assert page.value(colour % 12) != page.value(colour % 7)

    def test_memory(self, page: Tab) -> None:
        found = rows(page, "#panel-0 table.memory")
        assert found[0] == ["12 sum += x[i * 32 + k];", "1,024", "18,432", "2,304", "8.0×", "–"]
        assert found[1] == ["14 tile[threadIdx.x * 32 % 256] = sum;", "63", "–", "–", "", "1,953"]
        assert found[-1] == ["All lines", "2,174", "22,843", "6,652", "3.4×", "1,953"]

    def test_histogram_has_a_bar_for_each_number_of_lanes(self, page: Tab) -> None:
        assert page.value("document.querySelectorAll('#panel-0 .histogram g').length") == 32
        bars = "document.querySelectorAll('#panel-0 .histogram .fill')"
        heights = page.value(f"[16, 32].map((lanes) => {bars}[lanes - 1].getBBox().height)")
        assert heights == [pytest.approx(500 / 46, abs=0.01), 100]

    def test_policies_and_inputs(self, page: Tab) -> None:
        assert rows(page, "table.policies") == [
            ["ipdom", "6,272", "", "61.0 %", "641", "2", "31 ms", "same"],
            ["round-robin", "9,408", "", "40.6 %", "641", "0", "44 ms", "stopped early"],
        ]
        assert rows(page, "table.inputs")[-1] == ["index", "2,048 × int in [0, 16)", "bounds of a loop & <indices>"]

    def test_text_of_the_kernel_stays_text(self, page: Tab) -> None:
        assert page.value("document.querySelectorAll('img, iframe, object, b b').length") == 0
        assert page.text(".path") == "src/<b>gather & sum</b>.cu:5"

    def test_what_to_look_at_first_is_linked(self, page: Tab) -> None:
        said = page.value("[...document.querySelectorAll('#panel-0 .advice li')].map((item) => item.innerText)")
        assert len(said) == 3
        assert said[0].startswith("First the faults: out-of-bounds in line 16, and 1 more fault;")
        assert said[1].startswith("Line 14 passes 2,016 times over the banks of shared memory where 63 would do, tile[")
        page.click("#panel-0 .advice li:nth-child(2) .jump")
        assert marked(page) == ["p0-line-14"]

    def test_terms_are_explained_for_who_opens_them(self, page: Tab) -> None:
        assert not page.value("document.querySelector('.terms').open")
        page.click(".terms summary")
        terms = page.value("[...document.querySelectorAll('.terms dt')].map((term) => term.innerText)")
        assert {"warp", "SIMD efficiency", "sector", "bank conflicts", "split"} <= set(terms)

    def test_the_listing_opens_at_the_costliest_line(self, browser: Tab, tmp_path: Path) -> None:
        report = sample()
        run = report.policies[0]
        long = (*report.source[:12], *("    // nothing" for _ in range(300)), *report.source[12:])
        lines = tuple(replace(line, line=line.line + 300) if line.line == 14 else line for line in run.lines)
        costly = tuple(replace(line, work=Work(9000, 9000, 288_000)) if line.line == 314 else line for line in lines)
        run = replace(run, lines=costly, faults=(), notes=())
        show(browser, replace(report, source=long, last_line=318, policies=(run,)), tmp_path)
        place = "document.getElementById('p0-line-314').getBoundingClientRect()"
        frame = "document.querySelector('.listing').getBoundingClientRect()"
        assert browser.value(f"{place}.top > {frame}.top && {place}.bottom < {frame}.bottom")
        assert browser.value("document.querySelector('.listing').scrollTop") > 1000
        assert browser.value("scrollY") == 0
        assert browser.value("document.querySelector('.hottest').id") == "p0-line-314"


class TestSeveralKernels:
    def test_each_has_its_own_tabs_and_lines(self, browser: Tab, tmp_path: Path) -> None:
        file = tmp_path / "report.html"
        file.write_text(html_page(sample(), replace(sample(), kernel="other")), encoding="utf-8")
        browser.prefer("light")
        browser.open(file.as_uri())
        assert rows(browser, "table.kernels")[1][:2] == ["other", "61.0 %"]
        hidden = "[...document.querySelectorAll('.panel')].map((panel) => panel.hidden)"
        browser.click("#tab-3")
        assert browser.value(hidden) == [False, True, True, False]
        browser.click("#kernel-1 table.policies tr:nth-child(1) .choose")
        assert browser.value(hidden) == [False, True, False, True]
        browser.click("#panel-2 .branches .jump")
        assert marked(browser) == ["p2-line-8"]
        assert browser.problems == []


class TestClicks:
    def test_a_branch_marks_its_line(self, page: Tab) -> None:
        page.click("#panel-0 .branches tr:nth-child(2) .jump")
        assert marked(page) == ["p0-line-10"]
        assert page.value("document.activeElement.id") == "p0-line-10"
        page.click("#panel-0 .memory tr:nth-child(1) .jump")
        assert marked(page) == ["p0-line-12"]

    def test_a_fault_marks_its_line(self, page: Tab) -> None:
        page.click("#panel-0 .faults li:nth-child(1) .jump")
        assert marked(page) == ["p0-line-16"]

    def test_a_place_in_another_file_leads_nowhere(self, page: Tab) -> None:
        assert page.value("document.querySelectorAll('#panel-0 .branches tr:nth-child(4) a').length") == 0

    def test_enter_on_a_focused_branch_marks_its_line(self, page: Tab) -> None:
        page.value("document.querySelector('#panel-0 .branches .jump').focus()")
        page.press("Enter")
        assert marked(page) == ["p0-line-8"]

    def test_policies_are_tabs(self, page: Tab) -> None:
        hidden = "[...document.querySelectorAll('.panel')].map((panel) => panel.hidden)"
        assert page.value(hidden) == [False, True]
        page.click("#tab-1")
        assert page.value(hidden) == [True, False]
        assert page.text("#panel-1 .notice") == "stopped early: the step budget is used up, in line 12"
        page.press("ArrowRight")
        assert page.value(hidden) == [False, True]
        page.click("table.policies tr:nth-child(2) .choose")
        assert page.value(hidden) == [True, False]
        assert page.value("document.querySelector('#tab-1').getAttribute('aria-selected')") == "true"


class TestTheme:
    def test_follows_the_system_until_the_button_is_pressed(self, page: Tab) -> None:
        background = "getComputedStyle(document.querySelector('.simt-report')).backgroundColor"
        light = page.value(background)
        page.prefer("dark")
        dark = page.value(background)
        assert dark != light
        page.click(".theme")
        assert page.value(background) == light
        page.click(".theme")
        assert page.value(background) == dark


class TestTimeline:
    """The canvas: 34 pixels of lane numbers, 20 of line numbers, then 26 for a step and 10 for a lane."""

    def test_lanes_that_run_wait_or_left_look_different(self, page: Tab) -> None:
        lanes = [(4, 1), (4, 0), (4, 30), (4, 2), (0, 30)]
        active, waiting, gone, other_active, not_yet_gone = self.pixels(page, lanes)
        assert len({active, waiting, gone}) == 3
        assert other_active == active
        assert not_yet_gone != gone

    def test_pointing_tells_and_clicking_shows_the_line(self, page: Tab) -> None:
        page.click_inside("#panel-0 canvas", 34 + 4 * 26 + 13, 40)
        assert page.text("#panel-0 .readout") == "step 5 · line 12 · 22 of 32 lanes   sum += x[i * 32 + k];"
        assert marked(page) == ["p0-line-12"]

    def test_keys_walk_through_the_steps(self, page: Tab) -> None:
        page.value("document.querySelector('#panel-0 canvas').focus()")
        page.press("ArrowRight")
        page.press("ArrowRight")
        assert page.text("#panel-0 .readout").startswith("step 2 · line 8 · 32 of 32 lanes")
        page.press("End")
        assert page.value("document.querySelector('#panel-0 canvas').getAttribute('aria-valuenow')") == "15"
        page.press("Enter")
        assert marked(page) == ["p0-line-16"]

    def test_many_steps_of_wide_warps_scroll(self, browser: Tab, tmp_path: Path) -> None:
        steps = tuple(SegmentRun(0, None, 1 << (number % 64), 2**64 - 1) for number in range(4096))
        places = tuple(at(7 + number % 10) for number in range(4096))
        run = replace(ipdom(), timeline=TimelineReport(0, 0, 64, steps, places, 0))
        show(browser, replace(sample(), warp_size=64, policies=(run,)), tmp_path)
        browser.value("document.querySelector('canvas').focus()")
        browser.press("End")
        assert browser.text(".readout").startswith("step 4096 · line 12 · 1 of 64 lanes")
        assert browser.value("document.querySelector('.viewport').scrollLeft") > 20_000
        assert browser.value("document.querySelector('canvas').width") < 2000
        browser.click("[data-zoom=fit]")
        hidden = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.viewport'))"
        assert browser.value(hidden) <= 1
        assert browser.problems == []

    def pixels(self, page: Tab, cells: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
        """The colours in the middle of cells, given as (step, lane)."""
        spots = [(34 + step * 26 + 12, 20 + lane * 10 + 5) for step, lane in cells]
        script = f"""(() => {{
            const canvas = document.querySelector('#panel-0 canvas');
            const image = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            const start = ([x, y]) => 4 * devicePixelRatio * (y * image.width + x);
            return {json.dumps(spots)}.map((spot) => [...image.data.slice(start(spot), start(spot) + 4)]);
        }})()"""
        return [tuple(colour) for colour in page.value(script)]


class TestFindings:
    def test_notes_stand_apart_from_faults_and_link_both_places(self, page: Tab) -> None:
        assert page.text("#panel-0 .fault-card h2").split() == ["Faults", "2", "places"]
        assert page.text("#panel-0 .note-card h2").split() == ["Notes", "1", "place"]
        assert "same-value-write" in page.text("#panel-0 .note-card li")
        assert page.value("document.querySelectorAll('#p0-line-9.has-fault').length") == 0
        assert page.value("document.querySelectorAll('#p0-line-14.has-fault').length") == 1
        page.click("#panel-0 .note-card li p .jump")
        assert marked(page) == ["p0-line-16"]


class TestStudy:
    def test_is_shown_where_there_is_one(self, browser: Tab, tmp_path: Path) -> None:
        show(browser, sample(), tmp_path)
        assert browser.value("document.querySelectorAll('.study-card').length") == 0
        show(browser, replace(sample(), study=study()), tmp_path)
        assert rows(browser, "table.convergence")[4:] == [
            ["diverged", "20.0 %", "200"],
            ["converged under the best possible schedule", "90.0 % – 95.0 %", "1,000"],
        ]
        assert rows(browser, "table.registers")[0] == ["Reads by tags", "25.0 %", "50.0 %", "100"]
        assert rows(browser, "table.activity")[-1] == ["saved", *["50.0 %"] * 6]
        widths = "[...document.querySelectorAll('.stack rect')].map((part) => part.width.baseVal.value)"
        assert browser.value(widths) == [50, 20, 0, 10, 20]
        assert browser.problems == []


@pytest.mark.parametrize("width", [360, 500, 1400])
def test_the_page_is_never_wider_than_its_window(browser: Tab, tmp_path: Path, width: int) -> None:
    browser.resize(width)
    try:
        show(browser, replace(sample(), study=study()), tmp_path)
        assert browser.value("document.documentElement.scrollWidth <= innerWidth")
        notes = (
            "[...document.querySelectorAll('#panel-0 .fault-note')].map((row) => row.getBoundingClientRect().height)"
        )
        assert max(browser.value(notes)) < 160
    finally:
        browser.resize(1400)


def test_a_frame_may_give_its_nonce(browser: Tab, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(html_page(sample(), nonce="c2VjcmV0"), encoding="utf-8")
    browser.open(file.as_uri())
    browser.click("#panel-0 .branches .jump")
    assert marked(browser) == ["p0-line-8"]
    assert browser.problems == []
    assert "nonce-c2VjcmV0" in file.read_text(encoding="utf-8")
    assert "sha256" not in file.read_text(encoding="utf-8")


def test_the_colours_of_the_editor_are_used(browser: Tab, tmp_path: Path) -> None:
    show(browser, sample(), tmp_path)
    root = "document.documentElement"
    browser.value(f"{root}.style.setProperty('--vscode-editor-background', 'rgb(1, 2, 3)')")
    browser.value(f"{root}.style.setProperty('--vscode-editorError-foreground', 'rgb(4, 5, 6)')")
    assert browser.value("getComputedStyle(document.body).backgroundColor") == "rgb(1, 2, 3)"
    assert browser.value("getComputedStyle(document.querySelector('.bad-tile b')).color") == "rgb(4, 5, 6)"


def test_the_page_may_run_its_own_script_only(browser: Tab, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    text = html_page(sample()).replace("</main>", "</main><script>document.title = 'taken over'</script>")
    file.write_text(text, encoding="utf-8")
    browser.open(file.as_uri())
    assert browser.value("document.title") == "gather<float> – simulation"
    assert any("Content Security Policy" in problem for problem in browser.problems)


def test_parts_work_in_a_frame_with_its_own_policy(browser: Tab, tmp_path: Path) -> None:
    parts = html_parts(sample())
    policy = "default-src 'none'; style-src 'nonce-a1'; script-src 'nonce-a1'"
    file = tmp_path / "view.html"
    file.write_text(
        f"""<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
        <style nonce="a1">{parts.style}</style><body class="vscode-dark">{parts.body}
        <script nonce="a1">{parts.script}</script></body>""",
        encoding="utf-8",
    )
    browser.prefer("light")
    browser.open(file.as_uri())
    browser.click("#panel-0 .branches .jump")
    assert marked(browser) == ["p0-line-8"]
    assert browser.value("getComputedStyle(document.body).colorScheme") == "dark"
    assert browser.value("getComputedStyle(document.querySelector('.theme')).display") == "none"
    assert browser.problems == []
    assert browser.requests == []
