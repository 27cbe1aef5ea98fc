"""What a simulation process and the server say to each other: frames behind their length in 4 bytes, big-endian.

To the process    one pickled `Job` after the other; the end of the input is the end of the process.
From the process  JSON objects.  First `{"ready": true}` or `{"unavailable": sentence}`.  Then for each job
                  `{"progress": share}` and `{"interim": counted}`, any number of times, and one of
                  `{"report": object, "html": text, "text": lines, "files": [[path, changed, size]]}`,
                  `{"melded": {"verdict", "title", "message", "edits": [[start, end, text]], "before", "after",
                  "launch"}}` (the fields of `CheckedEdit`),
                  `{"run": {"verdict", "message", "runs", "evidence"}}` (the fields of `RunCheck`),
                  `{"refused": sentence, "place": place or null, "advice": sentence or null}` and
                  `{"failed": sentence, "log": text or null}`; each of them with `"again": bool`, whether the process
                  takes another job.  `counted` is what the run has counted so far, in the form of a report, and beside
                  that `"stopped": {"html", "text"}`, what is shown of it should the process be stopped.
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
