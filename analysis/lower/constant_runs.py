"""One call of a `constexpr` function on constants: its statements are run, its variables change as it goes on.

Rules     Declarations, assignments, `if`, loops and `return`, over numbers, objects and arrays of them; anything else
          raises `NotConstant`.  A method sees the members of its object as constants; a constructor fills them in.
Bounds    `MAX_STEPS` statements and expressions for one call with all that it calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.ir.types import ArrayType, StructType, Type, VectorType
from analysis.lower.constant_objects import initial_value, member_index, zero_value
from analysis.lower.constant_values import Constant, ConstantName, ConstantObject, converted_constant
from analysis.lower.constants import apply_binary, evaluate_any
from analysis.lower.names import Declarations, FunctionInstance, ParameterDeclaration, Record, is_inferred
from analysis.lower.types import base_type, declare
from analysis.syntax.tree import Node

MAX_STEPS: Final = 20_000


class NotConstant(Exception):
    """Something in the function is not known, or takes too long."""


@final
class Budget:
    """Shared by a call and all that it calls."""

    def __init__(self) -> None:
        self.steps = MAX_STEPS
        self.depth = 0

    def take(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise NotConstant


@final
class Run:
    """One call: its variables are constants in a scope of its own, which change as it goes on.

    Around it is the scope of the members: those of `this`, which stay, or those that a constructor fills in.
    """

    def __init__(
        self,
        instance: FunctionInstance,
        arguments: Sequence[Constant],
        budget: Budget,
        this: ConstantObject | None,
    ) -> None:
        self._instance = instance
        self._budget = budget
        self._members = instance.scope.inside()
        self._built: Record | None = None
        self._scope = self._members.inside()
        self._declared_at: dict[str, int] = {}
        if this is not None:
            self._show(this)
        parameters = instance.signature.parameters
        if len(arguments) > len(parameters) or any(parameter.is_pack for parameter in parameters):
            raise NotConstant
        for index, parameter in enumerate(parameters):
            value = arguments[index] if index < len(arguments) else self._default(parameter)
            if parameter.declared.is_reference and not parameter.declared.is_constant:
                raise NotConstant  # what it does to its argument is not seen
            self._declare(parameter.name, value, parameter.declared.type)

    def _show(self, this: ConstantObject) -> None:
        owner = self._instance.declaration.owner
        self._members.declare("this", this)
        for field, value in zip([] if owner is None else owner.fields, this.members, strict=False):
            if value is not None and field.name:
                self._members.declare(field.name, value)

    def result(self) -> Constant:
        """Raises `NotConstant`."""
        body = self._instance.declaration.body
        found = None if body is None else self._run(body)
        if found is None:
            raise NotConstant
        type = self._instance.signature.returns.type
        return _held(found, type)

    def construct(self, record: Record) -> ConstantObject:
        """What a constructor makes of the object.  Raises `NotConstant`."""
        self._built = record
        node, body = self._instance.declaration.node, self._instance.declaration.body
        listed = node.child("field_initializer_list")
        written = {
            child.children[0].text.decode("utf-8", "replace"): child.children[-1]
            for child in (listed.children if listed is not None else ())
            if child.kind == "field_initializer" and len(child.children) >= 2
        }
        if written.keys() - {field.name for field in record.fields}:
            raise NotConstant  # another constructor, or that of a base
        self._members.declare("this", ConstantObject(record.type, (None,) * len(record.fields)))
        for index, field in enumerate(record.fields):
            given = written.get(field.name)
            scope, value = (self._scope, given) if given is not None else (self._members, field.default)
            if value is not None:
                known = initial_value(scope, field.declared.type, value)
                if known is not None and field.width is None and not field.declared.is_reference:
                    self._fill(record, index, known)
            elif isinstance(field.declared.type, StructType | ArrayType):
                self._fill(record, index, self._undefined(field.declared.type))
        if body is not None:
            self._run(body)
        return self._this()

    def _this(self) -> ConstantObject:
        this = self._members.names.get("this")
        if not isinstance(this, ConstantObject):
            raise NotConstant
        return this

    def _fill(self, record: Record, index: int, value: Constant) -> None:
        """Gives a member of the object that is made a value, which its name and `this` have from now on."""
        self._members.names["this"] = self._this().with_member(index, value)
        self._members.names[record.fields[index].name] = value

    def _undefined(self, type: Type) -> Constant:
        """An object that is given no value here: its members have theirs by default, or none."""
        found = zero_value(self._scope.program, type)
        if isinstance(type, ArrayType) and isinstance(found, ConstantObject):
            found = ConstantObject(type, (None,) * len(found.members))
        if found is None or isinstance(type, StructType):
            raise NotConstant
        return found

    def _default(self, parameter: ParameterDeclaration) -> Constant:
        if parameter.default is None:
            raise NotConstant
        return self._value(parameter.default)

    # -- statements ---------------------------------------------------------------------------------------------------

    def _run(self, node: Node) -> Constant | None:
        """What the statement returns from the function; None if it goes on behind it."""
        self._budget.take()
        match node.kind:
            case "compound_statement" | "else_clause":
                for child in node.children:
                    if child.children and (found := self._run(child)) is not None:
                        return found
                return None
            case "return_statement":
                return self._returned(node.children[-1])
            case "if_statement":
                way = node.field("consequence" if self._test(node) else "alternative")
                return None if way is None else self._run(way)
            case "declaration":
                self._declaration(node)
            case "expression_statement":
                self._value(node.children[0])
            case "while_statement" | "for_statement":
                return self._loop(node)
            case "static_assert_declaration" | "comment":
                pass
            case _:
                raise NotConstant
        return None

    def _returned(self, node: Node) -> Constant:
        if node.kind != "initializer_list":
            return self._value(node)
        found = initial_value(self._scope, self._instance.signature.returns.type, node)
        if found is None:
            raise NotConstant
        return found

    def _loop(self, node: Node) -> Constant | None:
        first, update, body = node.field("initializer"), node.field("update"), node.field("body")
        if first is not None and first.kind == "declaration":
            self._declaration(first)
        elif first is not None:
            self._value(first)
        while node.field("condition") is None or self._test(node):
            self._budget.take()
            if body is not None and (found := self._run(body)) is not None:
                return found
            if update is not None:
                self._value(update)
        return None

    def _declaration(self, node: Node) -> None:
        base = base_type(self._scope, node)
        for declarator in node.fields("declarator"):
            is_initialised = declarator.kind == "init_declarator"
            inner = declarator.field("declarator") if is_initialised else declarator
            whole = declare(self._scope, base, inner)
            declared, value = whole.declared, declarator.field("value") if is_initialised else None
            if whole.name is None or whole.name.kind != "identifier" or declared.is_reference:
                raise NotConstant
            text = whole.name.text.decode("utf-8", "replace")
            if self._declared_at.setdefault(text, whole.name.start) != whole.name.start:
                raise NotConstant  # another variable of that name
            if value is None:
                self._scope.names[text] = self._uninitialised(declared.type)
                continue
            self._budget.take()
            plain = value.kind not in ("initializer_list", "argument_list")
            found = self._value(value) if plain else initial_value(self._scope, declared.type, value)
            if found is None:
                raise NotConstant
            self._declare(text, found, declared.type)

    def _uninitialised(self, type: Type) -> Constant:
        """`Config c;`"""
        record = self._scope.program.records.get(type.name) if isinstance(type, StructType) else None
        if record is None or any(field.default is None for field in record.fields):
            found = None if record is not None else self._undefined(type)
        else:
            found = zero_value(self._scope.program, type)
        if found is None:
            raise NotConstant
        return found

    def _declare(self, name: str, value: Constant, type: Type) -> None:
        """As the declared type holds it, or as it is where that says `auto`."""
        self._scope.names[name] = _held(value, type)

    # -- expressions --------------------------------------------------------------------------------------------------

    def _test(self, node: Node) -> bool:
        condition = node.field("condition")
        if condition is not None and condition.kind == "condition_clause":
            condition = condition.field("value")
        if condition is None:
            raise NotConstant
        return bool(_number(self._value(condition)).value)

    def _value(self, node: Node) -> Constant:
        self._budget.take()
        match node.kind:
            case "assignment_expression":
                return self._assigned(node)
            case "update_expression":
                return self._updated(node)
            case "comma_expression":
                return [self._value(child) for child in node.children if child.kind != ","][-1]
            case _:
                found = evaluate_any(self._scope, node)
                if found is None:
                    raise NotConstant
                return found

    def _assigned(self, node: Node) -> Constant:
        left, right, operator = node.field("left"), node.field("right"), node.field("operator")
        if left is None or right is None or operator is None:
            raise NotConstant
        value = self._value(right)
        if operator.text == b"=":
            return self._put(left, value)
        before = _number(self._value(left))
        return self._put(left, apply_binary(operator.text.decode()[:-1], before, _number(value)))

    def _updated(self, node: Node) -> Constant:
        target, operator = node.field("argument"), node.field("operator")
        if target is None or operator is None:
            raise NotConstant
        before = _number(self._value(target))
        after = self._put(target, apply_binary(operator.text.decode()[:1], before, ConstantName(1, before.type)))
        return after if node.children[0].start == operator.start else before

    def _put(self, target: Node, value: Constant | None) -> Constant:
        """Gives a variable, a member of the object that is made, or a part of one of them another value."""
        if value is None:
            raise NotConstant
        argument = target.field("argument")
        if target.kind == "identifier":
            return self._put_name(target.text.decode("utf-8", "replace"), value)
        if target.kind == "field_expression" and argument is not None and argument.kind == "this":
            field = target.field("field")
            return self._put_member("" if field is None else field.text.decode("utf-8", "replace"), value)
        if target.kind not in ("field_expression", "subscript_expression") or argument is None:
            raise NotConstant
        whole = self._value(argument)
        index = self._part(whole, target)
        if not isinstance(whole, ConstantObject) or index is None or not 0 <= index < len(whole.members):
            raise NotConstant
        changed = _held(value, _member_type(self._scope.program, whole, index))
        self._put(argument, whole.with_member(index, changed))
        return changed

    def _part(self, whole: Constant, target: Node) -> int | None:
        if target.kind == "field_expression":
            field = target.field("field")
            name = "" if field is None else field.text.decode("utf-8", "replace")
            return member_index(self._scope.program, whole.type, name)
        listed = target.field("indices")
        if listed is None or len(listed.children) != 1 or not isinstance(whole.type, ArrayType):
            return None
        return int(_number(self._value(listed.children[0])).value)

    def _put_name(self, name: str, value: Constant) -> Constant:
        known = self._scope.names.get(name)
        if known is None:
            return self._put_member(name, value)
        if not isinstance(known, ConstantName | ConstantObject):
            raise NotConstant
        changed = self._scope.names[name] = _held(value, known.type)
        return changed

    def _put_member(self, name: str, value: Constant) -> Constant:
        index = None if self._built is None else self._built.field_index(name)
        if self._built is None or index is None or self._built.fields[index].declared.is_reference:
            raise NotConstant
        if self._built.fields[index].width is not None:
            raise NotConstant
        changed = _held(value, self._built.fields[index].declared.type)
        self._fill(self._built, index, changed)
        return changed


def _held(value: Constant, type: Type) -> Constant:
    """As a variable of `type` holds it; as it is where the type says `auto`, or is that of a template."""
    found = value if is_inferred(type) else converted_constant(value, type)
    if found is None:
        raise NotConstant
    return found


def _number(value: Constant) -> ConstantName:
    if not isinstance(value, ConstantName):
        raise NotConstant
    return value


def _member_type(program: Declarations, whole: ConstantObject, index: int) -> Type:
    if isinstance(whole.type, ArrayType | VectorType):
        return whole.type.element
    record = program.records.get(whole.type.name) if isinstance(whole.type, StructType) else None
    if record is None or record.fields[index].width is not None or record.fields[index].declared.is_reference:
        raise NotConstant
    return record.fields[index].declared.type
