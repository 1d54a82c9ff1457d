"""Formats the evidence of a journal entry, which is what the person saw; pure."""

from __future__ import annotations

import json
from typing import Any


def in_words(saw: str) -> str:
    """An entry's JSON ``saw`` as text: ``before none; version 1``."""
    return _said(json.loads(saw))


def _said(value: Any) -> str:  # noqa: ANN401 - JSON
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case dict():
            return "; ".join(
                f"{name.replace('_', ' ')} {_said(part)}" for name, part in value.items()
            )
        case list():
            return ", ".join(map(_said, value)) or "none"
    return str(value)
