from __future__ import annotations

from analysis.ir.function import ENTRY, Parameter
from analysis.ir.instructions import BasicBlockId, ValueId
from analysis.ir.source import NO_SPAN
from analysis.ir.uses import DefinitionSite, Use, Uses
from tests.ir.check import well_formed


def test_definitions_and_users() -> None:
    function = well_formed(
        """
        kernel @k(%0 n: s32, %1 c: bool) {
        entry:
          jump head
        head:
          %2: s32 = phi entry: %0, head: %3
          %3: s32 = mul %2, %2
          branch %1, head, end !0 loop
        end:
          return
        }"""
    )
    uses = Uses.of(function)
    head = BasicBlockId(1)
    phi, product, branch = function.blocks[1].phis[0], function.blocks[1].instructions[0], function.blocks[1].terminator
    assert uses.definition(ValueId(0)) == DefinitionSite(ENTRY, Parameter(ValueId(0), "n", NO_SPAN))
    assert uses.definition(ValueId(2)) == DefinitionSite(head, phi)
    assert uses.definition(ValueId(3)) == DefinitionSite(head, product)
    assert uses.users(ValueId(0)) == (Use(head, phi),)
    assert uses.users(ValueId(1)) == (Use(head, branch),)
    assert uses.users(ValueId(2)) == (Use(head, product),)  # once, though it reads the value twice
    assert uses.users(ValueId(3)) == (Use(head, phi),)


def test_a_hole_has_no_definition() -> None:
    uses = Uses.of(
        well_formed(
            "kernel @k() {\n frames 2\n frame @k in 0 values 0 branches 0 variables 0 [0:0]\n"
            " frame @f in 0 values 0 branches 0 variables 0 [0:0]\n values 1\ne:\n  return\n}"
        )
    )
    assert uses.definition(ValueId(0)) is None
    assert uses.users(ValueId(0)) == ()
