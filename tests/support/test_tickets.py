"""The whole pipeline, from the HTTP door to Richpanel's received requests, on real engines.

Each test names the failure scenario it covers (F..) where there is one.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib.clock import parsed
from chalicelib.once.job import Recovery
from chalicelib.support import keys as ticket_keys
from tests.rigs.memory_stage import ON_ENGINE
from tests.rigs.tickets import ROUTED, ago, delivery_of, job_of


@ON_ENGINE
def test_a_webhook_results_in_tags_at_richpanel_with_a_record_of_each(system):
    answer = system.post(system.ticket())
    assert (answer.status_code, answer.json_body) == (
        200,
        {"status": "accepted", "event_id": "evt:rp:1042:c-1"},
    )
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)
    assert [call.operation for call in system.richpanel.calls] == ["read_ticket", "add_tags"]
    row = system.event()
    assert (row["status"], row["intent"], row["mode"]) == (
        "processed",
        "refund_request",
        "automation_candidate",
    )
    audit = system.audit()
    assert sorted(row["idempotency_key"] for row in audit) == sorted(
        ticket_keys.tag_action("1042", tag, "c-1") for tag in ROUTED
    )
    assert {row["result"] for row in audit} == {"success"}
    assert [row["action_type"] for row in audit].count("route") == 1
    state = system.services().support.state.read("1042")
    assert (state.last_intent, state.last_routed_team) == ("refund_request", ROUTED[0])


def test_copies_of_a_webhook_do_nothing(system):
    """F01: the queue drops the copies of five minutes, the ledger those of thirty days."""
    body = system.ticket()
    for _ in range(5):
        assert system.post(body).status_code == 200
    system.run()
    system.services().intake.accept(job_of(body), recovery=Recovery.SWEEP)
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)
    assert len(system.writes()) == 1


@ON_ENGINE
def test_two_copies_at_once_on_two_workers_do_the_work_once(system):
    """F02, F27: the second worker finds the lease taken and leaves its message on the queue."""
    body = system.ticket()
    worker = system.services().worker
    deliveries = [delivery_of(system, body) for _ in range(2)]

    def run(delivery):
        try:
            worker.process(delivery)
        except Exception as error:  # noqa: BLE001
            return str(error)
        return "done"

    with ThreadPoolExecutor(2) as pool:
        results = sorted(pool.map(run, deliveries))
    assert results in (["busy", "done"], ["done", "done"])
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


def test_two_rules_with_two_templates_report_one_message(system):
    """F13: the payload's hash is stored and never judged; the first result stays untouched."""
    body = system.ticket()
    system.post(body)
    system.run()
    before = system.event()
    system.services().intake.accept(job_of(body | {"rule": "another"}), recovery=Recovery.SWEEP)
    system.run()
    assert system.event() == before
    assert len(system.writes()) == 1


def test_a_thin_notification_of_a_known_message_does_nothing(system):
    """One message, one key: the comment's, however it is reported."""
    system.post(system.ticket())
    system.run()
    answer = system.post({"ticket_id": "1042", "trigger": "customer_message"})
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)
    row = system.row(answer.json_body["event_id"])
    assert (row["status"], row["reason"]) == ("processed", "nothing_new")


def test_a_thin_notification_is_resolved_to_every_new_comment(system):
    system.richpanel.add_ticket("7", comments=["I want a refund", "My password does not work"])
    system.post({"ticket_id": "7", "trigger": "customer_message"})
    system.run()
    assert system.event("comment-1", "7")["status"] == "processed"
    assert system.event("comment-2", "7")["intent"] == "technical_support"
    assert system.richpanel.tags_of("7") >= {"route-technical-support-team", "mw-processed"}
    assert "route-returns-admin" not in system.richpanel.tags_of("7")


def test_at_first_contact_comments_an_operator_answered_are_not_new(system):
    system.richpanel.add_ticket("7")
    system.richpanel.add_comment("7", "I want a refund", created_at=ago(3600))
    system.richpanel.add_comment("7", "Done!", operator=True, created_at=ago(1800))
    system.richpanel.add_comment("7", "Where is my package?", created_at=ago(60))
    system.post({"ticket_id": "7"})
    system.run()
    assert system.event("comment-1", "7") is None
    assert system.event("comment-3", "7")["status"] == "processed"
    system.post({"ticket_id": "7"})
    system.run()
    assert system.event("comment-1", "7") is None, "later contacts do not dig it out either"


def test_our_own_comment_triggers_nothing(system):
    """F48: Richpanel's rules fire on the middleware's own replies too."""
    system.richpanel.add_ticket("7")
    comment = system.richpanel.add_comment("7", "We refunded you", operator=True)
    system.post({"ticket_id": "7", "message_id": comment})
    system.post({"ticket_id": "7"})
    system.run()
    assert not system.writes()
    assert (system.event(comment, "7")["status"], system.event(comment, "7")["reason"]) == (
        "skipped",
        "operator_comment",
    )


def test_tags_the_ticket_already_has_are_not_sent_again(system):
    """F47: two events may want the same tag."""
    system.post(system.ticket(tags=["mw-routing-applied", "route-returns-admin"]))
    system.run()
    assert set(system.added()) == {"mw-intent-refund_request", "mw-processed"}
    rows = [system.row(ticket_keys.tag_action("1042", tag, "c-1")) for tag in ROUTED]
    assert [(row["status"], row.get("reason")) for row in rows] == [
        ("skipped", "already"),
        ("done", None),
        ("skipped", "already"),
        ("done", None),
    ]


def test_a_message_with_another_intent_moves_the_ticket(system):
    system.post(system.ticket(tags=["route-sales-team"]))
    system.run()
    assert system.richpanel.tags_of("1042") == set(ROUTED)
    assert [call.operation for call in system.writes()] == ["remove_tags", "add_tags"]


def test_a_too_old_message_causes_no_action(system):
    """F29, F39: beyond the age gate a late copy cannot be told from a new event."""
    body = system.ticket() | {"message_id": "c-old"}
    system.richpanel.add_comment("1042", "refund?", id="c-old", created_at=ago(8 * 86_400))
    system.post(body)
    system.run()
    assert not system.writes()
    assert system.event("c-old")["reason"] == "too_old"


def test_a_late_message_does_not_move_the_state_backwards(system):
    """F49: late or reordered events."""
    system.richpanel.add_ticket("7")
    system.richpanel.add_comment("7", "refund please", id="late", created_at=ago(600))
    system.richpanel.add_comment("7", "my password is lost", id="newer", created_at=ago(60))
    for message in ("newer", "late"):
        system.post({"ticket_id": "7", "message_id": message})
        system.run()
    assert system.event("late", "7")["status"] == "processed"
    assert system.services().support.state.read("7").last_intent == "technical_support"


def test_a_ticket_that_cannot_be_read_is_keyed_by_text_and_reported(system):
    """F12: the key of last resort, and its neighbour is probed."""
    body = {"ticket_id": "gone", "message": "ok", "created_at": ago(10)}
    system.post(body)
    system.post(body)
    system.run()
    key = ticket_keys.ticket_text("gone", "ok", parsed(body["created_at"]).timestamp())
    row = system.row(key)
    assert (row["status"], row["reason"]) == ("failed", "refused:http_404")


@pytest.mark.parametrize("text", ["", "🙂", "请问我的包裹在哪里"])
def test_a_message_without_known_keywords_is_left_for_triage(system, text):
    system.richpanel.add_ticket("7", comments=[text])
    system.post({"ticket_id": "7", "message_id": "comment-1"})
    system.run()
    assert system.event("comment-1", "7")["status"] == "processed"
    assert "mw-needs-manual-triage" in system.richpanel.tags_of("7")
    state = system.services().support.state.read("7")
    assert state.last_intent == "unknown_other"
