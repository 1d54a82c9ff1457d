"""The error of a message that no model could write, although no request failed."""

from __future__ import annotations

from chalicelib.errors import PermanentError

MODEL = "model"
"""The provider that such errors name: any vendor's model."""


class UnwrittenError(PermanentError):
    """No model may be asked, or none gave a usable answer, so a person has to write."""

    def __init__(self, reason: str) -> None:
        super().__init__(MODEL, "compose", reason=reason)
