"""The words that the race rules share, and which races are one finding.

One missing barrier lets many pairs of accesses race: pairs that share an access are one finding, at the access that
comes second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from analysis.access.model import AccessKind
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import Location
from analysis.facts.race_records import RacePlace, RaceRecord
from analysis.ir.record import record
from analysis.ir.types import ArrayType, StructLayout, Type
from analysis.lower.layouts import size_of
from analysis.races.model import Order, Participant, RaceKind, RaceWitness
from analysis.rules.access_text import address_part
from analysis.rules.diagnostic import Related
from analysis.rules.rule import Subject
from analysis.rules.run_claim import RaceClaim
from analysis.rules.witness_text import launch_words
from analysis.verdict.barriers import Tier

VERBS: Final = {AccessKind.LOAD: "reads", AccessKind.STORE: "writes", AccessKind.ATOMIC: "updates"}
MAX_RELATED: Final = 8
_UNSURENESS: Final = {Tier.PROVEN: 0, Tier.POSSIBLE: 1, Tier.ASSUMED: 2}


@final
@record
class RaceGroup:
    """Races that one change would mend; the first of them speaks.  `site` is what to mark."""

    analysis: FileAnalysis
    records: tuple[RaceRecord, ...]
    site: Location

    @property
    def first(self) -> RaceRecord:
        return self.records[0]

    @property
    def tier(self) -> Tier:
        return self.first.race.tier

    @property
    def witness(self) -> RaceWitness | None:
        """None where the tier is ASSUMED."""
        return self.first.race.witness

    def claim(self) -> RaceClaim:
        return RaceClaim(tuple((one.first.location, one.second.location) for one in self.records))

    def related(self) -> tuple[Related, ...]:
        """The other places, those of the first race with who comes there."""
        record, witness = self.first, self.witness
        first, second = (
            ("one thread", "another one")
            if witness is None
            else (f"thread {_thread(one, witness)}" for one in (witness.first, witness.second))
        )
        found = {address_location(record.first): f"{first} {VERBS[record.race.first.kind]} it here"}
        found.setdefault(address_location(record.second), f"{second} {VERBS[record.race.second.kind]} it here")
        for other in self.records[1:]:
            for place, use in ((other.first, other.race.first), (other.second, other.race.second)):
                found.setdefault(address_location(place), f"it {VERBS[use.kind]} the same array in this interval")
        places = [Related(location, words) for location, words in found.items() if location != self.site]
        return tuple(places[:MAX_RELATED])


def race_groups(subject: Subject, kind: RaceKind) -> tuple[RaceGroup, ...]:
    """The findings of a kernel, the surest record of each first; undecided ones only where that tier is asked for."""
    undecided = Tier.ASSUMED in subject.tiers
    found = subject.analysis.race_records(subject.function, undecided=undecided)
    records = sorted((one for one in found if one.race.kind is kind), key=_rank)
    groups: list[list[RaceRecord]] = []
    for one in records:
        group = next((known for known in groups if _share_access(known, one)), None)
        if group is None:
            groups.append([one])
        elif one.race.witness is not None or group[0].race.tier is not Tier.PROVEN:
            group.append(one)
    sites: dict[Location, RaceGroup] = {}
    for group in groups:  # the surest comes first
        site = _site(subject, group[0])
        sites.setdefault(site, RaceGroup(subject.analysis, tuple(group), site))
    return tuple(sites.values())


def _rank(one: RaceRecord) -> tuple[int, bool, int]:
    witness = one.race.witness
    same_warp = witness is not None and witness.is_same_warp
    return _UNSURENESS[one.race.tier], same_warp, one.second.location.start


def _share_access(group: Sequence[RaceRecord], one: RaceRecord) -> bool:
    places = {one.first.location, one.second.location}
    return any(not places.isdisjoint((known.first.location, known.second.location)) for known in group)


def _site(subject: Subject, one: RaceRecord) -> Location:
    """The second access; of one in a header the call that leads there."""
    here = address_location(one.second)
    return here if here.path == subject.analysis.facts.path else one.second.call or here


def address_location(place: RacePlace) -> Location:
    part, where = address_part(place.text), place.location
    return where if part is None else Location(where.path, where.start + part.start, where.start + part.stop)


# -- words ------------------------------------------------------------------------------------------------------------


def threads_words(witness: RaceWitness) -> str:
    """`32 and 0`, `(0, 1) and (1, 0)`."""
    return f"{_thread(witness.first, witness)} and {_thread(witness.second, witness)}"


def block_threads_words(witness: RaceWitness) -> str:
    """`Thread 63 of block 0 and thread 0 of block 1`."""
    first, second = (f"hread {_thread(one, witness)} of block {one.block}" for one in (witness.first, witness.second))
    return f"T{first} and t{second}"


def _thread(one: Participant, witness: RaceWitness) -> str:
    x, y, z = one.thread
    if witness.shape.z > 1:
        return f"({x}, {y}, {z})"
    return f"({x}, {y})" if witness.shape.y > 1 else str(x)


def lines_words(analysis: FileAnalysis, one: RaceRecord, element: str) -> str:
    """`line 9 reads `s[0]`, line 3 writes it in the next call`."""
    first, second = address_location(one.first), address_location(one.second)
    verbs = VERBS[one.race.first.kind], VERBS[one.race.second.kind]
    where, there = _line(analysis, first), _line(analysis, second)
    later = later_words(one)
    if where == there:
        both = f"both {verbs[0][:-1]}" if verbs[0] == verbs[1] else f"one {verbs[0]} and the other {verbs[1]}"
        return f"at {where} {both} {element}{later}"
    return f"{where} {verbs[0]} {element}, {there} {verbs[1]} it{later}"


def later_words(one: RaceRecord) -> str:
    """How the second access is later than the first, where it is not just further down."""
    if one.first.function == one.second.function and one.first.frame != one.second.frame:
        return " in another call"
    witness = one.race.witness
    return " in a later round" if witness is not None and witness.order is Order.NEXT_ROUND else ""


def _line(analysis: FileAnalysis, location: Location) -> str:
    line = f"line {analysis.line_in(location.path, location.start)}"
    return line if location.path == analysis.facts.path else f"{line} of {location.path.rpartition('/')[2]}"


def launch_text(analysis: FileAnalysis, one: RaceRecord, witness: RaceWitness) -> str:
    """`blocks of 64 threads, n = 32; if the block goes on at line 9`."""
    launch = launch_words(witness.shape, witness.arguments)
    lines = dict.fromkeys(_line(analysis, place) for place in one.assumed)
    return f"{launch}; if the block goes on at {' and '.join(lines)}" if lines else launch


def element_words(one: RaceRecord) -> str:
    """`s[3]` or `tile[1][2]`, quoted; bytes where it is not one array, the array alone where no element is known."""
    witness, symbol = one.race.witness, one.variable
    if one.pointer is not None and witness is not None:
        width = one.race.first.width
        where, rest = divmod(witness.offset, width)
        return f"byte {witness.offset} of `{one.pointer}`" if rest else f"`{one.pointer}[{where}]`"
    if witness is None:
        return "shared memory" if symbol is None else f"`{symbol.name}`"
    if symbol is None:
        return f"byte {witness.offset} of shared memory"
    return f"`{symbol.name}{_subscripts(symbol.type, witness.offset, one.structs)}`"


def _subscripts(type_: Type, offset: int, structs: Mapping[str, StructLayout]) -> str:
    text = ""
    while isinstance(type_, ArrayType):
        size = size_of(type_.element, structs)
        if not size:
            break
        text += f"[{offset // size}]"
        type_, offset = type_.element, offset % size
    return text
