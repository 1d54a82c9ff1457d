"""Stored versions never change, and a bad one never replaces a good one."""

import pytest

from chalicelib.support.configuration.cached import REFRESH_SECONDS, CachedRules
from chalicelib.support.configuration.versions import PublishedMeanwhileError, Versions
from tests.rigs.fakes import ManualClock, RecordingLog
from tests.simulation import tables

ONE = {"routes": {"return_request": "route-sales-team"}}
TWO = {"routes": {"return_request": "route-tiktok-support"}}


class Stage:
    """The versions of a stage, an operator and a container."""

    def __init__(self):
        self.clock, self.log, self.table = ManualClock(), RecordingLog(), tables.ledger()
        self.versions = Versions(table=self.table, clock=self.clock)
        self.rules = self.container()

    def container(self):
        return CachedRules(versions=self.versions, clock=self.clock, log=self.log)

    def publish(self, document):
        after = self.versions.current(consistent=True)
        return self.versions.publish(document, by="jo", note="", after=after)

    def department(self):
        return self.rules.current().department_of("return_request")

    def spoil(self, number, document="{}"):
        self.table.rows[(f"cfg:support:{number}",)]["document"] = document


@pytest.fixture
def settings_stage():
    return Stage()


def test_a_stage_without_a_document_has_the_built_in_settings(settings_stage):
    assert settings_stage.rules.current().version == 0
    assert settings_stage.department() == "route-returns-admin"


def test_a_version_is_used_within_a_minute_and_read_once(settings_stage):
    settings_stage.department()
    settings_stage.publish(ONE)
    assert settings_stage.department() == "route-returns-admin"

    settings_stage.clock.forward(REFRESH_SECONDS)

    assert settings_stage.department() == "route-sales-team"
    assert settings_stage.rules.current() is settings_stage.rules.of_version(1)


def test_an_earlier_version_stays_as_it_was(settings_stage):
    settings_stage.publish(ONE)
    settings_stage.publish(TWO)

    assert settings_stage.rules.of_version(1).department_of("return_request") == "route-sales-team"
    assert (
        settings_stage.rules.of_version(2).department_of("return_request") == "route-tiktok-support"
    )
    assert [version.number for version in settings_stage.versions.newest(limit=5)] == [2, 1]
    assert "expires_at" not in settings_stage.table.rows[("cfg:support:1",)]


def test_of_two_operators_who_publish_at_once_one_is_refused(settings_stage):
    settings_stage.versions.publish(ONE, by="jo", note="", after=0)
    with pytest.raises(PublishedMeanwhileError):
        settings_stage.versions.publish(TWO, by="kim", note="", after=0)

    assert settings_stage.versions.current() == 1
    assert settings_stage.versions.read(1).by == "jo"


def test_a_version_that_cannot_be_read_never_replaces_a_good_one(settings_stage):
    settings_stage.publish(ONE)
    settings_stage.publish(TWO)
    settings_stage.spoil(2, '{"of_a_later_release": true}')

    assert settings_stage.container().current().version == 1
    assert settings_stage.department() == "route-sales-team"
    assert "mw.support.settings_unreadable" in str(settings_stage.log.metrics)

    settings_stage.spoil(1, '{"of_a_later_release": true}')
    assert settings_stage.container().current().version == 0
