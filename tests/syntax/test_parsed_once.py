"""Where many files are read once, a text is parsed once: who repairs its tree has a copy."""

import pytest

from analysis.store.bounded import BoundedCache
from analysis.syntax import trees
from analysis.syntax.cache import SyntaxCache
from analysis.syntax.items import Item
from analysis.syntax.macros import MacroSet
from analysis.syntax.snippet import Snippet, build_snippet
from tests.syntax.unit import build, only

HEADER = "#define N 4\nstatic int twice(int a) { return (a) * N; }\n"
FILES = {"dir/twice.h": HEADER}
USERS = {name: f'#include "twice.h"\nint {name}() {{ return twice(1); }}\n' for name in ("f", "g")}


def test_files_share_what_they_include(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(item: Item, macros: MacroSet, line: int = 1) -> Snippet:
        made.append(item.name)
        return build_snippet(item, macros, line)

    monkeypatch.setattr(trees, "build_snippet", counted)
    cache = SyntaxCache(keeps_parsed=True)
    units = [build(text, FILES, cache=cache, path=f"dir/{name}.cu") for name, text in USERS.items()]
    found = [(unit.plain_snippet(only(unit, "twice")), unit.snippet(only(unit, "twice"))) for unit in units]
    assert made.count("twice") == 1
    plain, own = found[0]
    assert own.root is not plain.root
    assert own.root.sexp() == plain.root.sexp()
    before = plain.root.sexp()
    for node in own.root.walk():
        node.kind, node.children = "identifier", ()
    assert plain.root.sexp() == before


def test_a_copy_has_no_node_of_the_original() -> None:
    unit = build(USERS["f"], FILES)
    snippet = unit.plain_snippet(only(unit, "twice"))
    nodes = {id(node) for node in snippet.root.walk()}
    assert nodes.isdisjoint(id(node) for node in snippet.copy().root.walk())


def test_heavy_entries_push_out_more() -> None:
    cache: BoundedCache[str, bytes] = BoundedCache(10, len)
    cache.put("a", b"1234")
    cache.put("b", b"1234")
    cache.put("b", b"12345")
    assert cache.get("a") is not None
    cache.put("c", b"12")  # the oldest that was not asked for
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (b"1234", None, b"12")
    cache.discard("a")
    cache.put("d", b"12345678")
    assert cache.get("c") is not None
    cache.put("e", b"12345678901")
    assert cache.get("e") is not None, "the newest stays whatever it weighs"
    assert cache.get("d") is None
