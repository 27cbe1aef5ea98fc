"""One call of a `constexpr` function on constants: its statements are run, its variables change as it goes on.

Rules     Declarations in their blocks, assignments anywhere in an expression, `if`, `switch`, loops with `break` and
          `continue`, and `return`, over numbers, objects and arrays of them; anything else raises `NotConstant`, as do
          two operands of which one changes what the other names.
          A method sees the members of its object as constants, and changes those of a variable of the function that
          calls it; a constructor fills them in.
Bounds    `MAX_STEPS` statements and expressions for one call with all that it calls (`constant_budget.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TypeAlias, final

from analysis.ir.types import BOOLEAN, ArrayType, StructType, Type, VectorType
from analysis.lower.constant_budget import Budget, NotConstant
from analysis.lower.constant_objects import initial_value, is_given, member_index, zero_value
from analysis.lower.constant_syntax import Leaving, changes_something, has_inner_labels, labelled, names_in
from analysis.lower.constant_values import Constant, ConstantName, ConstantObject, converted_constant
from analysis.lower.constants import apply_binary, constant_integer, evaluate_any
from analysis.lower.conversions import promoted, wrapped
from analysis.lower.names import Declarations, FunctionInstance, ParameterDeclaration, Record, Scope, is_inferred
from analysis.lower.types import base_type, declare
from analysis.syntax.tree import Node

Changed: TypeAlias = tuple[Constant | None, ConstantObject]
"""What a method returns, None for nothing, and what becomes of its object."""
ChangingCall: TypeAlias = Callable[[Scope, ConstantObject, Node, Node], Changed | None]
"""A call of a method: where it stands, the object, the method's name and its arguments; None where it is not known."""


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
        changing_call: ChangingCall,
    ) -> None:
        self._instance = instance
        self._budget = budget
        self._changing_call = changing_call
        self._members = instance.scope.inside()
        self._built: Record | None = None
        self._scope = self._members.inside()
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
        if found is None or isinstance(found, Leaving):
            raise NotConstant
        type = self._instance.signature.returns.type
        return _held(found, type)

    def change(self, record: Record) -> Changed:
        """What a method returns, and its object afterwards.  Raises `NotConstant`."""
        self._built = record
        body = self._instance.declaration.body
        found = None if body is None else self._run(body)
        if body is None or isinstance(found, Leaving):
            raise NotConstant
        return None if found is None else _held(found, self._instance.signature.returns.type), self._this()

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

    def _run(self, node: Node) -> Constant | Leaving | None:
        """What the statement returns from the function, or leaves; None if it goes on behind it."""
        self._budget.take()
        match node.kind:
            case "compound_statement":
                with self._block():
                    return self._run_all(node.children)
            case "else_clause":
                return self._run_all([child for child in node.children if child.kind != "else"])
            case "return_statement":
                return self._returned(node.children[-1])
            case "if_statement":
                with self._block():
                    way = node.field("consequence" if self._test(node) else "alternative")
                    return None if way is None else self._run(way)
            case "declaration":
                self._declaration(node)
            case "expression_statement":
                for child in node.children:
                    if child.kind == "call_expression":
                        self._called(child)
                    else:
                        self._value(child)
            case "while_statement" | "for_statement" | "do_statement":
                with self._block():
                    return self._loop(node)
            case "for_range_loop":
                return self._range_loop(node)
            case "switch_statement":
                return self._switch(node)
            case "break_statement":
                return Leaving.BREAK
            case "continue_statement":
                return Leaving.CONTINUE
            case "static_assert_declaration" | "comment":
                pass
            case _:
                raise NotConstant
        return None

    def _run_all(self, nodes: Sequence[Node]) -> Constant | Leaving | None:
        for node in nodes:
            if (found := self._run(node)) is not None:
                return found
        return None

    @contextmanager
    def _block(self) -> Generator[None]:
        """What is declared in it ends with it."""
        around = self._scope
        self._scope = around.inside()
        try:
            yield
        finally:
            self._scope = around

    def _returned(self, node: Node) -> Constant:
        if node.kind != "initializer_list":
            return self._value(node)
        found = initial_value(self._scope, self._instance.signature.returns.type, node)
        if found is None:
            raise NotConstant
        return found

    def _loop(self, node: Node) -> Constant | Leaving | None:
        first, update, body = node.field("initializer"), node.field("update"), node.field("body")
        if first is not None and first.kind == "declaration":
            self._declaration(first)
        elif first is not None:
            self._value(first)
        is_tested = node.kind != "do_statement"
        while not is_tested or node.field("condition") is None or self._test(node):
            is_tested = True
            self._budget.take()
            found = None if body is None else self._run(body)
            if found is Leaving.BREAK:
                break
            if found is not None and found is not Leaving.CONTINUE:
                return found
            if update is not None:
                self._value(update)
        return None

    def _range_loop(self, node: Node) -> Constant | Leaving | None:
        """Over an array, whose elements are read when their turn comes."""
        declarator, right, body = node.field("declarator"), node.field("right"), node.field("body")
        if declarator is None or right is None or body is None or node.field("initializer") is not None:
            raise NotConstant
        index = 0
        while index < len(self._elements(right)):
            with self._block():
                whole = declare(self._scope, base_type(self._scope, node), declarator)
                element = self._elements(right)[index]
                if whole.name is None or whole.declared.is_reference or element is None:
                    raise NotConstant
                self._declare(whole.name.text.decode("utf-8", "replace"), element, whole.declared.type)
                found = self._run(body)
            if found is Leaving.BREAK:
                break
            if found is not None and found is not Leaving.CONTINUE:
                return found
            index += 1
        return None

    def _elements(self, node: Node) -> Sequence[Constant | None]:
        whole = self._value(node)
        if not isinstance(whole, ConstantObject) or not isinstance(whole.type, ArrayType):
            raise NotConstant
        return whole.members

    def _switch(self, node: Node) -> Constant | Leaving | None:
        body = node.field("body")
        if body is None or body.kind != "compound_statement":
            raise NotConstant
        with self._block():
            chosen = _number(self._condition(node))
            type = promoted(chosen.type)
            labels = [child for child in body.children if child.kind != "comment"]
            if any(label.kind != "case_statement" for label in labels) or has_inner_labels(labels):
                raise NotConstant
            values = [self._label(label, type) for label in labels]
            wanted = int(wrapped(chosen.value, type))
            start = next((values.index(value) for value in (wanted, None) if value in values), None)
            for label in [] if start is None else labels[start:]:
                found = self._run_all(labelled(label))
                if found is not None:
                    return None if found is Leaving.BREAK else found
        return None

    def _label(self, label: Node, type: Type) -> int | None:
        """As the switch compares it; None for `default`."""
        value = label.field("value")
        found = None if value is None else constant_integer(self._scope, value)
        if found is None and value is not None:
            raise NotConstant
        return None if found is None else int(wrapped(found, type))

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
        if record is None or not is_given(self._scope.program, record):
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
        return bool(_number(self._condition(node)).value)

    def _condition(self, node: Node) -> Constant:
        condition = node.field("condition")
        if condition is not None and condition.kind == "condition_clause":
            if condition.field("initializer") is not None:
                raise NotConstant
            condition = condition.field("value")
        if condition is None:
            raise NotConstant
        return self._value(condition)

    def _value(self, node: Node) -> Constant:
        self._budget.take()
        match node.kind:
            case "assignment_expression":
                return self._assigned(node)
            case "update_expression":
                return self._updated(node)
            case "comma_expression":
                return [self._value(child) for child in node.children if child.kind != ","][-1]
            case "call_expression":
                found = self._called(node)
                if found is None:
                    raise NotConstant
                return found
            case "parenthesized_expression" if len(node.children) == 1:
                return self._value(node.children[0])
            case "binary_expression" if changes_something(node):
                return self._binary(node)
            case "conditional_expression" if changes_something(node):
                return self._chosen(node)
            case _:
                # An expression in which something is changed has no evaluator below this.
                found = None if changes_something(node) else evaluate_any(self._scope, node)
                if found is None:
                    raise NotConstant
                return found

    def _called(self, node: Node) -> Constant | None:
        """None for a method that returns nothing.  What it does to its object is written back."""
        self._budget.take()
        known = None if changes_something(node) else evaluate_any(self._scope, node)
        if known is not None:
            return known
        function, listed = node.field("function"), node.field("arguments")
        target = None if function is None else function.field("argument")
        if function is None or listed is None or target is None or function.kind != "field_expression":
            raise NotConstant
        whole = self._value(target)
        if changes_something(node) or not isinstance(whole, ConstantObject):
            raise NotConstant
        found = self._changing_call(self._scope, whole, function, listed)
        if found is None:
            raise NotConstant
        value, changed = found
        self._put(target, changed)
        return value

    def _binary(self, node: Node) -> Constant:
        left, sign, right = node.field("left"), node.field("operator"), node.field("right")
        if left is None or sign is None or right is None:
            raise NotConstant
        first = _number(self._value(left))
        if sign.kind in ("&&", "and", "||", "or"):
            if bool(first.value) == (sign.kind in ("||", "or")):
                return ConstantName(bool(first.value), BOOLEAN)
            return ConstantName(bool(_number(self._value(right)).value), BOOLEAN)
        if not names_in(left).isdisjoint(names_in(right)):
            raise NotConstant  # which of them comes first is not said
        found = apply_binary(sign.kind, first, _number(self._value(right)))
        if found is None:
            raise NotConstant
        return found

    def _chosen(self, node: Node) -> Constant:
        """Of two operands of one type: else the other one decides what becomes of the value."""
        test, one, other = (node.field(name) for name in ("condition", "consequence", "alternative"))
        if test is None or one is None or other is None:
            raise NotConstant
        if changes_something(one) or changes_something(other):
            raise NotConstant
        is_first = bool(_number(self._value(test)).value)
        found, against = self._value(one if is_first else other), evaluate_any(self._scope, other if is_first else one)
        if against is None or against.type != found.type:
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
        scope = self._scope
        while name not in scope.names and scope is not self._members and scope.parent is not None:
            scope = scope.parent
        if scope is self._members:
            return self._put_member(name, value)
        known = scope.names[name]
        if not isinstance(known, ConstantName | ConstantObject):
            raise NotConstant
        changed = scope.names[name] = _held(value, known.type)
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
