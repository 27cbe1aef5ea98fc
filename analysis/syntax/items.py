"""The declarations of a translation unit, each with its own slice of text.

Rules    A record is an item, and so is each of its methods that has a body and each type inside it, with `owner` set.
         Several declarators of one declaration are several items with the same span, told apart by `name` and `part`.
         A macro at file level that expands to whole functions gives one item per function; their span is the use.
         Items in a region that a conditional leaves out are there too, with `active` False.
Limits   `owner` of an out-of-class definition is the word before `::`, unless a namespace of that name is known.
"""

from enum import Enum
from itertools import takewhile
from typing import Final, NamedTuple

from analysis.ir.source import Span
from analysis.syntax.heads import Head, Opened


class ItemKind(Enum):
    """What an item declares."""

    FUNCTION = "function"
    RECORD = "record"
    ENUM = "enum"
    ALIAS = "alias"
    VARIABLE = "variable"
    USING = "using"
    OTHER = "other"


class Item(NamedTuple):
    """One declaration. `name` is its last component; `span` holds offsets in the file `path`.

    A named tuple because every build makes all items anew, and a frozen dataclass costs ten times as much to make.
    """

    kind: ItemKind
    name: str
    namespace: tuple[str, ...]
    owner: str | None
    path: str
    span: Span
    text: bytes
    is_kernel: bool
    is_device: bool
    """`__device__` or `__global__`, also through a macro."""
    is_constexpr: bool
    is_definition: bool
    is_template: bool
    active: bool
    order: int
    """Position in the order of preprocessing: names and macros defined before it are visible."""
    in_class: bool = False
    """The text stands inside the body of `owner`."""
    from_macro: bool = False
    """The text is a use of a macro; the declaration is the `part`-th one that its expansion holds."""
    part: int = 0
    identifiers: frozenset[bytes] = frozenset()
    """Every identifier of `text`, those in comments too."""
    is_friend: bool = False
    """A function that a class body defines or declares without being a member."""
    is_host: bool = False
    """`__host__` is written, also through a macro; what says nothing is host code without it."""

    @property
    def identity(self) -> tuple[str, int, int]:
        """Where it stands: no two items of a translation unit have the same."""
        return self.path, self.span.start, self.part


def place_apart(item: Item) -> tuple[object, ...]:
    """All that an item is, but for where it stands."""
    return item[:_SPAN] + item[_SPAN + 1 :]


def differ(one: Item, other: Item) -> bool:
    """Whether two items differ in more than their places."""
    return one[:_SPAN] != other[:_SPAN] or one[_SPAN + 1 :] != other[_SPAN + 1 :]


def declares_the_same(one: Item, other: Item) -> bool:
    """Whether two items differ in their text at most."""
    return one._replace(span=other.span, text=other.text, identifiers=other.identifiers) == other


_SPAN: Final = Item._fields.index("span")

KIND_OF: Final = {
    Opened.FUNCTION: ItemKind.FUNCTION,
    Opened.RECORD: ItemKind.RECORD,
    Opened.ENUM: ItemKind.ENUM,
    Opened.ALIAS: ItemKind.ALIAS,
    Opened.USING: ItemKind.USING,
    Opened.VARIABLE: ItemKind.VARIABLE,
    Opened.OTHER: ItemKind.OTHER,
    Opened.NAMESPACE: ItemKind.OTHER,
    Opened.EXTERN: ItemKind.OTHER,
}


class DeclarationSite(NamedTuple):
    """Where a declaration stands: what its head does not say."""

    path: str
    namespace: tuple[str, ...]
    owner: str | None
    start: int
    end: int
    text: bytes
    active: bool
    order: int
    has_body: bool
    in_class: bool
    identifiers: frozenset[bytes]
    from_macro: bool = False
    first_part: int = 0


def items_of(head: Head, place: DeclarationSite, known_namespaces: set[str]) -> list[Item]:
    """The items that a declaration with that head declares."""
    kind = KIND_OF[head.opened]
    words = head.words
    kernel = b"__global__" in words
    device = kernel or b"__device__" in words
    namespace, owner = place.namespace, place.owner
    if head.scope:
        namespace += tuple(takewhile(known_namespaces.__contains__, head.scope))
        owner = owner if head.scope[-1] in known_namespaces else head.scope[-1]
    defined = place.has_body or (kind is ItemKind.VARIABLE and b"extern" not in words)
    defined = defined or kind in (ItemKind.ALIAS, ItemKind.USING)
    names = (head.name, *head.others)
    return [
        Item(
            kind,
            name,
            namespace,
            owner,
            place.path,
            Span(place.start, place.end),
            place.text,
            kernel,
            device,
            b"constexpr" in words or b"consteval" in words,
            defined,
            head.is_template,
            place.active,
            place.order,
            place.in_class,
            place.from_macro,
            place.first_part + part,
            place.identifiers,
            b"friend" in words,
            b"__host__" in words,
        )
        for part, name in enumerate(names)
    ]
