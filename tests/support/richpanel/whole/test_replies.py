"""Richpanel's replies, sent once; closing; keys and limits."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from chalicelib.errors import PermanentError, ProviderError, TransientError, UncertainError
from chalicelib.support.richpanel.calls import key_header
from chalicelib.support.richpanel.client import Richpanel
from local.vendors.richpanel import API_KEY, SimulatedRichpanel
from tests.rigs import vendor_server as does
from tests.rigs.fakes import ManualClock, RecordingLog
from tests.rigs.richpanel import SINCE, adapter
from tests.rigs.vendor_server import Vendor

# --- replying and closing ---------------------------------------------------------------------


TEXT = "Hello\n there\nRef. 3F9A-17BC"


def reply(adapter: Richpanel, conversation_id: str = "1042", *, seconds: float = 5) -> str | None:
    return adapter.send_message(
        conversation_id,
        body=TEXT,
        author_id="agent-1",
        reference="3F9A-17BC",
        deadline_seconds=seconds,
    )


def test_a_reply_is_sent_once_and_named_by_its_comment(
    live_client: Richpanel, richpanel: SimulatedRichpanel, clock: ManualClock
):
    richpanel.add_ticket("1042", comments=["Where is it?"])
    clock.moment = datetime.now(UTC)

    ref = reply(live_client)

    comments = richpanel.ticket("1042")["comments"]
    assert ref == comments[-1]["id"]
    assert len(richpanel.calls_of("send_message")) == 1
    assert richpanel.calls_of("send_message")[0].body == {
        "body": TEXT,
        "author_id": "agent-1",
    }


def test_f21_a_reply_whose_answer_is_lost_is_uncertain_and_not_sent_again(
    tickets: Richpanel, vendor: Vendor
):
    for script in (does.hang, does.reset, does.answer(502), does.answer(200, b"<html>")):
        vendor.will(script)
        vendor.requests.clear()
        with pytest.raises(UncertainError):
            reply(tickets, "7", seconds=0.4)
        assert len(vendor.requests) == 1


def test_a_reply_refused_for_its_rate_or_content_was_not_sent(tickets: Richpanel, vendor: Vendor):
    vendor.will(does.answer(400))
    with pytest.raises(PermanentError):
        reply(tickets, "7")
    vendor.will(does.answer(429))
    with pytest.raises(TransientError):
        reply(tickets, "7")


def test_an_accepted_reply_that_is_missing_is_uncertain(tickets: Richpanel, vendor: Vendor):
    """The real API was seen to answer 200 and do nothing."""
    old = {
        "id": "c-0",
        "is_operator": True,
        "author_id": "agent-1",
        "created_at": "2026-11-19T09:00:00Z",
    }
    theirs = {"id": "c-1", "is_operator": False, "plain_body": "hello there"}
    other = {"id": "c-2", "is_operator": True, "author_id": "agent-2"}
    vendor.will(
        does.answer(200, {}),
        does.answer(200, {"ticket": {"id": "7", "comments": [old, theirs, other]}}),
    )

    with pytest.raises(UncertainError, match="not_visible"):
        reply(tickets, "7")


@pytest.mark.parametrize("script", [does.answer(500), does.answer(404), does.reset])
def test_an_accepted_reply_that_cannot_be_read_back_is_uncertain(
    tickets: Richpanel, vendor: Vendor, script: does.Script
):
    vendor.will(does.answer(200, {}), script)

    with pytest.raises(UncertainError):
        reply(tickets, "7")


@pytest.mark.parametrize("at", ["2026-11-20T12:00:01Z", "2026-11-19T12:00:00Z", None])
@pytest.mark.parametrize(
    ("text", "is_ours"),
    [
        (TEXT, True),
        ("hello there Ref. 3f9a-17bc -- sent by the shop", True),
        ("Hello there Ref. 77AA-0000", False),
        ("a note", False),
    ],
)
def test_only_the_comment_with_our_reference_proves_the_reply(
    tickets: Richpanel, vendor: Vendor, *, at: str | None, text: str, is_ours: bool
):
    """Whatever the vendor's clock says: an earlier reply of the bot may be a minute old."""
    ours = {"is_operator": True, "author_id": "agent-1", "created_at": at}
    comments = [{"id": "c-8", "plain_body": text, **ours}]
    vendor.will(
        does.answer(200, {}), does.answer(200, {"ticket": {"id": "7", "comments": comments}})
    )

    if is_ours:
        assert reply(tickets, "7") == "c-8"
    else:
        with pytest.raises(UncertainError, match="not_visible"):
            reply(tickets, "7")


def test_a_ticket_is_closed_by_the_one_payload_that_works(
    live_client: Richpanel, richpanel: SimulatedRichpanel
):
    richpanel.add_ticket("1042")

    live_client.close("1042", deadline_seconds=5)

    assert not live_client.read_ticket("1042").is_open
    assert richpanel.calls[0].body == {"ticket": {"state": "closed", "status": "CLOSED"}}


@pytest.mark.parametrize("script", [does.answer(500), does.answer(401), does.reset])
def test_an_accepted_close_that_cannot_be_read_back_is_not_reported_as_failed(
    tickets: Richpanel, vendor: Vendor, script: does.Script
):
    vendor.will(does.answer(200, {}), script, script)
    with pytest.raises(UncertainError):
        tickets.close("7", deadline_seconds=5)


def test_a_close_without_effect_is_not_treated_as_done(tickets: Richpanel, vendor: Vendor):
    vendor.will(does.answer(200, {"ticket": {"id": "7", "status": "OPEN"}}))

    with pytest.raises(TransientError, match="not_applied"):
        tickets.close("7", deadline_seconds=5)


# --- keys and limits --------------------------------------------------------------------------


def test_f55_a_rotated_key_is_picked_up_without_a_failure(
    richpanel: SimulatedRichpanel, clock: ManualClock, log: RecordingLog
):
    richpanel.add_ticket("1042")
    rotated = adapter(richpanel.url, clock, log)
    client = rotated._calls.client
    client.api = replace(
        client.api, authorize=key_header(lambda refresh: f"{API_KEY}\n" if refresh else "old")
    )

    assert rotated.read_ticket("1042").id == "1042"
    assert [call.status for call in richpanel.calls] == [401, 200]


def test_f45_the_vendors_rate_limit_is_waited_out(
    live_client: Richpanel, richpanel: SimulatedRichpanel
):
    richpanel.set_modes(rate_limit=1)
    richpanel.add_ticket("1042")
    live_client.read_ticket("1042")

    with pytest.raises(TransientError) as first:
        live_client.read_ticket("1042")
    with pytest.raises(TransientError) as second:
        live_client.read_ticket("1042")

    assert (first.value.status, second.value.reason) == (429, "local_rate_limit")
    assert len(richpanel.calls) == 2


def test_every_error_names_the_operation(tickets: Richpanel, vendor: Vendor):
    vendor.will(does.answer(400))
    attempts = {
        "read_ticket": lambda: tickets.read_ticket("7"),
        "list_tickets": lambda: tickets.read_open_tickets(since=SINCE, page=1),
        "add_tags": lambda: tickets.add_tags("7", {"a"}, deadline_seconds=5),
        "remove_tags": lambda: tickets.remove_tags("7", {"a"}, deadline_seconds=5),
        "assign": lambda: tickets.assign("7", "u", deadline_seconds=5),
        "close": lambda: tickets.close("7", deadline_seconds=5),
        "send_message": lambda: reply(tickets, "7"),
    }
    for operation, attempt in attempts.items():
        with pytest.raises(ProviderError) as caught:
            attempt()
        assert (caught.value.provider, caught.value.operation) == ("richpanel", operation)
