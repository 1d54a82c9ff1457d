"""Drafts of messages: stored before anything is sent, and what is known of their delivery."""

from __future__ import annotations

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.store import ConditionFailed
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import Draft, Record, Told, draft


class Drafts(items.OnTable):
    """What will be, or was, sent under an entry id."""

    def keep_draft(self, record: Record, entry_id: str, written: Draft) -> Draft:
        """Store what will be sent under an entry id; the first one stored stays for good."""
        try:
            self._table.put(
                items.draft_item(record, entry_id, written),
                condition="attribute_not_exists(#conversation_id)",
            )
        except ConditionFailed as found:
            return draft(found.item)
        return written

    def draft(self, record: Record, entry_id: str) -> Draft | None:
        """What will be, or was, sent under an entry id."""
        item = self._table.get(items.draft_key(record, entry_id))
        return draft(item) if item else None

    def told_elsewhere(self, record: Record, entry_id: str) -> Told:
        """What its recipient was, or will be, told under other entry ids, in any conversation."""
        mine = items.draft_key(record, entry_id)["conversation_id"]
        stored = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND begins_with(conversation_id, :draft)",
            values={"p": record.primary_channel, "draft": items.DRAFT},
            ConsistentRead=True,
        )
        texts, refs, untold = set(), set(), {}
        for item in stored:
            written = draft(item)
            text = keys.normalised(written.text) if written.variables is None else ""
            if item["conversation_id"] == mine or (written.variables is None and not text):
                continue
            texts.add(text)
            if "delivery_ref" in item:
                refs.add(str(item["delivery_ref"]))
            elif "action_key" in item:  # what an older version drafted has none
                untold[str(item["action_key"])] = text
        return Told(frozenset(texts - {""}), frozenset(refs), untold)

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
        """Advance what is known of a sent message's delivery.

        It is kept with the message's draft, which no index holds, under the provider's id.

        Returns:
            False when as much or more was known already; the state never goes backwards.
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
        """How far a sent message is known to have come."""
        item = self._table.get(items.draft_key(record, entry_id))
        return item.get("delivery_status") if item else None

    def reported_as(self, record: Record, entry_id: str) -> str | None:
        """The provider's id of a message of whose delivery it has told."""
        item = self._table.get(items.draft_key(record, entry_id))
        return item.get("delivery_ref") if item else None
