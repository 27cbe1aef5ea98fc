"""`sanitize` as SARIF 2.1.0: the kinds of faults and the rules of `check` are its rules.

Rules     As for `check` (`sarif_report.py`): relative paths, code points, fingerprints of rule, kernel and line.
          What did not run is a notification of the tool: no result is not a clean one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from analysis.rules.documentation import DOCS, PROJECT, page_address
from sim.sanitize.json_report import evidence_object
from sim.sanitize.report import FileSummary, Finding, KernelSummary, RelatedRange, Repository, SourceRange, short_name
from simt_lsp.cli.sarif_report import SCHEMA, artifact

FINGERPRINT: Final = "simtSite/v1"
LEVELS: Final = {"error": "error", "warning": "warning", "note": "note"}
WORDS: Final[Mapping[str, str]] = {
    "out-of-bounds": "A thread reads or writes outside of the object that its pointer was made for.",
    "misaligned": "An address is no multiple of what the accessed type asks for.",
    "uninitialised-read": "A thread reads memory that nothing has written.",
    "read-only-write": "A thread writes to constant memory.",
    "barrier-divergence": "Threads of a block do not meet at a barrier.",
    "illegal-warp-mask": "The lanes that meet and the mask that they pass do not fit.",
    "illegal-shuffle-width": "The width of a shuffle is no power of two up to the size of a warp.",
    "inactive-lane-read": "All lanes of a shuffle read from a lane that takes no part.",
    "failed-assertion": "An assertion fails.",
    "trap": "The kernel traps.",
    "stack-overflow": "Calls nest too deep.",
    "livelock": "Threads repeat the same state for ever.",
    "deadlock": "Every thread waits, and nobody can come.",
    "data-race": "Two threads use the same bytes, at least one writes, and nothing orders them.",
    "same-value-write": "Two threads write the same value to one place, and nothing orders them.",
    "order-dependent": "What is left in memory depends on the order of threads.",
    "left-out-launch": "A kernel that the kernel launches is not run.",
}

_Object = dict[str, Any]


def sanitize_sarif(found: Repository, version: str) -> str:
    """ASCII only."""
    root = Path.cwd()
    rules = _rules(found)
    numbers = {rule["id"]: number for number, rule in enumerate(rules)}
    seen: Counter[str] = Counter()
    results = [_result(finding, numbers, seen, root) for finding in found.findings]
    notes = [_not_run(kernel, root) for kernel in found.kernels if kernel.not_run is not None]
    failed = [_failed(file, root) for file in found.files if file.error is not None]
    is_whole = not any(file.error is not None and not file.is_left for file in found.files)
    run: _Object = {
        "tool": {"driver": {"name": "simt-lsp", "semanticVersion": version, "informationUri": PROJECT, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"uri": root.as_uri() + "/"}},
        "invocations": [{"executionSuccessful": is_whole, "toolExecutionNotifications": [*failed, *notes]}],
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _id(finding: Finding) -> str:
    """Of a finding that only rules know, the rule's code."""
    return finding.kind if finding.evidence is not None else finding.rules[0].code


def _rules(found: Repository) -> list[_Object]:
    rules: dict[str, _Object] = {}
    for finding in found.findings:
        name = _id(finding)
        if name not in rules:
            text = WORDS.get(name, finding.kind)
            is_rule = finding.evidence is None
            page = page_address(name) if is_rule else f"{DOCS}/sanitize.md"
            help = f"{text} What is tried, and how sure a finding is: [sanitize.md]({DOCS}/sanitize.md)."
            rules[name] = {
                "id": name,
                **({"name": finding.kind} if is_rule else {}),
                "shortDescription": {"text": text},
                "fullDescription": {"text": text},
                "helpUri": page,
                "help": {"text": f"{text} See {page}", "markdown": help},
                "defaultConfiguration": {"level": "error"},
                "properties": {"tags": ["cuda", "gpu", "sanitizer"]},
            }
    return list(rules.values())


def _result(finding: Finding, numbers: Mapping[str, int], seen: Counter[str], root: Path) -> _Object:
    name = _id(finding)
    result: _Object = {
        "ruleId": name,
        "ruleIndex": numbers[name],
        "level": LEVELS[finding.severity.value],
        "message": {"text": finding.message},
        "locations": [_location(finding.place, root, finding.kernels)],
        "partialFingerprints": {FINGERPRINT: _fingerprint(finding, seen)},
        "properties": {"foundBy": finding.found_by.value, "chosen": list(finding.chosen)},
    }
    related = [one for one in finding.related if one.place is not None]
    if related:
        result["relatedLocations"] = [_related(number, one, root) for number, one in enumerate(related, start=1)]
    if finding.evidence is not None:
        result["properties"]["run"] = evidence_object(finding.evidence)
    if finding.rules:
        result["properties"]["rules"] = [rule.code for rule in finding.rules]
    return result


def _related(number: int, one: RelatedRange, root: Path) -> _Object:
    assert one.place is not None
    return {"id": number, **_location(one.place, root, ()), "message": {"text": one.message}}


def _location(place: SourceRange, root: Path, kernels: tuple[str, ...]) -> _Object:
    region = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.line,
        "endColumn": place.end_column,
    }
    physical: _Object = {"artifactLocation": artifact(place.path, root), "region": region}
    if place.source is not None:
        physical["contextRegion"] = {"startLine": place.line, "snippet": {"text": place.source}}
    location: _Object = {"physicalLocation": physical}
    if kernels:
        location["logicalLocations"] = [{"name": short_name(name), "kind": "function"} for name in kernels]
    return location


def _not_run(kernel: KernelSummary, root: Path) -> _Object:
    physical = {"artifactLocation": artifact(kernel.path, root), "region": {"startLine": kernel.line}}
    return {
        "level": "note",
        "message": {"text": f"{kernel.name}: not run: {kernel.not_run}"},
        "locations": [{"physicalLocation": physical}],
    }


def _failed(file: FileSummary, root: Path) -> _Object:
    return {
        "level": "note" if file.is_left else "error",
        "message": {"text": f"not looked at: {file.error}"},
        "locations": [{"physicalLocation": {"artifactLocation": artifact(file.path, root)}}],
    }


def _fingerprint(finding: Finding, seen: Counter[str]) -> str:
    line = "".join((finding.place.source or "").split())
    kernel = short_name(finding.kernels[0]) if finding.kernels else ""
    text = "\0".join((_id(finding), kernel, line))
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"
