"""An erased agent is in no report: OneLake's rows are replaced and taken, the dataset's filled again."""

import pytest

from chalicelib.facts.dataset import DIM_AGENT, FACT_EVENT
from chalicelib.facts.model import Agent
from chalicelib.facts.posting.powerbi import ENDS_ON
from local.stack import environment
from local.vendors import onelake as fabric
from local.vendors import powerbi as push
from ops.companies import erase_archive, erase_reports
from ops.companies.erase import Erased, Subjects
from ops.companies.erase_canaries import canaries
from tests.rigs.fact_writer import fact
from tests.rigs.fakes import NamedSecrets, SetSwitches
from tests.rigs.ops_session import session

MAIL = "ada@example.com"
ADA, BEA = Agent("101", "Ada Byron", MAIL), Agent("102", "Bea", "bea@example.com")
THEM = Subjects(addresses=(MAIL,))


@pytest.fixture
def ops(onelake, powerbi, dataset, tmp_path):
    """A stage with every sink; each sink holds two agents and a fact of each."""
    ops = session()
    given = environment.onelake(onelake) | environment.facts(powerbi, dataset, tmp_path)
    settings = ops.services.settings.model_copy(
        update={name.lower(): value for name, value in given.items()}
        | {"facts_report": frozenset({"powerbi", "onelake"}), "facts_bucket": ""}
    )
    ops.services.settings = settings
    ops.services.__dict__["switches"] = SetSwitches()
    ops.services.__dict__["secrets"] = NamedSecrets(
        **{
            settings.powerbi_secret_id: push.CLIENT_SECRET,
            settings.fabric_secret_id: fabric.CLIENT_SECRET,
        }
    )
    names(ops, ADA, BEA)
    posting = ops.services.posting
    for table in posting.onelake.tables:
        posting.onelake.make_table(table, deadline_seconds=20)
    keep(ops, fact(1), fact(2, agent_id="102"))
    return ops


def names(ops, *agents):
    """The agents that the directories name."""
    known = ops.services.posting.__dict__.setdefault("known", {})
    known.clear()
    known.update({agent.id: agent for agent in agents})
    ops.services.posting.agents = lambda: known


def keep(ops, *facts):
    ops.services.facts.ledger.keep(list(facts))
    assert ops.services.posting.writer.run(time_left_seconds=lambda: 230.0).outcome == "posted"
    ops.services.clock.forward(60)


def erased(ops, subjects=THEM, *, dry_run=False):
    done = Erased()
    erase_archive.purge(ops, subjects, done, dry_run=dry_run)
    erase_reports.purge(ops, subjects, done, dry_run=dry_run)
    return done


def asked(ops, subjects=THEM):
    return erase_reports.places(ops, canaries(subjects))


def agents_in(rows):
    return {row["AgentID"]: (row["AgentName"], row["Email"] or "") for row in rows}


def test_an_erased_agent_is_in_no_report_and_the_proof_is_clean(ops, onelake, powerbi, dataset):
    mirrored, pushed = asked(ops)
    assert (len(mirrored.left), len(pushed.left)) == (1, 1)

    names(ops, BEA)
    done = erased(ops)

    assert done.notes == []
    assert (done.tables[erase_reports.ONELAKE], done.tables[erase_reports.DATASET]) == (1, 1)
    there = {"101": ("101", ""), "102": ("Bea", "bea@example.com")}
    assert agents_in(onelake.rows(DIM_AGENT)) == there
    assert agents_in(powerbi.rows(dataset, DIM_AGENT)) == there
    assert onelake.stopped() == {}
    assert {row["AgentID"] for row in onelake.rows(FACT_EVENT)} == {"101", "102"}
    mirrored, pushed = asked(ops)
    assert (mirrored.left, mirrored.has_failed, mirrored.why_not) == ([], False, "")
    assert mirrored.stays[erase_reports.READ_FILES]["items"] == 1
    assert (pushed.left, pushed.has_failed) == ([], False)
    assert str(ENDS_ON) in pushed.why_not
    assert MAIL not in f"{mirrored}{pushed}"
    assert erased(ops).total == 0, "a second run finds nothing"


def test_rows_that_fabric_has_not_read_are_no_proof_and_are_one_once_it_has(ops, onelake):
    names(ops, BEA)
    onelake.modes.is_mirroring = False
    erased(ops)
    mirrored, _ = asked(ops)
    assert (mirrored.has_failed, mirrored.why_not) == (True, erase_reports.NOT_TAKEN)

    onelake.modes.is_mirroring = True
    erased(ops)
    mirrored, _ = asked(ops)
    assert (mirrored.left, mirrored.has_failed) == ([], False)
    assert agents_in(onelake.rows(DIM_AGENT))["101"] == ("101", "")


def test_an_agent_whom_a_directory_still_names_is_found(ops):
    done = erased(ops)
    assert erase_archive.NAMED in done.warnings
    assert [len(report.left) for report in asked(ops)] == [1, 1]


def test_an_agent_whose_id_is_the_address_is_deleted_and_their_facts_have_none(ops, onelake):
    keep(ops, fact(3, agent_id=MAIL))
    names(ops, BEA)
    erased(ops)
    assert onelake.stopped() == {}
    assert MAIL not in agents_in(onelake.rows(DIM_AGENT))
    assert [row["AgentID"] for row in onelake.rows(FACT_EVENT)] == ["101", "102", "unknown"]


def test_a_report_that_is_away_proves_nothing_and_is_erased_from_by_the_next_run(ops, onelake):
    names(ops, BEA)
    onelake.fault("status", status=503, times=None)
    assert "run again" in erased(ops).notes[0]
    assert [report.has_failed for report in asked(ops)] == [True, False]

    onelake.clear_faults()
    ops.services.clock.forward(3_600)
    assert erased(ops).notes == []
    assert [report.left for report in asked(ops)] == [[], []]


def test_a_dataset_that_answers_no_queries_is_proved_by_what_it_was_filled_with(ops, powerbi):
    powerbi.modes.queries_allowed = False
    names(ops, BEA)
    before = asked(ops)[1]
    assert (before.has_failed, before.asked) == (True, None)
    erased(ops)
    after = asked(ops)[1]
    assert (after.has_failed, after.asked) == (False, None)
    assert erase_reports.BY_RECORD in after.why_not


def test_a_dry_run_counts_and_changes_nothing(ops, onelake):
    names(ops, BEA)
    before = onelake.files()
    assert erased(ops, dry_run=True).tables[erase_reports.ONELAKE] == 1
    assert onelake.files() == before


def test_who_is_in_no_report_changes_nothing(ops, onelake):
    before = onelake.files()
    assert erased(ops, Subjects(addresses=("jane@example.com",))).total == 0
    assert onelake.files() == before
