"""From the findings of many runs to sites: one per place, with how sure it is.

Left out  Reads of what nobody has written yet where a race was found: they come under schedules where a warp is late.
Same      Findings of one kind at one place.  Races between two lines are gathered, then told together where the later
          access is the same: a write that nothing orders after many reads is one mistake.
Evidence  The run with the fewest threads that shows it, then the one with the plainest schedule.
Error     A fault that rests on nothing invented (`report/origins.py`, `report/races.py` judge each run).
Warning   One that only machines have that run one side of a branch at a time: lanes that take turns get past it.
          One that the first block shows and not every other, where nothing says which one the kernel is launched with;
          a note where only others show it.
          One that rests on chosen numbers or contents that let threads come there, or in shared memory decide whether
          they meet, and that all launches show, each with other choices.  Where not all do, it is a note.
          What is left in memory depends on the schedule, and no race and no exchange between threads explains it.
          One that rests on no choice that is known, and that only some launches show under the plainest schedule.
Note      What else may be the doing of numbers or contents that were chosen; writes of the same value; results that
          depend on the order in which atomics come.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from dataclasses import replace
from typing import Final, final

from analysis.ir.record import record
from sim.policies.registry import POLICIES
from sim.report.model import FaultReport, SourcePlace
from sim.report.races import DATA_RACE, SAME_VALUE
from sim.report.words import shape
from sim.sanitize.model import ORDER_DEPENDENT, Schedule, Severity, Site
from sim.sanitize.schedules import Dependence, Reason
from sim.sanitize.trials import AS_SAID, FEWER_BLOCKS, PLAIN, Trial
from sim.specification import WarpOrder

_RACES: Final = (DATA_RACE, SAME_VALUE)
_OF_ONE_SIDE: Final = ("livelock", "deadlock", "illegal-warp-mask")
"""What lanes may get past that take turns."""
_STANDSTILLS: Final = ("livelock", "deadlock", "barrier-divergence")
"""Where threads stand then depends on the schedule, by a few columns."""
_SHAPE: Final = {"block", "grid", "shared"}
"""Choices that excuse nothing: see `report/origins.py`."""
_ORIGIN: Final = (0, 0, 0)


@final
@record
class _Seen:
    """A finding of the run `number`."""

    number: int
    trial: Trial
    report: FaultReport


def sites_of(
    trials: Sequence[Trial], launches: Sequence[int], dependences: Sequence[Dependence], place: SourcePlace
) -> tuple[Site, ...]:
    """In the order of places; `launches` has the number of the launch of each run, `place` is the kernel's."""
    groups: dict[Hashable, dict[int, _Seen]] = {}
    for number, trial in enumerate(trials):
        for report in trial.reports:
            seen = groups.setdefault(_key(report), {})
            known = seen.get(number)
            if known is None or (known.report.is_note and not report.is_note):
                seen[number] = _Seen(number, trial, report)
    gathered = [list(group.values()) for group in groups.values()]
    racing = {seen.report.place for group in gathered for seen in group if seen.report.kind == DATA_RACE}
    found = [_site(group, trials, launches) for group in gathered if not _follows(group, racing)]
    found = _with_results(_of_one_access(found), dependences)
    found += _of_order(dependences, trials, launches, place)
    return tuple(sorted(found, key=_order))


def _follows(group: Sequence[_Seen], racing: Set[SourcePlace | None]) -> bool:
    """Whether it is what becomes of a race when a warp is late: a read of what nobody has written yet."""
    if group[0].report.kind != "uninitialised-read" or group[0].report.place not in racing:
        return False
    return all(seen.trial.schedule != PLAIN for seen in group)


def _key(report: FaultReport) -> Hashable:
    if report.kind in _STANDSTILLS:
        return report.kind, None if report.place is None else (report.place.path, report.place.line)
    if report.kind not in _RACES:
        return report.kind, report.place
    places = (report.place, *(one.place for one in report.related))
    return DATA_RACE, frozenset(None if one is None else (one.path, one.line) for one in places)


def _of_one_access(sites: Sequence[Site]) -> list[Site]:
    """Races of one severity with the same later access become one, with the other places of all."""
    found: dict[Hashable, Site] = {}
    for number, site in enumerate(sites):
        key = (site.place, site.severity, site.kind) if site.kind in _RACES else number
        known = found.get(key)
        if known is None:
            found[key] = site
            continue
        related = tuple({one.place: one for one in reversed((*known.related, *site.related))}.values())[::-1]
        best, other = (known, site) if known.seen >= site.seen else (site, known)
        found[key] = replace(best, related=related, count=max(best.count, other.count))
    return list(found.values())


def _order(site: Site) -> tuple[str, int, int, str]:
    place = site.place
    return ("", 0, 0, site.kind) if place is None else (place.path, place.line, place.column, site.kind)


def _site(group: Sequence[_Seen], trials: Sequence[Trial], launches: Sequence[int]) -> Site:
    worst = [seen for seen in group if not seen.report.is_note] or group
    best = min(worst, key=lambda seen: (seen.report.kind == SAME_VALUE, *_plainness(seen.trial), seen.number))
    report = best.report
    site = Site(
        kind=report.kind,
        severity=Severity.NOTE if report.is_note else Severity.ERROR,
        place=report.place,
        message=report.message,
        block=report.block,
        thread=report.thread,
        count=report.count,
        related=report.related,
        chosen=report.chosen,
        seen=len(group),
        launch=launches[best.number],
        schedule=best.trial.schedule,
    )
    if site.severity is not Severity.ERROR:
        return site
    site = _for_all_blocks(_for_lanes_in_turns(site, worst, trials), worst, trials)
    if not set(site.chosen) <= _SHAPE and site.severity is not Severity.NOTE:
        return replace(site, severity=_of_chosen(worst, trials))
    return _for_all_launches(site, worst, trials)


def _plainness(trial: Trial) -> tuple[int, int, int]:
    launch, schedule = trial.plan.specification, trial.schedule
    threads = launch.blocks * launch.threads_per_block
    return threads, list(POLICIES).index(schedule.policy), list(WarpOrder).index(schedule.order)


def _of_chosen(worst: Sequence[_Seen], trials: Sequence[Trial]) -> Severity:
    """Of a fault behind which choices may be."""
    shown = {_choices(seen.trial) for seen in worst}
    tried = {_choices(trial) for trial in trials if trial.has_ended}
    return Severity.WARNING if tried <= shown and len(tried) > 1 else Severity.NOTE


def _for_all_launches(site: Site, worst: Sequence[_Seen], trials: Sequence[Trial]) -> Site:
    """A warning where the plainest schedule shows it with some choices and not with others."""
    shown = {_choices(seen.trial): seen.trial for seen in worst if seen.trial.schedule == PLAIN}
    plain = {_choices(trial): trial for trial in trials if trial.has_ended and trial.schedule == PLAIN}
    others = [trial for choices, trial in plain.items() if choices not in shown]
    if not shown or not others or site.severity is not Severity.ERROR:
        return site
    seen, other = next(iter(shown.values())).plan.specification.seed, others[0].plan.specification.seed
    words = f"; seen with the inputs of seed {seen} and not with those of seed {other}"
    return replace(site, severity=Severity.WARNING, message=site.message + words)


def _choices(trial: Trial) -> Hashable:
    """Other launches have other choices; fewer blocks have the same."""
    return None if trial.why in (FEWER_BLOCKS, AS_SAID) else trial.why


def _for_lanes_in_turns(site: Site, worst: Sequence[_Seen], trials: Sequence[Trial]) -> Site:
    """A warning where the same launch ends without it under a policy whose lanes take turns."""
    if site.kind not in _OF_ONE_SIDE:
        return site
    shown = {seen.number for seen in worst}
    launches = {_launch(seen.trial) for seen in worst}
    free = [
        trial.schedule.policy
        for number, trial in enumerate(trials)
        if number not in shown
        and trial.has_ended
        and POLICIES[trial.schedule.policy].can_switch
        and _launch(trial) in launches
    ]
    stuck_too = any(POLICIES[seen.trial.schedule.policy].can_switch for seen in worst)
    if not free or stuck_too:
        return site
    words = f"; not under {free[0]}: machines whose lanes take turns (Volta and later) get past it, others do not"
    return replace(site, severity=Severity.WARNING, message=site.message + words)


def _launch(trial: Trial) -> Hashable:
    launch = trial.plan.specification
    return launch.grid, launch.block, launch.seed, trial.why


def _for_all_blocks(site: Site, worst: Sequence[_Seen], trials: Sequence[Trial]) -> Site:
    """A warning where the block was chosen and not every one that was tried shows it; a note where the first does
    not."""
    if not any(choice.name == "block" and choice.is_chosen for trial in trials[:1] for choice in trial.plan.choices):
        return site
    shown = {seen.trial.plan.specification.block for seen in worst}
    others = [
        trial.plan.specification.block
        for trial in trials
        if trial.has_ended and trial.plan.specification.block not in shown
    ]
    if not others:
        return site
    seen, other = shape(next(iter(sorted(shown)))), shape(others[0])
    words = f"; seen with a block of {seen} and not with one of {other}: nothing says how it is launched"
    chosen = tuple(sorted({*site.chosen, "block"}))
    is_first = trials[0].plan.specification.block in shown
    severity = Severity.WARNING if is_first else Severity.NOTE
    return replace(site, severity=severity, message=site.message + words, chosen=chosen)


# -- results that depend on the schedule -------------------------------------------------------------------------------


def _with_results(sites: Sequence[Site], dependences: Sequence[Dependence]) -> list[Site]:
    """The gravest race says what becomes of it, where runs show that."""
    found = list(sites)
    told = next((one for one in dependences if one.reason is Reason.RACE), None)
    races = [at for at, site in enumerate(found) if site.kind == DATA_RACE]
    if told is None or not races:
        return found
    at = min(races, key=lambda number: (found[number].severity is Severity.NOTE, number))
    found[at] = replace(found[at], message=f"{found[at].message}; {_words(told)}")
    return found


def _of_order(
    dependences: Sequence[Dependence], trials: Sequence[Trial], launches: Sequence[int], place: SourcePlace
) -> list[Site]:
    own = [one for one in dependences if one.reason is not Reason.RACE]
    if not own:
        return []
    worst = min(own, key=lambda one: one.reason is Reason.EXCHANGE)
    is_explained = worst.reason is Reason.EXCHANGE
    why = "; atomics, volatile accesses or operations of warps may be meant to do so" if is_explained else ""
    launch = next(
        number for trial, number in zip(trials, launches, strict=True) if _launch(trial) == _launch(worst.first)
    )
    return [
        Site(
            kind=ORDER_DEPENDENT,
            severity=Severity.NOTE if is_explained else Severity.WARNING,
            place=place,
            message=_words(worst) + why,
            block=_ORIGIN,
            thread=_ORIGIN,
            count=worst.difference.count,
            related=(),
            chosen=(),
            seen=len(own),
            launch=launch,
            schedule=worst.schedule,
        )
    ]


def _words(dependence: Dependence) -> str:
    """`out[3] is 5 under ipdom and 7 under ipdom, last-warp-first`."""
    found = dependence.difference
    element = "".join(f"[{index}]" for index in found.element)
    first: Schedule = dependence.first.schedule
    values = f"is {found.before} under {first.words} and {found.after} under {dependence.schedule.words}"
    return f"the order of threads shows: {found.name}{element} {values}"
