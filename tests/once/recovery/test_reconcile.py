"""The sweep: lost events are found, stalled ones resume, nothing is done twice.

Each test names the failure scenario it covers (F..) where there is one.
"""

import importlib
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.errors import TransientError
from chalicelib.once.action import ActionStatus, Found
from chalicelib.once.effect import Executor
from chalicelib.once.event import EventStatus
from chalicelib.once.job import Recovery
from chalicelib.once.recovery.sweep import RESERVE_SECONDS
from chalicelib.once.timer import due_attributes
from chalicelib.support import keys as ticket_keys
from chalicelib.support.effects import ATTENTION_TAG
from chalicelib.support.lost_tickets import MAX_CONSECUTIVE_GAPS
from tests.rigs.engines import drain
from tests.rigs.memory_stage import ON_ENGINE
from tests.rigs.tickets import ROUTED, RoutingSystem, ago, delivery_of, job_of


@pytest.fixture
def system(app, without_rate_limits, stage, richpanel, pump):
    return RoutingSystem(app, stage, richpanel, pump)


def sweep(system, *, seconds=200.0, **how):
    return system.services().reconciler.sweep(time_left_seconds=lambda: seconds, **how)


def run_all(system):
    return drain(system.pump, at_most=500)


def rewrite(system, key, **attributes):
    system.services().ledger._table.update({"event_id": key}, set_=attributes)


def age_everything(system, seconds):
    table = system.services().ledger._table
    for row in table.scan_all(columns=("event_id", "due_at")):
        earlier = {"due_at": row["due_at"] - seconds} if "due_at" in row else {}
        rewrite(system, row["event_id"], last_processed_at=ago(seconds), **earlier)


# --- tickets ------------------------------------------------------------------------------------


def test_tickets_without_a_webhook_are_found_page_by_page_and_processed_once(system, richpanel):
    for number in range(250):
        tags = () if number % 50 == 0 else ("middleware_error_needs_attention",)
        richpanel.add_ticket(f"t-{number}", comments=["I want a refund"], tags=tags)
    first = sweep(system)
    assert (first.listed, first.missing, first.requeued) == (250, 5, 5)
    assert first.listing == "complete"
    run_all(system)
    assert sweep(system).missing == 0
    changed = [effect for effect in richpanel.effects if effect.changed]
    assert len({effect.ticket_id for effect in changed}) == 5
    assert all(richpanel.tags_of(f"t-{n}") >= set(ROUTED) for n in range(0, 250, 50))


@ON_ENGINE
def test_a_lost_second_message_on_a_processed_ticket_is_found(system, richpanel):
    """The tag is there, but the newest customer comment is in no row."""
    system.post(system.ticket())
    run_all(system)
    assert sweep(system).missing == 0
    richpanel.add_comment("1042", "And my password is lost", id="c-2")
    assert sweep(system).missing == 1
    run_all(system)
    assert system.event("c-2")["status"] == "processed"
    assert sweep(system).missing == 0


def test_comments_in_the_listing_decide_whether_a_ticket_was_missed(system, richpanel):
    richpanel.set_modes(listed_with_comments=True)
    system.post(system.ticket())
    run_all(system)
    richpanel.add_comment("1042", "We are on it", operator=True)
    assert sweep(system).missing == 0
    richpanel.add_comment("1042", "And my password is lost", id="c-2")
    assert sweep(system).missing == 1


def test_a_ticket_that_needs_nothing_is_queued_once(system, richpanel):
    """Only an operator wrote: the worker finds nothing new, and later runs skip the ticket."""
    richpanel.add_ticket("7")
    richpanel.add_comment("7", "Hello, how can we help?", operator=True)
    assert sweep(system).requeued == 1
    run_all(system)
    assert sweep(system).requeued == 0
    assert not system.writes()


def test_a_ticket_is_not_queued_again_while_its_job_waits(system):
    """A vendor that is down for two hours does not fill the queue every five minutes."""
    system.ticket()
    assert sweep(system).requeued == 1
    assert sweep(system).requeued == 0


def test_a_ticket_given_to_a_person_is_left_alone(system, richpanel):
    richpanel.add_ticket("7", comments=["refund"], tags=["middleware_error_needs_attention"])
    assert sweep(system).missing == 0


def test_closed_and_old_tickets_are_left_alone_even_if_the_vendor_does_not_filter(
    system, richpanel
):
    richpanel.set_modes(filters_work=False)
    richpanel.add_ticket("closed", comments=["refund"], status="CLOSED")
    richpanel.add_ticket("old")
    richpanel.add_comment("old", "refund", created_at=ago(3 * 86_400))
    richpanel._tickets["old"].fields["updated_at"] = ago(3 * 86_400)
    assert sweep(system).listed == 0
    assert sweep(system, window=timedelta(days=7)).listed == 1


@pytest.mark.parametrize("pages", [1, 2])
def test_a_run_that_is_out_of_time_is_continued_by_the_next(system, richpanel, pages):
    """F56: the cursor is kept after every page."""
    for number in range(300):
        richpanel.add_ticket(f"t-{number}", tags=[ATTENTION_TAG])
    # The lease and the parts before this one ask for the time, too.
    left = iter([200.0] * (3 + pages) + [RESERVE_SECONDS - 1] * 50)
    first = system.services().reconciler.sweep(time_left_seconds=lambda: next(left))
    assert (first.listed, first.listing) == (pages * 100, "out_of_time")
    second = sweep(system)
    assert (second.listed, second.listing) == (300 - pages * 100, "complete")


@pytest.mark.parametrize("operation", ["list_tickets"])
@pytest.mark.parametrize("fault", [{"kind": "status", "status": 503}, {"kind": "drop"}])
def test_an_interrupted_listing_resumes_at_the_failed_page(system, richpanel, operation, fault):
    for number in range(150):
        richpanel.add_ticket(f"t-{number}", tags=[ATTENTION_TAG])
    real, calls = system.services().support.richpanel.read_open_tickets, []

    def second_page_fails(**where):
        calls.append(where["page"])
        if len(calls) == 2:
            richpanel.fault(operation=operation, **fault)
        return real(**where)

    system.services().support.richpanel.read_open_tickets = second_page_fails
    assert sweep(system).listing.startswith("interrupted:richpanel_")
    second = sweep(system)
    assert (second.listing, second.listed, calls) == ("complete", 50, [1, 2, 2])


def test_a_killed_run_is_continued_after_its_lease(system, richpanel):
    """F56: the crash leaves a lease, so the run after the next continues."""
    for number in range(150):
        richpanel.add_ticket(f"t-{number}", tags=[ATTENTION_TAG])
    real = system.services().support.richpanel.read_open_tickets

    def dies_at_page_two(**where):
        if where["page"] == 2:
            raise SystemExit("killed")
        return real(**where)

    system.services().support.richpanel.read_open_tickets = dies_at_page_two
    with pytest.raises(SystemExit):
        sweep(system)
    system.services().support.richpanel.read_open_tickets = real
    assert sweep(system).listing == "busy"
    system.let_leases_end()
    third = sweep(system)
    assert (third.listed, third.listing) == (50, "complete")


@ON_ENGINE
def test_two_runs_at_once_do_the_work_of_one(system, richpanel):
    """F56: sweeps beside live traffic, twice, or cut short."""
    for number in range(5):
        richpanel.add_ticket(f"t-{number}", comments=["I want a refund"])
    reconciler = system.services().reconciler
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda _: reconciler.sweep(time_left_seconds=lambda: 200.0), "ab"))
    assert sorted(run.listing for run in runs) in (["busy", "complete"], ["complete", "complete"])
    assert sum(run.requeued for run in runs) == 5
    run_all(system)
    counts = {
        n
        for ticket in richpanel.ticket_ids
        for n in richpanel.effects_of(ticket, "tag_added").values()
    }
    assert counts == {1}


def test_a_sweep_beside_live_traffic_doubles_nothing(system):
    """F56: the webhook arrived after all."""
    body = system.ticket()
    sweep(system)
    system.post(body)
    sweep(system)
    run_all(system)
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


def test_a_dry_run_reports_and_stores_nothing(system):
    system.ticket()
    before = system.everything_stored()
    summary = sweep(system, dry_run=True)
    assert (summary.missing, summary.requeued) == (1, 1)
    assert system.everything_stored() == before
    assert not run_all(system)


def test_each_run_leaves_a_summary(system):
    system.ticket()
    sweep(system)
    last = system.services().sweeps.last()
    assert last["summary"]["missing"] == 1
    assert last["event_id"].startswith("sweep:run:")
    for name in ("created_at", "expires_at", "status", "mode", "conversation_id", "payload_sha256"):
        assert name in last


# --- where listing is forbidden -----------------------------------------------------------------


def test_where_listing_is_forbidden_ticket_numbers_are_walked_upward(system, richpanel):
    """From the highest known ticket number; a gap does not end the walk."""
    system.post(system.ticket())
    run_all(system)
    for ticket_id in ("t-2", "t-3", "t-4"):
        richpanel.add_ticket(ticket_id, comments=["I want a refund"])
    del richpanel._tickets["t-3"]
    richpanel.modes.list_allowed = False
    first = sweep(system)
    assert (first.listing, first.missing) == ("forbidden:http_403", 2)
    run_all(system)
    assert richpanel.tags_of("t-4") == set(ROUTED)
    richpanel.add_ticket("t-5", comments=["I want a refund"])
    richpanel.forget_calls()
    second = sweep(system)
    assert second.missing == 1
    numbers = [call.path for call in richpanel.calls if call.operation == "read_ticket_by_number"]
    assert numbers[0].endswith("/1005"), "it continued where it had stopped"


@pytest.mark.parametrize(
    ("hole", "is_found"), [(MAX_CONSECUTIVE_GAPS - 1, True), (MAX_CONSECUTIVE_GAPS, False)]
)
def test_a_walk_ends_after_a_fixed_number_of_missing_tickets(system, richpanel, hole, is_found):
    for number in range(hole + 1):
        richpanel.add_ticket(f"t-{number}", comments=["I want a refund"])
    for number in range(hole):
        del richpanel._tickets[f"t-{number}"]
    richpanel.modes.list_allowed = False
    system.services().sweeps.begin_after(1000)
    assert sweep(system).missing == is_found


def test_without_a_known_number_the_walk_says_so_and_an_operator_can_set_one(system, richpanel):
    richpanel.modes.list_allowed = False
    richpanel.add_ticket("t-1", comments=["I want a refund"])
    assert sweep(system).problems == ["walk:no_number_known"]
    system.services().sweeps.begin_after(1000)
    assert sweep(system).missing == 1


# --- unfinished rows ----------------------------------------------------------------------------


def test_an_event_whose_worker_died_on_its_last_receive_is_failed_and_given_to_a_person(
    system, richpanel
):
    body = system.ticket(tags=["mw-processed"])
    ledger = system.services().ledger
    ledger.store_plan, real = _dies, ledger.store_plan
    with pytest.raises(SystemExit):
        system.services().worker.process(delivery_of(system, body, receive_count=10))
    ledger.store_plan = real
    age_everything(system, 300)
    assert sweep(system).buried == 0, "its lease has not ended yet"
    system.let_leases_end()
    age_everything(system, 300)
    summary = sweep(system)
    assert (summary.buried, summary.handoffs) == (1, 1)
    assert (system.event()["status"], system.event()["reason"]) == (
        "failed",
        "dead_letter:worker_died",
    )
    run_all(system)
    assert "middleware_error_needs_attention" in richpanel.tags_of("1042")
    assert set(system.added()) == {"middleware_error_needs_attention"}, "the event itself stays"
    assert system.event()["status"] == "failed"
    assert system.event()["reason"] == "dead_letter:worker_died"
    assert "due_at" not in system.event()


def _dies(*_args, **_kwargs):
    raise SystemExit("killed")


def test_a_failed_hand_off_is_repeated_until_it_succeeds_once(system, richpanel):
    body = system.ticket(tags=["mw-processed"])
    richpanel.fault("status", operation="add_tags", status=503, times=9)
    with pytest.raises(Exception, match="richpanel_http_503"):
        system.services().worker.process(delivery_of(system, body, receive_count=10))
    assert system.event()["status"] == "failed"
    assert "due_at" in system.event()
    assert sweep(system).handoffs == 0, "it was tried a moment ago"
    richpanel.clear_faults()
    age_everything(system, 3600)
    importlib.import_module(
        "chalicelib.wiring"
    )._services.clear()  # a new container, whose breaker has seen no failure
    assert sweep(system).handoffs == 1
    run_all(system)
    assert "middleware_error_needs_attention" in richpanel.tags_of("1042")
    assert "due_at" not in system.event()
    age_everything(system, 3600)
    assert sweep(system).handoffs == 0


class _Settlers:
    """What the vendor shows of an action, as the test sets it."""

    def __init__(self):
        self.shows = ()

    def __call__(self, _action):
        if self.shows is None:
            raise TransientError("richpanel", "read_ticket")
        return self.shows


@pytest.fixture
def parked(system, richpanel):
    """An event whose first tag has an unknown outcome."""
    settlers = _Settlers()
    system.post(system.ticket())
    run_all(system)
    key, action = "evt:rp:1042:c-1", ticket_keys.tag_action("1042", ROUTED[0], "c-1")
    table = system.services().ledger._table
    then = int(datetime.now(UTC).timestamp()) - 3600
    rewrite(
        system,
        action,
        status=ActionStatus.UNKNOWN.value,
        **due_attributes("action", action, 1),
        reason="timeout",
        started_epoch=then,
        horizon=then + 60,
        last_processed_at=ago(300),
    )
    rewrite(
        system,
        key,
        status=EventStatus.PARKED.value,
        waits_for=[action],
        **due_attributes("event", key, 1),
        reason="unknown:timeout",
        last_processed_at=ago(300),
    )
    settlement = system.services().settlement
    settlement._executors = {**settlement._executors, "add_tag": Executor(None, settler=settlers)}
    settlers.key, settlers.action, settlers.table = key, action, table
    return settlers


def test_an_unknown_action_that_happened_is_settled_and_its_event_resumes(system, parked):
    parked.shows = (Found("ref-1"),)
    summary = sweep(system)
    assert (summary.settled, summary.resumed) == (1, 1)
    assert system.row(parked.action)["status"] == "done"
    run_all(system)
    assert system.row(parked.key)["status"] == "processed"
    assert len(system.writes()) == 1, "nothing was sent again"


def test_an_unknown_action_that_did_not_happen_is_done_after_a_second_check(system, parked):
    assert (sweep(system).settled, system.row(parked.action)["looks"]) == (0, 1)
    rewrite(system, parked.action, looked_epoch=1, due_at=1)
    assert sweep(system).settled == 1
    run_all(system)
    assert system.row(parked.key)["status"] == "processed"
    assert len(system.writes()) == 2


def test_an_event_that_cannot_be_settled_now_stays_parked_and_does_not_expire(system, parked):
    parked.shows = None
    soon = int(datetime.now(UTC).timestamp()) + 60
    rewrite(system, parked.key, expires_at=soon)
    summary = sweep(system)
    assert (summary.unknown, summary.resumed) == (1, 0)
    assert summary.problems[0].startswith("settle:richpanel")
    assert system.row(parked.key)["status"] == "parked"
    assert system.row(parked.key)["expires_at"] > soon + 86_400


def test_an_event_older_than_its_action_rows_is_left_to_a_person(system, parked):
    """Its done actions may have expired: a resumed plan would repeat them."""
    parked.shows = (Found("ref-1"),)
    rewrite(system, parked.key, received_at=ago(31 * 86_400))
    assert sweep(system).resumed == 0
    assert system.row(parked.key)["status"] == "parked"


def test_the_age_of_the_oldest_unfinished_event_is_returned_and_measured(system, parked, capsys):
    parked.shows = None
    assert sweep(system).oldest_seconds < 60
    rewrite(system, parked.key, received_at=ago(5 * 3600), last_processed_at=ago(300))
    capsys.readouterr()
    assert 5 * 3600 <= sweep(system).oldest_seconds < 5 * 3600 + 600
    name = "mw.reconcile.oldest_unfinished_seconds"
    (measured,) = [line for line in capsys.readouterr().out.splitlines() if name in line]
    assert json.loads(measured)[name] >= 5 * 3600
    assert json.loads(measured)["_aws"]["CloudWatchMetrics"][0]["Metrics"][0]["Unit"] == "Seconds"


def test_no_age_is_measured_when_the_rows_could_not_be_read(system, capsys):
    """A zero would keep the alarm silent."""

    def broken(**_how):
        raise TransientError("dynamodb", "query")

    system.services().ledger.stranded = broken
    assert sweep(system).oldest_seconds is None
    assert 'oldest_unfinished_seconds":' not in capsys.readouterr().out


def test_a_row_that_cannot_be_rebuilt_into_a_job_is_counted_and_kept(system):
    system.services().ledger.receive(
        system.services().ledger.stored("evt:rp:1042:c-1") or _foreign_event()
    )
    rewrite(system, "evt:other:1", due_at=1)
    summary = sweep(system)
    assert (summary.orphans, summary.requeued) == (1, 0)
    assert system.row("evt:other:1")["status"] == "received"


def _foreign_event():
    from chalicelib.once.event import EventFacts  # noqa: PLC0415

    return EventFacts("evt:other:1", "c", ago(300), "", 0, "elsewhere")


def test_a_part_that_fails_does_not_stop_the_others(system):
    system.ticket()
    reconciler = system.services().reconciler

    def broken(**_how):
        raise TransientError("dynamodb", "query")

    system.services().ledger.unsettled = broken
    summary = reconciler.sweep(time_left_seconds=lambda: 200.0)
    assert summary.problems == ["rows:dynamodb_failed"]
    assert summary.missing == 1


# --- replay -------------------------------------------------------------------------------------


def test_replaying_processed_events_twice_and_at_once_has_no_effect(system, richpanel):
    """F37, in small; `python -m bench.measures.replay` does it with ten thousand."""
    bodies = [system.ticket(f"t-{number}") for number in range(4)]
    for body in bodies:
        system.post(body)
    run_all(system)
    richpanel.forget_calls()
    before = len(richpanel.effects)

    for _ in range(2):
        for body in bodies:
            system.services().intake.accept(job_of(body), recovery=Recovery.OPERATOR)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: drain(system.pump, at_most=20), range(4)))
    run_all(system)
    assert len(richpanel.effects) == before
    assert not system.writes()
    assert {system.event("c-1", f"t-{n}")["status"] for n in range(4)} == {"processed"}


def test_personal_data_does_not_enter_the_sweeps_rows(system, richpanel):
    richpanel.add_ticket(
        "9", comments=["refund for jane.roe@example.com"], customer_email="jane.roe@example.com"
    )
    sweep(system)
    run_all(system)
    sweep(system)
    assert "jane.roe" not in json.dumps(system.everything_stored())
