"""`sanitize`: what goes wrong when kernels run in many ways."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, final

from pydantic import Field

from simt_lsp.cli.exit_status import ExitStatus
from simt_lsp.cli.mcp.answer import Answer, Code, cut, left_out
from simt_lsp.cli.mcp.command import run
from simt_lsp.cli.mcp.source import Source, opened

START_SECONDS: Final = 60.0
"""For the analysis, beside what the runs may take."""
MAX_FINDINGS: Final = 20
MAX_KERNELS: Final = 20
_GRAVITY: Final = ("error", "warning", "note")


@final
class SiteFinding(Answer):
    place: str = Field(description="FILE:LINE:COLUMN")
    kind: str
    severity: str = Field(description="`note`: it may be due to inputs that were chosen")
    found_by: str = Field(description="`static`: a rule of `check`; `runs`; or `both`")
    message: str
    because: list[str]
    rests_on: list[str] = Field(description="chosen inputs without which it might not happen")
    run: str | None = Field(description="the smallest run that shows it; null where only rules speak")


@final
class SanitizeAnswer(Answer):
    findings: list[SiteFinding] = Field(description="the gravest first")
    left_out: str | None
    verdicts: list[str] = Field(description="of each kernel: what was tried, and how much of it ran")
    problems: list[str] = Field(description="what did not run, and why")


async def sanitize(
    code: Code = None,
    path: Annotated[str | None, Field(description="a file or folder on this machine, instead of text")] = None,
    notes: Annotated[bool, Field(description="also what may be due to chosen inputs")] = False,
    seconds: Annotated[float, Field(description="for each kernel", gt=0, le=600)] = 10.0,
    budget: Annotated[float, Field(description="seconds in all", gt=0, le=3600)] = 120.0,
) -> SanitizeAnswer:
    """Run every kernel with several inputs, sizes and schedules, and report races, deadlocks, divergent barriers, wrong
    masks, accesses out of bounds, uninitialised reads and results that depend on the schedule, with the run that shows
    each; what the static rules say of the same places is merged."""
    with opened(path, code) as source:
        options = ["--format", "json", f"--timeout={seconds}", f"--budget={budget}"]
        ran = await run("sanitize", source.path, *options, seconds=START_SECONDS + budget + seconds)
        ran.checked(ExitStatus.CLEAN, ExitStatus.FOUND, *([ExitStatus.USAGE] if ran.output else []))
        return _answer(json.loads(ran.output), source, notes=notes)


def _answer(written: dict[str, Any], source: Source, *, notes: bool) -> SanitizeAnswer:
    found = [one for one in written["findings"] if notes or one["severity"] != "note"]
    found.sort(key=lambda one: _GRAVITY.index(one["severity"]))
    kernels = [one for one in written["kernels"] if one["not_run"] is None]
    problems = [
        *(f"{source.shown(one['path'])}: {one['error']}" for one in written["files"] if one["error"]),
        *(
            f"{source.shown(one['path'])}:{one['line']}: {one['kernel']}: {one['not_run']}"
            for one in written["kernels"]
            if one["not_run"] is not None
        ),
    ]
    return SanitizeAnswer(
        findings=[_finding(one, source) for one in found[:MAX_FINDINGS]],
        left_out=left_out(len(found) - MAX_FINDINGS, "findings", "name one file"),
        verdicts=cut([f"{one['kernel']}: {one['verdict']}" for one in kernels], MAX_KERNELS),
        problems=cut(problems, MAX_KERNELS),
    )


def _finding(one: dict[str, Any], source: Source) -> SiteFinding:
    return SiteFinding(
        place=f"{source.shown(one['path'])}:{one['line']}:{one['column']}",
        kind=one["kind"],
        severity=one["severity"],
        found_by=one["found_by"],
        message=one["message"],
        because=[
            f"{source.shown(near['path'])}:{near['line']}: {near['message']}" for near in one["related"] if near["path"]
        ],
        rests_on=one["chosen"],
        run=None if one["run"] is None else _run(one["run"]),
    )


def _run(run: dict[str, Any]) -> str:
    shape = f"{run['kernel']}<<<({_listed(run['grid'])}), ({_listed(run['block'])})>>>"
    thread = f"thread ({_listed(run['thread'])}) of block ({_listed(run['block_index'])})"
    inputs = ", ".join(f"{name}={one['value']}" for name, one in run["inputs"].items() if name not in ("grid", "block"))
    with_ = f" with {inputs}" if inputs else ""
    seen = f"{run['seen']} of {run['runs']} runs"
    return f"{shape}{with_}, policy {run['policy']}, warps {run['order']}: {thread}, in {seen}"


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
