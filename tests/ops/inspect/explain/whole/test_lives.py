"""Whole lives of events, with outages and operators, and what `explain` says of them.

What it says is compared with what the vendors saw: messages that Twilio has, tags and comments that
Richpanel has.
"""

import json

import pytest

from chalicelib.once.lanes import OUTREACH
from chalicelib.support import keys as ticket_keys
from local import company
from tests.rigs.dead_letters import dead_lettered
from tests.rigs.ops_cli import runner
from tests.rigs.outreach import MAIL, TEL
from tests.rigs.tickets import ROUTED, RoutingSystem

STARTED = f"{company.COMPANY_ID}#req123"


@pytest.fixture
def run(app_environment, capsys):
    return runner(capsys)


@pytest.fixture
def system(app, without_rate_limits, stage, richpanel, pump):
    return RoutingSystem(app, stage, richpanel, pump)


def story(run, subject):
    """Why the subject's only event did nothing, and its paragraph."""
    (event,) = run("explain", subject, "--json").data["events"]
    return event["story"]["why_not"], event["story"]["paragraph"]


# --- tickets ------------------------------------------------------------------------------------


def test_a_ticket_through_an_outage_of_richpanel(system, run):
    system.post(system.ticket())
    system.richpanel.down()
    system.run()
    why_not, paragraph = story(run, "evt:rp:1042:c-1")
    assert why_not.startswith(
        "Not answered yet: the last attempt ended because Richpanel could not"
    )
    assert "Attempted 1 time so far; tried again on" in paragraph
    system.richpanel.up()
    assert system.added() == {}
    system.again()
    _, paragraph = story(run, "evt:rp:1042:c-1")
    assert "Routed to Returns admin because it was read as refund request" in paragraph
    assert "route-returns-admin" in system.richpanel.tags_of("1042")


@pytest.mark.parametrize("switch", ["kill_switch", "shadow_mode"])
def test_a_ticket_that_a_switch_withheld_until_an_operator_replayed_it(system, run, switch):
    system.switch(switch, "true")
    system.post(system.ticket())
    system.run()
    why_not, paragraph = story(run, "evt:rp:1042:c-1")
    assert f"the switch {switch} was on" in why_not
    assert "but not routed" in paragraph
    assert system.added() == {}
    system.switch(switch, "false")
    run("replay", "evt:rp:1042:c-1")
    system.run()
    paragraph = story(run, "evt:rp:1042:c-1")[1]
    assert "Routed to Returns admin" in paragraph
    assert " asked for replay " in paragraph
    assert system.added()


def test_a_comment_of_our_own_people_is_not_answered_and_why(system, run):
    system.richpanel.add_ticket("7")
    comment = system.richpanel.add_comment("7", "We refunded you", operator=True)
    system.post({"ticket_id": "7", "message_id": comment})
    system.run()
    why_not, _ = story(run, f"evt:rp:7:{comment}")
    assert why_not.startswith("Not answered: the comment was written by an operator")


def test_what_an_operator_resent_has_a_story_of_its_own(system, run):
    system.post(system.ticket())
    system.run()
    first = story(run, "evt:rp:1042:c-1")
    action = ticket_keys.tag_action("1042", ROUTED[0], "c-1")
    for _ in range(2):
        assert run("resend", action, "--nonce", "again", "--yes").code == 0
        system.run()
    assert system.added()[ROUTED[0]] == 2, "once, and once more for one nonce"
    said = run("explain", "evt:rp:1042:c-1:resend:again", "--json").data["events"]
    assert [event["verdict"] for event in said] == ["processed: 1 done"]
    assert "once more" in said[0]["story"]["paragraph"]
    assert story(run, "evt:rp:1042:c-1")[0] == first[0]


class TestWithReplies:
    @pytest.fixture
    def app_environment(self, replies_environment):
        return replies_environment

    def test_an_automatic_answer_names_the_comment_that_richpanel_shows(
        self, replies_rig, tracked_question, run
    ):
        replies_rig.run(replies_rig.ticket(tracked_question))
        replies_rig.run(replies_rig.ticket("You are thieves, I will call my lawyer", "1043"))
        why_not, paragraph = story(run, "evt:rp:1042:c-1")
        assert why_not is None
        assert "Answered automatically with template" in paragraph
        assert f"Richpanel accepted it, as {replies_rig.reply_row()['ref']}" in paragraph
        assert len(replies_rig.replies) == 1
        why_not, paragraph = story(run, "evt:rp:1043:c-1")
        assert why_not.startswith(
            "Not answered automatically: the subject is one that only a person"
        )
        assert "Answered" not in paragraph

    def test_a_shop_that_is_down_is_the_reason(self, replies_rig, shopify, tracked_question, run):
        shopify.down()
        replies_rig.run(replies_rig.ticket(tracked_question))
        why_not, _ = story(run, "evt:rp:1042:c-1")
        assert "the order could not be looked up" in why_not
        assert replies_rig.replies == []


# --- outreach -----------------------------------------------------------------------------------


def test_a_text_until_its_arrival_is_confirmed(outreach, run):
    outreach.start(channel="sms")
    outreach.run()
    (sent,) = outreach.twilio.sent_to(TEL)
    why_not, paragraph = story(run, STARTED)
    assert why_not is None
    assert f"Sent: Twilio accepted it, as {sent['sid']}" in paragraph
    assert "No confirmation of its arrival has come yet." in paragraph
    outreach.hear_back()
    assert "Its arrival was confirmed by Twilio" in story(run, STARTED)[1]


def unknown_send(outreach):
    """Twilio sends the text and answers 503."""
    outreach.twilio.fault("act_then_status", operation="create_message", status=503)
    outreach.start(channel="sms")
    outreach.run()
    return next(
        row["event_id"]["S"]
        for row in outreach.rows()
        if row["event_id"]["S"].startswith("act:send")
    )


def test_an_outcome_that_is_not_known_is_neither_sent_nor_not_sent(outreach, run):
    unknown_send(outreach)
    why_not, paragraph = story(run, STARTED)
    assert why_not.startswith("Not known whether it was sent: a request left and no usable answer")
    assert "Sent:" not in paragraph
    assert "twice" not in paragraph


def test_an_outcome_that_the_carrier_settled_was_sent_once(outreach, run):
    unknown_send(outreach)
    outreach.age_starts()
    outreach.sweep()
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    why_not, paragraph = story(run, STARTED)
    assert why_not is None
    assert "Sent: Twilio" in paragraph
    assert "twice" not in paragraph


def test_a_send_that_a_wrong_not_done_doubled_is_shown_as_two_requests(outreach, run):
    action = unknown_send(outreach)
    assert run("settle", action, "not-done", "--yes", "--force", "--reason", "checked").code == 0
    outreach.run()
    sent = outreach.twilio.sent_to(TEL)
    assert len(sent) == 2, "the operator was wrong"
    _, paragraph = story(run, STARTED)
    assert paragraph.count("A request left") == 1
    assert "Sent once more: Twilio accepted it" in paragraph
    assert sent[-1]["sid"] in paragraph
    assert "It was sent twice as far as we know" in paragraph


def test_a_wrong_not_done_in_another_conversation_is_not_this_ones(outreach, run):
    outreach.start("req-other", "sms", "+15550100002")
    outreach.run()
    action = unknown_send(outreach)
    run("settle", action, "not-done", "--yes", "--force", "--reason", "checked")
    outreach.run()
    _, paragraph = story(run, f"{company.COMPANY_ID}#req-other")
    assert "twice" not in paragraph


@pytest.mark.parametrize("whatsapp", [True, False])
def test_a_reply_and_what_became_of_it(outreach, run, whatsapp):
    """The story tells of one answer for each message at Twilio but the opening."""
    outreach.start(channel="whatsapp" if whatsapp else "sms")
    outreach.run()
    assert outreach.deliver(outreach.says("Tell me more", whatsapp=whatsapp)).status_code == 200
    (waiting,) = waits(outreach)
    outreach.run()
    assert waits(outreach) == []
    why_not, paragraph = story(run, waiting)
    assert "The recipient wrote on" in paragraph
    assert paragraph.count("Answered automatically") == len(outreach.twilio.sent_to(TEL)) - 1
    assert (why_not is None) == ("Answered automatically" in paragraph)


def test_a_stop_is_not_answered_and_nothing_is_sent_after_it(outreach, run):
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("STOP", whatsapp=False))
    (stop,) = waits(outreach)
    outreach.run()
    sent = len(outreach.twilio.sent_to(TEL))
    assert "Answered automatically" not in story(run, stop)[1]
    outreach.start("req-later", "sms")
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == sent
    subject = f"{company.COMPANY_ID}#req-later"
    said = run("explain", subject, "--json")
    for event in said.data["events"]:
        assert "Sent:" not in event["story"]["paragraph"]


def test_an_e_mail_is_sent_as_ses_has_it(outreach, run):
    outreach.start(channel="email")
    (waiting,) = waits(outreach)
    assert story(run, waiting)[0].startswith("Not sent yet: it is on the queue")
    outreach.run()
    why_not, paragraph = story(run, STARTED)
    assert why_not is None
    assert "Sent: Amazon SES accepted it" in paragraph
    assert len(outreach.ses.sent_to(MAIL)) == 1


def test_a_start_whose_message_no_worker_took_is_a_dead_letter_until_the_sweep(outreach, run):
    outreach.start(channel="sms")
    dead_lettered(outreach.stage, OUTREACH)
    (event,) = run("explain", STARTED, "--json").data["events"]
    assert event["story"]["why_not"] == (
        "Not sent yet: no worker took its message, which is a dead letter;"
        " the sweep puts the event on the queue again."
    )
    assert (event["where"]["place"], event["where"]["why"]) == ("a dead letter", "the sweep")
    assert event["where"]["next_try"] > event["where"]["since"]
    other = "req-queued"
    outreach.start(other, "email")
    (waiting,) = run("explain", f"{company.COMPANY_ID}#{other}", "--json").data["events"]
    assert waiting["where"]["place"] == "on the queue", "another one is no dead letter"


def test_where_not_every_dead_letter_was_compared_it_is_said(outreach, run, monkeypatch):
    monkeypatch.setattr("ops.inspect.explain.dead_letter_keys.MOST", 1)
    for request, recipient in (("req123", TEL), ("req-other", "+15550100002")):
        outreach.start(request, "sms", recipient)
        dead_lettered(outreach.stage, OUTREACH)
    said = run("explain", f"{company.COMPANY_ID}#req-other")
    assert "not asked: further dead letters: only 1 were compared; see `dlq list`" in said.out


def test_a_receipt_that_came_twice_is_one_event(outreach, run):
    outreach.start(channel="sms")
    outreach.run()
    before = {row["event_id"]["S"] for row in outreach.rows()}
    receipt = outreach.twilio.callbacks()[-1]
    for _ in range(2):
        assert outreach.deliver(receipt).status_code == 200
        outreach.run()
    (key,) = (
        row["event_id"]["S"]
        for row in outreach.rows()
        if row["event_id"]["S"] not in before and row["event_id"]["S"].startswith("evt:")
    )
    why_not, paragraph = story(run, key)
    assert why_not is None
    (sent,) = outreach.twilio.sent_to(TEL)
    assert paragraph.endswith(f"that message {sent['sid']} was delivered.")


# --- facts --------------------------------------------------------------------------------------


def test_a_fact_through_an_outage_of_power_bi(facts_rig, run):
    number = facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.powerbi.down()
    facts_rig.post()
    assert "The report does not have it yet" in run("explain", f"ALOWARE:{number}").out
    facts_rig.powerbi.up()
    facts_rig.post()
    assert "The report has it." in run("explain", f"ALOWARE:{number}").out


# --- what is on a queue -------------------------------------------------------------------------


def waits(outreach):
    """The keys of the events in the lanes' queues, as SQS shows them."""
    sqs, found = outreach.stage.aws.client("sqs"), []
    for channel in ("sms", "email"):
        url = outreach.lane_url(channel)
        messages = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)
        for message in messages.get("Messages", []):
            found.append(json.loads(message["Body"])["event_key"])
            handle = message["ReceiptHandle"]
            sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=handle, VisibilityTimeout=0)
    return found
