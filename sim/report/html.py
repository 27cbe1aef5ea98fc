"""The report as a page: one file that needs nothing else, or its parts for a view that brings its own frame.

Safe     Everything from the kernel's file is escaped; the page's own policy (Content-Security-Policy) allows exactly
         one style and one script, by their hashes, and no request at all.  The script makes no markup from text.
Parts    An editor's web view takes body, style and script apart and puts its own nonce on the last two.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import final

from analysis.ir.record import record
from sim.report import words
from sim.report.html_charts import histogram_card, tiles, timeline_card
from sim.report.html_markup import NOTHING, Markup, element
from sim.report.html_source import source_card
from sim.report.html_study import study_card
from sim.report.html_tables import (
    branch_card,
    fault_card,
    input_card,
    memory_card,
    note_card,
    policy_card,
    printed_card,
)
from sim.report.model import KernelReport, PolicyReport


@final
@record
class HtmlParts:
    """`body` is one element of class `simt-report`; `style` and `script` are plain text without their elements."""

    title: str
    body: str
    style: str
    script: str


def html_parts(report: KernelReport) -> HtmlParts:
    return HtmlParts(f"{report.kernel} – simulation", _body(report).text, _asset("report.css"), _asset("report.js"))


def html_page(report: KernelReport, nonce: str | None = None) -> str:
    """A complete document in UTF-8 without references to anything outside of it.

    With a `nonce` (fresh random text of a frame that wants one, base64) the policy names it instead of hashes.
    """
    parts = html_parts(report)
    style, script = (
        (_digest(parts.style), _digest(parts.script)) if nonce is None else (f"nonce-{nonce}", f"nonce-{nonce}")
    )
    policy = f"default-src 'none'; style-src '{style}'; script-src '{script}'; base-uri 'none'; form-action 'none'"
    marks = {} if nonce is None else {"nonce": nonce}
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", parts.title),
        element("style", Markup(parts.style), **marks),
    )
    body = element("body", Markup(parts.body), element("script", Markup(parts.script), **marks))
    return f"<!doctype html>\n{element('html', head, body, lang='en').text}\n"


def _body(report: KernelReport) -> Markup:
    panels = [_panel(report, run, at) for at, run in enumerate(report.policies)]
    return element(
        "main",
        _header(report),
        policy_card(report),
        *panels,
        study_card(report),
        input_card(report),
        class_="simt-report",
    )


def _header(report: KernelReport) -> Markup:
    place = f"{report.path}:{report.first_line}"
    title = element(
        "div",
        element("h1", report.kernel),
        element("p", place, class_="path"),
        element("p", words.launch_words(report), f" · simulated {words.time_words(report)}", class_="launch"),
    )
    theme = element("button", type="button", class_="theme", aria_label="Switch between dark and light")
    return element("header", title, theme, _tabs(report))


def _tabs(report: KernelReport) -> Markup:
    if len(report.policies) == 1:
        return element("p", f"policy {report.policies[0].policy}", class_="policy-name")
    tabs = [
        element(
            "button",
            run.policy,
            type="button",
            role="tab",
            id=f"tab-{at}",
            aria_controls=f"panel-{at}",
            aria_selected="false" if at else "true",
            tabindex="-1" if at else "0",
        )
        for at, run in enumerate(report.policies)
    ]
    return element("div", *tabs, class_="tabs", role="tablist", aria_label="Policy")


def _panel(report: KernelReport, run: PolicyReport, panel: int) -> Markup:
    stopped = words.truncation(run)
    main = element("div", source_card(report, run, panel), histogram_card(report, run), class_="side")
    side = element("div", branch_card(report, run, panel), memory_card(report, run, panel), class_="side")
    return element(
        "section",
        tiles(run),
        element("p", stopped, class_="notice", role="note") if stopped else NOTHING,
        fault_card(report, run, panel),
        note_card(report, run, panel),
        element("div", main, side, class_="columns"),
        timeline_card(report, run, panel),
        printed_card(run),
        id=f"panel-{panel}",
        class_="panel",
        role="tabpanel" if len(report.policies) > 1 else "group",
        aria_label=f"Policy {run.policy}",
        **({"hidden": ""} if panel else {}),
    )


@cache
def _asset(name: str) -> str:
    return files("sim.report").joinpath("assets", name).read_text("utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
