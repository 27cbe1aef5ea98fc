"""Random strided loops: `for (i = start; i < bound; i += step)`, with the loop for what another left over."""

from __future__ import annotations

from random import Random

from analysis.ir.function import Function
from analysis.ir.parser import parse_function

STARTS = ("%tx", "%tx", "%rank", "%lane", "%small", "%twice", "%shifted", "%ty", "%loaded")
STEPS = ("%dx", "%dx", "%c4", "%c2", "%c1", "%size", "%unrolled", "%un", "%big")
BOUNDS = ("%n", "%n", "%c9", "%loaded", "%uniform", "%tx")
STAYS = ("lt", "lt", "le", "ne")

HEAD = """kernel @k(%n: s32, %p: ptr<global s32>) {
entry:
  %x: u32 = special thread.x
  %y: u32 = special thread.y
  %z: u32 = special thread.z
  %l: u32 = special lane
  %dimx: u32 = special block_dim.x
  %dimy: u32 = special block_dim.y
  %dimz: u32 = special block_dim.z
  %tx: s32 = convert %x
  %ty: s32 = convert %y
  %lane: s32 = convert %l
  %dx: s32 = convert %dimx
  %c0: s32 = const 0
  %c1: s32 = const 1
  %c2: s32 = const 2
  %c3: s32 = const 3
  %c4: s32 = const 4
  %c9: s32 = const 9
  %big: s32 = const 16
  %planes: u32 = mul %z, %dimy
  %lines: u32 = add %planes, %y
  %before: u32 = mul %lines, %dimx
  %linear: u32 = add %before, %x
  %rank: s32 = convert %linear
  %plane: u32 = mul %dimx, %dimy
  %whole: u32 = mul %plane, %dimz
  %size: s32 = convert %whole
  %unrolled: s32 = mul %dx, %c2
  %small: s32 = rem %tx, %c3
  %twice: s32 = mul %tx, %c2
  %shifted: s32 = add %tx, %n
  %un: s32 = math max %n, %c1
  %own: ptr<global s32> = element %p, %tx
  %raw: s32 = load %own
  %loaded: s32 = rem %raw, %c4
  %first: s32 = load %p
  %uniform: s32 = rem %first, %c9
"""


def strided_kernel(random: Random) -> Function:
    """One to three loops, one behind the other; later ones may go on where an earlier one stopped.

    Of some kernels only the threads at one end of a row come to the loops.
    """
    lines, entry = [HEAD], "entry"
    guard = random.choice(("", "", "lt", "ge"))
    if guard:
        bound = random.choice(("%c2", "%c3", "%c4", "%un"))
        lines.append(f"  %some: bool = {guard} %tx, {bound}\n  branch %some, inside, end\ninside:")
        entry = "inside"
    counters: list[str] = []
    for number in range(random.randrange(1, 4)):
        start = random.choice((*STARTS, *counters, *counters, *counters))
        step, bound, stays = random.choice(STEPS), random.choice(BOUNDS), random.choice(STAYS)
        i, ahead = f"%i{number}", random.choice(("%c0", "%c0", "%dx", "%c4"))
        leaves = random.choice(("%loaded", "%uniform", "%i%", "%i%", ""))
        body = [f"  %next{number}: s32 = add {i}, {step}"]
        way = [f"  jump head{number}"]
        if leaves:
            limit = random.choice(BOUNDS)
            body.append(f"  %out{number}: bool = ge {leaves.replace('%i%', i)}, {limit}")
            way = [f"  branch %out{number}, after{number}, on{number}", f"on{number}:", f"  jump head{number}"]
        latch = f"on{number}" if leaves else f"body{number}"
        lines += [
            f"  jump head{number}\nhead{number}:",
            f"  {i}: s32 = phi {entry}: {start}, {latch}: %next{number}",
            f"  %ahead{number}: s32 = add {i}, {ahead}",
            f"  %stay{number}: bool = {stays} %ahead{number}, {bound}",
            f"  branch %stay{number}, body{number}, after{number}",
            f"body{number}:",
            *body,
            *way,
            f"after{number}:",
        ]
        counters.append(i)
        entry = f"after{number}"
    if guard:
        lines.append("  jump end\nend:")
    return parse_function("\n".join([*lines, "  return", "}", ""]))
