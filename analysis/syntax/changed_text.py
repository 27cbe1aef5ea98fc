"""Where do two versions of a text differ?  By bisection: comparing slices is far faster than walking bytes."""

from __future__ import annotations


def common_ends(first: bytes, second: bytes) -> tuple[int, int]:
    """The lengths of the common beginning and of the common end, which do not overlap in either text."""
    prefix = _common_prefix(first, second)
    return prefix, _common_suffix(first, second, min(len(first), len(second)) - prefix)


def _common_prefix(first: bytes, second: bytes) -> int:
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(first: bytes, second: bytes, limit: int) -> int:
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if first[len(first) - middle : len(first) - low] == second[len(second) - middle : len(second) - low]:
            low = middle
        else:
            high = middle - 1
    return low
