"""Types that random programs share, and values of them: fundamental types, enumerations, classes that convert."""

from __future__ import annotations

from typing import Final

from tests.cpp.texts.read import one_line

SCALARS: Final = (
    "bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
)
ENUMERATIONS: Final = ("Plain", "Scoped", "Small")
CLASSES: Final = (
    "Base",
    "Derived",
    "Far",
    "Other",
    "FromInt",
    "FromDouble",
    "OnlyExplicit",
    "ToInt",
    "ToPointer",
    "Pair",
)

WORLD: Final = one_line("world")

IDENTITIES: Final = (
    "template <class T> struct Id { static constexpr int value = 1; }; "
    + " ".join(
        f"template <> struct Id<{type_}> {{ static constexpr int value = {index + 2}; }};"
        for index, type_ in enumerate((*SCALARS, *ENUMERATIONS, *CLASSES, "decltype(nullptr)", "void"))
    )
    + " template <class T> struct Id<const T> { static constexpr int value = 50 + Id<T>::value; };"
    " template <class T> struct Id<T &> { static constexpr int value = 100 + Id<T>::value; };"
    " template <class T> struct Id<T &&> { static constexpr int value = 200 + Id<T>::value; };"
    " template <class T> struct Id<T *> { static constexpr int value = 400 + Id<T>::value; };"
    " template <class T> struct Id<Box<T>> { static constexpr int value = 1000 + Id<T>::value; };"
    " template <class T, int N> struct Id<Row<T, N>> { static constexpr int value = 2000 + 10 * N + Id<T>::value; };"
    " template <class T, int N> struct Id<T[N]> { static constexpr int value = 4000 + 10 * N + Id<T>::value; };"
)
"""A number for each type."""

LITERALS: Final = (
    "1", "2u", "3l", "4ul", "5ll", "6ull", "'a'", "true", "1.5f", "2.5", "0", "nullptr",
    "PLAIN_B", "Scoped::B", "SMALL_A",
)  # fmt: skip

OBJECTS: Final = ("Base()", "Derived()", "Far()", "Other()", "FromInt(2)", "ToInt()", "ToPointer()", "Pair{1, 2}")
