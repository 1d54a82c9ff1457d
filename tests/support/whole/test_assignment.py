"""Departments that are reached by an assignee or a team: planned, done once, read back, settled."""

import itertools

import pytest

from tests.rigs.crash_injection import (
    CrashInjector,
    count_aws_calls,
    count_vendor_calls,
    run_until_killed,
)
from tests.rigs.memory_stage import ON_BOTH

RETURNS = "route-returns-admin"
BY_ASSIGNEE = {"departments": {RETURNS: {"tag": "", "assignee": "agent-7"}}}
BY_BOTH = {"departments": {RETURNS: {"assignee": "agent-7"}}}
BY_TEAM = {"departments": {RETURNS: {"team": "team-1"}}}


@pytest.fixture
def assigning(system):
    system.richpanel.users.append({"id": "agent-7", "name": "Returns"})
    return system


def publish(system, document):
    versions = system.services().support.versions
    versions.publish(document, by="jo", note="", after=versions.current(consistent=True))
    system.services().support.rules._current = None


def assigned(system, ticket_id="1042"):
    return system.richpanel.effects_of(ticket_id, "assigned")


def action(system, to, ticket_id="1042"):
    return system.row(f"act:rp_assign:{ticket_id}:{to.replace(':', '%3A')}:c-1")


def test_without_settings_no_ticket_is_assigned(assigning):
    assigning.post(assigning.ticket())
    assigning.run()
    assert assigned(assigning) == {}


@pytest.mark.parametrize(
    ("document", "to", "has_tag"),
    [(BY_ASSIGNEE, "agent-7", False), (BY_BOTH, "agent-7", True), (BY_TEAM, "team:team-1", True)],
)
def test_a_ticket_is_assigned_as_its_department_says(assigning, document, to, has_tag):
    publish(assigning, document)

    assigning.post(assigning.ticket())
    assigning.run()

    assert assigned(assigning) == {to: 1}
    assert (RETURNS in assigning.added()) is has_tag
    assert assigning.event()["status"] == "processed"
    assert action(assigning, to)["status"] == "done"
    assert "mw-processed" in assigning.added()
    (audited,) = [row for row in assigning.audit() if row["action_type"] == "assign"]
    assert audited["result"] == "success"


def test_another_departments_tickets_are_not_assigned(assigning):
    publish(assigning, BY_ASSIGNEE)
    assigning.post(assigning.ticket("1042"))
    assigning.post(assigning.ticket("1043", text="What sizes do you sell? I have a question"))
    assigning.run()
    assert assigned(assigning, "1042") == {"agent-7": 1}
    assert assigned(assigning, "1043") == {}


def test_a_person_keeps_the_ticket_that_they_took(assigning):
    publish(assigning, BY_BOTH)

    assigning.post(assigning.ticket(assignee_id="agent-1"))
    assigning.run()

    assert assigned(assigning) == {}
    assert RETURNS not in assigning.added()
    assert "mw-intent-refund_request" in assigning.added()


def test_a_ticket_moves_from_one_departments_assignee_to_anothers(assigning):
    publish(
        assigning,
        {
            "departments": {
                RETURNS: {"tag": "", "assignee": "agent-7"},
                "route-sales-team": {"assignee": "agent-1"},
            }
        },
    )
    assigning.post(assigning.ticket(assignee_id="agent-1", tags=["route-sales-team"]))
    assigning.run()
    assert assigned(assigning) == {"agent-7": 1}
    assert assigning.richpanel.tags_of("1042").isdisjoint({"route-sales-team", RETURNS})


def test_a_ticket_that_is_assigned_already_is_left_as_it_is(assigning):
    publish(assigning, BY_ASSIGNEE)
    assigning.post(assigning.ticket(assignee_id="agent-7"))
    assigning.run()
    assert assigned(assigning) == {}
    assert action(assigning, "agent-7")["reason"] == "already"


def test_an_assignee_who_is_gone_leaves_the_ticket_to_a_person(assigning):
    publish(assigning, {"departments": {RETURNS: {"assignee": "agent-gone"}}})

    assigning.post(assigning.ticket())
    assigning.run()

    assert action(assigning, "agent-gone")["status"] == "refused"
    assert (assigning.event()["status"], assigning.event()["reason"]) == (
        "failed",
        "refused:http_404",
    )
    assert assigning.richpanel.tags_of("1042") >= {RETURNS, "middleware_error_needs_attention"}


@pytest.mark.parametrize("fault", ["act_then_drop", "drop", "ignored"])
def test_an_assignment_of_unknown_outcome_is_repeated_until_the_ticket_shows_it(assigning, fault):
    publish(assigning, BY_ASSIGNEE)
    assigning.richpanel.fault(fault, operation="update_ticket")

    assigning.post(assigning.ticket())
    assigning.run()
    assert assigning.event()["status"] == "processing"
    assigning.again()

    assert assigning.event()["status"] == "processed"
    assert assigning.richpanel.ticket("1042")["assignee_id"] == "agent-7"


@ON_BOTH
def test_a_worker_killed_at_any_call_leaves_the_ticket_assigned_in_the_end(
    assigning, without_rate_limits, monkeypatch
):
    assigning.richpanel.set_modes(rate_limit=None)
    injector = CrashInjector()
    count_aws_calls(injector, monkeypatch)
    count_vendor_calls(injector, monkeypatch)
    publish(assigning, BY_BOTH)
    for number in itertools.count(1):
        ticket = str(2000 + number)
        assigning.post(assigning.ticket(ticket))
        injector.arm(number, "before")
        was_killed = run_until_killed(assigning)
        injector.disarm()
        if was_killed:
            assigning.let_leases_end()
            assigning.again()
        assert assigning.event(ticket_id=ticket)["status"] == "processed", number
        changes = [
            effect
            for effect in assigning.richpanel.effects
            if (effect.ticket_id, effect.kind, effect.changed) == (ticket, "assigned", True)
        ]
        assert [change.value for change in changes] == ["agent-7"], number
        if not was_killed:
            break
    assert number > 8
