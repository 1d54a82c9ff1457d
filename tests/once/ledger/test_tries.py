"""Earlier attempts stay in the row of their event or action, whatever comes after them."""

from datetime import timedelta

from chalicelib.once.action import ActionStatus
from chalicelib.once.event import EventStatus
from chalicelib.once.ledger import tries
from tests.rigs.ledger import KEY, MODES, NOW, TAG, reply


def test_an_event_that_is_processed_at_once_has_no_list_and_costs_nothing(ledger_rig):
    ledger_rig.ledger.finish(ledger_rig.claim(), EventStatus.PROCESSED)
    assert "tries" not in ledger_rig.row(KEY)


def test_every_attempt_at_an_event_stays_with_its_reason(ledger_rig):
    ledger_rig.ledger.release(ledger_rig.claim(), reason="http_503", due_epoch=None)
    ledger_rig.ledger.release(ledger_rig.claim(), reason="http_429", due_epoch=None)
    ledger_rig.ledger.finish(ledger_rig.claim(), EventStatus.PROCESSED)
    row = ledger_rig.row(KEY)
    assert [(attempt["n"], attempt["end"], attempt.get("reason")) for attempt in row["tries"]] == [
        (1, "released", "http_503"),
        (2, "released", "http_429"),
        (3, "processed", None),
    ]


def test_a_second_start_never_hides_the_first(ledger_rig):
    found = ledger_rig.unknown(reply())
    ledger_rig.ledger.settle(found, ActionStatus.PENDING, reason="operator:not-done")
    ledger_rig.clock.forward(300)
    lease = ledger_rig.claim()
    (row,) = ledger_rig.ledger.begin(lease, [reply()], MODES)
    assert row.mine
    ledger_rig.ledger.end_action(lease, reply(), ActionStatus.DONE, ref="comment-2")
    stored = ledger_rig.row(reply().key)
    (first,) = stored["tries"]
    assert (first["at"], first["end"], first["reason"]) == (NOW, "unknown", "timeout")
    assert first["settled"] == "operator:not-done"
    assert (stored["status"], stored["ref"]) == ("done", "comment-2")


def test_a_start_that_was_surely_not_sent_says_so(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [TAG], MODES)
    ledger_rig.ledger.rearm(lease, [TAG])
    ledger_rig.clock.forward(1)
    ledger_rig.ledger.begin(lease, [TAG], MODES)
    assert [attempt["end"] for attempt in ledger_rig.row(TAG.key)["tries"]] == ["not_sent"]


def test_attempts_without_effect_make_room_for_those_that_may_have_had_one():
    unknown = {"at": 1, "end": "unknown"}
    found = [unknown]
    for at in range(2, 40):
        found = tries.added(found, {"at": at, "end": "not_sent"})
    found = tries.added(found, {"at": 40, "end": "unknown"})
    assert len(found) == tries.AT_MOST
    assert (found[0], found[-1]["at"]) == (unknown, 40)
    for at in range(41, 60):
        found = tries.added(found, {"at": at, "end": "released"})
    assert [attempt["at"] for attempt in found if attempt["end"] == "unknown"] == [1, 40]


def test_an_operators_wish_is_in_the_index_until_a_claim(ledger_rig):
    ledger_rig.ledger.finish(ledger_rig.claim(), EventStatus.FAILED, reason="x")
    assert ledger_rig.ledger.ask_again(KEY, entry=[])
    ledger_rig.clock.forward(timedelta(hours=1).total_seconds())
    (found,) = ledger_rig.ledger.stranded(limit=10)
    assert (found.key, found.is_asked) == (KEY, True)
    ledger_rig.claim(takeover=frozenset({EventStatus.FAILED}))
    assert "asked" not in ledger_rig.row(KEY)
    assert not ledger_rig.ledger.ask_again(KEY, entry=[]), "it is being worked on"
