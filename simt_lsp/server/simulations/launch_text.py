"""Launch options as a person types them, in the words of the comment above a kernel: `grid=8 block=256 n=2048`.

Rules    Further words: `policy=ipdom,min-pc` or `policy=all`.  What is not understood is an error that names the word.
"""

from __future__ import annotations

from typing import Any

from analysis.launches import annotation


def read_launch_text(text: str) -> dict[str, Any]:
    """The members of `simt.simulate`'s argument that `text` stands for.  Raises `ValueError`."""
    said = annotation("// simt: " + " ".join(text.split()))
    for problem in said.problems:
        raise ValueError(f"{problem.word}: {problem.kind.value}")
    arguments = dict(said.parameters)
    policies = arguments.pop("policy", None)
    members = {
        "grid": said.grid and list(said.grid),
        "block": said.block and list(said.block),
        "sharedBytes": said.shared_bytes,
        "seed": said.seed,
        "arguments": arguments or None,
        "policies": policies and policies.split(","),
    }
    return {name: value for name, value in members.items() if value is not None}
