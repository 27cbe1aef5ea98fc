"""What one kernel is simulated with: the command line, then the comment above the kernel, then the settings."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Final

from analysis.launches.annotation import annotation_above
from analysis.lower.program import DeviceFunction
from sim.launch.request import Request, requests_in_order
from sim.policies.protocol import PolicyFactory
from sim.policies.registry import policies_named
from sim.refusals import LaunchError
from sim.specification import Budget
from simt_lsp.cli.engine import Analyzed
from simt_lsp.cli.exit_status import UsageError
from simt_lsp.launch_requests import first_said, settings_requests
from simt_lsp.workspace.settings.simulation import LaunchSettings

DEFAULT_POLICY: Final = "ipdom"


def policies_of(options: argparse.Namespace, settings: Sequence[LaunchSettings]) -> Sequence[PolicyFactory]:
    """Raises `UsageError` for a name that no policy has."""
    if options.policy is not None:
        return _policies("--policy", options.policy.split(","))
    names = first_said(settings, lambda one: one.policies) or (DEFAULT_POLICY,)
    return _policies("the setting simulate.policies", names)


def budget_of(options: argparse.Namespace, settings: Sequence[LaunchSettings]) -> Budget:
    default = Budget()
    return Budget(
        max_steps=options.max_steps or first_said(settings, lambda one: one.max_steps) or default.max_steps,
        seconds=options.timeout or first_said(settings, lambda one: one.seconds) or default.seconds,
    )


def warp_size_of(options: argparse.Namespace, settings: Sequence[LaunchSettings], analysis: int) -> int:
    """`analysis` is that of the analysis of the file."""
    return analysis if options.warp_size else first_said(settings, lambda one: one.warp_size) or analysis


def requests_of(
    analyzed: Analyzed, kernel: DeviceFunction, options: argparse.Namespace, settings: Sequence[LaunchSettings]
) -> Sequence[Request]:
    """All sources, the most important first.  Raises `UsageError` and `LaunchError`."""
    block = analyzed.setup.settings.block
    extent = None if block is None or not options.block else (block.x, block.y, block.z)
    given = Request("given", options.grid, extent, options.shared, options.seed, _arguments(options.arg))
    text = analyzed.analysis.program.unit.text_of(kernel.item.path)
    annotation = None if text is None else annotation_above(text, kernel.item.span.start)
    folder = os.path.dirname(kernel.item.path)
    return requests_in_order(given, annotation, folder, settings_requests(settings, folder), block)


def _policies(source: str, names: Sequence[str]) -> Sequence[PolicyFactory]:
    try:
        return policies_named(name.strip() for name in names if name.strip())
    except LaunchError as error:
        raise UsageError(f"{source}: {error}") from error


def _arguments(options: Sequence[str]) -> dict[str, str]:
    arguments: dict[str, str] = {}
    for given in options:
        name, equals, value = given.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(f"--arg {given}: write NAME=VALUE, for example n=2048 or x=random(0,1)")
        arguments[name.strip()] = value.strip()
    return arguments
