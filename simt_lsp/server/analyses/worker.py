"""The one thread that analyses.

Rules    Per document the newest version wins: a new one replaces the one that waits and cancels the one that runs.
         Requests wait for the analysis of exactly the version they were asked about, and hurry it; when that version
         is replaced before it was analysed they end with `Superseded`.
         A document may be submitted again as it is, when something else changed: requests wait for the new result.
         Order: requests that can be answered, documents that requests wait for, edited documents, documents that are
         looked at again because something else changed, background jobs.  Background jobs give way between functions.
         An edited document does not wait for the next edit: a newer version ends the analysis at its next checkpoint.
         While a document is analysed or a request is answered, requests about other documents are answered at the
         checkpoints, and others that were edited are analysed there: what was begun goes on afterwards, it is not done
         twice.  What is told of a result, and paced work of a background job, let others in as well.
         What is begun there must end before what waits goes on, so it must not be much longer: documents are weighed by
         the checkpoints that their analysis takes.
         Everything that touches an analysis runs here, so the analyzer needs no locks.
         A crash is reported with what was asked and costs that answer only.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from threading import Condition, Thread
from typing import Any, Final, Generic, TypeVar, final

from analysis.ir.pace import Cancelled, ends_when, no_pace, pace
from analysis.store.freeing import free_in_turns

AGAIN_DELAY: Final = 0.050
SENDING: Final = 0.005
"""Background jobs begin so long after a result was told: it goes out on another thread, which they would hold up."""
DEEPEST: Final = 1_500
"""Calls behind which no other analysis begins: the C stack is not endless."""
SHORT: Final = 4
"""An analysis that has ended before so many checkpoints is not held up by that of another document."""
LIGHT: Final = 200
"""A document whose analysis took so many checkpoints holds nobody up; a checkpoint comes every millisecond or two."""
LARGE: Final = 10 * LIGHT
"""What a longer analysis left is freed in turns; to find its parts takes longer than to free a few of them at once."""

Key = str
Input = TypeVar("Input", bound=Hashable)
Result = TypeVar("Result")


class Superseded(Exception):
    """The version asked about was replaced, or its document closed, before it was analysed."""


class GaveWay(Exception):
    """A job stopped because `cancelled()` said so."""


@dataclass(slots=True)
class _Waiting(Generic[Input]):
    item: Input
    due: float
    edited: bool


@dataclass(slots=True)
class _Question(Generic[Input, Result]):
    key: Key
    item: Input
    answer: Callable[[Result], Any]
    future: Future[Any]


@dataclass(slots=True)
class _Background:
    work: Callable[[Callable[[], bool]], Any]
    future: Future[Any]


@final
class _Turns:
    """The checkpoints that some work has come to."""

    def __init__(self) -> None:
        self.taken = 0

    @property
    def heaviest(self) -> int:
        """The weight of the documents that it may be interrupted for."""
        return max(LIGHT, 2 * self.taken)


@dataclass(slots=True)
class _State(Generic[Input, Result]):
    waiting: dict[Key, _Waiting[Input]] = field(default_factory=dict[Key, Any])
    results: dict[Key, tuple[Input, Result]] = field(default_factory=dict[Key, Any])
    replaced: list[object] = field(default_factory=list[object])
    """What is to be freed."""
    weights: dict[Key, int] = field(default_factory=dict[Key, int])
    """The checkpoints that the last analysis of each document took, but no less than its text suggests: what did not
    change costs the analysis nothing, and answers about it as much as ever."""
    questions: list[_Question[Input, Result]] = field(default_factory=list[Any])
    background: deque[_Background] = field(default_factory=deque[_Background])
    stopped: bool = False
    held_until: float = 0.0
    sent_at: float = 0.0
    """When the client has what was told last."""


@final
class Worker(Generic[Input, Result]):
    """See the top of the file.  An `Input` is one version of one document.

    `analyse(input, cancelled)` raises `GaveWay` after `cancelled()` was true.
    `done(key, input, result)` is called on the worker's thread after each analysis, `rest()` once when there was
    nothing to do for `rest_delay` seconds.  `weigh(input)` is how many checkpoints its analysis will take, as far as
    somebody can tell before the first.
    """

    def __init__(
        self,
        analyse: Callable[[Input, Callable[[], bool]], Result],
        done: Callable[[Key, Input, Result], None],
        crashed: Callable[[str, BaseException], None],
        rest: Callable[[], None] = lambda: None,
        rest_delay: float = 1.0,
        weigh: Callable[[Input], int] = lambda _: 0,
    ) -> None:
        self._analyse = analyse
        self._done = done
        self._crashed = crashed
        self._rest = rest
        self._rest_delay = rest_delay
        self._weigh = weigh
        self._rested = True
        self._state: _State[Input, Result] = _State()
        self._running: dict[Key, tuple[Key, Input]] = {}
        """What is analysed, innermost last: the others wait at a checkpoint."""
        self._frees = False
        """Whether something is freed in turns."""
        self._changed = Condition()
        self._thread = Thread(target=self._run, name="simt-analysis", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Finish nothing more; what waits ends with `Superseded`."""
        with self._changed:
            state = self._state
            state.stopped = True
            futures = [question.future for question in state.questions] + [job.future for job in state.background]
            state.questions.clear()
            state.background.clear()
            state.waiting.clear()
            self._changed.notify()
        for future in futures:
            _fail(future, Superseded())

    def hold(self, seconds: float) -> None:
        """Start no analysis for at most so long, or until `release`: the settings are on their way."""
        with self._changed:
            self._state.held_until = time.monotonic() + seconds

    def release(self) -> None:
        with self._changed:
            self._state.held_until = 0.0
            self._changed.notify()

    def submit(self, key: Key, item: Input, *, edited: bool) -> None:
        """Analyse `item` as the state of `key` from now on; what was asked about older states is superseded."""
        with self._changed:
            state = self._state
            known = state.waiting.get(key)
            edited = edited or (known is not None and known.edited)
            state.waiting[key] = _Waiting(item, time.monotonic() + (0.0 if edited else AGAIN_DELAY), edited)
            stale = self._take_questions(lambda question: question.key == key and question.item != item)
            self._changed.notify()
        for question in stale:
            _fail(question.future, Superseded())

    def forget(self, key: Key) -> None:
        """The document was closed."""
        with self._changed:
            self._state.waiting.pop(key, None)
            self._replace(key, None)
            self._state.weights.pop(key, None)
            self._running.pop(key, None)
            stale = self._take_questions(lambda question: question.key == key)
        for question in stale:
            _fail(question.future, Superseded())

    def ask(self, key: Key, item: Input, answer: Callable[[Result], Any]) -> Future[Any]:
        """`answer(result)` on the worker's thread, once the result for exactly `item` is there."""
        future: Future[Any] = Future()
        with self._changed:
            state = self._state
            if state.stopped or item != self._newest(key):
                future.set_exception(Superseded())
                return future
            state.questions.append(_Question(key, item, answer, future))
            self._changed.notify()
        return future

    def run_in_background(self, work: Callable[[Callable[[], bool]], Any]) -> Future[Any]:
        """`work(cancelled)` when there is nothing better to do; it is run again after it gave way."""
        future: Future[Any] = Future()
        with self._changed:
            if self._state.stopped:
                future.set_exception(Superseded())
                return future
            self._state.background.append(_Background(work, future))
            self._changed.notify()
        return future

    def results(self) -> list[tuple[Key, Input, Result]]:
        """The newest result of each document."""
        with self._changed:
            return [(key, item, result) for key, (item, result) in self._state.results.items()]

    def free_later(self, last: list[object]) -> None:
        """Empties a list that holds the last references to something large: no answer waits until that is freed."""
        with self._changed:
            self._state.replaced += last
            last.clear()
            self._changed.notify()

    # Everything below runs on the worker's thread, except `_take_questions`.

    def _take_questions(self, wanted: Callable[[_Question[Input, Result]], bool]) -> list[_Question[Input, Result]]:
        taken = [question for question in self._state.questions if wanted(question)]
        self._state.questions = [question for question in self._state.questions if not wanted(question)]
        return taken

    def _newest(self, key: Key) -> Input | None:
        """The version that waits, or else is analysed, or else was: who asks about another one would wait for ever."""
        state = self._state
        if key in state.waiting:
            return state.waiting[key].item
        if key in self._running:
            return self._running[key][1]
        return state.results[key][0] if key in state.results else None

    def _run(self) -> None:
        while (step := self._next()) is not None:
            step()

    def _next(self) -> Callable[[], None] | None:
        with self._changed:
            while not self._state.stopped:
                step, seconds = self._choose()
                if step is not None:
                    self._rested = False
                    return step
                if seconds is not None or self._rested:
                    self._changed.wait(seconds)
                elif not self._changed.wait(self._rest_delay):
                    self._rested = True
                    return self._rest
        return None

    def _choose(self) -> tuple[Callable[[], None] | None, float | None]:
        """What to do now, or how long to wait."""
        state = self._state
        answer = self._known_answer()
        if answer is not None:
            return answer, None
        now = time.monotonic()
        if now < state.held_until:
            return None, state.held_until - now
        for question in state.questions:
            waiting = state.waiting.get(question.key)
            if waiting is not None and waiting.item == question.item:
                return self._analysis(question.key), None
        edited = [(waiting.due, key) for key, waiting in state.waiting.items() if waiting.edited]
        candidates = edited or [(waiting.due, key) for key, waiting in state.waiting.items()]
        due = [candidate for candidate in candidates if candidate[0] <= now]
        if due:
            return self._analysis(max(due)[1]), None
        if candidates:
            return None, min(candidates)[0] - now
        if state.replaced:
            return self._free_replaced, None
        if state.background:
            if now < state.sent_at:
                return None, state.sent_at - now
            return partial(self._work, state.background.popleft()), None
        return None, None

    def _known_answer(self, interrupted: _Turns | None = None) -> Callable[[], None] | None:
        """The first question that the newest result of its document answers, and for which that work may wait."""
        state = self._state
        for index, question in enumerate(state.questions):
            if interrupted is not None and state.weights.get(question.key, 0) > interrupted.heaviest:
                continue
            known = state.results.get(question.key)
            is_newest = known is not None and known[0] == question.item and question.key not in state.waiting
            if known is not None and is_newest and question.key not in self._running:
                del state.questions[index]
                return partial(self._answer, question, known[1])
        return None

    def _analysis(self, key: Key) -> Callable[[], None]:
        waiting = self._state.waiting.pop(key)
        running = self._running[key] = (key, waiting.item)
        return lambda: self._analyse_one(running, waiting)

    def _analyse_one(self, running: tuple[Key, Input], waiting: _Waiting[Input]) -> None:
        key = running[0]

        turns = _Turns()

        def cancelled() -> bool:
            turns.taken += 1
            self._answer_meanwhile(turns)
            state = self._state  # reading without the lock: a late answer costs one more function
            if state.stopped or key in state.waiting or self._running.get(key) is not running:
                return True
            if not waiting.edited and self._more_urgent(key):
                return True
            if turns.taken > SHORT:
                self._analyse_meanwhile(turns)
            return state.stopped or key in state.waiting or self._running.get(key) is not running

        try:
            result = self._analyse(waiting.item, cancelled)
        except GaveWay:
            self._put_back(running, waiting)
            return
        except Exception as error:  # the analysis answers for its own crashes; this is the last net
            self._crashed(f"analysis of {key}", error)
            self._drop(key)
            return
        with self._changed:
            if self._running.get(key) is not running:  # closed meanwhile
                return
            del self._running[key]
            replaced = self._replace(key, (waiting.item, result))
            self._state.weights[key] = max(turns.taken, self._weigh(waiting.item))
        self._tell(key, waiting.item, result)
        del replaced  # freed when nobody waits for what is told
        self._free_replaced()

    def _replace(self, key: Key, newest: tuple[Input, Result] | None) -> tuple[Input, Result] | None:
        """What was known before, which is not freed here: that may take long, and others want the lock."""
        known = self._state.results.pop(key, None)
        if newest is not None:
            self._state.results[key] = newest
        if known is not None and (self._weigh(known[0]) > LIGHT or self._state.weights.get(key, 0) > LARGE):
            self._state.replaced.append(known)
        return known

    def _free_replaced(self) -> None:
        """One at a time: what is replaced in a turn that this gives waits, or its parts would be held as well."""
        if self._frees:
            return
        self._frees = True
        try:
            with pace(self._server_of_others()):
                while self._state.replaced:
                    free_in_turns([self._state.replaced.pop()])
        finally:
            self._frees = False

    def _tell(self, key: Key, item: Input, result: Result) -> None:
        """What is replaced meanwhile is not told to the end."""
        serve_others = self._server_of_others()

        def ended() -> bool:
            serve_others()
            state = self._state
            known, newer = state.results.get(key), state.waiting.get(key)
            is_replaced = known is None or known[1] is not result or (newer is not None and newer.item != item)
            return state.stopped or is_replaced

        try:
            with pace(ends_when(ended)):
                self._done(key, item, result)
        except Cancelled:
            pass
        except Exception as error:  # what is told of a result must not end the thread
            self._crashed(f"report on {key}", error)
        self._state.sent_at = time.monotonic() + SENDING

    def _server_of_others(self) -> Callable[[], None]:
        """What some work calls at its checkpoints, if nobody waits for an analysis by it."""
        turns = _Turns()

        def serve() -> None:
            turns.taken += 1
            with pace(no_pace):  # what others ask meanwhile counts for itself
                self._answer_meanwhile(turns)
                self._analyse_meanwhile(turns)

        return serve

    def _answer_meanwhile(self, interrupted: _Turns) -> None:
        """What can be answered from the results of other documents does not wait for an analysis to end."""
        while self._state.questions and not self._state.stopped:
            with self._changed:
                step = self._known_answer(interrupted)
            if step is None:
                return
            step()

    def _analyse_meanwhile(self, interrupted: _Turns) -> None:
        """Other documents that were edited, or that requests wait for, do not wait for an analysis to end."""
        while (depth := self._may_begin()) and not self._state.stopped:
            with self._changed:
                key = self._other_document(interrupted.heaviest)
                step = None if key is None else self._analysis(key)
            if step is None:
                return
            limit = sys.getrecursionlimit()
            sys.setrecursionlimit(limit + depth)  # it may go as deep as it always may, or its answer would be another
            try:
                step()
            finally:
                sys.setrecursionlimit(max(limit, sys.getrecursionlimit() - depth))  # the first analysis raises it

    def _may_begin(self) -> int:
        """How deep the calls are; 0 where nothing waits, and where they are too deep for another analysis."""
        if not self._state.waiting:
            return 0
        depth, frame = 0, sys._getframe()  # pyright: ignore[reportPrivateUsage]  # public, whatever its name
        while frame is not None and depth <= DEEPEST:
            depth, frame = depth + 1, frame.f_back
        return depth if depth <= DEEPEST else 0

    def _other_document(self, heaviest: int) -> Key | None:
        """One that is due; an older version of it that waits at a checkpoint further out ends there."""
        now = time.monotonic()
        asked = {question.key for question in self._state.questions}
        for key, waiting in self._state.waiting.items():
            if (key in asked or (waiting.edited and waiting.due <= now)) and self._weight(key, waiting) <= heaviest:
                return key
        return None

    def _weight(self, key: Key, waiting: _Waiting[Input]) -> int:
        known = self._state.weights.get(key)
        return self._weigh(waiting.item) if known is None else known

    def _more_urgent(self, key: Key) -> bool:
        """Whether an analysis of `key` that no edit asked for should give way."""
        state = self._state
        asked = {question.key for question in list(state.questions)}
        if key in asked:  # two documents that requests wait for would give way to each other for ever
            return False
        return bool(asked) or any(other.edited for other in list(state.waiting.values()))

    def _put_back(self, running: tuple[Key, Input], waiting: _Waiting[Input]) -> None:
        with self._changed:
            if self._running.get(running[0]) is running:
                del self._running[running[0]]
                if not self._state.stopped:
                    self._state.waiting.setdefault(running[0], waiting)

    def _drop(self, key: Key) -> None:
        with self._changed:
            self._running.pop(key, None)
            stale = self._take_questions(lambda question: question.key == key)
        for question in stale:
            _fail(question.future, Superseded())

    def _answer(self, question: _Question[Input, Result], result: Result) -> None:
        if not question.future.set_running_or_notify_cancel():
            return
        serve_others = self._server_of_others()

        def ended() -> bool:
            serve_others()
            return self._state.stopped

        try:
            with pace(ends_when(ended)):
                answer = question.answer(result)
            question.future.set_result(answer)
        except (Cancelled, GaveWay):
            question.future.set_exception(Superseded())
        except Exception as error:  # reported by who asked, with the request
            question.future.set_exception(error)

    def _work(self, job: _Background) -> None:
        if job.future.cancelled():
            return
        serve_others = self._server_of_others()

        def cancelled() -> bool:
            state = self._state
            return bool(state.stopped or state.questions or state.waiting or job.future.cancelled())

        def ended() -> bool:
            serve_others()
            return self._state.stopped

        try:
            with pace(ends_when(ended)):
                result = job.work(cancelled)
        except Cancelled:
            _fail(job.future, Superseded())
            return
        except GaveWay:
            with self._changed:
                if not self._state.stopped and not job.future.cancelled():
                    self._state.background.appendleft(job)
            return
        except Exception as error:  # reported by who asked
            _fail(job.future, error)
            return
        if job.future.set_running_or_notify_cancel():
            job.future.set_result(result)


def _fail(future: Future[Any], error: BaseException) -> None:
    if future.set_running_or_notify_cancel():
        future.set_exception(error)
