"""The types that the server imports in a hurry are those that everybody else gets."""

from __future__ import annotations

import subprocess
import sys

DESCRIBE = """
import attrs
from lsprotocol import converters, types

converters.get_converter()  # resolves the types of all fields, where they are not
for name, found in sorted(types.ALL_TYPES_MAP.items()):
    if isinstance(found, type) and attrs.has(found):
        for field in attrs.fields(found):
            has_validator = field.validator is not None
            print(name, field.name, field.type, field.default, field.kw_only, field.converter, has_validator)
"""

QUICK = """
from simt_lsp.server.transport.quick_types import import_types

import_types()
"""

UNBUILT = """
from lsprotocol import converters, types

converters.get_converter()
def is_built(cls):
    return "__match_args__" in cls.__dict__

print(is_built(types.Position))
print(types.Position(line=1, character=2).character, types.Position(3, character=4).line)
print(is_built(types.Position), is_built(types.Range))
"""


def output_of(program: str) -> str:
    return subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True).stdout


def test_every_class_has_the_fields_it_should_have() -> None:
    quick, complete = output_of(QUICK + DESCRIBE), output_of(DESCRIBE)
    assert quick == complete
    assert quick.count("\n") > 1000


def test_a_class_is_built_when_it_is_needed() -> None:
    assert output_of(QUICK + UNBUILT) == "False\n2 3\nTrue False\n"
