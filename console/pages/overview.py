"""What waits for a person."""

from __future__ import annotations

from flask import Blueprint, render_template

from console.access import Right, needs

pages = Blueprint("overview", __name__)


@pages.get("/")
@needs(Right.LOOK)
def show() -> str:
    """The first page of an operator."""
    return render_template("overview.html")
