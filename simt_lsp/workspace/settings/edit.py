"""The edit of a `.simt.toml` that sets how loudly one rule speaks; comments and the layout of the rest stay.

Rules    What already sets this rule by its code or name is replaced.  Else the rule is added at the end of the table
         `rules`, however that is written: under a header, as an inline table, with dots, or not yet at all.
         The text that comes out is read again: it says what it said before, and this one thing.  Where that is not
         so, and where the text cannot be read now, there is no edit.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Final

from analysis.refactor.edit import Replacement, apply_replacements
from analysis.rules.settings import SeverityOrOff, specificity
from analysis.rules.suppressions import RuleNames
from simt_lsp.workspace.settings.toml_places import Entry, Header, toml_places
from simt_lsp.workspace.settings.values import normalized

_TABLE: Final = "rules"


def level_edit(text: bytes, rule: RuleNames, level: SeverityOrOff) -> Replacement | None:
    """`text` is that of the file, empty where there is none yet."""
    try:
        before = tomllib.loads(text.decode("utf-8"))
        edit = _edit(text, rule, f'"{level.value}"')
        after = tomllib.loads(apply_replacements(text, (edit,)).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None
    levels = _levels(after)
    names = [name for name in levels if _names(name, rule)]
    said = [levels[name] for name in names[:1]]
    return edit if said == [level.value] and _without(before, rule) == _without(after, rule) else None


def _edit(text: bytes, rule: RuleNames, value: str) -> Replacement:
    line_end = "\r\n" if b"\r\n" in text else "\n"
    below_header = is_dotted = False
    last: Entry | Header | None = None
    for place in toml_places(text):
        if isinstance(place, Header):
            below_header = True
        if not place.path or normalized(place.path[0]) != _TABLE:
            continue
        if isinstance(place, Entry):
            if len(place.path) > 1 and _names(place.path[1], rule):
                return Replacement(place.value_start, place.end, value)
            if len(place.path) == 1 and text[place.value_start : place.value_start + 1] == b"{":
                return _in_inline_table(text, place, rule, value)
        last, is_dotted = place, not below_header
    if last is None:
        return _new_table(text, f"{rule.code} = {value}", line_end)
    entry = f"{last.path[0]}.{rule.code} = {value}" if is_dotted else f"{rule.code} = {value}"
    end = text.find(b"\n", last.end)
    return Replacement(len(text), len(text), line_end + entry) if end < 0 else _line(end + 1, entry + line_end)


def _line(offset: int, text: str) -> Replacement:
    return Replacement(offset, offset, text)


def _in_inline_table(text: bytes, table: Entry, rule: RuleNames, value: str) -> Replacement:
    """Behind the last entry of `rules = { ... }`, or the rule itself where it stands there already."""
    inner = [
        place
        for place in toml_places(text)
        if isinstance(place, Entry) and len(place.path) > 1 and table.start < place.start < table.end
    ]
    for place in inner:
        if _names(place.path[1], rule):
            return Replacement(place.value_start, place.end, value)
    if not inner:
        return Replacement(table.value_start, table.end, f"{{ {rule.code} = {value} }}")
    return Replacement(inner[-1].end, inner[-1].end, f", {rule.code} = {value}")


def _new_table(text: bytes, entry: str, line_end: str) -> Replacement:
    gap = "" if not text.strip() else line_end if text.endswith(b"\n") else 2 * line_end
    return Replacement(len(text), len(text), f"{gap}[{_TABLE}]{line_end}{entry}{line_end}")


def _names(name: str, rule: RuleNames) -> bool:
    """Whether a key means this rule alone."""
    return specificity(name, rule) > len(rule.code) + 1


def _levels(values: Mapping[str, object]) -> Mapping[str, object]:
    for key, value in values.items():
        if normalized(key) == _TABLE and isinstance(value, dict):
            return {str(name): level for name, level in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] # what TOML holds
    return {}


def _without(values: Mapping[str, object], rule: RuleNames) -> Mapping[str, object]:
    """All that is said of anything else."""
    rest = {key: value for key, value in values.items() if normalized(key) != _TABLE}
    return {**rest, _TABLE: {name: level for name, level in _levels(values).items() if not _names(name, rule)}}
