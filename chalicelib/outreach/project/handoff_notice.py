"""Whether a company wants an e-mail about a conversation that waits for a person.

Optional setting of a project; the project's own address of `channel_config.email` sends it::

    handoff_notice   {"email": "desk@example.com", "after_minutes": 15}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from chalicelib.outreach import reasons

SETTING = reasons.HANDOFF_NOTICE
AFTER_MINUTES = 15
MOST_MINUTES = 24 * 60
ASKED, WAITING = "asked", "waiting"
WISHES = frozenset({"asked_by_writer"})
"""Reasons of hand-offs for which the recipient has asked for a person."""


@dataclass(frozen=True, slots=True)
class HandoffNoticeSetting:
    """`handoff_notice` of a project."""

    email: str = field(repr=False)
    after: timedelta

    @classmethod
    def of(cls, project: Mapping[str, Any]) -> HandoffNoticeSetting | None:
        """A project's setting; None where it has none that can be read."""
        raw = project.get(SETTING)
        given = raw if isinstance(raw, Mapping) else {}
        email, minutes = given.get("email"), given.get("after_minutes", AFTER_MINUTES)
        is_time = isinstance(minutes, int) and not isinstance(minutes, bool)
        if not isinstance(email, str) or "@" not in email or not is_time or minutes <= 0:
            return None
        return cls(email, timedelta(minutes=minutes))
