"""Names of fields as errors show them: a caller who has written a field's name may have written anything."""

from __future__ import annotations

import re

HIDDEN = "(name not shown)"
"""In place of what may be no name."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")


def shown(name: object) -> str:
    """A name of 1 to 64 letters, digits, ``_``, ``.`` and ``-`` that begins with no digit, else `HIDDEN`."""
    return name if isinstance(name, str) and _NAME.fullmatch(name) else HIDDEN
