"""A Neovim as its user has it: the plugin as a plain package, the server on the PATH, a screen and keys."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Final, final

from tests.editors.debian import command, unpacked
from tests.editors.folders import REPOSITORY, current_test, results_folder
from tests.editors.terminal import PATIENCE_SECONDS, Terminal, wait_until

PLUGIN: Final = REPOSITORY / "editors" / "neovim"
VERSIONS: Final = ("0.10", "0.12")


@final
class Neovim:
    """One running editor; `home` is its user's, `folder` is where it was started."""

    def __init__(
        self,
        version: str,
        folder: Path,
        home: Path,
        *,
        config: str = "",
        path: str | None = None,
        files: tuple[str, ...] = (),
    ) -> None:
        self.version = version
        self._home = home
        root = unpacked(f"neovim-{version}")
        self._program = command(root, "nvim")
        self._socket = str(home / "nvim.socket")
        self._environment = _environment(home, root, path)
        _install_plugin(home)
        (home / ".config" / "nvim").mkdir(parents=True, exist_ok=True)
        parsers = f"vim.opt.runtimepath:append('{root}/usr/lib/nvim')"  # where this build looks by itself, if not moved
        (home / ".config" / "nvim" / "init.lua").write_text(f"vim.o.termguicolors = true\n{parsers}\n{config}")
        # In two processes: an editor that starts its own screen looks for itself by a path, and finds the loader there.
        self._editor = subprocess.Popen(
            [*self._program, "--headless", "--listen", self._socket, *files],
            cwd=folder, env=self._environment, stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        wait_until(Path(self._socket).exists, lambda: "Neovim does not start")
        self.terminal = Terminal([*self._program, "--server", self._socket, "--remote-ui"], self._environment, folder)

    def __enter__(self) -> Neovim:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.picture("failed")
        self.terminal.close()
        os.killpg(self._editor.pid, signal.SIGKILL)
        self._editor.wait()

    def keys(self, text: str) -> None:
        self.terminal.keys(text)

    def run(self, line: str) -> None:
        """An Ex command, typed."""
        self.terminal.keys(f"\x1b:{line}\r")

    def edit(self, name: str) -> None:
        """Opens a CUDA file; the server runs for its buffer then, not only for the one before."""
        self.run(f"edit {name}")
        is_open = f"vim.endswith(vim.api.nvim_buf_get_name(0), {json.dumps(name)})"
        self.wait_for(f"{is_open} and vim.fn.exists(':SimtSimulate') == 2")

    def at(self, line: int, column: int = 1) -> None:
        """The cursor; both count from 1."""
        self.lua(f"vim.api.nvim_win_set_cursor(0, {{ {line}, {column - 1} }})")

    def lua(self, code: str) -> Any:
        """What a chunk of Lua returns in the running editor."""
        chunk = self._home / "chunk.lua"
        chunk.write_text(code)
        question = f"json_encode(luaeval('(function() return dofile(\"{chunk}\") end)()'))"
        done = subprocess.run(
            [*self._program, "--server", self._socket, "--headless", "--remote-expr", question],
            env=self._environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{code}\n{done.stdout}{done.stderr}"
        return json.loads(done.stdout or done.stderr)

    def wait_for(self, condition: str) -> None:
        """Until the Lua expression is true."""
        wait_until(
            lambda: self.lua(f"return ({condition}) and true or false") is True,
            lambda: f"never: {condition}\n{self.terminal.text()}",
        )

    def sees(self, text: str) -> None:
        self.terminal.wait_for(text)

    def no_longer_sees(self, text: str) -> None:
        self.terminal.wait_for(text, gone=True)

    def codes(self) -> list[str]:
        """The codes of the diagnostics of the buffer, in order."""
        return list(self.lua("return vim.tbl_map(function(d) return d.code end, vim.diagnostic.get(0))"))

    def picture(self, name: str) -> None:
        self.terminal.picture(results_folder() / "neovim" / f"{current_test()}-{name}.png")


def _environment(home: Path, root: Path, path: str | None) -> dict[str, str]:
    here = os.environ.get("PATH", "")
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "PATH": path if path is not None else f"{Path(sys.executable).parent}{os.pathsep}{here}",
        "VIMRUNTIME": str(root / "usr" / "share" / "nvim" / "runtime"),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
    }


def _install_plugin(home: Path) -> None:
    """As the help file says for a plain package; a copy, because Neovim writes tags beside the help."""
    place = home / ".local" / "share" / "nvim" / "site" / "pack" / "simt" / "start" / "simt"
    shutil.copytree(PLUGIN, place, dirs_exist_ok=True, ignore=shutil.ignore_patterns("tags"))
