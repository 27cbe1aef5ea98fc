"""`simt-lsp ir FILE[:FUNCTION]`: the intermediate representation, as lowering, promotion or inlining leaves it."""

from __future__ import annotations

import argparse

from analysis.facts.analyzer import environment_of
from analysis.ir.function import Function
from analysis.ir.instructions import FunctionId
from analysis.ir.printer import print_function
from analysis.lower.program import LowerSettings, Program
from analysis.pipeline import ssa_form, with_calls_inlined
from analysis.syntax.document import Document
from analysis.syntax.translation_unit import TranslationUnit
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.engine import UnreadableError, absolute_path, read_source
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.setting_complaints import complain_of_settings
from simt_lsp.cli.targets import function_target, functions_named
from simt_lsp.workspace.disk_loader import DiskLoader, FileCache, LazyIndex
from simt_lsp.workspace.project import file_setup, whole_graph


def ir(options: argparse.Namespace) -> ExitStatus:
    target = function_target(options.place)
    program = _program(target.path, options)
    functions = functions_named(program.device_functions(), target.path, target.function, "device function")
    print("\n".join(print_function(_stage(program, function.id, options.stage)) for function in functions).rstrip("\n"))
    return ExitStatus.CLEAN


def _program(path: str, options: argparse.Namespace) -> Program:
    run = engine_options(options, [path])
    try:
        document = Document.open(read_source(path))
    except UnreadableError as error:
        raise UsageError(f"{path}: {error}") from error
    absolute = absolute_path(path)
    index = LazyIndex(run.roots)
    setup = file_setup(absolute, run.overrides, whole_graph(index))
    complain_of_settings(setup.problems)
    loader = DiskLoader(FileCache(), None, index)
    environment = environment_of(absolute, setup.settings)
    unit = TranslationUnit.build(absolute, document, loader, environment, context=setup.context)
    return Program(unit, LowerSettings(warp_size=setup.settings.warp_size))


def _stage(program: Program, function: FunctionId, stage: str) -> Function:
    if stage == "lowered":
        return program.lower(function).function
    alone = ssa_form(program, function)
    if stage == "ssa":
        return alone
    return with_calls_inlined(alone, lambda callee: ssa_form(program, callee)).function
