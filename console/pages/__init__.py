"""The pages; a module each, as a blueprint of the same name.

overview      what waits for a person
inbox         conversations that wait for a person, of one's own companies
conversation  one of them: its transcript, what is held, and the acts of who answers
desk_words    hand-offs in the words of the people who answer them
"""

from __future__ import annotations

from flask import Flask

from console.access import Right
from console.pages import conversation, inbox, overview

NAVIGATION: tuple[tuple[str, str, Right], ...] = (
    ("Overview", "overview.show", Right.LOOK),
    ("Inbox", "inbox.show", Right.CONVERSE),
)
"""The entries at the top of every page: title, endpoint, and who sees it."""


def register(app: Flask) -> None:
    """Add every page."""
    for module in (overview, inbox, conversation):
        app.register_blueprint(module.pages)
