"""Witnesses in words."""

from __future__ import annotations

from analysis.divergence.launch_shape import BlockShape
from analysis.rules.witness_text import is_single, launch_text, ranges_text, threads_text
from analysis.verdict.witness import Witness


def witness(shape: BlockShape, block: int = 0, arguments: tuple[tuple[str, int], ...] = ()) -> Witness:
    return Witness(shape, block, arguments, ((0, 0),), ((1, 1),), False)


def test_threads_are_named_as_ranges() -> None:
    assert threads_text(((3, 3),)) == "thread 3"
    assert threads_text(((0, 15),)) == "threads 0-15"
    assert threads_text(((0, 2), (4, 4))) == "threads 0-2, 4"
    assert is_single(((3, 3),))
    assert not is_single(((3, 3), (5, 5)))


def test_many_ranges_are_cut_and_counted() -> None:
    assert ranges_text(((0, 0), (2, 2), (4, 5))) == "0, 2, 4-5"
    assert ranges_text(((0, 0), (2, 2), (4, 5), (7, 7))) == "0, 2, 4-5, … (5 threads)"


def test_a_launch_names_its_shape_and_what_was_chosen() -> None:
    assert launch_text(witness(BlockShape(64))) == "blocks of 64 threads"
    assert launch_text(witness(BlockShape(16, 16))) == "blocks of 16 x 16 threads"
    assert launch_text(witness(BlockShape(8, 1, 4))) == "blocks of 8 x 1 x 4 threads"
    assert launch_text(witness(BlockShape(64), 1, (("n", 96),))) == "blocks of 64 threads, n = 96, blockIdx.x = 1"
