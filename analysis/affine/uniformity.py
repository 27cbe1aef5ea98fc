"""Where do atoms agree?  An atom agrees in each warp where it is defined; outside of a loop that threads leave apart,
threads bring it from different iterations (temporal divergence)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never, final

from analysis.affine.atoms import Atom, IterationAtom, RegisterAtom, ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.linear_form import LinearForm
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId


@final
class Uniformity:
    def __init__(self, function: Function, control: ControlFlow, divergence: DivergenceResult) -> None:
        self._control = control
        self._divergence = divergence
        self._home = divergence.home
        self._loops: list[frozenset[BasicBlockId] | None] | None = None
        if control.cycles:
            innermost = (control.innermost_cycle(BasicBlockId(block)) for block in range(len(control.successors)))
            self._loops = [None if cycle is None else cycle.blocks for cycle in innermost]
        """For each block the innermost loop around it; None where the function has none."""

    def agrees(self, value: ValueId, form: LinearForm, block: BasicBlockId) -> bool:
        """Has every atom of the value's form one value per warp where `block` reads it?"""
        if self._loops is None:
            return True
        loop = self._loops[self._home(value)]
        if loop is None or block in loop:
            return True  # no loop was left since the definition, where they agreed
        if not self._all_agree(form.base.atoms(), block):
            return False
        return all(self._all_agree(coefficient.atoms(), block) for _, coefficient in form.coefficients)

    def keeps_instances(self, value: ValueId, block: BasicBlockId) -> bool:
        """Do threads of a warp that read the value together in `block` bring it from one instance of its definition?"""
        return self._together(self._control.innermost_cycle(self._divergence.home(value)), block)

    def _all_agree(self, atoms: Iterable[Atom], block: BasicBlockId) -> bool:
        return all(self.atom_agrees(atom, block) for atom in atoms)

    def atom_agrees(self, atom: Atom, block: BasicBlockId) -> bool:
        match atom:
            case RegisterAtom() | SymbolAtom():
                return True
            case ValueAtom(value):
                return self._divergence.use_level(value, block) <= Level.WARP
            case ResidualAtom(value):
                return self._together(self._control.innermost_cycle(self._divergence.home(value)), block)
            case IterationAtom(cycle):
                return self._together(self._control.cycles[cycle], block)
            case _:
                assert_never(atom)

    def _together(self, cycle: Cycle | None, block: BasicBlockId) -> bool:
        """Do the threads of a warp that come to `block` leave `cycle`, and those around it, in one iteration?"""
        while cycle is not None and block not in cycle.blocks:
            if self._divergence.loop_level(cycle) > Level.WARP:
                return False
            cycle = None if cycle.parent is None else self._control.cycles[cycle.parent]
        return True

    def home(self, atom: Atom) -> BasicBlockId | None:
        """Where the atom gets its value; None for what stands when the function begins."""
        match atom:
            case RegisterAtom() | SymbolAtom():
                return None
            case ValueAtom(value) | ResidualAtom(value):
                return None if self._divergence.definition(value) is None else self._divergence.home(value)
            case IterationAtom(cycle):
                return self._control.cycles[cycle].header
            case _:
                assert_never(atom)
