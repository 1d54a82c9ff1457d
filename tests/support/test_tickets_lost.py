"""Crashed or lost events of the pipeline are found and processed once.

Each test names the failure scenario it covers (F..) where there is one.
"""

import pytest

from chalicelib.once.job import facts_of
from tests.rigs.memory_stage import ON_BOTH
from tests.rigs.tickets import ROUTED, job_of

# --- crashes --------------------------------------------------------------------------------


def test_a_worker_that_died_before_its_claim_leaves_no_row(system):
    """F15: the message comes again and is processed once."""
    system.post(system.ticket())
    received = system.stage.aws.client("sqs").receive_message(
        QueueUrl=system.stage.queue_url, VisibilityTimeout=0
    )
    assert received["Messages"]
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


@ON_BOTH
@pytest.mark.parametrize(
    ("method", "after"),
    [
        ("store_plan", False),  # F16: claimed, nothing done
        ("store_plan", True),
        ("begin", False),
        ("begin", True),  # F18: pending is written, the effect has not left
        ("end_actions", False),  # F18: the effect is done, its proof is not written
        ("end_actions", True),  # F17: done, and not recorded
        ("finish", False),  # F19: everything is done but the end
        ("finish", True),
    ],
)
def test_an_event_is_resumed_where_its_worker_died(system, method, after):
    """F16 to F19: done actions are not repeated, the others are done, and the event is processed."""
    system.post(system.ticket())
    ledger = system.services().ledger
    real = getattr(ledger, method)

    def dies(*args, **kwargs):
        if after:
            real(*args, **kwargs)
        raise SystemExit("killed")

    setattr(ledger, method, dies)
    with pytest.raises(SystemExit):
        system.run()
    delattr(ledger, method)
    system.let_leases_end()
    system.again()
    assert system.richpanel.tags_of("1042") == set(ROUTED)
    assert system.event()["status"] == "processed"
    assert len([effect for effect in system.richpanel.effects if effect.changed]) == len(ROUTED)
    assert len(system.audit()) == len(ROUTED)


# --- the ledger at the door -----------------------------------------------------------------


@pytest.fixture
def ledger_first(monkeypatch):
    monkeypatch.setenv("INGRESS_LEDGER", "true")


def test_with_a_ledger_at_the_door_a_queued_event_is_not_queued_again(app, ledger_first, system):
    body = system.ticket()
    for _ in range(3):
        assert system.post(body).status_code == 200
    assert system.event()["status"] == "received"
    system.run()
    assert system.event()["status"] == "processed"
    assert system.post(body).status_code == 200
    assert not system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


def test_a_crash_between_row_and_queue_loses_nothing(app, ledger_first, system):
    """F04: the retry enqueues; without a retry the sweep does."""
    body = system.ticket()
    assert system.services().ledger.receive(facts_of(job_of(body)))
    assert system.post(body).status_code == 200
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


# --- reconciliation, first form -------------------------------------------------------------


def test_a_ticket_whose_webhook_was_lost_is_found(system):
    system.ticket()
    summary = system.sweep()
    assert (summary.listed, summary.missing, summary.requeued) == (1, 1, 1)
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)
    assert system.sweep().missing == 0


def test_a_received_row_that_was_never_queued_is_found(app, ledger_first, system):
    """F04: crash between row and queue."""
    body = system.ticket(tags=["mw-processed"])
    system.services().ledger.receive(facts_of(job_of(body)))
    system.age("evt:rp:1042:c-1", 300)
    assert system.sweep().stranded == 1
    system.run()
    assert system.event()["status"] == "processed"
    assert system.sweep().stranded == 0


def test_where_listing_is_forbidden_the_sweep_reports_it_and_continues(system, log_stream):
    system.richpanel.modes.list_allowed = False
    summary = system.sweep()
    assert summary.listing == "forbidden:http_403"
    assert "mw.reconcile.listing_forbidden" in log_stream.getvalue()
