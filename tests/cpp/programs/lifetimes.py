"""Objects that live and die: the order of constructors, copies, moves, assignments and destructors, as a trace."""

from __future__ import annotations

from tests.cpp.program import CppProgram
from tests.cpp.texts.read import one_line
from tests.sim.random.choices import Choices

_NUMBERS = 120
_TRACED = one_line("traced_classes")


def objects(choices: Choices) -> CppProgram:
    """Statements with objects in every form; the trace is what the kernel writes."""
    writer = _Writer(choices)
    body = " ".join(writer.statement(2) for _ in range(choices.between(2, 4)))
    inside = f"int depth = 0; A first(o, 1); {body} note(o, 2000 + depth); return 3;"
    function = f"__device__ int body(int *o, int n) {{ {inside} }}"
    variables = [f"for (int i = 0; i < {_NUMBERS}; i++) out[i] = 0;", "int end = body(out, 3); note(out, 3000 + end);"]
    return CppProgram([_TRACED, function], variables, [], _NUMBERS)


class _Writer:
    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._count = 0
        self._known = ["first"]

    def statement(self, depth: int) -> str:
        choices = self._choices
        match choices.below(22):
            case 0:
                return self._variable(f"A %s(o, {self._id()});")
            case 1:
                return self._variable(f"A %s = made(o, {self._id()});")
            case 2:
                return self._variable(f"A %s = {self._object()};")
            case 3:
                return self._variable(f"A %s = static_cast<A &&>({self._object()});")
            case 4:
                return f"{self._object()} = {self._value()};"
            case 5:
                return f"n += read({self._value()});"
            case 6:
                return f"n += taken({self._value()});"
            case 7:
                return f"passed({self._value()});"
            case 8:
                return self._unnamed("Member %s(o, 3);")
            case 9:
                return self._unnamed(choices.pick(("Heir %s(o);", "Heir %s(o, 2);")))
            case 10:
                return self._unnamed("Aggregate %s{A(o, 2), .b = A(o, 3)};".replace("A(o, 2), .b", ".a = A(o, 2), .b"))
            case 11:
                return self._unnamed(f"A %s[2] = {{A(o, {self._id()}), {self._value()}}};")
            case 12:
                return self._unnamed("Lock %s(o, depth);")
            case 13:
                return self._unnamed(
                    f"const A &%s = {choices.pick(('made(o, 6)', 'A(o, 7)', 'Member(o, 1).b', self._object()))};"
                )
            case 14:
                return self._unnamed(f"Own<A> %s({self._value()}, o);")
            case 15:
                return self._unnamed("Default %s[2]; %s[1].o = o;")
            case 16:
                return f"if ({self._condition()}) {{ {self._block(depth)} }} else {{ {self._block(depth)} }}"
            case 17:
                leave = choices.pick(("", f"if (i == 1) {choices.pick(('break', 'continue', 'return 7'))};"))
                return f"for (int i = 0; i < 2; i++) {{ {self._block(depth)} {leave} {self._block(depth)} }}"
            case 18:
                first, second = self._block(depth), self._block(depth)
                cases = f"case 0: {{ {first} }} case 1: {{ {second} break; }} default: note(o, 50);"
                return f"switch (n % 3) {{ {cases} }}"
            case 19:
                return f"if (A c{self._next()} = made(o, {self._id()})) {{ {self._block(depth)} }}"
            case 20:
                return f"{{ {self._block(depth)} if (n == {choices.below(5)}) return 4; {self._block(depth)} }}"
            case _:
                return f"for (A w(o, 3); w.id > 1; w.id--) {{ {self._block(depth)} }}"

    def _block(self, depth: int) -> str:
        if depth == 0:
            return f"note(o, {self._choices.below(40)});"
        known = len(self._known)
        text = self.statement(depth - 1)
        del self._known[known:]
        return text

    def _variable(self, form: str) -> str:
        name = f"v{self._next()}"
        text = form.replace("%s", name)
        self._known.append(name)
        return text

    def _unnamed(self, form: str) -> str:
        return form.replace("%s", f"u{self._next()}")

    def _object(self) -> str:
        return self._choices.pick(self._known)

    def _value(self) -> str:
        return self._choices.pick(
            (
                self._object(),
                f"A(o, {self._id()})",
                f"made(o, {self._id()})",
                f"static_cast<A &&>({self._object()})",
                f"passed({self._object()})",
                f"same({self._object()})",
                f"(n > 2 ? {self._object()} : {self._object()})",
                f"(n > 2 ? A(o, 2) : {self._object()})",
                f"(note(o, 60), {self._object()})",
                f"Member(o, {self._id()}).b",
            )
        )

    def _condition(self) -> str:
        return self._choices.pick(("n > 2", "n % 2", f"read({self._value()}) > 2", f"{self._object()}", "A(o, 4)"))

    def _id(self) -> int:
        return self._choices.between(1, 8)

    def _next(self) -> int:
        self._count += 1
        return self._count
