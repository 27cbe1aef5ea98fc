"""What a simulation process says to the server: JSON objects behind their length in 4 bytes, big-endian.

Objects  `{"progress": share}`, any number of times; then one of `{"report": object, "html": text or null}`,
         `{"refused": sentence, "line": number or null}` (from 1) and `{"failed": sentence, "log": text or null}`.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final

LENGTH: Final = struct.Struct(">I")


def packed(message: dict[str, Any]) -> bytes:
    """One object, ready to be written."""
    body = json.dumps(message).encode()
    return LENGTH.pack(len(body)) + body
