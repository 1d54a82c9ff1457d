"""Acts by a page: done once under double clicks and by two persons, and named in the journal."""

import re

import pytest

from chalicelib.once.action import ActionStatus
from chalicelib.once.job import encode
from chalicelib.once.lanes import LANES
from chalicelib.support.jobs import TicketMessage
from ops import journal as entries
from tests.rigs.console import fields, words_of
from tests.rigs.ledger import MODES, TAG, facts

EVENT = "evt:rp:1042:c-77"


@pytest.fixture
def unknown(console):
    """One tag's outcome is unknown, and its event is parked for it."""
    ledger = console.services.ledger
    lease = ledger.claim(facts(), MODES, lease_seconds=250, takeover=frozenset())
    ledger.begin(lease, [TAG], MODES)
    ledger.end_action(lease, TAG, ActionStatus.UNKNOWN, reason="timeout")
    return console


def row(console, key):
    return console.session.ledger_table.get({"event_id": key})


def journal(console):
    return [
        (entry["by"], entry["did"], entry["result"], entry["reason"]) for entry in _entries(console)
    ]


def _entries(console):
    day = console.services.clock.now().date().isoformat()
    return entries.page(console.session, day=day, limit=100)[0][::-1]


def settling(browser, outcome, **changes):
    form = fields(browser.get(f"/unknown/one?key={TAG.key}"), outcome=outcome)
    ticked = {"force": "yes"} if outcome == "not-done" else {}
    return {**form, "reason": "the desk shows none", **ticked, **changes}


# --- settling ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "status"), [("done", "done"), ("not-done", "pending"), ("abandon", "abandoned")]
)
def test_an_unknown_effect_is_settled_and_the_journal_names_the_person(unknown, outcome, status):
    jo = unknown.browser("jo")
    answer = jo.post("/unknown/settle", settling(jo, outcome))
    assert answer.status_code == 303
    assert row(unknown, TAG.key)["status"] == status
    assert journal(unknown) == [("Operators/jo", "settle", outcome, "the desk shows none")]


def test_what_may_still_arrive_is_not_settled_as_not_done_without_the_tick(unknown):
    jo = unknown.browser("jo")
    answer = jo.post("/unknown/settle", settling(jo, "not-done", force=""))
    assert answer.status_code == 409
    until = re.search(
        r"may still arrive, until (\S+Z)", words_of(jo.get(f"/unknown/one?key={TAG.key}"))
    )
    assert f"Too early The request may still arrive until {until.group(1)};" in words_of(answer)
    assert "--force" not in answer.text
    assert row(unknown, TAG.key)["status"] == "unknown"
    assert journal(unknown) == []


def test_a_double_click_settles_once_and_says_so(unknown):
    jo = unknown.browser("jo")
    form = settling(jo, "not-done")
    assert [jo.post("/unknown/settle", form).status_code for _ in range(2)] == [303, 409]
    assert len(journal(unknown)) == 1


def test_of_two_persons_the_slower_changes_nothing(unknown):
    jo, kim = unknown.browser("jo"), unknown.browser("kim")
    first, second = settling(jo, "done"), settling(kim, "not-done")
    assert jo.post("/unknown/settle", first).status_code == 303
    late = kim.post("/unknown/settle", second)
    assert late.status_code == 409
    assert "Operators/jo: settle done, because: the desk shows none" in words_of(late)
    assert row(unknown, TAG.key)["status"] == "done"
    assert [entry[0] for entry in journal(unknown)] == ["Operators/jo"]


def test_a_form_that_saw_another_attempt_settles_nothing(unknown):
    jo = unknown.browser("jo")
    form = settling(jo, "done")
    table = unknown.session.ledger_table
    table.update({"event_id": TAG.key}, set_={"started_epoch": int(form["seen"]) + 60})
    assert jo.post("/unknown/settle", form).status_code == 409
    assert row(unknown, TAG.key)["status"] == "unknown"


def test_the_page_says_what_is_at_stake_and_offers_a_viewer_no_choice(unknown):
    text = unknown.browser("vi").text(f"/unknown/one?key={TAG.key}")
    for words in ("may still arrive", "timeout", "1042", "ops settle"):
        assert words in text
    assert "It did not happen" not in text
    jo = unknown.browser("jo")
    assert "the customer gets it twice" in jo.text(f"/unknown/one?key={TAG.key}")
    forged = {**settling(jo, "done"), "token": "form-token-of-vi"}
    assert unknown.browser("vi").post("/unknown/settle", forged).status_code == 403
    assert row(unknown, TAG.key)["status"] == "unknown"


@pytest.mark.parametrize(
    "changes",
    [
        {"reason": " "},
        {"reason": "x" * 301},
        {"outcome": "sent"},
        {"seen": "x"},
        {"seen": ""},
        {"once": ""},
        {"once": "<script>"},
        {"key": "evt:rp:1"},
        {"ref": "r" * 201},
    ],
)
def test_a_rubbish_form_is_refused_with_the_field_and_not_its_value(unknown, changes):
    jo = unknown.browser("jo")
    answer = jo.post("/unknown/settle", {**settling(jo, "done"), **changes})
    assert answer.status_code == 400
    assert next(iter(changes)) in answer.text
    assert "<script>" not in answer.text.replace("</script>", "").replace('<script src="', "")
    assert row(unknown, TAG.key)["status"] == "unknown"
    assert journal(unknown) == []


# --- running an event again -------------------------------------------------------------------


@pytest.fixture
def failed(console):
    """An event that ended failed."""
    ledger = console.services.ledger
    lease = ledger.claim(facts(), MODES, lease_seconds=250, takeover=frozenset())
    ledger.release(lease, reason="richpanel_http_503", due_epoch=None)
    ledger.mark_failed(EVENT, reason="dead_letter:richpanel_http_503")
    return console


def test_running_again_is_previewed_and_then_done_once(failed):
    jo = failed.browser("jo")
    page = jo.get(f"/story/again?key={EVENT}")
    assert "not decided yet" in page.text
    assert failed.services.outbox.messages == []
    form = {**fields(page), "reason": "Richpanel is back"}
    assert [jo.post("/story/again", form).status_code for _ in range(2)] == [303, 409]
    assert len(failed.services.outbox.messages) == 1
    assert journal(failed) == [("Operators/jo", "replay", "asked", "Richpanel is back")]


def test_another_form_may_ask_again_later(failed):
    for who in ("jo", "kim"):
        browser = failed.browser(who)
        form = {**fields(browser.get(f"/story/again?key={EVENT}")), "reason": "once more"}
        assert browser.post("/story/again", form).status_code == 303
        failed.services.clock.forward(1)
    assert [entry[0] for entry in journal(failed)] == ["Operators/jo", "Operators/kim"]


# --- dead letters -----------------------------------------------------------------------------


@pytest.fixture
def letters(console):
    """Two dead letters of two tickets, in the tickets' lane."""
    sqs = console.services.client("sqs")
    url = sqs.get_queue_url(QueueName=LANES[0].dead_letter_queue("dev"))["QueueUrl"]
    for ticket in ("1042", "2077"):
        job = TicketMessage(
            event_key=f"evt:rp:{ticket}:c-1",
            conversation_id=ticket,
            received_at="2026-11-20T12:00:00.000Z",
            source="t",
            trace_id="t",
            message_id="c-1",
        )
        sqs.send_message(
            QueueUrl=url,
            MessageBody=console.services.seal.sealed(
                encode(job), queue="rp-mw-events-dev.fifo", group_id=ticket
            ),
            MessageGroupId=ticket,
            MessageDeduplicationId=ticket,
        )
    return console


def test_a_redrive_shows_first_what_would_happen_and_sends_one_letter_once(letters):
    jo = letters.browser("jo")
    assert "evt:rp:2077:c-1" in jo.text("/letters")
    page = jo.get("/letters/redrive?message=evt:rp:1042:c-1")
    assert "no worker has claimed it" in page.text
    assert letters.services.outbox.messages == []
    form = {**fields(page), "reason": "the outage is over"}
    assert [jo.post("/letters/redrive", form).status_code for _ in range(2)] == [303, 409]
    assert len(letters.services.outbox.messages) == 1
    assert journal(letters) == [("Operators/jo", "dlq redrive", "asked", "the outage is over")]
    left = jo.text("/letters")
    assert "evt:rp:2077:c-1" in left
    assert "evt:rp:1042:c-1" not in left


def test_all_letters_of_a_reason_are_redriven_by_one_form(letters):
    jo = letters.browser("jo")
    page = jo.get("/letters/redrive?of=no row")
    assert "2 letters" in page.text
    answer = jo.post("/letters/redrive", {**fields(page), "reason": "all of them"})
    assert answer.status_code == 303
    assert len(letters.services.outbox.messages) == 2
    assert "No dead letters" in jo.text("/letters")


@pytest.mark.parametrize("query", ["", "?message=a&of=b", "?message=&of="])
def test_a_redrive_needs_a_letter_or_a_reason(letters, query):
    assert letters.browser("jo").get(f"/letters/redrive{query}").status_code == 400
