"""The evaluator of constant expressions: a machine that runs C++ on objects of its own.

Question  Which value has this expression, or this variable, where the program is compiled?  None: it is no constant, or
          something is not known.
Rules     An expression gives a `Value` or a `Place` (an lvalue or xvalue); references are places.  What is undefined
          (overflow, a bound, an object that is dead or not initialised) makes the whole evaluation no constant.
          Functions must be `constexpr`; lambdas are.  Which function a call means, and what names and types are, the
          surroundings say (`program.py`); conversions to parameters are done here.
          The other operand of `?:`, and `sizeof`, are evaluated for their type: `Store.is_real` is False then.
Bounds    `MAX_STEPS` expressions, statements and parts of objects, `MAX_DEPTH` calls in one another (`budget.py`).
Shape     One class: expressions, initialisation, calls and statements are one recursion, in sections of this file.
          What is done to objects without evaluating anything is `objects.py`'s, over the memory of `store.py`.
Limits    Destructors, virtual functions, unions, `new`, `goto`, labels inside of statements, and `throw` are not run.
Source    C++20 standard, [expr.const], [dcl.init], [stmt], [expr].
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import ClassVar, Final, TypeAlias, final

from analysis.cpp.constants import arithmetic
from analysis.cpp.constants.arithmetic import is_number
from analysis.cpp.constants.budget import MAX_DEPTH, Budget
from analysis.cpp.constants.objects import Objects, number_of, point_alike
from analysis.cpp.constants.program import (
    Callee,
    Capture,
    ClassShape,
    Declarator,
    FieldName,
    FunctionNames,
    KnownName,
    LocalName,
    Meaning,
    Names,
    Parameter,
    Passed,
    StaticName,
    TypeMeant,
)
from analysis.cpp.constants.store import Store
from analysis.cpp.constants.syntax import (
    STRINGS,
    changes_something,
    designated,
    has_inner_labels,
    initialisers_of,
    labelled,
    listed,
    text_of,
    without_parentheses,
)
from analysis.cpp.constants.values import (
    NULL,
    UNKNOWN,
    UNSET,
    Closure,
    Contents,
    Frozen,
    FunctionPointer,
    NotConstant,
    Number,
    Object,
    Place,
    Pointer,
    Result,
    Value,
)
from analysis.cpp.conversions.model import Argument, ValueCategory
from analysis.cpp.types.arithmetic import is_integral
from analysis.cpp.types.model import (
    BOOL,
    INT,
    NULL_POINTER,
    VOID,
    ArrayType,
    ClassType,
    DeviceType,
    EnumerationType,
    Fundamental,
    FundamentalType,
    Placeholder,
    PlaceholderType,
    PointerType,
    QualType,
    ReferenceType,
    fundamental,
    pointer_to,
    qualified,
    reference_to,
)
from analysis.syntax.tree import Node


@final
@dataclass(slots=True, eq=False)
class _Here:
    """Where something is evaluated: what names mean, the object of the method, and what the block made."""

    names: Names
    this: Place | None = None
    returns: QualType | None = None
    objects: list[Object] = field(default_factory=list[Object])


class _Leaving(Enum):
    BREAK = "break"
    CONTINUE = "continue"


@final
@dataclass(slots=True, eq=False)
class _Returned:
    """What a `return` statement gives; None for nothing."""

    result: Result | None


_Outcome: TypeAlias = _Leaving | _Returned | None
"""How a statement ends; None: the next one follows."""
_Argument: TypeAlias = "Result | Node"
"""A braced list stays as it is written."""


def evaluated(names: Names, node: Node, budget: Budget, *, is_required: bool) -> Frozen | None:
    """The value of a constant expression; `is_required`: whether it stands where the program must have one."""
    machine = Machine(names, budget, is_required=is_required)
    try:
        return machine.objects.frozen(machine.evaluate(_Here(names), node))
    except NotConstant:
        return None


def initialised(names: Names, type: QualType, value: Node | None, budget: Budget) -> Frozen | None:
    """What a variable of `type` holds that `value` initialises, or nothing (`T x{}`)."""
    machine = Machine(names, budget, is_required=True)
    try:
        return machine.objects.frozen(machine.variable(_Here(names), type, value))
    except NotConstant:
        return None


@final
class Machine:
    """One evaluation."""

    def __init__(self, names: Names, budget: Budget, *, is_required: bool) -> None:
        self._program = names
        self._is_required = is_required
        self._budget = budget
        self._store = Store()
        self._places: dict[object, Place] = {}
        self._statics: dict[object, Place] = {}
        self.objects = Objects(names, self._store, budget)

    # -- results ------------------------------------------------------------------------------------------------------

    def variable(self, here: _Here, type: QualType, value: Node | None) -> Result:
        if value is not None and _placeholder_in(type):
            return self.evaluate(here, value)
        place = self._store.new(type, self.objects.blank(type))
        if value is None:
            self._zero_at(place)
        else:
            self._initialise_at(here, place, value)
        return place

    # -- expressions --------------------------------------------------------------------------------------------------

    def evaluate(self, here: _Here, node: Node) -> Result:
        self._budget.take()
        handler = self._EXPRESSIONS.get(node.kind)
        return self._constant(here, node) if handler is None else handler(self, here, node)

    def _value(self, here: _Here, node: Node) -> Value:
        return self._read(self.evaluate(here, node))

    def _read(self, result: Result) -> Value:
        """The value of what the expression denotes: of a class, a copy."""
        if isinstance(result, Value):
            return result
        if isinstance(result.type.type, ClassType | DeviceType):
            return Value(result.type.unqualified, self._copied(result))
        return self._store.read(result)

    def _truth(self, here: _Here, node: Node) -> bool:
        return self._is_true(self.evaluate(here, node))

    def _is_true(self, result: Result) -> bool:
        found = self._initial(BOOL, result, is_explicit=True)
        if not isinstance(found, bool):
            raise NotConstant
        return found

    def _constant(self, here: _Here, node: Node) -> Result:
        known = here.names.constant(node)
        if known is None:
            raise NotConstant
        is_literal = node.kind in ("number_literal", "null")
        if isinstance(known, Number):
            data = self.objects.thawed(known)
            return Value(known.type.unqualified, data, known.is_guess, is_null=is_literal and known.value == 0)
        return self._store.new(qualified(known.type, constant=True), self.objects.thawed(known), is_named=False)

    def _string(self, here: _Here, node: Node) -> Result:
        key = id(node.source), node.start
        known = self._statics.get(key)
        if known is None:
            characters = here.names.text(node)
            if characters is None:
                raise NotConstant
            self._budget.take(len(characters))
            signed = [each - 256 if each > 127 else each for each in (*characters, 0)]
            element = QualType(FundamentalType(Fundamental.CHAR), is_constant=True)
            known = self._store.new(QualType(ArrayType(element, len(signed))), list(signed), is_named=False)
            self._statics[key] = known
        return known

    def _name(self, here: _Here, node: Node) -> Result:
        return self._meant(here, here.names.find(node))

    def _meant(self, here: _Here, meaning: Meaning | None) -> Result:
        match meaning:
            case LocalName(handle=handle, type=type, known=known, written=written):
                place = self._places.get(handle)
                if place is None and written is not None:
                    place = self._places[handle] = self._as_place(self._lambda(_Here(written[0]), written[1]))
                if place is not None:
                    return place
                if known is not None:
                    return self._known(handle, known, is_object=True)
                if type is None:
                    raise NotConstant
                return self._store.unknown(type.object)
            case KnownName(value=known, is_object=is_object):
                return self._known(known, known, is_object=is_object)
            case StaticName():
                return self._static(meaning)
            case FieldName(name=name) if here.this is not None:
                return self.objects.member(here.this, name)
            case FunctionNames():
                return Value(VOID, FunctionPointer(meaning))
            case _:
                raise NotConstant

    def _known(self, key: object, known: Frozen, *, is_object: bool) -> Result:
        if isinstance(known, Number) and not is_object:
            return Value(known.type.unqualified, self.objects.thawed(known), known.is_guess)
        place = self._statics.get(key)
        if place is None:
            type = qualified(known.type, constant=True)
            place = self._store.new(type, self.objects.thawed(known), is_named=False)
            self._statics[key] = place
        if isinstance(known, Number) and known.is_guess:
            return Value(known.type.unqualified, self.objects.thawed(known), is_guess=True)
        return place

    def _static(self, name: StaticName) -> Place:
        place = self._statics.get(name.handle)
        if place is not None:
            if place.object.is_alive or not self._store.is_real:
                return place
            raise NotConstant
        if name.known is None and (name.value is None or not self._store.is_real):
            return self._store.unknown(name.type.object)
        if name.value is not None and _placeholder_in(name.type):
            return self._static_of_any_type(name, name.value)
        is_reference = isinstance(name.type.type, ReferenceType)
        type = name.type if is_reference else qualified(name.type, constant=True)
        place = self._statics[name.handle] = self._store.new(type, UNSET)
        if name.known is not None:
            place.container[0] = self.objects.thawed(name.known)
            return place
        assert name.value is not None
        place.object.is_alive = False  # it is not known while it is made
        inner = replace(place, type=type, object=Object(type, place.container, place.object.number))
        place.container[0] = self.objects.blank(type)
        self._initialise_at(_Here(name.names), inner, name.value)
        place.object.is_alive = True
        if is_reference:
            referred = place.container[0]
            assert isinstance(referred, Place)
            place = self._statics[name.handle] = referred
        return place

    def _static_of_any_type(self, name: StaticName, value: Node) -> Place:
        """`constexpr auto x = ...;`"""
        result = self.evaluate(_Here(name.names), value)
        type = _deduced(name.type, result)
        if isinstance(type.type, ReferenceType):
            raise NotConstant
        place = self._store.new(qualified(type, constant=True), self._initial(type.unqualified, result))
        self._statics[name.handle] = place
        return place

    def _this(self, here: _Here, node: Node) -> Result:
        if here.this is None:
            raise NotConstant
        return Value(pointer_to(here.this.type), Pointer(here.this))

    def _inner(self, here: _Here, node: Node) -> Result:
        if len(node.children) != 1:
            raise NotConstant
        return self.evaluate(here, node.children[0])

    def _pack_element(self, here: _Here, node: Node) -> Result:
        names, pattern = here.names.element(node)
        return self.evaluate(replace(here, names=names), pattern)

    def _fold(self, here: _Here, node: Node) -> Result:
        found = here.names.folded(node)
        if isinstance(found, Node):
            return self.evaluate(here, found)
        if not isinstance(found, Number):
            raise NotConstant
        return Value(found.type, found.value)

    def _comma(self, here: _Here, node: Node) -> Result:
        operands = [child for child in node.children if child.kind != ","]
        for child in operands[:-1]:
            self.evaluate(here, child)
        return self.evaluate(here, operands[-1])

    # -- members and elements -----------------------------------------------------------------------------------------

    def _field_expression(self, here: _Here, node: Node) -> Result:
        whole, name = self._object_before(here, node), node.field("field")
        if name is None:
            raise NotConstant
        if name.kind == "field_identifier":
            text = text_of(name)
            if isinstance(whole.type.type, DeviceType):
                return self.objects.vector_member(whole, text)
            if self.objects.class_of(whole).index(text) is not None:
                return self.objects.member(whole, text)
        found = here.names.member(self.objects.class_of(whole).type, name)
        if isinstance(found, FieldName | LocalName | None):
            raise NotConstant
        return self._meant(here, found)

    def _object_before(self, here: _Here, node: Node) -> Place:
        """What stands before `.`, or what the pointer before `->` points to."""
        argument, sign = node.field("argument"), node.field("operator")
        if argument is None or sign is None:
            raise NotConstant
        result = self.evaluate(here, argument)
        if sign.kind == "->":
            return self._pointed(result, is_arrow=True)
        return self._as_place(result)

    def _as_place(self, result: Result) -> Place:
        return result if isinstance(result, Place) else self._store.temporary(result.type, result.data)

    def _pointed(self, result: Result, *, is_arrow: bool = False) -> Place:
        """`*result`, or the object that `result->` means."""
        if isinstance(result.type.type, ClassType):
            found = self._operator("->" if is_arrow else "*", [result])
            return self._pointed(found, is_arrow=True) if is_arrow else self._as_place(found)
        value = self._read(result)
        if not isinstance(value.type.type, PointerType):
            raise NotConstant
        return self._store.target(value, value.type.type.pointee)

    def _subscript(self, here: _Here, node: Node) -> Result:
        argument, indices = node.field("argument"), node.field("indices")
        if argument is None or indices is None or len(indices.children) != 1:
            raise NotConstant
        whole = self.evaluate(here, argument)
        if isinstance(whole.type.type, PointerType):
            whole = self._read(whole)  # before the index may change it
        at = indices.children[0]
        index: _Argument = at if at.kind == "initializer_list" else self.evaluate(here, at)
        return self._element(whole, index)

    def _element(self, whole: Result, index: _Argument) -> Result:
        if isinstance(whole.type.type, ClassType):
            return self._operator("[]", [whole, index])
        if isinstance(index, Node):
            raise NotConstant
        number = self._read(index)
        if not is_integral(number.type) and not isinstance(number.type.type, EnumerationType):
            raise NotConstant
        if isinstance(whole, Place) and isinstance(whole.type.type, ArrayType):
            at = number.data if self._store.is_real else 0
            if not isinstance(at, int):
                raise NotConstant
            return self._store.element(whole, whole.type.type, at)
        pointer = self.objects.advanced(self._read(whole), number, 1)
        assert isinstance(pointer.type.type, PointerType)
        return self._store.target(pointer, pointer.type.type.pointee)

    # -- operators ----------------------------------------------------------------------------------------------------

    def _pointer_expression(self, here: _Here, node: Node) -> Result:
        argument, sign = node.field("argument"), node.field("operator")
        if argument is None or sign is None:
            raise NotConstant
        result = self.evaluate(here, argument)
        if sign.kind == "*":
            return self._pointed(result)
        if isinstance(result, Value) and isinstance(result.data, FunctionPointer):
            return result
        if not isinstance(result, Place):
            raise NotConstant
        type = pointer_to(result.type)
        return Value(type, self._store.address(result) if self._store.is_real else UNKNOWN)

    def _unary(self, here: _Here, node: Node) -> Result:
        argument, sign = node.field("argument"), node.field("operator")
        if argument is None or sign is None:
            raise NotConstant
        result = self.evaluate(here, argument)
        if isinstance(result.type.type, ClassType):
            found = self._overloaded(sign.kind, [result])
            if found is not None:
                return found
        if sign.kind in ("!", "not"):
            return Value(BOOL, not self._is_true(result) if self._store.is_real else UNKNOWN)
        value, width = self._read(result), result.width if isinstance(result, Place) else None
        if isinstance(value.type.type, PointerType) and sign.kind == "+":
            return value
        if not self._store.is_real:
            return Value(arithmetic.unary("+", 0, value.type, width)[1], UNKNOWN, value.is_guess)
        data, type = arithmetic.unary(sign.kind, number_of(value), value.type, width)
        return Value(type, data, value.is_guess)

    def _binary(self, here: _Here, node: Node) -> Result:
        left, sign, right = node.field("left"), node.field("operator"), node.field("right")
        if left is None or sign is None or right is None:
            raise NotConstant
        kind = sign.kind
        if kind in _LOGICAL:
            return self._logical(here, kind, left, right)
        if kind in ("<<", ">>") or not (changes_something(left) or changes_something(right)):
            first = self._operand(here, left)
            return self._of_two(kind, first, self._operand(here, right))
        with self._store.unordered() as order:
            first = self._operand(here, left)
            order.next()
            second = self._operand(here, right)
        return self._of_two(kind, first, second)

    def _operand(self, here: _Here, node: Node) -> Result:
        """Objects of classes as they are, the value of all others; a bit-field tells its width."""
        result = self.evaluate(here, node)
        if isinstance(result, Value) or isinstance(result.type.type, ClassType):
            return result
        if result.width is not None:
            value = self._store.read(result)
            data = number_of(value) if self._store.is_real else 0
            number, type = arithmetic.unary("+", data, value.type, result.width)
            return Value(type, number if self._store.is_real else UNKNOWN)
        if isinstance(result.type.type, EnumerationType):
            self._store.read(result)
            return result
        return self._store.read(result)

    def _logical(self, here: _Here, kind: str, left: Node, right: Node) -> Value:
        if not self._store.is_real:
            return Value(BOOL, UNKNOWN)
        first = self._truth(here, left)
        if first == (kind in ("||", "or")):
            return Value(BOOL, first)
        return Value(BOOL, self._truth(here, right))

    def _of_two(self, kind: str, left: Result, right: Result) -> Result:
        """A binary operator on operands that are evaluated."""
        if isinstance(left.type.type, _OVERLOADED) or isinstance(right.type.type, _OVERLOADED):
            found = self._overloaded(kind, [left, right])
            if found is not None:
                return found
        first, second = self._as_number(self._read(left)), self._as_number(self._read(right))
        if is_number(first.type) and is_number(second.type):
            is_guess = first.is_guess or second.is_guess
            if not self._store.is_real:
                return Value(arithmetic.binary_type(kind, first.type, second.type), UNKNOWN, is_guess)
            one, other = number_of(first), number_of(second)
            data, type = arithmetic.binary(kind, one, first.type, other, second.type)
            return Value(type, data, is_guess)
        return self.objects.of_pointers(kind, first, second)

    def _as_number(self, value: Value) -> Value:
        """What a conversion function makes of an object in arithmetic."""
        if not isinstance(value.type.type, ClassType):
            return value
        for target in (INT, fundamental(Fundamental.LONG), fundamental(Fundamental.DOUBLE), BOOL):
            found = self._program.conversion(Argument(value.type), target)
            if found is not None and not found[1] and found[0].returns is not None:
                return self._read(self._call_on(found[0], self._as_place(value), []))
        raise NotConstant

    def _overloaded(self, kind: str, operands: Sequence[_Argument]) -> Result | None:
        """The call of an operator function; None where the built-in operator is meant."""
        methods, functions = self._program.operators(kind, [one.type for one in operands if not isinstance(one, Node)])
        if methods is None and functions is None:
            if kind in ("!=", "not_eq"):
                equal = self._overloaded("==", operands)
                return None if equal is None else self._negated(equal)
            return None
        passed = [self._passed(one) for one in operands]
        first, own, free = operands[0], None, None
        if methods is not None and passed[0].argument is not None:
            own = self._program.choose(methods, passed[1:], passed[0].argument)
        if functions is not None:
            free = self._program.choose(functions, passed, None)
        if own is not None and free is not None:
            raise NotConstant
        callee = own if free is None else free
        if callee is not None and callee.is_defaulted and kind == "==":
            return self._equal(operands)
        if own is not None and not isinstance(first, Node):
            return self._call_on(own, self._as_place(first), operands[1:])
        return None if free is None else self._call(free, operands, None)

    def _equal(self, operands: Sequence[_Argument]) -> Value:
        """A comparison that the class leaves to the compiler: base by base and member by member."""
        left, right = operands
        if isinstance(left, Node) or isinstance(right, Node) or left.type.unqualified != right.type.unqualified:
            raise NotConstant
        if not self._store.is_real:
            return Value(BOOL, UNKNOWN)
        one, other = self._as_place(left), self._as_place(right)
        shape = self.objects.class_of(one)
        own = range(shape.own_fields, len(shape.fields))
        pairs = [(self.objects.base(one, base), self.objects.base(other, base)) for base, _ in shape.bases]
        pairs += [(self.objects.part(one, shape, index), self.objects.part(other, shape, index)) for index in own]
        return Value(BOOL, all(self._is_true(self._of_two("==", *pair)) for pair in pairs))

    def _negated(self, result: Result) -> Value:
        return Value(BOOL, not self._is_true(result) if self._store.is_real else UNKNOWN)

    def _operator(self, kind: str, operands: Sequence[_Argument]) -> Result:
        found = self._overloaded(kind, operands)
        if found is None:
            raise NotConstant
        return found

    def _conditional(self, here: _Here, node: Node) -> Result:
        test, one, other = (node.field(name) for name in ("condition", "consequence", "alternative"))
        if test is None or one is None or other is None:
            raise NotConstant
        is_first = self._truth(here, test) if self._store.is_real else True
        found = self.evaluate(here, one if is_first else other)
        with self._unevaluated():
            against = self.evaluate(here, other if is_first else one)
        return self._common(found, against)

    @contextmanager
    def _unevaluated(self) -> Generator[None]:
        """Inside, expressions are only asked for their type."""
        before, self._store.is_real = self._store.is_real, False
        try:
            yield
        finally:
            self._store.is_real = before

    def _common(self, found: Result, other: Result) -> Result:
        """The chosen operand of `?:` as the type of both has it."""
        if isinstance(found, Place) and isinstance(other, Place) and found.category == other.category:
            if found.type == other.type:
                return found
            if found.type.unqualified == other.type.unqualified:
                constant = found.type.is_constant or other.type.is_constant
                return replace(found, type=qualified(found.type, constant=constant))
        if isinstance(found.type.type, ClassType) or isinstance(other.type.type, ClassType):
            if found.type.unqualified != other.type.unqualified:
                raise NotConstant
            return self._read(found)
        value, against = self._read(found), self._read(other)
        if value.type == against.type:
            return replace(value, is_guess=value.is_guess or against.is_guess, is_null=False)
        if is_number(value.type) and is_number(against.type):
            type = arithmetic.binary_type("+", value.type, against.type)
            return replace(self.objects.converted(value, type), is_guess=value.is_guess or against.is_guess)
        if isinstance(value.type.type, PointerType) and (against.is_null or against.type == NULL_POINTER):
            return value
        if isinstance(against.type.type, PointerType) and (value.is_null or value.type == NULL_POINTER):
            return Value(against.type, NULL)
        if point_alike(value.type, against.type):
            assert isinstance(value.type.type, PointerType)
            return Value(pointer_to(qualified(value.type.type.pointee, constant=True)), value.data)
        raise NotConstant

    # -- assignment ---------------------------------------------------------------------------------------------------

    def _assignment(self, here: _Here, node: Node) -> Result:
        left, right, sign = node.field("left"), node.field("right"), node.field("operator")
        if left is None or right is None or sign is None:
            raise NotConstant
        value: _Argument
        if right.kind == "initializer_list":
            with self._unevaluated():
                type = self.evaluate(here, left).type.unqualified
            value = self._made(here, type, right)
        else:
            value = self._operand(here, right)
        target = self.evaluate(here, left)
        return self._assigned(target, sign.kind, value)

    def _assigned(self, target: Result, kind: str, value: Result) -> Result:
        if isinstance(target.type.type, ClassType):
            if kind == "=":
                return self._class_assigned(target, value)
            return self._operator(kind, [target, value])
        if not isinstance(target, Place):
            raise NotConstant
        if isinstance(target.type.type, DeviceType | ArrayType):
            if kind != "=" or value.type.unqualified != target.type.unqualified:
                raise NotConstant
            parts = self._read(value).data
            self._store.replace(target, parts if isinstance(parts, list) else [])
            return target
        if kind == "=":
            changed = self._initial(target.type.unqualified, value)
        else:
            before = self._store.read(target)
            changed = self._initial(target.type.unqualified, self._of_two(kind[:-1], before, value), is_explicit=True)
        self._store.write(target, changed)
        return target

    def _class_assigned(self, target: Result, value: Result) -> Result:
        assert isinstance(target.type.type, ClassType)
        shape = self.objects.shape(target.type.type)
        place = self._as_place(target)
        if shape.is_assigned_by_code:
            return self._operator("=", [place, value])
        parts = self._initial(target.type.unqualified, value)
        if any(isinstance(one.type and one.type.type, ReferenceType) for one in shape.fields):
            raise NotConstant
        self._store.replace(place, parts if isinstance(parts, list) else [])
        return place

    def _update(self, here: _Here, node: Node) -> Result:
        argument, sign = node.field("argument"), node.field("operator")
        if argument is None or sign is None:
            raise NotConstant
        target = self.evaluate(here, argument)
        return self._updated(target, sign.kind, is_prefix=node.children[0] is sign)

    def _updated(self, target: Result, kind: str, *, is_prefix: bool) -> Result:
        if isinstance(target.type.type, ClassType):
            return self._operator(kind, [target] if is_prefix else [target, Value(INT, 0)])
        if not isinstance(target, Place):
            raise NotConstant
        before = self._store.read(target)
        if before.type == BOOL:
            raise NotConstant
        after = self._of_two(kind[:1], before, Value(INT, 1))
        self._store.write(target, self._initial(target.type.unqualified, after, is_explicit=True))
        return target if is_prefix else before

    # -- conversions --------------------------------------------------------------------------------------------------

    def _initial(self, type: QualType, result: Result, *, is_explicit: bool = False) -> Contents:
        """The contents of an object of `type` that is a copy of the result, or made from it."""
        if isinstance(type.type, ClassType):
            return self._initial_class(type.type, result)
        if isinstance(result.type.type, ClassType):
            return self._by_function(type, result, is_explicit=is_explicit)
        if isinstance(type.type, ArrayType | DeviceType):
            value = self._read(result) if isinstance(type.type, DeviceType) else None
            if value is not None and value.type.unqualified == type.unqualified:
                return value.data
            if isinstance(result, Place) and result.type.unqualified == type.unqualified:
                return self._copied(result)
            raise NotConstant
        return self.objects.converted(self._read(result), type).data

    def _by_function(self, type: QualType, result: Result, *, is_explicit: bool) -> Contents:
        """By a conversion function of the result's class."""
        found = self._program.conversion(_argument(result), type.unqualified)
        if found is None and is_explicit and type == BOOL:
            assert isinstance(result.type.type, ClassType)
            functions = self._program.explicit_truth(result.type.type)
            callee = None if functions is None else self._program.choose(functions, [], _argument(result))
            found = None if callee is None else (callee, False)
        if found is None or found[1]:
            raise NotConstant
        return self._initial(type, self._call_on(found[0], self._as_place(result), []))

    def _initial_class(self, type: ClassType, result: Result) -> Contents:
        if isinstance(result.type.type, ClassType):
            if result.type.type == type:
                return result.data if isinstance(result, Value) else self._copied(result)
            if type.name in self.objects.closures or result.type.type.name in self.objects.closures:
                raise NotConstant
            if self.objects.shift(result.type.type, type) is not None:
                return self._copied(self.objects.base(self._as_place(result), type))
        found = self._program.conversion(_argument(result), QualType(type))
        if found is not None and found[1]:
            place = self._store.new(QualType(type), self.objects.blank(QualType(type)))
            self._run_constructor(found[0], place, [result])
            return place.container[0]
        if found is not None:
            return self._initial_class(type, self._call_on(found[0], self._as_place(result), []))
        return self._constructed(type, [result])

    def _copied(self, place: Place) -> Contents:
        """A copy of an object, by its copy constructor where that is written."""
        type = place.type.unqualified
        if isinstance(type.type, ClassType):
            if type.type.name in self.objects.closures:
                return self._store.copied(self._store.contents(place), place)
            shape = self.objects.shape(type.type)
            if shape.is_copied_by_code:
                return self._constructed(type.type, [place])
            members = self._store.members(place)
            if members is None:
                return UNKNOWN
            self._budget.take(len(shape.fields))
            return self._store.copied(members[place.shift : place.shift + len(shape.fields)], place)
        contents = self._store.contents(place)
        if isinstance(contents, list):
            self._budget.take(len(contents))
            if isinstance(type.type, ArrayType) and self.objects.is_copied_by_code(type.type.element):
                raise NotConstant
        return self._store.copied(contents, place)

    def _bound(self, type: ReferenceType, result: Result) -> Place:
        """What a reference of that type refers to."""
        referred = type.referred
        if isinstance(result, Place) and result.width is None:
            place = self.objects.same_object(result, referred)
            if place is not None:
                if type.is_rvalue and result.category is ValueCategory.LVALUE:
                    raise NotConstant
                if result.type.is_constant and not referred.is_constant:
                    raise NotConstant
                return place
        if not type.is_rvalue and not referred.is_constant:
            raise NotConstant
        if isinstance(result, Value) and result.type.type == referred.type:
            return self._store.temporary(referred, result.data, ValueCategory.LVALUE)
        return self._store.temporary(referred, self._initial(referred.unqualified, result), ValueCategory.LVALUE)

    # -- casts and objects --------------------------------------------------------------------------------------------

    def _cast(self, here: _Here, node: Node) -> Result:
        type, value = node.field("type"), node.field("value")
        target = None if type is None else here.names.type_at(type)
        if target is None or value is None:
            raise NotConstant
        return self._cast_to(target, self.evaluate(here, value))

    def _cast_to(self, target: QualType, result: Result) -> Result:
        """`static_cast<target>(result)`."""
        match target.type:
            case ReferenceType(referred=referred, is_rvalue=is_rvalue):
                place = self.objects.same_object(result, referred) if isinstance(result, Place) else None
                if place is None:
                    return self._bound(target.type, result)
                if isinstance(result, Place) and result.type.is_constant and not referred.is_constant:
                    raise NotConstant
                place.category = ValueCategory.XVALUE if is_rvalue else ValueCategory.LVALUE
                return place
            case FundamentalType(kind=Fundamental.VOID):
                return Value(VOID, UNSET)
            case ClassType():
                if result.type.type == target.type and isinstance(result, Value):
                    return result
                return Value(target.unqualified, self._constructed_from(target.type, result))
            case _:
                if isinstance(result.type.type, ClassType):
                    return Value(target.unqualified, self._initial(target, result, is_explicit=True))
                value = self._read(result)
                is_to_pointer = isinstance(target.type, PointerType)
                if is_to_pointer and not (value.type == NULL_POINTER or isinstance(value.type.type, PointerType)):
                    raise NotConstant
                return replace(self.objects.converted(value, target), is_null=False)

    def _constructed_from(self, type: ClassType, result: Result) -> Contents:
        is_same = isinstance(result.type.type, ClassType) and (
            result.type.type == type or self.objects.shift(result.type.type, type) is not None
        )
        if is_same or not self.objects.shape(type).is_constructed:
            return self._initial_class(type, result)
        return self._constructed(type, [result])

    def _compound_literal(self, here: _Here, node: Node) -> Result:
        """`T{...}`"""
        type_node, value = node.field("type"), node.field("value")
        if type_node is None or value is None:
            raise NotConstant
        if not value.children:
            known = here.names.constant(node)
            if isinstance(known, Number):
                return Value(known.type, known.value)
        type = here.names.type_at(type_node)
        if type is None:
            raise NotConstant
        return self._made(here, type, value)

    def _made(self, here: _Here, type: QualType, value: Node) -> Value:
        """`T{...}` and `T(...)`."""
        if _placeholder_in(type) or isinstance(type.type, ReferenceType):
            raise NotConstant
        if not self._store.is_real:
            return Value(type.unqualified, UNKNOWN)
        place = self._store.new(type.unqualified, self.objects.blank(type))
        self._initialise_at(here, place, value)
        return Value(type.unqualified, place.container[0])

    # -- initialisation -----------------------------------------------------------------------------------------------

    def _initialise_at(self, here: _Here, place: Place, node: Node) -> None:
        """Makes the object at `place`, as `= value`, `(arguments)` or `{list}` says."""
        type = place.type
        if isinstance(type.type, ReferenceType):
            place.container[place.index] = self._bound(type.type, self._referred(here, type.type, node))
        elif node.kind == "initializer_list":
            self._list_at(here, place, node.children)
        elif node.kind == "argument_list":
            self._arguments_at(here, place, node)
        elif node.kind in STRINGS and isinstance(type.type, ArrayType):
            self._characters_at(here, place, type.type, node)
        else:
            self.objects.put(place, self._initial(type.unqualified, self.evaluate(here, node)))

    def _referred(self, here: _Here, type: ReferenceType, node: Node) -> Result:
        if node.kind == "argument_list" and len(node.children) == 1:
            node = node.children[0]
        if node.kind == "initializer_list":
            if len(node.children) == 1 and not isinstance(type.referred.type, ClassType | ArrayType):
                return self.evaluate(here, node.children[0])
            return self._made(here, type.referred.unqualified, node)
        return self.evaluate(here, node)

    def _nodes(self, here: _Here, nodes: Sequence[Node]) -> Sequence[Node]:
        found = here.names.expanded(nodes)
        if found is None:
            raise NotConstant
        return found

    def _arguments_at(self, here: _Here, place: Place, node: Node) -> None:
        nodes = self._nodes(here, node.children)
        if isinstance(place.type.type, ClassType):
            shape = self.objects.shape(place.type.type)
            if not shape.is_constructed and len(nodes) > 1:  # C++20: an aggregate
                self._list_at(here, place, nodes)
                return
            if nodes or shape.is_constructed:
                arguments = self._arguments(here, nodes)
                self._construct_at(place, place.type.type, arguments)
                return
        if not nodes:
            self._zero_at(place)
        elif len(nodes) == 1:
            result = self.evaluate(here, nodes[0])
            self.objects.put(place, self._initial(place.type.unqualified, result, is_explicit=True))
        else:
            self._list_at(here, place, nodes)

    def _construct_at(self, place: Place, type: ClassType, arguments: Sequence[_Argument]) -> None:
        """`T(arguments)`"""
        if len(arguments) == 1 and not isinstance(arguments[0], Node):
            own = arguments[0].type.type
            is_copy = own == type or (isinstance(own, ClassType) and self.objects.shift(own, type) is not None)
            if is_copy or not self.objects.shape(type).is_constructed:
                self.objects.put(place, self._initial_class(type, arguments[0]))
                return
        functions = self._program.constructors(type)
        if functions is None or not self.objects.shape(type).is_constructed:
            if arguments:
                raise NotConstant
            self._zero_at(place)
            return
        if not arguments and self.objects.shape(type).has_default:
            self._zero_at(place)
            return
        callee = self._program.choose(functions, [self._passed(one) for one in arguments], None)
        if callee is None:
            raise NotConstant
        self._run_constructor(callee, place, arguments)

    def _constructed(self, type: ClassType, arguments: Sequence[_Argument]) -> Contents:
        """An object that a written constructor makes."""
        if not self._store.is_real:
            return UNKNOWN
        functions = self._program.constructors(type)
        callee = None
        if functions is not None:
            callee = self._program.choose(functions, [self._passed(one) for one in arguments], None)
        if callee is None:
            raise NotConstant
        place = self._store.new(QualType(type), self.objects.blank(QualType(type)))
        self._run_constructor(callee, place, arguments)
        return place.container[0]

    def _list_at(self, here: _Here, place: Place, children: Sequence[Node]) -> None:
        """`{...}`"""
        nodes = self._nodes(here, children)
        match place.type.type:
            case ClassType() as type:
                self._list_of_class(here, place, type, nodes)
            case ArrayType() | DeviceType():
                if isinstance(place.type.type, ArrayType) and len(nodes) == 1 and nodes[0].kind in STRINGS:
                    self._characters_at(here, place, place.type.type, nodes[0])
                    return
                clauses: list[_Argument] = list(nodes)
                self._fill_at(here, place, clauses)
                if clauses:
                    raise NotConstant
            case _:
                if len(nodes) > 1:
                    raise NotConstant
                if nodes:
                    self._initialise_at(here, place, nodes[0])
                else:
                    self._zero_at(place)

    def _list_of_class(self, here: _Here, place: Place, type: ClassType, nodes: Sequence[Node]) -> None:
        shape = self.objects.shape(type)
        if not nodes:
            if shape.is_constructed and not shape.has_default:
                self._construct_at(place, type, [])
            elif shape.is_constructed:
                self._zero_at(place)
            else:
                self._fill_at(here, place, [])
            return
        if designated(nodes):
            self._designated_at(here, place, shape, nodes)
            return
        if shape.is_constructed:
            arguments = self._arguments(here, nodes)
            is_copy = len(arguments) == 1 and not isinstance(arguments[0], Node) and arguments[0].type.type == type
            if is_copy and shape.is_copied_by_code:
                raise NotConstant  # compilers differ in whether that is copied
            self._construct_at(place, type, arguments)
            return
        clauses: list[_Argument] = list(nodes)
        if len(clauses) == 1 and nodes[0].kind not in ("initializer_list", *STRINGS):
            clauses[0] = self.evaluate(here, nodes[0])
            own = clauses[0].type.type
            if own == type or (isinstance(own, ClassType) and self.objects.shift(own, type) is not None):
                self.objects.put(place, self._initial_class(type, clauses[0]))
                return
        self._fill_at(here, place, clauses)
        if clauses:
            raise NotConstant

    def _designated_at(self, here: _Here, place: Place, shape: ClassShape, nodes: Sequence[Node]) -> None:
        given = {name: value for node in nodes for name, value in [listed(node)]}
        if shape.is_constructed or shape.bases or given.keys() - {one.name for one in shape.fields}:
            raise NotConstant
        for index, member in enumerate(shape.fields):
            part = self.objects.making(place, shape, index)
            value = given.get(member.name)
            if value is not None:
                self._initialise_at(here, part, value)
            else:
                self._default_member(place, shape, index, part)

    def _default_member(self, whole: Place, shape: ClassShape, index: int, part: Place) -> None:
        """What a member holds that an aggregate's list does not mention."""
        default = shape.fields[index].default
        if default is not None:
            self._initialise_at(_Here(shape.names, self._as_this(whole, shape.type)), part, default)
        elif isinstance(part.type.type, ReferenceType):
            raise NotConstant
        elif isinstance(part.type.type, ClassType) and not self.objects.shape(part.type.type).is_constructed:
            self._fill_at(_Here(shape.names), part, [])
        else:
            self._zero_at(part)

    def _fill_at(self, here: _Here, place: Place, clauses: list[_Argument]) -> None:
        """An aggregate, from as many clauses as it takes; braces around the parts may be left out."""
        self._budget.take()
        contents = place.container[place.index]
        match place.type.type:
            case ClassType() as type:
                shape = self.objects.shape(type)
                for base, start in shape.bases:
                    inner = replace(place, type=QualType(base), shift=place.shift + start)
                    if clauses:
                        self._next_at(here, inner, clauses)
                    else:
                        self._empty_at(inner, base)
                for index in range(shape.own_fields, len(shape.fields)):
                    part = self.objects.making(place, shape, index)
                    if clauses:
                        self._next_at(here, part, clauses)
                    else:
                        self._default_member(place, shape, index, part)
            case ArrayType(element=element, length=length):
                if not isinstance(length, int) or not isinstance(contents, list):
                    contents = self._of_open_length(place, element, clauses)
                for index in range(len(contents)):
                    part = Place(contents, index, element, place.object, is_element=True)
                    if clauses:
                        self._next_at(here, part, clauses)
                    else:
                        self._empty_part(part)
            case DeviceType():
                element, length = self.objects.vector(place.type)
                if not isinstance(contents, list) or (clauses and len(clauses) != length):
                    raise NotConstant
                for index in range(length):
                    part = Place(contents, index, element, place.object)
                    if clauses:
                        self._next_at(here, part, clauses)
                    else:
                        raise NotConstant  # what a `dim3` has by default is not what an `int3` has
            case _:
                raise NotConstant

    def _empty_at(self, place: Place, type: ClassType) -> None:
        if self.objects.shape(type).is_constructed:
            self._construct_at(place, type, [])
        else:
            self._fill_at(_Here(self.objects.shape(type).names), place, [])

    def _empty_part(self, part: Place) -> None:
        if isinstance(part.type.type, ClassType):
            self._empty_at(part, part.type.type)
        else:
            self._zero_at(part)

    def _of_open_length(self, place: Place, element: QualType, clauses: Sequence[_Argument]) -> list[Contents]:
        """`T a[] = {...}`: as many elements as the list has, each with braces of its own if it takes several."""
        if isinstance(element.type, ArrayType | ClassType) and not all(
            isinstance(one, Node) and one.kind in ("initializer_list", "call_expression", *STRINGS) for one in clauses
        ):
            raise NotConstant
        self._budget.take(len(clauses))
        contents: list[Contents] = [self.objects.blank(element) for _ in clauses]
        place.container[place.index] = contents
        return contents

    def _next_at(self, here: _Here, part: Place, clauses: list[_Argument]) -> None:
        """One part of an aggregate, from its own list or expression, or from the clauses that follow."""
        first = clauses[0]
        if isinstance(first, Node) and first.kind == "initializer_pair":
            raise NotConstant
        if isinstance(first, Node) and first.kind == "initializer_list":
            self._initialise_at(here, part, first)
            del clauses[0]
            return
        match part.type.type:
            case ArrayType() as type:
                if isinstance(first, Node) and first.kind in STRINGS and not _is_pointer_array(type):
                    self._characters_at(here, part, type, first)
                    del clauses[0]
                else:
                    self._fill_at(here, part, clauses)
            case ClassType() as type:
                result = self.evaluate(here, first) if isinstance(first, Node) else first
                own = result.type.type
                is_own = own == type or (isinstance(own, ClassType) and self.objects.shift(own, type) is not None)
                if is_own or self.objects.shape(type).is_constructed:
                    self.objects.put(part, self._initial_class(type, result))
                    del clauses[0]
                else:
                    clauses[0] = result
                    self._fill_at(here, part, clauses)
            case ReferenceType() as type:
                result = self._referred(here, type, first) if isinstance(first, Node) else first
                part.container[part.index] = self._bound(type, result)
                del clauses[0]
            case _:
                if isinstance(first, Node):
                    self._initialise_at(here, part, first)
                else:
                    self.objects.put(part, self._initial(part.type.unqualified, first))
                del clauses[0]

    def _characters_at(self, here: _Here, place: Place, type: ArrayType, node: Node) -> None:
        """`char name[] = "text"`"""
        characters = here.names.text(node)
        element = arithmetic.integer_of(type.element)
        if characters is None or element is None or element.bits != 8:
            raise NotConstant
        length = type.length if isinstance(type.length, int) else len(characters) + 1
        if length < len(characters):
            raise NotConstant
        self._budget.take(length)
        found: list[Contents] = [arithmetic.converted(each, type.element) for each in characters]
        place.container[place.index] = found + [arithmetic.converted(0, type.element)] * (length - len(found))

    def _zero_at(self, place: Place) -> None:
        """`T()` and `T{}`: zero, and what members have by default."""
        self._budget.take()
        match place.type.type:
            case ClassType() as type:
                shape = self.objects.shape(type)
                if shape.is_constructed and not shape.has_default:
                    self._construct_at(place, type, [])
                    return
                for base, start in shape.bases:
                    self._zero_at(replace(place, type=QualType(base), shift=place.shift + start))
                for index in range(shape.own_fields, len(shape.fields)):
                    part = self.objects.making(place, shape, index)
                    default = shape.fields[index].default
                    if default is None:
                        self._zero_at(part)
                    else:
                        self._initialise_at(_Here(shape.names, self._as_this(place, type)), part, default)
            case ArrayType(element=element):
                contents = place.container[place.index]
                if not isinstance(contents, list):
                    raise NotConstant
                for index in range(len(contents)):
                    self._zero_at(Place(contents, index, element, place.object, is_element=True))
            case PointerType():
                place.container[place.index] = NULL
            case FundamentalType(kind=Fundamental.NULL_POINTER):
                place.container[place.index] = NULL
            case DeviceType():
                element, length = self.objects.vector(place.type)
                place.container[place.index] = [arithmetic.converted(0, element) for _ in range(length)]
            case ReferenceType():
                raise NotConstant
            case _:
                place.container[place.index] = arithmetic.converted(0, place.type)

    def _default_at(self, place: Place) -> None:
        """`T x;`: numbers have no value."""
        self._budget.take()
        match place.type.type:
            case ClassType() as type:
                shape = self.objects.shape(type)
                if shape.is_constructed and not shape.has_default:
                    self._construct_at(place, type, [])
                    return
                for base, start in shape.bases:
                    self._default_at(replace(place, type=QualType(base), shift=place.shift + start))
                for index in range(shape.own_fields, len(shape.fields)):
                    self._default_init_member(place, shape, index)
            case ArrayType(element=element) if isinstance(element.type, ClassType | ArrayType):
                contents = place.container[place.index]
                if not isinstance(contents, list):
                    raise NotConstant
                for index in range(len(contents)):
                    self._default_at(Place(contents, index, element, place.object, is_element=True))
            case ReferenceType():
                raise NotConstant
            case _:
                pass

    def _default_init_member(self, place: Place, shape: ClassShape, index: int) -> None:
        part, default = self.objects.making(place, shape, index), shape.fields[index].default
        if default is None:
            self._default_at(part)
        else:
            self._initialise_at(_Here(shape.names, self._as_this(place, shape.type)), part, default)

    def _as_this(self, place: Place, type: ClassType) -> Place:
        """The object that is being made, as its members see it."""
        return replace(place, type=QualType(type), category=ValueCategory.LVALUE)

    # -- constructors -------------------------------------------------------------------------------------------------

    def _run_constructor(self, callee: Callee, place: Place, arguments: Sequence[_Argument]) -> None:
        """The object at `place`, of which nothing is initialised, is made."""
        type = place.type.type
        assert isinstance(type, ClassType)
        if not self._store.is_real:
            return
        shape = self.objects.shape(type)
        if callee.body is None or not callee.is_runnable or callee.owner != type:
            raise NotConstant
        this = self._as_this(place, type)
        with self._called(callee, this, arguments) as here:
            written = initialisers_of(callee.initialisers)
            delegated = written.get(_simple_name(type))
            if delegated is not None and len(written) == 1 and shape.index(_simple_name(type)) is None:
                self._arguments_or_list_at(here, this, delegated.children[-1])
            else:
                self._bases_at(here, this, shape, written)
                for index in range(shape.own_fields, len(shape.fields)):
                    given = written.pop(shape.fields[index].name, None)
                    if given is None:
                        self._default_init_member(this, shape, index)
                    else:
                        self._member_at(here, self.objects.making(this, shape, index), given.children[-1])
                if written:
                    raise NotConstant
            if isinstance(self._run(here, callee.body), _Leaving):
                raise NotConstant

    def _member_at(self, here: _Here, part: Place, value: Node) -> None:
        with self._store.full_expression():
            if value.kind == "argument_list" and not value.children:
                self._zero_at(part)
            else:
                self._initialise_at(here, part, value)

    def _arguments_or_list_at(self, here: _Here, place: Place, value: Node) -> None:
        with self._store.full_expression():
            if value.kind == "initializer_list":
                self._list_at(here, place, value.children)
            else:
                self._arguments_at(here, place, value)

    def _bases_at(self, here: _Here, this: Place, shape: ClassShape, written: dict[str, Node]) -> None:
        given: dict[ClassType, Node] = {}
        for name, node in list(written.items()):
            if any(one.name == name for one in shape.fields[shape.own_fields :]):
                continue
            meaning = here.names.find(node.children[0])
            if isinstance(meaning, TypeMeant) and isinstance(meaning.type.type, ClassType):
                given[meaning.type.type] = node
                del written[name]
        for base, start in shape.bases:
            part = replace(this, type=QualType(base), shift=this.shift + start)
            node = given.pop(base, None)
            if node is None:
                self._default_at(part)
            else:
                self._arguments_or_list_at(here, part, node.children[-1])
        if given:
            raise NotConstant

    # -- calls --------------------------------------------------------------------------------------------------------

    def _call_expression(self, here: _Here, node: Node) -> Result:
        function, given = node.field("function"), node.field("arguments")
        if function is None or given is None:
            raise NotConstant
        if function.kind == "field_expression":
            return self._method_call(here, function, given)
        if function.kind == "template_function":
            name, types = function.field("name"), function.field("arguments")
            if name is not None and types is not None and name.text in _CASTS:
                return self._named_cast(here, name.text, types, given)
        if here.names.is_type(function):
            return self._made_by_call(here, node, function, given)
        function = without_parentheses(function)
        if function.text in _ASKING:
            if not self._is_required:
                raise NotConstant  # the program may say both
            return Value(BOOL, True)
        if function.kind not in _NAMES:
            return self._call_result(self.evaluate(here, function), self._call_arguments(here, given))
        meaning = here.names.find(function)
        if meaning is None or isinstance(meaning, FunctionNames):
            return self._free_call(here, function, meaning, given)
        return self._call_result(self._meant(here, meaning), self._call_arguments(here, given))

    def _named_cast(self, here: _Here, name: bytes, types: Node, given: Node) -> Result:
        target = here.names.type_at(types.children[0]) if len(types.children) == 1 else None
        if target is None or len(given.children) != 1:
            raise NotConstant
        result = self.evaluate(here, given.children[0])
        if name == b"static_cast":
            return self._cast_to(target, result)
        if isinstance(target.type, ReferenceType) and isinstance(result, Place):
            is_added = target.type.referred.is_constant or not result.type.is_constant
            if is_added and target.type.referred.unqualified == result.type.unqualified:
                return self._cast_to(target, result)
        raise NotConstant

    def _made_by_call(self, here: _Here, node: Node, function: Node, given: Node) -> Result:
        """`T(...)`"""
        known = here.names.constant(node) if not given.children else None
        if isinstance(known, Number):
            return Value(known.type, known.value)
        type = here.names.type_at(function)
        if type is None:
            raise NotConstant
        nodes = self._nodes(here, given.children)
        if len(nodes) == 1 and nodes[0].kind != "initializer_list":
            return self._cast_to(type, self.evaluate(here, nodes[0]))
        return self._made(here, type, given)

    def _free_call(self, here: _Here, name: Node, functions: FunctionNames | None, given: Node) -> Result:
        """A call by the name of functions, or of methods of the object that the code belongs to."""
        if functions is not None and functions.builtin in _LESSER_OR_GREATER and not functions.has_methods:
            return self._chosen_number(here, functions.builtin, given)
        if functions is not None and not functions.is_runnable and self._store.is_real:
            raise NotConstant
        if functions is None and (not given.children or not self._store.is_real):
            raise NotConstant
        arguments = self._call_arguments(here, given)
        types = [one.type for one in arguments if not isinstance(one, Node)]
        if any(isinstance(each.type, ClassType | PointerType | ArrayType) for each in types):
            functions = here.names.associated(name, functions, types)
        if functions is None:
            raise NotConstant
        object = None if here.this is None or not functions.has_methods else _argument(here.this)
        callee = here.names.choose(functions, [self._passed(one) for one in arguments], object)
        if callee is None:
            raise NotConstant
        if not callee.has_this:
            return self._call(callee, arguments, None)
        if here.this is None:
            raise NotConstant
        return self._call_on(callee, here.this, arguments)

    def _chosen_number(self, here: _Here, name: str | None, given: Node) -> Value:
        """`min` and `max` of two numbers of one type."""
        nodes = self._nodes(here, given.children)
        if len(nodes) != 2:
            raise NotConstant
        first, second = (self._value(here, node) for node in nodes)
        if first.type != second.type or not is_number(first.type):
            raise NotConstant
        if not self._store.is_real:
            return Value(first.type, UNKNOWN, first.is_guess or second.is_guess)
        is_less, _ = arithmetic.binary("<", number_of(second), second.type, number_of(first), first.type)
        is_greater, _ = arithmetic.binary("<", number_of(first), first.type, number_of(second), second.type)
        is_second = is_less if name is not None and name.endswith("min") else is_greater
        return Value(first.type, second.data if is_second else first.data, first.is_guess or second.is_guess)

    def _method_call(self, here: _Here, function: Node, given: Node) -> Result:
        """`object.method(arguments)`"""
        name = function.field("field")
        whole = self._object_before(here, function)
        if name is None or not isinstance(whole.type.type, ClassType):
            raise NotConstant
        if name.kind == "field_identifier" and self.objects.shape(whole.type.type).index(text_of(name)) is not None:
            called = self.objects.member(whole, text_of(name))
            return self._call_result(called, self._call_arguments(here, given))
        methods = here.names.member(whole.type.type, name)
        if not isinstance(methods, FunctionNames) or not (methods.is_runnable or not self._store.is_real):
            raise NotConstant
        arguments = self._call_arguments(here, given)
        callee = here.names.choose(methods, [self._passed(one) for one in arguments], _argument(whole))
        if callee is None:
            raise NotConstant
        is_exact = name.kind == "qualified_identifier"
        return self._call_on(callee, whole, arguments, is_exact=is_exact)

    def _call_on(
        self, callee: Callee, whole: Place, arguments: Sequence[_Argument], *, is_exact: bool = False
    ) -> Result:
        if callee.is_virtual and not is_exact and self._store.is_real:
            raise NotConstant
        if not callee.has_this or callee.owner is None:
            return self._call(callee, arguments, None)
        if whole.type.is_constant and not callee.is_constant:
            raise NotConstant
        this = self.objects.base(whole, callee.owner)
        if callee.is_constant:
            this = replace(this, type=qualified(this.type, constant=True))
        return self._call(callee, arguments, replace(this, category=ValueCategory.LVALUE))

    def _call_result(self, called: Result, arguments: Sequence[_Argument]) -> Result:
        """A call of an object, a lambda or a pointer to a function."""
        if isinstance(called.type.type, ClassType):
            if called.type.type.name in self.objects.closures:
                return self._call_closure(called, arguments)
            return self._operator("()", [called, *arguments])
        value = self._read(called)
        if not isinstance(value.data, FunctionPointer) or not isinstance(value.data.functions, FunctionNames):
            raise NotConstant
        callee = self._program.choose(value.data.functions, [self._passed(one) for one in arguments], None)
        if callee is None or callee.has_this:
            raise NotConstant
        return self._call(callee, arguments, None)

    def _call_arguments(self, here: _Here, given: Node) -> list[_Argument]:
        return self._arguments(here, self._nodes(here, given.children))

    def _arguments(self, here: _Here, nodes: Sequence[Node]) -> list[_Argument]:
        if len(nodes) < 2 or not any(map(changes_something, nodes)):
            return [self._argument_of(here, node) for node in nodes]
        found: list[_Argument] = []
        with self._store.unordered() as order:
            for node in nodes:
                result = self._argument_of(here, node)
                if isinstance(result, Place) and not isinstance(result.type.type, ArrayType | ClassType | DeviceType):
                    with self._unevaluated():
                        self._store.read(result)
                found.append(result)
                order.next()
        return found

    def _argument_of(self, here: _Here, node: Node) -> _Argument:
        return node if node.kind == "initializer_list" else self.evaluate(here, node)

    def _passed(self, argument: _Argument) -> Passed:
        if isinstance(argument, Node):
            return Passed(None)
        own = argument.type.type
        if isinstance(own, ClassType) and own.name in self.objects.closures:
            return Passed(None, self.objects.closures[own.name].handle)
        if isinstance(argument, Value) and isinstance(argument.data, FunctionPointer):
            raise NotConstant
        is_guess = isinstance(argument, Value) and argument.is_guess
        return Passed(_argument(argument), is_guess=is_guess)

    def _call(self, callee: Callee, arguments: Sequence[_Argument], this: Place | None) -> Result:
        if not self._store.is_real and callee.returns is not None and not _placeholder_in(callee.returns):
            return self._unknown_result(callee.returns)
        if callee.body is None or not (callee.is_runnable or not self._store.is_real):
            raise NotConstant
        with self._called(callee, this, arguments) as here:
            if not self._store.is_real:
                return self._returned_type(here, callee.body)
            outcome = self._run(here, callee.body)
        if isinstance(outcome, _Returned) and outcome.result is not None:
            return outcome.result
        if isinstance(outcome, _Leaving) or (callee.returns is not None and not _may_be_void(callee.returns)):
            raise NotConstant
        return Value(VOID, UNSET)

    def _unknown_result(self, type: QualType) -> Result:
        if isinstance(type.type, ReferenceType):
            place = self._store.unknown(type.type.referred)
            place.category = ValueCategory.XVALUE if type.type.is_rvalue else ValueCategory.LVALUE
            return place
        return Value(type.unqualified, UNKNOWN)

    @contextmanager
    def _called(self, callee: Callee, this: Place | None, arguments: Sequence[_Argument]) -> Generator[_Here]:
        """Inside, the function runs: its parameters are declared."""
        budget = self._budget
        budget.take()
        budget.depth += 1
        if budget.depth > MAX_DEPTH:
            budget.depth -= 1
            raise NotConstant
        try:
            here = _Here(callee.names.inside(), this, callee.returns)
            self._parameters(here, callee, arguments)
            yield here
            self._end(here)
        finally:
            budget.depth -= 1

    def _end(self, here: _Here) -> None:
        for object in here.objects:
            object.is_alive = False

    def _parameters(self, here: _Here, callee: Callee, arguments: Sequence[_Argument]) -> None:
        if len(arguments) > len(callee.parameters) and not callee.is_variadic:
            raise NotConstant
        for argument in arguments[len(callee.parameters) :]:  # no constant expression can ask for them
            if isinstance(argument, Node):
                raise NotConstant
            self._read(argument)
        for index, parameter in enumerate(callee.parameters):
            if index < len(arguments):
                self._parameter(here, parameter, arguments[index])
            elif parameter.default is None:
                raise NotConstant
            else:
                given = parameter.default
                outside = _Here(callee.names)
                self._parameter(here, parameter, self._argument_of(outside, given))
        here.names.declare_packs(callee)

    def _parameter(self, here: _Here, parameter: Parameter, argument: _Argument) -> None:
        type = parameter.type
        if isinstance(argument, Node):
            if type is None or _placeholder_in(type):
                raise NotConstant
            argument = self._made(here, type.object.unqualified, argument)
        elif type is None:
            type = reference_to(argument.type) if parameter.is_reference else argument.type.unqualified
            own = argument.type.type
            if not isinstance(own, ClassType) or own.name not in self.objects.closures:
                raise NotConstant
            if parameter.is_reference and isinstance(argument, Value):
                type = QualType(ReferenceType(argument.type, is_rvalue=True))
        type = _deduced(type, argument)
        if isinstance(type.type, ReferenceType):  # a temporary ends with the call, not with the function
            self._declare(here, parameter.name, type, self._referring(type.type, argument))
        else:
            self._declare_from(here, parameter.name, type, argument)

    def _declare_from(self, here: _Here, name: str, type: QualType, result: Result) -> None:
        """A variable that is initialised with the result."""
        if isinstance(type.type, ReferenceType):
            place = self._referring(type.type, result)
            if self._store.extend(place.object):
                here.objects.append(place.object)
        elif not self._store.is_real:
            place = self._store.unknown(type)
        else:
            place = self._store.new(type, self._initial(type.unqualified, result))
            here.objects.append(place.object)
        self._declare(here, name, type, place)

    def _referring(self, type: ReferenceType, result: Result) -> Place:
        if not self._store.is_real:
            return self._store.unknown(type.referred)
        return self._bound(type, result)

    def _declare(self, here: _Here, name: str, type: QualType, place: Place) -> None:
        known, closure = None, None
        own = place.type.type
        if isinstance(own, ClassType) and own.name in self.objects.closures:
            closure = self.objects.closures[own.name].handle
        elif type.is_constant and self._store.is_real and is_number(type):
            known = self.objects.frozen_contents(type, place.container[place.index])
        self._places[here.names.declare(name, type, known, closure)] = place

    # -- lambdas ------------------------------------------------------------------------------------------------------

    def _lambda(self, here: _Here, node: Node) -> Result:
        found = here.names.closure(node)
        if found is None:
            raise NotConstant
        handle, captured, is_mutable = found
        captures: list[tuple[str, QualType]] = []
        contents: list[Contents] = []
        this = here.this
        for capture in captured:
            result = self._captured(here, capture)
            if result is None:
                continue
            if capture.is_reference:
                type = reference_to(result.type)
                assert isinstance(type.type, ReferenceType)
                contents.append(self._referring(type.type, result))
            else:
                type = result.type if capture.value is None else _decayed(result.type)
                contents.append(self._initial(type.unqualified, result))
            captures.append((capture.name, type))
        closure = Closure(handle, tuple(captures), is_mutable, this)
        name = f"lambda {len(self.objects.closures)} at {node.start}"
        self.objects.closures[name] = closure
        data: Contents = [closure, *contents] if self._store.is_real else UNKNOWN
        return Value(QualType(ClassType(name)), data)

    def _captured(self, here: _Here, capture: Capture) -> Result | None:
        """The local variable of that name, or what initialises the capture; None for what needs none."""
        if capture.value is not None:
            return self.evaluate(here, capture.value)
        text = capture.name.encode()
        meaning = here.names.find(Node("identifier", 0, len(text), text))
        return self._places.get(meaning.handle) if isinstance(meaning, LocalName) else None

    def _call_closure(self, called: Result, arguments: Sequence[_Argument]) -> Result:
        assert isinstance(called.type.type, ClassType)
        closure = self.objects.closures[called.type.type.name]
        place = self._as_place(called)
        members = self._store.members(place) if self._store.is_real else None
        names = self._program.closure_names(closure.handle)
        for index, (name, type) in enumerate(closure.captures, 1):
            inner = self._capture_place(closure, place, members, index, type)
            self._declare(_Here(names), name, type, inner)
        callee = self._program.closure_body(closure.handle, names)
        if callee is None:
            raise NotConstant
        return self._call(callee, arguments, closure.this)

    def _capture_place(
        self, closure: Closure, place: Place, members: list[Contents] | None, index: int, type: QualType
    ) -> Place:
        if members is None:
            return self._store.unknown(type.object)
        if isinstance(type.type, ReferenceType):
            found = members[index]
            if not isinstance(found, Place):
                raise NotConstant
            return found
        constant = not closure.is_mutable or place.type.is_constant
        return Place(members, index, qualified(type, constant=constant), place.object)

    def _size(self, here: _Here, node: Node) -> Result:
        """`sizeof x`, of what needs an evaluation for its type."""
        known = here.names.constant(node)
        if known is None:
            value = node.field("value")
            if value is None:
                raise NotConstant
            with self._unevaluated():
                type = self.evaluate(here, value).type
            known = here.names.size_of(type)
        if not isinstance(known, Number):
            raise NotConstant
        return Value(known.type, known.value)

    # -- statements ---------------------------------------------------------------------------------------------------

    def _run(self, here: _Here, node: Node) -> _Outcome:
        self._budget.take()
        match node.kind:
            case "compound_statement":
                with self._block(here) as inner:
                    return self._run_all(inner, node.children)
            case "expression_statement":
                for child in node.children:
                    with self._store.full_expression():
                        self.evaluate(here, child)
            case "return_statement":
                return self._return(here, node)
            case "declaration":
                self._declaration(here, node)
            case "if_statement":
                return self._if(here, node)
            case "else_clause":
                return self._run_all(here, [child for child in node.children if child.kind != "else"])
            case "while_statement" | "for_statement":
                with self._block(here) as inner:
                    return self._loop(inner, node)
            case "do_statement":
                return self._do(here, node)
            case "for_range_loop":
                with self._block(here) as inner:
                    return self._range_loop(inner, node)
            case "switch_statement":
                with self._block(here) as inner:
                    return self._switch(inner, node)
            case "break_statement":
                return _Leaving.BREAK
            case "continue_statement":
                return _Leaving.CONTINUE
            case "attributed_statement":
                return self._run_all(here, [child for child in node.children if child.kind != "attribute_declaration"])
            case "static_assert_declaration" | "comment":
                pass
            case _ if node.kind in _TYPES:
                here.names.declare_type(node)
            case _:
                raise NotConstant
        return None

    def _run_all(self, here: _Here, nodes: Sequence[Node]) -> _Outcome:
        for node in nodes:
            found = self._run(here, node)
            if found is not None:
                return found
        return None

    @contextmanager
    def _block(self, here: _Here) -> Generator[_Here]:
        """What is declared inside ends with it."""
        inner = _Here(here.names.inside(), here.this, here.returns)
        yield inner
        self._end(inner)

    def _return(self, here: _Here, node: Node) -> _Returned:
        values = [child for child in node.children if child.kind != "return"]
        if not values:
            return _Returned(None)
        value, type = values[0], here.returns
        with self._store.full_expression():
            if value.kind == "initializer_list":
                if type is None or _placeholder_in(type):
                    raise NotConstant
                return _Returned(self._made(here, type, value))
            result = self.evaluate(here, value)
            if type is None:
                type = QualType(PlaceholderType(Placeholder.AUTO))
            return _Returned(self._as_returned(_deduced(type, result), result, value))

    def _as_returned(self, type: QualType, result: Result, node: Node) -> Result:
        match type.type:
            case FundamentalType(kind=Fundamental.VOID):
                return Value(VOID, UNSET)
            case ReferenceType() as reference:
                if isinstance(result, Place) and reference.is_rvalue and result.category is ValueCategory.LVALUE:
                    raise NotConstant
                place = self._bound(reference, result)
                return replace(place, category=ValueCategory.XVALUE if reference.is_rvalue else ValueCategory.LVALUE)
            case ClassType() if isinstance(result, Place) and node.kind == "identifier":
                if type.type.name not in self.objects.closures and self.objects.shape(type.type).is_copied_by_code:
                    raise NotConstant  # whether it is copied is not said
            case _:
                pass
        return Value(type.unqualified, self._initial(type.unqualified, result))

    def _returned_type(self, here: _Here, body: Node) -> Result:
        """What the function returns, by the first `return` statement in it."""
        waiting = [body]
        while waiting:
            node = waiting.pop()
            if node.kind == "return_statement":
                outcome = self._return(here, node)
                return Value(VOID, UNSET) if outcome.result is None else outcome.result
            if node.kind == "declaration":
                self._declaration(here, node)
            elif node.kind not in ("lambda_expression", "expression_statement"):
                waiting += reversed([child for child in node.children if child.role != "condition"])
        return Value(VOID, UNSET)

    def _if(self, here: _Here, node: Node) -> _Outcome:
        with self._block(here) as inner:
            is_true = self._condition(inner, node)
            way = node.field("consequence" if is_true else "alternative")
            return None if way is None else self._run(inner, way)

    def _condition(self, here: _Here, node: Node) -> bool:
        condition = node.field("condition")
        if condition is None:
            raise NotConstant
        if condition.kind == "condition_clause":
            first = condition.field("initializer")
            for child in () if first is None else first.children if first.kind == "init_statement" else (first,):
                self._run(here, child)
            condition = condition.field("value")
            if condition is None:
                raise NotConstant
        if condition.kind == "declaration":
            return self._is_true(self._declared_condition(here, condition))
        with self._store.full_expression():
            return self._truth(here, condition)

    def _declared_condition(self, here: _Here, node: Node) -> Result:
        """`if (int k = f())`"""
        value = node.field("value")
        found = here.names.declarators(node)
        if len(found) != 1:
            raise NotConstant
        declarator = found[0] if found[0].value is not None else replace_value(found[0], value)
        self._variable(here, declarator)
        text = declarator.name.encode()
        return self._name(here, Node("identifier", 0, len(text), text))

    def _loop(self, here: _Here, node: Node) -> _Outcome:
        first, update, body = node.field("initializer"), node.field("update"), node.field("body")
        if first is not None:
            if first.kind in ("declaration", "expression_statement", "alias_declaration"):
                self._run(here, first)
            else:
                with self._store.full_expression():
                    self.evaluate(here, first)
        while True:
            self._budget.take()
            with self._block(here) as inner:
                if node.field("condition") is not None and not self._condition(inner, node):
                    return None
                found = None if body is None else self._run(inner, body)
            if found is _Leaving.BREAK:
                return None
            if isinstance(found, _Returned):
                return found
            if update is not None:
                with self._store.full_expression():
                    self.evaluate(here, update)

    def _do(self, here: _Here, node: Node) -> _Outcome:
        body = node.field("body")
        while True:
            found = None if body is None else self._run(here, body)
            if found is _Leaving.BREAK:
                return None
            if isinstance(found, _Returned):
                return found
            if not self._condition(here, node):
                return None

    def _range_loop(self, here: _Here, node: Node) -> _Outcome:
        right, body, first = node.field("right"), node.field("body"), node.field("initializer")
        if right is None or body is None:
            raise NotConstant
        for child in () if first is None else first.children if first.kind == "init_statement" else (first,):
            self._run(here, child)
        with self._store.full_expression():
            whole = self._range(here, right)
            if self._store.extend(whole.object):
                here.objects.append(whole.object)
        if isinstance(whole.type.type, ArrayType):
            return self._array_loop(here, node, body, whole, whole.type.type)
        begin, end = (self._range_end(whole, name) for name in ("begin", "end"))
        places = [self._store.new(one.type.unqualified, self._read(one).data) for one in (begin, end)]
        while self._is_true(self._of_two("!=", self._iterator(places[0]), self._iterator(places[1]))):
            found = self._round(here, node, body, self._pointed(self._iterator(places[0])))
            if found is _Leaving.BREAK:
                return None
            if isinstance(found, _Returned):
                return found
            self._updated(places[0], "++", is_prefix=True)
        return None

    def _iterator(self, place: Place) -> Result:
        return place if isinstance(place.type.type, ClassType) else self._store.read(place)

    def _range(self, here: _Here, node: Node) -> Place:
        if node.kind != "initializer_list":
            return self._as_place(self.evaluate(here, node))
        nodes = self._nodes(here, node.children)
        values = [self._value(here, child) for child in nodes]
        if not values or any(one.type != values[0].type for one in values):
            raise NotConstant
        type = QualType(ArrayType(qualified(values[0].type, constant=True), len(values)))
        return self._store.new(type, [one.data for one in values])

    def _range_end(self, whole: Place, name: str) -> Result:
        text = name.encode()
        if not isinstance(whole.type.type, ClassType):
            raise NotConstant
        methods = self._program.member(whole.type.type, Node("field_identifier", 0, len(text), text))
        if not isinstance(methods, FunctionNames):
            raise NotConstant
        callee = self._program.choose(methods, [], _argument(whole))
        if callee is None:
            raise NotConstant
        return self._call_on(callee, whole, [])

    def _array_loop(self, here: _Here, node: Node, body: Node, whole: Place, type: ArrayType) -> _Outcome:
        members = self._store.members(whole)
        for index in range(0 if members is None else len(members)):
            found = self._round(here, node, body, self._store.element(whole, type, index))
            if found is _Leaving.BREAK:
                return None
            if isinstance(found, _Returned):
                return found
        return None

    def _round(self, here: _Here, node: Node, body: Node, element: Place) -> _Outcome:
        self._budget.take()
        with self._block(here) as inner:
            found = inner.names.declarators(node)
            if len(found) != 1:
                raise NotConstant
            self._declare_result(inner, found[0], element)
            return self._run(inner, body)

    def _declare_result(self, here: _Here, declarator: Declarator, result: Result) -> None:
        if declarator.type is None:
            raise NotConstant
        type = _deduced(declarator.type, result)
        if declarator.bindings:
            self._bindings(here, declarator.bindings, type, result)
        else:
            self._declare_from(here, declarator.name, type, result)

    def _bindings(self, here: _Here, names: Sequence[str], type: QualType, result: Result) -> None:
        """`auto [a, b] = pair;`"""
        if isinstance(type.type, ReferenceType):
            whole = self._bound(type.type, result)
            if self._store.extend(whole.object):
                here.objects.append(whole.object)
        else:
            if isinstance(result, Place) and isinstance(result.type.type, ArrayType):
                type = qualified(result.type.unqualified, constant=type.is_constant)
            whole = self._store.new(type, self._initial(type.unqualified, result))
            here.objects.append(whole.object)
        parts: list[Place]
        match whole.type.type:
            case ArrayType(length=length) as array if length == len(names):
                parts = [self._store.element(whole, array, index) for index in range(len(names))]
            case ClassType() as own if len(self.objects.shape(own).fields) == len(names):
                parts = [self.objects.part(whole, self.objects.shape(own), index) for index in range(len(names))]
            case _:
                raise NotConstant
        for name, part in zip(names, parts, strict=True):
            self._declare(here, name, part.type, replace(part, category=ValueCategory.LVALUE))

    def _switch(self, here: _Here, node: Node) -> _Outcome:
        body = node.field("body")
        if body is None or body.kind != "compound_statement":
            raise NotConstant
        condition = node.field("condition")
        if condition is not None and condition.kind == "condition_clause":
            first = condition.field("initializer")
            for child in () if first is None else first.children if first.kind == "init_statement" else (first,):
                self._run(here, child)
            condition = condition.field("value")
        if condition is None:
            raise NotConstant
        with self._store.full_expression():
            chosen = self._as_number(
                self._value(here, condition)
                if condition.kind != "declaration"
                else self._read(self._declared_condition(here, condition))
            )
        labels = [child for child in body.children if child.kind != "comment"]
        if any(label.kind != "case_statement" for label in labels) or has_inner_labels(labels):
            raise NotConstant
        start = self._label(here, labels, chosen)
        for label in [] if start is None else labels[start:]:
            found = self._run_all(here, labelled(label))
            if found is not None:
                return None if found is _Leaving.BREAK else found
        return None

    def _label(self, here: _Here, labels: Sequence[Node], chosen: Value) -> int | None:
        """Where the switch goes on."""
        default: int | None = None
        for index, label in enumerate(labels):
            values = label.fields("value")
            if not values:
                default = index
                continue
            if len(values) > 1 or not self._store.is_real:
                raise NotConstant
            if self._is_true(self._of_two("==", Value(chosen.type, chosen.data), self._value(here, values[0]))):
                return index
        return default

    def _declaration(self, here: _Here, node: Node) -> None:
        for declarator in here.names.declarators(node):
            self._variable(here, declarator)

    def _variable(self, here: _Here, declarator: Declarator) -> None:
        type, value = declarator.type, declarator.value
        with self._store.full_expression():
            if type is None:
                self._deduced_variable(here, declarator)
                return
            if declarator.bindings or _placeholder_in(type):
                if value is None:
                    raise NotConstant
                if value.kind in ("argument_list", "initializer_list") and len(value.children) == 1:
                    value = value.children[0]
                self._declare_result(here, declarator, self.evaluate(here, value))
                return
            if isinstance(type.type, ReferenceType):
                if value is None:
                    raise NotConstant
                self._declare_from(here, declarator.name, type, self._referred(here, type.type, value))
                return
            if not self._store.is_real:
                self._declare(here, declarator.name, type, self._store.unknown(type))
                return
            place = self._store.new(type, self.objects.blank(type))
            here.objects.append(place.object)
            if value is None:
                self._default_at(place)
            elif value.kind in ("initializer_list", "argument_list") or value.kind in STRINGS:
                self._initialise_at(here, place, value)
            else:
                self._initialise_at(here, place, value)
            contents = place.container[0]
            if isinstance(type.type, ArrayType) and isinstance(contents, list):
                place.type = QualType(ArrayType(type.type.element, len(contents)))
            self._declare(here, declarator.name, place.type, place)

    def _deduced_variable(self, here: _Here, declarator: Declarator) -> None:
        """`Pair p{1, 2};`: the initialiser says which class it is."""
        value = declarator.value
        if value is None or declarator.template is None:
            raise NotConstant
        is_list = value.kind in ("initializer_list", "argument_list")
        arguments = self._arguments(here, self._nodes(here, value.children if is_list else (value,)))
        type = here.names.deduced_class(declarator.template, [self._passed(one) for one in arguments])
        if type is None or any(isinstance(one, Node) for one in arguments):
            raise NotConstant
        place = self._store.new(type, self.objects.blank(type))
        assert isinstance(type.type, ClassType)
        if self.objects.shape(type.type).is_constructed:
            self._construct_at(place, type.type, arguments)
        else:
            clauses = list(arguments)
            self._fill_at(here, place, clauses)
            if clauses:
                raise NotConstant
        here.objects.append(place.object)
        self._declare(here, declarator.name, type, place)

    _EXPRESSIONS: ClassVar[dict[str, Callable[[Machine, _Here, Node], Result]]] = {
        "identifier": _name,
        "qualified_identifier": _name,
        "template_function": _name,
        "type_identifier": _name,
        "dependent_name": _name,
        "this": _this,
        "parenthesized_expression": _inner,
        "comma_expression": _comma,
        "pack_element": _pack_element,
        "fold_expression": _fold,
        "field_expression": _field_expression,
        "subscript_expression": _subscript,
        "pointer_expression": _pointer_expression,
        "unary_expression": _unary,
        "binary_expression": _binary,
        "conditional_expression": _conditional,
        "assignment_expression": _assignment,
        "update_expression": _update,
        "cast_expression": _cast,
        "compound_literal_expression": _compound_literal,
        "call_expression": _call_expression,
        "lambda_expression": _lambda,
        "sizeof_expression": _size,
        **dict.fromkeys(STRINGS, _string),
    }


_TYPES: Final = frozenset(
    {"alias_declaration", "type_definition", "struct_specifier", "class_specifier", "enum_specifier"}
)
_OVERLOADED: Final = (ClassType, EnumerationType)
_LOGICAL: Final = frozenset({"&&", "and", "||", "or"})
_LESSER_OR_GREATER: Final = frozenset({"min", "max", "std::min", "std::max", "cuda::std::min", "cuda::std::max"})
_ASKING: Final = frozenset({b"__builtin_is_constant_evaluated", b"std::is_constant_evaluated"})
_CASTS: Final = frozenset({b"static_cast", b"const_cast"})
_NAMES: Final = frozenset(
    {"identifier", "qualified_identifier", "template_function", "dependent_name", "template_type", "type_identifier"}
)


def replace_value(declarator: Declarator, value: Node | None) -> Declarator:
    return Declarator(declarator.name, declarator.type, value, declarator.bindings)


def _argument(result: Result) -> Argument:
    """The result as the choice of a function sees it."""
    if isinstance(result, Place):
        return Argument(result.type, result.category, bits=result.width)
    return Argument(result.type, ValueCategory.PRVALUE, result.is_null or result.type == NULL_POINTER)


def _simple_name(type: ClassType) -> str:
    return type.name.partition("<")[0].rpartition("::")[2]


def _is_pointer_array(type: ArrayType) -> bool:
    return isinstance(type.element.type, PointerType | ClassType | ArrayType)


def _may_be_void(type: QualType) -> bool:
    return type == VOID or isinstance(type.type, PlaceholderType)


def _placeholder_in(type: QualType) -> bool:
    match type.type:
        case PlaceholderType():
            return True
        case ReferenceType(referred=inner) | PointerType(pointee=inner):
            return _placeholder_in(inner)
        case _:
            return False


def _deduced(pattern: QualType, result: Result) -> QualType:
    """The type that a declaration with `auto` has, by its initialiser."""
    match pattern.type:
        case PlaceholderType(kind=Placeholder.AUTO):
            return qualified(_decayed(result.type), constant=pattern.is_constant)
        case PlaceholderType():
            if isinstance(result, Place):
                raise NotConstant  # a name alone is another type than other lvalues
            return result.type
        case ReferenceType(referred=referred, is_rvalue=is_rvalue) if isinstance(referred.type, PlaceholderType):
            type = qualified(result.type, constant=referred.is_constant)
            is_lvalue = isinstance(result, Place) and result.category is ValueCategory.LVALUE
            return QualType(ReferenceType(type, is_rvalue and not is_lvalue))
        case PointerType(pointee=pointee) if isinstance(pointee.type, PlaceholderType):
            own = _decayed(result.type).type
            if not isinstance(own, PointerType):
                raise NotConstant
            found = pointer_to(qualified(own.pointee, constant=pointee.is_constant))
            return qualified(found, constant=pattern.is_constant)
        case _:
            return pattern


def _decayed(type: QualType) -> QualType:
    return pointer_to(type.type.element) if isinstance(type.type, ArrayType) else type.unqualified
