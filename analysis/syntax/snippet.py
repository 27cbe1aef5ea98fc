"""One item, ready to be read: macros expanded, conditionals resolved, parsed on its own.

Rules    1. Directives and regions that are not taken are blanked (`regions`).
         2. Macros are expanded; a use that grows without bound stays as it is and becomes a problem.
         3. What the grammar cannot parse and means nothing here is blanked (`normalise`).
         4. The text is parsed; a method is wrapped in a record for that.  When errors are left, a rescued version is
            parsed too, and the one with fewer errors counts.
         Steps 1, 3 and 4 move nothing, so an item that uses no macro maps to itself.
Limits   A `#include` inside an item contributes its macros, not its text.  An item in a region that is left out does
         not see the macros that the region defines.
"""

from bisect import bisect_right
from dataclasses import field, replace
from typing import Final, final

from tree_sitter import Node as TreeSitterNode

from analysis.ir.pace import popped
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.syntax.comma_operators import mend_comma_operators
from analysis.syntax.expansion import MAX_TOKENS_PER_USE, TOKEN, Budget, BudgetSpent, Expander, Token
from analysis.syntax.grammar_gaps import mend_grammar_gaps
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import HIDDEN
from analysis.syntax.macros import MacroSet
from analysis.syntax.member_pointers import mend_member_pointers
from analysis.syntax.normalise import normalise, rescue
from analysis.syntax.parsing import parse
from analysis.syntax.problems import Problem, ProblemKind
from analysis.syntax.regions import LocalMacros, select_regions
from analysis.syntax.source_map import IDENTITY, MapBuilder, SourceMap
from analysis.syntax.tree import Node, convert_node


@final
@record
class Snippet:
    """The syntax tree of one item. All offsets of nodes are offsets in `text`."""

    root: Node
    """The function_definition, struct_specifier, declaration ... itself; ERROR or translation_unit if there is none."""
    text: bytes
    templates: tuple[Node, ...]
    """The template_parameter_list nodes around `root`, outermost first."""
    requirements: tuple[Node, ...]
    """The requires_clause nodes between those and `root`."""
    error_count: int
    """ERROR and MISSING nodes in the whole text, outside `root` too."""
    launch_bounds: tuple[bytes, ...] | None
    """The argument texts of `__launch_bounds__`, after expansion."""
    pragmas: tuple[tuple[int, bytes], ...]
    """(offset in the original text relative to the item, text after `#pragma`)."""
    problems: tuple[Problem, ...]
    source_map: SourceMap
    is_mended: bool = False
    """Whether the text as it stands has errors, those that could be put right too."""
    repaired_in: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]], compare=False)
    """The namespaces from which the names in its trees were seen to repair them: again, that would change nothing."""

    def copy(self) -> "Snippet":
        """With trees of its own, which may be repaired."""
        templates = tuple(node.copy() for node in self.templates)
        requirements = tuple(node.copy() for node in self.requirements)
        done = set(self.repaired_in)
        return replace(self, root=self.root.copy(), templates=templates, requirements=requirements, repaired_in=done)

    def unreadable(self) -> Span | None:
        """The first place that the grammar could not read; the whole item if that lies around `root`.

        What stands inside an `asm` does not count: it is taken for one construct, whatever it says.
        """
        if not self.error_count:
            return None
        inside = 0
        stack = [(self.root, False)]
        for node, is_assembly in popped(stack):
            if node.is_error or node.is_missing:
                if not is_assembly:
                    return self.span(node.start, max(node.end, node.start + 1))
                inside += 1
            is_assembly = is_assembly or node.kind == "gnu_asm_expression"
            stack += ((child, is_assembly) for child in reversed(node.children))
        return None if inside == self.error_count else self.span(0, len(self.text))

    def is_guess(self, node: Node) -> bool:
        """Whether the grammar could not read a part of `node`, other than what stands inside an `asm`."""
        if node.kind == "gnu_asm_expression":
            return False
        return node.is_error or node.is_missing or any(map(self.is_guess, node.children if node.has_error else ()))

    def span(self, start: int, end: int) -> Span:
        """The range of the original text, relative to the item's start, that `text[start:end]` stands for."""
        return self.source_map.span(start, end)


def build_snippet(item: Item, macros: MacroSet, line: int = 1) -> Snippet:
    """The snippet of `item`, which starts at `line` of its file, with the macros visible there."""
    text = item.text
    problems: list[Problem] = []
    pragmas: tuple[tuple[int, bytes], ...] = ()
    local = LocalMacros(macros)
    if b"#" in text:
        region = select_regions(text, macros, item.path)
        text, local, pragmas = region.text, region.local, region.pragmas
        problems += [Problem(ProblemKind.CONDITION, item.path, span) for span in region.unreadable]
    names = macros.among(item.identifiers) | (item.identifiers & _DYNAMIC) | local.names
    source_map = IDENTITY
    if names:
        expansion = _Expansion(text, local, names, item.path, line)
        text, source_map = expansion.run()
        problems += expansion.problems
    text, bounds = normalise(text)
    text, root, templates, requirements, errors, is_mended = _parsed(item, text)
    found = tuple(problems)
    return Snippet(root, text, templates, requirements, errors, bounds, pragmas, found, source_map, is_mended)


@final
class _Expansion:
    """Expands all macro uses of one text."""

    def __init__(self, text: bytes, macros: LocalMacros, names: frozenset[bytes], path: str, line: int) -> None:
        self._text = text
        self._macros = macros
        self._names = names
        self._path = path
        self._line = line
        self._budget = Budget()
        self._position = 0
        self.problems: list[Problem] = []

    def run(self) -> tuple[bytes, SourceMap]:
        out = MapBuilder()
        text = self._text
        copied = 0
        for name, at in self._candidates():
            if at < self._position:
                continue  # an argument of the use before
            self._position = at + len(name)
            token = Token(name, at, self._position, text[at - 1 : at].isspace())
            if name in _DYNAMIC:
                out.verbatim(text[copied : token.start], copied)
                out.replaced(self._dynamic(token), token.start, token.end)
                copied = token.end
                continue
            after = self._position
            self._macros.position = token.start
            expanded = self._use(token)
            if expanded is None:
                self._position = after
                continue
            out.verbatim(text[copied : token.start], copied)
            self._write(out, expanded, text[token.start - 1 : token.start])
            copied = self._position
        if copied == 0:
            return text, IDENTITY
        out.verbatim(text[copied:], copied)
        return out.build()

    def _candidates(self) -> list[tuple[bytes, int]]:
        """Where the names stand outside comments and strings, in text order."""
        text = self._text
        found: list[tuple[int, bytes]] = []
        for name in self._names:
            at = text.find(name)
            while at >= 0:
                end = at + len(name)
                if _is_whole_word(text, at, end):
                    found.append((at, name))
                at = text.find(name, end)
        found.sort()
        if b'"' in text or b"/" in text or b"'" in text:
            hidden = [match.span() for match in HIDDEN.finditer(text)]
            starts = [start for start, _ in hidden]
            return [
                (name, at)
                for at, name in found
                if not (index := bisect_right(starts, at)) or hidden[index - 1][1] <= at
            ]
        return [(name, at) for at, name in found]

    def _use(self, token: Token) -> list[Token] | None:
        """The expansion of a use, or None when the name stands there without being one."""
        budget = Budget(min(self._budget.tokens, MAX_TOKENS_PER_USE), self._budget.size)
        expander = Expander(self._macros, budget)
        before = budget.tokens, budget.size
        try:
            expanded = expander.expand_use(token, iter(self._next, None))
        except BudgetSpent:
            self.problems.append(
                Problem(ProblemKind.MACRO_GROWTH, self._path, Span(token.start, token.end), token.text.decode())
            )
            self._budget.tokens -= before[0]
            return None
        self._budget.tokens -= before[0] - budget.tokens
        self._budget.size -= before[1] - budget.size
        return expanded if expander.used else None

    def _next(self) -> Token | None:
        """The next token of the text; comments and space are passed over."""
        while True:
            match = TOKEN.match(self._text, self._position)
            if match is None:
                return None
            start = self._position
            self._position = match.end()
            if match.lastgroup != "space":
                return Token(match[0], start, self._position, self._text[start - 1 : start].isspace())

    def _dynamic(self, token: Token) -> bytes:
        match token.text:
            case b"__LINE__":
                return b"%d" % (self._line + self._text.count(b"\n", 0, token.start))
            case b"__FILE__":
                return b'"' + self._path.replace("\\", "/").replace('"', "").encode("utf-8", "replace") + b'"'
            case _:
                return b"0"

    def _write(self, out: MapBuilder, tokens: list[Token], before: bytes) -> None:
        last = before
        for token in tokens:
            text = token.text
            space = token.space or (last[-1:] + text[:1]).isalnum() or _glues(last[-1:], text[:1])
            if space and last and not last[-1:].isspace():
                out.replaced(b" ", token.start, token.end)
            dynamic = text in _DYNAMIC
            if self._text.startswith(text, token.start) and len(text) == token.end - token.start and not dynamic:
                out.verbatim(text, token.start)
            else:
                out.replaced(self._dynamic(token) if dynamic else text, token.start, token.end)
            last = text
        if tokens and _glues(last[-1:], self._text[self._position : self._position + 1]):
            out.replaced(b" ", tokens[-1].start, tokens[-1].end)


def _is_whole_word(text: bytes, start: int, end: int) -> bool:
    after = text[end : end + 1]
    if after in _WORD or (start and text[start - 1 : start] in _WORD):
        return False
    return after != b'"' or text[start:end] not in _RAW


def _glues(left: bytes, right: bytes) -> bool:
    """Whether two characters side by side could become one token."""
    if not left or not right:
        return False
    word = (left.isalnum() or left == b"_") and (right.isalnum() or right == b"_")
    return word or (left in b"+-<>&|=*/:!%^" and right in b"+-<>&|=*/:")


def _parsed(item: Item, text: bytes) -> tuple[bytes, Node, tuple[Node, ...], tuple[Node, ...], int, bool]:
    """The text that parsed best, its root, the template lists and requirements around it, its number of errors.

    And whether there were any before something was put right.
    """
    top, errors, shift = _parse_once(item, text)
    is_mended = errors > 0
    if errors:
        head_end = text.find(b"{") if item.is_definition and item.kind is ItemKind.FUNCTION else 0
        other = rescue(text, max(head_end, 0), item.name.encode("utf-8", "replace"))
        if other != text:
            other_top, other_errors, _ = _parse_once(item, other)
            if other_errors < errors:
                top, errors, text = other_top, other_errors, other
    if top is None:
        return text, Node("ERROR", 0, len(text), text), (), (), 1, True
    found, around = _find_root(item, top)
    headers = [convert_node(node, text, shift) for node in around]
    templates = tuple(node for node in headers if node.kind == "template_parameter_list")
    requirements = tuple(node for node in headers if node.kind == "requires_clause")
    root = convert_node(found, text, shift)
    if b".*" in text:
        errors -= mend_member_pointers(root)
    if errors:
        errors -= mend_comma_operators(root) + sum(map(mend_grammar_gaps, [*headers, root]))
    return text, root, templates, requirements, errors, is_mended


def _parse_once(item: Item, text: bytes) -> tuple[TreeSitterNode | None, int, int]:
    prefix, suffix = (_wrapper(item.owner or "")) if item.in_class else (b"", b"")
    tree = parse(prefix + text + suffix) if prefix else parse(text)
    if tree is None:
        return None, 1, 0
    top = tree.root_node
    return top, _count_errors(top) if top.has_error else 0, len(prefix)


def _wrapper(owner: str) -> tuple[bytes, bytes]:
    return b"struct " + owner.encode("utf-8", "replace") + b" {", b"};"


def _count_errors(top: TreeSitterNode) -> int:
    count = 0
    stack = [top]
    for node in popped(stack):
        if node.is_error or node.is_missing:
            count += 1
        if node.has_error:
            stack.extend(node.children)
    return count


def _find_root(item: Item, top: TreeSitterNode) -> tuple[TreeSitterNode, list[TreeSitterNode]]:
    """The node of the item itself, and the template lists and requirements around it."""
    wanted = _ROOTS.get(item.kind, frozenset[str]())
    if item.kind is ItemKind.FUNCTION and not item.is_definition:
        wanted = _DECLARATIONS
    skip = item.part if item.from_macro else 0
    if top.named_child_count and not item.in_class and not skip:
        only = top.named_child(0)
        if only.type in wanted:
            return only, []  # as nearly always
    stack: list[tuple[TreeSitterNode, list[TreeSitterNode]]] = [(top, [])]
    first: tuple[TreeSitterNode, list[TreeSitterNode]] | None = None
    for node, lists in popped(stack):
        if node.type in wanted and not (item.in_class and node.type in _RECORDS and node.start_byte == 0):
            if first is None or skip:
                first = node, lists
            if not skip:
                return node, lists
            skip -= 1
        if node.type == "template_declaration":
            lists = [*lists, *(child for child in node.named_children if child.type in _HEADERS)]
        if node.type not in _OPAQUE:
            stack.extend((child, lists) for child in reversed(node.named_children))
    if first is not None:
        return first
    named = top.named_children
    return (named[0], []) if len(named) == 1 and not item.in_class else (top, [])


_WORD: Final = frozenset(bytes([byte]) for byte in range(128) if chr(byte).isalnum() or chr(byte) in "_$")
_DYNAMIC: Final = frozenset({b"__LINE__", b"__FILE__", b"__COUNTER__"})
_RAW: Final = frozenset({b"R", b"LR", b"UR", b"uR", b"u8R"})
"""Part of the string that follows at once."""
_RECORDS: Final = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
_HEADERS: Final = frozenset({"template_parameter_list", "requires_clause"})
_DECLARATIONS: Final = frozenset({"declaration", "field_declaration"})
_ROOTS: Final = {
    ItemKind.FUNCTION: frozenset({"function_definition"}),
    ItemKind.RECORD: _RECORDS,
    ItemKind.ENUM: frozenset({"enum_specifier"}),
    ItemKind.ALIAS: frozenset({"type_definition", "alias_declaration"}),
    ItemKind.VARIABLE: _DECLARATIONS | {"concept_definition"},
    ItemKind.USING: frozenset({"using_declaration"}),
}
_OPAQUE: Final = frozenset({"compound_statement", "parameter_list", "argument_list", "initializer_list"})
