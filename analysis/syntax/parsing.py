"""Parse text with tree-sitter, within bounds.

Rules    A text longer than `MAX_PARSED_BYTES` is not parsed at all: `parse` returns None.  Measured with tree-sitter
         0.26: time and memory grow linearly even for hostile texts (200,000 open brackets, 20,000 nested casts, random
         bytes): 10 MB/s for real code, 1 MB/s for the worst found, about 60 bytes of memory per byte of text.
         A long text is handed over in pieces: between them, and while the tree is balanced, others have a turn.
Limits   A `Parser` is not safe to share between threads, nor between a parse and what has its turn in it, so each call
         makes its own (2 microseconds).
"""

from typing import Final, final

import tree_sitter_cuda
from tree_sitter import Language, Parser, Point, Tree

from analysis.ir.pace import turn

CUDA: Final = Language(tree_sitter_cuda.language())

MAX_PARSED_BYTES: Final = 4_000_000
"""Above this, one parse could hold the worker for seconds; no hand-written CUDA file comes near."""
PACED_BYTES: Final = 32_000
"""Above this, a parse reaches checkpoints: it may take 30 ms."""
_PIECE: Final = 16_000
_TURNS: Final = 50
"""Calls of the library between two checkpoints: each stands for a hundred steps of the parser."""


def parse(text: bytes, old: Tree | None = None) -> Tree | None:
    """The tree of `text`, reusing `old` (already edited to match `text`), or None for a text above the bound."""
    if len(text) > MAX_PARSED_BYTES:
        return None
    if len(text) > PACED_BYTES:
        return _PacedParse(text).run(old)
    parser = Parser(CUDA)
    return parser.parse(text) if old is None else parser.parse(text, old)


@final
class _PacedParse:
    """One parse that is asked again and again whether it may go on; what a checkpoint raises ends it."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._turns = _TURNS
        self._raised: BaseException | None = None

    def run(self, old: Tree | None) -> Tree:
        try:
            if old is None:
                return Parser(CUDA).parse(self._read, progress_callback=self._is_ended)
            return Parser(CUDA).parse(self._read, old, progress_callback=self._is_ended)
        except ValueError:
            if self._raised is None:
                raise
        raise self._raised

    def _read(self, offset: int, _point: Point) -> bytes:
        return self._text[offset : offset + _PIECE]

    def _is_ended(self, _offset: int, _has_error: bool) -> bool:
        self._turns -= 1
        if not self._turns and self._raised is None:
            self._turns = _TURNS
            try:
                turn()
            except BaseException as raised:  # the library loses it
                self._raised = raised
        return self._raised is not None
