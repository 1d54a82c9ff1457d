"""The promises of docs/support.md, tried from outside."""

import json
import re
from datetime import timedelta

import pytest

from tests.outside.aws import aws
from tests.outside.tickets import (
    a_person_answers,
    answers,
    at,
    days_ago,
    opens,
    order,
    reports,
    requests_about,
    tags,
    why_not,
    writes_again,
)
from tests.rigs.one_case import one_case

LEADERSHIP = "route-leadership-team"
TRACKING = {"company": "UPS", "number": "ZZ5550001", "url": "https://track.example/ZZ5550001"}
SETTINGS = """
[phrases.return_request]
sure = ["ship it? back to the? depot"]

[routes]
return_request = "route-warehouse"

[departments.route-warehouse]
"""


def test_a_plain_question_about_an_order_of_ones_own_is_answered(stack):
    bought = order(stack)
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    (answer,) = answers(stack, ticket)
    assert bought.name in answer
    assert "3 to 5 business days" in answer
    assert {"route-email-support-team", "mw-auto-replied"} <= tags(stack, ticket)
    assert at(stack, ticket)["status"] == "OPEN"


def test_the_answer_about_an_order_on_its_way_names_its_tracking(stack):
    tracking = {"company": "UPS", "number": "1Z999AA10123456784", "url": "https://track.example/1Z"}
    bought = order(stack, tracking=tracking)
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    (answer,) = answers(stack, ticket)
    assert tracking["number"] in answer


def test_thin_and_full_webhooks_of_one_message_make_one_answer(stack):
    bought = order(stack)
    text = f"Where is my order {bought.name}?"
    ticket = stack.ticket(text, customer_email=bought.mail)
    stack.webhook(ticket_id=ticket)
    stack.webhook(ticket_id=ticket, trigger="customer_message")
    reports(stack, ticket, "c-1", text)
    stack.webhook(ticket_id=ticket)
    stack.forward(minutes=5)
    assert len(answers(stack, ticket)) == 1


def test_who_names_no_order_is_asked_for_it_and_then_answered(stack):
    bought = order(stack)
    ticket = opens(stack, "Where is my order?", bought.mail)
    (question,) = answers(stack, ticket)
    assert "order number" in question
    writes_again(stack, ticket, bought.name)
    assert len(answers(stack, ticket)) == 2
    assert bought.name in answers(stack, ticket)[1]


def test_the_order_number_is_asked_for_at_most_twice(stack):
    ticket = opens(stack, "Where is my order?")
    for text in ("Where is my parcel?", "Where is my package?"):
        stack.forward(hours=1)
        writes_again(stack, ticket, text)
    assert 1 <= len(answers(stack, ticket)) <= 2
    assert "mw-order-status-suppressed" in tags(stack, ticket)


def test_another_customers_order_is_shown_to_no_one(stack):
    bought = order(stack)
    ticket = opens(stack, f"Where is my order {bought.name}?")
    assert answers(stack, ticket) == []
    assert "mw-order-lookup-failed" in tags(stack, ticket)
    assert "not_theirs" in why_not(stack, ticket)


def links(stack, ticket, bought):
    """Richpanel links an order to the ticket; the link says nothing of its payment."""
    number = bought.name.lstrip("#")
    facts = {"orderId": number, "status": "confirmed", "fulfillmentStatus": "in_transit"}
    stack.richpanel.post(
        "orders", ticket_id=ticket, app_client_id="shop", order_id=number, order=facts
    )


@pytest.mark.parametrize(
    ("is_theirs", "fields", "reason"),
    [
        (False, {"displayFinancialStatus": "REFUNDED"}, "not_theirs"),
        (False, {}, "not_theirs"),
        (True, {"displayFinancialStatus": "REFUNDED"}, "order_refunded"),
        (True, {}, None),
    ],
)
def test_a_linked_order_is_answered_only_to_its_own_customer_and_as_the_shop_shows_it(
    stack, is_theirs, fields, reason
):
    bought = order(stack, tracking=TRACKING, **fields)
    mail = bought.mail if is_theirs else stack.mail()
    ticket = stack.ticket("Where is my package?", customer_email=mail)
    links(stack, ticket, bought)
    reports(stack, ticket, "c-1", "Where is my package?")
    assert len(answers(stack, ticket)) == (reason is None)
    if reason is not None:
        assert reason in why_not(stack, ticket)


def test_an_order_that_should_have_left_by_then_goes_to_a_person(stack):
    bought = order(stack, created_at=days_ago(stack, 6))
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    assert answers(stack, ticket) == []
    assert "order_not_sent_in_time" in why_not(stack, ticket)


def test_free_shipping_abroad_has_no_domestic_window(stack):
    bought = order(stack, country="AU", shipping="Free shipping")
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    assert answers(stack, ticket) == []
    assert "order_abroad" in why_not(stack, ticket)


def test_an_order_of_which_one_of_two_parcels_has_arrived_goes_to_a_person(stack):
    parcels = [
        {"displayStatus": "IN_TRANSIT", "trackingInfo": [TRACKING]},
        {"displayStatus": "DELIVERED", "trackingInfo": [TRACKING | {"number": "ZZ5550002"}]},
    ]
    bought = order(stack, fulfillments=parcels)
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    assert answers(stack, ticket) == []
    assert "order_delivered" in why_not(stack, ticket)


@pytest.mark.parametrize("fields", [{}, {"displayFinancialStatus": "REFUNDED"}])
def test_two_orders_are_answered_in_one_reply_or_by_a_person(stack, fields):
    first = order(stack, tracking=TRACKING)
    second = order(stack, email=first.mail, **fields)
    text = f"Where are my orders {first.name} and {second.name}?"
    found = answers(stack, opens(stack, text, first.mail))
    if fields:
        assert found == []
        return
    (answer,) = found
    assert {first.name, TRACKING["number"], second.name} <= set(re.findall(r"#?\w+", answer))


@pytest.mark.parametrize(("status", "count"), [("IN_TRANSIT", 1), ("DELIVERED", 0)])
def test_what_was_not_received_is_answered_while_it_is_on_its_way_and_not_once_it_is_delivered(
    stack, status, count
):
    bought = order(stack, fulfillments=[{"displayStatus": status, "trackingInfo": [TRACKING]}])
    ticket = opens(stack, f"I have not received my order {bought.name}.", bought.mail)
    assert len(answers(stack, ticket)) == count


@one_case("hidden", ["disputes", "fulfillmentOrders", "returnStatus"])
def test_what_the_shop_does_not_show_is_unknown_and_goes_to_a_person(stack, hidden):
    bought = order(stack)
    stack.shopify.modes(hides=hidden)
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    stack.shopify.modes(hides="")
    assert answers(stack, ticket) == []
    assert "order_unknown:" in why_not(stack, ticket)


def test_a_reply_whose_order_has_changed_since_is_not_sent(stack):
    bought = order(stack, tracking=TRACKING)
    changed = {"displayFinancialStatus": "REFUNDED"}
    stack.shopify.post("changes", name=bought.name, after=1, fields=changed)
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    assert answers(stack, ticket) == []
    assert "order_changed" in why_not(stack, ticket)
    assert "route-email-support-team" in tags(stack, ticket)


@pytest.mark.parametrize(
    "more",
    [
        "And do you have it in green?",
        "Leave it with my neighbour.",
        "Otherwise I want my money back.",
        "If it does not come by Friday I do not want it.",
        "I can not go on.",
        "Please send it to my mom.",
        "I need two of them",
    ],
)
def test_an_order_question_with_anything_else_beside_it_goes_to_a_person(stack, more):
    bought = order(stack)
    ticket = opens(stack, f"Where is my order {bought.name}? {more}", bought.mail)
    assert answers(stack, ticket) == []
    assert [tag for tag in tags(stack, ticket) if tag.endswith("-suppressed")]
    assert at(stack, ticket)["status"] == "OPEN"


@pytest.mark.parametrize(
    "text",
    [
        "hey any updte on my pakage?? {} thx",
        "hi i ordered a lamp last week order {} when is it gonna be here thanks so much",
        "hola, q onda con mi pedido {}",
        "Hi, sorry to bother you! It is a gift and I cannot wait. Order {}. Where is it?? Thanks, Jo",
    ],
)
def test_an_order_question_with_slips_and_courtesies_and_no_punctuation_is_answered(stack, text):
    bought = order(stack)
    ticket = opens(stack, text.format(bought.name), bought.mail)
    (answer,) = answers(stack, ticket)
    assert bought.name in answer


@pytest.mark.parametrize(
    "text",
    [
        "This fabric layer is great, do you have it in blue?",
        "No threats, just treats: do you sell dog biscuits?",
        "When will the glue gun be in stock again?",
    ],
)
def test_a_harmless_message_is_not_called_grave(stack, text):
    ticket = opens(stack, text)
    assert [tag for tag in tags(stack, ticket) if tag.startswith("mw-risk-")] == []
    assert LEADERSHIP not in tags(stack, ticket)


@pytest.mark.parametrize(
    "trouble",
    [
        {"cancelledAt": "2026-11-20T10:00:00Z"},
        {"displayFinancialStatus": "REFUNDED"},
        {"displayFinancialStatus": "PENDING"},
        {"displayFulfillmentStatus": "ON_HOLD"},
        {"returnStatus": "IN_PROGRESS"},
        {"created_at": "2026-09-01T10:00:00+00:00"},
    ],
    ids="-".join,
)
def test_nothing_is_promised_of_an_order_in_trouble(stack, trouble):
    bought = order(stack, **trouble)
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    assert answers(stack, ticket) == []
    assert {"mw-order-lookup-failed", "mw-order-status-suppressed"} <= tags(stack, ticket)
    assert at(stack, ticket)["status"] == "OPEN"


@pytest.mark.parametrize(
    ("text", "team", "risk"),
    [
        ("I want to kill myself.", LEADERSHIP, "self_harm"),
        ("The charger caught fire and burned my hand.", LEADERSHIP, "safety_injury"),
        ("My lawyer will sue you.", LEADERSHIP, "legal_threat"),
        ("Delete all personal data that you have of me.", LEADERSHIP, "privacy_request"),
        ("I have opened a chargeback with my bank.", "route-chargebacks-disputes", "chargeback"),
    ],
)
def test_a_grave_message_goes_to_its_team_and_gets_no_answer(stack, text, team, risk):
    bought = order(stack)
    ticket = opens(stack, f"Where is my order {bought.name}? {text}", bought.mail)
    assert {team, f"mw-risk-{risk}"} <= tags(stack, ticket)
    assert answers(stack, ticket) == []


def test_a_ticket_that_was_grave_once_is_never_answered_automatically(stack):
    bought = order(stack)
    ticket = opens(stack, "My lawyer will sue you.", bought.mail)
    stack.forward(days=2)
    writes_again(stack, ticket, f"Where is my order {bought.name}?")
    assert answers(stack, ticket) == []
    assert "mw-order-status-suppressed" in tags(stack, ticket)


def test_a_message_after_an_automatic_answer_goes_to_a_person(stack):
    bought = order(stack)
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    writes_again(stack, ticket, "I want to return it.")
    assert len(answers(stack, ticket)) == 1
    assert {"route-returns-admin", "mw-skip-followup-after-auto-reply"} <= tags(stack, ticket)
    assert "route-email-support-team" not in tags(stack, ticket)


def test_the_same_text_on_two_tickets_stops_answers_to_its_sender_for_a_week(stack):
    bought = order(stack)
    text = f"Where is my order {bought.name}?"
    first, second = (opens(stack, text, bought.mail) for _ in range(2))
    assert (len(answers(stack, first)), answers(stack, second)) == (1, [])
    for days in (0, 6):
        stack.forward(days=days)
        again = order(stack, email=bought.mail)
        third = opens(stack, f"Hello, where is my order {again.name}?", bought.mail)
        assert answers(stack, third) == []
    stack.forward(days=2)
    last = order(stack, email=bought.mail)
    assert len(answers(stack, opens(stack, f"Where is my order {last.name}?", bought.mail))) == 1


def test_who_is_not_on_the_allow_list_gets_no_answer(stack):
    bought = order(stack, email=f"jo{stack.number()}@elsewhere.example")
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    assert answers(stack, ticket) == []
    assert {"route-email-support-team", "mw-outbound-blocked-allowlist"} <= tags(stack, ticket)


@pytest.mark.parametrize(
    ("subject", "sender"),
    [
        ("Automatic reply: out of office", None),
        ("Undelivered Mail Returned to Sender", None),
        ("", "mailer-daemon@mail.example"),
        ("", "no-reply@mail.example"),
    ],
)
def test_mail_of_a_machine_is_routed_and_not_answered(stack, subject, sender):
    bought = order(stack, email=sender)
    text = f"Where is my order {bought.name}?"
    ticket = opens(stack, text, bought.mail, subject=subject)
    assert answers(stack, ticket) == []
    assert {"route-email-support-team", "mw-processed"} <= tags(stack, ticket)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Bonjour, où est ma commande ? Merci beaucoup", "fr"),
        ("Guten Tag, wo ist meine Bestellung? Vielen Dank", "de"),
        ("注文した商品はどこですか", "ja"),
    ],
)
def test_a_language_that_is_not_spoken_here_is_tagged_and_not_answered(stack, text, language):
    ticket = opens(stack, text)
    assert answers(stack, ticket) == []
    assert {f"mw-language-{language}", "mw-needs-manual-triage"} <= tags(stack, ticket)


def test_a_question_in_spanish_is_answered_in_spanish(stack):
    bought = order(stack)
    ticket = opens(stack, f"Hola, ¿dónde está mi pedido {bought.name}?", bought.mail)
    (answer,) = answers(stack, ticket)
    assert "pedido" in answer


def test_what_is_not_understood_is_left_to_the_default_team(stack):
    ticket = opens(stack, "Lorem ipsum dolor goats")
    assert {"route-email-support-team", "mw-needs-manual-triage"} <= tags(stack, ticket)
    assert answers(stack, ticket) == []


def test_a_closed_ticket_is_not_answered_and_stays_closed(stack):
    bought = order(stack)
    text = f"Where is my order {bought.name}?"
    ticket = opens(stack, text, bought.mail, status="CLOSED")
    assert answers(stack, ticket) == []
    assert at(stack, ticket)["status"] == "CLOSED"
    assert {"route-email-support-team", "mw-skip-order-status-closed"} <= tags(stack, ticket)


def test_a_shop_that_is_down_delays_the_answer_and_not_the_routing(stack):
    bought = order(stack)
    stack.shopify.fails(status=503, times=None)
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    assert {"route-email-support-team", "mw-order-lookup-failed"} <= tags(stack, ticket)
    assert answers(stack, ticket) == []
    stack.shopify.recovers()
    stack.passes(hours=1)
    assert len(answers(stack, ticket)) == 1


def test_an_answer_that_waited_is_withheld_once_a_person_has_answered(stack):
    bought = order(stack)
    stack.shopify.fails(status=503, times=None)
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    a_person_answers(stack, ticket)
    stack.shopify.recovers()
    stack.passes(hours=1)
    assert answers(stack, ticket) == []
    assert "superseded" in why_not(stack, ticket)


def test_a_message_that_its_person_answered_in_an_outage_is_not_routed(stack):
    stack.richpanel.fails(status=503, times=None)
    ticket = stack.ticket("Do you sell gloves?", customer_email=stack.mail(), assignee_id="agent-1")
    stack.webhook(ticket_id=ticket, message_id="c-1", message="Do you sell gloves?")
    stack.forward(minutes=5)
    a_person_answers(stack, ticket)
    stack.richpanel.recovers()
    stack.passes(hours=1)
    assert not [tag for tag in tags(stack, ticket) if tag.startswith("route-")]


@pytest.mark.parametrize("has_it", [True, False], ids=["hers", "not assigned"])
def test_a_colleagues_ticket_is_not_answered_and_not_moved(stack, has_it):
    bought = order(stack)
    text = "UPS has lost my parcel."
    holder = {"assignee_id": "agent-1"} if has_it else {}
    ticket = stack.ticket(text, customer_email=bought.mail, tags=["route-returns-admin"], **holder)
    stack.forward(minutes=5)
    a_person_answers(stack, ticket, "I opened a claim with UPS.")
    before = tags(stack, ticket)
    writes_again(stack, ticket, f"Hello, where is my order {bought.name}?")
    assert answers(stack, ticket) == []
    assert {tag for tag in tags(stack, ticket) if tag.startswith("route-")} == {
        tag for tag in before if tag.startswith("route-")
    }
    assert at(stack, ticket)["assignee_id"] == holder.get("assignee_id")
    assert "mw-processed" in tags(stack, ticket)


@one_case(
    "earlier",
    [
        "Please cancel order {}.",
        "I want my money back.",
        "The lamp arrived broken.",
        "Quiero cancelar mi pedido {}.",
    ],
)
def test_an_order_question_after_another_open_request_goes_to_a_person(stack, earlier):
    bought = order(stack)
    ticket = opens(stack, earlier.format(bought.name), bought.mail)
    stack.forward(hours=1)
    writes_again(stack, ticket, f"Where is my order {bought.name}?")
    assert answers(stack, ticket) == []
    assert "mw-order-status-suppressed" in tags(stack, ticket)
    assert "open_request" in why_not(stack, ticket)


def test_a_subject_counts_as_a_messages_first_sentence(stack):
    bought = order(stack)
    text = f"Where is my order {bought.name}?"
    asks = opens(stack, text, bought.mail, subject="Cancel my order")
    assert answers(stack, asks) == []
    usual = opens(stack, f"Hi, {text}", bought.mail, subject=f"Order {bought.name}")
    assert len(answers(stack, usual)) == 1


def test_an_order_that_only_the_subject_names_is_answered(stack):
    bought = order(stack)
    ticket = opens(stack, "Where is my order?", bought.mail, subject=f"Order {bought.name}")
    (answer,) = answers(stack, ticket)
    assert bought.name in answer


def test_what_a_customer_takes_back_is_no_longer_open(stack):
    bought = order(stack)
    ticket = opens(stack, f"Please cancel order {bought.name}.", bought.mail)
    stack.forward(hours=1)
    writes_again(stack, ticket, "Please do not cancel it.")
    stack.forward(hours=1)
    writes_again(stack, ticket, f"Where is my order {bought.name}?")
    assert len(answers(stack, ticket)) == 1


def test_a_grave_ticket_keeps_every_ticket_of_its_customer_without_answers(stack):
    bought = order(stack)
    opens(stack, "My lawyer will sue you.", bought.mail)
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    assert answers(stack, ticket) == []
    assert "customer_at_risk" in why_not(stack, ticket)
    other = order(stack)
    assert len(answers(stack, opens(stack, f"Where is my order {other.name}?", other.mail))) == 1


def test_a_stop_tag_keeps_answers_away(stack):
    bought = order(stack)
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail, tags=["no-bot"])
    assert answers(stack, ticket) == []
    assert "stop_tag" in why_not(stack, ticket)
    assert "route-email-support-team" in tags(stack, ticket)


def test_a_ticket_that_had_its_automatic_answer_gets_no_other(stack):
    bought = order(stack)
    had = ["mw-skip-followup-after-auto-reply"]
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail, tags=had)
    assert answers(stack, ticket) == []
    assert "answered_automatically" in why_not(stack, ticket)


@pytest.mark.parametrize(
    "said", ["hasn't come and it's been weeks!!", "has not come. I ordered it on {:%B} 28."]
)
def test_an_order_that_is_younger_than_its_customer_says_is_not_answered(stack, said):
    bought = order(stack)
    long_ago = (stack.now() - timedelta(days=70)).replace(day=28)
    ticket = opens(stack, f"Order {bought.name} {said.format(long_ago)}", bought.mail)
    assert answers(stack, ticket) == []
    assert "not_as_old_as_said" in why_not(stack, ticket)


def test_an_order_that_may_be_lost_goes_to_a_person(stack):
    bought = order(stack)
    text = f"The status of order {bought.name} hasn't moved since Sunday, is it lost?"
    ticket = opens(stack, text, bought.mail)
    assert answers(stack, ticket) == []
    assert "order_said_gone" in why_not(stack, ticket)


@pytest.mark.parametrize("in_german", [False, True])
def test_the_command_decides_as_the_worker_does(stack, in_german):
    bought = order(stack)
    question = f"Where is my order {bought.name}?"
    earlier = "Ich möchte meine Bestellung stornieren, bitte" if in_german else "Cancel my order."
    conversation = {
        "id": "c1",
        "now": "2026-11-24T10:00:00Z",
        "ticket": {"subject": "", "channel": "email", "tags": [], "assignee": None},
        "customer": {"email": bought.mail, "open_risks": []},
        "messages": [
            {"at": f"2026-11-24T0{number}:00:00Z", "from": "customer", "name": None, "text": text}
            for number, text in enumerate((earlier, question))
        ],
        "orders": [],
    }
    typed = json.dumps(conversation)
    decided = stack.ops("support", "decide", "--json", typed=typed).data
    ticket = opens(stack, earlier, bought.mail)
    stack.forward(hours=1)
    writes_again(stack, ticket, question)
    assert decided["decision"] == "person"
    assert decided["reasons"][-1] in why_not(stack, ticket)
    assert decided["team"] in tags(stack, ticket)


def test_the_command_names_a_wrong_line_and_never_its_value(stack):
    refused = stack.ops("support", "decide", typed='{"id": "secret", "now": 5}', code=2)
    assert "line 1: field now" in refused.err
    assert "secret" not in refused.out + refused.err


def test_an_assignee_that_richpanel_does_not_have_is_refused(stack, tmp_path):
    before = stack.ops("support-settings", "history", "--json").data
    file = tmp_path / "settings.toml"
    file.write_text('[departments.route-sales-team]\nassignee = "agent-gone"\n')
    refused = stack.ops("support-settings", "put", file, "--yes", code=2)
    assert "departments.route-sales-team.assignee" in refused.err
    assert stack.ops("support-settings", "history", "--json").data == before


def test_a_dangerous_row_of_the_settings_document_is_warned_of(stack, tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text(
        '[phrases.return_request]\nsure = ["my"]\n[routes]\nlegal_threat = "route-sales-team"\n'
    )
    warned = stack.ops("support-settings", "validate", file).out
    assert "phrases.return_request.sure[0]" in warned
    assert "routes.legal_threat" in warned


def test_chargeback_and_fraud_go_to_their_teams_or_where_the_settings_say(stack, tmp_path):
    texts = ("I have opened a chargeback with my bank.", "This is fraud, I never bought anything.")
    built_in = [opens(stack, text) for text in texts]
    file = tmp_path / "settings.toml"
    file.write_text(
        '[routes]\nchargeback_dispute = "route-risk"\nfraud_suspected = "route-risk"\n'
        "[departments.route-risk]\n"
    )
    stack.ops("support-settings", "put", file, "--yes")
    stack.forward(minutes=2)
    own = [opens(stack, text) for text in texts]
    stack.ops("support-settings", "restore", 0, "--yes")
    stack.forward(minutes=2)
    assert "route-chargebacks-disputes" in tags(stack, built_in[0])
    assert LEADERSHIP in tags(stack, built_in[1])
    assert all("route-risk" in tags(stack, ticket) for ticket in own)


def test_safe_mode_routes_and_answers_no_customer(stack):
    bought = order(stack)
    with stack.switched("safe_mode", "true"):
        seen = len(stack.shopify.requests())
        ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
        assert len(stack.shopify.requests()) == seen
    stack.forward(minutes=20)
    assert "route-email-support-team" in tags(stack, ticket)
    assert answers(stack, ticket) == []


def test_shadow_mode_decides_and_changes_nothing_at_richpanel(stack):
    bought = order(stack)
    with stack.switched("shadow_mode", "true"):
        ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
        decided = stack.ops("explain", ticket, "--json").data["events"][0]
        assert "Meant for Email support team" in decided["story"]["paragraph"]
    stack.forward(minutes=20)
    assert {request["method"] for request in requests_about(stack, ticket)} <= {"GET"}
    assert (tags(stack, ticket), answers(stack, ticket)) == (set(), [])


def shadowed(stack, bought=None, regards=""):
    """A ticket with a question about an order, decided in shadow mode."""
    bought = bought or order(stack, tracking=TRACKING)
    with stack.switched("shadow_mode", "true"):
        return opens(stack, f"Where is my order {bought.name}?{regards}", bought.mail)


def decision(stack, ticket):
    """What is kept of it, and what people did."""
    return stack.ops("support", "decision", ticket, "--json").data


def compared(stack):
    """The report's part about what would have been answered, which reads no ticket."""
    options = ("--since", "24h", "--tickets", "0", "--json")
    return stack.ops("shadow-report", *options).data["shadow"]


def test_in_shadow_the_order_is_looked_up_and_every_reason_is_kept(stack):
    kept = decision(stack, shadowed(stack))["decision"]
    assert (kept["decision"], kept["template"]) == ("answer", "t_order_status_verified")
    assert len(kept["orders"]) == 1
    assert len(kept["digests"]) > 1
    unpaid = order(stack, displayFinancialStatus="PENDING")
    ticket = shadowed(stack, unpaid)
    assert decision(stack, ticket)["decision"]["reasons"] == ["order_unpaid", "shadow"]
    assert (tags(stack, ticket), answers(stack, ticket)) == (set(), [])


def test_what_a_person_did_with_a_ticket_in_shadow_is_compared_with_the_decision(stack):
    ticket = shadowed(stack)
    row = next(
        department for department in compared(stack)["departments"] if department["would_answer"]
    )
    a_person_answers(stack, ticket, "It is on its way.")
    stack.webhook(ticket_id=ticket)
    stack.forward(minutes=4)
    assert decision(stack, ticket)["people"]["answered"] is True
    after = next(
        department
        for department in compared(stack)["departments"]
        if department["name"] == row["name"]
    )
    assert after["gain"]["count"] == row["gain"]["count"] + 1
    assert after["harm"]["high"] > 0
    assert after["may_be_switched_on"] is False


def test_a_label_on_a_decision_is_counted_and_changes_nothing(stack):
    ticket, before = shadowed(stack), compared(stack)["labels"]
    kept = decision(stack, ticket)["decision"]
    stack.ops("support", "label", ticket, "--wrong", "wrong_answer", "--yes")
    assert compared(stack)["labels"] == {**before, "wrong_answer": before["wrong_answer"] + 1}
    found = decision(stack, ticket)
    assert (found["decision"], found["label"]) == (kept, "wrong_answer")
    assert (tags(stack, ticket), answers(stack, ticket)) == (set(), [])
    acts = stack.ops("journal", kept["event"], "--json").data
    assert [act["did"] for act in acts] == ["support label"]


def test_nothing_of_a_decision_in_shadow_is_text(stack):
    bought = order(stack, tracking=TRACKING)
    ticket = shadowed(stack, bought, "\n\nRegards, Zebedee Canary")
    stack.richpanel.post(
        f"tickets/{ticket}/comments", body="Dear Zebedee, it is on its way.", operator=True
    )
    stack.webhook(ticket_id=ticket)
    stack.forward(minutes=4)
    found = decision(stack, ticket)
    assert found["decision"]["decision"] == "answer"
    assert found["people"]["answered"]
    rows = aws(stack, "dynamodb", "Scan", TableName="rp_mw_conversation_state-dev")["Items"]
    kept = json.dumps([row for row in rows if row["conversation_id"]["S"] == ticket])
    assert "digests" in kept
    for canary in ("Zebedee", "Canary", bought.name.lstrip("#"), bought.mail, TRACKING["number"]):
        assert canary not in kept


def test_the_reply_of_a_decision_in_shadow_is_rendered_again_and_says_when_its_facts_have_changed(
    stack,
):
    bought = order(stack, tracking=TRACKING)
    ticket = shadowed(stack, bought)
    stack.forward(hours=5)
    reply = decision(stack, ticket)["reply"]
    assert reply["facts"] == "same"
    assert TRACKING["number"] in reply["text"]
    changed = {"displayFinancialStatus": "REFUNDED"}
    stack.shopify.post("changes", name=bought.name, fields=changed)
    reply = decision(stack, ticket)["reply"]
    assert (reply["facts"], reply["text"], reply["because"]) == ("changed", None, "order_refunded")


def test_a_department_that_is_switched_on_is_answered_and_the_others_stay_in_shadow(
    stack, tmp_path
):
    file = tmp_path / "settings.toml"
    file.write_text(
        '[answers]\ndepartments = ["route-email-support-team"]\n'
        '[routes]\nshipping_delay_not_shipped = "route-warehouse"\n[departments.route-warehouse]\n'
    )
    stack.ops("support-settings", "put", file, "--yes")
    stack.forward(minutes=2)
    on, other = order(stack), order(stack)
    answered = opens(stack, f"Where is my order {on.name}?", on.mail)
    late = opens(stack, f"My order {other.name} has not shipped yet.", other.mail)
    kept = decision(stack, late)["decision"]
    stack.ops("support-settings", "restore", 0, "--yes")
    stack.forward(minutes=2)
    assert len(answers(stack, answered)) == 1
    assert answers(stack, late) == []
    assert "route-warehouse" in tags(stack, late), "it is routed as always"
    assert (kept["decision"], kept["reasons"]) == ("answer", ["not_switched_on"])


def test_open_requests_of_a_ticket_are_explained(stack):
    ticket = opens(stack, "Please cancel my order.")
    (request,) = stack.ops("explain", ticket, "--json").data["state"]["requests"]
    assert request.startswith("cancel open since ")
    assert "cancel open" in stack.ops("explain", ticket).out


def test_the_kill_switch_lets_nothing_happen_to_a_ticket(stack):
    bought = order(stack)
    with stack.switched("kill_switch", "true"):
        ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
        assert not requests_about(stack, ticket)
    stack.forward(minutes=20)
    assert answers(stack, ticket) == []


def test_a_replay_of_what_safe_mode_withheld_sends_no_answer(stack):
    bought = order(stack)
    with stack.switched("safe_mode", "true"):
        ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    stack.ops("replay", f"evt:rp:{ticket}:c-1", "--yes")
    stack.forward(minutes=1)
    assert answers(stack, ticket) == []
    assert "mw-auto-replied" not in tags(stack, ticket)


def test_a_question_that_its_customer_has_withdrawn_meanwhile_is_not_answered(stack):
    bought = order(stack)
    texts = (f"Where is my order {bought.name}?", "Forget it, cancel my order.")
    ticket = stack.ticket(*texts, customer_email=bought.mail)
    for number, text in enumerate(texts, start=1):
        reports(stack, ticket, f"c-{number}", text)
    assert answers(stack, ticket) == []
    assert "mw-intent-cancel_order" in tags(stack, ticket)


def test_a_phrase_of_the_settings_document_sends_its_messages_to_its_department(stack, tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text(SETTINGS)
    stack.ops("support-settings", "put", file, "--yes")
    stack.forward(minutes=2)
    ticket = opens(stack, "I ship it back to the depot")
    assert "route-warehouse" in tags(stack, ticket)
    stack.ops("support-settings", "restore", 0, "--yes")
    stack.forward(minutes=2)
    assert "route-warehouse" not in tags(stack, opens(stack, "I ship it back to the depot"))


def test_a_mistake_in_the_settings_document_is_named_and_changes_nothing(stack, tmp_path):
    before = stack.ops("support-settings", "history", "--json").data
    file = tmp_path / "settings.toml"
    file.write_text(SETTINGS.replace("return_request =", "return_reqest ="))
    refused = stack.ops("support-settings", "put", file, "--yes", code=2)
    assert "return_reqest" in refused.out + refused.err
    assert stack.ops("support-settings", "history", "--json").data == before


def test_an_answer_that_waited_is_withheld_once_the_customer_has_written_again(stack):
    bought = order(stack)
    stack.shopify.fails(status=503, times=None)
    ticket = opens(stack, f"Where is my order {bought.name}?", bought.mail)
    stack.richpanel.post(f"tickets/{ticket}/comments", body="Please cancel it.", id="c-2")
    stack.shopify.recovers()
    stack.passes(hours=1)
    assert answers(stack, ticket) == []
