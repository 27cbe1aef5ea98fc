"""Repair what the grammar misreads without an ERROR, once it is known which names are types and templates.

C++ cannot be parsed without names.  The grammar guesses, and these guesses are wrong in real CUDA (the code has the
numbers):

  1. `(T)(x)`               a call of `(T)`              ->  cast_expression
  2. `(T)-1`, `a * (T)&b`   arithmetic on `(T)`          ->  cast_expression of a unary, precedence restored
  3. `a < b && c > (d)`     a call of template `a`       ->  comparisons; also `p.x < b || c > (d)`, and with `?:`
  4. `T v(a, b[0]);`        a function declaration       ->  init_declarator with an argument_list
  5. `T (*p)[3] = q;`       an assignment to a call      ->  declaration
  6. `sizeof(T)`            sizeof an expression         ->  sizeof with a type_descriptor
  7. `(T)(p)[i]`            an element of a cast         ->  a cast of the element (a postfix binds tighter)
  8. `a < b > c = e;`       a chain of comparisons       ->  declaration of `c` with a template type
  9. `(a) && (b) < c`       a cast of `&(&(b))` to `a`   ->  a chain of operators; also `(a) & (b) < c`, `a` a value
 10. `(a * (b)) - c`        a cast of `-c` to a function ->  a chain of operators (`function_casts.py`)
 11. `(a) + b`               a cast of `+b` to `a`         ->  a sum; also `-`, `*`, `&`; where `a` is a value
 12. `if (a && b < c && d >= e)`
                            a declaration in a condition  ->  a chain of operators (`declared_chains.py`)
 13. `A<3>::b<2>::c`         comparisons of `A<3>::b`       ->  a qualified name: nobody compares with `::c`
 14. `sizeof(f(a && b))`     sizeof a function's type       ->  sizeof a call: functions have no size
 15. `-1[row]`               an element of `-1`             ->  a sign before the element (a postfix binds tighter)

Rules    Nodes change in place; offsets stay true to the text.  Running it twice changes nothing.
         Where a name is neither known as type nor as template, the grammar's reading stays, except in 3 when the
         "template argument" is joined by `&&` or `||`, which nobody writes there.
Cost     One walk, and work only at the few node kinds above.
Limits   A template argument list split by a comma (`f(a < b, c > (d))`) is taken for a template, as a compiler without
         names would.
"""

from collections.abc import Callable
from typing import Final, final

from analysis.ir.pace import paced, spend
from analysis.syntax.declared_chains import declared_chain, joins
from analysis.syntax.function_casts import arithmetic_of, parenthesized
from analysis.syntax.node_building import (
    address_signs,
    called_name,
    climb,
    compared,
    declared_value,
    described_value,
    named_value,
    new_node,
    parameter_value,
    spelled,
    type_descriptor,
)
from analysis.syntax.tree import Node

IsName = Callable[[bytes], bool]


def _nothing(_name: bytes) -> bool:
    return False


def repair(root: Node, is_type: IsName, is_template: IsName, is_value: IsName = _nothing) -> Node:
    """Repair the tree in place and return it."""
    found: list[tuple[Node, str]] = []
    stack: list[tuple[Node, str]] = [(root, "")]
    while stack:
        node, above = stack.pop()
        kind = node.kind
        if kind in _VISITS:
            found.append((node, above))
        children = node.children
        spend(1 + len(children))
        stack += [(child, kind) for child in children[::-1] if child.children]  # no leaf is misread
    work = _Repair(is_type, is_template, is_value)
    found.reverse()
    for node, above in paced(found):  # children before their parents
        visit = _VISITS.get(node.kind)
        if visit is not None:
            visit(work, node, above)
    return root


@final
class _Repair:
    def __init__(self, is_type: IsName, is_template: IsName, is_value: IsName) -> None:
        self._is_type = is_type
        self._is_template = is_template
        self._is_value = is_value

    # What is nearly always so is asked first: a kernel has some hundred of these nodes, and none that is misread.

    def call(self, node: Node, above: str) -> None:
        function = node.field("function")
        if function is None or function.kind == "identifier":
            return
        if not self._cast_call(node) and not self._comparison(node, above):
            _cast_outwards(node, "function")

    def binary(self, node: Node, above: str) -> None:
        if not _qualified_by_template(node) and above != "binary_expression":
            self._chain(node)

    def prefix(self, node: Node, above: str) -> None:
        if above not in _CHAINED:
            self._chain(node)

    def postfix(self, node: Node, _above: str) -> None:
        argument = node.field("argument")
        if argument is not None and argument.kind in _BEFORE_POSTFIX:
            _cast_outwards(node, "argument")
            _sign_outwards(node)

    def size(self, node: Node, _above: str) -> None:
        self._sizeof(node)
        self._sizeof_call(node)

    def declaration(self, node: Node, above: str) -> None:
        if above in _STATEMENT_PARENTS:
            self._initialised(node)

    def _type_in(self, node: Node | None) -> Node | None:
        """The name inside parentheses, if it names a type."""
        if node is None or node.kind != "parenthesized_expression" or len(node.children) != 1:
            return None
        name = node.children[0]
        if name.kind == "template_function":
            return name if self._named_type(name.field("name")) else None
        return name if name.kind in _NAMES and self._named_type(name) else None

    def _named_type(self, name: Node | None) -> bool:
        return name is not None and (self._is_type(spelled(name)))

    # 1: casts that look like calls

    def _cast_call(self, node: Node) -> bool:
        function, arguments = node.field("function"), node.field("arguments")
        name = self._type_in(function)
        if name is None or arguments is None or arguments.kind != "argument_list" or len(arguments.children) == 0:
            return False
        value = arguments.children[0]
        for further in arguments.children[1:]:
            value.role, further.role = "left", "right"
            value = new_node("comma_expression", value.start, further.end, node, [value, further])
        value.role = None
        inner = new_node("parenthesized_expression", arguments.start, arguments.end, node, [value], "value")
        node.kind = "cast_expression"
        node.children = [type_descriptor(name, node), inner]
        return True

    # 2 and 3: chains of operators

    def _comparison(self, node: Node, above: str) -> bool:
        """A comparison that looks like a call of a template; inside a chain it is left to the chain."""
        if self._misread(node) is None:
            return False
        if above != "binary_expression":
            self._chain(node)
        return True

    def _misread(self, node: Node) -> tuple[Node, Node] | None:
        """The template name and its "argument", if a call is `left < middle > (right)`."""
        if node.kind != "call_expression":
            return None
        function, arguments = node.field("function"), node.field("arguments")
        if function is None or arguments is None:
            return None
        holder = function.field("field") if function.kind == "field_expression" else function
        if holder is None or holder.kind not in ("template_function", "template_method"):
            return None
        name, listed = holder.field("name"), holder.field("arguments")
        if name is None or listed is None or len(listed.children) != 1 or len(arguments.children) != 1:
            return None
        middle = listed.children[0]
        if self._is_template(spelled(name)) or not joins(middle):
            return None
        return name, middle

    def _chain(self, node: Node) -> None:
        """Rebuild a chain of binary operators if a cast or a comparison hides in it; both have parentheses."""
        if node.source.find(b"(", node.start, node.end) < 0:
            return
        parts: list[Node] = []
        changed = self._flatten(node, parts)
        if not changed and not any(operand.kind in _ENDING_IN_CAST for operand in parts[:-2:2]):
            return
        index = 0
        operands: list[Node] = []
        operators: list[Node] = []
        while index < len(parts):
            operand = parts[index]
            opened = self._open_cast(operand)
            if opened and index + 2 < len(parts) and parts[index + 1].kind in _UNARY:
                # The operand after the sign may itself be a type in parentheses: `(A)-(B)*p`.
                last = index + 2
                while self._open_cast(parts[last]) and last + 2 < len(parts) and parts[last + 1].kind in _UNARY:
                    last += 2
                value = parts[last]
                for at in range(last - 2, index - 1, -2):
                    value = _close_cast(parts[at], self._open_cast(parts[at]) or [], parts[at + 1], value)
                operand = value
                index = last
                changed = True
            operands.append(operand)
            if index + 1 < len(parts):
                operators.append(parts[index + 1])
            index += 2
        if not changed:
            return
        result = climb(operands, operators, node)
        node.kind, node.children, node.start, node.end = result.kind, result.children, result.start, result.end

    def _flatten(self, node: Node, parts: list[Node]) -> bool:
        """Operands and operators in text order; True when a comparison was uncovered."""
        changed = False
        stack: list[Node] = [node]
        while stack:
            top = stack.pop()
            if top.kind == "binary_expression":
                left, operator, right = top.three("left", "operator", "right")
                if left is not None and operator is not None and right is not None:
                    stack += [right, operator, left]
                    continue
            if top.kind not in _ENDING_OTHERWISE:
                parts.append(top)
                continue
            misread = self._misread(top)
            split = compared(top, *misread) if misread is not None else self._conjunction(top)
            if split is None:
                parts.append(top)
                continue
            changed = True
            stack += reversed(split)
        return changed

    def _conjunction(self, operand: Node) -> list[Node] | None:
        """9 to 11: left operand, operator, right operand of a "cast" that `operand` ends in, after signs and casts."""
        path = [operand]
        while path[-1].children and _goes_on(path[-1]):
            path.append(path[-1].children[-1])
        if path[-1].kind != "cast_expression":
            return None
        split = arithmetic_of(path[-1]) or self._conjoined(path[-1]) or self._added(path[-1])
        if split is None or len(path) == 1:
            return split
        left = split[0]
        left.role = path[-1].role
        path[-2].put(left, path[-1])
        for node in path[:-1]:
            node.end = left.end
        signed = new_node(operand.kind, operand.start, operand.end, operand, operand.children)  # `operand` may change
        return [signed, *split[1:]]

    def _conjoined(self, cast: Node) -> list[Node] | None:
        """9: `(a)`, `&&`, `(b)` of a "cast" of `&&(b)` to `a`."""
        descriptor, value = cast.field("type"), cast.field("value")
        if cast.kind != "cast_expression" or descriptor is None or value is None:
            return None
        left = named_value(descriptor)
        ands, right = address_signs(value)
        if left is None or right is None or ands not in (1, 2):
            return None
        if self._is_type(spelled(left)) or (ands == 1 and not self._is_value(spelled(left))):
            return None
        sign = "&" * ands
        operator = new_node(sign, value.start, value.start + ands, cast, [], "operator")
        right.role = None
        inner = [described_value(descriptor)]
        left = new_node("parenthesized_expression", cast.start, descriptor.end + 1, cast, inner, cast.role)
        return [left, operator, right]

    def _added(self, cast: Node) -> list[Node] | None:
        """11: `(a)`, `+`, `b` of a "cast" of `+b` to the variable `a`."""
        descriptor, value = cast.field("type"), cast.field("value")
        if cast.kind != "cast_expression" or descriptor is None or value is None or value.kind not in _PREFIXED:
            return None
        left, operator, right = named_value(descriptor), value.field("operator"), value.field("argument")
        if left is None or operator is None or right is None or operator.kind not in _UNARY:
            return None
        if self._is_type(spelled(left)) or not self._is_value(spelled(left)):
            return None
        operator.role, right.role = "operator", None
        left = described_value(descriptor)
        return [parenthesized(left, cast.start, descriptor.end + 1, cast), operator, right]

    def _open_cast(self, operand: Node) -> list[Node] | None:
        """The path from an operand to a `(T)` at its end: `(T)`, or `-(T)`, `(A)(T)` and so on."""
        path = [operand]
        while operand.kind in _PREFIXED and operand.children:
            operand = operand.children[-1]
            path.append(operand)
        return path if self._type_in(operand) is not None else None

    # 4 and 5: declarations

    def _initialised(self, node: Node) -> None:
        for declarator in node.fields("declarator"):
            if declarator.kind != "function_declarator":
                continue
            name, parameters = declarator.field("declarator"), declarator.field("parameters")
            if name is None or parameters is None:
                continue
            if name.kind != "identifier" or not parameters.children or len(declarator.children) != 2:
                continue
            if not all(self._may_be_value(parameter) for parameter in parameters.children):
                continue
            values = [parameter_value(parameter, node) for parameter in parameters.children]
            arguments = new_node("argument_list", parameters.start, parameters.end, node, values, "value")
            declarator.kind = "init_declarator"
            declarator.children = [name, arguments]

    def _may_be_value(self, parameter: Node) -> bool:
        """Whether a parameter can be an expression."""
        if parameter.kind == "variadic_parameter_declaration":  # `x...` of a pack of variables
            type_node, declarator = parameter.field("type"), parameter.field("declarator")
            if type_node is None or declarator is None or declarator.children or len(parameter.children) != 2:
                return False
            return type_node.kind == "type_identifier" and self._is_value(type_node.text)
        if parameter.kind != "parameter_declaration":
            return False
        type_node, declarator = parameter.field("type"), parameter.field("declarator")
        if type_node is None or type_node.kind not in _TYPE_NAMES or len(parameter.children) > 2:
            return False
        if type_node.kind == "template_type" or self._named_type(type_node):
            return False
        if declarator is None:
            return len(parameter.children) == 1
        return declarator.kind in _VALUE_DECLARATORS and declared_value(declarator) is not None

    def statement(self, node: Node, _above: str) -> None:
        """5: `T (*p)[3] = q;` and 8: `a < b > c = e;`."""
        if len(node.children) != 1:
            return
        expression = node.children[0]
        value = None
        target = expression
        if expression.kind == "assignment_expression":
            target, value = expression.field("left"), expression.field("right")
            if target is None or value is None:
                return
        made = self._pointer_declarator(target)
        if made is None and value is None:
            last = target.field("right")
            if target.kind == "binary_expression" and last is not None and last.kind == "assignment_expression":
                value = last.field("right")
            made = self._template_declarator(target)
        if made is None:
            return
        type_node, declarator = made
        if value is not None:
            declarator.role, value.role = "declarator", "value"
            declarator = new_node("init_declarator", declarator.start, value.end, node, [declarator, value])
        type_node.role, declarator.role = "type", "declarator"
        node.kind = "declaration"
        node.children = [type_node, declarator]

    def _pointer_declarator(self, target: Node) -> tuple[Node, Node] | None:
        sizes: list[Node] = []
        call = target
        while call.kind == "subscript_expression":
            indices, argument = call.field("indices"), call.field("argument")
            if indices is None or argument is None or len(indices.children) != 1:
                return None
            sizes.append(indices.children[0])
            call = argument
        if call.kind != "call_expression":
            return None
        function, arguments = call.field("function"), call.field("arguments")
        if function is None or arguments is None or len(arguments.children) != 1:
            return None
        pointer = arguments.children[0]
        name = pointer.field("argument")
        if pointer.kind != "pointer_expression" or name is None or name.kind != "identifier":
            return None
        if function.kind not in ("identifier", "primitive_type", "qualified_identifier"):
            return None
        if function.kind != "primitive_type":
            if not self._named_type(function):
                return None
            function.kind = "type_identifier"
        is_reference = pointer.text.startswith(b"&")
        name.role = None if is_reference else "declarator"
        kind = "reference_declarator" if is_reference else "pointer_declarator"
        made = new_node(kind, pointer.start, pointer.end, target, [name])
        made = new_node("parenthesized_declarator", arguments.start, arguments.end, target, [made])
        for size in reversed(sizes):
            made.role, size.role = "declarator", "size"
            made = new_node("array_declarator", made.start, size.end + 1, target, [made, size])
        return function, made

    def _template_declarator(self, target: Node) -> tuple[Node, Node] | None:
        if target.kind != "binary_expression":
            return None
        left, operator, right = target.three("left", "operator", "right")
        if left is None or right is None or operator is None:
            return None
        name, argument, less = left.field("left"), left.field("right"), left.field("operator")
        if left.kind != "binary_expression" or name is None or argument is None or less is None:
            return None
        declared = right.field("left") if right.kind == "assignment_expression" else right
        if declared is None or declared.kind != "identifier" or name.kind not in _NAMES:
            return None
        if operator.kind != ">" or less.kind != "<":
            return None
        argument.role = None
        listed = new_node("template_argument_list", less.start, operator.end, target, [argument], "arguments")
        last = name
        while last.kind == "qualified_identifier" and (inner := last.field("name")) is not None:
            last.end = operator.end
            last = inner
        made = new_node("template_type", last.start, operator.end, target, [], last.role)
        last.kind, last.role = "type_identifier", "name"
        made.children = [last, listed]
        if last is name:
            return made, declared
        holder = name
        while (inner := holder.field("name")) is not None and inner is not last:
            holder = inner
        holder.put(made, holder.children[-1])
        return name, declared

    # 12

    def condition(self, clause: Node, _above: str) -> None:
        declared = clause.field("value")
        operands = None if declared is None else declared_chain(declared, self._is_type, self._is_template)
        if declared is None or operands is None:
            return
        parts: list[Node] = []
        for operand in operands:
            self._flatten(operand, parts)
        for operand in parts[::2]:
            operand.role = None
        chain = climb(parts[::2], parts[1::2], clause)
        chain.role = "value"
        clause.put(chain, declared)

    # 6

    def _sizeof(self, node: Node) -> None:
        value = node.field("value")
        if value is None or value.kind != "parenthesized_expression" or len(value.children) != 1:
            return
        inner = value.children[0]
        sizes: list[Node] = []
        while inner.kind == "subscript_expression":
            indices, argument = inner.field("indices"), inner.field("argument")
            if indices is None or argument is None or len(indices.children) != 1:
                return
            sizes.append(indices.children[0])
            inner = argument
        if inner.kind not in _NAMES and inner.kind != "template_function":
            return
        if not self._named_type(inner.field("name") if inner.kind == "template_function" else inner):
            return
        descriptor = type_descriptor(inner, node)
        declarator: Node | None = None
        for size in reversed(sizes):
            size.role = "size"
            children = [size]
            if declarator is not None:
                declarator.role = "declarator"
                children = [declarator, size]
            declarator = new_node(
                "abstract_array_declarator", size.start - 1, size.end + 1, node, children, "declarator"
            )
        if declarator is not None:
            descriptor.children = [*descriptor.children, declarator]
            descriptor.end = declarator.end
        node.put(descriptor, value)

    # 14

    def _sizeof_call(self, node: Node) -> None:
        descriptor = node.field("type")
        name, declarator = (None, None) if descriptor is None else (descriptor.field("type"), descriptor.children[-1])
        if descriptor is None or name is None or declarator is None or len(descriptor.children) != 2:
            return
        is_wrapped = declarator.kind == "abstract_parenthesized_declarator" and len(declarator.children) == 1
        function = declarator.children[0] if is_wrapped else declarator
        parameters = function.field("parameters")
        if function.kind != "abstract_function_declarator" or parameters is None or len(function.children) != 1:
            return
        if not parameters.children or (is_wrapped and len(parameters.children) != 1):
            return
        if not all(self._may_be_value(parameter) for parameter in parameters.children):
            return
        values = [parameter_value(parameter, node) for parameter in parameters.children]
        if is_wrapped:
            values = [new_node("parenthesized_expression", function.start, function.end, node, values)]
        arguments = new_node("argument_list", declarator.start, declarator.end, node, values, "arguments")
        called = called_name(name)
        called.role = "function"
        call = new_node("call_expression", descriptor.start, descriptor.end, node, [called, arguments])
        start, end = descriptor.start - 1, descriptor.end + 1
        node.put(new_node("parenthesized_expression", start, end, node, [call], "value"), descriptor)


def _qualified_by_template(node: Node) -> bool:
    """13: `A<3>::b < 2 > ::c` is a name, where `>` and `::` stand side by side."""
    left, more, right = node.three("left", "operator", "right")
    if left is None or right is None or left.kind != "binary_expression" or right.kind != "qualified_identifier":
        return False
    outer, less, argument = left.field("left"), left.field("operator"), left.field("right")
    if outer is None or argument is None or outer.kind != "qualified_identifier" or right.field("scope") is not None:
        return False
    if more is None or less is None or (less.kind, more.kind) != ("<", ">") or more.end != right.start:
        return False
    inner, last = right.field("name"), outer
    while (name := last.field("name")) is not None and name.kind == "qualified_identifier":
        last.end, last = right.end, name
    if inner is None or name is None or name.kind != "identifier":
        return False
    argument.role, name.kind = None, "type_identifier"
    listed = new_node("template_argument_list", less.start, more.end, node, [argument], "arguments")
    template = new_node("template_type", name.start, more.end, node, [name, listed], "scope")
    qualified = new_node("qualified_identifier", name.start, right.end, node, [template, inner], "name")
    last.put(qualified, name)
    last.end = right.end
    node.kind, node.children = "qualified_identifier", outer.children
    return True


def _goes_on(operand: Node) -> bool:
    """Whether what stands last in an operand may be a "cast": behind a sign, or behind a cast that is one."""
    if operand.kind == "cast_expression":
        return operand.children[-1].kind == "cast_expression"
    return operand.kind in _PREFIXED


def _cast_outwards(node: Node, field: str) -> None:
    """7: `(T)(p)[i]` casts the element, not the pointer."""
    cast = node.field(field)
    if cast is None or cast.kind != "cast_expression":
        return
    value, descriptor = cast.field("value"), cast.field("type")
    if value is None or descriptor is None or node.start < cast.start:
        return
    children = [value if child is cast else child for child in node.children]
    value.role = field
    inner = new_node(node.kind, value.start, node.end, node, children, "value")
    node.kind = "cast_expression"
    node.children = [descriptor, inner]


def _sign_outwards(node: Node) -> None:
    """15: `-1[row]` is the negative of an element; the grammar takes the sign for a part of the number."""
    value = node.field("argument")
    if value is None or node.start != value.start:
        return
    if value.kind == "number_literal" and value.text[:1] in (b"-", b"+"):
        sign = new_node(value.text[:1].decode(), value.start, value.start + 1, node, [], "operator")
        inner = new_node("number_literal", value.start + 1, value.end, node, [], "argument")
    elif value.kind == "unary_expression" and len(value.children) == 2:
        sign, inner = value.children
    else:
        return
    children = [inner if child is value else child for child in node.children]
    inner.role = "argument"
    postfix = new_node(node.kind, inner.start, node.end, node, children, "argument")
    node.kind = "unary_expression"
    node.children = [sign, postfix]


def _close_cast(operand: Node, path: list[Node], sign: Node, value: Node) -> Node:
    """`(T)` at the end of `operand`, then a sign and a value: the cast of a unary."""
    parenthesized = path[-1]
    name = parenthesized.children[0]
    kind = "pointer_expression" if sign.kind in ("*", "&") else "unary_expression"
    sign.role, value.role = "operator", "argument"
    unary = new_node(kind, sign.start, value.end, operand, [sign, value], "value")
    parenthesized.kind = "cast_expression"
    parenthesized.children = [type_descriptor(name, operand), unary]
    for node in path:
        node.end = value.end
    return operand


_VISITS: Final[dict[str, Callable[[_Repair, Node, str], None]]] = {
    "alignof_expression": _Repair.size,
    "binary_expression": _Repair.binary,
    "call_expression": _Repair.call,
    "cast_expression": _Repair.prefix,
    "condition_clause": _Repair.condition,
    "declaration": _Repair.declaration,
    "expression_statement": _Repair.statement,
    "field_expression": _Repair.postfix,
    "pointer_expression": _Repair.prefix,
    "sizeof_expression": _Repair.size,
    "subscript_expression": _Repair.postfix,
    "unary_expression": _Repair.prefix,
    "update_expression": _Repair.postfix,
}
"""What is done at a node, with the kind of the one above."""
_NAMES: Final = frozenset({"identifier", "qualified_identifier", "type_identifier"})
_TYPE_NAMES: Final = frozenset({"type_identifier", "qualified_identifier", "template_type"})
_VALUE_DECLARATORS: Final = frozenset({"abstract_array_declarator", "pointer_declarator", "reference_declarator"})
_PREFIXED: Final = frozenset({"unary_expression", "pointer_expression", "cast_expression"})
_BEFORE_POSTFIX: Final = frozenset({"cast_expression", "number_literal", "unary_expression"})
"""What may end behind a postfix that the grammar puts around it."""
_ENDING_IN_CAST: Final = _PREFIXED | {"parenthesized_expression"}
"""Operands that may end in a type in parentheses."""
_ENDING_OTHERWISE: Final = _PREFIXED | {"call_expression"}
"""Operands that may be more than one."""
_CHAINED: Final = frozenset({"binary_expression", "unary_expression", "pointer_expression", "cast_expression"})
_UNARY: Final = frozenset({"-", "+", "*", "&"})
_STATEMENT_PARENTS: Final = frozenset(
    {"", "compound_statement", "case_statement", "labeled_statement", "for_statement", "init_statement", "if_statement"}
)
