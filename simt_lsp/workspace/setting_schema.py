"""The settings as editors present them: what may be chosen, what holds without a choice, and what it means.

Shape    JSON schema, by setting, as VS Code's package.json and completion for settings files take it.  `setting_keys`
         reads the values; tests hold the two together.
Rules    A setting whose default depends on the build or the file has none here.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import cleandoc
from typing import Any, Final

from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MAX_THRESHOLD
from analysis.rules.registry import RULES
from analysis.rules.rule import Finding
from analysis.rules.settings import DEFAULT_FINDINGS_PER_KERNEL, DEFAULT_SHARE_THRESHOLD
from simt_lsp.workspace.launch_settings import WARP_SIZES

Schema = Mapping[str, Any]

SEVERITIES: Final = ("error", "warning", "information", "hint", "off")


def setting_schemas() -> Mapping[str, Schema]:
    """By name; those inside of a table as `table.name`."""
    return {**_ANALYSIS, **{f"rules.{rule.slug}": _rule(rule) for rule in RULES}, **_REPORTED, **_SHOWN, **_SIMULATE}


def _rule(rule: type[Finding]) -> Schema:
    text = f"**{rule.code}**: {_first_sentence(rule)}"
    return {"type": "string", "enum": list(SEVERITIES), "default": rule.severity.value, "markdownDescription": text}


def _first_sentence(rule: type[Finding]) -> str:
    """What the rule does, in the words of its page."""
    body = cleandoc(rule.__doc__ or "").partition("## What it does")[2].strip()
    paragraph = " ".join(body.partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".") + "."


def _strings(text: str) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "default": [], "markdownDescription": text}


def _choice(default: str, text: str, **choices: str) -> Schema:
    return {
        "type": "string",
        "enum": list(choices),
        "enumDescriptions": list(choices.values()),
        "default": default,
        "markdownDescription": text,
    }


def _whole(text: str, least: int, default: int | None = None) -> Schema:
    kinds = ["integer", "null"] if default is None else "integer"
    return {"type": kinds, "minimum": least, "default": default, "markdownDescription": text}


_EXTENT: Final = {
    "type": ["integer", "array", "string", "null"],
    "items": {"type": "integer", "minimum": 1},
    "minItems": 1,
    "maxItems": 3,
    "minimum": 1,
}

_ANALYSIS: Final[Mapping[str, Schema]] = {
    "warpSize": {
        "type": "integer",
        "enum": list(WARP_SIZES),
        "default": 32,
        "markdownDescription": "Lanes of a warp.",
    },
    "architecture": {
        "type": "string",
        "default": "sm_80",
        "pattern": r"^(sm|compute|lto)_\d{2,3}[af]?$|^\d{2,4}$",
        "patternErrorMessage": 'Use "sm_80", "compute_80" or "80".',
        "markdownDescription": "What `__CUDA_ARCH__` says, as `sm_80`. "
        "A build command in `compile_commands.json` says so too.",
    },
    "block": {
        **_EXTENT,
        "default": None,
        "markdownDescription": "Threads per block along x, y and z: `256`, `[16, 16]` or `16x16`. "
        "Without it, the launches in the file say so, or a comment above the kernel: `// simt: block=16,16`.",
    },
    "defines": _strings("Macros, as for the compiler: `NAME` or `NAME=VALUE`."),
    "undefines": _strings("Macros that are not defined."),
    "includeDirs": _strings("Folders where headers are looked for, after the folder of the including file."),
    "project": {
        "type": "boolean",
        "default": True,
        "markdownDescription": "Launches and calls in the other files of the project are seen: "
        "those of a repository, or of a folder.",
    },
}

_REPORTED: Final[Mapping[str, Schema]] = {
    "select": {
        **_strings("Rules to report: codes (`SYN101`), beginnings of codes (`SYN`), names, or `ALL`."),
        "default": ["ALL"],
    },
    "ignore": _strings("Rules not to report. The most specific entry of this and `#simt-lsp.select#` wins."),
    "tiers": {
        "type": "array",
        "items": {"type": "string", "enum": ["proven", "possible", "assumed"]},
        "uniqueItems": True,
        "default": ["proven"],
        "markdownDescription": "How certain a finding must be. "
        "`possible` and `assumed` report more, not all of it true.",
    },
    "shareThreshold": {
        "type": "number",
        "minimum": 0,
        "maximum": 100,
        "default": DEFAULT_SHARE_THRESHOLD,
        "markdownDescription": "`divergent-branch`, `divergent-loop` and `bank-conflict` speak where what they are "
        "about takes this share of the kernel's issue slots or more, in percent; `uncoalesced-access` where three "
        "times this share of all sectors is moved for nothing.",
    },
    "findingsPerKernel": _whole(
        "Of the findings of `divergent-branch`, `divergent-loop` and `bank-conflict` in one kernel so many are shown, "
        "the dearest; "
        "0 for all.",
        0,
        DEFAULT_FINDINGS_PER_KERNEL,
    ),
    "meldMethod": _choice(
        DEFAULT_MELD_SETTINGS.method.value,
        "How the arms of divergent branches are melded.",
        best="whichever of the others saves most at each branch",
        darm="statements, branches and loops of both arms that correspond",
        fusion="only arms of simple statements",
        tail="only equal statements at the end of both arms",
        linear="both arms as one sequence each, whatever their shapes",
    ),
    "meldThreshold": {
        "type": "number",
        "minimum": 0,
        "maximum": MAX_THRESHOLD,
        "default": DEFAULT_MELD_SETTINGS.threshold,
        "markdownDescription": "How much of two pieces of code must agree before they are melded: "
        "a share of the cost of both, where 0.5 is all of it.",
    },
}

_SHOWN: Final[Mapping[str, Schema]] = {
    "inlayHints": _choice(
        "forms",
        "Hints after variables.",
        off="none",
        varying="the word, behind each that differs between the lanes of a warp",
        forms="how they depend on the thread, where the declaration does not say it: 4·tid + n",
        all="the level of every variable; any number of hints in a line",
    ),
    "memoryHints": _choice(
        "costly",
        "Hints after accesses to memory.",
        off="none",
        costly="accesses that move at least twice the sectors they use (32/4 sectors), or conflicts of 4 ways and more",
        all="all accesses; any number of hints in a line",
    ),
    "codeLens": {
        "type": "boolean",
        "default": True,
        "markdownDescription": "The line above each kernel: its counts, and Simulate.",
    },
    "navigation": {
        "type": "boolean",
        "default": True,
        "markdownDescription": "Navigation and call hierarchy of kernels and device functions.",
    },
}

_SIMULATE: Final[Mapping[str, Schema]] = {
    "simulate.grid": {**_EXTENT, "default": None, "markdownDescription": "Blocks of the grid, for all kernels."},
    "simulate.block": {
        **_EXTENT,
        "default": None,
        "markdownDescription": "Threads of a block, for all kernels. "
        "Only for simulations; `#simt-lsp.block#` is for both.",
    },
    "simulate.sharedBytes": _whole("Bytes of dynamic shared memory.", 0),
    "simulate.seed": _whole("The seed of everything that is chosen at random.", 0),
    "simulate.arguments": {
        "type": "object",
        "additionalProperties": {"type": ["string", "number", "boolean"]},
        "default": {},
        "markdownDescription": "Arguments by parameter: `2048`, `random(0,1)`, `iota`, `zeros[4096]`, `@file.npy`.",
    },
    "simulate.policies": {
        **_strings("Ways of managing reconvergence to simulate, or `all`."),
        "default": ["ipdom"],
    },
    "simulate.warpSize": {
        "type": ["integer", "null"],
        "enum": [*WARP_SIZES, None],
        "default": None,
        "markdownDescription": "Lanes of a warp. Only for simulations; `#simt-lsp.warpSize#` is for both.",
    },
    "simulate.seconds": {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 3600,
        "default": 10,
        "markdownDescription": "The time for a whole simulation, in seconds.",
    },
    "simulate.maxSteps": _whole("The most warp instructions of one run.", 1),
    "simulate.keepReady": {
        "type": "boolean",
        "default": True,
        "markdownDescription": "Keep a process ready, so that a simulation begins at once.",
    },
    "simulate.kernels": {
        "type": "object",
        "additionalProperties": {"type": "object"},
        "default": {},
        "markdownDescription": 'The settings above for one kernel by its name: `{ "scale": { "grid": [8] } }`.',
    },
}
