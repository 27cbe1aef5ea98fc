"""The class templates of the standard library that are written in C++ here, and their text.

Rules   The text is read once; it is no file of the user's, so nothing in it is reported: methods are lowered in place,
        at the call.
        A template of this text is found by its name alone; the file's own names come first, as for all builtins.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from analysis.ir.types import ArrayType, StructType, Type
from analysis.lower.names import Declarations, TypeTemplate, TypeTemplateDeclaration
from analysis.lower.templates import template_parameters
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.snippet import Snippet
from analysis.syntax.translation_unit import TranslationUnit

PATH: Final = "<standard library>"
_CONVERTED_AS_WRITTEN: Final = ("integral_constant", "type_identity", "integer_sequence", "iterator_traits", "array")
"""Their text has all constructors and conversion functions that the standard gives them."""
_TEXT: Final = b"""
template <class T, T v> struct integral_constant {
    using value_type = T;
    using type = integral_constant<T, v>;
    static constexpr T value = v;
    __device__ constexpr operator T() const { return v; }
    __device__ constexpr T operator()() const { return v; }
};
template <class T> struct type_identity { using type = T; };
template <class T, T... I> struct integer_sequence {
    using value_type = T;
    __device__ static constexpr size_t size() { return sizeof...(I); }
};
template <class T> struct iterator_traits {
    using value_type = typename T::value_type;
    using difference_type = typename T::difference_type;
    using reference = typename T::reference;
    using pointer = typename T::pointer;
};
template <class T> struct iterator_traits<T*> {
    using value_type = T;
    using difference_type = ptrdiff_t;
    using reference = T&;
    using pointer = T*;
};
template <class T, size_t N> struct array {
    using value_type = T;
    using size_type = size_t;
    using reference = T&;
    using iterator = T*;
    using const_iterator = const T*;
    T elements[N];
    __device__ constexpr T& operator[](size_t index) { return elements[index]; }
    __device__ constexpr const T& operator[](size_t index) const { return elements[index]; }
    __device__ constexpr T& at(size_t index) { return elements[index]; }
    __device__ constexpr const T& at(size_t index) const { return elements[index]; }
    __device__ constexpr T& front() { return elements[0]; }
    __device__ constexpr const T& front() const { return elements[0]; }
    __device__ constexpr T& back() { return elements[N - 1]; }
    __device__ constexpr const T& back() const { return elements[N - 1]; }
    __device__ constexpr T* data() { return elements; }
    __device__ constexpr const T* data() const { return elements; }
    __device__ constexpr T* begin() { return elements; }
    __device__ constexpr const T* begin() const { return elements; }
    __device__ constexpr T* end() { return elements + N; }
    __device__ constexpr const T* end() const { return elements + N; }
    __device__ constexpr const T* cbegin() const { return elements; }
    __device__ constexpr const T* cend() const { return elements + N; }
    __device__ static constexpr size_t size() { return N; }
    __device__ static constexpr size_t max_size() { return N; }
    __device__ static constexpr bool empty() { return N == 0; }
    __device__ constexpr void fill(T value) { for (size_t i = 0; i < N; ++i) elements[i] = value; }
};
template <class T, class... U> array(T, U...) -> std::array<T, 1 + sizeof...(U)>;
template <class T> struct optional {
    using value_type = T;
    bool is_engaged;
    T contents;
    __device__ constexpr optional() { is_engaged = false; }
    __device__ constexpr optional(nullopt_t) { is_engaged = false; }
    __device__ constexpr optional(T value) { is_engaged = true; contents = value; }
    __device__ constexpr bool has_value() const { return is_engaged; }
    __device__ constexpr operator bool() const { return is_engaged; }
    __device__ constexpr T& value() { return contents; }
    __device__ constexpr T& operator*() { return contents; }
    __device__ constexpr T* operator->() { return &contents; }
    __device__ constexpr T value_or(T otherwise) const { return is_engaged ? contents : otherwise; }
    __device__ constexpr void reset() { is_engaged = false; }
};
template <class T, size_t N = 18446744073709551615ull> struct span {
    using value_type = T;
    using element_type = T;
    T* start;
    size_t count;
    __device__ constexpr span() { start = nullptr; count = 0; }
    __device__ constexpr span(T* pointer, size_t length) { start = pointer; count = length; }
    __device__ constexpr T& operator[](size_t index) const { return start[index]; }
    __device__ constexpr T* data() const { return start; }
    __device__ constexpr size_t size() const { return count; }
    __device__ constexpr size_t size_bytes() const { return count * sizeof(T); }
    __device__ constexpr bool empty() const { return count == 0; }
    __device__ constexpr T* begin() const { return start; }
    __device__ constexpr T* end() const { return start + count; }
    __device__ constexpr T& front() const { return start[0]; }
    __device__ constexpr T& back() const { return start[count - 1]; }
    __device__ constexpr span subspan(size_t offset, size_t length) const { return span(start + offset, length); }
    __device__ constexpr span first(size_t length) const { return span(start, length); }
};
template <class T> span(T*, size_t) -> std::span<T>;
"""


@cache
def _unit() -> TranslationUnit:
    return TranslationUnit.build(PATH, Document.open(_TEXT), DictLoader())


def snippet_of(item: Item) -> Snippet:
    """The text of an item of this library, parsed."""
    return _unit().snippet(item)


def is_library(item: Item) -> bool:
    return item.path == PATH


def lacks_conversions(item: Item) -> bool:
    """Whether the class has converting constructors or conversion functions that this text leaves out."""
    return is_library(item) and item.name not in _CONVERTED_AS_WRITTEN


@cache
def _items(name: str) -> tuple[Item, ...]:
    return tuple(item for item in _unit().lookup(name) if item.kind is ItemKind.RECORD and item.owner is None)


def is_written(name: str) -> bool:
    """Whether this library has a class of that name."""
    return bool(_items(name))


def written_template(program: Declarations, name: str) -> TypeTemplate:
    """The class template of that name, with its specialisations."""
    scope = program.namespace_scope(("std",))
    found: list[TypeTemplateDeclaration] = []
    for item in _items(name):
        snippet = snippet_of(item)
        node = snippet.root.field("name")
        pattern = node.field("arguments") if node is not None and node.kind == "template_type" else None
        parameters = template_parameters(program, snippet.templates[-1]) if snippet.templates else ()
        found.append(TypeTemplateDeclaration(item, scope, snippet.root, parameters, pattern))
    return TypeTemplate(name, tuple(found))


@cache
def guide_items(name: str) -> tuple[Item, ...]:
    """The declarations of this text that may be deduction guides of that class."""
    return tuple(item for item in _unit().lookup(name) if item.kind is ItemKind.FUNCTION)


def array_elements(program: Declarations, type: Type | None) -> ArrayType | None:
    """The elements of a `std::array`, its only member; None for any other type."""
    record = program.records.get(type.name) if isinstance(type, StructType) else None
    if record is None or record.template != "array" or not is_library(record.item) or not record.fields:
        return None
    elements = record.fields[0].declared.type
    return elements if isinstance(elements, ArrayType) else None
