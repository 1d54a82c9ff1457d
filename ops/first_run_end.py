"""Records in the journal that a stage was completely set up, which ends the console's first run."""

from __future__ import annotations

from chalicelib.once.journal import Act
from ops.session import Session

STORY = "stage:first-run"
"""The entry's key."""


def is_over(session: Session) -> bool:
    """Whether every step of the first run was done once."""
    return bool(session.services.journal.story(STORY))


def end(session: Session) -> None:
    """Enter in the journal that every step was done."""
    session.services.journal.enter(Act("first run", STORY, session.identity.name, "done"))
