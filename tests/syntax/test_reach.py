"""What a node reaches, asked by several at a time."""

from random import Random

import pytest

from analysis.syntax.reach import Reach, Reading


def random_graph(random: Random, size: int) -> list[Reading]:
    return [
        Reading(bytes([node]), random.sample(range(size), random.randint(0, 3)), random.random() < 0.1)
        for node in range(size)
    ]


@pytest.mark.parametrize("seed", range(200))
def test_who_asks_while_a_node_is_read_changes_nothing(seed: int) -> None:
    random = Random(seed)
    graph = random_graph(random, 12)
    plain, asked_meanwhile = Reach(), Reach()
    depth = 0

    def read(node: int) -> Reading:
        nonlocal depth
        if depth < 3 and random.random() < 0.4:
            depth += 1
            asked_meanwhile.of(random.randrange(12), read)
            depth -= 1
        return graph[node]

    for node in range(12):
        expected = plain.of(node, graph.__getitem__)
        assert asked_meanwhile.of(node, read) == expected
        assert asked_meanwhile.is_marked(node) == plain.is_marked(node)


@pytest.mark.parametrize("seed", range(50))
def test_a_reading_that_ends_early_changes_nothing(seed: int) -> None:
    random = Random(seed)
    graph = random_graph(random, 12)
    plain, ended = Reach(), Reach()

    def read(node: int) -> Reading:
        if random.random() < 0.3:
            raise TimeoutError
        return graph[node]

    for node in range(12):
        digest = None
        while digest is None:
            try:
                digest = ended.of(node, read)
            except TimeoutError:
                continue
        assert digest == plain.of(node, graph.__getitem__)
