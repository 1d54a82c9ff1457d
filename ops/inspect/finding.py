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
    """

    check: str
    result: str
    detail: str = ""


def finding(check: str, problems: list[str], *, good: str = "") -> Finding:
    """A failure that names its problems, or ok."""
    return Finding(check, "fail", "; ".join(problems)) if problems else Finding(check, "ok", good)
