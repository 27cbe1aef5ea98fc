"""What is shown of a line of source text."""

from __future__ import annotations

import pytest

from analysis.rules.source_text import MAX_QUOTED, excerpt

LONG = "for (int i = nodes[tid].first; i < nodes[tid].count + nodes[tid].first; i++)  // all edges"


@pytest.mark.parametrize(
    ("line", "part", "shown"),
    [
        ("  int i = f(t);  // note", "f(t)", "int i = f(t);"),
        (LONG, "for", "for (int i = nodes[tid].first; i < nodes[tid].count + nodes…"),
        (LONG, "nodes[tid].count", "…[tid].first; i < nodes[tid].count + nodes[tid].first; i++)"),
        (LONG, "i++", "….count + nodes[tid].first; i++)"),
        (LONG, LONG[5:70], "int i = nodes[tid].first; i < nodes[tid].count + nodes[tid]…"),
    ],
)
def test_of_a_long_line_the_surroundings_of_the_part_are_shown(line: str, part: str, shown: str) -> None:
    start = line.index(part)
    found = excerpt(line.encode(), start, start + len(part))
    assert found == shown
    assert len(found) <= MAX_QUOTED
