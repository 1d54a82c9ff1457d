"""One ticket's decision made in shadow, and the form by which a person labels it."""

import pytest

from chalicelib.support.state import StateChange
from tests.rigs.console import fields, words_of
from tests.rigs.ledger import MODES, facts

EVENT = "evt:rp:1042:c-77"
PAGE = "/shadow/one?ticket=1042"
DECIDED = {
    "event": EVENT,
    "at": "2026-11-20T09:00:00.000Z",
    "made": "2026-11-20T09:00:02.000Z",
    "decision": "person",
    "intent": "refund_request",
    "team": "route-returns-admin",
    "reasons": ["not_understood", "shadow"],
}


@pytest.fixture
def decided(console):
    services = console.services
    lease = services.ledger.claim(facts(EVENT), MODES, lease_seconds=250, takeover=frozenset())
    change = StateChange("1042", DECIDED["at"], decisions=[DECIDED])
    assert services.support.state.apply(lease, change)
    services.support.state.note_people("1042", {"event": EVENT, "answered": True, "tags": []})
    return console


def labels(console):
    return [label["code"] for label in console.services.support.state.read("1042").labels]


def test_an_operator_sees_the_decision_and_what_people_did(decided):
    text = decided.browser("jo").text(PAGE)
    assert "not_understood, shadow" in text
    assert "answered True" in text
    assert "label none" in text


def test_who_may_only_look_sees_no_ticket_and_labels_none(decided):
    """The reply is a text for a customer."""
    viewer = decided.browser("vi")
    assert viewer.get(PAGE).status_code == 403
    answer = viewer.post("/shadow/label", {"ticket": "1042", "code": "right"})
    assert answer.status_code == 403
    assert labels(decided) == []


def test_a_label_is_stored_once_and_entered_in_the_journal(decided):
    jo = decided.browser("jo")
    form = fields(jo.get(PAGE), ticket="1042") | {"code": "wrong_team", "reason": "a return"}
    assert jo.post("/shadow/label", form).status_code == 303
    assert labels(decided) == ["wrong_team"]
    again = jo.post("/shadow/label", {**form, "code": "right"})
    assert "sent before" in words_of(again)
    assert labels(decided) == ["wrong_team"]
    assert "label wrong team" in jo.text(PAGE)
    assert "support label" in jo.text(f"/journal?key={EVENT}")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"code": "<script>"}, "code: one of right"),
        ({"ticket": ""}, "ticket: a ticket"),
        ({"reason": ""}, "reason: say why"),
        ({"ticket": "77"}, "no decision"),
    ],
)
def test_a_form_that_is_not_ours_is_refused(decided, given, says):
    jo = decided.browser("jo")
    form = fields(jo.get(PAGE), ticket="1042") | {"code": "right", "reason": "why"}
    answer = jo.post("/shadow/label", {**form, **given})
    assert answer.status_code >= 400
    assert says in words_of(answer)
    assert labels(decided) == []
