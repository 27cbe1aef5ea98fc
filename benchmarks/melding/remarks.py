"""What differs from the paper's figures, kernel by kernel, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

_REMARKS: Final[Mapping[str, Sequence[str]]] = {}


def remark_on(kernel: str) -> Sequence[str]:
    return _REMARKS.get(kernel, ())
