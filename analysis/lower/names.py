"""What a name can stand for, and the chain of scopes in which names are looked up.

Rules   The innermost scope wins: block, function, template parameters, record, namespaces from inside out, and last
        the built-in names of CUDA.  A scope with a `resolver` (records, namespaces) asks it once per name and keeps
        the answer.
Limits  Argument-dependent lookup is done for operators only, by asking the whole unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, final

from analysis.ir.function import VariableId
from analysis.ir.ids import SymbolId
from analysis.ir.source import Span
from analysis.ir.types import MemorySpace, PointerType, Type, UnknownType
from analysis.lower.conversions import ConstantValue
from analysis.syntax.tree import Node

if TYPE_CHECKING:
    from analysis.lower.builtins import BuiltinVariable
    from analysis.lower.functions import FunctionDeclaration
    from analysis.lower.globals import GlobalDeclaration
    from analysis.lower.program import Program
    from analysis.lower.records import Record
    from analysis.lower.templates import TypeTemplateDeclaration
    from analysis.syntax.items import Item
    from analysis.syntax.snippet import Snippet


@final
@dataclass(frozen=True, slots=True)
class DeclaredType:
    """A type as a declaration spells it: the type of the object, and what qualifies the name.

    For a reference, `type` is the type referred to.
    """

    type: Type
    is_reference: bool = False
    is_constant: bool = False
    is_volatile: bool = False

    @property
    def stored(self) -> Type:
        """The type of what a variable declared so holds: an address for a reference."""
        return pointer_to(self) if self.is_reference else self.type


def pointer_to(declared: DeclaredType) -> PointerType:
    return PointerType(declared.type, MemorySpace.GENERIC, declared.is_volatile)


AUTO = UnknownType("auto")
"""The type of a declaration that takes its type from the initialiser."""


@final
@dataclass(slots=True, eq=False)
class LocalVariable:
    """A variable or parameter of the function being lowered."""

    name: str
    symbol: SymbolId
    declared: DeclaredType
    variable: VariableId | None
    constant: ConstantValue | None = None
    """Its value where the variable is constant and the value known at compile time."""


@final
@dataclass(frozen=True, slots=True)
class TypeName:
    declared: DeclaredType
    enumerators: dict[str, ConstantValue] | None = field(default=None, compare=False)


@final
@dataclass(frozen=True, slots=True)
class TypeTemplate:
    """A class or alias template; `declarations` holds the primary one and its specialisations."""

    name: str
    declarations: tuple[TypeTemplateDeclaration, ...]


@final
@dataclass(frozen=True, slots=True)
class ConstantName:
    """An enumerator, a constant with a known value, a bound non-type template parameter."""

    value: ConstantValue
    type: Type


@final
@dataclass(frozen=True, slots=True)
class TemplateValue:
    """A non-type template parameter without an argument."""

    name: str
    type: Type


@final
@dataclass(frozen=True, slots=True)
class GlobalVariable:
    declaration: GlobalDeclaration


@final
@dataclass(frozen=True, slots=True)
class FunctionSet:
    """The functions a name may mean; `builtin` is the name to ask the tables for when none of them fits."""

    name: str
    declarations: tuple[FunctionDeclaration, ...]
    builtin: str | None = None


@final
@dataclass(frozen=True, slots=True)
class NamespaceName:
    path: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class MemberName:
    """A data member of the record whose method is being lowered: `this->name`."""

    record: Record
    name: str


@final
@dataclass(frozen=True, slots=True)
class BuiltinName:
    """`threadIdx`, `warpSize`, `INT_MAX`."""

    name: str
    builtin: BuiltinVariable


@final
@dataclass(frozen=True, slots=True)
class LambdaName:
    """A variable that holds a lambda; calls of it are lowered in place."""

    closure: Closure


@final
@dataclass(slots=True, eq=False)
class Closure:
    """A lambda expression with the scope that its body sees."""

    node: Node
    scope: Scope
    snippet: Snippet
    this: LocalVariable | None
    owner: Record | None
    fixed_span: Span | None


@final
@dataclass(frozen=True, slots=True)
class DependentName:
    """A member of a template parameter, or of something else that is not known."""

    spelling: str


Entity: TypeAlias = (
    LocalVariable
    | TypeName
    | TypeTemplate
    | ConstantName
    | TemplateValue
    | GlobalVariable
    | FunctionSet
    | NamespaceName
    | MemberName
    | BuiltinName
    | LambdaName
    | DependentName
)


@final
@dataclass(frozen=True, slots=True)
class Origin:
    """The text that the nodes of a scope come from; `prefix` starts the names of types declared there."""

    item: Item
    snippet: Snippet
    prefix: str


TemplateArgument: TypeAlias = TypeName | ConstantName | TemplateValue
"""What a template parameter is bound to; a `TemplateValue` is a constant that is not known here."""

Resolver: TypeAlias = Callable[[str], Entity | None]


@final
class Scope:
    """One level of names inside another."""

    __slots__ = ("_missing", "names", "origin", "parent", "program", "resolver")

    def __init__(self, program: Program, parent: Scope | None, resolver: Resolver | None = None) -> None:
        self.program = program
        self.parent = parent
        self.names: dict[str, Entity] = {}
        self.resolver = resolver
        self.origin: Origin | None = None if parent is None else parent.origin
        self._missing: set[str] = set()

    def find(self, name: str) -> Entity | None:
        """What `name` means here, from inside out; None where nothing declares it."""
        scope: Scope | None = self
        while scope is not None:
            entity = scope.names.get(name)
            if entity is None and scope.resolver is not None:
                entity = scope.resolve(name)
            if entity is not None:
                return entity
            scope = scope.parent
        return None

    def resolve(self, name: str) -> Entity | None:
        """What the resolver of this scope alone says about `name`."""
        if name in self.names:
            return self.names[name]
        if self.resolver is None or name in self._missing:
            return None
        self._missing.add(name)  # a declaration that needs itself finds nothing
        entity = self.resolver(name)
        if entity is not None:
            self._missing.discard(name)
            self.names[name] = entity
        return entity

    def declare(self, name: str, entity: Entity) -> None:
        self.names[name] = entity

    def inside(self, resolver: Resolver | None = None) -> Scope:
        return Scope(self.program, self, resolver)
