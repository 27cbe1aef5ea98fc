"""Read a source of settings by the table of settings.

Rules    Keys are compared without `-`, `_` and case, so `warpSize`, `warp-size` and `warp_size` are one key.
         Single values and `select`, `ignore`, `tiers` replace what an earlier source said; `defines`, `undefines`,
         `includeDirs`, `exclude` and `rules` add to it.  What sources say of simulations is kept side by side.
         A value that is not allowed is reported with its key, the value and what is allowed; what stood before stays.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from simt_lsp.workspace.settings.all_settings import (
    KERNELS_TABLE,
    LAUNCH_SETTINGS,
    RULES_TABLE,
    SETTINGS,
    SIMULATION_SETTINGS,
    SIMULATION_TABLE,
    checked_rules,
)
from simt_lsp.workspace.settings.configuration import Configuration, SettingProblem
from simt_lsp.workspace.settings.setting import Setting
from simt_lsp.workspace.settings.simulation import LaunchSettings, SimulationOptions
from simt_lsp.workspace.settings.values import NotAllowedError, Source, listed, normalized, read_table, shown

CLIENT_KEYS: Final = frozenset({"server", "interpreter", "trace", "enable", "heatmap"})
"""Keys that editor extensions keep for themselves in the same section."""

Options = TypeVar("Options")
Problem = Callable[[str, object, str], None]
"""Told of a value that is not allowed: its key, the value, and what is."""


def apply_source(configuration: Configuration, source: Source) -> tuple[Configuration, tuple[SettingProblem, ...]]:
    """`configuration` with the allowed values of `source`, and what was not allowed."""
    problems: list[SettingProblem] = []

    def problem(key: str, value: object, allowed: str) -> None:
        problems.append(SettingProblem(source.name, key, f"{key} = {shown(value)} is not allowed: {allowed}"))

    for key, value in source.values.items():
        name = _NAMES.get(normalized(key))
        if name is None:
            if normalized(key) not in CLIENT_KEYS:
                problems.append(SettingProblem(source.name, key, _unknown(key)))
        elif value is None:  # clients send null for "not set"
            continue
        elif name == RULES_TABLE:
            configuration = _with_severities(configuration, value, problem)
        elif name == SIMULATION_TABLE:
            simulation = _with_simulation(configuration.simulation, value, source, problem)
            configuration = replace(configuration, simulation=simulation)
        else:
            configuration = _with(configuration, _SETTINGS[name], value, source, name, problem)
    return configuration, tuple(problems)


def _with(
    options: Options, setting: Setting[Options, Any], value: object, source: Source, key: str, problem: Problem
) -> Options:
    """`options` with one value, or as they are where it is not allowed."""
    try:
        return setting.read(options, value, source)
    except NotAllowedError as error:
        problem(key, value, str(error))
        return options


def _table(value: object, allowed: str, key: str, problem: Problem) -> Mapping[str, object]:
    """Empty where `value` is no table."""
    try:
        return read_table(value, allowed)
    except NotAllowedError as error:
        problem(key, value, str(error))
        return {}


def _with_severities(configuration: Configuration, value: object, problem: Problem) -> Configuration:
    """Each rule on its own, so that one bad entry costs only itself."""
    severities = dict(configuration.rules.severities)
    table = _table(value, "use a table from rule to severity", RULES_TABLE, problem)
    for rule, severity in table.items():
        try:
            said = severity if isinstance(severity, str) else shown(severity)
            severities |= checked_rules(severities={rule: said}).severities
        except NotAllowedError as error:
            problem(f"{RULES_TABLE}.{rule}", severity, str(error))
    return replace(configuration, rules=replace(configuration.rules, severities=severities))


def _with_simulation(before: SimulationOptions, value: object, source: Source, problem: Problem) -> SimulationOptions:
    """`before`, and in front of it what this source says."""
    table = _table(value, "use a table of settings", SIMULATION_TABLE, problem)
    nothing = LaunchSettings(source.name, source.directory)
    general, kernels, options = nothing, list[LaunchSettings](), before
    for key, given in table.items():
        full = f"{SIMULATION_TABLE}.{key}"
        own = _SIMULATION_SETTINGS.get(normalized(key))
        if given is None:
            continue
        if own is not None:
            options = _with(options, own, given, source, full, problem)
        elif normalized(key) == KERNELS_TABLE:
            kernels += _kernels(nothing, given, source, full, problem)
        else:
            general = _with_launch(general, key, given, source, full, problem)
    said = [*kernels, *([] if general == nothing else [general])]
    return replace(options, launches=(*said, *before.launches))


def _kernels(
    nothing: LaunchSettings, value: object, source: Source, key: str, problem: Problem
) -> Sequence[LaunchSettings]:
    found: list[LaunchSettings] = []
    for name, values in _table(value, "use a table from kernel to its settings", key, problem).items():
        launch = replace(nothing, kernel=name)
        for entry, given in _table(values, "use a table of settings", f"{key}.{name}", problem).items():
            if given is not None:
                launch = _with_launch(launch, entry, given, source, f"{key}.{name}.{entry}", problem)
        found.append(launch)
    return found


def _with_launch(
    launch: LaunchSettings, entry: str, value: object, source: Source, key: str, problem: Problem
) -> LaunchSettings:
    setting = _LAUNCH_SETTINGS.get(normalized(entry))
    if setting is None:
        names = listed([one.name for one in LAUNCH_SETTINGS])
        problem(key, value, f"there is no such setting; there are {names}")
        return launch
    return _with(launch, setting, value, source, key, problem)


_SETTINGS: Final = {setting.name: setting for setting in SETTINGS}
_NAMES: Final = {normalized(name): name for name in (*_SETTINGS, RULES_TABLE, SIMULATION_TABLE)}
_LAUNCH_SETTINGS: Final = {normalized(setting.name): setting for setting in LAUNCH_SETTINGS}
_SIMULATION_SETTINGS: Final = {normalized(setting.name): setting for setting in SIMULATION_SETTINGS}


def _unknown(key: str) -> str:
    close = difflib.get_close_matches(normalized(key), _NAMES, n=1, cutoff=0.5)
    return f"{key} is not a setting" + (f"; did you mean {_NAMES[close[0]]}?" if close else "")
