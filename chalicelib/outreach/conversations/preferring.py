"""Stores which hours and channels a recipient prefers, with the person; the newest word on each counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chalicelib.outreach.conversations.records import Entry, Record
from chalicelib.outreach.conversations.statements import Statement
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import Member, SubjectRows
from chalicelib.outreach.wishes.preference import Hours, Preferences, Wish, preferences_of
from chalicelib.outreach.wishes.wished import stated_wish

PREFERENCES = "preferences"
"""Attribute of a conversation in memory: what its recipient prefers."""
BY_PAGE = "page"
"""``message`` of a preference that was chosen on the person's page."""


class Preferring(SubjectRows):
    """Stores the hours and channels that recipients prefer."""

    def prefer(
        self,
        place: Member,
        wish: Wish,
        *,
        said_at: str,
        message: str,
        zones: Sequence[str],
        how: Statement,
    ) -> bool:
        """Store what a recipient prefers, or takes back; a wish older than the stored one changes nothing.

        Args:
            place: the address.
            wish: the wish.
            said_at: ISO time of the message that says it.
            message: that message's id, or `BY_PAGE`.
            zones: the time zones of its hours; without one, hours are not stored.
            how: the evidence, without words.

        Returns:
            Whether something was changed.
        """
        kept = items_of_wish(wish, said_at, message, zones)

        def preferring(subject: Subject) -> Subject | None:
            for about, preference in kept.items():
                subject = subject.with_preference(place.member, about, preference)
            return subject

        return self.change(place, preferring, how) is not None


def items_of_wish(
    wish: Wish, said_at: str, message: str, zones: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """The items to store for a recipient's wish, keyed by its subject (hours, channels); only computes.

    A preference that the wish takes back gives an item with ``lifted_at``; hours without time zones
    give none.
    """
    word = {"said_at": said_at, "message": message}
    kept: dict[str, dict[str, Any]] = {}
    for about, part in wish.parts.items():
        if part is None:
            kept[about] = {"lifted_at": said_at, **word}
        elif not isinstance(part, Hours):
            kept[about] = {**part.item, **word}
        elif zones:
            kept[about] = {**replace(part, zones=tuple(zones)).item, **word}
    return kept


def wish_in(text: str, before: Sequence[Entry]) -> Wish | None:
    """The wish about hours or channels that a recipient's message states; None where it states none.

    The entries before it show whether the message answers a question of ours.
    """
    ours = [entry for entry in before if entry.role == "assistant"]
    return stated_wish(text, answers=bool(ours) and "?" in ours[-1].content)


def preferences_heard_in(history: Sequence[Entry], zones: Sequence[str]) -> Preferences:
    """The preferences of hours and channels that a recipient's messages in a conversation state.

    Computed from the given history, for use where no preferences are stored; the newest wish about
    hours counts, and the newest about channels.
    """
    kept: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(history):
        wish = wish_in(entry.content, history[:number]) if entry.role == "user" else None
        if wish is not None:
            said = items_of_wish(wish, entry.message_timestamp, entry.entry_id, zones)
            kept |= {f"#{about}": item for about, item in said.items()}
    return preferences_of(kept)


def preferences_of_person(subjects: Sequence[Subject]) -> Preferences:
    """The preferences in force of a person whose addresses are in several records."""
    return preferences_of(
        {key: preference for s in subjects for key, preference in s.preferences.items()}
    )


def known_preferences(record: Record) -> Preferences:
    """The recipient's preferences that `with_preferences` has added to the record; or none."""
    given = record.item.get(PREFERENCES) or ()
    return preferences_of(
        {f"{record.company_id}#{preference['about']}": preference for preference in given}
    )


def with_preferences(record: Record, preferences: Preferences) -> Record:
    """A copy of a conversation with its recipient's preferences added for the writer; it is never stored."""
    known = [dict(preference) for preference in preferences.kept]
    return Record({**record.item, PREFERENCES: known}) if known else record
