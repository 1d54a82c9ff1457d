"""Drafts of messages, stored before anything is sent, and the status of their delivery."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.store import ConditionFailed, Item
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import Draft, OtherMessages, Record, draft


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """The draft of a message, with what its carrier has reported of its delivery.

    Attributes:
        written: the draft.
        delivery: the carrier's status; empty where no receipt arrived.
        reason: the carrier's code, where it was not delivered.
    """

    written: Draft
    delivery: str = ""
    reason: str = ""


class Drafts(items.OnTable):
    """Stores and reads the drafts of a conversation's messages, and their delivery status, by entry id."""

    def keep_draft(self, record: Record, entry_id: str, written: Draft) -> Draft:
        """Store the draft of a message, unless one is stored under its entry id.

        Returns the one that is stored.
        """
        try:
            self._table.put(
                items.draft_item(record, entry_id, written, self._clock.now(), self._kept),
                condition="attribute_not_exists(#conversation_id)",
            )
        except ConditionFailed as found:
            return draft(found.item)
        return written

    def keeping(self, record: Record, entry_id: str, written: Draft) -> Item:
        """The transaction write that stores the draft of a message, and replaces a stored one.

        For transactions that happen only once.
        """
        return self._table.putting(
            items.draft_item(record, entry_id, written, self._clock.now(), self._kept)
        )

    def draft(self, record: Record, entry_id: str) -> Draft | None:
        """The stored draft of a message by its entry id; None where there is none."""
        item = self._table.get(items.draft_key(record, entry_id))
        return draft(item) if item else None

    def drafts_of(self, record: Record) -> Mapping[str, Draft]:
        """Every stored draft of a conversation by entry id, whether it was sent, is held or was refused."""
        return {name: kept.written for name, kept in self.kept_drafts(record).items()}

    def kept_drafts(self, record: Record) -> Mapping[str, KeptDraft]:
        """Every draft of a conversation by entry id, with its delivery status."""
        own = items.draft_key(record, "")
        found = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND begins_with(conversation_id, :draft)",
            values={"p": own["primary_channel"], "draft": own["conversation_id"]},
            ConsistentRead=True,
        )
        return {
            str(row["conversation_id"]).rpartition("#")[2]: KeptDraft(
                draft(row),
                str(row.get("delivery_status") or ""),
                str(row.get("delivery_reason") or ""),
            )
            for row in found
        }

    def other_messages(self, record: Record, entry_id: str) -> OtherMessages:
        """The company's messages to a recipient, in all conversations, except the one with this entry id."""
        mine = items.draft_key(record, entry_id)
        texts, refs, unreported = set(), set(), {}
        drafts = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND begins_with(conversation_id, :draft)",
            values={"p": mine["primary_channel"], "draft": items.DRAFT},
            ConsistentRead=True,
        )
        for item in drafts:
            written = draft(item)
            text = keys.normalised(written.text) if written.variables is None else ""
            if written.refused is not None:
                continue  # a refused draft was never sent
            is_mine = item["conversation_id"] == mine["conversation_id"]
            if is_mine or (written.variables is None and not text):
                continue
            texts.add(text)
            if "delivery_ref" in item:
                refs.add(str(item["delivery_ref"]))
            else:
                unreported[str(item["action_key"])] = text
        return OtherMessages(frozenset(texts - {""}), frozenset(refs), unreported)

    def note_delivery(
        self,
        record: Record,
        entry_id: str,
        status: str,
        rank: int,
        *,
        reason: str | None = None,
        ref: str | None = None,
    ) -> bool:
        """Store a higher delivery status of a sent message, with its draft.

        Returns:
            False when the same or a higher rank is stored, or no draft is; the status never goes
            backwards.
        """
        try:
            self._table.update(
                items.draft_key(record, entry_id),
                set_={
                    "delivery_status": status,
                    "delivery_rank": rank,
                    "delivery_reason": reason,
                    "delivery_ref": ref,
                    "delivery_at": iso(self._clock.now()),
                },
                condition="attribute_exists(#conversation_id) AND"
                " (attribute_not_exists(#delivery_rank) OR #delivery_rank < :rank)",
                rank=rank,
            )
        except ConditionFailed:
            return False
        return True

    def delivery(self, record: Record, entry_id: str) -> str | None:
        """The delivery status of a sent message; None where no receipt arrived."""
        item = self._table.get(items.draft_key(record, entry_id))
        return item.get("delivery_status") if item else None

    def reported_id(self, record: Record, entry_id: str) -> str | None:
        """The provider's id of a sent message, as its delivery receipt gave it; None where none arrived."""
        item = self._table.get(items.draft_key(record, entry_id))
        return item.get("delivery_ref") if item else None
