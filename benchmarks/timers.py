"""Time per pass, measured from outside: the analysis itself has no clock.

Rules    A pass is one or more functions, named as `module:function` or `module:Class.method`.  While the timers are
         installed each is replaced by a wrapper, in its module and wherever it was imported to.
         A pass is charged its own time only: what it spends inside another pass belongs to that one.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any

PASSES: Mapping[str, tuple[str, ...]] = {
    "parse": ("analysis.syntax.parsing:parse",),
    "preprocess": (
        "analysis.syntax.preprocessing:preprocess",
        "analysis.syntax.snippet:build_snippet",
        "analysis.syntax.translation_unit:TranslationUnit.fingerprint",
    ),
    "lower": ("analysis.lower.program:Program.lower",),
    "promote": ("analysis.ir.promote:promote",),
    "inline": ("analysis.ir.inline:inline_calls",),
    "divergence": ("analysis.divergence.analysis:analyze_divergence",),
    "affine": ("analysis.affine.analysis:analyze_affine",),
    "memory": ("analysis.memory.spaces:infer_spaces",),
    "access": ("analysis.access.analysis:analyze_accesses", "analysis.facts.access_merge:access_facts"),
    "verdict": (
        "analysis.verdict.barriers:find_barriers",
        "analysis.verdict.cost:estimate_costs",
        "analysis.facts.merge:branch_facts",
    ),
    "rules": ("analysis.rules.check:check",),
}


@contextmanager
def timed(passes: Mapping[str, Iterable[str]]) -> Generator[dict[str, float]]:
    """Seconds per pass, filled while the block runs; a pass whose functions do not exist is an error."""
    seconds = dict.fromkeys(passes, 0.0)
    stack: list[float] = []  # per open call: the time spent in calls of timed functions inside it
    undo: list[tuple[Any, str, Any]] = []
    try:
        for name, targets in passes.items():
            for target in targets:
                undo += _replace(target, _wrapper(name, seconds, stack))
        yield seconds
    finally:
        for owner, attribute, original in reversed(undo):
            setattr(owner, attribute, original)


def _wrapper(
    name: str, seconds: dict[str, float], stack: list[float]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            stack.append(0.0)
            start = time.perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                elapsed = time.perf_counter() - start
                seconds[name] += elapsed - stack.pop()
                if stack:
                    stack[-1] += elapsed

        return call

    return decorate


def _replace(target: str, decorate: Callable[[Callable[..., Any]], Callable[..., Any]]) -> list[tuple[Any, str, Any]]:
    """Replace a function wherever it is bound; what must be set back afterwards."""
    module_name, _, path = target.partition(":")
    owner: Any = importlib.import_module(module_name)
    *parents, attribute = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    original = getattr(owner, attribute)
    wrapped = decorate(original)
    places = [(owner, attribute)]
    if not parents:
        places = [
            (module, name)
            for module in list(sys.modules.values())
            if getattr(module, "__name__", "").split(".")[0] in ("analysis", "simt_lsp")
            for name, value in list(vars(module).items())
            if value is original
        ]
    for place, name in places:
        setattr(place, name, wrapped)
    return [(place, name, original) for place, name in places]
