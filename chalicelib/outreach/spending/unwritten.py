"""The error of a message that no model has written, though none of them failed."""

from __future__ import annotations

from chalicelib.errors import PermanentError

MODEL = "model"
"""Provider in errors after which a person decides: any of the vendors' models."""


class UnwrittenError(PermanentError):
    """No model may be asked, or none gave an answer that can be used; a person writes.

    Args:
        reason: why.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(MODEL, "compose", reason=reason)
