"""Which instances of kernel templates the host code of a file launches.

Question  Which template arguments do the launches of the file give, written or deduced from what they pass?
Rules     Names mean what they mean where the launch stands: constants, aliases and variables of the host function.
          A host template that launches is followed from its calls in the file (`MAX_CALLS` deep): what a lambda is
          passed to may be three functions away from the launch.
          A launch whose arguments are not all known gives None: the kernel may be any instance.
Limits    Kernels are told apart by name and by what fits the arguments.  Work is bounded by `MAX_VISITS` functions.
Source    C++ standard, "Template argument deduction".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from analysis.cpp.conversions.model import Argument
from analysis.ir.record import record
from analysis.launches.device_bodies import LAUNCH_CALLS, launching_macros, mentions_launch
from analysis.launches.find import PASSES_ARGUMENTS, launch_text, launched_name
from analysis.launches.host_scopes import NOWHERE, declare_variables, host_type, is_known
from analysis.launches.kernel_pointers import NO_POINTERS, KernelPointers, kernel_pointers
from analysis.launches.model import LaunchText
from analysis.lower.constant_values import ConstantObject
from analysis.lower.cpp_types import assumed
from analysis.lower.expression_types import checked
from analysis.lower.functions import bind_explicit, instantiate
from analysis.lower.lookup import functions_named
from analysis.lower.names import (
    ArgumentPack,
    ConstantName,
    Declarations,
    FunctionDeclaration,
    FunctionInstance,
    FunctionSet,
    LocalVariable,
    Scope,
    TemplateArgument,
    TypeName,
    TypeTemplate,
)
from analysis.lower.namespaces import declare_alias
from analysis.lower.overloads import UNKNOWN, Choice, choose_for
from analysis.lower.type_instances import record_of_owner
from analysis.lower.types import resolve_type
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.tree import Node

MAX_CALLS: Final = 4
MAX_VISITS: Final = 400


@final
@record
class LaunchedInstance:
    """`launches`: how the launches of it read; what others of the kernel may read too (`k<<<1, 64>>>(x)`)."""

    instance: FunctionInstance
    launches: frozenset[LaunchText]


Launched = Mapping[int, tuple[LaunchedInstance | None, ...]]
"""Instances by the identity of the kernel's declaration, each once; None for a launch that is not understood."""

_SCOPES: Final = frozenset({"compound_statement", "for_statement", "lambda_expression", "if_statement"})
_TYPES: Final = frozenset({"struct_specifier", "class_specifier", "enum_specifier", "union_specifier"})


def launching_functions(program: Declarations) -> tuple[Item, ...]:
    """The functions of the unit that launch kernels, and those that call a template which does."""
    unit = program.unit
    macros = launching_macros(unit)
    functions = [
        item
        for item in (*unit.items, *unit.included_items)
        if item.kind is ItemKind.FUNCTION and item.is_definition and item.active
    ]
    found = {id(item): item for item in functions if mentions_launch(item, macros)}
    for _ in range(MAX_CALLS):
        names = {item.name.encode("utf-8", "replace") for item in found.values() if item.is_template}
        callers = [item for item in functions if id(item) not in found and not names.isdisjoint(item.identifiers)]
        if not names or not callers:
            break
        found |= {id(item): item for item in callers}
    return tuple(found.values())


def launched_instances(program: Declarations, hosts: Sequence[Item]) -> Launched:
    """The instances that these functions launch."""
    return _Walk(program, hosts).run()


@final
class _Walk:
    def __init__(self, program: Declarations, hosts: Sequence[Item]) -> None:
        self._program = program
        self._hosts = hosts
        self._host_names = {item.name for item in hosts if item.is_template}
        self._found: defaultdict[int, dict[str, FunctionInstance | None]] = defaultdict(dict)
        self._texts: defaultdict[str, set[LaunchText]] = defaultdict(set)
        self._visited: set[str] = set()
        self._pointers: KernelPointers = NO_POINTERS
        self._called: set[str] = set()
        """Host templates that some call in the file makes an instance of."""

    def run(self) -> Launched:
        for item in self._hosts:
            if not item.is_template:
                self._visit_item(item)
        for item in self._hosts:
            if item.is_template and item.name not in self._called:
                self._visit_item(item)  # who calls it is not known, so what it launches is not either
        return {key: tuple(map(self._launched, instances.values())) for key, instances in self._found.items()}

    def _launched(self, instance: FunctionInstance | None) -> LaunchedInstance | None:
        return None if instance is None else LaunchedInstance(instance, frozenset(self._texts[instance.id]))

    def _visit_item(self, item: Item) -> None:
        owner = record_of_owner(self._program, item) if item.owner is not None else None
        declaration = self._program.declaration(item, owner)
        if declaration is not None:
            self._visit(instantiate(declaration, {}, defaults=False), 0)

    def _visit(self, host: FunctionInstance, depth: int) -> None:
        body = host.declaration.body
        if body is None or host.id in self._visited or len(self._visited) >= MAX_VISITS or depth > MAX_CALLS:
            return
        self._visited.add(host.id)
        scope = host.scope.inside()
        for parameter in host.signature.parameters:
            scope.declare(parameter.name, LocalVariable(parameter.name, NOWHERE, parameter.declared, None))
        outer = self._pointers
        self._pointers = kernel_pointers(body, [kernel for node in body.walk() if (kernel := launched_name(node))])
        self._read(scope, body, host, depth)
        self._pointers = outer

    def _read(self, scope: Scope, node: Node, host: FunctionInstance, depth: int) -> None:
        """Declarations and launches in text order."""
        kind = node.kind
        if kind == "declaration":
            declare_variables(scope, node, host.id)
        elif kind in ("alias_declaration", "type_definition"):
            declare_alias(scope, node)
        elif kind in _TYPES and node.field("body") is not None:
            resolve_type(scope, node)
            return
        elif kind == "call_expression":
            self._call(scope, node, host, depth)
        inner = scope.inside() if kind in _SCOPES else scope
        for child in node.children:
            if child.children:
                self._read(inner, child, host, depth)

    def _call(self, scope: Scope, node: Node, host: FunctionInstance, depth: int) -> None:
        function, listed = node.field("function"), node.field("arguments")
        if function is None or listed is None:
            return
        if node.child("kernel_call_syntax") is not None:
            self._launch(scope, function, listed.children, host)
        elif function.text in LAUNCH_CALLS and listed.children:
            is_whole = function.text == PASSES_ARGUMENTS
            self._launch(scope, listed.children[0], listed.children[5:] if is_whole else None, host)
        elif _last_name(function) in self._host_names:
            self._follow(scope, function, listed.children, host, depth)

    def _launch(self, scope: Scope, kernel: Node, passed: Sequence[Node] | None, host: FunctionInstance) -> None:
        pointed = self._pointers.get(kernel.start)
        kernel = kernel if pointed is None else pointed.kernel
        named = _named(scope, kernel)
        if named is None:
            return
        declarations, explicit = named
        kernels = [each for each in declarations if each.item.is_kernel and each.template_parameters]
        if not kernels:
            return
        if passed is None:
            chosen = None if len(kernels) > 1 else instantiate(kernels[0], bind_explicit(kernels[0], explicit))
        else:
            choice = self._chosen(scope, kernels, explicit, passed, host)
            chosen = None if choice is None or choice.rivals else choice.instance
        if chosen is not None and is_complete(chosen):
            self._found[id(chosen.declaration)][chosen.id] = chosen
            self._texts[chosen.id].add(launch_text(kernel, passed or ()))
            return
        for kernel_declaration in kernels if chosen is None else [chosen.declaration]:
            self._found[id(kernel_declaration)][""] = None

    def _follow(
        self, scope: Scope, function: Node, arguments: Sequence[Node], host: FunctionInstance, depth: int
    ) -> None:
        """A call of a host template that launches."""
        named = _named(scope, function)
        if named is None:
            return
        declarations, explicit = named
        choice = self._chosen(scope, declarations, explicit, arguments, host)
        if choice is not None:
            self._called.add(choice.instance.declaration.item.name)
            self._visit(choice.instance, depth + 1)

    def _chosen(
        self,
        scope: Scope,
        declarations: Sequence[FunctionDeclaration],
        explicit: tuple[TemplateArgument, ...],
        arguments: Sequence[Node],
        host: FunctionInstance,
    ) -> Choice | None:
        given = [_argument(scope, argument, host) for argument in arguments]
        return choose_for(self._program, declarations, explicit, given)


def _argument(scope: Scope, node: Node, host: FunctionInstance) -> Argument:
    found = checked(scope, node)
    if isinstance(found, Argument):
        return found
    type = host_type(scope, node, host.id)
    return UNKNOWN if type is None else Argument(assumed(type), is_assumed=True)


def is_complete(instance: FunctionInstance) -> bool:
    """Whether all template arguments of an instance are known."""
    names = instance.scope.names
    return all(_is_known(names.get(parameter.name)) for parameter in instance.declaration.template_parameters)


def _is_known(argument: object) -> bool:
    match argument:
        case TypeName(declared=declared):
            return is_known(declared.type)
        case ConstantName() | FunctionSet() | TypeTemplate():
            return True
        case ConstantObject():
            return argument.is_known
        case ArgumentPack(elements=elements):
            return all(map(_is_known, elements))
        case _:
            return False


def _named(scope: Scope, node: Node) -> tuple[tuple[FunctionDeclaration, ...], tuple[TemplateArgument, ...]] | None:
    """The functions that a kernel's or a host function's name means, with the template arguments behind it."""
    found = (functions_named(scope, inner) for inner in _unwrapped(node))
    return next((each for each in found if each is not None), None)


def _unwrapped(node: Node) -> Iterator[Node]:
    """The name inside casts, `&`, parentheses and HIP's macro for names."""
    pending: Node | None = node
    while pending is not None:
        kind = pending.kind
        if kind in ("identifier", "template_function", "qualified_identifier", "dependent_name"):
            yield pending
            return
        following = pending.field("value") or pending.field("argument")
        if kind == "call_expression":
            following = pending.field("arguments")
        elif kind in ("parenthesized_expression", "argument_list") and pending.children:
            following = pending.children[0]
        pending = following


def _last_name(node: Node) -> str:
    while node.kind in ("qualified_identifier", "dependent_name", "template_function"):
        inner = node.field("name")
        if inner is None:
            break
        node = inner
    return node.text.decode("utf-8", "replace")
