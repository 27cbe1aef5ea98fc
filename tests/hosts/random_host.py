"""A generator of host functions that launch a kernel, as CUDA text and as a program that can be run here.

Rules    Variables `a`, `b`, objects `c` and `o` with an array and an `int2` in them and a `dim3 d` are declared first.
         Then come assignments of numbers, of objects and of lists, increments, branches on what nobody knows (`ask()`),
         on `argc` or on variables, counted loops, loops that end when `ask()` says so, `switch`, `break`, `continue`,
         early returns, calls that write through a reference or a pointer, functions that return an object, lambdas, and
         launches whose block and argument are expressions of the variables; the other argument is an object.
         Copies fill variables in constant memory, here and in a function that is called.
         A run draws the answers of `ask()`; it returns the launches by their place.
Limits   Numbers stay below 2^20: a run that exceeds that is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, TypeAlias

MEMBERS: Final = {"m": "m", "n": "n", "s[0]": "s.0", "s[1]": "s.1", "v.x": "v.x", "v.y": "v.y"}
"""Of an object, as they are written, with the paths that claims name them by."""
PLACES: Final = ("a", "b", "d.x", "d.y", *(f"{name}.{member}" for name in "co" for member in MEMBERS))
LARGEST: Final = 1 << 20
MAX_STEPS: Final = 400
AT_FIRST: Final = {
    **{("whole", path): 5 * (path == "n") for path in MEMBERS.values()},
    **{(name, ""): 7 * (name == "never") for name in ("lone", "put", "four", "never")},
}
"""What constant memory holds that nothing was copied to."""
State: TypeAlias = dict[str, int]
Made: TypeAlias = tuple[int, int, int, int, tuple[int, ...], Mapping[tuple[str, str], int]]
"""The place of a launch, its block along x and y, its argument, the members of the object that it passes, and what it
finds in constant memory, by names and paths."""


class ReturnedError(Exception):
    """The function returned."""


class BrokenError(Exception):
    """A loop was left."""


class ContinuedError(Exception):
    """A round ended."""


class TooLargeError(Exception):
    """Numbers or the run grew too large for the referee."""


@dataclass
class Run:
    """One run: what `ask()` answers, and the launches."""

    random: Random
    argc: int
    state: State = field(default_factory=State)
    launches: list[Made] = field(default_factory=list[Made])
    steps: int = 0
    constants: dict[tuple[str, str], int] = field(default_factory=lambda: dict(AT_FIRST))
    """What constant memory holds."""

    def ask(self) -> int:
        return self.random.randrange(2)

    def launch(self, place: int, x: int, y: int, argument: int, passed: str) -> None:
        held = dict(self.constants)
        self.launches.append(
            (place, x, y, argument, tuple(self.state[f"{passed}.{member}"] for member in MEMBERS), held)
        )

    def write(self, place: str, number: int) -> None:
        self.steps += 1
        if not 0 <= number < LARGEST or self.steps > MAX_STEPS:
            raise TooLargeError
        self.state[place] = number


Statement: TypeAlias = tuple[str, Callable[[Run], None]]
Expression: TypeAlias = tuple[str, Callable[[Run], int]]


class HostProgram:
    """`text` of the file, and `run`."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._count = 0
        self._names = 0
        self._rounds: list[str] = []
        start = {place: self._random.randrange(1, 9) for place in PLACES}
        objects = (", ".join(_list_of([str(start[f"{name}.{one}"]) for one in MEMBERS])) for name in "co")
        first, second = (f"{name} = {{{listed}}}" for name, listed in zip("co", objects, strict=True))
        self._start = start
        body, self._body = self._block(5, 0, in_loop=False)
        self.text = (
            "struct C { int m; int n = 5; int s[2]; int2 v; };\n__global__ void k(float *x, int n, C c);\n"
            f"bool ask();\n{_FUNCTIONS}int main(int argc, char **argv) {{\n"
            f"int a = {start['a']}, b = {start['b']};\nC {first}, {second};\n"
            f"dim3 d({start['d.x']}, {start['d.y']});\n{body}}}\n"
        )

    def run(self, seed: int, argc: int) -> list[Made] | None:
        """The launches of one run; None if numbers grew too large."""
        run = Run(Random(seed), argc, dict(self._start))
        try:
            self._body(run)
        except ReturnedError:
            pass
        except TooLargeError:
            return None
        return run.launches

    def _block(self, size: int, depth: int, *, in_loop: bool) -> Statement:
        statements = [self._statement(depth, in_loop=in_loop) for _ in range(self._random.randint(1, size))]
        if depth == 0:
            statements.append(self._launch())

        def run(one: Run) -> None:
            for _, step in statements:
                step(one)

        return "".join(text for text, _ in statements), run

    def _statement(self, depth: int, *, in_loop: bool) -> Statement:
        forms = [self._write, self._write, self._change, self._launch, self._by_reference, self._function]
        forms += [self._list, self._copy, self._called, self._to_device]
        if depth < 3:
            forms += [lambda: self._branch(depth, in_loop=in_loop)] * 3 + [lambda: self._counted(depth)] * 2
            forms += [lambda: self._while(depth), lambda: self._switch(depth, in_loop=in_loop)]
        if in_loop:
            forms += [self._leave]
        if depth:
            forms += [self._return]
        return self._random.choice(forms)()

    def _place(self) -> str:
        return self._random.choice(PLACES)

    def _expression(self) -> Expression:
        random = self._random
        atoms = [*PLACES, *self._rounds, str(random.randrange(1, 7))]
        left, right = random.choice(atoms), random.choice(atoms)

        def value(run: Run, atom: str) -> int:
            return int(atom) if atom.isdigit() else run.state[atom]

        match random.randrange(4):
            case 0:
                return f"{left} + {right}", lambda run: value(run, left) + value(run, right)
            case 1:
                return f"{left} * {right}", lambda run: value(run, left) * value(run, right)
            case _:
                return left, lambda run: value(run, left)

    def _condition(self) -> Expression:
        place, number = self._place(), self._random.randrange(1, 9)
        match self._random.randrange(4):
            case 0:
                return "argc > 1", lambda run: int(run.argc > 1)
            case 1:
                return f"{place} > {number}", lambda run: int(run.state[place] > number)
            case 2:
                return f"{place} == {number} && ask()", lambda run: int(run.state[place] == number and run.ask())
            case _:
                return "ask()", lambda run: run.ask()

    def _write(self) -> Statement:
        place, (text, value) = self._place(), self._expression()
        return f"{place} = {text};\n", lambda run: run.write(place, value(run))

    def _change(self) -> Statement:
        place, by = self._place(), self._random.randrange(1, 4)
        match self._random.randrange(3):
            case 0:
                return f"{place} += {by};\n", lambda run: run.write(place, run.state[place] + by)
            case 1:
                return f"{place} *= {by};\n", lambda run: run.write(place, run.state[place] * by)
            case _:
                return f"{place}++;\n", lambda run: run.write(place, run.state[place] + 1)

    def _by_reference(self) -> Statement:
        name = self._random.choice("co")
        form, place = self._random.choice(
            [
                *(("change({})", one) for one in ("a", "b", f"{name}.m", f"{name}.s[1]", f"{name}.v.x")),
                ("more(&{})", f"{name}.n"),
                ("change(*&{})", f"{name}.n"),
            ]
        )
        text, place = self._random.choice(
            [
                (form.format(place), place),
                (f"more({name}.s)", f"{name}.s[0]"),
                (f"{{ int *p = {name}.s; p[0]++; }}", f"{name}.s[0]"),
                (f"more_of({name})", f"{name}.s[0]"),
                (f"{{ C &r = {name}; r.s[0]++; }}", f"{name}.s[0]"),
            ]
        )
        return f"{text};\n", lambda run: run.write(place, run.state[place] + 1)

    # -- objects -------------------------------------------------------------------------------------------------------

    def _list(self) -> Statement:
        """An object gets a list, all of it or its first members."""
        name = self._random.choice("co")
        parts = [self._expression() for _ in MEMBERS]
        listed = _list_of([text for text, _ in parts])
        count = self._random.choice((1, 2, 3, 4, 4, 4))
        left_out = dict(zip(MEMBERS, (0, 5, 0, 0, 0, 0), strict=True))
        written = {"m": 1, "n": 2, "s[0]": 3, "s[1]": 3, "v.x": 4, "v.y": 4}

        def run(one: Run) -> None:
            values = [value(one) for _, value in parts]
            for member, value in zip(MEMBERS, values, strict=True):
                one.write(f"{name}.{member}", value if written[member] <= count else left_out[member])

        return f"{name} = C{{{', '.join(listed[:count])}}};\n", run

    def _copy(self) -> Statement:
        to, of = self._random.choice((("c", "o"), ("o", "c")))

        def run(one: Run) -> None:
            for member in MEMBERS:
                one.write(f"{to}.{member}", one.state[f"{of}.{member}"])

        return f"{to} = {of};\n", run

    def _to_device(self) -> Statement:
        """A copy into a variable in constant memory."""
        form, place, name = self._random.randrange(5), self._random.choice(("a", "b", "c.m")), self._random.choice("co")

        def of_number(symbol: str, number: Callable[[Run], int]) -> Callable[[Run], None]:
            return lambda run: run.constants.update({(symbol, ""): number(run)})

        def of_object(run: Run) -> None:
            run.constants.update({("whole", path): run.state[f"{name}.{one}"] for one, path in MEMBERS.items()})

        match form:
            case 0:
                return f"copied(cudaMemcpyToSymbol(whole, &{name}, sizeof(C)));\n", of_object
            case 1:
                return f"cudaMemcpyToSymbol(whole, &{name}, sizeof {name}, 0, cudaMemcpyHostToDevice);\n", of_object
            case 2:
                text = f"do {{ cudaMemcpyToSymbol(lone, &{place}, sizeof(int)); }} while (0);\n"
                return text, of_number("lone", lambda run: run.state[place])
            case 3:
                text, value = self._expression()
                return f"set_put({text});\n", of_number("put", value)
            case _:
                return "set_four();\n", of_number("four", lambda run: 4)

    def _called(self) -> Statement:
        """A function makes the object, or fills it in."""
        name, (text, value) = self._random.choice("co"), self._expression()
        is_made, is_pointer = self._random.randrange(2), self._random.randrange(2)
        filled = f"filled_at({text}, &{name})" if is_pointer else f"filled({name}, {text})"

        def run(one: Run) -> None:
            number = value(one)
            if is_made:
                for member, held in zip(MEMBERS, (number, number + 1, 7, number, 8, 9), strict=True):
                    one.write(f"{name}.{member}", held)
            else:
                one.write(f"{name}.m", number)
                one.write(f"{name}.s[1]", number + 2)
                one.write(f"{name}.v.y", one.state[f"{name}.v.y"] + 1 if is_pointer else number)

        return (f"{name} = made({text});\n" if is_made else f"{filled};\n"), run

    def _function(self) -> Statement:
        """A lambda that writes, which is called at once or later."""
        self._names += 1
        name, place, number = f"f{self._names}", self._place(), self._random.randrange(1, 9)
        text = f"auto {name} = [&] {{ {place} = {number}; }};\n"
        if self._random.randrange(2):
            return text, lambda run: None
        (other, write) = self._write()

        def run(one: Run) -> None:
            write(one)
            one.write(place, number)

        return f"{text}{other}{name}();\n", run

    def _launch(self) -> Statement:
        number = self._count
        self._count += 1
        text, value = self._expression()
        name = self._random.choice("co")
        if self._random.randrange(2):
            block, of_block = self._expression()
            return (
                f"k<<<1, {block}>>>(0, {text}, {name});\n",
                lambda run: run.launch(number, of_block(run), 1, value(run), name),
            )
        return (
            f"k<<<1, d>>>(0, {text}, {name});\n",
            lambda run: run.launch(number, run.state["d.x"], run.state["d.y"], value(run), name),
        )

    def _branch(self, depth: int, *, in_loop: bool) -> Statement:
        text, holds = self._condition()
        yes, then = self._block(2, depth + 1, in_loop=in_loop)
        if self._random.randrange(2):
            return f"if ({text}) {{\n{yes}}}\n", lambda run: then(run) if holds(run) else None
        no, otherwise = self._block(2, depth + 1, in_loop=in_loop)
        return (
            f"if ({text}) {{\n{yes}}} else {{\n{no}}}\n",
            lambda run: then(run) if holds(run) else otherwise(run),
        )

    def _counted(self, depth: int) -> Statement:
        self._names += 1
        name, random = f"i{self._names}", self._random
        numbers = [random.randrange(1, 6) for _ in range(random.randint(1, 3))]
        match random.randrange(3):
            case 0:
                head = f"for (int {name} : {{{', '.join(map(str, numbers))}}})"
            case 1:
                numbers = list(range(numbers[0], numbers[0] + len(numbers)))
                head = f"for (int {name} = {numbers[0]}; {name} < {numbers[-1] + 1}; {name}++)"
            case _:
                numbers = [numbers[0] << at for at in range(len(numbers))]
                head = f"for (int {name} = {numbers[0]}; {name} <= {numbers[-1]}; {name} *= 2)"
        self._rounds.append(name)
        text, body = self._block(3, depth + 1, in_loop=True)
        self._rounds.pop()

        def run(one: Run) -> None:
            for number in numbers:
                one.state[name] = number
                try:
                    body(one)
                except ContinuedError:
                    continue
                except BrokenError:
                    break

        return f"{head} {{\n{text}}}\n", run

    def _while(self, depth: int) -> Statement:
        text, body = self._block(3, depth + 1, in_loop=True)

        def run(one: Run) -> None:
            while one.ask():
                try:
                    body(one)
                except ContinuedError:
                    continue
                except BrokenError:
                    break

        return f"while (ask()) {{\n{text}}}\n", run

    def _switch(self, depth: int, *, in_loop: bool) -> Statement:
        """With cases that fall through where no `break` stands."""
        place = self._place()
        cases = [(value, *self._block(2, depth + 1, in_loop=False)) for value in (1, 2, 3)]
        breaks = [bool(self._random.randrange(2)) for _ in cases]
        text = "".join(
            f"case {value}: {{\n{body}}}\n{'break;' if stops else ''}\n"
            for (value, body, _), stops in zip(cases, breaks, strict=True)
        )

        def run(one: Run) -> None:
            chosen = one.state[place]
            for (value, _, body), stops in zip(cases, breaks, strict=True):
                if value < chosen or not 1 <= chosen <= 3:
                    continue
                body(one)
                if stops:
                    return

        return f"switch ({place}) {{\n{text}}}\n", run

    def _leave(self) -> Statement:
        text, holds = self._condition()
        error = self._random.choice((BrokenError, ContinuedError))

        def run(one: Run) -> None:
            if holds(one):
                raise error

        return f"if ({text}) {'break' if error is BrokenError else 'continue'};\n", run

    def _return(self) -> Statement:
        text, holds = self._condition()

        def run(one: Run) -> None:
            if holds(one):
                raise ReturnedError

        return f"if ({text}) return 0;\n", run


def _list_of(numbers: Sequence[str]) -> list[str]:
    """The parts of a list for an object."""
    m, n, first, second, x, y = numbers
    return [m, n, f"{{{first}, {second}}}", f"make_int2({x}, {y})"]


_FUNCTIONS: Final = """\
void change(int &n) { n = n + 1; }
void more(int *n) { *n += 1; }
void more_of(C &c) { c.s[0]++; }
C made(int m) { C c; c.m = m; c.n = m + 1; c.s[0] = 7; c.s[1] = m; c.v = make_int2(8, 9); return c; }
void filled(C &c, int m) { c.m = m; c.s[1] = m + 2; c.v.y = m; }
void filled_at(int m, C *c) { c->m = m; c->s[1] = c->m + 2; c->v.y++; }
__constant__ C whole;
__constant__ int lone, put, never = 7, four;
void set_put(int m) { int n = m; cudaMemcpyToSymbol(put, &n, sizeof n); }
void set_four() { int n = 4; cudaMemcpyToSymbol(four, &n, sizeof n); }
"""
