"""Personal data masked before anything is stored, logged or raised."""

from __future__ import annotations

import re
from typing import Any

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def redact(text: str) -> str:
    """Mask e-mail addresses."""
    return _EMAIL.sub("***@***", text)


def redact_mapping(value: Any) -> Any:
    """The same for nested values."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {redact(str(k)): redact_mapping(v) for k, v in value.items()}
    if isinstance(value, list):
        return [redact_mapping(v) for v in value]
    return value
