"""The type and value category of an expression, from its syntax tree ([expr]).

Question  What is this expression, if it is one?  `INVALID` where no program may contain it, None where too little is
          known.
Rules     An operator on classes or enumerations is the declared function that overload resolution chooses; where none
          takes the operands, the built-in one, for which an object of a class is what its conversion function gives.
          `is_certain` tells whether all of it has been checked: a cast has the type that it names, whether or not
          there is such a cast.
Limits    What names mean, and which function a call means, is asked of `Names`.  Of the cases in which several
          conversion functions lead to built-in operators none is decided.
Cost      Each node once.
Source    C++20 standard, [expr.prim], [expr.post], [expr.unary], [over.match.oper].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, final

from analysis.cpp.conversions.implicit import Classes, direct_conversion
from analysis.cpp.conversions.model import Argument, StandardConversion, UserConversion
from analysis.cpp.expressions.conditional import conditional
from analysis.cpp.expressions.model import (
    INVALID,
    Checked,
    Invalid,
    Operation,
    called,
    is_known,
    lvalue,
    prvalue,
    value_of,
)
from analysis.cpp.expressions.operators import ASSIGNING, SPELLINGS, Operated, binary, converted_operand, step, unary
from analysis.cpp.expressions.parts import element_type, member_type, part_category
from analysis.cpp.types.arithmetic import is_arithmetic
from analysis.cpp.types.model import (
    BOOL,
    INT,
    NULL_POINTER,
    SIZE,
    VOID,
    ArrayType,
    ClassType,
    DeviceType,
    EnumerationType,
    FunctionType,
    Fundamental,
    FundamentalType,
    PointerType,
    QualType,
    pointer_to,
)
from analysis.ir.types import VectorType
from analysis.syntax.tree import Node


@final
class NoOperator:
    """No declared operator takes the operands."""


NO_OPERATOR: Final = NoOperator()


class Names(Protocol):
    """What the checker asks about declarations; classes in all types are structured."""

    @property
    def classes(self) -> Classes: ...
    def named(self, node: Node) -> Checked:
        """What a possibly qualified name denotes."""
        ...

    def type_of(self, node: Node) -> QualType | None:
        """The type that a specifier or descriptor of a type names."""
        ...

    def expanded(self, nodes: Sequence[Node]) -> Sequence[Node]:
        """The list with its pack expansions carried out, as far as the packs are known."""
        ...

    def element(self, node: Node) -> tuple[Names, Node]:
        """The pattern that a node of an expanded list repeats, and what names mean in it there."""
        ...

    def closure(self, node: Node) -> Checked:
        """The object that a lambda expression is."""
        ...

    def literal(self, node: Node) -> QualType | None:
        """The type of a number or character."""
        ...

    def element_of(self, vector: VectorType) -> QualType | None:
        """The type of a member of CUDA's `float4`."""
        ...

    def member(self, object: Argument, name: Node) -> Checked:
        """`object.name` for a member that is no function."""
        ...

    def method(self, object: Argument, name: Node, arguments: Sequence[Argument]) -> Checked:
        """`object.name(arguments)`."""
        ...

    def call(self, function: Node, arguments: Sequence[Argument]) -> Checked:
        """A call by a possibly qualified name, of a function or of an object; or an object of the named class."""
        ...

    def called_object(self, object: Argument, arguments: Sequence[Argument]) -> Checked:
        """`object(arguments)`, for an object of a class."""
        ...

    def operator(self, sign: str, operands: Sequence[Argument]) -> Checked | NoOperator:
        """A call of a declared operator, of which one operand has a class or enumeration as its type."""
        ...


_CASTS: Final = frozenset({b"static_cast", b"reinterpret_cast", b"const_cast", b"dynamic_cast"})
_SIZES: Final = frozenset({"sizeof_expression", "alignof_expression", "offsetof_expression"})
_TRUTHS: Final = frozenset({"true", "false", "requires_expression", "noexcept_expression"})
_STRINGS: Final = frozenset({"string_literal", "raw_string_literal"})
_NAMES: Final = frozenset({"identifier", "qualified_identifier", "template_function"})
_TYPES: Final = frozenset({"primitive_type", "sized_type_specifier", "dependent_type", "decltype", "template_type"})
_FIELDS: Final = "xyzw"
_SHORT: Final = (Fundamental.HALF, Fundamental.BFLOAT16)


@final
class Checker:
    """Checks one expression."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.is_certain = True
        """Whether all that would make the expression invalid has been looked at."""

    def check(self, node: Node) -> Checked:
        kind = node.kind
        if kind in _NAMES:
            return self._names.named(node)
        if kind in _SIZES:
            return prvalue(SIZE)
        if kind in _TRUTHS:
            return prvalue(BOOL)
        match kind:
            case "parenthesized_expression" if len(node.children) == 1:
                return self.check(node.children[0])
            case "number_literal" | "char_literal":
                type = self._names.literal(node)
                return None if type is None else Argument(type, is_null=node.text == b"0")
            case "null" | "nullptr" if node.text == b"nullptr":
                return Argument(NULL_POINTER, is_null=True)
            case "this":
                return self._names.named(node)
            case "unary_expression" | "pointer_expression":
                return self._unary(node)
            case "update_expression":
                return self._update(node)
            case "binary_expression" | "assignment_expression" | "comma_expression":
                return self._binary(node)
            case "conditional_expression":
                return self._conditional(node)
            case "cast_expression":
                return self._cast(node.field("type"), node.field("value"))
            case "subscript_expression":
                return self._subscript(node)
            case "field_expression":
                return self._field(node)
            case "call_expression":
                return self._call(node)
            case "compound_literal_expression":
                return self._braced(node)
            case "new_expression":
                return self._new(node)
            case "delete_expression" | "throw_statement":
                return prvalue(VOID)
            case "lambda_expression":
                return self._names.closure(node)
            case "pack_element":
                return self._element(node)
            case _:
                return self._string(node) if kind in _STRINGS else None

    def _element(self, node: Node) -> Checked:
        names, pattern = self._names.element(node)
        inner = Checker(names)
        found = inner.check(pattern)
        self.is_certain &= inner.is_certain
        return found

    def _all(self, nodes: Sequence[Node]) -> list[Argument] | Invalid | None:
        found: list[Argument] = []
        is_open = False
        for node in self._names.expanded(nodes):
            one = self.check(node)
            if isinstance(one, Invalid):
                return INVALID
            if one is None:
                is_open = True
            else:
                found.append(one)
        return None if is_open else found

    def _operands(self, nodes: Sequence[Node | None]) -> list[Argument] | Invalid | None:
        """Operands whose types say which operators they have."""
        found = self._all([node for node in nodes if node is not None])
        if isinstance(found, list) and (len(found) < len(nodes) or not all(is_known(one.type) for one in found)):
            return None
        return found

    # -- operators -----------------------------------------------------------------------------------------------

    def _unary(self, node: Node) -> Checked:
        sign, argument = node.field("operator"), node.field("argument")
        if sign is None:
            return None
        operands = self._operands([argument])
        if not isinstance(operands, list):
            return operands
        spelling = SPELLINGS.get(sign.kind, sign.kind)
        declared = self._declared(spelling, operands)
        if not isinstance(declared, NoOperator):
            return declared
        if spelling == "!" and isinstance(operands[0].type.type, ClassType):
            return self._truth(operands[0])
        built_in = operands if spelling == "&" else self._built_in(operands)
        return _result(unary(spelling, built_in[0])) if isinstance(built_in, list) else built_in

    def _update(self, node: Node) -> Checked:
        sign, argument = node.field("operator"), node.field("argument")
        operands = self._operands([argument])
        if not isinstance(operands, list) or sign is None or argument is None:
            return operands if isinstance(operands, Invalid) else None
        is_postfix = argument.start < sign.start
        declared = self._declared(sign.kind, [*operands, prvalue(INT)] if is_postfix else operands)
        if not isinstance(declared, NoOperator):
            return declared
        if not _is_built_in(operands[0].type):
            return INVALID if isinstance(self._built_in(operands), Invalid) else None
        return _result(step(operands[0], is_postfix=is_postfix))

    def _binary(self, node: Node) -> Checked:
        sign = "," if node.kind == "comma_expression" else ""
        if not sign:
            operator = node.field("operator")
            sign = "" if operator is None else SPELLINGS.get(operator.kind, operator.kind)
        left, right = node.field("left"), node.field("right")
        if sign == "=" and right is not None and right.kind == "initializer_list":
            return None
        operands = self._operands([left, right])
        return self.operator(sign, operands) if isinstance(operands, list) else operands

    def operator(self, sign: str, operands: Sequence[Argument]) -> Checked:
        """`left sign right`."""
        declared = self._declared(sign, operands)
        if not isinstance(declared, NoOperator):
            return declared
        left, right = operands
        if sign in ("&&", "||"):
            truths = [self._truth(one) for one in operands]
            return INVALID if any(isinstance(one, Invalid) for one in truths) else prvalue(BOOL)
        if sign == ",":
            return right
        if sign in ASSIGNING:
            if isinstance(left.type.type, ClassType | DeviceType):
                return None  # an operator that nobody declares copies, if the class has one
            built_in: list[Argument] | Invalid | None = [left, right]
            if sign != "=":
                value = self._built_in([right])
                built_in = [left, *value] if isinstance(value, list) else value
        else:
            built_in = self._built_in(operands)
        if not isinstance(built_in, list):
            return built_in
        return _result(binary(self._names.classes, sign, built_in[0], built_in[1]))

    def _declared(self, sign: str, operands: Sequence[Argument]) -> Checked | NoOperator:
        if not any(isinstance(one.type.type, ClassType | EnumerationType | DeviceType) for one in operands):
            return NO_OPERATOR
        return self._names.operator(sign, operands)

    def _built_in(self, operands: Sequence[Argument]) -> list[Argument] | Invalid | None:
        """The operands of a built-in operator: an object of a class is what its only conversion function gives."""
        found: list[Argument] = []
        for operand in operands:
            converted = converted_operand(self._names.classes, operand)
            if not isinstance(converted, Argument):
                return converted
            if not _is_built_in(converted.type):
                return None
            found.append(converted)
        return found

    def _truth(self, operand: Argument) -> Argument | Invalid:
        """The operand as a condition: explicit conversion functions count as well."""
        if isinstance(operand.type.type, ClassType):
            found = direct_conversion(self._names.classes, operand, BOOL)
            self.is_certain &= isinstance(found, UserConversion)
            return prvalue(BOOL) if found is not None else INVALID
        self.is_certain &= _is_built_in(operand.type)
        is_scoped = isinstance(operand.type.type, EnumerationType) and operand.type.type.is_scoped
        return INVALID if is_scoped or operand.type.type == VOID.type else prvalue(BOOL)

    def _conditional(self, node: Node) -> Checked:
        condition, if_true, if_false = node.field("condition"), node.field("consequence"), node.field("alternative")
        if condition is None or if_false is None:
            return None
        test = self.check(condition)
        if isinstance(test, Invalid):
            return INVALID
        if test is None:
            self.is_certain = False
        elif isinstance(self._truth(test), Invalid):
            return INVALID
        arms = [arm for arm in (condition if if_true is None else if_true, if_false) if arm.kind != "throw_statement"]
        operands = self._all(arms)
        if not isinstance(operands, list):
            return operands
        if len(operands) < 2:
            return operands[0] if operands else None
        return _result(conditional(self._names.classes, *operands))

    # -- casts and new objects -----------------------------------------------------------------------------------

    def _cast(self, type: Node | None, value: Node | None) -> Checked:
        operand = None if value is None else self.check(value)
        if type is None or isinstance(operand, Invalid):
            return operand
        return self._converted(self._names.type_of(type), operand)

    def _converted(self, target: QualType | None, operand: Argument | None) -> Checked:
        if target is None or not is_known(target.object):
            return None
        if target.type != VOID.type:
            self.is_certain &= operand is not None and self._converts(operand, target)
        return called(target)

    def _converts(self, operand: Argument, target: QualType) -> bool:
        if not is_known(operand.type):
            return False
        type = value_of(operand)
        if not target.is_reference and (_is_number(target) and _is_number(type)):
            return True
        found = direct_conversion(self._names.classes, operand, target)
        return isinstance(found, StandardConversion | UserConversion)

    def _new(self, node: Node) -> Checked:
        type = node.field("type")
        made = None if type is None else self._names.type_of(type)
        self.is_certain = False
        if made is None or (node.field("declarator") is not None and node.field("declarator") is None):
            return None
        return prvalue(pointer_to(made))

    def _braced(self, node: Node) -> Checked:
        """`T{...}`."""
        type, value = node.field("type"), node.field("value")
        if type is None or value is None:
            return None
        self.is_certain = False
        made = self._names.type_of(type)
        if made is not None and is_known(made.object):
            return called(made)
        listed = self._all(value.children)
        return self._names.call(type, listed) if isinstance(listed, list) else listed

    def _string(self, node: Node) -> Checked:
        type = self._names.literal(node)
        return None if type is None else lvalue(type)

    # -- parts and calls -----------------------------------------------------------------------------------------

    def _subscript(self, node: Node) -> Checked:
        base, listed = node.field("argument"), node.field("indices")
        if listed is None or len(listed.children) != 1:
            return None
        operands = self._operands([base, listed.children[0]])
        if not isinstance(operands, list):
            return operands
        array, index = operands
        declared = self._declared("[]", operands)
        if not isinstance(declared, NoOperator):
            return declared
        if isinstance(index.type.type, ArrayType | PointerType):
            array, index = index, array
        if isinstance(index.type.type, ClassType):
            self.is_certain = False
        elif not _is_number(value_of(index)):
            return INVALID
        element = element_type(array.type)
        match array.type.type:
            case ArrayType() if element is not None:
                return Argument(element, part_category(array.category))
            case PointerType() if element is not None:
                return lvalue(element) if element.type != VOID.type else INVALID
            case ClassType():
                return INVALID if isinstance(self._built_in([array]), Invalid) else None
            case DeviceType():
                return None
            case _:
                return INVALID

    def _object(self, node: Node) -> tuple[Checked, Node | None]:
        """What stands before `.`, or what the pointer before `->` points to; and the name behind it."""
        argument, operator, name = node.field("argument"), node.field("operator"), node.field("field")
        operands = self._operands([argument])
        if not isinstance(operands, list) or operator is None:
            return (operands if isinstance(operands, Invalid) else None), name
        object = operands[0]
        if operator.kind != "->":
            return (object if operator.kind == "." else None), name
        if isinstance(object.type.type, ClassType | DeviceType):
            reached = self._names.operator("->", [object])
            if not isinstance(reached, Argument):
                return None, name
            object = reached
        type = value_of(object)
        if isinstance(type.type, PointerType):
            return lvalue(type.type.pointee), name
        return (INVALID if is_known(type) and _is_built_in(type) else None), name

    def _field(self, node: Node) -> Checked:
        object, name = self._object(node)
        if not isinstance(object, Argument) or name is None:
            return object if isinstance(object, Invalid) else None
        match object.type.type:
            case DeviceType(object=VectorType(length=length) as vector) if name.kind == "field_identifier":
                index = _FIELDS.find(name.text.decode("utf-8", "replace")) if len(name.text) == 1 else -1
                element = self._names.element_of(vector)
                if not 0 <= index < length:
                    return INVALID
                if element is None:
                    return None
                return Argument(member_type(object.type, element), part_category(object.category))
            case ClassType():
                return self._names.member(object, name)
            case _:
                return INVALID if is_known(object.type) and _is_built_in(object.type) else None

    def _call(self, node: Node) -> Checked:
        function, listed = node.field("function"), node.field("arguments")
        if function is None or listed is None or node.child("kernel_call_syntax") is not None:
            return None
        while function.kind == "parenthesized_expression" and len(function.children) == 1:
            function = function.children[0]
        if function.kind == "template_function":
            name = function.field("name")
            if name is not None and name.text in _CASTS:
                return self._named_cast(function, listed)
        if function.kind in _TYPES:
            return self._functional_cast(self._names.type_of(function), listed.children)
        if function.kind == "field_expression":
            object, member = self._object(function)
            if not isinstance(object, Argument) or member is None:
                return object if isinstance(object, Invalid) else None
            arguments = self._all(listed.children)
            if not isinstance(arguments, list):
                return arguments
            if not isinstance(object.type.type, ClassType):
                return INVALID if is_known(object.type) and _is_built_in(object.type) else None
            return self._names.method(object, member, arguments)
        arguments = self._all(listed.children)
        if not isinstance(arguments, list):
            return arguments
        if function.kind in _NAMES:
            return self._names.call(function, arguments)
        callee = self.check(function)
        if isinstance(callee, Argument) and isinstance(callee.type.type, ClassType):
            return self._names.called_object(callee, arguments)
        return INVALID if isinstance(callee, Invalid) or is_no_function(callee) else None

    def _named_cast(self, function: Node, listed: Node) -> Checked:
        types = function.field("arguments")
        if types is None or len(types.children) != 1 or len(listed.children) != 1:
            return None
        return self._cast(types.children[0], listed.children[0])

    def _functional_cast(self, type: QualType | None, values: Sequence[Node]) -> Checked:
        operands = self._all(values)
        if isinstance(operands, Invalid):
            return INVALID
        if isinstance(operands, list) and len(operands) == 1:
            return self._converted(type, operands[0])
        self.is_certain &= not values
        return None if type is None or not is_known(type.object) else called(type)


def is_no_function(callee: Argument | None) -> bool:
    """Whether it is a number, an enumerator or a pointer to an object, which nobody can call."""
    if callee is None or not is_known(callee.type):
        return False
    type = callee.type.type
    is_object = isinstance(type, PointerType) and not isinstance(type.pointee.type, FunctionType)
    return is_object or isinstance(type, FundamentalType | EnumerationType)


def _result(found: Operated) -> Checked:
    return found.result if isinstance(found, Operation) else found


def _is_number(type: QualType) -> bool:
    return is_arithmetic(type) or isinstance(type.type, EnumerationType)


def _is_built_in(type: QualType) -> bool:
    """Whether the operators of the type are those of the language alone: CUDA's short numbers have others."""
    inner = type.type
    if isinstance(inner, ClassType | DeviceType):
        return False
    return not (isinstance(inner, FundamentalType) and inner.kind in _SHORT)
