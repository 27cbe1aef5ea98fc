"""One way to build a translation unit in tests; only this file knows how."""

from analysis.syntax.cache import SyntaxCache
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.includes import DictLoader
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.snippet import Snippet
from analysis.syntax.translation_unit import TranslationUnit

MAIN = "dir/main.cu"


def build(
    text: str | bytes,
    files: dict[str, str] | None = None,
    environment: Environment | None = None,
    cache: SyntaxCache | None = None,
    path: str = MAIN,
    context: str | None = None,
) -> TranslationUnit:
    raw = text.encode() if isinstance(text, str) else text
    loader = DictLoader({name: content.encode() for name, content in (files or {}).items()})
    return TranslationUnit.build(path, Document.open(raw), loader, environment, cache, context)


def only(unit: TranslationUnit, name: str) -> Item:
    (item,) = [item for item in unit.items + unit.included_items if item.name == name]
    return item


def snippet(text: str, name: str, **more: str) -> Snippet:
    unit = build(text, more)
    return unit.snippet(only(unit, name))


def described(item: Item) -> str:
    """An item on one line, as the tests write it."""
    flags = [
        "kernel" if item.is_kernel else "device" if item.is_device else "",
        "template" if item.is_template else "",
        "" if item.is_definition or item.kind is not ItemKind.FUNCTION else "declared",
        "" if item.active else "inactive",
    ]
    place = "::".join([*item.namespace, *([item.owner] if item.owner else []), item.name])
    return " ".join([item.kind.value, place, *[flag for flag in flags if flag]])


def all_described(unit: TranslationUnit) -> list[str]:
    return [described(item) for item in unit.items]
