"""A message is tried: what the command says is shown in words, and nothing that is typed is kept or run."""

import dataclasses
import json

import pytest

from chalicelib.support.configuration.document import parse_document, plain_data
from chalicelib.support.configuration.versions import Versions
from chalicelib.support.intents.grammar import KINDS as GRAMMARS_KINDS
from chalicelib.support.intents.sentences import OTHER
from console.pages import trying
from console.typed_conversation import TypedOrder
from tests.ops.support.test_decide import ORDER
from tests.rigs.console import fields, words_of

ASKS = "Where is my order #1042?"
DATELESS = ORDER | {"created_at": "secret-5550100"}
HOSTILE = "<script>alert(1)</script> \u202epay"


def typed(*texts, by=(), **more):
    """The form as it is posted; the shop's order in it is on its way."""
    return {
        "subject": "",
        "email": "jo@example.com",
        "shop": "fields",
        "from": [*by, *(["customer"] * (len(texts) - len(by)))],
        "text": list(texts),
        "orders": "",
    } | {
        **dataclasses.asdict(TypedOrder(ordered="2", sent="1")),
        **more,
    }


def rows(console):
    """Everything that the stage has stored."""
    names = console.services.settings
    tables = (names.idempotency_table, names.state_table, names.audit_table)
    return [console.services.table(table).scan_page(limit=1000) for table in tables]


def test_a_plain_question_shows_its_reply_with_proofs_and_both_judges(console):
    jo = console.browser("jo")
    answer = jo.post("/try", {**fields(jo.get("/try")), **typed(f"{ASKS} Thank you!")})
    said = words_of(answer)
    assert answer.status_code == 200, said
    assert "It would be answered automatically." in said
    assert "Email support team" in said
    assert "Tracking number: 1Z999AA10123456784 (UPS)" in said
    assert "orders[0].fulfillments[0].tracking[0].number" in said
    for judge in ("grammar", "learned judge"):
        assert f"{judge}: a question about an order" in said
        assert f"{judge}: a courtesy" in said


@pytest.mark.parametrize(
    ("form", "decision", "reason"),
    [
        (typed("Cancel it now"), "person", "template_not_enabled"),
        (typed(ASKS, sent=""), "answer", None),
        (typed("Where is my order?", shop="none"), "ask", None),
        (typed(ASKS, shop="unreadable"), "person", "lookup_failed:unreadable"),
        (typed(ASKS, status="DELIVERED"), "person", "order_delivered"),
        (typed(ASKS, ordered="90", sent="89"), "person", "delivery_window_over"),
        (typed(ASKS, subject="Cancel my order"), "person", "open_request:cancel"),
        (typed(ASKS, "Hi", by=("customer", "agent")), "none", "answered_by_operator"),
        (typed("", ASKS, "  "), "answer", None),
        (
            typed(ASKS, shop="json", orders=json.dumps([ORDER | {"holds": ["OTHER"]}])),
            "person",
            "order_on_hold",
        ),
    ],
)
def test_the_decision_is_shown_with_its_reason_in_words(console, form, decision, reason):
    said = words_of(console.browser("vi").post("/try", form))
    assert trying.DECISIONS[decision] in said
    if reason:
        assert reason in said
        assert trying.plain_words.CATALOGUE.sentence(reason) in said


def test_a_grave_matter_and_its_team_are_shown(console):
    said = words_of(console.browser().post("/try", typed("My lawyer will sue you.")))
    assert "legal threat" in said
    assert "Team Leadership team" in said


def test_the_published_settings_decide(console):
    french = {"languages": {"fr": "route-warehouse"}, "departments": {"route-warehouse": {}}}
    document = plain_data(parse_document(french))
    versions = Versions(table=console.session.ledger_table, clock=console.services.clock)
    versions.publish(document, by="jo", note="", after=0)
    said = words_of(console.browser().post("/try", typed("Bonjour, où est ma commande svp ?")))
    assert "Warehouse" in said
    assert "version 1" in said


def test_another_message_is_added_and_what_was_typed_stays(console):
    jo = console.browser()
    page = jo.post("/try", {**typed("one", "two", subject="Hello"), "do": "more"}).text
    assert page.count("<fieldset><legend>Message") == 3
    assert 'value="Hello"' in page
    assert ">one</textarea>" in page
    assert 'aria-label="Decision"' not in page
    assert "Add a message" not in jo.post("/try", {**typed(*["x"] * 9), "do": "more"}).text


def test_hostile_text_is_shown_as_text_and_hides_nothing(console):
    form = typed(HOSTILE, subject=HOSTILE, number=HOSTILE, email=HOSTILE, orders=HOSTILE)
    for more in ({}, {"status": HOSTILE}, {"shop": HOSTILE}, {"from": HOSTILE}, {"shop": "json"}):
        page = console.browser().post("/try", {**form, **more}).text
        assert "<script>alert" not in page
    shown = console.browser().post("/try", typed(HOSTILE)).text
    decision, _, form = shown.partition("<h2>The conversation")
    assert "&lt;script&gt;" in decision
    assert "\u202e" not in decision
    assert "\u202epay</textarea>" in form


@pytest.mark.parametrize(
    ("form", "field"),
    [
        (typed(), "text"),
        (typed(" \n"), "text"),
        (typed(*["secret-5550100"] * 11), "text"),
        (typed("secret-5550100" * 600), "text"),
        (typed(ASKS, subject="secret-5550100" * 30), "subject"),
        (typed(ASKS, email="secret-5550100" * 30), "email"),
        (typed(ASKS, number="secret-5550100" * 30), "number"),
        (typed(ASKS, ordered="secret-5550100"), "ordered"),
        (typed(ASKS, ordered="99999"), "ordered"),
        (typed(ASKS, sent="-1"), "sent"),
        (typed(ASKS, ordered="1", sent="2"), "sent"),
        (typed(ASKS, shop="secret-5550100"), "shop"),
        (typed(ASKS, by=("secret-5550100",)), "messages[0].from"),
        (typed(ASKS, shop="json", orders="secret-5550100"), "orders"),
        (typed(ASKS, shop="json", orders="[" * 50_000), "orders"),
        (typed(ASKS, shop="json", orders='"secret-5550100"'), "orders"),
        (typed(ASKS, shop="json", orders="[" + " " * 60_000 + "]"), "orders"),
        (typed(ASKS, shop="json", orders='[{"name": "secret-5550100"}]'), "orders[0].email"),
        (typed(ASKS, shop="json", orders=json.dumps([DATELESS])), "orders[0].created_at"),
    ],
)
def test_a_wrong_field_is_named_and_never_its_value(console, form, field):
    answer = console.browser().post("/try", form)
    (said,) = [line for line in answer.text.splitlines() if 'role="alert"' in line]
    assert answer.status_code == 400
    assert f"field {field}" in said
    assert "secret-5550100" not in said


def test_more_than_a_form_may_hold_is_refused(console):
    answer = console.browser().post("/try", typed(ASKS, orders="x" * 300_000))
    assert answer.status_code == 413
    assert "too long" in answer.text


def test_nothing_is_stored_or_logged(console, capsys, monkeypatch):
    monkeypatch.setenv("OPS_LOG", "1")
    before = rows(console)
    assert console.browser().post("/try", typed("Where is my quokka?")).status_code == 200
    console.services.log.event("heard")
    assert rows(console) == before
    said = "".join(capsys.readouterr())
    assert "heard" in said
    assert "quokka" not in said


def test_who_may_not_look_and_a_forged_form_decide_nothing(console):
    assert console.browser("ana").get("/try").status_code == 403
    assert console.browser("lea").post("/try", typed(ASKS)).status_code == 403
    assert console.browser("vi").post("/try", typed(ASKS), token=False).status_code == 403
    assert console.browser("vi").post("/try", typed(ASKS), headers={}).status_code == 403


def test_every_kind_of_sentence_has_words():
    assert trying.KINDS.keys() == {*GRAMMARS_KINDS, OTHER}
