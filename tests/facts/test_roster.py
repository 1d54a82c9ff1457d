"""The agents with facts: a configured roster, or that of a ring group."""

import json

import pytest

from chalicelib import settings
from chalicelib.errors import SettingsError, TransientError
from chalicelib.facts.dataset import DIM_AGENT
from chalicelib.facts.mapping import configured_rules
from chalicelib.facts.model import Agent
from chalicelib.facts.roster import RemoteRoster, listed_agents
from local.vendors import hubspot
from tests.rigs.fakes import ManualClock, RecordingLog


class ScriptedRingGroup:
    def __init__(self, *answers):
        self.answers = list(answers)

    def __call__(self):
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_the_roster_is_read_every_five_minutes_and_the_last_one_used_on_failure():
    clock, log = ManualClock(), RecordingLog()
    down = TransientError("aloware", "ring_group", reason="timeout")
    ask = ScriptedRingGroup(down, [Agent("101")], down, [Agent("102")])
    roster = RemoteRoster(ask=ask, clock=clock, log=log)

    assert roster.agents() is None  # nothing was ever known: no gate
    clock.forward(300)
    assert set(roster.agents()) == {"101"}
    assert set(roster.agents()) == {"101"}
    clock.forward(300)
    assert set(roster.agents()) == {"101"}
    clock.forward(300)
    assert set(roster.agents()) == {"102"}
    assert log.names().count("facts.roster_unreadable") == 2


def test_a_configured_list_filters_agents_and_joins_aliases(facts_rig, monkeypatch):
    listed = [{"id": "101", "name": "Ada", "email": "ada@example.com", "aliases": ["hubspot:5001"]}]
    monkeypatch.setenv("FACTS_ROSTER", json.dumps(listed))
    monkeypatch.setattr("chalicelib.wiring._services", [])
    facts_rig.aloware.call(owner_id=101)
    stranger = facts_rig.aloware.call(owner_id=999)
    facts_rig.hubspot.send([hubspot.event(sourceId="userId:5001")])
    facts_rig.work()
    facts_rig.post()

    assert [row["AgentID"] for row in facts_rig.rows()] == ["101", "101"]
    assert facts_rig.facts()[f"ALOWARE:{stranger}"]["reason"] == "not_on_roster"
    (agent,) = facts_rig.rows(DIM_AGENT)
    assert (agent["AgentName"], agent["Email"]) == ("Ada", "ada@example.com")


@pytest.mark.parametrize("name", ["FACTS_ROSTER", "HUBSPOT_FACT_RULES"])
def test_a_setting_that_is_not_a_list_is_named_without_its_value(app_environment, name):
    listed = {"FACTS_ROSTER": '[{"id": "101"}]'}
    found = settings.load({**app_environment, **listed, name: '{"secret": 1}'})
    with pytest.raises(SettingsError, match=name) as wrong:
        listed_agents(found.facts_roster) and configured_rules(found.hubspot_fact_rules)
    assert "secret" not in str(wrong.value)
