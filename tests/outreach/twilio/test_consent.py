"""STOP, START and HELP at Twilio's door: the mark is there before the answer, whatever waits."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlencode

import pytest

from chalicelib.errors import TransientError, UnavailableError
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.conversations.statements import Statement
from local import company
from tests.rigs import neighbour as other
from tests.rigs.engines import drain
from tests.rigs.memory_stage import ON_ENGINE
from tests.rigs.outreach import TEL
from tests.rigs.twilio_posts import signed_by

BY_JO = Statement(door="ops", by="jo")


def is_marked(outreach, company_id=company.COMPANY_ID, tel=TEL):
    return outreach.services.outreach.conversations.is_forbidden(tel, company_id)


def say(outreach, text, *, whatsapp=False, **more):
    return outreach.deliver(outreach.says(text, whatsapp=whatsapp, **more)).status_code


def conversation(outreach, channel="sms", **project):
    outreach.set_project(**project)
    outreach.start(channel=channel)
    outreach.run()


def bodies(outreach):
    return [message["body"] for message in outreach.twilio.sent_to(TEL)]


def quiet_now():
    begun, over = (f"{datetime.now(UTC) + timedelta(hours=by):%H:%M}" for by in (-1, 5))
    return {"from": begun, "until": over, "zone": "UTC"}


@pytest.mark.parametrize("text", ["STOP", "BAJA", "stop please 🙏", "Don't text me again"])
def test_the_mark_is_written_before_the_answer(outreach, neighbour, text):
    conversation(outreach)
    assert say(outreach, text) == 200
    assert is_marked(outreach)
    assert not is_marked(outreach, other.COMPANY_ID)


@ON_ENGINE
def test_a_stop_in_quiet_hours_stops_the_next_start_and_every_answer(outreach):
    """The message before it waits for hours; the STOP behind it does not."""
    conversation(outreach)
    record = outreach.record("sms")
    outreach.services.outreach.conversations.change_while(
        record, [record.status], {"quiet_hours": quiet_now()}
    )
    say(outreach, "Hi")
    outreach.run()
    assert say(outreach, "STOP") == 200
    outreach.start("second", "sms")
    outreach.run()
    assert len(bodies(outreach)) == 1
    assert outreach.fate("second").json_body["reason"] == "do_not_contact"


def test_the_queue_or_the_register_being_away_is_a_5xx_and_twilio_repeats(outreach, monkeypatch):
    conversation(outreach)
    with monkeypatch.context() as patch:
        patch.setattr("chalicelib.outreach.twilio.door.PATIENCE_SECONDS", 0.0)
        patch.setattr(outreach.services.outbox, "put", _raises(UnavailableError("enqueue_failed")))
        post = outreach.says("STOP", whatsapp=False)
        assert outreach.deliver(post).status_code == 503
    assert is_marked(outreach), "heard although not queued"
    register = outreach.services.outreach.conversations
    register.lift(register.place(TEL, company.COMPANY_ID), how=BY_JO)
    away = TransientError("dynamodb", "update")
    with monkeypatch.context() as patch:
        register = outreach.services.outreach_doors._consent.register
        patch.setattr(register._table, "transact", _raises(away))
        assert outreach.deliver(outreach.says("wrong number", whatsapp=False)).status_code == 500
        assert outreach.deliver(post).status_code == 500
        assert drain(outreach.pump) == [], "not accepted without its mark"
    assert outreach.deliver(post).status_code == 200
    assert is_marked(outreach)


def _raises(error):
    def refuses(*_, **__):
        raise error

    return refuses


def test_a_message_costs_the_door_no_read_and_a_stop_two_and_a_write(outreach, monkeypatch):
    """The door has read earlier whose number it is."""
    conversation(outreach)
    say(outreach, "Hello")
    calls = []
    for client in (
        outreach.services.outreach.conversations_table._client,
        outreach.services.outbox._client,
    ):
        client.meta.events.register("before-call", lambda model, **_: calls.append(model.name))
    say(outreach, "When can I start?")
    assert set(calls) == {"SendMessage"}
    for text in ("STOP", "wrong number"):
        calls.clear()
        say(outreach, text)
        assert [call for call in calls if call in _CALLS] == _CALLS


_CALLS = ["GetItem", "BatchGetItem", "TransactWriteItems", "SendMessage"]


def test_another_companys_account_sets_and_lifts_nothing(outreach, neighbour):
    conversation(outreach)
    stop = outreach.says("STOP", whatsapp=False)
    assert outreach.deliver(signed_by(stop, other)).status_code == 200
    assert not is_marked(outreach)
    assert not is_marked(outreach, other.COMPANY_ID)
    outreach.deliver(stop)
    start = outreach.says("START", whatsapp=False)
    assert outreach.deliver(signed_by(start, other)).status_code == 200
    outreach.run()
    assert is_marked(outreach)


def test_a_stop_to_a_number_that_is_nobodys_blocks_that_number(outreach):
    conversation(outreach)
    record = outreach.record("sms")
    unknown = company.SMS_NUMBER[:-1] + "7"
    form = dict(parse_qsl(outreach.says("STOP", whatsapp=False).body.decode()))
    body = urlencode({**form, "To": unknown}).encode()
    assert outreach.deliver(signed_by(_post(outreach, body), company)).status_code == 200
    register = outreach.services.outreach.conversations
    assert not is_marked(outreach)
    assert register.forbids(record) is None
    config = {"company_sms_number": unknown}
    moved = register.change_while(record, [record.status], {"channel_config": config})
    assert register.forbids(moved) == MarkReason.STOP


def _post(outreach, body):
    post = outreach.says("x", whatsapp=False)
    return type(post)(post.url, post.headers, body)


def test_the_worker_leaves_what_the_door_has_done(outreach):
    """A START that was heard before the STOP's job is worked on stays heard, and the other way."""
    conversation(outreach)
    say(outreach, "STOP")
    say(outreach, "START")
    assert not is_marked(outreach)
    outreach.run()
    assert not is_marked(outreach)
    say(outreach, "START")
    say(outreach, "STOP")
    outreach.run()
    assert is_marked(outreach)


@pytest.mark.parametrize("word", ["START", "yes", "Sí"])
@pytest.mark.parametrize("reason", [MarkReason.STOP, MarkReason.OPERATOR, MarkReason.COMPLAINED])
def test_start_lifts_only_what_stop_has_set(outreach, word, reason):
    conversation(outreach)
    outreach.services.outreach.conversations.forbid(TEL, company.COMPANY_ID, reason)
    say(outreach, word)
    assert is_marked(outreach) is (reason != MarkReason.STOP)
    outreach.run()
    assert is_marked(outreach) is (reason != MarkReason.STOP)


def test_a_yes_of_somebody_who_never_said_stop_is_an_answer(outreach):
    conversation(outreach)
    say(outreach, "Yes")
    outreach.run()
    assert not is_marked(outreach)
    assert len(bodies(outreach)) == 2


@pytest.mark.parametrize(
    ("text", "whatsapp", "settings", "declared", "confirms"),
    [
        ("STOP", True, {}, {}, True),
        ("BAJA", False, {}, {}, True),
        ("STOP", False, {}, {}, False),
        ("STOP", False, {"opt_out_answers": "own"}, {}, True),
        ("BAJA", False, {}, {"OptOutType": "STOP"}, False),
    ],
)
def test_a_stop_is_confirmed_once_where_the_carrier_does_not(
    outreach, text, whatsapp, settings, declared, confirms
):
    channel = "whatsapp" if whatsapp else "sms"
    config = outreach.project["channel_config"]
    changed = {**config, channel: {**config[channel], **settings}}
    conversation(outreach, channel, channel_config=changed)
    outreach.twilio._opted_out.clear()
    post = outreach.says(text, whatsapp=whatsapp, **declared)
    outreach.twilio._opted_out.clear()  # Twilio's own handling is off, or does not know the word
    for _ in range(2):
        outreach.deliver(post)
        outreach.run()
    said = bodies(outreach)[1:]
    assert len(said) == confirms
    assert all("no more messages" in body for body in said)
    say(outreach, "Tell me more", whatsapp=whatsapp)
    outreach.run()
    assert len(bodies(outreach)) == 1 + confirms, "the only one"


def hears_all(outreach, *words):
    """Process each text before the next one; the simulated carrier blocks no number for STOP."""
    for word in words:
        say(outreach, word, whatsapp=True)
        outreach.twilio._opted_out.clear()
        outreach.run()


def confirmed(outreach):
    return sum("no more messages" in body for body in bodies(outreach))


def test_three_stops_are_confirmed_once_and_after_a_start_once_more(outreach):
    conversation(outreach, "whatsapp")
    hears_all(outreach, "STOP", "stop please", "ALTO")
    assert confirmed(outreach) == 1
    hears_all(outreach, "START")
    assert not is_marked(outreach)
    hears_all(outreach, "STOP", "STOP")
    assert confirmed(outreach) == 2
    assert is_marked(outreach)


def test_stops_that_wait_together_or_come_twice_are_confirmed_once(outreach):
    conversation(outreach, "whatsapp")
    posts = [outreach.says("STOP") for _ in range(3)]
    for post in [*posts, *reversed(posts)]:
        outreach.deliver(post)
    outreach.twilio._opted_out.clear()
    outreach.run()
    outreach.again()
    assert confirmed(outreach) == 1


def test_a_stop_on_a_second_channel_is_not_confirmed_again(outreach):
    conversation(outreach, "whatsapp")
    outreach.start("text", "sms")
    outreach.run()
    hears_all(outreach, "STOP")
    outreach.deliver(outreach.says("ALTO", whatsapp=False))
    outreach.twilio._opted_out.clear()
    outreach.run()
    assert confirmed(outreach) == 1


def test_a_stop_that_a_later_start_has_lifted_is_not_confirmed(outreach):
    conversation(outreach, "whatsapp")
    for word in ("STOP", "START"):
        say(outreach, word, whatsapp=True)
        outreach.twilio._opted_out.clear()
    outreach.run()
    assert not is_marked(outreach)
    assert confirmed(outreach) == 0


def test_a_carrier_that_blocks_the_confirmation_ends_it(outreach):
    """21610: Twilio's own handling has answered."""
    conversation(outreach, "whatsapp")
    say(outreach, "STOP", whatsapp=True)
    outreach.run()
    assert len(bodies(outreach)) == 1
    assert outreach.record().status != "handed_off"
    assert is_marked(outreach)


@pytest.mark.parametrize(
    ("text", "words"), [("HELP", "wrote to you about"), ("ayuda", "le escribió")]
)
def test_help_is_answered_with_the_companys_contact_also_after_a_stop(outreach, text, words):
    contact = "+1 555 010 9000"
    conversation(outreach, "whatsapp", company_contact=contact)
    outreach.services.outreach.conversations.forbid(TEL, company.COMPANY_ID, MarkReason.STOP)
    say(outreach, text, whatsapp=True)
    outreach.run()
    (answer,) = bodies(outreach)[1:]
    assert words in answer
    assert contact in answer
    assert outreach.project["company_name"] in answer


def test_a_message_in_doubt_goes_to_a_person_and_its_sender_is_suspended_before_the_answer(
    outreach,
):
    conversation(outreach)
    say(outreach, "My sister says she could not unsubscribe")
    assert is_marked(outreach)
    outreach.run()
    record = outreach.record("sms")
    assert record.handoff["reason"] == "opt_out_in_doubt"
    assert len(bodies(outreach)) == 1


def test_a_stop_by_text_stops_the_persons_email_as_well(outreach):
    mail = "jo@example.com"
    outreach.start("both", "sms", recipient_data={"recipient_email": mail})
    outreach.run()
    say(outreach, "STOP")
    outreach.run()
    outreach.start("mail", "email", mail)
    outreach.run()
    assert outreach.ses.sent_to(mail) == []
    assert outreach.fate("mail").json_body["reason"] == "do_not_contact"
