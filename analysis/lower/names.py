"""What a name can stand for, and the chain of scopes in which names are looked up.

Rules   The innermost scope wins: block, function, template parameters, record, namespaces from inside out, and last
        the built-in names of CUDA.  A scope with a `resolver` (records, namespaces) asks it once per name and keeps
        the answer.
Limits  Argument-dependent lookup is done for operators only, by asking the whole unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, final

from analysis.cpp.expressions.parts import member_type
from analysis.cpp.types.model import QualType
from analysis.cpp.types.model import TemplateArgument as CppArgument
from analysis.ir.function import FunctionKind, SymbolKind, VariableId
from analysis.ir.ids import FunctionId, SymbolId
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import CLASS_NUMBER, StructLayout, StructType, Type
from analysis.lower.builtins import BuiltinVariable
from analysis.lower.constant_values import Constant, ConstantName, ConstantObject
from analysis.lower.conversions import ConstantValue
from analysis.lower.declared_types import AUTO as AUTO
from analysis.lower.declared_types import DECLTYPE as DECLTYPE
from analysis.lower.declared_types import DECLTYPE_AUTO as DECLTYPE_AUTO
from analysis.lower.declared_types import DeclaredType as DeclaredType
from analysis.lower.declared_types import declared_as as declared_as
from analysis.lower.declared_types import is_inferred as is_inferred
from analysis.lower.declared_types import pointer_to as pointer_to
from analysis.lower.usings import UsingTable
from analysis.syntax.items import Item
from analysis.syntax.snippet import Snippet
from analysis.syntax.translation_unit import TranslationUnit
from analysis.syntax.tree import Node


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
    object: ConstantObject | None = None
    may_be_constant: bool = False
    """A reference that may be to a constant object, though it does not say so."""
    is_parameter: bool = False
    is_callers: bool = False
    """A parameter that is an object of the caller: `symbol` holds its address."""
    is_binding: bool = False
    """A name in `auto [a, b]`: a reference to a member, whose type `decltype` says as if it were the member itself."""
    most_derived: Record | None = None
    """Of a reference, or of `this`: the class that the whole object has, where that is known."""

    @property
    def is_constant(self) -> bool | None:
        """Whether what the name denotes is `const`; None where that is not known."""
        return True if self.declared.is_constant else None if self.may_be_constant else False


@final
@record
class TypeName:
    declared: DeclaredType
    enumerators: dict[str, ConstantValue] | None = field(default=None, compare=False)
    template: str | None = field(default=None, compare=False)
    """The name of the template template parameter that it is, while that stands for itself."""


@final
@record
class TypeTemplate:
    """A class, alias or variable template with its specialisations; of the standard library, without declarations."""

    name: str
    declarations: tuple[TypeTemplateDeclaration, ...]


@final
@record
class TemplateValue:
    """A non-type template parameter without an argument; `exact` is its C++ type where that is known."""

    name: str
    type: Type
    exact: QualType | None = field(default=None, compare=False)


@final
@record
class VariableAddress:
    """`&variable` as a template argument; a reference parameter is bound to the `GlobalVariable` itself."""

    declaration: GlobalDeclaration


@final
@record
class MemberAddress:
    """`&Class::member`: how it is spelled, the number that a pointer to the member holds, and the type of one."""

    name: str
    number: int
    exact: QualType


@final
@record
class PackPattern:
    """`T...` where the pack T stands for itself: as many arguments as T will have, of that form."""

    element: TemplateArgument


@final
@record
class ArgumentPack:
    """What a template parameter pack is bound to."""

    elements: tuple[TemplateArgument, ...]


@final
@record
class VariablePack:
    """A function parameter pack: one variable for each argument."""

    elements: tuple[LocalVariable | LambdaName, ...]


@final
@record
class GlobalVariable:
    declaration: GlobalDeclaration


@final
@record
class FunctionSet:
    """The functions a name may mean; `builtin` is the name to ask the tables for when none of them fits."""

    name: str
    declarations: tuple[FunctionDeclaration, ...]
    builtin: str | None = None


@final
@record
class NamespaceName:
    path: tuple[str, ...]


@final
@record
class MemberName:
    """A data member of the record whose method is being lowered: `this->name`."""

    record: Record
    name: str


@final
@record
class BuiltinName:
    """`threadIdx`, `warpSize`, `INT_MAX`."""

    name: str
    builtin: BuiltinVariable


@final
@record
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
@record
class DependentName:
    """A member of a template parameter, or of something else that is not known."""

    spelling: str


Entity: TypeAlias = (
    LocalVariable
    | TypeName
    | TypeTemplate
    | Constant
    | TemplateValue
    | VariableAddress
    | MemberAddress
    | ArgumentPack
    | VariablePack
    | GlobalVariable
    | FunctionSet
    | NamespaceName
    | MemberName
    | BuiltinName
    | LambdaName
    | DependentName
)
Qualifier = NamespaceName | TypeName | TypeTemplate | DependentName
"""What may stand in front of `::`."""


@final
@record
class Origin:
    """The text that the nodes of a scope come from; `prefix` starts the names of types declared there."""

    item: Item
    snippet: Snippet
    prefix: str


TemplateArgument: TypeAlias = (
    TypeName
    | TypeTemplate
    | Constant
    | FunctionSet
    | GlobalVariable
    | VariableAddress
    | MemberAddress
    | TemplateValue
    | ArgumentPack
    | PackPattern
)
"""What a template parameter is bound to; a `TemplateValue` is a constant that is not known here."""

InstanceKey: TypeAlias = tuple[tuple[TemplateArgument, ...], tuple[str, ...]]
"""The template arguments of an instance, and how each is spelled: that tells C++ types apart which are stored alike."""

Resolver: TypeAlias = Callable[[str], Entity | None]


@final
class Scope:
    """One level of names inside another."""

    __slots__ = ("_missing", "names", "origin", "parent", "program", "resolver", "this")

    def __init__(self, program: Declarations, parent: Scope | None, resolver: Resolver | None = None) -> None:
        self.program = program
        self.parent = parent
        self.names: dict[str, Entity] = {}
        self.resolver = resolver
        self.origin: Origin | None = None if parent is None else parent.origin
        self.this: QualType | None = None if parent is None else parent.this
        """The class of the object that a method is called on, with the qualifiers that it has in the body."""
        self._missing: set[str] | None = None  # most scopes have no resolver

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

    def find_qualifier(self, name: str) -> Entity | None:
        """What `name` means in front of `::`, where variables, functions and enumerators do not count.

        Source: C++20 standard, [basic.lookup.qual].
        """
        return self._find_only(name, lambda entity: isinstance(entity, Qualifier))

    def find_template(self, name: str) -> TypeTemplate | None:
        """The class template of that name: inside of an instance the name alone means the instance."""
        found = self._find_only(name, lambda entity: isinstance(entity, TypeTemplate))
        return found if isinstance(found, TypeTemplate) else None

    def _find_only(self, name: str, counts: Callable[[Entity | None], bool]) -> Entity | None:
        """The first entity from inside out that counts; what is declared in front of it hides nothing."""
        scope: Scope | None = self
        while scope is not None:
            entity = scope.names.get(name)
            if not counts(entity) and scope.resolver is not None:
                entity = scope.resolve(name)
            if counts(entity):
                return entity
            scope = scope.parent
        return None

    def resolve(self, name: str) -> Entity | None:
        """What the resolver of this scope alone says about `name`."""
        if name in self.names:
            return self.names[name]
        if self.resolver is None:
            return None
        if self._missing is None:
            self._missing = set()
        missing = self._missing
        if name in missing:
            return None
        missing.add(name)  # a declaration that needs itself finds nothing
        entity = self.resolver(name)
        if entity is not None:
            missing.discard(name)
            self.names[name] = entity
        return entity

    def look_again(self) -> None:
        """What was asked for before all was declared is asked for again."""
        if self._missing is not None:
            self._missing.clear()

    def declare(self, name: str, entity: Entity) -> None:
        self.names[name] = entity

    def inside(self, resolver: Resolver | None = None) -> Scope:
        return Scope(self.program, self, resolver)


# -- declarations --------------------------------------------------------------------------------------------------


@final
@record
class TemplateParameter:
    """`node` is its declaration; `default` what follows `=`; `concept` what a type must satisfy, in `Number T`."""

    name: str
    is_type: bool
    is_pack: bool
    node: Node
    default: Node | None
    concept: Node | None = None


@final
@dataclass(slots=True, eq=False)
class TypeTemplateDeclaration:
    """A class, alias or variable template, or a specialisation (`pattern` is then its argument list)."""

    item: Item
    scope: Scope
    node: Node
    parameters: tuple[TemplateParameter, ...]
    pattern: Node | None
    requirements: tuple[Node, ...] = ()


@final
@record
class ParameterDeclaration:
    """One formal parameter; `name` is empty where it has none, `pack` names the pack that it is an element of."""

    name: str
    node: Node
    declared: DeclaredType
    default: Node | None
    is_pack: bool = False
    pack: str = ""


@final
@record
class Signature:
    """Parameters without `this`; `returns` may be AUTO."""

    parameters: tuple[ParameterDeclaration, ...]
    returns: DeclaredType
    is_variadic: bool

    @property
    def required(self) -> int:
        """How many arguments a call must give."""
        return sum(1 for parameter in self.parameters if parameter.default is None and not parameter.is_pack)

    def accepts(self, count: int) -> bool:
        most = len(self.parameters)
        is_open = self.is_variadic or any(parameter.is_pack for parameter in self.parameters)
        return self.required <= count and (count <= most or is_open)


@final
@dataclass(slots=True, eq=False)
class FunctionDeclaration:
    """One declaration or definition of a function or method, not yet bound to template arguments."""

    item: Item
    snippet: Snippet
    node: Node
    declarator: Node
    name: str
    scope: Scope
    owner: Record | None
    template_parameters: tuple[TemplateParameter, ...]
    is_static: bool
    """A static method, or a friend that the class body defines: there is no `this`."""
    is_virtual: bool
    headers_of_classes: int = 0
    """How many of the template headers in front belong to classes around: of a definition outside of its class."""
    generic: Signature | None = None
    instances: dict[InstanceKey, FunctionInstance] = field(default_factory=dict["InstanceKey", "FunctionInstance"])
    for_calls: dict[FunctionId, FunctionInstance] = field(default_factory=dict[FunctionId, "FunctionInstance"])
    """Instances for the cooperative groups that calls pass as `thread_group`, or for the class of their object."""

    @property
    def body(self) -> Node | None:
        return self.node.field("body")

    @property
    def is_constructor(self) -> bool:
        return self.owner is not None and self.name == self.owner.simple_name

    @property
    def is_destructor(self) -> bool:
        return self.owner is not None and self.name == "~" + self.owner.simple_name

    @property
    def has_this(self) -> bool:
        return self.owner is not None and not self.is_static

    @property
    def kind(self) -> FunctionKind:
        return FunctionKind.KERNEL if self.item.is_kernel else FunctionKind.DEVICE


@final
@dataclass(slots=True, eq=False)
class FunctionInstance:
    """A function, template parameters bound (perhaps to themselves) and pointers to functions `pointed` to some."""

    id: FunctionId
    declaration: FunctionDeclaration
    scope: Scope
    signature: Signature
    this: DeclaredType | None
    pointed: Mapping[str, FunctionSet] = field(default_factory=dict[str, FunctionSet])
    most_derived: Record | None = None
    """The class that the object of the call has, where the instance is for objects of that class alone."""


@final
@dataclass(slots=True, eq=False)
class GlobalDeclaration:
    """A variable at namespace scope, or a static data member; `name` is qualified: there is one object of each."""

    name: str
    scope: Scope
    declared: DeclaredType
    kind: SymbolKind | None
    """None for a host variable."""
    value: Node | None
    snippet: Snippet | None
    constant: ConstantName | None
    is_constexpr: bool = False
    contents: ConstantObject | None = None
    """What a `constexpr` object or array holds, once `constants.py` was asked."""
    is_read: bool = False


@final
@record
class RecordField:
    """`default` initialises it, `alignment` (bytes) is what is asked for in front, `width` (bits) a bit-field's."""

    name: str
    declared: DeclaredType
    default: Node | None
    alignment: int = 1
    width: int | None = None
    is_mutable: bool = False

    @property
    def is_class_number(self) -> bool:
        """Whether it stands for the pointer to a table of virtual functions, and is no member of the program's."""
        return self.declared.type == CLASS_NUMBER

    def type_in(self, object: QualType) -> QualType | None:
        """The C++ type of the member in an object of that type, which may be `const`; None where it is not known."""
        exact = self.declared.exact
        return None if exact is None else member_type(object, exact, is_mutable=self.is_mutable)


@final
@dataclass(slots=True, eq=False)
class Record:
    """One struct, or one instance of a class template."""

    name: str
    simple_name: str
    type: StructType
    node: Node
    snippet: Snippet
    item: Item
    is_local: bool
    scope: Scope
    template: str | None
    arguments: tuple[TemplateArgument, ...]
    parameters: tuple[TemplateParameter, ...] = ()
    """Of an instance, those of the template or partial specialisation that it was made from."""
    is_union: bool = False
    closure: Closure | None = None
    """The lambda whose class it is, made in the function `closure_function`."""
    closure_function: FunctionId | None = None
    is_polymorphic: bool | None = None
    """Whether it has virtual methods, once `virtual_calls.py` was asked."""
    fields: list[RecordField] = field(default_factory=list[RecordField])
    bases: list[tuple[Record, int]] = field(default_factory=list["tuple[Record, int]"])
    """Each base with the index of its first member here."""
    own_fields: int = 0  # index of the first member that is not a base's
    parts: int = 1  # scalars that it consists of, an array counting as one element
    empties: frozenset[tuple[int, str]] = frozenset()
    """Where its objects have parts of empty classes: offsets, and names of classes."""
    has_unknown_base: bool = False
    is_guess: bool = False
    """The primary template for arguments that a specialisation may be meant for: its members may be others."""
    method_nodes: dict[str, list[Node]] = field(default_factory=dict[str, "list[Node]"])
    introduced: dict[str, list[Record]] = field(default_factory=dict[str, "list[Record]"])
    inherited: list[Record] = field(default_factory=list["Record"])
    """Bases with methods of a name (`using Base::name;`), and with constructors, that are also this class's."""
    statics: dict[str, GlobalDeclaration] = field(default_factory=dict[str, GlobalDeclaration])
    methods: dict[str, tuple[FunctionDeclaration, ...]] = field(
        default_factory=dict[str, "tuple[FunctionDeclaration, ...]"]
    )

    def member(self, name: str) -> Entity | None:
        """What `name` means in this class or its bases."""
        found = self.scope.names.get(name)
        return self.scope.resolve(name) if found is None else found

    def field_index(self, name: str) -> int | None:
        """The member of that name; an own member hides a base's."""
        index = len(self.fields)
        for member in reversed(self.fields):
            index -= 1
            if member.name == name:
                return index
        return None


@final
@record
class Hierarchy:
    """`classes` that objects may be of: some class and those derived from it, in the order of their names.

    `is_known`: there are no others.
    """

    classes: tuple[Record, ...]
    is_known: bool


class Declarations(Protocol):
    """What scopes ask of the whole unit; `program.py` answers."""

    @property
    def unit(self) -> TranslationUnit: ...
    @property
    def records(self) -> dict[str, Record]: ...
    @property
    def layouts(self) -> dict[str, StructLayout]: ...
    @property
    def usings(self) -> UsingTable: ...
    @property
    def enumerations(self) -> tuple[Item, ...]: ...
    def snippet(self, item: Item) -> Snippet: ...
    def enumeration_scope(self, item: Item) -> Scope | None: ...
    def namespace_scope(self, path: tuple[str, ...]) -> Scope: ...
    def namespace_resolver(self, path: tuple[str, ...]) -> Resolver: ...
    def namespace_named(self, scope: Scope, path: tuple[str, ...]) -> NamespaceName: ...
    def find_in_namespace(self, path: tuple[str, ...], name: str) -> Entity | None: ...
    def operators(self, name: str) -> tuple[FunctionDeclaration, ...]: ...
    def declaration(self, item: Item, owner: Record | None) -> FunctionDeclaration | None: ...
    def type_template(self, scope: Scope, item: Item) -> TypeTemplateDeclaration | None: ...
    def type_of_item(self, scope: Scope, item: Item) -> Entity | None: ...
    def declare_record(self, scope: Scope, node: Node) -> Type: ...
    def declare_alias(self, scope: Scope, node: Node) -> None: ...
    def exact_arguments(self, arguments: tuple[TemplateArgument, ...]) -> tuple[CppArgument, ...] | None: ...
    def instantiate_type(self, template: TypeTemplate, arguments: tuple[TemplateArgument, ...]) -> Entity | None: ...
    def named_type(self, scope: Scope, node: Node) -> DeclaredType: ...
    def evaluate(self, scope: Scope, node: Node, *, is_required: bool) -> Constant | None: ...
    def closure_constant(self, scope: Scope, node: Node) -> ConstantObject | None: ...
    def initial_constant(self, scope: Scope, declared: DeclaredType, value: Node | None) -> Constant | None: ...
    def register(self, instance: FunctionInstance) -> None: ...
    def use_variable(self, declaration: GlobalDeclaration) -> None: ...
    def used_variable(self, name: str) -> GlobalDeclaration | None: ...
    def returned(self, id: FunctionId) -> DeclaredType: ...
    def hierarchy(self, base: Record) -> Hierarchy: ...
    def member_address(self, scope: Scope, name: Node) -> MemberAddress | None: ...
    def addressed_functions(self) -> tuple[Sequence[FunctionDeclaration], bool]: ...
