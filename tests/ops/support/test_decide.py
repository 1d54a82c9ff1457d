"""`ops support decide`: the worker's own judge on a line of a file."""

import json
from copy import deepcopy

import pytest

from tests.rigs.ops_cli import runner

ORDER = {
    "name": "#1042",
    "email": "jo@example.com",
    "created_at": "2026-11-20T10:00:00Z",
    "cancelled_at": None,
    "financial_status": "PAID",
    "fulfillment_status": "FULFILLED",
    "country": "US",
    "tags": [],
    "shipping_method": "Standard",
    "holds": [],
    "refunds": [],
    "returns": [],
    "disputes": [],
    "fulfillments": [
        {
            "created_at": "2026-11-21T10:00:00Z",
            "shipment_status": "IN_TRANSIT",
            "estimated_delivery_at": None,
            "tracking": [{"company": "UPS", "number": "1Z999", "url": None}],
            "events": [{"status": "IN_TRANSIT", "at": "2026-11-22T10:00:00Z"}],
        }
    ],
}
ASKS = "Where is my order #1042?"


def line(*said, orders=(ORDER,), ticket=None, **customer):
    """A conversation; `said` are texts of the customer, or pairs of who wrote and what."""
    pairs = [text if isinstance(text, tuple) else ("customer", text) for text in said]
    return {
        "id": "c1",
        "now": "2026-11-24T10:00:00Z",
        "ticket": {"subject": "", "channel": "email", "tags": [], "assignee": None}
        | (ticket or {}),
        "customer": {"email": "jo@example.com", "open_risks": []} | customer,
        "messages": [
            {"at": f"2026-11-24T0{number}:00:00Z", "from": who, "name": None, "text": text}
            for number, (who, text) in enumerate(pairs)
        ],
        "orders": None if orders is None else deepcopy(list(orders)),
    }


@pytest.fixture
def decide(capsys, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    run = runner(capsys)

    def decided(*lines, options=(), code=0):
        typed = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
        found = run("support", "decide", "--json", *options, typed=typed)
        assert found.code == code, found.err
        return found.err if code else [json.loads(line) for line in found.out.splitlines()]

    return decided


def test_every_field_of_the_answer_is_there(decide):
    (found,) = decide(line(ASKS))
    reply = found.pop("reply")
    assert "#1042" in reply
    assert "1Z999" in reply
    assert isinstance(found.pop("proof"), list)
    assert found == {
        "id": "c1",
        "decision": "answer",
        "intent": "order_status_tracking",
        "team": "route-email-support-team",
        "risks": [],
        "reasons": [],
        "closes": False,
        "moves": True,
    }


@pytest.mark.parametrize(
    ("given", "decision", "reason"),
    [
        (line("Where is my order?"), "answer", None),
        (line("Where is my order?", orders=[]), "ask", None),
        (line(ASKS, orders=None), "person", "lookup_failed:unreadable"),
        (line(ASKS, email="al@example.com"), "person", "not_theirs"),
        (line(ASKS, orders=[ORDER | {"refunds": ["done"]}]), "person", "order_partly_refunded"),
        (line(ASKS, orders=[ORDER | {"holds": [{"reason": "OTHER"}]}]), "person", "order_on_hold"),
        (line(ASKS, orders=[ORDER | {"disputes": ["NEEDS_RESPONSE"]}]), "person", "order_disputed"),
        (line(ASKS, orders=[ORDER | {"returns": ["OPEN"]}]), "person", "order_return_in_progress"),
        (line("Please cancel order 1042", ASKS), "person", "open_request:cancel"),
        (line(ASKS, ticket={"subject": "Cancel my order"}), "person", "open_request:cancel"),
        (line(ASKS, ticket={"tags": ["no-bot"]}), "person", "stop_tag"),
        (line(ASKS, ticket={"assignee": "ann"}), "person", "held_by_a_person"),
        (line(ASKS, open_risks=["legal_threat"]), "person", "customer_at_risk"),
        (line(ASKS, ticket={"channel": "chat"}), "person", "channel_not_supported"),
        (line(ASKS, ("agent", "Let me look")), "none", "answered_by_operator"),
        (line(ASKS, ("machine", "It is in transit")), "none", "answered_automatically"),
        (line(), "none", "no_text"),
    ],
)
def test_a_conversation_is_decided(decide, given, decision, reason):
    (found,) = decide(given)
    assert found["decision"] == decision
    assert (found["reasons"] or [None])[-1] == reason
    assert (found["reply"] is None) == (decision not in ("answer", "ask"))


def test_a_number_that_the_machine_asked_for_is_answered(decide):
    asked = ("machine", "Which order is it? The number is in your confirmation e-mail.")
    (found,) = decide(
        line("Where is my order?", asked, "1042", orders=[ORDER, ORDER | {"name": "#7"}])
    )
    assert (found["decision"], found["reasons"]) == ("answer", ["answers_our_question"])


OTHER = ORDER | {"name": "#2222"}


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        (
            line("Where is my order?", orders=[ORDER, OTHER], ticket={"subject": "Order 2222"}),
            ["2222"],
        ),
        (line("Where is my order 2222?", "Any update?", orders=[ORDER, OTHER]), ["2222"]),
        (
            line("Where is my order #1042 and my order #2222?", orders=[ORDER, OTHER]),
            ["1042", "2222"],
        ),
    ],
)
def test_the_answer_is_about_the_orders_that_the_conversation_names(decide, given, numbers):
    (found,) = decide(given)
    assert found["decision"] == "answer"
    assert [number for number in ("1042", "2222") if number in found["reply"]] == numbers


@pytest.mark.parametrize(
    "given",
    [
        line("Where is my order 2222?", ASKS, orders=[ORDER, OTHER]),
        line(ASKS, orders=[ORDER, OTHER], ticket={"subject": "Order 2222"}),
    ],
)
def test_an_answer_about_one_of_two_orders_is_none(decide, given):
    (found,) = decide(given)
    assert (found["decision"], found["reasons"][-1]) == ("person", "other_order_open")


def test_a_ticket_of_a_persons_does_not_move(decide):
    said = line("UPS lost my parcel", ("agent", "I opened a claim with UPS"), ASKS)
    (found,) = decide(said)
    assert (found["decision"], found["moves"]) == ("person", False)


def test_a_ticket_that_is_where_it_belongs_does_not_move(decide):
    tags = {"tags": ["route-email-support-team"]}
    (found,) = decide(line(ASKS, ticket=tags))
    assert found["moves"] is False


def test_the_settings_document_counts(decide, tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('[answers]\nstop_tags = ["vip"]\nqueues = ["ann"]\n')
    options = ("--settings", file)
    vip, queued = decide(
        line(ASKS, ticket={"tags": ["VIP"]}),
        line(ASKS, ticket={"assignee": "ann"}),
        options=options,
    )
    assert (vip["decision"], queued["decision"]) == ("person", "answer")


def test_explaining_adds_the_sentences(decide):
    (found,) = decide(line(ASKS), options=("--explain",))
    assert isinstance(found["sentences"], list)
