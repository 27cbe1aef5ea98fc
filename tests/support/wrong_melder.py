"""Our own commands with a melder that is wrong: melded arms compute something else, which only a run can find out.

COMMAND + ("--stdio",)                  the language server
COMMAND + ("meld", "a.cu", "--diff")    the shell
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

_START: Final = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r}); "
_PLANT: Final = "from tests.support.wrong_melder import plant; plant(); "
COMMAND: Final = (
    sys.executable,
    "-I",
    "-c",
    f"{_START}from tests.support.wrong_melder import main; main(sys.argv[1:])",
)

RIGHT, WRONG = "1.0f", "3.0f"
"""What the arms add, and what the melded text adds instead."""


def main(arguments: Sequence[str]) -> None:
    from simt_lsp.cli.main import run
    from simt_lsp.server.simulations import child

    plant()
    # The server checks in another process, which gets the server's path and none of its modules.
    path, work = child.START.split("; from ", 1)
    child.START = f"{path}; {_PLANT}from {work}"  # pyright: ignore[reportConstantRedefinition, reportAttributeAccessIssue]
    sys.exit(run(arguments))


def plant() -> None:
    """Has everything that checks a meld in this process see the wrong one."""
    from analysis.facts.file_analysis import FileAnalysis
    from analysis.meld.settings import MeldSettings
    from analysis.refactor.edit import Replacement
    from analysis.refactor.meld.model import Opportunity, Refusal
    from sim.equivalence import checked_meld

    honest = checked_meld.render_meld

    def wrong(
        analysis: FileAnalysis, opportunity: Opportunity, settings: MeldSettings
    ) -> tuple[Replacement, ...] | Refusal:
        edit = honest(analysis, opportunity, settings)
        if isinstance(edit, Refusal):
            return edit
        assert any(RIGHT in one.text for one in edit), "nothing to get wrong"
        return tuple(replace(one, text=one.text.replace(RIGHT, WRONG)) for one in edit)

    checked_meld.render_meld = wrong
