"""A ledger brought back from a backup: what was done after it is not done again."""

import copy
from collections import Counter

import pytest

from chalicelib.clock import iso
from chalicelib.once.job import Recovery
from chalicelib.once.journal import Act, Journal
from chalicelib.once.ports import Switches
from ops.repair import restore
from ops.session import OpsError
from tests.rigs.ops_session import session
from tests.rigs.worker import WorkerRig, job

SHADOW = Switches(shadow_mode=True)


class Ssm:
    """The switches' parameters."""

    class exceptions:  # noqa: N801 - boto3's name
        ParameterNotFound = KeyError

    def __init__(self):
        self.values = {"shadow_mode": "false"}

    def get_parameters(self, Names):  # noqa: N803 - boto3's name
        found = {name: self.values.get(name.rpartition("/")[2], "false") for name in Names}
        return {"Parameters": [{"Name": name, "Value": value} for name, value in found.items()]}

    def put_parameter(self, *, Name, Value, **_more):  # noqa: N803 - boto3's name
        self.values[Name.rpartition("/")[2]] = Value


class Drill:
    """Two conversations before the backup, two after it, and a ledger that has forgotten these."""

    def __init__(self):
        self.rig = WorkerRig()
        self.before = [self.event("1041", "c-1"), self.event("1042", "c-2")]
        self.after = [self.event("1042", "c-3"), self.event("1043", "c-4")]
        for event in self.before:
            assert self.rig.process(event) == "done"
        self.backup, self.at = copy.deepcopy(self.rig.table.rows), iso(self.rig.clock.now())
        self.rig.clock.forward(60)
        for event in self.after:
            assert self.rig.process(event) == "done"
        self.lose()
        self.session = session(ssm=Ssm())
        self.services = self.session.services
        self.services.__dict__["clock"] = self.rig.clock
        names = self.services.settings
        self.services._tables |= {
            names.idempotency_table: self.rig.table,
            names.audit_table: self.rig.audit_table,
        }

    def event(self, ticket, comment):
        return job(
            event_key=f"evt:rp:{ticket}:{comment}", conversation_id=ticket, message_id=comment
        )

    def lose(self):
        """The table is the backup's."""
        for key in set(self.rig.table.rows) - set(self.backup):
            self.rig.table.delete({"event_id": key[0]})
        for row in self.backup.values():
            self.rig.table.put(row)

    def everything_comes_again(self):
        """The sweep and the senders bring every event once more; messages have new ids."""
        for number, event in enumerate((*self.before, *self.after)):
            self.rig.process(event, message_id=f"sqs-again-{number}-{len(self.rig.sent)}")

    def sent(self):
        return Counter(self.rig.sent)


@pytest.fixture
def drill():
    return Drill()


def test_without_it_what_was_done_after_the_backup_is_done_again(drill):
    """The danger is real: the same drill without the command doubles effects."""
    drill.everything_comes_again()
    assert max(drill.sent().values()) == 2


def test_what_was_done_after_the_backup_is_remembered_and_nothing_is_doubled(drill):
    """Shadow, remember, everything comes again, release; and one event that no worker had begun."""
    once = drill.sent()
    late = drill.event("1044", "c-5")
    restore.enter_shadow(drill.session)
    drill.rig.switches.switches = SHADOW
    assert restore.remember(drill.session, drill.at).written == 4, "two actions of two events"
    drill.everything_comes_again()
    drill.rig.process(late)
    assert drill.sent() == once, "nothing acts in shadow"

    drill.rig.switches.switches = Switches()
    drill.everything_comes_again()
    assert drill.sent() == once
    for event in (*drill.after, late):
        drill.rig.process(event.model_copy(update={"recovery": Recovery.OPERATOR}))
    assert set(drill.sent().values()) == {1}
    assert {key for key in drill.rig.sent if key.endswith("c-5")}, "what was never done is done"


def test_it_refuses_to_remember_while_the_stage_acts(drill):
    with pytest.raises(OpsError, match="shadow_mode true"):
        restore.remember(drill.session, drill.at)


def test_what_was_not_done_is_not_remembered(drill):
    """An effect that a switch withheld is still due, and the journal's acts are no effects."""
    drill.session.client("ssm").values["shadow_mode"] = "true"
    table = drill.session.audit_table
    table.put_all(
        [
            {
                "conversation_id": "1050",
                "ts_action_id": f"{iso(drill.rig.clock.now())}#act:x{n}",
                "action_type": "route",
                "idempotency_key": f"act:x{n}",
                "result": result,
                **more,
            }
            for n, (result, more) in enumerate(
                [("skipped:shadow_mode", {}), ("fail:http_400", {}), ("success", {"actor": "jo"})]
            )
        ]
    )
    restore.remember(drill.session, drill.at)
    assert [key for (key,) in drill.rig.table.rows if key.startswith("act:x")] == []


def test_the_mark_of_a_form_that_was_sent_is_no_effect(drill):
    """A story that was shared on the console leaves such a mark."""
    drill.session.client("ssm").values["shadow_mode"] = "true"
    act = Act("share", "evt:rp:1042:c-2", actor="jo", once="form-1")
    Journal(table=drill.session.audit_table, clock=drill.rig.clock, new_id=lambda: "id-1").enter(
        act
    )
    assert restore.remember(drill.session, drill.at).written == 4


def test_a_dry_run_writes_nothing(drill):
    drill.session.client("ssm").values["shadow_mode"] = "true"
    before = copy.deepcopy(drill.rig.table.rows)
    assert restore.remember(drill.session, drill.at, dry_run=True).written == 4
    assert drill.rig.table.rows == before


def test_an_erased_row_stays_a_tombstone(drill):
    drill.session.client("ssm").values["shadow_mode"] = "true"
    key = next(iter(key for key in drill.rig.sent if "c-4" in key))
    drill.rig.table.put(
        {"event_id": key, "status": "abandoned", "erased_at": "2026-11-20T12:00:00.000Z"}
    )
    restore.remember(drill.session, drill.at)
    assert drill.rig.table.get({"event_id": key})["status"] == "abandoned"


def test_a_stage_is_released_only_when_the_sweep_found_nothing_more(drill):
    drill.session.client("ssm").values["shadow_mode"] = "true"
    assert any("sweep" in reason for reason in restore.reasons_not_ready(drill.session))
    sweeps = drill.services.sweeps
    summary = {"listing": "complete", "problems": [], "requeued": 1}
    sweeps.end(sweeps.take(lease_seconds=10), summary)
    assert any("still queued" in reason for reason in restore.reasons_not_ready(drill.session))
    drill.rig.clock.forward(60)
    sweeps.end(sweeps.take(lease_seconds=10), summary | {"requeued": 0})
    assert restore.reasons_not_ready(drill.session) == []
