"""`record`: frozen data for a third of the price.

The type checker sees a frozen dataclass: to assign to a field is an error.  At run time the class is an ordinary one
with slots, because `dataclass(frozen=True)` calls `object.__setattr__` once per field: 0.9 instead of 0.3 microseconds
for four fields, and the passes make thousands of instructions, spans and types for each keystroke.

A class is cheap to define as well: `dataclass` makes each class twice and compiles each method on its own when a module
is loaded, 0.6 ms for a frozen class, and a process loads hundreds of classes before it can answer.  Here a method waits
for its first use, the constructor too, and so does what `dataclasses` asks for (`fields`, `replace`, `asdict`).  With
`dataclass(slots=True, unsafe_hash=True)` in its place the check of one small file costs half as much again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import MISSING, Field, dataclass, field, fields, make_dataclass
from operator import attrgetter
from typing import Any, ClassVar, Final, TypeAlias, TypeVar, cast, dataclass_transform, final, get_origin

Class = TypeVar("Class")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[Class]) -> type[Class]:
    """A dataclass with slots, compared and hashed by its fields, which nobody changes."""
    namespace = dict(cls.__dict__)
    types: Mapping[str, Any] = namespace.get("__annotations__", {})
    own = tuple(name for name, type_ in types.items() if not _is_of_class(type_))
    declared = _Declared()
    for base in reversed(cls.__mro__[1:]):
        declared |= _DECLARED.get(base, {})
    declared |= {name: (types[name], namespace.pop(name, MISSING)) for name in own}

    # Each of these makes the method that takes its place when it is first called.

    def initialise(self: Any, *arguments: Any, **named: Any) -> None:
        made.__init__ = _dataclass_of(made, declared).__init__
        made.__init__.__qualname__ = f"{made.__qualname__}.__init__"
        made.__init__(self, *arguments, **named)

    def equal(self: Any, other: object) -> Any:
        _compare_by_fields(made)
        return made.__eq__(self, other)

    def hashed(self: Any) -> int:
        _compare_by_fields(made)
        return made.__hash__(self)

    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    namespace["__doc__"] = cls.__doc__ or cls.__name__
    namespace["__slots__"] = own
    namespace["__match_args__"] = tuple(declared)
    namespace["__dataclass_fields__"] = _Fields(declared)
    namespace["__dataclass_params__"] = _PARAMETERS
    namespace |= {"__init__": initialise, "__eq__": equal, "__hash__": hashed, "__repr__": _spell}
    made: Any = type(cls)(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    _DECLARED[made] = declared
    return made


def changed(one: Class, **changes: Any) -> Class:
    """What `dataclasses.replace` makes of a record, for a third of its price where it has many fields."""
    cls = type(one)
    known = _FIELDS.get(cls)
    if known is None:
        names: tuple[str, ...] = tuple(_DECLARED[cls])
        known = _FIELDS[cls] = attrgetter(*names, names[0]), {name: number for number, name in enumerate(names)}
    values_of, places = known
    values = [*values_of(one)[:-1]]
    for name, value in changes.items():
        values[places[name]] = value
    return cls(*values)


_Declared: TypeAlias = dict[str, tuple[Any, Any]]
"""The types of fields, and what is given as their default."""
_DECLARED: Final[dict[type[Any], _Declared]] = {}
"""By record: those of its bases are fields of it, too."""
_FIELDS: Final[dict[type[Any], tuple[Callable[[Any], tuple[Any, ...]], Mapping[str, int]]]] = {}
"""By record that was changed: what all its fields hold, the first one twice so that there are several, and where each
of them is."""


def _is_of_class(type_: Any) -> bool:
    """Whether an annotation, spelled or not, is that of a class variable."""
    if isinstance(type_, str):
        return type_.startswith("ClassVar")
    return type_ is ClassVar or get_origin(type_) is ClassVar


@final
class _Fields:
    """What `dataclasses` calls the fields of a class, made when somebody asks for it."""

    def __init__(self, declared: _Declared) -> None:
        self._declared = declared

    def __get__(self, _instance: object, owner: Any) -> Mapping[str, Field[Any]]:
        owner.__dataclass_fields__ = _dataclass_of(owner, self._declared).__dataclass_fields__
        return owner.__dataclass_fields__


def _dataclass_of(cls: Any, declared: _Declared) -> Any:
    """A dataclass with the same fields, whose constructor does for `cls`."""
    namespace: dict[str, Any] = {"__annotations__": {name: type_ for name, (type_, _) in declared.items()}}
    for name, (_, given) in declared.items():
        if given is not MISSING:
            namespace[name] = copy(cast("Any", given)) if isinstance(given, Field) else given
    namespace |= {name: getattr(cls, name) for name in ("__doc__", "__post_init__") if hasattr(cls, name)}
    return dataclass(repr=False, eq=False, match_args=False)(type(cls.__name__, (), namespace))


_PARAMETERS: Final = vars(make_dataclass("_Empty", [], repr=False, eq=False))["__dataclass_params__"]


def _spell(self: Any) -> str:
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({shown})"


def _compare_by_fields(cls: Any) -> None:
    """Give `cls` an equality and a hash that are compiled."""
    compared = [(one.name, Any, field(compare=one.compare, hash=one.hash)) for one in fields(cls)]
    model = make_dataclass(
        cls.__name__, compared, init=False, repr=False, unsafe_hash=True, namespace={"__doc__": cls.__doc__}
    )
    cls.__eq__, cls.__hash__ = model.__eq__, model.__hash__
