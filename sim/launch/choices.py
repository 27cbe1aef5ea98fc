"""What nobody gave and was therefore chosen: listed in every report, so that it can be judged and overridden."""

from __future__ import annotations

import posixpath
from typing import final

from analysis.ir.record import record
from analysis.launches import Launch
from analysis.launches.model import NumbersFrom


@final
@record
class Choice:
    """One decision about a launch.

    `name` is the word by which it is overridden (`block`, `n`, `p.width`, `T`), `value` what was decided as text, `why`
    the evidence: "given", "the launch in line 12", "guards of threads".  `is_chosen` where neither the user nor the
    file says so: what a run shows with it is not yet what the program does.
    """

    name: str
    value: str
    why: str
    is_chosen: bool = True


def source_of(launch: Launch, path: str) -> str:
    """Where the launch stands, for the report on a kernel of the file `path`."""
    if launch.name:
        return launch.name
    place = "a launch in the file" if launch.path == path else f"a launch in {posixpath.basename(launch.path)}"
    return f"{place}, started without arguments" if NumbersFrom.START in launch.numbers_from else place
