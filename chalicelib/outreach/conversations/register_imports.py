"""Imports do-not-contact marks from a company's lists and from an export of the register.

Newer marks stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.clock import iso
from chalicelib.outreach.conversations.register_entries import (
    BY_RECIPIENT,
    KEPT_SLOT,
    LIFTED,
    LIFTED_ON_PAGE,
    OPT_OUT_REASONS,
    MarkReason,
    RegisterEntry,
)
from chalicelib.outreach.conversations.statements import Statement
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import Member, SubjectRows


class RegisterImports(SubjectRows):
    """Enters do-not-contact marks from companies' lists and from exports of the register."""

    def enter_listed(self, place: Member, how: Statement, *, at: str = "") -> bool:
        """Mark an address of a company's own do-not-contact list, unless its recipient has said START since.

        Args:
            place: the address.
            how: the evidence.
            at: ISO time from which the list has the address; empty where the list gives none; any
                START then counts as newer.

        Returns:
            Whether the address is marked now; False where the recipient's START is newer.
        """
        is_entered = True
        now = iso(self._clock.now())

        def listed(subject: Subject) -> Subject | None:
            nonlocal is_entered
            own = [e for e in subject.entries(self._clock.now()) if e.member == place.member]
            started = [
                str(e.item["lifted_at"]) for e in own if e.item.get("lifted_by") == BY_RECIPIENT
            ]
            known = subject.mark(place.member, KEPT_SLOT)
            is_entered = bool(known) and "lifted_at" not in known
            if is_entered:
                return None
            if started and at <= max(started):
                return None
            is_entered = True
            kept = {name: value for name, value in known.items() if name not in LIFTED}
            mark = {
                "since": at or now,
                **kept,
                "reason": MarkReason.IMPORTED.value,
                "by": how.by or "",
            }
            return subject.with_mark(place.member, KEPT_SLOT, mark)

        self.change(place, listed, how)
        return is_entered

    def restore(
        self,
        place: Member,
        slot: str,
        mark: Mapping[str, Any],
        how: Statement,
        *,
        may_loosen: bool = True,
    ) -> bool:
        """Store a do-not-contact mark from an export of the register, unless a newer one is stored.

        Args:
            place: the address.
            slot: the kind of mark.
            mark: the mark's stored map.
            how: the evidence.
            may_loosen: whether a mark that blocks less may replace one that is in force.

        Returns:
            Whether the register has this mark now.
        """
        is_taken = True

        def restored(subject: Subject) -> Subject | None:
            nonlocal is_taken
            known = subject.mark(place.member, slot)
            is_taken = not known or _newest(known) <= _newest(mark)
            if not may_loosen and known and is_taken:
                now = iso(self._clock.now())
                is_taken = not _loosens(RegisterEntry(known, now), RegisterEntry(mark, now))
            return subject.with_mark(place.member, slot, mark) if is_taken else None

        self.change(place, restored, how)
        return is_taken


def _loosens(known: RegisterEntry, new: RegisterEntry) -> bool:
    """Whether a new do-not-contact mark would block less than the stored one.

    False where the stored one is not in force.
    """
    if not known.is_in_force:
        return False
    narrower = (
        name in new.item and not set(known.item.get(name) or ("",)) <= set(new.item[name])
        for name in ("purposes", "channels")
    )
    ends = str(new.item.get("until") or "~") < str(known.item.get("until") or "~")
    asks = new.stop_at > known.stop_at
    weaker = (
        new.reason in LIFTED_ON_PAGE
        and known.reason not in LIFTED_ON_PAGE
        and known.reason in OPT_OUT_REASONS
    )
    return not new.is_in_force or any(narrower) or ends or asks or weaker


def _newest(mark: Mapping[str, Any]) -> str:
    """The newest ISO time in a mark: when it began to block, was said, or was lifted; empty without any."""
    return max(str(mark.get(name) or "") for name in ("since", "said_at", "lifted_at"))
