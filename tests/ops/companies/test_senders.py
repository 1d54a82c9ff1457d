"""The map of senders: a number or address belongs to one company."""

import json
import threading

import pytest

from chalicelib.outreach import senders as layout
from chalicelib.outreach.senders import Owner
from local import company
from local.vendors import twilio as twilio_vendor
from ops.companies import senders
from ops.session import OpsError, Session
from tests.rigs import neighbour as other
from tests.rigs.ops_cli import runner

MAPPED = (company.WHATSAPP_NUMBER, company.SMS_NUMBER, company.EMAIL)


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


@pytest.fixture
def put(run, tmp_path):
    """Stores an item by `company put`."""

    def stored(item):
        path = tmp_path / "item.json"
        path.write_text(json.dumps(item))
        return run("company", "put", path, "--json")

    return stored


@pytest.fixture
def table(outreach):
    return outreach.services.table(outreach.services.settings.company_data_table)


@pytest.fixture
def empty_map(table):
    """A stage whose projects were stored by another program."""
    for address in MAPPED:
        table.delete(layout.key(address))


def with_sms(item, number):
    sms = {**item["channel_config"]["sms"], "company_sms_number": number}
    return {**item, "channel_config": {**item["channel_config"], "sms": sms}}


def owner(outreach, address):
    return outreach.services.outreach.senders.owner_of(address)


def test_storing_a_project_maps_its_senders_and_their_account(outreach, empty_map, put):
    assert put(outreach.project).code == 0
    account = twilio_vendor.ACCOUNT_SID
    for number in (company.WHATSAPP_NUMBER, company.SMS_NUMBER):
        assert owner(outreach, number) == Owner(company.COMPANY_ID, account)
    assert owner(outreach, f" {company.EMAIL.upper()}") == Owner(company.COMPANY_ID)
    assert owner(outreach, "+15550109099") is None


def test_two_projects_of_a_company_may_share_a_sender(outreach, put):
    assert put({**outreach.project, "project_id": "pi-new"}).code == 0


@pytest.mark.parametrize("mapped", [True, False])
def test_a_sender_of_another_companys_project_is_refused(outreach, put, table, mapped):
    if not mapped:
        table.delete(layout.key(company.SMS_NUMBER))
    item = with_sms(other.project(), company.SMS_NUMBER)
    said = put(item)
    assert said.code == 1
    assert "channel_config.sms.company_sms_number" in said.err
    assert company.COMPANY_ID in said.err
    assert company.SMS_NUMBER not in said.err
    assert table.get({"company_id": other.COMPANY_ID, "project_id": other.PROJECT_ID}) is None
    assert owner(outreach, other.EMAIL) is None, "all or nothing"


def test_a_number_is_one_companys_on_every_channel(outreach, put):
    item = with_sms(other.project(), company.WHATSAPP_NUMBER)
    assert put(item).code == 1


def test_a_sender_given_up_stays_its_companys_until_another_claims_it(outreach, put):
    assert put(with_sms(outreach.project, "+15550109003")).code == 0
    assert owner(outreach, company.SMS_NUMBER).company_id == company.COMPANY_ID
    assert put(with_sms(other.project(), company.SMS_NUMBER)).code == 0
    assert owner(outreach, company.SMS_NUMBER).company_id == other.COMPANY_ID
    assert put(outreach.project).code == 1


def test_of_two_companies_that_claim_a_sender_at_once_one_is_refused(outreach, table, monkeypatch):
    """Both have read that no other project uses it before either of them writes."""
    items = [
        with_sms(
            {**outreach.project, "company_id": f"ci-{n}", "channel_config": {"sms": {}}},
            "+15550109009",
        )
        for n in range(2)
    ]
    barrier, faults, outcomes = threading.Barrier(2, timeout=60), senders.faults, []

    def faults_then_wait(*arguments):
        found = faults(*arguments)
        barrier.wait()
        return found

    monkeypatch.setattr(senders, "faults", faults_then_wait)

    def store(item):
        try:
            senders.store(Session("dev"), item)
            outcomes.append("stored")
        except OpsError:
            outcomes.append("refused")

    threads = [threading.Thread(target=store, args=(item,)) for item in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["refused", "stored"]
    there = [
        project
        for project in senders.projects(Session("dev"))
        if project.company_id in ("ci-0", "ci-1")
    ]
    assert [sender.company_id for sender in there] == [owner(outreach, "+15550109009").company_id]


def findings(run, *arguments):
    said = run("company", "check", *arguments, "--json")
    return {finding["subject"]: finding for finding in said.data}["senders"]


def test_check_sees_a_shared_sender_from_both_sides(outreach, run, table):
    shared = with_sms(other.project(), company.SMS_NUMBER)
    table.put(shared)  # as another system stores it
    for mine, theirs in (
        (company.COMPANY_ID, other.COMPANY_ID),
        (other.COMPANY_ID, company.COMPANY_ID),
    ):
        found = findings(run, mine)
        assert found["result"] == "fail"
        assert theirs in found["detail"]
        assert company.SMS_NUMBER not in found["detail"]


def test_projects_that_another_program_stored_are_mapped_by_one_command(outreach, run, empty_map):
    assert findings(run, company.COMPANY_ID)["result"] == "fail"
    for _ in range(2):
        said = run("company", "map", "--json")
        assert (said.code, said.data) == (0, {"projects": 1, "problems": []})
    assert findings(run, company.COMPANY_ID)["result"] == "ok"
    assert owner(outreach, company.SMS_NUMBER).account == twilio_vendor.ACCOUNT_SID


def test_projects_of_a_company_that_share_senders_are_mapped_with_it(
    outreach, run, empty_map, table
):
    table.put({**outreach.project, "project_id": "pi-new"})
    for _ in range(2):
        said = run("company", "map", "--json")
        assert (said.code, said.data) == (0, {"projects": 2, "problems": []})
    assert owner(outreach, company.SMS_NUMBER).account == twilio_vendor.ACCOUNT_SID


def test_a_sender_that_two_companies_use_is_reported_and_not_mapped(
    outreach, run, empty_map, table
):
    table.put(with_sms(other.project(), company.SMS_NUMBER))
    said = run("company", "map", "--json")
    assert said.code == 1
    assert len(said.data["problems"]) == 2
    assert owner(outreach, company.SMS_NUMBER) is None


def test_check_sees_that_the_companys_twilio_account_has_changed(outreach, run, put):
    name = outreach.project["channel_config"]["sms"]["sms_credentials_id"]
    company.put_secrets(outreach.stage, {name: json.dumps(other.TWILIO)})
    assert "Twilio account" in findings(run, company.COMPANY_ID)["detail"]
    assert put(outreach.project).code == 0
    assert findings(run, company.COMPANY_ID)["result"] == "ok"


@pytest.mark.parametrize("field", ["company_id", "project_id"])
def test_an_id_that_could_name_a_row_of_the_map_is_refused(outreach, put, field):
    said = put({**outreach.project, field: layout.key("+15550109077")["company_id"]})
    assert said.code == 1
    assert field in said.err
