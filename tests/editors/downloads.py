"""Getting what the tests in editors need: commands that download, tried again, and one clear line where they fail.

Rules    What a command has got stays in its cache, so the next attempt goes on from there.
         One process downloads a thing, the others wait for it.
"""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tests.editors.folders import cache_folder

_PAUSES: Final = (2.0, 10.0)
"""Seconds before the second and the third attempt."""
_ANSWER_SECONDS: Final = 20.0


class CannotInstall(Exception):
    """An editor or a part of it cannot be had here; the message says in a line what is missing and what to do."""


def download(
    wanted: str,
    address: str,
    command: Sequence[str],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    pauses: Sequence[float] = _PAUSES,
) -> str:
    """What the command prints; `address` is where it gets `wanted` from.  Raises `CannotInstall`."""
    attempt = partial(subprocess.run, command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    done = attempt()
    for pause in pauses:
        if done.returncode == 0:
            break
        time.sleep(pause)
        done = attempt()
    if done.returncode == 0:
        return done.stdout
    host = urlsplit(address).hostname
    if not _answers(address):
        raise CannotInstall(
            f"{wanted}: {host} cannot be reached; let this machine reach it,"
            " or name a folder that another machine has filled in SIMT_LSP_EDITOR_CACHE"
        )
    said = " / ".join((done.stderr or done.stdout).strip().splitlines()[-12:])
    raise CannotInstall(f"{wanted} cannot be had from {host}: {said}")


@contextmanager
def one_at_a_time(name: str) -> Generator[None]:
    """Among all processes that use the same cache.  Windows, where no editor is tested, builds the extension alone."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    place = cache_folder() / "locks" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _answers(address: str) -> bool:
    """Whatever it answers: it is reached."""
    try:
        with urllib.request.urlopen(address, timeout=_ANSWER_SECONDS):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:  # URLError, refused, timed out
        return False
