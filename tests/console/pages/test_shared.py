"""A story by a link: no session, no names, read-only, for a week, and only for the event it is of."""

import html
import re
from datetime import timedelta

import pytest

from chalicelib.once.journal import Act
from tests.rigs.console import fields, words_of
from tests.rigs.ledger import MODES, facts

EVENT, OTHER = "evt:rp:1042:c-77", "evt:rp:2077:c-77"


@pytest.fixture
def shared(console):
    """Two events, an act of a person on the first, and a link to it."""
    for key in (EVENT, OTHER):
        console.services.ledger.claim(facts(key), MODES, lease_seconds=250, takeover=frozenset())
    act = Act(
        what="replay", key=EVENT, actor="Operators/kim", story="1042", reason="Bo asked for it"
    )
    console.services.journal.enter(act)
    jo = console.browser("jo")
    page = jo.get(f"/story?key={EVENT}")
    answer = jo.post("/story/share", fields(page, key=EVENT))
    assert answer.status_code == 200, words_of(answer)
    link = html.unescape(re.search(r"<code>http://[^/]+(/shared[^<]+)</code>", answer.text)[1])
    return console, link


def test_who_has_the_link_sees_the_story_without_names_or_acts(shared):
    console, link = shared
    answer = console.browser(None).get(link)
    assert answer.status_code == 200
    assert "first seen by the ledger" in words_of(answer)
    assert "by a person" in words_of(answer)
    for hidden in ("kim", "Operators", "Bo asked", "<form", "<button"):
        assert hidden not in answer.text


def test_a_link_is_of_one_event_and_one_time(shared):
    console, link = shared
    anyone = console.browser(None)
    for forged in (
        link.replace("1042", "2077"),
        re.sub(r"until=(\d+)", lambda found: f"until={int(found[1]) + 1}", link),
        re.sub(r"proof=\w+", "proof=", link),
        re.sub(r"proof=\w+", "proof=ö", link),
        re.sub(r"until=\d+", "until=x", link),
    ):
        assert anyone.get(forged).status_code == 404, forged


def test_a_link_ends(shared):
    console, link = shared
    console.services.clock.forward(timedelta(days=7, seconds=1).total_seconds())
    assert console.browser(None).get(link).status_code == 404


def test_making_a_link_is_an_act_of_an_operator_and_in_the_journal(shared):
    console, _ = shared
    assert "Operators/jo share" in console.browser("jo").text("/journal")
    forged = {"key": EVENT, "once": "a" * 16}
    assert console.browser("vi").post("/story/share", forged).status_code == 403
