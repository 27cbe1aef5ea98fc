"""Calls of `constexpr` functions in constant expressions: `__shared__ float tile[ceil_div(N, 2)]`.

Rules     A function whose body is made of declarations, assignments, `if`, loops and `return` over numbers is run on
          constants.  Anything else in it makes the call "not known", as does a function that is not `constexpr`.
Bounds    `MAX_STEPS` statements for one call with all that it calls, `MAX_DEPTH` calls in one another.
Source    C++ standard, "Constant expressions".
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Final, final

from analysis.ir.types import Type
from analysis.lower.constants import EVALUATORS, apply_binary, evaluate
from analysis.lower.conversions import is_arithmetic, wrapped
from analysis.lower.lookup import functions_named
from analysis.lower.names import ConstantName, FunctionInstance, ParameterDeclaration, Scope
from analysis.lower.overloads import choose_by_types
from analysis.lower.types import resolve_type
from analysis.syntax.tree import Node

MAX_STEPS: Final = 20_000
MAX_DEPTH: Final = 24


class _NotConstant(Exception):
    """Something in the function is not known, or takes too long."""


@final
class _Budget:
    """Shared by a call and all that it calls."""

    def __init__(self) -> None:
        self.steps = MAX_STEPS
        self.depth = 0

    def take(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise _NotConstant


_BUDGET: ContextVar[_Budget | None] = ContextVar("budget", default=None)


def _call(scope: Scope, node: Node) -> ConstantName | None:
    function, arguments = node.field("function"), node.field("arguments")
    if function is None or arguments is None:
        return None
    named = functions_named(scope, function)
    if named is None:
        return None
    given = [evaluate(scope, argument) for argument in arguments.children]
    known = [each for each in given if each is not None]
    constexpr = [each for each in named[0] if each.item.is_constexpr and each.body is not None and not each.has_this]
    if len(known) != len(given) or not constexpr:
        return None
    choice = choose_by_types(scope.program, constexpr, named[1], [each.type for each in known])
    return None if choice is None or choice.rivals else _result(choice.instance, known)


def _result(instance: FunctionInstance, arguments: Sequence[ConstantName]) -> ConstantName | None:
    budget = _BUDGET.get()
    token = None
    if budget is None:
        budget = _Budget()
        token = _BUDGET.set(budget)
    budget.depth += 1
    try:
        return None if budget.depth > MAX_DEPTH else _Run(instance, arguments, budget).result()
    except _NotConstant:
        return None
    finally:
        budget.depth -= 1
        if token is not None:
            _BUDGET.reset(token)


@final
class _Run:
    """One call: its variables are constants in a scope of its own, which change as it goes on."""

    def __init__(self, instance: FunctionInstance, arguments: Sequence[ConstantName], budget: _Budget) -> None:
        self._instance = instance
        self._budget = budget
        self._scope = instance.scope.inside()
        self._declared_at: dict[str, int] = {}
        parameters = instance.signature.parameters
        if len(arguments) > len(parameters) or any(parameter.is_pack for parameter in parameters):
            raise _NotConstant
        for index, parameter in enumerate(parameters):
            value = arguments[index] if index < len(arguments) else self._default(parameter)
            self._declare(parameter.name, value, parameter.declared.type)

    def result(self) -> ConstantName:
        """Raises `_NotConstant`."""
        body = self._instance.declaration.body
        found = None if body is None else self._run(body)
        if found is None:
            raise _NotConstant
        type = self._instance.signature.returns.type
        return ConstantName(wrapped(found.value, type), type) if is_arithmetic(type) else found

    def _default(self, parameter: ParameterDeclaration) -> ConstantName:
        if parameter.default is None:
            raise _NotConstant
        return self._value(parameter.default)

    # -- statements ---------------------------------------------------------------------------------------------------

    def _run(self, node: Node) -> ConstantName | None:
        """What the statement returns from the function; None if it goes on behind it."""
        self._budget.take()
        match node.kind:
            case "compound_statement" | "else_clause":
                for child in node.children:
                    if child.children and (found := self._run(child)) is not None:
                        return found
                return None
            case "return_statement":
                return self._value(node.children[-1])
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
                raise _NotConstant
        return None

    def _loop(self, node: Node) -> ConstantName | None:
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
        type_node = node.field("type")
        if type_node is None:
            raise _NotConstant
        type = resolve_type(self._scope, type_node).type
        for declarator in node.fields("declarator"):
            name, value = declarator.field("declarator"), declarator.field("value")
            if declarator.kind != "init_declarator" or name is None or value is None or name.kind != "identifier":
                raise _NotConstant
            text = name.text.decode("utf-8", "replace")
            if self._declared_at.setdefault(text, name.start) != name.start:
                raise _NotConstant  # another variable of that name
            self._declare(text, self._value(value), type)

    def _declare(self, name: str, value: ConstantName, type: Type) -> None:
        """As a number of the declared type, or as it is where that says `auto`."""
        self._scope.names[name] = ConstantName(wrapped(value.value, type), type) if is_arithmetic(type) else value

    # -- expressions --------------------------------------------------------------------------------------------------

    def _test(self, node: Node) -> bool:
        condition = node.field("condition")
        if condition is not None and condition.kind == "condition_clause":
            condition = condition.field("value")
        if condition is None:
            raise _NotConstant
        return bool(self._value(condition).value)

    def _value(self, node: Node) -> ConstantName:
        self._budget.take()
        match node.kind:
            case "assignment_expression":
                return self._assigned(node)
            case "update_expression":
                return self._updated(node)
            case "comma_expression":
                return [self._value(child) for child in node.children if child.kind != ","][-1]
            case _:
                found = evaluate(self._scope, node)
                if found is None:
                    raise _NotConstant
                return found

    def _assigned(self, node: Node) -> ConstantName:
        left, right, operator = node.field("left"), node.field("right"), node.field("operator")
        if left is None or right is None or operator is None:
            raise _NotConstant
        value = self._value(right)
        if operator.text == b"=":
            return self._put(left, value)
        return self._put(left, apply_binary(operator.text.decode()[:-1], self._variable(left), value))

    def _updated(self, node: Node) -> ConstantName:
        target, operator = node.field("argument"), node.field("operator")
        if target is None or operator is None:
            raise _NotConstant
        before = self._variable(target)
        after = self._put(target, apply_binary(operator.text.decode()[:1], before, ConstantName(1, before.type)))
        return after if node.children[0].start == operator.start else before

    def _variable(self, node: Node) -> ConstantName:
        known = self._scope.names.get(node.text.decode("utf-8", "replace")) if node.kind == "identifier" else None
        if not isinstance(known, ConstantName):
            raise _NotConstant
        return known

    def _put(self, target: Node, value: ConstantName | None) -> ConstantName:
        known = self._variable(target)
        if value is None:
            raise _NotConstant
        changed = ConstantName(wrapped(value.value, known.type), known.type)
        self._scope.names[target.text.decode("utf-8", "replace")] = changed
        return changed


_conversion: Final = EVALUATORS["call_expression"]


def _conversion_or_call(scope: Scope, node: Node) -> ConstantName | None:
    found = _conversion(scope, node)
    return _call(scope, node) if found is None else found


EVALUATORS["call_expression"] = _conversion_or_call
