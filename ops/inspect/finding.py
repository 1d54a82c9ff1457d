"""What one check of a stage came to."""

from __future__ import annotations

from dataclasses import dataclass

BY_HAND = "by hand"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check.

    Attributes:
        result: ok, warn (works, but somebody should know), fail, or by hand (no machine can tell;
            the detail says where to look).
    """

    check: str
    result: str
    detail: str = ""


def finding(check: str, problems: list[str], *, good: str = "") -> Finding:
    """A failure that names its problems, or ok."""
    return Finding(check, "fail", "; ".join(problems)) if problems else Finding(check, "ok", good)
