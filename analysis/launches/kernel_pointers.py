"""Variables of host code that stand for a kernel: `auto kernel = k<float>; kernel<<<1, 64>>>(x);`.

Question  Which kernel does a launch mean whose name is that of a local variable?
Rules     The variable is the kernel that its initialiser names if nothing else may happen to it: all its other uses are
          launches, and questions about the kernel or its attributes (`cudaFuncSetAttribute(kernel, …)`).
Limits    A variable that is assigned, passed on or initialised with `c ? a : b` is not followed, nor is a parameter.
Cost      Functions are walked only if they launch a name that they also give a value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias, final

from analysis.ir.pace import spend
from analysis.launches.device_bodies import LAUNCH_CALLS
from analysis.lower.types import innermost
from analysis.syntax.tree import Node

_ASKS: Final = re.compile(rb"(?:cuda|hip)(?:Func|Occupancy)\w*")
_SCOPES: Final = frozenset(
    {
        *("compound_statement", "for_statement", "for_range_loop", "while_statement", "if_statement"),
        *("switch_statement", "lambda_expression", "function_definition", "catch_clause"),
    }
)
_DECLARATIONS: Final = frozenset({"declaration", "parameter_declaration", "optional_parameter_declaration"})
_NAMES: Final = frozenset({"identifier", "template_function", "qualified_identifier"})
_GIVEN_A_VALUE: Final = rb"\b%s\b\s*(?:\)\s*\([^;{}]*\)\s*)?=(?!=)"


class Launched(NamedTuple):
    """`kernel` names the kernel, in the initialiser of a variable that `is_first` launched here."""

    kernel: Node
    is_first: bool


KernelPointers: TypeAlias = Mapping[int, Launched]
"""By the start of what a launch names: the kernel that it stands for."""

NO_POINTERS: Final[KernelPointers] = {}


def kernel_pointers(root: Node, launched: Sequence[Node]) -> KernelPointers:
    """For the function `root`, whose launches name these nodes."""
    names = {name.text for node in launched if (name := _variable_in(node)) is not None}
    if not any(re.search(_GIVEN_A_VALUE % re.escape(name), root.text) for name in names):
        return NO_POINTERS
    walk = _Walk(frozenset(names))
    walk.visit(root)
    return {
        node.start: Launched(variable.kernel, index == 0)
        for variable in walk.variables
        if variable.kernel is not None and not variable.is_used_otherwise
        for index, node in enumerate(variable.launches)
    }


@final
@dataclass(slots=True)
class _Variable:
    """`kernel` is what its initialiser names, None where that is no kernel."""

    kernel: Node | None
    launches: list[Node] = field(default_factory=list[Node])
    is_used_otherwise: bool = False


@final
class _Walk:
    """Over a function in text order, with the variables that its scopes declare."""

    def __init__(self, names: frozenset[bytes]) -> None:
        self._names = names
        self._scopes: list[dict[bytes, _Variable]] = [{}]
        self.variables: list[_Variable] = []

    def visit(self, node: Node) -> None:
        spend(1)
        if node.kind == "identifier":
            variable = self._find(node)
            if variable is not None:
                variable.is_used_otherwise = True
            return
        opens = node.kind in _SCOPES
        if opens:
            self._scopes.append({})
        if node.kind in _DECLARATIONS:
            self._declaration(node)
        elif node.kind == "call_expression":
            self._call(node)
        else:
            for child in node.children:  # one frame of the stack for each level of the tree
                if child.children or child.kind == "identifier":
                    self.visit(child)
        if opens:
            self._scopes.pop()

    def _visit_all(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if node.children or node.kind == "identifier":
                self.visit(node)

    def _declaration(self, node: Node) -> None:
        for child in node.children:
            value = child.field("value") if child.kind == "init_declarator" else None
            if child.role != "declarator":
                self._visit_all((child,))
                continue
            if value is not None:
                self._visit_all((value,))
            bound = next((each for each in child.walk() if each.kind == "structured_binding_declarator"), None)
            name = innermost(child)
            for each in () if bound is None else bound.children:
                self._declare(each, None)
            if bound is None and name is not None:
                self._declare(name, value)

    def _declare(self, name: Node, value: Node | None) -> None:
        if name.kind != "identifier" or name.text not in self._names:
            return
        variable = _Variable(None if value is None else _kernel_in(value))
        self._scopes[-1][name.text] = variable
        self.variables.append(variable)

    def _call(self, node: Node) -> None:
        function, arguments = node.field("function"), node.field("arguments")
        given = () if arguments is None else arguments.children
        is_launch = node.child("kernel_call_syntax") is not None
        for child in node.children:
            if child is not function and child is not arguments:
                self._visit_all((child,))
        if function is not None:
            named = self._variable(function) if is_launch else None
            if named is not None:
                named.launches.append(function)
            elif not (function.kind == "identifier" and not is_launch):
                self._visit_all((function,))
        called = b"" if function is None else function.text
        for index, argument in enumerate(given):
            named = self._variable(argument)
            if named is not None and index == 0 and called in LAUNCH_CALLS:
                named.launches.append(argument)
            elif named is None or _ASKS.fullmatch(called) is None:
                self._visit_all((argument,))

    def _variable(self, node: Node) -> _Variable | None:
        name = _variable_in(node)
        return None if name is None else self._find(name)

    def _find(self, name: Node) -> _Variable | None:
        return next((scope[name.text] for scope in reversed(self._scopes) if name.text in scope), None)


def _variable_in(node: Node) -> Node | None:
    """The name in `kernel`, `(kernel)`, `*kernel` and casts of it to another pointer."""
    match node.kind:
        case "identifier":
            return node
        case "parenthesized_expression" if len(node.children) == 1:
            return _variable_in(node.children[0])
        case "cast_expression":
            value = node.field("value")
            return None if value is None else _variable_in(value)
        case "pointer_expression":
            operator, argument = node.field("operator"), node.field("argument")
            is_read = operator is not None and operator.kind == "*"
            return _variable_in(argument) if is_read and argument is not None else None
        case _:
            return None


def _kernel_in(node: Node) -> Node | None:
    """The name in `k`, `&k<float>`, `(n::k)`; None for anything else."""
    while node.kind in ("parenthesized_expression", "pointer_expression") and node.children:
        operator = node.field("operator")
        if operator is not None and operator.kind != "&":
            return None
        node = node.children[-1]
    return node if node.kind in _NAMES else None
