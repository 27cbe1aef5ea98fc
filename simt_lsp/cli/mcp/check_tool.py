"""`check`: findings of the static analysis, with the repairs that come with them."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, final

from pydantic import Field

from analysis.rules.wording import quantity
from simt_lsp.cli.exit_status import ExitStatus
from simt_lsp.cli.mcp.answer import Answer, Block, Code, Edit, cut, edit, left_out
from simt_lsp.cli.mcp.command import run
from simt_lsp.cli.mcp.source import Source, opened

SECONDS: Final = 120.0
MAX_FINDINGS: Final = 20
MAX_PROBLEMS: Final = 10


@final
class Repair(Answer):
    title: str
    applicability: str = Field(description="`safe`, `unsafe`, or `needs-run`: made and checked with `patch`")
    edits: list[Edit]


@final
class Finding(Answer):
    place: str = Field(description="FILE:LINE:COLUMN")
    rule: str = Field(description="its code and name; `explain` with the code tells more")
    severity: str
    function: str | None
    message: str
    because: list[str] = Field(description="places that belong to it, with what is so there")
    repair: Repair | None


@final
class CheckAnswer(Answer):
    summary: str
    findings: list[Finding] = Field(description="the gravest first")
    left_out: str | None
    problems: list[str] = Field(description="what was not analysed, so that nothing is said about it")
    patch: str | None = Field(description="all repairs as a unified diff, if asked for")


async def check(
    code: Code = None,
    path: Annotated[str | None, Field(description="a file or folder on this machine, instead of text")] = None,
    hints: Annotated[bool, Field(description="report hints as well")] = False,
    rules: Annotated[str | None, Field(description="report these only: codes or beginnings, as SYN101,DIV")] = None,
    block: Block = None,
    patch: Annotated[bool, Field(description="also make a patch of all repairs; simulations check them first")] = False,
) -> CheckAnswer:
    """Find races, unsafe barriers, wrong warp masks, divergent branches that cost and wasteful accesses in CUDA code,
    without running it.  What is reported as an error is proven unless its message names an assumption."""
    with opened(path, code) as source:
        options = [
            source.path,
            *(["--verbose"] if hints else []),
            *([] if rules is None else [f"--select={rules}"]),
            *([] if block is None else [f"--block={block}"]),
        ]
        ran = await run("check", *options, "--format", "json", seconds=SECONDS)
        ran.checked(ExitStatus.CLEAN, ExitStatus.FOUND, *([ExitStatus.USAGE] if ran.output else []))
        changes = None
        if patch:
            changed = await run("check", *options, "--diff", seconds=SECONDS)
            changes = changed.output
        return _answer(json.loads(ran.output), source, changes, hints=hints or rules is not None)


_GRAVITY: Final = ("error", "warning", "information", "hint")


def _answer(written: dict[str, Any], source: Source, patch: str | None, *, hints: bool) -> CheckAnswer:
    files = written["files"]
    found = [
        (source.shown(file["path"]), finding)
        for file in files
        for finding in file.get("diagnostics", ())
        if hints or finding["severity"] != "hint"
    ]
    found.sort(key=lambda one: _GRAVITY.index(one[1]["severity"]))
    problems = [
        *(f"{source.shown(file['path'])}: {file['error']}" for file in files if "error" in file),
        *(_problem(note, source) for file in files for note in file.get("notes", ())),
    ]
    kernels = sum(file.get("kernels", 0) for file in files)
    return CheckAnswer(
        summary=f"{quantity(len(found), 'finding')} in {quantity(kernels, 'kernel')} of {quantity(len(files), 'file')}",
        findings=[_finding(finding, path, source) for path, finding in found[:MAX_FINDINGS]],
        left_out=left_out(len(found) - MAX_FINDINGS, "findings", "name one file, or some `rules`"),
        problems=cut(problems, MAX_PROBLEMS),
        patch=patch,
    )


def _finding(written: dict[str, Any], path: str, source: Source) -> Finding:
    fix = written["fix"]
    return Finding(
        place=f"{path}:{written['line']}:{written['column']}",
        rule=f"{written['code']} {written['name']}",
        severity=written["severity"],
        function=written["function"],
        message=written["message"],
        because=[f"{source.shown(one['path'])}:{one['line']}: {one['message']}" for one in written["related"]],
        repair=None
        if fix is None
        else Repair(title=fix["title"], applicability=fix["applicability"], edits=[*map(edit, fix["edits"])]),
    )


def _problem(note: dict[str, Any], source: Source) -> str:
    return f"{source.shown(note['path'])}:{note['line']}: {note['message']}"
