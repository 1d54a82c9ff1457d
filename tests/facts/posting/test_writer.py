"""The writer: one at a time, every fact once, whatever crashes, hangs, refuses or is away."""

import itertools

import pytest

from chalicelib.errors import TransientError
from chalicelib.facts.dataset import DIM_AGENT, DIM_DATE, DIM_METRIC, FACT_EVENT, definition
from chalicelib.facts.model import Dimension
from chalicelib.facts.posting import writer_state
from chalicelib.facts.posting.dimensions import STARTED_SECONDS
from chalicelib.facts.posting.ndjson import FileRows
from chalicelib.once import keys
from chalicelib.once.action import ActionStatus
from chalicelib.once.event import LANDING_SECONDS, LEASE_GRACE_SECONDS
from chalicelib.once.ports import Switches
from tests.rigs.fact_writer import Crash, CrashingClient, fact
from tests.rigs.memory_stage import ON_BOTH

LEASE_OVER = 600
LANDED = 1400
LEASE = 230 + LEASE_GRACE_SECONDS


def test_nothing_pending_costs_no_write_and_no_request(writer_rig):
    client = CrashingClient(writer_rig.client)

    assert writer_rig.run(writer_rig.writer(client)).outcome == "idle"
    assert set(client.calls) == {"query", "get_item"}
    assert writer_rig.powerbi.calls == ()


def test_pending_facts_go_in_one_post_and_are_final(writer_rig):
    writer_rig.store().keep([fact(n) for n in range(30)])

    summary = writer_rig.run()

    assert (summary.outcome, summary.posts, summary.posted) == ("posted", 1, 30)
    assert set(writer_rig.statuses(writer_rig.ids()).values()) == {"posted"}
    assert writer_rig.run().outcome == "idle"
    assert writer_rig.powerbi.count()["post_rows"] == 4  # three dimensions, one batch of facts


def test_facts_beyond_one_posts_limit_go_in_several_posts(writer_rig):
    writer_rig.store().keep([fact(n) for n in range(30)])

    summary = writer_rig.run(writer_rig.writer(rows_per_post=12))

    assert (summary.posts, summary.posted) == (3, 30)
    assert set(writer_rig.ids().values()) == {1}


def calls_behind_a_post(writer_rig):
    """The numbers of a first run's calls to the database that come right after a call to Power BI."""
    client, asked = CrashingClient(writer_rig.client), [0]
    client.before = lambda: asked.append(len(writer_rig.powerbi.calls))
    writer_rig.store().keep([fact(0)])
    writer_rig.run(writer_rig.writer(client, is_numbered=True))
    return {at for at, (last, now) in enumerate(itertools.pairwise(asked), 1) if now > last}


@ON_BOTH
@pytest.mark.parametrize("is_numbered", [True, False], ids=["numbered", "plain"])
def test_a_crash_at_any_call_loses_no_fact_and_counts_none_twice(writer_rig, is_numbered):
    """The process dies at each call to the database or to Power BI in turn; then the next run comes.

    With sequence numbers every row is there once; without them a row may be there twice, and the
    measures count it once.  A dimension has each key once, always.
    """
    behind_a_post = calls_behind_a_post(writer_rig)
    assert len(behind_a_post) > 3
    crashes = 0
    for at in range(1, 200):
        finished = 0
        moments = (False, True) if at in behind_a_post else (True,)
        for is_after in moments:
            writer_rig.dataset = writer_rig.powerbi.create_dataset(definition())
            keys = {f"ALOWARE:{at}-{is_after}-{n}" for n in range(3)}
            writer_rig.store().keep([fact(key.removeprefix("ALOWARE:")) for key in sorted(keys)])
            client = CrashingClient(writer_rig.client, at=at, is_after=is_after)
            try:
                writer_rig.run(writer_rig.writer(client, is_numbered=is_numbered))
                finished += 1
            except Crash:
                crashes += 1
            for wait in (LEASE_OVER, LANDED, 0):
                writer_rig.clock.forward(wait)
                writer_rig.run(writer_rig.writer(is_numbered=is_numbered))

            assert set(writer_rig.ids()) == keys
            assert set(writer_rig.statuses(keys).values()) == {"posted"}
            if is_numbered:
                assert set(writer_rig.ids().values()) == {1}
            assert [row["AgentID"] for row in writer_rig.rows(DIM_AGENT)] == ["101"]
            assert [row["MetricID"] for row in writer_rig.rows(DIM_METRIC)] == ["CALLS"]
            days = [row["Date"] for row in writer_rig.rows(DIM_DATE)]
            assert len(set(days)) == len(days) == 365
        if finished == len(moments):
            break
    assert crashes > 20 + len(behind_a_post)


def test_after_a_crash_while_storing_the_redelivered_job_stores_the_rest(writer_rig):
    crashes = 0
    for at in range(1, 30):
        facts = [fact(f"{at}-{n}") for n in range(60)]
        client = CrashingClient(writer_rig.client, at=at, is_after=True)
        try:
            writer_rig.store(client).keep(facts)
        except Crash:
            crashes += 1
        again = writer_rig.store().keep(facts)

        assert again.new + again.duplicate == 60
        assert len(writer_rig.statuses([fact.key for fact in facts])) == 60
        if crashes < at:
            break
    assert crashes == 4  # one read, three inserts
    writer_rig.run()
    assert set(writer_rig.ids().values()) == {1}


def test_two_writers_at_once_post_once(writer_rig):
    writer_rig.store().keep([fact(n) for n in range(5)])
    second = []

    class Interrupted(CrashingClient):
        def __getattr__(self, operation):
            call = super().__getattr__(operation)

            def then(**arguments):
                answer = call(**arguments)
                if operation == "batch_execute_statement" and not second:
                    second.append(writer_rig.run())
                return answer

            return then

    first = writer_rig.run(writer_rig.writer(Interrupted(writer_rig.client)))

    assert second[0].outcome == "busy"
    assert first.outcome == "posted"
    assert set(writer_rig.ids().values()) == {1}


@pytest.mark.parametrize("kind", ["drop", "act_then_drop", "act_then_hang", "act_then_status"])
def test_an_unknown_outcome_is_settled_without_doubling(writer_rig, kind):
    writer_rig.run(seeded(writer_rig))
    writer_rig.powerbi.fault(kind, operation="post_rows", status=500)
    writer_rig.store().keep([fact(n) for n in range(3)])

    first = writer_rig.run(writer_rig.writer(is_numbered=True))
    writer_rig.clock.forward(60)
    second = writer_rig.run(writer_rig.writer(is_numbered=True))

    assert first.outcome.startswith("waiting:powerbi")
    assert second.outcome == "posted"
    assert writer_rig.ids() == {f"ALOWARE:{n}": 1 for n in (99, 0, 1, 2)}


def test_a_retry_that_is_refused_once_duplicates_no_row(writer_rig):
    """The first request's outcome is unknown: new numbers would add its rows again."""
    writer_rig.run(seeded(writer_rig))
    writer_rig.store().keep([fact(n) for n in range(3)])
    writer_rig.powerbi.fault("act_then_drop", operation="post_rows")
    writer_rig.run(writer_rig.writer(is_numbered=True))
    writer_rig.powerbi.fault("status", operation="post_rows", status=400)

    outcomes = [writer_rig.run(writer_rig.writer(is_numbered=True)).outcome for _ in range(2)]

    assert outcomes == ["held:repetition_refused", "posted"]
    assert writer_rig.ids() == {f"ALOWARE:{n}": 1 for n in (99, 0, 1, 2)}


def test_a_batch_whose_retry_is_refused_twice_is_split(writer_rig):
    writer_rig.run(seeded(writer_rig))
    writer_rig.store().keep([fact(1), fact(2, notes="x" * 4001), fact(3)])
    writer_rig.powerbi.fault("drop", operation="post_rows")

    outcomes = [writer_rig.run(writer_rig.writer(is_numbered=True)).outcome for _ in range(3)]

    assert outcomes == ["waiting:powerbi_connection_broken", "held:repetition_refused", "posted"]
    assert writer_rig.statuses(["ALOWARE:2"]) == {"ALOWARE:2": "failed"}
    assert writer_rig.ids() == {f"ALOWARE:{n}": 1 for n in (99, 1, 3)}


def test_without_sequence_numbers_the_measures_still_count_once(writer_rig):
    writer_rig.run(seeded(writer_rig))
    writer_rig.powerbi.fault("act_then_drop", operation="post_rows")
    writer_rig.store().keep([fact(1)])
    writer_rig.run()
    writer_rig.clock.forward(60)
    writer_rig.run()

    assert writer_rig.ids()["ALOWARE:1"] == 2
    assert writer_rig.powerbi.distinct(writer_rig.dataset, "FactEvent", "EventID") == 2
    assert all("DISTINCTCOUNT(FactEvent[EventID])" in m["expression"] for m in measures())


def test_a_dimension_of_unknown_outcome_is_cleared_and_refilled_after_its_horizon(writer_rig):
    writer_rig.powerbi.fault("act_then_drop", operation="post_rows")  # the first POST: agents
    writer_rig.store().keep([fact(1)])
    first = writer_rig.run()

    assert first.outcome == "posted"  # facts do not wait
    writer_rig.store().keep([fact(2, agent_id="102")])
    writer_rig.clock.forward(60)
    writer_rig.run()
    assert [row["AgentID"] for row in writer_rig.rows(DIM_AGENT)] == ["101"]
    writer_rig.clock.forward(
        LANDING_SECONDS
    )  # of a request that was started at the very end of a lease
    writer_rig.run()
    assert writer_rig.powerbi.count()["clear_rows"] == 0
    writer_rig.clock.forward(LANDED)
    writer_rig.run()
    assert [row["AgentID"] for row in writer_rig.rows(DIM_AGENT)] == ["101", "102"]
    assert writer_rig.powerbi.count()["clear_rows"] == 1


def test_a_dimension_is_not_cleared_while_its_request_may_still_land(writer_rig):
    """It waits for its worker's whole lease and the longest network delay."""
    writer_rig.powerbi.fault("act_then_drop", operation="post_rows")
    writer_rig.store().keep([fact(1)])
    writer_rig.run()

    writer_rig.clock.forward(LEASE + LANDING_SECONDS - 5)
    writer_rig.store().keep([fact(2, agent_id="102")])
    writer_rig.run()
    assert writer_rig.powerbi.count()["clear_rows"] == 0

    writer_rig.clock.forward(10)
    writer_rig.run()
    assert writer_rig.powerbi.count()["clear_rows"] == 1
    assert [row["AgentID"] for row in writer_rig.rows(DIM_AGENT)] == ["101", "102"]


def test_a_dimensions_horizon_counts_from_its_latest_request(writer_rig):
    """The first worker died after its note; a later worker sent the request that got no response."""
    name = f"{DIM_AGENT}:{writer_rig.sink().target}"
    noted = Dimension(frozenset(), ("101",), int(writer_rig.clock.now().timestamp() * 1000))
    writer_rig.store().note_dimension(name, noted, writer_rig.store().dimension(name))
    writer_rig.clock.forward(3600)
    writer_rig.powerbi.fault("act_then_drop", operation="post_rows")
    writer_rig.store().keep([fact(1)])
    writer_rig.run()
    writer_rig.store().keep([fact(2)])
    writer_rig.run()
    assert writer_rig.powerbi.count()["clear_rows"] == 0

    writer_rig.clock.forward(LANDED)
    writer_rig.store().keep([fact(3)])
    writer_rig.run()
    assert writer_rig.powerbi.count()["clear_rows"] == 1
    assert [row["AgentID"] for row in writer_rig.rows(DIM_AGENT)] == ["101"]


@pytest.mark.parametrize("lost", ["clear_rows", "post_rows"])
def test_a_dimension_is_not_cleared_again_while_an_earlier_request_may_still_land(writer_rig, lost):
    """A late clear removes the new rows, and a late fill duplicates them."""
    writer_rig.powerbi.fault("act_then_drop", operation="post_rows")
    writer_rig.store().keep([fact(1)])
    writer_rig.run()
    writer_rig.clock.forward(LANDED)
    writer_rig.powerbi.fault("act_then_drop", operation=lost)
    writer_rig.store().keep([fact(2)])
    writer_rig.run()
    assert writer_rig.powerbi.count()["clear_rows"] == 1

    writer_rig.clock.forward(STARTED_SECONDS + LANDING_SECONDS - 5)
    writer_rig.store().keep([fact(3)])
    assert writer_rig.run().outcome == "posted", "facts do not wait"
    assert writer_rig.powerbi.count()["clear_rows"] == 1

    writer_rig.clock.forward(10)
    writer_rig.store().keep([fact(4)])
    writer_rig.run()
    assert writer_rig.powerbi.count()["clear_rows"] == 2
    assert [row["AgentID"] for row in writer_rig.rows(DIM_AGENT)] == ["101"]


def test_a_dimension_to_be_emptied_is_not_filled_while_its_clearing_may_still_land(
    writer_rig,
):
    """A rebuild of a table without keys was interrupted after its note."""
    name, now = f"{DIM_AGENT}:{writer_rig.sink().target}", int(writer_rig.clock.now().timestamp())
    lands = Dimension(number=now * 1000, again_at=now + 1300)
    writer_rig.store().note_dimension(name, lands, writer_rig.store().dimension(name))
    writer_rig.store().keep([fact(1)])
    writer_rig.run()
    assert writer_rig.rows(DIM_AGENT) == []

    writer_rig.clock.forward(LANDED)
    writer_rig.store().keep([fact(2)])
    writer_rig.run()
    assert writer_rig.powerbi.count()["clear_rows"] == 1
    assert [row["AgentID"] for row in writer_rig.rows(DIM_AGENT)] == ["101"]


@pytest.mark.parametrize("refused", ["clear_rows", "post_rows"])
def test_a_dimension_whose_request_was_refused_is_filled_at_the_next_run(writer_rig, refused):
    writer_rig.powerbi.fault("act_then_drop", operation="post_rows")
    writer_rig.store().keep([fact(1)])
    writer_rig.run()
    writer_rig.clock.forward(LANDED)
    writer_rig.powerbi.fault("status", operation=refused, status=429)
    writer_rig.store().keep([fact(2)])
    writer_rig.run()
    writer_rig.clock.forward(60)
    writer_rig.run()
    assert [row["AgentID"] for row in writer_rig.rows(DIM_AGENT)] == ["101"]
    assert writer_rig.ids() == {"ALOWARE:1": 1, "ALOWARE:2": 1}


def test_a_dimension_refused_and_posted_again_within_a_millisecond_is_posted(writer_rig):
    """An action is named after its number, and one that has ended is not performed again."""
    writer_rig.powerbi.fault("status", status=400, operation="post_rows")
    writer_rig.store().keep([fact(1)])
    writer_rig.run()
    assert writer_rig.rows(DIM_AGENT) == []

    writer_rig.store().keep([fact(2)])
    writer_rig.run()

    assert [row["AgentID"] for row in writer_rig.rows(DIM_AGENT)] == ["101"]


def test_too_many_requests_are_waited_out(writer_rig):
    writer_rig.run(seeded(writer_rig))
    headers = {"Retry-After": "300"}
    writer_rig.powerbi.fault("status", operation="post_rows", status=429, headers=headers)
    writer_rig.store().keep([fact(1)])
    before = len(writer_rig.powerbi.calls_of("post_rows"))
    outcomes = []
    for _ in range(6):
        outcomes.append(writer_rig.run().outcome)
        writer_rig.clock.forward(60)

    assert outcomes[0] == "waiting:powerbi_http_429"
    assert set(outcomes[1:5]) == {"waiting:asked_to"}
    assert outcomes[5] == "posted"
    assert len(writer_rig.powerbi.calls_of("post_rows")) == before + 2


def test_a_run_whose_time_is_nearly_over_starts_no_batch(writer_rig):
    writer_rig.store().keep([fact(1)])
    assert writer_rig.run(seconds=60).posts == 0
    assert writer_rig.statuses(["ALOWARE:1"]) == {"ALOWARE:1": "pending"}
    assert writer_rig.run(seconds=61).posted == 1


def test_a_run_paused_past_its_lease_leaves_the_record_to_the_next(writer_rig):
    writer_rig.run(seeded(writer_rig))
    writer_rig.store().keep([fact(1)])
    writer = writer_rig.writer()
    perform = writer.effects.perform

    def slow(*arguments):
        done = perform(*arguments)
        writer_rig.clock.forward(LEASE_OVER)
        return done

    object.__setattr__(writer.effects, "perform", slow)
    assert writer_rig.run(writer).outcome == "held:lease_over"
    assert writer_rig.statuses(["ALOWARE:1"]) == {"ALOWARE:1": "pending"}
    assert writer_rig.run().outcome == "posted"
    assert writer_rig.ids()["ALOWARE:1"] == 1, "what is known to be taken is not sent again"


def test_a_run_paused_past_its_lease_fails_no_fact(writer_rig):
    """The next run may be posting the fact at this moment: its schema was mended meanwhile."""
    writer_rig.run(seeded(writer_rig))
    writer_rig.store().keep([fact(1), fact(2, notes="x" * 4001)])
    writer = writer_rig.writer()
    perform = writer.effects.perform

    def slow(attempt, step, earlier):
        done = perform(attempt, step, earlier)
        action = step[0].action
        if done[action.key].status == ActionStatus.REFUSED and len(action.data.rows) == 1:
            writer_rig.clock.forward(LEASE_OVER)
        return done

    object.__setattr__(writer.effects, "perform", slow)
    assert writer_rig.run(writer).outcome == "held:lease_over"
    assert writer_rig.statuses(["ALOWARE:2"]) == {"ALOWARE:2": "pending"}
    writer_rig.store().keep([fact(3)])
    for _ in range(3):  # the open batch is repeated, split, and its row refused again
        writer_rig.run()
    assert writer_rig.statuses(["ALOWARE:2"]) == {"ALOWARE:2": "failed"}
    assert set(writer_rig.ids().values()) == {1}


@pytest.mark.parametrize(("room", "step"), [("effects", "perform"), ("store", "settle")])
def test_a_run_that_lost_its_lease_changes_nothing_and_reports_it(writer_rig, room, step):
    writer_rig.store().keep([fact(1)])
    writer = writer_rig.writer()
    then = getattr(getattr(writer, room), step)

    def slow(*arguments, **named):
        done = then(*arguments, **named)
        writer_rig.clock.forward(LEASE_OVER)
        writer_rig.store().keep([fact(2)])
        assert writer_rig.run().outcome == "posted"
        return done

    setattr(getattr(writer, room), step, slow)
    assert writer_rig.run(writer).outcome == "held:lease_lost"
    assert writer_rig.run().outcome == "idle"
    assert writer_rig.ids() == {"ALOWARE:1": 1, "ALOWARE:2": 1}


def test_seeding_leaves_a_batch_of_unknown_outcome_to_the_next_run(writer_rig):
    writer_rig.run(seeded(writer_rig))
    writer_rig.powerbi.fault("act_then_drop", operation="post_rows")
    writer_rig.store().keep([fact(1)])
    assert writer_rig.run(writer_rig.writer(is_numbered=True)).outcome.startswith("waiting:powerbi")
    writer_rig.clock.forward(60)

    keys = {DIM_METRIC: frozenset({"TEXTS"})}
    assert writer_rig.writer().seed(keys, time_left_seconds=lambda: 230.0) == "seeded"

    assert {row["MetricID"] for row in writer_rig.rows(DIM_METRIC)} == {"CALLS", "TEXTS"}
    assert writer_rig.run(writer_rig.writer(is_numbered=True)).posted == 1
    assert writer_rig.ids()["ALOWARE:1"] == 1


def test_a_refused_dimension_is_reported_and_delays_no_fact(writer_rig):
    writer_rig.powerbi.fault("status", operation="post_rows", status=400)  # the first POST: agents
    writer_rig.store().keep([fact(1)])
    assert writer_rig.run().outcome == "posted"
    assert ("mw.facts.dimension_refused", 1, {"table": DIM_AGENT}) in writer_rig.log.metrics
    writer_rig.store().keep([fact(2)])
    writer_rig.run()
    assert [row["AgentID"] for row in writer_rig.rows(DIM_AGENT)] == ["101"]


def test_one_refused_row_fails_alone(writer_rig):
    facts = [fact(n) for n in range(20)]
    facts[7] = fact(7, notes="x" * 4001)
    writer_rig.store().keep(facts)

    summary = writer_rig.run()

    assert (summary.posted, summary.failed) == (19, 1)
    assert writer_rig.statuses(["ALOWARE:7"]) == {"ALOWARE:7": "failed"}
    assert set(writer_rig.ids().values()) == {1}
    assert writer_rig.run().outcome == "idle"


def test_a_table_that_refuses_every_row_fails_no_fact(writer_rig):
    writer_rig.run(seeded(writer_rig))
    facts = [fact(n, notes="x" * 4001) for n in range(20)]
    writer_rig.store().keep(facts)
    before = len(writer_rig.powerbi.calls_of("post_rows"))

    summary = writer_rig.run()

    assert summary.outcome == "held:every_row_refused"
    assert set(writer_rig.statuses([fact.key for fact in facts]).values()) == {"pending"}
    assert len(writer_rig.powerbi.calls_of("post_rows")) - before < 12
    assert ("mw.facts.table_refuses", 1, {}) in writer_rig.log.metrics


def test_a_batch_holds_no_more_facts_than_fit_its_row(writer_rig, monkeypatch):
    monkeypatch.setattr(writer_state, "_PLAN_CHARACTERS", 200)
    writer_rig.run(seeded(writer_rig))
    writer_rig.store().keep([fact(f"{n}-{keys.digest(str(n))[:32]}") for n in range(16)])
    summary = writer_rig.run()
    assert summary.posted == 16
    assert summary.posts > 1
    assert set(writer_rig.ids().values()) == {1}


@pytest.mark.parametrize("how", ["dataset_gone", "not_in_workspace", "wrong_secret"])
def test_a_wrong_deployment_makes_facts_wait(writer_rig, how):
    writer_rig.store().keep([fact(1)])
    if how == "dataset_gone":
        writer_rig.dataset = "gone"
    elif how == "not_in_workspace":
        writer_rig.powerbi.set_modes(allowed=False)
    else:
        writer_rig.powerbi.secrets[:] = ["another"]
    try:
        assert writer_rig.run().outcome.startswith("waiting:powerbi")
    finally:
        writer_rig.powerbi.secrets[:] = ["simulated-powerbi-secret"]
    assert writer_rig.statuses(["ALOWARE:1"]) == {"ALOWARE:1": "pending"}


def test_an_old_token_is_renewed_once(writer_rig):
    writer_rig.store().keep([fact(1)])
    writer = writer_rig.writer()
    writer_rig.run(writer)
    writer_rig.powerbi.end_tokens()
    writer_rig.store().keep([fact(2)])
    writer_rig.run(writer)

    assert set(writer_rig.ids()) == {"ALOWARE:1", "ALOWARE:2"}
    assert writer_rig.powerbi.count()["token"] == 2


def test_a_token_is_kept_until_it_nears_its_end(writer_rig):
    writer = writer_rig.writer()
    for number in range(3):
        writer_rig.store().keep([fact(number)])
        writer_rig.run(writer)
    assert writer_rig.powerbi.count()["token"] == 1
    writer_rig.clock.forward(3599 - 299)
    writer_rig.store().keep([fact(9)])
    writer_rig.run(writer)
    assert writer_rig.powerbi.count()["token"] == 2


@pytest.mark.parametrize("switches", [Switches(kill_switch=True), Switches(shadow_mode=True), None])
def test_a_switch_or_an_outage_of_weeks_only_delays_facts(writer_rig, switches):
    writer_rig.store().keep([fact(1)])
    writer_rig.switches.switches = switches
    for _ in range(30):
        writer_rig.clock.forward(86_400)
        assert writer_rig.run().outcome.startswith("held:")
    writer_rig.switches.switches = Switches()

    expiry = writer_rig.client.get_item(
        TableName=writer_rig.table_name, Key={"pk": {"S": "ALOWARE:1"}}, ConsistentRead=True
    )["Item"]["expiresAt"]["N"]
    assert int(expiry) > writer_rig.clock.now().timestamp()
    assert writer_rig.run().posted == 1


def test_a_switch_that_stops_between_claim_and_post_loses_nothing(writer_rig):
    writer_rig.run(seeded(writer_rig))
    writer_rig.store().keep([fact(1)])

    class Stopping(CrashingClient):
        def __getattr__(self, operation):
            if operation == "update_item":  # the open batch is stored
                writer_rig.switches.switches = Switches(kill_switch=True)
            return super().__getattr__(operation)

    writer = writer_rig.writer(Stopping(writer_rig.client))
    assert writer_rig.run(writer).outcome == "held:kill_switch"
    writer_rig.switches.switches = Switches()
    writer_rig.clock.forward(60)
    assert writer_rig.run().posted == 1
    assert writer_rig.ids()["ALOWARE:1"] == 1


def seeded(writer_rig):
    """Dimensions in place and one fact posted, so that the next POST is one of facts."""
    writer_rig.store().keep([fact(99)])
    return writer_rig.writer()


def measures():
    return definition()["tables"][0]["measures"]


class Away:
    """An archive that cannot be written until `is_back`."""

    def __init__(self, archive):
        self._archive = archive
        self.is_back = False

    @property
    def target(self):
        return self._archive.target

    def append(self, table, number, rows, *, deadline_seconds):
        if not self.is_back and table == FACT_EVENT:
            raise TransientError("s3", "put_object", reason="SlowDown")
        self._archive.append(table, number, rows, deadline_seconds=deadline_seconds)

    replace = append


def test_a_batch_that_the_archive_lacks_is_not_posted_to_the_dataset_again(writer_rig, tmp_path):
    archive = FileRows(tmp_path)
    away = Away(archive)
    writer_rig.store().keep([fact(n) for n in range(3)])

    first = writer_rig.run(writer_rig.writer(archives=[away]))

    assert first.outcome == "waiting:s3_SlowDown"
    assert len(writer_rig.ids()) == 3
    assert set(writer_rig.statuses(writer_rig.ids()).values()) == {"pending"}

    away.is_back = True
    assert writer_rig.run(writer_rig.writer(archives=[away])).posted == 3
    assert set(writer_rig.ids().values()) == {1}
    assert len(list(archive.read(FACT_EVENT))) == 3
    assert set(writer_rig.statuses(writer_rig.ids()).values()) == {"posted"}


def test_a_switch_between_the_sinks_posts_nothing_twice(writer_rig, tmp_path):
    """The archive's action is skipped for the switch; it is not final, as the dataset has the rows."""
    archive = FileRows(tmp_path)
    writer_rig.store().keep([fact(1)])
    posted = writer_rig.powerbi.calls_of

    class Thrown(Away):
        @property
        def target(self):
            if posted("post_rows"):
                writer_rig.switches.switches = Switches(kill_switch=True)
            return super().target

    thrown = Thrown(archive)
    thrown.is_back = True
    writer_rig.run(writer_rig.writer(archives=[thrown]))
    writer_rig.switches.switches = Switches()
    for _ in range(2):
        writer_rig.run(writer_rig.writer(archives=[archive]))

    assert writer_rig.ids() == {"ALOWARE:1": 1}
    assert [row["EventID"] for row in archive.read(FACT_EVENT)] == ["ALOWARE:1"]


def test_a_row_that_the_dataset_refuses_is_not_in_the_archive(writer_rig, tmp_path):
    archive = FileRows(tmp_path)
    writer_rig.store().keep([fact(1), fact(2, notes="x" * 4001), fact(3)])

    writer_rig.run(writer_rig.writer(archives=[archive]))

    assert sorted(row["EventID"] for row in archive.read(FACT_EVENT)) == ["ALOWARE:1", "ALOWARE:3"]
    assert writer_rig.ids() == {"ALOWARE:1": 1, "ALOWARE:3": 1}
