"""What stays of a finding when lines above it come or go.

Rules    The fingerprint of a finding is made of its rule, its function and the text of its line, without white space;
         equal ones of a file are counted (`…:2`).  SARIF has it as `simtFinding/v1`, and baselines without the count:
         they tell equal lines apart by what stands around them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from simt_lsp.gates.site import Site


def line_digest(site: Site) -> str:
    """The fingerprint without the count."""
    text = "\0".join((site.rule, site.function, "".join(site.text.split())))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def fingerprints(sites: Iterable[Site]) -> list[str]:
    """One for each finding of one file, in their order."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    for site in sites:
        digest = line_digest(site)
        seen[digest] += 1
        found.append(f"{digest}:{seen[digest]}")
    return found
