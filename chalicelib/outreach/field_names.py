"""Field names in error messages: a name from a request is shown only where it cannot be a value."""

from __future__ import annotations

import re

HIDDEN = "(name not shown)"
"""Shown in place of a name that may hold personal data."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")


def shown_name(name: object) -> str:
    """A field's name, if it has 1 to 64 letters, digits, ``_.-`` and begins with no digit; else `HIDDEN`."""
    return name if isinstance(name, str) and _NAME.fullmatch(name) else HIDDEN
