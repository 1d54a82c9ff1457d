"""The promises of docs/architecture.md, tried from outside."""

import json
import re
from datetime import timedelta

from tests.outside.running import FIRST, LOOP, WRITTEN_BY_A_MODEL, Company

MODEL = Company(**{**FIRST.__dict__, "project": WRITTEN_BY_A_MODEL})


def test_one_vendors_outage_delays_nothing_of_anothers(stack):
    tel, mail, ticket = stack.tel(), stack.mail(), stack.ticket("Where is my order?")
    stack.twilio.fails(status=503, times=None)
    stack.start(tel)
    stack.start(mail, "email")
    stack.webhook(ticket_id=ticket, message_id="c-1", message="Where is my order?")
    assert (stack.texts_to(tel), len(stack.mails_to(mail))) == ([], 1)
    assert [effect for effect in stack.richpanel.get("effects")["effects"] if ticket in str(effect)]
    stack.twilio.recovers()
    for _ in range(2):
        stack.forward(minutes=40)
    assert len(stack.texts_to(tel)) == 1


def test_a_conversation_that_has_to_wait_keeps_its_order_and_holds_up_no_other(stack):
    waits, passes = stack.tel(), stack.tel()
    first, _ = (stack.start(to, of=MODEL).json()["request_id"] for to in (waits, passes))
    stack.openai.fails(status=500, operation="respond")
    stack.says(waits, "First, when do you open?")
    stack.says(passes, "When do you close?")
    stack.says(waits, "Second, are you closed on Sundays?")
    assert (len(stack.texts_to(waits)), len(stack.texts_to(passes))) == (1, 2)
    stack.forward(minutes=31)
    heard = [message["text"] for message in stack.said(first) if message["from"] == "recipient"]
    assert [text.partition(",")[0] for text in heard] == ["First", "Second"]
    assert len(stack.texts_to(waits)) > 1


def test_a_job_that_waits_again_and_again_is_never_stopped_as_a_loop_of_functions_and_queues(
    stack,
):
    to, url = stack.tel(), f"{stack.company.url}/events/{stack.number()}"
    project = stack.put_project(event_webhook={"url": url})
    for vendor in (stack.twilio, stack.company):
        vendor.fails(status=429, times=None, headers={"Retry-After": "30"})
    stack.start(to, of=project)
    for _ in range(25):
        stack.forward(seconds=45)
    assert stack.texts_to(to) == []
    stack.twilio.recovers()
    stack.company.recovers()
    stack.passes(minutes=40)
    assert len(stack.texts_to(to)) == 1
    assert len(stack.company.get("events")["events"]) > 1
    longest = max(stack.chains().values())
    assert LOOP / 3 < longest < LOOP - 1, "its copies were counted, and Lambda stops none"


def test_one_trace_leads_from_a_start_to_the_call_of_its_vendor(stack):
    request_id = stack.start(stack.tel()).json()["request_id"]
    explained = stack.ops("explain", f"{FIRST.id}#{request_id}").out
    (trace,) = set(re.findall(r"trace ([0-9a-f]+)", explained))
    events = {line["event"] for line in lines(stack) if line.get("mw_trace_id") == trace}
    assert {"ingress.accepted", "vendor.twilio.create_message", "action.done"} <= events


def test_every_line_of_the_log_is_json_with_its_time_level_event_and_step(stack):
    to = stack.tel()
    stack.start(to)
    stack.says(to, "my own secret words")
    logged = lines(stack)
    assert logged
    assert all(
        {"ts", "level", "event", "step", "env", "mw_release"} <= set(record) for record in logged
    )
    for personal in (to, to[1:], "secret words"):
        assert personal not in stack.output.read_text()


def test_what_waits_for_the_morning_is_listed_as_unfinished_with_its_time(stack):
    begin, end = (stack.now() + timedelta(hours=hours) for hours in (-2, 1))
    quiet = {"from": f"{begin:%H:%M}", "until": f"{end:%H:%M}", "zone": "UTC"}
    stack.start(stack.tel(), of=stack.put_project(quiet_hours=quiet))
    due = f"{end:%Y-%m-%dT%H:%M}:00"
    assert due in stack.ops("unfinished").out
    stack.forward(minutes=66)
    assert due not in stack.ops("unfinished").out


def test_a_stop_counts_at_once_while_its_conversation_waits_for_the_morning(stack):
    begin, end = (stack.now() + timedelta(minutes=minutes) for minutes in (2, 20))
    quiet = {"from": f"{begin:%H:%M}", "until": f"{end:%H:%M}", "zone": "UTC"}
    to, project = stack.tel(), stack.put_project(quiet_hours=quiet)
    stack.start(to, of=project)
    stack.forward(minutes=3)
    stack.says(to, "When do you open?")
    stack.says(to, "STOP")
    assert stack.outcome(stack.start(to).json()["request_id"])["reason"] == "do_not_contact"
    stack.forward(minutes=26)
    assert len(stack.texts_to(to)) == 1


def test_no_line_of_the_log_has_a_tickets_id(stack):
    before, ticket = len(stack.output.read_text()), f"quagmire-{stack.number()}"
    stack.richpanel.post("tickets", id=ticket, comments=[{"id": "c-1", "body": "Return it"}])
    stack.webhook(ticket_id=ticket, message_id="c-1", message="Return it")
    logged = stack.output.read_text()[before:]
    assert '"worker.processed"' in logged
    assert "quag" not in logged


def lines(stack):
    """The application's lines of the log; a record of metrics alone has a form of its own."""
    written = stack.output.read_text().splitlines()
    parsed = [json.loads(line) for line in written if line.startswith("{")]
    return [record for record in parsed if "event" in record]
