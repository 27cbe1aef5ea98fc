"""One level is set in a settings file; comments, order and layout of the rest stay."""

from __future__ import annotations

import pytest

from analysis.refactor.edit import apply_replacements
from analysis.rules.settings import OFF
from analysis.rules.suppressions import RuleNames
from simt_lsp.workspace.settings.edit import level_edit

RULE = RuleNames("SYN101", "divergent-barrier")


def edited(text: str) -> str | None:
    edit = level_edit(text.encode(), RULE, OFF)
    return None if edit is None else apply_replacements(text.encode(), (edit,)).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[rules]\nSYN101 = "off"\n'),
        ("warp-size = 32  # ours\n", 'warp-size = 32  # ours\n\n[rules]\nSYN101 = "off"\n'),
        ("warp-size = 32", 'warp-size = 32\n\n[rules]\nSYN101 = "off"\n'),
        (
            '[rules]\nDIV = "off"  # loud\n\n[simulate]\nseed = 1\n',
            '[rules]\nDIV = "off"  # loud\nSYN101 = "off"\n\n[simulate]\nseed = 1\n',
        ),
        ("[rules]\n# none yet\n", '[rules]\nSYN101 = "off"\n# none yet\n'),
        ("[rules]", '[rules]\nSYN101 = "off"'),
        ("[rules]\r\nSYN101 = 'error'  # keep\r\n", '[rules]\r\nSYN101 = "off"  # keep\r\n'),
        ('[rules]\ndivergent-barrier = "hint"\n', '[rules]\ndivergent-barrier = "off"\n'),
        ('rules = { DIV403 = "off" }\n', 'rules = { DIV403 = "off", SYN101 = "off" }\n'),
        ('rules = { syn101 = "error", DIV = "off" }\n', 'rules = { syn101 = "off", DIV = "off" }\n'),
        ("rules = {}\n", 'rules = { SYN101 = "off" }\n'),
        (
            'rules.DIV402 = "off"\n[simulate]\nseed = 1\n',
            'rules.DIV402 = "off"\nrules.SYN101 = "off"\n[simulate]\nseed = 1\n',
        ),
    ],
)
def test_the_rule_is_added_or_changed_where_it_stands(before: str, after: str) -> None:
    assert edited(before) == after


@pytest.mark.parametrize("text", ["x = [", "rules = 3\n", "[[rules]]\nDIV = 1\n"])
def test_what_cannot_be_read_is_left_alone(text: str) -> None:
    assert edited(text) is None
