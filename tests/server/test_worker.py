"""The worker's promises, with an analysis that a test can hold up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest

from analysis.ir.pace import turn
from simt_lsp.server.analyses import worker
from simt_lsp.server.analyses.worker import GaveWay, Superseded, Worker


class Bench:
    """A worker whose analysis of `slow...` waits until it is cancelled or `go` is set, of `deaf` for `go` alone, of
    `steps...` a moment."""

    def __init__(self) -> None:
        self.go = Event()
        self.started = Event()
        self.order: list[str] = []
        self.crashes: list[str] = []
        self.worker: Worker[str, str] = Worker(
            self.analyse,
            self.done,
            self.crashed,
            lambda: self.order.append("rest"),
            rest_delay=0.03,
            weigh=lambda item: 1_000_000 if "heavy" in item else 2 * worker.LIGHT if "large" in item else 0,
        )
        self.worker.start()

    def analyse(self, item: str, cancelled: Callable[[], bool]) -> str:
        self.started.set()
        end = time.monotonic() + 0.02
        while (not self.go.is_set()) if item.startswith("slow") else (time.monotonic() < end and "steps" in item):
            if cancelled():
                raise GaveWay
            time.sleep(0.001)
        if item == "crash":
            raise RuntimeError("boom")
        if item == "deaf":
            self.go.wait(5)
        return item.upper()

    def done(self, key: str, item: str, result: str) -> None:
        self.order.append(result)

    def crashed(self, what: str, error: BaseException) -> None:
        self.crashes.append(f"{what}: {error}")


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.worker.stop()


def ask(bench: Bench, key: str, item: str) -> Any:
    return bench.worker.ask(key, item, lambda result: f"<{result}>")


def test_a_question_waits_for_exactly_its_version(bench: Bench) -> None:
    bench.worker.submit("a", "one", edited=True)
    assert ask(bench, "a", "one").result(5) == "<ONE>"
    assert ask(bench, "a", "one").result(5) == "<ONE>"
    with pytest.raises(Superseded):
        ask(bench, "a", "two").result(5)


def test_a_new_version_cancels_the_old_one_and_its_questions(bench: Bench) -> None:
    bench.worker.submit("a", "slow", edited=True)
    old = ask(bench, "a", "slow")
    assert bench.started.wait(5)
    bench.worker.submit("a", "new", edited=True)
    with pytest.raises(Superseded):
        old.result(5)
    assert ask(bench, "a", "new").result(5) == "<NEW>"
    assert bench.order == ["NEW"]


def test_a_question_that_comes_after_the_next_version_ends_at_once(bench: Bench) -> None:
    bench.worker.submit("a", "deaf", edited=True)
    assert bench.started.wait(5)
    bench.worker.submit("a", "new", edited=True)
    with pytest.raises(Superseded):
        ask(bench, "a", "deaf").result(5)  # its analysis still runs
    bench.go.set()
    assert ask(bench, "a", "new").result(5) == "<NEW>"
    bench.worker.hold(60)
    bench.worker.submit("a", "newer", edited=True)
    with pytest.raises(Superseded):
        ask(bench, "a", "new").result(5)  # its result is known, and is not the newest
    bench.worker.release()
    assert ask(bench, "a", "newer").result(5) == "<NEWER>"


def test_a_version_submitted_again_is_analysed_again_before_its_questions(bench: Bench) -> None:
    bench.worker.submit("a", "one", edited=True)
    assert ask(bench, "a", "one").result(5) == "<ONE>"
    bench.worker.submit("a", "one", edited=False)
    assert ask(bench, "a", "one").result(5) == "<ONE>"
    assert bench.order == ["ONE", "ONE"]


def test_work_that_nobody_waits_for_gives_way(bench: Bench) -> None:
    bench.worker.submit("again", "slow again", edited=False)
    assert bench.started.wait(5)
    bench.worker.submit("edit", "typed", edited=True)
    assert ask(bench, "edit", "typed").result(5) == "<TYPED>"
    bench.go.set()
    assert ask(bench, "again", "slow again").result(5) == "<SLOW AGAIN>"
    assert bench.order == ["TYPED", "SLOW AGAIN"]


def test_documents_that_requests_wait_for_do_not_give_way_to_each_other(bench: Bench) -> None:
    for key in ("a", "b", "c"):
        bench.worker.submit(key, f"steps {key}", edited=False)
    answers = [ask(bench, key, f"steps {key}") for key in ("a", "b", "c")]
    assert [answer.result(5) for answer in answers] == ["<STEPS A>", "<STEPS B>", "<STEPS C>"]


def test_background_work_gives_way_and_ends(bench: Bench) -> None:
    runs: list[int] = []

    def work(cancelled: Callable[[], bool]) -> str:
        runs.append(1)
        bench.started.set()
        while not bench.go.is_set():
            if cancelled():
                raise GaveWay
            time.sleep(0.001)
        return "checked"

    future = bench.worker.run_in_background(work)
    assert bench.started.wait(5)
    bench.worker.submit("a", "one", edited=True)
    assert ask(bench, "a", "one").result(5) == "<ONE>"
    bench.go.set()
    assert future.result(5) == "checked"
    assert len(runs) >= 2


def test_a_crash_costs_its_own_answer(bench: Bench) -> None:
    bench.worker.submit("a", "crash", edited=True)
    future = ask(bench, "a", "crash")
    with pytest.raises(Superseded):
        future.result(5)
    assert bench.crashes == ["analysis of a: boom"]
    bench.worker.submit("a", "one", edited=True)
    assert ask(bench, "a", "one").result(5) == "<ONE>"
    broken = bench.worker.ask("a", "one", lambda result: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        broken.result(5)
    assert ask(bench, "a", "one").result(5) == "<ONE>"


def test_closing_and_stopping_end_what_waits(bench: Bench) -> None:
    bench.worker.submit("a", "slow", edited=True)
    waiting = ask(bench, "a", "slow")
    assert bench.started.wait(5)
    bench.worker.forget("a")
    with pytest.raises(Superseded):
        waiting.result(5)
    bench.worker.stop()
    with pytest.raises(Superseded):
        ask(bench, "a", "slow").result(5)
    with pytest.raises(Superseded):
        bench.worker.run_in_background(lambda cancelled: None).result(5)


def test_nothing_is_analysed_while_settings_are_on_their_way(bench: Bench) -> None:
    bench.worker.hold(30)
    bench.worker.submit("a", "one", edited=True)
    future = ask(bench, "a", "one")
    assert not bench.started.wait(0.05)
    bench.worker.release()
    assert future.result(5) == "<ONE>"


def test_requests_about_other_documents_are_answered_while_one_is_analysed(bench: Bench) -> None:
    bench.worker.submit("quick", "one", edited=True)
    assert ask(bench, "quick", "one").result(5) == "<ONE>"
    bench.started.clear()
    bench.worker.submit("long", "slow", edited=True)
    assert bench.started.wait(5)
    assert ask(bench, "quick", "one").result(5) == "<ONE>"
    assert bench.order == ["ONE"]  # the long one goes on
    bench.go.set()
    assert ask(bench, "long", "slow").result(5) == "<SLOW>"


def test_it_rests_once_after_work(bench: Bench) -> None:
    time.sleep(0.1)
    assert bench.order == []
    for item in ("one", "two"):
        bench.worker.submit("a", item, edited=True)
        assert ask(bench, "a", item).result(5) == f"<{item.upper()}>"
        time.sleep(0.15)
    assert bench.order == ["ONE", "rest", "TWO", "rest"]


def test_an_edited_document_is_analysed_beside_a_slow_one(bench: Bench) -> None:
    bench.worker.submit("a", "slow", edited=True)
    assert bench.started.wait(5)
    bench.worker.submit("b", "one", edited=True)
    assert ask(bench, "b", "one").result(5) == "<ONE>"
    bench.worker.submit("b", "two", edited=True)
    assert ask(bench, "b", "two").result(5) == "<TWO>"
    assert bench.order == ["ONE", "TWO"]
    slow = ask(bench, "a", "slow")
    bench.go.set()
    assert slow.result(5) == "<SLOW>"
    assert bench.order[:3] == ["ONE", "TWO", "SLOW"]


def test_two_slow_documents_are_each_cancelled_by_their_own_edit(bench: Bench) -> None:
    bench.worker.submit("a", "slow one", edited=True)
    assert bench.started.wait(5)
    bench.started.clear()
    bench.worker.submit("b", "slow two", edited=True)
    assert bench.started.wait(5)
    bench.worker.submit("a", "new", edited=True)
    bench.worker.submit("b", "other", edited=True)
    assert ask(bench, "a", "new").result(5) == "<NEW>"
    assert ask(bench, "b", "other").result(5) == "<OTHER>"
    assert sorted(bench.order[:2]) == ["NEW", "OTHER"]


def test_what_is_closed_while_it_waits_at_a_checkpoint_says_nothing(bench: Bench) -> None:
    bench.worker.submit("a", "slow one", edited=True)
    assert bench.started.wait(5)
    bench.started.clear()
    bench.worker.submit("b", "slow two", edited=True)
    assert bench.started.wait(5)
    bench.worker.forget("a")
    bench.go.set()
    assert ask(bench, "b", "slow two").result(5) == "<SLOW TWO>"
    bench.worker.submit("c", "end", edited=True)
    assert ask(bench, "c", "end").result(5) == "<END>"
    assert bench.order[:2] == ["SLOW TWO", "END"]


def test_a_short_analysis_is_not_held_up_by_a_slow_one_that_begins_later(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "SHORT", 1_000)
    bench.worker.submit("a", "steps", edited=True)
    assert bench.started.wait(5)
    bench.worker.submit("b", "slow", edited=True)
    assert ask(bench, "a", "steps").result(5) == "<STEPS>"
    assert bench.order == ["STEPS"]
    bench.go.set()


def test_what_takes_longer_than_an_analysis_has_taken_does_not_begin_within_it(bench: Bench) -> None:
    """The answer about `light` would wait for whatever is begun while it is analysed."""
    bench.worker.submit("heavy", "heavy", edited=True)
    assert ask(bench, "heavy", "heavy").result(5) == "<HEAVY>"
    bench.started.clear()
    bench.worker.submit("light", "slow but light", edited=True)
    assert bench.started.wait(5)
    bench.worker.submit("new", "heavy and new", edited=True)
    later = [bench.worker.ask("heavy", "heavy", bench.order.append), ask(bench, "new", "heavy and new")]
    time.sleep(0.05)
    assert bench.order == ["HEAVY"]
    bench.go.set()
    for future in (ask(bench, "light", "slow but light"), *later):
        future.result(5)
    assert bench.order[:2] == ["HEAVY", "SLOW BUT LIGHT"]


def test_a_version_that_waits_under_a_slow_one_gives_way_to_its_own_edit(bench: Bench) -> None:
    bench.worker.submit("a", "slow one", edited=True)
    assert bench.started.wait(5)
    bench.started.clear()
    bench.worker.submit("b", "slow two", edited=True)
    assert bench.started.wait(5)
    bench.worker.submit("a", "new", edited=True)
    assert ask(bench, "a", "new").result(5) == "<NEW>"
    assert bench.order == ["NEW"]
    bench.go.set()
    assert ask(bench, "b", "slow two").result(5) == "<SLOW TWO>"
    assert bench.order[:2] == ["NEW", "SLOW TWO"]


def test_while_a_request_is_answered_slowly_others_are_answered_and_analysed(bench: Bench) -> None:
    bench.worker.submit("a", "one", edited=True)
    assert ask(bench, "a", "one").result(5) == "<ONE>"
    begun = Event()

    def slowly(result: str) -> str:
        begun.set()
        while not bench.go.is_set():
            turn()
            time.sleep(0.001)
        return result

    slow = bench.worker.ask("a", "one", slowly)
    assert begun.wait(5)
    bench.worker.submit("b", "two", edited=True)
    assert ask(bench, "b", "two").result(5) == "<TWO>"
    assert ask(bench, "a", "one").result(5) == "<ONE>"
    bench.go.set()
    assert slow.result(5) == "ONE"


def test_an_answer_that_takes_long_ends_with_the_worker(bench: Bench) -> None:
    bench.worker.submit("a", "one", edited=True)

    def for_ever(_result: str) -> str:
        while True:
            turn()

    endless = bench.worker.ask("a", "one", for_ever)
    time.sleep(0.05)
    bench.worker.stop()
    with pytest.raises(Superseded):
        endless.result(5)


class Teller:
    """A worker that takes long to tell what it found of documents whose text begins with `long`."""

    def __init__(self) -> None:
        self.go = Event()
        self.begun = Event()
        self.told: list[str] = []
        self.worker: Worker[str, str] = Worker(lambda item, _: item.upper(), self.done, lambda _what, _error: None)
        self.worker.start()

    def done(self, _key: str, _item: str, result: str) -> None:
        self.begun.set()
        while result.startswith("LONG") and not self.go.is_set():
            turn()
            time.sleep(0.001)
        self.told.append(result)


@pytest.fixture
def teller() -> Iterator[Teller]:
    teller = Teller()
    yield teller
    teller.worker.stop()


def test_while_a_result_is_told_others_are_answered_and_analysed(teller: Teller) -> None:
    teller.worker.submit("a", "long", edited=True)
    assert teller.begun.wait(5)
    teller.worker.submit("b", "two", edited=True)
    assert teller.worker.ask("b", "two", str).result(5) == "TWO"
    assert teller.worker.ask("a", "long", str).result(5) == "LONG"
    assert teller.told == ["TWO"]
    teller.go.set()
    teller.worker.submit("b", "three", edited=True)
    assert teller.worker.ask("b", "three", str).result(5) == "THREE"
    assert "LONG" in teller.told


def test_what_is_replaced_while_it_is_told_is_not_told_to_the_end(teller: Teller) -> None:
    teller.worker.submit("a", "long", edited=True)
    assert teller.begun.wait(5)
    teller.worker.submit("a", "new", edited=True)
    assert teller.worker.ask("a", "new", str).result(5) == "NEW"
    teller.go.set()
    teller.worker.submit("b", "two", edited=True)
    assert teller.worker.ask("b", "two", str).result(5) == "TWO"
    assert teller.told[0] == "NEW"
    assert "LONG" not in teller.told


def test_paced_work_in_the_background_lets_others_in(bench: Bench) -> None:
    begun = Event()

    def work(_cancelled: Callable[[], bool]) -> str:
        begun.set()
        while not bench.go.is_set():
            turn()
            time.sleep(0.001)
        return "done"

    job = bench.worker.run_in_background(work)
    assert begun.wait(5)
    bench.worker.submit("a", "one", edited=True)
    assert ask(bench, "a", "one").result(5) == "<ONE>"
    assert not job.done()
    bench.go.set()
    assert job.result(5) == "done"


def test_what_is_replaced_while_something_is_freed_waits(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the parts of both would be held, and with each edit those of one more."""
    freed: list[str] = []

    def free(last: list[object]) -> None:
        freed.append("begin")
        end = time.monotonic() + 5
        bench.worker.submit("b", f"large {len(freed)}", edited=True)
        while f"LARGE {len(freed)}" not in bench.order and time.monotonic() < end and len(freed) < 4:
            turn()
        last.clear()
        freed.append("end")

    monkeypatch.setattr(worker, "free_in_turns", free)
    for key, item in (("b", "large"), ("a", "heavy"), ("a", "heavy again")):
        bench.worker.submit(key, item, edited=True)
        assert ask(bench, key, item).result(5) == f"<{item.upper()}>"
    end = time.monotonic() + 5
    while len(freed) < 4 and time.monotonic() < end:
        time.sleep(0.001)
    assert "LARGE 1" in bench.order
    assert freed[:4] == ["begin", "end", "begin", "end"]
