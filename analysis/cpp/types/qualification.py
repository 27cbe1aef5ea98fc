"""Similar types, qualification conversions, and the common type of two pointers.

Source  C++20 standard, [conv.qual], [expr.type] (composite pointer type).
"""

from __future__ import annotations

from dataclasses import replace

from analysis.cpp.types.model import ArrayType, MemberPointerType, PointerType, QualType, qualifiers_of


def layers(type: QualType) -> tuple[list[QualType], QualType]:
    """The pointers and arrays of a type from outside in, and what they end at: `T` in its decomposition."""
    found: list[QualType] = []
    while True:
        found.append(type)
        match type.type:
            case PointerType(pointee=inner) | MemberPointerType(member=inner) | ArrayType(element=inner):
                type = inner
            case _:
                return found[:-1], found[-1]


def are_similar(one: QualType, other: QualType) -> bool:
    """Whether two types differ in nothing but qualifiers below pointers."""
    if one.type is other.type:
        return True
    first, last = layers(one)
    second, other_last = layers(other)
    return (
        len(first) == len(second)
        and last.type == other_last.type
        and all(_same_kind(left, right) for left, right in zip(first, second, strict=True))
    )


def _same_kind(left: QualType, right: QualType) -> bool:
    match left.type, right.type:
        case PointerType(), PointerType():
            return True
        case ArrayType(length=one), ArrayType(length=other):
            return one == other or one is None or other is None
        case MemberPointerType(owner=one), MemberPointerType(owner=other):
            return one.type == other.type
        case _:
            return False


def can_add_qualifiers(source: QualType, target: QualType) -> bool:
    """Whether the value of `source` converts to `target` by a qualification conversion, or is of that type already.

    The outermost qualifiers do not count; where one is added below, every pointer between is `const`.
    """
    if source.type is target.type or source.type == target.type:
        return True
    if not are_similar(source, target):
        return False
    have, want = _below(source), _below(target)
    for index, (one, other) in enumerate(zip(have, want, strict=True)):
        before, after = qualifiers_of(one), qualifiers_of(other)
        if any(had and not has for had, has in zip(before, after, strict=True)):
            return False
        if _loses_bound(one, other):
            return False
        if before != after and not all(qualifiers_of(between)[0] for between in want[:index]):
            return False
    return True


def _loses_bound(one: QualType, other: QualType) -> bool:
    """Whether a bound would have to be invented: `T[]` is no `T[3]`."""
    match one.type, other.type:
        case ArrayType(length=None), ArrayType(length=length):
            return length is not None
        case _:
            return False


def _below(type: QualType) -> list[QualType]:
    """All levels but the outermost."""
    outer, last = layers(type)
    return [*outer, last][1:]


def is_less_qualified(one: QualType, other: QualType) -> bool:
    """Whether `one` has fewer qualifiers than the similar type `other`, level by level, and nowhere more."""
    first, second = ([*outer, last] for outer, last in (layers(one), layers(other)))
    pairs = list(zip(first, second, strict=True))
    fewer = any(_has(right) - _has(left) for left, right in pairs)
    return fewer and all(_has(left) <= _has(right) for left, right in pairs)


def _has(type: QualType) -> frozenset[str]:
    names = zip(("const", "volatile"), qualifiers_of(type), strict=True)
    return frozenset(name for name, given in names if given)


def combined(one: QualType, other: QualType) -> QualType | None:
    """The least type to which values of two similar types convert; None where they are not similar."""
    if not are_similar(one, other):
        return None
    return _combined(one, other, is_outermost=True)[0]


def _combined(one: QualType, other: QualType, *, is_outermost: bool) -> tuple[QualType, bool]:
    """The combined type, and whether a level below had to be changed: then this one is `const`."""
    constant, volatile = one.is_constant or other.is_constant, one.is_volatile or other.is_volatile
    inner = one.type
    must = False
    match inner, other.type:
        case PointerType(pointee=left), PointerType(pointee=right):
            joined, must = _combined(left, right, is_outermost=False)
            inner = PointerType(joined, inner.space)
        case ArrayType(element=left), ArrayType(element=right):
            joined, must = _combined(left, right, is_outermost=False)
            inner = ArrayType(joined, inner.length)
        case MemberPointerType(member=left), MemberPointerType(member=right):
            joined, must = _combined(left, right, is_outermost=False)
            inner = replace(inner, member=joined)
        case _:
            pass
    if is_outermost:
        return QualType(inner), False
    made = QualType(inner, constant or must, volatile)
    return made, must or _has(made) != _has(one) or _has(made) != _has(other)
