"""The facts' smaller rooms: the door's patience, roster, rebuild, operator, chart."""

import json

import pytest

from chalicelib import settings
from chalicelib.errors import SettingsError, SignatureError, TransientError, UnavailableError
from chalicelib.facts import hubspot_webhook
from chalicelib.facts.dataset import DIM_AGENT, DIM_DATE, DIM_METRIC, FACT_EVENT, definition
from chalicelib.facts.model import Agent, Dimension
from chalicelib.facts.roster import AskedRoster, NoGate
from chalicelib.once.event import LANDING_SECONDS, LEASE_GRACE_SECONDS
from chalicelib.once.intake import Intake
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ports import Switches
from chalicelib.wiring import Services
from local import chart
from local.vendors import hubspot
from ops.facts import commands as ops_facts
from ops.facts import rebuild as fact_rebuild
from tests.rigs.fact_writer import WriterRig, fact
from tests.rigs.fakes import ManualClock, RecordingLog

LEASE = 230 + LEASE_GRACE_SECONDS
LANDED = LEASE + LANDING_SECONDS + 5

# --- the door -------------------------------------------------------------------------------------


class FailingQueue:
    """Takes messages only after so many failures."""

    def __init__(self, failures):
        self.failures = failures
        self.messages = []

    def put(self, body, *, group_id, deduplication_id):
        if self.failures:
            self.failures -= 1
            raise UnavailableError("enqueue_failed")
        self.messages.append(body)


def receive(queue, *, patience=0.0, verify=lambda _headers: None):
    clock = ManualClock()
    intake = Intake(
        outbox=queue,
        opaque=lambda: OpaqueIds(b"k" * 32),
        clock=clock,
        log=RecordingLog(),
        new_id=lambda: "d-1",
    )
    body = json.dumps([hubspot.event()]).encode()
    answer = intake.receive(
        "hubspot", {}, body, verify, hubspot_webhook.parse, patience_seconds=patience
    )
    return answer, clock


def test_a_queue_that_comes_back_within_the_request_loses_nothing():
    queue = FailingQueue(3)
    answer, clock = receive(queue, patience=8.0)

    assert answer.status == 200
    assert len(queue.messages) == 1
    assert clock.slept == [0.25, 0.5, 1.0]


def test_our_own_trouble_is_503_and_the_patience_is_bounded():
    answer, clock = receive(FailingQueue(1000), patience=8.0)

    assert answer.status == 503
    assert sum(clock.slept) < 8.0


def test_a_secret_that_cannot_be_read_is_our_own_trouble():
    def verify(_headers):
        raise UnavailableError("secret_unreadable")

    assert receive(FailingQueue(0), verify=verify)[0].status == 500


def test_a_stranger_is_told_so():
    def verify(_headers):
        raise SignatureError("invalid_signature", "no")

    assert receive(FailingQueue(0), verify=verify)[0].status == 401


# --- the roster -----------------------------------------------------------------------------------


class Asked:
    def __init__(self, *answers):
        self.answers = list(answers)

    def __call__(self):
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_the_roster_is_asked_once_in_five_minutes_and_the_last_one_stands_in():
    clock, log = ManualClock(), RecordingLog()
    down = TransientError("aloware", "ring_group", reason="timeout")
    ask = Asked(down, [Agent("101")], down, [Agent("102")])
    roster = AskedRoster(ask, clock, log)

    assert roster.agents() is None  # nothing was ever known: no gate
    clock.forward(300)
    assert set(roster.agents()) == {"101"}
    assert set(roster.agents()) == {"101"}
    clock.forward(300)
    assert set(roster.agents()) == {"101"}
    clock.forward(300)
    assert set(roster.agents()) == {"102"}
    assert log.names().count("facts.roster_unreadable") == 2


def test_a_configured_list_gates_names_and_joins_aliases(rig, monkeypatch):
    listed = [{"id": "101", "name": "Ada", "email": "ada@example.com", "aliases": ["hubspot:5001"]}]
    monkeypatch.setenv("FACTS_ROSTER", json.dumps(listed))
    monkeypatch.setattr("chalicelib.wiring._services", [])
    rig.aloware.call(owner_id=101)
    stranger = rig.aloware.call(owner_id=999)
    rig.hubspot.send([hubspot.event(sourceId="userId:5001")])
    rig.work()
    rig.post()

    assert [row["AgentID"] for row in rig.rows()] == ["101", "101"]
    assert rig.facts()[f"ALOWARE:{stranger}"]["reason"] == "not_on_roster"
    (agent,) = rig.rows(DIM_AGENT)
    assert (agent["AgentName"], agent["Email"]) == ("Ada", "ada@example.com")


@pytest.mark.parametrize("name", ["FACTS_ROSTER", "HUBSPOT_FACT_RULES"])
def test_a_setting_that_is_no_list_is_named_and_not_shown(app_environment, name):
    listed = {"FACTS_ROSTER": '[{"id": "101"}]'}
    parts = Services(settings.load({**app_environment, **listed, name: '{"secret": 1}'}))
    with pytest.raises(SettingsError, match=name) as wrong:
        parts._listed() and parts._rules()
    assert "secret" not in str(wrong.value)


def test_without_a_sink_the_facts_wait(rig, monkeypatch):
    rig.aloware.call()
    rig.work()
    for name in ("POWERBI_DATASET_ID", "FACTS_FOLDER"):
        monkeypatch.delenv(name)
    monkeypatch.setattr("chalicelib.wiring._services", [])

    assert rig.post() == {"outcome": "held:no_sink", "prolonged": 0}


# --- rebuilding -----------------------------------------------------------------------------------


@pytest.fixture
def writer_rig(stage, powerbi, dataset):
    return WriterRig(
        stage.aws.client("dynamodb"), stage.tables["QuillLedgerTable"], powerbi, dataset
    )


def rebuild(rig, facts=None, *, sink=None):
    made = fact_rebuild.Rebuild(
        ledger=rig.ledger(),
        registry=rig.store(),
        sink=sink or rig.sink(),
        roster=NoGate(),
        switches=rig.switches,
        clock=rig.clock,
        log=rig.log,
    )
    return made.run(facts or rig.store().all_posted, time_left_seconds=lambda: 230.0)


def test_a_replay_fills_a_new_dataset_with_what_was_kept(writer_rig):
    rig = writer_rig
    rig.store().keep([fact(n) for n in range(20)])
    rig.run()
    rig.dataset = rig.powerbi.create_dataset(definition())

    done = rebuild(rig)
    again = rebuild(rig)

    assert (done.outcome, done.facts) == (again.outcome, again.facts) == ("rebuilt", 20)
    assert rig.ids() == {f"ALOWARE:{n}": 1 for n in range(20)}
    assert len(rig.rows(DIM_METRIC)) == 4
    assert len(rig.rows(DIM_DATE)) == 11 * 365 + 2
    rig.store().keep([fact(99)])
    assert rig.run().posted == 1
    assert len(rig.rows(DIM_AGENT)) == 1


def test_a_rebuild_that_breaks_off_holds_the_writer_until_it_is_done(writer_rig):
    rig = writer_rig
    rig.store().keep([fact(n) for n in range(5)])
    rig.run()
    rig.powerbi.fault("drop", operation="post_rows", skip=2)
    broken = rebuild(rig)
    rig.store().keep([fact(99)])

    assert broken.outcome.startswith("failed:powerbi")
    assert rig.writer().seed({}, time_left_seconds=lambda: 230.0) == "waiting:asked_to"
    assert rig.run().outcome == "waiting:asked_to"
    rig.clock.forward(LANDED)
    assert rebuild(rig).outcome == "rebuilt"
    assert rig.run().posted == 1
    assert set(rig.ids().values()) == {1}
    assert len(rig.ids()) == 6


@pytest.mark.parametrize("lost", ["clear_rows", "post_rows"])
def test_a_rebuild_waits_until_nothing_of_a_broken_one_can_land(writer_rig, lost):
    """Late, its clearing would empty what the next has filled, and its filling fill it twice."""
    rig = writer_rig
    rig.store().keep([fact(n) for n in range(5)])
    rig.run()
    rig.powerbi.fault("act_then_drop", operation=lost, skip=3)
    assert rebuild(rig).outcome.startswith("failed:powerbi")
    sent = rig.powerbi.count()

    assert rebuild(rig).outcome == "waiting:may_still_land"
    rig.clock.forward(LEASE + LANDING_SECONDS - 5)
    assert rebuild(rig).outcome == "waiting:may_still_land"
    assert rig.powerbi.count() == sent

    rig.clock.forward(10)
    assert rebuild(rig).outcome == "rebuilt"
    assert rig.ids() == {f"ALOWARE:{n}": 1 for n in range(5)}


def test_a_rebuild_that_was_refused_is_run_again_at_once(writer_rig):
    rig = writer_rig
    rig.store().keep([fact(1)])
    rig.run()
    rig.powerbi.fault("status", operation="post_rows", status=429)

    assert rebuild(rig).outcome == "failed:powerbi_http_429"
    assert rebuild(rig).outcome == "rebuilt"


def test_a_rebuild_waits_for_a_dimension_of_which_only_its_worker_knew(writer_rig):
    """The writer noted it and died: whether its request left, nobody can say."""
    rig = writer_rig
    name = f"{DIM_AGENT}:{rig.sink().target}"
    noted = Dimension(frozenset(), ("101",), int(rig.clock.now().timestamp() * 1000))
    rig.store().note(name, noted, rig.store().known(name))

    assert rebuild(rig).outcome == "waiting:may_still_land"
    assert rig.powerbi.calls == ()
    rig.clock.forward(LEASE + LANDING_SECONDS + 5)
    assert rebuild(rig).outcome == "rebuilt"


def test_a_rebuild_that_stood_still_beyond_its_lease_sends_nothing(writer_rig):
    rig = writer_rig
    rig.store().keep([fact(1)])

    def facts():
        rig.clock.forward(LEASE)
        return rig.store().all_posted()

    assert rebuild(rig, facts).outcome == "held:lease_over"
    assert rig.powerbi.calls == ()


def test_a_rebuild_numbers_its_requests_upwards_also_where_it_is_run_again_at_once(writer_rig):
    rig = writer_rig
    rig.store().keep([fact(n) for n in range(3)])
    rig.run()
    numbers = []

    class Sink:
        target = rig.sink().target

        def replace(self, table, number, rows, *, deadline_seconds):
            del deadline_seconds
            numbers.extend(range(number, number + len(rows)) or [number])
            if table == FACT_EVENT and len(numbers) < 6_000:
                raise TransientError("powerbi", "clear_rows", status=429)

        def append(self, table, number, rows, *, deadline_seconds):
            del table, rows, deadline_seconds
            numbers.append(number)

    assert rebuild(rig, sink=Sink()).outcome == "failed:powerbi_http_429"
    assert rebuild(rig, sink=Sink()).outcome == "rebuilt"
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
    rig = writer_rig
    rig.store().keep([fact(1)])
    rig.run()
    sent = rig.powerbi.count()

    def facts():
        rig.switches.switches = thrown
        return rig.store().all_posted()

    assert rebuild(rig, facts).outcome == outcome
    assert rig.powerbi.count() == sent
    rig.switches.switches = Switches()
    assert rig.writer().seed({}, time_left_seconds=lambda: 230.0) == "waiting:asked_to"
    assert rebuild(rig).outcome == "rebuilt"
    assert rig.ids() == {"ALOWARE:1": 1}


def test_a_rebuild_does_not_run_beside_the_writer(writer_rig):
    rig = writer_rig
    rig.store().keep([fact(1)])
    rig.powerbi.fault("drop", operation="post_rows", skip=3)  # the POST of facts
    rig.run()

    assert rebuild(rig).outcome == "open_batch"


# --- the operator and the chart -------------------------------------------------------------------


def test_the_operators_commands(rig, app_environment, capsys, tmp_path):
    parts = Services(settings.load(app_environment))
    number = rig.aloware.call()
    rig.work()
    say = lambda *words: ops_facts.main(list(words), parts)  # noqa: E731

    assert say("pending") == 0
    assert f"1 facts wait; the oldest is ALOWARE:{number}" in capsys.readouterr().out
    rig.post()
    assert say("create") == 0
    assert "Quill_Agent_Realtime is there" in capsys.readouterr().out
    assert say("create", "--again") == 0
    made = capsys.readouterr().out.strip().splitlines()[-1].removeprefix("POWERBI_DATASET_ID=")
    assert say("rebuild", "--dataset", made) == 0
    assert [row["EventID"] for row in rig.powerbi.rows(made, "FactEvent")] == [f"ALOWARE:{number}"]
    archive = app_environment["FACTS_FOLDER"]
    assert say("rebuild", "--dataset", made, "--archive", archive) == 0
    assert len(rig.powerbi.rows(made, "FactEvent")) == 1
    assert say("seed") == 0
    assert len(rig.rows(DIM_METRIC)) == 4
    capsys.readouterr()
    assert say("explain", f"ALOWARE:{number}") == 0
    assert "posted" in capsys.readouterr().out
    assert say("explain", "ALOWARE:none") == 1


def test_the_chart_shows_facts_per_agent_and_day(rig, capsys, tmp_path):
    rig.aloware.call(owner_id=101)
    rig.hubspot.send([hubspot.event() for _ in range(3)])
    rig.work()
    rig.post()
    picture = tmp_path / "facts.svg"
    assert chart.main(["--folder", str(rig.files.folder), "--out", str(picture)]) == 0

    shown = capsys.readouterr().out
    assert "2026-11-20  101           c 1" in shown
    assert "2025-11-20  hubspot:5001  sss 3" in shown
    assert picture.read_text().count("<title>CASES 3</title>") == 1


def test_a_chart_of_nothing_says_so(tmp_path, capsys):
    assert chart.main(["--folder", str(tmp_path), "--out", str(tmp_path / "x.svg")]) == 0
    assert "no facts yet" in capsys.readouterr().out
