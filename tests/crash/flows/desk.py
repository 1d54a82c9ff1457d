"""The desk: what a person writes, and what a person approves and has edited, is sent once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.desk.case import AskedAct
from chalicelib.outreach.desk.shown import version_of
from local import company
from tests.crash.flow import Arrival, Step, http_event
from tests.crash.flows.outreach import CANARY, Text
from tests.crash.run import Run

_ACTS = "/desk/conversations/{conversation_id}/acts"
_HEADERS = {"x-api-key": company.LEAD_KEY}


class _Desk(Text):
    """The recipient has written, and a person has to act."""

    channel = "sms"
    counted_from = 3

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        company.open_desk(run.stage)
        run.rig.twilio.set_modes(fates=["delivered"])

    def opened(self, run: Run, text: str) -> Iterator[Step]:
        """The start and the recipient's message."""
        yield [self.start()]
        yield [self.writes(run, f"{text}, {CANARY}")]

    def acts(self, run: Run, act: str, *, releases: bool = False, **fields: str) -> Arrival:
        """A person acts upon the conversation as it is shown now, under one key however often."""
        record = next(
            Record(item) for item in run.items("ConversationsTable") if "start_event" in item
        )
        asked = AskedAct(act, record.opaque_id, version_of(record), f"key-{act}", "sam", "sam")
        body = {"act": act, "by": asked.by, "version": asked.version, **fields}
        key = outreach_keys.desk(record.opaque_id, asked.act_id)
        if releases:
            key = outreach_keys.release(record.opaque_id, str(record.handoff["id"]))
        keys = (key,) if fields else ()
        return Arrival("api", lambda: _posted(record.opaque_id, asked.key, body), keys)


class PersonReplied(_Desk):
    """A person takes the conversation and answers."""

    name = "outreach: SMS, a person's reply at the desk"

    def steps(self, run: Run) -> Iterator[Step]:
        yield from self.opened(run, "Can a human call me")
        yield [self.acts(run, "take")]
        yield [self.acts(run, "reply", text="This is Sam: I call you at nine.")]


class ApprovedEdited(_Desk):
    """An answer is held; a person edits and approves it."""

    name = "outreach: SMS, an answer edited and approved at the desk"

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        item = company.project(run.stage.name, auto_queue_reply_message=True)
        company.put_project(run.stage, item)

    def steps(self, run: Run) -> Iterator[Step]:
        yield from self.opened(run, "Tell me more")
        yield [self.acts(run, "approve", releases=True, text="It begins on Monday.")]


def _posted(opaque_id: str, key: str, body: dict[str, Any]) -> dict[str, Any]:
    """The request as API Gateway passes it on."""
    event = http_event(_ACTS, {**_HEADERS, "idempotency-key": key}, body)
    event["path"] = _ACTS.format(conversation_id=opaque_id)
    event["pathParameters"] = {"conversation_id": opaque_id}
    return event
