"""The published schemas are those of the pages and types, and what commands print over the examples fits them.

The tests of `meld`, `sanitize` and `sweep` hold their own output against theirs.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import simt_lsp
from tests.schemas.fits import published, wrong
from tests.schemas.from_table import schema_of
from tests.schemas.published import FOLDER, path_of, schemas, written

jsonschema = pytest.importorskip("jsonschema")

EXAMPLES = Path(__file__).parents[2] / "examples"
FIRST = Path(__file__).with_name("first_names.json")
NAMES = sorted(schemas())


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_those_of_pages_and_types(name: str) -> None:
    """Else: `python -m tests.schemas.published`."""
    jsonschema.Draft202012Validator.check_schema(published(name))
    assert path_of(name).read_text("utf-8") == written(schemas()[name])


def names_in(schema: Any, path: str = "") -> Iterator[str]:
    """Every property that a reader may rely on."""
    if isinstance(schema, dict):
        for key, inner in schema.items():  # pyright: ignore[reportUnknownVariableType]
            if key == "properties":
                for name, below in inner.items():  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
                    yield f"{path}.{name}"
                    yield from names_in(below, f"{path}.{name}")
            elif key == "$defs":
                for name, below in inner.items():  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
                    yield from names_in(below, f"{path}#{name}")
            else:
                yield from names_in(inner, path)
    elif isinstance(schema, list):
        for inner in schema:  # pyright: ignore[reportUnknownVariableType]
            yield from names_in(inner, path)


def test_no_name_of_version_1_has_gone() -> None:
    """`first_names.json` is what they began with; it never changes within version 1."""
    first: dict[str, list[str]] = json.loads(FIRST.read_text("utf-8"))
    assert {path.name.removesuffix(".schema.json") for path in FOLDER.iterdir()} >= first.keys()
    for name, names in first.items():
        assert set(names) - set(names_in(published(name))) == set(), name


def lines_of(*command: str | Path) -> list[Any]:
    done = simt_lsp(*command)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_facts_of_the_examples() -> None:
    found = lines_of("facts", EXAMPLES)
    assert len(found) == len(list(EXAMPLES.glob("*.cu")))
    assert [problem for one in found for problem in wrong(one, "facts-1")] == []
    assert any(one["functions"][0]["branches"] for one in found)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (found,) = map(json.loads, simt_lsp("facts", tmp_path / "none.cu").stdout.splitlines())
    assert wrong(found, "facts-1") == []
    assert "error" in found


def test_a_run_of_an_example() -> None:
    found = lines_of("simulate", EXAMPLES / "transpose.cu", "--json", "--policy", "ipdom,round-robin")
    assert [problem for one in found for problem in wrong(one, "simulate-1")] == []
    assert any(one["policies"]["ipdom"]["advice"] for one in found)


def test_straight_line_code_of_examples() -> None:
    found = lines_of("straightline", EXAMPLES / "reduction.cu", "--json")
    assert [problem for one in found for problem in wrong(one, "straightline-1")] == []
    page = (FOLDER.parent / "straightline-json.md").read_text("utf-8")
    strict = json.loads(
        written(schema_of(page, "", "", {})).replace('"additionalProperties": true', '"additionalProperties": false')
    )
    assert [
        problem.message for one in found for problem in jsonschema.Draft202012Validator(strict).iter_errors(one)
    ] == []


def test_what_is_renamed_or_of_another_type_is_noticed() -> None:
    (found,) = lines_of("straightline", f"{EXAMPLES / 'transpose.cu'}:transpose", "--json")
    renamed, retyped = copy.deepcopy(found), copy.deepcopy(found)
    renamed["kernel"] = renamed.pop("function")
    retyped["before"]["thread"] = "16"
    assert wrong(found, "straightline-1") == []
    assert wrong(renamed, "straightline-1")
    assert wrong(retyped, "straightline-1")
