"""The promises of docs/jurisdictions.md."""

import json
from datetime import datetime, timedelta

import pytest

from tests.outside.conversations import words_to
from tests.outside.running import FIRST

NOON, NIGHT = 17, 4
"""Hours of UTC that are noon and 23:00 in Florida's winter, 13:00 and midnight in its summer."""


@pytest.fixture
def ruled(stack):
    """A project that keeps the rules."""
    return stack.put_project(jurisdictions={"enforced": True})


def floridian(stack):
    """A number of Miami that has got no message yet."""
    return f"+1305555{stack.number():04d}"


def asked(stack, project, to, **fields):
    """The Router asks whether a text may be sent."""
    body = {
        "company_id": FIRST.id,
        "project_id": project.project,
        "channel_method": "sms",
        "recipient_tel": to,
        **fields,
    }
    headers = {"x-api-key": FIRST.router_key}
    return stack.request("POST", "/may-send", headers=headers, json=body)


def opened(stack, project, to, channel="sms", **recipient):
    """Start a conversation of the project; returns its request's id."""
    answer = stack.start(to, channel, of=project, recipient_data=recipient)
    assert answer.status_code == 200, answer.text
    return answer.json()["request_id"]


def test_an_opening_waits_for_the_hours_of_its_recipients_place_and_is_sent_once_they_begin(
    stack, ruled
):
    stack.forward_to(NIGHT)
    to = floridian(stack)
    waiting = stack.outcome(opened(stack, ruled, to))["waiting"]
    assert (waiting["for"], waiting["reason"]) == ("rules", "calling_hours")
    until = datetime.fromisoformat(waiting["until"])
    stack.forward(seconds=(until - stack.now()).total_seconds() - 600)
    assert words_to(stack, to) == []
    stack.passes_until(lambda: words_to(stack, to), minutes=6)
    stack.passes(hours=1)
    assert len(words_to(stack, to)) == 1


def test_an_opening_by_sms_says_what_its_recipients_place_asks_for(stack, ruled):
    stack.forward_to(NOON)
    to = floridian(stack)
    opened(stack, ruled, to)
    (words,) = words_to(stack, to)
    for said in ("Cucumber", "Msg frequency varies.", "Msg & data rates may apply.", "STOP"):
        assert said in words


@pytest.mark.parametrize(
    ("channel", "to", "changes", "recipient", "reason"),
    [
        (
            "sms",
            "+1305555",
            {"require_consent": False},
            {"comms_consent": False},
            "consent_missing",
        ),
        ("whatsapp", "+1305555", {}, {}, "template_category"),
        ("sms", "+1416555", {"company_address": None}, {}, "words_missing"),
    ],
)
def test_what_time_does_not_heal_fails_with_the_rules_reason(
    stack, channel, to, changes, recipient, reason
):
    project = stack.put_project(jurisdictions={"enforced": True}, **changes)
    to = f"{to}{stack.number():04d}"
    found = stack.outcome(opened(stack, project, to, channel, **recipient))
    assert (found["state"], found["reason"]) == ("failed", f"send:{reason}")
    assert words_to(stack, to) == []


def test_a_consent_is_not_carried_over_to_the_next_channel(stack):
    project = stack.put_project(jurisdictions={"enforced": True}, follow_ups={"fallback": ["sms"]})
    to = floridian(stack)
    found = stack.outcome(opened(stack, project, to, "whatsapp"))
    other = stack.outcome(found["continued_by"]["request_id"])
    assert (other["state"], other["reason"]) == ("failed", "send:consent_missing")
    assert words_to(stack, to) == []


def consenting(stack, **consent):
    """A project that takes starts without consent, and a number whose start has brought one."""
    stack.forward_to(NOON)
    project = stack.put_project(jurisdictions={"enforced": True}, require_consent=False)
    to = floridian(stack)
    given = {"given_at": "2026-11-01T09:00:00.000Z", "form": "/apply", "version": "7", **consent}
    opened(stack, project, to, comms_consent=False, consent=given)
    return project, to


def why_not(stack, project, to, channel="sms"):
    """Why neither may-send nor a start that says nothing of consent allows a message."""
    field = "recipient_email" if channel == "email" else "recipient_tel"
    both = {"recipient_tel": None, "channel_method": channel, field: to}
    found = asked(stack, project, to, **both).json()["why"]
    fate = stack.outcome(opened(stack, project, to, channel, comms_consent=False))
    forbidden = [f"send:{reason}" for reason in found]
    assert fate.get("reason", "") in forbidden or (fate["state"], found) == ("sent", [])
    return found


def test_a_consent_that_a_start_has_brought_counts_for_later_starts_until_its_end(stack):
    project, to = consenting(stack)
    assert why_not(stack, project, to) == []
    end = (stack.now() + timedelta(days=3)).isoformat()
    project, to = consenting(stack, expires_at=end)
    assert why_not(stack, project, to) == []
    stack.forward(seconds=timedelta(days=4).total_seconds())
    assert why_not(stack, project, to) == ["consent_expired"]


def test_a_consent_that_is_kept_counts_on_no_other_channel(stack):
    project, to = consenting(stack)
    assert "consent_missing" in why_not(stack, project, to, "whatsapp")


def test_a_refusal_withdraws_the_consents_before_it_unless_its_recipient_takes_it_back(stack):
    project, to = consenting(stack)
    stack.says(to, "STOP")
    stack.says(to, "START")
    assert why_not(stack, project, to) == []
    stack.says(to, "Don't text me again")
    own = ("--company", FIRST.id, "--address", to, "--yes", "--reason", "asked us by phone")
    stack.ops("do-not-contact", "lift", *own)
    stack.forward_to(NOON)
    assert why_not(stack, project, to) == ["consent_missing"]
    opened(stack, project, to, consent={"given_at": stack.now().isoformat()})
    assert why_not(stack, project, to) == []


def test_an_answer_is_sent_outside_the_hours_of_its_recipients_place(stack, ruled):
    stack.forward_to(NOON)
    to = floridian(stack)
    opened(stack, ruled, to)
    stack.forward_to(NIGHT)
    stack.says(to, "Tell me more")
    assert len(words_to(stack, to)) == 2


def test_may_send_says_when_and_by_which_rule(stack, ruled):
    to = floridian(stack)
    at = (stack.now() + timedelta(days=1)).replace(hour=NIGHT, minute=0)
    found = asked(stack, ruled, to, at=at.isoformat()).json()
    assert found.keys() == {"allowed", "why", "rules", "next_at"}
    assert (found["allowed"], found["why"]) == (False, ["calling_hours"])
    assert found["rules"] == ["us-federal:calling-hours", "us-fl:calling-hours"]
    then = datetime.fromisoformat(found["next_at"])
    assert timedelta(hours=7) < then - at < timedelta(hours=10)
    typed = stack.ops(
        *("may-i-send", FIRST.id, ruled.project, to, "--channel", "sms"),
        *("--at", at.isoformat(), "--json"),
    )
    assert json.loads(typed.out) == found
    assert asked(stack, ruled, to, at=then.isoformat()).json() == {
        "allowed": True,
        "why": [],
        "rules": [],
        "next_at": None,
    }
    before = (then - timedelta(seconds=1)).isoformat()
    assert not asked(stack, ruled, to, at=before).json()["allowed"]


def test_what_may_send_allows_is_sent_and_what_it_refuses_waits_or_fails_with_the_same_code(
    stack, ruled
):
    stack.forward_to(NOON)
    to = floridian(stack)
    assert asked(stack, ruled, to).json()["allowed"]
    assert words_to(stack, to) == []
    assert stack.outcome(opened(stack, ruled, to))["state"] == "sent"

    for number in range(2):
        assert stack.outcome(opened(stack, ruled, to))["state"] == "sent", number
    refused = asked(stack, ruled, to).json()
    assert refused["why"] == ["frequency_cap"]
    waiting = stack.outcome(opened(stack, ruled, to))["waiting"]
    assert waiting["reason"] == "frequency_cap"
    assert waiting["until"][:16] == refused["next_at"][:16]

    other = stack.put_project(jurisdictions={"enforced": True}, require_consent=False)
    stranger = floridian(stack)
    refused = asked(stack, other, stranger).json()
    assert (refused["why"], refused["next_at"]) == (["consent_missing"], None)
    found = stack.outcome(opened(stack, other, stranger, comms_consent=False))
    assert (found["state"], found["reason"]) == ("failed", "send:consent_missing")


def test_may_send_knows_who_has_said_stop(stack, ruled):
    stack.forward_to(NOON)
    to = floridian(stack)
    opened(stack, ruled, to)
    stack.says(to, "STOP")
    found = asked(stack, ruled, to).json()
    assert (found["allowed"], found["why"], found["next_at"]) == (False, ["do_not_contact"], None)


@pytest.mark.parametrize(
    ("fields", "status", "code", "named"),
    [
        ({"chanel_method": "tulip"}, 400, "UNKNOWN_FIELD", "chanel_method"),
        ({"channel_method": "tulip"}, 400, "UNSUPPORTED_CHANNEL", "channel_method"),
        ({"recipient_tel": "tulip"}, 400, "INVALID_RECIPIENT_TEL", "recipient_tel"),
        ({"recipient_tel": None}, 400, "MISSING_RECIPIENT_TEL", "recipient_tel"),
        ({"recipient_email": "tulip"}, 400, "INVALID_RECIPIENT_EMAIL", "recipient_email"),
        ({"purpose": "tulip"}, 400, "INVALID_PURPOSE", "purpose"),
        ({"at": "2026-11-27T22:00:00"}, 400, "INVALID_AT", "at"),
        ({"at": "9999-12-31T23:59:59Z"}, 400, "INVALID_AT", "at"),
        ({"at": "0001-01-01T00:00:00Z"}, 400, "INVALID_AT", "at"),
        ({"project_id": ["tulip"]}, 400, "MISSING_IDENTIFIERS", "project_id"),
        ({"project_id": "tulip"}, 404, "COMPANY_NOT_FOUND", "project"),
        ({"company_id": "tulip"}, 403, "AUTHORIZATION_ERROR", "company"),
    ],
)
def test_a_wrong_question_gets_a_4xx_that_names_the_field_and_never_its_value(
    stack, ruled, fields, status, code, named
):
    answer = asked(stack, ruled, floridian(stack), **fields)
    assert (answer.status_code, answer.json()["error_code"]) == (status, code)
    assert named in answer.json()["message"]
    assert "tulip" not in answer.text


def test_an_auditor_reads_which_rules_allowed_each_message(stack, ruled):
    stack.forward_to(NOON)
    to = floridian(stack)
    since = stack.now().isoformat()
    request_id = opened(stack, ruled, to)
    path = f"/conversations/{request_id}/messages"
    headers = {"x-api-key": FIRST.router_key}
    read = stack.request("GET", path, headers=headers).json()
    typed = stack.ops("consent", "audit", "--company", FIRST.id, "--since", since, "--json").out
    assert to not in typed
    lines = [json.loads(line) for line in typed.splitlines()]
    (line,) = [entry for entry in lines if entry["conversation"] == read["conversation"]]
    assert {rule.partition("@")[0] for rule in line["rules"]} == {
        "us-federal",
        "us-fl",
        "worldwide",
    }
    assert (line["channel"], line["purpose"], line["kind"]) == ("sms", "marketing", "opening")
    assert (line["region"], line["entry"]) == ("us-fl", read["messages"][-1]["id"])
    assert line["consent"].startswith("start ")
    assert "us-fl@" in stack.ops("explain", read["conversation"]).out
