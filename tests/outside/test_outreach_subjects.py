"""The promises of docs/outreach.md, tried from outside: what is said from one address is in force for all."""

import json
from datetime import timedelta

import pytest

from tests.outside.aws import aws
from tests.outside.conversations import (
    MODEL,
    act,
    clicked,
    conversation,
    opened,
    started,
    two_addresses,
    unsubscribe_path,
)
from tests.outside.running import FIRST

OWN = ("--company", FIRST.id)


def outcome(stack, to, channel, **more):
    """What becomes of a later start that names this one address."""
    found = stack.outcome(started(stack, to, channel, **more))
    return found.get("reason") or found["state"]


def unsubscribes(stack, mail):
    """One click on the link in the newest e-mail to an address."""
    assert clicked(stack, unsubscribe_path(stack.mails_to(mail)[-1])).status_code == 200


def test_one_click_on_the_e_mail_also_silences_the_phone(stack):
    both = two_addresses(stack)
    opened(stack, both, "email")
    unsubscribes(stack, both["recipient_email"])
    for channel in ("sms", "whatsapp"):
        assert outcome(stack, both["recipient_tel"], channel) == "do_not_contact"
    assert stack.texts_to(both["recipient_tel"]) == []


def test_a_stop_by_text_stops_a_start_that_names_only_the_e_mail_address(stack):
    both = two_addresses(stack)
    opened(stack, both, "sms")
    stack.says(both["recipient_tel"], "STOP")
    assert outcome(stack, both["recipient_email"], "email") == "do_not_contact"
    assert stack.mails_to(both["recipient_email"]) == []


def test_lifting_an_address_that_another_one_blocks_names_that_one(stack):
    both = two_addresses(stack)
    opened(stack, both, "email")
    unsubscribes(stack, both["recipient_email"])
    to = both["recipient_tel"]
    done = stack.ops("do-not-contact", "lift", *OWN, "--address", to, "--yes", "--json").data
    assert (done["lifted"], done["still_blocked_by"]) == ([], [both["recipient_email"]])


@pytest.mark.parametrize("has_conversation", [True, False])
def test_a_start_that_is_refused_still_links_the_addresses_that_it_names(stack, has_conversation):
    both = two_addresses(stack)
    started(stack, both["recipient_tel"])
    stack.says(both["recipient_tel"], "STOP")
    if has_conversation:
        started(stack, both["recipient_email"], "email")
        stack.ses.forget("events")
    refused = stack.outcome(opened(stack, both, "email"))
    assert refused["state"] == "failed"
    assert outcome(stack, both["recipient_email"], "email") == "do_not_contact"


def test_the_number_that_whatsapp_shows_of_a_mexican_phone_is_that_phone(stack):
    number = f"55{stack.number():08d}"[:10]
    mail = stack.mail()
    started(
        stack,
        mail,
        "email",
        recipient_data={"recipient_tel": f"+521{number}", "recipient_email": mail},
    )
    unsubscribes(stack, mail)
    assert outcome(stack, f"+52{number}", "sms") == "do_not_contact"
    assert outcome(stack, f"+521{number}", "sms") == "do_not_contact"


@pytest.mark.parametrize(
    ("channel", "wrong"), [("email", "recipient_tel"), ("sms", "recipient_email")]
)
def test_a_start_whose_other_address_is_wrong_is_refused_by_the_fields_name(stack, channel, wrong):
    answer = stack.start(
        stack.mail() if channel == "email" else stack.tel(),
        channel,
        recipient_data={**two_addresses(stack), wrong: "tulip"},
    )
    assert (answer.status_code, answer.json()["error_code"]) == (400, f"INVALID_{wrong.upper()}")
    assert wrong in answer.json()["message"]
    assert "tulip" not in answer.text


def test_who_says_that_another_number_is_theirs_and_then_stop_silences_no_other_person(stack):
    liar, other = stack.tel(), stack.tel()
    started(stack, liar)
    stack.says(liar, f"My number is {other}, not this one")
    stack.says(liar, "STOP")
    assert outcome(stack, liar, "sms") == "do_not_contact"
    assert outcome(stack, other, "sms") == "sent"


def test_a_start_by_text_does_not_lift_that_its_sender_has_unsubscribed_by_e_mail(stack):
    both = two_addresses(stack)
    opened(stack, both, "email")
    opened(stack, both, "sms")
    unsubscribes(stack, both["recipient_email"])
    stack.says(both["recipient_tel"], "START")
    for channel, to in (("sms", "recipient_tel"), ("email", "recipient_email")):
        assert outcome(stack, both[to], channel) == "do_not_contact"


def test_a_link_that_is_undone_frees_the_other_side_and_no_start_makes_it_again(stack):
    both = two_addresses(stack)
    opened(stack, both, "sms")
    stack.says(both["recipient_tel"], "STOP")
    mail = both["recipient_email"]
    stack.ops("subject", "unlink", *OWN, "--address", mail, "--yes", "--reason", "two people")
    assert outcome(stack, mail, "email") == "sent"
    opened(stack, both, "email")
    assert outcome(stack, mail, "email") == "sent"
    assert outcome(stack, both["recipient_tel"], "sms") == "do_not_contact"


def test_what_is_known_of_a_person_is_explained_by_where_and_when_it_was_said(stack):
    both = two_addresses(stack)
    request_id = opened(stack, both, "sms")
    stack.says(both["recipient_tel"], "Please stop texting me")
    shown = subject(stack, both["recipient_email"])
    assert set(shown["members"].values()) == set(both.values())
    (link,) = shown["links"]
    assert (link["by"], link["of"]) == ("start", conversation(stack, request_id)["id"])
    said = [proof for proof in shown["evidence"] if proof["about"] == "wish"]
    assert [(proof["door"], proof["said"]) for proof in said] == [
        ("twilio", "Please stop texting me")
    ]


def test_a_refusal_of_marketing_leaves_what_is_transactional(stack):
    to, of = stack.tel(), stack.put_project(message_kind="transactional")
    started(stack, to)
    stack.says(to, "No more marketing messages please")
    assert outcome(stack, to, "sms") == "do_not_contact"
    assert outcome(stack, to, "sms", of=of) == "sent"
    assert outcome(stack, to, "sms", request_data={"purpose": "transactional"}) == "sent"
    stack.says(to, "STOP")
    assert outcome(stack, to, "sms", of=of) == "do_not_contact"


def test_the_consent_that_a_start_brings_is_kept_with_the_person_and_its_form(stack):
    to = stack.tel()
    consent = {"given_at": "2026-11-20T08:59:00.000Z", "form": "/apply", "version": "7"}
    started(stack, to, recipient_data={"recipient_tel": to, "consent": consent})
    (key,) = subject(stack, to)["consents"]
    assert key.endswith("#sms#marketing")
    (proof,) = [
        proof for proof in subject(stack, to)["evidence"] if "sms#marketing" in proof["about"]
    ]
    assert proof["after"] == {**consent, "source": "start"}


def test_what_is_exported_of_the_register_is_imported_as_it_was(stack, tmp_path):
    both, file = two_addresses(stack), tmp_path / "register.csv"
    opened(stack, both, "email")
    unsubscribes(stack, both["recipient_email"])
    stack.says(both["recipient_tel"], "STOP")
    export = ("do-not-contact", "export", *OWN, "--to")
    stack.ops(*export, file)
    stack.ops("do-not-contact", "import", *OWN, file, "--yes", "--reason", "back")
    stack.ops(*export, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == file.read_text()


def test_a_list_does_not_suppress_again_who_has_said_start_since(stack, tmp_path):
    to, file = stack.tel(), tmp_path / "list.csv"
    started(stack, to)
    stack.says(to, "STOP")
    stack.says(to, "START")
    file.write_text(f"{to}\n")
    command = ("do-not-contact", "import", *OWN, file, "--yes", "--reason", "list", "--json")
    assert json.loads(stack.ops(*command).out)["newer_here"] == 1
    assert outcome(stack, to, "sms") == "sent"
    later = stack.now().isoformat()
    file.write_text(f"address,since\n{to},{later}\n")
    assert json.loads(stack.ops(*command).out)["entered"] == 1
    assert outcome(stack, to, "sms") == "do_not_contact"


def test_of_an_erased_person_nothing_is_left_but_what_blocks(stack):
    both = two_addresses(stack)
    opened(stack, both, "sms")
    opened(stack, both, "email")
    stack.says(both["recipient_tel"], "STOP")
    stack.ops("erase", "--subject", both["recipient_tel"], "--yes", "--reason", "asked", "--json")
    shown = subject(stack, both["recipient_email"])
    assert set(shown["members"].values()) == {""}
    assert not [proof for proof in shown["evidence"] if proof.get("said")]
    for channel, to in (("sms", "recipient_tel"), ("email", "recipient_email")):
        assert outcome(stack, both[to], channel) == "do_not_contact"


def test_after_erasing_by_a_variant_no_table_has_a_word_or_an_address_of_the_person(stack):
    number = f"{stack.number():04d}"
    tel, variant = f"+525512{number}77", f"+5215512{number}77"
    mail = stack.mail().upper()
    both = {"recipient_tel": tel, "recipient_email": mail, "recipient_first_name": "Saxophonist"}
    consent = {"given_at": "2026-11-20T08:59:00.000Z", "form": "/trombone", "version": "7"}
    opened(stack, {**both, "consent": consent}, "email", of=stack.put_project())
    opened(stack, both, "sms")
    request_id = opened(stack, both, "sms", of=MODEL)
    stack.says(tel, "Is the trumpet mine? Please stop texting me")
    stack.writes(mail, stack.mails_to(mail.lower())[-1]["reply_to"], "The clarinet, please.")
    assert outcome(stack, mail.lower(), "email") == "do_not_contact"
    note = {"text": "The bassoon is hers."}
    act(stack, conversation(stack, request_id), "note", once=request_id, **note)
    body = {"entries": [{"address": mail}], "reason": "on the oboe list"}
    key = {"x-api-key": FIRST.router_key}
    assert stack.request("POST", "/register/import", headers=key, json=body).status_code == 200
    stack.ops("person", "export", "--subject", variant)
    instruments = ("saxophonist", "trombone", "trumpet", "clarinet", "bassoon", "oboe")
    sought = (tel[1:], variant[1:], mail.lower(), *instruments)
    assert set(sought) - {variant[1:]} <= kept(stack, sought), (
        "the sample is kept, or proves nothing"
    )
    stack.ops("erase", "--subject", variant, "--yes", "--reason", "asked")
    assert kept(stack, sought) == set()
    since = (stack.now() - timedelta(days=1)).isoformat()
    audit = stack.ops("consent", "audit", *OWN, "--since", since, "--json").out.lower()
    assert not [word for word in sought if word in audit]
    for channel, to in (("sms", tel), ("email", mail)):
        assert outcome(stack, to, channel) == "do_not_contact"


def kept(stack, sought):
    """Which of some words are in any row of any table."""
    found = set()
    for table in aws(stack, "dynamodb", "ListTables")["TableNames"]:
        start = {}
        while start is not None:
            page = aws(stack, "dynamodb", "Scan", TableName=table, **start)
            text = json.dumps(page["Items"]).lower()
            found |= {word for word in sought if word in text}
            key = page.get("LastEvaluatedKey")
            start = {"ExclusiveStartKey": key} if key else None
    return found


def subject(stack, address):
    """What a company knows of the consent of an address's person."""
    return json.loads(stack.ops("subject", "show", *OWN, "--address", address, "--json").out)
