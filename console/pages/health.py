"""The switches with their last change, the last sweep, and the doctor's findings."""

from __future__ import annotations

from flask import Blueprint, render_template

from console.backend import reading
from console.rights import Right, needs
from ops.inspect import doctor
from ops.stage import switches

pages = Blueprint("health", __name__)

_ORDER = {"fail": 0, "warn": 1, "manual": 2, "ok": 3}


@pages.get("/health")
@needs(Right.LOOK)
def show() -> str:
    """The switches; the checks are loaded separately, as they take seconds."""
    session = reading()
    since = switches.since_when(session)
    return render_template(
        "health.html",
        switches=[
            {
                "name": name,
                "value": value,
                "since": since.get(name),
                "is_tight": value is None or (value == "true") is switches.TIGHT[name],
            }
            for name, value in switches.read(session).items()
        ],
        sweep=session.services.sweeps.last(),
    )


@pages.get("/health/checks")
@needs(Right.LOOK)
def checks() -> str:
    """The findings of `doctor`, the worst first."""
    found = sorted(doctor.examine(reading()), key=lambda finding: _ORDER.get(finding.result, 0))
    return render_template("checks.html", findings=found)
