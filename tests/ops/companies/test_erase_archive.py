"""Erasing from the archive of facts: no object and no former version holds a person's name or address."""

from io import BytesIO

import pytest

from chalicelib.facts.dataset import DIM_AGENT, FACT_EVENT, dimension_rows, fact_row
from chalicelib.facts.model import Agent
from chalicelib.facts.posting.writer_state import writer_event
from chalicelib.once.event import Lease
from ops.companies import erase_archive
from ops.companies.erase import Erased, Subjects
from tests.rigs.fact_writer import fact
from tests.rigs.fakes import SetSwitches
from tests.rigs.ops_session import session

MAIL = "ada@example.com"
ADA, BEA = Agent("101", "Ada Byron", MAIL), Agent("102", "Bea", "bea@example.com")
FORMER = Agent("101", "Ada Milbanke", "ada.old@example.com")


@pytest.fixture(params=["folder", "bucket", "versioned"])
def ops(request, tmp_path):
    """A stage with an archive, once for each kind of archive."""
    if request.param == "folder":
        return staged(session(), facts_bucket="", facts_folder=str(tmp_path))
    aws = request.getfixturevalue("engine_aws")
    client, name = aws.client("s3"), f"rp-mw-facts-{aws.account}"
    client.create_bucket(Bucket=name)
    if request.param == "versioned":
        enabled = {"Status": "Enabled"}
        client.put_bucket_versioning(Bucket=name, VersioningConfiguration=enabled)
    return staged(session(s3=client), facts_bucket=name, facts_folder="")


def staged(ops, **changed):
    changed |= {"facts_report": "archive"}
    ops.services.__dict__["switches"] = SetSwitches()
    ops.services.settings = ops.services.settings.model_copy(update=changed)
    return ops


def archive_of(ops):
    (archive,) = ops.services.posting.archives
    return archive


def filled(ops):
    """Two agents, one of whom had another name before, in whole parts and in batches."""
    archive = archive_of(ops)
    for number, agent in enumerate((FORMER, ADA), 1):
        agents = {"101": agent, "102": BEA}
        rows = dimension_rows(DIM_AGENT, ["101", "102"], agents)
        archive.append(DIM_AGENT, number, rows, deadline_seconds=5)
    for partition in archive.partitions():
        archive.compact(partition, before=0)
    archive.append(DIM_AGENT, 3, rows, deadline_seconds=5)
    archive.append(FACT_EVENT, 4, [fact_row(fact(1))], deadline_seconds=5)
    return archive


def everything(ops):
    return [row for stored in erase_archive.objects(ops) for row in stored.rows()]


def erased(ops, address=MAIL, *, dry_run=False):
    done = Erased()
    erase_archive.purge(ops, Subjects(addresses=(address,)), done, dry_run=dry_run)
    return done


def test_an_agent_keeps_the_id_alone_under_every_name_in_every_object(ops):
    archive = filled(ops)
    facts = list(archive.read(FACT_EVENT))
    done = erased(ops)

    assert done.tables[erase_archive.PLACE] >= 4
    assert done.notes == []
    text = str(everything(ops))
    assert "Ada" not in text
    assert "ada" not in text
    names = {row["AgentID"]: row["AgentName"] for row in archive.read(DIM_AGENT)}
    assert names == {"101": "101", "102": "Bea"}
    assert list(archive.read(FACT_EVENT)) == facts
    assert erased(ops).total == 0, "a second run finds nothing"


def test_a_version_that_was_replaced_or_deleted_goes_too(ops):
    archive = filled(ops)
    for _ in range(2):
        for partition in archive.partitions():
            archive.compact(partition, before=2e10)
    erased(ops)
    assert "Ada" not in str(everything(ops))
    assert "Bea" in str(everything(ops))


def test_a_bucket_with_versioning_has_former_versions_of_others_alone(request, ops):
    archive = filled(ops)
    archive.append(DIM_AGENT, 3, dimension_rows(DIM_AGENT, ["101"], None), deadline_seconds=5)
    is_versioned = "versioned" in request.node.name
    assert len(list(archive.former_versions())) == int(is_versioned)
    erased(ops)
    assert list(archive.former_versions()) == [], "the one had the name"


def test_a_dry_run_counts_and_changes_nothing(ops):
    filled(ops)
    before = everything(ops)
    assert erased(ops, dry_run=True).tables[erase_archive.PLACE] >= 4
    assert everything(ops) == before


def test_who_is_in_no_archive_changes_nothing(ops):
    filled(ops)
    before = everything(ops)
    assert erased(ops, "jane@example.com").tables == {}
    assert everything(ops) == before


def test_an_address_in_a_fact_is_emptied_and_the_fact_stays(ops):
    archive = archive_of(ops)
    rows = [fact_row(fact(1, agent_id=MAIL, notes=f"to={MAIL}")), fact_row(fact(2))]
    archive.append(FACT_EVENT, 1, rows, deadline_seconds=5)
    agents = dimension_rows(DIM_AGENT, [MAIL, "102"], {MAIL: ADA})
    archive.append(DIM_AGENT, 1, agents, deadline_seconds=5)
    erased(ops)
    first, other = archive.read(FACT_EVENT)
    assert (first["EventID"], first["AgentID"], first["Notes"]) == ("ALOWARE:1", "unknown", "")
    assert other == rows[1]
    assert [row["AgentID"] for row in archive.read(DIM_AGENT)] == ["102"]


def test_while_the_writer_is_at_work_it_waits_and_then_says_so(ops):
    filled(ops)
    ledger = ops.services.posting.ledger
    modes = ops.services.posting.writer.runtime.switches.current().modes
    clock = ops.services.clock
    lease = ledger.claim(
        writer_event(clock.now()), modes, lease_seconds=3_600, takeover=frozenset()
    )
    assert isinstance(lease, Lease)
    done = erased(ops)
    assert done.notes == ["the archive of facts was not changed (busy): run again"]
    assert len(clock.slept) == erase_archive.TRIES
    assert "Ada" in str(everything(ops))


def test_an_archive_that_cannot_be_read_is_said(ops):
    archive_of(ops).put(f"{DIM_AGENT}/1.ndjson.gz", BytesIO(b"no gzip"))
    assert "run again" in erased(ops).notes[0]


def test_a_directory_that_still_names_them_is_a_warning(ops):
    filled(ops)
    ops.services.posting.agents = lambda: {"101": ADA}
    assert erase_archive.NAMED in erased(ops).warnings
