"""Random control flow of up to twelve blocks, with barriers and branches of every level, as textual IR."""

from __future__ import annotations

from random import Random
from typing import Final

from analysis.ir.function import Function
from analysis.ir.parser import parse_function

SETUP: Final = """
  %t: u32 = special thread.x
  %w: u32 = special warp_index
  %b: u32 = special block.x
  %one: u32 = const 1
  %grid: bool = lt %n, %one
  %block: bool = lt %b, %one
  %warp: bool = lt %w, %one
  %thread: bool = lt %t, %one
"""
CONDITIONS: Final = ("grid", "block", "warp", "thread", "thread")
MOST_BLOCKS: Final = 12


def random_graph(random: Random) -> Function:
    return parse_function(graph_text(random))


def graph_text(random: Random) -> str:
    count = random.randrange(3, MOST_BLOCKS)
    share_of_barriers = random.choice((0.0, 0.1, 0.3))
    straying = random.choice((0.0, 0.2, 0.6))
    """How many edges lead anywhere; the others lead a little forward."""

    def target(block: int) -> str:
        if random.random() < straying:
            return f"b{random.randrange(count)}"
        return f"b{min(count - 1, block + random.randrange(1, 4))}"

    lines = ["kernel @k(%n: u32) {", "entry:", SETUP, "  jump b0"]
    for block in range(count):
        lines.append(f"b{block}:")
        if random.random() < share_of_barriers:
            lines.append(random.choice(("  barrier", "  barrier", "  grid_barrier")))
        pick = random.randrange(10)
        if block == count - 1 or pick == 0:
            lines.append("  trap" if random.randrange(8) == 0 and block < count - 1 else "  return")
        elif pick < 3:
            lines.append(f"  jump {target(block)}")
        else:
            lines.append(f"  branch %{random.choice(CONDITIONS)}, {target(block)}, {target(block)}")
    return "\n".join((*lines, "}"))
