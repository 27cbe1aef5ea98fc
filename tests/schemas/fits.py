"""Does JSON fit a published schema?  For tests that have output at hand."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from tests.schemas.from_table import Schema
from tests.schemas.published import path_of


def published(name: str) -> Schema:
    return json.loads(path_of(name).read_text("utf-8"))


def wrong(value: Any, name: str) -> list[str]:
    """What does not fit, by place; nothing where jsonschema is not installed."""
    validator = _validator(name)
    if validator is None:
        return []
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in validator.iter_errors(value)]


@cache
def _validator(name: str) -> Any:
    try:
        import jsonschema
    except ModuleNotFoundError:
        return None
    return jsonschema.Draft202012Validator(published(name))
