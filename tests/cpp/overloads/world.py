"""The classes of `texts/world.cu` as overload resolution sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.cpp.conversions.implicit import ConversionFunction, ConvertingConstructor
from analysis.cpp.types.model import (
    DOUBLE,
    INT,
    ClassType,
    EnumerationType,
    Fundamental,
    FundamentalType,
    QualType,
    pointer_to,
    qualified,
    reference_to,
)

_INT: Final = FundamentalType(Fundamental.INT)
PLAIN: Final = QualType(EnumerationType("Plain", FundamentalType(Fundamental.UNSIGNED), _INT, False, False))
SCOPED: Final = QualType(EnumerationType("Scoped", FundamentalType(Fundamental.UNSIGNED_CHAR), _INT, True, True))
SMALL: Final = QualType(EnumerationType("Small", FundamentalType(Fundamental.SHORT), _INT, False, True))
_BASES: Final = {"Derived": ["Base"], "Far": ["Derived"]}
_FROM: Final = {"FromInt": INT, "FromDouble": DOUBLE}
_TO: Final = {"ToInt": INT, "ToPointer": pointer_to(qualified(INT, constant=True))}
CLASSES: Final = ("Base", "Derived", "Far", "Other", "FromInt", "FromDouble", "OnlyExplicit", "ToInt", "ToPointer")


@final
class World:
    def bases(self, type: ClassType) -> Sequence[ClassType]:
        return [ClassType(name) for name in _BASES.get(type.name, ())]

    def converting_constructors(self, type: ClassType) -> Sequence[ConvertingConstructor]:
        own = QualType(type)
        copy = reference_to(qualified(own, constant=True))
        found = [
            ConvertingConstructor(f"{type.name} copy", copy),
            ConvertingConstructor(f"{type.name} move", reference_to(own, is_rvalue=True)),
        ]
        if type.name in _FROM:
            found.append(ConvertingConstructor(f"{type.name} from", _FROM[type.name]))
        return found

    def conversion_functions(self, type: ClassType, wanted: QualType | None) -> Sequence[ConversionFunction]:
        result = _TO.get(type.name)
        return [] if result is None else [ConversionFunction(f"{type.name} to", result, True, type)]

    def is_complete(self, type: ClassType) -> bool:
        return True
