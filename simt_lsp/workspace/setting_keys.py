"""The keys a settings source may hold, and how each value is read.

Rules    Keys are compared without `-`, `_` and case, so `warpSize`, `warp-size` and `warp_size` are one key.
         `rules` gives severities.  Single values and `select`, `ignore`, `tiers` replace what an earlier source said;
         `defines`, `undefines`, `includeDirs` and `rules` add to it.
         A value that is not allowed is reported with its key, the value and what is allowed; what stood before stays.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from typing import Final, TypeVar, cast

from analysis.features.inlay_hints import InlayHintMode, MemoryHintMode
from analysis.meld.settings import MAX_THRESHOLD, MeldMethod, MeldSettings
from analysis.rules.settings import RuleSettings, read_rule_settings
from simt_lsp.workspace.configuration import Configuration, SettingProblem
from simt_lsp.workspace.launch_settings import WARP_SIZES, read_simulation
from simt_lsp.workspace.setting_values import (
    NotAllowedError,
    Source,
    is_bool,
    listed,
    normalized,
    read_block,
    read_flag,
    read_strings,
    read_table,
    shown,
)

CLIENT_KEYS: Final = frozenset({"server", "interpreter", "trace", "enable", "heatmap"})
"""Keys that editor extensions keep for themselves in the same section."""

EnumType = TypeVar("EnumType", bound=Enum)


Reader = Callable[[Configuration, object, Source], Configuration]


def apply_source(configuration: Configuration, source: Source) -> tuple[Configuration, tuple[SettingProblem, ...]]:
    """`configuration` with the allowed values of `source`, and what was not allowed."""
    problems: list[SettingProblem] = []
    for key, value in source.values.items():
        known = _KEYS.get(normalized(key))
        if known is None:
            if normalized(key) not in CLIENT_KEYS:
                problems.append(SettingProblem(source.name, key, _unknown(key)))
        elif value is None:  # clients send null for "not set"
            continue
        elif known == "rules":
            configuration, found = _apply_severities(configuration, value, source)
            problems += found
        elif known == "simulate":
            configuration, found = _apply_simulation(configuration, value, source)
            problems += found
        else:
            try:
                configuration = _READERS[known](configuration, value, source)
            except NotAllowedError as error:
                message = f"{known} = {shown(value)} is not allowed: {error}"
                problems.append(SettingProblem(source.name, known, message))
    return configuration, tuple(problems)


def parse_architecture(text: str) -> int | None:
    """The `__CUDA_ARCH__` of `sm_80`, `compute_90a`, `lto_75`; None for what is not a CUDA architecture."""
    match = re.fullmatch(r"(?:sm|compute|lto)_(\d{2,3})[af]?", text.strip())
    return int(match[1]) * 10 if match else None


def _apply_severities(
    configuration: Configuration, value: object, source: Source
) -> tuple[Configuration, list[SettingProblem]]:
    """Each rule on its own, so that one bad entry costs only itself."""
    if not isinstance(value, Mapping):
        message = f"rules = {shown(value)} is not allowed: use a table from rule to severity"
        return configuration, [SettingProblem(source.name, "rules", message)]
    severities = dict(configuration.rules.severities)
    problems: list[SettingProblem] = []
    for rule, severity in cast("Mapping[str, object]", value).items():
        key = f"rules.{rule}"
        try:
            read = _rule_settings(severities={rule: severity if isinstance(severity, str) else shown(severity)})
        except NotAllowedError as error:
            problems.append(SettingProblem(source.name, key, f"{key} = {shown(severity)} is not allowed: {error}"))
            continue
        severities |= read.severities
    return replace(configuration, rules=replace(configuration.rules, severities=severities)), problems


def _apply_simulation(
    configuration: Configuration, value: object, source: Source
) -> tuple[Configuration, list[SettingProblem]]:
    """Each value on its own, as above."""
    problems: list[SettingProblem] = []

    def problem(key: str, value: object, error: NotAllowedError) -> None:
        name = f"simulate.{key}"
        problems.append(SettingProblem(source.name, name, f"{name} = {shown(value)} is not allowed: {error}"))

    try:
        table = read_table(value, "use a table of settings")
    except NotAllowedError as error:
        return configuration, [
            SettingProblem(source.name, "simulate", f"simulate = {shown(value)} is not allowed: {error}")
        ]
    simulation = read_simulation(configuration.simulation, table, source, problem)
    return replace(configuration, simulation=simulation), problems


def _rule_settings(
    *,
    select: tuple[str, ...] | None = None,
    ignore: tuple[str, ...] | None = None,
    severities: Mapping[str, str] | None = None,
    tiers: tuple[str, ...] | None = None,
) -> RuleSettings:
    settings, problems = read_rule_settings(select=select, ignore=ignore, severities=severities, tiers=tiers)
    if problems:
        raise NotAllowedError(" ".join(problem.message for problem in problems))
    return settings


def _warp_size(configuration: Configuration, value: object, _: Source) -> Configuration:
    if is_bool(value) or value not in WARP_SIZES:
        raise NotAllowedError(f"use {listed([str(size) for size in WARP_SIZES])}")
    return replace(configuration, analysis=replace(configuration.analysis, warp_size=value))


def _architecture(configuration: Configuration, value: object, _: Source) -> Configuration:
    architecture: int | None = None
    if isinstance(value, str):
        architecture = parse_architecture(value) or (_number_architecture(int(value)) if value.isdecimal() else None)
    elif isinstance(value, int) and not is_bool(value):
        architecture = _number_architecture(value)
    if architecture is None:
        raise NotAllowedError('use "sm_80", "compute_80" or 80')
    return replace(configuration, analysis=replace(configuration.analysis, architecture=architecture))


def _number_architecture(number: int) -> int | None:
    if 10 <= number < 200:
        return number * 10
    return number if 200 <= number < 2000 and number % 10 == 0 else None


def _block(configuration: Configuration, value: object, _: Source) -> Configuration:
    return replace(configuration, analysis=replace(configuration.analysis, block=read_block(value)))


def _defines(configuration: Configuration, value: object, _: Source) -> Configuration:
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        names = tuple(f"{name}={_macro_text(text)}" for name, text in table.items())
    else:
        names = read_strings(value, 'use a list of "NAME" or "NAME=VALUE"')
    bad = [name for name in names if not re.match(r"[A-Za-z_]\w*", name)]
    if bad:
        raise NotAllowedError(f"{shown(bad[0])} is not a macro name")
    options = configuration.analysis
    return replace(configuration, analysis=replace(options, defines=options.defines + names))


def _macro_text(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (str, int, float)):
        return str(value)
    raise NotAllowedError('use a list of "NAME" or "NAME=VALUE"')


def _undefines(configuration: Configuration, value: object, _: Source) -> Configuration:
    options = configuration.analysis
    names = read_strings(value, "use a list of macro names")
    return replace(configuration, analysis=replace(options, undefines=options.undefines + names))


def _include_dirs(configuration: Configuration, value: object, source: Source) -> Configuration:
    options = configuration.analysis
    base = source.directory or os.getcwd()
    paths = read_strings(value, "use a list of folders")
    folders = tuple(os.path.normpath(os.path.join(base, os.path.expanduser(path))) for path in paths)
    return replace(configuration, analysis=replace(options, include_dirs=options.include_dirs + folders))


def _project(configuration: Configuration, value: object, _: Source) -> Configuration:
    return replace(configuration, analysis=replace(configuration.analysis, project=read_flag(value)))


def _tiers(configuration: Configuration, value: object, _: Source) -> Configuration:
    tiers = _rule_settings(tiers=read_strings(value, "use a list of tiers")).tiers
    return replace(configuration, rules=replace(configuration.rules, tiers=tiers))


def _select(configuration: Configuration, value: object, _: Source) -> Configuration:
    select = _rule_settings(select=read_strings(value, "use a list of rules")).select
    return replace(configuration, rules=replace(configuration.rules, select=select))


def _ignore(configuration: Configuration, value: object, _: Source) -> Configuration:
    ignore = _rule_settings(ignore=read_strings(value, "use a list of rules")).ignore
    return replace(configuration, rules=replace(configuration.rules, ignore=ignore))


def _share_threshold(configuration: Configuration, value: object, _: Source) -> Configuration:
    if not isinstance(value, (int, float)) or is_bool(value) or not 0 <= value <= 100:
        raise NotAllowedError("use percent of a kernel's issue slots, from 0 to 100")
    return replace(configuration, rules=replace(configuration.rules, share_threshold=float(value)))


def _findings_per_kernel(configuration: Configuration, value: object, _: Source) -> Configuration:
    if not isinstance(value, int) or is_bool(value) or value < 0:
        raise NotAllowedError("use a whole number, or 0 for all")
    return replace(configuration, rules=replace(configuration.rules, findings_per_kernel=value))


def _meld_method(configuration: Configuration, value: object, _: Source) -> Configuration:
    return _with_meld(configuration, replace(configuration.rules.meld, method=_enum(value, MeldMethod)))


def _meld_threshold(configuration: Configuration, value: object, _: Source) -> Configuration:
    if not isinstance(value, (int, float)) or is_bool(value) or not 0 <= value <= MAX_THRESHOLD:
        raise NotAllowedError(f"use a share from 0 to {MAX_THRESHOLD}")
    return _with_meld(configuration, replace(configuration.rules.meld, threshold=float(value)))


def _with_meld(configuration: Configuration, meld: MeldSettings) -> Configuration:
    return replace(configuration, rules=replace(configuration.rules, meld=meld))


def _inlay_hints(configuration: Configuration, value: object, _: Source) -> Configuration:
    if isinstance(value, bool):
        value = "varying" if value else "off"
    mode = _enum(value, InlayHintMode)
    return replace(configuration, inlay_hints=replace(configuration.inlay_hints, mode=mode))


def _memory_hints(configuration: Configuration, value: object, _: Source) -> Configuration:
    if isinstance(value, bool):
        value = "costly" if value else "off"
    mode = _enum(value, MemoryHintMode)
    return replace(configuration, inlay_hints=replace(configuration.inlay_hints, memory=mode))


def _navigation(configuration: Configuration, value: object, _: Source) -> Configuration:
    return replace(configuration, navigation=read_flag(value))


def _code_lens(configuration: Configuration, value: object, _: Source) -> Configuration:
    return replace(configuration, code_lens=replace(configuration.code_lens, enabled=read_flag(value)))


def _semantic_tokens(configuration: Configuration, value: object, _: Source) -> Configuration:
    return replace(configuration, semantic_tokens=replace(configuration.semantic_tokens, enabled=read_flag(value)))


_READERS: Final[Mapping[str, Reader]] = {
    "warpSize": _warp_size,
    "architecture": _architecture,
    "block": _block,
    "defines": _defines,
    "undefines": _undefines,
    "includeDirs": _include_dirs,
    "project": _project,
    "select": _select,
    "ignore": _ignore,
    "tiers": _tiers,
    "shareThreshold": _share_threshold,
    "findingsPerKernel": _findings_per_kernel,
    "meldMethod": _meld_method,
    "meldThreshold": _meld_threshold,
    "inlayHints": _inlay_hints,
    "memoryHints": _memory_hints,
    "codeLens": _code_lens,
    "navigation": _navigation,
    "semanticTokens": _semantic_tokens,
}


_NAMES: Final = (*_READERS, "rules", "simulate")
_KEYS: Final = {normalized(name): name for name in _NAMES}


def setting_names() -> tuple[str, ...]:
    """All keys, as they are documented."""
    return _NAMES


def _unknown(key: str) -> str:
    close = difflib.get_close_matches(normalized(key), _KEYS, n=1, cutoff=0.5)
    return f"{key} is not a setting" + (f"; did you mean {_KEYS[close[0]]}?" if close else "")


def _enum(value: object, kind: type[EnumType]) -> EnumType:
    for member in kind:
        if isinstance(value, str) and member.value == value.lower():
            return member
    raise NotAllowedError(f"use {_choices(kind)}")


def _choices(kind: type[Enum]) -> str:
    return listed([f'"{member.value}"' for member in kind])
