"""From parsed arguments to the options of an engine; what is wrong with them is said before any file is read."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence

from simt_lsp.cli.engine import EngineOptions
from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.setting_complaints import complaint
from simt_lsp.workspace.project_root import project_root
from simt_lsp.workspace.settings.sources import located, merge, read_settings_file
from simt_lsp.workspace.settings.values import Source


def engine_options(options: argparse.Namespace, paths: Sequence[str]) -> EngineOptions:
    """The options of a run over `paths`; raises `UsageError`."""
    given = _settings_file(options.config)
    overrides = (*given, _command_line(options))
    _, problems = merge(overrides)
    if given and problems:
        problems = located(given[0].name, problems)
    if problems:
        raise UsageError("; ".join(map(complaint, problems)))
    roots = _outermost(project_root(path) for path in paths)
    return EngineOptions(
        overrides, roots, show_log=getattr(options, "verbose", False), keeps=not getattr(options, "no_cache", False)
    )


def _command_line(options: argparse.Namespace) -> Source:
    """The settings on the command line, under the names that a settings file gives them."""
    given: dict[str, object] = {
        "warpSize": options.warp_size,
        "block": options.block,
        "architecture": options.arch,
        "otherArchitectures": False if getattr(options, "one_arch", False) else None,
        "defines": options.define,
        "undefines": options.undefine,
        "includeDirs": options.include,
        "project": False if options.no_project else None,
        "exclude": getattr(options, "exclude", None),
        "select": _listed(getattr(options, "select", None)),
        "ignore": _listed(getattr(options, "ignore", None)),
        "tiers": _listed(getattr(options, "tier", None)),
        "findingsPerKernel": 0 if getattr(options, "all_findings", False) else None,
        "meldMethod": getattr(options, "method", None),
        "meldThreshold": getattr(options, "threshold", None),
    }
    values = {name: value for name, value in given.items() if value is not None}
    return Source("command line", values, os.getcwd())


def _settings_file(path: str | None) -> tuple[Source, ...]:
    if path is None:
        return ()
    source, problems = read_settings_file(os.path.abspath(path))
    if source is None:
        raise UsageError("--config: " + "; ".join(map(complaint, problems)))
    return (source,)


def _outermost(roots: Iterable[str]) -> tuple[str, ...]:
    """`roots` without those that lie in another one."""
    kept: list[str] = []
    for root in sorted(set(roots)):
        if not any(root.startswith(outer.rstrip(os.sep) + os.sep) for outer in kept):
            kept.append(root)
    return tuple(kept)


def _listed(values: Sequence[str] | None) -> tuple[str, ...] | None:
    """The parts of an option that takes a list with commas and may stand several times."""
    if values is None:
        return None
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())
