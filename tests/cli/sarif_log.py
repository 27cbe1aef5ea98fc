"""What a SARIF log must be so that code hosts take it: what the schema cannot say, and GitHub's limits.

Source    SARIF 2.1.0 (OASIS), sections 3.4, 3.19, 3.27, 3.30, 3.49; GitHub Docs, "SARIF support for code scanning".
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

MAX_GZIPPED: Final = 10 << 20
MAX_RESULTS: Final = 25_000
MAX_RULES: Final = 25_000
MAX_LOCATIONS: Final = 1_000
MAX_TAGS: Final = 20
LEVELS: Final = ("error", "warning", "note", "none")
_Object = Mapping[str, Any]


def complaints(log: _Object, text: str) -> list[str]:
    """What is wrong with a log that was written as `text`; files of `SRCROOT` are read."""
    found = [] if len(gzip.compress(text.encode())) <= MAX_GZIPPED else ["more than 10 MB, compressed"]
    if log["version"] != "2.1.0" or not text.isascii():
        found.append("no ASCII text of version 2.1.0")
    for run in log["runs"]:
        found += _of_run(run)
    return found


def _of_run(run: _Object) -> Iterator[str]:
    driver = run["tool"]["driver"]
    rules: Sequence[_Object] = driver["rules"]
    ids = [rule["id"] for rule in rules]
    if len(set(ids)) != len(ids) or len(ids) > MAX_RULES:
        yield "rules are defined twice, or too many"
    if len(run["results"]) > MAX_RESULTS:
        yield "too many results"
    if not driver.get("informationUri") or not driver.get("semanticVersion"):
        yield "nothing is said about the tool"
    for rule in rules:
        yield from _of_rule(rule)
    bases = run["originalUriBaseIds"]
    for base in bases.values():
        if not base["uri"].endswith("/") or not _scheme(base["uri"]):
            yield f"{base['uri']} is no absolute address of a folder"
    for number, result in enumerate(run["results"]):
        for problem in _of_result(result, ids, bases):
            yield f"result {number}: {problem}"
    marks = [(_file(result), str(sorted(result["partialFingerprints"].items()))) for result in run["results"]]
    if len(set(marks)) != len(marks):
        yield "two results of a file have the same fingerprints"


def _file(result: _Object) -> str:
    return result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]


def _of_rule(rule: _Object) -> Iterator[str]:
    for name in ("shortDescription", "fullDescription", "help"):
        if not rule.get(name, {}).get("text"):
            yield f"{rule['id']} has no {name}"
    if rule.get("name") == rule["id"]:
        yield f"{rule['id']}: the name is the id"
    if not _scheme(rule.get("helpUri", "")):
        yield f"{rule['id']} has no page"
    if len(rule["properties"]["tags"] if "properties" in rule else ()) > MAX_TAGS:
        yield f"{rule['id']} has too many tags"


def _of_result(result: _Object, rules: Sequence[str], bases: _Object) -> Iterator[str]:
    if rules[result["ruleIndex"]] != result["ruleId"]:
        yield "its rule is another one"
    if result["level"] not in LEVELS or not result["message"]["text"].strip():
        yield "no level or no message"
    if not result["partialFingerprints"]:
        yield "no fingerprint"
    if not result["locations"] or len(result["locations"]) > MAX_LOCATIONS:
        yield "no place, or too many"
    numbers = [one["id"] for one in result.get("relatedLocations", ())]
    if len(set(numbers)) != len(numbers):
        yield "related places share a number"
    for place in (*result["locations"], *result.get("relatedLocations", ())):
        yield from _of_place(place["physicalLocation"], bases)


def _of_place(place: _Object, bases: _Object) -> Iterator[str]:
    artifact, region = place["artifactLocation"], place["region"]
    uri: str = artifact["uri"]
    if "uriBaseId" not in artifact:
        if _scheme(uri) != "file":
            yield f"{uri} is neither relative to a base nor a file"
        return
    if _scheme(uri) or uri.startswith("/") or "\\" in uri or " " in uri:
        yield f"{uri} is no relative address"
    lines = _lines(bases[artifact["uriBaseId"]]["uri"], uri)
    first, last = region["startLine"], region.get("endLine", region["startLine"])
    if not 1 <= first <= last <= len(lines):
        yield f"lines {first} to {last} of {len(lines)}"
        return
    begin, end = region.get("startColumn", 1), region.get("endColumn", len(lines[last - 1]) + 1)
    if not 1 <= begin <= len(lines[first - 1]) + 1 or not 1 <= end <= len(lines[last - 1]) + 1:
        yield f"columns {begin} to {end} of {len(lines[last - 1])}"
    if first == last and end < begin:
        yield f"columns {begin} to {end}"


def _scheme(address: str) -> str:
    return urlsplit(address).scheme


def _lines(base: str, relative: str) -> Sequence[str]:
    return (Path(unquote(urlsplit(base).path)) / unquote(relative)).read_text("utf-8").splitlines()
