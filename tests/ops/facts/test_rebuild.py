"""Rebuilding the dataset from the facts that were kept, also when it is interrupted."""

import pytest
import requests

from chalicelib.facts.dataset import DIM_AGENT, DIM_DATE, DIM_METRIC, FACT_EVENT, definition
from chalicelib.facts.model import Dimension
from chalicelib.facts.posting.powerbi import SEQUENCE_NUMBER
from chalicelib.once.event import LANDING_SECONDS, LEASE_GRACE_SECONDS
from chalicelib.once.ports import Runtime, Switches
from ops.facts import rebuild as fact_rebuild
from tests.rigs.fact_writer import fact

LEASE = 230 + LEASE_GRACE_SECONDS
LANDED = LEASE + LANDING_SECONDS + 5


def rebuild(rig, facts=None, *, sink=None):
    made = fact_rebuild.Rebuild(
        ledger=rig.ledger(),
        registry=rig.store(),
        sink=sink or rig.sink(),
        agents=lambda: rig.agents,
        runtime=Runtime(clock=rig.clock, log=rig.log, switches=rig.switches),
    )
    return made.run(facts or rig.store().posted_facts, time_left_seconds=lambda: 230.0)


def test_a_rebuild_fills_a_new_dataset_with_the_stored_facts(writer_rig):
    writer_rig.store().keep([fact(n) for n in range(20)])
    writer_rig.run()
    writer_rig.dataset = writer_rig.powerbi.create_dataset(definition())

    done = rebuild(writer_rig)
    again = rebuild(writer_rig)

    assert (done.outcome, done.facts) == (again.outcome, again.facts) == ("rebuilt", 20)
    assert writer_rig.ids() == {f"ALOWARE:{n}": 1 for n in range(20)}
    assert len(writer_rig.rows(DIM_METRIC)) == 4
    assert len(writer_rig.rows(DIM_DATE)) == 11 * 365 + 2
    writer_rig.store().keep([fact(99)])
    assert writer_rig.run().posted == 1
    assert len(writer_rig.rows(DIM_AGENT)) == 1


def test_an_interrupted_rebuild_blocks_the_writer_until_it_is_completed(writer_rig):
    writer_rig.store().keep([fact(n) for n in range(5)])
    writer_rig.run()
    writer_rig.powerbi.fault("drop", operation="post_rows", skip=2)
    broken = rebuild(writer_rig)
    writer_rig.store().keep([fact(99)])

    assert broken.outcome.startswith("failed:powerbi")
    assert writer_rig.writer().seed({}, time_left_seconds=lambda: 230.0) == "waiting:rebuild"
    assert writer_rig.run().outcome == "waiting:rebuild"
    writer_rig.clock.forward(LANDED)
    assert rebuild(writer_rig).outcome == "rebuilt"
    assert writer_rig.run().posted == 1
    assert set(writer_rig.ids().values()) == {1}
    assert len(writer_rig.ids()) == 6


@pytest.mark.parametrize("lost", ["clear_rows", "post_rows"])
def test_a_rebuild_waits_until_no_request_of_an_interrupted_one_can_land(writer_rig, lost):
    """A late clear would empty the rebuilt table, and a late fill would duplicate its rows."""
    writer_rig.store().keep([fact(n) for n in range(5)])
    writer_rig.run()
    writer_rig.powerbi.fault("act_then_drop", operation=lost, skip=3)
    assert rebuild(writer_rig).outcome.startswith("failed:powerbi")
    sent = writer_rig.powerbi.count()

    assert rebuild(writer_rig).outcome == "waiting:may_still_land"
    writer_rig.clock.forward(LEASE + LANDING_SECONDS - 5)
    assert rebuild(writer_rig).outcome == "waiting:may_still_land"
    assert writer_rig.powerbi.count() == sent

    writer_rig.clock.forward(10)
    assert rebuild(writer_rig).outcome == "rebuilt"
    assert writer_rig.ids() == {f"ALOWARE:{n}": 1 for n in range(5)}


def test_a_refused_rebuild_can_be_run_again_at_once(writer_rig):
    writer_rig.store().keep([fact(1)])
    writer_rig.run()
    writer_rig.powerbi.fault("status", operation="post_rows", status=429)

    assert rebuild(writer_rig).outcome == "failed:powerbi_http_429"
    assert rebuild(writer_rig).outcome == "rebuilt"


def test_a_rebuild_waits_for_a_noted_dimension_of_unknown_outcome(writer_rig):
    """The writer noted it and died: whether its request was sent is unknown."""
    name = f"{DIM_AGENT}:{writer_rig.sink().target}"
    noted = Dimension(frozenset(), ("101",), int(writer_rig.clock.now().timestamp() * 1000))
    writer_rig.store().note_dimension(name, noted, writer_rig.store().dimension(name))

    assert rebuild(writer_rig).outcome == "waiting:may_still_land"
    assert writer_rig.powerbi.calls == ()
    writer_rig.clock.forward(LEASE + LANDING_SECONDS + 5)
    assert rebuild(writer_rig).outcome == "rebuilt"


def test_a_rebuild_paused_beyond_its_lease_sends_nothing(writer_rig):
    writer_rig.store().keep([fact(1)])

    def facts():
        writer_rig.clock.forward(LEASE)
        return writer_rig.store().posted_facts()

    assert rebuild(writer_rig, facts).outcome == "held:lease_over"
    assert writer_rig.powerbi.calls == ()


def test_a_rebuilds_sequence_numbers_increase_even_when_rerun_at_once(writer_rig, monkeypatch):
    writer_rig.store().keep([fact(n) for n in range(3)])
    writer_rig.run()
    numbers = []
    send = requests.Session.send

    def seen(session, request, **options):
        if SEQUENCE_NUMBER in request.headers:
            numbers.append(int(request.headers[SEQUENCE_NUMBER]))
        return send(session, request, **options)

    monkeypatch.setattr(requests.Session, "send", seen)
    writer_rig.powerbi.fault("status", operation="clear_rows", status=429, skip=3)  # of the facts

    assert (
        rebuild(writer_rig, sink=writer_rig.sink(is_numbered=True)).outcome
        == "failed:powerbi_http_429"
    )
    before = len(numbers)
    assert rebuild(writer_rig, sink=writer_rig.sink(is_numbered=True)).outcome == "rebuilt"
    assert 0 < before < len(numbers)
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize(
    ("thrown", "outcome"),
    [
        (Switches(kill_switch=True), "held:switches"),
        (Switches(shadow_mode=True), "held:switches"),
        (None, "held:switches_unreadable"),
    ],
)
def test_a_switch_stops_a_rebuild_that_has_begun(writer_rig, thrown, outcome):
    writer_rig.store().keep([fact(1)])
    writer_rig.run()
    sent = writer_rig.powerbi.count()

    def facts():
        writer_rig.switches.switches = thrown
        return writer_rig.store().posted_facts()

    assert rebuild(writer_rig, facts).outcome == outcome
    assert writer_rig.powerbi.count() == sent
    writer_rig.switches.switches = Switches()
    assert writer_rig.writer().seed({}, time_left_seconds=lambda: 230.0) == "waiting:rebuild"
    assert rebuild(writer_rig).outcome == "rebuilt"
    assert writer_rig.ids() == {"ALOWARE:1": 1}


def test_a_rebuild_does_not_run_beside_the_writer(writer_rig):
    writer_rig.store().keep([fact(1)])
    writer_rig.powerbi.fault("drop", operation="post_rows", skip=3)  # the POST of facts
    writer_rig.run()

    assert rebuild(writer_rig).outcome == "open_batch"


class Stopping:
    """A sink that sets a switch after it has taken a number of batches of facts."""

    def __init__(self, rig, *, after):
        self._sink = rig.sink(is_numbered=False)
        self._rig = rig
        self._left = after

    target = property(lambda self: self._sink.target)

    def append(self, table, number, rows, **more):
        self._sink.append(table, number, rows, **more)
        if table == FACT_EVENT:
            self._left -= 1
            if not self._left:
                self._rig.switches.switches = Switches(kill_switch=True)

    def replace(self, table, number, rows, **more):
        self._sink.replace(table, number, rows, **more)


@pytest.fixture
def interrupted(writer_rig, monkeypatch):
    """A rebuild of five facts, two a batch, that a switch stopped after the first batch."""
    monkeypatch.setattr(fact_rebuild, "ROWS_PER_POST", 2)
    writer_rig.store().keep([fact(n) for n in range(5)])
    writer_rig.run()
    done = rebuild(writer_rig, sink=Stopping(writer_rig, after=1))
    writer_rig.switches.switches = Switches()
    assert (done.outcome, done.facts) == ("held:switches", 2)
    return writer_rig


def test_an_interrupted_rebuild_goes_on_with_the_next_facts(interrupted):
    cleared = interrupted.powerbi.count()["clear_rows"]

    done = rebuild(interrupted)

    assert (done.outcome, done.resumed_at, done.facts) == ("rebuilt", 2, 3)
    assert interrupted.powerbi.count()["clear_rows"] == cleared
    assert interrupted.ids() == {f"ALOWARE:{n}": 1 for n in range(5)}
    assert [row["AgentID"] for row in interrupted.rows(DIM_AGENT)] == ["101"]


def test_a_rebuild_of_other_facts_starts_over(interrupted):
    facts = [*interrupted.store().posted_facts(), fact(99)]
    done = rebuild(interrupted, lambda: facts)
    assert (done.outcome, done.resumed_at, done.facts) == ("rebuilt", 0, 6)
    assert set(interrupted.ids().values()) == {1}


def test_a_rebuild_that_is_given_up_blocks_the_writer_only_for_a_time(interrupted):
    interrupted.store().keep([fact(99)])
    assert interrupted.run().outcome == "waiting:rebuild"
    assert "mw.facts.blocked" in interrupted.log.metric_names()

    interrupted.clock.forward(fact_rebuild.BLOCKED_SECONDS + 1)
    assert interrupted.run().posted == 1
    assert interrupted.log.of("facts.rebuild_given_up")[0]["posted"] == 2
    assert interrupted.run().outcome == "idle"
