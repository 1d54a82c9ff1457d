"""`ops support-tags`: what a tenant lacks is listed, and created where the operator says so."""

import pytest

from chalicelib.support.settable_tags import every_tag
from tests.rigs.ops_cli import runner


@pytest.fixture
def run(system, capsys):
    system.richpanel.set_modes(rate_limit=None)
    return runner(capsys)


@pytest.fixture
def patient(system, without_rate_limits):
    return system


def test_missing_tags_are_listed_and_created_once(patient, run):
    patient.richpanel.tag_id("route-returns-admin")

    listed = run("support-tags", "--json")
    assert listed.code == 1
    assert {tag["tag"]: tag["state"] for tag in listed.data}["route-returns-admin"] == "there"
    assert not patient.richpanel.calls_of("create_tag")

    assert run("support-tags", "--create").code == 0
    assert run("support-tags").code == 0
    assert patient.services().support.richpanel.tag_names() == every_tag()
    assert len(patient.richpanel.calls_of("create_tag")) == len(every_tag()) - 1
