"""The promises of docs/runbook.md, tried from outside."""

import pytest

from tests.outside.aws import aws, enqueue
from tests.outside.commands import Operator
from tests.outside.conversations import FOLLOW_UPS, conversation, started
from tests.outside.running import FIRST
from tests.outside.tickets import effects_on, opens, reports, requests_about, tags, why_not
from tests.rigs.one_case import one_case


def test_explain_tells_the_same_story_by_everything_that_one_may_have(stack):
    to, request_id = _start_of_unknown_outcome(stack)
    event, action = _keys(stack, request_id)
    line = _log_line(stack, action)
    for have in (to, f"{FIRST.id}#{request_id}", event, action, line):
        told = stack.ops("explain", have).out
        assert event in told
        assert "Not known whether it was sent" in told
    assert "nothing is stored" in stack.ops("explain", stack.tel(), code=1).err


def test_explain_says_that_nothing_is_stored_only_where_every_place_was_asked(stack):
    stack.richpanel.fails(status=503, times=None)
    tickets = [stack.ticket("Where is my order?", customer_email=stack.mail()) for _ in range(2)]
    for ticket in tickets:
        stack.webhook(ticket_id=ticket, trigger="customer_message")
    for _ in range(4):
        for ticket in tickets:
            link = f"https://app.richpanel.com/conversations?ticket_id={ticket}"
            for have in (ticket, f"Ticket #{ticket}", link):
                assert ticket in str(stack.ops("explain", have, "--json").data["events"])
        unknown = stack.ops("explain", "990099", code=1).err
        assert "nothing is stored" not in unknown
        assert "- Richpanel: it did not show the ticket" in unknown
        stack.forward(minutes=1)
    stack.richpanel.recovers()
    stack.passes(hours=1)
    assert "nothing is stored" in stack.ops("explain", stack.mail(), code=1).err


def test_an_event_is_listed_as_unfinished_until_it_has_ended(stack):
    stack.twilio.fails(status=401, times=None)
    waits = _requested(stack.start(stack.tel()))
    stack.twilio.recovers()
    ended = _requested(stack.start(stack.tel()))
    listed = stack.ops("unfinished").out
    assert _keys(stack, waits)[0] in listed
    assert _keys(stack, ended)[0] not in listed
    stack.passes_until(lambda: stack.outcome(waits)["state"] == "sent", minutes=15)
    assert _keys(stack, waits)[0] not in stack.ops("unfinished").out


def test_explain_blames_no_carrier_for_what_was_never_sent_to_it(stack):
    project = stack.put_project(follow_ups=FOLLOW_UPS)
    to = stack.tel()
    request_id = started(stack, to, "whatsapp", of=project)
    stack.forward(hours=1.1)  # the reminder is free text, and the recipient has never written
    assert len(stack.texts_to(to)) == 1
    reminder = f"evt:follow:{conversation(stack, request_id)['id']}:reminder"
    (event,) = stack.ops("explain", reminder, "--json").data["events"]
    said = event["story"]["why_not"]
    assert said.startswith("Not sent: WhatsApp takes free text only within 24 hours")
    assert "Twilio" not in said


def test_explain_blames_no_vendor_for_a_request_that_our_circuit_breaker_held_back(stack):
    stack.richpanel.fails(status=503, times=None)
    tickets = [opens(stack, "Where is my order?") for _ in range(3)]
    stack.forward(minutes=2)
    last = stack.ticket("Where is my order?", customer_email=stack.mail())
    stack.webhook(ticket_id=last, message_id="c-1", message="Where is my order?")
    assert not requests_about(stack, last)
    assert any(requests_about(stack, ticket) for ticket in tickets)
    said = why_not(stack, last)
    assert "our circuit breaker" in said
    assert "Richpanel refused" not in said


# --- effects of unknown outcome -------------------------------------------------------------------


def test_asking_the_vendor_about_an_effect_settles_nothing_and_the_sweep_does(stack):
    to, request_id = _start_of_unknown_outcome(stack)
    _, action = _keys(stack, request_id)
    assert action in stack.ops("settle").out
    assert "found" in stack.ops("settle", action).out
    assert stack.outcome(request_id)["state"] == "parked"
    stack.forward(minutes=6)
    assert stack.outcome(request_id)["state"] == "sent"
    assert action not in stack.ops("settle").out
    assert len(stack.texts_to(to)) == 1


def test_what_a_person_settles_as_not_done_is_done_again_once(stack):
    to, request_id = _start_of_unknown_outcome(stack, "status")
    _, action = _keys(stack, request_id)
    asked = stack.ops("settle", action, "not-done", typed="n\n", code=1)
    assert f"***{to[-4:]}" in asked.err
    assert to not in asked.err
    stack.forward(seconds=1)
    assert stack.texts_to(to) == []
    stack.ops("settle", action, "not-done", "--yes", "--force", "--reason", "checked")
    stack.settle()
    stack.ops("settle", action, "not-done", "--yes", "--force", "--reason", "checked", code=1)
    stack.forward(hours=1)
    assert len(stack.texts_to(to)) == 1
    assert stack.outcome(request_id)["state"] == "sent"


@pytest.mark.parametrize("outcome", ["abandon", "done"])
def test_what_a_person_settles_as_done_or_given_up_is_never_performed(stack, outcome):
    to, request_id = _start_of_unknown_outcome(stack, "status")
    event, action = _keys(stack, request_id)
    stack.ops("settle", action, outcome)
    stack.forward(hours=2)
    state = stack.outcome(request_id)["state"]
    assert state == ("failed" if outcome == "abandon" else "sent")
    stack.ops("replay", event, "--yes")
    stack.settle()
    assert stack.texts_to(to) == []
    assert stack.outcome(request_id)["state"] == state
    stack.ops("settle", action, "not-done", "--yes", "--force", "--reason", "checked", code=1)


def test_the_journal_says_who_settled_an_effect_and_why_and_names_no_address(stack):
    to, request_id = _start_of_unknown_outcome(stack, "status")
    _, action = _keys(stack, request_id)
    stack.ops("settle", action, "abandon", "--reason", "asked at the desk")
    (entry,) = stack.ops("journal", action, "--json").data
    assert "asked at the desk" in entry.values()
    assert "root" in entry.values()
    assert to[1:] not in str(entry)
    of_the_hour = stack.ops("journal", "--since", "1h", "--by", "root", "--json").data
    assert entry in of_the_hour
    assert stack.ops("journal", "--since", "1h", "--by", "somebody else", "--json").data == []


# --- dead letters ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def given_up(_stack):
    """Starts that were given up while Twilio took no key: recipients and request ids."""
    _stack.tidy()
    _stack.twilio.fails(status=401, times=None)
    starts = {to: _requested(_stack.start(to)) for to in (_stack.tel() for _ in range(2))}
    for _ in range(30):
        if all(_stack.outcome(start)["state"] == "failed" for start in starts.values()):
            break
        _stack.forward(minutes=20)
    _stack.twilio.recovers()
    return list(starts.items())


def test_a_dead_letter_is_redriven_once_and_a_dry_run_sends_nothing(stack, given_up):
    to, request_id = given_up[0]
    event, _ = _keys(stack, request_id)
    assert "dead_letter:twilio" in stack.ops("dlq", "show", event).out
    assert "1 would go" in stack.ops("dlq", "redrive", event, "--dry-run").out
    stack.forward(hours=1)
    assert (stack.outcome(request_id)["state"], stack.texts_to(to)) == ("failed", [])
    stack.ops("dlq", "redrive", event, "--because", "the key is right again", "--yes")
    stack.passes(hours=1)
    assert (stack.outcome(request_id)["state"], len(stack.texts_to(to))) == ("sent", 1)
    stack.ops("dlq", "redrive", event, "--yes", code=1)
    assert "the key is right again" in stack.ops("journal", event).out


def test_a_dead_letter_of_another_reason_or_that_can_be_read_stays(stack, given_up):
    to, request_id = given_up[1]
    event, _ = _keys(stack, request_id)
    message = stack.ops("dlq", "show", event, "--json").data["message_id"]
    stack.ops("dlq", "redrive", "--reason", "dead_letter:richpanel", "--yes")
    assert "redrive it" in stack.ops("dlq", "drop", message, "--reason", "old", "--yes", code=1).err
    stack.forward(minutes=1)
    assert event in stack.ops("dlq", "list").out
    assert stack.texts_to(to) == []


# --- replays and switches -------------------------------------------------------------------------


def test_a_refused_message_is_sent_by_a_replay_once_its_cause_is_mended(stack):
    to, other = stack.tel(), stack.tel()
    stack.start(other)
    body = {"code": 21606, "message": "not a number of this account", "status": 400}
    stack.twilio.fails(status=400, body=body)
    request_id = _requested(stack.start(to))
    assert stack.outcome(request_id)["reason"] == "refused:21606"
    replay = ("replay", "--status", "failed", "--reason", "refused:21606", "--since", "1h")
    assert "1 would go" in stack.ops(*replay, "--dry-run").out
    stack.settle()
    assert stack.texts_to(to) == []
    for _ in range(2):
        stack.ops(*replay, "--yes")
        stack.settle()
    assert (len(stack.texts_to(to)), len(stack.texts_to(other))) == (1, 1)
    assert stack.outcome(request_id)["state"] == "sent"


def test_a_replay_sends_what_a_switch_withheld_and_repeats_nothing(stack):
    sent, withheld = stack.tel(), stack.tel()
    stack.start(sent)
    with stack.switched("kill_switch", "true"):
        request_id = _requested(stack.start(withheld))
        stack.forward(hours=1)
        assert stack.outcome(request_id)["reason"] == "withheld:kill_switch"
        assert "kill_switch" in stack.ops("explain", withheld).out
    stack.forward(hours=1)
    assert stack.texts_to(withheld) == []
    for _ in range(2):
        stack.ops("replay", "--status", "processed", "--since", "3h", "--yes")
        stack.settle()
    assert (len(stack.texts_to(withheld)), len(stack.texts_to(sent))) == (1, 1)


def test_a_switch_says_who_set_it_and_the_journal_keeps_every_change(stack):
    stack.forward(minutes=6)  # the journal has by then what other tests have set
    before = len(stack.ops("journal", "switch:safe_mode", "--json").data)
    with stack.switched("safe_mode", "true"):
        shown = stack.ops("switch", "get").out.splitlines()
        assert [line.split()[1::2] for line in shown if "safe_mode" in line] == [["true", "root"]]
    stack.forward(minutes=6)
    kept = stack.ops("journal", "switch:safe_mode", "--json").data
    assert [entry["result"] for entry in kept[before:]] == ["true", "false"]
    stack.ops("switch", "set", "safe_mode", "perhaps", code=2)
    stack.ops("switch", "set", "safe_mood", "true", code=2)


def test_a_ticket_whose_webhook_was_lost_is_found_by_reconcile_and_worked_on_once(stack):
    _just_swept(stack)
    ticket = stack.ticket("Where is my order?")
    assert stack.ops("reconcile", "--dry-run", "--json").data["missing"] > 0
    stack.settle()
    assert _changes_to(stack, ticket) == []
    for _ in range(2):
        stack.ops("reconcile", "--yes")
        stack.settle()
    changes = _changes_to(stack, ticket)
    assert len(changes) == len(set(changes)) > 0


# --- people and companies -------------------------------------------------------------------------


def test_approving_a_held_message_twice_sends_it_once(stack):
    held = stack.put_project(auto_queue_initial_message=True)
    to = stack.tel()
    stack.start(to, of=held)
    conversation = _waiting(stack, held)
    assert stack.texts_to(to) == []
    assert to not in stack.ops("handoff", "list").out
    stack.ops("handoff", "approve", conversation)
    stack.settle()
    stack.ops("handoff", "approve", conversation, code=1)
    stack.forward(hours=1)
    assert len(stack.texts_to(to)) == 1


def test_automation_sends_nothing_of_what_a_person_has_taken(stack):
    held = stack.put_project(auto_queue_initial_message=True)
    to = stack.tel()
    stack.start(to, of=held)
    conversation = _waiting(stack, held)
    stack.ops("handoff", "take", conversation, "--by", "Ana")
    assert "Ana" in stack.ops("handoff", "approve", conversation, code=1).err
    stack.says(to, "Hello?")
    stack.forward(hours=1)
    assert stack.texts_to(to) == []
    assert conversation not in stack.ops("handoff", "list").out


def test_an_endpoint_that_failed_for_three_days_gets_everything_in_order_after_resuming(stack):
    url = f"{stack.company.url}/events/{stack.number()}"
    told = stack.put_project(event_webhook={"url": url})
    to = stack.tel()
    stack.company.fails(status=500, times=None)
    request_id = _requested(stack.start(to, of=told))
    stack.says(to, "Hello?")
    for _ in range(3):
        stack.forward(hours=30)
    stack.company.recovers()
    stack.forward(hours=12)
    assert _events(stack, request_id) == []
    (listed,) = stack.ops("company", "events", told.id, told.project, "--json").data
    assert (bool(listed["paused_at"]), listed["stopped"]) == (True, 1)
    stack.ops("company", "resume-events", told.id, told.project, "--reason", "mended")
    stack.forward(minutes=6)
    assert _events(stack, request_id) == [1, 2, 3, 4]


def test_an_address_that_an_operator_enters_gets_nothing_until_one_lifts_it(stack):
    to = stack.tel()
    entry = ("--company", FIRST.id, "--address", to)
    stack.ops("do-not-contact", "add", *entry)
    refused = _requested(stack.start(to))
    stack.says(to, "START")
    again = _requested(stack.start(to))
    assert stack.texts_to(to) == []
    assert {stack.outcome(request_id)["state"] for request_id in (refused, again)} & {
        "sent",
        "processing",
    } == set()
    assert to in stack.ops("do-not-contact", "list", "--company", FIRST.id).out
    assert to[1:] not in stack.ops("journal", f"company:{FIRST.id}").out
    stack.ops("do-not-contact", "lift", *entry)
    stack.start(to)
    assert len(stack.texts_to(to)) == 1


def test_settings_that_are_wrong_are_not_stored_and_the_field_is_named(stack, tmp_path):
    project = stack.put_project(tmp_path / "right.json")
    with pytest.raises(AssertionError, match="allowed_channels"):
        stack.put_project(
            tmp_path / "wrong.json", project_id=project.project, allowed_channels=["fax"]
        )
    to = stack.tel()
    stack.start(to, of=project)
    assert len(stack.texts_to(to)) == 1


# --- refusals -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def prod(_stack):
    """Commands of a terminal that knows nothing of this stage but its engine."""
    kept = {name: value for name, value in _stack.hints.items() if name.startswith("AWS_")}
    operator = Operator({**kept, "STAGE": "prod"})
    yield operator.types
    operator.close()


@one_case(
    ("switch", "stops"),
    [
        ("kill_switch", "true"),
        ("safe_mode", "true"),
        ("automation_enabled", "false"),
        ("shadow_mode", "true"),
    ],
)
def test_a_switch_that_stops_more_is_set_at_once_and_in_prod_the_other_way_only_with_yes(
    stack, prod, switch, stops
):
    lets = {"true": "false", "false": "true"}[stops]
    assert f"{switch} is {stops}" in prod("switch", "set", switch, stops).out
    refused = prod("switch", "set", switch, lets, code=2)
    assert "--yes" in refused.err
    assert _of_prod(stack, switch) == stops


def test_a_finished_effect_is_repeated_only_as_often_as_a_person_agrees(stack):
    ticket = opens(stack, "I want to return my shoes.")
    before = len(effects_on(stack, ticket))
    action = stack.ops("explain", ticket, "--json").data["events"][0]["actions"][0]["event_id"]
    assert "1 would go" in stack.ops("resend", action, "--dry-run").out
    stack.ops("resend", action, typed="n\n", code=1)
    stack.settle()
    assert len(effects_on(stack, ticket)) == before
    for _ in range(2):
        stack.ops("resend", action, "--nonce", "once", "--reason", "they lost it", "--yes")
        stack.forward(seconds=2)
    assert len(effects_on(stack, ticket)) == before + 1
    assert "they lost it" in stack.ops("journal", action).out


def test_an_effect_that_has_not_been_done_cannot_be_sent_once_more(stack):
    ticket = stack.ticket("I want to return my shoes.")
    with stack.switched("kill_switch", "true"):
        reports(stack, ticket, "c-1", "I want to return my shoes.")
    action = stack.ops("explain", ticket, "--json").data["events"][0]["actions"][0]["event_id"]
    assert "skipped" in stack.ops("resend", action, "--yes", code=1).err
    assert effects_on(stack, ticket) == []


def test_a_letter_that_cannot_be_read_is_deleted_only_with_a_reason_and_a_yes(stack):
    letter = _unreadable_letter(stack)
    assert "unsealed" in stack.ops("dlq", "redrive", letter, "--yes").out
    drop = ("dlq", "drop", letter)
    stack.ops(*drop, "--yes", code=2)
    stack.ops(*drop, "--reason", " ", "--yes", code=2)
    stack.ops(*drop, "--reason", "sent by hand", typed="n\n", code=1)
    stack.ops(*drop, "--reason", "sent by hand", "--yes")
    assert letter not in stack.ops("dlq", "list").out
    (entry,) = stack.ops("journal", f"dlq:{letter}", "--json").data
    assert (entry["by"], entry["reason"]) == ("root", "sent by hand")


def _start_of_unknown_outcome(stack, kind="act_then_status"):
    """Twilio answers 500 to a start, having sent it or (`status`) not: recipient and request id."""
    _just_swept(stack)
    to = stack.tel()
    stack.twilio.fails(kind, operation="create_message", status=500)
    request_id = _requested(stack.start(to))
    assert stack.outcome(request_id)["state"] == "parked"
    return to, request_id


def _just_swept(stack):
    """Let the sweep run, so that the next one is five minutes away."""
    stack.forward(minutes=6)


def _requested(answer):
    return answer.json()["request_id"]


def _keys(stack, request_id):
    """The keys of a start's event, and of its action where it has one."""
    about = stack.ops("explain", f"{FIRST.id}#{request_id}", "--json").data
    actions = about["events"][0]["actions"]
    return about["about"], actions[0]["event_id"] if actions else None


def _log_line(stack, action):
    """A line of the log about the event of an unfinished action."""
    trace = stack.ops("explain", action, "--json").data["events"][0]["event"]["trace_id"]
    return next(line for line in stack.output.read_text().splitlines() if trace in line)


def _changes_to(stack, ticket):
    changes = stack.richpanel.get("effects")["effects"]
    return [
        (change["kind"], change["value"]) for change in changes if change["ticket_id"] == ticket
    ]


def _waiting(stack, company):
    """The conversation of a project that waits for a person."""
    listed = stack.ops("handoff", "list", "--json").data
    (found,) = [row["id"] for row in listed if row["project"] == company.project]
    return found


def _events(stack, request_id):
    """The numbers of the events that the company has accepted."""
    heard = stack.company.get("events")["events"]
    return [event["data"]["number"] for event in heard if event["data"]["request_id"] == request_id]


def _of_prod(stack, switch):
    path = f"/rp-mw/prod/{switch}"
    return aws(stack, "ssm", "GetParameters", Names=[path])["Parameters"][0]["Value"]


def _unreadable_letter(stack):
    """A dead letter of the tickets' lane that no version can read: its id."""
    _, message_id = enqueue(stack, "events-dlq", "no job")
    return message_id


def test_an_outage_is_one_incident_and_its_mend_does_what_its_dry_run_said(stack):
    stack.richpanel.fails(status=503, times=None)
    tickets = [opens(stack, "I want to return my shoes.") for _ in range(2)]
    for _ in range(4):
        stack.forward(minutes=15)
        ours = [incident for incident in _incidents(stack) if _holds(stack, incident, tickets)]
        assert len(ours) == 1, "every minute of it is one incident"
        for ticket in tickets:
            assert ticket in stack.ops("unfinished").out
            assert stack.ops("explain", ticket, "--json").data["events"]
    (name,) = ours
    assert name.startswith("richpanel.unavailable.tickets.")
    stack.richpanel.recovers()
    said = stack.ops("incidents", "mend", name, "--dry-run", "--json").data
    did = stack.ops("incidents", "mend", name, "--yes", "--rate", "50", "--json").data
    assert (did["effects"], did["stopped"]) == (said["effects"], False)
    stack.passes(hours=1)
    for ticket in tickets:
        assert {"route-returns-admin", "mw-processed"} <= tags(stack, ticket)
        assert "middleware_error_needs_attention" not in tags(stack, ticket)
    foreseen = {effect["key"].split(":")[2] for effect in said["effects"]}
    assert set(tickets) <= foreseen
    assert name not in _incidents(stack)
    ended = stack.ops("incidents", "list", "--ended", "--json").data
    assert {entry["state"] for entry in ended if entry["incident"] == name} == {"ended"}


def _incidents(stack):
    return [entry["incident"] for entry in stack.ops("incidents", "list", "--json").data]


def _holds(stack, name, tickets):
    events = str(stack.ops("incidents", "show", name, "--json").data["events"])
    return all(ticket in events for ticket in tickets)
