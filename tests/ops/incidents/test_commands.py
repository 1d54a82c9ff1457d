"""An outage is one incident, and what its mend does is what its dry run has said."""

import pytest

from ops.incidents import mend
from tests.rigs.ops_cli import runner
from tests.rigs.tickets import RoutingSystem, delivery_of, put_dead_letter

CAUSE = "richpanel.unavailable.tickets"
FIRST = f"{CAUSE}.1"


@pytest.fixture
def system(app, without_rate_limits, stage, richpanel, pump):
    return RoutingSystem(app, stage, richpanel, pump)


@pytest.fixture
def run(system, capsys):
    return runner(capsys)


def refuse(system, times):
    system.richpanel.fault("status", operation="add_tags", status=503, times=times)


def given_up(system, ticket_id, *, mark):
    """A ticket that was given up; the mark for a person was made, never left, or was not answered."""
    if mark == "never left":
        refuse(system, 1)
    if mark == "not answered":
        refuse(system, 1)
        system.richpanel.fault("lose", operation="add_tags", after=1, times=1)
    put_dead_letter(system, ticket_id)
    system.richpanel.clear_faults()


def handed_back(system, ticket_id):
    """A ticket whose plan is stored and whose effects were refused; its message comes again later."""
    body = system.ticket(ticket_id)
    refuse(system, 1)
    with pytest.raises(Exception, match="richpanel_http_503"):
        system.services().worker.process(delivery_of(system, body))
    system.richpanel.clear_faults()


def unread(system, ticket_id):
    """A ticket that could not be read, so nothing is decided."""
    system.richpanel.add_ticket(ticket_id, comments=[{"body": "I want a refund", "id": "c-1"}])
    system.richpanel.fault("status", operation="read_ticket", status=503, times=1)
    system.post({"ticket_id": ticket_id, "trigger": "customer_message"})
    system.run()
    system.richpanel.clear_faults()


STATES = {
    "given up, and marked for a person": lambda system, id_: given_up(system, id_, mark="made"),
    "given up, and the mark never left": lambda system, id_: given_up(
        system, id_, mark="never left"
    ),
    "handed back, its plan stored": handed_back,
    "not read yet": unread,
}


def foreseen(said):
    """The tags that go by a dry run, with their tickets; and the tickets that have no decision yet."""
    tags, undecided = set(), set()
    for effect in said["effects"]:
        parts = effect["key"].split(":")
        if effect["would"] in ("goes", "settled first"):
            tags.add((parts[2], parts[3]))
        if effect["would"] == "not decided yet":
            undecided.add(parts[2])
    return tags, undecided


def happens(system, act):
    """The tags that Richpanel is asked for while `act` runs and the queue is emptied."""
    on_the_queue = system.handles[-1:]
    before = len(system.richpanel.effects)
    act()
    system.run()
    if on_the_queue:  # until a message comes again, SQS holds the later ones of its group
        system.handles += on_the_queue
        system.again()
    return {(effect.ticket_id, effect.value) for effect in system.richpanel.effects[before:]}


@pytest.mark.parametrize("state", STATES)
def test_what_a_mend_does_is_what_its_dry_run_said(system, run, state):
    STATES[state](system, "1042")
    said = run("incidents", "mend", FIRST, "--dry-run", "--json").data
    assert [event["event"] for event in said["events"]], "it holds something up"
    tags, undecided = foreseen(said)
    went = happens(system, lambda: run("incidents", "mend", FIRST, "--yes", "--rate", "100"))
    assert went, "something was left to do"
    assert {key for key in went if key[0] not in undecided} == tags
    assert system.event()["status"] == "processed"
    assert run("incidents", "list", "--json").data == []
    (ended,) = run("incidents", "list", "--ended", "--json").data
    assert (ended["incident"], ended["state"], ended["held"]) == (FIRST, "ended", 0)


def test_every_state_of_an_outage_is_one_incident_and_one_mend(system, run):
    for number, make in enumerate(STATES.values()):
        make(system, f"104{number}")
    (incident,) = run("incidents", "list", "--json").data
    assert (incident["incident"], incident["state"], incident["held"]) == (
        FIRST,
        "open",
        len(STATES),
    )
    shown = run("incidents", "show", FIRST, "--json").data
    assert shown["customers"] == len(STATES)
    tags, undecided = foreseen(shown)
    went = happens(system, lambda: run("incidents", "mend", FIRST, "--yes", "--rate", "100"))
    assert {key for key in went if key[0] not in undecided} == tags
    assert {id_ for id_, _ in went} == {f"104{number}" for number in range(len(STATES))}
    assert run("incidents", "list", "--json").data == []
    assert run("dlq", "list", "--json").data == []


def test_a_mark_that_never_left_is_not_made_on_a_ticket_that_has_just_succeeded(system, run):
    given_up(system, "1042", mark="never left")
    went = happens(system, lambda: run("dlq", "redrive"))
    assert ("1042", "middleware_error_needs_attention") not in went
    assert system.event()["status"] == "processed"
    assert "middleware_error_needs_attention" not in system.richpanel.tags_of("1042")


def test_a_hand_off_on_its_way_gives_way_to_a_mend(system, run):
    given_up(system, "1042", mark="never left")
    system.age("evt:rp:1042:c-1", 60)
    tags, _ = foreseen(run("incidents", "mend", FIRST, "--dry-run", "--json").data)

    def both():
        system.sweep()
        run("incidents", "mend", FIRST, "--yes")

    assert happens(system, both) == tags


def test_a_mend_is_stopped_and_goes_on_where_it_ended(system, run, monkeypatch):
    for number in range(4):
        handed_back(system, f"104{number}")
    real = mend.replay.record_request

    def asked_then_stopped(*arguments, **how):
        real(*arguments, **how)
        if not run("incidents", "list", "--json").data[0]["mend"].startswith("stopped"):
            assert run("incidents", "stop", FIRST).code == 0

    monkeypatch.setattr(mend.replay, "record_request", asked_then_stopped)
    said = run("incidents", "mend", FIRST, "--yes", "--rate", "100", "--json").data
    assert (said["did"], said["stopped"]) == ({mend.QUEUED: 1}, True)
    assert said["held"] == 4, "what was asked for has not ended yet"
    assert [event["why"] for event in said["remained"]] == [mend.STOPPED] * 3
    monkeypatch.setattr(mend.replay, "record_request", real)
    system.run()
    said = run("incidents", "mend", FIRST, "--yes", "--rate", "100", "--json").data
    assert (said["did"], said["stopped"]) == ({mend.QUEUED: 3}, False)
    assert run("incidents", "list", "--json").data[0]["state"] == "mended"
    system.run()
    assert run("incidents", "list", "--json").data == []


def test_a_mend_that_died_is_begun_again_and_asks_for_nothing_twice(system, run, monkeypatch):
    for number in range(3):
        given_up(system, f"104{number}", mark="made")
    real = mend.dead_letters.delete

    def dies(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(mend.dead_letters, "delete", dies)
    assert run("incidents", "mend", FIRST, "--yes", "--rate", "100").code == 130
    monkeypatch.setattr(mend.dead_letters, "delete", real)
    went = happens(system, lambda: run("incidents", "mend", FIRST, "--yes", "--rate", "100"))
    assert {id_ for id_, _ in went} == {"1040", "1041", "1042"}
    assert all(max(system.added(f"104{n}").values()) == 1 for n in range(3))


def test_every_face_of_twilios_outage_is_one_incident(outreach, capsys):
    faults = [
        {"kind": "status", "status": 500},
        {"kind": "status", "status": 503},
        {"kind": "drop"},
    ]
    for number, fault in enumerate(faults):
        outreach.twilio.fault(operation="create_message", times=1, **fault)
        outreach.start(f"req{number}", "sms", f"+1555010000{number}")
        outreach.run()
    (incident,) = runner(capsys)("incidents", "list", "--json").data
    assert (incident["incident"], incident["held"]) == (
        "twilio.unavailable.outreach.1",
        len(faults),
    )


def test_a_mend_of_what_has_ended_changes_nothing(system, run):
    handed_back(system, "1042")
    run("incidents", "mend", FIRST, "--yes")
    system.run()
    (ended,) = run("incidents", "list", "--ended", "--json").data
    again = run("incidents", "mend", FIRST, "--yes")
    assert (again.code, "has ended: nothing is held up" in again.err) == (1, True)
    assert run("incidents", "list", "--ended", "--json").data == [ended]
    assert ended["mend"].startswith("all asked for: 1 by ")


def test_a_new_outage_after_a_mend_is_an_incident_of_its_own(system, run):
    handed_back(system, "1042")
    run("incidents", "acknowledge", FIRST, "--owner", "sam")
    run("incidents", "mend", FIRST, "--yes")
    handed_back(system, "1043")
    (incident,) = run("incidents", "list", "--json").data
    assert (incident["incident"], incident["state"], incident["owner"]) == (
        f"{CAUSE}.2",
        "open",
        None,
    )
    assert (incident["held"], incident["mend"]) == (2, None)


def test_an_incident_has_an_owner_and_its_acts_are_in_the_journal(system, run):
    handed_back(system, "1042")
    assert run("incidents", "acknowledge", CAUSE, "--owner", "sam", "--reason", "seen").code == 0
    (incident,) = run("incidents", "list", "--json").data
    assert (incident["state"], incident["owner"]) == ("acknowledged", "sam")
    run("incidents", "mend", FIRST, "--yes", "--reason", "it is back")
    acts = run("journal", f"inc:{CAUSE}", "--json").data
    assert [(act["did"], act["reason"]) for act in acts] == [
        ("incidents acknowledge", "seen"),
        ("incidents mend", "it is back"),
    ]


def test_the_journal_says_to_whom_an_incident_was_given_and_from_whom(system, run):
    handed_back(system, "1042")
    run("incidents", "acknowledge", FIRST, "--owner", "sam")
    given = run("incidents", "acknowledge", FIRST, "--owner", "kim")
    assert given.out.startswith(f"{FIRST} is kim's; sam had it\n")
    acts = run("journal", f"inc:{CAUSE}", "--json").data
    assert [act["change"] for act in acts] == ["no person → sam", "sam → kim"]


def test_a_cause_that_comes_back_is_the_next_incident(system, run):
    handed_back(system, "1042")
    run("incidents", "mend", FIRST, "--yes")
    system.run()
    assert system.sweep().problems == []
    handed_back(system, "1043")
    (incident,) = run("incidents", "list", "--json").data
    assert (incident["incident"], incident["owner"], incident["mend"]) == (f"{CAUSE}.2", None, None)
    assert run("incidents", "show", FIRST).code == 1


@pytest.mark.parametrize("name", ["", "odd", "a.b", "richpanel.unavailable.nowhere", "a.b.c.d.1"])
def test_a_name_that_is_none_is_refused(run, name):
    assert run("incidents", "show", name).code in (1, 2)
