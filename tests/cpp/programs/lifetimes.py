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
        match choices.below(4):
            case 0:
                return self._plain()
            case 1:
                return self._nested(depth)
            case 2:
                return choices.pick((self._jump, self._jump, self._iteration))(depth)
            case _:
                return self._other()

    def _plain(self) -> str:
        choices = self._choices
        match choices.below(16):
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
            case _:
                return self._unnamed("Default %s[2]; %s[1].o = o;")

    def _nested(self, depth: int) -> str:
        choices = self._choices
        match choices.below(8):
            case 0:
                return f"if ({self._condition()}) {{ {self._block(depth)} }} else {{ {self._block(depth)} }}"
            case 1:
                leave = choices.pick(("", f"if (i == 1) {choices.pick(('break', 'continue', 'return 7'))};"))
                return f"for (int i = 0; i < 2; i++) {{ {self._block(depth)} {leave} {self._block(depth)} }}"
            case 2:
                first, second = self._block(depth), self._block(depth)
                cases = f"case 0: {{ {first} }} case 1: {{ {second} break; }} default: note(o, 50);"
                return f"switch (n % 3) {{ {cases} }}"
            case 3:
                return f"if (A c{self._next()} = made(o, {self._id()})) {{ {self._block(depth)} }}"
            case 4:
                return f"{{ {self._block(depth)} if (n == {choices.below(5)}) return 4; {self._block(depth)} }}"
            case 5:
                return f"if ({self._value()} < {self._object()}) {{ {self._block(depth)} }}"
            case _:
                return f"for (A w(o, 3); w.id > 1; w.id--) {{ {self._block(depth)} }}"

    def _other(self) -> str:
        choices = self._choices
        match choices.below(12):
            case 0:
                return self._allocated()
            case 1:
                return f"n += weigh({choices.pick(('o', 'Pointed(o)'))});"
            case 2:
                return "n += weighed(o);"
            case 3:
                return f"bool q{self._next()} = {self._decided()};"
            case 4:
                called = choices.pick(("taken", "read"))
                return f"n += {self._decided()} ? read({self._value()}) : {called}({self._value()});"
            case 5:
                return self._lambda()
            case _:
                return self._whole()

    def _jump(self, depth: int) -> str:
        """Jumps, and conditions that declare."""
        choices, number = self._choices, self._next()
        inside = self._block(depth)
        leave = choices.pick(("break", "continue", "return 8", f"goto out{number}"))
        match choices.below(7):
            case 0:
                return (
                    f"{{ {inside} if (n > {choices.below(5)}) goto out{number}; {self._block(depth)} }} out{number}:;"
                )
            case 1:
                again = f"if (w{number}++ < 2) goto again{number};"
                return f"{{ int w{number} = 0; again{number}: {{ {inside} {again} }} {self._block(depth)} }}"
            case 2:
                body = f"{inside} if (w{number} == 1) {leave}; {self._block(depth)}"
                loop = f"while (A c{number} = A(o, 2 + w{number}--)) {{ {body} }}"
                return f"{{ int w{number} = 2; {loop} }} out{number}:;"
            case 3:
                body = f"{inside} if (w{number} == {choices.below(3)}) {leave};"
                test = f"(note(o, 70), read({self._value()})) > 0 && w{number}++ < 2"
                return f"{{ int w{number} = 0; do {{ {body} }} while ({test}); }} out{number}:;"
            case 4:
                first = choices.pick((f"A s{number}(o, 4);", f"const A &s{number} = {self._value()};"))
                return f"if ({first} {self._condition()}) {{ {inside} }} else {{ {self._block(depth)} }}"
            case 5:
                cases = f"case 1: {{ {inside} break; }} case 2: {{ {self._block(depth)} }} default: note(o, 51);"
                return f"switch (A s{number}(o, n % 4); s{number}.id) {{ {cases} }}"
            case _:
                return f"while (n < 6 && {self._decided()}) {{ n++; {inside} if (n == 5) {leave}; }} out{number}:;"

    def _iteration(self, depth: int) -> str:
        choices, number = self._choices, self._next()
        name = choices.pick(
            (f"A i{number}", f"A &i{number}", f"const A &i{number}", f"auto i{number}", f"auto &&i{number}")
        )
        leave = choices.pick(("", f"if (i{number}.id > 4) {choices.pick(('break', 'continue', 'return 9'))};"))
        array = f"A r{number}[2] = {{{self._value()}, {self._value()}}};"
        return f"{{ {array} for ({name} : r{number}) {{ {self._block(depth)} {leave} note(o, 80); }} }}"

    def _whole(self) -> str:
        """Objects of other classes, and what is copied, moved or assigned of them."""
        choices, number = self._choices, self._next()
        name, other = f"x{number}", f"y{number}"
        made = choices.pick(
            (
                f"Row {name}{{{{{self._value()}, {self._value()}}}, 3}};",
                f"Row {name} = {{{self._value()}, {self._value()}, 4}};",
                f"Member {name}(o, {self._id()});",
                f"Member {name} = Member(o, {self._id()});",
                f"Nest {name}{{{{{{A(o, 1), A(o, 2)}}, 3}}, Member(o, 4)}};",
                f"PolyHeir {name}(o);",
                f"Initialised {name}{choices.pick(('(o)', '(o, 3)', '{o, 2}'))};",
                f"Pointed {name} = o;",
                f"Aggregate {name}{{{self._value()}, 2, {self._value()}}};",
                f"Own<Member> {name}(Member(o, 2), o);",
                f"auto {name} = {choices.pick((self._value(), 'Member(o, 3)', 'Heir(o)'))};",
                f"Refers {name}({self._object()});",
                f"Lock {name}{{o, depth}};",
            )
        )
        copied = (
            f"auto {other} = {choices.pick((name, f'through({name})', f'static_cast<decltype({name}) &&>({name})'))};"
        )
        used = choices.pick(
            ("", "", copied, f"n += count({name});", f"{{ {copied} }}", f"const auto &{other} = {name};")
        )
        return f"{{ {made} {used} note(o, 90); }}"

    def _allocated(self) -> str:
        number = self._next()
        return self._choices.pick(
            (
                f"{{ A *p{number} = new A({self._value()}); note(o, 91); delete p{number}; }}",
                f"{{ alignas(A) char b{number}[sizeof(A)]; A *p{number} = new (b{number}) A({self._value()}); "
                f"n += read(*p{number}); p{number}->~A(); }}",
                f"{{ A *p{number} = n > 3 ? new A(o, 4) : nullptr; delete p{number}; }}",
            )
        )

    def _decided(self) -> str:
        """A condition whose temporaries are made on one side alone."""
        value, other = self._value(), self._value()
        return self._choices.pick(
            (
                f"(n > 2 && {value})",
                f"(n % 2 || read({value}) > 2)",
                f"(read({value}) > 3 && read({other}) > 1)",
                f"!(n > 3 && taken({value}) > 2)",
                f"(n > 2 ? read({value}) > 3 : {self._object()} < {value})",
                f"(({value}).id > 2 || ({other}).id > 3)",
            )
        )

    def _lambda(self) -> str:
        number = self._next()
        text = self._choices.pick(
            (
                f"[&](int m) {{ A l(o, m); if (m > 3) return read(l); return {self._id()}; }}(n)",
                f"read([&] {{ return {self._value()}; }}())",
                f"[&](const A &a) {{ note(o, 95); return a.id; }}({self._value()})",
                "[&] { for (int i = 0; i < 2; i++) { A l(o, i + 2); if (i == n % 3) return 4; } return 5; }()",
                f"[&] {{ Lock l{number}(o, depth); return read({self._value()}); }}()",
            )
        )
        return f"n += {text};"

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
                f"named(o, {self._id()})",
                f"either(o, {self._id()})",
                f"early({self._object()}, {self._id()})",
                f"({self._object()} + {self._object()})",
                f"through({self._object()})",
                f"through(A(o, {self._id()}))",
                "(n > 2 ? made(o, 3) : A(o, 4))",
                f"A{{o, {self._id()}}}",
                f"static_cast<A>({self._object()})",
                f"Row{{{{A(o, 1), {self._object()}}}, 2}}.a[1]",
            )
        )

    def _condition(self) -> str:
        return self._choices.pick(("n > 2", "n % 2", f"read({self._value()}) > 2", f"{self._object()}", "A(o, 4)"))

    def _id(self) -> int:
        return self._choices.between(1, 8)

    def _next(self) -> int:
        self._count += 1
        return self._count
