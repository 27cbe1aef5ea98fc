"""Everything that the tests in real editors download and build, before they run: `python -m tests.editors.prepare`.

Result   Nothing is left to download but what a user downloads in a test.  Exit status 1, and one line with all that the
         system lacks, before anything is downloaded; or one for each thing that cannot be had, as where a host cannot
         be reached.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from tests.editors import debian
from tests.editors.debian import PROGRAMS, unpacked
from tests.editors.downloads import CannotInstall
from tests.editors.vscode import install
from tests.editors.vscode.install import TARGET, UNIVERSAL, code_server, installed_extensions
from tests.editors.vscode.window import require_chromium
from tests.presentation.browser import chromium_path


def _vscode() -> None:
    require_chromium()
    code_server()
    for target in (TARGET, UNIVERSAL):
        installed_extensions(target)


_EDITORS: Final[Mapping[str, Callable[[], object]]] = {
    "VS Code with the extension": _vscode,
    **{name: partial(unpacked, name) for name in PROGRAMS},
}


def missing_packages() -> Sequence[str]:
    """Debian's packages that this system lacks, for all editors together."""
    browser = () if chromium_path() is not None else ("chromium",)
    return [*browser, *install.missing_packages(), *debian.missing_packages()]


def main() -> int:
    lacking = missing_packages()
    if lacking:
        print(f"test-editors: first: apt-get install {' '.join(lacking)}", file=sys.stderr)
        return 1
    with ThreadPoolExecutor(len(_EDITORS)) as pool:
        missing = [why for why in pool.map(_had, _EDITORS) if why is not None]
    for why in missing:
        print(f"test-editors: {why}", file=sys.stderr)
    return 1 if missing else 0


def _had(name: str) -> str | None:
    """Why it cannot be had."""
    started = time.monotonic()
    try:
        _EDITORS[name]()
    except CannotInstall as error:
        return f"{name}: {error}"
    sys.stdout.write(f"test-editors: {name} is there ({time.monotonic() - started:.0f} s)\n")  # one write, of a thread
    return None


if __name__ == "__main__":
    sys.exit(main())
