"""One kernel melded rightly by hand, and the same with a defect of each kind: the referees must tell them apart."""

from __future__ import annotations

from typing import Final

import numpy as np

from sim.specification import Array, LaunchSpecification, Scalar

ARMS: Final = """  if (i < n) {
    // remark 1 on what follows
    out[i] = x[i] + 1;
    sums[i] = n;
  } else {
    out[i] = x[i - n] + 2;
    sums[i] = 7;
  }
"""
RIGHT: Final = """  const bool is_below = i < n;
  // remark 1 on what follows
  out[i] = x[is_below ? i : i - n] + (is_below ? 1 : 2);
  sums[i] = is_below ? n : 7;
"""
ENDLESS: Final = "does not end under ipdom"
WRONG: Final = {
    "a select the wrong way round": (RIGHT.replace("n : 7", "7 : n"), "other memory under ipdom: sums"),
    "both loads executed": (
        RIGHT.replace("  out", "  const int first = x[i], second = x[i - n];\n  out").replace(
            "x[is_below ? i : i - n]", "(is_below ? first : second)"
        ),
        "new fault under ipdom: ",
    ),
    "a statement dropped": (RIGHT.replace("  sums[i] = is_below ? n : 7;\n", ""), "other memory under ipdom: sums"),
    "an endless loop": (RIGHT + "  while (true) out[i]++;\n", ENDLESS),
}
"""The text of the defect, and how the first failure must begin."""
WRONG_TEXTS: Final = {
    **WRONG,
    "a comment dropped": (RIGHT.replace("  // remark 1 on what follows\n", ""), "comment lost: remark 1"),
    "a comment copied": (RIGHT.replace("follows", "follows\n  // remark 1 on what follows"), "comment twice: remark 1"),
    "not C++": (RIGHT.replace("? n", "n"), "parse errors after the edit"),
    "a name that nobody declared": (RIGHT.replace("? n : 7", "? unheard_of() : 7"), "opaque after the edit"),
}
LAUNCH: Final = LaunchSpecification(
    (1, 1, 1),
    (32, 1, 1),
    {
        "n": Scalar(20),
        "x": Array(np.arange(20, dtype=np.int32)),
        "out": Array(np.zeros(32, np.int32)),
        "sums": Array(np.zeros(32, np.int32)),
    },
)
"""Reading both elements of `x` leaves the array."""


def kernel_with(body: str) -> str:
    """The kernel with its arms, or with what they became."""
    return f"__global__ void k(int n, const int *x, int *out, int *sums) {{\n  const int i = threadIdx.x;\n{body}}}\n"
