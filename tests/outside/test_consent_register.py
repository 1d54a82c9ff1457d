"""The promises of docs/consent.md about the register as a service."""

import pytest

from tests.outside.conversations import (
    clicked,
    events,
    opened,
    started,
    told,
    two_addresses,
    unsubscribe_path,
)
from tests.outside.running import AGENT_KEY, FIRST, SECOND

OWN = ("--company", FIRST.id)


def ask(stack, what, body, key=FIRST.router_key):
    """The answer to a request to the register."""
    return stack.request("POST", f"/register/{what}", headers={"x-api-key": key}, json=body)


def known(stack, address, key=FIRST.router_key):
    """What is known of an address."""
    answer = ask(stack, "lookup", {"address": address}, key)
    assert answer.status_code == 200, answer.text
    return answer.json()


def lift(stack, address, **changes):
    body = {"address": address, "by": "sam", "reason": "asked us by phone", **changes}
    return ask(stack, "lift", body)


def pages(stack, key=FIRST.router_key, limit=2):
    """Every mark of a company, page by page."""
    after, found = "", []
    while after is not None:
        path = f"/register?limit={limit}" + (f"&after={after}" if after else "")
        answer = stack.request("GET", path, headers={"x-api-key": key})
        assert answer.status_code == 200, answer.text
        found += answer.json()["entries"]
        after = answer.json()["after"]
    return found


def outcome(stack, to, channel="sms"):
    return stack.outcome(started(stack, to, channel)).get("reason", "sent")


def test_a_company_asks_what_is_known_of_an_address_since_when_and_why(stack):
    both = two_addresses(stack)
    opened(stack, both, "sms")
    assert known(stack, both["recipient_tel"])["refused"] == []
    stack.says(both["recipient_tel"], "no more marketing")
    found = known(stack, both["recipient_email"])
    assert found["linked"] == [both["recipient_tel"]]
    assert found["refused"] == [{"channel": "email", "purpose": "marketing", "reason": "stop"}], (
        "of the e-mail's channel and of the purpose that was refused"
    )
    (mark,) = found["entries"]
    assert (mark["address"], mark["purposes"]) == (both["recipient_tel"], ["marketing"])
    assert (mark["reason"], mark["in_force"]) == ("stop", True)
    assert mark["since"] <= stack.now().isoformat()
    assert mark["words"] == "The recipient wrote STOP."
    assert known(stack, both["recipient_tel"], SECOND.router_key)["entries"] == []


def test_a_company_reads_its_whole_register_page_by_page_and_no_other_companys(stack):
    marked = [stack.tel() for _ in range(5)]
    for to in marked:
        started(stack, to)
        stack.says(to, "STOP")
    read = [page["address"] for page in pages(stack)]
    assert set(marked) <= set(read)
    assert len(read) == len(pages(stack, limit=100))
    assert not set(marked) & {page["address"] for page in pages(stack, SECOND.router_key)}


def test_each_line_of_an_import_is_taken_or_refused_by_its_number_and_field(stack):
    tel, mail = stack.tel(), stack.mail()
    lines = [
        {"address": tel},
        {"address": "tulip"},
        {"address": mail, "reason": "tulip", "since": "2026-11-01T09:00:00Z"},
        {"address": mail, "tulip\n": "x"},
        {"address": mail, "reason": "complained", "since": "2026-11-01T09:00:00Z"},
        "tulip",
    ]
    for _ in range(2):
        answer = ask(stack, "import", {"entries": lines, "reason": "a list"})
        assert answer.status_code == 200, answer.text
        assert "tulip" not in answer.text
        found = [
            (entry["entry"], entry["result"], entry.get("field"))
            for entry in answer.json()["entries"]
        ]
        assert found == [
            (1, "entered", None),
            (2, "refused", "address"),
            (3, "refused", "reason"),
            (4, "refused", "(name not shown)"),
            (5, "entered", None),
            (6, "refused", "entries"),
        ]
    assert outcome(stack, tel) == outcome(stack, mail, "email") == "do_not_contact"
    assert len(known(stack, tel)["entries"]) == 1


def test_what_is_read_of_the_register_is_imported_as_it_was(stack):
    both = two_addresses(stack)
    opened(stack, both, "email")
    stack.says(both["recipient_tel"], "STOP")
    lift(stack, both["recipient_tel"])
    stack.ops("do-not-contact", "add", *OWN, "--address", both["recipient_email"], "--yes")
    read = pages(stack)
    for begin in range(0, len(read), 100):
        assert ask(stack, "import", {"entries": read[begin : begin + 100]}).status_code == 200
    assert pages(stack) == read


def test_an_import_lifts_and_narrows_nothing_that_is_in_force(stack):
    to = stack.tel()
    started(stack, to)
    stack.says(to, "STOP")
    (mark,) = known(stack, to)["entries"]
    later = stack.now().isoformat()
    for changes in (
        {"lifted_at": later, "lifted_by": "recipient"},
        {"purposes": ["transactional"], "said_at": later},
        {"until": later, "said_at": later},
        {"channels": ["whatsapp"], "said_at": later},
    ):
        answer = ask(stack, "import", {"entries": [{**mark, **changes}]})
        assert [entry["result"] for entry in answer.json()["entries"]] == ["newer_here"], changes
    assert known(stack, to)["entries"] == [mark]
    assert outcome(stack, to) == "do_not_contact"


def test_a_company_lifts_what_an_operator_could_and_says_why(stack):
    both = two_addresses(stack)
    opened(stack, both, "sms")
    opened(stack, both, "email")
    stack.says(both["recipient_tel"], "Please stop texting me")
    clicked(stack, unsubscribe_path(stack.mails_to(both["recipient_email"])[-1]))
    done = lift(stack, both["recipient_tel"]).json()
    assert done == {"lifted": ["stop"], "still_blocked_by": [both["recipient_email"]]}
    assert outcome(stack, both["recipient_tel"]) == "do_not_contact"
    assert lift(stack, both["recipient_email"]).json()["lifted"] == ["unsubscribed"]
    assert outcome(stack, both["recipient_tel"]) == "sent"
    assert lift(stack, both["recipient_email"]).json()["lifted"] == [], "again changes nothing"
    (mark,) = [
        entry
        for entry in known(stack, both["recipient_tel"])["entries"]
        if entry["lifted_by"] == "sam"
    ][:1]
    assert mark["lifted_at"]


@pytest.mark.parametrize(
    ("what", "body", "status", "code", "named"),
    [
        ("lookup", {"address": "tulip"}, 400, "INVALID_ADDRESS", "address"),
        ("lookup", {"adress": "tulip"}, 400, "UNKNOWN_FIELD", "adress"),
        ("lookup", ["tulip"], 400, "INVALID_REQUEST", ""),
        ("import", {"entries": "tulip"}, 400, "INVALID_ENTRIES", "entries"),
        ("import", {"entries": [{}] * 101}, 400, "INVALID_ENTRIES", "entries"),
        ("import", {"entries": [{}], "by": "recipient"}, 400, "INVALID_BY", "by"),
        ("lift", {"address": "+15550100001", "by": "sam"}, 400, "INVALID_REASON", "reason"),
        ("lift", {"address": "+15550100001", "reason": "tulip"}, 400, "INVALID_BY", "by"),
        ("subscription", {"project_id": "pi-aaa-001"}, 400, "INVALID_EVENTS", "events"),
        (
            "subscription",
            {"project_id": "pi-aaa-001", "events": ["tulip"]},
            400,
            "INVALID_EVENTS",
            "events",
        ),
        (
            "subscription",
            {"project_id": "tulip", "events": []},
            404,
            "COMPANY_NOT_FOUND",
            "project",
        ),
    ],
)
def test_a_wrong_request_to_the_register_gets_a_4xx_that_names_the_field_and_never_its_value(
    stack, what, body, status, code, named
):
    answer = ask(stack, what, body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert named in answer.json()["message"]
    assert "tulip" not in answer.text


def test_an_agent_of_the_desk_asks_about_an_address_and_changes_nothing(stack):
    to = stack.tel()
    assert known(stack, to, AGENT_KEY)["entries"] == []
    for what, body in (("import", {"entries": [{"address": to}]}), ("lift", {"address": to})):
        assert ask(stack, what, body, AGENT_KEY).status_code == 403
    assert ask(stack, "import", {"entries": [{"address": to}]}, "tulip").status_code == 401
    assert ask(stack, "import", {"entries": [{"address": to}]}, FIRST.lead_key).status_code == 200
    assert outcome(stack, to) == "do_not_contact"


def lifts_heard(stack, request_id):
    """What a company hears of a lift, in the conversation of a start."""
    stack.passes(minutes=12)
    found = [
        event for event in events(stack, request_id) if event["type"] == "conversation.opted_in"
    ]
    return [event["data"]["by"] for event in found]


def test_of_a_lift_by_an_operator_or_the_company_its_endpoint_hears_once(stack):
    to, of = stack.tel(), told(stack)
    request_id = started(stack, to, of=of)
    stack.says(to, "Please stop texting me")
    stack.ops("do-not-contact", "lift", *OWN, "--address", to, "--yes", "--reason", "by phone")
    assert lifts_heard(stack, request_id) == ["operator"]
    stack.says(to, "Please stop texting me")
    for _ in range(2):
        lift(stack, to)
    assert lifts_heard(stack, request_id) == ["operator", "company"]


def test_of_what_a_person_takes_back_on_their_page_the_company_hears_once(stack):
    to, of = stack.mail(), told(stack)
    request_id = started(stack, to, "email", of=of)
    path = unsubscribe_path(stack.mails_to(to)[-1])
    clicked(stack, path)
    for _ in range(2):
        assert clicked(stack, path, "choice=resume").status_code == 200
    assert lifts_heard(stack, request_id) == ["recipient"]
    clicked(stack, path)
    clicked(stack, path, "choice=resume")
    assert lifts_heard(stack, request_id) == ["recipient", "recipient"]


def test_an_endpoint_is_sent_the_events_that_its_company_has_chosen(stack):
    to, of = stack.tel(), told(stack)
    chosen = {"project_id": of.project, "events": ["opted_out", "opted_in", "suspended"]}
    assert ask(stack, "subscription", chosen).json() == {
        **chosen,
        "events": sorted(chosen["events"]),
    }
    request_id = started(stack, to, of=of)
    stack.says(to, "Please stop texting me")
    stack.passes(minutes=12)
    assert [event["type"] for event in events(stack, request_id)] == ["conversation.opted_out"]
    ask(stack, "subscription", {**chosen, "events": None})
    stack.says(to, "START")
    stack.passes(minutes=12)
    heard = [event["type"] for event in events(stack, request_id)]
    assert heard[1:3] == ["conversation.reply_received", "conversation.opted_in"]
