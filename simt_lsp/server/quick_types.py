"""Import lsprotocol faster.

Reason   `lsprotocol.types` builds 554 attrs classes when it is imported: 0.45 s, more than everything else at start.
         Most of that makes what a server never uses: `repr`, equality of messages, and slots (each class is built
         twice for them).  Without these the import takes 0.18 s.  Only the process of the server does this.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any


def import_types() -> None:
    """Import `lsprotocol.types` with the generated methods left out; does nothing when it is there already."""
    if "lsprotocol.types" in sys.modules:
        return
    import attrs

    complete: Any = attrs.define
    lean: Any = partial(complete, repr=False, eq=False, slots=False)

    def define(maybe_class: Any = None, **options: Any) -> Any:
        return complete(maybe_class, **options) if options else lean(maybe_class)

    attrs.define = define
    try:
        import lsprotocol.types as _  # noqa: F401  # for its effect: the module is now loaded
    finally:
        attrs.define = complete
