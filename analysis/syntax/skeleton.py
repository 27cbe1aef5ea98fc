"""The skeleton of a file: where its declarations and directives begin and end, found from the text alone.

Question  Which slices of this text are functions, records, other declarations and directives, whatever the macros mean
          and however broken the rest is?
Words     A *piece* is one such slice.  Its *head* ends where its body's `{` begins.  A *scope* is an open namespace,
          `extern "C"` or record.  A directive is *inner* when it lies inside a piece.
Rules     1. Braces are matched outside comments, strings and directives.
          2. At `#else` and `#elif` the depth goes back to what it was at `#if`; after `#endif` the first branch counts
             that is not `#if 0`.
          3. A conditional that opens before a piece and closes inside it splits the piece: each branch is a piece from
             its own start to the common end.  Read alone, such a piece has an unmatched `#else` or `#endif`.
          4. `__global__` cannot stand inside a body, nor can `__device__`, `template <`, `namespace x {` or
             `extern "C"` at the start of a line: they end the body, because a brace is missing before them.
          5. A body that does not close before that, or before the end of the file, is cut where a line
             looks like the head of the next function.
Cost      About 1.2 microseconds per line; `update` re-reads only the pieces that an edit touched.
Limits    A macro that opens a scope or a body is not seen here (`preprocessing` sees it).  Rule 5 is bounded by
          `_RESCAN_BUDGET` times the text; after that, the rest of the file is one piece.
"""

from enum import Enum
from typing import Final, final

from analysis.ir.record import record
from analysis.syntax.heads import Opened
from analysis.syntax.lexing import identifiers
from analysis.syntax.open_conditionals import OpenConditionals
from analysis.syntax.scopes import Scopes


class PieceKind(Enum):
    """How a piece ends."""

    DIRECTIVE = "directive"
    BODY = "body"
    """A function: ends with the body's brace."""
    DECLARATION = "declaration"
    """Anything else: ends with `;`, or where the next piece must begin."""


@final
class Piece:
    """One slice of a file.  Offsets are relative to the slice, so a piece survives when it moves."""

    __slots__ = (
        "conditionals",
        "head_end",
        "identifiers",
        "inner",
        "kind",
        "opened",
        "reach",
        "resumable",
        "scopes",
        "text",
    )

    def __init__(
        self,
        kind: PieceKind,
        text: bytes,
        head_end: int,
        opened: Opened,
        scopes: Scopes,
        conditionals: OpenConditionals,
        inner: tuple[tuple[int, int], ...] = (),
        resumable: bool = True,
        reach: int = 0,
    ) -> None:
        self.kind: Final = kind
        self.text: Final = text
        self.head_end: Final = head_end
        self.opened: Final = opened
        self.scopes: Final = scopes
        self.conditionals: Final = conditionals
        self.inner: Final = inner
        self.resumable: Final = resumable
        self.reach: Final = max(reach, len(text))
        """How far the scanner looked to find the end: an edit within it can move that end."""
        self.identifiers: Final = frozenset[bytes]() if kind is PieceKind.DIRECTIVE else identifiers(text)

    def head(self) -> bytes:
        return self.text[: self.head_end]

    def is_like(self, other: "Piece") -> bool:
        """Whether both are one slice in the same scopes and conditionals, however it was found."""
        return self is other or (
            (self.kind, self.head_end, self.opened, self.inner)
            == (other.kind, other.head_end, other.opened, other.inner)
            and self.text == other.text
            and self.scopes == other.scopes
            and self.conditionals == other.conditionals
        )


Entry = tuple[int, Piece]


@final
@record
class Skeleton:
    """The pieces of one text by start offset; a record's methods follow the record."""

    text: bytes
    entries: tuple[Entry, ...]
    exact: bool
    """False when the budget of rule 5 was spent: then an edit anywhere can move any border."""
