"""The result of one check of a stage."""

from __future__ import annotations

from dataclasses import dataclass

MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check.

    Attributes:
        result: ok, warn (works, but needs attention), fail, or manual (cannot be checked by
            machine; the detail says what to check and where).
        system: which system it is of; ``stage`` for what all of them need.
        mend: the command that mends it; empty where nothing is to be done by a command.
    """

    check: str
    result: str
    detail: str = ""
    system: str = "stage"
    mend: str = ""


def finding(check: str, problems: list[str], *, good: str = "") -> Finding:
    """A failure that names its problems, or ok."""
    return Finding(check, "fail", "; ".join(problems)) if problems else Finding(check, "ok", good)
