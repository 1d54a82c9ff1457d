"""The writer: one at a time, every fact once, whatever crashes, hangs, refuses or is away."""

import pytest

from chalicelib.facts.dataset import DIM_AGENT, DIM_DATE, DIM_METRIC, definition
from chalicelib.facts.model import Dimension
from chalicelib.facts.posting import batch as fact_batch
from chalicelib.facts.posting.dimensions import STARTED_SECONDS
from chalicelib.once import keys
from chalicelib.once.event import LANDING_SECONDS, LEASE_GRACE_SECONDS
from chalicelib.once.ports import Switches
from tests.rigs.fact_writer import Crash, CrashingClient, WriterRig, fact

LEASE_OVER = 600
LANDED = 1400
LEASE = 230 + LEASE_GRACE_SECONDS


@pytest.fixture
def rig(stage, powerbi, dataset):
    return WriterRig(
        stage.aws.client("dynamodb"), stage.tables["QuillLedgerTable"], powerbi, dataset
    )


def test_nothing_pending_costs_no_write_and_no_request(rig):
    client = CrashingClient(rig.client)

    assert rig.run(rig.writer(client)).outcome == "idle"
    assert set(client.calls) == {"query", "get_item"}
    assert rig.powerbi.calls == ()


def test_pending_facts_go_in_one_post_and_are_final(rig):
    rig.store().keep([fact(n) for n in range(30)])

    summary = rig.run()

    assert (summary.outcome, summary.posts, summary.posted) == ("posted", 1, 30)
    assert set(rig.statuses(rig.ids()).values()) == {"posted"}
    assert rig.run().outcome == "idle"
    assert rig.powerbi.count()["post_rows"] == 4  # three dimensions, one batch of facts


def test_more_facts_than_a_post_takes_go_in_several(rig):
    rig.store().keep([fact(n) for n in range(30)])

    summary = rig.run(rig.writer(rows_per_post=12))

    assert (summary.posts, summary.posted) == (3, 30)
    assert set(rig.ids().values()) == {1}


@pytest.mark.parametrize(
    ("is_numbered", "moments"), [(True, (False, True)), (False, (True,))], ids=["numbered", "plain"]
)
def test_a_crash_at_any_call_loses_no_fact_and_counts_none_twice(rig, is_numbered, moments):
    """The process dies before, or after, each single call to the database; then the next run comes.

    With sequence numbers every row is there once; without them a row may be there twice, and the
    measures count it once.  A dimension has each key once, always.
    """
    crashes = 0
    for at in range(1, 200):
        finished = 0
        for is_after in moments:
            rig.dataset = rig.powerbi.create_dataset(definition())
            keys = {f"ALOWARE:{at}-{is_after}-{n}" for n in range(3)}
            rig.store().keep([fact(key.removeprefix("ALOWARE:")) for key in sorted(keys)])
            client = CrashingClient(rig.client, at=at, is_after=is_after)
            try:
                rig.run(rig.writer(client, is_numbered=is_numbered))
                finished += 1
            except Crash:
                crashes += 1
            for wait in (LEASE_OVER, LANDED, 0):
                rig.clock.forward(wait)
                rig.run(rig.writer(is_numbered=is_numbered))

            assert set(rig.ids()) == keys
            assert set(rig.statuses(keys).values()) == {"posted"}
            if is_numbered:
                assert set(rig.ids().values()) == {1}
            assert [row["AgentID"] for row in rig.rows(DIM_AGENT)] == ["101"]
            assert [row["MetricID"] for row in rig.rows(DIM_METRIC)] == ["CALLS"]
            days = [row["Date"] for row in rig.rows(DIM_DATE)]
            assert len(set(days)) == len(days) == 365
        if finished == len(moments):
            break
    assert crashes > 20 * len(moments)


def test_a_crash_while_keeping_keeps_the_rest_when_the_job_comes_again(rig):
    crashes = 0
    for at in range(1, 30):
        facts = [fact(f"{at}-{n}") for n in range(60)]
        client = CrashingClient(rig.client, at=at, is_after=True)
        try:
            rig.store(client).keep(facts)
        except Crash:
            crashes += 1
        again = rig.store().keep(facts)

        assert again.new + again.duplicate == 60
        assert len(rig.statuses([one.key for one in facts])) == 60
        if crashes < at:
            break
    assert crashes == 4  # one read, three inserts
    rig.run()
    assert set(rig.ids().values()) == {1}


def test_two_writers_at_once_post_once(rig):
    rig.store().keep([fact(n) for n in range(5)])
    second = []

    class Interrupted(CrashingClient):
        def __getattr__(self, operation):
            call = super().__getattr__(operation)

            def then(**arguments):
                answer = call(**arguments)
                if operation == "batch_execute_statement" and not second:
                    second.append(rig.run())
                return answer

            return then

    first = rig.run(rig.writer(Interrupted(rig.client)))

    assert second[0].outcome == "busy"
    assert first.outcome == "posted"
    assert set(rig.ids().values()) == {1}


@pytest.mark.parametrize("kind", ["drop", "act_then_drop", "act_then_hang", "act_then_status"])
def test_an_unknown_outcome_is_settled_without_doubling(rig, kind):
    rig.run(seeded(rig))
    rig.powerbi.fault(kind, operation="post_rows", status=500)
    rig.store().keep([fact(n) for n in range(3)])

    first = rig.run(rig.writer(is_numbered=True))
    rig.clock.forward(60)
    second = rig.run(rig.writer(is_numbered=True))

    assert first.outcome.startswith("waiting:powerbi")
    assert second.outcome == "posted"
    assert rig.ids() == {f"ALOWARE:{n}": 1 for n in (99, 0, 1, 2)}


def test_a_repetition_that_is_refused_once_doubles_no_row(rig):
    """Nothing is known of the first request: other numbers would bring its rows again."""
    rig.run(seeded(rig))
    rig.store().keep([fact(n) for n in range(3)])
    rig.powerbi.fault("act_then_drop", operation="post_rows")
    rig.run(rig.writer(is_numbered=True))
    rig.powerbi.fault("status", operation="post_rows", status=400)

    outcomes = [rig.run(rig.writer(is_numbered=True)).outcome for _ in range(2)]

    assert outcomes == ["held:repetition_refused", "posted"]
    assert rig.ids() == {f"ALOWARE:{n}": 1 for n in (99, 0, 1, 2)}


def test_a_repetition_that_is_refused_twice_is_divided(rig):
    rig.run(seeded(rig))
    rig.store().keep([fact(1), fact(2, notes="x" * 4001), fact(3)])
    rig.powerbi.fault("drop", operation="post_rows")

    outcomes = [rig.run(rig.writer(is_numbered=True)).outcome for _ in range(3)]

    assert outcomes == ["waiting:powerbi_connection_broken", "held:repetition_refused", "posted"]
    assert rig.statuses(["ALOWARE:2"]) == {"ALOWARE:2": "failed"}
    assert rig.ids() == {f"ALOWARE:{n}": 1 for n in (99, 1, 3)}


def test_without_sequence_numbers_the_measures_still_count_once(rig):
    rig.run(seeded(rig))
    rig.powerbi.fault("act_then_drop", operation="post_rows")
    rig.store().keep([fact(1)])
    rig.run()
    rig.clock.forward(60)
    rig.run()

    assert rig.ids()["ALOWARE:1"] == 2
    assert rig.powerbi.distinct(rig.dataset, "FactEvent", "EventID") == 2
    assert all("DISTINCTCOUNT(FactEvent[EventID])" in m["expression"] for m in measures())


def test_a_dimension_whose_outcome_is_unknown_is_cleared_and_filled_once_it_has_landed(rig):
    rig.powerbi.fault("act_then_drop", operation="post_rows")  # the first POST: agents
    rig.store().keep([fact(1)])
    first = rig.run()

    assert first.outcome == "posted"  # facts do not wait
    rig.store().keep([fact(2, agent_id="102")])
    rig.clock.forward(60)
    rig.run()
    assert [row["AgentID"] for row in rig.rows(DIM_AGENT)] == ["101"]
    rig.clock.forward(LANDING_SECONDS)  # of a request that was started at the very end of a lease
    rig.run()
    assert rig.powerbi.count()["clear_rows"] == 0
    rig.clock.forward(LANDED)
    rig.run()
    assert [row["AgentID"] for row in rig.rows(DIM_AGENT)] == ["101", "102"]
    assert rig.powerbi.count()["clear_rows"] == 1


def test_a_dimension_is_not_cleared_while_its_request_may_still_land(rig):
    """Its worker's whole lease, and the network's longest time to deliver it."""
    rig.powerbi.fault("act_then_drop", operation="post_rows")
    rig.store().keep([fact(1)])
    rig.run()

    rig.clock.forward(LEASE + LANDING_SECONDS - 5)
    rig.store().keep([fact(2, agent_id="102")])
    rig.run()
    assert rig.powerbi.count()["clear_rows"] == 0

    rig.clock.forward(10)
    rig.run()
    assert rig.powerbi.count()["clear_rows"] == 1
    assert [row["AgentID"] for row in rig.rows(DIM_AGENT)] == ["101", "102"]


def test_a_dimension_that_is_started_long_after_it_was_noted_lands_long_after_it(rig):
    """Its first worker died behind the note; the request that got no answer is a later one's."""
    name = f"{DIM_AGENT}:{rig.sink().target}"
    noted = Dimension(frozenset(), ("101",), int(rig.clock.now().timestamp() * 1000))
    rig.store().note(name, noted, rig.store().known(name))
    rig.clock.forward(3600)
    rig.powerbi.fault("act_then_drop", operation="post_rows")
    rig.store().keep([fact(1)])
    rig.run()
    rig.store().keep([fact(2)])
    rig.run()
    assert rig.powerbi.count()["clear_rows"] == 0

    rig.clock.forward(LANDED)
    rig.store().keep([fact(3)])
    rig.run()
    assert rig.powerbi.count()["clear_rows"] == 1
    assert [row["AgentID"] for row in rig.rows(DIM_AGENT)] == ["101"]


@pytest.mark.parametrize("lost", ["clear_rows", "post_rows"])
def test_a_dimension_is_not_cleared_again_while_clearing_or_filling_it_may_still_land(rig, lost):
    """Late, a clearing takes out what was filled in, and a filling fills it twice."""
    rig.powerbi.fault("act_then_drop", operation="post_rows")
    rig.store().keep([fact(1)])
    rig.run()
    rig.clock.forward(LANDED)
    rig.powerbi.fault("act_then_drop", operation=lost)
    rig.store().keep([fact(2)])
    rig.run()
    assert rig.powerbi.count()["clear_rows"] == 1

    rig.clock.forward(STARTED_SECONDS + LANDING_SECONDS - 5)
    rig.store().keep([fact(3)])
    assert rig.run().outcome == "posted", "facts do not wait"
    assert rig.powerbi.count()["clear_rows"] == 1

    rig.clock.forward(10)
    rig.store().keep([fact(4)])
    rig.run()
    assert rig.powerbi.count()["clear_rows"] == 2
    assert [row["AgentID"] for row in rig.rows(DIM_AGENT)] == ["101"]


def test_a_dimension_that_was_to_be_left_empty_is_not_filled_while_clearing_it_may_still_land(rig):
    """A rebuild of a table without keys broke off behind its note."""
    name, now = f"{DIM_AGENT}:{rig.sink().target}", int(rig.clock.now().timestamp())
    lands = Dimension(number=now * 1000, again_at=now + 1300)
    rig.store().note(name, lands, rig.store().known(name))
    rig.store().keep([fact(1)])
    rig.run()
    assert rig.rows(DIM_AGENT) == []

    rig.clock.forward(LANDED)
    rig.store().keep([fact(2)])
    rig.run()
    assert rig.powerbi.count()["clear_rows"] == 1
    assert [row["AgentID"] for row in rig.rows(DIM_AGENT)] == ["101"]


@pytest.mark.parametrize("refused", ["clear_rows", "post_rows"])
def test_a_dimension_that_surely_was_not_filled_is_filled_at_the_next_run(rig, refused):
    rig.powerbi.fault("act_then_drop", operation="post_rows")
    rig.store().keep([fact(1)])
    rig.run()
    rig.clock.forward(LANDED)
    rig.powerbi.fault("status", operation=refused, status=429)
    rig.store().keep([fact(2)])
    rig.run()
    rig.clock.forward(60)
    rig.run()
    assert [row["AgentID"] for row in rig.rows(DIM_AGENT)] == ["101"]
    assert rig.ids() == {"ALOWARE:1": 1, "ALOWARE:2": 1}


def test_a_dimension_refused_and_posted_again_within_a_millisecond_is_posted(rig):
    """Its action is named after its number, and an action that has ended is not performed again."""
    rig.powerbi.fault("status", status=400, operation="post_rows")
    rig.store().keep([fact(1)])
    rig.run()
    assert rig.rows(DIM_AGENT) == []

    rig.store().keep([fact(2)])
    rig.run()

    assert [row["AgentID"] for row in rig.rows(DIM_AGENT)] == ["101"]


def test_too_many_requests_are_waited_out(rig):
    rig.run(seeded(rig))
    headers = {"Retry-After": "300"}
    rig.powerbi.fault("status", operation="post_rows", status=429, headers=headers)
    rig.store().keep([fact(1)])
    before = len(rig.powerbi.calls_of("post_rows"))
    outcomes = []
    for _ in range(6):
        outcomes.append(rig.run().outcome)
        rig.clock.forward(60)

    assert outcomes[0] == "waiting:powerbi_http_429"
    assert set(outcomes[1:5]) == {"waiting:asked_to"}
    assert outcomes[5] == "posted"
    assert len(rig.powerbi.calls_of("post_rows")) == before + 2


def test_a_run_whose_time_is_nearly_over_starts_no_batch(rig):
    rig.store().keep([fact(1)])
    assert rig.run(seconds=60).posts == 0
    assert rig.statuses(["ALOWARE:1"]) == {"ALOWARE:1": "pending"}
    assert rig.run(seconds=61).posted == 1


def test_a_run_that_stood_still_past_its_lease_leaves_the_record_to_the_next(rig):
    rig.run(seeded(rig))
    rig.store().keep([fact(1)])
    writer = rig.writer()
    perform = writer.effects.perform

    def slow(*arguments):
        done = perform(*arguments)
        rig.clock.forward(LEASE_OVER)
        return done

    object.__setattr__(writer.effects, "perform", slow)
    assert rig.run(writer).outcome == "held:lease_over"
    assert rig.statuses(["ALOWARE:1"]) == {"ALOWARE:1": "pending"}
    assert rig.run().outcome == "posted"
    assert rig.ids()["ALOWARE:1"] == 1, "what is known to be taken is not sent again"


@pytest.mark.parametrize(("room", "step"), [("effects", "perform"), ("store", "settle")])
def test_a_run_that_finds_another_in_its_place_changes_nothing_and_says_so(rig, room, step):
    rig.store().keep([fact(1)])
    writer = rig.writer()
    then = getattr(getattr(writer, room), step)

    def slow(*arguments, **named):
        done = then(*arguments, **named)
        rig.clock.forward(LEASE_OVER)
        rig.store().keep([fact(2)])
        assert rig.run().outcome == "posted"
        return done

    setattr(getattr(writer, room), step, slow)
    assert rig.run(writer).outcome == "held:lease_lost"
    assert rig.run().outcome == "idle"
    assert rig.ids() == {"ALOWARE:1": 1, "ALOWARE:2": 1}


def test_seeding_leaves_a_batch_whose_outcome_is_not_known_to_the_next_run(rig):
    rig.run(seeded(rig))
    rig.powerbi.fault("act_then_drop", operation="post_rows")
    rig.store().keep([fact(1)])
    assert rig.run(rig.writer(is_numbered=True)).outcome.startswith("waiting:powerbi")
    rig.clock.forward(60)

    keys = {DIM_METRIC: frozenset({"TEXTS"})}
    assert rig.writer().seed(keys, time_left_seconds=lambda: 230.0) == "seeded"

    assert {row["MetricID"] for row in rig.rows(DIM_METRIC)} == {"CALLS", "TEXTS"}
    assert rig.run(rig.writer(is_numbered=True)).posted == 1
    assert rig.ids()["ALOWARE:1"] == 1


def test_a_dimension_that_is_refused_is_told_and_holds_no_fact_up(rig):
    rig.powerbi.fault("status", operation="post_rows", status=400)  # the first POST: agents
    rig.store().keep([fact(1)])
    assert rig.run().outcome == "posted"
    assert ("mw.facts.dimension_refused", 1, {"table": DIM_AGENT}) in rig.log.metrics
    rig.store().keep([fact(2)])
    rig.run()
    assert [row["AgentID"] for row in rig.rows(DIM_AGENT)] == ["101"]


def test_one_row_that_is_refused_fails_alone(rig):
    facts = [fact(n) for n in range(20)]
    facts[7] = fact(7, notes="x" * 4001)
    rig.store().keep(facts)

    summary = rig.run()

    assert (summary.posted, summary.failed) == (19, 1)
    assert rig.statuses(["ALOWARE:7"]) == {"ALOWARE:7": "failed"}
    assert set(rig.ids().values()) == {1}
    assert rig.run().outcome == "idle"


def test_a_table_that_refuses_everything_fails_no_fact(rig):
    rig.run(seeded(rig))
    facts = [fact(n, notes="x" * 4001) for n in range(20)]
    rig.store().keep(facts)
    before = len(rig.powerbi.calls_of("post_rows"))

    summary = rig.run()

    assert summary.outcome == "held:every_row_refused"
    assert set(rig.statuses([one.key for one in facts]).values()) == {"pending"}
    assert len(rig.powerbi.calls_of("post_rows")) - before < 12
    assert ("mw.facts.table_refuses", 1, {}) in rig.log.metrics


def test_a_batch_names_no_more_facts_than_its_row_can_hold(rig, monkeypatch):
    monkeypatch.setattr(fact_batch, "_PLAN_CHARACTERS", 200)
    rig.run(seeded(rig))
    rig.store().keep([fact(f"{n}-{keys.digest(str(n))[:32]}") for n in range(16)])
    summary = rig.run()
    assert summary.posted == 16
    assert summary.posts > 1
    assert set(rig.ids().values()) == {1}


@pytest.mark.parametrize("how", ["dataset_gone", "not_in_workspace", "wrong_secret"])
def test_a_wrong_deployment_makes_facts_wait(rig, how):
    rig.store().keep([fact(1)])
    if how == "dataset_gone":
        rig.dataset = "gone"
    elif how == "not_in_workspace":
        rig.powerbi.set_modes(allowed=False)
    else:
        rig.powerbi.secrets[:] = ["another"]
    try:
        assert rig.run().outcome.startswith("waiting:powerbi")
    finally:
        rig.powerbi.secrets[:] = ["simulated-powerbi-secret"]
    assert rig.statuses(["ALOWARE:1"]) == {"ALOWARE:1": "pending"}


def test_an_old_token_is_renewed_once(rig):
    rig.store().keep([fact(1)])
    writer = rig.writer()
    rig.run(writer)
    rig.powerbi.end_tokens()
    rig.store().keep([fact(2)])
    rig.run(writer)

    assert set(rig.ids()) == {"ALOWARE:1", "ALOWARE:2"}
    assert rig.powerbi.count()["token"] == 2


def test_a_token_is_kept_until_it_nears_its_end(rig):
    writer = rig.writer()
    for number in range(3):
        rig.store().keep([fact(number)])
        rig.run(writer)
    assert rig.powerbi.count()["token"] == 1
    rig.clock.forward(3599 - 299)
    rig.store().keep([fact(9)])
    rig.run(writer)
    assert rig.powerbi.count()["token"] == 2


@pytest.mark.parametrize("switches", [Switches(kill_switch=True), Switches(shadow_mode=True), None])
def test_a_switch_holds_and_an_outage_of_weeks_is_a_delay(rig, switches):
    rig.store().keep([fact(1)])
    rig.switches.switches = switches
    for _ in range(30):
        rig.clock.forward(86_400)
        assert rig.run().outcome.startswith("held:")
    rig.switches.switches = Switches()

    expiry = rig.client.get_item(
        TableName=rig.table_name, Key={"pk": {"S": "ALOWARE:1"}}, ConsistentRead=True
    )["Item"]["expiresAt"]["N"]
    assert int(expiry) > rig.clock.now().timestamp()
    assert rig.run().posted == 1


def test_a_switch_that_stops_between_claim_and_post_loses_nothing(rig):
    rig.run(seeded(rig))
    rig.store().keep([fact(1)])

    class Stopping(CrashingClient):
        def __getattr__(self, operation):
            if operation == "update_item":  # the open batch is stored
                rig.switches.switches = Switches(kill_switch=True)
            return super().__getattr__(operation)

    writer = rig.writer(Stopping(rig.client))
    assert rig.run(writer).outcome == "held:kill_switch"
    rig.switches.switches = Switches()
    rig.clock.forward(60)
    assert rig.run().posted == 1
    assert rig.ids()["ALOWARE:1"] == 1


def seeded(rig):
    """Dimensions in place and one fact posted, so that the next POST is one of facts."""
    rig.store().keep([fact(99)])
    return rig.writer()


def measures():
    return definition()["tables"][0]["measures"]
