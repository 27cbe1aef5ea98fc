"""What all answers share.  Their classes are pydantic's, of which the SDK makes the schema that an agent is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, final

from pydantic import BaseModel, ConfigDict, Field

from analysis.rules.wording import quantity

Code = Annotated[str | None, Field(description="CUDA C++ text to look at, instead of a path")]
Path = Annotated[str | None, Field(description="a file on this machine, instead of text")]
Block = Annotated[str | None, Field(description="threads per block as X,Y,Z; without it what launches in the text say")]


class Answer(BaseModel):
    """Frozen data with a schema."""

    model_config = ConfigDict(frozen=True)


@final
class Edit(Answer):
    """Replace the text from the first place up to the second; lines and columns count from 1."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def edit(written: dict[str, Any]) -> Edit:
    return Edit(**{name: written[name] for name in Edit.model_fields})


def objects(output: str) -> Iterator[dict[str, Any]]:
    """One JSON object per line."""
    for line in output.splitlines():
        if line.strip():
            yield json.loads(line)


def left_out(number: int, what: str, how: str) -> str | None:
    """How an answer that was cut says so."""
    return None if number <= 0 else f"{number} more {what} left out; {how}"


def cut(lines: Sequence[str], number: int) -> list[str]:
    """So many of them; the last line then says how many there were."""
    if len(lines) <= number:
        return [*lines]
    return [*lines[:number], f"and {quantity(len(lines) - number, 'other')}"]
