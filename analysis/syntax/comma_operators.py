"""Mends what the grammar cannot read of a comma operator in brackets whose first operand is an assignment.

In `(a = x, b)` the grammar takes `x ,` for an error before `b`, and in `(a = x, b = y, c)` it takes `= x` for one
behind `a`.  Both become the comma operator that the text is.

The grammar has no error there where nothing stands around the expression, so what is left inside brackets is read once
more as a statement of its own: `(a = x, *b)`, `(a = x, (b))`.  So is what begins with a conversion to a type that the
grammar takes for the first word of a longer one: `(unsigned(n) - 3u)`.

Where the grammar loses the brackets themselves, as in `int((a = x, A<&b>::m()))`, the statement is read once more with
a name in their place, and what they hold on its own.

Rules    Only errors of exactly these two shapes are mended: all of their text is accounted for.
         What is read again counts where it is one expression without errors.
Cost     What is read again is at most a few times the text; what is beyond that stays as it is.
"""

import re
from bisect import bisect_left
from collections.abc import Collection
from typing import Final, final

from analysis.ir.pace import popped
from analysis.syntax.node_building import new_node
from analysis.syntax.parsing import parse
from analysis.syntax.tree import ERROR, Node, convert

_ASSIGNING: Final = re.compile(rb"\s*(=|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<=|>>=)\s*$")
_ASSIGNMENT: Final = re.compile(rb"[^=!<>]=[^=]|<<=|>>=")
_CONVERTED: Final = re.compile(rb"\s*(?:unsigned|signed|short|long)\s*\(")
_BEFORE: Final = b"void f() { return "
_BEHIND: Final = b";}"
_BODY: Final = b"void f() {"
_BRACKETS: Final = frozenset({"argument_list", "parenthesized_expression"})
_STATEMENTS: Final = frozenset({"declaration", "expression_statement", "return_statement"})
_SIGN: Final = re.compile(rb"""[(){}\[\],]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|//[^\n]*|/\*.*?\*/""", re.DOTALL)
_GROUPS: Final = re.compile(rb"(?:[-+*/%&|^=!<~?:,({\[]|\breturn)\s*$")
"""What brackets stand behind that group operands; behind anything else they hold arguments."""
_MOST_SPACE: Final = 64
"""Bytes in front of brackets that are looked at."""
_MOST_READ: Final = 4
"""How often the whole text may be read again, all brackets together."""
_BEFORE_COMMA: Final = re.compile(rb"\s*,\s*$")


def mend_comma_operators(root: Node) -> int:
    """Mends the tree in place; gives the number of errors that are none any more."""
    mended = _Reader(_MOST_READ * len(root.source)).mend(root)
    for node in list(root.walk()):
        if node.kind == "assignment_expression":
            mended += _error_before_value(node)
        elif node.kind == "comma_expression":
            mended += _error_behind_target(node)
    return mended


@final
class _Reader:
    """Reads the text of brackets with an error once more, each on its own, the inner ones too."""

    def __init__(self, most: int) -> None:
        self._left = most

    def mend(self, root: Node) -> int:
        """Gives how many errors less there are."""
        mended = 0
        for node in _around_errors(root, ("parenthesized_expression",)):
            text = node.source[node.start + 1 : node.end - 1]
            self._left -= len(text)
            if self._left < 0:
                break
            is_assigned = b"," in text and _ASSIGNMENT.search(text) is not None
            found = self._expression(node, text) if is_assigned or _CONVERTED.match(text) is not None else None
            if found is not None:
                mended += _errors_in(node)
                node.children = [found]
        for node in _around_errors(root, _STATEMENTS):
            self._left -= node.end - node.start
            if self._left < 0:
                break
            found = self._statement(node)
            if found is not None:
                mended += _errors_in(node) + _lost_brackets(node)
                node.kind, node.children = found.kind, found.children
        return mended

    def _statement(self, node: Node) -> Node | None:
        """The statement with what is in its brackets read on its own; None where that has errors too."""
        text = bytearray(node.source[node.start : node.end])
        read: dict[int, Node] = {}
        for start, end in _assigning_brackets(bytes(text)):
            inner = self._expression(node, bytes(text[start:end]), node.start + start)
            if inner is None:
                return None
            read[node.start + start] = inner
            text[start:end] = b"_" * (end - start)
        tree = parse(_BODY + bytes(text) + b"}") if read else None
        if tree is None or tree.root_node.has_error:
            return None
        root = convert(tree, node.source, len(_BODY) - node.start)
        for bracket in list(root.walk()):
            inner = read.get(bracket.start + 1) if bracket.kind == "parenthesized_expression" else None
            if inner is not None and len(bracket.children) == 1:
                bracket.children = [inner]
                del read[bracket.start + 1]
        function = root.children[0] if len(root.children) == 1 else None
        body = None if function is None else function.field("body")
        return None if read or body is None or len(body.children) != 1 else body.children[0]

    def _expression(self, node: Node, text: bytes, start: int | None = None) -> Node | None:
        """What the text inside the brackets is as a statement; None where that is no expression either."""
        tree = parse(_BEFORE + text + _BEHIND)
        if tree is None:
            return None
        root = convert(tree, node.source, len(_BEFORE) - (node.start + 1 if start is None else start))
        if tree.root_node.has_error and (not self.mend(root) or root.has_error):
            return None
        function = root.children[0] if len(root.children) == 1 else None
        body = None if function is None else function.field("body")
        statement = body.children[0] if body is not None and len(body.children) == 1 else None
        if statement is None or statement.kind != "return_statement" or len(statement.children) != 2:
            return None
        return statement.children[1]


def _around_errors(root: Node, kinds: Collection[str]) -> list[Node]:
    """The innermost node of one of these kinds around each error."""
    found: dict[Node, None] = {}
    stack: list[tuple[Node, Node | None]] = [(root, None)]
    for node, around in popped(stack):
        if (node.kind == ERROR or node.is_missing) and around is not None:
            found[around] = None
        around = node if node.kind in kinds else around
        stack += ((child, around) for child in node.children)
    return list(found)


def _errors_in(node: Node) -> int:
    return sum(1 for each in node.walk() if each.kind == ERROR or each.is_missing)


def _lost_brackets(node: Node) -> int:
    """Closing brackets that are missing: they are errors that the tree has no node for."""
    return sum(1 for each in node.walk() if each.kind in _BRACKETS and not each.text.endswith(b")"))


def _assigning_brackets(text: bytes) -> list[tuple[int, int]]:
    """Where the outermost brackets begin and end whose text is an assignment and more behind a comma."""
    found: list[tuple[int, int]] = []
    opened: list[tuple[int, bool]] = []
    commas: set[int] = set()
    assigned = [match.start() for match in _ASSIGNMENT.finditer(text)]
    for match in _SIGN.finditer(text):
        sign, at = match[0], match.start()
        if sign in b"([{":
            opened.append((at, _GROUPS.search(text, max(at - _MOST_SPACE, 0), at) is not None))
        elif sign == b"," and opened:
            commas.add(opened[-1][0])
        elif sign in b")]}" and opened:
            start, is_group = opened.pop()
            assigns = bisect_left(assigned, start) < bisect_left(assigned, at)
            if sign == b")" and is_group and start in commas and assigns:
                while found and found[-1][0] > start:
                    found.pop()
                found.append((start + 1, at))
    return found


def _error_before_value(node: Node) -> bool:
    """`a = ERROR(x ,) b`."""
    if [child.kind == ERROR for child in node.children] != [False, False, True, False]:
        return False
    left, operator, error, right = node.children
    if left.role != "left" or operator.role != "operator" or right.role != "right" or len(error.children) != 1:
        return False
    value = error.children[0]
    if error.start != value.start or _BEFORE_COMMA.match(node.source[value.end : error.end]) is None:
        return False
    value.role = "right"
    assignment = new_node("assignment_expression", node.start, value.end, node, [left, operator, value], "left")
    node.kind = "comma_expression"
    node.children = [assignment, right]
    return True


def _error_behind_target(node: Node) -> bool:
    """`a ERROR(= x), b`."""
    if [child.kind == ERROR for child in node.children] != [False, True, False]:
        return False
    left, error, right = node.children
    if left.role != "left" or right.role != "right" or len(error.children) != 1:
        return False
    value = error.children[0]
    sign = _ASSIGNING.match(node.source[error.start : value.start])
    if sign is None or value.end != error.end:
        return False
    start = error.start + sign.start(1)
    operator = new_node(sign[1].decode(), start, error.start + sign.end(1), node, [], "operator")
    value.role = "right"
    assignment = new_node("assignment_expression", left.start, value.end, node, [left, operator, value], "left")
    node.children = [assignment, right]
    return True
