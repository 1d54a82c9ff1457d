"""Plans the sending of what a person of the company wrote; its text is stored with the act.

Other acts that the company hears of are written into its outbox here.
"""

from __future__ import annotations

from collections.abc import Mapping

from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.plan import Plan
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.company_events.names import Name
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.events.context import MESSAGE_GONE, EventContext
from chalicelib.outreach.events.drafting import Drafting

_NOTED: Mapping[str, Name] = {"take": Name.TAKEN, "close": Name.CLOSED}
"""Acts that send nothing, and what the company hears."""


class PersonReplies:
    """Plans persons' replies.

    They leave by the same door as the machine's: switches, ledger, register and WhatsApp's window.  They
    wait for no quiet hours, as a person chose the time, and for no other event.
    """

    def __init__(self, conversations: Conversations, drafting: Drafting) -> None:
        self._conversations = conversations
        self._drafting = drafting

    def plan(self, event: Event) -> Plan:
        """See `once.flow.Flow.plan`."""
        context: EventContext = event.subject
        record = context.conversation
        act_id = event.facts.event_key.rpartition(":")[2]
        done = self._conversations.act_done(record, act_id) or {}
        if done.get("act") in _NOTED:
            self._drafting.person_acted(record, _NOTED[done["act"]], act_id)
            raise NotAnEvent(EventStatus.PROCESSED, "noted")
        entry_id = outreach_keys.entry_id(event.facts.event_key)
        context.draft = self._conversations.draft(record, entry_id)
        if context.draft is None:
            raise NotAnEvent(EventStatus.FAILED, MESSAGE_GONE)
        if self._conversations.forbids(record) is not None:
            self._drafting.reply_failed(record, DO_NOT_CONTACT)
            raise NotAnEvent(EventStatus.FAILED, DO_NOT_CONTACT)
        return self._drafting.of_person(context, entry_id)
