"""Repeatable changes on a Richpanel ticket: tags and assignment."""

from __future__ import annotations

import pytest

from chalicelib.errors import PermanentError, TransientError, UncertainError
from chalicelib.support.richpanel.client import Richpanel
from local.vendors.richpanel import SimulatedRichpanel
from tests.rigs import vendor_server as does
from tests.rigs.fakes import ManualClock, RecordingLog
from tests.rigs.richpanel import adapter
from tests.rigs.vendor_server import Vendor


def test_several_tags_go_out_in_one_sorted_request(
    live_client: Richpanel, richpanel: SimulatedRichpanel
):
    richpanel.add_ticket("1042", tags=["old"])

    live_client.add_tags("1042", {"b", "a"}, deadline_seconds=5)
    live_client.add_tags("1042", {"b", "a"}, deadline_seconds=5)
    live_client.remove_tags("1042", {"old"}, deadline_seconds=5)

    assert richpanel.tags_of("1042") == {"a", "b"}
    assert [call.body for call in richpanel.calls] == [
        {"tags": ["a", "b"]},
        {"tags": ["a", "b"]},
        {"tags": ["old"]},
    ]


def test_where_the_tenant_wants_ids_names_are_looked_up_once(
    richpanel: SimulatedRichpanel, clock: ManualClock, log: RecordingLog
):
    richpanel.set_modes(tag_mode="id", rate_limit=None)
    richpanel.add_ticket("1042")
    by_id = adapter(richpanel.url, clock, log, tag_mode="id")
    wanted = richpanel.tag_id("vip")

    by_id.add_tags("1042", {"vip"}, deadline_seconds=5)
    by_id.add_tags("1042", {"vip"}, deadline_seconds=5)
    seen = by_id.read_ticket("1042").tags

    assert richpanel.tags_of("1042") == {"vip"}
    assert "vip" in seen
    assert [call.body for call in richpanel.calls_of("add_tags")] == [{"tags": [wanted]}] * 2
    assert len(richpanel.calls_of("list_tags")) == 1


def test_a_tag_created_meanwhile_is_found_and_an_unknown_one_left_out(
    richpanel: SimulatedRichpanel, clock: ManualClock, log: RecordingLog
):
    richpanel.set_modes(tag_mode="id", rate_limit=None)
    richpanel.add_ticket("1042")
    richpanel.tag_id("first")
    by_id = adapter(richpanel.url, clock, log, tag_mode="id")
    by_id.add_tags("1042", {"first"}, deadline_seconds=5)
    richpanel.tag_id("second")

    by_id.add_tags("1042", {"second"}, deadline_seconds=5)
    for _ in range(3):
        assert by_id.add_tags("1042", {"first", "third"}, deadline_seconds=5) == {"third"}
    assert by_id.add_tags("1042", {"fourth"}, deadline_seconds=5) == {"fourth"}
    by_id.remove_tags("1042", {"third", "second"}, deadline_seconds=5)

    assert richpanel.tags_of("1042") == {"first"}
    assert len(richpanel.calls_of("list_tags")) == 4  # for each name that was new


def test_a_tag_that_was_deleted_meanwhile_does_not_refuse_the_others(
    richpanel: SimulatedRichpanel, clock: ManualClock, log: RecordingLog
):
    richpanel.set_modes(tag_mode="id", rate_limit=None)
    richpanel.add_ticket("1042")
    for name in ("kept", "deleted"):
        richpanel.tag_id(name)
    by_id = adapter(richpanel.url, clock, log, tag_mode="id")
    by_id.tag_names()
    richpanel.delete_tag("deleted")

    assert by_id.add_tags("1042", {"kept", "deleted"}, deadline_seconds=5) == {"deleted"}

    assert richpanel.tags_of("1042") == {"kept"}


def test_a_refusal_that_no_tag_explains_stays_one(
    richpanel: SimulatedRichpanel, clock: ManualClock, log: RecordingLog
):
    richpanel.set_modes(tag_mode="id", rate_limit=None)
    richpanel.add_ticket("1042")
    richpanel.tag_id("kept")
    richpanel.fault("status", operation="add_tags", status=400, times=2)
    by_id = adapter(richpanel.url, clock, log, tag_mode="id")

    with pytest.raises(PermanentError, match="400"):
        by_id.add_tags("1042", {"kept"}, deadline_seconds=5)


def test_a_tag_is_created_once(live_client: Richpanel):
    live_client.create_tag("mw-processed")
    live_client.create_tag("mw-processed")
    assert "mw-processed" in live_client.tag_names()


def test_a_ticket_whose_tags_are_ids_shows_their_names_too(tickets: Richpanel, vendor: Vendor):
    tag_id = "0b7e5a4e-3f0f-4c57-9d3e-0a1b2c3d4e5f"
    vendor.will(
        does.answer(200, {"ticket": {"id": "7", "tags": [tag_id, "plain"]}}),
        does.answer(200, {"tag": [{"id": tag_id, "name": "mw-processed"}]}),
        does.answer(200, {"ticket": {"id": "7", "tags": [tag_id]}}),
    )

    assert tickets.read_ticket("7").tags == {tag_id, "plain", "mw-processed"}
    assert tickets.read_ticket("7").tags == {tag_id, "mw-processed"}
    assert len(vendor.requests) == 3


def test_missing_tag_names_do_not_hide_the_ticket(tickets: Richpanel, vendor: Vendor):
    tag_id = "0b7e5a4e-3f0f-4c57-9d3e-0a1b2c3d4e5f"
    vendor.will(does.answer(200, {"ticket": {"id": "7", "tags": [tag_id]}}), does.answer(403))

    assert tickets.read_ticket("7").tags == {tag_id}


def test_a_ticket_is_assigned_by_the_users_id(
    live_client: Richpanel, richpanel: SimulatedRichpanel
):
    richpanel.add_ticket("1042")

    live_client.assign("1042", "agent-1", deadline_seconds=5)

    assert richpanel.ticket("1042")["assignee_id"] == "agent-1"
    assert richpanel.calls[-1].body == {"ticket": {"assignee_id": "agent-1"}}


@pytest.mark.parametrize("script", [does.hang, does.reset, does.answer(500)])
def test_a_tag_of_unknown_outcome_may_simply_be_repeated(
    tickets: Richpanel, vendor: Vendor, script: does.Script
):
    vendor.will(script)

    with pytest.raises(TransientError):
        tickets.add_tags("7", {"vip"}, deadline_seconds=0.4)


@pytest.mark.parametrize("shown", [{"id": "7"}, {"id": 7}, {"status": "OPEN"}])
def test_a_change_whose_response_shows_it_on_the_ticket_is_done(
    tickets: Richpanel, vendor: Vendor, shown: dict[str, object]
):
    """Ids are numbers in some answers, here as where a ticket is read; no further request is made."""
    vendor.will(does.answer(200, {"ticket": {**shown, "tags": ["other", "VIP"]}}))

    tickets.add_tags("7", {"vip"}, deadline_seconds=5)
    tickets.remove_tags("7", {"old"}, deadline_seconds=5)

    assert len(vendor.requests) == 2


@pytest.mark.parametrize(
    "answered", [{}, {"success": True}, {"ticket": "updated"}, {"ticket": {"id": "7", "tags": []}}]
)
@pytest.mark.parametrize("is_applied", [True, False])
def test_a_change_that_its_response_does_not_show_is_read_back(
    tickets: Richpanel, vendor: Vendor, *, answered: object, is_applied: bool
):
    """A response may be older than the change; only the ticket itself says that nothing was done."""
    tags = ["vip"] if is_applied else []
    vendor.will(does.answer(200, answered), does.answer(200, {"ticket": {"id": "7", "tags": tags}}))

    if is_applied:
        tickets.add_tags("7", {"vip"}, deadline_seconds=5)
    else:
        with pytest.raises(UncertainError, match="not_applied"):
            tickets.add_tags("7", {"vip"}, deadline_seconds=5)

    assert len(vendor.requests) == 2


def test_a_tag_that_is_still_there_was_not_removed(tickets: Richpanel, vendor: Vendor):
    vendor.will(does.answer(200, {"ticket": {"id": "7", "tags": ["old"]}}))

    with pytest.raises(UncertainError, match="not_applied"):
        tickets.remove_tags("7", {"old"}, deadline_seconds=5)


@pytest.mark.parametrize("script", [does.answer(503), does.answer(403), does.reset])
def test_a_change_that_cannot_be_read_back_now_is_uncertain(
    tickets: Richpanel, vendor: Vendor, script: does.Script
):
    vendor.will(does.answer(200, {}), script)

    with pytest.raises(UncertainError):
        tickets.add_tags("7", {"vip"}, deadline_seconds=5)


@pytest.mark.parametrize("shown", [{}, {"id": "8"}, {"id": 8}, {"id": None}])
def test_a_change_whose_response_shows_another_ticket_is_refused(
    tickets: Richpanel, vendor: Vendor, shown: dict[str, object]
):
    vendor.will(does.answer(200, {"ticket": shown}))

    with pytest.raises(PermanentError, match="id_mismatch"):
        tickets.add_tags("7", {"vip"}, deadline_seconds=5)
    with pytest.raises(UncertainError, match="id_mismatch"):
        tickets.send_message(
            "7", body="hi", author_id="agent-1", reference="3F9A-17BC", deadline_seconds=5
        )
