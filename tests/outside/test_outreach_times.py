"""The promises of docs/outreach.md, tried from outside: quiet hours, reminders and other channels."""

from datetime import timedelta

import pytest

from tests.outside.conversations import (
    FOLLOW_UPS,
    act,
    answers_on,
    conversation,
    night,
    on,
    opened,
    opened_on_both,
    posted,
    started,
    two_addresses,
    words_to,
)


def test_nothing_leaves_at_night_and_in_the_morning_opening_and_answers_go_out_in_order(stack):
    project = stack.put_project(quiet_hours=night(stack))
    to, stopped = stack.tel(), stack.tel()
    request_id, _ = started(stack, to, of=project), started(stack, stopped, of=project)
    for text in ("Are you there?", "Hello?"):
        stack.says(to, text)
    stack.says(stopped, "ARRÊT")
    assert stack.outcome(request_id)["waiting"]["for"] == "quiet_hours"
    assert stack.texts_to(to) == []
    stack.forward(minutes=66)
    words = words_to(stack, to)
    assert len(words) == 3
    assert ["Jo" in word for word in words] == [True, False, False]
    assert [message["from"] for message in stack.said(request_id)].count("recipient") == 2
    assert not [word for word in words_to(stack, stopped) if "Hello Jo" in word]


def test_the_recipients_own_time_decides_what_night_is(stack):
    project = stack.put_project(quiet_hours={"from": "22:00", "until": "07:00", "zone": "UTC"})
    for zone, sent in (("Asia/Tokyo", 0), ("Europe/London", 1)):
        to = stack.tel()
        started(stack, to, of=project, recipient_data={"recipient_timezone": zone})
        assert len(stack.texts_to(to)) == sent


def test_a_reminder_and_an_end_are_sent_once_to_those_who_have_not_written(stack):
    project = stack.put_project(follow_ups=FOLLOW_UPS)
    silent, writes, stopped = stack.tel(), stack.tel(), stack.tel()
    request_id = started(stack, silent, of=project)
    for to in (writes, stopped):
        started(stack, to, of=project)
    stack.says(writes, "I am here.")
    stack.says(stopped, "STOP")
    assert stack.outcome(request_id)["next"]["step"] == "reminder"
    for hours in (1.1, 2.1, 24):
        stack.forward(hours=hours)
    reminder, end = words_to(stack, silent)[1:]
    assert reminder.startswith("Did you see our message?")
    assert end.startswith("We close this for now.")
    assert (len(stack.texts_to(writes)), len(stack.texts_to(stopped))) == (2, 1)
    stack.says(silent, "Sorry, I am late.")
    assert len(stack.texts_to(silent)) == 4


def test_where_the_carrier_cannot_deliver_the_conversation_goes_on_on_the_next_channel_once(stack):
    project = stack.put_project(follow_ups={"fallback": ["whatsapp", "email"]})
    tel, mail = stack.tel(), stack.mail()
    both = {"recipient_tel": tel, "recipient_email": mail}
    stack.twilio.modes(fates=["undelivered"])
    request_id = started(stack, tel, of=project, recipient_data=both)
    for _ in range(4):
        stack.carriers_report()
    first = stack.outcome(request_id)
    assert (first["state"], first["continued_by"]["channel"]) == ("failed", "whatsapp")
    second = stack.outcome(first["continued_by"]["request_id"])
    assert (second["state"], second["continued_by"]["channel"]) == ("failed", "email")
    assert stack.outcome(second["continued_by"]["request_id"])["state"] == "delivered"
    assert [text["to"] for text in stack.texts_to(tel)] == [tel, f"whatsapp:{tel}"]
    assert len(stack.mails_to(mail)) == 1


def test_after_a_stop_no_other_channel_takes_a_conversations_place(stack):
    project = stack.put_project(follow_ups={"fallback": ["email"]})
    tel, mail = stack.tel(), stack.mail()
    stack.twilio.modes(fates=["undelivered"])
    both = {"recipient_tel": tel, "recipient_email": mail}
    request_id = started(stack, tel, of=project, recipient_data=both)
    stack.says(tel, "STOP")
    stack.carriers_report()
    assert stack.outcome(request_id)["state"] == "failed"
    assert "continued_by" not in stack.outcome(request_id)
    assert stack.mails_to(mail) == []


@pytest.mark.parametrize(("reminded", "answered"), [("sms", "email"), ("email", "sms")])
def test_neither_reminder_nor_end_is_sent_to_who_has_answered_another_conversation_on_another_channel(
    stack, reminded, answered
):
    both = opened_on_both(stack, reminded, answered)
    answers_on(stack, both, answered)
    for hours in (1.1, 2.1, 24):
        stack.forward(hours=hours)
    assert len(on(stack, both, reminded)) == 1


@pytest.mark.parametrize(("reminded", "answered"), [("sms", "email"), ("email", "sms")])
def test_an_end_is_not_sent_to_who_has_written_on_another_channel_since_the_reminder(
    stack, reminded, answered
):
    both = opened_on_both(stack, reminded, answered)
    stack.forward(hours=1.1)
    assert len(on(stack, both, reminded)) == 2
    answers_on(stack, both, answered)
    for hours in (2.1, 24):
        stack.forward(hours=hours)
    assert len(on(stack, both, reminded)) == 2


@pytest.mark.parametrize("answers", [True, False])
def test_an_answer_on_another_channel_keeps_a_failed_conversation_from_going_on_elsewhere(
    stack, answers
):
    project = stack.put_project(follow_ups={"fallback": ["email"]})
    both = two_addresses(stack)
    stack.twilio.modes(fates=["undelivered"])
    request_id = opened(stack, both, "sms", of=project)
    opened(stack, both, "email")
    if answers:
        answers_on(stack, both, "email")
    stack.carriers_report()
    assert stack.outcome(request_id)["state"] == "failed"
    assert ("continued_by" in stack.outcome(request_id)) != answers


def test_a_reminder_is_sent_although_a_machine_has_answered(stack):
    project, to = stack.put_project(follow_ups=FOLLOW_UPS), stack.mail()
    started(stack, to, "email", of=project)
    reply_to = stack.mails_to(to)[0]["reply_to"]
    stack.writes(to, reply_to, "I am away until Monday.", Auto_Submitted="auto-replied")
    stack.forward(hours=1.1)
    assert words_to(stack, to)[1].startswith("Did you see our message?")


def test_a_reminder_waits_for_the_end_of_quiet_hours(stack):
    begins, ends = stack.now() + timedelta(minutes=30), stack.now() + timedelta(hours=3)
    quiet = {"from": f"{begins:%H:%M}", "until": f"{ends:%H:%M}", "zone": "UTC"}
    project, to = stack.put_project(follow_ups=FOLLOW_UPS, quiet_hours=quiet), stack.tel()
    started(stack, to, of=project)
    stack.forward(hours=1.2)
    stack.forward(hours=1.2)
    assert len(stack.texts_to(to)) == 1
    stack.forward(hours=0.8)
    assert words_to(stack, to)[1].startswith("Did you see our message?")


def test_a_reminder_is_not_sent_while_a_person_has_the_conversation(stack):
    project, to = stack.put_project(follow_ups=FOLLOW_UPS), stack.tel()
    request_id = started(stack, to, of=project)
    act(stack, conversation(stack, request_id), "take")
    for hours in (1.1, 2.1):
        stack.forward(hours=hours)
    assert len(stack.texts_to(to)) == 1


def test_a_reminder_does_not_follow_an_opening_that_was_not_delivered(stack):
    project, to = stack.put_project(follow_ups=FOLLOW_UPS), stack.tel()
    stack.twilio.modes(fates=["undelivered"])
    started(stack, to, of=project)
    stack.carriers_report()
    for hours in (1.1, 2.1):
        stack.forward(hours=hours)
    assert len(stack.texts_to(to)) == 1


def test_a_later_change_of_the_follow_ups_is_in_force_for_later_conversations_only(stack):
    project, earlier, later = stack.put_project(follow_ups=FOLLOW_UPS), stack.tel(), stack.tel()
    started(stack, earlier, of=project)
    stack.put_project(project_id=project.project)
    stack.forward(minutes=2)
    started(stack, later, of=project)
    stack.forward(hours=1.1)
    assert (len(stack.texts_to(earlier)), len(stack.texts_to(later))) == (2, 1)


def test_where_the_outcome_of_an_opening_is_unknown_no_other_channel_takes_its_place(stack):
    project = stack.put_project(follow_ups={"fallback": ["sms"]})
    both = two_addresses(stack)
    stack.ses.fails("act_then_drop")
    request_id = opened(stack, both, "email", of=project)
    stack.passes(hours=4)
    assert stack.outcome(request_id)["state"] == "parked"
    assert "continued_by" not in stack.outcome(request_id)
    assert on(stack, both, "sms") == []


def test_a_channel_that_the_project_does_not_allow_gives_way_to_the_next_one_of_its_fallback(stack):
    follow_ups = {"fallback": ["whatsapp", "email"]}
    project = stack.put_project(allowed_channels=["email"], follow_ups=follow_ups)
    both = two_addresses(stack)
    request_id = opened(stack, both, "sms", of=project)
    stack.forward(minutes=1)
    assert stack.outcome(request_id)["continued_by"]["channel"] == "email"
    assert (len(on(stack, both, "sms")), len(on(stack, both, "email"))) == (0, 1)


def test_a_conversation_on_another_channel_counts_against_no_limit_of_its_company(stack):
    limits = {"requests_per_minute": 2, "requests_per_day": 9999, "concurrent_conversations": 999}
    fallback = {"fallback": ["email"]}
    project, both = stack.put_project(rate_limits=limits, follow_ups=fallback), two_addresses(stack)
    stack.twilio.modes(fates=["undelivered"])
    stack.forward(seconds=60 - stack.now().second)
    opened(stack, both, "sms", of=project)
    stack.carriers_report()
    assert len(on(stack, both, "email")) == 1
    bodies = [stack.start_body(stack.tel(), of=project) for _ in range(2)]
    assert [posted(stack, body).status_code for body in bodies] == [200, 429]
