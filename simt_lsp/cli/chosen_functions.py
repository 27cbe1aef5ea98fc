"""Which functions of an analysed file a command is about: the kernels, or those with a name."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.ir.function import FunctionKind
from simt_lsp.cli.exit_status import UsageError


def chosen_functions(analysis: FileAnalysis, path: str, name: str | None) -> Sequence[FunctionFacts]:
    """All kernels, or the functions with this name."""
    functions = [function for function in analysis.facts.functions if function.active]
    if not functions:
        raise UsageError(f"{path} has no device functions")
    if name is None:
        kernels = [function for function in functions if function.kind is FunctionKind.KERNEL]
        if not kernels:
            raise UsageError(f"{path} has no kernels; name a device function, as {path}:{functions[0].name}")
        return kernels
    found = [
        function
        for function in functions
        if name in (function.name, function.name.rpartition("::")[2], str(function.id).split("(")[0])
    ]
    if not found:
        names = ", ".join(dict.fromkeys(function.name for function in functions))
        raise UsageError(f"{path} has no device function '{name}'; it has: {names}")
    return found
