"""The argument of `simt.simulate`, read strictly: what is odd is an error that names it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast, final

from lsprotocol import types

from analysis.ir.record import record
from simt_lsp.server.simulations.job import Extent, LaunchOverrides
from simt_lsp.server.simulations.launch_text import read_launch_text
from simt_lsp.workspace.settings.simulation import MAX_SECONDS, WARP_SIZES

MAX_EXTENT: Final = 2**31 - 1


@final
@record
class SimulateArguments:
    """Which kernel, and what the client wants to be so; `kernel`, `position` or both are given.

    `again`: the overrides of the last simulation count where these are silent.  `html`: the answer has the page.
    `quiet`: the client tells its user how it ended.
    """

    uri: str
    kernel: str | None
    position: types.Position | None
    overrides: LaunchOverrides
    again: bool = False
    html: bool = False
    quiet: bool = False


def read_arguments(arguments: Sequence[Any], method: str = "simt.simulate") -> SimulateArguments:
    """Raises `ValueError` with a sentence for the user."""
    try:
        return _read(arguments)
    except _Wrong as error:
        raise ValueError(f"{method} {error}") from None


class _Wrong(Exception):
    """The text says what is allowed."""


def _read(arguments: Sequence[Any]) -> SimulateArguments:
    if len(arguments) != 1 or not isinstance(given := plain(arguments[0]), Mapping):
        raise _Wrong("takes one object with textDocument, and kernel or position")
    values = cast("Mapping[str, Any]", given)
    document = values.get("textDocument")
    uri = cast("Mapping[str, Any]", document).get("uri") if isinstance(document, Mapping) else None
    if not isinstance(uri, str):
        raise _Wrong("needs textDocument.uri")
    kernel, position = values.get("kernel"), _position(values.get("position"))
    if kernel is not None and not isinstance(kernel, str):
        raise _Wrong("kernel is a name")
    if kernel is None and position is None:
        raise _Wrong("needs kernel or position")
    again, html, quiet = (values.get(name) is True for name in ("again", "html", "quiet"))
    overrides = _overrides({**_launch_text(values.get("launchText")), **values})
    return SimulateArguments(uri, kernel, position, overrides, again, html, quiet)


def plain(value: Any) -> Any:
    """JSON as dictionaries and lists, however pygls hands it over."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, types.Position):
        return {"line": value.line, "character": value.character}
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in cast("Sequence[Any]", value)]
    return value


def _overrides(values: Mapping[str, Any]) -> LaunchOverrides:
    return LaunchOverrides(
        grid=_extent(values, "grid"),
        block=_extent(values, "block"),
        shared_bytes=_whole(values, "sharedBytes", 0),
        seed=_whole(values, "seed", 0),
        arguments=_arguments(values.get("arguments")),
        policies=_policies(values.get("policies")),
        warp_size=_warp_size(values.get("warpSize")),
        seconds=_seconds(values.get("seconds")),
        max_steps=_whole(values, "maxSteps", 1),
        havoc=values.get("havoc") is True,
    )


def _launch_text(value: Any) -> Mapping[str, Any]:
    """Members that are given as such win over those in the text."""
    if value is None:
        return {}
    if not isinstance(value, str):
        raise _Wrong("launchText is a text such as grid=8 block=256 n=2048")
    try:
        return read_launch_text(value)
    except ValueError as error:
        raise _Wrong(f"cannot read {error}") from None


def _position(value: Any) -> types.Position | None:
    match value:
        case None:
            return None
        case {"line": int(line), "character": int(character)}:
            return types.Position(line, character)
        case _:
            raise _Wrong("position is {line, character}")


def _extent(values: Mapping[str, Any], name: str) -> Extent | None:
    value = values.get(name)
    sizes = [value] if isinstance(value, int) else value
    match sizes:
        case None:
            return None
        case [*_] if 1 <= len(sizes) <= 3 and all(_is_whole(size) and 1 <= size <= MAX_EXTENT for size in sizes):
            x, y, z = (*sizes, 1, 1)[:3]
            return x, y, z
        case _:
            raise _Wrong(f"{name} is a positive number, or a list of up to three")


def _whole(values: Mapping[str, Any], name: str, least: int) -> int | None:
    value = values.get(name)
    if value is None:
        return None
    if not _is_whole(value) or value < least:
        raise _Wrong(f"{name} is a whole number, at least {least}")
    return value


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _arguments(value: Any) -> Mapping[str, str]:
    """Numbers may be given as such; everything else is text as in `--arg NAME=VALUE`."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _Wrong("arguments is an object of texts by name")
    given = cast("Mapping[str, Any]", value)
    for name, text in given.items():
        if not isinstance(text, (str, int, float)) or not str(text).strip():
            raise _Wrong(f"arguments.{name} is a text such as 2048, random(0,1), iota or zeros[4096]")
    return {name: _spelled(text) for name, text in given.items()}


def _spelled(value: str | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).strip()


def _warp_size(value: Any) -> int | None:
    if value is not None and (not _is_whole(value) or value not in WARP_SIZES):
        raise _Wrong(f"warpSize is one of {', '.join(map(str, WARP_SIZES))}")
    return value


def _policies(value: Any) -> tuple[str, ...] | None:
    match value:
        case None:
            return None
        case str(name):
            return (name,)
        case [_, *_] if all(isinstance(name, str) for name in value):
            return tuple(value)
        case _:
            raise _Wrong("policies is a list of names")


def _seconds(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= MAX_SECONDS:
        raise _Wrong(f"seconds is a number up to {MAX_SECONDS:g}")
    return float(value)


def options_object(overrides: LaunchOverrides) -> dict[str, Any] | None:
    """The launch options in the form in which they are read above; None where there are none."""
    given: dict[str, Any] = {
        "grid": overrides.grid and list(overrides.grid),
        "block": overrides.block and list(overrides.block),
        "sharedBytes": overrides.shared_bytes,
        "seed": overrides.seed,
        "arguments": dict(overrides.arguments) or None,
        "policies": overrides.policies and list(overrides.policies),
        "warpSize": overrides.warp_size,
        "seconds": overrides.seconds,
        "maxSteps": overrides.max_steps,
        "havoc": overrides.havoc or None,
    }
    return {name: value for name, value in given.items() if value is not None} or None
