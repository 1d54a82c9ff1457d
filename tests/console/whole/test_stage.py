"""The console over a whole stage on the local engine: what it shows and does is what happened."""

from collections import Counter

import pytest

from ops.session import Session
from tests.rigs.console import Console, fields, words_of
from tests.rigs.tickets import ROUTED, put_dead_letter


@pytest.fixture
def console(system):
    return Console(Session("dev"))


def test_a_message_that_was_not_answered_is_explained_in_two_clicks(system, console):
    system.post(system.ticket())
    system.run()
    jo = console.browser("jo")
    found = jo.post("/find", {"q": "1042"}, follow_redirects=True)
    assert "Not answered automatically: automatic replies are not enabled" in words_of(found)
    assert "Routed to" in words_of(found)
    preview = jo.text("/story/again?key=evt:rp:1042:c-1")
    assert "sends nothing; 4 done already" in preview


def test_a_dead_letter_is_redriven_after_a_dry_run_and_acts_once(system, console, log_stream):
    put_dead_letter(system, "1042")
    before = system.added()  # the mark that the message needs attention
    jo = console.browser("jo")
    assert "1 Dead letters" in jo.text("/")
    assert "dead_letter:richpanel_http_503" in jo.text("/letters")
    page = jo.get("/letters/redrive?message=evt:rp:1042:c-1")
    assert "4 would go" in page.text
    assert system.added() == before
    form = {**fields(page), "reason": "Richpanel is back"}
    assert [jo.post("/letters/redrive", form).status_code for _ in range(2)] == [303, 409]
    system.run()
    assert system.added() == before + Counter(ROUTED)
    assert "No dead letters" in jo.text("/letters")
    story = jo.text("/story?key=evt:rp:1042:c-1")
    assert "Operators/jo asked for dlq redrive" in story
    assert "Richpanel is back" in story


def test_health_shows_the_switches_and_the_doctors_findings(system, console):
    system.switch("kill_switch", "true")
    jo = console.browser("jo")
    assert "kill_switch true" in jo.text("/health")
    assert "Effects are stopped: kill_switch is true" in jo.text("/")
    assert "kill_switch=true" in jo.text("/health/checks")
