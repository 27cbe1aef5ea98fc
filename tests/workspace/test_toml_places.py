"""Where keys stand: whatever valid TOML looks like, nothing is lost and nothing is invented."""

from __future__ import annotations

import tomllib
from typing import Any

from simt_lsp.workspace.settings.sources import settings_file_problems
from simt_lsp.workspace.settings.toml_places import Entry, Header, toml_places

TEXT = (
    r'''# a comment with [brackets] = 1
warp-size = 33 # why
"quoted é".'b' = """a
 ] = # no
\\""" # x"""
select = [
  "SYN", # a ] in a comment
  [1, 2], { x = 1 }, '[',
]
[rules] # a table
DIV401 = "off"
[ simulate . "k.é" ]
arguments = { n = 2048, "a,b" = '}', inner = { deep.er = 1 }, none = {} }
empty = []
[[many]]
x = 1979-05-27 07:32:00
[[many]]
literal = '''.encode()
    + b"'''\n]\n'''"
)


def test_every_key_is_found_where_it_stands() -> None:
    places = [*toml_places(TEXT)]
    entries = {place.path: TEXT[place.start : place.end] for place in places if isinstance(place, Entry)}
    assert entries["warp-size",] == b"warp-size = 33"
    assert entries["rules", "DIV401"] == b'DIV401 = "off"'
    assert entries["simulate", "k.é", "arguments", "inner", "deep", "er"] == b"deep.er = 1"
    assert entries["select",].endswith(b"]")
    assert [place.path for place in places if isinstance(place, Header)] == [
        ("rules",),
        ("simulate", "k.é"),
        ("many",),
        ("many",),
    ]


def test_each_value_is_what_the_parser_reads() -> None:
    document = tomllib.loads(TEXT.decode())
    for place in toml_places(TEXT):
        if isinstance(place, Entry) and place.path[0] != "many":
            value: Any = document
            for part in place.path:
                value = value[part]
            assert tomllib.loads("v = " + TEXT[place.value_start : place.end].decode())["v"] == value, place


def test_a_file_that_is_not_there_has_no_problems() -> None:
    assert settings_file_problems("/nowhere/.simt.toml") == ()
