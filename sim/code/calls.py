"""Code for instructions that leave the function: real calls, output, assertions, what is not understood."""

from __future__ import annotations

from analysis.ir.instructions import Assert, Call, DeviceLaunch, Opaque, Print
from sim.code.writer import Writer
from sim.values.scalars import NoParts


def call(writer: Writer, instruction: Call) -> None:
    place = writer.unit.place(instruction.span)
    names = [name for argument in instruction.arguments for name in writer.read(argument)]
    arguments = "".join(f"{name}, " for name in names)
    text = f"m.call({place}, {str(instruction.callee)!r}, f, rows, mask, ({arguments}))"
    if instruction.result is None:
        writer.line(text)
        return
    writer.line(f"t{instruction.result} = {text}")
    count = len(writer.parts(instruction.result))
    # A callee may return one array twice.
    writer.set(instruction.result, [f"t{instruction.result}[{index}]" for index in range(count)], fresh=False)


def output(writer: Writer, instruction: Print) -> None:
    if instruction.format is None:
        raise NoParts("printf with a format that is not a literal")
    names = "".join(f"{writer.read(argument)[0]}, " for argument in instruction.arguments)
    writer.line(f"m.output(f, rows, mask, {instruction.format!r}, ({names}))")
    if instruction.result is not None:
        held = writer.part(instruction.result).held
        writer.set(instruction.result, [f"{held}({len(instruction.arguments)})"], fresh=False)


def assertion(writer: Writer, instruction: Assert) -> None:
    place = writer.unit.place(instruction.span)
    condition = writer.read_one(instruction.condition)
    writer.line(f"m.check_assertion({place}, f, rows, mask, {condition}, {instruction.of_callee})")


def device_launch(writer: Writer, instruction: DeviceLaunch) -> None:
    if writer.unit.leaves_out_launches:
        writer.line(f"m.leave_out({writer.unit.place(instruction.span)}, f, rows, mask)")
    elif not writer.unit.havoc:
        raise NoParts("a kernel launch from the device")


def opaque(writer: Writer, instruction: Opaque) -> None:
    if not writer.unit.havoc:
        raise NoParts(instruction.construct)
    if instruction.result is None:
        return
    parts = writer.parts(instruction.result)
    writer.set(instruction.result, [f"m.havoc({part.held!r}, shape)" for part in parts])
