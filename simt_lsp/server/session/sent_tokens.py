"""What was found and sent as semantic tokens, so that little is found or sent again."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from analysis.features.semantic_tokens import TokenCache


@final
class SentTokens:
    """Tokens by function, streams by document; used by the worker, except for `forget`."""

    def __init__(self) -> None:
        self._cache: TokenCache | None = None
        self._sent: dict[str, tuple[str, list[int]]] = {}
        self._count = 0

    def cache(self) -> TokenCache:
        from analysis.features.semantic_tokens import TokenCache

        if self._cache is None:
            self._cache = TokenCache()
        return self._cache

    def last(self, uri: str) -> tuple[str, list[int]] | None:
        """Id and numbers of the last full answer."""
        return self._sent.get(uri)

    def keep(self, uri: str, data: list[int]) -> str:
        """The id of this answer: the one before if nothing changed."""
        known = self._sent.get(uri)
        if known is not None and known[1] == data:
            return known[0]
        self._count += 1
        self._sent[uri] = str(self._count), data
        return str(self._count)

    def forget(self, uri: str) -> None:
        """The document was closed."""
        self._sent.pop(uri, None)
