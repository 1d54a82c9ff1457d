"""Two releases beside each other: one reads what the other queued, and what it cannot read is not lost.

`tests/samples/jobs` holds queue bodies as an earlier release wrote them, one file for each recording.
A release that lacks a kind of job, or a field of one, is this one without it.
"""

import json
import re
from pathlib import Path
from typing import Literal

import pytest

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.lanes import TICKETS
from chalicelib.support.jobs import TicketMessage
from chalicelib.wiring import jobs
from ops.repair import dead_letters
from ops.session import Session
from tests.rigs.api_gateway import posted
from tests.rigs.keys import unsealed

RECORDED = sorted((Path(__file__).parents[1] / "samples" / "jobs").glob("*.json"))
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
ON_PURPOSE = "action_resend"
"""The kind that repeats an effect."""
STARTED = ("+15550101401", "+15550101402", "+15550101403", "k.doe@example.com")


@pytest.fixture
def system(outreach, richpanel):
    for ticket in ("1042", "1043"):
        richpanel.add_ticket(ticket, comments=[{"body": "I want a refund", "id": "c-1"}])
    return outreach


def queued(system, body, name):
    """Put a recorded body on its lane, as if what it is about had happened just now."""
    text = TIME.sub(iso(system.services.clock.now()), json.dumps(body))
    job = jobs.decode(text)
    group = keys.digest("#".join(job.group))
    system.stage.aws.client("sqs").send_message(
        QueueUrl=system.stage.lane_url(job.lane),
        MessageBody=system.stage.sealed(text, group_id=group, lane=job.lane),
        MessageGroupId=group,
        MessageDeduplicationId=name,
    )


@pytest.mark.parametrize("recording", RECORDED, ids=lambda path: path.stem)
def test_every_kind_of_message_of_an_earlier_release_is_read_and_carried_out_once(
    system, richpanel, recording
):
    bodies = json.loads(recording.read_text())
    assert {jobs.decode(json.dumps(body)).kind for body in bodies} <= jobs.KINDS.keys()
    seen = []
    for twice in ("first", "again"):
        for number, body in enumerate(bodies):
            if body["kind"] != ON_PURPOSE:
                queued(system, body, f"{twice}-{number}")
                handled = system.run()
                assert {run.error for run in handled} == {None}, body["kind"]
        texts = [(message["to"], message["body"]) for message in system.twilio.messages]
        seen.append((texts, [email["to"] for email in system.ses.emails]))
    assert seen[0] == seen[1], "what was done is not done twice"
    texts, mails = seen[0]
    reached = {to.removeprefix("whatsapp:") for to, _ in texts} | set(mails)
    assert reached == set(STARTED)
    for ticket in ("1042", "1043"):
        tags = richpanel.effects_of(ticket, "tag_added")
        assert ("mw-processed" in tags, set(tags.values())) == (True, {1})
    facts = system.services.facts.ledger.pending_keys(at_most=10)
    assert {fact.partition(":")[0] for fact in facts} == {"ALOWARE", "HUBSPOT"}
    assert len(facts) == 2
    assert not any(dead_letters.totals(Session.over(system.services)).values())


class Newer(TicketMessage):
    """A job with a field that the release before does not know."""

    more: Literal["of a newer release"]


@pytest.mark.parametrize("known", [{}, {"ticket_message": TicketMessage}], ids=["kind", "field"])
def test_what_the_release_before_cannot_read_waits_for_the_newer_one(
    system, richpanel, monkeypatch, known
):
    """Going back: in the end it is a dead letter, which is sent again once the newer release is back."""
    newer = jobs.KINDS | {"ticket_message": Newer if known else TicketMessage}
    older = {name: kind for name, kind in jobs.KINDS.items() if name != "ticket_message"} | known
    token = {"x-richpanel-webhook-token": system.stage.secrets.webhook_token}
    heard = json.dumps({"ticket_id": "1042", "message_id": "c-1"})
    monkeypatch.setattr(jobs, "KINDS", newer)
    assert posted(system.app, "/webhook/richpanel", heard, token) == 200
    if known:
        add_field(system)

    monkeypatch.setattr(jobs, "KINDS", older)
    session = Session.over(system.services).acting_as("Operators/jo")
    for _ in range(12):
        handled = system.run() or system.again()
        assert {run.error for run in handled} <= {"HandedBackError"}
        if not handled:
            break
    (letter,) = dead_letters.peek(session, limit=10)
    assert letter.reason == "undecodable"
    assert [did for _, did in dead_letters.redrive(session, limit=10, per_second=1e6)] == [
        "left: undecodable"
    ]
    assert richpanel.effects_of("1042", "tag_added") == {}

    monkeypatch.setattr(jobs, "KINDS", newer)
    assert [did for _, did in dead_letters.redrive(session, limit=10, per_second=1e6)] == [
        "redriven"
    ]
    system.run()
    assert set(richpanel.effects_of("1042", "tag_added").values()) == {1}
    assert "mw-processed" in richpanel.tags_of("1042")


def add_field(system):
    """The message on the queue, as a newer release would have written it."""
    sqs, url = system.stage.aws.client("sqs"), system.stage.lane_url(TICKETS)
    (message,) = sqs.receive_message(QueueUrl=url)["Messages"]
    body = json.loads(unsealed(message["Body"])) | {"more": "of a newer release"}
    sqs.send_message(
        QueueUrl=url,
        MessageBody=system.stage.sealed(json.dumps(body), group_id="1042"),
        MessageGroupId="1042",
        MessageDeduplicationId="newer",
    )
    sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
