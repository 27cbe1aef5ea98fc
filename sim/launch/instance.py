"""Which instance of a kernel runs: what its template parameters stand for.

Rules    The first that speaks about a parameter decides: what is given, the launches of the file, explicit
         instantiations, the default of the declaration.  Otherwise it is chosen: for a type a class that a function
         takes which the kernel calls with it (`taken_types.py`), else `float` (`int` where the kernel does with it what
         only integers can do); true for a bool; for an integer 256 if its name speaks of a block or of threads (16
         where the kernel is two-dimensional), else 4.
         Of several launches the first counts in which most arguments are known.
         Parameters of a host template around the launch are what the first call of that template gives.
Limits   Such calls are followed over one step, and only where the arguments are written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from analysis.cpp.types.model import Fundamental, fundamental
from analysis.ir.ids import FunctionId
from analysis.ir.record import record
from analysis.ir.types import S32, BooleanType, FloatType, IntegerType, StructType, TemplateType, UnknownType
from analysis.launches import Launch
from analysis.launches.instances import launched_instances, launching_functions
from analysis.lower.constant_values import ConstantObject
from analysis.lower.functions import for_functions, instantiate
from analysis.lower.lookup import template_arguments
from analysis.lower.names import (
    ArgumentPack,
    ConstantName,
    FunctionDeclaration,
    FunctionSet,
    GlobalVariable,
    MemberAddress,
    PackPattern,
    Scope,
    TemplateArgument,
    TemplateParameter,
    TemplateValue,
    TypeName,
    TypeTemplate,
    VariableAddress,
    declared_as,
)
from analysis.lower.program import DeviceFunction, Program
from analysis.lower.templates import bind, generic_argument, template_parameters
from analysis.lower.types import FUNCTION_POINTER, spelled_argument
from analysis.syntax.items import ItemKind
from analysis.syntax.parsing import parse
from analysis.syntax.tree import Node, convert
from sim.launch.choices import Choice, source_of
from sim.launch.functors import called_functions, called_types
from sim.launch.taken_types import taken_type
from sim.refusals import LaunchError

DEFAULT_BLOCK: Final = 256
DEFAULT_TILE: Final = 16
DEFAULT_NUMBER: Final = 4

_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_BLOCK_NAME: Final = re.compile(r"block|thread|cta", re.IGNORECASE)
_SHARE_NAME: Final = re.compile(r"per_?(?!block|cta)[a-z]|warps|blocks(?!ize|_size)|items", re.IGNORECASE)
"""`ITEMS_PER_THREAD`, `THREADS_PER_ROW`, `WARPS_PER_BLOCK`: not the threads of a block."""
_READS_Y: Final = re.compile(rb"\bthreadIdx\s*\.\s*y\b|hipThreadIdx_y")
_EXPLICIT: Final = re.compile(rb"\s*template\s*(?!<)")


@final
@record
class Instance:
    """`id` names a function that can be lowered; `arguments` the template arguments by parameter, for the report;
    `pointed` the parameters that are pointers to functions and point to one."""

    id: FunctionId
    arguments: Mapping[str, TemplateArgument]
    choices: tuple[Choice, ...]
    pointed: frozenset[str] = frozenset()


def choose_instance(
    program: Program, kernel: DeviceFunction, launches: Sequence[Launch], given: Mapping[str, str]
) -> Instance:
    """The instance of `kernel` to run; `given` are texts by template parameter.

    Raises `LaunchError` for a given text that is not an argument for its parameter.
    """
    declaration = program.declaration_of(kernel.id)
    scope = program.namespace_scope(declaration.item.namespace)
    bound: dict[str, TemplateArgument] = {}
    choices: list[Choice] = []
    sources = [
        *_given(scope, declaration, given),
        *_launched(program, declaration, launches),
        *_from_launches(program, scope, declaration, launches),
        *_from_instantiations(program, scope, declaration),
    ]
    for parameter in declaration.template_parameters:
        argument, why, is_chosen = _argument(scope, declaration, parameter, sources, bound) or (
            _callable(program, scope, declaration, parameter, launches)
            or _taken(declaration, parameter, bound)
            or (*_chosen(scope, declaration, parameter), True)
        )
        bound[parameter.name] = argument
        choices.append(Choice(parameter.name, spelled_argument(argument), why, is_chosen))
    instance = instantiate(declaration, bound)
    pointed: dict[str, FunctionSet] = {}
    for parameter in instance.signature.parameters:
        if parameter.declared.type == FUNCTION_POINTER:
            function, why, is_chosen = _function(program, scope, declaration, parameter.name, given) or (None, "", True)
            if function is not None:
                pointed[parameter.name] = function
                choices.append(Choice(parameter.name, function.name, why, is_chosen))
    identity = for_functions(instance, pointed).id if pointed else instance.id
    return Instance(identity, bound, tuple(choices), frozenset(pointed))


def _function(
    program: Program, scope: Scope, declaration: FunctionDeclaration, name: str, given: Mapping[str, str]
) -> tuple[FunctionSet, str, bool] | None:
    """What a pointer to a function points to, why, and whether that is a choice; None where nothing fits."""
    if name in given:
        read = read_arguments(scope, given[name])
        if len(read) != 1 or not isinstance(read[0], FunctionSet):
            raise LaunchError(f"{name}={given[name]}: '{name}' needs the name of a device function")
        return read[0], "given", False
    for text in called_functions(program, declaration, name):
        read = read_arguments(scope, text)
        if len(read) == 1 and isinstance(read[0], FunctionSet):
            return read[0], "chosen: a function of the file with as many parameters", True
    return None


@final
@record
class _Source:
    """Some template arguments by parameter, and who says so."""

    arguments: Mapping[str, TemplateArgument]
    why: str


def _argument(
    scope: Scope,
    declaration: FunctionDeclaration,
    parameter: TemplateParameter,
    sources: Sequence[_Source],
    bound: Mapping[str, TemplateArgument],
) -> tuple[TemplateArgument, str, bool] | None:
    """The argument, why it is that, and that it was not chosen; None where nobody says anything."""
    for source in sources:
        found = source.arguments.get(parameter.name)
        if found is not None and _is_known(found):
            return found, source.why, False
    if parameter.default is not None:
        default = _default(declaration, parameter, bound)
        if _is_known(default):
            return default, "default of the template", False
    return None


def _callable(
    program: Program,
    scope: Scope,
    declaration: FunctionDeclaration,
    parameter: TemplateParameter,
    launches: Sequence[Launch],
) -> tuple[TemplateArgument, str, bool] | None:
    """A class for a parameter whose objects the kernel calls, a function for a pointer to one."""
    if not parameter.is_type:
        return _function(program, scope, declaration, parameter.name, {})
    for text, why, is_chosen in called_types(program, declaration, parameter, launches):
        read = read_arguments(scope, text)
        if len(read) == 1 and isinstance(read[0], TypeName) and isinstance(read[0].declared.type, StructType):
            return read[0], why, is_chosen
    return None


def _taken(
    declaration: FunctionDeclaration, parameter: TemplateParameter, bound: Mapping[str, TemplateArgument]
) -> tuple[TemplateArgument, str, bool] | None:
    """A class whose objects a function takes that the kernel calls."""
    found = taken_type(declaration, parameter.name, bound) if parameter.is_type else None
    return None if found is None else (found, "chosen: a function that is called takes it", True)


def _default(
    declaration: FunctionDeclaration, parameter: TemplateParameter, bound: Mapping[str, TemplateArgument]
) -> TemplateArgument:
    position = declaration.template_parameters.index(parameter)
    inner = declaration.scope.inside()
    return bind(inner, declaration.template_parameters[: position + 1], bound, defaults=True)[position]


def _chosen(
    scope: Scope, declaration: FunctionDeclaration, parameter: TemplateParameter
) -> tuple[TemplateArgument, str]:
    text = declaration.snippet.text
    if parameter.is_type:
        if _needs_integer(text, parameter.name):
            return TypeName(declared_as(fundamental(Fundamental.INT))), "chosen: an integer is needed"
        return TypeName(declared_as(fundamental(Fundamental.FLOAT))), "chosen for a type"
    generic = generic_argument(scope, parameter)
    type = generic.type if isinstance(generic, TemplateValue) else S32
    if isinstance(type, BooleanType):
        return ConstantName(True, type), "chosen for a bool"
    type = type if isinstance(type, IntegerType | FloatType) else S32
    if _BLOCK_NAME.search(parameter.name) and not _SHARE_NAME.search(parameter.name):
        number = DEFAULT_TILE if _READS_Y.search(text) else DEFAULT_BLOCK
        return ConstantName(number, type), "chosen for a block size"
    return ConstantName(DEFAULT_NUMBER, type), "chosen for a number"


def _needs_integer(text: bytes, name: str) -> bool:
    """Whether values declared with that type stand beside `%`, `&`, `<<`: a guess from the text is enough here."""
    pattern = rb"\b" + re.escape(name.encode("utf-8", "replace")) + rb"\b[\s*&]*(?:const\b|__restrict__\b)?\s*(\w+)"
    for declared in set(re.findall(pattern, text)):
        word = re.escape(declared)
        used = rb"\b" + word + rb"\b(?:\[[^\]]*\])?\s*(?:%|&[^&]|\^|<<|>>)|(?:%|[^&]&|\^|<<|>>)\s*" + word + rb"\b"
        if declared and re.search(used, text) and not re.search(rb"&\s*" + word, text):
            return True
    return False


def _is_known(argument: TemplateArgument) -> bool:
    match argument:
        case TemplateValue():
            return False
        case TypeName(declared=declared):
            return not isinstance(declared.type, UnknownType | TemplateType)
        case ConstantName() | FunctionSet() | TypeTemplate() | GlobalVariable() | VariableAddress() | MemberAddress():
            return True
        case ConstantObject():
            return argument.is_known
        case ArgumentPack(elements=elements):
            return all(map(_is_known, elements))
        case PackPattern():
            return False


# -- who may say something ---------------------------------------------------------------------------------------------


def _given(scope: Scope, declaration: FunctionDeclaration, given: Mapping[str, str]) -> Iterator[_Source]:
    for parameter in declaration.template_parameters:
        text = given.get(parameter.name)
        if text is None:
            continue
        read = read_arguments(scope, text)
        is_fitting = len(read) == 1 and isinstance(read[0], TypeName | TypeTemplate) == parameter.is_type
        if not is_fitting or not _is_known(read[0]):
            kind = "a type, as float" if parameter.is_type else "a constant, as 16"
            raise LaunchError(f"{parameter.name}={text}: the template parameter '{parameter.name}' needs {kind}")
        yield _Source({parameter.name: read[0]}, "given")


def _from_launches(
    program: Program, scope: Scope, declaration: FunctionDeclaration, launches: Sequence[Launch]
) -> list[_Source]:
    """Launches in text order, those with the most known arguments first."""
    sources = [
        _Source(
            _named(declaration, read_arguments(scope, _argument_text(program, launch))),
            source_of(launch, program.unit.path),
        )
        for launch in launches
        if launch.template_arguments
    ]
    return sorted(sources, key=lambda source: -sum(map(_is_known, source.arguments.values())))


def _launched(program: Program, declaration: FunctionDeclaration, launches: Sequence[Launch]) -> Iterator[_Source]:
    """The instances that the file launches, deduced arguments and constants of host functions included; of a launch
    that was asked for, its own."""
    found = launched_instances(program, launching_functions(program)).get(id(declaration), ())
    asked = {launch.text for launch in launches}  # those that no call comes to are not among them
    why = source_of(launches[0], program.unit.path) if len(launches) == 1 else "a launch in the file"
    for launched in found:
        if launched is not None and not (asked and asked.isdisjoint(launched.launches)):
            names = [parameter.name for parameter in declaration.template_parameters]
            entities = {name: launched.instance.scope.names[name] for name in names}
            yield _Source({name: one for name, one in entities.items() if isinstance(one, TemplateArgument)}, why)


def _argument_text(program: Program, launch: Launch) -> str:
    """The launch's template arguments, with those of the host template around it filled in."""
    given = _host_arguments(program, launch)
    return ", ".join(
        _WORD.sub(lambda match: given.get(match[0], match[0]), argument) for argument in launch.template_arguments
    )


def _host_arguments(program: Program, launch: Launch) -> Mapping[str, str]:
    """What a call gives for the template parameters of the function that launches; nothing where it is no template."""
    items = [*program.unit.items, *program.unit.included_items]
    for host in items:
        is_around = host.span.start <= launch.span.start < host.span.end and host.path == launch.path
        if not (is_around and host.kind is ItemKind.FUNCTION and host.is_template):
            continue
        headers = program.snippet(host).templates
        names = [parameter.name for parameter in template_parameters(program, headers[-1])] if headers else []
        name = host.name.encode("utf-8", "replace")
        call = re.compile(rb"\b" + re.escape(name) + rb"\s*<([^<>;(){}]+)>\s*\(")
        for item in items:
            found = call.search(item.text) if item is not host and name in item.identifiers and item.active else None
            if found is not None:
                return dict(zip(names, found[1].decode("utf-8", "replace").split(","), strict=False))
    return {}


def _from_instantiations(program: Program, scope: Scope, declaration: FunctionDeclaration) -> Iterator[_Source]:
    """`template __global__ void kernel<float, 16>(float *);`."""
    for item in program.unit.lookup(declaration.name):
        if item.kind is ItemKind.FUNCTION and not item.is_definition and _EXPLICIT.match(item.text):
            for node in program.snippet(item).root.walk():
                if node.kind == "template_function":
                    arguments = template_arguments(scope, node.field("arguments"))
                    yield _Source(_named(declaration, arguments), "an explicit instantiation")
                    break


def _named(declaration: FunctionDeclaration, arguments: Sequence[TemplateArgument]) -> Mapping[str, TemplateArgument]:
    parameters = declaration.template_parameters
    return {parameter.name: argument for parameter, argument in zip(parameters, arguments, strict=False)}


def read_arguments(scope: Scope, text: str) -> tuple[TemplateArgument, ...]:
    """The template arguments that `text` lists, with names meaning what they mean in `scope`."""
    source = b"void f() { g<" + text.encode("utf-8", "replace") + b">(); }"
    tree = parse(source)
    listed = None if tree is None else _argument_list(convert(tree, source))
    return template_arguments(scope, listed)


def _argument_list(root: Node) -> Node | None:
    return next((node for node in root.walk() if node.kind == "template_argument_list"), None)
