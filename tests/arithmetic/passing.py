"""How the numbers of a random index come to its kernel: by themselves, or in an object, which host code makes in some
way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final, final

_TAKEN: Final = "int n, int m, int w, int h, int c"
_MEMBERS: Final = {"n": "s.n", "m": "s.size.y", "w": "s.in.w", "h": "s.in.h", "c": "s.many[1]"}
_WORD: Final = re.compile(r"\b[nmwhc]\b")


@final
@dataclass(frozen=True, slots=True)
class Passing:
    """What stands before the kernel, what it takes, what it calls each number, and the body of the host function up to
    the launch, with what that passes."""

    before: str
    taken: str
    members: Mapping[str, str]
    made: str
    passed: str

    def in_kernel(self, text: str) -> str:
        """The text of a kernel that takes numbers by themselves."""
        named = _WORD.sub(lambda word: self.members.get(word[0], word[0]), text.replace(_TAKEN, "TAKEN"))
        return self.before + named.replace("TAKEN", self.taken)


def by_themselves(numbers: Mapping[str, int]) -> Passing:
    return Passing("", _TAKEN, {}, "", ", ".join(map(str, numbers.values())))


def in_object(random: Random, name: str, numbers: Mapping[str, int]) -> Passing:
    """In an object of a class of its own, with an object, a vector and an array in it."""
    type_ = f"Size_{name}"
    before = (
        f"struct In_{name} {{ int w, h; }};\n"
        f"struct {type_} {{ int n; int2 size; In_{name} in; int many[3]; float *unused; }};\n"
    )
    listed = "{{{n}, make_int2(1, {m}), {{{w}, {h}}}, {{7, {c}, 7}}}}".format(**numbers)
    members = {key: f"{_MEMBERS[key]} = {number};" for key, number in numbers.items()}
    one_by_one = [*members.values()]
    random.shuffle(one_by_one)
    made, passed = random.choice(
        (
            (f"{type_} s = {listed};", "s"),
            (f"{type_} s{listed};", "s"),
            (f"{type_} s; {' '.join(one_by_one)}", "s"),
            (f"{type_} t = {listed}; {type_} s = t; t.n = 3; t.many[1] = 0;", "s"),
            (f"{type_} s = {{.n = 1}}; s.many[1] = 3; {' '.join(one_by_one)}", "s"),
            (f"{type_} s; s = {type_}{listed};", "s"),
            ("", f"{type_}{listed}"),
            (f"struct {{ {type_} of; }} all; (void)all; {type_} s = {listed}; s.n += 5; s.n -= 5;", "s"),
        )
    )
    return Passing(before, f"{type_} s", _MEMBERS, made, passed)
