"""Removing a fact that should not have been sent: from OneLake and the archive, once and for good."""

import os

import pytest

from chalicelib import settings
from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.facts.posting.ndjson import FileRows
from chalicelib.wiring import Services
from ops.facts import commands as ops_facts
from ops.facts.fact_removal import FactRemoval
from ops.running import run as run_app
from tests.rigs.fact_writer import fact


class Sinks:
    """OneLake and an archive in a folder, with three facts."""

    def __init__(self, rig, folder):
        self.rig, self.archive = rig, FileRows(folder)
        self.keep(*map(fact, range(3)))

    def keep(self, *facts):
        self.rig.store().keep(list(facts))
        return self.rig.run(self.writer)

    @property
    def writer(self):
        return self.rig.writer(archives=[self.archive], onelake=True)

    def remove(self, *keys):
        return FactRemoval(
            store=self.rig.store(),
            archives=[self.archive],
            onelake=self.rig.onelake_sink(),
            writer=self.writer,
            clock=self.rig.clock,
            owner="jo",
        ).run(keys, time_left_seconds=lambda: 230.0)

    def there(self):
        mirrored = {row["EventID"] for row in self.rig.onelake.rows(FACT_EVENT)}
        return mirrored, {row["EventID"] for row in self.archive.read(FACT_EVENT)}


@pytest.fixture
def sinks(onelake_rig, tmp_path):
    return Sinks(onelake_rig, tmp_path)


LEFT = {"ALOWARE:0", "ALOWARE:2"}


def test_a_removed_fact_is_in_no_sink_and_the_row_says_who_removed_it(sinks):
    assert sinks.remove("ALOWARE:1") == "removed"
    assert sinks.there() == (LEFT, LEFT)
    assert sinks.rig.onelake.stopped() == {}
    row = sinks.rig.store().row("ALOWARE:1")
    assert (row["status"], row["removed"]["by"]) == ("removed", "jo")
    assert sinks.remove("ALOWARE:1") == "removed", "it may be repeated"
    assert sinks.there() == (LEFT, LEFT)


def test_a_removed_fact_is_in_no_object_of_the_archive_after_a_merge_and_a_correction(sinks):
    sinks.archive.append(
        FACT_EVENT, 9, [{"EventID": "ALOWARE:1", "FactDateKey": "2026-11-19"}], deadline_seconds=5
    )
    for partition in sinks.archive.partitions():
        sinks.archive.compact(partition, before=0)
    sinks.remove("ALOWARE:1")
    names = [name for name, _ in sinks.archive.list_objects(f"{FACT_EVENT}/")]
    assert names
    assert {row["EventID"] for name in names for row in sinks.archive.rows_of_object(name)} == LEFT


def test_a_later_delivery_or_a_rebuild_does_not_bring_it_back(sinks):
    sinks.remove("ALOWARE:1")
    sinks.keep(fact(1), fact(3))
    assert sinks.there() == (LEFT | {"ALOWARE:3"}, LEFT | {"ALOWARE:3"})
    assert "ALOWARE:1" not in {fact.key for fact in sinks.rig.store().posted_facts()}
    assert sinks.rig.store().reopen("ALOWARE:1") is False


def test_a_pending_fact_is_removed_before_it_is_sent(sinks):
    sinks.rig.store().keep([fact(7)])
    assert sinks.remove("ALOWARE:7") == "removed"
    sinks.rig.run(sinks.writer)
    assert "ALOWARE:7" not in set.union(*sinks.there())


def test_a_fact_that_a_sink_lacks_still_is_not_removed(sinks):
    sinks.rig.onelake.fault("status", status=503, times=None)
    sinks.keep(fact(8))
    assert sinks.remove("ALOWARE:8") == "held:open_batch"
    assert sinks.rig.store().row("ALOWARE:8")["status"] == "pending"


def test_a_sink_that_is_away_is_asked_again_by_the_repetition(sinks):
    sinks.rig.onelake.fault("status", status=503, times=None)
    assert sinks.remove("ALOWARE:1").startswith("waiting:onelake")
    sinks.rig.onelake.clear_faults()
    sinks.rig.clock.forward(600)
    assert sinks.remove("ALOWARE:1") == "removed"
    assert sinks.there() == (LEFT, LEFT)


def test_the_command_removes_at_once_and_a_rebuild_leaves_the_fact_out(facts_rig, app_environment):
    def run(*words):
        parts = Services(settings.load({**app_environment, **os.environ}))
        return run_app(ops_facts.app, list(words), parts)

    keys = [f"ALOWARE:{facts_rig.aloware.call()}" for _ in range(2)]
    facts_rig.work()
    facts_rig.post()

    assert run("remove", keys[0], "--dry-run") == 0
    assert len(list(facts_rig.files.read(FACT_EVENT))) == 2
    assert run("remove", keys[0], "--yes") == 0
    assert [row["EventID"] for row in facts_rig.files.read(FACT_EVENT)] == [keys[1]]
    assert facts_rig.facts()[keys[0]]["status"] == "removed"
    assert run("correct", keys[0], "--agent", "102") == 1
    assert run("check") == 0
    assert run("rebuild", "--apply") == 1, "the dataset's fact could not be put back"
    assert run("rebuild", "--apply", "--accept-loss") == 0
    assert set(facts_rig.ids()) == {keys[1]}
