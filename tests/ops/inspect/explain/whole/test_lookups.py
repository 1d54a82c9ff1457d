"""Everything that an operator can name is found by key or by query, on real tables."""

import json
import re

import boto3
import pytest

from chalicelib.once import trace
from local import company
from tests.rigs.memory_stage import another_session
from tests.rigs.ops_cli import runner
from tests.rigs.outreach import MAIL, TEL
from tests.rigs.tickets import RoutingSystem, put_dead_letter

TRACE = re.compile(r'"mw_trace_id":"([0-9a-f]{16})"')


@pytest.fixture
def run(app_environment, capsys):
    return runner(capsys)


@pytest.fixture
def calls(monkeypatch):
    """Every call to AWS of the clients that are built from here on, by its operation."""
    made, session = [], another_session()
    session.events.register("before-call", lambda model, **_: made.append(model.name))
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", session)
    return made


def events(said):
    assert said.code == 0, said
    return {event["event"]["event_id"] for event in said.data["events"]}


def shown(said):
    """The events found, by the kind of identifier that the text was found as."""
    assert said.code == 0, said
    found = (said.data, *said.data["also"])
    return {
        subject["found_as"]: {event["event"]["event_id"] for event in subject["events"]}
        for subject in found
    }


# --- outreach -----------------------------------------------------------------------------------


@pytest.fixture
def written_to(outreach):
    """A text to each of two people, one of whom has answered; what the carrier says has arrived."""
    for request, recipient in (("req123", TEL), ("req-other", "+15550100002")):
        outreach.start(request, "sms", recipient)
        outreach.run()
    outreach.hear_back()
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    outreach.run()
    return outreach


def start_of(record):
    return record.start_event


@pytest.mark.parametrize(
    "name",
    [
        "company#request",
        "conversation",
        "phone number",
        "phone number, as people write it",
        "Twilio's id of our message",
        "action key",
        "receipt's key",
    ],
)
def test_a_conversation_by_whatever_is_known_of_it(written_to, run, name):
    record = written_to.record("sms")
    (first, *_) = written_to.twilio.sent_to(TEL)
    action = next(
        row["event_id"]["S"]
        for row in written_to.rows()
        if row.get("ref", {}).get("S") == first["sid"]
    )
    text = {
        "company#request": f"{company.COMPANY_ID}#req123",
        "conversation": record.opaque_id,
        "phone number": TEL,
        "phone number, as people write it": "+1 555 010-0001",
        "Twilio's id of our message": first["sid"],
        "action key": action,
        "receipt's key": f"evt:receipt:{first['sid']}:delivered",
    }[name]
    said = run("explain", text, "--json")
    found = events(said)
    if name == "receipt's key":
        assert found == {text}
    else:
        assert record.start_event in found
    assert written_to.record("sms", "+15550100002").start_event not in found
    assert TEL not in said.out
    assert "Tell me more" not in said.out


def test_the_recipients_own_message_is_found_by_its_twilio_id(written_to, run):
    found = events(run("explain", written_to.twilio_sid, "--json"))
    assert found == {f"evt:reply:sms:{written_to.twilio_sid}"}


def test_an_e_mail_by_the_id_of_ses_by_its_recipient_and_by_a_message_id(outreach, run):
    outreach.start(channel="email")
    outreach.run()
    (sent,) = outreach.ses.sent_to(MAIL)
    for event in outreach.ses.events():
        outreach.mail(event)
    outreach.run()
    start = outreach.record("email").start_event
    assert start in events(run("explain", MAIL, "--json"))
    said = run("explain", sent["message_id"], "--json")
    assert start in events(said)
    assert "arrival was confirmed by Amazon SES" in run("explain", start).out


def test_a_hand_off_by_its_id_alone_and_with_its_conversation(outreach, run):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    record = outreach.record("sms")
    for text in (record.handoff["id"], f"{record.handoff['id']}#{record.opaque_id}"):
        said = run("explain", text, "--json")
        assert record.start_event in events(said)
        assert any("waiting since" in note for note in said.data["notes"])


def test_a_declined_start_is_shown_in_words_alone(outreach, run):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    opaque_id = outreach.record("sms").opaque_id
    run("handoff", "decline", opaque_id, "--by", "sam", "--reason", "wrong list", "--yes")
    subject = f"{company.COMPANY_ID}#req123"
    for_people = run("explain", subject).out
    assert "status: failed: a person declined the message (declined:by_a_person)" in for_people
    assert "hand-off: since " in for_people
    assert not [
        word for word in ("failure_stage", "conversation_status", "{'") if word in for_people
    ]
    assert run("explain", subject, "--json").data["state"]["failure_stage"] == "declined"
    assert "held yes" in run("journal", opaque_id).out


def test_another_companys_register_is_not_shown(written_to, run):
    conversations = written_to.services.outreach.conversations
    conversations.forbid(TEL, company.COMPANY_ID, "stop")
    conversations.forbid(TEL, "ci-somebody-else", "complained")
    notes = " ".join(run("explain", TEL, "--json").data["notes"])
    assert f"{company.COMPANY_ID} must not contact it: stop" in notes
    assert "complained" not in notes


# --- tickets ------------------------------------------------------------------------------------


@pytest.fixture
def system(app, without_rate_limits, stage, richpanel, pump):
    return RoutingSystem(app, stage, richpanel, pump)


@pytest.mark.parametrize("field", ["mw_trace_id", "idempotency_key", "ticket_id", "the whole line"])
def test_an_event_that_waits_is_found_by_what_its_log_line_says(system, run, capsys, field):
    """Also the other ticket's lines lead to the other ticket."""
    for ticket_id in ("1042", "1043"):
        system.post(system.ticket(ticket_id))
    system.richpanel.down()
    capsys.readouterr()
    system.run()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    backs = [line for line in lines if line.get("event") == "worker.handed_back"]
    assert len(backs) == 2
    for line in backs:
        text = json.dumps(line) if field == "the whole line" else line[field]
        (found,) = events(run("explain", text, "--json"))
        assert trace.digest(found) == line["idempotency_key"]


def test_a_dead_letter_is_found_by_its_sqs_id_and_by_its_digest(system, run):
    put_dead_letter(system, "1042")
    (letter,) = run("dlq", "list", "--json").data
    for text in (letter["message_id"], trace.digest("evt:rp:1042:c-1")):
        assert events(run("explain", text, "--json")) == {"evt:rp:1042:c-1"}
    assert len(run("dlq", "list", "--json").data) == 1, "looking takes nothing away"


def test_what_has_no_index_says_what_a_scan_would_read_and_where_the_logs_are(system, run):
    """A processed event is in no index; only a scan finds it by its trace."""
    system.post(system.ticket())
    system.run()
    found = system.event()["trace_id"]
    said = run("explain", found)
    assert said.code == 1
    assert re.search(r"--deep scans rp_mw_idempotency-dev: about \d+ rows, [\d.]+ MB", said.err)
    assert f'mw_trace_id = "{found}"' in said.err
    assert events(run("explain", found, "--deep", "--json")) == {"evt:rp:1042:c-1"}


def test_what_only_a_queue_has_is_never_called_absent(system, run):
    system.post(system.ticket())
    said = run("explain", "9001")
    assert said.code == 1
    assert "nothing is stored" not in said.err
    assert re.search(r"the queue \S+: 1 message waits, .*look again once they are worked", said.err)
    system.run()
    assert "nothing is stored" in run("explain", "9001", "--deep").err


def test_a_vendor_that_cannot_be_asked_is_named(system, run):
    system.richpanel.down()
    said = run("explain", "9001")
    assert said.code == 1
    assert re.search(r"- Richpanel: it did not show the ticket \(\S+\); try again when", said.err)
    assert "nothing is stored" not in said.err


def test_a_log_query_for_every_event(system, run):
    system.post(system.ticket())
    system.run()
    (event,) = run("explain", "1042", "--json").data["events"]
    assert f'filter mw_trace_id = "{system.event()["trace_id"]}"' in event["log_query"]
    assert event["log_query"] in run("explain", "1042").out.replace("\n", " ")


class TestWithReplies:
    @pytest.fixture
    def app_environment(self, replies_environment):
        return replies_environment

    def test_an_order_is_found_by_a_scan_only_and_only_its_ticket(
        self, replies_rig, tracked_question, run
    ):
        replies_rig.run(replies_rig.ticket(tracked_question))
        replies_rig.run(replies_rig.ticket("I want a refund", "1043"))
        said = run("explain", "#100234")
        assert said.code == 1
        assert "--deep scans" in said.err
        assert events(run("explain", "#100234", "--deep", "--json")) == {"evt:rp:1042:c-1"}


# --- facts --------------------------------------------------------------------------------------


def test_a_fact_by_its_key(facts_rig, run):
    number = facts_rig.aloware.call()
    facts_rig.work()
    said = run("explain", f"ALOWARE:{number}")
    assert said.code == 0
    assert "The report does not have it yet" in said.out
    facts_rig.post()
    assert "The report has it." in run("explain", f"ALOWARE:{number}").out


# --- cost ---------------------------------------------------------------------------------------

MOST_CALLS = 24
"""The calls to AWS of a look-up by key, with those that build the session's parts."""
MOST_CALLS_FOR_NOTHING = 40
"""The calls of a look-up that finds nothing: it also asks each lane's queue how much it holds."""


def test_the_calls_do_not_grow_with_the_tables_and_no_scan_is_among_them(written_to, run, calls):
    record = written_to.record("sms")
    (first, *_) = written_to.twilio.sent_to(TEL)
    names = (
        f"{company.COMPANY_ID}#req123",
        record.opaque_id,
        record.start_event,
        TEL,
        first["sid"],
    )

    def counted():
        found = []
        for text in names:
            calls.clear()
            events(run("explain", text, "--json"))
            found.append(list(calls))
        calls.clear()
        assert run("explain", "3e01f31bf4d2caef").code == 1
        assert len(calls) <= MOST_CALLS_FOR_NOTHING
        return [*found, list(calls)]

    few = counted()
    for number in range(12):
        written_to.start(f"more-{number}", "sms", f"+1555010{number + 100:04d}")
    written_to.run()
    assert counted() == few
    assert 0 < max(map(len, few[:-1])) <= MOST_CALLS
    assert not any("Scan" in call for call in few)


# --- several things -----------------------------------------------------------------------------


class TestOneNumberOfSeveralThings:
    """A ticket, a request and an order have the number 1042, and a sentence may name two of them."""

    @pytest.fixture
    def app_environment(self, replies_environment):
        return replies_environment

    @pytest.fixture
    def both(self, replies_rig, outreach):
        outreach.start("1042", "sms", TEL)
        outreach.run()
        replies_rig.run(replies_rig.ticket("Where is my order #1042?", "1043"))
        replies_rig.run(replies_rig.ticket("I want a refund", "1042"))
        return outreach.record("sms").start_event

    def test_all_of_it_is_shown(self, both, run):
        found = shown(run("explain", "1042", "--json"))
        assert found == {"a ticket": {"evt:rp:1042:c-1"}, "a request of any company": {both}}

    @pytest.mark.usefixtures("both")
    def test_what_was_not_asked_is_named_with_what_is_found(self, run):
        assert "not asked: tickets by an order: no index leads there" in run("explain", "1042").out

    @pytest.mark.usefixtures("both")
    def test_a_scan_shows_the_order_too(self, run):
        found = shown(run("explain", "1042", "--deep", "--json"))
        assert found["an order number"] == {"evt:rp:1043:c-1"}
        assert {"a ticket", "a request of any company"} < found.keys()

    @pytest.mark.usefixtures("both")
    def test_each_thing_of_a_sentence_is_shown(self, run):
        said = run("explain", "ticket 1043, and 1042 too?", "--json")
        assert [subject["about"] for subject in (said.data, *said.data["also"])] == [
            "1043",
            "1042",
            "1042",
        ]
