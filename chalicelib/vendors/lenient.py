"""Lenient reading of vendor responses: unknown fields are ignored, a misshapen part counts as absent."""

from __future__ import annotations

from pydantic import ConfigDict

LENIENT = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)
"""The pydantic configuration of models of a vendor's response; a validation error shows no content."""


def as_object(value: object) -> object:
    """The value if it is a JSON object, else an empty object."""
    return value if isinstance(value, dict) else {}


def as_objects(value: object) -> list[object]:
    """The JSON objects in a list, other items left out; empty where the value is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
