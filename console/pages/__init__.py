"""The pages; a module each, as a blueprint of the same name.

overview   what waits for a person
"""

from __future__ import annotations

from flask import Flask

from console.access import Right
from console.pages import overview

NAVIGATION: tuple[tuple[str, str, Right], ...] = (("Overview", "overview.show", Right.LOOK),)
"""The entries at the top of every page: title, endpoint, and who sees it."""


def register(app: Flask) -> None:
    """Add every page."""
    for module in (overview,):
        app.register_blueprint(module.pages)
