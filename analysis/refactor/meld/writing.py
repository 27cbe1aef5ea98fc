"""Statements as lines of text, in the style of the code around them.

Style     indentation and its unit, where braces stand, whether a single statement has them, and line endings are read
          off the branch that is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, assert_never, final

from analysis.ir.record import record
from analysis.refactor.meld.structure import (
    Branching,
    Case,
    Decision,
    Looping,
    LoopKind,
    Nested,
    Simple,
    Statement,
    Switching,
)
from analysis.refactor.meld.terms import SELECT, Term, comments_in


@final
@record
class Style:
    """`unit` is one step of indentation, `margin` the indentation of the branch."""

    margin: str
    unit: str
    newline: str
    brace_on_own_line: bool
    else_on_own_line: bool
    braces_always: bool
    cases_deeper: bool
    """Whether the labels of a `switch` stand deeper than its braces."""


def style_of(text: str, start: int, end: int) -> Style:
    """The style of the `if` or `switch` statement at `text[start:end]`."""
    line = text.rfind("\n", 0, start) + 1
    found = _INDENT.match(text, line)
    margin = "" if found is None else found[0]
    inside = text[start:end]
    deeper = [each[1] for each in _LINE.finditer(inside) if len(each[1]) > len(margin) and each[1].startswith(margin)]
    unit = min((indent[len(margin) :] for indent in deeper), key=len, default="")
    if not unit:
        unit = min((each[1] for each in _LINE.finditer(text)), key=len, default="  ")
    own_line = re.search(r"\)\s*\n\s*\{", inside) is not None
    else_line = re.search(r"\}\s*\n\s*else\b", inside) is not None
    braced = re.search(r"\bif\b[^{;]*\{", inside) is not None or re.search(r"\bif\b", inside) is None
    newline = "\r\n" if "\r\n" in text[max(line - 200, 0) : end] else "\n"
    return Style(margin, unit, newline, own_line, else_line, braced, _cases_are_deeper(text, start))


def written(statements: Sequence[Statement], style: Style, *, in_braces: bool) -> str:
    """The statements as text that begins where the branch began: the first line has no indentation."""
    writer = _Writer(style)
    if in_braces:
        writer.line("{", 0)
        writer.all(statements, 1)
        writer.line("}", 0)
    else:
        writer.all(statements, 0)
    lines = writer.lines
    while lines and not lines[0].strip():
        lines.pop(0)
    return style.newline.join(lines).removeprefix(style.margin)


def text_of(whole: Term) -> str:
    """A term as it is printed."""
    return "".join(part if isinstance(part, str) else text_of(part) for part in whole.parts)


def _broken(whole: Term, column: int, indent: str, chain: int | None = None) -> str:
    """The term from `column` on, with a long selection on several lines.

    The `:` of a single selection stands below its `?`; those of a chain below its beginning, which is `chain`.
    """
    out = ""
    is_long = whole.kind == SELECT and (chain is not None or len(text_of(whole)) > MAX_SELECTION)
    is_chain = chain is not None or (whole.kind == SELECT and whole.children[-1].kind == SELECT)
    start = column if chain is None else chain
    for number, part in enumerate(whole.parts):
        if isinstance(part, Term):
            continues = is_long and part.kind == SELECT and number == len(whole.parts) - 1
            text = _broken(part, column, indent, start if continues else None)
        elif is_long and part == " ? " and not is_chain:
            start = column + 1
            text = part
        elif is_long and part == " : ":
            text = f"\n{indent}{' ' * (start - len(indent))}: "
        else:
            text = part
        out += text
        last = text.rfind("\n")
        column = column + len(text) if last < 0 else len(text) - last - 1
    return out


def _wrapped(text: str, call: Term, columns: int) -> str:
    """The statement with as many arguments on each line as fit, and a line of their own if they had one."""
    arguments = text_of(call)
    before, _, after = text.partition(arguments)
    lines = [f"{before}("]
    if re.match(r"\(\s*\n", arguments):
        lines.append(" " * WRAPPED)
    last = len(call.children) - 1
    for number, argument in enumerate(call.children):
        piece = " ".join(text_of(argument).split()) + (f"){after}" if number == last else ",")
        is_first = lines[-1].endswith("(") or not lines[-1].strip()
        if not is_first and len(lines[-1]) + 1 + len(piece) > columns:
            lines.append(" " * WRAPPED)
            is_first = True
        lines[-1] += piece if is_first else f" {piece}"
    return "\n".join(lines)


@final
class _Writer:
    def __init__(self, style: Style) -> None:
        self._style = style
        self.lines: list[str] = []

    def line(self, text: str, depth: int) -> None:
        self.lines.append(f"{self._style.margin}{self._style.unit * depth}{text}" if text else "")

    def all(self, statements: Sequence[Statement], depth: int) -> None:
        for index, statement in enumerate(statements):
            self._one(statement, depth, is_first=index == 0)

    def _one(self, statement: Statement, depth: int, *, is_first: bool) -> None:
        above = statement.comments.above
        for text in above[1:] if is_first and above[:1] == ("",) else above:
            self._shifted(text, depth)
        match statement:
            case Simple(term=whole):
                self._simple(whole, depth)
            case Branching():
                self._branching(statement, depth)
            case Switching():
                self._switching(statement, depth)
            case Looping(kind=kind, head=head, body=body):
                if kind is LoopKind.DO:
                    self._opened("do", body, depth)
                    self._closed(text_of(head).strip(), depth)
                else:
                    self._block(text_of(head).strip(), body, depth)
            case Nested(body=body):
                self.line("{", depth)
                self.all(body, depth + 1)
                self.line("}", depth)
            case Decision():
                raise AssertionError("decisions are spelled before")
            case _:
                assert_never(statement)
        if statement.comments.beside:
            self.lines[-1] += f" {statement.comments.beside}"
        for text in statement.comments.below:
            self._shifted(text, depth)

    def _simple(self, whole: Term, depth: int) -> None:
        """A long line breaks between the arguments of a call, or in front of the `:` of its selections."""
        text = text_of(whole).strip()
        indent = f"{self._style.margin}{self._style.unit * depth}"
        columns = MAX_COLUMNS - len(indent.expandtabs(4))
        if all(len(line) <= columns for line in text.split("\n")):
            self._shifted(text, depth)
            return
        call = next((one for one in whole.walk() if one.kind == "argument_list" and len(one.children) > 1), None)
        is_melded = any(one.kind == SELECT for one in whole.walk())
        if (
            call is not None
            and is_melded
            and any(one.kind == SELECT for one in call.children)
            and not comments_in(call)
        ):
            self._shifted(_wrapped(text, call, columns), depth)
        elif "\n" in text:
            self._shifted(text, depth)
        else:
            self.lines += [line.rstrip() for line in (indent + _broken(whole, len(indent), indent)).split("\n")]

    def _branching(self, fork: Branching, depth: int, prefix: str = "") -> None:
        head = f"{prefix}if ({text_of(fork.condition).strip()})"
        then, otherwise = fork.then, fork.otherwise
        chained = otherwise is not None and len(otherwise) == 1 and isinstance(otherwise[0], Branching)
        first, second = fork.openings
        is_bare = self._bare(then) and (otherwise is None or (not chained and self._bare(otherwise)))
        if is_bare and not first and not second:
            self._shifted(head, depth)
            self.all(then, depth + 1)
            if otherwise is not None:
                self.line("else", depth)
                self.all(otherwise, depth + 1)
            return
        self._opened(head, then, depth, first)
        if otherwise is None:
            self.line("}", depth)
            return
        inner = otherwise[0] if chained else None
        if isinstance(inner, Branching) and not inner.comments.above and not second:
            if self._style.else_on_own_line or self._style.brace_on_own_line:
                self.line("}", depth)
                self._branching(inner, depth, "else ")
            else:
                self._branching(inner, depth, "} else ")
            if inner.comments.beside:
                self.lines[-1] += f" {inner.comments.beside}"
            return
        if self._style.else_on_own_line or self._style.brace_on_own_line:
            self.line("}", depth)
            self._block("else", otherwise, depth, second)
        else:
            self._block("} else", otherwise, depth, second)

    def _switching(self, switching: Switching, depth: int) -> None:
        head = f"switch ({text_of(switching.subject).strip()})"
        if self._style.brace_on_own_line:
            self._shifted(head, depth)
            self.line("{", depth)
        else:
            self._shifted(f"{head} {{", depth)
        outer = depth + 1 if self._style.cases_deeper else depth
        last = len(switching.cases) - 1
        for number, case in enumerate(switching.cases):
            self._case(case, outer, depth + 2 if self._style.cases_deeper else depth + 1)
            if (number < last or switching.last_breaks) and not _leaves(case.body):
                self.line("break;", depth + 2 if self._style.cases_deeper else depth + 1)
            if any(isinstance(one, Simple) and one.declares for one in case.body):
                self.line("}", outer)
        self.line("}", depth)

    def _case(self, case: Case, depth: int, inner: int) -> None:
        """Declarations need braces: the cases after this one must not see them."""
        for text in case.above:
            self._shifted(text, depth)
        for label in case.labels:
            self.line(f"case {text_of(label)}:", depth)
        if case.is_default:
            self.line("default:", depth)
        if any(isinstance(one, Simple) and one.declares for one in case.body):
            self.lines[-1] += " {"
        if case.opening:
            self.lines[-1] += f" {case.opening}"
        self.all(case.body, inner)

    def _bare(self, statements: Sequence[Statement]) -> bool:
        """Whether the statements go without braces."""
        if self._style.braces_always or len(statements) != 1 or not isinstance(statements[0], Simple):
            return False
        comments = statements[0].comments
        return not statements[0].declares and not comments.above and not comments.below

    def _block(self, head: str, body: Sequence[Statement], depth: int, opening: str = "") -> None:
        if not head.startswith(("}", "else")) and self._bare(body):
            self._shifted(head, depth)
            self.all(body, depth + 1)
            return
        self._opened(head, body, depth, opening)
        self.line("}", depth)

    def _opened(self, head: str, body: Sequence[Statement], depth: int, opening: str = "") -> None:
        if self._style.brace_on_own_line:
            self._shifted(head, depth)
            self.line("{", depth)
        else:
            self._shifted(f"{head} {{", depth)
        if opening:
            self.lines[-1] += f" {opening}"
        self.all(body, depth + 1)

    def _closed(self, tail: str, depth: int) -> None:
        if self._style.brace_on_own_line:
            self.line("}", depth)
            self.line(tail, depth)
        else:
            self.line(f"}} {tail}", depth)

    def _shifted(self, text: str, depth: int) -> None:
        """A text that may have several lines: those after the first keep their distance to it."""
        first, *rest = text.replace("\r\n", "\n").split("\n")
        self.line(first, depth)
        for line in rest:
            self.line(line.rstrip(), depth)


def _leaves(statements: Sequence[Statement]) -> bool:
    """Whether nothing runs after them."""
    last = statements[-1] if statements else None
    return isinstance(last, Simple) and last.term.kind in ("return_statement", "continue_statement")


def _cases_are_deeper(text: str, start: int) -> bool:
    """Whether the labels in the text from there on, or else in front of it, stand deeper than their `switch`."""
    found = _SWITCH.search(text, text.rfind("\n", 0, start)) or _SWITCH.search(text)
    return found is None or len(found[2]) > len(found[1])


MAX_COLUMNS: Final = 100
WRAPPED: Final = 4
"""Columns by which the arguments of a call stand deeper than the call, on lines of their own."""
MAX_SELECTION: Final = 60
_SWITCH: Final = re.compile(
    r"\n([ \t]*)switch\b[^{]*\{[^\n]*\n(?:[ \t]*\n|[ \t]*//[^\n]*\n)*([ \t]*)(?:case|default)\b"
)
_INDENT: Final = re.compile(r"[ \t]*")
_LINE: Final = re.compile(r"\n([ \t]+)\S")
