"""Types and values of expressions: promotions, the usual arithmetic conversions, casts, bit-fields, conditionals."""

from __future__ import annotations

from tests.cpp.program import CppProgram
from tests.cpp.programs.values import Values
from tests.cpp.world import CLASSES, ENUMERATIONS, IDENTITIES, SCALARS, WORLD
from tests.sim.random.choices import Choices

_CHECKS = 5
_FIELDS = (
    "struct Fields { int a : 3; unsigned b : 5; long c : 40; unsigned long d : 33; bool e : 1; unsigned char f : 8; };"
)
_FUNCTIONS = (
    "__device__ int &same(int &x) { return x; } __device__ const int &constant(const int &x) { return x; }"
    " __device__ int &&moved(int &x) { return static_cast<int &&>(x); } __device__ long as_long(long x) { return x; }"
    " __device__ Derived &same(Derived &x) { return x; } __device__ const Base &constant(const Base &x) { return x; }"
    " struct Holder { int n = 4; const int c = 5; float row[2] = {1, 2}; Derived part;"
    " __device__ int &at() { return n; } __device__ const int &at() const { return n; }"
    " __device__ Holder &itself() { return *this; } };"
)
_OBJECTS = ("Pair pair{5, 6};", "const Pair const_pair{7, 8};", "int row[4] = {1, 2, 3, 4};", "Holder holder;")
_BINARY = ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "==", "!=", ">=", "&&", "||", ",")


def expressions(choices: Choices) -> CppProgram:
    """The type of an expression as a number, and its value."""
    values = Values(choices)
    checks: list[str] = []
    for _ in range(_CHECKS):
        text = _expression(choices, values, 2)
        kind = choices.below(4)
        if kind == 0:
            checks.append(f"Id<decltype({text})>::value")
        elif kind == 1:
            checks.append(f"Id<decltype(({text}))>::value")
        elif kind == 2:
            checks.append(f"sizeof({text})")
        else:
            checks.append(f"static_cast<long long>({text})")  # no pointer, whose number nobody knows
    fields = "Fields fields; fields.a = -2; fields.b = 29; fields.c = -70000000000; fields.d = 8000000001ul; fields.e = true; fields.f = 250;"  # noqa: E501 -- one object
    return CppProgram(
        [WORLD, IDENTITIES, _FIELDS, _FUNCTIONS], [fields, *_OBJECTS, "int n = 2;", *values.variables], checks
    )


def references(choices: Choices) -> CppProgram:
    """Objects that are named in a roundabout way: what is written to them, what is bound to them, what they are."""
    values = Values(choices)
    checks: list[str] = []
    for _ in range(_CHECKS):
        target = choices.pick(("int", "int", "long", "float", "Base"))
        left = _object(choices, values, target, 2)
        own = "a_base.b" if target == "Base" else values.variable(target)
        values.variable(target)
        right = values.number()
        right = "3" if own in right else right  # compilers differ about `(a = 2) += a`
        match choices.below(6):
            case 0 if target != "Base":
                checks.append(f"(({left} = {right}), {own} * 3)")
            case 1 if target != "Base":
                checks.append(f"(({left} {choices.pick(('+=', '-=', '*='))} {right}), {own} + 1)")
            case 2 if target != "Base":
                checks.append(f"({choices.pick(('++', '--'))}{left}, {own})")
            case 3:
                checks.append(f"Id<decltype({left})>::value")
            case 4:
                checks.append(f"which({left})")
            case _:
                checks.append(f"Id<decltype(({left}))>::value")
    which = " ".join(
        f"__device__ int which({parameter}) {{ return {number}; }}"
        for number, parameter in enumerate(
            sorted({choices.pick(_WHICH) for _ in range(choices.between(2, 4))} | {"const Base &", "double"})
        )
    )
    return CppProgram(
        [WORLD, IDENTITIES, _FUNCTIONS, which], [*_OBJECTS, "int n = 2;", "Base a_base{};", *values.variables], checks
    )


_WHICH = (
    "int &",
    "const int &",
    "int &&",
    "long",
    "float &",
    "const float &",
    "Base &",
    "Base &&",
    "Derived &",
    "long &&",
)


def _object(choices: Choices, values: Values, target: str, depth: int) -> str:
    """An lvalue of that type, or now and then an xvalue or a value."""
    plain = "a_base" if target == "Base" else values.variable(target)
    if depth == 0 or choices.chance(6):
        return plain
    inner = _object(choices, values, target, depth - 1)
    other = _object(choices, values, target, depth - 1)
    match choices.below(11):
        case 0 | 1:
            return f"(n > {choices.below(4)} ? {inner} : {other})"
        case 2:
            return f"({inner}, {other})"
        case 3:
            return f"(*&{inner})"
        case 4:
            return f"({inner} = {other})" if choices.chance(2) else f"(++{inner})"
        case 5:
            return f"same({inner})" if target == "int" else f"(({inner}))"
        case 6:
            return f"static_cast<{target} {choices.pick(('&', '&', '&&'))}>({inner})"
        case 7 if target == "int":
            return choices.pick(
                ("row[n]", "holder.at()", "holder.n", "holder.itself().n", "pair.second", "(&pair)->first")
            )
        case 7 if target == "Base":
            return choices.pick(("holder.part", "holder.itself().part", "a_base"))
        case 8 if target == "float":
            return choices.pick(("holder.row[1]", "holder.itself().row[0]", "(*holder.row)"))
        case 9:
            return f"(&{inner})[0]"
        case _:
            return inner


def assignments(choices: Choices) -> CppProgram:
    """What assignments store and yield, with conversions in both directions and lvalues of every kind."""
    values = Values(choices)
    checks: list[str] = []
    for _ in range(_CHECKS):
        left, right = _lvalue(choices, values), values.number()
        if left == right:
            right = "3"  # compilers differ about `(a = 2) += a`
        operator = choices.pick(("=", "+=", "-=", "*=", "<<=", ">>=", "|=", "^=", "&="))
        if operator in ("<<=", ">>=") and right == "'a'":
            right = "2"  # not as wide as the number itself
        match choices.below(5):
            case 0:
                checks.append(f"({left} {operator} {right})")
            case 1:
                checks.append(f"(({left} = {values.number()}) {operator} {right}, {left})")
            case 2:
                stepped = f"{choices.pick(('++', '--'))}{left} {choices.pick(('+', '*', '-'))} {right}"
                checks.append(f"static_cast<long long>({stepped})")  # an `int` does not hold all of them
            case 3:
                checks.append(f"(({left}{choices.pick(('++', '--'))}, {left}) = {right}, {left} + 1)")
            case _:
                checks.append(f"((n > {choices.below(3)} ? {left} : {left}) {operator} {right}, {left})")
    variables = ["int n = 2;", "Fields fields{};", "Pair pair{5, 6};", "int row[4] = {1, 2, 3, 4};", *values.variables]
    return CppProgram([WORLD, _FIELDS], variables, checks)


def _lvalue(choices: Choices, values: Values) -> str:
    match choices.below(6):
        case 0:
            return f"fields.{choices.pick('abcdef')}"
        case 1:
            return f"pair.{choices.pick(('first', 'second'))}"
        case 2:
            return f"row[{choices.below(4)}]"
        case 3:
            return f"*(row + {choices.below(4)})"
        case _:
            return values.variable(choices.pick(SCALARS))


def _expression(choices: Choices, values: Values, depth: int) -> str:
    if depth == 0 or choices.chance(5):
        return _operand(choices, values)
    match choices.below(12):
        case 0 | 1 | 2:
            left, right = (_expression(choices, values, depth - 1) for _ in range(2))
            return f"({left} {choices.pick(_BINARY)} {right})"
        case 3:
            return f"({choices.pick(('-', '+', '~', '!'))}{_expression(choices, values, depth - 1)})"
        case 4:
            cast = choices.pick(("(%s)", "static_cast<%s>")) % choices.pick(SCALARS)
            return f"{cast}({_expression(choices, values, depth - 1)})"
        case 5 | 6:
            condition, left, right = (_expression(choices, values, depth - 1) for _ in range(3))
            return f"({condition} ? {left} : {right})"
        case 7:
            inner = _expression(choices, values, depth - 1)
            return f"{choices.pick(('same', 'constant', 'moved', 'as_long'))}({inner})"
        case 8:
            return _stored(choices, values, _expression(choices, values, depth - 1))
        case 9:
            return _part(choices, values)
        case 10:
            cast = choices.pick(
                ("static_cast<%s &&>", "static_cast<const %s &>", "(const %s &)", "(%s)", "static_cast<%s>")
            )
            return f"{cast % choices.pick((*SCALARS, 'Base'))}({_expression(choices, values, depth - 1)})"
        case _:
            return f"(*&{values.variable(choices.pick(SCALARS), const=choices.chance(2))})"


def _stored(choices: Choices, values: Values, value: str) -> str:
    """What changes a variable: of its own, for the order of two changes in one expression is not always certain."""
    one = values.variable(choices.pick(SCALARS))
    match choices.below(4):
        case 0:
            return f"({one} = {value})"
        case 1:
            return f"({one} {choices.pick(('+=', '*=', '|=', '<<='))} {value})"
        case 2:
            return f"({choices.pick(('++', '--'))}{one})"
        case _:
            return f"({one}{choices.pick(('++', '--'))})"


def _part(choices: Choices, values: Values) -> str:
    """A member, an element, a pointer to one."""
    return choices.pick(
        (
            "pair.first",
            "const_pair.second",
            "(&pair)->second",
            "Pair{1, 2}.first",
            "static_cast<Pair &&>(pair).second",
            "row[2]",
            "1[row]",
            "*row",
            "row",
            "(row + 1)",
            "(&row[3] - row)",
            "&row",
            "holder.c",
            "holder.row[1]",
            "holder.row",
            "Holder().row[0]",
            "holder.part",
            "holder.part.b",
            "holder.at()",
            "const_cast<const Holder &>(holder).at()",
            "holder.itself().part",
            "(&holder)->itself().n",
            values.array("Base", 2),
            f"{values.array('float', 3)}[1]",
        )
    )


def _operand(choices: Choices, values: Values) -> str:
    match choices.below(8):
        case 0:
            return f"fields.{choices.pick('abcdef')}"
        case 1:
            return values.variable(choices.pick(ENUMERATIONS), const=choices.chance(3))
        case 2:
            return values.pointer(choices.pick(("int", "Base", "Derived")), const=choices.chance(2))
        case 3:
            return choices.pick(("nullptr", "0", "PLAIN_B", "Scoped::B", "SMALL_A", "'x'", "sizeof(int)", "1.0f"))
        case 4:
            return values.variable(choices.pick(CLASSES), const=choices.chance(2))
        case _:
            return values.number()
