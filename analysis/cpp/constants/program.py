"""What constant evaluation asks of the program around an expression: names, types, classes, the choice of functions.

Whoever knows the program answers (`analysis/lower/constant_program.py`).  None stands for what is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, final

from analysis.cpp.constants.values import Frozen
from analysis.cpp.conversions.model import Argument
from analysis.cpp.types.model import ClassType, QualType
from analysis.ir.record import record
from analysis.syntax.tree import Node


@final
@record
class LocalName:
    """A variable or parameter of a function; `handle` tells it from all others.

    `known` is what it holds where that is a constant, or `type` alone is known.  `written` is a lambda without captures
    that it holds, which is the same object wherever it is evaluated, and what names mean there.
    """

    handle: object
    type: QualType | None
    known: Frozen | None
    written: tuple[Names, Node] | None = None


@final
@record
class KnownName:
    """An enumerator, a template parameter, a constant; `is_object`: whether the name denotes an object."""

    value: Frozen
    is_object: bool


@final
@record
class StaticName:
    """A variable outside functions, or a static member; `value` initialises it where it is `constexpr`."""

    handle: object
    type: QualType
    known: Frozen | None
    value: Node | None
    names: Names


@final
@record
class FieldName:
    """A member that is not static: `this->name`."""

    name: str


@final
@record
class FunctionNames:
    """The functions of one name, as the surroundings know them.

    `is_runnable`: whether one of them may be called in a constant expression; `has_methods`: whether one takes `this`.
    """

    handle: object
    is_runnable: bool
    has_methods: bool
    builtin: str | None = None
    """The name of a function of the library that has no text here."""


@final
@record
class TypeMeant:
    type: QualType


Meaning: TypeAlias = LocalName | KnownName | StaticName | FieldName | FunctionNames | TypeMeant


@final
@record
class Passed:
    """An argument: `argument` is None for one of which no type is known (a braced list, a lambda)."""

    argument: Argument | None
    closure: object | None = None
    is_guess: bool = False


@final
@record
class Parameter:
    """`type` may hold a placeholder (`auto`); None where it is known by the argument alone.

    `is_reference` says so of one whose type is None.
    """

    name: str
    type: QualType | None
    default: Node | None
    is_reference: bool = False


@final
@record
class Callee:
    """One function, template parameters bound; `names` is what names mean in its body.

    `returns` is None where the body says it.
    """

    handle: object
    names: Names
    parameters: tuple[Parameter, ...]
    returns: QualType | None
    body: Node | None
    initialisers: Node | None
    owner: ClassType | None
    has_this: bool
    is_constant: bool
    is_runnable: bool
    """Whether it may run in a constant expression."""
    is_virtual: bool
    is_defaulted: bool = False
    """Whether it is `= default`."""
    is_variadic: bool = False
    """Whether it takes any further arguments (`...`)."""


@final
@record
class Field:
    """`width` is a bit-field's; `type` None where it is not known."""

    name: str
    type: QualType | None
    default: Node | None
    width: int | None
    is_mutable: bool


@final
@record
class ClassShape:
    """A class: its members, those of the bases first.

    `bases` each with the number of its first member; `names` is what names mean in the class.
    """

    type: ClassType
    fields: tuple[Field, ...]
    bases: tuple[tuple[ClassType, int], ...]
    own_fields: int
    names: Names
    is_constructed: bool
    """Whether constructors of its own make its objects."""
    has_default: bool
    """Whether `T() = default` stands beside other constructors."""
    is_copied_by_code: bool
    is_assigned_by_code: bool

    def index(self, name: str) -> int | None:
        """The number of the member; one of the class hides one of a base."""
        for index in range(len(self.fields) - 1, -1, -1):
            if self.fields[index].name == name:
                return index
        return None


@final
@record
class Declarator:
    """One name that a declaration declares; `type` may hold a placeholder, `value` initialises it."""

    name: str
    type: QualType | None
    value: Node | None
    bindings: tuple[str, ...] = ()
    template: Node | None = None
    """The name of a class template, whose arguments the initialiser says; `type` is None then."""


@final
@record
class Capture:
    """`value` initialises it where the capture says one."""

    name: str
    is_reference: bool
    value: Node | None


class Names(Protocol):
    """What names, types and calls mean at one place of the program."""

    def inside(self) -> Names:
        """A scope in this one."""
        ...

    def find(self, node: Node) -> Meaning | None: ...

    def declare(self, name: str, type: QualType, known: Frozen | None, closure: object | None = None) -> object:
        """Declares a variable here; the answer is its handle."""
        ...

    def declare_type(self, node: Node) -> None:
        """Declares what a declaration of types says."""
        ...

    def declare_packs(self, callee: Callee) -> None:
        """Declares the function's parameter packs, whose elements are declared already."""
        ...

    def constant(self, node: Node) -> Frozen | None:
        """What needs nothing to run: literals, `sizeof`, requirements, traits."""
        ...

    def type_at(self, node: Node) -> QualType | None:
        """The type that a type descriptor or a specifier spells."""
        ...

    def declarators(self, node: Node) -> Sequence[Declarator]: ...
    def is_type(self, node: Node) -> bool: ...
    def expanded(self, nodes: Sequence[Node]) -> Sequence[Node] | None:
        """The list with its pack expansions carried out; None where that cannot be done."""
        ...

    def element(self, node: Node) -> tuple[Names, Node]:
        """Where an element of a pack expansion is evaluated, and what."""
        ...

    def folded(self, node: Node) -> Node | Frozen | None:
        """What a fold expression stands for."""
        ...

    def class_of(self, type: ClassType) -> ClassShape | None: ...
    def member(self, type: ClassType, node: Node) -> Meaning | None:
        """A static member or methods of the class, by the name in `node`."""
        ...

    def element_type(self, type: QualType) -> tuple[QualType, int] | None:
        """Of CUDA's vectors: the type of a member, and how many there are."""
        ...

    def associated(
        self, node: Node, functions: FunctionNames | None, types: Sequence[QualType]
    ) -> FunctionNames | None:
        """The functions that a call by the name in `node` may mean, those of the arguments' classes among them."""
        ...

    def deduced_class(self, node: Node, arguments: Sequence[Passed]) -> QualType | None:
        """The class that the template's name in `node` means for these arguments."""
        ...

    def choose(self, functions: FunctionNames, arguments: Sequence[Passed], object: Argument | None) -> Callee | None:
        """The function that the call means."""
        ...

    def constructors(self, type: ClassType) -> FunctionNames | None: ...
    def operators(
        self, spelling: str, operands: Sequence[QualType]
    ) -> tuple[FunctionNames | None, FunctionNames | None]:
        """The methods of the first operand's class, and the free functions, named `operator` and the spelling."""
        ...

    def conversion(self, argument: Argument, target: QualType) -> tuple[Callee, bool] | None:
        """The constructor or function of a class that converts implicitly; whether it is a constructor."""
        ...

    def explicit_truth(self, type: ClassType) -> FunctionNames | None:
        """The conversion functions to `bool`, explicit ones included."""
        ...

    def closure(self, node: Node) -> tuple[object, Sequence[Capture], bool] | None:
        """A lambda's handle, what it captures by value or with an initialiser, and whether it is `mutable`.

        Of a default capture these are the variables that the body names.
        """
        ...

    def closure_names(self, handle: object) -> Names:
        """What names mean around the body of a lambda."""
        ...

    def closure_body(self, handle: object, names: Names) -> Callee | None: ...
    def size_of(self, type: QualType) -> Frozen | None: ...
    def text(self, node: Node) -> bytes | None:
        """The characters of a string literal, without the zero at the end; None for another node."""
        ...
