"""What applies in place of a part of a project that cannot be read."""

from __future__ import annotations

from typing import Any, Literal, NoReturn

from chalicelib.errors import PermanentError
from chalicelib.outreach import reasons

AI_CONFIG = "ai_config"
"""The provider named in the error where `ai_config` cannot be read."""


class UnreadableQuietHoursError(Exception):
    """A project's quiet hours cannot be read: messages wait rather than ignore them."""


def nothing(_raw: Any) -> None:  # noqa: ANN401 - any JSON value
    """None, as if the part were absent."""
    return


def on(_raw: Any) -> Literal[True]:  # noqa: ANN401 - any JSON value
    """True: the switch counts as on."""
    return True


def wait(_raw: Any) -> NoReturn:  # noqa: ANN401 - any JSON value
    """Raise, so that messages wait."""
    raise UnreadableQuietHoursError


def a_person(_raw: Any) -> NoReturn:  # noqa: ANN401 - any JSON value
    """Raise, so that a person writes."""
    raise PermanentError(AI_CONFIG, "read", reason=reasons.UNREADABLE)
