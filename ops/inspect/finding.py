"""The result of one check of a stage."""

from __future__ import annotations

from dataclasses import dataclass

MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    Attributes:
        result: ok, warn (works, but needs attention), fail, or manual (cannot be checked by
            machine; the detail says what to check and where).
        system: the checked system; ``stage`` for what all systems need.
        mend: the command that fixes it; empty if no command does.
    """

    check: str
    result: str
    detail: str = ""
    system: str = "stage"
    mend: str = ""


def finding(check: str, problems: list[str], *, good: str = "") -> Finding:
    """A failure that names the problems, or ok if there are none."""
    return Finding(check, "fail", "; ".join(problems)) if problems else Finding(check, "ok", good)
