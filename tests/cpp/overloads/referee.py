"""Does a compiler choose the functions that overload resolution chooses?

Every call is a line of its own: an assertion about what was chosen, or, where we say that the call is wrong, the call
itself, which the compiler must refuse.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from typing import Final

from analysis.cpp.overloads.choice import Candidate, Choice, Chosen, choose
from analysis.cpp.templates.functions import instance_for, is_more_specialised
from tests.cpp.overloads.calls import Call, OverloadSet
from tests.cpp.overloads.world import World
from tests.cpp.world import WORLD
from tests.sim.native.compiler import compilers

_SECONDS: Final = 300
_ERROR: Final = re.compile(r"^set_(?P<set>\d+):(?P<line>\d+):(?:\d+:)? error: (?P<what>.*)", re.MULTILINE)


def wrong(sets: Sequence[OverloadSet]) -> list[str]:
    """Calls for which the compiler says something else, with the functions to choose from."""
    lines = ["#define __device__", WORLD]
    choices: dict[tuple[int, int], tuple[Call, Choice]] = {}
    for number, one in enumerate(sets):
        lines += [f"namespace set_{number} {{", f'#line 1000 "set_{number}"', *one.declarations, *one.variables]
        for index, call in enumerate(one.calls):
            choice = chosen(one, call)
            choices[number, index] = call, choice
            lines += [f'#line {index + 1} "set_{number}"', _line(index, call, choice)]
        lines.append("}")
    judged = [_errors(compiler, lines) for compiler in compilers()]
    return [
        f"{call.text}: {_said(choice)}\n  compiler: {judged[0].get(at, 'accepts it')}\n  "
        + "\n  ".join(_text(sets[at[0]]))
        for at, (call, choice) in choices.items()
        if all(isinstance(choice, Chosen) != (at not in errors) for errors in judged)
    ]


def _errors(compiler: str, lines: Sequence[str]) -> dict[tuple[int, int], str]:
    """What the compiler refuses, by set and call."""
    limit = "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0"
    flags = ("-std=c++20", "-fsyntax-only", "-w", "-pedantic-errors", limit, "-x", "c++", "-")
    done = subprocess.run(
        [compiler, *flags], input="\n".join(lines), capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    errors = {(int(found["set"]), int(found["line"]) - 1): found["what"] for found in _ERROR.finditer(done.stderr)}
    assert not done.returncode or errors, done.stderr[:3000]
    broken = [what for (_, line), what in errors.items() if line >= 999]
    assert not broken, broken[:5]
    return errors


def chosen(one: OverloadSet, call: Call) -> Choice:
    """The choice among functions and instances of templates."""
    instances = [instance_for(World(), template, (), call.arguments) for template in one.templates]
    made = {found.template.function: found for found in instances if found is not None}
    candidates = [
        Candidate(number, found.parameters, found.template.required, found.template.is_variadic, is_template=True)
        for number, found in made.items()
    ]

    def is_more_special(left: Candidate, right: Candidate) -> bool:
        pair = made[left.function].template, made[right.function].template
        return is_more_specialised(World(), *pair, len(call.arguments))

    return choose(World(), [*one.candidates, *candidates], call.arguments, is_more_special)


def _line(index: int, call: Call, choice: Choice) -> str:
    if isinstance(choice, Chosen):
        return f'static_assert(sizeof({call.text}) == {int(str(choice.candidate.function)) + 1}, "");'
    return f'constexpr unsigned long chosen = sizeof({call.text}); static_assert(chosen, "");'


def _said(choice: Choice) -> str:
    return f"function {choice.candidate.function}" if isinstance(choice, Chosen) else type(choice).__name__


def _text(one: OverloadSet) -> list[str]:
    return [*one.declarations, *one.variables]
