"""Finds the recipients' messages that the machine answered, with what it knew at that time.

A moment knows the conversation up to the recipient's message.  It knows the colleague's hint only
after the newest give-back act, because earlier hints are not kept.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from chalicelib.clock import parsed
from chalicelib.once import keys
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.records import UNSAID, Draft, Entry, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.project import openings
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.writing.composer import HISTORY_ENTRIES
from ops.session import OpsError, Session

GIVE_BACK = "give_back"


@dataclass(frozen=True, slots=True)
class Moment:
    """A recipient's message with the draft that answered it.

    Attributes:
        record: the conversation as if opened under the settings to try.
        history: the entries that the writer saw, the message last.
        at: the message's time.
        written: the draft that was sent, held, or refused.
    """

    record: Record
    history: Sequence[Entry] = field(repr=False)
    at: datetime
    written: Draft

    @property
    def message_id(self) -> str:
        """The id of the message's entry."""
        return self.history[-1].entry_id


@dataclass(frozen=True, slots=True)
class Moments:
    """The moments found.

    Attributes:
        found: oldest first.
        without_draft: the number of messages without a draft: a person had the conversation, a
            later message was answered with them, or no model could be called.
    """

    found: Sequence[Moment]
    without_draft: int


def moments(
    session: Session, project: Project, *, last: int, conversation: str | None = None
) -> Moments:
    """Find the newest answered messages of a project, or of one conversation.

    Args:
        session: the stage.
        project: the settings to try.
        last: the most moments to return.
        conversation: the id of the only conversation to read.

    Raises:
        OpsError: the project has no such conversation.
    """
    conversations = session.services.outreach.conversations
    if conversation is not None:
        record = conversations.find(conversation)
        if record is None or (record.company_id, record.project_id) != project.ids:
            raise OpsError("no such conversation of the project")
        records = [record]
    else:
        found = conversations.of_project(*project.ids)  # the index holds other rows as well
        heard = (
            record for record in found if {"message_count", "last_inbound_at"} <= record.item.keys()
        )
        records = heapq.nlargest(
            last, heard, key=lambda record: str(record.item["last_inbound_at"])
        )
    answered, without = list[Moment](), 0
    for record in records:
        for message, moment in _of(conversations, record, project):
            without += moment is None and message.note is None
            answered += [moment] if moment else []
    newest = sorted(answered, key=lambda moment: moment.at)[-last:]
    return Moments(newest, without)


def _of(
    conversations: Conversations, record: Record, project: Project
) -> Iterator[tuple[Entry, Moment | None]]:
    """Yield a recipient's messages with their moments; None for a message without a draft."""
    drafts = conversations.drafts_of(record)
    hinted = _hinted_at(conversations, record)
    history = tuple(conversations.history(record))
    for number, message in enumerate(history, 1):
        if message.role != "user" or message.note in UNSAID:
            continue
        at, written = parsed(message.message_timestamp), _written(drafts, record, message)
        if at is None or written is None:
            yield message, None
            continue
        seen = history[max(0, number - HISTORY_ENTRIES) : number]
        shown = tuple(entry for entry in seen if entry.note not in UNSAID)
        known = _under(record, project, knows_hint=hinted is not None and hinted <= at)
        yield message, Moment(known, shown, at, written)


def _written(drafts: Mapping[str, Draft], record: Record, message: Entry) -> Draft | None:
    """The machine's draft for a message; None if a person or a fixed wording answered."""
    event_key = outreach_keys.reply(record.channel.value, message.entry_id)
    handoff_id = keys.suffix_of(event_key, message.entry_id).text
    ids = (outreach_keys.entry_id(event_key), outreach_keys.held_entry_id(handoff_id))
    found = (drafts[id_] for id_ in ids if id_ in drafts)
    return next((draft for draft in found if draft.by is None and draft.revision is not None), None)


def _hinted_at(conversations: Conversations, record: Record) -> datetime | None:
    """The time since which the conversation's hint was given; None without a hint."""
    if not record.item.get("hint"):
        return None
    done = (str(act["done_at"]) for act in conversations.acts_of(record) if act["act"] == GIVE_BACK)
    return parsed(max(done, default=None))


def _under(record: Record, project: Project, *, knows_hint: bool) -> Record:
    """A conversation as if opened under a project's settings, without its hint unless `knows_hint`."""
    of_settings = {*project.copied_settings(), "channel_config", "ai_config", "max_message_length"}
    gone = of_settings if knows_hint else {*of_settings, "hint"}
    own = {name: value for name, value in record.item.items() if name not in gone}
    return Record(openings.attributes(project, record.channel, own))
