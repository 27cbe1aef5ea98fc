"""Does a compiler choose the functions that overload resolution chooses?

Every call is a line of its own: an assertion about what was chosen, or, where we say that the call is wrong, the call
itself, which the compiler must refuse.
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.cpp.overloads.choice import Ambiguous, Candidate, Choice, Chosen, choose
from analysis.cpp.templates.functions import instance_for, is_more_specialised
from tests.cpp.lines import refused
from tests.cpp.overloads.calls import Call, OverloadSet
from tests.cpp.overloads.world import World
from tests.cpp.world import WORLD


def wrong(sets: Sequence[OverloadSet]) -> list[str]:
    """Calls for which all compilers say something else, with the functions to choose from.

    GCC alone proves no ambiguity: it prefers one of two templates, of which one has a pack, where Clang and the
    standard prefer none.
    """
    choices: dict[tuple[int, int], tuple[Call, Choice]] = {}
    texts: list[tuple[list[str], list[str]]] = []
    for number, one in enumerate(sets):
        lines: list[str] = []
        for index, call in enumerate(one.calls):
            choice = chosen(one, call)
            choices[number, index] = call, choice
            lines.append(_line(index, call, choice))
        texts.append(([*one.declarations, *one.variables], lines))
    judged = refused(["#define __device__", WORLD], texts)
    return [
        f"{call.text}: {_said(choice)}\n  compiler: {judged[0].get(at, 'accepts it')}\n  "
        + "\n  ".join(texts[at[0]][0])
        for at, (call, choice) in choices.items()
        if all(isinstance(choice, Chosen) != (at not in errors) for errors in judged)
        and not (len(judged) == 1 and isinstance(choice, Ambiguous))
    ]


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
