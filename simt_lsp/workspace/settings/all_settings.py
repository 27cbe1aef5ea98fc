"""All settings, each once: readers, schemas, defaults and documentation are made of this table.

Rules    Names are written as in JSON; a settings file may write `warp-size` or `warp_size` for `warpSize`.
         Two settings are tables of others: `rules`, from a rule to how loud it is, and `simulate`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from analysis.facts.settings import AnalysisSettings
from analysis.features.inlay_hints import InlayHintMode, MemoryHintMode
from analysis.meld.settings import MAX_THRESHOLD, MeldMethod
from analysis.rules.settings import RuleSettings, read_rule_settings
from analysis.verdict.barriers import Tier
from simt_lsp.workspace.settings.configuration import DEFAULT, Configuration, Exclusion
from simt_lsp.workspace.settings.kinds import (
    ARCHITECTURE,
    ARGUMENTS,
    BLOCK,
    DEFINES,
    FLAG,
    GRID,
    choice,
    number,
    one_of,
    positive_number,
    strings,
    whole,
)
from simt_lsp.workspace.settings.setting import Setting
from simt_lsp.workspace.settings.simulation import MAX_SECONDS, WARP_SIZES, LaunchSettings, SimulationOptions
from simt_lsp.workspace.settings.values import NotAllowedError, Source

RULES_TABLE: Final = "rules"
SIMULATION_TABLE: Final = "simulate"
KERNELS_TABLE: Final = "kernels"


def checked_rules(
    *,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    severities: Mapping[str, str] | None = None,
    tiers: Sequence[str] | None = None,
) -> RuleSettings:
    """What is given, over the defaults; raises `NotAllowedError`."""
    settings, problems = read_rule_settings(select=select, ignore=ignore, severities=severities, tiers=tiers)
    if problems:
        raise NotAllowedError(" ".join(problem.message for problem in problems))
    return settings


def _analysis(configuration: Configuration, **changes: Any) -> Configuration:
    return replace(configuration, analysis=replace(configuration.analysis, **changes))


def _rules(configuration: Configuration, **changes: Any) -> Configuration:
    return replace(configuration, rules=replace(configuration.rules, **changes))


def _meld(configuration: Configuration, **changes: Any) -> Configuration:
    return _rules(configuration, meld=replace(configuration.rules.meld, **changes))


def _hints(configuration: Configuration, **changes: Any) -> Configuration:
    return replace(configuration, inlay_hints=replace(configuration.inlay_hints, **changes))


def _include_dirs(configuration: Configuration, folders: tuple[str, ...], source: Source) -> Configuration:
    base = source.directory or os.getcwd()
    absolute = tuple(os.path.normpath(os.path.join(base, os.path.expanduser(folder))) for folder in folders)
    return _analysis(configuration, include_dirs=configuration.analysis.include_dirs + absolute)


def _exclude(configuration: Configuration, globs: tuple[str, ...], source: Source) -> Configuration:
    folder = os.path.abspath(source.directory or os.getcwd())
    return replace(configuration, exclude=configuration.exclude + tuple(Exclusion(folder, glob) for glob in globs))


_NOTHING_SAID: Final = AnalysisSettings()
"""What holds where neither a setting nor a build command speaks."""


SETTINGS: Final[tuple[Setting[Configuration, Any], ...]] = (
    Setting(
        "warpSize",
        one_of(WARP_SIZES),
        lambda configuration, size, _: _analysis(configuration, warp_size=size),
        default=_NOTHING_SAID.warp_size,
        meaning="Lanes of a warp: 4, 8, 16, 32 or 64.",
        shell="--warp-size 64",
    ),
    Setting(
        "architecture",
        ARCHITECTURE,
        lambda configuration, architecture, _: _analysis(configuration, architecture=architecture),
        default=f"sm_{_NOTHING_SAID.architecture // 10}",
        meaning="What `__CUDA_ARCH__` says, as `sm_80`. A build command in `compile_commands.json` says so too.",
        shell="--arch sm_90",
    ),
    Setting(
        "otherArchitectures",
        FLAG,
        lambda configuration, others, _: _analysis(configuration, other_architectures=others),
        default=DEFAULT.analysis.other_architectures,
        meaning="Where a file asks for the architecture (`#if __CUDA_ARCH__ >= 900`), rules look at device code as "
        "others compile it: those of the build command, or else those that the text tells apart.",
        shell="--one-arch",
    ),
    Setting(
        "block",
        BLOCK,
        lambda configuration, block, _: _analysis(configuration, block=block),
        default=None,
        meaning="Threads per block along x, y and z: `256`, `[16, 16]` or `16x16`. "
        "Without it, the launches say so, or a comment above the kernel: `// simt: block=16,16`.",
        otherwise="from the launches",
        shell="--block 16,16",
    ),
    Setting(
        "defines",
        DEFINES,
        lambda configuration, names, _: _analysis(configuration, defines=configuration.analysis.defines + names),
        default=[],
        meaning="Macros, as for the compiler: `NAME` or `NAME=VALUE`.",
        shell="-D NAME=VALUE",
    ),
    Setting(
        "undefines",
        strings("use a list of macro names", lambda names: names),
        lambda configuration, names, _: _analysis(configuration, undefines=configuration.analysis.undefines + names),
        default=[],
        meaning="Macros that are not defined.",
        shell="-U NAME",
    ),
    Setting(
        "includeDirs",
        strings("use a list of folders", lambda folders: folders),
        _include_dirs,
        default=[],
        meaning="Folders where headers are looked for, after the folder of the including file.",
        shell="-I FOLDER",
    ),
    Setting(
        "project",
        FLAG,
        lambda configuration, project, _: _analysis(configuration, project=project),
        default=DEFAULT.analysis.project,
        meaning="Launches of kernels, calls of host functions, and calls of the device functions of headers in the "
        "other files of the project are seen: those of a repository, or of a folder.",
        shell="--no-project",
    ),
    Setting(
        "exclude",
        strings("use a list of globs", lambda globs: globs),
        _exclude,
        default=[],
        meaning="Files that `check` and the diagnostics of a workspace leave out: `third_party`, `*_generated.cu`, "
        "`src/**/old`. A glob without `/` fits a file or folder of that name anywhere, one with `/` from the folder of "
        "the settings file on. What the files say about kernels and launches in others still counts.",
        shell="--exclude third_party",
    ),
    Setting(
        "select",
        strings("use a list of rules", lambda names: checked_rules(select=names).select),
        lambda configuration, names, _: _rules(configuration, select=names),
        default=sorted(DEFAULT.rules.select),
        meaning="Rules to report: codes (`SYN101`), beginnings of codes (`SYN`), names, or `ALL`.",
        shell="--select SYN,DIV401",
    ),
    Setting(
        "ignore",
        strings("use a list of rules", lambda names: checked_rules(ignore=names).ignore),
        lambda configuration, names, _: _rules(configuration, ignore=names),
        default=sorted(DEFAULT.rules.ignore),
        meaning="Rules not to report. The most specific entry of this and `#select#` wins.",
        shell="--ignore divergent-loop",
    ),
    Setting(
        "tiers",
        strings(
            "use a list of tiers", lambda names: checked_rules(tiers=names).tiers, choices=[tier.value for tier in Tier]
        ),
        lambda configuration, tiers, _: _rules(configuration, tiers=tiers),
        default=sorted(tier.value for tier in DEFAULT.rules.tiers),
        meaning="How certain a finding must be. `proven`: the sentence holds as it stands, with what it names as its "
        'condition ("unless `width` is below 8"). `possible` and `assumed` report more, not all of it true.',
        shell="--tier proven,possible",
    ),
    Setting(
        "shareThreshold",
        number(0, 100, "use percent of a kernel's issue slots, from 0 to 100"),
        lambda configuration, percent, _: _rules(configuration, share_threshold=percent),
        default=DEFAULT.rules.share_threshold,
        meaning="`divergent-branch`, `divergent-loop`, `bank-conflict`, `wide-division` and "
        "`repeated-index-arithmetic` speak where what they are about takes this "
        "share of the kernel's issue slots or more, in percent; `meldable-branch` where melding saves four times this "
        "share; `uncoalesced-access` where three times this share of all sectors is moved for nothing.",
    ),
    Setting(
        "findingsPerKernel",
        whole(0, "use a whole number, or 0 for all"),
        lambda configuration, count, _: _rules(configuration, findings_per_kernel=count),
        default=DEFAULT.rules.findings_per_kernel,
        meaning="Of the findings of `divergent-branch`, `divergent-loop` and `bank-conflict` in one kernel so many are "
        "shown, the dearest; the last one says how many more there are. 0 for all.",
        shell="--all-findings",
    ),
    Setting(
        "meldMethod",
        choice(
            MeldMethod,
            best="whichever of the others saves most at each branch",
            darm="statements, branches and loops of both arms that correspond",
            fusion="only arms of simple statements",
            tail="only equal statements at the end of both arms",
            linear="both arms as one sequence each, whatever their shapes",
        ),
        lambda configuration, method, _: _meld(configuration, method=method),
        default=DEFAULT.rules.meld.method.value,
        meaning="How the arms of divergent branches are melded.",
        shell="meld --method fusion",
    ),
    Setting(
        "meldThreshold",
        number(0, MAX_THRESHOLD, f"use a share from 0 to {MAX_THRESHOLD}"),
        lambda configuration, threshold, _: _meld(configuration, threshold=threshold),
        default=DEFAULT.rules.meld.threshold,
        meaning="How much of two pieces of code must agree before they are melded: a share of the cost of both, where "
        "0.5 is all of it.",
        shell="meld --threshold 0.3",
    ),
    Setting(
        "inlayHints",
        choice(
            InlayHintMode,
            off_and_on=("off", "varying"),
            off="none",
            varying="the word, behind each that differs between the lanes of a warp",
            forms="how they depend on the thread, where the declaration does not say it: 4·tid + n",
            all="the level of every variable; any number of hints in a line",
        ),
        lambda configuration, mode, _: _hints(configuration, mode=mode),
        default=DEFAULT.inlay_hints.mode.value,
        meaning="Hints after variables.",
    ),
    Setting(
        "memoryHints",
        choice(
            MemoryHintMode,
            off_and_on=("off", "costly"),
            off="none",
            costly="accesses that move at least twice the sectors they use (32/4 sectors: 32 where 4 would do), or "
            "conflicts of 4 ways and more",
            all="all accesses; any number of hints in a line",
        ),
        lambda configuration, mode, _: _hints(configuration, memory=mode),
        default=DEFAULT.inlay_hints.memory.value,
        meaning="Hints after accesses to memory.",
    ),
    Setting(
        "codeLens",
        FLAG,
        lambda configuration, shown, _: replace(configuration, code_lens=shown),
        default=DEFAULT.code_lens,
        meaning="The line above each kernel: its counts, and Simulate.",
    ),
    Setting(
        "navigation",
        FLAG,
        lambda configuration, answered, _: replace(configuration, navigation=answered),
        default=DEFAULT.navigation,
        meaning="Navigation and call hierarchy of kernels and device functions; nothing else is ever answered.",
    ),
    Setting(
        "semanticTokens",
        FLAG,
        lambda configuration, marked, _: replace(configuration, semantic_tokens=marked),
        default=DEFAULT.semantic_tokens,
        meaning="Names and branch keywords are marked for themes: `uniform`, `affine`, `varying`, `divergentBlock`.",
    ),
)


LAUNCH_SETTINGS: Final[tuple[Setting[LaunchSettings, Any], ...]] = (
    Setting(
        "grid",
        GRID,
        lambda launch, grid, _: replace(launch, grid=grid),
        default=None,
        meaning="Blocks of the grid, for all kernels.",
        otherwise="from the file",
        shell="--grid 8,4",
    ),
    Setting(
        "block",
        BLOCK,
        lambda launch, block, _: replace(launch, block=block),
        default=None,
        meaning="Threads of a block, for all kernels. Only for simulations; "
        "`#block#` outside of `simulate` is for both.",
        otherwise="from the file",
        shell="--block 256",
    ),
    Setting(
        "sharedBytes",
        whole(0, "use a whole number of bytes, 0 or more"),
        lambda launch, size, _: replace(launch, shared_bytes=size),
        default=None,
        meaning="Bytes of dynamic shared memory.",
        otherwise="from the file",
        shell="--shared 4096",
    ),
    Setting(
        "seed",
        whole(0, "use a whole number as the seed, 0 or more"),
        lambda launch, seed, _: replace(launch, seed=seed),
        default=None,
        meaning="The seed of everything that is chosen at random.",
        otherwise="1",
        shell="--seed 7",
    ),
    Setting(
        "arguments",
        ARGUMENTS,
        lambda launch, arguments, _: replace(launch, arguments=arguments),
        default={},
        meaning="Arguments, template parameters and variables by name: `2048`, `random(0,1)`, `iota`, `zeros[4096]`, "
        "`@file.npy`.",
        otherwise="chosen",
        shell="--arg n=2048",
    ),
    Setting(
        "policies",
        strings("use names of policies, or all", lambda names: names),
        lambda launch, policies, _: replace(launch, policies=policies),
        default=["ipdom"],
        meaning="Ways of managing reconvergence to simulate, or `all`.",
        shell="--policy ipdom,min-pc",
    ),
    Setting(
        "warpSize",
        one_of(WARP_SIZES),
        lambda launch, size, _: replace(launch, warp_size=size),
        default=None,
        meaning="Lanes of a warp. Only for simulations; `#warpSize#` outside of `simulate` is for both.",
        otherwise="that of the analysis",
        shell="--warp-size 16",
    ),
    Setting(
        "seconds",
        positive_number(MAX_SECONDS, "of seconds"),
        lambda launch, seconds, _: replace(launch, seconds=seconds),
        default=10,
        meaning="The time of a whole simulation in the editor, of one run in the shell, in seconds.",
        shell="--timeout 5",
    ),
    Setting(
        "maxSteps",
        whole(1, "use a whole number of warp instructions, 1 or more"),
        lambda launch, steps, _: replace(launch, max_steps=steps),
        default=None,
        meaning="The most warp instructions of one run.",
        otherwise="2,000,000,000",
        shell="--max-steps 1000000",
    ),
)
"""What may be said about a kernel: in the table `simulate` about all of them, in `simulate.kernels.NAME` about one."""


SIMULATION_SETTINGS: Final[tuple[Setting[SimulationOptions, Any], ...]] = (
    Setting(
        "keepReady",
        FLAG,
        lambda options, ready, _: replace(options, keep_ready=ready),
        default=DEFAULT.simulation.keep_ready,
        meaning="The server keeps a process that waits for the next simulation, some 50 MB. "
        "Without it each simulation begins by starting one, about half a second more.",
    ),
)
"""What else the table `simulate` holds, beside the kernels by name."""
