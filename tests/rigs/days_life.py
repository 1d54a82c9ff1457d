"""A desk after a day: invented people on three channels, waiting, taken, held, answered and in doubt."""

import io
import json
from datetime import timedelta

from chalicelib.aws.logs import JsonLog
from chalicelib.clock import iso
from chalicelib.once.action import ActionStatus
from chalicelib.once.journal import Act
from chalicelib.outreach.conversations.records import PROMPT, Entry
from chalicelib.support.effects import add_tag
from local.stack.emf import values_of
from ops import first_run_end
from tests.rigs.desk import TEL
from tests.rigs.ledger import MODES, facts

OPENING = (
    "Hi {name}, this is Riverside Dental. Your check-up is due this month. Shall I find you a time?"
    " Reply STOP to opt out."
)
PEOPLE = (
    (
        "Amara",
        "whatsapp",
        "Could I talk to somebody? I'm not sure the crown is covered by my plan.",
    ),
    ("Jonas", "sms", "Can I talk to a human please, the link you sent does not open on my phone"),
    ("Mei", "sms", "I want to talk to a person. I was charged twice for the last visit."),
    ("Tomás", "whatsapp", "Can a human answer? My daughter needs the early slot on Thursday."),
    ("Priya", "sms", "Please let me speak to a real person"),
    (
        "Oluwaseun",
        "whatsapp",
        "A person please: the address in your message is the old one, isn't it?",
    ),
    ("Lena", "sms", "Can I speak to someone about my braces"),
)
TARGET = {"minutes": 30}


def opened(desk, number, name, channel, **more):
    """A conversation with the data that its opening was written from, and the opening."""
    record = desk.begun(
        f"req{number}",
        channel=channel,
        tel=f"{TEL[:-2]}{number:02d}",
        recipient_first_name=name,
        handoff_target=TARGET,
        **more,
    )
    data = {"company": "Riverside Dental", "recipient_first_name": name, "channel": channel}
    entries = (
        Entry(f"p{number}", record.created_at, "user", json.dumps(data), note=PROMPT),
        Entry(
            f"o{number}",
            iso(desk.clock.now()),
            "assistant",
            OPENING.format(name=name),
            revision="2026-11-20.3",
            model="gpt-4.1-mini",
        ),
    )
    for entry in entries:
        record, _ = desk.conversations.append(record, entry)
    return record


def a_days_life(desk):
    """The conversations by name; the last hour of a day."""
    found = {}
    for number, (name, channel, text) in enumerate(PEOPLE, start=10):
        record = opened(desk, number, name, channel)
        desk.clock.forward(300)
        found[name] = desk.says(record, text)
        desk.clock.forward(420)
    held = opened(desk, 30, "Sofia", "whatsapp", auto_queue_reply_message=True)
    desk.clock.forward(600)
    found["Sofia"] = desk.says(held, "Yes please. Do you have anything on Saturday morning?")
    taken = found["Mei"]
    desk.act("take", taken, by="kim@example.com")
    desk.clock.forward(60)
    desk.act("take", found["Amara"], by="sam@example.com")
    desk.clock.forward(60)
    desk.act(
        "reply",
        found["Amara"],
        by="sam@example.com",
        text="Hello Amara, Sam here. Crowns are covered to 80 % on the Family plan. Which plan do you have?",
    )
    desk.work()
    desk.clock.forward(60)
    desk.act("note", found["Amara"], by="lea@example.com", text="She called on Monday as well.")
    desk.clock.forward(240)
    found["Amara"] = desk.says(
        found["Amara"], "The Family one! That helps. And is Thursday at nine still free?"
    )
    desk.in_doubt(found["Lena"])
    desk.clock.forward(timedelta(minutes=7).total_seconds())
    return {name: desk.conversations.reread(record) for name, record in found.items()}


def a_fortnight(desk):
    """What a company's figures are counted from: fourteen days of answers, drafts, failures, opt-outs."""
    for day in range(14):
        is_weekend = day % 7 in (5, 6)
        for number in range(3 if is_weekend else 8 + day % 3):
            _asked(desk, day, number)
        desk.clock.forward(timedelta(hours=16).total_seconds())


def _asked(desk, day, number):
    """One conversation, which the machine answers, or a person does, or which fails."""
    place = day * 20 + number
    record = desk.begun(
        f"old{place}", tel=f"+1555020{place:04d}", auto_queue_reply_message=number == 2
    )
    if number == 7:
        desk.conversations.count_failed(record, "30006" if day % 2 else "30003")
        return
    text = "I want to talk to a person" if number in (1, 4) else "Tell me more"
    desk.hears(record, text)
    desk.clock.forward(5 + 9 * number)
    desk.work()
    record = desk.conversations.reread(record)
    if number in (1, 4):
        desk.clock.forward(400 + 90 * day)
        desk.act("take", record, by="kim@example.com")
        desk.act("reply", record, by="kim@example.com", text="Kim here. Shall I call you?")
    elif number == 2:
        edited = {"text": "Yes, on Thursday at nine."} if day % 3 == 0 else {}
        desk.act("approve", record, by="sam@example.com", **edited)
    elif number == 5 and day % 4 == 0:
        desk.conversations.count_wrong(record, "wrong_tone")
    elif number == 6 and day % 3 == 1:
        desk.says(record, "STOP", opt_out="stop")
    desk.work()
    if number in (1, 4):
        desk.act("close", desk.conversations.reread(record), by="kim@example.com")
    desk.clock.forward(timedelta(minutes=40).total_seconds())


def an_operators_day(console):
    """A stage that has run for weeks: metrics by hour and week, and what waits for a person now."""
    session, clock = console.session, console.services.clock
    for week in range(13):
        clock.forward(-timedelta(weeks=12 - week).total_seconds())
        if week == 0:
            first_run_end.end(session)
        messages = 420 + 31 * (week % 4)
        answered = messages * (38 + 2 * week) // 100
        counted(console, "mw.support.messages", answered, answer="automatic")
        counted(console, "mw.support.messages", messages - answered, answer="none")
        counted(console, "mw.support.after_answer", answered // 9, outcome="wrote_again")
        counted(console, "mw.support.after_answer", answered // 60, outcome="complained")
        clock.forward(timedelta(weeks=12 - week).total_seconds())
    for hour in range(24):
        clock.forward(-timedelta(hours=23 - hour).total_seconds())
        busy = 6 + 50 * max(0, 8 - abs(hour - 15)) // 8
        for outcome, many in (("done", busy * 3), ("skipped", busy // 5), ("refused", busy // 11)):
            counted(console, "mw.effects", many, outcome=outcome)
        clock.forward(timedelta(hours=23 - hour).total_seconds())
    ledger = console.services.ledger
    for number, reason in enumerate(("timeout", "timeout", "connection_reset")):
        effect = add_tag(f"10{52 + number}", "route-returns-admin", f"c-{number}")
        event = facts(
            f"evt:rp:10{52 + number}:c-{number}",
            conversation_id=f"10{52 + number}",
            received_at=iso(clock.now() - timedelta(minutes=50 - 9 * number)),
        )
        lease = ledger.claim(event, MODES, lease_seconds=250, takeover=frozenset())
        ledger.begin(lease, [effect], MODES)
        ledger.end_action(lease, effect, ActionStatus.UNKNOWN, reason=reason)
    for number in range(5):
        event = facts(f"evt:rp:11{10 + number}:c-1", conversation_id=f"11{10 + number}")
        lease = ledger.claim(event, MODES, lease_seconds=250, takeover=frozenset())
        due = clock.now().timestamp() + 900
        ledger.release(lease, reason="richpanel_http_503", due_epoch=due)
    for minutes, actor, what, key, why in (
        (95, "Operators/kim", "replay", "evt:rp:1031:c-4", "Richpanel is back"),
        (61, "Operators/jo", "settle", "act:rp_reply:1040:c-2", "seen in the ticket"),
        (22, "Operators/kim", "dlq redrive", "evt:reply:sms:SM31", "the template is mended"),
    ):
        at = clock.now() - timedelta(minutes=minutes)
        session.services.journal.enter(Act(what, key, actor, "done", reason=why, at=at))


def counted(console, name, many, **dimensions):
    """A metric's record, as the functions write it now, where CloudWatch has it."""
    stream = io.StringIO()
    log = JsonLog(console.services.clock, stage="dev", release="1", stream=stream)
    log.metric(name, many, **dimensions)
    for namespace, datum in (
        pair for line in stream.getvalue().splitlines() for pair in values_of(line)
    ):
        console.services.client("cloudwatch").put_metric_data(
            Namespace=namespace, MetricData=[datum]
        )
