"""What holds in place of a part of a project that cannot be read; beside each part is what that means."""

from __future__ import annotations

from typing import Any, Literal, NoReturn

from chalicelib.errors import PermanentError
from chalicelib.outreach import reasons

AI_CONFIG = "ai_config"
"""Whose error it is where `ai_config` cannot be read."""


class UnreadableQuietHoursError(Exception):
    """A project's setting of quiet hours cannot be read: a message waits rather than ignore it."""


def nothing(_raw: Any) -> None:  # noqa: ANN401 - any JSON value
    """As if it were absent."""
    return


def on(_raw: Any) -> Literal[True]:  # noqa: ANN401 - any JSON value
    """A switch that is on."""
    return True


def wait(_raw: Any) -> NoReturn:  # noqa: ANN401 - any JSON value
    """Messages wait."""
    raise UnreadableQuietHoursError


def a_person(_raw: Any) -> NoReturn:  # noqa: ANN401 - any JSON value
    """A person writes."""
    raise PermanentError(AI_CONFIG, "read", reason=reasons.UNREADABLE)
