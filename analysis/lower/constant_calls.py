"""Calls of `constexpr` functions in constant expressions: `__shared__ float tile[ceil_div(N, 2)]`.

Rules     A function whose body is made of declarations, assignments, `if`, `switch`, loops and `return` over numbers,
          objects and arrays of them is run on constants.  Anything else in it makes the call "not known", as does a
          function that is not `constexpr`.
          A method sees the members of its object as constants, and changes those of a variable of the function that
          calls it; a constructor fills them in.
Bounds    `MAX_STEPS` of `constant_budget.py` for one call with all that it calls, `MAX_DEPTH` calls in one another.
Source    C++ standard, "Constant expressions".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Final, TypeVar

from analysis.ir.types import ArrayType, StructType
from analysis.lower.constant_budget import Budget, NotConstant
from analysis.lower.constant_objects import CONSTRUCTORS, initial_value, object_of
from analysis.lower.constant_runs import Changed, Run
from analysis.lower.constant_values import Constant, ConstantObject
from analysis.lower.constants import EVALUATORS, evaluate, evaluate_any, evaluates_objects
from analysis.lower.lookup import find, functions_named
from analysis.lower.names import (
    FunctionDeclaration,
    FunctionInstance,
    Record,
    Scope,
    TemplateArgument,
    TypeName,
)
from analysis.lower.overloads import choose_by_types
from analysis.lower.packs import expanded
from analysis.lower.records import methods_named, written_constructors
from analysis.lower.types import specifier_words
from analysis.syntax.tree import Node

_conversion: Final = EVALUATORS["call_expression"]

MAX_DEPTH: Final = 24


Found = TypeVar("Found")

_BUDGET: ContextVar[Budget | None] = ContextVar("budget", default=None)


@evaluates_objects("call_expression")
def _call(scope: Scope, node: Node) -> Constant | None:
    return _conversion(scope, node) or _called(scope, node)


def _called(scope: Scope, node: Node) -> Constant | None:
    function, listed = node.field("function"), node.field("arguments")
    if function is None or listed is None:
        return None
    if function.kind == "field_expression":
        return _method_call(scope, function, listed)
    entity = find(scope, function)
    if isinstance(entity, TypeName):
        is_class = isinstance(entity.declared.type, StructType)
        return initial_value(scope, entity.declared.type, listed) if is_class else None
    named = functions_named(scope, function)
    arguments = None if named is None else _arguments(scope, listed)
    if named is None or arguments is None:
        return None
    candidates = named[0]
    if any(each.has_this for each in candidates):
        this = object_of(scope.find("this"))  # a method that calls another one
        return None if this is None else _call_on(scope, this, candidates, named[1], arguments)
    constexpr = [each for each in candidates if each.item.is_constexpr and each.body is not None]
    choice = choose_by_types(scope.program, constexpr, named[1], [each.type for each in arguments])
    return None if choice is None or choice.rivals else _result(choice.instance, arguments, None)


def _arguments(scope: Scope, listed: Node) -> list[Constant] | None:
    given = [evaluate_any(scope, argument) for argument in expanded(scope, listed.children)]
    known = [each for each in given if each is not None]
    return known if len(known) == len(given) else None


def _method_call(scope: Scope, function: Node, listed: Node) -> Constant | None:
    """`object.method(arguments)`"""
    argument, field = function.field("argument"), function.field("field")
    if argument is None or field is None or field.kind != "field_identifier":
        return None
    whole = evaluate_any(scope, argument)
    arguments = _arguments(scope, listed)
    if not isinstance(whole, ConstantObject) or arguments is None:
        return None
    record = _record(scope, whole)
    methods = () if record is None else methods_named(record, field.text.decode("utf-8", "replace"))
    return _call_on(scope, whole, methods, (), arguments)


@evaluates_objects("subscript_expression")
def _element(scope: Scope, node: Node) -> Constant | None:
    """`table[2]`, of an array or of a class with `operator[]`."""
    argument, listed = node.field("argument"), node.field("indices")
    whole = None if argument is None else evaluate_any(scope, argument)
    if not isinstance(whole, ConstantObject) or listed is None or len(listed.children) != 1:
        return None
    index = evaluate(scope, listed.children[0])
    if index is None:
        return None
    if isinstance(whole.type, ArrayType):
        return whole.members[int(index.value)] if 0 <= index.value < len(whole.members) else None
    record = _record(scope, whole)
    return None if record is None else _call_on(scope, whole, methods_named(record, "operator[]"), (), [index])


def _record(scope: Scope, whole: ConstantObject) -> Record | None:
    record = scope.program.records.get(whole.type.name) if isinstance(whole.type, StructType) else None
    return None if record is None or record.is_guess or record.bases else record


def _call_on(
    scope: Scope,
    whole: ConstantObject,
    methods: Sequence[FunctionDeclaration],
    explicit: tuple[TemplateArgument, ...],
    arguments: Sequence[Constant],
) -> Constant | None:
    instance = _method(scope, whole, methods, explicit, arguments)
    if instance is None:
        return None
    return _result(instance, arguments, whole if instance.declaration.has_this else None)


def _method(
    scope: Scope,
    whole: ConstantObject,
    methods: Sequence[FunctionDeclaration],
    explicit: tuple[TemplateArgument, ...],
    arguments: Sequence[Constant],
) -> FunctionInstance | None:
    choice = choose_by_types(scope.program, methods, explicit, [each.type for each in arguments])
    if choice is None or choice.rivals:
        return None
    declaration = choice.instance.declaration
    if declaration.body is None or declaration.is_virtual:
        return None
    is_own = declaration.owner is not None and declaration.owner.type == whole.type
    return choice.instance if is_own and _is_constexpr(declaration) else None


def _changing_call(scope: Scope, whole: ConstantObject, function: Node, listed: Node) -> Changed | None:
    """`object.method(arguments)`, with what becomes of the object."""
    field, record, arguments = function.field("field"), _record(scope, whole), _arguments(scope, listed)
    if field is None or field.kind != "field_identifier" or record is None or arguments is None:
        return None
    methods = methods_named(record, field.text.decode("utf-8", "replace"))
    instance = _method(scope, whole, methods, (), arguments)
    if instance is None or not instance.declaration.has_this:
        return None
    return _of_run(instance, arguments, whole, lambda run: run.change(record))


def _is_constexpr(declaration: FunctionDeclaration) -> bool:
    """Methods of local classes have no item of their own."""
    return declaration.item.is_constexpr or bool(_CONSTEXPR & specifier_words(declaration.node))


def _constructed(record: Record, arguments: Sequence[Constant]) -> ConstantObject | None:
    """The object that a constructor makes."""
    constructors = written_constructors(record)
    choice = choose_by_types(record.scope.program, constructors, (), [each.type for each in arguments])
    if choice is None or choice.rivals or choice.instance.declaration.body is None:
        return None
    if not _is_constexpr(choice.instance.declaration):
        return None
    found = _result(choice.instance, arguments, None, built=record)
    return found if isinstance(found, ConstantObject) else None


def _result(
    instance: FunctionInstance,
    arguments: Sequence[Constant],
    this: ConstantObject | None,
    *,
    built: Record | None = None,
) -> Constant | None:
    return _of_run(instance, arguments, this, lambda run: run.result() if built is None else run.construct(built))


def _of_run(
    instance: FunctionInstance, arguments: Sequence[Constant], this: ConstantObject | None, ask: Callable[[Run], Found]
) -> Found | None:
    budget = _BUDGET.get()
    token = None
    if budget is None:
        budget = Budget()
        token = _BUDGET.set(budget)
    budget.depth += 1
    try:
        return None if budget.depth > MAX_DEPTH else ask(Run(instance, arguments, budget, this, _changing_call))
    except NotConstant:
        return None
    finally:
        budget.depth -= 1
        if token is not None:
            _BUDGET.reset(token)


_CONSTEXPR: Final = frozenset({"constexpr", "consteval"})
CONSTRUCTORS.append(_constructed)
