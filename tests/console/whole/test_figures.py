"""A company's figures: what waits, who answered and how fast, drafts, failures, opt-outs; its own alone."""

import pytest

from chalicelib.outreach.conversations.register_entries import MarkReason
from tests.rigs.console import words_of
from tests.rigs.days_life import a_days_life
from tests.rigs.desk import OTHERS, OURS, TEL


@pytest.fixture
def lea(desk_console):
    """A lead's text of a page."""
    return desk_console.browser("lea").text


def test_a_company_without_a_message_is_told_what_would_be_here(lea):
    text = lea("/figures")
    assert f"How it goes at {OURS}" in text
    assert "0 wait for a person now" in text
    assert "Nothing was counted in these 28 days" in text
    assert "<svg" not in text


def test_a_lead_sees_what_waits_and_the_longest_against_the_target(lea, desk):
    a_days_life(desk)
    text = lea("/figures")
    listed = desk.inbox.list(company_id=OURS, states=("waiting", "taken")).entries
    assert f"{len(listed)} wait for a person now" in text
    assert "The longest for 1 h, 1 h beyond the target" in text
    assert "late by their project's target" in text


def test_answers_of_the_machine_and_of_people_are_apart_with_their_times(lea, desk):
    desk.hears(desk.begun(), "Tell me more")
    desk.clock.forward(45)
    desk.work()
    record = desk.handed_off("req2", tel="+15550100002")
    desk.act("take", record)
    desk.clock.forward(500)
    desk.act("reply", record, text="It is me, Sam.")
    desk.work()
    text = lea("/figures")
    assert (
        "1 answer by the machine , in 28 days Half within 1 min, nine of ten within 1 min" in text
    )
    assert "1 answer by people , in 28 days Half within 10 min, nine of ten within 10 min" in text
    assert "Answers on 1 day so far: too little for a picture." in text


def test_drafts_wrong_answers_failures_and_opt_outs_are_in_the_days_row(lea, desk):
    held = desk.says(desk.begun(auto_queue_reply_message=True), "Tell me more")
    desk.act("approve", held, text="Something else, by Sam.")
    desk.conversations.count_wrong(held, "wrong_tone")
    desk.conversations.count_failed(held, "30006")
    desk.conversations.forbid(TEL, OURS, MarkReason.STOP)
    text = lea("/figures")
    day = f"{desk.clock.now():%Y-%m-%d}"
    assert f"{day} \u2013 \u2013 \u2013 \u2013 1 \u2013 1 1 1" in text
    assert "Why conversations failed" in text
    assert "(30006) 1" in text
    assert "Why people opted out" in text


def test_days_become_weeks_and_four_days_with_answers_a_picture(desk_console, desk):
    for number in range(4):
        desk.says(desk.begun(f"req{number}", tel=f"+1555010000{number}"), "Tell me more")
        desk.clock.forward(24 * 3600)
    page = desk_console.browser("lea").get("/figures")
    assert page.text.count('<svg class="chart"') == 1
    weeks = words_of(desk_console.browser("lea").get("/figures?by=week"))
    assert "By week, the newest first" in weeks


def test_another_companys_figures_are_not_there(desk_console, desk):
    desk.says(desk.begun(company_id=OTHERS, tel="+15550100002"), "Tell me more")
    browser = desk_console.browser
    assert browser("lea").get(f"/figures?company={OTHERS}").status_code == 404
    assert browser("zoe").get(f"/figures?company={OURS}").status_code == 404
    assert "by the machine , in" not in browser("lea").text("/figures")


def test_the_figures_are_for_who_leads(desk_console):
    assert desk_console.browser("sam").get("/figures").status_code == 403
    assert desk_console.browser("oda").get("/figures").status_code == 403


def test_who_leads_begins_with_the_figures_and_an_agent_with_the_inbox(desk_console):
    goes = {who: desk_console.browser(who).get("/").location for who in ("lea", "sam")}
    assert goes == {"lea": "/figures", "sam": "/inbox"}


@pytest.mark.parametrize(
    "query", ["by=hour", "company=" + "x" * 101, "company=ci-aaa-001&project=" + "x" * 101]
)
def test_what_is_wrong_in_the_address_is_named(desk_console, query):
    answer = desk_console.browser("lea").get(f"/figures?{query}")
    assert answer.status_code == 400
    assert "xxxxx" not in answer.text
