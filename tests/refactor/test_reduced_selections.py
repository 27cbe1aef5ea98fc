"""A ladder of `else if` asks each operand what it depends on, and nothing else.

The ladder stands in line 4 of a kernel; what the arms load stands beside the operand that takes their place.
"""

from __future__ import annotations

from tests.refactor.melding import assert_same_memory, melded, region


def _kernel(*arms: tuple[str, str], setup: str = "int u = i % 4, v = i / 4 % 4;") -> str:
    """`(condition, index)` for each arm, the last condition empty; each arm does the same sum with another index."""
    lines = ["__global__ void k(int *a, const int *b, int n) {", "  int i = threadIdx.x;", f"  {setup}"]
    for number, (condition, index) in enumerate(arms):
        head = "if" if number == 0 else "} else if"
        lines.append(f"  {head} ({condition}) {{" if condition else "  } else {")
        lines.append(f"    a[i] = b[{index}] * 7 + i * i;")
    return "\n".join([*lines, "  }", "}", ""])


def _operand(text: str) -> str:
    """What the melded sum reads, with the declarations in front of it."""
    after = melded(text, 4)
    assert_same_memory(text, after, "k", {"n": 9})
    return region(text, 4).strip().removesuffix("] * 7 + i * i;").replace("a[i] = b[", "")


def test_corners_and_edges() -> None:
    text = _kernel(
        ("u == 0 && v == 0", "i + 9"), ("u == 0 && v == 3", "i"), ("v == 0", "i + 9"), ("u == 3", "i"), ("", "i")
    )
    assert _operand(text) == "v == 0 ? i + 9 : i"


def test_one_value_has_one_answer() -> None:
    text = _kernel(("u == 0 && v == 1", "i + 9"), ("u == 1", "i"), ("v == 1 && u == 0", "i + 2"), ("", "i"))
    assert _operand(text) == "u == 0 && v == 1 ? i + 9 : i"


def test_an_unknown_bound_may_be_any_number() -> None:
    """With `n` 1, the first and the last row are the same one."""
    text = _kernel(("u == 0 && v == 0", "i"), ("u == n - 1 && v == 0", "i + 9"), ("u == 0", "i"), ("", "i"))
    assert _operand(text) == "u == 0 && v == 0 ? i : u == n - 1 && v == 0 ? i + 9 : i"


def test_comparisons_with_an_order() -> None:
    text = _kernel(("u < 1", "i"), ("u < 2", "i + 9"), ("u >= 2 && v == 9", "i"), ("", "i + 9"))
    assert _operand(text) == "u < 1 || (v == 9 && u >= 2) ? i : i + 9"


def test_a_condition_that_reads_memory_is_asked_where_it_was() -> None:
    text = _kernel(("b[i] > 20 && u == 0", "i"), ("u == 0", "i + 9"), ("", "i"))
    (decided, operand) = _operand(text).splitlines()
    assert decided.endswith(" = b[i] > 20 && u == 0;")
    assert operand.strip().startswith("u == 0 && !")


def test_what_an_arm_assigns_is_decided_in_front() -> None:
    text = """\
__global__ void k(int *a, const int *b, int n) {
  int i = threadIdx.x;
  int u = i % 4, v = i / 4 % 4;
  if (u == 0 && v == 0) {
    u = b[i] * 5;
    a[i] = b[i + 1] * 7 + u;
  } else if (u == 0) {
    u = b[i] * 5;
    a[i] = b[i + 2] * 7 + u;
  } else {
    u = b[i] * 5;
    a[i] = b[i + 2] * 7 + u;
  }
}
"""
    assert "const bool" in region(text, 4)
    assert_same_memory(text, melded(text, 4), "k", {"n": 9})
