"""Replacements for a project's settings that cannot be read."""

from __future__ import annotations

from typing import Any, Literal, NoReturn

from chalicelib.errors import PermanentError
from chalicelib.outreach import reasons

AI_CONFIG = "ai_config"
"""The provider named in the error where `ai_config` cannot be read."""


class UnreadableQuietHoursError(Exception):
    """A project's quiet hours cannot be read, so messages wait instead of ignoring them."""


def nothing(_raw: Any) -> None:  # noqa: ANN401 - any JSON value
    """None, in place of an unreadable setting, as if it were absent."""
    return


def on(_raw: Any) -> Literal[True]:  # noqa: ANN401 - any JSON value
    """True, in place of an unreadable switch."""
    return True


def wait(_raw: Any) -> NoReturn:  # noqa: ANN401 - any JSON value
    """Raise, in place of unreadable quiet hours, so that messages wait.

    Raises:
        UnreadableQuietHoursError: always.
    """
    raise UnreadableQuietHoursError


def a_person(_raw: Any) -> NoReturn:  # noqa: ANN401 - any JSON value
    """Raise, in place of unreadable AI settings, so that a person writes.

    Raises:
        PermanentError: always.
    """
    raise PermanentError(AI_CONFIG, "read", reason=reasons.UNREADABLE)
