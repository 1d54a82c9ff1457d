"""Marks from a company's lists and from an export of the register: what is newer stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.clock import iso
from chalicelib.outreach.conversations.register_entries import (
    BY_RECIPIENT,
    KEPT_SLOT,
    LIFTED,
    Reason,
)
from chalicelib.outreach.conversations.statements import Statement
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import Member, SubjectRows


class RegisterImports(SubjectRows):
    """Takes them."""

    def enter_listed(self, place: Member, how: Statement, *, at: str = "") -> bool:
        """Enter an address of a list, unless its recipient has said START since.

        Args:
            place: the address.
            how: the evidence.
            at: ISO time from which the list has it; empty where it has none.

        Returns:
            Whether it is entered now; False where the recipient's START is newer.
        """
        is_entered = True
        now = iso(self._clock.now())

        def listed(one: Subject) -> Subject | None:
            nonlocal is_entered
            own = [e for e in one.entries(self._clock.now()) if e.member == place.member]
            started = [
                str(e.item["lifted_at"]) for e in own if e.item.get("lifted_by") == BY_RECIPIENT
            ]
            known = one.mark(place.member, KEPT_SLOT)
            is_entered = bool(known) and "lifted_at" not in known
            if is_entered:
                return None
            if started and at <= max(started):
                return None
            is_entered = True
            kept = {name: value for name, value in known.items() if name not in LIFTED}
            mark = {"since": at or now, **kept, "reason": Reason.IMPORTED.value, "by": how.by or ""}
            return one.marked(place.member, KEPT_SLOT, mark)

        self.change(place, listed, how)
        return is_entered

    def restore(self, place: Member, slot: str, mark: Mapping[str, Any], how: Statement) -> bool:
        """Take a mark as an export has it, unless a newer word is known.

        Returns:
            Whether the register has this mark, or has changed to it.
        """
        is_taken = True

        def restored(one: Subject) -> Subject | None:
            nonlocal is_taken
            known = one.mark(place.member, slot)
            is_taken = not known or _newest(known) <= _newest(mark)
            return one.marked(place.member, slot, mark) if is_taken else None

        self.change(place, restored, how)
        return is_taken


def _newest(mark: Mapping[str, Any]) -> str:
    """ISO time of the newest thing that is known of a mark."""
    return max(str(mark.get(name) or "") for name in ("since", "said_at", "lifted_at"))
