"""The entry point: all device functions of a translation unit, lowered on demand.

Question  Which device functions does this unit define, and what does each of them do?
Rules     A function is lowered once; its callees are lowered when asked for.  Nothing raises on user input: what is not
          understood is an `Opaque`.  An error of ours costs the function it happens in: its body is one `Opaque` whose
          construct starts with "internal error", and the error is logged.
Limits    Ids of template instances are known once a caller was lowered.
"""

from __future__ import annotations

import logging
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final, final
from weakref import proxy

from analysis.cpp.types.model import QualType
from analysis.cpp.types.model import TemplateArgument as CppArgument
from analysis.ir.function import Function, FunctionKind
from analysis.ir.ids import FunctionId
from analysis.ir.instructions import Opaque
from analysis.ir.limits import Limit
from analysis.ir.pace import spend
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import VOID, StructLayout, Type, UnknownType
from analysis.lower import evaluation, type_instances
from analysis.lower.bodies import lower_body
from analysis.lower.builder import FunctionBuilder, FunctionTooLarge
from analysis.lower.constant_values import Constant, ConstantObject
from analysis.lower.derived_classes import hierarchy_of
from analysis.lower.exact_arguments import exact_arguments
from analysis.lower.expression_types import named_type
from analysis.lower.forgetting import forget_names
from analysis.lower.function_values import addressed_functions
from analysis.lower.functions import function_declarator, function_name, instantiate, is_guess, parameter_list
from analysis.lower.library.source import is_library, snippet_of
from analysis.lower.member_addresses import member_address
from analysis.lower.member_definitions import bind_headers, specialised_pattern
from analysis.lower.names import (
    DeclaredType,
    Entity,
    FunctionDeclaration,
    FunctionInstance,
    GlobalDeclaration,
    Hierarchy,
    MemberAddress,
    NamespaceName,
    Origin,
    Record,
    Resolver,
    Scope,
    TemplateArgument,
    TypeTemplate,
    TypeTemplateDeclaration,
)
from analysis.lower.namespaces import declare_alias, read_enumeration, resolve
from analysis.lower.repairs import repair_in, repair_names
from analysis.lower.substitution import is_substitution_failure
from analysis.lower.templates import abbreviated_parameters, positional, template_parameters
from analysis.lower.types import specifier_words
from analysis.lower.usings import UsingTable, read_usings
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.snippet import Snippet
from analysis.syntax.translation_unit import TranslationUnit
from analysis.syntax.tree import Node

_LOG: Final = logging.getLogger(__name__)
_NUMBER: Final = re.compile(r"#\d+\Z")
"""At the end of an id.  A text that is not understood may have `#` in its parameters."""
DEEPEST_CALLS: Final = 12_000
"""Lowering recurses over trees of `MAX_DEPTH` nodes, some frames per node, through lambdas lowered in place."""


@final
@record
class LowerSettings:
    warp_size: int = 32


@final
@record
class DeviceFunction:
    """A definition in the main file that runs on the device."""

    id: FunctionId
    item: Item
    kind: FunctionKind


@final
@record
class Lowered:
    """One function in memory form, with what its text says besides."""

    function: Function
    item: Item
    error_count: int
    """ERROR and MISSING nodes in its text."""
    unreadable: Span | None
    """The first of them that hides what the function does."""
    is_guess: bool
    """Whether the function itself has some: what it does is not known to who calls it."""
    launch_bounds: tuple[bytes, ...] | None
    callees: tuple[FunctionId, ...]
    returned: QualType | None = None
    """The C++ type of what it gives back; None where that is not known."""
    is_too_large: bool = False
    """Nothing of it is known, since it would take too long to analyse."""
    asks_for_functions: bool = False
    """Whether it calls what a value says: it depends on which functions of the unit that may be."""

    @property
    def opaques(self) -> tuple[Opaque, ...]:
        """What was not understood, in the order of the instructions."""
        return tuple(found for _, found in self.function.instructions() if isinstance(found, Opaque))


@final
class Program:
    """One translation unit, read as declarations; every answer is computed once."""

    def __init__(self, unit: TranslationUnit, settings: LowerSettings | None = None) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST_CALLS))  # never lower: other threads may be deep
        self.unit: Final = unit
        self.settings: Final = LowerSettings() if settings is None else settings
        self.records: Final[dict[str, Record]] = {}
        self.layouts: Final[dict[str, StructLayout]] = {}
        self.variables: Final[dict[str, GlobalDeclaration]] = {}
        """Variables outside functions that lowered functions use, by the name of their symbol."""
        self._instances: dict[FunctionId, FunctionInstance] = {}
        self._lowered: dict[FunctionId, Lowered] = {}
        self._lowering: set[FunctionId] = set()
        self._itself: Program = proxy(self)
        """For the scopes: with a cycle through them, all of a version would wait for the collector, 0.3 s at once."""
        self._scopes: dict[tuple[str, ...], Scope] = {}
        self._snippets: dict[int, Snippet] = {}
        self._declarations: dict[tuple[int, int], FunctionDeclaration | None] = {}
        self._enumerations: dict[int, Scope | None] = {}
        self._operators: dict[str, tuple[FunctionDeclaration, ...]] = {}
        self._templates: dict[int, TypeTemplateDeclaration | None] = {}
        self._hierarchies: dict[str, Hierarchy] = {}

    def close(self) -> None:
        """Lets go of everything: scopes and what they name know each other, so nothing of it would go by itself."""
        for _ in self._forget_names():
            pass
        for table in self._tables():
            table.clear()

    def take_apart(self) -> Sequence[object]:
        """The same with turns for others: nothing is freed but what is let go of the parts that are returned."""
        for rounds in self._forget_names():
            spend(rounds)
        parts = [list(table.values()) for table in self._tables()]
        for table in self._tables():
            table.clear()
        return parts

    def _forget_names(self) -> Iterator[int]:
        return forget_names(
            [*self._scopes.values(), *self._enumerations.values()],
            list(self.records.values()),
            [*self._declarations.values(), *(instance.declaration for instance in self._instances.values())],
            list(self._templates.values()),
        )

    def _tables(self) -> Sequence[dict[Any, Any]]:
        return (
            self._scopes,
            self._enumerations,
            self._instances,
            self._declarations,
            self._templates,
            self._lowered,
            self.records,
            self._hierarchies,
        )

    def __del__(self) -> None:
        """A version that was replaced is free at once, not when the collector walks over all that is kept.

        Nobody has a turn here: what a turn might raise would be lost.  No context variable is set either, because the
        collector may come here while one is being set, and CPython 3.11 then forgets that one.
        """
        self.close()

    # -- answers ------------------------------------------------------------------------------------------------

    def device_functions(self) -> tuple[DeviceFunction, ...]:
        """Every kernel and device function that the main file defines, in text order."""
        return self._device_functions

    def function_of(self, item: Item, number: int | None = None) -> DeviceFunction | None:
        """The device function that an item of the main file defines; None where it defines none.

        `number` counts definitions of the same signature (in other branches of `#if`), where that is known: from 2 on
        it is part of the id, and 1 has the plain id, whoever was asked for first.
        """
        if item.kind is not ItemKind.FUNCTION or not item.is_definition or not item.is_device:
            return None
        owner = type_instances.record_of_owner(self, item) if item.owner is not None else None
        declaration = self.declaration(item, owner)
        if declaration is None:
            return None
        instance = instantiate(declaration, {}, defaults=False)
        plain = FunctionId(_NUMBER.sub("", instance.id))
        if number == 1 and plain == instance.id:
            self._instances[instance.id] = instance
        if number is None or number == 1:
            return DeviceFunction(instance.id, item, declaration.kind)
        instance.id = FunctionId(f"{plain}#{number}")
        self._instances[instance.id] = instance
        if self._instances.get(plain) is instance:  # the plain id belongs to the first of that signature
            del self._instances[plain]
        return DeviceFunction(instance.id, item, declaration.kind)

    def lower(self, id: FunctionId) -> Lowered:
        """The function of that id; KeyError for an id that neither the file nor a lowered caller names."""
        known = self._lowered.get(id)
        if known is not None:
            return known
        if id not in self._instances:
            self.device_functions()
        instance = self._instances[id]
        self._lowering.add(id)
        lowered = self._lower(instance)
        self._lowering.discard(id)
        self._lowered[id] = lowered
        return lowered

    def item_of(self, id: FunctionId) -> Item:
        return self.declaration_of(id).item

    def declaration_of(self, id: FunctionId) -> FunctionDeclaration:
        """The declaration behind an id; KeyError as for `lower`."""
        if id not in self._instances:
            self.device_functions()
        return self._instances[id].declaration

    def instance(self, id: FunctionId, arguments: tuple[TemplateArgument, ...]) -> FunctionId:
        """The instance of a template for explicit arguments; parameters without one take their default."""
        declaration = self._instances[id].declaration
        return instantiate(declaration, positional(declaration.template_parameters, arguments)).id

    def returned(self, id: FunctionId) -> DeclaredType:
        """What a function declared `auto` returns; not known while it is being lowered."""
        if id in self._lowering:
            return DeclaredType(UnknownType("auto"))
        lowered = self.lower(id)
        return DeclaredType(lowered.function.return_type, spelled=lowered.returned)

    # -- what lowering asks for ---------------------------------------------------------------------------------

    @cached_property
    def _device_functions(self) -> tuple[DeviceFunction, ...]:
        found: list[DeviceFunction] = []
        same: Counter[FunctionId] = Counter()
        for item in self.unit.items:
            function = self.function_of(item)
            if function is not None:
                same[function.id] += 1
                if same[function.id] > 1:
                    function = self.function_of(item, same[function.id])
            if function is not None:
                found.append(function)
        return tuple(found)

    @property
    def usings(self) -> UsingTable:
        return self._usings

    @property
    def enumerations(self) -> tuple[Item, ...]:
        """Items that may declare enumerators at namespace scope."""
        return self._enumeration_items

    @cached_property
    def _usings(self) -> UsingTable:
        return read_usings((*self.unit.items, *self.unit.included_items), self.unit.inline_namespaces)

    @cached_property
    def _enumeration_items(self) -> tuple[Item, ...]:
        kinds = (ItemKind.ENUM, ItemKind.ALIAS, ItemKind.VARIABLE)
        return tuple(
            item
            for item in (*self.unit.items, *self.unit.included_items)
            if item.kind in kinds and item.owner is None and b"enum" in item.identifiers
        )

    def enumeration_scope(self, item: Item) -> Scope | None:
        if id(item) not in self._enumerations:
            self._enumerations[id(item)] = None
            self._enumerations[id(item)] = read_enumeration(self, item)
        return self._enumerations[id(item)]

    def snippet(self, item: Item) -> Snippet:
        known = self._snippets.get(id(item))
        if known is None:
            known = snippet_of(item) if is_library(item) else self.unit.snippet(item)
            self._snippets[id(item)] = known
        return known

    def namespace_scope(self, path: tuple[str, ...]) -> Scope:
        """The scope of a namespace, inside those around it."""
        known = self._scopes.get(path)
        if known is None:
            parent = self.namespace_scope(path[:-1]) if path else None
            known = self._scopes[path] = Scope(self._itself, parent, self.namespace_resolver(path))
        return known

    def namespace_resolver(self, path: tuple[str, ...]) -> Resolver:
        program = self._itself
        return lambda name: resolve(program, path, name)

    def find_in_namespace(self, path: tuple[str, ...], name: str) -> Entity | None:
        """`name` qualified with `path`."""
        return self.namespace_scope(path).resolve(name)

    def namespace_named(self, scope: Scope, path: tuple[str, ...]) -> NamespaceName:
        """The namespace that `path` means in `scope`."""
        entity = scope.find(path[0])
        if isinstance(entity, NamespaceName):
            return NamespaceName((*entity.path, *path[1:]))
        return NamespaceName(path)

    def operators(self, name: str) -> tuple[FunctionDeclaration, ...]:
        """Free operator functions of that name, in all namespaces; friends that a class defines are not among them."""
        known = self._operators.get(name)
        if known is None:
            items = [
                item
                for item in self.unit.lookup(name)
                if item.kind is ItemKind.FUNCTION and item.is_definition and item.active
            ]
            found = [self.declaration(item, None) for item in items if item.owner is None]
            known = tuple(declaration for declaration in found if declaration is not None)
            self._operators[name] = known
        return known

    def declaration(self, item: Item, owner: Record | None) -> FunctionDeclaration | None:
        """The function that an item declares, as a method of `owner`; None where its text is not one."""
        key = id(item), id(owner)
        if key not in self._declarations:
            self._declarations[key] = self._declaration(item, owner)
        return self._declarations[key]

    def _declaration(self, item: Item, owner: Record | None) -> FunctionDeclaration | None:
        snippet = self.snippet(item)
        node = snippet.root
        declarator = function_declarator(node)
        if declarator is None:
            declarator = Node("function_declarator", node.start, node.start, node.source)
        headers = all_headers = [template_parameters(self, header) for header in snippet.templates]
        if owner is None:
            repair_in(self, item.namespace, snippet)
        else:
            repair_names(owner.scope, snippet)
        scope = (self.namespace_scope(item.namespace) if owner is None else owner.scope).inside()
        prefix = [*item.namespace, *([item.owner] if item.owner else []), item.name]
        scope.origin = Origin(item, snippet, "::".join(prefix))
        if owner is not None and not item.in_class:
            headers = bind_headers(owner, scope, node, headers)
        words = specifier_words(node)
        name = function_name(declarator) or item.name
        own = (*(headers[-1] if headers else ()), *abbreviated_parameters(parameter_list(declarator)))
        is_static = item.is_friend or ("static" in words and item.in_class)
        return FunctionDeclaration(
            item,
            snippet,
            node,
            declarator,
            name,
            scope,
            owner,
            own,
            is_static,
            "virtual" in words,
            len(all_headers) - len(headers),
        )

    def type_template(self, scope: Scope, item: Item) -> TypeTemplateDeclaration | None:
        if id(item) not in self._templates:
            snippet = self.snippet(item)
            node = snippet.root
            parameters = template_parameters(self, snippet.templates[-1]) if snippet.templates else ()
            pattern = specialised_pattern(node)
            is_type = node.kind.endswith("_specifier") or node.kind in ("alias_declaration", "type_definition")
            found = (
                TypeTemplateDeclaration(item, scope, node, parameters, pattern, snippet.requirements)
                if is_type
                else None
            )
            self._templates[id(item)] = found
        return self._templates[id(item)]

    def register(self, instance: FunctionInstance) -> None:
        known = self._instances.setdefault(instance.id, instance)
        if known is not instance and is_substitution_failure(known.declaration, known):
            self._instances[instance.id] = instance  # overloads that differ in their `enable_if` alone share the id

    def use_variable(self, declaration: GlobalDeclaration) -> None:
        self.variables[declaration.name] = declaration

    def used_variable(self, name: str) -> GlobalDeclaration | None:
        return self.variables.get(name)

    def type_of_item(self, scope: Scope, item: Item) -> Entity | None:
        return type_instances.type_of_item(self, scope, item)

    def declare_record(self, scope: Scope, node: Node) -> Type:
        return type_instances.declare_record(scope, node)

    def declare_alias(self, scope: Scope, node: Node) -> None:
        declare_alias(scope, node)

    def exact_arguments(self, arguments: tuple[TemplateArgument, ...]) -> tuple[CppArgument, ...] | None:
        return exact_arguments(self, arguments)

    def instantiate_type(self, template: TypeTemplate, arguments: tuple[TemplateArgument, ...]) -> Entity | None:
        return type_instances.instantiate_type(self, template, arguments)

    def named_type(self, scope: Scope, node: Node) -> DeclaredType:
        """What a name, an instance of a template, `typename T::name` or a `decltype` means as a type."""
        return named_type(scope, node)

    def evaluate(self, scope: Scope, node: Node, *, is_required: bool) -> Constant | None:
        """The value of a constant expression; `is_required`: whether it stands where the program must have one."""
        return evaluation.evaluate(scope, node, is_required=is_required)

    def hierarchy(self, base: Record) -> Hierarchy:
        """The classes that an object seen as a `base` may be of."""
        known = self._hierarchies.get(base.name)
        if known is None:
            known = self._hierarchies[base.name] = hierarchy_of(self._itself, base)
        return known

    def addressed_functions(self) -> tuple[Sequence[FunctionDeclaration], bool]:
        """The functions that a pointer may lead to, and whether there are no others."""
        return self._addressed_functions

    @cached_property
    def _addressed_functions(self) -> tuple[Sequence[FunctionDeclaration], bool]:
        return addressed_functions(self._itself)

    def member_address(self, scope: Scope, name: Node) -> MemberAddress | None:
        """What `&name` of a member of a class is; None for any other name."""
        return member_address(scope, name)

    def closure_constant(self, scope: Scope, node: Node) -> ConstantObject | None:
        """The object of a lambda expression that captures nothing."""
        return evaluation.closure_constant(scope, node)

    def initial_constant(self, scope: Scope, declared: DeclaredType, value: Node | None) -> Constant | None:
        """What a constant holds that is initialised so."""
        return evaluation.initial_constant(scope, declared, value)

    # -- lowering -----------------------------------------------------------------------------------------------

    def _lower(self, instance: FunctionInstance) -> Lowered:
        snippet = instance.declaration.snippet
        callees: tuple[FunctionId, ...] = ()
        returned: QualType | None = None
        is_too_large = asks = False
        try:
            function, callees, returned, asks = lower_body(self, instance, self.settings.warp_size)
        except FunctionTooLarge:
            function = _unknown(instance, Limit.VALUES.value)
            is_too_large = True
        except RecursionError:  # of the text, not of ours: thousands of lines of a trace tell nothing
            _LOG.warning("lowering %s: its declarations nest too deeply", instance.id)
            function = _unknown(instance, Limit.DECLARATIONS.value)
        except Exception as error:
            _LOG.exception("lowering %s", instance.id)
            function = _unknown(instance, f"internal error: {type(error).__name__}: {error}"[:200])
        return Lowered(
            function,
            instance.declaration.item,
            snippet.error_count,
            snippet.unreadable(),
            is_guess(instance.declaration),
            snippet.launch_bounds,
            callees,
            returned,
            is_too_large,
            asks,
        )


def unknown_function(id: FunctionId, name: str, kind: FunctionKind, span: Span, construct: str) -> Function:
    """A function of which nothing is known."""
    builder = FunctionBuilder()
    builder.emit(Opaque(None, construct, (), True, span))
    return builder.finish(id, name, kind, VOID, span)


def _unknown(instance: FunctionInstance, construct: str) -> Function:
    declaration = instance.declaration
    span = Span(0, len(declaration.item.text))
    return unknown_function(instance.id, declaration.name, declaration.kind, span, construct)
