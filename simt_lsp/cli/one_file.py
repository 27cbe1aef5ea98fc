"""The file of a command that is about one file: analysed, or the reason why that is not possible."""

from __future__ import annotations

from simt_lsp.cli.engine import Analyzed, Engine, UnreadableError
from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.project_files import callers_of_file
from simt_lsp.cli.setting_complaints import complain_of_settings


def analyzed_file(engine: Engine, path: str) -> Analyzed:
    """As `check` sees it, by the callers in other files.

    What is wrong with its settings is said on standard error; raises `UsageError`.
    """
    try:
        analyzed = engine.analyze(path, callers_of_file(engine, path))
    except UnreadableError as error:
        raise UsageError(f"{path}: {error}") from error
    complain_of_settings(analyzed.setup.problems)
    return analyzed
