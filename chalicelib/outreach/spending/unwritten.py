"""The error of a message that no model could write, although no request failed."""

from __future__ import annotations

from chalicelib.errors import PermanentError

MODEL = "model"
"""The provider that an `UnwrittenError` names: any vendor's model."""


class UnwrittenError(PermanentError):
    """No model may be asked to write a message, or none gave a usable answer; a person has to write."""

    def __init__(self, reason: str) -> None:
        super().__init__(MODEL, "compose", reason=reason)
