"""Rows in files: Parquet where pyarrow is installed, else JSON lines; the columns are the same.

A part is written beside its place and renamed, so that a reader sees all of it or nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from sim.sweep.columns import COLUMNS, Kind
from sim.sweep.model import Value

UNFINISHED: Final = ".unfinished"


class PartFormat(Enum):
    """The value is the suffix of a part."""

    PARQUET = "parquet"
    JSON_LINES = "jsonl"


def best_format() -> PartFormat:
    return PartFormat.PARQUET if find_spec("pyarrow") is not None else PartFormat.JSON_LINES


def write_part(path: str, rows: Sequence[Mapping[str, Value]], format: PartFormat) -> None:
    """Raises `OSError`."""
    match format:
        case PartFormat.PARQUET:
            table = _pyarrow().table(
                {column.name: [row[column.name] for row in rows] for column in COLUMNS}, schema=_schema()
            )
            write_whole(path, lambda beside: import_module("pyarrow.parquet").write_table(table, beside))
        case PartFormat.JSON_LINES:
            write_text(path, "".join(json.dumps(row) + "\n" for row in rows))


def read_part(path: str, names: Sequence[str] | None = None) -> Iterator[Mapping[str, Value]]:
    """The rows of a part, of all columns or of some; raises `OSError`."""
    if path.endswith(f".{PartFormat.PARQUET.value}"):
        wanted = None if names is None else list(names)
        yield from import_module("pyarrow.parquet").read_table(path, columns=wanted).to_pylist()
        return
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def write_text(path: str, text: str) -> None:
    """All of a file, or nothing."""

    def write(beside: str) -> None:
        with open(beside, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)

    write_whole(path, write)


def write_whole(path: str, write: Callable[[str], None]) -> None:
    """`write` gets a path beside; what it leaves there is on disk before it is found under the name of the part."""
    beside = f"{path}{UNFINISHED}"
    write(beside)
    descriptor = os.open(beside, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(beside, path)


def _schema() -> Any:
    pyarrow = _pyarrow()
    types = {Kind.TEXT: pyarrow.string(), Kind.INTEGER: pyarrow.int64(), Kind.NUMBER: pyarrow.float64()}
    return pyarrow.schema([(column.name, types[column.kind]) for column in COLUMNS])


def _pyarrow() -> Any:
    return import_module("pyarrow")
