"""The promises of docs/richpanel-setup.md, tried from outside."""

import pytest

from tests.outside.tickets import (
    answers,
    at,
    opens,
    order,
    requests_about,
    tags,
    why_not,
    writes_again,
)

TEMPLATE = (
    '{{"ticket_id": "{}", "ticket_url": "https://x.example/{}", "trigger": "customer_message"}}'
)


def test_the_recommended_body_of_the_target_has_its_ticket_read_and_routed(stack):
    ticket = stack.ticket("I want to return my shoes.", customer_email=stack.mail())
    assert _posts(stack, TEMPLATE.format(ticket, ticket)).status_code == 200
    assert {"route-returns-admin", "mw-intent-return_request"} <= tags(stack, ticket)


@pytest.mark.parametrize("name", ["X-Richpanel-Webhook-Token", "X-RICHPANEL-WEBHOOK-TOKEN"])
def test_the_case_of_the_tokens_header_does_not_matter(stack, name):
    ticket = stack.ticket("I want to return my shoes.", customer_email=stack.mail())
    answer = _posts(stack, TEMPLATE.format(ticket, ticket), header=name)
    assert answer.status_code == 200


def test_a_body_that_a_customers_quotation_mark_broke_is_accepted(stack):
    ticket = stack.ticket('I want to "return" it\nnow.', customer_email=stack.mail())
    broken = f'{{"ticket_id": "{ticket}", "message": "I want to "return" it\nnow."}}'
    assert _posts(stack, broken).status_code == 200
    assert "route-returns-admin" in tags(stack, ticket)


def test_a_body_without_any_tickets_id_is_refused(stack):
    for body, code in (('{"message": "secret words"}', 400), ("secret words", 400), ("", 400)):
        answer = _posts(stack, body)
        assert answer.status_code == code
        assert "secret" not in answer.text


def test_copies_that_several_rules_send_share_one_read_and_do_nothing_more(stack):
    ticket = stack.ticket("I want to return my shoes.", customer_email=stack.mail())
    for _ in range(5):
        _posts(stack, TEMPLATE.format(ticket, ticket), settles=False)
    stack.settle()  # else time passes while a copy is half done
    stack.forward(minutes=6)
    reads = [request for request in requests_about(stack, ticket) if request["method"] == "GET"]
    changes = [request for request in requests_about(stack, ticket) if request["method"] != "GET"]
    assert len(reads) <= 2
    assert len(changes) == 1
    assert "route-returns-admin" in tags(stack, ticket)


def test_our_own_comments_and_a_colleagues_change_nothing(stack):
    ticket = opens(stack, "Where is my order?")
    before = tags(stack, ticket), len(answers(stack, ticket))
    (ours,) = (comment["id"] for comment in at(stack, ticket)["comments"] if comment["is_operator"])
    stack.richpanel.post(f"tickets/{ticket}/comments", body="I return it", operator=True, id="c-9")
    for comment in (ours, "c-9"):
        stack.webhook(ticket_id=ticket, message_id=comment)
        _posts(stack, TEMPLATE.format(ticket, ticket))
    stack.forward(minutes=6)
    assert (tags(stack, ticket), len(answers(stack, ticket))) == before


def test_a_ticket_id_that_is_a_message_id_is_routed_like_any_other(stack):
    ticket = f"<CAM{stack.number()}+x/y=@mail.gmail.com>"
    stack.richpanel.post("tickets", id=ticket, comments=["I want to return my shoes."])
    assert _posts(stack, TEMPLATE.format(ticket, ticket)).status_code == 200
    all_tickets = stack.richpanel.get("tickets")["tickets"]
    (shown,) = (row for row in all_tickets if row["id"] == ticket)
    assert "route-returns-admin" in shown["tags"]


def test_every_tag_that_a_message_got_is_on_the_list_of_tags(stack):
    ticket = opens(stack, "Bonjour, où est ma commande ? Mon avocat vous écrira.")
    writes_again(stack, ticket, "My lawyer will sue you.")
    listed = stack.ops("support-tags", "--json").data
    assert tags(stack, ticket) <= {row["tag"] for row in listed}
    assert why_not(stack, ticket)


def test_a_department_with_an_assignee_gets_new_tickets_and_takes_none_away(stack, tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('[departments.route-returns-admin]\nassignee = "agent-1"\n')
    stack.ops("support-settings", "put", file, "--yes")
    stack.forward(minutes=2)
    free = opens(stack, "I want to return my shoes.")
    taken = opens(stack, "I want to return my shoes.", assignee_id="agent-2")
    stack.ops("support-settings", "restore", 0, "--yes")
    stack.forward(minutes=2)
    assert [at(stack, ticket)["assignee_id"] for ticket in (free, taken)] == ["agent-1", "agent-2"]


@pytest.mark.parametrize(
    ("domain", "is_answered"),
    [
        ("mail.example", True),
        ("MAIL.Example", True),
        ("notmail.example", False),
        ("sub.mail.example", False),
        ("mail.example.com", False),
        ("example", False),
    ],
)
def test_an_address_is_on_the_list_of_domains_by_its_whole_domain_only(stack, domain, is_answered):
    _is_answered(stack, f"someone{stack.number()}@{domain}", is_answered)


@pytest.mark.parametrize(
    ("address", "is_answered"),
    [
        ("friend@listed.example", True),
        ("another@listed.example", False),
        ("myfriend@listed.example", False),
        ("friend@listed.example.org", False),
        ("friend@sub.listed.example", False),
    ],
)
def test_an_address_on_the_list_of_addresses_is_answered_and_no_other_one_of_its_domain(
    stack, address, is_answered
):
    _is_answered(stack, address, is_answered)


def _is_answered(stack, address, expected):
    """A plain question of this customer is answered, or the allow-list forbids it."""
    bought = order(stack, email=address)
    ticket = opens(stack, f"Where is my order {bought.name}?", address)
    assert len(answers(stack, ticket)) == expected
    assert ("mw-outbound-blocked-allowlist" not in tags(stack, ticket)) == expected


def _posts(stack, body, *, header="x-richpanel-webhook-token", settles=True):
    """Richpanel posts these very bytes."""
    headers = {header: stack.hints["WEBHOOK_TOKEN"], "content-type": "application/json"}
    answer = stack.request("POST", "/webhook/richpanel", headers=headers, data=body.encode())
    if settles:
        stack.forward(seconds=30)
    return answer
