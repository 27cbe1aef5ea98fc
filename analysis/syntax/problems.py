"""What could not be read, as values: broken source is a normal input."""

from enum import Enum
from typing import Final, final

from analysis.ir.record import record
from analysis.ir.source import Span


class ProblemKind(Enum):
    """Why something was left as it is."""

    TOO_LARGE = "the file is too large to be read"
    TOO_DEEP = "what stands in more than 256 namespaces and classes is not read"
    MISSING_INCLUDE = "the header was not found"
    SPECIAL_FILE = "the header is no regular file, so it is not read"
    INCLUDE_DEPTH = "headers include each other too deeply"
    MACRO_GROWTH = "the macro grows without bound and was left unexpanded"
    CONDITION = "the condition cannot be read and counts as false"


CUT_OFF: Final = frozenset({ProblemKind.TOO_LARGE, ProblemKind.TOO_DEEP})
"""Text that nobody looked at."""


@final
@record
class Problem:
    """A problem at a place of a file; `span` is absolute, or relative to the item in a snippet."""

    kind: ProblemKind
    path: str
    span: Span
    detail: str = ""
