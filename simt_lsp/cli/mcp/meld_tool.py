"""`meld`: divergent arms that can be one sequence, checked by running both versions."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, final

from pydantic import Field

from analysis.refactor.meld.model import Obstacle
from analysis.rules.wording import quantity
from simt_lsp.cli.exit_status import ExitStatus
from simt_lsp.cli.mcp.answer import Answer, Block, Code, Edit, Path, cut, edit
from simt_lsp.cli.mcp.command import run
from simt_lsp.cli.mcp.source import Source, opened

SECONDS: Final = 300.0
MAX_NOT_OFFERED: Final = 10


@final
class Meld(Answer):
    place: str = Field(description="FILE:LINE:COLUMN of the branch")
    function: str
    title: str | None
    checked: str = Field(description="what runs of both versions said")
    saving: float | None = Field(description="share of the kernel's issued instructions")
    edits: list[Edit]


@final
class MeldAnswer(Answer):
    summary: str
    melds: list[Meld] = Field(description="what is equal and cheaper, each as an edit of the text as it is")
    not_offered: list[str] = Field(description="other divergent branches with two arms, and why not")
    patch: str | None = Field(description="all of them as a unified diff, if asked for")


async def meld(
    code: Code = None,
    path: Path = None,
    function: Annotated[str | None, Field(description="only in this kernel or device function")] = None,
    line: Annotated[int | None, Field(description="only the branch on this line", ge=1)] = None,
    block: Block = None,
    patch: Annotated[bool, Field(description="also make a patch of all melds")] = False,
) -> MeldAnswer:
    """Make the two arms of divergent branches one converged sequence (control-flow melding).  A meld is offered only if
    both versions of the kernel, run on the simulator, leave the same memory and the new one issues fewer instructions.
    """
    with opened(path, code) as source:
        place = source.target(function, line)
        options = [] if block is None else [f"--block={block}"]
        ran = await run("meld", place, *options, "--json", seconds=SECONDS)
        ran.checked(ExitStatus.CLEAN, ExitStatus.FOUND, ExitStatus.REFUSED, ExitStatus.TRUNCATED)
        changes = (await run("meld", place, *options, "--diff", seconds=SECONDS)).output if patch else None
        return _answer(json.loads(ran.output)["regions"], source, changes)


def _answer(regions: list[dict[str, Any]], source: Source, patch: str | None) -> MeldAnswer:
    offered = [region for region in regions if region["offered"]]
    others = [region for region in regions if not region["offered"] and region["obstacle"] not in _NO_TWO_ARMS]
    return MeldAnswer(
        summary=f"{quantity(len(offered), 'meld')} offered, {quantity(len(others), 'other branch', 'other branches')} "
        "with two arms",
        melds=[
            Meld(
                place=_place(region, source),
                function=region["function"],
                title=region["title"],
                checked=region["reason"],
                saving=region["saving"],
                edits=[*map(edit, region["edit"])],
            )
            for region in offered
        ],
        not_offered=cut(
            [f"{_place(region, source)} in {region['function']}: {region['reason']}" for region in others],
            MAX_NOT_OFFERED,
        ),
        patch=patch,
    )


_NO_TWO_ARMS: Final = (Obstacle.ONE_ARM.value, Obstacle.NOT_A_STATEMENT.value)


def _place(region: dict[str, Any], source: Source) -> str:
    return f"{source.shown(region['file'])}:{region['line']}:{region['column']}"
