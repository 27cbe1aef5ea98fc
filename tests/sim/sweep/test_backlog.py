"""How a sweep is cut into tasks."""

from __future__ import annotations

from collections.abc import Iterator

from sim.sweep.backlog import LONGEST, SHORTEST, USUAL, Backlog, Task
from sim.sweep.model import Form, SweptKernel, Unit, points_of
from sim.sweep.points import Axes, units_of

ONE, OTHER = SweptKernel("a.cu", "k(int)", "k"), SweptKernel("a.cu", "m(int)", "m")


def axes(grids: int = 4, seeds: int = 2, policies: tuple[str, ...] = ("ipdom", "min-pc")) -> Axes:
    return Axes(
        grids=tuple((1 << power, 1, 1) for power in range(grids)),
        blocks=((64, 1, 1),),
        arguments=(("n", ("10", "20")), ("p", ("1",))),
        seeds=tuple(range(1, seeds + 1)),
        policies=policies,
        warp_sizes=(16, 32),
        forms=(Form.AS_WRITTEN, Form.MELDED),
    )


def tasks(backlog: Backlog, seconds_per_thread: float, workers: int = 2) -> Iterator[Task]:
    """All, each measured before the next one is cut."""
    while (task := backlog.take(workers)) is not None:
        backlog.estimates.learn(task.units, [taken(unit, seconds_per_thread) for unit in task.units])
        yield task


def taken(unit: Unit, seconds_per_thread: float) -> float:
    return unit.runs * (unit.launch.threads or 0) * seconds_per_thread


def ids(task: Task) -> list[str]:
    return [point.id for unit in task.units for point in points_of(unit)]


def test_the_product_of_all_axes_is_run_once() -> None:
    units = list(units_of(axes(), [(ONE, 32), (OTHER, 32)]))
    points = [point for unit in units for point in points_of(unit)]
    assert len(points) == 2 * 2 * 4 * 2 * 2 * 2 * 2  # kernels, warps, grids, n, seeds, policies, forms
    assert len({point.id for point in points}) == len(points)
    assert axes().launches == 16
    assert [unit.launch.seed for unit in units[:3]] == [1, 2, 1]


def test_a_kernel_has_its_own_size_of_warps_where_none_is_asked_for() -> None:
    (unit,) = units_of(Axes(), [(ONE, 64)])
    assert (unit.warp_size, unit.launch.grid, unit.launch.seed) == (64, None, 1)


def test_tasks_hold_what_shares_an_analysis_and_last_as_long_as_they_should() -> None:
    swept = axes(grids=6, seeds=20)
    units = list(units_of(swept, [(ONE, 32), (OTHER, 32)]))
    total = sum(unit.runs for unit in units)
    cut = list(tasks(Backlog(units, "ipdom", total), 0.001))
    assert [unit for task in cut for unit in task.units] == units
    for task in cut:
        assert len({(unit.kernel, unit.warp_size) for unit in task.units}) == 1
    lasted = [sum(taken(unit, 0.001) for unit in task.units) for task in cut]
    assert max(lasted) <= 1.25 * USUAL  # a launch is in where more than half of it fits
    short = [at for at, seconds in enumerate(lasted) if seconds < SHORTEST]
    assert len(short) <= 6  # the first and the last of each kernel and size of warps, at most


def test_while_nothing_is_known_tasks_are_small() -> None:
    backlog = Backlog(units_of(axes(seeds=50), [(ONE, 32)]), "ipdom", 10_000)
    first = backlog.take(2)
    assert first is not None
    assert first.runs * 0.5 <= 1.25 * SHORTEST


def test_a_larger_launch_is_expected_to_take_longer() -> None:
    small, large, *_ = (unit for unit in units_of(axes(seeds=1), [(ONE, 32)]) if unit.launch.arguments[0][1] == "10")
    backlog = Backlog([], "ipdom", 0)
    backlog.estimates.learn([small], [4.0])
    assert backlog.estimates.seconds(small) == 4.0
    assert backlog.estimates.seconds(large) == 8.0


def test_a_launch_that_takes_too_long_is_split_by_policies() -> None:
    policies = ("ipdom", "counters", "min-pc", "round-robin")
    units = list(units_of(axes(grids=1, seeds=3, policies=policies), [(ONE, 32)]))
    cut = list(tasks(Backlog(units, "ipdom", 1_000), 10.0 / 64))
    assert max(task.runs * 10.0 for task in cut[1:]) <= LONGEST
    assert sorted(one for task in cut for one in ids(task)) == sorted(
        point.id for unit in units for point in points_of(unit)
    )
    assert {task.first_policy for task in cut} == {"ipdom"}  # whichever a task has, launches are planned alike


def test_points_with_a_row_are_not_run_again() -> None:
    units = list(units_of(axes(), [(ONE, 32)]))
    points = [point for unit in units for point in points_of(unit)]
    done = frozenset(point.id for at, point in enumerate(points) if at < 10 or at % 3 == 0)
    cut = list(tasks(Backlog(units, "ipdom", len(points), done), 0.1))
    assert sorted(one for task in cut for one in ids(task)) == sorted(p.id for p in points if p.id not in done)
    assert list(tasks(Backlog(units, "ipdom", len(points), frozenset(p.id for p in points)), 0.1)) == []


def test_what_is_put_back_comes_next() -> None:
    backlog = Backlog(units_of(axes(), [(ONE, 32)]), "ipdom", 1_000)
    task = backlog.take(1)
    assert task is not None
    assert len(task.units) >= 2
    backlog.put_back(*task.halves)
    again = [backlog.take(1), backlog.take(1)]
    assert [unit for half in again if half is not None for unit in half.units] == list(task.units)
    alone = Task(task.units[:1], "ipdom")
    assert alone.halves == ()
    backlog.put_back(Task((), "ipdom"))
    following = backlog.take(1)
    assert following is not None
    assert following.units


def test_a_task_is_named_by_its_content() -> None:
    units: list[Unit] = list(units_of(axes(), [(ONE, 32)]))
    assert Task(tuple(units[:2]), "ipdom").id == Task(tuple(units[:2]), "ipdom").id
    assert Task(tuple(units[:2]), "ipdom").id != Task(tuple(units[:3]), "ipdom").id
