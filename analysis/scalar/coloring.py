"""Which place does each web of registers get?

Greedy colouring in the order in which webs become live: each takes the first place that nobody else needs while it is
live.  Without phis that is optimal (live ranges of SSA values form a chordal graph); webs that phis join may need a
few places more.  In scalarized code the places are then renamed, so that most values keep the number that they have in
the conventional code, as in Fig. 1 of Lee et al.

Cost    O(webs * places) operations on sets of slots.
Source  Hack, Grund, Goos: Register allocation for programs in SSA form, CC 2006.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import count
from typing import final

from analysis.scalar.code import Code, Key, registers
from analysis.scalar.machine import Bank, Register
from analysis.scalar.phi_copies import Webs


@final
class Places:
    """Register numbers from 1, and in which slots each is occupied."""

    def __init__(self) -> None:
        self.of_web: dict[int, int] = {}
        self.bank: dict[int, Bank] = {}
        self.occupied: dict[tuple[Bank, int], int] = {}

    def put(self, web: int, bank: Bank, slots: int) -> None:
        """The web goes to the first free place."""
        place = self.free(bank, slots)
        self.of_web[web] = place
        self.bank[web] = bank
        self.occupied[bank, place] = self.occupied.get((bank, place), 0) | slots

    def free(self, bank: Bank, slots: int) -> int:
        """The first place that nobody occupies in any of the slots."""
        place = 1
        while self.occupied.get((bank, place), 0) & slots:
            place += 1
        return place

    def size(self, bank: Bank) -> int:
        """How many places are in use."""
        return sum(other is bank for other, _ in self.occupied)


def color(code: Code, webs: Webs, preferences: Mapping[Key, int]) -> Places:
    """Places for all registers that the code mentions."""
    banks = _banks(code, webs)
    places = Places()
    for web in sorted(banks, key=lambda web: (webs.slots[web] & -webs.slots[web], web)):
        places.put(web, banks[web], webs.slots[web])
    return _renamed(places, _votes(code, webs, banks, places, preferences)) if preferences else places


def _votes(
    code: Code, webs: Webs, banks: Mapping[int, Bank], places: Places, preferences: Mapping[Key, int]
) -> dict[tuple[Bank, int], Counter[int]]:
    """For each place, how many slots' worth of live ranges ask for which number."""
    votes: dict[tuple[Bank, int], Counter[int]] = {place: Counter() for place in places.occupied}
    asked: set[int] = set()
    for register, key in enumerate(code.keys):
        web = webs.find(register)
        if key in preferences and web in banks and web not in asked:
            asked.add(web)
            votes[banks[web], places.of_web[web]][preferences[key]] += webs.slots[web].bit_count()
    return votes


def _renamed(places: Places, votes: Mapping[tuple[Bank, int], Counter[int]]) -> Places:
    """The same colouring under other numbers: each place gets the number most of it asks for, if nobody has it."""
    ballots = [
        (-weight, place[1], wanted, place) for place, votes_ in votes.items() for wanted, weight in votes_.items()
    ]
    number: dict[tuple[Bank, int], int] = {}
    taken: set[tuple[Bank, int]] = set()
    for _, _, wanted, place in sorted(ballots, key=lambda ballot: ballot[:3]):
        if place not in number and (place[0], wanted) not in taken:
            number[place] = wanted
            taken.add((place[0], wanted))
    for place in sorted(votes, key=lambda place: place[1]):
        if place not in number:
            number[place] = next(n for n in count(1) if (place[0], n) not in taken)
            taken.add((place[0], number[place]))
    renamed = Places()
    renamed.occupied = {(place[0], number[place]): slots for place, slots in places.occupied.items()}
    renamed.of_web = {web: number[places.bank[web], place] for web, place in places.of_web.items()}
    renamed.bank = places.bank
    return renamed


def _banks(code: Code, webs: Webs) -> dict[int, Bank]:
    banks: dict[int, Bank] = {}
    for item in code.instructions():
        for register in (*item.results, *registers(item.operands)):
            banks[webs.find(register.number)] = register.bank
    return banks


def placed(places: Places, webs: Webs, register: Register) -> Register:
    return Register(register.bank, places.of_web[webs.find(register.number)])
