"""What the words of the page mean, folded away at its end."""

from __future__ import annotations

from typing import Final

from presentation.html.markup import Markup, element

TERMS: Final = (
    ("warp", "The threads that run one instruction together: 32, unless the report says otherwise."),
    ("lane", "The place of one thread in its warp. Active lanes run; others wait for them, or have left the kernel."),
    ("warp instruction", "One instruction that a warp, or a part of it that runs by itself, issues."),
    ("thread instruction", "The share of one active lane in a warp instruction."),
    ("issue slots", "All lanes of all warp instructions, active or not: what the kernel takes."),
    ("SIMD efficiency", "Thread instructions by issue slots: 100 % where no lane ever idled."),
    ("split", "The lanes of a warp go different ways at a branch; the ways run one after the other until they meet."),
    ("varying, uniform", "What the analysis says of a condition before anything runs: lanes may differ on it, or not."),
    ("request", "One warp instruction that reads or writes memory."),
    ("sector", "32 bytes of global memory, the least that moves."),
    ("ideal", "The sectors that the bytes a request asks for would fill, were they side by side."),
    ("pass", "One turn over the 32 banks of shared memory; lanes that want different words of one bank take turns."),
    ("bank conflicts", "Passes beyond those that the width of the access needs."),
    ("barrier", "A place where all threads of a block wait for each other."),
    ("policy", "Decides which lanes of a split warp run next, and where they come together again."),
    ("fault", "Something that no program may do: an access outside of an array, a race, a barrier that threads miss."),
)


def terms_card() -> Markup:
    entries = [part for term, meaning in TERMS for part in (element("dt", term), element("dd", meaning))]
    counts = element(
        "p",
        "Every number is counted in a simulation of the code as it is written, before an optimising compiler;"
        " none is a time on a device.",
        class_="muted",
    )
    summary = element("summary", "What the words mean")
    return element("details", summary, element("dl", *entries), counts, class_="card folded terms")
