"""One setting: its name, what values it takes, where they go, and what to say about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeAlias, TypeVar, final

from analysis.ir.record import record
from simt_lsp.workspace.settings.kinds import Kind
from simt_lsp.workspace.settings.values import Source

Default: TypeAlias = bool | float | str | list[str] | dict[str, str] | None
Options = TypeVar("Options")
Value = TypeVar("Value")


@final
@record
class Setting(Generic[Options, Value]):
    """`put` gives the options with a value in them; some values are read against the folder of their source.

    `default` is what holds without the setting, as a settings file would write it; None where that depends on the
    file or on its build command, of which `otherwise` speaks.
    `meaning` is Markdown in which `#name#` is another setting.  `shell` is an example from the command line.
    """

    name: str
    kind: Kind[Value]
    put: Callable[[Options, Value, Source], Options]
    default: Default
    meaning: str
    otherwise: str = "none"
    shell: str = ""

    def read(self, options: Options, value: object, source: Source) -> Options:
        """`options` with `value`; raises `NotAllowedError`."""
        return self.put(options, self.kind.read(value), source)
