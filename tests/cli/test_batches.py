"""How many items share a task of a fleet."""

from __future__ import annotations

from simt_lsp.cli.fleet.batches import USUAL, Batches


def test_tasks_have_what_fits_their_time_and_get_smaller_towards_the_end() -> None:
    batches = Batches(range(200))
    assert batches.take(1) == (0,)
    batches.learn(1, USUAL / 40)
    taken = batches.take(1) or ()
    assert taken == tuple(range(1, 41))
    batches.put_back(taken[30:])
    sizes: list[int] = []
    while (task := batches.take(2)) is not None:
        sizes.append(len(task))
    assert sizes == [40, 32, 24, 20, 20, 20, 13]
    assert batches.take(1) is None


def test_what_came_last_counts_most() -> None:
    batches = Batches(range(100))
    for seconds in (USUAL, USUAL, 0.1, 0.1, 0.1, 0.1):
        batches.learn(1, seconds)
    assert len(batches.take(1) or ()) == 18


def test_only_items_of_a_group_share_a_task() -> None:
    batches = Batches(["a1", "a2", "b1", "a3"], lambda item: item[0])
    batches.learn(1, 0.0)
    assert [batches.take(1) for _ in range(4)] == [("a1", "a2"), ("b1",), ("a3",), None]


def test_who_ends_a_process_is_found_by_halves() -> None:
    batches = Batches(["good", "bad", "fine"])
    batches.learn(1, 0.0)
    died: list[str] = []
    done: list[str] = []
    while (task := batches.take(1)) is not None:
        if "bad" not in task:
            done += task
        elif not batches.halve(task):
            died += task
    assert (died, sorted(done)) == (["bad"], ["fine", "good"])
