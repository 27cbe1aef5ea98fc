"""How the numbers of a random index come to its kernel: by themselves, in an object, which host code makes in some way,
or in constant memory."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final, final

_TAKEN: Final = "int n, int m, int w, int h, int c"
_MEMBERS: Final = {"n": "s.n", "m": "s.size.y", "w": "s.in.w", "h": "s.in.h", "c": "s.many[1]"}
OF_FUNCTIONS: Final = 0.4
"""How often a function makes the object."""
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
    first: str = ""
    """Of the body of the kernel."""

    def in_kernel(self, text: str) -> str:
        """The text of a kernel that takes numbers by themselves."""
        named = _WORD.sub(lambda word: self.members.get(word[0], word[0]), text.replace(_TAKEN, "TAKEN"))
        return self.before + named.replace("TAKEN", self.taken).replace("{\n", f"{{\n{self.first}", 1)


def by_themselves(random: Random, name: str, numbers: Mapping[str, int]) -> Passing:
    return Passing("", _TAKEN, {}, "", ", ".join(map(str, numbers.values())))


def through_shared_memory(random: Random, name: str, numbers: Mapping[str, int]) -> Passing:
    """By themselves, and a thread of each block writes some of them to shared memory."""
    writer = random.choice(("if (threadIdx.x == 0 && threadIdx.y == 0) ", "if (threadIdx.x == 1) ", ""))
    first = f"  __shared__ int kept[2], most;\n  {writer}{{ kept[1] = n; most = m; }}\n  __syncthreads();\n"
    members = {"n": "kept[1]", "m": "most"}
    return Passing("", _TAKEN, members, "", ", ".join(map(str, numbers.values())), first)


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
    first = f"{type_} made_{name}(int m) {{ {type_} s = {listed}; s.size.y = m; return s; }}\n"
    by_reference = f"void fill_{name}({type_} &s, int w) {{ s.in.w = w; {members['n']} }}\n"
    by_pointer = f"void fill_{name}({type_} *s) {{ s->n = {numbers['n']}; s->many[1] = {numbers['c']}; }}\n"
    functions, made, passed = random.choice(
        (
            (first, f"{type_} s = made_{name}({numbers['m']});", "s"),
            (first, "", f"made_{name}({numbers['m']})"),
            (by_reference, f"{type_} s = {listed}; s.n = s.in.w = 1; fill_{name}(s, {numbers['w']});", "s"),
            (by_pointer, f"{type_} s = {listed}; s.n = 1; fill_{name}(&s);", "s"),
        )
        if random.random() < OF_FUNCTIONS
        else (
            ("", f"{type_} s = {listed};", "s"),
            ("", f"{type_} s{listed};", "s"),
            ("", f"{type_} s; {' '.join(one_by_one)}", "s"),
            ("", f"{type_} t = {listed}; {type_} s = t; t.n = 3; t.many[1] = 0;", "s"),
            ("", f"{type_} s = {{.n = 1}}; s.many[1] = 3; {' '.join(one_by_one)}", "s"),
            ("", f"{type_} s; s = {type_}{listed};", "s"),
            ("", "", f"{type_}{listed}"),
            ("", f"struct {{ {type_} of; }} all; (void)all; {type_} s = {listed}; s.n += 5; s.n -= 5;", "s"),
        )
    )
    return Passing(before + functions, f"{type_} s", _MEMBERS, made, passed)


def in_constants(random: Random, name: str, numbers: Mapping[str, int]) -> Passing:
    """In variables of the device, which are initialised, or copied to, here or in a function that is called before."""
    members: dict[str, str] = {}
    before = f"struct {_KEPT}{name} {{ int w; int h[2]; }};\n"
    made = functions = ""
    for key in ("n", "m", "c"):
        members[key] = f"{key}_{name}"
        copy = f"cudaMemcpyToSymbol({key}_{name}, &{key}, sizeof(int));"
        way = random.randrange(4)
        before += f"__constant__ int {key}_{name}{f' = {numbers[key]}' if way == 0 else ''};\n"
        match way:
            case 1:
                made += f"int {key} = {numbers[key]}; {copy} {key} = 1; "
            case 2:
                functions += f"void set_{key}_{name}(int {key}) {{ {copy} }}\n"
                made += f"set_{key}_{name}({numbers[key]}); "
            case 3:
                made += f"const int {key} = {numbers[key]}; check({copy.rstrip(';')}); "
            case _:
                pass
    before += f"__constant__ {_KEPT}{name} s_{name};\n"
    members |= {"w": f"s_{name}.w", "h": f"s_{name}.h[1]"}
    made += f"{_KEPT}{name} s = {{{numbers['w']}, {{1, {numbers['h']}}}}}; cudaMemcpyToSymbol(s_{name}, &s, sizeof s);"
    return Passing(before + functions, "int unused", members, made, "0")


_KEPT: Final = "Kept_"
